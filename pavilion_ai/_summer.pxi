# The Python class of a position of Azul: Summer Pavilion; included by _core.pyx.

from collections import namedtuple as _namedtuple

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from pavilion_ai._c.bag cimport CENTRE, NOBODY, SCORE_LIMIT
from pavilion_ai._c.bits cimport lowest_bit
from pavilion_ai._c.linear cimport FeatureList, Tally, tally
from pavilion_ai._c.summer cimport (
    SUMMER_BONUS, SUMMER_DEAL, SUMMER_LAST_ROUND, SUMMER_MOVE_DRAFT, SUMMER_MOVE_PASS,
    SUMMER_MOVE_PLACE, SUMMER_OVER, SUMMER_PER_COLOUR, SUMMER_PLACE, SUMMER_SUPPLY,
    SUMMER_WILD_INDEX, SUMMER_WILD_ORDER, SummerSeat, SummerState as SummerStruct, summer_apply,
    summer_number_points, summer_star_points,
)
from pavilion_ai._c.summer_actions cimport SUMMER_TOP_SCORE
from pavilion_ai._c.summer_chance cimport summer_deal, summer_top_up
from pavilion_ai._c.summer_features cimport (
    SUMMER_HAND_WEIGHTS, SUMMER_W_SPACE, SummerView, summer_look, summer_move_features,
    summer_seat_features,
)
from pavilion_ai._c.summer_inputs cimport (
    SUMMER_IN_BAG, SUMMER_IN_BAG_SIZE, SUMMER_IN_CENTRE, SUMMER_IN_CHOICES, SUMMER_IN_DISPLAY,
    SUMMER_IN_DISPLAYS, SUMMER_IN_DUE, SUMMER_IN_PHASE, SUMMER_IN_STARTER, SUMMER_IN_SUPPLY,
    SUMMER_IN_TABLE, SUMMER_IN_TOKEN, SUMMER_SEAT_COLOUR, SUMMER_SEAT_COLOURS, SUMMER_SEAT_FEATURE,
    SUMMER_SEAT_HAND, SUMMER_SEAT_KIND, SUMMER_SEAT_LEAD, SUMMER_SEAT_NUMBER, SUMMER_SEAT_PASSED,
    SUMMER_SEAT_PAYABLE, SUMMER_SEAT_SCORE, SUMMER_SEAT_SLOT, SUMMER_SEAT_SPACE, SUMMER_SEAT_STAR,
    SUMMER_SEAT_TILES,
)
from pavilion_ai._c.summer_moves cimport summer_place_move
from pavilion_ai._c.summer_policy cimport summer_option_count
from pavilion_ai._c.summer_sound cimport summer_tiles_are_sound
from pavilion_ai._c.tiles cimport fold, one_tile, total, unfold

# ------------------------------------------------------------------------------- conversions

cdef TileSet SUMMER_TILES
SUMMER_TILES.order = SUMMER_WILD_ORDER
SUMMER_TILES.colours, SUMMER_TILES.each = 6, SUMMER_PER_COLOUR


cdef int space_of_bit(int bit) noexcept nogil:
    return 6 * (bit & 7) + (bit >> 3)


cdef int bit_of_space(int space) noexcept nogil:
    return 8 * (space % 6) + space // 6


