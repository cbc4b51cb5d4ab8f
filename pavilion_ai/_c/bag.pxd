# The bag and the discards behind it, the same in every game (A9, B7): draws at random, tied draws
# (common random numbers), given draws, and the fixed draws of perft; and bags of unknown contents.
#
# A state holds three numbers: `bag` and `discards`, both in lanes, and `hidden`: SPLIT_KNOWN, or
# the number of unseen tiles in the bag; then `bag` holds all unseen tiles and `discards` only those
# discarded since.

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.tiles cimport (
    LANES_ALL, Draws, TiedDraws, begin_tied, contains, draw_four, draw_tile, lane, one_tile,
    running_sums, tied_tile, total,
)

cdef extern from *:
    """
    #define NO_MOVE 0xFFFFFFFFU
    """
    const uint32_t NO_MOVE   # the move of an action that is not legal; an enum need not hold it

cdef enum:
    SEATS = 4              # at most
    DISPLAYS = 9           # at most: two for each seat and one
    DISPLAY_TILES = 4
    CENTRE = 9             # the centre as a source of drafts
    NOBODY = 255           # no seat
    SPLIT_KNOWN = 255      # `hidden` when bag and discards are known apart
    SCORE_LIMIT = 100000   # of a state from elsewhere; far more than any game gives


cdef inline int next_seat(int seat, int players) noexcept nogil:
    return seat + 1 if seat + 1 < players else 0


cdef inline bint hidden_is_sound(uint64_t bag, uint8_t hidden) noexcept nogil:
    """Whether the bag can have so many of the unseen tiles."""
    return hidden == SPLIT_KNOWN or hidden <= total(bag)


# ------------------------------------------------------------------------------ drawing at random

cdef inline void begin_draws(Draws* draws, uint64_t bag, uint64_t discards) noexcept nogil:
    draws.bag = running_sums(bag)
    draws.discards = discards
    draws.random = 0
    draws.fresh = 0


cdef inline void end_draws(const Draws* draws, uint64_t* bag, uint64_t* discards) noexcept nogil:
    bag[0] = (draws.bag - (draws.bag << 10)) & LANES_ALL
    discards[0] = draws.discards


cdef inline void draw_deal(uint64_t* bag, uint64_t* discards, int displays, uint64_t* tiles,
                           Xoshiro* rng) noexcept nogil:
    """Draw four tiles for each display, or as many as there are. The split must be known."""
    cdef Draws draws
    cdef int d, _i
    begin_draws(&draws, bag[0], discards[0])
    for d in range(displays):
        if draws.bag >> 50 >= DISPLAY_TILES:
            tiles[d] = draw_four(&draws.bag, rng)
        else:
            tiles[d] = 0
            for _i in range(DISPLAY_TILES):
                tiles[d] += draw_tile(&draws, rng)
    end_draws(&draws, bag, discards)


cdef inline void tied_deal(uint64_t bag, uint64_t discards, int displays, uint64_t* tiles,
                           uint64_t key) noexcept nogil:
    """As draw_deal, by the priorities of a key; bag and discards stay as they are."""
    cdef TiedDraws draws
    cdef int d, _i
    begin_tied(&draws, key, bag, discards)
    for d in range(displays):
        tiles[d] = 0
        for _i in range(DISPLAY_TILES):
            tiles[d] += tied_tile(&draws)


# ------------------------------------------------------------------- bags of unknown contents

cdef inline void determinise(uint64_t* bag, uint64_t* discards, uint8_t* hidden,
                             Xoshiro* rng) noexcept nogil:
    """Sample an unknown bag: `hidden` of the unseen tiles, uniformly; the rest are discards."""
    cdef Draws draws
    cdef uint64_t chosen = 0
    cdef int _i
    if hidden[0] == SPLIT_KNOWN:
        return
    begin_draws(&draws, bag[0], 0)
    for _i in range(hidden[0]):
        chosen += draw_tile(&draws, rng)
    split(bag, discards, hidden, chosen)


cdef inline void determinise_tied(uint64_t* bag, uint64_t* discards, uint8_t* hidden,
                                  uint64_t key) noexcept nogil:
    """As determinise, by the priorities of a key."""
    cdef TiedDraws draws
    cdef uint64_t chosen = 0
    cdef int _i
    if hidden[0] == SPLIT_KNOWN:
        return
    begin_tied(&draws, key, bag[0], 0)
    for _i in range(hidden[0]):
        chosen += tied_tile(&draws)
    split(bag, discards, hidden, chosen)


