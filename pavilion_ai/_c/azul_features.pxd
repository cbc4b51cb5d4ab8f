# Binary features of moves and of positions between rounds of base Azul, and the sums over them.
#
# There are no rules here. The weights are fitted to the search's own games (docs/search.md) and are
# in azul_weights.h, one table per variant (wall side, number of players):
#   policy: the logit of a move is the sum of the weights of its features, in 1/256; the tables
#   hold the first AZUL_LINEAR of them; the others (wide) are added if the view requests them;
#   evaluation: the points a seat still gains after a round, in 1/64 point.

from libc.stdint cimport int16_t, uint32_t, uint64_t, uint8_t
from pavilion_ai._c.azul cimport (
    AZUL_DRAFT, AZUL_FLOOR, AZUL_FLOOR_SPACES, AZUL_LINES, AZUL_MOVE_TAKE, AZUL_OVER, FLOOR_PENALTY,
    ONES, AzulSeat, AzulState, azul_tile_points, column_of, complete_rows, fixed_column,
    legal_columns, row_of,
)
from pavilion_ai._c.azul_moves cimport destinations
from pavilion_ai._c.bag cimport CENTRE, NOBODY, next_seat
from pavilion_ai._c.bits cimport lowest_bit, popcount64
from pavilion_ai._c.linear cimport Tally, add, at_most, tally
from pavilion_ai._c.tiles cimport lane, total, unfold

cdef extern from "azul_tables.h" nogil:
    const uint8_t[32][8] JOINED         # run of at least 2 that a tile on that place would make

cdef enum:
    # First number of each group of policy features; the comment gives the indices inside.
    # Points, column and colour are those of the space that the line fills, were it full now.
    # last round 2, line 5, spaces left after 0-4, begun before 2
    AZUL_T_FILL = 0
    AZUL_T_ROUND = AZUL_T_FILL + 100     # round 1-5, line 5, spaces left after 0-4
    AZUL_T_POINTS = AZUL_T_ROUND + 125   # full after 2, points 0-10 (0: no legal column)
    AZUL_T_COLUMN = AZUL_T_POINTS + 22   # full after 2, tiles in the column with it 0-5
    AZUL_T_ROW = AZUL_T_COLUMN + 12      # full after 2, lead behind level ahead 3, in the row 1-5
    AZUL_T_COLOUR = AZUL_T_ROW + 30      # full after 2, tiles of the colour on the wall with it 1-5
    # spaces left after 1-4, tiles of the colour left to take 0-5
    AZUL_T_SUPPLY = AZUL_T_COLOUR + 10
    AZUL_T_PENALTY = AZUL_T_SUPPLY + 24  # points lost on the floor line 0-14
    AZUL_T_FLOOR = AZUL_T_PENALTY + 15   # straight to the floor: a line was open 2, tiles 1-8
    AZUL_T_MARKER = AZUL_T_FLOOR + 16    # round 1-5, spaces of the floor line taken before 0-3
    AZUL_T_CENTRE = AZUL_T_MARKER + 20   # from the centre: tiles 1-8
    AZUL_T_REST = AZUL_T_CENTRE + 8      # from a display: tiles moved to the centre 0-3
    AZUL_T_PUSH = AZUL_T_REST + 4        # once per colour moved: there then 1-6, as AZUL_T_RIVAL 5
    AZUL_T_RIVAL = AZUL_T_PUSH + 30      # tiles 1-5, what the next player could do with them 5
    # could fill a line: points 0-10
    AZUL_T_RIVAL_POINTS = AZUL_T_RIVAL + 25
    # sources left after 0-5 (5: more), overflows 2
    AZUL_T_LEAVES = AZUL_T_RIVAL_POINTS + 11
    AZUL_C_POINTS = AZUL_T_LEAVES + 12   # grey wall: points 1-10
    AZUL_C_COLUMN = AZUL_C_POINTS + 10   # tiles in the column with it 1-5
    AZUL_C_SPACE = AZUL_C_COLUMN + 5     # row 5, column 5
    AZUL_C_BLOCKS = AZUL_C_SPACE + 25    # lines of that colour begun or full below 0-4
    AZUL_LINEAR = AZUL_C_BLOCKS + 5      # the features of the linear policy end here

    # Wide features, for a policy whose weights depend on the position: too coarse or useless with
    # one table for all positions. Those of the grey wall come first, so that the features of a
    # phase are contiguous.
    AZUL_W_SPACE = AZUL_LINEAR           # grey wall: colour 5, column 5
    AZUL_W_SOURCE = AZUL_W_SPACE + 25    # from a display, the centre 2, colour 5
    AZUL_W_TAKE = AZUL_W_SOURCE + 10     # colour 5, tiles 1-6
    AZUL_W_PUSH = AZUL_W_TAKE + 30       # once per colour moved: colour 5, there then 1-6
    AZUL_W_LINE = AZUL_W_PUSH + 30       # colour 5, destination 6
    AZUL_W_PLACE = AZUL_W_LINE + 30      # colour 5, line 1-5 with spaces left after 0 to line - 1
    AZUL_W_COUNT = AZUL_W_PLACE + 75     # destination 6, tiles 1-6
    AZUL_W_OVERFLOW = AZUL_W_COUNT + 36  # line 5, tiles beyond it 1-4
    AZUL_POLICY = AZUL_W_OVERFLOW + 20

    # Evaluation between rounds, per seat.
    AZUL_V_ROW = 0                         # row 5, tiles in it 0-5
    AZUL_V_COLUMN = AZUL_V_ROW + 30        # column 5, tiles in it 0-5
    AZUL_V_COLOUR = AZUL_V_COLUMN + 30     # tiles of a colour on the wall 0-5
    AZUL_V_LINE = AZUL_V_COLOUR + 6        # line 5, tiles on it 0-4
    AZUL_V_POTENTIAL = AZUL_V_LINE + 25    # of a line begun: spaces left 1-4, points 0-10
    AZUL_V_SPACES = AZUL_V_POTENTIAL + 44  # once per empty space: points it would give 1-10
    AZUL_V_STARTER = AZUL_V_SPACES + 10    # starts the coming round
    AZUL_V_OWN = AZUL_V_STARTER + 1        # most tiles in a row of the seat 0-5
    AZUL_V_FIRST = AZUL_V_OWN + 6          # most tiles in a row of any seat 0-5
    AZUL_V_CONSTANT = AZUL_V_FIRST + 6
    AZUL_EVALUATION = AZUL_V_CONSTANT + 1

    AZUL_VARIANTS = 6  # 3 * grey + players - 2
    AZUL_ROUNDS = 5    # rounds told apart; the last stands for all later ones
    AZUL_LEVEL = 5     # points: a smaller or equal lead counts as level

