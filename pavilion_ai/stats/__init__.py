"""Statistics of match results: estimates with intervals, game pairs, the SPRT, ratings."""

from __future__ import annotations

from pavilion_ai.stats.estimate import (
    Estimate,
    deviation,
    mean_estimate,
    mean_of_few,
    mean_with_error,
)
from pavilion_ai.stats.pairs import Pentanomial, elo, los, normalised_elo
from pavilion_ai.stats.ranking import Placing, groups_that_met, ratings
from pavilion_ai.stats.sprt import Sprt, SprtPath, set_points

__all__ = [
    "Estimate",
    "Pentanomial",
    "Placing",
    "Sprt",
    "SprtPath",
    "deviation",
    "elo",
    "groups_that_met",
    "los",
    "mean_estimate",
    "mean_of_few",
    "mean_with_error",
    "normalised_elo",
    "ratings",
    "set_points",
]
