# Whether bytes from a file are a state of Azul: Summer Pavilion that the other functions can take:
# what SummerState's constructor checks of numbers from Python, and what follows from those.

from libc.stdint cimport uint64_t
from pavilion_ai._c.bag cimport CENTRE, DISPLAYS, NOBODY, SCORE_LIMIT, hidden_is_sound
from pavilion_ai._c.bits cimport popcount64
from pavilion_ai._c.summer cimport (
    SUMMER_BONUS, SUMMER_DEAL, SUMMER_DRAFT, SUMMER_LAST_ROUND, SUMMER_OVER, SUMMER_PER_COLOUR,
    SUMMER_SPACES, SUMMER_SUPPLY, SUMMER_SUPPLY_SPACES, SUMMER_WILD_ORDER, SummerSeat, SummerState,
    source_drafts,
)
from pavilion_ai._c.summer_features cimport byte_at, filled_spaces
from pavilion_ai._c.tiles cimport display_is_sound, total, unfold, within


cdef inline bint seat_is_sound(const SummerState* st, const SummerSeat* seat) noexcept nogil:
    cdef uint64_t filled = filled_spaces(seat.board)
    cdef int site, colours
    if (seat.board & ~SUMMER_SPACES or seat.unused or seat.colours >> 56
            or not 1 <= seat.score <= SCORE_LIMIT
            or not within(seat.hand, 6, SUMMER_PER_COLOUR)):
        return False
    for site in range(7):
        colours = byte_at(seat.colours, site)
        if not st.grey and site < 6:
            if colours:
                return False
        elif (colours >> 6 or popcount64(<uint64_t> colours) > byte_at(filled, site)
              or (colours == 0) != (byte_at(filled, site) == 0)):
            return False
    return True


cdef inline bint table_is_sound(const SummerState* st) noexcept nogil:
    """The displays and the centre, and the drafts that they offer."""
    cdef uint64_t drafts = <uint64_t> source_drafts(st.centre, st.wild) << (6 * CENTRE)
    cdef int d
    for d in range(DISPLAYS):
        if not display_is_sound(st.displays[d], 6) or (d > 2 * st.players and st.displays[d]):
            return False
        drafts |= <uint64_t> source_drafts(unfold(st.displays[d]), st.wild) << (6 * d)
    return st.drafts == drafts and (drafts != 0) == (st.phase == SUMMER_DRAFT)


cdef inline bint summer_tiles_are_sound(const SummerState* st) noexcept nogil:
    """Whether no colour has more tiles than the game, those on boards aside: what a seat may come
    to hold is bounded by it."""
    cdef uint64_t tiles = st.bag + st.tower + st.supply + st.centre
    cdef int i
    for i in range(2 * st.players + 1):
        tiles += unfold(st.displays[i])
    for i in range(st.players):
        tiles += st.seats[i].hand
    return within(tiles, 6, SUMMER_PER_COLOUR)


cdef inline bint summer_sound(const SummerState* st) noexcept nogil:
    """Whether the fields of a state with 2 to 4 players are within their ranges."""
    cdef bint nobody = st.mover == NOBODY
    cdef int s
    if (st.grey > 1 or not 1 <= st.round <= SUMMER_LAST_ROUND or st.phase > SUMMER_OVER
            or st.wild != SUMMER_WILD_ORDER[st.round - 1] or st.start_seat >= st.players
            or (st.token >= st.players and st.token != NOBODY) or st.unused
            or st.passed >> st.players or (st.mover >= st.players and not nobody)
            or (nobody and st.phase != SUMMER_SUPPLY and st.phase != SUMMER_OVER)
            or (not nobody and (st.phase == SUMMER_OVER or st.passed >> st.mover & 1))
            or (st.phase == SUMMER_DEAL and (st.round == 1 or st.mover != st.start_seat))
            or (st.phase in (SUMMER_DEAL, SUMMER_SUPPLY) and not st.bag | st.tower)):
        return False
    if not (within(st.bag, 6, SUMMER_PER_COLOUR) and within(st.tower, 6, SUMMER_PER_COLOUR)
            and within(st.supply, 6, SUMMER_SUPPLY_SPACES)
            and total(st.supply) <= SUMMER_SUPPLY_SPACES
            and within(st.centre, 6, SUMMER_PER_COLOUR)
            and hidden_is_sound(st.bag, st.hidden) and table_is_sound(st)):
        return False
    if (st.phase == SUMMER_BONUS) != (0 < st.bonus_due <= min(3, total(st.supply))):
        return False
    for s in range(st.players):
        if not seat_is_sound(st, &st.seats[s]):
            return False
    return summer_tiles_are_sound(st)