cdef extern from "azul_weights.h" nogil:
    const int16_t[AZUL_VARIANTS][AZUL_LINEAR] AZUL_POLICY_WEIGHTS
    const int16_t[AZUL_LINEAR] AZUL_HAND_WEIGHTS  # the first guess, by hand: agent `greedy`
    const int16_t[AZUL_VARIANTS][AZUL_ROUNDS][AZUL_EVALUATION] AZUL_EVAL_WEIGHTS
    const int16_t[AZUL_VARIANTS][AZUL_ROUNDS] AZUL_WIN_SCALES  # points per logit, 1/64

ctypedef struct Space:
    # The space of the wall that a line would fill if it were full now.
    uint8_t points          # 0 if no column is legal
    uint8_t column          # tiles in that column with it

ctypedef struct AzulView:
    # Data shared by the features of all moves of a position.
    const AzulState* st
    const AzulSeat* seat
    const AzulSeat* rival   # the next player
    const int16_t* weights
    uint32_t wall           # as it will be: full lines moved over (coloured wall)
    uint32_t rival_wall
    uint8_t[25] ranks       # in a draft, of the spaces of the grey wall: `rank_spaces`
    uint8_t[25] rival_ranks
    int round               # 0-4
    int last                # 1 if some wall will have a complete row, so that the game ends
    int lead                # 0 behind the best other seat, 1 level, 2 ahead
    int sources             # displays and centre that hold tiles
    int wide                # 1 if the wide features are wanted too; `weights` must have them then
    uint8_t[5] left         # by colour: tiles that lie on the table
    uint8_t[5] owned        # by colour: tiles on the wall, full lines included


