"""The scores that a log states after each move: whether they agree with one another."""

from __future__ import annotations

from dataclasses import dataclass

from pavilion_ai.bga.log import Note


@dataclass(frozen=True)
class Stated:
    """A score that a log states.

    Attributes:
        note: the note that states it.
        moves: number of moves before the one that led to it.
        over: the site's score less ours.
        agrees: whether the points that the note states for that move are ours.
    """

    note: Note
    moves: int
    over: int
    agrees: bool = True


class ScoreChain:
    """The scores that a log states for one seat, in order.

    They may differ from ours: one may be written wrongly, and the site had errors that changed a
    score for the rest of the game. But a move that was not played as it is told leaves scores that
    fit no order of the moves.
    """

    def __init__(self) -> None:
        self._stated: list[Stated] = []

    def add(self, stated: Stated) -> None:
        """Add the next score."""
        self._stated.append(stated)

    @property
    def over(self) -> int:
        """How much more the site stated last than we count."""
        return self._stated[-1].over if self._stated else 0

    def broken(self, finished: bool) -> Stated | None:
        """Return the first score that contradicts the others; None if they agree.

        A difference that appears and is gone at the next score is a wrong number. One that stays is
        an error of the site if the points of the move are ours; else the move is wrong. What
        returns to neither, or returns twice by opposite amounts, comes from moves that stand in the
        wrong order.

        Args:
            finished: whether the game is over; if it is not, the last score must agree, too.
        """
        over, alone = 0, dict[int, Stated]()
        for number, one in enumerate(self._stated):
            if one.over == over:
                continue
            later = self._stated[number + 1].over if number + 1 < len(self._stated) else None
            if later is None:
                return None if finished else one
            if later == one.over:
                if not one.agrees:
                    return one
                over = one.over
            elif later != over:
                return one
            elif over - one.over in alone:
                return alone[over - one.over]
            else:
                alone.setdefault(one.over - over, one)
        return None
