# Rollouts of the search of Azul: Summer Pavilion, and the moves considered in its tree: both from
# the linear policy of summer_features.pxd.

from libc.stdint cimport int16_t, uint32_t, uint64_t
from pavilion_ai._c.bits cimport lowest_bit, popcount64
from pavilion_ai._c.linear cimport NO_LOGIT, Tally, at_most, next_noise, tally
from pavilion_ai._c.net cimport Net, net_policy_table
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.summer cimport (
    SUMMER_BONUS, SUMMER_DRAFT, SUMMER_KEEP_LIMIT, SUMMER_MOVE_BONUS, SUMMER_MOVE_PASS,
    SUMMER_PLACE, SummerState,
)
from pavilion_ai._c.summer_features cimport (
    SUMMER_B_TILE, SUMMER_D_TAKE, SUMMER_HAND_WEIGHTS, SUMMER_LINEAR, SUMMER_POLICY,
    SUMMER_P_POINTS, SUMMER_S_LOSS, SUMMER_W_BONUS, SUMMER_W_COUNT, SUMMER_W_KEEP, SUMMER_W_SPACE,
    SummerView, keep_feature, keep_features, payment_features, site_features, space_features,
    summer_look, summer_move_logit,
)
from pavilion_ai._c.summer_moves cimport (
    SummerPlacements, draft_move, find_placements, list_subsets, placement_set, set_bit_to_move,
    set_bit_to_space, summer_moves,
)
from pavilion_ai._c.tiles cimport LANES_1, fold, lane, one_tile

cdef enum:
    SUMMER_KEEPS_SEARCHED = 4  # keep-subsets of a pass that the search considers

ctypedef struct SummerKeeps:
    # The best keep-subsets found so far, and data of each colour.
    int count
    int[SUMMER_KEEPS_SEARCHED] logits
    uint64_t[SUMMER_KEEPS_SEARCHED] tiles
    int[6] have             # tiles in hand
    int[6] later            # those of later colours
    int[6][SUMMER_KEEP_LIMIT + 1] worth    # logit of keeping so many


cdef inline int place_choices(const SummerPlacements* found, bint grey,
                              uint64_t* cheapest) noexcept nogil:
    """Split the placements by the fewest wild tiles they can be paid with.

    cheapest[7 * q + group]: those of placement_set(found, group, q) that need at least q wilds.
    Returns the number of (space, colour) pairs.
    """
    cdef int group = 0, q, count = 0
    cdef uint64_t seen, bits
    while group < 7:
        seen = 0
        for q in range(found.levels):
            bits = placement_set(found, group, q) & ~seen
            seen |= bits
            cheapest[7 * q + group] = bits
        count += popcount64(seen)
        group += 1 if grey else 6
    return count


cdef inline int summer_option_count(const SummerState* st) noexcept nogil:
    """(space, colour) pairs the mover can pay for; all centre spaces of the grey side as one."""
    cdef SummerPlacements found
    cdef uint64_t[42] cheapest
    find_placements(st, &st.seats[st.mover], &found)
    return place_choices(&found, st.grey, cheapest)


cdef inline uint64_t best_keep(const SummerView* view) noexcept nogil:
    """The four tiles (or all, if fewer) with the highest keep weights, picked one by one."""
    cdef uint64_t kept = 0
    cdef int[6] have
    cdef int c, _i, weight, best, best_weight
    if view.last:
        return 0
    if view.hand_size <= SUMMER_KEEP_LIMIT:
        return view.seat.hand
    for c in range(6):
        have[c] = 0
    for _i in range(SUMMER_KEEP_LIMIT):
        best = -1
        best_weight = 0
        for c in range(6):
            if have[c] >= lane(view.seat.hand, c):
                continue
            weight = view.weights[keep_feature(view, c, have[c])]
            if best < 0 or weight > best_weight:
                best = c
                best_weight = weight
        have[best] += 1
        kept += one_tile(best)
    return kept


# ------------------------------------------------------------------- playouts and search moves

cdef inline uint32_t better(const SummerView* view, uint32_t move, int options, int noise,
                            int* best_logit, uint32_t best) noexcept nogil:
    """`move` if its logit plus noise beats best_logit, else `best`."""
    cdef int logit = summer_move_logit(view, move, options) + noise
    if logit > best_logit[0]:
        best_logit[0] = logit
        return move
    return best