cdef inline int azul_variant(const AzulState* st) noexcept nogil:
    return 3 * st.grey + st.players - 2


cdef inline uint32_t coming_wall(const AzulState* st, const AzulSeat* seat) noexcept nogil:
    """The wall with the full lines moved over; on the grey wall their columns are still open."""
    cdef uint32_t wall = seat.wall
    cdef int line
    if not st.grey:
        for line in range(AZUL_LINES):
            if seat.count[line] > line:
                wall |= <uint32_t> 1 << (5 * line + fixed_column(line, seat.colour[line]))
    return wall


cdef inline bint row_to_come(const AzulState* st, const AzulSeat* seat) noexcept nogil:
    """Whether a row will be complete once the full lines are moved over."""
    cdef int line
    for line in range(AZUL_LINES):
        if ONES[row_of(seat.wall, line)] + (seat.count[line] > line) == 5:
            return True
    return False


cdef inline int space_points(uint32_t row, uint32_t column_bits, int line,
                             int column) noexcept nogil:
    """As azul_tile_points, from row and column without the tile; 0 if it lay alone or the space
    is taken."""
    return JOINED[row][column] + JOINED[column_bits][line]


cdef inline int coming_points(uint32_t row, uint32_t column_bits, int line,
                              int column) noexcept nogil:
    """As azul_tile_points, for an empty space, from the row and the column without the tile."""
    cdef int points = space_points(row, column_bits, line, column)
    return points if points else 1


cdef inline void rank_spaces(uint32_t wall, uint8_t* ranks) noexcept nogil:
    """Rank each space of a wall: 8 times the points of a tile there, plus the tiles in its column
    with it. Only those of empty spaces mean anything."""
    cdef uint32_t[5] columns
    cdef uint32_t across
    cdef int row, column
    for column in range(5):
        columns[column] = column_of(wall, column)
    for row in range(AZUL_LINES):
        across = row_of(wall, row)
        for column in range(5):
            ranks[5 * row + column] = <uint8_t> (
                8 * coming_points(across, columns[column], row, column) + ONES[columns[column]] + 1)


cdef inline int best_rank(const AzulSeat* seat, const uint8_t* ranks, int line,
                          int colour) noexcept nogil:
    """Grey wall: the highest of the legal spaces of a line, 0 if there is none."""
    cdef uint32_t columns = legal_columns(seat, line, colour)
    cdef int rank = 0, column
    while columns:
        column = lowest_bit(columns)
        columns &= columns - 1
        if ranks[5 * line + column] > rank:
            rank = ranks[5 * line + column]
    return rank


cdef inline Space space_for(bint grey, const AzulSeat* seat, uint32_t wall, const uint8_t* ranks,
                            int line, int colour) noexcept nogil:
    """The space a full line would fill; on the grey wall the legal one with most points.

    Ties go to the fullest column, which is the same on a mirrored wall.
    ranks: ranks of the grey wall's spaces. On the coloured wall a colour has only one space in each
    row, and ranking all spaces first was slower when few drafts are left.
    """
    cdef Space space
    cdef uint32_t down
    cdef int rank, column
    if grey:
        rank = best_rank(seat, ranks, line, colour)
        space.points = <uint8_t> (rank >> 3)
        space.column = <uint8_t> (rank & 7)
    else:
        column = fixed_column(line, colour)
        down = column_of(wall, column)
        space.points = <uint8_t> coming_points(row_of(wall, line), down, line, column)
        space.column = ONES[down] + 1
    return space


