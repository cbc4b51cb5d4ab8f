# Accumulator cache: a network's hidden layer for a position. Two things are kept: hidden layers of
# whole positions, since most are needed twice, at the leaf and when it is expanded; and the
# contributions (accumulators) of a seat's board, and in Summer Pavilion its hand, to the first
# layer, since the same ones recur throughout a search. The first are for all threads of a search.
# No lock guards them: an entry that another thread changes meanwhile does not fit its checksum.

from libc.stdint cimport int16_t, uint16_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset
from pavilion_ai._c.azul_inputs cimport (
    AZUL_SEAT, AZUL_SHARED, AzulBoard, azul_own_inputs, azul_seat_key, azul_table_inputs,
)
from pavilion_ai._c.bag cimport SEATS, next_seat
from pavilion_ai._c.net cimport Net, net_hidden, net_hidden_from, net_part
from pavilion_ai._c.rng cimport SPLITMIX_STEP, splitmix_mix
from pavilion_ai._c.rules cimport GameState, game_bytes, game_inputs, game_viewer
from pavilion_ai._c.summer cimport SummerState
from pavilion_ai._c.summer_inputs cimport (
    SUMMER_SEAT, SUMMER_SHARED, summer_own_inputs, summer_seat_key, summer_table_inputs,
)
from pavilion_ai._c.together cimport part_read, part_write

cdef enum:
    SIGHTS = 1024          # boards and hands kept for each relative seat
    POSITIONS = 16384      # whole positions kept; more than the tree of a short search has
    IN_WORD = 4            # numbers of a layer
    BEFORE_LAYER = 2       # words of an entry: the key, and the checksum of all others

ctypedef const int16_t* Part

ctypedef struct Positions:
    # Hidden layers of whole positions.
    int layer              # words of one
    size_t size            # entries, a power of two
    uint64_t* words        # of the entries; a key of 0: nothing kept

ctypedef struct Seen:
    # A board and hand whose accumulator is kept.
    uint64_t[4] key        # all zero: none
    AzulBoard board            # base Azul

ctypedef struct Sights:
    # Of one thread. All NULL: nothing is kept.
    Seen* seen             # [relative seat][number]
    int16_t* parts         # [relative seat][number][hidden1]
    Positions* positions   # of all threads of the search


cdef inline bint positions_init(Positions* positions, const Net* net, int threads) noexcept nogil:
    """Allocate the part of the cache that threads share; False without memory."""
    positions.layer = net.hidden2 // IN_WORD
    positions.size = POSITIONS
    while positions.size < POSITIONS * <size_t> threads:
        positions.size *= 2
    positions.words = <uint64_t*> calloc(
        positions.size, (BEFORE_LAYER + positions.layer) * sizeof(uint64_t))
    return positions.words != NULL


cdef inline void positions_free(Positions* positions) noexcept nogil:
    free(positions.words)
    positions.words = NULL


cdef inline bint sights_init(Sights* sights, const Net* net, Positions* positions) noexcept nogil:
    """Allocate the cache of a network and its players; False without memory."""
    sights.seen = <Seen*> calloc(net.players * SIGHTS, sizeof(Seen))
    sights.parts = <int16_t*> calloc(net.players * SIGHTS, net.hidden1 * sizeof(int16_t))
    sights.positions = positions
    return sights.seen != NULL and sights.parts != NULL


cdef inline void sights_free(Sights* sights) noexcept nogil:
    free(sights.seen)
    free(sights.parts)
    memset(sights, 0, sizeof(Sights))


cdef inline uint64_t* entry_of(const Positions* positions, uint64_t key) noexcept nogil:
    return positions.words + ((key >> 32) & (positions.size - 1)) * <size_t> (
        BEFORE_LAYER + positions.layer)


cdef inline bint recall(const Positions* positions, uint64_t key, int16_t* hidden) noexcept nogil:
    """Fetch the layer of a position; False if it is not kept."""
    cdef const uint64_t* entry = entry_of(positions, key)
    cdef uint64_t word, check = key
    cdef int i
    if part_read(entry) != key:
        return False
    for i in range(positions.layer):
        word = part_read(entry + BEFORE_LAYER + i)
        memcpy(hidden + IN_WORD * i, &word, sizeof(word))
        check ^= word
    return part_read(entry + 1) == check


cdef inline void remember(Positions* positions, uint64_t key, const int16_t* hidden) noexcept nogil:
    cdef uint64_t* entry = entry_of(positions, key)
    cdef uint64_t word, check = key
    cdef int i
    part_write(entry, key)
    for i in range(positions.layer):
        memcpy(&word, hidden + IN_WORD * i, sizeof(word))
        part_write(entry + BEFORE_LAYER + i, word)
        check ^= word
    part_write(entry + 1, check)


cdef inline size_t find_part(const GameState* st, int seat, int relative, const int* slots,
                             const Net* net, const Sights* sights, uint16_t* room) noexcept nogil:
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


cdef inline void look_at(const GameState* st, const Net* net, const Sights* sights,
                         uint16_t* inputs, int16_t* hidden) noexcept nogil:
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
        seat = next_seat(seat, st.players)
    if GameState is not SummerState:
        azul_table_inputs(st, boards, &end)
    net_hidden_from(net, parts, st.players, inputs, <int> (end - inputs), hidden)


cdef inline void see(const GameState* st, const Net* net, const Sights* sights, uint64_t key,
                     uint16_t* inputs, int16_t* hidden) noexcept nogil:
    """Find the hidden layer of a position.

    key: key of the position, or 0 if not computed yet.
    inputs: space for a list of inputs.
    """
    if sights.positions != NULL:
        if key == 0:
            key = position_key(st)
        if recall(sights.positions, key, hidden):
            return
    look_at(st, net, sights, inputs, hidden)
    if sights.positions != NULL:
        remember(sights.positions, key, hidden)
