# The numbered actions of Azul: Summer Pavilion and what a viewer sees, as flat arrays for learners.
#
# Both are described in docs/environments.md, and the numbering never changes within a major
# version. Blocks of actions: drafts, placements, bonus tiles, passes. Colours are in wild order.

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from pavilion_ai._c.bag cimport CENTRE, NOBODY, NO_MOVE, SPLIT_KNOWN
from pavilion_ai._c.bits cimport lowest_bit
from pavilion_ai._c.summer cimport (
    COST, SUMMER_BONUS, SUMMER_DEAL, SUMMER_DRAFT, SUMMER_LAST_ROUND, SUMMER_MOVE_BONUS,
    SUMMER_MOVE_DRAFT, SUMMER_MOVE_PASS, SUMMER_MOVE_PLACE, SUMMER_OVER, SUMMER_PLACE,
    SUMMER_SUPPLY, SUMMER_WILD_INDEX, SUMMER_WILD_ORDER, SummerSeat, SummerState, space_cost,
)
from pavilion_ai._c.summer_moves cimport (
    PlacementCursor, SummerPlacements, find_placements, next_placement, placement_set,
    summer_place_move,
)
from pavilion_ai._c.tiles cimport contains, fold, lane, total, unfold

cdef extern from "summer_actions.h" nogil:
    const int SUMMER_MULTISETS
    const uint32_t NIBBLES_HIGH
    const uint64_t[210] SUMMER_MULTISET
    const uint32_t[210] SUMMER_MULTISET_NIBBLES
    const uint8_t[15625] SUMMER_MULTISET_RANK
    const uint16_t[6] SUMMER_MULTISET_FIRST
    const uint8_t[21] SUMMER_PAIR_NUMBER
    const uint8_t[7] SUMMER_PAIR_FIRST
    void summer_actions_init() noexcept

cdef enum:
    SUMMER_ACTIONS_COLOURED = 252  # placements: seven groups of 21 pairs of number and own tiles
    SUMMER_ACTIONS_GREY = 864      # six sites of six colours of 21 pairs; the centre, 6 * 6 * 3
    SUMMER_ACTIONS_BONUS = 83      # multisets of one to three tiles
    SUMMER_TOP_SCORE = 330         # D3; positions from elsewhere may have more


cdef inline int summer_drafts_end(int players) noexcept nogil:
    """The first action after the drafts: displays and centre, six colours each."""
    return 6 * (2 * players + 2)


cdef inline int summer_action_count(int players, bint grey) noexcept nogil:
    return (summer_drafts_end(players)
            + (SUMMER_ACTIONS_GREY if grey else SUMMER_ACTIONS_COLOURED)
            + SUMMER_ACTIONS_BONUS + SUMMER_MULTISETS)


cdef inline int multiset_rank(uint64_t tiles) noexcept nogil:
    """The number of a multiset of at most four tiles."""
    return SUMMER_MULTISET_RANK[
        lane(tiles, 0) + 5 * lane(tiles, 1) + 25 * lane(tiles, 2) + 125 * lane(tiles, 3)
        + 625 * lane(tiles, 4) + 3125 * lane(tiles, 5)]


cdef inline int payment_action(bint grey, int site, int colour, int cost, int own) noexcept nogil:
    """The number of a placement within its block; not for the grey side's centre."""
    cdef int group = SUMMER_WILD_INDEX[colour]
    if grey:
        group += 6 * site
    else:
        group = group + 6 if site == 6 else site
    return 21 * group + SUMMER_PAIR_FIRST[cost] + own - 1


cdef inline int grey_centre_action(int position, int colour, int own) noexcept nogil:
    """The same for the grey side's centre; positions from 0."""
    return 756 + 18 * position + 3 * SUMMER_WILD_INDEX[colour] + own - 1


cdef inline int placement_action(bint grey, int space, int colour, int own) noexcept nogil:
    """The number of a placement within its block."""
    cdef int site = space & 7, position = space >> 3
    if grey and site == 6:
        return grey_centre_action(position, colour, own)
    return payment_action(grey, site, colour, COST[grey][site == 6][position], own)


