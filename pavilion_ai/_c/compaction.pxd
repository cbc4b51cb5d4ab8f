# Keeping a part of a tree and sliding it to the front of the arena: what lies below a new root, or,
# when the arena is full, what was visited most.
#
# Children lie side by side, and what is kept or dropped is such a list, as a whole. A list may have
# several parents (tree.pxd, transpositions). A parent that loses its list stays as a leaf, with all
# that it has added up, and is given children anew when it is met again.

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memmove, memset
from pavilion_ai._c.together cimport flag_is_up
from pavilion_ai._c.tree cimport MOST_CHILDREN, Node, Place, Stats, Tree, tree_room

cdef extern from *:
    """
    #define LIVE 0x80000000U        /* a list that is kept; the other bits are its length */
    #define PRUNE_SECONDS 5e-8      /* that pruning takes for each node of the arena */
    """
    const uint32_t LIVE
    const double PRUNE_SECONDS

cdef enum:
    CLASSES = 64            # of lists by their visits, two for each doubling
    NODES_A_LOOK = 1 << 16  # between two looks at the flag that stops a search


cdef inline uint32_t class_of(uint32_t visits) noexcept nogil:
    """The class of a list with at least one visit, 1 to CLASSES - 1; more visits, higher class."""
    cdef uint32_t doublings = 0
    while visits > 3:
        visits >>= 1
        doublings += 1
    return 2 * doublings + visits


cdef inline uint32_t mark_list(const Node* node, uint32_t* target, uint32_t* waiting,
                               uint32_t count) noexcept nogil:
    """Mark the list of a node's children as LIVE, and let it wait behind `count` others; how many
    wait then."""
    target[node.first] = LIVE | node.children
    waiting[count] = node.first
    return count + 1


cdef inline bint weigh_lists(const Tree* tree, uint32_t root, uint32_t* target,
                             uint32_t* waiting, uint64_t* sizes,
                             const volatile int* stop) noexcept nogil:
    """Find the class of every list below the root, and how many nodes those of a class have; False
    if stopped.

    target: class of each list, by the index of its first node; 0 elsewhere, and where lists do not
    hang below the root any more.
    waiting: see mark_lists(); the lists that have not been looked at yet.
    """
    cdef const Node* node = &tree.nodes[root]
    cdef uint32_t first, length, i, visits, count = 0, looked = 0
    if node.children:
        count = mark_list(node, target, waiting, 0)
    while count:
        count -= 1
        first = waiting[count]
        length = target[first] & ~LIVE
        visits = 1
        for i in range(first, first + length):
            node = &tree.nodes[i]
            visits += node.visits
            if node.children and not target[node.first]:
                count = mark_list(node, target, waiting, count)
        target[first] = class_of(visits)
        sizes[target[first]] += length
        looked += length
        if looked >= NODES_A_LOOK:
            looked = 0
            if stop != NULL and flag_is_up(stop):
                return False
    return True


cdef inline bint choose_lists(const Tree* tree, uint32_t root, uint32_t room, uint32_t* target,
                              uint32_t* waiting, uint32_t* least,
                              const volatile int* stop) noexcept nogil:
    """Find the lowest class of lists with which `room` nodes suffice; False if stopped.

    target: see weigh_lists(). It is left alone if there is room for all lists: then least[0] is 0.
    """
    cdef uint64_t[CLASSES] sizes
    cdef uint64_t total = 0
    least[0] = 0
    if room >= tree.nodes_used:
        return True
    memset(sizes, 0, sizeof(sizes))
    if not weigh_lists(tree, root, target, waiting, sizes, stop):
        return False
    least[0] = CLASSES
    while least[0] > 1 and total + sizes[least[0] - 1] <= room:
        least[0] -= 1
        total += sizes[least[0]]
    return True


cdef inline void mark_lists(const Tree* tree, uint32_t root, uint32_t least, uint32_t* target,
                            uint32_t* waiting) noexcept nogil:
    """Mark as LIVE, with their lengths, the lists to be kept: the root's, and those of at least
    the class `least` whose parents are in such lists.

    waiting: room for the first nodes of all lists, whose children have not been looked at yet.
    """
    cdef const Node* node = &tree.nodes[root]
    cdef uint32_t first, i, count = 0
    if node.children:
        count = mark_list(node, target, waiting, 0)
    while count:
        count -= 1
        first = waiting[count]
        for i in range(first, first + (target[first] & ~LIVE)):
            node = &tree.nodes[i]
            if node.children and not target[node.first] & LIVE and target[node.first] >= least:
                count = mark_list(node, target, waiting, count)


