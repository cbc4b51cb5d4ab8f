# The rules of base Azul (part B of the rules specification), on a C struct: what a decision does,
# from drafting to the final score.
#
# Everything is `noexcept nogil` and free of Python objects. Applying a decision is deterministic:
# when a deal is due the phase becomes AZUL_DEAL, a chance node, and azul_chance.pxd takes over.
#
# Colours B Y R K W are 0-4 and have the lanes of that number (tiles.pxd); lines, wall rows and
# columns are counted from 0. Space (row, column) of a wall is bit 5 * row + column.

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from pavilion_ai._c.bag cimport CENTRE, DISPLAYS, NOBODY, SEATS, next_seat
from pavilion_ai._c.bits cimport lowest_bit, popcount64
from pavilion_ai._c.tiles cimport fold, lane, present, unfold

cdef extern from "azul_tables.h" nogil:
    const uint8_t[8] FLOOR_PENALTY      # by the number of occupied floor spaces (B2)
    const uint8_t[32][5] RUN            # [spaces of a row as bits][place]: run through that place
    const uint32_t EVERY_ROW            # bit 5 * row
    const uint32_t EVERY_COLOUR         # bit 6 * colour
    const uint8_t[32] ONES              # number of bits set

cdef enum:
    AZUL_LINES = 5        # pattern lines; wall rows, columns and colours too
    AZUL_FLOOR = 5        # the floor line as a destination, beside lines 0-4
    AZUL_FLOOR_SPACES = 7
    AZUL_PER_COLOUR = 20  # tiles
    AZUL_MAX_ROUNDS = 50  # B9, guard
    AZUL_ROW_BONUS = 2    # B9
    AZUL_COLUMN_BONUS = 7
    AZUL_COLOUR_BONUS = 10

    # Phases, in the order of docs/notation.md.
    AZUL_DRAFT = 0
    AZUL_WALL = 1
    AZUL_DEAL = 2
    AZUL_OVER = 3

    # Move kinds, the low 3 bits of a move.
    AZUL_MOVE_TAKE = 0  # | source << 3 | colour << 7 | destination << 10
    AZUL_MOVE_TILE = 1  # | line << 3 | column << 6, column AZUL_FLOOR if none is legal

    AZUL_MOVES = 256  # more than any position offers: 216 (D2)

ctypedef struct AzulSeat:
    # 32 bytes, which azul_seat_key() takes as they are.
    uint32_t wall          # occupied spaces
    uint32_t rows          # bit 5 * colour + row: the colour is in that wall row
    uint32_t columns       # bit 5 * colour + column
    uint32_t open          # bit 6 * colour + destination: tiles of the colour may go there (B4)
    int32_t score
    uint8_t[AZUL_LINES] count   # tiles on each line
    uint8_t[AZUL_LINES] colour  # of the tiles on each line, 0 if there are none
    uint8_t floor          # occupied floor spaces, the marker's included
    uint8_t unused         # zero, so that equal states are equal bytes

ctypedef struct AzulState:
    uint64_t bag           # lanes; when the split is unknown: all unseen tiles
    uint64_t lid           # lanes; tiles on floor lines are counted here already
    uint64_t centre        # lanes
    uint64_t drafts        # bit 6 * source + colour for every colour that lies there
    uint32_t[DISPLAYS] displays   # folded multisets
    uint8_t players
    uint8_t grey           # wall side: 0 coloured, 1 grey
    uint8_t round
    uint8_t phase
    uint8_t mover          # seat to act; in AZUL_DEAL the seat that follows
    uint8_t start_seat     # who started this round's drafting
    uint8_t token          # seat that took the starting player marker, or NOBODY
    uint8_t hidden         # SPLIT_KNOWN, or how many of the unseen tiles are in the bag
    uint8_t[4] unused
    AzulSeat[SEATS] seats  # last, so that a copy may stop after `players`


# ------------------------------------------------------------------------------- the wall

cdef inline uint32_t row_of(uint32_t wall, int row) noexcept nogil:
    """The spaces of a row as 5 bits."""
    return (wall >> (5 * row)) & 31


cdef inline uint32_t column_of(uint32_t wall, int column) noexcept nogil:
    """The spaces of a column as 5 bits, row 0 lowest: bit 5 i times 2^(16 - 4 i) is bit 16 + i."""
    return ((((wall >> column) & EVERY_ROW) * 0x11111) >> 16) & 31


cdef inline int fixed_column(int row, int colour) noexcept nogil:
    """B2: where the coloured wall shows a colour."""
    cdef int column = colour + row
    return column if column < 5 else column - 5


