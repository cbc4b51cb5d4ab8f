# Deals below a node between two rounds, which is a chance node: as many as its visits are worth
# (progressive widening), each with tiles of its own.

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from pavilion_ai._c.counting cimport count_ahead, visits_before
from pavilion_ai._c.rng cimport Xoshiro, rng_seed, splitmix_mix
from pavilion_ai._c.rules cimport GameState, game_determinise, game_draw
from pavilion_ai._c.scratch cimport Scratch, SearchConfig, Walk
from pavilion_ai._c.together cimport count_read
from pavilion_ai._c.tree cimport (
    Node, Tree, copy_node, give_tree, set_link, take_tree, tree_room, use_nodes,
)
from pavilion_ai._c.utility cimport square_root

cdef enum:
    DEAL_SLOTS = 8          # deals for which a node has room at first
    MOST_DEALS = 16384      # below a node


cdef inline int deals_from(const GameState* root, const SearchConfig* config) noexcept nogil:
    """Visits of a node between two rounds before deals are tried below it; 0: never.

    A seat that judges linearly wants what that says of the end of the round, so none are tried.
    """
    cdef int s
    for s in range(root.players):
        if config.linear[s] and s != root.mover and config.net != NULL:
            return 0
    return config.deal_visits


cdef inline int open_deals(const Tree* tree, const Node* node, const SearchConfig* config,
                           const Scratch* scratch) noexcept nogil:
    """How many deals a node between two rounds may have by its visits; 0: evaluate the node."""
    cdef int beyond = <int> visits_before(tree, node) - scratch.deal_visits
    if scratch.deal_visits == 0 or beyond < 0:
        return 0
    return 1 + <int> square_root(beyond / <double> config.deal_spread)


cdef inline void redirect(Walk* walks, int count, uint32_t first, int children,
                          uint32_t moved) noexcept nogil:
    """Let walks that pass through some nodes, which lie side by side, pass through their copies."""
    cdef Walk* walk
    cdef int i, d
    for i in range(count):
        walk = &walks[i]
        for d in range(walk.depth + 1 if walk.need else 0):
            if first <= walk.path[d] < first + <uint32_t> children:
                walk.path[d] += moved - first


cdef inline bint make_room_for_deals(Tree* tree, Node* node, int deals, Walk* walks,
                                     int walking) noexcept nogil:
    """Let a node have at least so many children, unvisited ones last; False without memory.

    walks: all that are on their way, `walking` of them.
    """
    cdef int i, room = max(node.children, DEAL_SLOTS)
    cdef Node* child
    if deals <= node.children:
        return True
    while room < deals:
        room *= 2
    if room > MOST_DEALS or not tree_room(tree, room):
        return False
    child = &tree.nodes[tree.nodes_used]
    for i in range(node.children):
        copy_node(&tree.nodes[node.first + <uint32_t> i], &child[i])
    memset(&child[node.children], 0, (room - node.children) * sizeof(Node))
    redirect(walks, walking, node.first, node.children, tree.nodes_used)
    set_link(node, tree.nodes_used, room)
    use_nodes(tree, room)
    return True


cdef inline uint32_t next_deal(Tree* tree, Node* node, const SearchConfig* config,
                               const Scratch* scratch, uint64_t key, Walk* walks,
                               int walking, int* number) noexcept nogil:
    """Index of the deal to follow below a chance node between two rounds, and its number there; 0:
    evaluate the node.

    Progressive widening: the number of deals grows with the square root of the visits.

    key: key of the tiles from which the deal is drawn; simulations that arrive with others, because
    tiles were drawn on their way, have their own deals. A node keeps 48 bits of it.
    walks: see make_room_for_deals().
    """
    cdef uint32_t low = <uint32_t> key
    cdef uint16_t high = <uint16_t> (key >> 48)
    cdef Node* child
    cdef uint32_t found = 0
    cdef int i, deals = open_deals(tree, node, config, scratch)
    if deals == 0:
        return 0
    take_tree(tree)
    if not make_room_for_deals(tree, node, deals, walks, walking):
        deals = node.children
    for i in range(deals):
        child = &tree.nodes[node.first + <uint32_t> i]
        if count_read(&child.visits) == 0:
            child.action = low
            child.bag = high
            found = node.first + <uint32_t> i
            break
        if child.action == low and child.bag == high and (
                found == 0 or count_read(&child.visits) < count_read(&tree.nodes[found].visits)):
            found = node.first + <uint32_t> i
    if found:
        number[0] = <int> (found - node.first)
        count_ahead(tree, &tree.nodes[found], True)     # before another thread labels it anew
    give_tree(tree)
    return found


cdef inline void draw_numbered_deal(GameState* st, const Tree* tree, int number) noexcept nogil:
    """Deal the tiles of a number below a node: from equal bags the same ones on every visit.

    So moves are compared on the same deals. A bag of unknown contents is sampled with the deal, so
    that is the same on every visit too.
    """
    cdef Xoshiro dealer
    rng_seed(&dealer, tree.salt ^ splitmix_mix(st.bag), number)
    game_determinise(st, &dealer)
    game_draw(st, &dealer)
