# The numbered actions of base Azul and what a viewer sees, as flat arrays for learners; both are
# described in docs/environments.md. The numbering never changes within a major version.

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from pavilion_ai._c.azul cimport (
    AZUL_DEAL, AZUL_DRAFT, AZUL_LINES, AZUL_MOVE_TAKE, AZUL_WALL, AzulSeat, AzulState,
    azul_full_line,
)
from pavilion_ai._c.azul_moves cimport azul_take_move, azul_tile_move, column_choices, destinations
from pavilion_ai._c.bag cimport CENTRE, NOBODY, NO_MOVE, SPLIT_KNOWN
from pavilion_ai._c.bits cimport BITS_AS_BYTES, BITS_AS_COUNTS
from pavilion_ai._c.tiles cimport lane, total, unfold

cdef enum:
    AZUL_ACTIONS_COLUMNS = 6       # grey wall: five columns, or the floor line if none is legal
    AZUL_TOP_SCORE = 511           # D3; positions from elsewhere may have more


cdef inline int azul_takes_end(int players) noexcept nogil:
    """The first action after the drafts: displays and centre, five colours, six destinations."""
    return 30 * (2 * players + 2)


cdef inline int azul_action_count(int players, bint grey) noexcept nogil:
    return azul_takes_end(players) + (AZUL_ACTIONS_COLUMNS if grey else 0)


cdef inline int take_action(const AzulState* st, int source, int colour,
                            int destination) noexcept nogil:
    if source == CENTRE:
        source = 2 * st.players + 1
    return 30 * source + 6 * colour + destination


cdef inline int azul_action(const AzulState* st, uint32_t move) noexcept nogil:
    """The action of a legal move."""
    if move & 7 == AZUL_MOVE_TAKE:
        return take_action(st, (move >> 3) & 15, (move >> 7) & 7, (move >> 10) & 7)
    return azul_takes_end(st.players) + ((move >> 6) & 7)


cdef inline uint32_t azul_action_move(const AzulState* st, int action) noexcept nogil:
    """The move of an action, NO_MOVE if it is not legal here."""
    cdef int base = azul_takes_end(st.players), source, colour, line
    cdef const AzulSeat* seat
    if action < 0 or action >= azul_action_count(st.players, st.grey):
        return NO_MOVE
    if st.phase != (AZUL_DRAFT if action < base else AZUL_WALL):
        return NO_MOVE
    seat = &st.seats[st.mover]
    if action < base:
        source = action // 30
        if source == 2 * st.players + 1:
            source = CENTRE
        colour = action % 30 // 6
        if (not st.drafts >> (6 * source + colour) & 1
                or not destinations(seat, colour) >> (action % 6) & 1):
            return NO_MOVE
        return azul_take_move(source, colour, action % 6)
    line = azul_full_line(seat)
    if not column_choices(seat, line) >> (action - base) & 1:
        return NO_MOVE
    return azul_tile_move(line, action - base)


cdef inline void mask_takes(const AzulState* st, const AzulSeat* seat, uint8_t* out) noexcept nogil:
    """The part of the mask that is about drafts: destinations by source and colour."""
    cdef int displays = 2 * st.players + 1, i, c
    cdef uint32_t colours
    for i in range(displays + 1):
        colours = <uint32_t> (st.drafts >> (6 * (i if i < displays else CENTRE)))
        for c in range(5):
            memcpy(out, BITS_AS_BYTES[destinations(seat, c) & (0 - (colours >> c & 1))], 6)
            out += 6


cdef inline void azul_mask(const AzulState* st, uint8_t* out) noexcept nogil:
    """One byte for each action, 1 for a legal one."""
    cdef const AzulSeat* seat
    cdef int base = azul_takes_end(st.players)
    if st.phase == AZUL_DRAFT:
        mask_takes(st, &st.seats[st.mover], out)
    else:
        memset(out, 0, base)
    if not st.grey:
        return
    memset(out + base, 0, AZUL_ACTIONS_COLUMNS)
    if st.phase == AZUL_WALL:
        seat = &st.seats[st.mover]
        memcpy(out + base, BITS_AS_BYTES[column_choices(seat, azul_full_line(seat))],
               AZUL_ACTIONS_COLUMNS)


# ----------------------------------------------------------------------------- the observation

cdef inline int azul_observation_size(int players) noexcept nogil:
    return 28 + 115 * players


cdef inline int16_t* put_five(int16_t* out, uint64_t tiles) noexcept nogil:
    cdef int c
    for c in range(5):
        out[c] = <int16_t> lane(tiles, c)
    return out + 5


cdef inline int16_t* put_grid(int16_t* out, uint32_t bits) noexcept nogil:
    cdef int row
    for row in range(5):
        memcpy(out + 5 * row, BITS_AS_COUNTS[bits >> (5 * row) & 31], 5 * sizeof(int16_t))
    return out + 25


cdef inline int16_t* put_azul_seat(const AzulSeat* seat, int16_t* out) noexcept nogil:
    cdef int i
    out[0] = <int16_t> (seat.score if seat.score < AZUL_TOP_SCORE else AZUL_TOP_SCORE)
    out += 1
    for i in range(AZUL_LINES):
        if seat.count[i]:
            out[5 * i + seat.colour[i]] = seat.count[i]
    out = put_grid(put_grid(put_grid(out + 25, seat.wall), seat.rows), seat.columns)
    out[0] = seat.floor
    return out + 1


cdef inline void azul_observe(const AzulState* st, int viewer, int16_t* out) noexcept nogil:
    """The position as counts; seats relative to the viewer, clockwise (_AZUL_PARTS)."""
    cdef int n = st.players, s, d
    memset(out, 0, azul_observation_size(n) * sizeof(int16_t))
    out[st.phase] = 1
    out[4] = st.round
    out += 5
    if st.mover != NOBODY and st.phase != AZUL_DEAL:
        out[(st.mover + n - viewer) % n] = 1
    out += n
    out[(st.start_seat + n - viewer) % n] = 1
    out += n
    out[0 if st.token == NOBODY else 1 + (st.token + n - viewer) % n] = 1
    out += n + 1
    for d in range(2 * n + 1):
        out = put_five(out, unfold(st.displays[d]))
    out = put_five(out, st.centre)
    if st.hidden == SPLIT_KNOWN:
        out = put_five(put_five(out, st.bag), st.lid)
        out[0] = <int16_t> total(st.bag)
        out[1] = 1
    else:
        out = put_five(out, st.bag + st.lid) + 5
        out[0] = st.hidden
    out += 2
    for s in range(n):
        out = put_azul_seat(&st.seats[(viewer + s) % n], out)
