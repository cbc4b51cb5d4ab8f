# Many games side by side as a Python class; included by _core.pyx. They are stepped by
# _c/batch.pxd.

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from pavilion_ai._c.any_state cimport (
    About, AnyState, any_about, any_action_count, any_array, any_batch_choose, any_batch_mask,
    any_batch_moves, any_batch_observe, any_batch_play, any_batch_reset, any_batch_start,
    any_bytes_for, any_load, any_observation_size,
)
from pavilion_ai._c.bag cimport NO_MOVE, SEATS
from pavilion_ai._c.batch cimport (
    OBSERVE_COUNTS, OBSERVE_FEATURES, REWARD_DENSE, REWARD_WIN, BatchArrays,
)
from pavilion_ai._c.rng cimport Xoshiro, rng_is_sound, rng_seed

cdef uint64_t CHOICE_STREAM = <uint64_t> 1 << 32   # first stream of a batch's random actions


@cython.final
cdef class _Held:
    """The memory of an array, which is neither freed nor resized as long as this lives."""

    cdef Py_buffer view

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


cdef _Held held(object array, Py_ssize_t numbers, Py_ssize_t width, bint writable):
    """Hold the memory of a contiguous array that must have so many numbers of so many bytes."""
    cdef _Held memory = _Held.__new__(_Held)
    PyObject_GetBuffer(array, &memory.view, PyBUF_WRITABLE if writable else PyBUF_SIMPLE)
    if memory.view.len != numbers * width:
        raise ValueError(f"an array has {memory.view.len} bytes, expected {numbers * width}")
    if numbers:
        require_aligned(memory.view.buf, width)
    return memory


cdef int require_aligned(const void* numbers, Py_ssize_t width) except -1:
    if <size_t> numbers % <size_t> width:
        raise ValueError(f"an array is not aligned, expected an address divisible by {width}")
    return 0


cdef int check_observation(kind) except -1:
    return check(kind, OBSERVE_COUNTS, OBSERVE_FEATURES, "kind of observation")


cdef _Held observation_room(object array, int kind, Py_ssize_t numbers):
    """Hold the memory of an array for observations of a kind, `OBSERVE_...`."""
    cdef int[3] width = [sizeof(int16_t), sizeof(float), 1]
    return held(array, numbers, width[kind], True)


cdef class Alone:
    """Alone(kind, told)\n--\n
    For `with`: a block that one thread at a time may run. Others are refused, not made to wait; the
    same thread may run it again within, as a handler of signals does. No signal comes between
    taking and entering, as it would in Python.

    Args:
        kind, told: class and text of the exception that others get.
    """

    cdef object kind
    cdef object told
    cdef unsigned long owner
    cdef int depth

    def __init__(self, kind, told):
        self.kind, self.told = kind, told

    def __enter__(self):
        cdef unsigned long thread = <unsigned long> PyThread_get_thread_ident()
        cdef bint taken
        with cython.critical_section(self):
            taken = self.depth > 0 and self.owner != thread
            if not taken:
                self.owner = thread
                self.depth += 1
        if taken:
            raise self.kind(self.told)

    def __exit__(self, *_):
        with cython.critical_section(self):
            self.depth -= 1


