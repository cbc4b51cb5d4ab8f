# The search with an evaluation from outside, for a network of any framework: leaves are gathered in
# batches, evaluated elsewhere, and settled. Until a leaf is settled its path counts as visited with
# the worst result (virtual loss), so that the leaves of a batch differ. Batches of one leaf search
# the same tree as search.pxd would with the same values and priors, but for transpositions: a leaf
# has its children at once, so they are shared a visit earlier.

from libc.stdint cimport int64_t, uint32_t, uint8_t
from libc.string cimport memcpy
from pavilion_ai._c.bits cimport flag_is_up
from pavilion_ai._c.compaction cimport is_nearly_full, tree_prune
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.rules cimport (
    GameState, game_action, game_at_horizon, game_draws_matter, game_is_over, game_mask,
    game_search_moves, game_viewer,
)
from pavilion_ai._c.search cimport (
    Leaf, Scratch, SearchConfig, finish_exactly, list_with_network, net_value,
    set_utilities, settle_leaf, simulate, value_end,
)
from pavilion_ai._c.tree cimport (
    MAX_DEPTH, Node, Result, Tree, add_children, note_children, set_priors, tree_room,
)

cdef extern from *:
    """
    #define LEAST_LOGIT -4096.0     /* nats below the best move: less is the same */
    """
    const double LEAST_LOGIT

ctypedef struct Pending:
    # A leaf that waits for its evaluation; its position is kept beside.
    Leaf leaf
    uint32_t[MAX_DEPTH] path
    uint8_t[MAX_DEPTH] chooser

ctypedef struct Estimates:
    # What an evaluation says of a leaf, by relative seat: the viewer first.
    const double* win      # shares of the victory
    const double* lead     # squashed lead, 0..1
    const double* gain     # points still to come
    const float* logits    # by action, nats


cdef inline bint is_waiting(const Pending* pending, int waiting, uint32_t node) noexcept nogil:
    cdef int i
    for i in range(waiting):
        if pending[i].path[pending[i].leaf.depth] == node:
            return True
    return False


cdef inline bint known_exactly(const GameState* st, const SearchConfig* config,
                               Result* result) noexcept nogil:
    """Evaluate a game that is over, or nearly so and quickly solved."""
    if not (config.finish and finish_exactly(st, config, result)):
        if not game_is_over(st):
            return False
        value_end(st, config.width, result)
    set_utilities(config, st.players, result)
    return True


cdef inline int64_t gather_leaves(const GameState* root, Tree* tree, const SearchConfig* config,
                                  Xoshiro* rng, Scratch* scratch, GameState* states,
                                  Pending* pending, int* waiting, int room, int64_t sims,
                                  const volatile int* stop) noexcept nogil:
    """Search until `room` leaves wait, `sims` simulations are done or wait, or a leaf is met that
    waits already; the number of simulations done."""
    cdef Leaf leaf
    cdef Result result
    cdef Pending* one
    cdef int64_t done = 0
    cdef int i
    if waiting[0] == 0 and is_nearly_full(tree):    # else nodes are known by number
        tree_prune(tree, stop)
    while waiting[0] < room and done + waiting[0] < sims:
        if flag_is_up(stop):
            break
        if not simulate(root, tree, config, rng, scratch, &states[waiting[0]], &leaf):
            done += 1
            continue
        if leaf.depth and known_exactly(&states[waiting[0]], config, &result):
            settle_leaf(tree, scratch, leaf.depth, leaf.certain, root.players, &result, config)
            done += 1
            continue
        if is_waiting(pending, waiting[0], scratch.path[leaf.depth]):
            break
        one = &pending[waiting[0]]
        one.leaf = leaf
        for i in range(leaf.depth + 1):
            one.path[i] = scratch.path[i]
            one.chooser[i] = scratch.chooser[i]
            tree.nodes[one.path[i]].visits += 1
        waiting[0] += 1
    return done


