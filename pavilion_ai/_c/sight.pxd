# A network's hidden layer for a position. What a seat's board and hand add to the first layer is
# kept: in a search the same boards and hands return all the time.

from libc.stdint cimport int16_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.net cimport Net, net_hidden, net_hidden_from, net_part
from pavilion_ai._c.rng cimport splitmix_mix
from pavilion_ai._c.rules cimport GameState, game_inputs, game_viewer
from pavilion_ai._c.summer cimport SummerState
from pavilion_ai._c.summer_inputs cimport (
    I_SHARED, J_SEAT, own_inputs, seat_key, table_inputs,
)

cdef enum:
    SIGHTS = 1024          # boards and hands kept for each relative seat

ctypedef const int16_t* Part

ctypedef uint64_t[3] Key

ctypedef struct Sights:
    Key* keys      # [relative seat][number]; all zero: nothing kept
    int16_t* parts         # [relative seat][number][hidden1]


cdef inline bint sights_init(Sights* sights, const Net* net) noexcept nogil:
    """Make room for a network with its players; False without memory."""
    sights.keys = <Key*> calloc(net.players * SIGHTS, sizeof(Key))
    sights.parts = <int16_t*> calloc(net.players * SIGHTS, net.hidden1 * sizeof(int16_t))
    if sights.keys == NULL or sights.parts == NULL:
        sights_free(sights)
        return False
    return True


cdef inline void sights_free(Sights* sights) noexcept nogil:
    free(sights.keys)
    free(sights.parts)
    sights.keys = NULL
    sights.parts = NULL


cdef inline const int16_t* seat_part(const SummerState* st, int seat, int relative,
                                     const int* slots, const Net* net, Sights* sights,
                                     uint16_t* room) noexcept nogil:
    """What a seat's board and hand add to the first layer; `room` for its inputs."""
    cdef uint64_t[3] key
    cdef uint64_t* kept
    cdef size_t at
    cdef int16_t* part
    seat_key(st, seat, key)
    at = <size_t> (splitmix_mix(key[0] ^ splitmix_mix(key[1] ^ key[2])) & (SIGHTS - 1))
    at += <size_t> (relative * SIGHTS)
    kept = sights.keys[at]
    part = sights.parts + at * <size_t> net.hidden1
    if kept[0] != key[0] or kept[1] != key[1] or kept[2] != key[2]:
        net_part(net, room, own_inputs(st, seat, slots, I_SHARED + relative * J_SEAT, room, 0),
                 part)
        kept[0] = key[0]
        kept[1] = key[1]
        kept[2] = key[2]
    return part


cdef inline void see(const GameState* st, const Net* net, Sights* sights, uint16_t* inputs,
                     int16_t* hidden) noexcept nogil:
    """Fill in the hidden layer; sights.keys NULL: nothing is kept. `inputs` is room for a list."""
    cdef Part[SEATS] parts
    cdef int[6] slots
    cdef int n, r, seat
    if GameState is SummerState:
        if sights.keys != NULL:
            n = table_inputs(st, slots, inputs)
            seat = game_viewer(st)
            for r in range(st.players):
                parts[r] = seat_part(st, seat, r, slots, net, sights, inputs + n)
                seat = seat + 1 if seat + 1 < st.players else 0
            net_hidden_from(net, parts, st.players, inputs, n, hidden)
            return
    n = game_inputs(st, inputs)
    net_hidden(net, inputs, n, hidden)
