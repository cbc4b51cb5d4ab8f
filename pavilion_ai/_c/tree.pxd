# The search tree: nodes in one arena. It has no rules: an action is a number, a seat an index.

from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset
from pavilion_ai._c.system cimport pages_give, pages_take
from pavilion_ai._c.together cimport (
    count_read, count_write, link_read, link_write, lock_give, lock_take, sum_read,
)

cdef extern from "compiler.h" nogil:
    void FETCH(const void* address) noexcept

cdef extern from "order.h" nogil:
    void sort_by_logit(uint32_t* actions, int* logits, int count) noexcept
    void powers_of_logits(int* logits, int count, double factor, float* powers) noexcept

cdef extern from *:
    """
    #define INDEX_LIMIT 0xF0000000UL  /* 32-bit indices, the highest one means: not live */
    #define NOT_LIVE 0xFFFFFFFFU
    """
    const size_t INDEX_LIMIT
    const uint32_t NOT_LIVE

cdef enum:
    MOST_CHILDREN = 1024   # of a node; as ORDER_MOST
    MOST_VISITS = 0x7FFFFFFF   # of a node: an int
    MAX_DEPTH = 512        # decisions and deals in a simulation

ctypedef struct Node:
    double value           # sum of utilities of the seat that chose this node's action
    double squares         # sum of their squares
    uint32_t action
    uint32_t visits
    float prior
    uint32_t stats         # index of its Stats, 0 while unvisited
    uint32_t first         # index of the first child, children lie side by side; or of a Result
    uint16_t children
    uint16_t bag           # below a node between two rounds: more of the bag's key, see next_deal()

ctypedef struct Link:
    # The last three parts of a node, which are read and written as a whole: 8 bytes.
    uint32_t first
    uint16_t children
    uint16_t bag

ctypedef struct Stats:
    # Sums over the visits, by seat (for the report; selection needs none of it, and only the root
    # and its children have them unless the tree is to be reused).
    double[4] win
    double[4] lead         # squashed
    double[4] score
    double win_squared     # of the seat that chose the action

ctypedef struct Result:
    # The result of a simulation, by seat.
    double[4] win          # shares
    double[4] lead         # squashed
    double[4] score        # final, expected
    double[4] utility      # utility of each seat, in the searching seat's view
    bint forever           # of a kept one: it is never dropped

ctypedef struct Place:
    # Transposition entry: the children of a position, shared by all orders of moves that reach it.
    uint64_t key           # of the position, in this search; 0: none
    uint32_t first
    uint32_t children

ctypedef struct Tree:
    Node* nodes            # the start of one block that holds the four arrays
    Stats* stats
    Result* results        # results of leaves that are the same on every visit, from index 1
    Place* places          # transposition table, by key; its size is a power of two
    uint64_t places_mask
    uint64_t generation    # differs from search to search, and so do the keys in `places`
    uint32_t nodes_room
    uint32_t stats_room
    uint32_t results_room
    bint together          # several threads search in it (team.pxd)
    uint64_t salt          # makes the deals of different trees differ
    size_t bytes           # of the block
    uint8_t[64] _before    # what changes all the time has a cache line of its own
    int lock               # its holder may change links, results and transpositions
    uint32_t nodes_used
    uint32_t stats_used
    uint32_t results_used
    uint8_t[64] _after


cdef inline void tree_free(Tree* tree) noexcept nogil:
    pages_give(tree.nodes, tree.bytes)
    tree.nodes = NULL
    tree.stats = NULL
    tree.results = NULL
    tree.places = NULL


