"""How win shares are to be reported: the exponent that fits results."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from pavilion_ai import _core
from pavilion_ai.network import LARGEST_SCALE, SMALLEST_SCALE
from pavilion_ai.play import Play
from pavilion_ai.train.calibration import (
    fit_gain_scale,
    fit_win_scale,
    likeliest_scale,
    powers_of,
)
from pavilion_ai.train.play import Block, play_block
from pavilion_ai.train.shards import Shard, ShardError, gather, read_shard

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
    assert found.searches == 20_000


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


def of_positions(game: str, board: str, players: int) -> tuple[Shard, list[float]]:
    """Return a game played at random with made-up values of searches, and the power of each of its
    positions."""
    play, random = Play.new(game, board=board, players=players, seed=5), Random(5)
    states, powers = [], []
    while play.turn is not None:
        states.append(play.state.packed())
        powers.append(play.rules.power_of(play.position))
        play.push(random.choice(list(play.legal_moves)))
        play.draw()
    made_up = played(5, players=players, records=len(states), state_bytes=len(states[0]))
    return gather(game, board, players, {5: {**made_up, "states": b"".join(states)}}), powers


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", [("summer", "coloured"), ("summer", "grey"),
                                     ("azul", "coloured"), ("azul", "grey")], ids="-".join)
def test_every_record_has_the_power_of_its_position(
    variant: tuple[str, str], players: int
) -> None:
    shard, powers = of_positions(*variant, players)
    assert powers_of(shard, np.arange(len(powers))).tolist() == powers
    assert powers_of(shard, np.array([7, 3])).tolist() == [powers[7], powers[3]]


def test_searches_are_compared_with_the_results_of_their_games() -> None:
    """By their shares to the power that every network has there; not all were searched."""
    shard, powers = of_positions("summer", "coloured", 2)
    rows = ~np.isnan(shard.win[:, 0])
    assert 0 < rows.sum() < len(rows)
    results = np.repeat(shard.final_win, len(rows), axis=0)
    assert fit_win_scale([shard]) == likeliest_scale(
        shard.win[rows], results[rows], np.array(powers)[rows])


def test_the_power_of_the_position_is_not_fitted_again() -> None:
    """Results that come as often as shares to 1.3 times that power say have the exponent 1.3."""
    shard, powers = of_positions("summer", "coloured", 4)
    random, times = np.random.default_rng(2), 100
    n = len(powers) * times
    shares = random.dirichlet(np.ones(4), n).astype(np.float32)
    right = shares ** (1.3 * np.tile(powers, times)[:, None])
    winners = [random.choice(4, p=row / row.sum()) for row in right.astype(float)]
    games = replace(
        shard, seeds=tuple(range(n)), records=np.ones(n, np.int64), win=shares,
        states=np.tile(shard.states, (times, 1)), final_win=np.eye(4, dtype=np.float32)[winners])
    assert fit_win_scale([games]).scale == pytest.approx(1.3, abs=0.06)
    assert likeliest_scale(shares, np.eye(4)[winners]).scale < 1.2


def test_games_of_no_variant_have_no_power() -> None:
    shard, _ = of_positions("summer", "coloured", 2)
    for changes, said in (({"game": "winter"}, "not a game"), ({"board": "green"}, "green"),
                          ({"players": 3}, "damaged: "),
                          ({"states": shard.states * 0}, "damaged: record 0")):
        with pytest.raises(ShardError, match=said):
            powers_of(replace(shard, **changes), np.array([0]))


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


def test_records_that_were_not_searched_say_nothing(played_out: Shard) -> None:
    """The samples take over what the next search has found."""
    _, scores = _core.training_seats(_core.SummerState, 3, played_out.states.tobytes())
    now = np.frombuffer(scores, np.float32).reshape(-1, 3)
    final = np.repeat(played_out.final_score, played_out.records, axis=0)
    win = np.where(np.arange(len(now))[:, None] % 3, np.nan, played_out.win)
    rows = np.nansum(win, axis=1) > 0.5
    said = np.linspace(0.5, 2.0, len(now))[:, None] * (final - now)
    found = fit_gain_scale([replace(played_out, win=win, score=now + said)])
    best = (said[rows] * (final - now)[rows]).sum() / (said[rows] ** 2).sum()
    assert found.gain_scale == pytest.approx(best, abs=0.001)


def test_the_error_of_the_factor_counts_games(played_out: Shard) -> None:
    _, scores = _core.training_seats(_core.SummerState, 3, played_out.states.tobytes())
    now = np.frombuffer(scores, np.float32).reshape(-1, 3)
    came = np.repeat(played_out.final_score, played_out.records, axis=0) - now
    game = np.repeat(np.arange(3), played_out.records)
    said = came * (0.8 + 0.2 * game)[:, None]
    found = fit_gain_scale([replace(played_out, score=now + said)])
    off = (said * (came - found.gain_scale * said)).sum(1)
    apart = [off[game == one].sum() / (said * said).sum() for one in range(3)]
    assert found.gain_error == pytest.approx(1.96 * np.linalg.norm(apart), abs=0.002)
    assert found.gain_error > 0.1


@pytest.mark.parametrize("said", [0.0, 1000.0])
def test_the_factor_is_bounded(played_out: Shard, said: float) -> None:
    found = fit_gain_scale([replace(played_out, score=np.full_like(played_out.score, said))])
    assert SMALLEST_SCALE <= found.gain_scale <= LARGEST_SCALE
