# The inputs of the network of base Azul: the numbers of a position's active inputs, from the view
# of the seat to act (between rounds: the seat that starts next). Seats are relative: 0 acts, 1
# follows.
#
# One layout for both walls: a shared block, then one block per seat. There are no rules here.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from pavilion_ai._c.azul cimport (
    AZUL_COLOUR_BONUS, AZUL_COLUMN_BONUS, AZUL_DRAFT, AZUL_LINES, AZUL_ROW_BONUS, EVERY_ROW,
    FLOOR_PENALTY, ONES, AzulSeat, AzulState, column_of, fixed_column, legal_columns, row_of,
)
from pavilion_ai._c.azul_features cimport space_points
from pavilion_ai._c.azul_moves cimport destinations
from pavilion_ai._c.bag cimport DISPLAY_TILES, NOBODY, SEATS, SPLIT_KNOWN
from pavilion_ai._c.bits cimport lowest_bit, popcount64
from pavilion_ai._c.linear cimport at_most
from pavilion_ai._c.tiles cimport lane, total, unfold

cdef extern from "azul_tables.h" nogil:
    const uint8_t[17] DISPLAY_SHAPE
    const uint8_t[32] LENGTH            # number of bits up to the highest one set

cdef enum:
    # First number of each group; the comment gives the indices inside. A number "1-5" is one-hot
    # where 0 is no input at all; one from 0 on is always there.
    AZUL_IN_PHASE = 0                      # draft, wall, deal 3
    AZUL_IN_ROUND = AZUL_IN_PHASE + 3      # 1-6 (6: later)
    AZUL_IN_SOURCES = AZUL_IN_ROUND + 6    # displays and centre that hold tiles 0-10
    AZUL_IN_PAIRS = AZUL_IN_SOURCES + 11   # colours that lie on each of them, together 0-15
    AZUL_IN_TURNS = AZUL_IN_PAIRS + 16     # displays that hold tiles and colours on the table 0-15
    AZUL_IN_TOKEN = AZUL_IN_TURNS + 16     # the marker: nobody's, relative seat 5
    AZUL_IN_START = AZUL_IN_TOKEN + 5      # who started the round: relative seat 4
    AZUL_IN_CENTRE = AZUL_IN_START + 4     # colour 5, tiles in the centre 1-7
    AZUL_IN_DISPLAY = AZUL_IN_CENTRE + 35  # once per colour on a display: colour 5, tiles 1-4
    AZUL_IN_SHAPE = AZUL_IN_DISPLAY + 20   # once per display: as DISPLAY_SHAPE 5, fewer tiles
    AZUL_IN_TABLE = AZUL_IN_SHAPE + 6      # colour 5, tiles on the table 1-10
    AZUL_IN_LARGEST = AZUL_IN_TABLE + 50   # colour 5, tiles that one draft takes at most 1-6
    # colour 5, tiles that the next deal draws from, halved: 1-10
    AZUL_IN_POOL = AZUL_IN_LARGEST + 30
    AZUL_IN_DEALS = AZUL_IN_POOL + 50      # how many deals the bag is good for 0-5
    # a row will be complete: of nobody, seat 0, others, both 4
    AZUL_IN_END = AZUL_IN_DEALS + 6
    AZUL_SHARED = AZUL_IN_END + 4

    # A seat's inputs, from the first number of its block. Walls and counts are those after the full
    # lines are moved over; on the grey wall their columns are still open.
    AZUL_SEAT_WALL = 0                         # space 25
    AZUL_SEAT_HUES = AZUL_SEAT_WALL + 25       # grey wall: colour 5, row 5 whose line is not empty
    AZUL_SEAT_COLUMNS = AZUL_SEAT_HUES + 25    # grey wall: colour 5, column 5
    AZUL_SEAT_ROW = AZUL_SEAT_COLUMNS + 25     # row 5, tiles in it 1-5
    AZUL_SEAT_COLUMN = AZUL_SEAT_ROW + 25      # column 5, tiles in it 1-5
    AZUL_SEAT_COLOUR = AZUL_SEAT_COLUMN + 25   # colour 5, tiles on the wall 1-5
    AZUL_SEAT_LONGEST = AZUL_SEAT_COLOUR + 25  # most tiles in a row 0-5
    AZUL_SEAT_LINE = AZUL_SEAT_LONGEST + 6     # line 1-5, of it: colour 5, tiles 1 to line
    AZUL_SEAT_LEFT = AZUL_SEAT_LINE + 75       # line 1-5, of it: spaces left 0 to line
    # empty line 5: most points of a space in its row 1-10
    AZUL_SEAT_BEST = AZUL_SEAT_LEFT + 20
    AZUL_SEAT_POINTS = AZUL_SEAT_BEST + 50     # line begun or full 5: points of its tile 0-10
    AZUL_SEAT_FULL = AZUL_SEAT_POINTS + 55     # points of all full lines 0-15
    AZUL_SEAT_FLOOR = AZUL_SEAT_FULL + 16      # occupied floor spaces 0-7
    AZUL_SEAT_CLOSED = AZUL_SEAT_FLOOR + 8     # colour 5, empty line 5 that it may not go to
    AZUL_SEAT_ROOM = AZUL_SEAT_CLOSED + 25     # colour 5, most spaces that a line has for it 1-5
    # colour 5, fewest spaces left on a line begun with it 1-4
    AZUL_SEAT_NEED = AZUL_SEAT_ROOM + 25
    # colour 5, a draft fills exactly: line 1-5 if empty, one begun
    AZUL_SEAT_EXACT = AZUL_SEAT_NEED + 20
    # once per line begun: spaces left 1-4, tiles on the table 0-7
    AZUL_SEAT_HOPE = AZUL_SEAT_EXACT + 30
    AZUL_SEAT_LAST_ROW = AZUL_SEAT_HOPE + 32   # once per row one short: spaces left on its line 1-5
    # once per column one short: line not to be used, left 0-5
    AZUL_SEAT_LAST_COLUMN = AZUL_SEAT_LAST_ROW + 5
    # the same of colours
    AZUL_SEAT_LAST_COLOUR = AZUL_SEAT_LAST_COLUMN + 7
    # 0-10 (10: more)
    AZUL_SEAT_SCORE = AZUL_SEAT_LAST_COLOUR + 7
    # the lead of seat 0 (for itself: over the best other), by 3
    AZUL_SEAT_LEAD = AZUL_SEAT_SCORE + 11
    AZUL_SEAT = AZUL_SEAT_LEAD + 29

    AZUL_LEAD_MOST = 42  # points; a greater lead counts as this one

