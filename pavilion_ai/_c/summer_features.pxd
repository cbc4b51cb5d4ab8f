# Binary features of moves and of positions between rounds, and the weighted sums over them.
#
# There are no rules here. The weights are fitted to the search's own games (docs/search.md) and are
# in summer_weights.h, one table per variant (board side, number of players):
#   policy: the logit of a move is the sum of the weights of its features, in 1/256;
#   evaluation: the points a seat still gains after a round, in 1/64 point.
# All of it is integer arithmetic, hence the same on every machine.

from libc.stdint cimport int16_t, uint32_t, uint64_t, uint8_t
from pavilion_ai._c.bag cimport CENTRE, NOBODY, next_seat
from pavilion_ai._c.bits cimport lowest_bit, popcount64
from pavilion_ai._c.linear cimport Tally, add, at_most, tally
from pavilion_ai._c.summer cimport (
    CHAIN, FEATURES, FEATURE_INDEX, FEATURE_TILES, SUMMER_DRAFT, SUMMER_LAST_ROUND,
    SUMMER_MOVE_BONUS, SUMMER_MOVE_DRAFT, SUMMER_MOVE_PLACE, SUMMER_OVER, SUMMER_PLACE,
    SUMMER_WILD_INDEX, SUMMER_WILD_ORDER, SummerSeat, SummerState, number_spaces, space_cost,
    star_pattern,
)
from pavilion_ai._c.tiles cimport lane, one_tile, total, unfold

cdef enum:
    # First number of each group of policy features; the comment gives the indices inside.
    SUMMER_D_TAKE = 0                      # last round 2, own tiles taken 0-7, wild taken 2
    # filled in the colour's star 0-6, tiles in hand after 1-8
    SUMMER_D_FIT = SUMMER_D_TAKE + 32
    SUMMER_D_TOKEN = SUMMER_D_FIT + 56     # last round 2, points lost for the token 1-8
    SUMMER_D_NEXT = SUMMER_D_TOKEN + 16    # tiles taken of the next round's wild colour 1-4
    SUMMER_D_REST = SUMMER_D_NEXT + 4      # tiles moved to the centre 0-3; 4: taken from the centre
    # filled in the next player's star 0-6, two or more taken 2
    SUMMER_D_RIVAL = SUMMER_D_REST + 5
    SUMMER_D_COLOUR = SUMMER_D_RIVAL + 14  # colour 6, round 6
    # cost 1-6, points 1-6
    SUMMER_P_POINTS = SUMMER_D_COLOUR + 36
    SUMMER_P_WILD = SUMMER_P_POINTS + 36   # last round 2, wild tiles paid 0-5, cost 1-6
    SUMMER_P_STAR = SUMMER_P_WILD + 72     # last round 2, centre star 2, filled after 1-6
    SUMMER_P_SITE = SUMMER_P_STAR + 24     # site 7 (grey side: colour 6), round 6
    SUMMER_P_NUMBER = SUMMER_P_SITE + 42   # last round 2, number 1-4, its spaces filled after 1-7
    # last round 2, pillar statue window, spaces missing after 0-3
    SUMMER_P_FEATURE = SUMMER_P_NUMBER + 56
    SUMMER_P_DUE = SUMMER_P_FEATURE + 24   # last round 2, bonus tiles 0-3
    SUMMER_P_LEFT = SUMMER_P_DUE + 8       # last round 2, tiles left in hand 0-8
    SUMMER_P_NEXT = SUMMER_P_LEFT + 18     # tiles paid of the next round's wild colour 1-6
    SUMMER_P_GREY = SUMMER_P_NEXT + 6      # grey side: first, one colour, mixed 3, filled after 1-6
    SUMMER_B_TILE = SUMMER_P_GREY + 18     # last round 2, tile class 9, of it in hand after 1-6
    SUMMER_S_LOSS = SUMMER_B_TILE + 108    # last round 2, points lost 0-8
    SUMMER_S_OPTIONS = SUMMER_S_LOSS + 18  # placements at hand 6 classes, tiles in hand 0-8
    # tile class 8 (wild next round, or filled 0-6), number 1-4
    SUMMER_S_KEEP = SUMMER_S_OPTIONS + 54
    SUMMER_LINEAR = SUMMER_S_KEEP + 32

    # Wide features, for networks only: their weights depend on the position, so that a space or a
    # colour can be good in one and bad in another. Slot: see slot_of().
    SUMMER_W_COUNT = SUMMER_LINEAR         # draft: slot 6, own tiles taken 0-7
    SUMMER_W_WILD = SUMMER_W_COUNT + 48    # draft: slot 6, wild taken 2
    # draft from a display, once per colour moved: slot 6, tiles 1-3
    SUMMER_W_PUSH = SUMMER_W_WILD + 12
    SUMMER_W_CENTRE = SUMMER_W_PUSH + 18   # draft from the centre: slot 6, the token lies there 2
    SUMMER_W_SPACE = SUMMER_W_CENTRE + 12  # place: space, by board bit
    # place: in the centre star 2, slot 6 of the colour, cost 1-6
    SUMMER_W_COST = SUMMER_W_SPACE + 48
    SUMMER_W_PAID = SUMMER_W_COST + 72     # place: slot 6 of the colour, wilds paid 0-5
    SUMMER_W_BONUS = SUMMER_W_PAID + 36    # bonus, per tile: slot 6, of it in hand after 1-7
    SUMMER_W_KEEP = SUMMER_W_BONUS + 42    # pass, per tile kept: slot 6, number 1-4
    SUMMER_W_PASS = SUMMER_W_KEEP + 24     # pass
    SUMMER_POLICY = SUMMER_W_PASS + 1

    # Evaluation between rounds, per seat.
    SUMMER_E_STAR = 0                         # coloured: site 7, filled 0-6; grey: see star_feature
    SUMMER_E_NUMBER = SUMMER_E_STAR + 49      # number 1-4, spaces filled 0-7 (grey 3s: halved)
    SUMMER_E_FEATURE = SUMMER_E_NUMBER + 32   # kind 3, spaces missing 0-4 (added once per feature)
    # kept tiles of the coming wild colour 0-4
    SUMMER_E_KEPT_WILD = SUMMER_E_FEATURE + 15
    SUMMER_E_KEPT = SUMMER_E_KEPT_WILD + 5    # kept tiles 0-4
    SUMMER_E_KEPT_FIT = SUMMER_E_KEPT + 5     # per kept tile: filled in its star 0-6
    SUMMER_E_STARTER = SUMMER_E_KEPT_FIT + 7  # starts the coming round
    SUMMER_E_CONSTANT = SUMMER_E_STARTER + 1
    SUMMER_EVALUATION = SUMMER_E_CONSTANT + 1

    SUMMER_VARIANTS = 6  # 3 * grey + players - 2

