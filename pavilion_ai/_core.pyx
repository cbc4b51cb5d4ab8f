# distutils: language = c
"""The compiled core: thin Python-facing classes over the C-level rules and search.

Signatures and docstrings of record stand in _core.pyi. Nothing here prints or knows notation;
colours at this boundary are numbered in wild order (P G O Y B R = 0..5), spaces 6 * site +
position - 1.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from pavilion_ai._c.rng cimport Xoshiro, rng_below, rng_next, rng_seed
from pavilion_ai._c.bits cimport bits_init, monotonic_seconds
from pavilion_ai._c.rules cimport (
    MAX_MOVES, MAX_SEATS, GameState, game_apply, game_at_horizon, game_available, game_bytes,
    game_determinise, game_draw, game_draw_lowest, game_draws_matter, game_evaluate,
    game_is_chance, game_is_over, game_moves, game_policy_move, game_random_game,
    game_search_moves,
)
from pavilion_ai._c.summer cimport (
    BONUS, CENTRE, DEAL, DISPLAYS, DRAFT, LAST_ROUND, MOVE_DRAFT, MOVE_PASS, MOVE_PLACE, NOBODY,
    OVER, PLACE, SEATS, SPLIT_KNOWN, SUPPLY, WILD_INDEX, WILD_ORDER, SummerSeat,
    SummerState as SummerStruct, number_points, set_centre, set_display, star_points,
    summer_apply, summer_is_chance, summer_tables_init,
)
from pavilion_ai._c.summer_chance cimport (
    hide_split, summer_deal, summer_determinise, summer_draw, summer_draw_lowest, summer_draw_tied,
    summer_new, summer_top_up,
)
from pavilion_ai._c.summer_features cimport (
    EVAL_FEATURES, HAND_WEIGHTS, POLICY_FEATURES, FeatureList, Tally, View, look, move_features,
    seat_features, summer_evaluate, tally,
)
from pavilion_ai._c.summer_moves cimport place_move, summer_moves, summer_random_move
from pavilion_ai._c.summer_policy cimport option_count, summer_policy_move
from pavilion_ai._c.tiles cimport fold, lane, one_tile, total, unfold
from pavilion_ai._c.tree cimport (
    MAX_DEPTH, NOT_LIVE, Node, Stats, Tree, add_children, exp_portable, node_stats, seat_utility,
    square_root, tree_free, tree_init, tree_reroot, tree_room, win_shares,
)

bits_init()
summer_tables_init()


cdef class Rng:
    cdef Xoshiro state

    def __init__(self, seed, stream=0):
        rng_seed(&self.state, <uint64_t> (seed & 0xFFFFFFFFFFFFFFFF),
                 <uint64_t> (stream & 0xFFFFFFFFFFFFFFFF))

    def next(self):
        return rng_next(&self.state)

    def below(self, uint32_t n):
        if n == 0:
            raise ValueError("below() wants a positive bound")
        return rng_below(&self.state, n)


include "_summer.pxi"

# --------------------------------------------------------------------------------- counting

cdef int64_t perft(GameState* st, int depth) except -1 nogil:
    """Leaf nodes after `depth` decisions; chance is settled by the fixed draw."""
    cdef uint32_t[MAX_MOVES] moves
    cdef GameState child
    cdef int64_t nodes = 0
    cdef int i, n
    while game_is_chance(st):
        game_draw_lowest(st)
    if depth <= 0 or game_is_over(st):
        return 1
    n = game_moves(st, False, moves)
    if depth == 1:
        return n
    if depth >= 3:
        with gil:
            PyErr_CheckSignals()
    for i in range(n):
        child = st[0]
        game_apply(&child, moves[i])
        nodes += perft(&child, depth - 1)
    return nodes


def random_games(state, int64_t games, seed):
    cdef Xoshiro rng
    cdef int64_t plies = 0, i
    cdef SummerStruct st
    cdef SummerState summer = state
    cdef int64_t[MAX_SEATS] points
    cdef int s
    for s in range(MAX_SEATS):
        points[s] = 0
    rng_seed(&rng, <uint64_t> (seed & 0xFFFFFFFFFFFFFFFF), 0)
    with nogil:
        for i in range(games):
            summer_new(&st, summer.st.players, summer.st.grey, <int> (i % summer.st.players), &rng)
            plies += game_random_game(&st, &rng)
            for s in range(st.players):
                points[s] += st.seats[s].score
    return plies, [points[s] for s in range(summer.st.players)]


# ----------------------------------------------------------------------------------- search

include "_search.pxi"

cdef class Search:
    cdef SummerStruct root
    cdef Tree tree
    cdef SearchConfig config
    cdef Xoshiro rng
    cdef Scratch* scratch
    cdef int stopped
    cdef bint busy
    cdef readonly int64_t sims

    def __cinit__(self):
        memset(&self.tree, 0, sizeof(Tree))
        self.scratch = <Scratch*> malloc(sizeof(Scratch))
        if self.scratch == NULL:
            raise MemoryError("no memory for a search")

    def __dealloc__(self):
        tree_free(&self.tree)
        free(self.scratch)

    def __init__(self, SummerState state, *, seed, stream=0, memory_bytes, exploration,
                 fpu_reduction, temperature, mixed, win_weight, width, expand_visits, selection,
                 uniform, max_depth):
        if state.st.phase >= DEAL:
            raise ValueError("nobody is to move")
        if memory_bytes < 1 << 16:
            raise ValueError(f"memory_bytes is {memory_bytes!r}, expected at least 65536")
        self.root = state.st
        rng_seed(&self.rng, <uint64_t> (seed & 0xFFFFFFFFFFFFFFFF), stream)
        self.config.exploration = exploration
        self.config.fpu_reduction = fpu_reduction
        self.config.temperature = temperature
        self.config.mixed = mixed
        self.config.win_weight = win_weight
        self.config.width = width
        self.config.expand_visits = expand_visits
        self.config.selection = selection
        self.config.uniform = uniform
        self.config.max_depth = min(max_depth, MAX_DEPTH - 2)
        if not tree_init(&self.tree, memory_bytes):
            raise MemoryError(f"no memory for a search tree of {memory_bytes} bytes")

    def run(self, int64_t sims, double deadline=0):
        cdef int64_t done
        if self.busy:
            raise ValueError("this search is already running")
        self.busy = True
        try:
            with nogil:
                done = search(&self.root, &self.tree, &self.config, &self.rng, self.scratch, sims,
                              deadline, &self.stopped)
        finally:
            self.busy = False
        self.sims += done
        return done

    def stop(self):
        self.stopped = 1

    @property
    def nodes(self):
        return self.tree.nodes_used

    @property
    def memory_used(self):
        return self.tree.nodes_used * sizeof(Node) + self.tree.stats_used * sizeof(Stats)

    def root_stats(self):
        return self.stats_row(&self.tree.nodes[0])

    def rows(self):
        cdef const Node* root = &self.tree.nodes[0]
        cdef int i
        return [self.stats_row(&self.tree.nodes[root.first + <uint32_t> i])
                for i in range(root.children)]

    cdef tuple stats_row(self, const Node* node):
        cdef const Stats* stats = &self.tree.stats[node.stats]
        cdef int i, players = self.root.players
        return (decode_move(node.action), node.visits, node.value, node.prior,
                tuple([stats.win[i] for i in range(players)]), stats.win_squared,
                tuple([stats.score[i] for i in range(players)]))

    def line(self, move, int length=16):
        cdef uint32_t[64] actions
        cdef uint32_t code = encode_move(move)
        cdef const Node* root = &self.tree.nodes[0]
        cdef uint32_t index
        cdef int i, n
        for index in range(root.first, root.first + root.children):
            if self.tree.nodes[index].action == code:
                n = follow_line(&self.root, &self.tree, index, actions, min(length, 64))
                return [decode_move(actions[i]) for i in range(n)]
        return []

    def advance(self, SummerState state, *, seed, stream=0):
        cdef uint32_t at
        if self.busy:
            raise ValueError("this search is already running")
        with nogil:
            at = find_state(&self.root, &self.tree, 0, &state.st, REUSE_DEPTH)
        if at == NOT_LIVE or self.tree.nodes[at].children == 0:
            return False
        if at and not tree_reroot(&self.tree, at):
            return False
        self.root = state.st
        self.stopped = 0
        self.sims = 0
        rng_seed(&self.rng, <uint64_t> (seed & 0xFFFFFFFFFFFFFFFF), stream)
        return True

    def resume(self):
        self.stopped = 0


# ------------------------------------------------------------------------- policy, evaluation

def policy_move(SummerState state, Rng rng=None, by_hand=False):
    if state.st.phase >= DEAL:
        raise ValueError("nobody is to move")
    return decode_move(summer_policy_move(&state.st, &rng.state if rng is not None else NULL,
                                          by_hand))


def policy_features(SummerState state, move):
    cdef View view
    cdef FeatureList features
    cdef Tally out
    cdef int i, options = 0
    cdef uint32_t code = encode_move(move)
    look(&view, &state.st)
    if state.st.phase == PLACE:
        options = option_count(&state.st)
    out = tally(view.weights, &features)
    move_features(&view, code, options, &out)
    return [features.item[i] for i in range(features.count)]


def evaluation_features(SummerState state, int seat):
    cdef FeatureList features
    cdef Tally out = tally(HAND_WEIGHTS, &features)     # only the list is wanted
    cdef int i
    if state.st.phase != DEAL:
        raise ValueError("the evaluation is defined between rounds")
    check(seat, 0, state.st.players - 1, "seat")
    seat_features(&state.st, seat, &out)
    return [features.item[i] for i in range(features.count)]


def evaluate(SummerState state):
    cdef double[MAX_SEATS] scores
    cdef double[MAX_SEATS] shares
    cdef double scale
    cdef int i, players = state.st.players
    if state.st.phase != DEAL and state.st.phase != OVER:
        raise ValueError("the evaluation is defined between rounds")
    summer_evaluate(&state.st, scores, &scale)
    win_shares(scores, players, scale, shares)
    return [scores[i] for i in range(players)], [shares[i] for i in range(players)]


POLICY_SIZE = POLICY_FEATURES
EVALUATION_SIZE = EVAL_FEATURES
