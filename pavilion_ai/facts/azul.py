"""What is counted in games of base Azul."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pavilion_ai.facts.game import MORE, SIDES, Played, kind_of_display
from pavilion_ai.facts.tally import Layout
from pavilion_ai.games import State
from pavilion_ai.games.azul import fields_of, goal_counts, wall_points
from pavilion_ai.position.azul_board import COLOURS, LETTERS, SIZE

_SOURCES = ("wall tiles", "floor line", "rows", "columns", "colours", "final score")
_COUNTS = ("tiles drafted", "tiles placed", "tiles on the floor line", "markers", "rows", "columns",
           "colours")
_ROWS = tuple(f"row {number}" for number in range(1, SIZE + 1))
_COLUMNS = tuple(f"column {number}" for number in range(1, SIZE + 1))
_COLOURS = tuple(f"all {colour}" for colour in COLOURS)
_WORTH = (
    "a point", "starting the next round", "a tile waiting in a line",
    *(f"a wall tile in row {number}" for number in range(1, SIZE + 1)),
    *(f"a row with {tiles} tiles" for tiles in (3, 4)),
    *(f"a column with {tiles} tiles" for tiles in (3, 4)), "a complete column",
    *(f"a colour with {tiles} tiles" for tiles in (3, 4)), "a complete colour")
_GAME = ("a tile drafted", "a tile on the floor line", "a marker", "a wall tile",
         "a complete row", "a complete column", "a complete colour")
MOST_ROUNDS = 8
"""Rounds told apart; hardly a game is longer."""
_ROUNDS = tuple(f"round {number}" for number in range(1, MOST_ROUNDS + 1))
_DIFFERENCE = ("difference", *SIDES)

LAYOUTS: tuple[Layout, ...] = (
    Layout("games", "Each seat", ("mean",),
           ("final score", "victory if it starts", "rounds of a game")),
    Layout("rounds", "Games by their number of rounds: seats that start", ("wins",), shares="wins",
           percent=("wins",)),
    Layout("points", "Points by source", SIDES, _SOURCES, difference=_DIFFERENCE),
    Layout("counts", "What a seat takes and builds", SIDES, _COUNTS, difference=_DIFFERENCE),
    Layout("tiles", "Victories by tiles drafted, against the mean of the others", ("wins",), MORE,
           percent=("wins",), shares="wins"),
    Layout("completed", "Complete at the end, and how often such seats win",
           ("seats", "with", "without"), (*_ROWS, *_COLUMNS, *_COLOURS),
           percent=("seats", "with", "without"), difference=("difference", "with", "without")),
    Layout("worth", "Worth in chance to win after a round, all else on the board being equal",
           _ROUNDS[:4], _WORTH, regression=True),
    Layout("whole game", "Worth in chance to win over a whole game, all else equal", ("game",),
           _GAME, regression=True),
    Layout("openings", "The first draft of the game, by kind of display",
           ("there", "taken", "wins"), ("4", "3+1", "2+2", "2+1+1", "1+1+1+1"),
           percent=("there", "taken", "wins")),
    Layout("first takes", "The first draft of the game, by tiles and line",
           ("wins",), percent=("wins",), shares="wins"),
    Layout("displays", "Drafts from displays, in all rounds", ("tiles", "most", "wins"),
           percent=("most", "wins"), shares="tiles"),
    Layout("centre", "Drafts from the centre, by tiles taken", ("wins",), percent=("wins",),
           shares="wins"),
    Layout("lines", "Drafts by line, in all rounds", ("tiles", "fills", "wins"),
           (*(f"line {number}" for number in range(1, SIZE + 1)), "floor line"),
           percent=("fills", "wins"), shares="tiles"),
    Layout("token", "Who takes the marker, and when", ("draft", "tiles", "starter", "wins"),
           _ROUNDS[:6], percent=("starter", "wins")),
)


def count(game: Played) -> None:
    """Count a game."""
    players = game.play.start.players
    drafted, markers = [0] * players, [0] * players
    placed_points, floored = [0] * players, [0] * players
    opening, drafts = True, 0
    for ply in game.plies:
        seat = ply.seat
        if seat is None:
            game.regress("worth", f"round {ply.state.round - 1}", _features(ply.state))
            drafts = 0
        elif ply.move.startswith(("C:", "D")):
            drafts += 1
            take = _Take(ply.state, ply.move)
            drafted[seat] += take.tiles
            floored[seat] += take.spilled
            if opening:
                _opening(game, seat, take)
                opening = False
            _draft(game, seat, take)
            if take.token:
                markers[seat] += 1
                if ply.state.round <= MOST_ROUNDS:
                    _token(game, seat, take, drafts, ply.state.round)
        elif ply.move.endswith(">F"):  # a full line without a column (B8)
            floored[seat] += int(ply.move[len("wall:")])
    for before, after in pairwise(_walls_by_round(game)):
        for seat in range(players):
            placed_points[seat] += wall_points(before[seat], after[seat])
    _end(game, drafted, floored, markers, placed_points)


def _end(game: Played, drafted: Sequence[int], floored: Sequence[int], markers: Sequence[int],
         placed_points: Sequence[int]) -> None:
    game.by_tiles(drafted)
    parts, scores = game.breakdown, game.end.scores()
    floor = [part["play"] - gained for part, gained in zip(parts, placed_points, strict=True)]
    bonuses = [[part[key] for part in parts] for key in ("rows", "columns", "colours")]
    for row, values in zip(_SOURCES, (placed_points, floor, *bonuses, scores), strict=True):
        game.by_side("points", row, values)
    walls = _walls(game.end)
    rows, columns, colours = zip(*map(goal_counts, walls), strict=True)
    placed = [sum(map(bool, wall)) for wall in walls]
    complete = [[sum(n == SIZE for n in counts) for counts in by_seat]
                for by_seat in (rows, columns, colours)]
    for row, values in zip(_COUNTS, (drafted, placed, floored, markers, *complete), strict=True):
        game.by_side("counts", row, list(values))
    game.regress("whole game", "game", list(zip(
        drafted, floored, markers, placed, *complete, strict=True)))
    for names, by_seat in ((_ROWS, rows), (_COLUMNS, columns), (_COLOURS, colours)):
        for index, row in enumerate(names):
            game.completed("completed", row, [counts[index] == SIZE for counts in by_seat])
    number = game.end.round
    for seat, score in enumerate(scores):
        game.add(seat, "games", "final score", "mean", score)
        game.add(seat, "games", "rounds of a game", "mean", number)
    starter = game.play.start.start_seat
    game.add(starter, "games", "victory if it starts", "mean", game.shares[starter])
    game.add(starter, "rounds", f"{number} rounds" if number <= MOST_ROUNDS else "more", "wins",
             game.shares[starter])


# ------------------------------------------------------------------------------- drafts


class _Take:
    """A draft: its source, what is taken, and where it goes (RULES B5).

    Attributes:
        source: tiles that lie there, by colour.
        tiles: tiles taken.
        line: pattern line from 1; 0 for the floor line.
        spilled: tiles that go to the floor line, without the marker.
        fills: whether the line is full then.
        token: whether it takes the marker.
    """

    def __init__(self, state: State, move: str) -> None:
        fields = fields_of(state)
        source, _, rest = move.partition(":")
        letter, _, line = rest.partition(">")
        self.displays = fields.displays
        self.centre = source == "C"
        self.source = fields.centre if self.centre else self.displays[int(source[1:]) - 1]
        self.starts = state.to_move == fields.start_seat
        self.tiles = self.source[LETTERS.index(letter)]
        self.line = 0 if line == "F" else int(line)
        room = 0
        if self.line:
            _, there = fields.seats[state.to_move].lines[self.line - 1]
            room = self.line - there
        self.spilled = max(0, self.tiles - room)
        self.fills = bool(self.line) and self.tiles >= room
        self.token = self.centre and fields.token < 0

    @property
    def target(self) -> str:
        """Where it goes, in words."""
        return f"line {self.line}" if self.line else "floor line"


def _opening(game: Played, seat: int, take: _Take) -> None:
    """Count the first draft of the game, made from full displays."""
    kinds = {kind_of_display(tiles) for tiles in take.displays if any(tiles)}
    for row in ("4", "3+1", "2+2", "2+1+1", "1+1+1+1"):
        game.add(seat, "openings", row, "there", float(row in kinds))
        if row in kinds:
            game.add(seat, "openings", row, "taken", float(row == kind_of_display(take.source)))
    game.add(seat, "openings", kind_of_display(take.source), "wins", game.shares[seat])
    game.add(seat, "first takes", f"{take.tiles} to {take.target}", "wins", game.shares[seat])


def _draft(game: Played, seat: int, take: _Take) -> None:
    won = game.shares[seat]
    if take.centre:
        game.add(seat, "centre", f"{take.tiles}", "wins", won)
    else:
        kind = kind_of_display(take.source)
        game.add(seat, "displays", kind, "tiles", take.tiles)
        game.add(seat, "displays", kind, "most", float(take.tiles == max(take.source)))
        game.add(seat, "displays", kind, "wins", won)
    for column, value in (("tiles", take.tiles), ("fills", take.fills), ("wins", won)):
        game.add(seat, "lines", take.target, column, float(value))


def _token(game: Played, seat: int, take: _Take, drafts: int, number: int) -> None:
    for column, value in (("draft", drafts), ("tiles", take.tiles), ("starter", take.starts),
                          ("wins", game.shares[seat])):
        game.add(seat, "token", f"round {number}", column, float(value))


# ------------------------------------------------------------------------------- walls

_Wall = tuple[int, ...]


def _walls(state: State) -> list[_Wall]:
    return [seat.wall for seat in fields_of(state).seats]


def _walls_by_round(game: Played) -> Iterator[list[_Wall]]:
    """Yield the walls at the start, before every deal, and at the end."""
    yield _walls(game.plies[0].state)
    for ply in game.plies:
        if ply.seat is None:
            yield _walls(ply.state)
    yield _walls(game.end)


def _features(state: State) -> list[list[float]]:
    """Return the features of each seat before a deal, in the order of `_WORTH`."""
    fields = fields_of(state)
    found = []
    for seat, (score, lines, wall, _) in enumerate(fields.seats):
        rows, columns, colours = goal_counts(wall)
        found.append([
            score, float(seat == fields.start_seat), sum(count for _, count in lines), *rows,
            *(rows.count(n) for n in (3, 4)), *(columns.count(n) for n in (3, 4, 5)),
            *(colours.count(n) for n in (3, 4, 5))])
    return found