cdef extern from "summer_weights.h" nogil:
    const int16_t[SUMMER_VARIANTS][SUMMER_LINEAR] SUMMER_POLICY_WEIGHTS
    # The first guess, written by hand: agent `greedy`.
    const int16_t[SUMMER_LINEAR] SUMMER_HAND_WEIGHTS
    const int16_t[SUMMER_VARIANTS][5][SUMMER_EVALUATION] SUMMER_EVAL_WEIGHTS
    const int16_t[SUMMER_VARIANTS][5] SUMMER_WIN_SCALES   # [round - 1] points per logit of winning
    const uint64_t[128] SPREAD                  # byte s of SPREAD[row]: bit s of row

ctypedef struct SummerView:
    # Data shared by the features of all moves of a position.
    const SummerState* st
    const SummerSeat* seat
    const int16_t* weights
    bint wide               # whether the wide features count
    int last                # 1 in round 6
    int next_wild           # colour, 6 in round 6
    int hand_size
    uint64_t filled         # byte s: filled spaces of star s
    uint8_t[8] fit          # by colour: filled spaces of the star it builds
    uint8_t[8] rival_fit    # the same for the next player; phase SUMMER_DRAFT only
    uint8_t[8] numbers      # [number]: its filled spaces; phase SUMMER_PLACE only
    uint8_t[18] missing     # spaces that features lack; phase SUMMER_PLACE only


cdef inline int summer_variant(const SummerState* st) noexcept nogil:
    return 3 * st.grey + st.players - 2


cdef inline int slot_of(const SummerState* st, int colour) noexcept nogil:
    """Number of rounds until a colour is wild, 0 now; past colours fill the last slots."""
    cdef int slot = SUMMER_WILD_INDEX[colour] - (st.round - 1)
    return slot if slot >= 0 else slot + 6


cdef inline uint64_t filled_spaces(uint64_t board) noexcept nogil:
    """Byte s: the number of filled spaces of star s."""
    return (SPREAD[board & 127] + SPREAD[board >> 8 & 127] + SPREAD[board >> 16 & 127]
            + SPREAD[board >> 24 & 127] + SPREAD[board >> 32 & 127] + SPREAD[board >> 40 & 127])


cdef inline int byte_at(uint64_t bytes_, int index) noexcept nogil:
    return <int> (bytes_ >> (8 * index)) & 0xFF


