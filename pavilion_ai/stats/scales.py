"""The likeliest scale of a quantity on which the logarithms of chances depend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pavilion_ai.stats.estimate import QUANTILE

STEPS = 30
LEAST_CURVATURE = 1e-12
"""Curvature of the loss of one result: with less, all scales are equally likely."""

Floats = npt.NDArray[np.float64]


def likeliest(
    logs: Floats, slopes: Floats, results: Floats, games: Sequence[int], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the scale that makes results likeliest, and its error, with the game as the unit.

    It is found by Newton's method. The loss is convex in the scale: its slope is the mean of
    (chance - result) * slope, its curvature the mean variance of the slopes under the chances.

    Args:
        logs: [n, seats], logarithms of the chances of each seat for a scale of 0.
        slopes: [n, seats], by how much they rise with the scale, before they are normalised; NaN is
            no seat.
        results: [n, seats], shares of the victory.
        games: how many of them each game has, in order.
        bounds: the smallest and the largest scale to look for.

    Returns:
        the scale, and half its 95 % interval.
    """
    seats = ~np.isnan(slopes)
    rises, won = np.where(seats, slopes, 0.0), np.where(seats, results, 0.0)
    scale = 1.0
    for _ in range(STEPS):
        chances = np.exp(log_chances(logs, slopes, scale))
        means = (chances * rises).sum(axis=1)
        pulls = (won * rises).sum(axis=1) - means
        curvature = max(float(((chances * rises**2).sum(axis=1) - means**2).mean()),
                        LEAST_CURVATURE)
        scale = float(np.clip(scale + pulls.mean() / curvature, *bounds))
    by_game = np.add.reduceat(pulls, np.cumsum([0, *games[:-1]]))
    error = QUANTILE * float(np.sqrt(np.sum(by_game**2))) / (curvature * len(pulls))
    return scale, error


def log_chances(logs: Floats, slopes: Floats, scale: float) -> Floats:
    """Return the logarithms of the chances for a scale, [n, seats]; -inf is no seat."""
    found: Floats = np.where(np.isnan(slopes), -np.inf, logs + scale * slopes)
    found -= found.max(axis=1, keepdims=True)
    normal: Floats = found - np.log(np.exp(found).sum(axis=1, keepdims=True))
    return normal
