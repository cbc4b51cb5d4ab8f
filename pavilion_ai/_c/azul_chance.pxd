# Chance in base Azul: the setup and the deals (bag.pxd draws the tiles).

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from pavilion_ai._c.azul cimport (
    AZUL_DEAL, AZUL_DRAFT, AZUL_LINES, AZUL_PER_COLOUR, AzulSeat, AzulState, azul_set_open,
    azul_set_table,
)
from pavilion_ai._c.bag cimport (
    DISPLAYS, NOBODY, SEATS, SPLIT_KNOWN, determinise, determinise_tied, draw_deal, lowest_deal,
    take_deal, tied_deal,
)
from pavilion_ai._c.rng cimport Xoshiro, splitmix_mix
from pavilion_ai._c.tiles cimport one_tile

cdef extern from "azul_tables.h" nogil:
    const uint8_t[5] AZUL_ORDER


cdef inline void deal_displays(AzulState* st, const uint64_t* tiles) noexcept nogil:
    cdef int d
    st.drafts = 0
    for d in range(2 * st.players + 1):
        azul_set_table(st, d, tiles[d])
    st.phase = AZUL_DRAFT


cdef inline void azul_draw(AzulState* st, Xoshiro* rng) noexcept nogil:
    """B7: draw the tiles of the pending deal. The split must be known."""
    cdef uint64_t[DISPLAYS] tiles
    draw_deal(&st.bag, &st.lid, 2 * st.players + 1, tiles, rng)
    deal_displays(st, tiles)


cdef inline void azul_new(AzulState* st, int players, bint grey, int start_seat,
                          Xoshiro* rng) noexcept nogil:
    """B3."""
    cdef AzulSeat empty
    cdef int i
    empty.wall = empty.rows = empty.columns = empty.open = 0
    empty.score = 0
    empty.floor = empty.unused = 0
    for i in range(AZUL_LINES):
        empty.count[i] = empty.colour[i] = 0
    for i in range(AZUL_LINES):
        azul_set_open(&empty, i)
    for i in range(5):
        empty.open |= <uint32_t> 1 << (6 * i + 5)      # the floor line takes everything
    st.bag = 0
    for i in range(5):
        st.bag += AZUL_PER_COLOUR * one_tile(i)
    st.lid = st.centre = st.drafts = 0
    for i in range(DISPLAYS):
        st.displays[i] = 0
    st.players = <uint8_t> players
    st.grey = grey
    st.round = 1
    st.start_seat = st.mover = <uint8_t> start_seat
    st.token = NOBODY
    st.hidden = SPLIT_KNOWN
    for i in range(4):
        st.unused[i] = 0
    for i in range(SEATS):
        st.seats[i] = empty
    st.phase = AZUL_DEAL
    azul_draw(st, rng)


cdef inline void azul_determinise(AzulState* st, Xoshiro* rng) noexcept nogil:
    """Sample the contents of an unknown bag; the other unseen tiles are in the lid."""
    determinise(&st.bag, &st.lid, &st.hidden, rng)


cdef inline bint azul_deal(AzulState* st, const uint64_t* tiles) noexcept nogil:
    """Fill the displays with exactly these multisets; False (state spoilt) if impossible."""
    if not take_deal(&st.bag, &st.lid, &st.hidden, 2 * st.players + 1, tiles):
        return False
    deal_displays(st, tiles)
    return True


cdef inline void azul_draw_tied(AzulState* st, uint64_t key) noexcept nogil:
    """As azul_draw, by the priorities of a key, which also sample an unknown bag."""
    cdef uint64_t[DISPLAYS] tiles
    determinise_tied(&st.bag, &st.lid, &st.hidden, splitmix_mix(key))
    tied_deal(st.bag, st.lid, 2 * st.players + 1, tiles, key)
    azul_deal(st, tiles)


cdef inline void azul_draw_lowest(AzulState* st) noexcept nogil:
    """Settle a deal with perft's fixed draw: always the lowest colour in the bag."""
    cdef uint64_t[DISPLAYS] tiles
    lowest_deal(&st.bag, &st.lid, &st.hidden, 2 * st.players + 1, tiles, AZUL_ORDER, 5)
    deal_displays(st, tiles)
