# Self-play for training, without the interpreter's lock; included by _core.pyx after _search.pxi.
#
# A record is a decision that was searched, or a position between two rounds. Decisions with one
# move are played without a search and leave no record; of the fast searches a share leaves one.

ctypedef struct Growing:
    # A block of memory that grows as items are appended.
    char* data
    size_t used
    size_t room


cdef int append(Growing* block, const void* item, size_t size) except -1 nogil:
    cdef size_t room = block.room
    cdef char* data
    if block.used + size > room:
        room = 2 * (block.used + size) + 4096
        data = <char*> realloc(block.data, room)
        if data == NULL:
            with gil:
                raise MemoryError("no memory for the records of a game")
        block.data = data
        block.room = room
    memcpy(block.data + block.used, item, size)
    block.used += size
    return 0


cdef bytes taken(Growing* block):
    """The contents, after which the block is empty again."""
    cdef bytes out = PyBytes_FromStringAndSize(block.data, <Py_ssize_t> block.used)
    block.used = 0
    return out


ctypedef struct GameLog:
    Growing states
    Growing round          # uint8
    Growing first          # uint32: the record's first entry in moves
    Growing moves          # uint32
    Growing visits         # uint32
    Growing win            # float, by record and seat: the root's mean share; below 0: not searched
    Growing lead           # the same, squashed
    Growing score
    int plies


cdef void stir(Tree* tree, double share, Xoshiro* rng) noexcept nogil:
    """Mix noise into the priors of the root's moves; a few of them get most of it."""
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
    # Selection relies on the order: those visited first, then by prior.
    cdef Node moved
    for i in range(1, n):
        moved = child[i]
        j = i
        while j and not child[j - 1].visits and (moved.visits
                                                 or child[j - 1].prior < moved.prior):
            child[j] = child[j - 1]
            j -= 1
        child[j] = moved


cdef uint32_t chosen_move(const Tree* tree, double drawn_share, Xoshiro* rng) noexcept nogil:
    """The most visited move; with some probability one drawn in proportion to the visits."""
    cdef const Node* root = &tree.nodes[0]
    cdef const Node* child = &tree.nodes[root.first]
    cdef int i, best = 0
    cdef uint32_t total = 0, rank
    for i in range(root.children):
        total += child[i].visits
        if child[i].visits > child[best].visits:
            best = i
    if rng_below(rng, 1 << 20) < drawn_share * (1 << 20):
        rank = rng_below(rng, total)
        for i in range(root.children):
            if rank < child[i].visits:
                return child[i].action
            rank -= child[i].visits
    return child[best].action


