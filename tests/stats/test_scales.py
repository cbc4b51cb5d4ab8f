"""The likeliest scale: against a search of the whole range, and where it has no end."""

from __future__ import annotations

import numpy as np
import pytest

from pavilion_ai.stats.scales import likeliest, log_chances

BOUNDS = 0.1, 30.0


def loss(logs: np.ndarray, slopes: np.ndarray, results: np.ndarray, scale: float) -> float:
    found = np.where(np.isnan(slopes), 0.0, log_chances(logs, slopes, scale))
    return -float((np.nan_to_num(results) * found).sum(axis=1).mean())


@pytest.mark.parametrize("scale", [0.4, 1.0, 2.5])
def test_the_scale_that_made_the_results_is_found(scale: float) -> None:
    """Of games of two, three and four seats together, with what does not change with the scale."""
    random = np.random.default_rng(3)
    logs, slopes = random.normal(0, 0.5, (12_000, 4)), random.normal(0, 1, (12_000, 4))
    slopes[:4000, 2:] = slopes[4000:8000, 3:] = np.nan
    chances = np.exp(log_chances(logs, slopes, scale))
    assert np.allclose(chances.sum(axis=1), 1)
    assert (chances[np.isnan(slopes)] == 0).all()
    results = np.where(np.isnan(slopes), np.nan, np.eye(4)[
        [random.choice(4, p=row) for row in chances]])
    found, error = likeliest(logs, slopes, results, [1] * len(logs), BOUNDS)
    assert abs(found - scale) < 1.5 * error < 0.15
    assert loss(logs, slopes, results, found) <= min(
        loss(logs, slopes, results, found + step) for step in (-0.01, 0.01))


def test_games_count_as_one() -> None:
    """The same positions ten times over say no more."""
    random = np.random.default_rng(4)
    slopes = random.normal(0, 1, (500, 2))
    results = np.eye(2)[(random.random(500) < 0.4).astype(int)]
    one = likeliest(np.zeros_like(slopes), slopes, results, [1] * 500, BOUNDS)
    ten = likeliest(np.zeros((5000, 2)), np.repeat(slopes, 10, axis=0),
                    np.repeat(results, 10, axis=0), [10] * 500, BOUNDS)
    assert ten == pytest.approx(one)


def test_the_scale_is_bounded() -> None:
    slopes = np.random.default_rng(5).normal(0, 1, (300, 3))
    for better, bound in ((slopes, BOUNDS[1]), (-slopes, BOUNDS[0])):
        results = np.eye(3)[better.argmax(axis=1)]
        assert likeliest(np.zeros_like(slopes), slopes, results, [300], BOUNDS)[0] == bound
    even = np.zeros((3, 2))
    assert likeliest(even, even, np.full((3, 2), 0.5), [3], BOUNDS) == (1.0, 0.0)