cdef inline uint32_t placement_of(bint grey, int number) noexcept nogil:
    """The inverse of placement_action()."""
    cdef int pair, cost, own, group, position
    if grey and number >= 756:
        number -= 756
        return summer_place_move(8 * (number // 18) + 6, SUMMER_WILD_ORDER[number % 18 // 3],
                                 number % 3 + 1)
    group = number // 21
    pair = number % 21
    cost = SUMMER_PAIR_NUMBER[pair]
    own = pair - SUMMER_PAIR_FIRST[cost] + 1
    position = 4 - cost if grey and cost <= 3 else cost
    if grey:
        return summer_place_move(8 * (position - 1) + group // 6, SUMMER_WILD_ORDER[group % 6], own)
    if group < 6:
        return summer_place_move(8 * (position - 1) + group, group, own)
    return summer_place_move(8 * (position - 1) + 6, SUMMER_WILD_ORDER[group - 6], own)


cdef inline int summer_action(const SummerState* st, uint32_t move) noexcept nogil:
    """The action of a legal move."""
    cdef int kind = move & 7, source, base = summer_drafts_end(st.players)
    if kind == SUMMER_MOVE_DRAFT:
        source = (move >> 3) & 15
        if source == CENTRE:
            source = 2 * st.players + 1
        return 6 * source + SUMMER_WILD_INDEX[(move >> 7) & 7]
    if kind == SUMMER_MOVE_PLACE:
        return base + placement_action(st.grey, (move >> 3) & 63, (move >> 9) & 7, (move >> 12) & 7)
    base += SUMMER_ACTIONS_GREY if st.grey else SUMMER_ACTIONS_COLOURED
    if kind == SUMMER_MOVE_BONUS:
        return base + multiset_rank(unfold(move >> 3)) - 1
    return base + SUMMER_ACTIONS_BONUS + multiset_rank(unfold(move >> 3))


cdef inline bint placement_allowed(const SummerState* st, uint32_t move) noexcept nogil:
    cdef const SummerSeat* seat = &st.seats[st.mover]
    cdef SummerPlacements found
    cdef int space = (move >> 3) & 63, colour = (move >> 9) & 7, own = (move >> 12) & 7
    cdef int site = space & 7, cost = space_cost(st, space), wilds = cost - own
    if wilds < 0 or seat.board >> space & 1:
        return False
    find_placements(st, seat, &found)
    if wilds >= found.levels:
        return False
    if not st.grey and site < 6:
        site = 0
    return placement_set(&found, site, wilds) >> (
        space if site == 0 and not st.grey else 8 * (cost - 1) + colour) & 1


cdef inline uint32_t summer_action_move(const SummerState* st, int action) noexcept nogil:
    """The move of an action, NO_MOVE if it is not legal here."""
    cdef int base = summer_drafts_end(st.players), source
    cdef int end = base + (SUMMER_ACTIONS_GREY if st.grey else SUMMER_ACTIONS_COLOURED)
    cdef uint32_t move = NO_MOVE
    cdef uint64_t tiles
    if action < 0:
        return NO_MOVE
    if action < base:
        source = action // 6
        if source == 2 * st.players + 1:
            source = CENTRE
        move = SUMMER_WILD_ORDER[action % 6]
        if st.phase != SUMMER_DRAFT or not st.drafts >> (6 * source + <int> move) & 1:
            return NO_MOVE
        return SUMMER_MOVE_DRAFT | <uint32_t> source << 3 | move << 7
    if action < end:
        if st.phase != SUMMER_PLACE:
            return NO_MOVE
        move = placement_of(st.grey, action - base)
        return move if placement_allowed(st, move) else NO_MOVE
    action -= end
    if action < SUMMER_ACTIONS_BONUS:
        tiles = SUMMER_MULTISET[action + 1]
        if (st.phase != SUMMER_BONUS or total(tiles) != st.bonus_due
                or not contains(st.supply, tiles)):
            return NO_MOVE
        return SUMMER_MOVE_BONUS | fold(tiles) << 3
    action -= SUMMER_ACTIONS_BONUS
    if action >= SUMMER_MULTISETS or st.phase != SUMMER_PLACE:
        return NO_MOVE
    tiles = SUMMER_MULTISET[action]
    if (st.round == SUMMER_LAST_ROUND and tiles) or not contains(st.seats[st.mover].hand, tiles):
        return NO_MOVE
    return SUMMER_MOVE_PASS | fold(tiles) << 3


# ------------------------------------------------------------------------------------ the mask

cdef inline void mask_multisets(uint64_t tiles, int first, int end, uint8_t* out) noexcept nogil:
    """Whether `tiles` contains each multiset from `first` to before `end`; out[0] is the first."""
    cdef uint32_t nibbles = NIBBLES_HIGH
    cdef int c, i
    for c in range(6):
        nibbles += <uint32_t> (lane(tiles, c) if lane(tiles, c) < 7 else 7) << (4 * c)
    for i in range(end - first):
        out[i] = (nibbles - SUMMER_MULTISET_NIBBLES[first + i]) & NIBBLES_HIGH == NIBBLES_HIGH


cdef inline void mask_placements(const SummerState* st, uint8_t* out) noexcept nogil:
    cdef const SummerSeat* seat = &st.seats[st.mover]
    cdef SummerPlacements found
    cdef PlacementCursor at = PlacementCursor(q=-1, group=6, bit=0, bits=0)
    cdef int colour, cost, position
    find_placements(st, seat, &found)
    while next_placement(st.grey, &found, &at):
        colour = at.bit & 7
        cost = (at.bit >> 3) + 1
        if not st.grey:
            out[payment_action(False, 6 if at.group == 6 else colour, colour, cost,
                               cost - at.q)] = 1
        elif at.group < 6:
            out[payment_action(True, at.group, colour, cost, cost - at.q)] = 1
        else:
            for position in range(6):
                out[grey_centre_action(position, colour, cost - at.q)] = (
                    ~seat.board >> (8 * position + 6) & 1)


cdef inline void summer_mask(const SummerState* st, uint8_t* out) noexcept nogil:
    """One byte for each action, 1 for a legal one."""
    cdef int base = summer_drafts_end(st.players), bit
    cdef int end = base + (SUMMER_ACTIONS_GREY if st.grey else SUMMER_ACTIONS_COLOURED)
    cdef uint64_t bits
    memset(out, 0, summer_action_count(st.players, st.grey))
    if st.phase == SUMMER_DRAFT:
        bits = st.drafts
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - 1
            out[6 * (bit // 6 if bit < 6 * CENTRE else 2 * st.players + 1)
                + SUMMER_WILD_INDEX[bit % 6]] = 1
    elif st.phase == SUMMER_PLACE:
        mask_placements(st, out + base)
        mask_multisets(
            st.seats[st.mover].hand, 0, 1 if st.round == SUMMER_LAST_ROUND else SUMMER_MULTISETS,
            out + end + SUMMER_ACTIONS_BONUS)
    elif st.phase == SUMMER_BONUS:
        bit = SUMMER_MULTISET_FIRST[st.bonus_due]
        mask_multisets(st.supply, bit, SUMMER_MULTISET_FIRST[st.bonus_due + 1], out + end + bit - 1)


# ----------------------------------------------------------------------------- the observation

cdef inline int summer_observation_size(int players) noexcept nogil:
    return 46 + 113 * players


cdef inline int16_t* put_lanes(int16_t* out, uint64_t tiles) noexcept nogil:
    cdef int i
    for i in range(6):
        out[i] = <int16_t> lane(tiles, SUMMER_WILD_ORDER[i])
    return out + 6


cdef inline int16_t* put_one_hot(int16_t* out, int size, int index) noexcept nogil:
    """One-hot of a number, all zero for an index below 0; `out` holds zeros."""
    if index >= 0:
        out[index] = 1
    return out + size


cdef inline int16_t* put_summer_seat(const SummerState* st, int index, int16_t* out) noexcept nogil:
    cdef const SummerSeat* seat = &st.seats[index]
    cdef bint passed = st.phase == SUMMER_OVER or st.passed >> index & 1
    cdef uint64_t bits = seat.board
    cdef int bit
    out[0] = <int16_t> (seat.score if seat.score < SUMMER_TOP_SCORE else SUMMER_TOP_SCORE)
    put_lanes(out + 1, 0 if passed else seat.hand)
    put_lanes(out + 7, seat.hand if passed else 0)
    out[13] = passed
    out += 14
    while bits:
        bit = lowest_bit(bits)
        bits &= bits - 1
        out[6 * (bit & 7) + (bit >> 3)] = 1
        if not st.grey and bit & 7 < 6:
            out[42 + 6 * (bit & 7) + SUMMER_WILD_INDEX[bit & 7]] = 1
    bits = seat.colours
    while bits:
        bit = lowest_bit(bits)
        bits &= bits - 1
        out[42 + 6 * (bit >> 3) + SUMMER_WILD_INDEX[bit & 7]] = 1
    return out + 84


cdef inline void summer_observe(const SummerState* st, int viewer, int16_t* out) noexcept nogil:
    """The position as counts; seats relative to the viewer, clockwise (_SUMMER_PARTS)."""
    cdef int n = st.players, s, d
    memset(out, 0, summer_observation_size(n) * sizeof(int16_t))
    out = put_one_hot(out, 6, st.phase)
    out = put_one_hot(out, 6, st.round - 1)
    out = put_one_hot(out, n, -1 if st.mover == NOBODY or st.phase == SUMMER_DEAL
                      or st.phase == SUMMER_SUPPLY else (st.mover + n - viewer) % n)
    out = put_one_hot(out, n, (st.start_seat + n - viewer) % n)
    out = put_one_hot(out, n + 1, 0 if st.token == NOBODY else 1 + (st.token + n - viewer) % n)
    out[0] = st.bonus_due
    out += 1
    for d in range(2 * n + 1):
        out = put_lanes(out, unfold(st.displays[d]))
    out = put_lanes(out, st.centre)
    out = put_lanes(out, st.supply)
    if st.hidden == SPLIT_KNOWN:
        out = put_lanes(put_lanes(out, st.bag), st.tower)
        out[0] = <int16_t> total(st.bag)
        out[1] = 1
    else:
        out = put_lanes(out, st.bag + st.tower) + 6
        out[0] = st.hidden
    out += 2
    for s in range(n):
        out = put_summer_seat(st, (viewer + s) % n, out)