ctypedef struct AzulBoard:
    # Results of a seat's own inputs, used by those that depend on other seats as well.
    int score               # after the round if nothing more happened, with the bonuses secured
    int longest             # most tiles in a row

ctypedef struct SeatSight:
    # Data from which the inputs of a seat are made.
    uint32_t wall           # with the full lines of the coloured wall
    uint32_t hues           # bit 5 * colour + row, with all full lines
    uint32_t empty          # lines, as 5 bits
    uint32_t[5] columns     # spaces of each, as 5 bits
    uint8_t[AZUL_LINES] points   # of the tile of a line begun or full
    uint8_t[AZUL_LINES] row      # tiles in the row
    int full                # points of all full lines
    AzulBoard board

ctypedef struct TableSight:
    uint8_t[5] left         # tiles on the table by colour
    uint32_t[5] piles       # bit n - 1: a draft takes n tiles of the colour (5: at least so many)


cdef inline int azul_viewer(const AzulState* st) noexcept nogil:
    """The seat from whose viewpoint the position is described."""
    return st.mover


cdef inline void azul_put(uint16_t** out, int input) noexcept nogil:
    out[0][0] = <uint16_t> input
    out[0] += 1


cdef inline void put_number(uint16_t** out, int first, int number) noexcept nogil:
    """One-hot from 1 on; nothing for 0 (what is written then is written over)."""
    out[0][0] = <uint16_t> (first + number - 1)
    out[0] += number != 0


cdef inline void put_if(uint16_t** out, bint wanted, int input) noexcept nogil:
    """Branch-free, for unpredictable values."""
    out[0][0] = <uint16_t> input
    out[0] += wanted


cdef inline void put_bits(uint16_t** out, int first, uint32_t bits) noexcept nogil:
    while bits:
        azul_put(out, first + lowest_bit(bits))
        bits &= bits - 1


# --------------------------------------------------------------------------------- the walls

cdef inline int line_points(const AzulState* st, const AzulSeat* seat, const SeatSight* sight,
                            int line) noexcept nogil:
    """Points of the tile of a line begun or full; grey wall: at best, 0 if no column is legal."""
    cdef uint32_t row = row_of(sight.wall, line), columns
    cdef int column, points, best = 0
    if not st.grey:
        column = fixed_column(line, seat.colour[line])
        best = space_points(row, sight.columns[column], line, column)
        return best if best else 1
    columns = legal_columns(seat, line, seat.colour[line])
    if columns:
        best = 1
    for column in range(5):
        points = space_points(row, sight.columns[column], line, column)
        if columns >> column & 1 and points > best:
            best = points
    return best


