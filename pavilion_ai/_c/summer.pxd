# The rules of Azul: Summer Pavilion (part A of the rules specification), on a C struct: what a
# decision does, from drafting to the final score.
#
# Each rule has one place. Everything is `noexcept nogil` and free of Python objects. Applying a
# decision is deterministic: when a draw is due the phase becomes deal or supply, a chance node, and
# summer_chance.pxd takes over. Legal moves are in summer_moves.pxd.
#
# Numbering of colours and of board bits: see summer_tables.h.

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from pavilion_ai._c.bag cimport CENTRE, DISPLAYS, NOBODY, SEATS, next_seat
from pavilion_ai._c.bits cimport lowest_bit
from pavilion_ai._c.tiles cimport fold, lane, one_tile, present, total, unfold

cdef extern from "summer_tables.h" nogil:
    const uint64_t ROW_1
    const uint64_t ROW_OUTER
    const uint64_t SUMMER_SPACES
    const uint8_t[6] SUMMER_WILD_ORDER
    const uint8_t[6] SUMMER_WILD_INDEX
    const uint8_t[6] STAR_POINTS
    const int MIXED_STAR_POINTS
    const uint8_t[4] NUMBER_POINTS
    const uint8_t[2][2][6] COST
    const uint8_t[64][6] CHAIN
    const uint64_t[48][2] FEATURE_MASK
    const uint8_t[48][2] FEATURE_TILES
    const uint8_t[48][2] FEATURE_INDEX
    const uint64_t[18] FEATURES
    const uint8_t[128] COLOURED_STARS
    void summer_tables_init() noexcept

cdef enum:
    SUMMER_SUPPLY_SPACES = 10
    SUMMER_KEEP_LIMIT = 4
    SUMMER_LAST_ROUND = 6
    SUMMER_PER_COLOUR = 22  # tiles (A2)

    # Phases, in the order of docs/notation.md.
    SUMMER_DRAFT = 0
    SUMMER_PLACE = 1
    SUMMER_BONUS = 2
    SUMMER_DEAL = 3
    SUMMER_SUPPLY = 4
    SUMMER_OVER = 5

    # Move kinds, the low 3 bits of a move.
    SUMMER_MOVE_DRAFT = 0  # | source << 3 | colour << 7
    SUMMER_MOVE_PLACE = 1  # | space bit << 3 | colour << 9 | own tiles paid << 12
    SUMMER_MOVE_BONUS = 2  # | folded multiset << 3
    SUMMER_MOVE_PASS = 3   # | folded multiset kept << 3

    # More than any position offers: 222 or 762 placements and 210 keep-subsets (D1).
    SUMMER_MOVES = 1024

ctypedef struct SummerSeat:
    uint64_t hand          # lanes; after passing: the tiles kept on the corner spaces
    uint64_t board         # occupied spaces
    uint64_t colours       # byte s: colours present in star s (coloured side: byte 6 only)
    int32_t score
    int32_t unused         # zero, so that equal states are equal bytes

ctypedef struct SummerState:
    uint64_t bag           # lanes; when the split is unknown: all unseen tiles
    uint64_t tower         # lanes
    uint64_t supply        # lanes
    uint64_t centre        # lanes
    uint64_t drafts        # bit 6 * source + colour for every legal draft
    uint32_t[DISPLAYS] displays   # folded multisets
    uint8_t players
    uint8_t grey           # board side: 0 coloured, 1 grey
    uint8_t round          # 1-6
    uint8_t phase
    uint8_t mover          # seat to act; in SUMMER_SUPPLY the seat that follows, or NOBODY
    uint8_t start_seat     # who started this round's drafting
    uint8_t token          # holder, or NOBODY while it lies in the centre
    uint8_t bonus_due
    uint8_t passed         # bit per seat
    uint8_t wild           # colour that is wild in this round (A5)
    uint8_t hidden         # SPLIT_KNOWN, or how many of the unseen tiles are in the bag
    uint8_t unused
    SummerSeat[SEATS] seats       # last, so that a copy may stop after `players`


# ---------------------------------------------------------------------------- phase 1: drafting

cdef inline int source_drafts(uint64_t tiles, int wild) noexcept nogil:
    """A6.1: the colours that may be drafted from a source holding these tiles."""
    cdef int colours = present(tiles)
    cdef int own = colours & ~(1 << wild)
    return own if own else colours


