"""Win probabilities that hold: how the win shares of searches with a network are to be reported.

Search averages over moves that it only tries, and self-play for training is noisier than play, so
the averages are too careful: who is ahead wins more often than they say. One exponent on the shares
mends that (temperature scaling: Guo, Pleiss, Sun, Weinberger, On Calibration of Modern Neural
Networks, 2017). It is the likeliest one for the results of games without noise, it stands in the
network's header, and the search does not use it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pavilion_ai.network import LARGEST_SCALE, SMALLEST_SCALE
from pavilion_ai.train.shards import Shard

__all__ = ["WinScale", "fit_win_scale", "likeliest_scale"]

NEWTON_STEPS = 30
SMALLEST_SHARE = 1e-4
"""Of a victory; a search that saw none in so many simulations is not taken at its word."""

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class WinScale:
    """An exponent on win shares.

    Attributes:
        scale: the exponent.
        before: cross-entropy of the results without it, nats.
        after: the same with it.
        records: searches that it was fitted to.
    """

    scale: float
    before: float
    after: float
    records: int


def fit_win_scale(shards: Iterable[Shard]) -> WinScale:
    """Return the exponent on the win shares that searches found which fits the results best."""
    found, results = [], []
    for shard in shards:
        found.append(shard.win)
        results.append(np.repeat(shard.final_win, shard.records, axis=0))
    shares, won = np.concatenate(found), np.concatenate(results)
    searched = np.nansum(shares, axis=1) > 0.5  # nothing is searched between rounds
    return likeliest_scale(shares[searched], won[searched])


def likeliest_scale(shares: Array, results: Array) -> WinScale:
    """Return the exponent that makes results the likeliest, within the bounds of a header.

    Args:
        shares: [n, seats], of the victory, as predicted.
        results: [n, seats], as they were.
    """
    logs = np.log(np.maximum(shares.astype(np.float64), SMALLEST_SHARE))
    scale = 1.0
    # The loss is convex in the exponent: its slope is the mean of (p - result) * log share, its
    # curvature the mean variance of log share under p.
    for _ in range(NEWTON_STEPS):
        p = np.exp(_log_softmax(scale * logs))
        mean = (p * logs).sum(1)
        slope = (mean - (results * logs).sum(1)).mean()
        curvature = ((p * logs**2).sum(1) - mean**2).mean()
        scale = float(np.clip(scale - slope / max(curvature, 1e-12),
                              SMALLEST_SCALE, LARGEST_SCALE))
    scale = round(scale, 3)
    before, after = (round(float(-(results * _log_softmax(power * logs)).sum(1).mean()), 5)
                     for power in (1.0, scale))
    return WinScale(scale, before, after, len(logs))


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(1, keepdims=True)
    logs: Array = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return logs
