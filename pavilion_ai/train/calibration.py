"""Calibrate what a network's searches report: win probabilities and points.

A search also averages over exploratory moves, and self-play for training is noisier than play, so
the averages are too cautious: the leading seat wins more often than they say. One exponent on the
shares corrects that (temperature scaling: Guo, Pleiss, Sun, Weinberger, On Calibration of Modern
Neural Networks, 2017). It maximises the likelihood of the results of games without noise, on top of
the factors that every network of a game has (`Rules.power_of`), is stored in the network's header,
and is not used by the search.

For the same reasons the points that its searches say are still to come are those of weaker play,
most of all with 3 and 4 players. One factor corrects them; it goes into the weights of those
outputs, by which no search chooses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pavilion_ai import _core
from pavilion_ai.network import LARGEST_SCALE, SMALLEST_SCALE
from pavilion_ai.stats.estimate import QUANTILE
from pavilion_ai.stats.scales import likeliest, log_chances
from pavilion_ai.train.samples import make_samples, rules_of_games
from pavilion_ai.train.shards import Array, Shard

SMALLEST_SHARE = 1e-4
"""Smallest win share assumed, so that a search without a single win does not mean certain loss."""


@dataclass(frozen=True)
class WinScale:
    """An exponent on win shares.

    Attributes:
        scale: the exponent.
        before: cross-entropy of the results without it, that is with `Rules.power_of` alone, in
            nats.
        after: cross-entropy with it, in nats.
        searches: number of searches in the fit.
    """

    scale: float
    before: float
    after: float
    searches: int


def fit_win_scale(shards: Iterable[Shard]) -> WinScale:
    """Return the exponent on the searches' win shares that fits the results best.

    A search of the network multiplies it by `Rules.power_of` its position, so it is the best
    together with that.

    Raises:
        ShardError: a shard has a game or states that this version does not know.
    """
    found, results, powers = [], [], []
    for shard in shards:
        searched = shard.searched
        found.append(shard.win[searched])
        results.append(np.repeat(shard.final_win, shard.records, axis=0)[searched])
        powers.append(powers_of(shard, np.flatnonzero(searched)))
    return likeliest_scale(*map(np.concatenate, (found, results, powers)))


def powers_of(shard: Shard, rows: Array) -> Array:
    """Return `Rules.power_of` the positions of some records, by number.

    Raises:
        ShardError: the shard has a game or states that this version does not know.
    """
    rules = rules_of_games(shard)
    try:
        states = _core.training_states(
            rules.core_class, shard.players, shard.states.tobytes(), rows.tolist())
        return np.array([rules.power_of(rules.from_core(state)) for state in states], np.float64)
    except ValueError as error:
        raise shard.fault(f"damaged: {error}") from None


def likeliest_scale(shares: Array, results: Array, powers: Array | float = 1.0) -> WinScale:
    """Return the exponent that maximises the likelihood, within the bounds of a header.

    Args:
        shares: [n, seats], predicted shares of the victory.
        results: [n, seats], actual shares.
        powers: [n], factors on the exponent.
    """
    logs = np.log(np.maximum(shares.astype(np.float64), SMALLEST_SHARE))
    logs *= np.reshape(powers, (-1, 1))
    none = np.zeros_like(logs)
    found, _ = likeliest(none, logs, results, [len(logs)], (SMALLEST_SCALE, LARGEST_SCALE))
    scale = round(found, 3)
    before, after = (round(float(-(results * log_chances(none, logs, power)).sum(1).mean()), 5)
                     for power in (1.0, scale))
    return WinScale(scale, before, after, len(logs))


@dataclass(frozen=True)
class GainScale:
    """A factor on the points still to come.

    Attributes:
        gain_scale: the factor.
        gain_error: half its 95 % interval, with the game as the unit.
    """

    gain_scale: float
    gain_error: float


def fit_gain_scale(shards: Iterable[Shard]) -> GainScale:
    """Return the factor on what searches say is still to come that fits the games best.

    It is the one of least squares over all searches and seats, within the bounds of `WinScale`'s.
    """
    said, came, records = [], [], []
    for shard in shards:
        gain = make_samples(shard, follow=0.0).gain         # what the search found is the target
        said.append(gain * shard.searched[:, None])         # what none said counts for nothing
        came.append(make_samples(shard, follow=1.0).gain)   # the result is
        records.append(shard.records)
    found, true, games = np.concatenate(said), np.concatenate(came), np.concatenate(records)
    total = max(float((found * found).sum()), 1e-9)
    scale = float(np.clip((found * true).sum() / total, SMALLEST_SCALE, LARGEST_SCALE))
    off = np.add.reduceat((found * (true - scale * found)).sum(1), np.cumsum(games) - games)
    error = QUANTILE * float(np.sqrt((off**2).sum())) / total
    return GainScale(round(scale, 3), round(error, 3))
