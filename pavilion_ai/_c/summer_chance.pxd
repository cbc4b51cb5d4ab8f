# Chance in Azul: Summer Pavilion: the setup, deals and top-ups, drawn at random, given from
# outside, or fixed for perft; and bags whose content is not known.

from libc.stdint cimport uint8_t, uint64_t
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.summer cimport (
    DEAL, DISPLAYS, DRAFT, NOBODY, SEATS, SPLIT_KNOWN, SUPPLY, SUPPLY_SPACES, WILD_ORDER,
    SummerSeat, SummerState, finish_turn, set_display,
)
from pavilion_ai._c.tiles cimport (
    LANES_1, LANES_ALL, Draws, TiedDraws, begin_tied, contains, draw_four, draw_tile, lane,
    one_tile, running_sums, tied_tile, total,
)


# ------------------------------------------------------------------------------ drawing at random

cdef inline void begin_draws(SummerState* st, Draws* draws) noexcept nogil:
    draws.bag = running_sums(st.bag)
    draws.tower = st.tower
    draws.random = 0
    draws.fresh = 0


cdef inline void end_draws(SummerState* st, const Draws* draws) noexcept nogil:
    st.bag = (draws.bag - (draws.bag << 10)) & LANES_ALL
    st.tower = draws.tower


cdef inline void summer_draw(SummerState* st, Xoshiro* rng) noexcept nogil:
    """A8, A9: draw the tiles of the pending deal or top-up. The split must be known."""
    cdef Draws draws
    cdef uint64_t tiles, one
    cdef int d, _i
    begin_draws(st, &draws)
    if st.phase == DEAL:
        st.drafts = 0
        for d in range(2 * st.players + 1):
            if draws.bag >> 50 >= 4:
                tiles = draw_four(&draws.bag, rng)
            else:
                tiles = 0
                for _i in range(4):
                    tiles += draw_tile(&draws, rng)
            set_display(st, d, tiles)
        end_draws(st, &draws)
        st.phase = DRAFT
        return
    for _i in range(SUPPLY_SPACES - total(st.supply)):
        one = draw_tile(&draws, rng)
        if one == 0:
            break
        st.supply += one
    end_draws(st, &draws)
    finish_turn(st)


cdef inline void summer_new(SummerState* st, int players, bint grey, int start_seat,
                            Xoshiro* rng) noexcept nogil:
    """A4: the supply is filled first, then the displays."""
    cdef int i
    cdef SummerSeat empty
    empty.hand = empty.board = empty.colours = 0
    empty.score = 5
    empty.unused = 0
    st.bag = 22 * LANES_1
    st.tower = st.supply = st.centre = st.drafts = 0
    for i in range(DISPLAYS):
        st.displays[i] = 0
    st.players = <uint8_t> players
    st.grey = grey
    st.round = 1
    st.wild = WILD_ORDER[0]
    st.start_seat = st.mover = <uint8_t> start_seat
    st.token = NOBODY
    st.bonus_due = st.passed = st.unused = 0
    st.hidden = SPLIT_KNOWN
    for i in range(SEATS):
        st.seats[i] = empty
    st.phase = SUPPLY
    summer_draw(st, rng)
    st.phase = DEAL
    summer_draw(st, rng)


# --------------------------------------------------- bags of which only the size is known

cdef inline void summer_determinise(SummerState* st, Xoshiro* rng) noexcept nogil:
    """Give an unknown bag a content: `hidden` of the unseen tiles, uniformly; the rest is tower."""
    cdef Draws draws
    cdef uint64_t chosen = 0
    cdef int _i
    if st.hidden == SPLIT_KNOWN:
        return
    begin_draws(st, &draws)
    draws.tower = 0
    for _i in range(st.hidden):
        chosen += draw_tile(&draws, rng)
    st.tower += st.bag - chosen
    st.bag = chosen
    st.hidden = SPLIT_KNOWN


cdef inline void merge_unseen(SummerState* st) noexcept nogil:
    """Count tiles discarded since among the unseen ones, as a position in notation does."""
    st.bag += st.tower
    st.tower = 0


cdef inline void hide_split(SummerState* st) noexcept nogil:
    """Forget which unseen tiles are in the bag, but not how many."""
    st.hidden = <uint8_t> total(st.bag)
    merge_unseen(st)


