"""The moves that a search looks at, and equal effort for those that it compares."""

from __future__ import annotations

from collections.abc import Sequence

from pavilion_ai.focus import Focus
from pavilion_ai.play import Play
from pavilion_ai.sums import Sums

Move = tuple[int, ...]


class Effort:
    """Keeps the tree of a search to the moves of its focus.

    Args:
        sums: sums of the search.
        play: game whose current position is searched.
        focus: what the search is told about the moves.
        fair: whether several moves of `only` get equal shares.

    Attributes:
        shares: number of equal shares into which the search is divided; the first one finds the
            favourites; 0 if it is not divided.
        settled: whether the moves to compare are known.
    """

    def __init__(self, sums: Sums, play: Play, focus: Focus, fair: bool) -> None:
        self.sums, self.focus, self.settled = sums, focus, False
        self.named = _numbers(play, focus.only or focus.compare)
        wanted = self.look_at(play) if focus else []
        if fair and len(focus.only) > 1:
            self.compare(wanted)
        self.shares = 0
        if focus.favourites and len(wanted) > 1:
            self.shares = max(2, min(len(wanted), focus.favourites + len(self.named)))

    def look_at(self, play: Play) -> list[Move]:
        """Confine the tree to the moves of the focus; return them."""
        tree, avoided = self.sums.tree, _numbers(play, self.focus.avoid)
        listed = tree.listed()
        wanted = self.named if self.focus.only else [
            move for move in listed if move not in avoided]
        if not wanted:  # the search would have looked at none of those that are left
            wanted = [move for move in play.state.moves() if move not in avoided]
        wanted = [*wanted, *(move for move in self.named if move not in wanted)]
        if set(wanted) != set(listed):
            tree.restrict(wanted)
        return wanted

    def compare(self, moves: Sequence[Move]) -> None:
        """Give these moves equal shares of what is left of the search."""
        self.sums.tree.compare(moves)
        self.settled = self.sums.equal = True

    def settle(self) -> None:
        """Compare the favourites so far with the moves named.

        If the favourite is the one move named, the second best takes its place.
        """
        ranked = [row.move for row, _ in self.sums.ranked()]
        chosen = [*ranked[:self.focus.favourites], *self.named]
        if len(set(chosen)) == 1 and not self.focus.even:
            chosen += ranked[1:2]
        self.compare(list(dict.fromkeys(chosen)))


def _numbers(play: Play, moves: Sequence[str]) -> list[Move]:
    """Return moves in the core's numbers."""
    plies = map(play.ply_of, moves)
    return [ply.state.numbers(ply.code) for ply in plies if ply.code is not None]
