"""The gate: a match of a new network against the best one so far, at equal simulations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any

from pavilion_ai.stats import Sprt, SprtPath
from pavilion_ai.stats.estimate import QUANTILE, mean_with_error
from pavilion_ai.train.play import Deal, play_deal, training_seed
from pavilion_ai.train.recipe import Gate, Recipe
from pavilion_ai.workers import Workers, in_order, results

Points = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
OnDeal = Callable[[int], None]

ROUNDING = 1e-9
"""How far a share that is just the fair one may fall short of it: thirds are not exact."""


def run_gate(
    gate: Gate,
    recipe: Recipe,
    generation: int,
    new: bytes,
    old: bytes | None,
    workers: Workers,
    on_deal: OnDeal,
) -> dict[str, Any]:
    """Play the match of a gate; return its outcome.

    Deals count in the order of their numbers, so the answer does not depend on the workers. A
    new network passes if the test accepts H1 or, without a verdict, if its share of the
    victories is at least the fair one.

    Args:
        generation: number of the new network's.
        new: file of the new network.
        old: file of the best one so far, None for the linear heuristics.
        on_deal: called with the number of deals played.
    """
    test = None if gate.sprt is None else SprtPath(Sprt(*gate.sprt))
    numbers = {training_seed("gate", recipe.seed, generation, n): n for n in range(gate.pairs)}
    deals: list[Points] = []

    def verdict() -> str | None:
        return None if test is None else test.verdict

    def tasks() -> Iterator[Deal]:
        settings = recipe.generations[min(generation, len(recipe.generations) - 1)].tunables
        for seed in numbers:
            if verdict() is not None:
                return
            yield Deal(recipe.game, recipe.board, recipe.players, seed, new, old, gate.sims,
                       dict(settings))

    played = results(workers, play_deal, tasks(), enough=lambda: bool(verdict()))
    for _, points in in_order(played, lambda deal: numbers[deal.seed], 0):
        if verdict() is None:
            deals.append(points)
            if test is not None:
                test.append(points[0])
            on_deal(len(deals))
    fair = 1 / recipe.players
    share, error = mean_with_error(
        [fmean(points) for points, _, _ in deals], unknown=fair, limits=(0, 1))
    result: dict[str, Any] = {
        "deals": len(deals),
        "share": round(share, 4),
        "error": round(QUANTILE * error, 4),
        "score": round(fmean(score for _, own, _ in deals for score in own), 2),
        "score_of_others": round(fmean(score for _, _, other in deals for score in other), 2),
    }
    if test is not None:
        result |= {"llr": round(test.path[-1], 3), "verdict": test.verdict}
    passed = share >= fair - ROUNDING if verdict() is None else verdict() == "H1"
    return result | {"passed": passed}
