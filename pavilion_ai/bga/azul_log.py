"""Reading a log of base Azul: its moves are played as they are read.

A draft is logged in two halves, the taking and the placement, and either may be taken back; it is
final when the next draft begins or the round ends. Columns of the grey side are logged when all
players have chosen, and played in the order of our rules when the round is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pavilion_ai.bga.azul import COLOURS
from pavilion_ai.bga.log import Log, LogError, Note, child, flag
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.replay import Replay, StoppedError, Tiles
from pavilion_ai.notation.tiles import format_tiles
from pavilion_ai.position import AzulPosition
from pavilion_ai.position.azul_checks import LETTERS, SIZE

__all__ = ["KINDS", "AzulReader", "drafts", "side_of"]

KINDS = frozenset({
    "factoriesFilled", "tilesSelected", "tilesPlacedOnLine", "firstPlayerToken", "undoSelectLine",
    "undoTakeTiles", "lastRound", "removeLastRound", "placeTileOnWall", "emptyFloorLine",
    "endScore", "placeTileOnWallTextLogDetails", "emptyFloorLineTextLogDetails",
    "completeLineLogDetails", "completeColumnLogDetails", "completeColorLogDetails",
    "updateSelectColumn",
})
"""Types of the notes of this game."""
CHOOSE_LINE, CHOOSE_COLUMNS = 30, 55
"""States: a player chooses a line; all players choose columns, on the grey side only."""


def drafts(log: Log) -> list[Note]:
    """Return the notes of drafts, including those taken back."""
    return [note for note in log.notes if note.kind == "tilesSelected"]


def side_of(log: Log) -> tuple[str | None, str]:
    """Return the side of the boards that the log shows, and the place that shows it.

    The side is None if no round has ended yet.
    """
    ended = ""
    for note in log.notes:
        if _state_of(note) == CHOOSE_COLUMNS or note.kind == "removeLastRound":
            return "grey", note.where
        if note.kind == "tilesPlacedOnLine" and _falls(note.args):
            return "grey", note.where
        if note.kind == "placeTileOnWall":
            for _, entry in _by_player(note.args, "completeLines"):
                kind, row, column = _on_wall(entry["placedTile"])
                if LETTERS[(column - row) % SIZE] != COLOURS[kind - 1]:
                    return "grey", note.where
        if note.kind in ("placeTileOnWall", "emptyFloorLine"):
            ended = ended or note.where
    return ("coloured" if ended else None), ended


def _state_of(note: Note) -> int | None:
    """Return the number of the state that a note announces; None for other notes."""
    if note.kind != "gameStateChange" or "id" not in note.args:
        return None
    number = str(note.args["id"].value)
    return int(number) if number.isascii() and number.isdigit() and len(number) < 6 else None


def _falls(args: Node) -> bool:
    """Tell whether a note moves a full line to the floor line as no column can take its tile."""
    return (not flag(args, "fromHand") and args["line"].number(0, SIZE) == 0
            and args["type"].number(0, len(COLOURS)) > 0)


def _on_wall(tile: Node) -> tuple[int, int, int]:
    """Return type, row and column of a tile on a wall, all counted from 1."""
    return (tile["type"].number(1, len(COLOURS)), tile["line"].number(1, SIZE),
            tile["column"].number(1, SIZE))


def _by_player(args: Node, key: str) -> list[tuple[str, Node]]:
    """Return the entries under a key by player; an empty object may be written as a list."""
    if key not in args or isinstance(args[key].value, list):
        return []
    return args[key].entries()


def _items(args: Node, key: str) -> list[Node]:
    return args[key].items() if key in args else []


@dataclass
class _Draft:
    """Tiles that were taken.

    `line` is the pattern line that they went to: 0 for the floor line, None if not placed yet.
    `placed` is the note of the placement, if it lists the tiles.
    """

    note: Note
    seat: int
    source: int
    kind: int
    tiles: list[tuple[int, int]]
    line: int | None = None
    placed: Note | None = None


class AzulReader:
    """Plays a log from the opening.

    Args:
        log: the notes.
        replay: the game at its opening.
        tiles: the tiles on the table at the opening.
    """

    def __init__(self, log: Log, replay: Replay, tiles: Tiles) -> None:
        self._log, self._replay, self._tiles = log, replay, tiles
        self._draft: _Draft | None = None
        self._walls: dict[tuple[int, int], tuple[Note, int, int | None]] = {}
        self._scores = [0] * replay.game.start.players  # as the site counts them

    @property
    def _position(self) -> AzulPosition:
        return cast(AzulPosition, self._replay.position)

    def read(self, notes: Sequence[Note]) -> None:
        """Play the notes after the first deal.

        Raises:
            StoppedError: at the first move that cannot be played.
            LogError: the log contradicts itself.
        """
        readers = {
            "factoriesFilled": self._dealt,
            "tilesSelected": self._selected,
            "tilesPlacedOnLine": self._placed,
            "undoSelectLine": self._line_undone,
            "undoTakeTiles": self._draft_undone,
            "placeTileOnWall": self._on_walls,
            "emptyFloorLine": self._floors,
            "endScore": self._ended,
            "gameStateChange": self._state,
        }
        for note in notes:
            reader = readers.get(note.kind)
            if reader is not None:
                reader(note)

    def finish(self) -> None:
        """Play the pending moves, as far as possible."""
        try:
            if self._draft is not None and self._draft.line is not None:
                self._stand(None)
            self._play_walls(None)
        except StoppedError:
            pass

    # ------------------------------------------------------------------------------- drafting

    def _selected(self, note: Note) -> None:
        self._stand(note)
        seat = self._replay.seat(note.args["playerId"])
        kind = note.args["type"].number(1, len(COLOURS))
        source = note.args["fromFactory"].number(0, len(self._position.displays))
        tiles = self._tiles.read(_items(note.args, "selectedTiles"))
        if any(found != kind for found, _ in tiles):
            raise LogError(f"{note.where}: found tiles"
                           f" {self._tiles.text(found for found, _ in tiles)}, but type {kind}")
        self._draft = _Draft(note, seat, source, kind, tiles)

    def _placed(self, note: Note) -> None:
        kind = note.args["type"].number(0, len(COLOURS))
        if not kind:
            return  # the marker goes to a floor line, before the draft it belongs to
        if not flag(note.args, "fromHand"):
            self._no_column(note, kind)
            return
        seat, draft = self._replay.seat(note.args["playerId"]), self._draft
        if draft is None or draft.line is not None:
            raise StoppedError(note, "tiles are placed that were not taken")
        if (draft.seat, draft.kind) != (seat, kind):
            raise LogError(f"{note.where}: found tiles of type {kind} placed by seat {seat}, but"
                           f" seat {draft.seat} took type {draft.kind} in {draft.note.where}")
        line = note.args["line"].number(0, SIZE)
        if "lineNumber" in note.args and note.args["lineNumber"].number(0, SIZE) != line:
            raise LogError(f"{note.where}: found line {line} and lineNumber"
                           f" {note.args['lineNumber'].number(0, SIZE)}, expected equal numbers")
        draft.line, draft.placed = line, note if "placedTiles" in note.args else None

    def _line_undone(self, note: Note) -> None:
        if self._draft is None or self._draft.line is None:
            raise StoppedError(note, "a placement is taken back, but no tiles were placed")
        self._draft.line = None

    def _draft_undone(self, note: Note) -> None:
        if self._draft is None:
            raise StoppedError(note, "tiles are put back that were not taken")
        self._draft = None

    def _stand(self, note: Note | None) -> None:
        """Play the pending draft; what follows it shows that it is final."""
        draft, self._draft = self._draft, None
        if draft is None:
            return
        if draft.line is None:
            raise StoppedError(draft.note, "tiles were taken, but the log does not say where to")
        before = self._position
        source = before.displays[draft.source - 1] if draft.source else before.centre
        lying = source[LETTERS.index(COLOURS[draft.kind - 1])]
        move = f"{_source(draft)}:{COLOURS[draft.kind - 1]}>{draft.line or 'F'}"
        self._check_line(draft, lying)
        self._replay.play(draft.note, draft.seat, move)
        if draft.tiles and len(draft.tiles) != lying:
            self._replay.game.pop()
            raise StoppedError(draft.note, f"{move} takes {lying} here, {len(draft.tiles)} on the"
                               " site")
        self._move(draft.note, draft.tiles, {_source(draft)}, f"board {draft.seat}")
        if draft.source:
            self._move(draft.note, self._tiles.read(_items(draft.note.args, "discardedTiles")),
                       {_source(draft)}, "C")

    def _check_line(self, draft: _Draft, lying: int) -> None:
        """Stop if the number of tiles that fit in the pattern line differs from the site's."""
        if not draft.line or draft.placed is None:
            return
        there = sum(self._position.seats[draft.seat].lines[draft.line - 1])
        fits = min(draft.line - there, lying)
        theirs = len(draft.placed.args["placedTiles"].items())
        if fits != theirs:
            raise StoppedError(draft.placed, f"{fits} tiles fit in line {draft.line} of seat"
                               f" {draft.seat} here, {theirs} on the site")

    # ------------------------------------------------------------------------------- tiling

    def _no_column(self, note: Note, kind: int) -> None:
        self._stand(note)
        if note.args["line"].number(0, SIZE):
            raise LogError(f"{note.where}: found tiles that go to a line without having been taken")
        seat = self._replay.seat(note.args["playerId"])
        row = len(_items(note.args, "discardedTiles")) + len(_items(note.args, "placedTiles"))
        self._result(note, seat, row, kind, None)

    def _on_walls(self, note: Note) -> None:
        self._stand(note)
        for player, entry in _by_player(note.args, "completeLines"):
            kind, row, column = _on_wall(entry["placedTile"])
            seat = self._replay.seat(Node(player, note.where))
            self._result(note, seat, row, kind, column)
            self._move(note, self._tiles.read([entry["placedTile"]]), {f"board {seat}"}, "wall")
            self._move(note, self._tiles.read(_items(entry, "discardedTiles")), {f"board {seat}"},
                       "discards")
            if "pointsDetail" in entry and "points" in entry["pointsDetail"]:
                self._scores[seat] += entry["pointsDetail"]["points"].number(-99, 99)

    def _result(self, note: Note, seat: int, row: int, kind: int, column: int | None) -> None:
        found = self._walls.setdefault((seat, row), (note, kind, column))
        if found[1:] != (kind, column):
            raise LogError(f"{note.where}: found line {row} of seat {seat} emptied differently"
                           f" from {found[0].where}")

    def _floors(self, note: Note) -> None:
        self._stand(note)
        for player, entry in _by_player(note.args, "floorLines"):
            seat = self._replay.seat(Node(player, note.where))
            points = entry["points"].number(-99, 99) if "points" in entry else 0
            self._move(note, self._tiles.read(_items(entry, "tiles")), {f"board {seat}"},
                       "discards")
            self._scores[seat] = max(0, self._scores[seat] + points)

    def _play_walls(self, end: Note | None) -> None:
        """Play the collected choices of columns, in the order of our rules."""
        while self._position.phase == "wall":
            seat = cast(int, self._position.to_move)
            row = int(self._replay.game.legal_moves[0].split(":")[1][0])
            if (seat, row) not in self._walls:
                raise StoppedError(end, f"seat {seat} fills line {row}, but the log does not say to"
                                   " which column its tile goes")
            note, kind, column = self._walls.pop((seat, row))
            line = self._position.seats[seat].lines[row - 1]
            if not line[LETTERS.index(COLOURS[kind - 1])]:
                raise StoppedError(note, f"line {row} of seat {seat} holds"
                                   f" {format_tiles(line, LETTERS)} here,"
                                   f" {COLOURS[kind - 1]} on the site")
            self._replay.play(note, seat, f"wall:{row}>{column or 'F'}")

    def _dealt(self, note: Note) -> None:
        self._end_round(note)
        factories = dict(note.args["factories"].entries())
        displays = [self._tiles.read(factories[str(n)].items()) if str(n) in factories else []
                    for n in range(1, len(self._position.displays) + 1)]
        texts = [self._tiles.text(kind for kind, _ in tiles) for tiles in displays]
        self._replay.draw(note, f"deal:{','.join(texts)}")
        for number, tiles in enumerate(displays, 1):
            self._move(note, tiles, {"bag", "discards"}, f"D{number}")
        if "remainingTiles" in note.args:
            self._replay.differ(note, "tiles in the bag:",
                                note.args["remainingTiles"].number(0, 999), self._position.bag_size)

    def _ended(self, note: Note) -> None:
        self._stand(note)
        self._play_walls(note)

    def _end_round(self, note: Note) -> None:
        self._stand(note)
        self._play_walls(note)
        self._walls.clear()
        if self._position.phase == "deal":
            for seat, score in enumerate(self._scores):
                self._replay.differ(note, f"score of seat {seat} before the deal", score,
                                    self._position.seats[seat].score)
        self._scores = [seat.score for seat in self._position.seats]

    def _state(self, note: Note) -> None:
        """Compare the lines that the site offers with those that are legal here."""
        draft = self._draft
        if _state_of(note) != CHOOSE_LINE or draft is None or draft.line is not None:
            return
        lines = child(note.args, "args", "lines")
        if lines is None or self._position.to_move != draft.seat:
            return
        prefix = f"{_source(draft)}:{COLOURS[draft.kind - 1]}>"
        theirs = {line.number(0, SIZE) for line in lines.items()}
        ours = {int(move[-1].replace("F", "0")) for move in self._replay.game.legal_moves
                if move.startswith(prefix)}
        self._replay.differ(note, f"lines that seat {draft.seat} may choose:", sorted(theirs),
                            sorted(ours))

    def _move(self, note: Note, tiles: list[tuple[int, int]], places: set[str], to: str) -> None:
        self._tiles.move(tiles, places, to, lambda number, was: self._replay.differ(
            note, f"tile {number} is taken from", " or ".join(sorted(places)), was))


def _source(draft: _Draft) -> str:
    return f"D{draft.source}" if draft.source else "C"


def is_azul(note: Note) -> bool:
    """Tell whether a note can only come from this game."""
    return note.kind in ("tilesPlacedOnLine", "emptyFloorLine") or (
        note.kind == "factoriesFilled" and any(
            "line" in tile for display in note.args["factories"].items()
            for tile in display.items() if isinstance(tile.value, dict)))


def no_supply(log: Log, table: Node | None, tiles: Tiles) -> dict[str, str]:
    """Return no fields: the opening of this game has nothing besides its displays."""
    return {}
