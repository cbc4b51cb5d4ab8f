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
from pavilion_ai.stats.ranking import Placing, RatingList, rating_list
from pavilion_ai.stats.sprt import Sprt, SprtPath, set_points

__all__ = [
    "Estimate",
    "Pentanomial",
    "Placing",
    "RatingList",
    "Sprt",
    "SprtPath",
    "deviation",
    "elo",
    "los",
    "mean_estimate",
    "mean_of_few",
    "mean_with_error",
    "normalised_elo",
    "rating_list",
    "set_points",
]
