"""Replaying a log by our own rules, move by move, as it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pavilion_ai.bga.log import LogError, Note, identity
from pavilion_ai.bga.page import Node
from pavilion_ai.errors import PavilionError
from pavilion_ai.notation.tiles import NOTHING
from pavilion_ai.play import Play
from pavilion_ai.position import Position

__all__ = ["Replay", "StoppedError", "Tiles"]

TOKEN = 0
"""Type of the tile that is the start player token (the marker of base Azul)."""
MAX_TILE_ID = 10**9
DRAFTING = "draft"
_DRAFT = re.compile(r"(C|D[0-9]):")
"""How drafts begin in the notation."""


class StoppedError(Exception):
    """A move cannot be played here: the record ends before it.

    Attributes:
        note: that tells of the move.
        why: what is wrong, in words.
        before: whether the log contradicts what was played, so that some move before this one must
            be wrong: taken back, say, in notes that are lost.
        since: number of moves before the one that must be wrong, where that is known.
    """

    def __init__(self, note: Note | None, why: str, before: bool = False,
                 since: int | None = None) -> None:
        super().__init__(why)
        self.note, self.why, self.before, self.since = note, why, before, since


class Replay:
    """A game that is replayed as its log is read.

    Attributes:
        game: the game so far.
        ids: ids of the players by seat, as far as known.
        differences: where the site's values differ from ours, in order; later ones may follow from
            the first.
        misplaced: number of differences that concern where tiles are.
        differs_from: number of moves at the first difference; None if there is none.
        misplaced_from: the same for the first tile that lay elsewhere, or its draw.
        reached: number of moves when the game stopped, before any were taken back; None if it did
            not.
        drawn: of each tile, the number of moves before it was last drawn; none for the opening.
    """

    def __init__(self, start: Position, ids: list[str]) -> None:
        self.game = Play(start, seed=0)
        self.ids = ids
        self.differences: list[str] = []
        self.misplaced = 0
        self.differs_from: int | None = None
        self.misplaced_from: int | None = None
        self.reached: int | None = None
        self.drawn: dict[int, int] = {}

    @property
    def position(self) -> Position:
        """The current position."""
        return self.game.position

    def seat(self, player: Node) -> int:
        """Return the seat of a player, given by id; a new id gets the next free seat."""
        found = identity(player)
        if found in self.ids:
            return self.ids.index(found)
        players = self.game.start.players
        if len(self.ids) < players:
            self.ids.append(found)
            return len(self.ids) - 1
        raise LogError(f"{player.where}: found a player who is not one of the {players} at the"
                       " table")

    def play(self, note: Note | None, seat: int, move: str) -> None:
        """Play a decision of a seat.

        Raises:
            StoppedError: it is not that seat's turn, or the move is not legal here.
        """
        mover = self.game.turn
        if mover is not None and mover != seat:
            first = any(_DRAFT.match(one) for one in self.game.moves[-1:])  # after the drafting
            raise StoppedError(note, f"seat {seat} plays {move}, but seat {mover} is to move",
                               before=self.drafting or first)
        self._push(note, move, before=self.drafting)

    def draw(self, note: Note | None, move: str) -> None:
        """Play a chance move.

        Raises:
            StoppedError: no draw is due, or these tiles cannot be drawn.
        """
        self._push(note, move, before=move.startswith("deal:"))

    def _push(self, note: Note | None, move: str, before: bool) -> None:
        try:
            self.game.push(move)
        except PavilionError as error:
            raise StoppedError(note, str(error).splitlines()[0], before) from None

    def cut(self, moves: int) -> None:
        """Take back all but the first moves."""
        while len(self.game.moves) > moves:
            self.game.pop()

    @property
    def drafting(self) -> bool:
        """Whether tiles are being taken, by rules that were never others on the site."""
        return self.position.phase == DRAFTING

    def moves_until(self, holds: Callable[[Position], bool]) -> int:
        """Return the number of moves before the one since which something holds."""
        earlier = self.game.copy()
        while earlier.moves and holds(earlier.position):
            earlier.pop()
        return len(earlier.moves)

    def round_begins(self, moves: int) -> int:
        """Return the number of moves before the deal of the round that is on after some moves."""
        return max((n for n, move in enumerate(self.game.moves[:moves])
                    if move.startswith("deal:")), default=0)

    def score(self, seat: int) -> int:
        """Return the score of a seat without the bonuses at the end of the game."""
        if self.game.is_over():
            return next(iter(self.game.breakdown()[seat].values()))
        return self.game.scores()[seat]

    def doubt(self, moves: int | None) -> None:
        """Remember that moves after the first `moves` may be wrong, unless that is None."""
        known = [one for one in (moves, self.misplaced_from) if one is not None]
        self.misplaced_from = min(known, default=None)

    def differ(self, note: Note, what: str, theirs: object, ours: object) -> None:
        """Record a difference between a value of the site and ours, if there is one."""
        if theirs != ours:
            if self.differs_from is None:
                self.differs_from = len(self.game.moves)
            self.differences.append(f"move {note.move} ({note.where}): {what} {theirs} on the site,"
                                    f" {ours} by our rules")


class Tiles:
    """Tracks every tile by its id: its place, and that its colour never changes.

    The site numbers the token 1, then the tiles colour by colour.

    Args:
        colours: letters by type, counted from 1.
        per_colour: number of tiles of each.
    """

    def __init__(self, colours: str, per_colour: int) -> None:
        self.colours, self._per_colour = colours, per_colour
        self._numbered = False
        self._types: dict[int, int] = {}
        self._places: dict[int, str] = {}

    def read(self, tiles: Iterable[Node]) -> list[tuple[int, int]]:
        """Return type and id of each tile, without the token; the id is 0 if it is missing.

        Raises:
            LogError: a tile changed its colour, or is listed twice.
        """
        found: list[tuple[int, int]] = []
        for tile in tiles:
            kind = tile["type"].number(TOKEN, len(self.colours))
            number = tile["id"].number(0, MAX_TILE_ID) if "id" in tile else 0
            if kind == TOKEN:
                continue
            if number and self._types.setdefault(number, kind) != kind:
                raise LogError(f"{tile.where}: found tile {number} as type {kind}, it was type"
                               f" {self._types[number]} before")
            if number and self._numbered and self._expected(number) != kind:
                raise LogError(f"{tile.where}: found tile {number} as type {kind}, by the numbers"
                               f" of the tiles of the opening it is type {self._expected(number)}")
            if number and any(number == other for _, other in found):
                raise LogError(f"{tile.where}: found tile {number} twice in one list")
            found.append((kind, number))
        return found

    def check_numbers(self, where: str) -> None:
        """From now on check colours by id, if the tiles read so far are numbered as on the site.

        Raises:
            LogError: a few of them are not, so their colours are wrong; the message begins with the
                place.
        """
        wrong = [number for number, kind in self._types.items() if self._expected(number) != kind]
        if wrong and 4 * len(wrong) <= len(self._types):
            raise LogError(f"{where}: found tile {wrong[0]} as type {self._types[wrong[0]]}, by the"
                           " numbers of the other tiles of the opening it is type"
                           f" {self._expected(wrong[0])}")
        self._numbered = not wrong

    def _expected(self, number: int) -> int:
        """Return the type of the tile with an id."""
        return (number - 2) // self._per_colour + 1

    def displays(self, args: Node, count: int) -> list[list[tuple[int, int]]]:
        """Return the tiles on each display of a deal, as `read` does."""
        factories = dict(args["factories"].entries())
        return [self.read(factories[str(number)].items()) if str(number) in factories else []
                for number in range(1, count + 1)]

    def place(self, number: int) -> str:
        """Return where a tile lies."""
        return self._places.get(number, "bag")

    def lying(self, place: str) -> list[int]:
        """Return the ids of the tiles in a place, as far as known."""
        return [number for number, one in self._places.items() if one == place and number]

    def rename(self, place: str, name: str) -> None:
        """Give a place, with all tiles there, another name."""
        self._places.update(dict.fromkeys(self.lying(place), name))

    def text(self, kinds: Iterable[int]) -> str:
        """Return types as a multiset in the notation, in an order that any parser accepts."""
        return "".join(self.colours[kind - 1] for kind in sorted(kinds)) or NOTHING

    def move(self, tiles: Iterable[tuple[int, int]], allowed: Iterable[str], to: str,
             report: Callable[[int, str], None]) -> None:
        """Move tiles to another place, and report the first that was not in an allowed place."""
        places, reported = set(allowed), False
        for _, number in tiles:
            was = self.place(number)
            if number and was not in places and not reported:
                report(number, was)
                reported = True
            self._places[number] = to
