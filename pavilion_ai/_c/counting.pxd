# What a simulation leaves in the tree: visits and sums, of one thread or of several.

from libc.stdint cimport uint32_t
from libc.string cimport memset
from pavilion_ai._c.scratch cimport CERTAIN, DELTAS, Delta, Scratch, SearchConfig, Walk
from pavilion_ai._c.together cimport count_add, count_read, sum_add
from pavilion_ai._c.tree cimport (
    Node, Result, Stats, Tree, give_tree, keep_result, node_stats, take_tree,
)

cdef enum:
    MANY_VISITS = 256       # of a node: one more keeps no walk from it
    OFTEN_SHARE = 64        # part of these visits that a thread may keep for itself


cdef inline bint count_ahead(const Tree* tree, Node* node, bint crowded) noexcept nogil:
    """Where several threads search, let a node count as visited while a walk is below it, for then
    with the worst result (virtual loss), so that the others go elsewhere. After many visits one
    more would not keep them from it: those are counted with the result. Whether it was counted.

    crowded: do so after many visits too, where visits are to be equal.
    """
    if tree.together and (crowded or count_read(&node.visits) < MANY_VISITS):
        count_add(&node.visits, 1)
        return True
    return False


cdef inline uint32_t visits_before(const Tree* tree, const Node* node) noexcept nogil:
    """Visits of a node without that of the walk that is there."""
    return count_read(&node.visits) - (1 if tree.together else 0)


cdef inline void add_delta(Tree* tree, Delta* delta) noexcept nogil:
    """Add what a thread has for a node, which it has no more then."""
    cdef Node* node = &tree.nodes[delta.node]
    count_add(&node.visits, delta.visits)
    sum_add(&node.value, delta.value)
    sum_add(&node.squares, delta.squares)
    memset(delta, 0, sizeof(Delta))


cdef inline void add_together(Tree* tree, uint32_t index, int visits, double utility,
                              Delta* deltas) noexcept nogil:
    """Add a result to a node of a tree in which several threads search.

    If the node was visited often, not at once, but when more has come together. So it does not go
    to and fro between the processors all the time.
    """
    cdef Node* node = &tree.nodes[index]
    cdef uint32_t often = count_read(&node.visits)
    cdef Delta* delta
    if often < MANY_VISITS:
        count_add(&node.visits, <uint32_t> visits)
        sum_add(&node.value, utility)
        sum_add(&node.squares, utility * utility)
        return
    delta = &deltas[index % DELTAS]
    if delta.node != index:
        add_delta(tree, delta)
        delta.node = index
    delta.results += 1
    delta.visits += <uint32_t> visits
    delta.value += utility
    delta.squares += utility * utility
    if delta.results >= often // OFTEN_SHARE:
        add_delta(tree, delta)


cdef inline void note_result(Stats* stats, const Result* result, int seat,
                             int players) noexcept nogil:
    cdef int s
    if stats == NULL:
        return
    for s in range(players):
        stats.win[s] += result.win[s]
        stats.lead[s] += result.lead[s]
        stats.score[s] += result.score[s]
    stats.win_squared += result.win[seat] * result.win[seat]


cdef inline void back_up(Tree* tree, const Walk* walk, int players, const Result* result,
                         const SearchConfig* config, Scratch* scratch) noexcept nogil:
    """Add a result to all nodes of a walk's path."""
    cdef Node* node
    cdef double utility
    cdef int i, seat
    for i in range(walk.depth + 1):
        node = &tree.nodes[walk.path[i]]
        seat = walk.chooser[i]
        utility = result.utility[seat]
        if tree.together:
            add_together(tree, walk.path[i], not walk.counted[i], utility, scratch.deltas)
        else:
            node.visits += 1
            node.value += utility
            node.squares += utility * utility
        if i > config.stats_depth:
            continue
        if scratch.own == NULL:
            note_result(node_stats(tree, node), result, seat, players)
        elif i < 2:
            note_result(&scratch.own[walk.path[1] - tree.nodes[0].first + 1 if i else 0], result,
                        seat, players)
        else:
            take_tree(tree)
            note_result(node_stats(tree, node), result, seat, players)
            give_tree(tree)


cdef inline void settle_leaf(Tree* tree, const Walk* walk, int players, const Result* result,
                             const SearchConfig* config, Scratch* scratch) noexcept nogil:
    """Add the result of a leaf to all nodes of its path."""
    cdef Node* leaf = &tree.nodes[walk.path[walk.depth]]
    if walk.certain:
        take_tree(tree)
        if leaf.children == 0:      # else another walk has continued below it
            keep_result(tree, leaf, result, walk.certain == CERTAIN)
        give_tree(tree)
    back_up(tree, walk, players, result, config, scratch)