cdef inline void colour_fit(const SummerState* st, const SummerSeat* seat, uint64_t filled,
                            uint8_t* fit) noexcept nogil:
    """Filled spaces of the star that a colour builds: its own, or the fullest of one colour."""
    cdef int s, c, colours
    if not st.grey:
        for c in range(6):
            fit[c] = <uint8_t> byte_at(filled, c)
        return
    for c in range(6):
        fit[c] = 0
    for s in range(7):
        colours = <int> (seat.colours >> (8 * s)) & 63
        if colours and colours & (colours - 1) == 0:
            c = lowest_bit(<uint64_t> colours)
            if byte_at(filled, s) > fit[c] and byte_at(filled, s) < 6:
                fit[c] = <uint8_t> byte_at(filled, s)


cdef inline void summer_look(SummerView* view, const SummerState* st) noexcept nogil:
    cdef const SummerSeat* rival = &st.seats[next_seat(st.mover, st.players)]
    cdef int number
    view.st = st
    view.seat = &st.seats[st.mover]
    view.weights = SUMMER_POLICY_WEIGHTS[summer_variant(st)]
    view.wide = False
    view.last = st.round == SUMMER_LAST_ROUND
    view.next_wild = 6 if view.last else SUMMER_WILD_ORDER[st.round]
    view.hand_size = total(view.seat.hand)
    view.filled = filled_spaces(view.seat.board)
    colour_fit(st, view.seat, view.filled, view.fit)
    if st.phase == SUMMER_DRAFT:
        colour_fit(st, rival, filled_spaces(rival.board), view.rival_fit)
    elif st.phase == SUMMER_PLACE:
        for number in range(1, 5):
            view.numbers[number] = <uint8_t> popcount64(view.seat.board
                                                        & number_spaces(st, number))
        for number in range(18):
            view.missing[number] = <uint8_t> popcount64(FEATURES[number] & ~view.seat.board)


cdef inline void wide_draft_features(const SummerView* view, int source, int colour, int own,
                                     int wild, uint64_t moved, Tally* out) noexcept nogil:
    """moved: the tiles that stay in the centre, or are moved there."""
    cdef const SummerState* st = view.st
    cdef int c, slot = slot_of(st, colour)
    add(out, SUMMER_W_COUNT + 8 * slot + at_most(own, 7))
    add(out, SUMMER_W_WILD + 2 * slot + wild)
    if source == CENTRE:
        add(out, SUMMER_W_CENTRE + 2 * slot + (st.token == NOBODY))
        return
    for c in range(6):
        if lane(moved, c):
            add(out, SUMMER_W_PUSH + 3 * slot_of(st, c) + at_most(lane(moved, c), 3) - 1)


cdef inline void draft_features(const SummerView* view, int source, int colour,
                                Tally* out) noexcept nogil:
    cdef const SummerState* st = view.st
    cdef uint64_t tiles = st.centre if source == CENTRE else unfold(st.displays[source])
    cdef int wild = 1 if lane(tiles, st.wild) else 0
    cdef int own = 0 if colour == st.wild else lane(tiles, colour)
    cdef int taken = own + wild
    cdef int after = lane(view.seat.hand, colour) + (own if own else 1)
    add(out, SUMMER_D_TAKE + 16 * view.last + 2 * at_most(own, 7) + wild)
    add(out, SUMMER_D_FIT + 8 * view.fit[colour] + at_most(after, 8) - 1)
    add(out, SUMMER_D_COLOUR + 6 * colour + st.round - 1)
    add(out, SUMMER_D_RIVAL + 2 * view.rival_fit[colour] + (own >= 2))
    if source == CENTRE:
        add(out, SUMMER_D_REST + 4)
        if st.token == NOBODY:
            add(out, SUMMER_D_TOKEN + 8 * view.last + at_most(taken, 8) - 1)
    else:
        add(out, SUMMER_D_REST + total(tiles) - taken)
    if colour == view.next_wild:
        add(out, SUMMER_D_NEXT + at_most(own, 4) - 1)
    if view.wide:
        wide_draft_features(view, source, colour, own, wild, tiles - own * one_tile(colour)
                            - wild * one_tile(st.wild), out)


cdef inline int number_class(const SummerState* st, int number, int count) noexcept nogil:
    """Filled spaces of a number, 0-7: the twelve 3s of the grey side count half, rounded up."""
    return (count + 1) // 2 if st.grey and number == 3 else count


cdef inline int feature_class(int feature_tiles, uint64_t mask, uint64_t board) noexcept nogil:
    """Index within SUMMER_E_FEATURE: kind of feature (1-3 bonus tiles) and spaces missing."""
    return 5 * (feature_tiles - 1) + popcount64(mask & ~board)