cdef inline uint32_t number_lists(const Tree* tree, uint32_t* target) noexcept nogil:
    """Put in place of the marks where each list moves to, and 0 for the others; the number of
    nodes that are kept."""
    cdef uint32_t length, i = 1, moved = 1
    while i < tree.nodes_used:
        if target[i] & LIVE:
            length = target[i] & ~LIVE
            target[i] = moved
            moved += length
            i += length
        else:
            target[i] = 0
            i += 1
    return moved


cdef inline void slide_lists(Tree* tree, uint32_t root, const uint32_t* target,
                             uint32_t moved) noexcept nogil:
    """Move every list to its place, which is never behind where it was, and the root to its own."""
    cdef uint32_t i = 1, following
    tree.nodes[0] = tree.nodes[root]
    while i < tree.nodes_used:
        following = i + 1
        while following < tree.nodes_used and target[following] == 0:
            following += 1
        if target[i]:
            memmove(&tree.nodes[target[i]], &tree.nodes[i],
                    ((target[following] if following < tree.nodes_used else moved) - target[i])
                    * sizeof(Node))
        i = following
    tree.nodes_used = moved


cdef inline void point_nodes(Tree* tree, const uint32_t* target, Stats* kept) noexcept nogil:
    """Let nodes point to where the lists are now, or to none.

    Results of leaves are dropped: they are quickly found again.
    """
    cdef Node* node
    cdef uint32_t i, stats = 2
    memset(kept, 0, 2 * sizeof(Stats))
    for i in range(tree.nodes_used):
        node = &tree.nodes[i]
        node.first = target[node.first] if node.children else 0
        if node.first == 0:
            node.children = 0
        if i == 0:
            if node.stats:
                kept[1] = tree.stats[node.stats]
            node.stats = 1
        elif node.stats:
            kept[stats] = tree.stats[node.stats]
            node.stats = stats
            stats += 1
    memcpy(tree.stats, kept, stats * sizeof(Stats))
    tree.stats_used = stats
    tree.results_used = 1


cdef inline void point_places(Tree* tree, const uint32_t* target, uint32_t before) noexcept nogil:
    """Let transpositions point to where the lists are now; those without one are forgotten.

    before: number of nodes that there were.
    """
    cdef Place* place
    cdef uint64_t k
    for k in range(tree.places_mask + 1):
        place = &tree.places[k]
        if place.key:
            # An entry of an earlier search may point anywhere.
            place.first = target[place.first] if place.first < before else 0
            if place.first == 0:
                place.key = 0


cdef inline bint keep_part(Tree* tree, uint32_t root, uint32_t room,
                           const volatile int* stop) noexcept nogil:
    """Make node `root` the root, and keep what lies below it and was visited most.

    False, and the tree is as it was, without scratch memory or if stopped.

    room: number of nodes to which it is confined, beside the root's own list.
    stop: NULL, or a flag that ends it while nothing is changed yet.
    """
    cdef uint32_t before = tree.nodes_used, least = 0, moved
    cdef uint32_t* target = <uint32_t*> calloc(before, 2 * sizeof(uint32_t))
    cdef Stats* kept = <Stats*> malloc(tree.stats_used * sizeof(Stats))
    cdef bint done = False
    if target != NULL and kept != NULL and choose_lists(tree, root, room, target, target + before,
                                                        &least, stop):
        mark_lists(tree, root, least, target, target + before)
        moved = number_lists(tree, target)
        slide_lists(tree, root, target, moved)
        point_nodes(tree, target, kept)
        if root == 0:       # a tree whose root moves shares no children
            point_places(tree, target, before)
        done = True
    free(target)
    free(kept)
    return done


cdef inline bint tree_reroot(Tree* tree, uint32_t root) noexcept nogil:
    """Make node `root` the root and keep only its subtree; False without scratch memory."""
    return keep_part(tree, root, tree.nodes_room, NULL)


cdef inline bint is_nearly_full(const Tree* tree) noexcept nogil:
    """Whether the arena may have no room for the children of a node."""
    return not tree_room(tree, min(MOST_CHILDREN, tree.nodes_room // 8))


cdef inline bint tree_prune(Tree* tree, const volatile int* stop) noexcept nogil:
    """Make room by dropping the lists with fewest visits; False if that did not free much."""
    return (keep_part(tree, 0, tree.nodes_room // 2, stop)
            and tree.nodes_used <= tree.nodes_room // 4 * 3)


cdef inline bint is_time_for_half(const Tree* tree, double seconds) noexcept nogil:
    """Whether half of the nodes are free, or can be made so in a quarter of the time; 0: of any."""
    return tree.nodes_used <= tree.nodes_room // 2 or seconds == 0 or (
        4 * PRUNE_SECONDS * tree.nodes_used < seconds)


cdef inline void make_half_free(Tree* tree) noexcept nogil:
    """Prune a tree that has more than half of the nodes; without scratch memory it stays so."""
    if tree.nodes_used > tree.nodes_room // 2:
        tree_prune(tree, NULL)
