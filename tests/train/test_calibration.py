"""How win shares are to be reported: the exponent that fits results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pavilion_ai import _core
from pavilion_ai.network import LARGEST_SCALE, SMALLEST_SCALE
from pavilion_ai.train.calibration import fit_gain_scale, fit_win_scale, likeliest_scale
from pavilion_ai.train.play import Block, play_block
from pavilion_ai.train.shards import Shard, gather, read_shard

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


@pytest.fixture(scope="module")
def played_out(tmp_path_factory: pytest.TempPathFactory) -> Shard:
    """Games of a short search without a network."""
    path = tmp_path_factory.mktemp("games") / "shard"
    path.write_bytes(play_block(Block("summer", "coloured", 3, (1, 2, 3), None, {
        "full_sims": 2, "fast_sims": 4, "full_share": 0.0, "noise": 0.0, "drawn_share": 0.0}, {})))
    return read_shard(path)


@pytest.mark.parametrize("factor", [0.8, 1.0, 1.3])
def test_points_to_come_are_fitted_to_those_of_the_games(played_out: Shard, factor: float) -> None:
    """Searches that say a fixed share of what then comes are found out."""
    _, scores = _core.training_seats(_core.SummerState, 3, played_out.states.tobytes())
    now = np.frombuffer(scores, np.float32).reshape(-1, 3)
    final = np.repeat(played_out.final_score, played_out.records, axis=0)
    found = fit_gain_scale([replace(played_out, score=now + (final - now) / factor)])
    assert found.gain_scale == pytest.approx(factor, abs=0.03)
    assert found.gain_error < 0.05


@pytest.mark.parametrize("said", [0.0, 1000.0])
def test_the_factor_is_bounded(played_out: Shard, said: float) -> None:
    found = fit_gain_scale([replace(played_out, score=np.full_like(played_out.score, said))])
    assert SMALLEST_SCALE <= found.gain_scale <= LARGEST_SCALE