# Features of a placement in three parts, so that a rollout can sum the first two once per turn.

cdef inline void site_features(const SummerView* view, int site, Tally* out) noexcept nogil:
    """Add features of the star alone."""
    add(out, SUMMER_P_STAR + 12 * view.last + 6 * (site == 6) + byte_at(view.filled, site))
    if not view.st.grey:
        add(out, SUMMER_P_SITE + 6 * site + view.st.round - 1)


cdef inline void payment_features(const SummerView* view, int cost, int wilds,
                                  Tally* out) noexcept nogil:
    """Add features of the printed number and the payment alone."""
    add(out, SUMMER_P_WILD + 36 * view.last + 6 * wilds + cost - 1)
    add(out, SUMMER_P_LEFT + 9 * view.last + at_most(view.hand_size - cost, 8))
    if cost <= 4:
        add(out, SUMMER_P_NUMBER + 28 * view.last + 7 * (cost - 1)
            + number_class(view.st, cost, view.numbers[cost] + 1) - 1)


cdef inline void space_features(const SummerView* view, int space, int colour, int cost, int wilds,
                                Tally* out) noexcept nogil:
    """Add the other features: points, surrounded features, the colour."""
    cdef const SummerState* st = view.st
    cdef const SummerSeat* seat = view.seat
    cdef int site = space & 7
    cdef int points = CHAIN[star_pattern(seat.board | <uint64_t> 1 << space, site)][space >> 3]
    cdef int filled = byte_at(view.filled, site)
    cdef int i, missing, colours, due = 0
    add(out, SUMMER_P_POINTS + 6 * (cost - 1) + points - 1)
    for i in range(2):
        if FEATURE_TILES[space][i]:
            missing = view.missing[FEATURE_INDEX[space][i]] - 1
            add(out, SUMMER_P_FEATURE + 12 * view.last + 4 * (FEATURE_TILES[space][i] - 1)
                + missing)
            if missing == 0:
                due += FEATURE_TILES[space][i]
    add(out, SUMMER_P_DUE + 4 * view.last + due)
    if colour == view.next_wild:
        add(out, SUMMER_P_NEXT + cost - wilds - 1)
    if view.wide:
        add(out, SUMMER_W_SPACE + space)
        add(out, SUMMER_W_COST + 36 * (site == 6) + 6 * slot_of(st, colour) + cost - 1)
        add(out, SUMMER_W_PAID + 6 * slot_of(st, colour) + wilds)
    if st.grey:
        colours = (<int> (seat.colours >> (8 * site)) & 63) | 1 << colour
        add(out, SUMMER_P_SITE + 6 * colour + st.round - 1)
        add(out, SUMMER_P_GREY + filled + (0 if filled == 0 else
                                           6 if colours & (colours - 1) == 0 else 12))


cdef inline void place_features(const SummerView* view, int space, int colour, int cost, int wilds,
                                Tally* out) noexcept nogil:
    site_features(view, space & 7, out)
    payment_features(view, cost, wilds, out)
    space_features(view, space, colour, cost, wilds, out)


cdef inline void bonus_features(const SummerView* view, uint64_t tiles, Tally* out) noexcept nogil:
    cdef int c, i, n, kind
    for c in range(6):
        n = lane(tiles, c)
        kind = (0 if c == view.st.wild else 1 if c == view.next_wild else 2 + view.fit[c])
        for i in range(n):
            add(out, SUMMER_B_TILE + 54 * view.last + 6 * kind
                + at_most(lane(view.seat.hand, c) + i + 1, 6) - 1)
            if view.wide:
                add(out, SUMMER_W_BONUS + 7 * slot_of(view.st, c)
                    + at_most(lane(view.seat.hand, c) + i + 1, 7) - 1)


cdef inline int keep_feature(const SummerView* view, int colour, int number) noexcept nogil:
    """The feature of keeping the tile with this number (0-3) of a colour."""
    return SUMMER_S_KEEP + 4 * (0 if colour == view.next_wild else 1 + view.fit[colour]) + number


cdef inline void keep_features(const SummerView* view, uint64_t kept, Tally* out) noexcept nogil:
    cdef int c, i
    for c in range(6):
        for i in range(lane(kept, c)):
            add(out, keep_feature(view, c, i))
            if view.wide:
                add(out, SUMMER_W_KEEP + 4 * slot_of(view.st, c) + i)