cdef inline bint tree_init(Tree* tree, size_t bytes_) noexcept nogil:
    """Reserve an arena of `bytes` bytes: up to 1/64 for the transposition table, 2/3 of the rest
    for nodes, the remainder in equal parts for stats and results; False without memory.

    Pages are touched, and so really allocated, only as the tree grows.
    """
    cdef size_t places = 1, nodes, stats, results
    while places * 2 * sizeof(Place) <= bytes_ // 64:
        places *= 2
    bytes_ -= places * sizeof(Place)
    nodes = min(bytes_ // 3 * 2 // sizeof(Node), INDEX_LIMIT)
    stats = min(bytes_ // 6 // sizeof(Stats), INDEX_LIMIT)
    results = min(bytes_ // 6 // sizeof(Result), INDEX_LIMIT)
    tree_free(tree)
    tree.bytes = (nodes * sizeof(Node) + stats * sizeof(Stats) + results * sizeof(Result)
                  + places * sizeof(Place))
    tree.nodes = <Node*> pages_take(tree.bytes)
    if tree.nodes == NULL:
        return False
    tree.stats = <Stats*> (tree.nodes + nodes)
    tree.results = <Result*> (tree.stats + stats)
    tree.places = <Place*> (tree.results + results)
    tree.nodes_room = <uint32_t> nodes
    tree.stats_room = <uint32_t> stats
    tree.results_room = <uint32_t> results
    tree.places_mask = places - 1
    tree.generation = 0
    tree_clear(tree)
    return True


cdef inline void tree_clear(Tree* tree) noexcept nogil:
    """Reset to a lone root; Stats 0 means none, Stats 1 is the root's."""
    memset(&tree.nodes[0], 0, sizeof(Node))
    memset(&tree.stats[0], 0, 2 * sizeof(Stats))
    tree.nodes[0].stats = 1
    tree.nodes_used = 1
    tree.stats_used = 2
    tree.results_used = 1
    tree.generation += 2                # so that bit 0 of a key stays: never 0


cdef inline bint tree_room(const Tree* tree, int children) noexcept nogil:
    return count_read(&tree.nodes_used) + <uint32_t> children <= tree.nodes_room


cdef inline void use_nodes(Tree* tree, int count) noexcept nogil:
    count_write(&tree.nodes_used, tree.nodes_used + <uint32_t> count)


cdef inline void take_tree(Tree* tree) noexcept nogil:
    """Wait until no other thread changes the tree's shape, then keep them from it."""
    if tree.together:
        lock_take(&tree.lock)


cdef inline void give_tree(Tree* tree) noexcept nogil:
    if tree.together:
        lock_give(&tree.lock)


cdef inline Link link_of(const Node* node) noexcept nogil:
    cdef Link link
    cdef uint64_t word = link_read(&node.first)
    memcpy(&link, &word, sizeof(Link))
    return link


cdef inline void set_link(Node* node, uint32_t first, int children) noexcept nogil:
    """Let a node point to children, which are complete, or to a result."""
    cdef Link link = Link(first=first, children=<uint16_t> children, bag=node.bag)
    cdef uint64_t word
    memcpy(&word, &link, sizeof(Link))
    link_write(&node.first, word)


cdef inline const Result* kept_result(const Tree* tree, const Node* node) noexcept nogil:
    """The result of a leaf that is the same on every visit; NULL: unknown."""
    cdef Link link = link_of(node)
    return &tree.results[link.first] if link.first and link.children == 0 else NULL


cdef inline void keep_result(Tree* tree, Node* node, const Result* result,
                             bint forever) noexcept nogil:
    """Store the result of a node without children for further visits, if there is room."""
    if tree.results_used < tree.results_room:
        tree.results[tree.results_used] = result[0]
        tree.results[tree.results_used].forever = forever
        set_link(node, tree.results_used, 0)
        tree.results_used += 1


cdef inline Stats* node_stats(Tree* tree, Node* node) noexcept nogil:
    """The node's Stats, made on its first visit; NULL when the arena is full."""
    if node.stats == 0:
        if tree.stats_used >= tree.stats_room:
            return NULL
        node.stats = tree.stats_used
        memset(&tree.stats[node.stats], 0, sizeof(Stats))
        tree.stats_used += 1
    return &tree.stats[node.stats]


cdef inline void fetch_children(const Tree* tree, const Node* node) noexcept nogil:
    """Let the processor fetch the first children, which will be looked at soon."""
    cdef const char* first = <const char*> &tree.nodes[link_of(node).first]
    FETCH(first)
    FETCH(first + 64)
    FETCH(first + 128)


cdef inline void set_priors(uint32_t* actions, int* logits, int count, double temperature,
                            double mixed, float* priors) noexcept nogil:
    """Priors: softmax of logits / 256 / temperature, and a share spread evenly; most likely first.

    Sorts `actions` and `logits`; all have room for MOST_CHILDREN.

    mixed: the share spread evenly, so that no move is starved.
    """
    cdef double total = 0
    cdef int i
    sort_by_logit(actions, logits, count)
    powers_of_logits(logits, count, 1.0 / (256.0 * temperature), priors)
    for i in range(count):
        total += priors[i]
    for i in range(count):
        priors[i] = <float> ((1.0 - mixed) * priors[i] / total + mixed / count)


cdef inline void place_children(Tree* tree, Node* node, const uint32_t* actions,
                                const float* priors, int count) noexcept nogil:
    """Append the children, most likely first, as set_priors() sorts them."""
    cdef Node* child = &tree.nodes[tree.nodes_used]
    cdef int i
    for i in range(count):
        memset(&child[i], 0, sizeof(Node))
        child[i].action = actions[i]
        child[i].prior = priors[i]
    set_link(node, tree.nodes_used, count)
    use_nodes(tree, count)


cdef inline void copy_node(const Node* node, Node* copy) noexcept nogil:
    """Copy a node; what other threads add to it meanwhile is lost."""
    cdef Link link = link_of(node)
    copy.value, copy.squares = sum_read(&node.value), sum_read(&node.squares)
    copy.action, copy.visits = node.action, count_read(&node.visits)
    copy.prior, copy.stats = node.prior, node.stats
    copy.first, copy.children, copy.bag = link.first, link.children, link.bag


cdef inline Node* child_of(const Tree* tree, const Node* node, uint32_t action) noexcept nogil:
    """The child that an action leads to; NULL: none."""
    cdef int i
    for i in range(node.children):
        if tree.nodes[node.first + <uint32_t> i].action == action:
            return &tree.nodes[node.first + <uint32_t> i]
    return NULL


cdef inline void keep_children(Tree* tree, Node* node, const uint32_t* actions,
                               int count) noexcept nogil:
    """Drop all children but these, which stay in their order, with all that is known of them."""
    cdef int i, k, kept = 0
    cdef Node* child = &tree.nodes[node.first]
    for i in range(node.children):
        for k in range(count):
            if child[i].action == actions[k]:
                child[kept] = child[i]
                kept += 1
                break
    node.children = <uint16_t> kept


cdef inline uint32_t least_visited(const Tree* tree, const Node* node) noexcept nogil:
    """Index of the child with the fewest visits, of several the likeliest."""
    cdef Link link = link_of(node)
    cdef uint32_t index, found = link.first
    for index in range(link.first + 1, link.first + link.children):
        if count_read(&tree.nodes[index].visits) < count_read(&tree.nodes[found].visits):
            found = index
    return found


# Transpositions: positions reached by several orders of moves. Each order has its own node with its
# own visits, but all share the same children.

cdef inline Place* place_of(const Tree* tree, uint64_t key) noexcept nogil:
    return &tree.places[(key >> 20) & tree.places_mask]


cdef inline bint find_children(const Tree* tree, Node* node, uint64_t key) noexcept nogil:
    """Give a node the existing children of its position, if there are any."""
    cdef const Place* place = place_of(tree, key)
    if place.key != key ^ tree.generation:
        return False
    set_link(node, place.first, place.children)
    return True


cdef inline void note_children(Tree* tree, const Node* node, uint64_t key) noexcept nogil:
    cdef Place* place = place_of(tree, key)
    place.key = key ^ tree.generation
    place.first = node.first
    place.children = node.children


cdef inline void tree_resume(Tree* tree, const Node* node) noexcept nogil:
    """Let the root have the children of a node, and their visits; all their Stats begin anew."""
    cdef Node root
    cdef const Node* child
    cdef int i
    memset(&root, 0, sizeof(Node))
    root.stats = 1
    root.first, root.children = node.first, node.children
    for i in range(root.children):
        child = &tree.nodes[root.first + <uint32_t> i]
        root.visits += child.visits
        root.value += child.value
        root.squares += child.squares
        if child.stats:
            memset(&tree.stats[child.stats], 0, sizeof(Stats))
    tree.nodes[0] = root
    memset(&tree.stats[1], 0, sizeof(Stats))
