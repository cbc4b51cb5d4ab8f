# Multisets of tiles: six lanes of 10 bits in a word (tiles.h), their sub-multisets, and drawing
# from a bag. Shared by everything that moves tiles; knows no phase and no player.

from libc.stdint cimport uint32_t, uint64_t
from pavilion_ai._c.bits cimport multiply_high
from pavilion_ai._c.rng cimport SPLITMIX_STEP, Xoshiro, rng_next, splitmix_mix

cdef extern from "tiles.h" nogil:
    const uint64_t LANES_1
    const uint64_t LANES_HIGH
    const uint64_t LANES_ALL
    const uint64_t[32] SUBSET_STEP
    void tiles_init() noexcept


cdef inline int lane(uint64_t tiles, int colour) noexcept nogil:
    return <int> ((tiles >> (10 * colour)) & 0x3FF)


cdef inline uint64_t one_tile(int colour) noexcept nogil:
    return <uint64_t> 1 << (10 * colour)


cdef inline uint64_t running_sums(uint64_t tiles) noexcept nogil:
    """Lane c holds the number of tiles of colours 0..c."""
    return (tiles * LANES_1) & LANES_ALL


cdef inline int total(uint64_t tiles) noexcept nogil:
    return <int> (running_sums(tiles) >> 50)


cdef inline bint contains(uint64_t tiles, uint64_t part) noexcept nogil:
    """Whether every lane of part is at most that of tiles."""
    return (((tiles | LANES_HIGH) - part) & LANES_HIGH) == LANES_HIGH


cdef inline bint within(uint64_t tiles, int colours, int most) noexcept nogil:
    """Whether any 64 bits are lanes of the first colours, each of at most `most` tiles."""
    cdef uint64_t first = LANES_1 & (<uint64_t> 1 << 10 * colours) - 1
    return not tiles & (LANES_HIGH | ~LANES_ALL) and contains(most * first, tiles)


cdef inline int present(uint64_t tiles) noexcept nogil:
    """The set of colours with at least one tile, as 6 bits."""
    # The multiplication moves bit 10 c to bit 50 + c; no two products meet.
    cdef uint64_t some = ((tiles + 0x1FF * LANES_1) >> 9) & LANES_1
    return <int> (((some * 0x0004020100804020ULL) >> 50) & 63)


cdef inline uint32_t fold(uint64_t tiles) noexcept nogil:
    """Pack six lanes with counts up to 7 into 26 bits."""
    return <uint32_t> ((tiles | (tiles >> 27)) & 0x03F0FC3F)


cdef inline uint64_t unfold(uint32_t folded) noexcept nogil:
    return (folded | (<uint64_t> folded << 27)) & (7 * LANES_1)


cdef inline bint display_is_sound(uint32_t folded, int colours) noexcept nogil:
    """Whether any 32 bits are a folded multiset of the first colours, of at most four tiles."""
    cdef uint64_t tiles = unfold(folded)
    return fold(tiles) == folded and within(tiles, colours, 4) and total(tiles) <= 4


# Sub-multisets of at most four tiles. `ways[c]` counts, in byte t, those of size t that use colours
# c..5 only: polynomials, a byte a coefficient (126 at most; what the bytes above 4 hold is of no
# use, and carries nothing down).

cdef inline void count_subsets(uint64_t tiles, uint64_t* ways) noexcept nogil:
    cdef int c
    ways[6] = 1
    for c in range(5, -1, -1):
        ways[c] = ways[c + 1] * SUBSET_STEP[lane(tiles, c) & 31]


cdef inline int subsets_of_size(const uint64_t* ways, int size) noexcept nogil:
    return <int> ((ways[0] >> (8 * size)) & 0xFF)


cdef inline uint64_t subset_at(const uint64_t* ways, int size, int rank) noexcept nogil:
    """The sub-multiset of `size` tiles with number `rank` (0-based)."""
    cdef uint64_t chosen = 0
    cdef int c, n
    for c in range(6):
        while True:
            n = <int> ((ways[c + 1] >> (8 * size)) & 0xFF)
            if rank < n:
                break
            rank -= n
            chosen += one_tile(c)
            size -= 1
    return chosen


