"""Samples from stored games: value targets, turning to the mover, joining."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pavilion_ai._core import SummerState
from pavilion_ai.errors import PavilionError
from pavilion_ai.train.samples import GAIN_POINTS, Samples, join, make_samples, returns
from pavilion_ai.train.shards import Shard, gather
from tests.train.support import INPUTS, MadeUpCore, played


@pytest.fixture(autouse=True)
def _made_up_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.train.samples._core", MadeUpCore(SummerState))


def made_up(seeds: range) -> Shard:
    return gather("summer", "coloured", 2, {seed: played(seed, records=9 + seed) for seed in seeds})


def test_targets_follow_the_recursion() -> None:
    random = np.random.default_rng(3)
    records = np.array([4, 1, 7])
    found = random.random((12, 3))
    found[[0, 3, 8]] = np.nan
    results = random.random((3, 3))
    targets = returns(found, results, records, 0.9)
    row = 0
    for game, count in enumerate(records):
        value = results[game]
        for t in range(row + count - 1, row - 1, -1):
            if not np.isnan(found[t, 0]):
                value = 0.1 * found[t] + 0.9 * value
            assert targets[t] == pytest.approx(value)
        row += count


def test_extremes_of_following() -> None:
    found, results = np.array([[0.2], [0.4]]), np.array([[1.0]])
    assert returns(found, results, np.array([2]), 1.0).tolist() == [[1.0], [1.0]]
    assert returns(found, results, np.array([2]), 0.0).tolist() == [[0.2], [0.4]]


def test_samples_are_seen_from_the_mover() -> None:
    shard = made_up(range(1, 4))
    samples = make_samples(shard, follow=1.0)
    assert len(samples) == shard.records.sum() == 33
    game = np.repeat(np.arange(3), shard.records)
    for row, mover in enumerate(shard.states[:, 0] % 2):
        for relative in range(2):
            seat = (mover + relative) % 2
            assert samples.win[row, relative] == shard.final_win[game[row], seat]
            assert samples.lead[row, relative] == shard.final_lead[game[row], seat]
            gain = (shard.final_score[game[row], seat] - 10 * seat) / GAIN_POINTS
            assert samples.gain[row, relative] == pytest.approx(gain)
    assert np.allclose(make_samples(shard).win.sum(1), 1, atol=1e-5)


@pytest.mark.parametrize("nothing", [0.0, np.nan])
def test_a_record_without_a_search_takes_the_target_of_the_next_one(nothing: float) -> None:
    shard = made_up(range(1, 4))
    shard.win[2] = nothing
    samples, mover = make_samples(shard), shard.states[:, 0] % 2
    assert np.array_equal(samples.win[2], np.roll(samples.win[3], mover[2] - mover[3]))


def test_inputs_and_moves_are_laid_out_by_record() -> None:
    shard = made_up(range(1, 4))
    samples = make_samples(shard)
    for row, state in enumerate(shard.states):
        active = samples.inputs[row][samples.inputs[row] < INPUTS]
        assert active.tolist() == list(range(3 + state[1] % 5))
        assert (samples.inputs[row][len(active) :] == INPUTS).all()
        moves = slice(shard.first[row], shard.first[row + 1])
        if moves.stop > moves.start:
            visits = shard.visits[moves]
            assert samples.shares[moves] == pytest.approx(visits / visits.sum())
    assert np.diff(samples.starts).tolist() == (1 + shard.moves % 4).tolist()
    assert len(samples.features) == samples.starts[-1]


def test_joined_samples_are_those_of_the_joined_games() -> None:
    apart = join(make_samples(made_up(range(s, s + 2))) for s in (1, 3))
    assert_equal(apart, make_samples(made_up(range(1, 5))))


def assert_equal(one: Samples, other: Samples) -> None:
    for name in ("inputs", "first", "shares", "starts", "features", "win", "lead", "gain"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs), name


def test_what_does_not_fit_is_refused() -> None:
    def shard(game: str = "summer", **changes: int) -> Shard:
        return gather(game, "coloured", 2, {1: played(1, **changes)})

    with pytest.raises(PavilionError, match="not a game of this program"):
        make_samples(shard("winter"))
    with pytest.raises(PavilionError, match="states of 151 bytes"):
        make_samples(shard(state_bytes=151))
    with pytest.raises(PavilionError, match="no samples"):
        join([])
    some = make_samples(made_up(range(1, 3)))
    with pytest.raises(PavilionError, match="different variants"):
        join([some, replace(some, policy=some.policy + 1)])