cdef inline uint32_t summer_policy_move(const SummerState* st, Xoshiro* rng,
                                        bint by_hand) noexcept nogil:
    """A move drawn from the policy (rng NULL: its most likely one), for rollouts.

    by_hand: take the hand-written weights instead of the fitted ones.

    Only the payment with the fewest wilds is considered for each placement, and only the best keep.
    """
    cdef SummerView view
    cdef SummerPlacements found
    cdef uint64_t[42] cheapest
    cdef uint32_t[64] moves
    cdef uint64_t bits, random = 0
    cdef int bit, group, q, i, n, options, space
    cdef int best_logit = NO_LOGIT
    cdef uint32_t move, best = 0
    cdef Tally part
    cdef int[7] by_site
    cdef int[7] by_cost
    if st.phase == SUMMER_DRAFT and st.drafts & (st.drafts - 1) == 0:
        return draft_move(lowest_bit(st.drafts))
    summer_look(&view, st)
    if by_hand:
        view.weights = SUMMER_HAND_WEIGHTS
    if st.phase == SUMMER_DRAFT:
        bits = st.drafts
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - 1
            move = draft_move(bit)
            best = better(&view, move, 0, next_noise(rng, &random),
                          &best_logit, best)
        return best
    if st.phase == SUMMER_BONUS:
        n = list_subsets(st.supply, st.bonus_due, SUMMER_MOVE_BONUS, moves)
        for i in range(n):
            best = better(&view, moves[i], 0, next_noise(rng, &random),
                          &best_logit, best)
        return best
    find_placements(st, view.seat, &found)
    move = SUMMER_MOVE_PASS | fold(best_keep(&view)) << 3
    options = place_choices(&found, st.grey, cheapest)
    if options == 0:
        return move
    best = better(&view, move, options, next_noise(rng, &random), &best_logit,
                  best)
    for i in range(7):
        part = tally(view.weights, NULL)
        site_features(&view, i, &part)
        by_site[i] = part.sum
    for q in range(found.levels):
        for i in range(q + 1, 7):
            part = tally(view.weights, NULL)
            payment_features(&view, i, q, &part)
            by_cost[i] = part.sum
        group = 0
        while group < 7:
            bits = cheapest[7 * q + group]
            while bits:
                bit = lowest_bit(bits)
                bits &= bits - 1
                for i in range(found.centre_free if group == 6 else 1):
                    space = set_bit_to_space(st, view.seat, group, bit, i)
                    part = tally(view.weights, NULL)
                    space_features(&view, space, bit & 7, (bit >> 3) + 1, q, &part)
                    part.sum += by_site[space & 7] + by_cost[(bit >> 3) + 1]
                    part.sum += next_noise(rng, &random)
                    if part.sum > best_logit:
                        best_logit = part.sum
                        best = set_bit_to_move(st, view.seat, group, q, bit, i)
            group += 1 if st.grey else 6
    return best


cdef inline int search_placements(const SummerState* st, const SummerView* view,
                                  const SummerPlacements* found, uint32_t* out) noexcept nogil:
    """Placements without dominated payments: fewest wilds, one more, and the most."""
    cdef int group = 0, q, bit, i, least, most, n = 0
    cdef uint64_t any_level, one
    while group < 7:
        any_level = 0
        for q in range(found.levels):
            any_level |= placement_set(found, group, q)
        while any_level:
            one = any_level & (0 - any_level)
            bit = lowest_bit(one)
            any_level &= any_level - 1
            least = most = -1
            for q in range(found.levels):
                if placement_set(found, group, q) & one:
                    if least < 0:
                        least = q
                    most = q
            for q in range(least, most + 1):
                if q == least or q == least + 1 or q == most:
                    for i in range(found.centre_free if group == 6 else 1):
                        out[n] = set_bit_to_move(st, view.seat, group, q, bit, i)
                        n += 1
        group += 1 if st.grey else 6
    return n


