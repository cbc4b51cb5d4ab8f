"""Replaying a log by our own rules, move by move, as it is read."""

from __future__ import annotations

from collections.abc import Callable

from pavilion_ai.bga.log import LogError, Note, identity, whole_number
from pavilion_ai.bga.page import Node
from pavilion_ai.errors import PavilionError, first_line
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.position.base import DRAFTING

BONUS = "bonus:"
"""Begins the moves that the site once allowed where our rules do not."""


class StoppedError(Exception):
    """A move cannot be played here: the record ends before it.

    Attributes:
        note: the note that tells of the move.
        why: what is wrong, in words.
        before: whether the log contradicts what was played, so that some move before this one must
            be wrong: taken back, say, in notes that are lost.
        since: number of moves before the one that must be wrong, where that is known.
        unproved: whether nothing is wrong, but the log ends before that shows.
    """

    def __init__(self, note: Note | None, why: str, before: bool = False,
                 since: int | None = None) -> None:
        super().__init__(why)
        self.note, self.why, self.before, self.since = note, why, before, since
        self.unproved = False


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
        reached: what `told` was when the game stopped, before any move was taken back; None if it
            did not.
        drawn: number of moves before each tile was last drawn; none for the opening.
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

    @property
    def played(self) -> int:
        """Number of moves so far, draws included."""
        return len(self.game.plies)

    @property
    def told(self) -> int:
        """Number of moves so far that logs of both sides of the boards tell of.

        Columns are chosen on the grey side of base Azul only.
        """
        return sum(not move.startswith("wall:") for move in self.game.moves)

    def seat(self, player: Node) -> int:
        """Return the seat of a player, given by id; a new id gets the next free seat."""
        found = identity(player)
        if found in self.ids:
            return self.ids.index(found)
        players = self.game.start.players
        if len(self.ids) < players:
            self.ids.append(found)
            return len(self.ids) - 1
        raise LogError(f"found a player who is not one of the {players} at the"
                       " table", player.where)

    def at_table(self, player: Node) -> bool:
        """Tell whether an id is that of a player who has a seat."""
        return str(whole_number(player)) in self.ids

    def play(self, note: Note | None, seat: int, move: str) -> None:
        """Play a decision of a seat.

        Raises:
            StoppedError: it is not that seat's turn, or the move is not legal here.
        """
        mover = self.game.turn
        if mover is not None and mover != seat:
            raise StoppedError(note, f"seat {seat} plays {move}, but seat {mover} is to move",
                               before=not move.startswith(BONUS))
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
            raise StoppedError(note, first_line(error), before) from None

    def cut(self, moves: int) -> None:
        """Take back all but the first moves."""
        while self.played > moves:
            self.game.pop()

    @property
    def drafting(self) -> bool:
        """Whether tiles are being taken, by rules that were never others on the site."""
        return self.position.phase == DRAFTING

    def moves_until(self, holds: Callable[[Position], bool]) -> int:
        """Return the number of moves before the one since which something holds."""
        earlier = self.game.copy()
        while earlier.plies and holds(earlier.position):
            earlier.pop()
        return len(earlier.plies)

    def round_begins(self, moves: int) -> int:
        """Return the number of moves before the deal of the round that is on after some moves."""
        return max((n for n, move in enumerate(self.game.moves[:moves])
                    if move.startswith("deal:")), default=0)

    def score(self, seat: int) -> int:
        """Return the score of a seat without the bonuses at the end of the game."""
        if self.game.is_over():
            return self.game.breakdown()[seat]["play"]
        return self.game.scores()[seat]

    def doubt(self, moves: int | None) -> None:
        """Remember that moves after the first `moves` may be wrong, unless that is None."""
        known = [one for one in (moves, self.misplaced_from) if one is not None]
        self.misplaced_from = min(known, default=None)

    def differ(self, note: Note, what: str, theirs: object, ours: object) -> None:
        """Record a difference between a value of the site and ours, if there is one."""
        if theirs != ours:
            self.differ_in(note, f"{what} {theirs} on the site, {ours} by our rules")

    def differ_in(self, note: Note, what: str) -> None:
        """Record a difference that is told in words."""
        if self.differs_from is None:
            self.differs_from = self.played
        self.differences.append(f"move {note.move} ({note.where}): {what}")
