# Base of the Python classes of all games' states; included by _core.pyx. A game's class (one file
# each) holds the C struct and defines the C methods below.
#
# Where Python has no interpreter lock, threads may share a state: methods that use more than a
# field of the struct are critical sections, which cost nothing elsewhere.

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from pavilion_ai._c.any_state cimport (
    About, AnyState, any_about, any_action, any_action_count, any_action_move, any_bytes_for,
    any_draw, any_draw_lowest, any_evaluate, any_inputs, any_leaves, any_likeliest_move, any_mask,
    any_moves, any_new, any_observation_size, any_observe, any_policy_move, any_random_move,
    any_raw, any_set_outline, any_set_tiles, any_source,
)
from pavilion_ai._c.bag cimport (
    CENTRE, DISPLAYS, DISPLAY_TILES, NO_MOVE, SEATS, SPLIT_KNOWN, merge_unseen,
)
from pavilion_ai._c.linear cimport FeatureList
from pavilion_ai._c.net cimport MAX_ACTIVE
from pavilion_ai._c.rules cimport MAX_ACTIONS, MAX_MOVES, MAX_OBSERVATION, MAX_POLICY, MAX_SEATS
from pavilion_ai._c.scratch cimport Scratch
from pavilion_ai._c.search cimport is_among
from pavilion_ai._c.sight cimport Sights
from pavilion_ai._c.tiles cimport total
from pavilion_ai._c.utility cimport win_shares

cdef enum:
    DRAFT = 0              # the first phase of every game

cdef int16_t[MAX_POLICY] NO_WEIGHTS    # zeros, if only the list of features is needed


