# What the Python faces of all games' states share; included by _core.pyx. A game's class (one file
# each) holds the C struct and fills in the C methods below.

cdef int check(object value, int low, int high, str what) except? -1000:
    cdef int number = value
    if not low <= number <= high:
        raise ValueError(f"{what} is {value!r}, expected {low}..{high}")
    return number


cdef class State:
    cdef AnyState any      # points to the struct that the game's class holds

    def __cinit__(self):
        if not isinstance(self, STATE_CLASSES):
            raise TypeError("a state is made by the class of its game")

    # ---------------------------------------------------- what each game fills in

    cdef tuple decode(self, uint32_t code):
        """The numbers of a move, as Python sees it."""
        return ()

    cdef uint32_t encode(self, object move) except? 0xFFFFFFFF:
        """The core's code of a move; its numbers are checked, its legality is not."""
        return 0

    cdef int play(self, uint32_t code) except -1:
        """Play a legal move."""
        return 0

    cdef tuple drawn_since(self, State before):
        """The tiles drawn in the chance phase of `before`, as apply_chance() takes them."""
        return ()

    cdef void add_move_features(self, uint32_t code, bint wide, FeatureList* out) noexcept:
        pass

    cdef void add_seat_features(self, int seat, FeatureList* out) noexcept:
        pass

    # ---------------------------------------------------- what follows for all of them

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self.fields() == other.fields()

    def __hash__(self):
        return hash(self.fields())

    @property
    def players(self):
        return any_about(self.any).players

    @property
    def phase(self):
        return any_about(self.any).phase

    @property
    def round(self):
        return any_about(self.any).round

    @property
    def to_move(self):
        return any_about(self.any).to_move

    @property
    def over(self):
        return bool(any_about(self.any).over)

    @property
    def between_rounds(self):
        return bool(any_about(self.any).between_rounds)

    @property
    def state_bytes(self):
        return any_bytes_for(self.any, any_about(self.any).players)

    def scores(self):
        cdef About about = any_about(self.any)
        cdef int s
        return [about.scores[s] for s in range(about.players)]

    def moves(self, maximal=False):
        cdef uint32_t[MAX_MOVES] out
        cdef int i, n = any_moves(self.any, maximal, out)
        return [self.decode(out[i]) for i in range(n)]

    def codes(self, bint maximal=False):
        cdef uint32_t[MAX_MOVES] out
        cdef int i, n = any_moves(self.any, maximal, out)
        return [out[i] for i in range(n)]

    def numbers(self, uint32_t code):
        return self.decode(code)

    def code(self, move):
        return self.encode(move)

    def apply_code(self, uint32_t code):
        cdef uint32_t[MAX_MOVES] out
        cdef int i
        for i in range(any_moves(self.any, False, out)):
            if out[i] == code:
                self.play(code)
                return
        raise ValueError(f"move {code} is not legal here")

    def apply(self, move):
        self.play(self.legal_code(move))

    cdef uint32_t legal_code(self, move) except? 0xFFFFFFFF:
        cdef uint32_t[MAX_MOVES] out
        cdef uint32_t code = self.encode(move)
        cdef int i
        for i in range(any_moves(self.any, False, out)):
            if out[i] == code:
                return code
        raise ValueError(f"{move!r} is not legal here")

    cdef int require_mover(self) except -1:
        if any_about(self.any).to_move < 0:
            raise ValueError("nobody is to move")
        return 0

    cdef int require_horizon(self) except -1:
        if not self.between_rounds:
            raise ValueError("the evaluation is defined between rounds")
        return 0

    def random_move(self, Rng rng, maximal=True):
        self.require_mover()
        return self.decode(any_random_move(self.any, &rng.state, maximal))

    def policy_move(self, Rng rng=None, by_hand=False, Network network=None):
        cdef Scratch scratch
        self.require_mover()
        if network is not None:
            check_network(network, type(self), self.players)
            memset(&scratch.sights, 0, sizeof(Sights))
            return self.decode(any_likeliest_move(self.any, &network.net, &scratch))
        return self.decode(
            any_policy_move(self.any, &rng.state if rng is not None else NULL, by_hand))

    def inputs(self):
        cdef uint16_t[MAX_ACTIVE] out
        cdef int i
        if self.over:
            raise ValueError("the game is over")
        return [out[i] for i in range(any_inputs(self.any, out))]

    def policy_features(self, move, wide=False):
        cdef FeatureList features
        cdef int i
        features.count = 0
        self.add_move_features(self.legal_code(move), wide, &features)
        return [features.item[i] for i in range(features.count)]

    def evaluation_features(self, int seat):
        cdef FeatureList features
        cdef int i
        self.require_horizon()
        check(seat, 0, self.players - 1, "seat")
        features.count = 0
        self.add_seat_features(seat, &features)
        return [features.item[i] for i in range(features.count)]

    def evaluate(self):
        cdef double[MAX_SEATS] scores
        cdef double[MAX_SEATS] standing
        cdef double[MAX_SEATS] shares
        cdef double scale
        cdef int i, players = self.players
        if not self.over:
            self.require_horizon()
        any_evaluate(self.any, scores, standing, &scale)
        win_shares(standing, players, scale, shares)
        return [scores[i] for i in range(players)], [shares[i] for i in range(players)]

    def draw(self, Rng rng, bint tied=False):
        cdef State before
        if not any_about(self.any).chance:
            raise ValueError("no tiles are to be drawn here")
        before = self.copy()
        any_draw(self.any, &rng.state, tied)
        return self.drawn_since(before)

    def settle(self):
        while any_about(self.any).chance:
            any_draw_lowest(self.any)

    def winners(self):
        cdef double[MAX_SEATS] scores
        cdef double[MAX_SEATS] standing
        cdef double scale
        cdef int s
        if not self.over:
            raise ValueError("the game is not over")
        any_evaluate(self.any, scores, standing, &scale)
        best = max([standing[s] for s in range(self.players)])
        return [s for s in range(self.players) if standing[s] == best]

    def perft(self, int depth):
        return self.count(depth)

    cdef int64_t count(self, int depth) except -1:
        """The leaves of perft; the upper decisions are played here, where signals are seen."""
        cdef uint32_t[MAX_MOVES] moves
        cdef State settled = self.copy(), child
        cdef int64_t leaves = 0
        cdef int i
        if depth <= 2:
            return any_leaves(settled.any, depth)
        PyErr_CheckSignals()
        settled.settle()
        if any_about(settled.any).over:
            return 1
        for i in range(any_moves(settled.any, False, moves)):
            child = settled.copy()
            child.play(moves[i])
            leaves += child.count(depth - 1)
        return leaves
