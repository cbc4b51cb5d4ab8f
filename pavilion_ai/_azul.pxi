# The Python class of a position of base Azul; included by _core.pyx.

from collections import namedtuple as _namedtuple

cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from pavilion_ai._c.azul cimport (
    AZUL_DEAL, AZUL_FLOOR, AZUL_FLOOR_SPACES, AZUL_LINES, AZUL_MAX_ROUNDS, AZUL_MOVE_TAKE,
    AZUL_MOVE_TILE, AZUL_OVER, AZUL_PER_COLOUR, AZUL_WALL, AzulSeat, AzulState as AzulStruct,
    azul_apply, azul_colour_points, azul_column_points, azul_full_line, azul_row_points,
    azul_set_open, azul_tile_points,
)
from pavilion_ai._c.azul_actions cimport AZUL_TOP_SCORE
from pavilion_ai._c.azul_chance cimport AZUL_ORDER, azul_deal
from pavilion_ai._c.azul_features cimport (
    AZUL_C_SPACE, AZUL_HAND_WEIGHTS, AZUL_W_LINE, AZUL_W_PLACE, AZUL_W_PUSH, AZUL_W_SOURCE,
    AZUL_W_SPACE, AZUL_W_TAKE, AzulView, azul_look, azul_move_features, azul_seat_features,
)
from pavilion_ai._c.azul_inputs cimport (
    AZUL_IN_CENTRE, AZUL_IN_DEALS, AZUL_IN_DISPLAY, AZUL_IN_END, AZUL_IN_LARGEST, AZUL_IN_PAIRS,
    AZUL_IN_PHASE, AZUL_IN_POOL, AZUL_IN_ROUND, AZUL_IN_SHAPE, AZUL_IN_SOURCES, AZUL_IN_START,
    AZUL_IN_TABLE, AZUL_IN_TOKEN, AZUL_IN_TURNS, AZUL_SEAT_BEST, AZUL_SEAT_CLOSED, AZUL_SEAT_COLOUR,
    AZUL_SEAT_COLUMN, AZUL_SEAT_COLUMNS, AZUL_SEAT_EXACT, AZUL_SEAT_FLOOR, AZUL_SEAT_FULL,
    AZUL_SEAT_HOPE, AZUL_SEAT_HUES, AZUL_SEAT_LAST_COLOUR, AZUL_SEAT_LAST_COLUMN,
    AZUL_SEAT_LAST_ROW, AZUL_SEAT_LEAD, AZUL_SEAT_LEFT, AZUL_SEAT_LINE, AZUL_SEAT_LONGEST,
    AZUL_SEAT_NEED, AZUL_SEAT_POINTS, AZUL_SEAT_ROOM, AZUL_SEAT_ROW, AZUL_SEAT_SCORE,
    AZUL_SEAT_WALL,
)
from pavilion_ai._c.azul_moves cimport azul_take_move, azul_tile_move
from pavilion_ai._c.azul_sound cimport azul_tiles_are_sound
from pavilion_ai._c.bag cimport CENTRE, NOBODY, SCORE_LIMIT
from pavilion_ai._c.bits cimport lowest_bit
from pavilion_ai._c.linear cimport FeatureList, Tally, tally
from pavilion_ai._c.tiles cimport lane, one_tile, present, unfold

cdef enum:
    MARKER = 5             # in the list of a floor line, beside the colours 0-4


cdef TileSet AZUL_TILES
AZUL_TILES.order = AZUL_ORDER
AZUL_TILES.colours, AZUL_TILES.each = 5, AZUL_PER_COLOUR


