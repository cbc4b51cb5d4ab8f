# Rollouts of the search of base Azul, and the logits of its moves: both from the linear policy of
# azul_features.pxd.

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t
from pavilion_ai._c.azul cimport AZUL_DRAFT, AZUL_FLOOR, AZUL_MOVES, AzulState
from pavilion_ai._c.azul_features cimport (
    AZUL_C_POINTS, AZUL_HAND_WEIGHTS, AZUL_POLICY, AZUL_W_SOURCE, AzulView, azul_look,
    azul_look_wide, azul_move_features, centre_features, fill_features, in_the_centre,
    line_features, number_features, push_features, rest_features, source_features,
)
from pavilion_ai._c.azul_moves cimport azul_moves, azul_take_move, destinations
from pavilion_ai._c.bag cimport CENTRE
from pavilion_ai._c.bits cimport lowest_bit
from pavilion_ai._c.linear cimport NO_LOGIT, Tally, next_noise, tally
from pavilion_ai._c.net cimport Net, net_policy_table
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.tiles cimport lane, unfold


ctypedef struct Taken:
    # Tiles of a colour: their possible destinations, and the part of a draft's logit for each.
    int destinations        # 0: not made yet
    uint8_t[6] destination
    int[6] logits

ctypedef struct Drafts:
    # Parts of the logits of a position's drafts, made when first needed; NO_LOGIT: not made yet.
    int[5][5][2] lines      # [colour][line][full afterwards]
    Taken[5][4] taken       # [colour][number - 1], from any display
    int[5][6] pushes        # [colour][number in the centre - 1]


cdef inline int line_logit(const AzulView* view, Drafts* parts, int colour, int line,
                           int full) noexcept nogil:
    cdef Tally part
    if parts.lines[colour][line][full] == NO_LOGIT:
        part = tally(view.weights, NULL)
        line_features(view, line, colour, full, &part)
        parts.lines[colour][line][full] = part.sum
    return parts.lines[colour][line][full]


cdef inline int push_logit(const AzulView* view, Drafts* parts, uint64_t tiles,
                           int colour) noexcept nogil:
    cdef Tally part
    cdef int pushed = in_the_centre(view, tiles, colour)
    if parts.pushes[colour][pushed - 1] == NO_LOGIT:
        part = tally(view.weights, NULL)
        push_features(view, colour, pushed, &part)
        parts.pushes[colour][pushed - 1] = part.sum
    return parts.pushes[colour][pushed - 1]


cdef inline void place_taken(const AzulView* view, Drafts* parts, int source, int colour,
                             int count, Taken* taken) noexcept nogil:
    """Fill in the destinations and logits of `count` tiles of a colour."""
    cdef Tally number = tally(view.weights, NULL), part
    cdef uint32_t choices = destinations(view.seat, colour)
    cdef int line, n = 0
    number_features(view, colour, count, &number)
    while choices:
        line = lowest_bit(choices)
        choices &= choices - 1
        part = tally(view.weights, NULL)
        fill_features(view, source, colour, count, line, &part)
        if line != AZUL_FLOOR:
            part.sum += line_logit(view, parts, colour, line,
                                   view.seat.count[line] + count > line)
        taken.destination[n] = <uint8_t> line
        taken.logits[n] = number.sum + part.sum
        n += 1
    taken.destinations = n


cdef inline int list_drafts(const AzulView* view, uint32_t* out, int* logits) noexcept nogil:
    """List the drafts with their logits in 1/256."""
    cdef const AzulState* st = view.st
    cdef Drafts parts
    cdef Taken from_centre
    cdef Taken* taken
    cdef Tally part
    cdef uint64_t drafts = st.drafts, tiles = 0
    cdef int c, i, bit, source, count, looked_at = -1, pushes = 0, n = 0
    for c in range(5):
        for i in range(5):
            parts.lines[c][i][0] = parts.lines[c][i][1] = NO_LOGIT
        for i in range(4):
            parts.taken[c][i].destinations = 0
        for i in range(6):
            parts.pushes[c][i] = NO_LOGIT
    while drafts:
        bit = lowest_bit(drafts)
        drafts &= drafts - 1
        source = bit // 6
        c = bit % 6
        part = tally(view.weights, NULL)
        if source == CENTRE:
            count = lane(st.centre, c)
            taken = &from_centre
            place_taken(view, &parts, source, c, count, taken)
            centre_features(view, count, &part)
        else:
            if source != looked_at:
                looked_at = source
                tiles = unfold(st.displays[source])
                pushes = 0
                for i in range(5):
                    if lane(tiles, i):
                        pushes += push_logit(view, &parts, tiles, i)
            count = lane(tiles, c)
            taken = &parts.taken[c][count - 1]
            if taken.destinations == 0:
                place_taken(view, &parts, source, c, count, taken)
            rest_features(view, tiles, count, &part)
            part.sum += pushes - push_logit(view, &parts, tiles, c)
        source_features(view, source, c, &part)
        for i in range(taken.destinations):
            out[n] = azul_take_move(source, c, taken.destination[i])
            logits[n] = part.sum + taken.logits[i]
            n += 1
    return n


cdef inline int list_with_logits(const AzulView* view, uint32_t* out, int* logits) noexcept nogil:
    """List the legal moves with their logits in 1/256."""
    cdef Tally sum_
    cdef int i, n
    if view.st.phase == AZUL_DRAFT:
        return list_drafts(view, out, logits)
    n = azul_moves(view.st, out)
    for i in range(n):
        sum_ = tally(view.weights, NULL)
        azul_move_features(view, out[i], &sum_)
        logits[i] = sum_.sum
    return n


cdef inline uint32_t azul_policy_move(const AzulState* st, Xoshiro* rng,
                                      bint by_hand) noexcept nogil:
    """A move drawn from the policy (rng NULL: its most likely one), for rollouts.

    by_hand: take the hand-written weights instead of the fitted ones.
    """
    cdef AzulView view
    cdef uint32_t[AZUL_MOVES] moves
    cdef int[AZUL_MOVES] logits
    cdef uint64_t random = 0
    cdef int i, n, logit, best = 0, best_logit = NO_LOGIT
    azul_look(&view, st)
    if by_hand:
        view.weights = AZUL_HAND_WEIGHTS
    n = list_with_logits(&view, moves, logits)
    for i in range(n):
        logit = logits[i] + next_noise(rng, &random)
        if logit > best_logit:
            best_logit = logit
            best = i
    return moves[best]


cdef inline void azul_net_table(const AzulState* st, const Net* net, const int16_t* hidden,
                                int16_t* table) noexcept nogil:
    """Fill in the weights of the policy features that moves of this phase can have."""
    if st.phase == AZUL_DRAFT:
        net_policy_table(net, hidden, 0, AZUL_C_POINTS, table)
        net_policy_table(net, hidden, AZUL_W_SOURCE, AZUL_POLICY - AZUL_W_SOURCE,
                         table + AZUL_W_SOURCE)
    else:
        net_policy_table(net, hidden, AZUL_C_POINTS, AZUL_W_SOURCE - AZUL_C_POINTS,
                         table + AZUL_C_POINTS)


cdef inline int azul_search_moves(const AzulState* st, const int16_t* table, uint32_t* out,
                                  int* logits) noexcept nogil:
    """The legal moves with their policy logits (1/256); table: as for game_search_moves()."""
    cdef AzulView view
    if table == NULL:
        azul_look(&view, st)
    else:
        azul_look_wide(&view, st, table)
    return list_with_logits(&view, out, logits)
