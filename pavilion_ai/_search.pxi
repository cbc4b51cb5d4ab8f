# The search as a Python class, and what it is told; included by _core.pyx. The work is done by
# _c/search.pxd and the files that it names.

from collections import namedtuple as _namedtuple

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pavilion_ai._c.any_state cimport (
    any_about, any_assist, any_find, any_line, any_list, any_position_key, any_restrict, any_search,
    any_search_together,
)
from pavilion_ai._c.compaction cimport is_time_for_half, make_half_free, tree_reroot
from pavilion_ai._c.reading cimport REUSE_DEPTH, SHARED_DEPTH
from pavilion_ai._c.rng cimport SPLITMIX_STEP, Xoshiro, rng_seed, splitmix_mix
from pavilion_ai._c.rules cimport MAX_MOVES, MAX_SEATS
from pavilion_ai._c.scratch cimport DELTAS, SELECT_EVEN, SELECT_PUCT, Delta, Scratch, SearchConfig
from pavilion_ai._c.search cimport Clock, is_among, out_of_time
from pavilion_ai._c.sight cimport (
    Positions, positions_free, positions_init, sights_free, sights_init,
)
from pavilion_ai._c.system cimport monotonic_seconds
from pavilion_ai._c.team cimport OWN_STATS, Team
from pavilion_ai._c.together cimport raise_flag, word_read, word_write
from pavilion_ai._c.tree cimport (
    MOST_VISITS, NOT_LIVE, Node, Result, Stats, Tree, child_of, find_children,
    keep_children, tree_clear, tree_free, tree_init, tree_resume, tree_room,
)

cdef enum:
    SMALLEST_ARENA = 1 << 16      # bytes: room for a root with all its moves

cdef int64_t MOST_MEMORY = <int64_t> min(<uint64_t> 1 << 62, <uint64_t> (<size_t> -1 >> 1))
cdef int MOST_COUNT = 10**9         # MOST of pavilion_ai.tunables
cdef int WHOLE_TREE = 1 << 16       # as there

RootMove = _namedtuple("RootMove", "move visits value prior wins squares scores",
                       module="pavilion_ai._core")
RootMove.__doc__ = """What a search knows of a move at its root.

Attributes:
    move: as numbers (see the module).
    visits: simulations that played it.
    value: sum over them of the mover's utility.
    prior: share of the policy, 0..1.
    wins: sums of the win shares, by seat.
    squares: sum of the mover's squared win shares.
    scores: sums of the final scores, by seat.
"""


cdef int check_network(Network network, cls, int players) except -1:
    expected = (network_inputs(cls, players), players, POLICY_SIZES[cls])
    shape = (network.inputs, network.players, network.policy)
    if shape != expected:
        raise ValueError(f"the network has inputs, players and policy {shape}, expected {expected}")
    return 0


cdef size_t check_memory(memory_bytes) except 0:
    return <size_t> check_long(memory_bytes, SMALLEST_ARENA, MOST_MEMORY, "memory_bytes")


cdef int set_rivals(SearchConfig* config, rivals) except -1:
    """rivals: the chance of all seats, or of each, to evaluate linearly; from a half on they do."""
    cdef int s
    shares = rivals if isinstance(rivals, tuple) else (rivals,) * MAX_SEATS
    for s in range(MAX_SEATS):
        config.linear[s] = s < len(shares) and check_real(shares[s], 0, 1, "rivals") >= 0.5
    return 0


cdef int set_config(SearchConfig* config, Network network, cls, int players,
                    dict tunables) except -1:
    cdef dict left = dict(tunables)     # all fields of Tunables, with its ranges
    config.exploration = check_real(left.pop("exploration"), 0, 100, "exploration")
    config.spread = check_real(left.pop("spread"), 0, 1, "spread")
    config.growth = check_real(left.pop("growth"), 0, 10, "growth")
    config.fpu_reduction = check_real(left.pop("fpu_reduction"), -1, 1, "fpu_reduction")
    config.root_reduction = config.fpu_reduction
    config.temperature = check_real(left.pop("temperature"), 0.05, 100, "temperature")
    config.mixed = check_real(left.pop("mixed"), 0, 1, "mixed")
    config.win_weight = check_real(left.pop("win_weight"), 0, 1, "win_weight")
    config.width = check_real(left.pop("width"), 1, 1000, "width")
    config.expand_visits = check(left.pop("expand_visits"), 0, 1000, "expand_visits")
    config.selection = check(left.pop("selection"), SELECT_PUCT, SELECT_EVEN, "selection")
    config.uniform = check(left.pop("uniform"), 0, 1, "uniform")
    config.max_depth = check(left.pop("max_depth"), 1, 500, "max_depth")  # below MAX_DEPTH
    config.stats_depth = check(left.pop("stats_depth"), 1, WHOLE_TREE, "stats_depth")
    config.finish = check(left.pop("finish"), 0, MOST_COUNT, "finish")
    config.deal_visits = check(left.pop("deal_visits"), 0, MOST_COUNT, "deal_visits")
    config.deal_spread = check(left.pop("deal_spread"), 1, MOST_COUNT, "deal_spread")
    set_rivals(config, left.pop("rivals"))
    config.plain = check(left.pop("plain"), 0, 1, "plain")
    config.share = check(left.pop("share"), 0, 1, "share")
    config.even = False
    config.guided = False
    if left:
        raise TypeError(f"{', '.join(left)}: not a tunable")
    config.net = NULL
    if network is not None:
        check_network(network, cls, players)
        config.net = &network.net
    return 0


