# Accumulator cache: a network's hidden layer for a position. Two things are kept: hidden layers of
# whole positions, since most are needed twice, at the leaf and when it is expanded; and the
# contributions (accumulators) of a seat's board, and in Summer Pavilion its hand, to the first
# layer, since the same ones recur throughout a search.

from libc.stdint cimport int16_t, uint16_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset
from pavilion_ai._c.azul_inputs cimport (
    AZUL_SEAT, AZUL_SHARED, AzulBoard, azul_own_inputs, azul_seat_key, azul_table_inputs,
)
from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.net cimport Net, net_hidden, net_hidden_from, net_part
from pavilion_ai._c.rng cimport SPLITMIX_STEP, splitmix_mix
from pavilion_ai._c.rules cimport GameState, game_bytes, game_inputs, game_viewer
from pavilion_ai._c.summer cimport SummerState
from pavilion_ai._c.summer_inputs cimport (
    SUMMER_SEAT, SUMMER_SHARED, summer_own_inputs, summer_seat_key, summer_table_inputs,
)

cdef enum:
    SIGHTS = 1024          # boards and hands kept for each relative seat
    POSITIONS = 16384      # whole positions kept; more than the tree of a short search has

ctypedef const int16_t* Part

ctypedef struct Seen:
    # A board and hand whose accumulator is kept.
    uint64_t[4] key        # all zero: none
    AzulBoard board            # base Azul

ctypedef struct Sights:
    # All NULL: nothing is kept.
    Seen* seen             # [relative seat][number]
    int16_t* parts         # [relative seat][number][hidden1]
    uint64_t* positions    # [number], key of a position; 0: nothing kept
    int16_t* hidden        # [number][hidden2]


cdef inline bint sights_init(Sights* sights, const Net* net) noexcept nogil:
    """Allocate the cache of a network and its players; False without memory."""
    sights.seen = <Seen*> calloc(net.players * SIGHTS, sizeof(Seen))
    sights.parts = <int16_t*> calloc(net.players * SIGHTS, net.hidden1 * sizeof(int16_t))
    sights.positions = <uint64_t*> calloc(POSITIONS, sizeof(uint64_t))
    sights.hidden = <int16_t*> calloc(POSITIONS, net.hidden2 * sizeof(int16_t))
    if (sights.seen == NULL or sights.parts == NULL or sights.positions == NULL
            or sights.hidden == NULL):
        sights_free(sights)
        return False
    return True


cdef inline void sights_free(Sights* sights) noexcept nogil:
    free(sights.seen)
    free(sights.parts)
    free(sights.positions)
    free(sights.hidden)
    memset(sights, 0, sizeof(Sights))


cdef inline size_t find_part(const GameState* st, int seat, int relative, const int* slots,
                             const Net* net, Sights* sights, uint16_t* room) noexcept nogil:
    """The cache index of a seat's board and hand, which are added if missing.

    slots: slots of the colours, in Summer Pavilion. room: space for its inputs.
    """
    cdef uint64_t[4] key
    cdef size_t at
    cdef Seen* seen
    cdef uint16_t* end = room
    if GameState is SummerState:
        summer_seat_key(st, seat, key)
        key[3] = 0
    else:
        azul_seat_key(st, seat, key)
    at = <size_t> (splitmix_mix(key[0] ^ splitmix_mix(key[1] ^ splitmix_mix(key[2] ^ key[3])))
                   & (SIGHTS - 1))
    at += <size_t> (relative * SIGHTS)
    seen = &sights.seen[at]
    if memcmp(seen.key, key, sizeof(key)) != 0:
        if GameState is SummerState:
            end += summer_own_inputs(st, seat, slots, SUMMER_SHARED + relative * SUMMER_SEAT, room,
                                     0)
        else:
            azul_own_inputs(st, seat, AZUL_SHARED + relative * AZUL_SEAT, &end, &seen.board)
        net_part(net, room, <int> (end - room), sights.parts + at * <size_t> net.hidden1)
        memcpy(seen.key, key, sizeof(key))
    return at


cdef inline uint64_t position_key(const GameState* st) noexcept nogil:
    """A hash key of a position; never 0."""
    cdef const uint8_t* at = <const uint8_t*> st
    cdef size_t i, size = game_bytes(st)
    cdef uint64_t first, second, a = size, b = size
    for i in range(0, size, 16):
        i = i if i + 16 <= size else size - 16
        memcpy(&first, at + i, 8)
        memcpy(&second, at + i + 8, 8)
        a = (a ^ first) * SPLITMIX_STEP
        b = (b ^ second) * SPLITMIX_STEP
        a ^= a >> 32
        b ^= b >> 32
    return splitmix_mix(a ^ splitmix_mix(b)) | 1


cdef inline void look_at(const GameState* st, const Net* net, Sights* sights, uint16_t* inputs,
                         int16_t* hidden) noexcept nogil:
    """Like see(), without the cache of whole positions."""
    cdef Part[SEATS] parts
    cdef AzulBoard[SEATS] boards
    cdef int[6] slots
    cdef uint16_t* end = inputs
    cdef size_t at
    cdef int r, seat
    if sights.seen == NULL:
        net_hidden(net, inputs, game_inputs(st, inputs), hidden)
        return
    if GameState is SummerState:
        end += summer_table_inputs(st, slots, inputs)
    seat = game_viewer(st)
    for r in range(st.players):
        at = find_part(st, seat, r, slots, net, sights, end)
        parts[r] = sights.parts + at * <size_t> net.hidden1
        if GameState is not SummerState:
            boards[r] = sights.seen[at].board
        seat = seat + 1 if seat + 1 < st.players else 0
    if GameState is not SummerState:
        azul_table_inputs(st, boards, &end)
    net_hidden_from(net, parts, st.players, inputs, <int> (end - inputs), hidden)


cdef inline const int16_t* see(const GameState* st, const Net* net, Sights* sights,
                               uint64_t key, uint16_t* inputs, int16_t* room) noexcept nogil:
    """The hidden layer of a position; if all of sights is NULL, nothing is cached.

    key: key of the position, or 0 if not computed yet.
    inputs, room: space for a list of inputs, and for the layer if nothing is cached.
    """
    cdef size_t at
    cdef int16_t* hidden
    if sights.positions == NULL:
        look_at(st, net, sights, inputs, room)
        return room
    if key == 0:
        key = position_key(st)
    at = <size_t> (key >> 32) & (POSITIONS - 1)
    hidden = sights.hidden + at * <size_t> net.hidden2
    if sights.positions[at] != key:
        look_at(st, net, sights, inputs, hidden)
        sights.positions[at] = key
    return hidden
