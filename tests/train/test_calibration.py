"""How win shares are to be reported: the exponent that fits results."""

from __future__ import annotations

import numpy as np
import pytest

from pavilion_ai.network import LARGEST_SCALE, SMALLEST_SCALE
from pavilion_ai.train.calibration import fit_win_scale, likeliest_scale
from pavilion_ai.train.shards import gather

from .support import played


def powers(shares: np.ndarray, scale: float) -> np.ndarray:
    return shares**scale / (shares**scale).sum(1, keepdims=True)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("scale", [0.7, 1.0, 1.6])
def test_the_exponent_that_made_the_results_is_found(players: int, scale: float) -> None:
    random = np.random.default_rng(1)
    shares = random.dirichlet(np.ones(players), 20_000)
    winners = [random.choice(players, p=row) for row in powers(shares, scale)]
    found = likeliest_scale(shares, np.eye(players)[winners])
    assert found.scale == pytest.approx(scale, abs=0.05)
    assert (found.after < found.before - 0.001) == (scale != 1.0)
    assert found.records == 20_000


def test_no_exponent_is_likelier() -> None:
    random = np.random.default_rng(3)
    shares = random.dirichlet(np.ones(3), 500)
    results = (random.dirichlet(np.ones(3), 500) + np.eye(3)[shares.argmax(1)]) / 2
    found = likeliest_scale(shares, results)

    def loss(scale: float) -> float:
        return float(-(results * np.log(powers(shares, scale))).sum(1).mean())

    assert found.after == pytest.approx(loss(found.scale), abs=1e-5)
    assert loss(found.scale) <= min(loss(found.scale - 0.02), loss(found.scale + 0.02))


@pytest.mark.parametrize(("right", "scale"), [(True, LARGEST_SCALE), (False, SMALLEST_SCALE)])
def test_the_exponent_is_bounded(right: bool, scale: float) -> None:
    shares = np.random.default_rng(5).dirichlet(np.ones(2), 300)
    winners = shares.argmax(1) if right else shares.argmin(1)
    assert likeliest_scale(shares, np.eye(2)[winners]).scale == scale


def test_certain_and_even_shares_are_harmless() -> None:
    assert likeliest_scale(np.full((9, 2), 0.5), np.full((9, 2), 0.5)).scale == 1.0
    sure = np.tile([1.0, 0.0], (9, 1))
    assert np.isfinite(likeliest_scale(sure, sure[:, ::-1]).after)


def test_searches_are_compared_with_the_results_of_their_games() -> None:
    games = {seed: played(seed) for seed in (1, 2, 3)}
    shard = gather("summer", "coloured", 2, games, network=None, tunables={})
    rows, results = [], []
    for game in games.values():
        for row in np.frombuffer(game["win"], np.float32).reshape(-1, 2):
            if not np.isnan(row[0]):
                rows.append(row)
                results.append(game["final_win"])
    assert fit_win_scale([shard]) == likeliest_scale(np.array(rows), np.array(results))
