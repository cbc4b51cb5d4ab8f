"""What a search found: the sums of its tree, ranked and put into words of the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pavilion_ai._core import RootMove, Search
from pavilion_ai.analysis import MoveStats, RootStats, calibrated, lead, win_error
from pavilion_ai.games import Rules
from pavilion_ai.position import Position

__all__ = ["RootMove", "Sums", "recorded"]

Means = tuple[tuple[float, ...], tuple[float, ...]]


def recorded(row: RootMove) -> int:
    """Return the visits included in the sums: all, or fewer if the tree was full at the first.

    Win shares sum to 1 in each visit.
    """
    return round(sum(row.wins))


class Sums:
    """The moves of the root of a search, with what it knows of them.

    Args:
        tree: it has this position as its root.
        rules: rules of the game.
        position: the position of the root.
        mover: the seat to move there.
        win_scale: as for `calibrated`.
        by_value: rank by mean utility, not by visits.
        doubt: `drift`, `expected` and `deals` of `win_error`; empty for its defaults.

    Attributes:
        equal: whether all moves of the root are visited equally often from now on.
    """

    def __init__(self, tree: Search, rules: Rules, position: Position, mover: int, *,
                 win_scale: float, by_value: bool,
                 doubt: Mapping[str, Any] | None = None) -> None:
        self.tree, self.rules, self.position = tree, rules, position
        self.mover = mover
        self.win_scale, self.by_value, self.doubt = win_scale, by_value, doubt or {}
        self.root_state = rules.to_core(position)
        self.equal = False

    def ranked(self) -> list[tuple[RootMove, str]]:
        """Return the root's moves in notation, best first."""
        named = [(row, self.text(row)) for row in self.tree.rows()]
        by_value = self.by_value or (self.equal and self.comparable(named))
        named.sort(key=lambda pair: (*self.rank(pair[0], by_value), pair[1]))
        return named

    @staticmethod
    def comparable(rows: Sequence[tuple[RootMove, str]]) -> bool:
        """Tell whether no move has far fewer visits than another one, which it is to catch up
        with: then their values can be compared."""
        visits = [row.visits for row, _ in rows]
        return 2 * min(visits) >= max(visits)

    def best(self) -> str:
        """Return the first move of `ranked`, more quickly."""
        ranks = [(self.rank(row, self.by_value), row) for row in self.tree.rows()]
        first = min(rank for rank, _ in ranks)
        return min(self.text(row) for rank, row in ranks if rank == first)

    def text(self, row: RootMove) -> str:
        return self.rules.move_text(self.position, row.move)

    def report(self) -> tuple[RootStats, tuple[MoveStats, ...]]:
        """Return what is known of the position as a whole and of each move, best first.

        Under equal effort the position is worth what its best move is, not what all are on average.
        """
        root, ranked = self.tree.root_stats(), self.ranked()
        visits = root.visits
        if self.equal:
            visits = sum(row.visits for row, _ in ranked)
            root = next((row for row, _ in ranked if recorded(row)), root)
        means = self.means(root)
        return (RootStats(visits, *means, lead(means[1], self.mover)),
                tuple(self.move_stats(row, text, order, means)
                      for order, (row, text) in enumerate(ranked)))

    def rank(self, row: RootMove, by_value: bool) -> tuple[float, float, float]:
        value = row.value / row.visits if row.visits else -1.0
        return (-value if by_value else -row.visits, -value, -row.prior)

    def means(self, row: RootMove) -> Means:
        """Return mean win shares and scores by seat over the recorded visits."""
        visits = recorded(row)
        return (calibrated(tuple(total / visits for total in row.wins), self.win_scale),
                tuple(total / visits for total in row.scores))

    def move_stats(self, row: RootMove, text: str, order: int, of_root: Means) -> MoveStats:
        """Return a move's statistics; without recorded visits, with the means of the root."""
        wins, scores = self.means(row) if recorded(row) else of_root
        line = self.tree.line(row.move) if row.visits else []
        pv = tuple(self.rules.move_text(self.position, numbers) for numbers in line) or (text,)
        exact = recorded(row) > 0 and self.ends(row)
        return MoveStats(
            move=text,
            order=order,
            visits=row.visits,
            win_prob=wins[self.mover],
            win_prob_se=0.0 if exact else self.error(row),
            score_mean=scores,
            score_lead=lead(scores, self.mover),
            prior=row.prior,
            pv=pv,
            exact=exact,
        )

    def error(self, row: RootMove) -> float:
        """Return the standard error of the mover's chance to win."""
        before, won, after = (row.wins[:self.mover], row.wins[self.mover],
                              row.wins[self.mover + 1:])
        return win_error(recorded(row), won, row.squares, self.win_scale,
                         others=(*before, *after), **self.doubt)

    def ends(self, row: RootMove) -> bool:
        """Tell whether a move ends the game, whatever is drawn after it."""
        state = self.root_state.copy()
        state.apply(row.move)
        state.settle()
        return state.over