cdef inline void summer_set_centre(SummerState* st, uint64_t tiles) noexcept nogil:
    st.centre = tiles
    st.drafts &= ~(<uint64_t> 63 << (6 * CENTRE))
    st.drafts |= <uint64_t> source_drafts(tiles, st.wild) << (6 * CENTRE)


cdef inline void summer_set_display(SummerState* st, int display, uint64_t tiles) noexcept nogil:
    st.displays[display] = fold(tiles)
    st.drafts &= ~(<uint64_t> 63 << (6 * display))
    st.drafts |= <uint64_t> source_drafts(tiles, st.wild) << (6 * display)


cdef inline void lose(SummerSeat* seat, int points) noexcept nogil:
    """A11: no score falls below 1."""
    seat.score = seat.score - points if seat.score - points > 1 else 1


cdef inline void begin_placing(SummerState* st) noexcept nogil:
    """A6.3, A6.4: phase 2 starts with the token holder, or with the seat that started the round."""
    st.phase = SUMMER_PLACE
    st.mover = st.start_seat if st.token == NOBODY else st.token


cdef inline void apply_draft(SummerState* st, int source, int colour) noexcept nogil:
    """A6.2, A6.3."""
    cdef uint64_t tiles = st.centre if source == CENTRE else unfold(st.displays[source])
    cdef uint64_t taken
    cdef uint64_t wild_one = one_tile(st.wild)
    cdef SummerSeat* seat = &st.seats[st.mover]
    if colour == st.wild:
        taken = wild_one
    else:
        taken = tiles & (<uint64_t> 0x3FF << (10 * colour))
        taken += wild_one if lane(tiles, st.wild) else 0
    seat.hand += taken
    if source == CENTRE:
        if st.token == NOBODY:
            st.token = st.mover
            lose(seat, total(taken))
        summer_set_centre(st, tiles - taken)
    else:
        st.displays[source] = 0
        st.drafts &= ~(<uint64_t> 63 << (6 * source))
        if tiles != taken:
            summer_set_centre(st, st.centre + tiles - taken)
    if st.drafts:
        st.mover = <uint8_t> next_seat(st.mover, st.players)
    else:
        begin_placing(st)


# ----------------------------------------------------------------------------- final scoring

cdef inline int summer_star_points(const SummerState* st, const SummerSeat* seat) noexcept nogil:
    """A10.2."""
    cdef uint64_t b = seat.board
    cdef int full = <int> (b & (b >> 8) & (b >> 16) & (b >> 24) & (b >> 32) & (b >> 40)) & 127
    cdef int s, colours, points
    if not st.grey:
        return COLOURED_STARS[full]
    points = 0
    for s in range(7):
        if full >> s & 1:
            colours = <int> (seat.colours >> (8 * s)) & 63
            points += (STAR_POINTS[lowest_bit(<uint64_t> colours)] if colours & (colours - 1) == 0
                       else MIXED_STAR_POINTS)
    return points


cdef inline uint64_t number_spaces(const SummerState* st, int number) noexcept nogil:
    """The spaces that carry a printed number (A3.2), as board bits."""
    if not st.grey:
        return <uint64_t> 127 << (8 * (number - 1))
    if number == 3:
        return <uint64_t> 63 | ROW_1 << 6
    return <uint64_t> 63 << (8 * ((4 - number if number < 3 else number) - 1))


cdef inline int summer_number_points(const SummerState* st, const SummerSeat* seat) noexcept nogil:
    """A10.3."""
    cdef int number, points = 0
    cdef uint64_t spaces
    for number in range(1, 5):
        spaces = number_spaces(st, number)
        if seat.board & spaces == spaces:
            points += NUMBER_POINTS[number - 1]
    return points


# ----------------------------------------------------------------- phase 2: placing, passing

cdef inline int star_pattern(uint64_t board, int site) noexcept nogil:
    """The occupied positions of a star, bit p-1 for position p."""
    return <int> (((((board >> site) & ROW_1) * 0x0000010204081020ULL) >> 40) & 63)


cdef inline int space_cost(const SummerState* st, int space) noexcept nogil:
    return COST[st.grey][(space & 7) == 6][space >> 3]