cdef inline void look_at_seat(SeatSight* sight, const AzulState* st,
                              const AzulSeat* seat) noexcept nogil:
    cdef int line, column, colour, score, bonus = 0
    sight.wall = seat.wall
    sight.hues = seat.rows
    sight.empty = 0
    sight.full = 0
    sight.board.longest = 0
    for line in range(AZUL_LINES):
        sight.columns[line] = column_of(seat.wall, line)
    for line in range(AZUL_LINES):
        sight.row[line] = ONES[row_of(seat.wall, line)]
        sight.empty |= <uint32_t> (seat.count[line] == 0) << line
        if seat.count[line] > line:
            colour = seat.colour[line]
            sight.points[line] = <uint8_t> line_points(st, seat, sight, line)
            sight.full += sight.points[line]
            sight.row[line] += 1
            sight.hues |= <uint32_t> 1 << (5 * colour + line)
            if not st.grey:
                column = fixed_column(line, colour)
                sight.wall |= <uint32_t> 1 << (5 * line + column)
                sight.columns[column] |= <uint32_t> 1 << line
        if sight.row[line] > sight.board.longest:
            sight.board.longest = sight.row[line]
    for line in range(AZUL_LINES):
        if seat.count[line] <= line:        # of no use, and not used, if it is empty
            sight.points[line] = <uint8_t> line_points(st, seat, sight, line)
        bonus += (AZUL_ROW_BONUS * (sight.row[line] == 5)
                  + AZUL_COLUMN_BONUS * (sight.columns[line] == 31)
                  + AZUL_COLOUR_BONUS * (((sight.hues >> (5 * line)) & 31) == 31))
    score = seat.score + sight.full - FLOOR_PENALTY[seat.floor]
    sight.board.score = (score if score > 0 else 0) + bonus


cdef inline int last_space(const AzulState* st, const AzulSeat* seat, uint32_t rows, int column,
                           int colour) noexcept nogil:
    """Steps to the tile that a column or colour (the other: -1) lacks: 0 if its line holds another
    colour, else 1 and the spaces left on the line."""
    cdef int line = lowest_bit(~rows & 31)
    cdef int held = seat.colour[line]
    cdef bint fits = True
    if seat.count[line]:
        if column < 0:
            fits = held == colour
        elif st.grey:
            fits = legal_columns(seat, line, held) >> column & 1
        else:
            fits = fixed_column(line, held) == column
    return 2 + line - seat.count[line] if fits else 0


cdef inline void wall_inputs(uint16_t** out, int base, const AzulState* st, const AzulSeat* seat,
                             const SeatSight* sight) noexcept nogil:
    cdef const uint32_t* columns = &sight.columns[0]
    cdef uint32_t row
    cdef int i, column, points, best
    cdef bint empty
    put_bits(out, base + AZUL_SEAT_WALL, sight.wall)
    for i in range(5):
        put_number(out, base + AZUL_SEAT_ROW + 5 * i, sight.row[i])
        put_number(out, base + AZUL_SEAT_COLUMN + 5 * i, ONES[columns[i]])
        put_number(out, base + AZUL_SEAT_COLOUR + 5 * i, ONES[(sight.hues >> (5 * i)) & 31])
    azul_put(out, base + AZUL_SEAT_LONGEST + sight.board.longest)
    for i in range(AZUL_LINES):
        row = row_of(sight.wall, i)
        best = row != 31
        for column in range(5):
            points = space_points(row, columns[column], i, column)
            best = points if points > best else best
        empty = sight.empty >> i & 1
        put_if(out, not empty, base + AZUL_SEAT_POINTS + 11 * i + sight.points[i])
        put_if(out, empty and best, base + AZUL_SEAT_BEST + 10 * i + best - 1)
    for i in range(5):
        if ONES[columns[i]] == 4:
            azul_put(out, base + AZUL_SEAT_LAST_COLUMN + last_space(st, seat, columns[i], i, -1))
        if ONES[(sight.hues >> (5 * i)) & 31] == 4:
            azul_put(out, base + AZUL_SEAT_LAST_COLOUR
                     + last_space(st, seat, sight.hues >> (5 * i), -1, i))
        if sight.row[i] == 4 and seat.count[i] <= i:
            azul_put(out, base + AZUL_SEAT_LAST_ROW + i - seat.count[i])


# --------------------------------------------------------------------------------- the lines