cdef inline void azul_look(AzulView* view, const AzulState* st) noexcept nogil:
    cdef const AzulSeat* seat = &st.seats[st.mover]
    cdef uint64_t everything = st.centre
    cdef int s, d, c, lead, best = -1000
    view.st = st
    view.seat = seat
    view.rival = &st.seats[next_seat(st.mover, st.players)]
    view.weights = AZUL_POLICY_WEIGHTS[azul_variant(st)]
    view.wide = 0
    view.wall = coming_wall(st, seat)
    view.rival_wall = coming_wall(st, view.rival)
    if st.grey and st.phase == AZUL_DRAFT:
        rank_spaces(view.wall, view.ranks)
        rank_spaces(view.rival_wall, view.rival_ranks)
    view.round = at_most(st.round, AZUL_ROUNDS) - 1
    view.last = 0
    for s in range(st.players):
        if row_to_come(st, &st.seats[s]):
            view.last = 1
        if s != st.mover and st.seats[s].score > best:
            best = st.seats[s].score
    lead = seat.score - best
    view.lead = 0 if lead < -AZUL_LEVEL else 2 if lead > AZUL_LEVEL else 1
    view.sources = 1 if st.centre else 0
    for d in range(2 * st.players + 1):
        if st.displays[d]:
            view.sources += 1
            everything += unfold(st.displays[d])
    for c in range(5):
        view.left[c] = <uint8_t> lane(everything, c)
        view.owned[c] = ONES[(seat.rows >> (5 * c)) & 31]
    for d in range(AZUL_LINES):
        if seat.count[d] > d:
            view.owned[seat.colour[d]] += 1


cdef inline void azul_look_wide(AzulView* view, const AzulState* st,
                                const int16_t* weights) noexcept nogil:
    """For the wide features too, by a table of AZUL_POLICY weights."""
    azul_look(view, st)
    view.weights = weights
    view.wide = 1


# ------------------------------------------------------------------------------ drafts
# Features of a draft by what they depend on, so that a rollout can sum each part once per turn
# (list_drafts): no draft has a feature that depends on both its source and its destination, except
# the marker that may come with the centre.

cdef inline int want_class(const AzulView* view, int colour, int count, int* points) noexcept nogil:
    """What the next player could do with these tiles: 0 floor only, 1 a line with overflow,
    2 a line, 3 fill a line not begun, 4 fill a line begun. points (or NULL): of the best filled."""
    cdef const AzulSeat* rival = view.rival
    cdef uint32_t lines = destinations(rival, colour) & 31
    cdef int line, room, best = 0, found
    cdef Space space
    while lines:
        line = lowest_bit(lines)
        lines &= lines - 1
        room = line + 1 - rival.count[line]
        if count > room:
            found = 1
        elif count < room:
            found = 2
        else:
            found = 4 if rival.count[line] else 3
        if found > best:
            best = found
        if found >= 3 and points != NULL:
            space = space_for(view.st.grey, rival, view.rival_wall, view.rival_ranks, line, colour)
            if space.points > points[0]:
                points[0] = space.points
    return best


cdef inline void centre_features(const AzulView* view, int count, Tally* out) noexcept nogil:
    """Add features of the number of tiles taken from the centre."""
    add(out, AZUL_T_CENTRE + at_most(count, 8) - 1)
    if view.st.token == NOBODY:
        add(out, AZUL_T_MARKER + 4 * view.round + at_most(view.seat.floor, 3))


cdef inline void rest_features(const AzulView* view, uint64_t tiles, int count,
                               Tally* out) noexcept nogil:
    """Add features of the number of tiles left over from a display."""
    add(out, AZUL_T_REST + total(tiles) - count)


cdef inline int in_the_centre(const AzulView* view, uint64_t tiles, int colour) noexcept nogil:
    """Tiles of a colour in the centre, 6 at most, once those of a display lie there too."""
    return at_most(lane(tiles, colour) + lane(view.st.centre, colour), 6)


cdef inline void push_features(const AzulView* view, int colour, int pushed,
                               Tally* out) noexcept nogil:
    """Add features of the tiles of a colour in the centre afterwards: `in_the_centre`."""
    add(out, AZUL_T_PUSH + 5 * (pushed - 1) + want_class(view, colour, pushed, NULL))
    if view.wide:
        add(out, AZUL_W_PUSH + 6 * colour + pushed - 1)


cdef inline void source_features(const AzulView* view, int source, int colour,
                                 Tally* out) noexcept nogil:
    """Add features of the kind of source and the colour."""
    if view.wide:
        add(out, AZUL_W_SOURCE + 5 * (source == CENTRE) + colour)


