"""The sequential test of a running match."""

from __future__ import annotations

from collections.abc import Iterable

from pavilion_ai.match.results import Result
from pavilion_ai.stats import Sprt, SprtPath


class SequentialTest(SprtPath):
    """The path of the log-likelihood ratio, pair by pair from pair 1 without a gap.

    Pairs count in the order of their numbers, not in the order in which they ended, since quick
    games are not a random sample. So the verdict does not depend on how many games run at once.
    """

    def __init__(self, sprt: Sprt, results: Iterable[Result] = ()) -> None:
        super().__init__(sprt)
        self._waiting: dict[int, dict[int, float]] = {}  # pair: points of entrant 0 by rotation
        for result in results:
            self.add(result)

    def add(self, result: Result) -> None:
        """Add a game of the match; games that the test cannot use yet wait."""
        points = result.points[result.entrants.index(0)]
        self._waiting.setdefault(int(result.pair), {})[result.rotation] = points
        players = len(result.entrants)
        while self.verdict is None and len(self._waiting.get(len(self.path) + 1, ())) == players:
            self.append(self._waiting.pop(len(self.path) + 1).values())