cdef inline void split(uint64_t* bag, uint64_t* discards, uint8_t* hidden,
                       uint64_t chosen) noexcept nogil:
    """Take these of the unseen tiles for the contents of the bag; the rest are discards."""
    discards[0] += bag[0] - chosen
    bag[0] = chosen
    hidden[0] = SPLIT_KNOWN


cdef inline void merge_unseen(uint64_t* bag, uint64_t* discards) noexcept nogil:
    """Count tiles discarded since among the unseen ones, as a position in notation does."""
    bag[0] += discards[0]
    discards[0] = 0


cdef inline void hide_split(uint64_t* bag, uint64_t* discards, uint8_t* hidden,
                            uint64_t since) noexcept nogil:
    """Forget which unseen tiles are in the bag after a draw, but not their number.

    since: tiles discarded since the bag was unknown. They stay apart until they are poured.
    """
    hidden[0] = <uint8_t> total(bag[0])
    merge_unseen(bag, discards)
    if total(bag[0]) - hidden[0] >= total(since):
        bag[0] -= since
        discards[0] = since


# ------------------------------------------------------------------------------- given draws

cdef inline bint take_tiles(uint64_t* bag, uint64_t* discards, uint8_t* hidden,
                            uint64_t tiles) noexcept nogil:
    """Draw exactly these tiles, in some order; False if the bag (then the discards) cannot yield
    them.

    The discards are poured when a further tile is needed and the bag is empty. From a bag of
    unknown contents any unseen tile is taken: a position does not tell what was discarded before.
    """
    cdef int count = total(tiles)
    cdef int in_bag = total(bag[0]) if hidden[0] == SPLIT_KNOWN else hidden[0]
    cdef uint64_t rest
    if hidden[0] != SPLIT_KNOWN:
        if count > in_bag or not contains(bag[0], tiles):
            merge_unseen(bag, discards)
        if not contains(bag[0], tiles):
            return False
        bag[0] -= tiles
        hidden[0] = <uint8_t> (in_bag - count if count <= in_bag else total(bag[0]))
        return True
    if count <= in_bag:
        if not contains(bag[0], tiles):
            return False
        bag[0] -= tiles
        return True
    if not contains(tiles, bag[0]):
        return False
    rest = tiles - bag[0]
    if not contains(discards[0], rest):
        return False
    bag[0] = discards[0] - rest
    discards[0] = 0
    return True


cdef inline bint take_deal(uint64_t* bag, uint64_t* discards, uint8_t* hidden, int displays,
                           const uint64_t* tiles) noexcept nogil:
    """Draw exactly these displays; False (bag spoilt) if that is impossible."""
    cdef int d, due
    cdef int left = total(bag[0]) + total(discards[0])
    for d in range(displays):
        due = DISPLAY_TILES if left > DISPLAY_TILES else left
        if total(tiles[d]) != due or not take_tiles(bag, discards, hidden, tiles[d]):
            return False
        left -= due
    return True


# ---------------------------------------------------------------------- the fixed draws of perft

cdef inline uint64_t take_lowest(uint64_t* bag, uint64_t* discards, uint8_t* hidden,
                                 const uint8_t* order, int colours) noexcept nogil:
    """Draw one tile of the first colour of `order` that is in the bag; 0 when nothing is left."""
    cdef uint64_t one
    cdef int i
    if hidden[0] != SPLIT_KNOWN or bag[0] == 0:
        merge_unseen(bag, discards)
    for i in range(colours):
        if lane(bag[0], order[i]):
            one = one_tile(order[i])
            take_tiles(bag, discards, hidden, one)
            return one
    return 0


cdef inline void lowest_deal(uint64_t* bag, uint64_t* discards, uint8_t* hidden, int displays,
                             uint64_t* tiles, const uint8_t* order, int colours) noexcept nogil:
    """As draw_deal, always the lowest colour."""
    cdef int d, _i
    for d in range(displays):
        tiles[d] = 0
        for _i in range(DISPLAY_TILES):
            tiles[d] += take_lowest(bag, discards, hidden, order, colours)