cdef inline void number_features(const AzulView* view, int colour, int count,
                                 Tally* out) noexcept nogil:
    """Add features of the colour and number of the tiles, for any destination."""
    cdef int points = 0, want = want_class(view, colour, count, &points)
    if view.wide:
        add(out, AZUL_W_TAKE + 6 * colour + at_most(count, 6) - 1)
    add(out, AZUL_T_RIVAL + 5 * (at_most(count, 5) - 1) + want)
    if want >= 3:
        add(out, AZUL_T_RIVAL_POINTS + points)


cdef inline void line_features(const AzulView* view, int line, int colour, int full,
                               Tally* out) noexcept nogil:
    """Add features of the line alone; `full`: whether it is full afterwards."""
    cdef Space space = space_for(view.st.grey, view.seat, view.wall, view.ranks, line, colour)
    add(out, AZUL_T_POINTS + 11 * full + space.points)
    add(out, AZUL_T_COLUMN + 6 * full + space.column)
    add(out, AZUL_T_ROW + 15 * full + 5 * view.lead + ONES[row_of(view.wall, line)])
    add(out, AZUL_T_COLOUR + 5 * full + at_most(view.owned[colour], 4))
    if view.wide:
        add(out, AZUL_W_LINE + 6 * colour + line)


cdef inline void fill_features(const AzulView* view, int source, int colour, int count,
                               int destination, Tally* out) noexcept nogil:
    """Add features of the number of tiles and their destination; all displays are alike."""
    cdef const AzulSeat* seat = view.seat
    cdef int floor = seat.floor, after, left = 0, overflow = count
    if source == CENTRE and view.st.token == NOBODY:
        floor = at_most(floor + 1, AZUL_FLOOR_SPACES)
    if destination == AZUL_FLOOR:
        add(out, AZUL_T_FLOOR + 8 * (destinations(seat, colour) & 31 != 0) + at_most(count, 8) - 1)
    else:
        left = destination + 1 - seat.count[destination] - count
        overflow = -left if left < 0 else 0
        left = left if left > 0 else 0
        add(out, AZUL_T_FILL + 50 * view.last + 10 * destination + 2 * left
            + (seat.count[destination] != 0))
        add(out, AZUL_T_ROUND + 25 * view.round + 5 * destination + left)
        if left:
            add(out, AZUL_T_SUPPLY + 6 * (left - 1) + at_most(view.left[colour] - count, 5))
    after = at_most(floor + overflow, AZUL_FLOOR_SPACES)
    add(out, AZUL_T_PENALTY + FLOOR_PENALTY[after] - FLOOR_PENALTY[floor])
    add(out, AZUL_T_LEAVES + 2 * at_most(view.sources - 1, 5) + (overflow != 0))
    if view.wide:
        add(out, AZUL_W_COUNT + 6 * destination + at_most(count, 6) - 1)
        if destination == AZUL_FLOOR:
            add(out, AZUL_W_LINE + 6 * colour + AZUL_FLOOR)
        else:
            add(out, AZUL_W_PLACE + 15 * colour + destination * (destination + 1) // 2 + left)
            if overflow:
                add(out, AZUL_W_OVERFLOW + 4 * destination + at_most(overflow, 4) - 1)


cdef inline void take_features(const AzulView* view, int source, int colour, int destination,
                               Tally* out) noexcept nogil:
    cdef const AzulState* st = view.st
    cdef uint64_t tiles = st.centre if source == CENTRE else unfold(st.displays[source])
    cdef int c, count = lane(tiles, colour)
    if source == CENTRE:
        centre_features(view, count, out)
    else:
        rest_features(view, tiles, count, out)
        for c in range(5):
            if c != colour and lane(tiles, c):
                push_features(view, c, in_the_centre(view, tiles, c), out)
    source_features(view, source, colour, out)
    number_features(view, colour, count, out)
    if destination != AZUL_FLOOR:
        line_features(view, destination, colour,
                      view.seat.count[destination] + count > destination, out)
    fill_features(view, source, colour, count, destination, out)


# ------------------------------------------------------------------------- columns, all moves

cdef inline void column_features(const AzulView* view, int line, int column,
                                 Tally* out) noexcept nogil:
    """Features of a tile on the grey wall; without a legal column there is nothing to choose."""
    cdef const AzulSeat* seat = view.seat
    cdef int colour = seat.colour[line], below = 0, i
    if column == AZUL_FLOOR:
        return
    add(out, AZUL_C_POINTS - 1 + azul_tile_points(
        seat.wall | <uint32_t> 1 << (5 * line + column), line, column))
    add(out, AZUL_C_COLUMN + ONES[column_of(seat.wall, column)])
    add(out, AZUL_C_SPACE + 5 * line + column)
    for i in range(line + 1, AZUL_LINES):
        if (seat.count[i] and seat.colour[i] == colour
                and legal_columns(seat, i, colour) >> column & 1):
            below += 1
    add(out, AZUL_C_BLOCKS + below)
    if view.wide:
        add(out, AZUL_W_SPACE + 5 * colour + column)


cdef inline void azul_move_features(const AzulView* view, uint32_t move, Tally* out) noexcept nogil:
    if move & 7 == AZUL_MOVE_TAKE:
        take_features(view, (move >> 3) & 15, (move >> 7) & 7, (move >> 10) & 7, out)
    else:
        column_features(view, (move >> 3) & 7, (move >> 6) & 7, out)


# ------------------------------------------------------------------------- between two rounds

cdef inline int longest_row(const AzulSeat* seat) noexcept nogil:
    cdef int row, best = 0
    for row in range(AZUL_LINES):
        if ONES[row_of(seat.wall, row)] > best:
            best = ONES[row_of(seat.wall, row)]
    return best


cdef inline void azul_seat_features(const AzulState* st, int index, Tally* out) noexcept nogil:
    """Evaluation features of a seat between rounds (phase AZUL_DEAL)."""
    cdef const AzulSeat* seat = &st.seats[index]
    cdef uint8_t[25] ranks
    cdef uint32_t empty = ~seat.wall & 0x1FFFFFF
    cdef Space space
    cdef int i, first = 0
    rank_spaces(seat.wall, ranks)
    for i in range(5):
        add(out, AZUL_V_ROW + 6 * i + ONES[row_of(seat.wall, i)])
        add(out, AZUL_V_COLUMN + 6 * i + ONES[column_of(seat.wall, i)])
        add(out, AZUL_V_COLOUR + ONES[(seat.rows >> (5 * i)) & 31])
        add(out, AZUL_V_LINE + 5 * i + at_most(seat.count[i], 4))
        if seat.count[i]:
            space = space_for(st.grey, seat, seat.wall, ranks, i, seat.colour[i])
            add(out, AZUL_V_POTENTIAL + 11 * (i - seat.count[i]) + space.points)
    while empty:
        add(out, AZUL_V_SPACES + (ranks[lowest_bit(empty)] >> 3) - 1)
        empty &= empty - 1
    if index == st.start_seat:
        add(out, AZUL_V_STARTER)
    add(out, AZUL_V_OWN + longest_row(seat))
    for i in range(st.players):
        if longest_row(&st.seats[i]) > first:
            first = longest_row(&st.seats[i])
    add(out, AZUL_V_FIRST + first)
    add(out, AZUL_V_CONSTANT)


cdef inline void azul_evaluate(const AzulState* st, double* scores, double* standing,
                               double* scale) noexcept nogil:
    """Expected final scores by seat, in points, and the standing: scores, then rows (B9).

    scale: points per logit of winning, 0 when the game is over. The state is between rounds or
    over.
    """
    cdef Tally gain
    cdef int s, done = at_most(st.round - 1, AZUL_ROUNDS) - 1
    scale[0] = 0
    for s in range(st.players):
        scores[s] = standing[s] = st.seats[s].score
        if st.phase == AZUL_OVER:
            standing[s] += 0.125 * popcount64(complete_rows(st.seats[s].wall))
            continue
        gain = tally(AZUL_EVAL_WEIGHTS[azul_variant(st)][done], NULL)
        azul_seat_features(st, s, &gain)
        scores[s] += gain.sum * (1.0 / 64)
        standing[s] = scores[s]
    if st.phase != AZUL_OVER:
        scale[0] = AZUL_WIN_SCALES[azul_variant(st)][done] * (1.0 / 64)