cdef inline int azul_tile_points(uint32_t wall, int row, int column) noexcept nogil:
    """B6: points for the tile just placed; the wall holds it already."""
    cdef int across = RUN[row_of(wall, row)][column]
    cdef int down = RUN[column_of(wall, column)][row]
    if across == 1:
        return down
    return across if down == 1 else across + down


cdef inline uint32_t legal_columns(const AzulSeat* seat, int row, int colour) noexcept nogil:
    """B8: where a tile may go on the grey wall, as 5 bits."""
    return ~row_of(seat.wall, row) & ~(seat.columns >> (5 * colour)) & 31


cdef inline uint32_t complete_rows(uint32_t wall) noexcept nogil:
    """Bit 5 * row for each."""
    return wall & (wall >> 1) & (wall >> 2) & (wall >> 3) & (wall >> 4) & EVERY_ROW


cdef inline uint32_t complete_columns(uint32_t wall) noexcept nogil:
    """Bit `column` for each."""
    return wall & (wall >> 5) & (wall >> 10) & (wall >> 15) & (wall >> 20) & 31


cdef inline int azul_row_points(const AzulSeat* seat) noexcept nogil:
    """B9."""
    return AZUL_ROW_BONUS * popcount64(complete_rows(seat.wall))


cdef inline int azul_column_points(const AzulSeat* seat) noexcept nogil:
    return AZUL_COLUMN_BONUS * popcount64(complete_columns(seat.wall))


cdef inline int azul_colour_points(const AzulSeat* seat) noexcept nogil:
    return AZUL_COLOUR_BONUS * popcount64(complete_rows(seat.rows))


# --------------------------------------------------------------- lines and the floor line

cdef inline void azul_set_open(AzulSeat* seat, int line) noexcept nogil:
    """B4.3: which colours a line may take; to be called whenever the line has changed."""
    cdef uint32_t missing
    seat.open &= ~(EVERY_COLOUR << line)
    if seat.count[line]:
        seat.open |= <uint32_t> (seat.count[line] <= line) << (6 * seat.colour[line] + line)
        return
    missing = ~column_of(seat.rows, line) & 31                    # bit `colour`
    seat.open |= (missing * EVERY_ROW & EVERY_COLOUR) << line


cdef inline void drop_tiles(AzulState* st, AzulSeat* seat, int colour, int count) noexcept nogil:
    """B4.3, B4.4: move tiles to the floor line while there is room. The lid counts them all."""
    cdef int room = AZUL_FLOOR_SPACES - seat.floor
    seat.floor += <uint8_t> (count if count < room else room)
    st.lid += <uint64_t> count << (10 * colour)


cdef inline void clear_line(AzulSeat* seat, int line) noexcept nogil:
    seat.count[line] = 0
    seat.colour[line] = 0
    azul_set_open(seat, line)


cdef inline void tile_wall(AzulState* st, AzulSeat* seat, int line, int column) noexcept nogil:
    """B5.1: one tile of a full line to the wall, the others to the lid."""
    cdef int colour = seat.colour[line]
    seat.wall |= <uint32_t> 1 << (5 * line + column)
    seat.rows |= <uint32_t> 1 << (5 * colour + line)
    seat.columns |= <uint32_t> 1 << (5 * colour + column)
    seat.score += azul_tile_points(seat.wall, line, column)
    st.lid += <uint64_t> line << (10 * colour)
    clear_line(seat, line)


cdef inline uint32_t full_lines(const AzulSeat* seat) noexcept nogil:
    """The full lines as 5 bits."""
    cdef uint32_t lines = 0
    cdef int line
    for line in range(AZUL_LINES):
        lines |= <uint32_t> (seat.count[line] > line) << line
    return lines


cdef inline int azul_full_line(const AzulSeat* seat) noexcept nogil:
    """The topmost full line, AZUL_LINES if there is none."""
    return lowest_bit(full_lines(seat) | 1 << AZUL_LINES)


# ---------------------------------------------------------------------- between two rounds

cdef inline int coming_starter(const AzulState* st) noexcept nogil:
    """B4: the seat that took the marker, else the one that started this round."""
    return st.start_seat if st.token == NOBODY else st.token


cdef inline void pay_floor(AzulSeat* seat) noexcept nogil:
    """B5.2, B10."""
    seat.score -= FLOOR_PENALTY[seat.floor]
    if seat.score < 0:
        seat.score = 0
    seat.floor = 0