cdef inline int list_leaf(const GameState* st, const Leaf* leaf, Scratch* scratch) noexcept nogil:
    """The moves of a leaf that the tree will have; none between two rounds."""
    if game_at_horizon(st):
        return 0
    return game_search_moves(st, leaf.drawn, NULL, scratch.moves, scratch.logits)


cdef inline void show_leaf(const GameState* st, const Pending* one, Scratch* scratch, uint8_t* mask,
                           uint8_t* viewer) noexcept nogil:
    """The actions of a leaf, and the seat from whose viewpoint it is evaluated.

    Where other draws would allow other moves, these have a 1 in the mask too.
    """
    cdef int i
    game_mask(st, mask)
    viewer[0] = <uint8_t> game_viewer(st)
    if one.leaf.drawn and game_draws_matter(st):
        for i in range(list_leaf(st, &one.leaf, scratch)):
            mask[game_action(st, scratch.moves[i])] = 1


cdef inline void forget_leaf(Tree* tree, const Pending* one) noexcept nogil:
    """Undo what a waiting leaf left in the tree."""
    cdef int i
    for i in range(one.leaf.depth + 1):
        tree.nodes[one.path[i]].visits -= 1


cdef inline void expand_leaf(Tree* tree, Node* node, const GameState* st, const Leaf* leaf,
                             const SearchConfig* config, const float* logits,
                             Scratch* scratch) noexcept nogil:
    """Give a leaf its children, with priors from the logits of actions."""
    cdef int i, n = list_leaf(st, leaf, scratch)
    cdef double best = -1e30, x
    if n == 0 or not tree_room(tree, n):
        return
    for i in range(n):
        x = logits[game_action(st, scratch.moves[i])]
        best = x if x > best else best
    for i in range(n):
        x = logits[game_action(st, scratch.moves[i])] - best
        scratch.logits[i] = <int> (256.0 * (x if x > LEAST_LOGIT else LEAST_LOGIT) - 0.5)
    add_children(tree, node, scratch.moves, scratch.logits, n, config.temperature, config.mixed)
    if leaf.key:
        note_children(tree, node, leaf.key)


cdef inline void settle_pending(Tree* tree, const SearchConfig* config, const GameState* st,
                                const Pending* one, const Estimates* found,
                                Scratch* scratch) noexcept nogil:
    """Expand a leaf and back up its value; the root is only expanded."""
    cdef Result result
    cdef int i, seat = game_viewer(st)
    forget_leaf(tree, one)
    expand_leaf(tree, &tree.nodes[one.path[one.leaf.depth]], st, &one.leaf, config, found.logits,
                scratch)
    if one.leaf.depth == 0:
        return
    for i in range(st.players):
        result.win[seat] = found.win[i]
        result.lead[seat] = found.lead[i]
        result.score[seat] = st.seats[seat].score + found.gain[i]
        seat = seat + 1 if seat + 1 < st.players else 0
    set_utilities(config, st.players, &result)
    memcpy(scratch.path, one.path, (one.leaf.depth + 1) * sizeof(uint32_t))
    memcpy(scratch.chooser, one.chooser, one.leaf.depth + 1)
    settle_leaf(tree, scratch, one.leaf.depth, one.leaf.certain, st.players, &result, config)


cdef inline int estimate(const GameState* st, const SearchConfig* config, Scratch* scratch,
                         Result* result, float* priors) noexcept nogil:
    """What the network says of a position, as the search sees it, or the exact end of a game.

    The moves are in scratch.moves, most likely first, with their priors; returns their number.
    """
    cdef int n
    if game_is_over(st):
        value_end(st, config.width, result)
        return 0
    net_value(st, config, 0, scratch, result)
    if game_at_horizon(st):
        return 0
    n = list_with_network(st, config.net, False, 0, scratch)
    set_priors(scratch.moves, scratch.logits, n, config.temperature, config.mixed, priors)
    return n