cdef class State:
    """A position of some game; mutable. Made by the classes below."""

    cdef AnyState any      # points to the struct that the game's class holds
    cdef const TileSet* tile_set

    def __cinit__(self):
        if not isinstance(self, _STATE_CLASSES):
            raise TypeError("a state is made by the class of its game")

    # ---------------------------------------------------- defined by each game

    cdef tuple decode(self, uint32_t code):
        """The numbers of a move, as Python sees it."""
        return ()

    cdef uint32_t encode(self, object move) except? 0xFFFFFFFF:
        """The core's code of a move; its numbers are checked, its legality is not."""
        return 0

    cdef int play(self, uint32_t code) except -1:
        """Play a legal move."""
        return 0

    cdef bint draw_these(self, const uint64_t* tiles) noexcept:
        """Draw these multisets; False, and nothing changes, if the bag cannot yield them."""
        return False

    cdef tuple points(self, int seat):
        """Points of a seat, at the end: from play and from each final bonus."""
        return ()

    cdef State twin(self):
        """An independent copy, for a caller that has the state to itself."""
        return None

    cdef bint show_colours(self) noexcept:
        """Show colours on boards and floor lines that fit what the rules know of them; whether
        there are any."""
        return True

    cdef void add_move_features(self, uint32_t code, bint wide, FeatureList* out) noexcept:
        pass

    cdef void add_seat_features(self, int seat, FeatureList* out) noexcept:
        pass

    # ---------------------------------------------------- shared by all games

    @classmethod
    def new(cls, players, grey, start_seat, Rng rng not None):
        """Return an opening (A4, B3), its tiles drawn from rng."""
        cdef State self = blank(cls)
        check(players, 2, SEATS, "players")
        check(start_seat, 0, players - 1, "start_seat")
        with cython.critical_section(rng):
            any_new(self.any, players, bool(grey), start_seat, &rng.state)
        return self

    def copy(self):
        """Return an independent copy."""
        return self.duplicate()

    @cython.critical_section
    cdef State duplicate(self):
        """An independent copy."""
        return self.twin()

    def fields(self):
        """Return the arguments of the constructor of the game's class, in its order."""
        raise NotImplementedError

    cdef int require_unmade(self) except -1:
        if any_about(self.any).players:
            raise ValueError("a state is made once")
        return 0

    cdef int set_outline(self, players, grey, round, int last_round, phase, int over, start_seat,
                         token) except -1:
        """Store the first fields, checked; `over` is the last phase. Return the last seat."""
        cdef int last = check(players, 2, SEATS, "players") - 1
        any_set_outline(
            self.any, last + 1, bool(grey), check(round, 1, last_round, "round"),
            check(phase, DRAFT, over, "phase"), check(start_seat, 0, last, "start_seat"),
            check(token, -1, last, "token"))
        if any_about(self.any).between_rounds and round == 1:
            raise ValueError("the tiles of the first round are to be drawn")
        return last

    cdef int set_tiles(self, displays, centre, bag, discards, bag_size,
                       bint split_known) except -1:
        """Store what lies on the table and what is unseen, checked. The outline stands."""
        cdef uint64_t[CENTRE + 1] sources
        cdef uint64_t on_table, in_bag, discarded
        cdef int i, hidden = SPLIT_KNOWN
        cdef int every = self.tile_set.colours * self.tile_set.each
        cdef About about = any_about(self.any)
        cdef int number = 2 * about.players + 1
        cdef tuple given = several(displays, number, "displays")
        in_bag = self.lanes(bag, every, "bag")
        discarded = self.lanes(discards, every, "discards")
        if not split_known:
            hidden = check(bag_size, 0, total(in_bag) + total(discarded), "bag_size")
            merge_unseen(&in_bag, &discarded)
        on_table = sources[CENTRE] = self.lanes(centre, every, "centre")
        for i in range(number):
            sources[i] = self.lanes(given[i], DISPLAY_TILES, f"display {i + 1}")
            on_table |= sources[i]
        if (about.phase == DRAFT) != (on_table != 0):
            raise ValueError("tiles on displays or in the centre in phase draft, and only there")
        any_set_tiles(self.any, sources, in_bag, discarded, hidden)
        if about.chance and not in_bag | discarded:
            raise ValueError("nothing to draw in a chance phase")
        return 0

    cdef uint64_t lanes(self, counts, int most, str what) except? 0xFFFFFFFFFFFFFFFF:
        return lanes_of(counts, self.tile_set, most, what)

    cdef tuple counts(self, uint64_t tiles):
        return counts_of(tiles, self.tile_set)

    cdef tuple displays(self):
        cdef int i
        return tuple([self.counts(any_source(self.any, i))
                      for i in range(2 * any_about(self.any).players + 1)])

    cdef tuple outline(self):
        """The fields that set_outline() stores, and the seat to move."""
        cdef About about = any_about(self.any)
        return (about.players, bool(about.grey), about.round, about.phase, about.to_move,
                about.start_seat, about.token)

    cdef tuple unseen(self, uint64_t bag, uint64_t discards, uint8_t hidden):
        """The bag, the discards, the size of the bag, and whether these are told apart."""
        if hidden == SPLIT_KNOWN:
            return self.counts(bag), self.counts(discards), total(bag), True
        return self.counts(bag + discards), self.counts(0), hidden, False

    cdef tuple drawn_since(self, State before):
        """The tiles drawn in the chance phase of `before`, as apply_chance() takes them."""
        return self.displays()

    cdef int draws_due(self) noexcept:
        """How many multisets apply_chance() takes here, 0 outside chance phases."""
        cdef About about = any_about(self.any)
        return 2 * about.players + 1 if about.between_rounds else about.chance

    @cython.critical_section
    def apply_chance(self, draws):
        """Draw exactly these tiles: one multiset per display in phase deal, one in phase supply.

        Raises:
            ValueError: if the bag (then the discards, A9, B7) cannot yield them, or nothing is to
                be drawn; the state is unchanged.
        """
        cdef uint64_t[DISPLAYS] tiles
        cdef int i, due = self.draws_due()
        if not due:
            raise ValueError("no tiles are to be drawn here")
        for i, drawn in enumerate(several(draws, due, "multisets")):
            tiles[i] = self.lanes(drawn, DISPLAY_TILES if due > 1 else self.tile_set.each,
                                  f"multiset {i + 1}")
        # Another thread may have drawn while these were read.
        if due != self.draws_due() or not self.draw_these(tiles):
            raise ValueError("the bag cannot yield these tiles")

    @cython.critical_section
    def breakdown(self):
        """Return by seat the points from play and from each final bonus. ValueError before the
        end."""
        cdef int seat
        cdef About about = any_about(self.any)
        if not about.over:
            raise ValueError("the game is not over")
        return [self.points(seat) for seat in range(about.players)]

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __eq__(self, other):
        """Whether the fields are equal. They do not tell what was discarded since the contents of
        the bag were unknown."""
        if type(other) is not type(self):
            return NotImplemented
        return self.fields() == other.fields()

    def __hash__(self):
        """Return the hash of the fields: no set or dict finds a state that has changed since."""
        return hash(self.fields())

    @property
    def players(self):
        """Number of seats, 2-4."""
        return any_about(self.any).players

    @property
    def phase(self):
        """Number of the phase."""
        return any_about(self.any).phase

    @property
    def round(self):
        """Round, from 1."""
        return any_about(self.any).round

    @property
    def to_move(self):
        """Seat to move, -1 in a chance phase and at the end."""
        return any_about(self.any).to_move

    @property
    def over(self):
        """Whether the game has ended."""
        return bool(any_about(self.any).over)

    @property
    def between_rounds(self):
        """Whether the displays are about to be filled: where the evaluation is defined."""
        return bool(any_about(self.any).between_rounds)

    @cython.critical_section
    def packed(self):
        """Return the state as bytes, as the rules know it: equal for equal states, and different
        for those that may continue differently.

        Which colours lie on which space of a grey board, and on which floor line, is not in them.
        Of a bag of unknown contents they tell what was discarded since, which `==` does not.
        """
        return PyBytes_FromStringAndSize(
            any_raw(self.any),
            <Py_ssize_t> any_bytes_for(self.any, any_about(self.any).players))

    @cython.critical_section
    def scores(self):
        """Return the scores by seat; final bonuses are in them once the game is over."""
        cdef About about = any_about(self.any)
        cdef int s
        return [about.scores[s] for s in range(about.players)]

    def moves(self, maximal=False):
        """Return the legal moves; empty in chance phases and at the end.

        Args:
            maximal: keep_policy `maximal` instead of `free` (A7.8).
        """
        return self.listed(maximal)

    @cython.critical_section
    cdef list listed(self, bint maximal):
        cdef uint32_t[MAX_MOVES] out
        cdef int i, n = any_moves(self.any, maximal, out)
        return [self.decode(out[i]) for i in range(n)]

    @cython.critical_section
    def codes(self, bint maximal=False):
        """Return the legal moves as the core's 32-bit numbers, in the order of `moves`."""
        cdef uint32_t[MAX_MOVES] out
        cdef int i, n = any_moves(self.any, maximal, out)
        return [out[i] for i in range(n)]

    def numbers(self, code):
        """Return the tuple that a move's 32-bit number stands for; it need not be legal here, but
        ValueError if it is not a move in any position."""
        cdef uint32_t number = code_from(code)
        cdef tuple move = self.decode(number)
        if self.encode(move) != number:
            raise ValueError(f"{number} is not a move")
        return move

    def code(self, move):
        """Return the 32-bit number of a move, legal or not; ValueError if a number is out of
        its range."""
        return self.encode(move)

    @cython.critical_section
    def apply_code(self, code):
        """Play a move given by its 32-bit number, as `apply`."""
        self.play(self.legal_number(code))

    @cython.critical_section
    def apply(self, move):
        """Play a move; stops at a chance phase. ValueError if it is not legal."""
        self.play(self.legal_code(move))

    cdef bint is_legal(self, uint32_t code) noexcept:
        cdef uint32_t[MAX_MOVES] out
        return is_among(code, out, any_moves(self.any, False, out))

    cdef uint32_t legal_code(self, move) except? 0xFFFFFFFF:
        cdef uint32_t code = self.encode(move)
        if not self.is_legal(code):
            raise ValueError(f"{move!r} is not legal here")
        return code

    cdef uint32_t legal_number(self, code) except? 0xFFFFFFFF:
        cdef uint32_t number = code_from(code)
        if not self.is_legal(number):
            raise ValueError(f"move {number} is not legal here")
        return number

    cdef int require_mover(self) except -1:
        cdef About about = any_about(self.any)
        if about.to_move < 0 or not about.players:    # a state that was not made has no players
            raise ValueError("no seat is to move")
        return 0

    cdef int require_horizon(self) except -1:
        if not any_about(self.any).between_rounds:
            raise ValueError("the evaluation is defined between rounds")
        return 0

    def random_move(self, Rng rng not None, bint maximal=True):
        """Return a uniformly random legal move, as playouts pick it: without a list.

        Raises:
            ValueError: if no seat is to move.
        """
        with cython.critical_section(self, rng):
            self.require_mover()
            return self.decode(any_random_move(self.any, &rng.state, maximal))

    def policy_move(self, Rng rng=None, bint by_hand=False, Network network=None):
        """Return a move drawn from the policy, without rng its most likely one.

        Args:
            by_hand: take the hand-written weights, not the fitted ones.
            network: the move that it finds likeliest, whatever the other arguments.

        Raises:
            ValueError: if no seat is to move.
        """
        cdef Scratch scratch
        with cython.critical_section(self, rng):
            self.require_mover()
            if network is not None:
                check_network(network, type(self), any_about(self.any).players)
                memset(&scratch.sights, 0, sizeof(Sights))
                return self.decode(any_likeliest_move(self.any, &network.net, &scratch))
            return self.decode(
                any_policy_move(self.any, &rng.state if rng is not None else NULL, by_hand))

    @cython.critical_section
    def inputs(self):
        """Return the network's active inputs (one that counts several times as often), as seen
        from the seat to move, in a deal from the seat that starts next. ValueError if the game
        is over."""
        cdef uint16_t[MAX_ACTIVE] out
        cdef int i
        if any_about(self.any).over:
            raise ValueError("the game is over")
        return [out[i] for i in range(any_inputs(self.any, out))]

    @cython.critical_section
    def policy_features(self, move, bint wide=False):
        """Return the numbers (with repetitions) of a legal move's features.

        Args:
            wide: also those that only a network's policy has a weight for.

        Raises:
            ValueError: if the move is not legal.
        """
        cdef FeatureList features
        cdef int i
        features.count = 0
        self.add_move_features(self.legal_code(move), wide, &features)
        return [features.item[i] for i in range(features.count)]

    @cython.critical_section
    def evaluation_features(self, seat):
        """Return the numbers of a seat's features (with repetitions).

        Raises:
            ValueError: if this is not between two rounds.
        """
        cdef FeatureList features
        cdef int i, index = check(seat, 0, any_about(self.any).players - 1, "seat")
        self.require_horizon()
        features.count = 0
        self.add_seat_features(index, &features)
        return [features.item[i] for i in range(features.count)]

    @cython.critical_section
    def evaluate(self):
        """Return expected final scores and win shares by seat, between rounds or at the end.

        Raises:
            ValueError: in any other phase.
        """
        cdef double[MAX_SEATS] scores
        cdef double[MAX_SEATS] standing
        cdef double[MAX_SEATS] shares
        cdef double scale
        cdef About about = any_about(self.any)
        cdef int i, players = about.players
        if not about.over:
            self.require_horizon()
        any_evaluate(self.any, scores, standing, &scale)
        win_shares(standing, players, scale, shares)
        return [scores[i] for i in range(players)], [shares[i] for i in range(players)]

    def draw(self, Rng rng not None, bint tied=False):
        """Draw the pending tiles at random and return them as `apply_chance` takes them.

        Args:
            tied: one number of rng gives every physical tile a priority, and the lowest that is
                left is drawn; then bags nearly alike give draws nearly alike. Equally random.

        Raises:
            ValueError: if nothing is to be drawn.
        """
        cdef State before
        with cython.critical_section(self, rng):
            before = self.twin()
            if not any_about(self.any).chance:
                raise ValueError("no tiles are to be drawn here")
            any_draw(self.any, &rng.state, tied)
            return self.drawn_since(before)

    @cython.critical_section
    def settle(self):
        """Resolve pending draws the way perft does: always the lowest colour in the bag."""
        while any_about(self.any).chance:
            any_draw_lowest(self.any)

    @cython.critical_section
    def winners(self):
        """Return the seats that share the victory, ascending. ValueError before the end."""
        cdef double[MAX_SEATS] scores
        cdef double[MAX_SEATS] standing
        cdef double scale
        cdef About about = any_about(self.any)
        cdef int s
        if not about.over:
            raise ValueError("the game is not over")
        any_evaluate(self.any, scores, standing, &scale)
        best = max([standing[s] for s in range(about.players)])
        return [s for s in range(about.players) if standing[s] == best]

    def perft(self, depth):
        """Return the leaf nodes after `depth` decisions, draws resolved as by `settle`.

        Raises:
            ValueError: the depth is below 0 or above 10**9.
        """
        return self.count(check(depth, 0, 10**9, "depth"))

    cdef int64_t count(self, int depth) except -1:
        """The leaves of perft; the upper decisions are played here, where signals are seen, and
        other threads run while the lower ones are counted."""
        cdef uint32_t[MAX_MOVES] moves
        cdef State settled = self.duplicate(), child
        cdef int64_t leaves = 0
        cdef int i
        if depth <= 2:
            with nogil:
                leaves = any_leaves(settled.any, depth)
            return leaves
        PyErr_CheckSignals()
        settled.settle()
        if any_about(settled.any).over:
            return 1
        for i in range(any_moves(settled.any, False, moves)):
            child = settled.duplicate()
            child.play(moves[i])
            leaves += child.count(depth - 1)
        return leaves

    # ---------------------------------------------------- numbered actions, for learners

    @cython.critical_section
    def action(self, code):
        """Return the number of the action that a legal move's 32-bit number stands for; ValueError
        if it is not one."""
        return any_action(self.any, self.legal_number(code))

    @cython.critical_section
    def action_code(self, action):
        """Return the 32-bit number of the move of an action; ValueError if it is not legal here."""
        cdef About about = any_about(self.any)
        cdef uint32_t code = NO_MOVE
        number = whole(action, "the action")
        if 0 <= number < any_action_count(self.any, about.players, about.grey):
            code = any_action_move(self.any, number)
        if code == NO_MOVE:
            raise ValueError(f"action {brief(number)} is not legal here")
        return code

    @cython.critical_section
    def action_mask(self):
        """Return one byte for each action, 1 for a legal one; all 0 where no seat is to move."""
        cdef uint8_t[MAX_ACTIONS] mask
        cdef About about = any_about(self.any)
        any_mask(self.any, mask)
        return PyBytes_FromStringAndSize(
            <char*> mask, any_action_count(self.any, about.players, about.grey))

    @cython.critical_section
    def observation(self, viewer):
        """Return the position as counts: int16 in the order of `observation_parts`, as bytes.

        Args:
            viewer: the seat that comes first.

        Raises:
            ValueError: if there is no such seat.
        """
        cdef int16_t[MAX_OBSERVATION] counts
        cdef int players = any_about(self.any).players
        any_observe(self.any, check(viewer, 0, players - 1, "viewer"), counts)
        return PyBytes_FromStringAndSize(
            <char*> counts, any_observation_size(self.any, players) * sizeof(int16_t))


cdef State blank(cls):
    """A state of a game's class that is yet to be made."""
    if cls not in _STATE_CLASSES:
        raise ValueError(f"expected the class of a game's states, found {cls!r}")
    return cls.__new__(cls)
