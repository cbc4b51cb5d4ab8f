"""The inputs of base Azul's networks: their groups, rotated seats, and a literal second count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pavilion_ai._core import (
    LINEAR_SIZES,
    POLICY_SIZES,
    AzulState,
    input_groups,
)
from tests.network.inputs import by_group, kind, made_up, played, tiled, turned
from tests.rules.azul_made_up import made_up_ending, made_up_position
from tests.rules.lockstep import scaled

DRAFT, WALL, DEAL = range(3)
SEATS = (4, 5, 6)
"""Fields of a state that hold a seat: to move, start, token."""
PENALTY = (0, 1, 2, 4, 6, 8, 11, 14)
MAX_ACTIVE = 704

ALWAYS = {
    "phase", "round", "sources", "pairs", "turns", "token", "start", "deals", "end", "longest",
    "left1", "left2", "left3", "left4", "left5", "full", "floor", "score", "lead",
}  # fmt: skip
"""Groups of which exactly one input is active."""
COUNTS = {"wall", "hues", "columns", "display", "shape", "line", "closed", "exact", "hope",
          "last_row", "last_column", "last_colour"}  # fmt: skip
"""Groups of which several may be active; of all others, one at most."""
REPEATED = {"display", "shape", "hope", "last_row", "last_column", "last_colour"}

Grid = list[list[int | None]]


positions = some.one_of(
    some.builds(partial(played, AzulState), some.integers(2, 4), some.booleans(),
                some.integers(0, 999), some.integers(0, 120), some.booleans()),
    some.builds(partial(made_up, "azul"), some.integers(0, 9999),
                some.sampled_from([made_up_position, made_up_ending])),
)


# ------------------------------------------------------------------------------- the groups

@pytest.mark.parametrize("players", [2, 3, 4])
def test_groups_tile_the_inputs(players: int) -> None:
    groups = input_groups(AzulState, players)
    assert tiled(groups) < {2: 1500, 3: 2100, 4: 2700}[players]
    assert {kind(name) for name, _, _, ordinal in groups if not ordinal} <= COUNTS | {
        "phase", "token", "start", "end"}


@settings(max_examples=scaled(300))
@given(positions)
def test_one_hot(state: AzulState) -> None:
    inputs = state.inputs()
    assert 0 < len(inputs) <= MAX_ACTIVE
    for name, active in by_group(state).items():
        if kind(name) in ALWAYS:
            assert active.total() == 1, name
        elif kind(name) not in COUNTS:
            assert active.total() <= 1, name
        elif kind(name) not in REPEATED:
            assert all(times == 1 for times in active.values()), name


@settings(max_examples=scaled(200))
@given(positions, some.integers(1, 3))
def test_rotated_seats_make_no_difference(state: AzulState, by: int) -> None:
    other = turned(state, by, SEATS)
    assert other.inputs() == state.inputs()


def test_room_is_enough() -> None:
    """Four full grey walls, all displays mixed: boards that nobody plays to."""
    wall = [1 + (column + row) % 5 if column != row else 0
            for row in range(5) for column in range(5)]
    for lines in ([(-1, 0)] * 5, [(row * 2 % 5, 1) if row else (-1, 0) for row in range(5)]):
        state = AzulState(
            4, True, 5, DRAFT, 0, 0, -1, [(1, 1, 1, 1, 0)] * 9, (5, 5, 5, 5, 5), (1,) * 5, (1,) * 5,
            0, True, [(10, lines, wall, [5] * 6)] * 4)
        assert len(state.inputs()) <= MAX_ACTIVE


def test_an_unknown_bag_counts_in_proportion() -> None:
    """Of 80 unseen tiles 40 are in the bag: half of each colour, rounded."""
    seats = [(0, [(-1, 0)] * 5, [0] * 25, [])] * 2
    state = AzulState(2, False, 1, DRAFT, 0, 0, -1, [(4, 0, 0, 0, 0)] * 5, (0,) * 5,
                      (0, 20, 20, 20, 19), (0, 0, 0, 0, 0), 40, False, seats)
    found = by_group(state)
    assert [dict(found[f"pool.{colour}"]) for colour in range(5)] == [{}] + [{4: 1}] * 4


# ---------------------------------------------------------------------- counted a second time

def run(places: Sequence[bool], at: int) -> int:
    """The length of the unbroken run through a place."""
    low = high = at
    while low > 0 and places[low - 1]:
        low -= 1
    while high < 4 and places[high + 1]:
        high += 1
    return high - low + 1


def worth(grid: Grid, row: int, column: int) -> int:
    """Points of a tile laid there (B6)."""
    across = run([place is not None or i == column for i, place in enumerate(grid[row])], column)
    down = run([grid[i][column] is not None or i == row for i in range(5)], row)
    return (across if across > 1 else 0) + (down if down > 1 else 0) or 1


def columns_for(grey: bool, grid: Grid, row: int, colour: int) -> list[int]:
    """Where a tile of the colour may go in a row."""
    if not grey:
        return [(colour + row) % 5]
    return [column for column in range(5) if grid[row][column] is None
            and colour not in [grid[i][column] for i in range(5)]]


class Board:
    """A seat's board with its full lines moved over, as far as it is known to where."""

    def __init__(self, grey: bool, seat: Any) -> None:
        self.score, self.lines, wall, floor = seat
        self.floor = len(floor)
        self.now: Grid = [[wall[5 * row + column] - 1 if wall[5 * row + column] else None
                           for column in range(5)] for row in range(5)]
        self.grid: Grid = [list(row) for row in self.now]
        self.colours = [{place for place in row if place is not None} for row in self.now]
        self.points: dict[int, int] = {}
        for row, (colour, count) in enumerate(self.lines):
            if count == row + 1:
                self.points[row] = self.most(grey, row, colour)
                self.colours[row].add(colour)
                if not grey:
                    self.grid[row][(colour + row) % 5] = colour
        self.full = sum(self.points.values())
        for row, (colour, count) in enumerate(self.lines):
            if 0 < count <= row:
                self.points[row] = self.most(grey, row, colour)
        columns = [sum(self.grid[row][column] is not None for row in range(5))
                   for column in range(5)]
        self.in_column = columns
        self.of_colour = [sum(colour in row for row in self.colours) for colour in range(5)]
        self.total = max(0, self.score + self.full - PENALTY[self.floor]) + (
            2 * sum(len(row) == 5 for row in self.colours) + 7 * columns.count(5)
            + 10 * self.of_colour.count(5))

    def most(self, grey: bool, row: int, colour: int) -> int:
        grid = self.now if grey else self.grid
        return max([worth(grid, row, column) for column in columns_for(grey, grid, row, colour)],
                   default=0)