# Drawing from a bag kept as running sums: a draw takes one off every lane above the index drawn.

cdef inline uint64_t lanes_above(uint64_t sums, uint64_t index) noexcept nogil:
    """One in each lane whose running sum exceeds the index: the lowest is the colour drawn."""
    return ((sums + (LANES_HIGH - LANES_1) - index * LANES_1) & LANES_HIGH) >> 9


ctypedef struct Draws:
    uint64_t bag           # running sums of what is left
    uint64_t discards
    uint64_t random        # bits not used yet
    int fresh              # draws for which they still suffice


cdef inline uint64_t draw_tile(Draws* draws, Xoshiro* rng) noexcept nogil:
    """Draw one tile uniformly (A9); a lane with one tile, or 0 when bag and discards are empty.

    One random number serves four draws: each takes the high part of number * tiles and leaves
    the low part, so the last still has 64 - 3 * 7.1 > 42 bits.
    """
    cdef uint64_t tiles = draws.bag >> 50
    cdef uint64_t index, drawn
    if tiles == 0:
        draws.bag = running_sums(draws.discards)
        draws.discards = 0
        tiles = draws.bag >> 50
        if tiles == 0:
            return 0
    if draws.fresh == 0:
        draws.random = rng_next(rng)
        draws.fresh = 4
    draws.fresh -= 1
    index = multiply_high(draws.random, tiles, &draws.random)
    drawn = lanes_above(draws.bag, index)
    draws.bag -= drawn
    return drawn & (0 - drawn)


cdef inline uint64_t draw_four(uint64_t* bag, Xoshiro* rng) noexcept nogil:
    """Draw four tiles from a bag (running sums) that holds at least four; as draw_tile."""
    cdef uint64_t index, drawn, tiles = 0, random = rng_next(rng), left = bag[0] >> 50
    cdef int i
    for i in range(4):
        index = multiply_high(random, left - i, &random)
        drawn = lanes_above(bag[0], index)
        bag[0] -= drawn
        tiles += drawn & (0 - drawn)
    return tiles


# Tied draws, a form of common random numbers: every physical tile, a colour and a number within it,
# has a fixed priority in each bag cycle, and the remaining tile with the lowest one is drawn. Draws
# with equal keys from similar bags are similar.

cdef enum:
    COPIES = 32            # tiles of a colour, at most; also bits of the sets below

ctypedef struct TiedDraws:
    uint64_t key
    uint64_t discards
    int cycle              # 0 for the bag, 1 for the discards poured into it
    uint32_t[6] left       # by colour, the set of the tiles' numbers


cdef inline void fill_tied(TiedDraws* draws, uint64_t tiles) noexcept nogil:
    cdef int c, count
    for c in range(6):
        count = lane(tiles, c)
        draws.left[c] = (<uint32_t> 1 << (count if count < COPIES else COPIES - 1)) - 1


cdef inline void begin_tied(TiedDraws* draws, uint64_t key, uint64_t bag,
                            uint64_t discards) noexcept nogil:
    draws.key = key
    draws.discards = discards
    draws.cycle = 0
    fill_tied(draws, bag)


cdef inline uint64_t tied_tile(TiedDraws* draws) noexcept nogil:
    """Draw the tile with the lowest priority (A9); 0 when bag and discards are empty."""
    cdef uint64_t priority, lowest = 0
    cdef int c, number, colour = -1, chosen = 0
    for c in range(6):
        for number in range(COPIES):
            if not draws.left[c] >> number & 1:
                continue
            priority = splitmix_mix(draws.key + SPLITMIX_STEP * <uint64_t> (
                1 + (draws.cycle * 6 + c) * COPIES + number))
            if colour < 0 or priority < lowest:
                lowest = priority
                colour = c
                chosen = number
    if colour >= 0:
        draws.left[colour] ^= <uint32_t> 1 << chosen
        return one_tile(colour)
    if draws.cycle or not draws.discards:
        return 0
    draws.cycle = 1
    fill_tied(draws, draws.discards)
    return tied_tile(draws)
