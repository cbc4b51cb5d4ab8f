# What a search tells of positions below its root: the line that it expects, and the node of a
# position that was reached meanwhile.

from libc.stdint cimport uint32_t
from libc.string cimport memcmp, memcpy
from pavilion_ai._c.rules cimport GameState, game_apply, game_bytes, game_is_chance, game_is_over
from pavilion_ai._c.tree cimport NOT_LIVE, Node, Tree

cdef enum:
    REUSE_DEPTH = 12        # decisions below the old root within which the new one is looked for
    SHARED_DEPTH = 2        # the same where positions share their children


cdef inline int follow_line(const GameState* root, const Tree* tree, uint32_t index, uint32_t* line,
                            int room) noexcept nogil:
    """The most visited continuation from the child `index` of the root, up to the next draw."""
    cdef GameState st = root[0]
    cdef const Node* node = &tree.nodes[index]
    cdef uint32_t best
    cdef int i, length = 0
    while length < room:
        line[length] = node.action
        length += 1
        game_apply(&st, node.action)
        if game_is_chance(&st) or game_is_over(&st) or node.children == 0:
            break
        best = node.first
        for i in range(node.children):
            if tree.nodes[node.first + <uint32_t> i].visits > tree.nodes[best].visits:
                best = node.first + <uint32_t> i
        if tree.nodes[best].visits == 0:
            break
        node = &tree.nodes[best]
    return length


cdef inline uint32_t find_state(const GameState* st, const Tree* tree, uint32_t index,
                                const GameState* wanted, int depth) noexcept nogil:
    """The visited node of the state `wanted`, reached by decisions alone.

    NOT_LIVE if there is none. Nodes below a draw do not count: the tree below it is an average
    over draws other than the one that was made.
    """
    cdef const Node* node = &tree.nodes[index]
    cdef GameState child
    cdef uint32_t found
    cdef int i
    if memcmp(st, wanted, game_bytes(st)) == 0:
        return index
    if depth == 0 or game_is_chance(st) or st.round != wanted.round:
        return NOT_LIVE
    for i in range(node.children):
        if tree.nodes[node.first + <uint32_t> i].visits:
            memcpy(&child, st, game_bytes(st))
            game_apply(&child, tree.nodes[node.first + <uint32_t> i].action)
            found = find_state(&child, tree, node.first + <uint32_t> i, wanted, depth - 1)
            if found != NOT_LIVE:
                return found
    return NOT_LIVE