# Groups of inputs: name, first number, how many alike, numbers in each, whether these are ordered.
_SUMMER_SHARED_GROUPS = (
    ("phase", SUMMER_IN_PHASE, 1, 24, False), ("token", SUMMER_IN_TOKEN, 1, 5, False),
    ("starter", SUMMER_IN_STARTER, 1, 4, False), ("due", SUMMER_IN_DUE, 1, 4, True),
    ("supply", SUMMER_IN_SUPPLY, 6, 7, True), ("display", SUMMER_IN_DISPLAY, 1, 48, False),
    ("displays", SUMMER_IN_DISPLAYS, 1, 10, True), ("centre", SUMMER_IN_CENTRE, 6, 10, True),
    ("table", SUMMER_IN_TABLE, 6, 15, True), ("choices", SUMMER_IN_CHOICES, 1, 21, True),
    ("bag", SUMMER_IN_BAG, 6, 12, True), ("bag_size", SUMMER_IN_BAG_SIZE, 1, 17, True),
)
_SUMMER_SEAT_GROUPS = (
    ("space", SUMMER_SEAT_SPACE, 1, 48, False), ("slot", SUMMER_SEAT_SLOT, 1, 36, False),
    ("star", SUMMER_SEAT_STAR, 7, 7, True), ("feature", SUMMER_SEAT_FEATURE, 1, 54, False),
    ("number", SUMMER_SEAT_NUMBER, 4, 8, True), ("hand", SUMMER_SEAT_HAND, 6, 13, True),
    ("colour", SUMMER_SEAT_COLOUR, 6, 7, True), ("payable", SUMMER_SEAT_PAYABLE, 6, 7, True),
    ("tiles", SUMMER_SEAT_TILES, 1, 21, True), ("passed", SUMMER_SEAT_PASSED, 1, 2, False),
    ("lead", SUMMER_SEAT_LEAD, 1, 31, True), ("score", SUMMER_SEAT_SCORE, 1, 13, True),
    ("colours", SUMMER_SEAT_COLOURS, 1, 42, False), ("kind", SUMMER_SEAT_KIND, 1, 28, False),
)
# Symmetries of the grey board: axes of the indices of inputs (train/symmetry.py) by group, and
# groups of policy features with name, first number, size, axes.
_SUMMER_INPUT_AXES = {
    "space": "B", "star": "S*", "feature": "3R*", "colours": "S*", "kind": "S*",
}
_SUMMER_POLICY_GROUPS = (("space", SUMMER_W_SPACE, 48, "B"),)


# Parts of an observation, as summer_observe() writes them: name, axes, largest number. An axis of
# seats, displays, or holders of the token (the centre, then seats) is as long as the game has them.
_SUMMER_AXES = {"phase": 6, "round": 6, "colour": 6, "site": 7, "position": 6}
_SUMMER_PARTS = (
    ("phase", ("phase",), 1), ("round", ("round",), 1), ("to_move", ("seat",), 1),
    ("start_seat", ("seat",), 1), ("token", ("holder",), 1), ("bonus_due", (), 3),
    ("displays", ("display", "colour"), 4), ("centre", ("colour",), 22),
    ("supply", ("colour",), 10), ("bag", ("colour",), 22), ("tower", ("colour",), 22),
    ("bag_size", (), 132), ("split_known", (), 1),
)
_SUMMER_SEAT_PARTS = (
    ("score", (), SUMMER_TOP_SCORE), ("hand", ("colour",), 22), ("kept", ("colour",), 4),
    ("passed", (), 1), ("spaces", ("site", "position"), 1), ("colours", ("site", "colour"), 1),
)


# --------------------------------------------------------------------------------- the state

SummerFields = _namedtuple(
    "SummerFields", "players grey round phase to_move start_seat token bonus_due next_to_move"
    " displays centre supply bag tower bag_size split_known seats", module="pavilion_ai._core")
SummerFields.__doc__ = "The arguments of SummerState, as it returns them."
SummerSeatFields = _namedtuple("SummerSeatFields", "score hand kept passed spaces",
                               module="pavilion_ai._core")
SummerSeatFields.__doc__ = "One of the seats in them."


