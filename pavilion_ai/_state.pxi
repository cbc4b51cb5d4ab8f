# What the Python faces of all games' states share; included by _core.pyx. A game's class (one file
# each) holds the C struct and fills in the C methods below.

cdef int check(object value, int low, int high, str what) except? -1000:
    cdef int number = value
    if not low <= number <= high:
        raise ValueError(f"{what} is {value!r}, expected {low}..{high}")
    return number


cdef class State:
    # ---------------------------------------------------- what each game fills in

    cdef int list_codes(self, bint maximal, uint32_t* out) noexcept:
        return 0

    cdef tuple decode(self, uint32_t code):
        """The numbers of a move, as Python sees it."""
        return ()

    cdef uint32_t encode(self, object move) except? 0xFFFFFFFF:
        """The core's code of a move; its numbers are checked, its legality is not."""
        return 0

    cdef int play(self, uint32_t code) except -1:
        """Play a legal move."""
        return 0

    cdef int64_t count(self, int depth) except -1:
        return 0

    cdef uint32_t pick(self, Xoshiro* rng, bint maximal) noexcept:
        """A uniformly random move."""
        return 0

    cdef uint32_t pick_by_policy(self, Xoshiro* rng, bint by_hand) noexcept:
        return 0

    cdef void add_move_features(self, uint32_t code, bint wide, FeatureList* out) noexcept:
        pass

    cdef void add_seat_features(self, int seat, FeatureList* out) noexcept:
        pass

    cdef int list_inputs(self, uint16_t* out) noexcept:
        """The active inputs of the network; at most MAX_ACTIVE."""
        return 0

    cdef int viewer(self) noexcept:
        """The seat from whose viewpoint the network sees the position."""
        return 0

    cdef size_t bytes_for(self, int players) noexcept:
        """Bytes of the C struct that are in use with so many seats."""
        return 0

    cdef void load(self, const void* data, size_t size) noexcept:
        """Take over the C struct; what only the display needs is not restored."""
        pass

    cdef double value(self, double* scores, double* standing) noexcept:
        """Fill in what game_evaluate() gives; return the scale."""
        return 0

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
    def state_bytes(self):
        return self.bytes_for(self.players)

    def moves(self, maximal=False):
        cdef uint32_t[MAX_MOVES] out
        cdef int i, n = self.list_codes(maximal, out)
        return [self.decode(out[i]) for i in range(n)]

    def codes(self, bint maximal=False):
        cdef uint32_t[MAX_MOVES] out
        cdef int i, n = self.list_codes(maximal, out)
        return [out[i] for i in range(n)]

    def numbers(self, uint32_t code):
        return self.decode(code)

    def code(self, move):
        return self.encode(move)

    def apply_code(self, uint32_t code):
        cdef uint32_t[MAX_MOVES] out
        cdef int i
        for i in range(self.list_codes(False, out)):
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
        for i in range(self.list_codes(False, out)):
            if out[i] == code:
                return code
        raise ValueError(f"{move!r} is not legal here")

    cdef int require_mover(self) except -1:
        if self.to_move < 0:
            raise ValueError("nobody is to move")
        return 0

    cdef int require_horizon(self) except -1:
        if not self.between_rounds:
            raise ValueError("the evaluation is defined between rounds")
        return 0

    def random_move(self, Rng rng, maximal=True):
        self.require_mover()
        return self.decode(self.pick(&rng.state, maximal))

    cdef uint32_t pick_by_network(self, const Net* net) noexcept:
        """The move that the network finds likeliest."""
        return 0

    def policy_move(self, Rng rng=None, by_hand=False, Network network=None):
        self.require_mover()
        if network is not None:
            check_network(network, type(self), self.players)
            return self.decode(self.pick_by_network(&network.net))
        return self.decode(self.pick_by_policy(&rng.state if rng is not None else NULL, by_hand))

    def inputs(self):
        cdef uint16_t[MAX_ACTIVE] out
        cdef int i
        if self.over:
            raise ValueError("the game is over")
        return [out[i] for i in range(self.list_inputs(out))]

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
        scale = self.value(scores, standing)
        win_shares(standing, players, scale, shares)
        return [scores[i] for i in range(players)], [shares[i] for i in range(players)]

    def perft(self, int depth):
        return self.count(depth)
