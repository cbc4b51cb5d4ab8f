# Whether bytes from a file are a state of base Azul that the other functions can take: what
# AzulState's constructor checks of numbers from Python, and what follows from those.

from libc.stdint cimport uint32_t, uint64_t
from pavilion_ai._c.azul cimport (
    AZUL_DEAL, AZUL_DRAFT, AZUL_FLOOR, AZUL_FLOOR_SPACES, AZUL_LINES, AZUL_MAX_ROUNDS, AZUL_OVER,
    AZUL_PER_COLOUR, AZUL_WALL, EVERY_ROW, ONES, AzulSeat, AzulState, azul_full_line,
    azul_set_open, column_of, fixed_column, row_of,
)
from pavilion_ai._c.bag cimport CENTRE, DISPLAYS, NOBODY, SCORE_LIMIT, hidden_is_sound
from pavilion_ai._c.bits cimport popcount64
from pavilion_ai._c.tiles cimport display_is_sound, one_tile, present, unfold, within


cdef inline bint wall_is_sound(const AzulSeat* seat, bint grey) noexcept nogil:
    """Every space of the wall has one colour: that shown there, or any on the grey side."""
    cdef int row, colour, i
    if (seat.wall | seat.rows | seat.columns) >> 25:
        return False
    for i in range(5):
        if (popcount64(seat.rows & EVERY_ROW << i) != ONES[row_of(seat.wall, i)]
                or popcount64(seat.columns & EVERY_ROW << i) != ONES[column_of(seat.wall, i)]
                or ONES[row_of(seat.rows, i)] != ONES[row_of(seat.columns, i)]):
            return False
    for colour in range(0 if grey else 5):
        for row in range(AZUL_LINES):
            i = fixed_column(row, colour)
            if not ((seat.wall >> (5 * row + i)) & 1 == (seat.rows >> (5 * colour + row)) & 1
                    == (seat.columns >> (5 * colour + i)) & 1):
                return False
    return True


cdef inline bint lines_are_sound(const AzulSeat* seat) noexcept nogil:
    """The lines, and the moves to them and to the floor line that they leave."""
    cdef AzulSeat fresh = seat[0]
    cdef int i
    fresh.open = 0
    for i in range(AZUL_LINES):
        if (seat.count[i] > i + 1 or seat.colour[i] > (4 if seat.count[i] else 0)
                or (seat.count[i] and seat.rows >> (5 * seat.colour[i] + i) & 1)):
            return False
        azul_set_open(&fresh, i)
        fresh.open |= <uint32_t> 1 << (6 * i + AZUL_FLOOR)
    return seat.open == fresh.open


cdef inline bint azul_table_is_sound(const AzulState* st) noexcept nogil:
    """The displays and the centre, and the drafts that they offer."""
    cdef uint64_t drafts = <uint64_t> present(st.centre) << (6 * CENTRE)
    cdef int d
    for d in range(DISPLAYS):
        if not display_is_sound(st.displays[d], 5) or (d > 2 * st.players and st.displays[d]):
            return False
        drafts |= <uint64_t> present(unfold(st.displays[d])) << (6 * d)
    return st.drafts == drafts and (drafts != 0) == (st.phase == AZUL_DRAFT)


cdef inline bint azul_tiles_are_sound(const AzulState* st) noexcept nogil:
    """Whether no colour has more tiles than the game, those on walls aside."""
    cdef uint64_t tiles = st.bag + st.lid + st.centre
    cdef int i, line
    for i in range(2 * st.players + 1):
        tiles += unfold(st.displays[i])
    for i in range(st.players):
        for line in range(AZUL_LINES):
            tiles += st.seats[i].count[line] * one_tile(st.seats[i].colour[line])
    return within(tiles, 5, AZUL_PER_COLOUR)


cdef inline bint azul_sound(const AzulState* st) noexcept nogil:
    """Whether the fields of a state with 2 to 4 players are within their ranges."""
    cdef int i
    if (st.grey > 1 or not 1 <= st.round <= AZUL_MAX_ROUNDS or st.phase > AZUL_OVER
            or st.start_seat >= st.players
            or (st.token >= st.players and st.token != NOBODY)
            or (st.mover != NOBODY if st.phase == AZUL_OVER else st.mover >= st.players)
            or (st.phase == AZUL_DEAL and (
                st.round == 1 or st.mover != st.start_seat or not st.bag | st.lid))):
        return False
    for i in range(4):
        if st.unused[i]:
            return False
    if not (within(st.bag, 5, AZUL_PER_COLOUR) and within(st.lid, 5, AZUL_PER_COLOUR)
            and within(st.centre, 5, AZUL_PER_COLOUR) and hidden_is_sound(st.bag, st.hidden)
            and azul_table_is_sound(st)):
        return False
    for i in range(st.players):
        if (not 0 <= st.seats[i].score <= SCORE_LIMIT or st.seats[i].unused
                or st.seats[i].floor > AZUL_FLOOR_SPACES
                or not wall_is_sound(&st.seats[i], st.grey)
                or not lines_are_sound(&st.seats[i])):
            return False
    return azul_tiles_are_sound(st) and (st.phase != AZUL_WALL or (
        st.grey and azul_full_line(&st.seats[st.mover]) < AZUL_LINES))
