"""Exact values of small endings by brute force: every move, every draw, to the end of the game.

Independent of the search: it uses only the rules (`moves`, `apply`, `apply_chance`) and the
definition of the utility that the search maximises. A round that is not the last is solved up to
its end; what it leads to is worth what the evaluation says, as for the search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from pavilion_ai._core import SummerState
from pavilion_ai.games import GAMES
from pavilion_ai.search import tunables_for

from .support import STATES, rules_of

Tiles = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """Expectations by seat under best play."""

    utility: tuple[float, ...]
    wins: tuple[float, ...]
    scores: tuple[float, ...]


def utilities(
    scores: Sequence[float], wins: Sequence[float], win_weight: float, width: float
) -> list[float]:
    """Return by seat: win_weight of the win share, the rest of the lead (docs/search.md)."""
    result = []
    for seat, score in enumerate(scores):
        ahead = score - max(other for s, other in enumerate(scores) if s != seat)
        squashed = 0.5 + 0.5 * math.tanh(ahead / width)
        result.append(win_weight * wins[seat] + (1 - win_weight) * squashed)
    return result


def balanced(state: Any, ahead: int = 0) -> Any:
    """Return the state with scores shifted so that best play ends about level (two players).

    Args:
        ahead: how much seat 0 is to win by instead.
    """
    scores = Solver(rules_of(state).name).value(state).scores
    more = round(scores[0] - scores[1]) - ahead
    *fields, seats = state.fields()
    return STATES[rules_of(state).name](*fields, tuple(
        (seat[0] + max(0, more if index else -more), *seat[1:])
        for index, seat in enumerate(seats)))


@cache
def multisets(tiles: Tiles, count: int) -> tuple[tuple[Tiles, float], ...]:
    """Return all draws of `count` tiles with their chances (hypergeometric)."""
    ways = math.comb(sum(tiles), count)
    return tuple(
        (pick, math.prod(math.comb(n, k) for n, k in zip(tiles, pick, strict=True)) / ways)
        for pick in product(*(range(min(n, count) + 1) for n in tiles))
        if sum(pick) == count
    )


def top_ups(state: Any) -> Iterator[tuple[Tiles, float]]:
    """Yield what a pending top-up can draw, with chances (A7.7, A9)."""
    fields = state.fields()
    due, bag, tower, known = 10 - sum(fields[11]), fields[12], fields[13], fields[15]
    if not known:
        bag, tower = tuple(a + b for a, b in zip(bag, tower, strict=True)), (0,) * 6
    if sum(bag) >= due:
        yield from multisets(bag, due)
        return
    for pick, chance in multisets(tower, min(due - sum(bag), sum(tower))):
        yield tuple(a + b for a, b in zip(bag, pick, strict=True)), chance


class Solver:
    """Solves endings; remembers every state it has met."""

    def __init__(self, game: str = "summer", **tunables: float) -> None:
        merged: dict[str, Any] = {**tunables_for(GAMES[game]), **tunables}
        self.win_weight, self.width = merged["win_weight"], merged["width"]
        self.known: dict[tuple[Any, ...], Value] = {}

    def value(self, state: Any) -> Value:
        """Return the value of a state with its best play.

        With the split of bag and tower unknown, all unseen tiles are alike in every state.
        """
        key = state.fields()
        if isinstance(state, SummerState) and not key[15]:
            state = SummerState(*key)
        if key not in self.known:
            self.known[key] = self.solve(state)
        return self.known[key]

    def solve(self, state: Any) -> Value:
        if state.to_move >= 0:
            children = self.moves(state).values()
            return max(children, key=lambda child: child.utility[state.to_move])
        if state.between_rounds:
            return self.worth(*state.evaluate())
        if not state.over:
            return self.average(state)
        winners, scores = state.winners(), state.scores()
        return self.worth(scores, [
            float(seat in winners) / len(winners) for seat in range(len(scores))])

    def worth(self, scores: list[float], wins: list[float]) -> Value:
        utility = utilities(scores, wins, self.win_weight, self.width)
        return Value(tuple(utility), tuple(wins), tuple(map(float, scores)))

    def moves(self, state: Any) -> dict[tuple[int, ...], Value]:
        """Return the value of every legal move."""
        values = {}
        for move in state.moves(True):
            after = state.copy()
            after.apply(move)
            values[move] = self.value(after)
        return values

    def average(self, state: Any) -> Value:
        parts = []
        for drawn, chance in top_ups(state):
            after = state.copy()
            after.apply_chance([drawn])
            parts.append((chance, self.value(after)))

        def mean(name: str) -> tuple[float, ...]:
            seats = range(state.players)
            return tuple(sum(p * getattr(v, name)[s] for p, v in parts) for s in seats)

        return Value(mean("utility"), mean("wins"), mean("scores"))