cdef class Search:
    """Search(state, *, seed, stream=0, threads=1, memory_bytes, network=None, **tunables)\n--\n
    One search tree. One thread at a time may use it, which is checked; `stop` may be called from
    any, and `assist` by the others of its team.

    Args:
        state: a state with a seat to move.
        seed, stream: seed and stream of the random numbers; further threads have the next streams.
        threads: number of threads that may search together: one in `run`, the others in `assist`.
        memory_bytes: size of the tree's arena, at least 65536; it is never exceeded.
        network: values and priors of positions; None: the fitted tables.
        **tunables: all fields of `pavilion_ai.tunables.Tunables`; `rivals` also by seat.

    Raises:
        ValueError: if no seat is to move, the network is not for this game and number of players,
            or a number is out of its range. MemoryError: if the arena cannot be had.
    """

    cdef State root
    cdef Network network           # keeps what config.net points to
    cdef Tree tree
    cdef SearchConfig config
    cdef Scratch* scratch          # of each thread, the one that leads first
    cdef int threads
    cdef int assistants            # since the team was opened
    cdef int working               # of them
    cdef Xoshiro* rng              # of each thread
    cdef Stats* own                # of each thread, OWN_STATS; NULL without a team
    cdef Delta* deltas             # of each thread, DELTAS; NULL without a team
    cdef Positions positions       # what the threads have seen
    cdef Team team
    cdef Clock clock
    cdef int stopped
    cdef bint made
    cdef bint busy
    cdef bint confined             # whether the root lacks moves that it would list
    cdef int64_t sims_made         # since the tree was made or moved
    cdef int64_t sims_helped

    def __dealloc__(self):
        cdef int i
        tree_free(&self.tree)
        for i in range(self.threads if self.scratch != NULL else 0):
            sights_free(&self.scratch[i].sights)
        positions_free(&self.positions)
        free(self.scratch)
        free(self.rng)
        free(self.own)
        free(self.deltas)

    cdef int make_team(self, count) except -1:
        cdef uint32_t i, threads = <uint32_t> check(count, 1, 1 << 16, "threads")
        self.threads = <int> threads
        self.scratch = <Scratch*> calloc(threads, sizeof(Scratch))
        self.rng = <Xoshiro*> calloc(threads, sizeof(Xoshiro))
        if threads > 1:
            self.own = <Stats*> calloc(threads * OWN_STATS, sizeof(Stats))
            self.deltas = <Delta*> calloc(threads * DELTAS, sizeof(Delta))
        if self.scratch == NULL or self.rng == NULL or (
                threads > 1 and (self.own == NULL or self.deltas == NULL)) or (
                self.network is not None
                and not positions_init(
                    &self.positions, &self.network.net, self.threads)):
            raise MemoryError("no memory for a search")
        for i in range(threads):
            if threads > 1:
                self.scratch[i].own = self.own + i * OWN_STATS
                self.scratch[i].deltas = self.deltas + i * DELTAS
            if self.network is not None and not sights_init(
                    &self.scratch[i].sights, &self.network.net, &self.positions):
                raise MemoryError("no memory for a search")
        return 0

    @cython.critical_section
    def __init__(self, State state not None, *, seed, stream=0, threads=1, memory_bytes,
                 Network network=None, **tunables):
        cdef uint64_t number = low_bits(seed, "seed"), first = low_bits(stream, "stream")
        cdef size_t size
        if self.made:
            raise ValueError("a search is made once")
        self.made = True
        size = check_memory(memory_bytes)
        self.root = state.duplicate()
        self.root.require_mover()
        self.network = network
        set_config(
            &self.config, network, type(self.root), any_about(self.root.any).players, tunables)
        self.make_team(threads)
        if not tree_init(&self.tree, size):
            raise MemoryError(f"no memory for a search tree of {size} bytes")
        self.set_seed(number, first)

    @cython.critical_section
    cdef int begin(self) except -1:
        """Take the tree for this thread alone; it must set `busy` back."""
        self.require_rest()
        self.busy = True
        return 0

    cdef int require_made(self) except -1:
        if self.scratch == NULL or self.tree.nodes == NULL:
            raise ValueError("this search was not made")
        return 0

    cdef int require_rest(self) except -1:
        self.require_made()
        if self.busy:
            raise ValueError("this search is already running")
        return 0

    cdef int require_alone(self) except -1:
        """Threads that help hold on to the root, also while they rest."""
        self.require_rest()
        if self.working:
            raise ValueError("this team is at work")
        return 0

    cdef void set_seed(self, uint64_t seed, uint64_t stream) noexcept:
        self.seed_draws(seed, stream)
        self.tree.salt = splitmix_mix(seed + SPLITMIX_STEP * (stream + 1))

    cdef void seed_draws(self, uint64_t seed, uint64_t stream) noexcept:
        cdef int i
        for i in range(self.threads):
            rng_seed(&self.rng[i], seed, stream + <uint64_t> i)

    def restrict(self, moves):
        """Look at no other moves of the root than these; before the first simulation.

        They may be moves that the search leaves out otherwise.

        Raises:
            ValueError: the search has begun, these are not different legal moves, or the arena has
                no room for them.
        """
        cdef list wanted = list(moves)      # another thread may change it
        self.begin()
        try:
            self.confine(wanted)
        finally:
            self.busy = False

    cdef int confine(self, list moves) except -1:
        cdef uint32_t[MAX_MOVES] wanted
        cdef int i, n = len(moves)
        if self.tree.nodes[0].children or self.tree.nodes[0].visits:
            raise ValueError("this search has begun")
        if not n or len(set(moves)) < n or not set(self.root.listed(False)).issuperset(moves):
            raise ValueError("expected different legal moves, at least one")
        if not tree_room(&self.tree, n):
            raise ValueError(f"{n} moves: no room for them in the tree")
        for i in range(n):
            wanted[i] = self.root.encode(moves[i])
        any_restrict(self.root.any, &self.tree, &self.config, self.scratch, wanted, n)
        self.confined = True
        return 0

    def listed(self):
        """Return the moves of the root that the search looks at unless told otherwise.

        Raises:
            ValueError: the search is running.
        """
        cdef int i
        self.begin()
        try:
            return [self.root.decode(self.scratch.found.moves[i])
                    for i in range(any_list(self.root.any, &self.config, self.scratch))]
        finally:
            self.busy = False

    def compare(self, moves):
        """From now on look at no other moves of the root than these, and at each as often as at
        the others. What is known of them stays, and those with fewer visits catch up first.

        Raises:
            ValueError: the search is running, or has begun without one of these moves; or as
                `restrict`.
        """
        cdef list wanted = list(moves)      # another thread may change it
        self.begin()
        try:
            self.keep(wanted)
        finally:
            self.busy = False

    cdef int keep(self, list moves) except -1:
        cdef uint32_t[MAX_MOVES] wanted
        cdef Node* root = &self.tree.nodes[0]
        cdef int i, n = len(moves)
        if root.children == 0:
            self.confine(moves)
        if not 0 < n <= MAX_MOVES:
            raise ValueError("expected different moves of the root, at least one")
        for i in range(n):
            wanted[i] = self.root.encode(moves[i])
            if (child_of(&self.tree, root, wanted[i]) == NULL
                    or is_among(wanted[i], wanted, i)):
                raise ValueError("expected different moves of the root, at least one")
        keep_children(&self.tree, root, wanted, n)
        self.config.even = self.confined = True
        return 0

    @cython.critical_section
    def set_deadline(self, deadline, most=0, expected=0):
        """Set when the search ends; a new deadline also forgets the pauses so far.

        It ends before the deadline by as much as pauses, during which the system let it not run,
        were longer than 10 ms.

        Args:
            deadline: reading of time.monotonic(); 0 for none.
            most: seconds before the deadline at which it ends at the earliest.
            expected: length of a pause to expect, in seconds.
        """
        cdef Clock clock = Clock(deadline=real(deadline, "deadline"), most=real(most, "most"),
                                 expected=real(expected, "expected"), pause=0)
        self.require_rest()
        self.clock = clock

    def is_out_of_time(self):
        """Tell whether the deadline has come, or may pass during the next pause; or the tree has as
        many simulations as it can count."""
        self.require_made()
        return self.room_for_sims() <= 0 or out_of_time(&self.clock, monotonic_seconds())

    cdef int64_t clipped(self, sims) except -1:
        """Any whole number of simulations, as far as a tree can have them."""
        return max(0, min(whole(sims, "sims"), MOST_VISITS))

    cdef int64_t room_for_sims(self) noexcept:
        return <int64_t> MOST_VISITS - self.tree.nodes[0].visits

    @property
    def pause(self):
        """Longest time between two readings of the clock since the deadline was set, in seconds."""
        return self.clock.pause

    def run(self, sims, until=0):
        """Simulate, without the interpreter's lock, until a limit is reached.

        Args:
            sims: most simulations of this call. A tree has 2**31 - 1 at most.
            until: reading of time.monotonic() at which this call ends; 0 for none.

        Returns:
            simulations made in this call.
        """
        cdef int64_t done, most = self.clipped(sims)
        cdef double end = real(until, "until")
        self.begin()
        most = min(most, self.room_for_sims())
        try:
            with nogil:
                if self.threads == 1:
                    done = any_search(self.root.any, &self.tree, &self.config, self.rng,
                                      self.scratch, most, end, &self.clock, &self.stopped)
                else:
                    done = any_search_together(
                        self.root.any, &self.tree, &self.config, self.rng, self.scratch,
                        &self.team, most, end, &self.clock, &self.stopped)
                    self.sims_helped += <int64_t> word_read(&self.team.done)
            self.sims_made += done
        finally:
            self.busy = False
        return done

    def open_team(self):
        """Let threads that call `assist` from now on work for `run`, until `close_team`.

        Raises:
            ValueError: some of them are still at work for it.
        """
        with cython.critical_section(self):
            if self.working:
                raise ValueError("this team is at work")
            self.assistants = 0
            word_write(&self.team.resting, 1)
            word_write(&self.team.open, 1)

    def close_team(self):
        """Let all calls of `assist` return."""
        word_write(&self.team.open, 0)

    def assist(self):
        """Work for `run`, without the interpreter's lock, while the team is open.

        Raises:
            ValueError: as many threads as the team has work for it already.
        """
        cdef int number
        with cython.critical_section(self):
            self.require_made()
            if self.assistants + 1 >= self.threads:
                raise ValueError("this search has no place for another thread")
            self.assistants += 1
            self.working += 1
            number = self.assistants
        with nogil:
            any_assist(self.root.any, &self.tree, &self.config, &self.rng[number],
                       &self.scratch[number], &self.team)
        with cython.critical_section(self):
            self.working -= 1

    def stop(self):
        """End a running `run` within 16 simulations, and any later one at once."""
        raise_flag(&self.stopped)

    @property
    def sims(self):
        """Simulations since the tree was made or moved."""
        return self.sims_made

    @property
    def helped(self):
        """How many of all its simulations were made in `assist`."""
        return self.sims_helped

    @property
    def nodes(self):
        """Nodes in the tree."""
        return self.tree.nodes_used

    @property
    def memory_used(self):
        """Bytes of the arena in use."""
        return (self.tree.nodes_used * sizeof(Node) + self.tree.stats_used * sizeof(Stats)
                + self.tree.results_used * sizeof(Result))

    def root_stats(self):
        """Return the root's own sums; `move` and `prior` mean nothing there. After `advance` in a
        tree without `share`, `value` and `squares` are in part those of the seat that moved before.
        ValueError while the search runs."""
        self.begin()
        try:
            return self.stats_row(&self.tree.nodes[0])
        finally:
            self.busy = False

    def rows(self):
        """Return what is known of each of the root's moves. ValueError while the search runs."""
        cdef const Node* root = &self.tree.nodes[0]
        cdef int i
        self.begin()
        try:
            return [self.stats_row(&self.tree.nodes[root.first + <uint32_t> i])
                    for i in range(root.children)]
        finally:
            self.busy = False

    cdef object stats_row(self, const Node* node):
        cdef const Stats* stats = &self.tree.stats[node.stats]
        cdef int i, players = self.root.players
        return RootMove(self.root.decode(node.action), node.visits, node.value, node.prior,
                        tuple([stats.win[i] for i in range(players)]), stats.win_squared,
                        tuple([stats.score[i] for i in range(players)]))

    def line(self, move, length=16):
        """Return the most visited continuation that begins with a root move, up to a draw.
        ValueError while the search runs."""
        cdef uint32_t[64] actions
        cdef uint32_t code
        cdef const Node* root = &self.tree.nodes[0]
        cdef uint32_t index
        cdef int i, n, room = max(0, min(whole(length, "length"), 64))
        self.begin()
        try:
            code = self.root.encode(move)
            for index in range(root.first, root.first + root.children):
                if self.tree.nodes[index].action == code:
                    n = any_line(self.root.any, &self.tree, index, actions, room)
                    return [self.root.decode(actions[i]) for i in range(n)]
            return []
        finally:
            self.busy = False

    @cython.critical_section
    def advance(self, State state not None, *, seed, stream=0, seconds=0):
        """Make the node of `state` the root, if decisions alone lead to it.

        Where positions share their children (`share`), what the report needs (win shares and
        scores) is only that of simulations to come; visits and values are those of all.

        Args:
            seconds: time of the next search. More than half of the memory is taken over only if
                there is time to prune the tree; 0: there is.

        Returns:
            False if there is no such node, no time, or `restrict` or `compare` has confined the
            search; the tree is then unchanged.

        Raises:
            ValueError: no seat is to move in `state`, the search is running, or others are in
                `assist`.
        """
        cdef State wanted = state.duplicate()
        cdef uint64_t number = low_bits(seed, "seed"), first = low_bits(stream, "stream")
        cdef double left = real(seconds, "seconds")
        self.require_alone()
        wanted.require_mover()
        if self.confined or not (self.find_shared(wanted, left) if self.config.share
                                 else self.find_below(wanted)):
            return False
        self.root = wanted
        self.stopped = 0
        self.sims_made = 0
        # The salt stays: deals below nodes that are kept are those made with it.
        self.seed_draws(number, first)
        return True

    cdef bint find_below(self, State wanted) noexcept:
        cdef uint32_t at = any_find(self.root.any, &self.tree, wanted.any, REUSE_DEPTH)
        return at != NOT_LIVE and self.tree.nodes[at].children != 0 and (
            at == 0 or tree_reroot(&self.tree, at))

    cdef bint find_shared(self, State wanted, double seconds) noexcept:
        cdef Node node
        cdef uint32_t at
        if not (self.is_like(wanted) and is_time_for_half(&self.tree, seconds)):
            return False
        memset(&node, 0, sizeof(Node))
        if not find_children(&self.tree, &node, any_position_key(wanted.any)):
            # The transposition table may have lost it.
            at = any_find(self.root.any, &self.tree, wanted.any, SHARED_DEPTH)
            if at == NOT_LIVE or self.tree.nodes[at].children == 0:
                return False
            node = self.tree.nodes[at]
        tree_resume(&self.tree, &node)
        make_half_free(&self.tree)
        return True

    cdef bint is_like(self, State wanted) noexcept:
        """Whether a state is of the same game and number of players."""
        return type(wanted) is type(self.root) and (
            any_about(wanted.any).players == any_about(self.root.any).players)

    @property
    def linear(self):
        """By seat, whether it would be expected to judge by the linear heuristics, were it not the
        one to move."""
        self.require_made()
        return tuple(bool(self.config.linear[s]) for s in range(self.root.players))

    @cython.critical_section
    def expect(self, rivals):
        """Set the tunable `rivals` of all seats, or of each; ValueError while the search runs or
        others are in `assist`, or if a chance is not in 0..1."""
        cdef SearchConfig asked
        set_rivals(&asked, rivals)
        self.require_alone()
        self.config.linear = asked.linear

    @cython.critical_section
    def restart(self, State state not None, *, seed, stream=0):
        """Begin a new search of a state, in the memory of the last one; as a new Search otherwise.

        Returns:
            False if the state is of another game or number of players, or a `GuidedSearch` is for
            another side of the board; nothing is changed then.

        Raises:
            ValueError: as `advance`.
        """
        cdef State wanted = state.duplicate()
        cdef uint64_t number = low_bits(seed, "seed"), first = low_bits(stream, "stream")
        self.require_alone()
        wanted.require_mover()
        if not self.is_like(wanted):
            return False
        tree_clear(&self.tree)
        self.root = wanted
        self.config.even = self.confined = False
        self.stopped = 0
        self.sims_made = 0
        self.set_seed(number, first)
        return True

    def resume(self):
        """Undo `stop`."""
        self.stopped = 0
