# Games of the search against itself, logged for training.
#
# A record is a decision that was searched, or a position between two rounds. Decisions with a
# single move are played without a search or a record; only a share of the fast searches leaves a
# record.

from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport free
from pavilion_ai._c.growing cimport Growing, append
from pavilion_ai._c.rng cimport Xoshiro, rng_below, rng_next
from pavilion_ai._c.rules cimport (
    MAX_MOVES, GameState, game_apply, game_at_horizon, game_bytes, game_draw, game_is_chance,
    game_is_over, game_moves,
)
from pavilion_ai._c.scratch cimport Scratch, SearchConfig
from pavilion_ai._c.search cimport search
from pavilion_ai._c.together cimport flag_is_up
from pavilion_ai._c.tree cimport Node, Stats, Tree, tree_clear

cdef enum:
    # The columns of a log.
    LOG_STATES = 0
    LOG_ROUND = 1          # uint8
    LOG_FIRST = 2          # uint32: the record's first entry in moves; one more at the end
    LOG_MOVES = 3          # uint32
    LOG_VISITS = 4         # uint32
    LOG_WIN = 5            # float, by record and seat: the root's mean share; < 0: not searched
    LOG_LEAD = 6           # the same, squashed
    LOG_SCORE = 7
    LOG_COLUMNS = 8

ctypedef struct GameLog:
    Growing[LOG_COLUMNS] columns
    int plies

ctypedef struct SelfPlayConfig:
    int64_t full_sims
    int64_t fast_sims
    double full_share      # share of decisions searched in full; only these train the policy
    double noise           # share of root noise in the root's priors, in full searches
    double drawn_share     # share of decisions whose move is drawn by visits
    double record_share    # share of fast searches that leave a record


cdef inline void log_clear(GameLog* log) noexcept nogil:
    cdef int i
    for i in range(LOG_COLUMNS):
        log.columns[i].used = 0
    log.plies = 0


cdef inline void log_free(GameLog* log) noexcept nogil:
    cdef int i
    for i in range(LOG_COLUMNS):
        free(log.columns[i].data)


cdef inline bint log_first(GameLog* log) noexcept nogil:
    """Log the start of the next record's moves."""
    cdef uint32_t at = <uint32_t> (log.columns[LOG_MOVES].used // sizeof(uint32_t))
    return append(&log.columns[LOG_FIRST], &at, sizeof(uint32_t))


cdef inline bint log_float(GameLog* log, int column, double value) noexcept nogil:
    cdef float item = <float> value
    return append(&log.columns[column], &item, sizeof(float))


cdef inline bint log_record(const GameState* st, const Tree* tree, bint searched, bint with_moves,
                            GameLog* log) noexcept nogil:
    """Add a record; False without memory."""
    cdef const Node* child = &tree.nodes[tree.nodes[0].first]
    cdef const Stats* stats = &tree.stats[1]
    cdef uint32_t visits = tree.nodes[0].visits
    cdef int i
    cdef bint room = (append(&log.columns[LOG_STATES], st, game_bytes(st))
                      and append(&log.columns[LOG_ROUND], &st.round, 1) and log_first(log))
    for i in range(st.players):
        room = (room and log_float(log, LOG_WIN, stats.win[i] / visits if searched else -1)
                and log_float(log, LOG_LEAD, stats.lead[i] / visits if searched else -1)
                and log_float(log, LOG_SCORE, stats.score[i] / visits if searched else -1))
    for i in range(tree.nodes[0].children if searched and with_moves else 0):
        room = (room and append(&log.columns[LOG_MOVES], &child[i].action, sizeof(uint32_t))
                and append(&log.columns[LOG_VISITS], &child[i].visits, sizeof(uint32_t)))
    return room


cdef inline void add_root_noise(Tree* tree, double share, Xoshiro* rng) noexcept nogil:
    """Root noise, in the role of Dirichlet noise: mix noise into the priors of the root's moves.

    It is proportional to u**8 with u uniform, so a few moves get most of it.
    """
    cdef Node* child = &tree.nodes[tree.nodes[0].first]
    cdef double[MAX_MOVES] noise
    cdef double total = 0, x
    cdef int i, j, n = tree.nodes[0].children
    for i in range(n):
        x = <double> (rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)
        noise[i] = x * x * x * x
        noise[i] *= noise[i]
        total += noise[i]
    for i in range(n):
        child[i].prior = <float> ((1 - share) * child[i].prior + share * noise[i] / total)
    # Selection relies on the order: visited moves first, then by prior.
    cdef Node moved
    for i in range(1, n):
        moved = child[i]
        j = i
        while j and not child[j - 1].visits and (moved.visits
                                                 or child[j - 1].prior < moved.prior):
            child[j] = child[j - 1]
            j -= 1
        child[j] = moved


cdef inline bint happens(double share, Xoshiro* rng) noexcept nogil:
    """Whether something does that happens with some probability."""
    return rng_below(rng, 1 << 20) < share * (1 << 20)


cdef inline uint32_t chosen_move(const Tree* tree, double drawn_share,
                                 Xoshiro* rng) noexcept nogil:
    """The most visited move; with some probability one drawn in proportion to the visits."""
    cdef const Node* root = &tree.nodes[0]
    cdef const Node* child = &tree.nodes[root.first]
    cdef int i, best = 0
    cdef uint32_t total = 0, rank
    for i in range(root.children):
        total += child[i].visits
        if child[i].visits > child[best].visits:
            best = i
    if happens(drawn_share, rng):
        rank = rng_below(rng, total)
        for i in range(root.children):
            if rank < child[i].visits:
                return child[i].action
            rank -= child[i].visits
    return child[best].action


cdef inline bint self_play(GameState* st, Tree* tree, const SearchConfig* config,
                           const SelfPlayConfig* play, Xoshiro* rng, Scratch* scratch,
                           GameLog* log, const volatile int* stop) noexcept nogil:
    """Play a game to its end, or until stop[0] is set, and log it; False without memory."""
    cdef uint32_t[MAX_MOVES] moves
    cdef bint full
    cdef int64_t sims
    while not game_is_over(st):
        if game_is_chance(st):
            if game_at_horizon(st) and not log_record(st, tree, False, False, log):
                return False
            game_draw(st, rng)
            continue
        log.plies += 1
        if game_moves(st, True, moves) == 1:
            game_apply(st, moves[0])
            continue
        full = happens(play.full_share, rng)
        tree_clear(tree)
        if config.deal_visits:
            tree.salt = rng_next(rng)
        sims = play.full_sims if full else play.fast_sims
        if full and play.noise > 0:
            search(st, tree, config, rng, scratch, 1, 0, NULL, stop)
            add_root_noise(tree, play.noise, rng)
            sims -= 1
        search(st, tree, config, rng, scratch, sims, 0, NULL, stop)
        if flag_is_up(stop):
            return True
        if full or play.record_share >= 1 or happens(play.record_share, rng):
            if not log_record(st, tree, True, full, log):
                return False
        game_apply(st, chosen_move(tree, play.drawn_share, rng))
    return log_first(log)
