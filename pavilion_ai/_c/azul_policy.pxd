# How the search of base Azul plays out, and the logits of its moves: both from the linear policy
# of azul_features.pxd.

from libc.stdint cimport int16_t, uint32_t, uint64_t
from pavilion_ai._c.azul cimport AZUL_DRAFT, FLOOR, AzulState
from pavilion_ai._c.azul_features cimport (
    AZUL_HAND_WEIGHTS, AZUL_POLICY, C_POINTS, W_SOURCE, AzulView, azul_look, azul_look_wide,
    azul_move_features, fill_features, line_features,
    source_features,
)
from pavilion_ai._c.azul_moves cimport azul_moves, destinations, take_move
from pavilion_ai._c.bag cimport CENTRE
from pavilion_ai._c.bits cimport lowest_bit
from pavilion_ai._c.linear cimport NO_LOGIT, Tally, next_noise, tally
from pavilion_ai._c.net cimport Net, net_policy_table
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.tiles cimport lane, unfold


ctypedef struct Drafts:
    # What is known of the drafts of a position: parts of their logits, made when first needed.
    int[5][5][2] lines      # [colour][line][full afterwards]
    int[5][5][2] known


cdef inline int line_logit(const AzulView* view, Drafts* parts, int colour, int line,
                           int full) noexcept nogil:
    cdef Tally part
    if not parts.known[colour][line][full]:
        part = tally(view.weights, NULL)
        line_features(view, line, colour, full, &part)
        parts.lines[colour][line][full] = part.sum
        parts.known[colour][line][full] = 1
    return parts.lines[colour][line][full]


cdef inline int list_drafts(const AzulView* view, uint32_t* out, int* logits) noexcept nogil:
    """List the drafts with their logits in 1/256."""
    cdef const AzulState* st = view.st
    cdef Drafts parts
    cdef Tally source_part, part
    cdef uint64_t drafts = st.drafts
    cdef uint32_t choices
    cdef int c, i, bit, source, count, line, n = 0
    for c in range(5):
        for i in range(5):
            parts.known[c][i][0] = parts.known[c][i][1] = 0
    while drafts:
        bit = lowest_bit(drafts)
        drafts &= drafts - 1
        source = bit // 6
        c = bit % 6
        count = lane(st.centre if source == CENTRE else unfold(st.displays[source]), c)
        source_part = tally(view.weights, NULL)
        source_features(view, source, c, count, &source_part)
        choices = destinations(view.seat, c)
        while choices:
            line = lowest_bit(choices)
            choices &= choices - 1
            part = tally(view.weights, NULL)
            fill_features(view, source, c, count, line, &part)
            if line != FLOOR:
                part.sum += line_logit(view, &parts, c, line,
                                       view.seat.count[line] + count > line)
            out[n] = take_move(source, c, line)
            logits[n] = source_part.sum + part.sum
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
    """A move drawn from the policy (rng NULL: its most likely one), for playouts.

    by_hand: take the hand-written weights instead of the fitted ones.
    """
    cdef AzulView view
    cdef uint32_t[256] moves
    cdef int[256] logits
    cdef uint64_t random = 0
    cdef int i, n, logit, best = 0, best_logit = NO_LOGIT
    azul_look(&view, st)
    if by_hand:
        view.weights = AZUL_HAND_WEIGHTS
    n = list_with_logits(&view, moves, logits)
    for i in range(n):
        logit = logits[i] + (next_noise(rng, &random) if rng != NULL else 0)
        if logit > best_logit:
            best_logit = logit
            best = i
    return moves[best]


cdef inline void azul_net_table(const AzulState* st, const Net* net, const int16_t* hidden,
                                int16_t* table) noexcept nogil:
    """Fill in the weights of the policy features that moves of this phase can have."""
    if st.phase == AZUL_DRAFT:
        net_policy_table(net, hidden, 0, C_POINTS, table)
        net_policy_table(net, hidden, W_SOURCE, AZUL_POLICY - W_SOURCE, table + W_SOURCE)
    else:
        net_policy_table(net, hidden, C_POINTS, W_SOURCE - C_POINTS, table + C_POINTS)


cdef inline int azul_search_moves(const AzulState* st, const int16_t* table, uint32_t* out,
                                  int* logits) noexcept nogil:
    """The legal moves with their policy logits (1/256); table: as for game_search_moves()."""
    cdef AzulView view
    if table == NULL:
        azul_look(&view, st)
    else:
        azul_look_wide(&view, st, table)
    return list_with_logits(&view, out, logits)