cdef class GameBatch:
    """GameBatch(cls, players, grey, size, seed, arrays)\n--\n
    Games of one variant, each with random numbers of its own (stream i of the seed for game i).

    All methods work on a slice of the games without the interpreter's lock; different threads may
    work on different slices at a time. Arrays are contiguous and have a row for each game.

    Args:
        cls: class of the states.
        size: number of games, at least 1.
        seed: any integer; its low 64 bits count.
        arrays: rewards by seat (float32), done (uint8), seats to move (int8), scores by seat
            (int32): written by `reset`, `begin` and `play`.

    Raises:
        ValueError: a number is out of its range, or an array has not the expected size or is not
            aligned to its numbers. MemoryError.
    """

    cdef bint made
    cdef object cls
    cdef Py_ssize_t size
    cdef Py_ssize_t state_size
    cdef char* states
    cdef AnyState any
    cdef Xoshiro* rngs             # `size` for the games, then as many for random actions
    cdef uint32_t* moves
    cdef BatchArrays arrays
    cdef _Held rewards, done, turn, scores       # what `arrays` points to
    cdef int players
    cdef bint grey
    cdef int actions
    cdef int counts                # numbers of an observation
    cdef int inputs

    def __dealloc__(self):
        free(self.states)
        free(self.rngs)
        free(self.moves)

    def __init__(self, cls, players, bint grey, size, seed, arrays):
        cdef State model
        cdef Py_ssize_t i
        cdef uint64_t number = low_bits(seed, "seed")
        with cython.critical_section(self):
            if self.made:
                raise ValueError("a batch is made once")
            self.made = True
        model = blank(cls)
        self.cls = cls
        self.players = check(players, 2, SEATS, "players")
        self.grey = grey
        self.size = check(size, 1, 1 << 24, "size")
        self.actions = any_action_count(model.any, self.players, grey)
        self.counts = any_observation_size(model.any, self.players)
        self.inputs = network_inputs(cls, self.players)
        self.state_size = <Py_ssize_t> any_bytes_for(model.any, SEATS)
        self.states = <char*> calloc(self.size, self.state_size)
        self.rngs = <Xoshiro*> calloc(2 * self.size, sizeof(Xoshiro))
        self.moves = <uint32_t*> calloc(self.size, sizeof(uint32_t))
        if self.states == NULL or self.rngs == NULL or self.moves == NULL:
            raise MemoryError(f"no memory for {self.size} games")
        self.any = any_array(model.any, self.states)
        for i in range(2 * self.size):
            rng_seed(&self.rngs[i], number, i if i < self.size
                     else CHOICE_STREAM + <uint64_t> (i - self.size))
        rewards, done, turn, scores = arrays
        self.rewards = held(rewards, self.size * self.players, sizeof(float), True)
        self.done = held(done, self.size, 1, True)
        self.turn = held(turn, self.size, 1, True)
        self.scores = held(scores, self.size * self.players, sizeof(int32_t), True)
        self.arrays.rewards = <float*> self.rewards.view.buf
        self.arrays.done = <uint8_t*> self.done.view.buf
        self.arrays.turn = <int8_t*> self.turn.view.buf
        self.arrays.scores = <int32_t*> self.scores.view.buf
        self.reset(0, self.size)

    def saved(self):
        """Return the games and their random numbers as bytes, for `restore`."""
        self.slice_of(0, self.size)
        return (PyBytes_FromStringAndSize(self.states, self.size * self.state_size)
                + PyBytes_FromStringAndSize(<char*> self.rngs, 2 * self.size * sizeof(Xoshiro)))

    def restore(self, bytes saved not None):
        """Continue from what `saved` returned of a batch of as many games of the variant; the
        arrays stay as they are. ValueError if it is not that; then no game has changed."""
        cdef const char* data = saved
        cdef Py_ssize_t i, games = self.size * self.state_size
        cdef Py_ssize_t numbers = 2 * self.size * sizeof(Xoshiro)
        cdef State state
        cdef Xoshiro rng
        self.slice_of(0, self.size)
        if len(saved) != games + numbers:
            raise ValueError(f"{len(saved)} bytes of games, expected {games + numbers}")
        state = blank(self.cls)
        for i in range(self.size):
            if not (any_load(state.any, &data[i * self.state_size], self.players)
                    and self.goes_on(state) and state.show_colours()):
                raise ValueError(f"game {i} is not one of the variant with a seat to move")
        for i in range(2 * self.size):
            memcpy(&rng, &data[games + i * <Py_ssize_t> sizeof(Xoshiro)], sizeof(Xoshiro))
            if not rng_is_sound(&rng):
                raise ValueError(f"the random numbers of game {i % self.size} are all 0")
        memcpy(self.states, data, games)
        memcpy(self.rngs, &data[games], numbers)
        self.forget_moves(0, self.size)

    cdef bint goes_on(self, State state) noexcept:
        """Whether a state is one of the variant in which a seat is to move."""
        cdef About about = any_about(state.any)
        return about.grey == self.grey and about.players == self.players and about.to_move >= 0

    def state(self, index):
        """Return the state of a game. A batch does not keep which colour lies on which space of a
        board and of a floor line: the state shows some that fit."""
        cdef int64_t i = self.index_of(index)
        cdef State state = blank(self.cls)
        any_load(state.any, self.states + i * self.state_size, self.players)
        state.show_colours()
        return state

    def begin(self, index, State start not None):
        """Begin a game at a state; the contents of an unknown bag, and tiles that are due, are
        drawn from the random numbers of the game.

        Raises:
            ValueError: the state is of another variant, or the game is over; nothing has changed.
        """
        cdef int64_t i = self.index_of(index)
        cdef State state = start.duplicate()
        cdef About about = any_about(state.any)
        if (type(state) is not self.cls or about.players != self.players
                or about.grey != self.grey):
            raise ValueError("this state is of another variant")
        if not any_batch_start(self.any, state.any, self.rngs, &self.arrays, i):
            raise ValueError("this game is over")
        self.forget_moves(i, i + 1)

    cdef int64_t index_of(self, index) except -1:
        return self.slice_of(index, whole(index, "the game") + 1)[0]

    cdef (int64_t, int64_t) slice_of(self, first, end) except *:
        if self.arrays.scores == NULL:
            raise ValueError("this batch was not made")
        first, end = whole(first, "the first game"), whole(end, "the end of the games")
        if not 0 <= first <= end <= self.size:
            raise ValueError(
                f"games {brief(first)}..{brief(end)}, expected a slice of 0..{self.size}")
        return first, end

    cdef void forget_moves(self, int64_t first, int64_t end) noexcept nogil:
        cdef int64_t i
        for i in range(first, end):
            self.moves[i] = NO_MOVE

    def reset(self, first, end):
        """Begin all games anew; their random numbers run on."""
        cdef int64_t begin, stop
        begin, stop = self.slice_of(first, end)
        with nogil:
            any_batch_reset(self.any, self.players, self.grey, self.rngs, &self.arrays, begin, stop)
            self.forget_moves(begin, stop)

    def prepare(self, actions, first, end):
        """Translate actions (int64) to moves; return the first game whose action is not legal, or
        -1."""
        cdef int64_t illegal, begin, stop
        begin, stop = self.slice_of(first, end)
        cdef _Held numbers = held(actions, self.size, sizeof(int64_t), False)
        with nogil:
            illegal = any_batch_moves(
                self.any, <const int64_t*> numbers.view.buf, self.moves, begin, stop)
        return illegal

    def play(self, kind, first, end):
        """Play what `prepare` found legal, once; kind: one of the rewards, `REWARD_...`."""
        cdef int64_t i, begin, stop
        begin, stop = self.slice_of(first, end)
        cdef int reward = check(kind, REWARD_WIN, REWARD_DENSE, "kind of reward")
        for i in range(begin, stop):
            if self.moves[i] == NO_MOVE:
                raise ValueError(f"game {i} has no move prepared")
        with nogil:
            any_batch_play(self.any, self.rngs, self.moves, reward, &self.arrays, begin, stop)
            self.forget_moves(begin, stop)

    def mask(self, out, first, end):
        """Write a byte for each action (uint8), 1 for a legal one."""
        cdef int64_t begin, stop
        begin, stop = self.slice_of(first, end)
        cdef _Held mask = held(out, self.size * self.actions, 1, True)
        with nogil:
            any_batch_mask(self.any, <uint8_t*> mask.view.buf, self.actions, begin, stop)

    def choose(self, out, first, end):
        """Write a uniformly random legal action of each game (int64)."""
        cdef int64_t begin, stop
        begin, stop = self.slice_of(first, end)
        cdef _Held actions = held(out, self.size, sizeof(int64_t), True)
        with nogil:
            any_batch_choose(
                self.any, self.rngs + self.size, <int64_t*> actions.view.buf, begin, stop)

    def observe(self, kind, shares, out, first, end):
        """Write what the seats to move see; kind: `OBSERVE_...`; shares: float32, used to scale."""
        cdef int of = check_observation(kind)
        cdef int size = self.inputs if of == OBSERVE_FEATURES else self.counts
        cdef int64_t begin, stop
        begin, stop = self.slice_of(first, end)
        cdef _Held room = observation_room(out, of, self.size * size)
        cdef _Held scale = held(shares, self.counts, sizeof(float), False)
        with nogil:
            any_batch_observe(self.any, of, <const float*> scale.view.buf, room.view.buf, size,
                              begin, stop)


def action_count(cls, players, bint grey):
    """Return how many numbered actions a variant has."""
    cdef State model = blank(cls)
    return any_action_count(model.any, check(players, 2, SEATS, "players"), grey)


def observation_parts(cls, players):
    """Return the parts of an observation in order: name, names and lengths of its axes, and the
    largest number; the smallest is 0."""
    cdef list out = []
    check(players, 2, SEATS, "players")
    axes, shared, own = _OBSERVATIONS[cls]
    lengths = {**axes, "seat": players, "holder": players + 1, "display": 2 * players + 1}
    for prefix, parts in [("", shared)] + [(f"seat{i}.", own) for i in range(players)]:
        for name, names, most in parts:
            out.append((prefix + name, names, tuple([lengths[axis] for axis in names]), most))
    return out