cdef class SummerState(State):
    """SummerState(players, grey, round, phase, to_move, start_seat, token, bonus_due, next_to_move,
    displays, centre, supply, bag, tower, bag_size, split_known, seats)\n--\n
    A position of Azul: Summer Pavilion; mutable.

    Range-checks its arguments, so that no state can lead the C code astray. That the numbers make
    a sound position (22 tiles per colour on the boards and elsewhere, and so on) is checked by
    `pavilion_ai.position`.

    Args:
        to_move: -1 in a chance phase and at the end.
        next_to_move: seat whose turn follows in phase supply, -1 if the round ends.
        displays: 2 * players + 1 multisets.
        bag, tower: if split_known is False, the bag holds all unseen tiles and the tower none.
        bag_size: used only if split_known is False.
        seats: (score, hand, kept, passed, spaces) of each: two multisets, a bool, and 42
            numbers, 0 for an empty space, else 1 + colour.

    Raises:
        ValueError: if a number is out of its range, there are more tiles of a colour than the game
            has, or the phase contradicts the tiles.
    """

    cdef SummerStruct st
    # Colour on each space, 0 for none, else 1 + wild index: for display only.
    cdef uint8_t[4][42] tiles

    def __cinit__(self):
        self.any.summer = &self.st
        self.tile_set = &SUMMER_TILES

    @cython.critical_section
    def __init__(self, players, grey, round, phase, to_move, start_seat, token, bonus_due,
                 next_to_move, displays, centre, supply, bag, tower, bag_size, split_known, seats):
        # Numbers may run code that uses this state: it is made at the end.
        cdef SummerState made = SummerState.__new__(SummerState)
        cdef SummerStruct* st = &made.st
        cdef int i, mover, last
        last = made.set_outline(
            players, grey, round, SUMMER_LAST_ROUND, phase, SUMMER_OVER, start_seat, token)
        if st.phase == SUMMER_DEAL:
            mover = st.start_seat
        elif st.phase == SUMMER_SUPPLY:
            mover = check(next_to_move, -1, last, "next_to_move")
        elif st.phase == SUMMER_OVER:
            mover = -1
        else:
            mover = check(to_move, 0, last, "to_move")
        st.mover = <uint8_t> (mover & 0xFF)
        made.set_tiles(displays, centre, bag, tower, bag_size, split_known)
        st.supply = made.lanes(supply, 10, "supply")
        st.bonus_due = <uint8_t> check(bonus_due, 0, 3, "bonus_due")
        if (st.phase == SUMMER_BONUS) != (0 < st.bonus_due <= total(st.supply)):
            raise ValueError(f"bonus_due is {bonus_due!r} in phase {phase!r}")
        for i, seat in enumerate(several(seats, last + 1, "seats")):
            score, hand, kept, passed, stars = seat
            made.set_seat(i, score, hand, kept, passed or st.phase == SUMMER_OVER, stars)
        if mover >= 0 and st.passed >> mover & 1:
            raise ValueError(f"seat {mover} is to move but has passed")
        if not summer_tiles_are_sound(st):
            raise ValueError(f"more than {SUMMER_PER_COLOUR} tiles of a colour")
        self.require_unmade()
        self.become(made)

    cdef void become(self, SummerState other) noexcept:
        """Take over everything of another state."""
        self.st = other.st
        memcpy(&self.tiles[0][0], &other.tiles[0][0], sizeof(self.tiles))

    cdef int set_seat(self, int index, score, hand, kept, passed, stars) except -1:
        cdef SummerSeat* seat = &self.st.seats[index]
        cdef int space, colour, bit
        cdef tuple board = several(stars, 42, f"spaces on the board of seat {index}")
        seat.score = check(score, 1, SCORE_LIMIT, f"score of seat {index}")
        seat.hand = (self.lanes(hand, 132, f"hand of seat {index}")
                     + self.lanes(kept, 4, "kept"))
        if passed:
            self.st.passed |= <uint8_t> (1 << index)
        for space in range(42):
            colour = check(board[space], 0, 6, f"space {space} of seat {index}")
            self.tiles[index][space] = <uint8_t> colour
            if colour:
                bit = bit_of_space(space)
                seat.board |= <uint64_t> 1 << bit
                if self.st.grey or bit & 7 == 6:
                    seat.colours |= <uint64_t> 1 << (8 * (bit & 7) + SUMMER_WILD_ORDER[colour - 1])
        return 0

    cdef State twin(self):
        cdef SummerState other = SummerState.__new__(SummerState)
        other.become(self)
        return other

    cdef bint show_colours(self) noexcept:
        cdef const SummerSeat* seat
        cdef uint64_t left                     # the last colour of a star fills what is left of it
        cdef int s, space, bit, site, colour, colours
        memset(&self.tiles[0][0], 0, sizeof(self.tiles))
        for s in range(self.st.players):
            seat = &self.st.seats[s]
            left = seat.colours
            for space in range(42):
                bit = bit_of_space(space)
                if not seat.board >> bit & 1:
                    continue
                site = colour = bit & 7
                if self.st.grey or site == 6:
                    colours = <int> (left >> 8 * site) & 63
                    colour = lowest_bit(<uint64_t> colours)
                    if colours & (colours - 1):
                        left ^= <uint64_t> 1 << (8 * site + colour)
                self.tiles[s][space] = <uint8_t> (1 + SUMMER_WILD_INDEX[colour])
        return True

    def fields(self):
        """Return the constructor's arguments, in its order."""
        cdef SummerState own = <SummerState> self.duplicate()  # threads may switch below
        cdef const SummerStruct* st = &own.st
        cdef int i
        cdef bint over = st.phase == SUMMER_OVER
        seats = []
        for i in range(st.players):
            passed = bool(over or st.passed >> i & 1)
            tiles = own.counts(st.seats[i].hand)
            none = (0,) * 6
            seats.append(SummerSeatFields(
                st.seats[i].score, none if passed else tiles, tiles if passed else none, passed,
                tuple([own.tiles[i][s] for s in range(42)])))
        return SummerFields(
            *own.outline(), st.bonus_due,
            -1 if st.phase != SUMMER_SUPPLY or st.mover == NOBODY else st.mover,
            own.displays(), own.counts(st.centre), own.counts(st.supply),
            *own.unseen(st.bag, st.tower, st.hidden), tuple(seats))

    cdef tuple decode(self, uint32_t code):
        cdef int kind = code & 7
        cdef int colour = (code >> 7) & 7 if kind == SUMMER_MOVE_DRAFT else (code >> 9) & 7
        if kind <= SUMMER_MOVE_PLACE and colour > 5:
            raise ValueError(f"{code} is not a move: it has no colour")
        if kind == SUMMER_MOVE_DRAFT:
            return (SUMMER_MOVE_DRAFT, (code >> 3) & 15, SUMMER_WILD_INDEX[colour])
        if kind == SUMMER_MOVE_PLACE:
            return (SUMMER_MOVE_PLACE, space_of_bit((code >> 3) & 63), SUMMER_WILD_INDEX[colour],
                    (code >> 12) & 7)
        return (kind,) + self.counts(unfold(code >> 3))

    cdef uint32_t encode(self, object move) except? 0xFFFFFFFF:
        cdef tuple given = tuple(move)
        cdef int kind = kind_from(given, SUMMER_MOVE_PASS)
        cdef int i
        cdef uint64_t tiles = 0
        if len(given) != (3, 4, 7, 7)[kind]:
            raise ValueError(f"{given!r} has {len(given)} numbers, expected {(3, 4, 7, 7)[kind]}")
        if kind == SUMMER_MOVE_DRAFT:
            return <uint32_t> (SUMMER_MOVE_DRAFT | check(given[1], 0, CENTRE, "source") << 3
                               | SUMMER_WILD_ORDER[check(given[2], 0, 5, "colour")] << 7)
        if kind == SUMMER_MOVE_PLACE:
            return summer_place_move(bit_of_space(check(given[1], 0, 41, "space")),
                                     SUMMER_WILD_ORDER[check(given[2], 0, 5, "colour")],
                                     check(given[3], 1, 6, "tiles of the colour"))
        for i in range(6):
            tiles += one_tile(SUMMER_WILD_ORDER[i]) * <uint64_t> check(given[1 + i], 0, 7, "tiles")
        return <uint32_t> (kind | fold(tiles) << 3)

    cdef int play(self, uint32_t code) except -1:
        cdef int seat = self.st.mover
        if code & 7 == SUMMER_MOVE_PLACE:
            self.tiles[seat][space_of_bit((code >> 3) & 63)] = <uint8_t> (
                1 + SUMMER_WILD_INDEX[(code >> 9) & 7])
        summer_apply(&self.st, code)
        return 0

    cdef void add_move_features(self, uint32_t code, bint wide, FeatureList* out) noexcept:
        cdef SummerView view
        cdef Tally sum_ = tally(NO_WEIGHTS, out)
        summer_look(&view, &self.st)
        view.wide = wide
        summer_move_features(
            &view, code,
            summer_option_count(&self.st) if self.st.phase == SUMMER_PLACE else 0, &sum_)

    cdef void add_seat_features(self, int seat, FeatureList* out) noexcept:
        cdef Tally sum_ = tally(SUMMER_HAND_WEIGHTS, out)      # only the list is wanted
        summer_seat_features(&self.st, seat, &sum_)

    cdef bint draw_these(self, const uint64_t* tiles) noexcept:
        cdef SummerStruct after = self.st
        if not (summer_deal(&after, tiles) if self.st.phase == SUMMER_DEAL
                else summer_top_up(&after, tiles[0])):
            return False
        self.st = after
        return True

    cdef tuple drawn_since(self, State before):
        cdef const SummerStruct* was = &(<SummerState> before).st
        if was.phase == SUMMER_SUPPLY:
            return (self.counts(self.st.supply - was.supply),)
        return self.displays()

    cdef tuple points(self, int seat):
        cdef int stars = summer_star_points(&self.st, &self.st.seats[seat])
        cdef int numbers = summer_number_points(&self.st, &self.st.seats[seat])
        return self.st.seats[seat].score - stars - numbers, stars, numbers