cdef inline int option_class(int options) noexcept nogil:
    """0, 1, 2, 3-4, 5-8 or more placements (space and colour; payments not counted apart)."""
    if options <= 2:
        return options
    return 3 if options <= 4 else 4 if options <= 8 else 5


cdef inline void pass_features(const SummerView* view, uint64_t kept, int options,
                               Tally* out) noexcept nogil:
    add(out, SUMMER_S_LOSS + 9 * view.last + at_most(view.hand_size - total(kept), 8))
    add(out, SUMMER_S_OPTIONS + 9 * option_class(options) + at_most(view.hand_size, 8))
    keep_features(view, kept, out)
    if view.wide:
        add(out, SUMMER_W_PASS)


cdef inline void summer_move_features(const SummerView* view, uint32_t move, int options,
                                      Tally* out) noexcept nogil:
    """Features of a legal move; `options` is summer_option_count() in phase SUMMER_PLACE."""
    cdef int kind = move & 7
    cdef int cost
    if kind == SUMMER_MOVE_DRAFT:
        draft_features(view, (move >> 3) & 15, (move >> 7) & 7, out)
    elif kind == SUMMER_MOVE_PLACE:
        cost = space_cost(view.st, (move >> 3) & 63)
        place_features(view, (move >> 3) & 63, (move >> 9) & 7, cost, cost - ((move >> 12) & 7),
                       out)
    elif kind == SUMMER_MOVE_BONUS:
        bonus_features(view, unfold(move >> 3), out)
    else:
        pass_features(view, unfold(move >> 3), options, out)


cdef inline int summer_move_logit(const SummerView* view, uint32_t move,
                                  int options) noexcept nogil:
    """The policy's logit of a legal move, in 1/256."""
    cdef Tally sum_ = tally(view.weights, NULL)
    summer_move_features(view, move, options, &sum_)
    return sum_.sum


# ------------------------------------------------------------------------- between two rounds

cdef inline int star_feature(const SummerState* st, const SummerSeat* seat, int site,
                             int filled) noexcept nogil:
    """Index within SUMMER_E_STAR. Grey: filled 0-1; one colour 2-6 by colour; mixed 2-6."""
    cdef int colours
    if not st.grey:
        return 7 * site + filled
    if filled < 2:
        return filled
    colours = <int> (seat.colours >> (8 * site)) & 63
    if colours & (colours - 1) == 0:
        return 2 + 5 * lowest_bit(<uint64_t> colours) + filled - 2
    return 32 + filled - 2


cdef inline void summer_seat_features(const SummerState* st, int index, Tally* out) noexcept nogil:
    """Evaluation features of a seat between rounds, when the coming round is st.round."""
    cdef const SummerSeat* seat = &st.seats[index]
    cdef uint64_t filled = filled_spaces(seat.board)
    cdef uint8_t[8] fit
    cdef int i, _i, c, kept
    for i in range(7):
        add(out, SUMMER_E_STAR + star_feature(st, seat, i, byte_at(filled, i)))
    for i in range(1, 5):
        add(out, SUMMER_E_NUMBER + 8 * (i - 1) + number_class(
            st, i, popcount64(seat.board & number_spaces(st, i))))
    for i in range(18):
        add(out, SUMMER_E_FEATURE + feature_class(i // 6 + 1, FEATURES[i], seat.board))
    kept = at_most(total(seat.hand), 4)
    add(out, SUMMER_E_KEPT_WILD + at_most(lane(seat.hand, st.wild), 4))
    add(out, SUMMER_E_KEPT + kept)
    colour_fit(st, seat, filled, fit)
    for c in range(6):
        for _i in range(at_most(lane(seat.hand, c), 4)):
            if c != st.wild:
                add(out, SUMMER_E_KEPT_FIT + fit[c])
    if index == st.start_seat:
        add(out, SUMMER_E_STARTER)
    add(out, SUMMER_E_CONSTANT)


cdef inline void summer_evaluate(const SummerState* st, double* scores,
                                 double* scale) noexcept nogil:
    """Expected final scores by seat, in points; scale: points per logit of winning (0 when over).

    The state is between rounds (SUMMER_DEAL) or over.
    """
    cdef Tally gain
    cdef int s
    for s in range(st.players):
        scores[s] = st.seats[s].score
    scale[0] = 0
    if st.phase == SUMMER_OVER:
        return
    scale[0] = SUMMER_WIN_SCALES[summer_variant(st)][st.round - 2] * (1.0 / 64)
    for s in range(st.players):
        gain = tally(SUMMER_EVAL_WEIGHTS[summer_variant(st)][st.round - 2], NULL)
        summer_seat_features(st, s, &gain)
        scores[s] += gain.sum * (1.0 / 64)
