# The search with an evaluation from outside, for a network of any framework: leaves are gathered in
# batches, evaluated elsewhere, and settled. Until a leaf is settled its path counts as visited with
# the worst result (virtual loss), so that the leaves of a batch differ. Batches of one leaf search
# the same tree as search.pxd would with the same values and priors, but for transpositions: a leaf
# has its children at once, so they are shared a visit earlier.

from libc.stdint cimport int64_t, uint32_t, uint8_t
from pavilion_ai._c.bag cimport SPLIT_KNOWN, next_seat
from pavilion_ai._c.compaction cimport is_nearly_full, tree_prune
from pavilion_ai._c.counting cimport settle_leaf
from pavilion_ai._c.leaf cimport (
    finish_exactly, list_with_network, net_value, set_utilities, value_end,
)
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.rules cimport (
    GameState, game_action, game_at_horizon, game_determinise, game_draws_matter, game_is_over,
    game_mask, game_search_moves, game_viewer,
)
from pavilion_ai._c.scratch cimport NOTHING, UNCERTAIN, Scratch, SearchConfig, Walk
from pavilion_ai._c.search cimport begin_walk, prepare, walk_on
from pavilion_ai._c.together cimport flag_is_up
from pavilion_ai._c.tree cimport (
    Node, Result, Tree, note_children, place_children, set_priors, tree_room,
)

cdef extern from *:
    """
    #define LEAST_LOGIT -4096.0     /* nats below the best move: less is the same */
    """
    const double LEAST_LOGIT

ctypedef struct Estimates:
    # What an evaluation says of a leaf, by relative seat: the viewer first.
    const double* win      # shares of the victory
    const double* lead     # squashed lead, 0..1
    const double* gain     # points still to come
    const float* logits    # by action, nats


cdef inline void count_visits(Tree* tree, const Walk* walk, int visits) noexcept nogil:
    """Let a walk's path count as visited with the worst result (virtual loss): 1; or no more: -1.

    So the next walks go elsewhere.
    """
    cdef int i
    for i in range(walk.depth + 1):
        tree.nodes[walk.path[i]].visits += <uint32_t> visits


cdef inline bint is_waiting(const Walk* walks, int waiting, uint32_t node) noexcept nogil:
    cdef int i
    for i in range(waiting):
        if walks[i].path[walks[i].depth] == node:
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
                                  Walk* walks, int* waiting, int room, int64_t sims,
                                  const volatile int* stop) noexcept nogil:
    """Search until `room` leaves wait, `sims` simulations are done or wait, or a leaf is met that
    waits already; the number of simulations done."""
    cdef Result result
    cdef Walk* walk
    cdef GameState* st
    cdef int64_t done = 0
    prepare(root, config, scratch)
    if waiting[0] == 0 and is_nearly_full(tree):    # else nodes are known by number
        tree_prune(tree, stop)
    while waiting[0] < room and done + waiting[0] < sims:
        if flag_is_up(stop):
            break
        walk, st = &walks[waiting[0]], &states[waiting[0]]
        begin_walk(root, config, walk, st)
        if walk_on(root, tree, config, rng, scratch, walk, st, walks, waiting[0] + 1) == NOTHING:
            done += 1
            continue
        if walk.depth and known_exactly(st, config, &result):
            settle_leaf(tree, walk, root.players, &result, config, scratch)
            done += 1
            continue
        if is_waiting(walks, waiting[0], walk.path[walk.depth]):
            break
        if st.hidden != SPLIT_KNOWN:
            game_determinise(st, rng)       # evaluated from outside is a sample of the bag
            walk.certain = UNCERTAIN
        count_visits(tree, walk, 1)
        waiting[0] += 1
    return done


cdef inline int list_leaf(const GameState* st, const Walk* walk, Scratch* scratch) noexcept nogil:
    """The moves of a leaf that the tree will have; none between two rounds."""
    if game_at_horizon(st):
        return 0
    return game_search_moves(st, walk.drawn, NULL, scratch.found.moves, scratch.logits)


cdef inline void show_leaf(const GameState* st, const Walk* walk, Scratch* scratch, uint8_t* mask,
                           uint8_t* viewer) noexcept nogil:
    """The actions of a leaf, and the seat from whose viewpoint it is evaluated.

    Where other draws would allow other moves, these have a 1 in the mask too.
    """
    cdef int i
    game_mask(st, mask)
    viewer[0] = <uint8_t> game_viewer(st)
    if walk.drawn and game_draws_matter(st):
        for i in range(list_leaf(st, walk, scratch)):
            mask[game_action(st, scratch.found.moves[i])] = 1


cdef inline void expand_leaf(Tree* tree, Node* node, const GameState* st, const Walk* walk,
                             const SearchConfig* config, const float* logits,
                             Scratch* scratch) noexcept nogil:
    """Give a leaf its children, with priors from logits of actions; none where the tree ends."""
    cdef const uint32_t* moves = scratch.found.moves
    cdef int i, n = list_leaf(st, walk, scratch)
    cdef double best = -1e30, x
    if n == 0 or walk.depth >= config.max_depth or not tree_room(tree, n):
        return
    for i in range(n):
        x = logits[game_action(st, moves[i])]
        best = x if x > best else best
    for i in range(n):
        x = logits[game_action(st, moves[i])] - best
        scratch.logits[i] = <int> (256.0 * (x if x > LEAST_LOGIT else LEAST_LOGIT) - 0.5)
    set_priors(scratch.found.moves, scratch.logits, n, config.temperature, config.mixed,
               scratch.found.priors)
    place_children(tree, node, moves, scratch.found.priors, n)
    if walk.key:
        note_children(tree, node, walk.key)


cdef inline void settle_walk(Tree* tree, const SearchConfig* config, const GameState* st,
                             const Walk* walk, const Estimates* found,
                             Scratch* scratch) noexcept nogil:
    """Expand a leaf and back up its value; the root is only expanded."""
    cdef Result result
    cdef int i, seat = game_viewer(st)
    count_visits(tree, walk, -1)
    expand_leaf(tree, &tree.nodes[walk.path[walk.depth]], st, walk, config, found.logits, scratch)
    if walk.depth == 0:
        return
    for i in range(st.players):
        result.win[seat] = found.win[i]
        result.lead[seat] = found.lead[i]
        result.score[seat] = st.seats[seat].score + found.gain[i]
        seat = next_seat(seat, st.players)
    set_utilities(config, st.players, &result)
    settle_leaf(tree, walk, st.players, &result, config, scratch)


cdef inline int estimate(const GameState* st, const SearchConfig* config, Scratch* scratch,
                         Result* result, float* priors) noexcept nogil:
    """What the network says of a position, as the search sees it, or the exact end of a game.

    The moves are in scratch.found.moves, most likely first, with their priors; returns how many.
    """
    cdef int n
    if game_is_over(st):
        value_end(st, config.width, result)
        return 0
    net_value(st, config, 0, scratch, result)
    if game_at_horizon(st):
        return 0
    n = list_with_network(st, config.net, False, 0, scratch)
    set_priors(scratch.found.moves, scratch.logits, n, config.temperature, config.mixed, priors)
    return n
