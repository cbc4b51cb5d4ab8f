"""Places of a log where packets may be missing, and whether what follows shows that none is.

The site numbers packets and moves without a gap, but those that one player alone was told of have
numbers too, and are not in what another player saves. So a jump is not proof that something is
missing. What is missing shows in what follows: a turn that is nobody's, tiles that are still there.
Only where a move was pending may packets be missing that took it back and said another one, which
hardly shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from pavilion_ai.bga.log import Log, Note
from pavilion_ai.bga.replay import Replay, StoppedError

MANY = 8
"""Jumps without any contradiction that show that the numbers of a log say nothing."""


@dataclass(frozen=True)
class _Gap:
    """A place where numbers jump.

    Attributes:
        stop: what ends the game there if packets are missing.
        moves: number of moves before it.
        misplaced: number of tiles before it that lay elsewhere.
        differences: number of differences from the site's values before it.
        doubted: number of moves before the first that was in doubt already; None if none was.
        packets: whether the numbers of packets jump, not just those of moves.
        pending: whether a move was pending.
    """

    stop: StoppedError
    moves: int
    misplaced: int
    differences: int
    doubted: int | None
    packets: bool
    pending: bool


class Gaps:
    """The places of a log where packets may be missing, as far as it is read.

    Args:
        log: the notes.
        replay: the game at its opening.
    """

    def __init__(self, log: Log, replay: Replay) -> None:
        self._log, self._replay = log, replay
        self._recent: list[_Gap] = []
        """Those of this round."""
        self._before = 0
        """Number of these before the last note that was read."""
        self._open: list[_Gap] = []
        """Those of earlier rounds where something may be missing all the same."""
        self._explained: list[_Gap] = []
        """Those that a move explains which was taken back, until the next one is played."""
        self._harmless = 0

    def add(self, note: Note, number: int, pending: bool) -> None:
        """Remember that the numbers jump.

        Args:
            note: the note that follows.
            number: place of the first packet that follows.
            pending: whether a move was pending.
        """
        replay, lost = self._replay, number in self._log.gaps
        if replay.game.is_over() or self._harmless >= MANY:
            return
        why = self._log.gaps[number] if lost else self._log.doubts[number]
        self._recent.append(_Gap(
            StoppedError(note, why, since=replay.played), replay.played, replay.misplaced,
            len(replay.differences), replay.misplaced_from, lost, pending and lost))

    def passed(self) -> None:
        """Remember that a note was read, so that gaps until now are before it."""
        self._before = len(self._recent)

    def explain(self) -> None:
        """Set gaps after the last note aside: what is missing there was taken back.

        If what follows contradicts that before the next move is played, more is missing.
        """
        self._explained += self._recent[self._before:]
        del self._recent[self._before:]

    def played(self) -> None:
        """Drop the gaps that are explained: what followed them agrees with that."""
        self._explained = []

    def prove(self) -> None:
        """Drop the gaps of a round at its end if all that followed agrees with what was played."""
        right = [one for one in self._recent if not self._wrong(one)]
        self._harmless += sum(one.packets for one in right)
        self._open += [one for one in self._recent if one.pending or self._wrong(one)]
        self._recent = []
        if self._harmless >= MANY:
            self._open = []

    def settle(self) -> None:
        """Compare at the end of the log.

        Raises:
            StoppedError: at the first gap where something may be missing.
        """
        replay = self._replay
        if replay.game.is_over() or sum(one.packets for one in self._recent) >= MANY:
            self.prove()
        self._recent = [one for one in self._recent if one.packets or self._wrong(one)]
        found = next(iter((*self._open, *self._recent)), None)
        if found is not None:
            found.stop.unproved = not (replay.game.is_over() or self._wrong(found))
            raise found.stop

    def take_first(self) -> StoppedError | None:
        """Return what ends the game at the first gap where something may be missing, or None.

        What came to be doubted after the gap is explained by it, if it is not a move before.
        """
        gap = min((*self._open, *self._recent, *self._explained), key=lambda one: one.moves,
                  default=None)
        if gap is None:
            return None
        doubted = self._replay.misplaced_from
        if doubted is not None and doubted >= gap.moves:
            self._replay.misplaced_from = gap.doubted
        return gap.stop

    def _wrong(self, gap: _Gap) -> bool:
        """Tell whether what followed a gap differs from what was played."""
        return self._replay.misplaced > gap.misplaced or (
            gap.packets and len(self._replay.differences) > gap.differences)