cdef inline void azul_round_over(AzulState* st) noexcept nogil:
    """B7, B9: the next round, or the end of the game."""
    cdef AzulSeat* seat
    cdef bint ends = st.round >= AZUL_MAX_ROUNDS or not st.bag | st.lid
    cdef int s
    for s in range(st.players):
        if complete_rows(st.seats[s].wall):
            ends = True
    if not ends:
        st.round += 1
        st.start_seat = st.mover = <uint8_t> coming_starter(st)
        st.token = NOBODY
        st.phase = AZUL_DEAL
        return
    st.phase = AZUL_OVER
    st.mover = NOBODY
    for s in range(st.players):
        seat = &st.seats[s]
        seat.score += azul_row_points(seat) + azul_column_points(seat) + azul_colour_points(seat)


cdef inline void go_on_tiling(AzulState* st) noexcept nogil:
    """B5, B8, grey wall: from st.mover on, up to the next line whose column is to be chosen."""
    while azul_full_line(&st.seats[st.mover]) == AZUL_LINES:
        pay_floor(&st.seats[st.mover])
        st.mover = <uint8_t> next_seat(st.mover, st.players)
        if st.mover == coming_starter(st):
            azul_round_over(st)
            return
    st.phase = AZUL_WALL


cdef inline void begin_tiling(AzulState* st) noexcept nogil:
    """B5: tile all walls at once on the coloured side, where no seat has a choice."""
    cdef AzulSeat* seat
    cdef uint32_t lines
    cdef int s, line
    st.mover = <uint8_t> coming_starter(st)
    if st.grey:
        go_on_tiling(st)
        return
    for s in range(st.players):
        seat = &st.seats[s]
        lines = full_lines(seat)
        while lines:
            line = lowest_bit(lines)
            lines &= lines - 1
            tile_wall(st, seat, line, fixed_column(line, seat.colour[line]))
        pay_floor(seat)
    azul_round_over(st)


# ------------------------------------------------------------------------------- decisions

cdef inline void azul_set_table(AzulState* st, int source, uint64_t tiles) noexcept nogil:
    """Replace the tiles of a display or of the centre."""
    if source == CENTRE:
        st.centre = tiles
    else:
        st.displays[source] = fold(tiles)
    st.drafts &= ~(<uint64_t> 63 << (6 * source))
    st.drafts |= <uint64_t> present(tiles) << (6 * source)


cdef inline void apply_take(AzulState* st, int source, int colour, int destination) noexcept nogil:
    """B4; begin_tiling() is due when no drafts are left."""
    cdef AzulSeat* seat = &st.seats[st.mover]
    cdef uint64_t tiles = st.centre if source == CENTRE else unfold(st.displays[source])
    cdef uint64_t taken = tiles & (<uint64_t> 0x3FF << (10 * colour))
    cdef int count = lane(taken, colour), placed = 0
    if source == CENTRE:
        if st.token == NOBODY:
            st.token = st.mover
            if seat.floor < AZUL_FLOOR_SPACES:
                seat.floor += 1
        azul_set_table(st, CENTRE, tiles - taken)
    else:
        azul_set_table(st, source, 0)
        if tiles != taken:
            azul_set_table(st, CENTRE, st.centre + tiles - taken)
    if destination != AZUL_FLOOR:
        placed = destination + 1 - seat.count[destination]
        if placed > count:
            placed = count
        seat.count[destination] += <uint8_t> placed
        seat.colour[destination] = <uint8_t> colour
        azul_set_open(seat, destination)
    drop_tiles(st, seat, colour, count - placed)
    st.mover = <uint8_t> next_seat(st.mover, st.players)


cdef inline void apply_tile(AzulState* st, int line, int column) noexcept nogil:
    """B8."""
    cdef AzulSeat* seat = &st.seats[st.mover]
    if column == AZUL_FLOOR:
        drop_tiles(st, seat, seat.colour[line], line + 1)
        clear_line(seat, line)
    else:
        tile_wall(st, seat, line, column)
    go_on_tiling(st)


cdef inline void azul_apply(AzulState* st, uint32_t move) noexcept nogil:
    """Play a legal move of the mover."""
    if move & 7 == AZUL_MOVE_TAKE:
        apply_take(st, (move >> 3) & 15, (move >> 7) & 7, (move >> 10) & 7)
        if st.drafts == 0:
            begin_tiling(st)
    else:
        apply_tile(st, (move >> 3) & 7, (move >> 6) & 7)


cdef inline bint azul_is_chance(const AzulState* st) noexcept nogil:
    return st.phase == AZUL_DEAL
