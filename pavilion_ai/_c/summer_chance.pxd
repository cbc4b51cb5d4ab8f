# Chance in Azul: Summer Pavilion: the setup, deals and top-ups (bag.pxd draws the tiles).

from libc.stdint cimport uint8_t, uint64_t
from pavilion_ai._c.bag cimport (
    DISPLAYS, NOBODY, SEATS, SPLIT_KNOWN, begin_draws, determinise, determinise_tied, draw_deal,
    end_draws, lowest_deal, take_deal, take_lowest, take_tiles, tied_deal,
)
from pavilion_ai._c.rng cimport Xoshiro, splitmix_mix
from pavilion_ai._c.summer cimport (
    SUMMER_DEAL, SUMMER_DRAFT, SUMMER_PER_COLOUR, SUMMER_SUPPLY, SUMMER_SUPPLY_SPACES,
    SUMMER_WILD_ORDER, SummerSeat, SummerState, finish_turn, summer_set_display,
)
from pavilion_ai._c.tiles cimport LANES_1, Draws, TiedDraws, begin_tied, draw_tile, tied_tile, total


cdef inline void fill_displays(SummerState* st, const uint64_t* tiles) noexcept nogil:
    cdef int d
    st.drafts = 0
    for d in range(2 * st.players + 1):
        summer_set_display(st, d, tiles[d])
    st.phase = SUMMER_DRAFT


cdef inline void summer_draw(SummerState* st, Xoshiro* rng) noexcept nogil:
    """A8, A9: draw the tiles of the pending deal or top-up. The split must be known."""
    cdef Draws draws
    cdef uint64_t[DISPLAYS] tiles
    cdef uint64_t one
    cdef int _i
    if st.phase == SUMMER_DEAL:
        draw_deal(&st.bag, &st.tower, 2 * st.players + 1, tiles, rng)
        fill_displays(st, tiles)
        return
    begin_draws(&draws, st.bag, st.tower)
    for _i in range(SUMMER_SUPPLY_SPACES - total(st.supply)):
        one = draw_tile(&draws, rng)
        if one == 0:
            break
        st.supply += one
    end_draws(&draws, &st.bag, &st.tower)
    finish_turn(st)


cdef inline void summer_new(SummerState* st, int players, bint grey, int start_seat,
                            Xoshiro* rng) noexcept nogil:
    """A4: the supply is filled first, then the displays."""
    cdef int i
    cdef SummerSeat empty
    empty.hand = empty.board = empty.colours = 0
    empty.score = 5
    empty.unused = 0
    st.bag = SUMMER_PER_COLOUR * LANES_1
    st.tower = st.supply = st.centre = st.drafts = 0
    for i in range(DISPLAYS):
        st.displays[i] = 0
    st.players = <uint8_t> players
    st.grey = grey
    st.round = 1
    st.wild = SUMMER_WILD_ORDER[0]
    st.start_seat = st.mover = <uint8_t> start_seat
    st.token = NOBODY
    st.bonus_due = st.passed = st.unused = 0
    st.hidden = SPLIT_KNOWN
    for i in range(SEATS):
        st.seats[i] = empty
    st.phase = SUMMER_SUPPLY
    summer_draw(st, rng)
    st.phase = SUMMER_DEAL
    summer_draw(st, rng)


cdef inline void summer_determinise(SummerState* st, Xoshiro* rng) noexcept nogil:
    """Sample the contents of an unknown bag; the other unseen tiles are in the tower."""
    determinise(&st.bag, &st.tower, &st.hidden, rng)


cdef inline bint summer_deal(SummerState* st, const uint64_t* tiles) noexcept nogil:
    """Fill the displays with exactly these multisets; False (state spoilt) if impossible."""
    if not take_deal(&st.bag, &st.tower, &st.hidden, 2 * st.players + 1, tiles):
        return False
    fill_displays(st, tiles)
    return True


cdef inline bint summer_top_up(SummerState* st, uint64_t tiles) noexcept nogil:
    """Put exactly these tiles on the supply; False (state spoilt) if that is impossible."""
    cdef int due = SUMMER_SUPPLY_SPACES - total(st.supply)
    cdef int left = total(st.bag) + total(st.tower)
    if total(tiles) != (due if due < left else left):
        return False
    if not take_tiles(&st.bag, &st.tower, &st.hidden, tiles):
        return False
    st.supply += tiles
    finish_turn(st)
    return True


cdef inline void summer_draw_tied(SummerState* st, uint64_t key) noexcept nogil:
    """As summer_draw, by the priorities of a key, which also sample an unknown bag."""
    cdef TiedDraws draws
    cdef uint64_t[DISPLAYS] tiles
    cdef uint64_t top_up = 0
    cdef int _i
    determinise_tied(&st.bag, &st.tower, &st.hidden, splitmix_mix(key))
    if st.phase == SUMMER_DEAL:
        tied_deal(st.bag, st.tower, 2 * st.players + 1, tiles, key)
        summer_deal(st, tiles)
        return
    begin_tied(&draws, key, st.bag, st.tower)
    for _i in range(SUMMER_SUPPLY_SPACES - total(st.supply)):
        top_up += tied_tile(&draws)
    summer_top_up(st, top_up)


cdef inline void summer_draw_lowest(SummerState* st) noexcept nogil:
    """Settle a chance phase with perft's fixed draw: always the lowest colour in the bag."""
    cdef uint64_t[DISPLAYS] tiles
    cdef int _i
    if st.phase == SUMMER_DEAL:
        lowest_deal(&st.bag, &st.tower, &st.hidden, 2 * st.players + 1, tiles, SUMMER_WILD_ORDER, 6)
        fill_displays(st, tiles)
        return
    for _i in range(SUMMER_SUPPLY_SPACES - total(st.supply)):
        st.supply += take_lowest(&st.bag, &st.tower, &st.hidden, SUMMER_WILD_ORDER, 6)
    finish_turn(st)
