"""Statistics of match results: estimates with intervals, game pairs, the SPRT, ratings."""

from __future__ import annotations

from pavilion_ai.stats.estimate import Estimate, mean_of_few
from pavilion_ai.stats.sprt import Sprt, SprtPath

__all__ = ["Estimate", "Sprt", "SprtPath", "mean_of_few"]
