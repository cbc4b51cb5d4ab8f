"""The lines that the site of base Azul offered for drafts, compared with those that are legal here.

One list that differs may be a wrong one. Several show that drafts stand in another order than they
were played; so does one that would be right if two drafts of the player had changed places.
"""

from __future__ import annotations

from pavilion_ai.bga.log import Note
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.errors import PavilionError
from pavilion_ai.notation.moves import FLOOR
from pavilion_ai.play import Play

MOSTLY = 4
"""Lists that are right for each that is wrong, so that the lists of a log count."""


class Offers:
    """What the site offered before each draft.

    Args:
        replay: the game at its opening.
    """

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._right = 0
        self._others: list[tuple[int, Note]] = []
        self._offered: dict[int, tuple[str, set[int]]] = {}
        """By number of moves before a draft: its beginning in the notation, and the lines."""

    def compare(self, note: Note, seat: int, draft: str, theirs: set[int]) -> None:
        """Compare the lines that a note offers with those that are legal.

        Args:
            seat: seat of the player.
            draft: beginning of the moves that can follow, such as `D1:R>`.
            theirs: lines from 1, 0 for the floor line.
        """
        moves, ours = self._replay.played, _lines(self._replay.game, draft)
        self._offered[moves] = draft, theirs
        if theirs == ours:
            self._right += 1
        else:
            self._others.append((moves, note))
        self._replay.differ(note, f"lines that seat {seat} may choose:", sorted(theirs),
                            sorted(ours))

    def contradiction(self, certain: bool) -> StoppedError | None:
        """Return what ends the game before the first draft that stands in a wrong place, or None.

        Args:
            certain: whether the site never had other rules for what it offers.
        """
        if not self._others or self._right <= MOSTLY * len(self._others):
            return None  # they mean something else
        moves, note = self._others[0]
        if len(self._others) > 1:
            also = "and not only these" if certain else ""
        else:
            also = ("and the same if two drafts of the player stand in each other's place"
                    if self._exchanged(moves) else "")
        if not also:
            return None
        return StoppedError(note, f"the lines that the site offered are others than here, {also},"
                            " so drafts stand in another order than they were played",
                            before=True, since=self._replay.round_begins(moves))

    def _exchanged(self, moves: int) -> bool:
        """Tell whether a list is right if its draft and another of the player change places."""
        plies = self._replay.game.plies
        if moves >= len(plies):
            return False
        first = self._replay.round_begins(moves) + 1
        last = next((n for n in range(first, len(plies)) if plies[n].code is None), len(plies))
        return any(self._fits(last, *sorted((one, moves))) for one in range(first, last)
                   if one != moves and plies[one].seat == plies[moves].seat
                   and ">" in plies[one].move and ":" in plies[one].move)

    def _fits(self, last: int, one: int, two: int) -> bool:
        """Tell whether moves until the end of a round can be played, and lists are right, if two of
        them change places.
        """
        places = list(range(last))
        places[one], places[two] = two, one
        trial, moves = self._replay.game.copy(), self._replay.game.moves
        while len(trial.plies) > one:
            trial.pop()
        for place in places[one:]:
            offer = self._offered.get(place)
            if offer is not None and _lines(trial, offer[0]) != offer[1]:
                return False
            try:
                trial.push(moves[place])
            except PavilionError:
                return False
        return True


def _lines(game: Play, draft: str) -> set[int]:
    """Return the pattern lines to which a draft can go, 0 for the floor line."""
    return {int(move[-1].replace(FLOOR, "0")) for move in game.legal_moves
            if move.startswith(draft)}
