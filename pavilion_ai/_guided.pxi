# Searches whose leaves are evaluated by Python, and what networks say of positions; included by
# _core.pyx. The work is done by _c/guided.pxd.

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pavilion_ai._c.any_state cimport (
    About, AnyState, any_about, any_action, any_action_count, any_array, any_batch_observe,
    any_bytes_for, any_estimate, any_gather, any_observation_size, any_settle, any_show_leaf,
)
from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.batch cimport OBSERVE_FEATURES
from pavilion_ai._c.guided cimport Estimates, count_visits
from pavilion_ai._c.rules cimport MAX_MOVES
from pavilion_ai._c.scratch cimport Scratch, SearchConfig, Walk
from pavilion_ai._c.tree cimport Result


cdef class GuidedSearch(Search):
    """GuidedSearch(state, *, room, seed, stream=0, memory_bytes, root_reduction=None,
    **tunables)\n--\n
    A search tree whose leaves are evaluated from outside: `gather` some, then `settle` or `forget`
    them. It takes the place of `run`.

    Args:
        room: most leaves that are gathered at a time, 1 to 4096.
        root_reduction: `fpu_reduction` of the root; None for that of the other nodes.
        state, seed, stream, memory_bytes, tunables: as for Search, without a network and with one
            thread.

    Raises:
        ValueError, MemoryError: as for Search.
    """

    cdef void* states
    cdef AnyState any              # the positions of the leaves
    cdef Walk* walks
    cdef int waiting
    cdef int room
    cdef int actions
    cdef int counts                # numbers of an observation
    cdef int inputs

    def __dealloc__(self):
        free(self.states)
        free(self.walks)

    def __init__(self, State state not None, *, room, root_reduction=None, **options):
        Search.__init__(self, state, **options)
        if self.network is not None:
            raise ValueError("a search that is guided from outside has no network")
        if self.threads > 1:
            raise ValueError("a search that is guided from outside has one thread")
        self.config.guided = True
        if root_reduction is not None:
            self.config.root_reduction = check_real(root_reduction, -1, 1, "root_reduction")
        cdef int places = check(room, 1, 4096, "room")
        cdef About about = any_about(self.root.any)
        self.actions = any_action_count(state.any, about.players, about.grey)
        self.counts = any_observation_size(state.any, about.players)
        self.inputs = network_inputs(type(self.root), about.players)
        self.states = calloc(places, any_bytes_for(state.any, SEATS))
        self.walks = <Walk*> calloc(places, sizeof(Walk))
        if self.states == NULL or self.walks == NULL:
            raise MemoryError(f"no memory for {places} leaves")
        self.any = any_array(state.any, self.states)
        self.room = places

    cdef bint is_like(self, State wanted) noexcept:
        """The sides of a board have different actions."""
        return Search.is_like(self, wanted) and (
            any_about(wanted.any).grey == any_about(self.root.any).grey)

    cdef int require_rest(self) except -1:
        """What a leaf knows of the tree must hold until it is settled."""
        Search.require_rest(self)
        if self.waiting:
            raise ValueError("leaves are waiting to be settled")
        return 0

    def gather(self, sims, kind, shares, seen, mask, viewers):
        """Search until `room` leaves wait, a leaf is met that waits already, or `sims` simulations
        are made or wait.

        Args:
            kind, shares: kind and shares of the observations, as for `GameBatch.observe`.
            seen, mask, viewers: arrays of `room` rows to write to: observation, actions (uint8),
                seat from whose viewpoint it is (uint8).

        Returns:
            simulations made without an evaluation, and the number of leaves that wait.

        Raises:
            ValueError: leaves are waiting already, or an array has not the expected size or is not
                aligned to its numbers.
        """
        cdef int of = check_observation(kind)
        cdef int i, size = self.inputs if of == OBSERVE_FEATURES else self.counts
        cdef int64_t done, most = self.clipped(sims)
        cdef _Held scale = held(shares, self.counts, sizeof(float), False)
        cdef _Held sights = observation_room(seen, of, self.room * size)
        cdef _Held allowed = held(mask, self.room * self.actions, 1, True)
        cdef _Held viewer = held(viewers, self.room, 1, True)
        self.begin()
        most = min(most, self.room_for_sims())
        with nogil:
            done = any_gather(self.root.any, &self.tree, &self.config, self.rng, self.scratch,
                              self.any, self.walks, &self.waiting, self.room, most,
                              &self.stopped)
            any_batch_observe(self.any, of, <const float*> scale.view.buf, sights.view.buf, size, 0,
                              self.waiting)
            for i in range(self.waiting):
                any_show_leaf(self.any, i, &self.walks[i], self.scratch,
                              <uint8_t*> allowed.view.buf + i * self.actions,
                              <uint8_t*> viewer.view.buf + i)
        self.sims_made += done
        self.busy = False
        return done, self.waiting

    @cython.critical_section
    def settle(self, win, lead, gain, logits):
        """Take the evaluations of the waiting leaves; return how many simulations they complete.

        Args:
            win, lead, gain: float64, a row for each leaf, by relative seat: shares of the victory,
                squashed leads, points still to come.
            logits: float32, by leaf and action. They are not checked: NaN counts as the least, as
                minus infinity does, and beside infinity all do.

        Raises:
            ValueError: as `gather` of arrays, or a share or lead is not in 0..1, or a gain not
                finite; the leaves still wait.
        """
        Search.require_rest(self)
        cdef int players = any_about(self.root.any).players, i
        cdef int64_t done = 0
        cdef Py_ssize_t numbers = self.waiting * players
        cdef _Held shares = held(win, numbers, sizeof(double), False)
        cdef _Held squashed = held(lead, numbers, sizeof(double), False)
        cdef _Held points = held(gain, numbers, sizeof(double), False)
        cdef _Held policy = held(logits, self.waiting * self.actions, sizeof(float), False)
        cdef const double* won = <const double*> shares.view.buf
        cdef const double* leads = <const double*> squashed.view.buf
        cdef const double* gains = <const double*> points.view.buf
        cdef Estimates found
        for i in range(numbers):
            if not (0 <= won[i] <= 1 and 0 <= leads[i] <= 1):
                raise ValueError(f"leaf {i // players}: shares and leads are from 0 to 1")
            if gains[i] - gains[i] != 0:
                raise ValueError(f"leaf {i // players}: gains are finite")
        for i in range(self.waiting):
            found.win = won + i * players
            found.lead = leads + i * players
            found.gain = gains + i * players
            found.logits = <const float*> policy.view.buf + i * self.actions
            done += self.walks[i].depth > 0
            any_settle(self.any, i, &self.tree, &self.config, &self.walks[i], &found,
                       self.scratch)
        self.waiting = 0
        self.sims_made += done
        return done

    @cython.critical_section
    def forget(self):
        """Drop the waiting leaves, as if they had not been met."""
        cdef int i
        Search.require_rest(self)
        for i in range(self.waiting):
            count_visits(&self.tree, &self.walks[i], -1)
        self.waiting = 0


