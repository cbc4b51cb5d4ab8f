"""Reading a log of base Azul: its moves are played as they are read.

A draft is logged in two halves, the taking and the placement, and either may be taken back; it is
final when the next draft begins or the round ends. Columns of the grey side are logged when all
players have chosen, and played in the order of our rules when the round is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from pavilion_ai.bga.azul import COLOURS
from pavilion_ai.bga.azul_checks import AzulChecks, on_wall
from pavilion_ai.bga.log import Log, LogError, Note, by_player, child, flag, listed, state_of
from pavilion_ai.bga.offers import Offers
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.reader import Draft, LogReader
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.bga.states import STATE
from pavilion_ai.bga.table import has_token
from pavilion_ai.bga.tiles import DISCARDS, Tiles
from pavilion_ai.notation.tiles import format_tiles
from pavilion_ai.position import AzulPosition
from pavilion_ai.position.azul_board import LETTERS, SIZE, row_colours

KINDS = frozenset({
    "factoriesFilled", "tilesSelected", "tilesPlacedOnLine", "firstPlayerToken", "undoSelectLine",
    "undoTakeTiles", "lastRound", "removeLastRound", "placeTileOnWall", "emptyFloorLine",
    "endScore", "placeTileOnWallTextLogDetails", "emptyFloorLineTextLogDetails",
    "completeLineLogDetails", "completeColumnLogDetails", "completeColorLogDetails",
    "updateSelectColumn",
})
"""Types of the notes of this game."""
DRAFTING = ("tilesSelected", "undoTakeTiles", "undoSelectLine", "firstPlayerToken")
"""Types of notes of drafts alone."""
MANY = 8
"""Tiles in printed columns, for each in another one, that are not there by chance if the columns
are chosen; a single note that says otherwise may be wrong. So many in other columns are right."""
CHOOSE_LINE, CHOOSE_COLUMNS = 30, (51, 55)
"""States: a player chooses a line; all players choose columns, on the grey side only, the first
number in older programs of the site."""


def drafts(log: Log) -> list[Note]:
    """Return the notes of drafts, including those taken back."""
    return [note for note in log.notes if note.kind == "tilesSelected"]


def side_of(log: Log) -> tuple[str | None, str]:
    """Return the side of the boards that the log shows, and the place that proves it, if any.

    The side is None if no round has ended yet, or if what the log shows may be of either. Only the
    grey side has a choice of columns, full lines that fall to the floor line, and no banner of a
    last round once it is averted; only on the coloured side all tiles lie in the printed columns.
    """
    ended, choice, other = "", "", ""
    grey: list[str] = []
    printed = others = 0
    states = False
    for note in log.notes:
        if choice and note.kind in KINDS:
            if note.kind not in DRAFTING:  # which all come before the choice of a round
                grey.append(choice)
            choice = ""
        states = states or (state_of(note) == CHOOSE_LINE and not log.gaps)
        if state_of(note) in CHOOSE_COLUMNS:
            choice = note.where
        if note.kind == "removeLastRound" or (
                note.kind == "tilesPlacedOnLine" and _falls(note.args)):
            grey.append(note.where)
        if note.kind == "placeTileOnWall":
            for _, entry in by_player(note.args, "completeLines"):
                kind, row, column = on_wall(entry["placedTile"])
                fits = row_colours(row - 1)[column - 1] == COLOURS[kind - 1]
                printed += fits
                others += not fits
                other = other or ("" if fits else note.where)
        if note.kind in ("placeTileOnWall", "emptyFloorLine"):
            ended = ended or note.where
    if choice:
        grey.append(choice)
    nearly_all, most = printed >= MANY * max(1, others), printed > others
    if grey:
        return (None if len(grey) == 1 and nearly_all else "grey"), grey[0]
    if others and not nearly_all and not (states and most):
        return (None if most or (states and others < MANY) else "grey"), other
    proved = not others and (states or nearly_all)
    return ("coloured" if ended else None), (ended if proved else "")


def _falls(args: Node) -> bool:
    """Tell whether a note moves a full line to the floor line as no column can take its tile."""
    return (not flag(args, "fromHand") and args["line"].number(0, SIZE) == 0
            and args["type"].number(0, len(COLOURS)) > 0)


class AzulReader(LogReader[AzulPosition]):
    """Plays a log of base Azul from the opening."""

    def __init__(self, log: Log, replay: Replay, tiles: Tiles) -> None:
        super().__init__(log, replay, tiles)
        self._line: tuple[int, Note] | None = None
        """Pattern line of the pending draft, 0 for the floor line, and the note of the placement;
        None if its tiles are not placed yet."""
        self._walls: dict[tuple[int, int], tuple[Note, int, int | None]] = {}
        self._checks = AzulChecks(log, replay, KINDS)
        self._offers = Offers(replay)
        self._floors_told: Note | None = None
        """Last note of this round that empties floor lines."""
        self._floor_wrong: tuple[Note, str] | None = None
        """The first floor line of this round that holds other tiles here, in words."""

    def _readers(self) -> Mapping[str, Callable[[Note], None]]:
        return {
            "factoriesFilled": self._dealt,
            "tilesSelected": self._selected,
            "tilesPlacedOnLine": self._placed,
            "firstPlayerToken": self._took_token,
            "undoSelectLine": self._line_undone,
            "undoTakeTiles": self._draft_undone,
            "placeTileOnWall": self._on_walls,
            "emptyFloorLine": self._floors,
            "endScore": self._ended,
            STATE: self._state,
        }

    def _play_pending(self) -> None:
        if self._line is not None:
            self._stand(None)
        self._play_walls(None)

    def _contradiction(self) -> StoppedError | None:
        stop = self._floor_stop(over=self._played_out() is not None)
        return stop or self._other_offers() or self._checks.finished()

    def _doubtful(self) -> int | None:
        stop = self._other_offers()
        return None if stop is None else stop.since

    def _other_offers(self) -> StoppedError | None:
        """Return what ends the game before a draft that stands in a wrong place, or None.

        On the grey side the site once had other rules for what it offers.
        """
        return self._offers.contradiction(certain=self._position.board == "coloured")

    # ------------------------------------------------------------------------------- drafting

    def _selected(self, note: Note) -> None:
        self._draft, self._line = self._taken(note), None

    def _placed(self, note: Note) -> None:
        kind = note.args["type"].number(0, len(COLOURS))
        if not kind:
            self._took_token(note)  # it goes to a floor line before the draft it belongs to
            return
        if not flag(note.args, "fromHand"):
            self._no_column(note, kind)
            return
        seat, draft = self._replay.seat(note.args["playerId"]), self._draft
        if draft is None or self._line is not None:
            raise StoppedError(note, "tiles are placed that were not taken", before=True)
        if (draft.seat, draft.colour) != (seat, COLOURS[kind - 1]):
            raise LogError(f"found tiles of colour {COLOURS[kind - 1]} placed by seat"
                           f" {seat}, but seat {draft.seat} took colour {draft.colour} in"
                           f" {draft.note.where}", note.where)
        line = note.args["line"].number(0, SIZE)
        if "lineNumber" in note.args and note.args["lineNumber"].number(0, SIZE) != line:
            raise LogError(f"found line {line} and lineNumber"
                           f" {note.args['lineNumber'].number(0, SIZE)}, expected equal numbers",
                           note.where)
        self._line = line, note

    def _was_removed(self, note: Note) -> bool:
        """Tell whether what is taken back is not in the log, so that nothing is to be done.

        Newer programs of the site remove a move that is taken back (thoun/azul). A draft of another
        seat that is pending stands then.
        """
        if "playerId" not in note.args:
            return False
        seat = self._replay.seat(note.args["playerId"])
        if self._draft is not None and self._draft.seat == seat:
            removed = note.kind == "undoSelectLine" and self._line is None
        else:
            self._stand(note)
            removed = self._replay.drafting and self._position.to_move == seat
        if removed:
            self._gaps.explain()
        return removed

    def _line_undone(self, note: Note) -> None:
        if self._was_removed(note):
            return
        if self._draft is not None:
            self._check_undone(note, self._draft)
        if self._line is None:
            raise StoppedError(note, "a placement is taken back, but no tiles were placed",
                               before=True)
        self._line = None

    def _draft_undone(self, note: Note) -> None:
        if self._was_removed(note):
            self._token = None
            return
        super()._draft_undone(note)
        self._line = None

    def _stand(self, note: Note | None) -> None:
        draft, self._draft = self._draft, None
        placed, self._line = self._line, None
        if draft is None:
            return
        if placed is None:
            raise StoppedError(draft.note, "tiles were taken, but the log does not say where to",
                               before=True)
        before = self._position
        source = before.displays[int(draft.source[1:]) - 1] if draft.source != "C" else (
            before.centre)
        lying = source[LETTERS.index(draft.colour)]
        move = f"{draft.source}:{draft.colour}>{placed[0] or 'F'}"
        self._check_line(draft, *placed, lying)
        self._check_source(draft)
        self._check_token(draft, before.token is None)
        self._replay.play(draft.note, draft.seat, move)
        if draft.tiles and len(draft.tiles) != lying:
            self._replay.game.pop()
            raise StoppedError(draft.note, f"{move} takes {lying} here, {len(draft.tiles)} on the"
                               " site", before=True)
        self._check_left(draft, before)
        self._follow_draft(draft, f"hand of seat {draft.seat}")
        self._follow_placed(draft.seat, *placed)
        self._gaps.played()

    def _follow_placed(self, seat: int, line: int, note: Note) -> None:
        """Move the tiles of a draft to the pattern line and the floor line.

        If the note lists neither, they stay in hand.
        """
        hand = {f"hand of seat {seat}"}
        lists = [("placedTiles", f"line {line} of seat {seat}"),
                 ("discardedTiles", f"floor line of seat {seat}")]
        told = [one for one in lists if one[0] in note.args]
        for number, (key, to) in enumerate(told, 1):
            whole = self._tiles.all_types if number == len(lists) else ()
            self._move(note, self._tiles.read(listed(note.args, key)), hand, to, whole)
        if len(told) == 1:
            rest = next(to for key, to in lists if key not in note.args)
            self._move(note, (), hand, rest, self._tiles.all_types)

    def _empty(self, note: Note, tiles: Iterable[Node], seat: int, place: str, to: str) -> None:
        """Move all tiles of a line of a player."""
        hand = f"hand of seat {seat}"
        whole = () if self._tiles.lying(hand) else self._tiles.all_types
        self._move(note, self._tiles.read(tiles), {place, hand}, to, whole)

    def _check_line(self, draft: Draft, line: int, note: Note, lying: int) -> None:
        """Stop if the number of tiles that fit in the pattern line differs from the site's."""
        if "placedTiles" not in note.args:
            return
        there = sum(self._position.seats[draft.seat].lines[line - 1]) if line else 0
        fits, theirs = min(line - there, lying), len(note.args["placedTiles"].items())
        if fits != theirs:
            name = f"line {line}" if line else "no line"
            raise StoppedError(note, f"{fits} tiles fit in {name} of seat {draft.seat} here,"
                               f" {theirs} on the site", before=True)

    # ------------------------------------------------------------------------------- tiling

    def _tiling(self, note: Note) -> None:
        """Play the last draft of a round, before a note of its end.

        Raises:
            StoppedError: there are tiles left to take.
        """
        self._stand(note)
        if self._replay.drafting:
            raise StoppedError(note, "the round ends on the site, but tiles are left here",
                               before=True)

    def _no_column(self, note: Note, kind: int) -> None:
        self._tiling(note)
        if note.args["line"].number(0, SIZE):
            raise LogError("found tiles that go to a line without having been taken", note.where)
        seat = self._replay.seat(note.args["playerId"])
        row = len(listed(note.args, "discardedTiles")) + len(listed(note.args, "placedTiles"))
        self._result(note, seat, row, kind, None)
        self._empty(note, listed(note.args, "discardedTiles"), seat, f"line {row} of seat {seat}",
                    f"floor line of seat {seat}")

    def _on_walls(self, note: Note) -> None:
        self._tiling(note)
        for player, entry in by_player(note.args, "completeLines"):
            kind, row, column = on_wall(entry["placedTile"])
            seat = self._replay.seat(Node(player, note.where))
            self._result(note, seat, row, kind, column)
            line = f"line {row} of seat {seat}"
            self._move(note, self._tiles.read([entry["placedTile"]]),
                       {line, f"hand of seat {seat}"}, f"wall of seat {seat}")
            self._empty(note, listed(entry, "discardedTiles"), seat, line, DISCARDS)
            self._checks.placed(note, seat, entry)

    def _result(self, note: Note, seat: int, row: int, kind: int, column: int | None) -> None:
        found = self._walls.setdefault((seat, row), (note, kind, column))
        if found[1:] != (kind, column):
            raise LogError(f"found line {row} of seat {seat} emptied differently"
                           f" from {found[0].where}", note.where)

    def _floors(self, note: Note) -> None:
        self._tiling(note)
        self._floors_told = note
        for player, entry in by_player(note.args, "floorLines"):
            seat = self._replay.seat(Node(player, note.where))
            self._compare_floor(note, seat, listed(entry, "tiles"))
            ours = self._tiles.count(f"floor line of seat {seat}") + has_token(
                listed(entry, "tiles"))
            self._empty(note, listed(entry, "tiles"), seat, f"floor line of seat {seat}", DISCARDS)
            self._checks.floor(note, seat, entry, ours if self._tiles.known else None)

    def _compare_floor(self, note: Note, seat: int, tiles: list[Node]) -> None:
        """Compare the number of tiles on a floor line, without the marker."""
        ours = self._tiles.count(f"floor line of seat {seat}")
        theirs = len(self._tiles.read(tiles))
        if self._tiles.known and theirs != ours and self._floor_wrong is None:
            self._floor_wrong = note, (f"the floor line of seat {seat} holds {ours} tiles here,"
                                       f" {theirs} on the site")

    def _floor_stop(self, over: bool) -> StoppedError | None:
        """Return what ends the game before a round whose floor lines hold other tiles, else None.

        Args:
            over: whether all floor lines of the round must have been emptied.
        """
        wrong, told = self._floor_wrong, self._floors_told
        self._floor_wrong = self._floors_told = None
        if wrong is None and told is not None and over:
            left = [place for seat in range(len(self._position.seats))
                    if self._tiles.count(place := f"floor line of seat {seat}")]
            wrong = (told, f"the {left[0]} is not empty here, but on the site") if left else None
        since = self._replay.round_begins(self._replay.played)
        return None if wrong is None else StoppedError(*wrong, before=True, since=since)

    def _play_walls(self, end: Note | None) -> None:
        """Play the collected choices of columns, in the order of our rules."""
        while self._position.phase == "wall":
            seat = cast(int, self._position.to_move)
            row = int(self._replay.game.legal_moves[0].split(":")[1][0])
            if (seat, row) not in self._walls:
                raise StoppedError(end, f"seat {seat} fills line {row}, but the log does not say to"
                                   " which column its tile goes", before=end is not None)
            note, kind, column = self._walls.pop((seat, row))
            line = self._position.seats[seat].lines[row - 1]
            if not line[LETTERS.index(COLOURS[kind - 1])]:
                raise StoppedError(note, f"line {row} of seat {seat} holds"
                                   f" {format_tiles(line, LETTERS)} here,"
                                   f" {COLOURS[kind - 1]} on the site", before=True)
            if column is not None:
                self._checks.check_empty(note, seat, row, column)
            try:
                self._replay.play(note, seat, f"wall:{row}>{column or 'F'}")
            except StoppedError as stop:
                stop.since = self._checks.unsure_since(seat)
                raise

    def _check_rest(self) -> None:
        """Stop if a line of the grey side that the site empties was not full here."""
        rest, self._walls = self._walls, {}
        for (seat, row), (note, *_) in rest.items() if self._position.board == "grey" else ():
            raise StoppedError(note, f"line {row} of seat {seat} is not full here, but the site"
                               " empties it", before=True)

    def _ended(self, note: Note) -> None:
        self._stand(note)
        self._play_walls(note)

    def _dealt(self, note: Note) -> None:
        self._ended(note)
        self._check_rest()
        if self._position.phase == "deal":
            stop = self._floor_stop(over=True)
            if stop is not None:
                raise stop
            self._checks.round_over(note)
        self._deal(note)

    def _state(self, note: Note) -> None:
        """Compare the lines that the site offers with those that are legal here.

        Once columns are chosen, the last draft can no longer be taken back.
        """
        self._next_drafts(note)
        if state_of(note) in CHOOSE_COLUMNS:
            self._tiling(note)
            return
        draft = self._draft
        if state_of(note) != CHOOSE_LINE or draft is None or self._line is not None:
            return
        lines = child(note.args, "args", "lines")
        if lines is None or self._position.to_move != draft.seat:
            return
        self._offers.compare(note, draft.seat, f"{draft.source}:{draft.colour}>",
                             {line.number(0, SIZE) for line in lines.items()})


def is_azul(note: Note) -> bool:
    """Tell whether a note can only come from this game."""
    return note.kind in ("tilesPlacedOnLine", "emptyFloorLine") or (
        note.kind == "factoriesFilled" and any(
            "line" in tile for display in note.args["factories"].items()
            for tile in display.items() if isinstance(tile.value, dict)))


def no_supply(log: Log, table: Node | None, tiles: Tiles) -> dict[str, str]:
    """Return no fields: the opening of this game has nothing besides its displays."""
    return {}