# ------------------------------------------------------------------------------- given draws

cdef inline bint take_from_bag(SummerState* st, uint64_t tiles) noexcept nogil:
    """Draw exactly these tiles, in some order; False if the bag (then the tower) cannot yield them.

    A9: the tower is poured when a further tile is needed and the bag is empty.
    """
    cdef int count = total(tiles)
    cdef int in_bag = total(st.bag) if st.hidden == SPLIT_KNOWN else st.hidden
    cdef uint64_t rest
    if st.hidden != SPLIT_KNOWN:
        merge_unseen(st)
        if not contains(st.bag, tiles):
            return False
        st.bag -= tiles
        st.hidden = <uint8_t> (in_bag - count if count <= in_bag else total(st.bag))
        return True
    if count <= in_bag:
        if not contains(st.bag, tiles):
            return False
        st.bag -= tiles
        return True
    if not contains(tiles, st.bag):
        return False
    rest = tiles - st.bag
    if not contains(st.tower, rest):
        return False
    st.bag = st.tower - rest
    st.tower = 0
    return True


cdef inline bint summer_deal(SummerState* st, const uint64_t* tiles) noexcept nogil:
    """Fill the displays with exactly these multisets; False (state spoilt) if impossible."""
    cdef int d, due
    cdef int left = total(st.bag) + total(st.tower)
    st.drafts = 0
    for d in range(2 * st.players + 1):
        due = 4 if left > 4 else left
        if total(tiles[d]) != due or not take_from_bag(st, tiles[d]):
            return False
        left -= due
        set_display(st, d, tiles[d])
    st.phase = DRAFT
    return True


cdef inline bint summer_top_up(SummerState* st, uint64_t tiles) noexcept nogil:
    """Put exactly these tiles on the supply; False (state spoilt) if that is impossible."""
    cdef int due = SUPPLY_SPACES - total(st.supply)
    cdef int left = total(st.bag) + total(st.tower)
    if total(tiles) != (due if due < left else left) or not take_from_bag(st, tiles):
        return False
    st.supply += tiles
    finish_turn(st)
    return True


cdef inline void summer_draw_tied(SummerState* st, uint64_t key) noexcept nogil:
    """As summer_draw, by the priorities of a key. Of an unknown split all tiles are one bag."""
    cdef TiedDraws draws
    cdef uint64_t[DISPLAYS] tiles
    cdef uint64_t top_up = 0
    cdef int d, _i
    if st.hidden != SPLIT_KNOWN:
        merge_unseen(st)
    begin_tied(&draws, key, st.bag, st.tower)
    if st.phase == DEAL:
        for d in range(2 * st.players + 1):
            tiles[d] = 0
            for _i in range(4):
                tiles[d] += tied_tile(&draws)
        summer_deal(st, tiles)
        return
    for _i in range(SUPPLY_SPACES - total(st.supply)):
        top_up += tied_tile(&draws)
    summer_top_up(st, top_up)


# ---------------------------------------------------------------------- the fixed draws of perft

cdef inline uint64_t lowest_tile(uint64_t tiles) noexcept nogil:
    """One tile of the first colour in wild order that is there, or 0."""
    cdef int i
    for i in range(6):
        if lane(tiles, WILD_ORDER[i]):
            return one_tile(WILD_ORDER[i])
    return 0


cdef inline uint64_t take_lowest(SummerState* st) noexcept nogil:
    cdef uint64_t one
    if st.hidden != SPLIT_KNOWN:
        merge_unseen(st)
    elif st.bag == 0:
        st.bag = st.tower
        st.tower = 0
    one = lowest_tile(st.bag)
    if one:
        take_from_bag(st, one)
    return one


cdef inline void summer_draw_lowest(SummerState* st) noexcept nogil:
    """Settle a chance phase with perft's fixed draw: always the lowest colour in the bag."""
    cdef uint64_t tiles
    cdef int d, _i
    if st.phase == DEAL:
        st.drafts = 0
        for d in range(2 * st.players + 1):
            tiles = 0
            for _i in range(4):
                tiles += take_lowest(st)
            set_display(st, d, tiles)
        st.phase = DRAFT
        return
    for _i in range(SUPPLY_SPACES - total(st.supply)):
        st.supply += take_lowest(st)
    finish_turn(st)