cdef inline void find_keeps(SummerKeeps* keeps, int colour, int left, int logit,
                            uint64_t kept) noexcept nogil:
    """Go through the ways to keep `left` more tiles, of `colour` and later ones; note the best."""
    cdef int i, n
    if left == 0:
        i = at_most(keeps.count, SUMMER_KEEPS_SEARCHED - 1)
        if keeps.count == SUMMER_KEEPS_SEARCHED and logit <= keeps.logits[i]:
            return
        while i and keeps.logits[i - 1] < logit:
            keeps.logits[i] = keeps.logits[i - 1]
            keeps.tiles[i] = keeps.tiles[i - 1]
            i -= 1
        keeps.logits[i] = logit
        keeps.tiles[i] = kept
        keeps.count = at_most(keeps.count + 1, SUMMER_KEEPS_SEARCHED)
        return
    for n in range(at_most(left, keeps.have[colour]) + 1):
        if left - n <= keeps.later[colour]:
            find_keeps(keeps, colour + 1, left - n, logit + keeps.worth[colour][n], kept)
        kept += one_tile(colour)


cdef inline int search_passes(const SummerView* view, uint32_t* out) noexcept nogil:
    """The SUMMER_KEEPS_SEARCHED passes with the best keep weights, best first."""
    cdef SummerKeeps keeps
    cdef Tally keep
    cdef int c, i, tiles = 0
    if view.last:
        out[0] = SUMMER_MOVE_PASS
        return 1
    keeps.count = 0
    for c in range(5, -1, -1):
        keeps.later[c] = tiles
        keeps.have[c] = lane(view.seat.hand, c)
        tiles += keeps.have[c]
        for i in range(at_most(keeps.have[c], SUMMER_KEEP_LIMIT) + 1):
            keep = tally(view.weights, NULL)
            keep_features(view, <uint64_t> i * one_tile(c), &keep)
            keeps.worth[c][i] = keep.sum
    find_keeps(&keeps, 0, at_most(tiles, SUMMER_KEEP_LIMIT), 0, 0)
    for i in range(keeps.count):
        out[i] = SUMMER_MOVE_PASS | fold(keeps.tiles[i]) << 3
    return keeps.count


cdef inline void summer_net_table(const SummerState* st, const Net* net, const int16_t* hidden,
                                  int16_t* table) noexcept nogil:
    """Fill in the weights of the policy features that moves of this phase can have."""
    if st.phase == SUMMER_DRAFT:
        net_policy_table(net, hidden, SUMMER_D_TAKE, SUMMER_P_POINTS - SUMMER_D_TAKE,
                         table + SUMMER_D_TAKE)
        net_policy_table(net, hidden, SUMMER_W_COUNT, SUMMER_W_SPACE - SUMMER_W_COUNT,
                         table + SUMMER_W_COUNT)
    elif st.phase == SUMMER_BONUS:
        net_policy_table(net, hidden, SUMMER_B_TILE, SUMMER_S_LOSS - SUMMER_B_TILE,
                         table + SUMMER_B_TILE)
        net_policy_table(net, hidden, SUMMER_W_BONUS, SUMMER_W_KEEP - SUMMER_W_BONUS,
                         table + SUMMER_W_BONUS)
    else:
        net_policy_table(net, hidden, SUMMER_P_POINTS, SUMMER_B_TILE - SUMMER_P_POINTS,
                         table + SUMMER_P_POINTS)
        net_policy_table(net, hidden, SUMMER_S_LOSS, SUMMER_LINEAR - SUMMER_S_LOSS,
                         table + SUMMER_S_LOSS)
        net_policy_table(net, hidden, SUMMER_W_SPACE, SUMMER_POLICY - SUMMER_W_SPACE,
                         table + SUMMER_W_SPACE)


cdef inline int summer_search_moves(const SummerState* st, bint all_bonus, const int16_t* table,
                                    uint32_t* out, int* logits) noexcept nogil:
    """The moves that the search considers, with their policy logits (1/256).

    table: as for game_search_moves().
    all_bonus: list every multiset of the due size, whatever the supply holds, because the node is
    shared by different supplies.
    """
    cdef SummerView view
    cdef SummerPlacements found
    cdef uint64_t[42] cheapest
    cdef int i, n, options = 0
    summer_look(&view, st)
    if table != NULL:
        view.weights = table
        view.wide = True
    if st.phase == SUMMER_PLACE:
        find_placements(st, view.seat, &found)
        options = place_choices(&found, st.grey, cheapest)
        n = search_placements(st, &view, &found, out)
        n += search_passes(&view, out + n)
    elif st.phase == SUMMER_BONUS and all_bonus:
        n = list_subsets(3 * LANES_1, st.bonus_due, SUMMER_MOVE_BONUS, out)
    else:
        n = summer_moves(st, True, out)
    for i in range(n):
        logits[i] = summer_move_logit(&view, out[i], options)
    return n
