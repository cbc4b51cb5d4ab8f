# Self-play for training as a Python class; included by _core.pyx. Games are played and logged by
# _c/self_play.pxd.

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free

from pavilion_ai._c.any_state cimport any_new, any_self_play, any_value_end
from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.growing cimport Growing, append
from pavilion_ai._c.rng cimport Xoshiro, rng_below, rng_seed
from pavilion_ai._c.scratch cimport Scratch, SearchConfig
from pavilion_ai._c.self_play cimport GameLog, SelfPlayConfig, log_clear, log_free
from pavilion_ai._c.sight cimport (
    Positions, positions_free, positions_init, sights_free, sights_init,
)
from pavilion_ai._c.together cimport raise_flag
from pavilion_ai._c.tree cimport Result, Tree, tree_free, tree_init

# Names of the columns of a log, in their order there.
_LOG_NAMES = ("states", "round", "first", "moves", "visits", "win", "lead", "score")


cdef int must_append(Growing* block, const void* item, size_t size) except -1:
    if not append(block, item, size):
        raise MemoryError("no memory for the records")
    return 0


cdef bytes taken(Growing* block):
    """The contents, after which the block is empty again."""
    cdef bytes out = PyBytes_FromStringAndSize(block.data, <Py_ssize_t> block.used)
    block.used = 0
    return out


cdef class SelfPlay:
    """SelfPlay(cls, players, grey, network=None, *, memory_bytes=8388608, full_sims=600,
    fast_sims=120, full_share=0.3, noise=0.15, drawn_share=0.1, record_share=1.0, **tunables)\n--\n
    Games of the search against itself, for training. One thread at a time.

    A record is a decision that was searched, or a position between two rounds; decisions with a
    single move leave none, and of the fast searches only a share may.

    Args:
        cls: class of the states.
        network: None: the fitted tables.
        memory_bytes: size of the search tree.
        full_sims, fast_sims: simulations of a full search and of another.
        full_share: share of the decisions searched in full; only their visits are recorded.
        noise: share of the root's priors that is noise, in full searches.
        drawn_share: share of the decisions whose move is drawn in proportion to the visits.
        record_share: share of the fast searches that leave a record.
        tunables: as for Search.

    Raises:
        ValueError: the network is not for this game and number of players, or a number is out of
            its range. MemoryError.
    """

    cdef Tree tree
    cdef SearchConfig config
    cdef SelfPlayConfig play_config
    cdef Scratch* scratch
    cdef Positions positions
    cdef GameLog log
    cdef State state               # of the game being played
    cdef Network network
    cdef int players
    cdef bint grey
    cdef int stopped
    cdef bint made
    cdef bint busy

    def __cinit__(self):
        self.scratch = <Scratch*> calloc(1, sizeof(Scratch))
        if self.scratch == NULL:
            raise MemoryError("no memory for self-play")

    def __dealloc__(self):
        tree_free(&self.tree)
        if self.scratch != NULL:
            sights_free(&self.scratch.sights)
        positions_free(&self.positions)
        free(self.scratch)
        log_free(&self.log)

    def __init__(self, cls, players, bint grey, Network network=None, *, memory_bytes=1 << 23,
                 full_sims=600, fast_sims=120, full_share=0.3, noise=0.15, drawn_share=0.1,
                 record_share=1.0, **tunables):
        with cython.critical_section(self):
            if self.made:
                raise ValueError("a self-play is made once")
            self.made = True
        self.state = blank(cls)
        self.players = check(players, 2, SEATS, "players")
        self.grey = grey
        self.network = network
        set_config(&self.config, network, cls, self.players, tunables)
        self.play_config.full_sims = check(full_sims, 1, 1 << 30, "full_sims")
        self.play_config.fast_sims = check(fast_sims, 1, 1 << 30, "fast_sims")
        self.play_config.full_share = check_real(full_share, 0, 1, "full_share")
        self.play_config.noise = check_real(noise, 0, 1, "noise")
        self.play_config.drawn_share = check_real(drawn_share, 0, 1, "drawn_share")
        self.play_config.record_share = check_real(record_share, 0, 1, "record_share")
        cdef size_t size = check_memory(memory_bytes)
        if network is not None and not (
                positions_init(&self.positions, &network.net, 1)
                and sights_init(&self.scratch.sights, &network.net, &self.positions)):
            raise MemoryError("no memory for self-play")
        if not tree_init(&self.tree, size):
            raise MemoryError(f"no memory for a search tree of {size} bytes")

    def stop(self):
        """End a running `play`, and any later one at once."""
        raise_flag(&self.stopped)

    def play(self, seed):
        """Play a game, without the interpreter's lock; None if `stop` was called.

        Returns:
            arrays as bytes, a row a record: `states` (see state_bytes), `round` (uint8); `win`,
            `lead`, `score` (float32 by seat: the root's mean win shares, squashed leads and final
            scores; -1 where nothing was searched); `first` (uint32, one more: where a record's
            moves begin), `moves` and `visits` (uint32). And of the game `final_win`, `final_lead`,
            `final_score` by seat, and `plies`.

        Raises:
            ValueError: a game is being played in another thread.
        """
        with cython.critical_section(self):
            if self.tree.nodes == NULL:
                raise ValueError("this self-play was not made")
            if self.busy:
                raise ValueError("a game is already being played")
            self.busy = True
        try:
            return self.play_game(seed)
        finally:
            self.busy = False

    cdef dict play_game(self, seed):
        cdef Xoshiro rng
        cdef Result end
        cdef int start, s, column
        cdef bint logged
        cdef dict game
        log_clear(&self.log)
        rng_seed(&rng, low_bits(seed, "seed"), 1)
        start = <int> rng_below(&rng, <uint32_t> self.players)
        any_new(self.state.any, self.players, self.grey, start, &rng)
        with nogil:
            logged = any_self_play(self.state.any, &self.tree, &self.config, &self.play_config,
                                   &rng, self.scratch, &self.log, &self.stopped)
        if not logged:
            raise MemoryError("no memory for the records of a game")
        if self.stopped:
            return None
        any_value_end(self.state.any, self.config.width, &end)
        game = {name: taken(&self.log.columns[column]) for column, name in enumerate(_LOG_NAMES)}
        game["final_win"] = tuple([end.win[s] for s in range(self.players)])
        game["final_lead"] = tuple([end.lead[s] for s in range(self.players)])
        game["final_score"] = tuple([end.score[s] for s in range(self.players)])
        game["plies"] = self.log.plies
        return game