cdef int log_record(const GameState* st, const Tree* tree, bint searched, bint with_moves,
                    GameLog* log) except -1 nogil:
    cdef uint32_t at = <uint32_t> (log.moves.used // sizeof(uint32_t))
    cdef const Node* child = &tree.nodes[tree.nodes[0].first]
    cdef const Stats* stats = &tree.stats[1]
    cdef float win, lead, score
    cdef int i
    append(&log.states, st, game_bytes(st))
    append(&log.round, &st.round, 1)
    append(&log.first, &at, sizeof(uint32_t))
    for i in range(st.players):
        win = lead = score = <float> -1.0
        if searched:
            win = <float> (stats.win[i] / tree.nodes[0].visits)
            lead = <float> (stats.lead[i] / tree.nodes[0].visits)
            score = <float> (stats.score[i] / tree.nodes[0].visits)
        append(&log.win, &win, sizeof(float))
        append(&log.lead, &lead, sizeof(float))
        append(&log.score, &score, sizeof(float))
    if searched and with_moves:
        for i in range(tree.nodes[0].children):
            append(&log.moves, &child[i].action, sizeof(uint32_t))
            append(&log.visits, &child[i].visits, sizeof(uint32_t))
    return 0


ctypedef struct SelfPlayConfig:
    int64_t full_sims
    int64_t fast_sims
    double full_share      # of the decisions; only these train the policy
    double noise           # share of the root's priors, in full searches
    double drawn_share     # of the decisions; their move is drawn by visits
    double record_share    # of the fast searches that leave a record


cdef int self_play(GameState* st, Tree* tree, const SearchConfig* config,
                   const SelfPlayConfig* play, Xoshiro* rng, Scratch* scratch, GameLog* log,
                   const volatile int* stop) except -1 nogil:
    """Play a game to its end and log it."""
    cdef uint32_t[MAX_MOVES] moves
    cdef bint full
    cdef int64_t sims
    while not game_is_over(st):
        if game_is_chance(st):
            if game_at_horizon(st):
                log_record(st, tree, False, False, log)
            game_draw(st, rng)
            continue
        log.plies += 1
        if game_moves(st, True, moves) == 1:
            game_apply(st, moves[0])
            continue
        full = rng_below(rng, 1 << 20) < play.full_share * (1 << 20)
        tree_clear(tree)
        if config.deal_visits:
            tree.salt = rng_next(rng)
        sims = play.full_sims if full else play.fast_sims
        if full and play.noise > 0:
            search(st, tree, config, rng, scratch, 1, 0, stop)
            stir(tree, play.noise, rng)
            sims -= 1
        search(st, tree, config, rng, scratch, sims, 0, stop)
        if stop[0]:
            return 0
        if full or play.record_share >= 1 or (
                rng_below(rng, 1 << 20) < play.record_share * (1 << 20)):
            log_record(st, tree, True, full, log)
        game_apply(st, chosen_move(tree, play.drawn_share, rng))
    return 0


cdef double check_share(double share, str what) except -1:
    if not 0 <= share <= 1:
        raise ValueError(f"{what} is {share!r}, expected 0..1")
    return share


cdef class SelfPlay:
    cdef Tree tree
    cdef SearchConfig config
    cdef SelfPlayConfig play_config
    cdef Scratch* scratch
    cdef GameLog log
    cdef object cls
    cdef Network network
    cdef int players
    cdef bint grey
    cdef int stopped
    cdef bint busy

    def __cinit__(self):
        memset(&self.tree, 0, sizeof(Tree))
        memset(&self.log, 0, sizeof(GameLog))
        self.scratch = <Scratch*> calloc(1, sizeof(Scratch))
        if self.scratch == NULL:
            raise MemoryError("no memory for self-play")

    def __dealloc__(self):
        tree_free(&self.tree)
        if self.scratch != NULL:
            sights_free(&self.scratch.sights)
        free(self.scratch)
        free(self.log.states.data)
        free(self.log.round.data)
        free(self.log.first.data)
        free(self.log.moves.data)
        free(self.log.visits.data)
        free(self.log.win.data)
        free(self.log.lead.data)
        free(self.log.score.data)

    def __init__(self, cls, int players, bint grey, Network network=None, *, memory_bytes=1 << 23,
                 full_sims=600, fast_sims=120, full_share=0.3, noise=0.15, drawn_share=0.1,
                 record_share=1.0, **tunables):
        if cls not in (SummerState, AzulState):
            raise ValueError(f"{cls!r} is no class of states")
        self.cls = cls
        self.players = check(players, 2, SEATS, "players")
        self.grey = grey
        self.network = network
        set_config(&self.config, network, cls, self.players, tunables)
        self.play_config.full_sims = check(full_sims, 1, 1 << 30, "full_sims")
        self.play_config.fast_sims = check(fast_sims, 1, 1 << 30, "fast_sims")
        self.play_config.full_share = check_share(full_share, "full_share")
        self.play_config.noise = check_share(noise, "noise")
        self.play_config.drawn_share = check_share(drawn_share, "drawn_share")
        self.play_config.record_share = check_share(record_share, "record_share")
        check_memory(memory_bytes)
        sights_free(&self.scratch.sights)
        if network is not None and not sights_init(&self.scratch.sights, &network.net):
            raise MemoryError("no memory for self-play")
        if not tree_init(&self.tree, memory_bytes):
            raise MemoryError(f"no memory for a search tree of {memory_bytes} bytes")

    def stop(self):
        self.stopped = 1

    def play(self, seed):
        if self.busy:
            raise ValueError("a game is already being played")
        self.busy = True
        try:
            return self.play_game(seed)
        finally:
            self.busy = False

    cdef object play_game(self, seed):
        cdef Xoshiro rng
        cdef SummerStruct summer
        cdef AzulStruct azul
        cdef bint is_summer = self.cls is SummerState
        cdef uint32_t end
        cdef GameLog* log = &self.log
        cdef int start
        log.states.used = log.round.used = log.first.used = log.moves.used = 0
        log.visits.used = log.win.used = log.lead.used = log.score.used = 0
        log.plies = 0
        rng_seed(&rng, <uint64_t> (seed & 0xFFFFFFFFFFFFFFFF), 1)
        start = <int> rng_below(&rng, <uint32_t> self.players)
        with nogil:
            if is_summer:
                memset(&summer, 0, sizeof(SummerStruct))
                summer_new(&summer, self.players, self.grey, start, &rng)
                self_play(&summer, &self.tree, &self.config, &self.play_config, &rng,
                          self.scratch, log, &self.stopped)
            else:
                memset(&azul, 0, sizeof(AzulStruct))
                azul_new(&azul, self.players, self.grey, start, &rng)
                self_play(&azul, &self.tree, &self.config, &self.play_config, &rng,
                          self.scratch, log, &self.stopped)
        if self.stopped:
            return None
        end = <uint32_t> (log.moves.used // sizeof(uint32_t))
        append(&log.first, &end, sizeof(uint32_t))
        final = final_result(&summer, &self.config) if is_summer else final_result(
            &azul, &self.config)
        return {
            "states": taken(&log.states), "round": taken(&log.round), "first": taken(&log.first),
            "moves": taken(&log.moves), "visits": taken(&log.visits),
            "win": taken(&log.win), "lead": taken(&log.lead), "score": taken(&log.score),
            "final_win": final[0], "final_lead": final[1], "final_score": final[2],
            "plies": log.plies,
        }


cdef tuple final_result(const GameState* st, const SearchConfig* config):
    """By seat: win shares, squashed leads and scores of a game that is over."""
    cdef Result result
    cdef int s
    value_end(st, config.width, &result)
    return (tuple([result.win[s] for s in range(st.players)]),
            tuple([result.lead[s] for s in range(st.players)]),
            tuple([result.score[s] for s in range(st.players)]))