cdef inline int printed(const AzulSeat* seat, int space) noexcept:
    """The colour printed on a space of the coloured wall, plus 1; 0 if no tile lies there."""
    return 1 + (space % 5 + 5 - space // 5) % 5 if seat.wall >> space & 1 else 0


cdef bint colour_wall(uint32_t wall, uint32_t rows, uint32_t columns, uint8_t* tiles) noexcept:
    """Give each space of a wall one of the colours left for its row and its column, plus 1; whether
    they fit."""
    cdef uint32_t row, column
    cdef int colour, space
    if not wall:
        return True
    space = lowest_bit(wall)
    for colour in range(5):
        row, column = 1 << (5 * colour + space // 5), 1 << (5 * colour + space % 5)
        if rows & row and columns & column:
            tiles[space] = <uint8_t> (1 + colour)
            if colour_wall(wall & (wall - 1), rows ^ row, columns ^ column, tiles):
                return True
    return False


AzulFields = _namedtuple(
    "AzulFields", "players grey round phase to_move start_seat token displays centre bag lid"
    " bag_size split_known seats", module="pavilion_ai._core")
AzulFields.__doc__ = "The arguments of AzulState, as it returns them."
AzulSeatFields = _namedtuple("AzulSeatFields", "score lines wall floor",
                             module="pavilion_ai._core")
AzulSeatFields.__doc__ = "One of the seats in them."


cdef class AzulState(State):
    """AzulState(players, grey, round, phase, to_move, start_seat, token, displays, centre, bag,
    lid, bag_size, split_known, seats)\n--\n
    A position of base Azul; mutable. Range-checks its arguments, as SummerState does.

    Args:
        to_move: -1 in a chance phase and at the end.
        token: seat that took the starting player marker, -1 while it lies in the centre.
        displays: 2 * players + 1 multisets.
        bag, lid: if split_known is False, the bag holds all unseen tiles and the lid none.
        bag_size: used only if split_known is False.
        seats: (score, lines, wall, floor) of each: five pairs (colour, tiles), -1 and 0 for an
            empty line; 25 numbers row by row, 0 for an empty space, else 1 + colour; at most
            seven numbers, a colour or 5 for the marker.

    Raises:
        ValueError: if a number is out of its range, there are more tiles of a colour than the game
            has, or the phase contradicts the tiles.
    """

    cdef AzulStruct st
    # For display only, not used by the rules: the colour on each space (0 none, else 1 + colour)
    # and the contents of the floor lines, `st.seats[s].floor` entries each.
    cdef uint8_t[4][25] tiles
    cdef uint8_t[4][7] floors

    def __cinit__(self):
        self.any.azul = &self.st
        self.tile_set = &AZUL_TILES

    @cython.critical_section
    def __init__(self, players, grey, round, phase, to_move, start_seat, token, displays, centre,
                 bag, lid, bag_size, split_known, seats):
        # Numbers may run code that uses this state: it is made at the end.
        cdef AzulState made = AzulState.__new__(AzulState)
        cdef AzulStruct* st = &made.st
        cdef int i, last
        last = made.set_outline(
            players, grey, round, AZUL_MAX_ROUNDS, phase, AZUL_OVER, start_seat, token)
        if st.phase == AZUL_DEAL:
            st.mover = st.start_seat
        elif st.phase == AZUL_OVER:
            st.mover = NOBODY
        else:
            st.mover = <uint8_t> check(to_move, 0, last, "to_move")
        made.set_tiles(displays, centre, bag, lid, bag_size, split_known)
        for i, seat in enumerate(several(seats, last + 1, "seats")):
            score, lines, wall, floor = seat
            made.set_seat(i, score, lines, wall, floor)
        if st.phase == AZUL_WALL and (
                not st.grey or azul_full_line(&st.seats[st.mover]) == AZUL_LINES):
            raise ValueError("phase wall is for the grey wall and a mover with a full line")
        if not azul_tiles_are_sound(st):
            raise ValueError(f"more than {AZUL_PER_COLOUR} tiles of a colour")
        self.require_unmade()
        self.become(made)

    cdef void become(self, AzulState other) noexcept:
        """Take over everything of another state."""
        self.st = other.st
        memcpy(&self.tiles[0][0], &other.tiles[0][0], sizeof(self.tiles))
        memcpy(&self.floors[0][0], &other.floors[0][0], sizeof(self.floors))

    cdef int set_seat(self, int index, score, lines, wall, floor) except -1:
        cdef AzulSeat* seat = &self.st.seats[index]
        cdef int i, colour
        # Copies: the numbers in them may run code that changes what was given.
        cdef tuple rows = tuple(lines), board = tuple(wall), fallen = tuple(floor)
        cdef int spaces = len(fallen)
        seat.score = check(score, 0, SCORE_LIMIT, f"score of seat {index}")
        if len(board) != 25 or len(rows) != AZUL_LINES or spaces > AZUL_FLOOR_SPACES:
            raise ValueError(f"seat {index}: wall, lines or floor line of a wrong length")
        for i in range(25):
            colour = check(board[i], 0, 5, f"space {i} of seat {index}")
            self.tiles[index][i] = <uint8_t> colour
            if colour:
                seat.wall |= <uint32_t> 1 << i
                seat.rows |= <uint32_t> 1 << (5 * (colour - 1) + i // 5)
                seat.columns |= <uint32_t> 1 << (5 * (colour - 1) + i % 5)
        for i in range(AZUL_LINES):
            number, count = rows[i]
            seat.count[i] = <uint8_t> check(count, 0, i + 1, f"line {i + 1}")
            if seat.count[i]:
                seat.colour[i] = <uint8_t> check(number, 0, 4, f"line {i + 1}")
                if seat.rows >> (5 * seat.colour[i] + i) & 1:
                    raise ValueError(f"line {i + 1} of seat {index}: colour on its wall row")
            azul_set_open(seat, i)
        for i in range(5):
            seat.open |= <uint32_t> 1 << (6 * i + AZUL_FLOOR)
        for i in range(spaces):
            colour = check(fallen[i], 0, MARKER, "floor line")
            self.floors[index][i] = <uint8_t> colour
            if colour != MARKER:
                self.st.lid += one_tile(colour)
        seat.floor = <uint8_t> spaces
        return 0

    cdef State twin(self):
        cdef AzulState other = AzulState.__new__(AzulState)
        other.become(self)
        return other

    cdef bint show_colours(self) noexcept:
        cdef const AzulSeat* seat
        cdef uint64_t left = self.st.lid       # all tiles of the floor lines are among these
        cdef int s, i
        memset(&self.tiles[0][0], 0, sizeof(self.tiles))
        for s in range(self.st.players):
            seat = &self.st.seats[s]
            if self.st.grey and not colour_wall(
                    seat.wall, seat.rows, seat.columns, &self.tiles[s][0]):
                return False
            for i in range(seat.floor):
                if i == 0 and self.st.token == s:
                    self.floors[s][i] = MARKER
                elif left:
                    self.floors[s][i] = <uint8_t> lowest_bit(<uint64_t> present(left))
                    left -= one_tile(self.floors[s][i])
                else:
                    return False
        return True

    cdef uint64_t on_floors(self):
        """The tiles on all floor lines, which st.lid already counts."""
        cdef uint64_t tiles = 0
        cdef int s, i
        for s in range(self.st.players):
            for i in range(self.st.seats[s].floor):
                if self.floors[s][i] != MARKER:
                    tiles += one_tile(self.floors[s][i])
        return tiles

    cdef tuple wall_of(self, int index):
        cdef int i
        if self.st.grey:
            return tuple([self.tiles[index][i] for i in range(25)])
        return tuple([printed(&self.st.seats[index], i) for i in range(25)])

    def fields(self):
        """Return the constructor's arguments, in its order."""
        cdef AzulState own = <AzulState> self.duplicate()  # threads may switch below
        cdef const AzulStruct* st = &own.st
        cdef const AzulSeat* seat
        cdef int i, j
        seats = []
        for i in range(st.players):
            seat = &st.seats[i]
            lines = tuple([(seat.colour[j] if seat.count[j] else -1, seat.count[j])
                           for j in range(AZUL_LINES)])
            floor = tuple([own.floors[i][j] for j in range(seat.floor)])
            seats.append(AzulSeatFields(seat.score, lines, own.wall_of(i), floor))
        return AzulFields(
            *own.outline(), own.displays(), own.counts(st.centre),
            *own.unseen(st.bag, st.lid - own.on_floors(), st.hidden), tuple(seats))

    cdef tuple decode(self, uint32_t code):
        if code & 7 == AZUL_MOVE_TAKE:
            return (AZUL_MOVE_TAKE, (code >> 3) & 15, (code >> 7) & 7, (code >> 10) & 7)
        return (AZUL_MOVE_TILE, (code >> 3) & 7, (code >> 6) & 7)

    cdef uint32_t encode(self, object move) except? 0xFFFFFFFF:
        cdef tuple given = tuple(move)
        cdef int kind = kind_from(given, AZUL_MOVE_TILE)
        if len(given) != (4, 3)[kind]:
            raise ValueError(f"{given!r} has {len(given)} numbers, expected {(4, 3)[kind]}")
        if kind == AZUL_MOVE_TAKE:
            return azul_take_move(check(given[1], 0, CENTRE, "source"),
                                  check(given[2], 0, 4, "colour"),
                                  check(given[3], 0, AZUL_FLOOR, "destination"))
        return azul_tile_move(
            check(given[1], 0, 4, "line"), check(given[2], 0, AZUL_FLOOR, "column"))

    cdef int play(self, uint32_t code) except -1:
        cdef int index = self.st.mover
        if code & 7 == AZUL_MOVE_TAKE:
            self.show_take(index, (code >> 3) & 15, (code >> 7) & 7, (code >> 10) & 7)
        else:
            self.show_tile(index, (code >> 3) & 7, (code >> 6) & 7)
        azul_apply(&self.st, code)
        return 0

    cdef void show_take(self, int index, int source, int colour, int destination) noexcept:
        """Record the tiles that a draft, not yet played, puts on the floor line."""
        cdef const AzulSeat* seat = &self.st.seats[index]
        cdef uint64_t tiles = (self.st.centre if source == CENTRE
                               else unfold(self.st.displays[source]))
        cdef int floor = seat.floor
        cdef int spare = lane(tiles, colour)
        if source == CENTRE and self.st.token == NOBODY and floor < AZUL_FLOOR_SPACES:
            self.floors[index][floor] = MARKER
            floor += 1
        if destination != AZUL_FLOOR:
            spare -= destination + 1 - seat.count[destination]
        self.show_floor(index, floor, colour, spare)

    cdef void show_floor(self, int index, int floor, int colour, int count) noexcept:
        while count > 0 and floor < AZUL_FLOOR_SPACES:
            self.floors[index][floor] = <uint8_t> colour
            floor += 1
            count -= 1

    cdef void show_tile(self, int index, int line, int column) noexcept:
        """Record the column of a full line that is not yet resolved (grey wall)."""
        cdef const AzulSeat* seat = &self.st.seats[index]
        if column == AZUL_FLOOR:
            self.show_floor(index, seat.floor, seat.colour[line], line + 1)
        else:
            self.tiles[index][5 * line + column] = <uint8_t> (1 + seat.colour[line])

    cdef void add_move_features(self, uint32_t code, bint wide, FeatureList* out) noexcept:
        cdef AzulView view
        cdef Tally sum_ = tally(NO_WEIGHTS, out)
        azul_look(&view, &self.st)
        view.wide = wide
        azul_move_features(&view, code, &sum_)

    cdef void add_seat_features(self, int seat, FeatureList* out) noexcept:
        cdef Tally sum_ = tally(AZUL_HAND_WEIGHTS, out)     # only the list is wanted
        azul_seat_features(&self.st, seat, &sum_)

    cdef bint draw_these(self, const uint64_t* tiles) noexcept:
        cdef AzulStruct after = self.st
        if not azul_deal(&after, tiles):
            return False
        self.st = after
        return True

    cdef tuple points(self, int seat):
        cdef const AzulSeat* board = &self.st.seats[seat]
        cdef int rows = azul_row_points(board), columns = azul_column_points(board)
        cdef int colours = azul_colour_points(board)
        return board.score - rows - columns - colours, rows, columns, colours


def wall_points(before, after):
    """Return the points of the tiles that a wall of base Azul gains, placed row by row (B5, B6).

    Args:
        before, after: the 25 numbers of the wall, as in `AzulState`.
    """
    cdef tuple was = several(before, 25, "spaces"), filled = several(after, 25, "spaces")
    cdef uint32_t wall = 0
    cdef int i, points = 0
    for i in range(25):
        wall |= <uint32_t> bool(was[i]) << i
    for i in range(25):
        if filled[i] and not was[i]:
            wall |= <uint32_t> 1 << i
            points += azul_tile_points(wall, i // 5, i % 5)
    return points


# Groups of inputs: name, first number, how many of them, size of each, and whether it is the
# one-hot of a number.
_AZUL_SHARED_GROUPS = (
    ("phase", AZUL_IN_PHASE, 1, 3, False), ("round", AZUL_IN_ROUND, 1, 6, True),
    ("sources", AZUL_IN_SOURCES, 1, 11, True), ("pairs", AZUL_IN_PAIRS, 1, 16, True),
    ("turns", AZUL_IN_TURNS, 1, 16, True), ("token", AZUL_IN_TOKEN, 1, 5, False),
    ("start", AZUL_IN_START, 1, 4, False), ("centre", AZUL_IN_CENTRE, 5, 7, True),
    ("display", AZUL_IN_DISPLAY, 1, 20, False), ("shape", AZUL_IN_SHAPE, 1, 6, False),
    ("table", AZUL_IN_TABLE, 5, 10, True), ("largest", AZUL_IN_LARGEST, 5, 6, True),
    ("pool", AZUL_IN_POOL, 5, 10, True), ("deals", AZUL_IN_DEALS, 1, 6, True),
    ("end", AZUL_IN_END, 1, 4, False),
)
_AZUL_SEAT_GROUPS = (
    ("wall", AZUL_SEAT_WALL, 1, 25, False), ("hues", AZUL_SEAT_HUES, 1, 25, False),
    ("columns", AZUL_SEAT_COLUMNS, 1, 25, False), ("row", AZUL_SEAT_ROW, 5, 5, True),
    ("column", AZUL_SEAT_COLUMN, 5, 5, True), ("colour", AZUL_SEAT_COLOUR, 5, 5, True),
    ("longest", AZUL_SEAT_LONGEST, 1, 6, True), ("line", AZUL_SEAT_LINE, 1, 75, False),
    ("left1", AZUL_SEAT_LEFT, 1, 2, True), ("left2", AZUL_SEAT_LEFT + 2, 1, 3, True),
    ("left3", AZUL_SEAT_LEFT + 5, 1, 4, True), ("left4", AZUL_SEAT_LEFT + 9, 1, 5, True),
    ("left5", AZUL_SEAT_LEFT + 14, 1, 6, True), ("best", AZUL_SEAT_BEST, 5, 10, True),
    ("points", AZUL_SEAT_POINTS, 5, 11, True), ("full", AZUL_SEAT_FULL, 1, 16, True),
    ("floor", AZUL_SEAT_FLOOR, 1, 8, True), ("closed", AZUL_SEAT_CLOSED, 1, 25, False),
    ("room", AZUL_SEAT_ROOM, 5, 5, True), ("need", AZUL_SEAT_NEED, 5, 4, True),
    ("exact", AZUL_SEAT_EXACT, 1, 30, False), ("hope", AZUL_SEAT_HOPE, 4, 8, True),
    ("last_row", AZUL_SEAT_LAST_ROW, 1, 5, False),
    ("last_column", AZUL_SEAT_LAST_COLUMN, 1, 7, False),
    ("last_colour", AZUL_SEAT_LAST_COLOUR, 1, 7, False), ("score", AZUL_SEAT_SCORE, 1, 11, True),
    ("lead", AZUL_SEAT_LEAD, 1, 29, True),
)
# Symmetries of the grey wall: axes of the indices of inputs (train/symmetry.py) by group, and
# groups of policy features with name, first number, size, axes.
_AZUL_INPUT_AXES = {
    "centre": "C*", "display": "C*", "table": "C*", "largest": "C*", "pool": "C*", "wall": "*K",
    "hues": "C*", "columns": "CK", "column": "K*", "colour": "C*", "closed": "C*", "room": "C*",
    "need": "C*", "exact": "C*", "line": "C1 C2 C3 C4 C5",
}
_AZUL_POLICY_GROUPS = (
    ("space", AZUL_C_SPACE, 25, "*K"), ("column", AZUL_W_SPACE, 25, "CK"),
    ("source", AZUL_W_SOURCE, 10, "*C"),
    ("take", AZUL_W_TAKE, 30, "C*"), ("push", AZUL_W_PUSH, 30, "C*"),
    ("line", AZUL_W_LINE, 30, "C*"), ("place", AZUL_W_PLACE, 75, "C*"),
)
# Parts of an observation, as azul_observe() writes them; see _SUMMER_PARTS.
_AZUL_AXES = {"phase": 4, "colour": 5, "line": 5, "row": 5, "column": 5}
_AZUL_PARTS = (
    ("phase", ("phase",), 1), ("round", (), AZUL_MAX_ROUNDS), ("to_move", ("seat",), 1),
    ("start_seat", ("seat",), 1), ("token", ("holder",), 1),
    ("displays", ("display", "colour"), 4), ("centre", ("colour",), 20), ("bag", ("colour",), 20),
    ("lid", ("colour",), 20), ("bag_size", (), 100), ("split_known", (), 1),
)
_AZUL_SEAT_PARTS = (
    ("score", (), AZUL_TOP_SCORE), ("lines", ("line", "colour"), 5), ("wall", ("row", "column"), 1),
    ("rows", ("colour", "row"), 1), ("columns", ("colour", "column"), 1), ("floor", (), 7),
)