def expected_table(state: AzulState) -> dict[str, list[int]]:
    """The numbers within their groups of what is shared."""
    (players, _, number, phase, to_move, start, token, displays, centre, bag, lid, bag_size, _,
     seats) = state.fields()
    first = to_move if to_move >= 0 else start
    shown = [display for display in displays if any(display)]
    left = [sum(column) for column in zip(*displays, centre, strict=True)]
    shapes = {(4,): 0, (1, 3): 1, (2, 2): 2, (1, 1, 2): 3, (1, 1, 1, 1): 4}
    places = [*shown, *([centre] if any(centre) else [])]
    want = 4 * (2 * players + 1)
    floors = [sum(seat[3].count(colour) for seat in seats) for colour in range(5)]
    if bag_size >= want:
        pool = list(bag)
    else:
        pool = [sum(column) for column in zip(bag, lid, floors, strict=True)]
    found = {
        "phase": [phase],
        "round": [min(number, 6) - 1],
        "token": [0 if token < 0 else 1 + (token - first) % players],
        "start": [(start - first) % players],
        "sources": [len(places)],
        "pairs": [min(15, sum(n > 0 for place in places for n in place))],
        "turns": [min(15, len(shown) + sum(n > 0 for n in left))],
        "display": [4 * colour + n - 1 for display in shown for colour, n in enumerate(display)
                    if n],
        "shape": [shapes.get(tuple(sorted(n for n in display if n)), 5) for display in shown],
        "deals": [min(5, bag_size // want)],
    }
    for colour in range(5):
        found[f"centre.{colour}"] = [min(centre[colour], 7) - 1] if centre[colour] else []
        found[f"table.{colour}"] = [min(left[colour], 10) - 1] if left[colour] else []
        largest = max([place[colour] for place in places], default=0)
        found[f"largest.{colour}"] = [min(largest, 6) - 1] if largest else []
        found[f"pool.{colour}"] = [(min(pool[colour], 20) + 1) // 2 - 1] if pool[colour] else []
    return found


def expected_seat(state: AzulState, board: Board) -> dict[str, list[int]]:
    """The same of a seat, but for those that other seats matter to."""
    grey, phase = state.fields()[1], state.phase
    displays, centre = state.fields()[7:9]
    empty = [row for row in range(5) if board.lines[row][1] == 0]
    cells = [(row, column) for row in range(5) for column in range(5)]
    found: dict[str, list[int]] = {
        "wall": [5 * r + c for r, c in cells if board.grid[r][c] is not None],
        "hues": [5 * colour + r for r in range(5) for colour in board.colours[r]
                 if grey and r not in empty],
        "columns": [5 * colour + c for r, c in cells for colour in [board.now[r][c]]
                    if grey and colour is not None],
        "longest": [max(map(len, board.colours))],
        "line": [[0, 5, 15, 30, 50][row] + (row + 1) * colour + count - 1
                 for row, (colour, count) in enumerate(board.lines) if count],
        "full": [min(board.full, 15)],
        "floor": [board.floor],
        "score": [min(board.score, 10)],
        "closed": [5 * colour + row for row in empty for colour in board.colours[row]],
        "last_row": [row - count for row, (_, count) in enumerate(board.lines)
                     if len(board.colours[row]) == 4 and count <= row],
        "exact": [],
        "last_column": [],
        "last_colour": [],
    }
    for i in range(4):
        table = [sum(place[colour] for place in [*displays, centre]) for colour in range(5)]
        found[f"hope.{i}"] = [min(7, table[colour]) for row, (colour, count) in
                              enumerate(board.lines)
                              if phase == DRAFT and count and row + 1 - count == i + 1]
    for i in range(5):
        _, count = board.lines[i]
        found[f"row.{i}"] = [len(board.colours[i]) - 1] if board.colours[i] else []
        found[f"column.{i}"] = [board.in_column[i] - 1] if board.in_column[i] else []
        found[f"colour.{i}"] = [board.of_colour[i] - 1] if board.of_colour[i] else []
        found[f"left{i + 1}"] = [i + 1 - count]
        best = max([worth(board.grid, i, column) for column in range(5)
                    if board.grid[i][column] is None], default=0)
        found[f"best.{i}"] = [best - 1] if best and i in empty else []
        found[f"points.{i}"] = [board.points[i]] if count else []
        open_lines = [row + 1 for row in empty if i not in board.colours[row]]
        begun = [row + 1 - n for row, (held, n) in enumerate(board.lines) if held == i and
                 0 < n <= row]
        found[f"room.{i}"] = [max(open_lines + begun) - 1] if open_lines + begun else []
        found[f"need.{i}"] = [min(begun) - 1] if begun else []
        piles = {min(5, place[i]) for place in [*displays, centre]}
        fills = [row for row in open_lines if row in piles]
        found["exact"] += [6 * i + max(fills) - 1] if fills else []
        found["exact"] += [6 * i + 5] if set(begun) & piles else []
        if board.in_column[i] == 4:
            (row,) = [row for row in range(5) if board.grid[row][i] is None]
            held, n = board.lines[row]
            fits = not n or i in columns_for(grey, board.now, row, held)
            found["last_column"] += [2 + row - n if fits else 0]
        if board.of_colour[i] == 4:
            (row,) = [row for row in range(5) if i not in board.colours[row]]
            held, n = board.lines[row]
            found["last_colour"] += [2 + row - n if not n or held == i else 0]
    return found


@settings(max_examples=scaled(400))
@given(positions)
def test_counted_literally(state: AzulState) -> None:
    fields = state.fields()
    players, grey, seats = fields[0], fields[1], fields[-1]
    first = state.to_move if state.to_move >= 0 else fields[5]
    boards = [Board(grey, seats[(first + r) % players]) for r in range(players)]
    expected = expected_table(state)
    rows = [any(len(row) == 5 for row in board.colours) for board in boards]
    expected["end"] = [rows[0] + 2 * any(rows[1:])]
    for r, board in enumerate(boards):
        other = board.total if r else max(board.total for board in boards[1:])
        lead = max(-42, min(42, boards[0].total - other))
        expected[f"seat{r}.lead"] = [(lead + 43) // 3]
        for name, numbers in expected_seat(state, board).items():
            expected[f"seat{r}.{name}"] = numbers
    found = by_group(state)
    for name, numbers in expected.items():
        assert found[name] == Counter(numbers), name
    assert found.keys() == expected.keys()


# ------------------------------------------------------------------------ features of moves

W_SPACE = LINEAR_SIZES[AzulState]
W_SOURCE = W_SPACE + 25
W_TAKE = W_SOURCE + 10
W_PUSH = W_TAKE + 30
W_LINE = W_PUSH + 30
W_PLACE = W_LINE + 30
W_COUNT = W_PLACE + 75
W_OVERFLOW = W_COUNT + 36


@settings(max_examples=scaled(100))
@given(positions)
def test_wide_features_of_moves(state: AzulState) -> None:
    """They come on top of the others, and say what the move does."""
    displays, centre = state.fields()[7:9]
    assert POLICY_SIZES[AzulState] == W_OVERFLOW + 20
    for move in state.moves():
        features = Counter(state.policy_features(move, wide=True))
        narrow = Counter(state.policy_features(move))
        assert all(0 <= number < W_SPACE for number in narrow)
        _, _, _, _, to_move, *_, seats = state.fields()
        lines = seats[to_move][1]
        if move[0] == 1:
            _, line, column = move
            wanted = [W_SPACE + 5 * lines[line][0] + column] if column < 5 else []
        else:
            _, source, colour, to = move
            tiles = centre if source == 9 else displays[source]
            count = tiles[colour]
            wanted = [W_SOURCE + 5 * (source == 9) + colour,
                      W_TAKE + 6 * colour + min(6, count) - 1,
                      W_LINE + 6 * colour + to, W_COUNT + 6 * to + min(count, 6) - 1]
            if source != 9:
                wanted += [W_PUSH + 6 * c + min(6, n + centre[c]) - 1
                           for c, n in enumerate(tiles) if n and c != colour]
            if to < 5:
                left = to + 1 - lines[to][1] - count
                wanted += [W_PLACE + 15 * colour + to * (to + 1) // 2 + max(left, 0)]
                wanted += [W_OVERFLOW + 4 * to + min(-left, 4) - 1] if left < 0 else []
        assert features - narrow == Counter(wanted)
        assert features.total() == narrow.total() + len(wanted)