cdef inline int features_completed(uint64_t board, int space) noexcept nogil:
    """A7.5: bonus tiles released by the features that this space, just filled, completes."""
    cdef int due = 0
    if board & FEATURE_MASK[space][0] == FEATURE_MASK[space][0]:
        due = FEATURE_TILES[space][0]
    if board & FEATURE_MASK[space][1] == FEATURE_MASK[space][1]:
        due += FEATURE_TILES[space][1]
    return due


cdef inline void summer_round_over(SummerState* st) noexcept nogil:
    """A8, or A10 after round 6."""
    cdef int s
    if st.round == SUMMER_LAST_ROUND:
        st.phase = SUMMER_OVER
        st.mover = NOBODY
        for s in range(st.players):
            st.seats[s].score += summer_star_points(st, &st.seats[s])
            st.seats[s].score += summer_number_points(st, &st.seats[s])
        return
    st.round += 1
    st.wild = SUMMER_WILD_ORDER[st.round - 1]
    if st.token != NOBODY:
        st.start_seat = st.token
    st.token = NOBODY
    st.passed = 0
    st.mover = st.start_seat
    if st.bag | st.tower:
        st.phase = SUMMER_DEAL
    else:
        begin_placing(st)


cdef inline void finish_turn(SummerState* st) noexcept nogil:
    """Hand over to st.mover, or close the round when it is NOBODY."""
    if st.mover == NOBODY:
        summer_round_over(st)
    else:
        st.phase = SUMMER_PLACE


cdef inline void end_turn(SummerState* st) noexcept nogil:
    """A7.1, A7.7: set the next seat, and whether the supply is topped up first."""
    cdef int players = st.players, first = st.mover + 1, s
    cdef uint64_t waiting = ~st.passed & (1 << players) - 1
    if waiting == 0:
        st.mover = NOBODY
    else:
        s = first + lowest_bit((waiting | waiting << players) >> first)
        st.mover = <uint8_t> (s if s < players else s - players)
    if total(st.supply) < SUMMER_SUPPLY_SPACES and (st.bag | st.tower):
        st.phase = SUMMER_SUPPLY
    else:
        finish_turn(st)


cdef inline void apply_place(SummerState* st, int space, int colour, int own) noexcept nogil:
    """A7.3 to A7.6."""
    cdef SummerSeat* seat = &st.seats[st.mover]
    cdef int site = space & 7
    cdef int wilds = space_cost(st, space) - own
    cdef uint64_t paid = <uint64_t> own << (10 * colour)
    cdef int due
    paid += <uint64_t> wilds << (10 * st.wild)
    seat.hand -= paid
    st.tower += paid - one_tile(colour)
    seat.board |= <uint64_t> 1 << space
    seat.colours |= <uint64_t> (st.grey or site == 6) << (8 * site + colour)
    seat.score += CHAIN[star_pattern(seat.board, site)][space >> 3]
    due = features_completed(seat.board, space)
    if due:
        due = min(due, total(st.supply))
        if due:
            st.bonus_due = <uint8_t> due
            st.phase = SUMMER_BONUS
            return
    end_turn(st)


cdef inline void apply_bonus(SummerState* st, uint64_t tiles) noexcept nogil:
    """A7.6."""
    st.supply -= tiles
    st.seats[st.mover].hand += tiles
    st.bonus_due = 0
    end_turn(st)


cdef inline void apply_pass(SummerState* st, uint64_t kept) noexcept nogil:
    """A7.8, A7.9 (in round 6 `kept` is empty)."""
    cdef SummerSeat* seat = &st.seats[st.mover]
    cdef uint64_t gone = seat.hand - kept
    st.tower += gone
    lose(seat, total(gone))
    seat.hand = kept
    st.passed |= <uint8_t> (1 << st.mover)
    end_turn(st)


cdef inline void summer_apply(SummerState* st, uint32_t move) noexcept nogil:
    """Play a legal move of the mover."""
    cdef int kind = move & 7
    if kind == SUMMER_MOVE_DRAFT:
        apply_draft(st, (move >> 3) & 15, (move >> 7) & 7)
    elif kind == SUMMER_MOVE_PLACE:
        apply_place(st, (move >> 3) & 63, (move >> 9) & 7, (move >> 12) & 7)
    elif kind == SUMMER_MOVE_BONUS:
        apply_bonus(st, unfold(move >> 3))
    else:
        apply_pass(st, unfold(move >> 3))


cdef inline bint summer_is_chance(const SummerState* st) noexcept nogil:
    return st.phase == SUMMER_DEAL or st.phase == SUMMER_SUPPLY