def network_estimates(Network network not None, list states not None, arrays, **tunables):
    """Evaluate positions by a network, as a search with it and these tunables sees them.

    Args:
        states: all of one game and number of players: decisions, positions between rounds, ends.
        arrays: what is written to, a row for each state: shares of the victory, squashed leads,
            points still to come by seat (float64), and priors by action (float32).
        tunables: all fields of `pavilion_ai.tunables.Tunables`.

    Raises:
        ValueError: the network is not for a state, tiles are to be drawn within a round, or an
            array has not the expected size or is not aligned to its numbers. MemoryError.
    """
    cdef SearchConfig config
    cdef Result result
    cdef float[MAX_MOVES] priors
    cdef list positions = list(states)      # another thread may change it
    cdef tuple outputs = several(arrays, 4, "arrays")
    cdef Py_ssize_t i, n = len(positions)
    cdef int k, s, seats = network.players, actions
    cdef State state
    cdef About about
    cdef bint grey
    if n == 0:
        return
    cls = type(positions[0])
    state = blank(cls)
    grey = any_about((<State> positions[0]).any).grey
    set_config(&config, network, cls, seats, tunables)
    actions = any_action_count(state.any, seats, grey)
    cdef _Held won = held(outputs[0], n * seats, sizeof(double), True)
    cdef _Held squashed = held(outputs[1], n * seats, sizeof(double), True)
    cdef _Held points = held(outputs[2], n * seats, sizeof(double), True)
    cdef _Held likely = held(outputs[3], n * actions, sizeof(float), True)
    cdef double* win = <double*> won.view.buf
    cdef double* lead = <double*> squashed.view.buf
    cdef double* gain = <double*> points.view.buf
    cdef float* policy = <float*> likely.view.buf
    memset(policy, 0, n * actions * sizeof(float))
    cdef Scratch* scratch = <Scratch*> calloc(1, sizeof(Scratch))
    if scratch == NULL:
        raise MemoryError("no memory for an evaluation")
    try:
        for i in range(n):
            if type(positions[i]) is not cls:
                raise ValueError(f"position {i} is of another game")
            state = (<State> positions[i]).duplicate()
            about = any_about(state.any)
            if about.players != seats or about.grey != grey:
                raise ValueError(f"position {i} is of another variant")
            if about.chance and not about.between_rounds:
                raise ValueError(f"position {i}: tiles are to be drawn")
            scratch.mover = max(about.to_move, 0)
            k = any_estimate(state.any, &config, scratch, &result, priors)
            while k:
                k -= 1
                policy[i * actions + any_action(state.any, scratch.found.moves[k])] = priors[k]
            for s in range(seats):
                win[i * seats + s] = result.win[s]
                lead[i * seats + s] = result.lead[s]
                gain[i * seats + s] = result.score[s] - about.scores[s]
    finally:
        free(scratch)