cdef inline void begun_lines(const AzulSeat* seat, uint32_t* begun) noexcept nogil:
    """By colour, bit n - 1: a line begun has n spaces left."""
    cdef int i, left
    for i in range(5):
        begun[i] = 0
    for i in range(AZUL_LINES):
        left = i + 1 - seat.count[i]
        begun[seat.colour[i]] |= (<uint32_t> (left <= i) << left) >> 1


cdef inline void line_inputs(uint16_t** out, int base, const AzulSeat* seat,
                             const SeatSight* sight) noexcept nogil:
    cdef uint32_t[5] begun
    cdef int i
    begun_lines(seat, begun)
    for i in range(AZUL_LINES):
        azul_put(out, base + AZUL_SEAT_LEFT + i * (i + 3) // 2 + i + 1 - seat.count[i])
        put_number(out, base + AZUL_SEAT_LINE + 5 * i * (i + 1) // 2 + (i + 1) * seat.colour[i],
                   seat.count[i])
    put_bits(out, base + AZUL_SEAT_CLOSED, seat.rows & (sight.empty * EVERY_ROW))
    for i in range(5):
        put_number(out, base + AZUL_SEAT_ROOM + 5 * i,
                   LENGTH[(destinations(seat, i) & sight.empty) | begun[i]])
        put_number(out, base + AZUL_SEAT_NEED + 4 * i, LENGTH[begun[i] & -begun[i]])


cdef inline void azul_own_inputs(const AzulState* st, int index, int base, uint16_t** out,
                                 AzulBoard* board) noexcept nogil:
    """The inputs of a seat's own board."""
    cdef const AzulSeat* seat = &st.seats[index]
    cdef SeatSight sight
    look_at_seat(&sight, st, seat)
    wall_inputs(out, base, st, seat, &sight)
    line_inputs(out, base, seat, &sight)
    azul_put(out, base + AZUL_SEAT_FULL + at_most(sight.full, 15))
    azul_put(out, base + AZUL_SEAT_FLOOR + seat.floor)
    azul_put(out, base + AZUL_SEAT_SCORE + at_most(seat.score, 10))
    if st.grey:
        put_bits(out, base + AZUL_SEAT_HUES, sight.hues & ~(sight.empty * EVERY_ROW))
        put_bits(out, base + AZUL_SEAT_COLUMNS, seat.columns)
    board[0] = sight.board


# --------------------------------------------------------------------------------- the table

cdef inline int relative(const AzulState* st, int seat, int first) noexcept nogil:
    return seat - first if seat >= first else seat - first + st.players


cdef inline void draft_inputs(uint16_t** out, const AzulState* st,
                              TableSight* table) noexcept nogil:
    """Displays and centre."""
    cdef uint64_t tiles, everything = st.centre
    cdef uint8_t[5] most
    cdef int d, i, count, squares, displays = 0, some = 0
    for i in range(5):
        table.piles[i] = 0
        table.left[i] = most[i] = 0
    for d in range(2 * st.players + 1):
        if not st.displays[d]:
            continue
        displays += 1
        tiles = unfold(st.displays[d])
        everything += tiles
        squares = 0
        for i in range(5):
            count = lane(tiles, i)
            squares += count * count
            put_number(out, AZUL_IN_DISPLAY + 4 * i, count)
            table.piles[i] |= ((<uint32_t> 1 << count) >> 1)
            most[i] = <uint8_t> count if count > most[i] else most[i]
        azul_put(out, AZUL_IN_SHAPE
                 + (DISPLAY_SHAPE[squares] if total(tiles) == DISPLAY_TILES else 5))
    for i in range(5):
        count = lane(st.centre, i)
        put_number(out, AZUL_IN_CENTRE + 7 * i, at_most(count, 7))
        table.piles[i] |= (<uint32_t> 1 << at_most(count, 5)) >> 1
        most[i] = <uint8_t> count if count > most[i] else most[i]
        table.left[i] = <uint8_t> lane(everything, i)
        some += table.left[i] != 0
        put_number(out, AZUL_IN_TABLE + 10 * i, at_most(table.left[i], 10))
        put_number(out, AZUL_IN_LARGEST + 6 * i, at_most(most[i], 6))
    azul_put(out, AZUL_IN_SOURCES + displays + (st.centre != 0))
    azul_put(out, AZUL_IN_PAIRS + at_most(popcount64(st.drafts), 15))
    azul_put(out, AZUL_IN_TURNS + at_most(displays + some, 15))


cdef inline void pool_inputs(uint16_t** out, const AzulState* st) noexcept nogil:
    """The tiles of the next deal: the bag if it suffices, else bag and lid; if the bag is unknown,
    all unseen tiles, in proportion."""
    cdef uint64_t pool = st.bag
    cdef int wanted = DISPLAY_TILES * (2 * st.players + 1)
    cdef int unseen = total(st.bag), in_bag = unseen if st.hidden == SPLIT_KNOWN else st.hidden
    cdef int i, count
    if in_bag < wanted:
        pool += st.lid
        unseen = in_bag
    for i in range(5):
        count = lane(pool, i)
        if unseen != in_bag:
            count = (count * in_bag + unseen // 2) // unseen
        put_number(out, AZUL_IN_POOL + 10 * i, (at_most(count, 20) + 1) // 2)
    azul_put(out, AZUL_IN_DEALS + at_most(in_bag // wanted, 5))


cdef inline void hope_inputs(uint16_t** out, int base, const AzulSeat* seat,
                             const TableSight* table) noexcept nogil:
    """The inputs about drafts on the table for a seat's lines."""
    cdef uint32_t[5] begun
    cdef uint32_t empty = 0
    cdef int i, left
    begun_lines(seat, begun)
    for i in range(AZUL_LINES):
        left = i + 1 - seat.count[i]
        empty |= <uint32_t> (left > i) << i
        put_if(out, (left <= i) & (left != 0),
               base + AZUL_SEAT_HOPE + 8 * (left - 1) + at_most(table.left[seat.colour[i]], 7))
    for i in range(5):
        put_number(out, base + AZUL_SEAT_EXACT + 6 * i + 5, begun[i] & table.piles[i] != 0)
        put_number(out, base + AZUL_SEAT_EXACT + 6 * i,
                   LENGTH[destinations(seat, i) & empty & table.piles[i]])


cdef inline int lead_bucket(int lead) noexcept nogil:
    if lead > AZUL_LEAD_MOST:
        lead = AZUL_LEAD_MOST
    elif lead < -AZUL_LEAD_MOST:
        lead = -AZUL_LEAD_MOST
    return (lead + AZUL_LEAD_MOST + 1) // 3


cdef inline void azul_seat_key(const AzulState* st, int index, uint64_t* key) noexcept nogil:
    """Four words that identify the result of azul_own_inputs() up to the seat; never all zero."""
    memcpy(key, &st.seats[index], sizeof(AzulSeat))
    key[0] ^= <uint64_t> st.grey << 63      # where `rows` has no bit


cdef inline int seat_after(const AzulState* st, int first, int r) noexcept nogil:
    """The seat with the relative number r."""
    return first + r if first + r < st.players else first + r - st.players


cdef inline void azul_table_inputs(const AzulState* st, const AzulBoard* boards,
                                   uint16_t** out) noexcept nogil:
    """All inputs except azul_own_inputs() of the seats; boards: by relative seat."""
    cdef TableSight table
    cdef int first = azul_viewer(st)
    cdef int r, base, best = -1000, ends = 0
    azul_put(out, AZUL_IN_PHASE + at_most(st.phase, 2))
    azul_put(out, AZUL_IN_ROUND + at_most(st.round, 6) - 1)
    azul_put(out, AZUL_IN_TOKEN + (0 if st.token == NOBODY else 1 + relative(st, st.token, first)))
    azul_put(out, AZUL_IN_START + relative(st, st.start_seat, first))
    draft_inputs(out, st, &table)
    pool_inputs(out, st)
    for r in range(st.players):
        ends |= (boards[r].longest == 5) << (r != 0)
        if r and boards[r].score > best:
            best = boards[r].score
    azul_put(out, AZUL_IN_END + ends)
    for r in range(st.players):
        base = AZUL_SHARED + r * AZUL_SEAT
        if st.phase == AZUL_DRAFT:
            hope_inputs(out, base, &st.seats[seat_after(st, first, r)], &table)
        azul_put(out, base + AZUL_SEAT_LEAD
                 + lead_bucket(boards[0].score - (boards[r].score if r else best)))


cdef inline int azul_inputs(const AzulState* st, uint16_t* out) noexcept nogil:
    """List the active inputs, with repetitions; returns their number.

    out: room for MAX_ACTIVE. There are at most 74 shared inputs and 155 per seat.
    """
    cdef AzulBoard[SEATS] boards
    cdef uint16_t* end = out
    cdef int r
    for r in range(st.players):
        azul_own_inputs(st, seat_after(st, azul_viewer(st), r), AZUL_SHARED + r * AZUL_SEAT, &end,
                        &boards[r])
    azul_table_inputs(st, boards, &end)
    return <int> (end - out)
