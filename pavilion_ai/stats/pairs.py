"""Two entrants at two seats: what pairs of games tell about their strength.

A pair is one deal played twice with the seats exchanged. Its two games are not independent, so
pairs are counted, by the five sums of points that they can have (pentanomial), and every error
is that of the mean over pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.stats.estimate import QUANTILE, Estimate, unseen_chance

__all__ = ["ELO_PER_UNIT", "Pentanomial", "elo", "los", "normalised_elo"]

KINDS = 5
EVEN = 2
"""Index of the pairs of one point each."""

ELO_PER_UNIT = 800 / math.log(10)
"""Elo is this times artanh(2x), x being the points per game above one half: the logistic curve
of 400 points for odds of ten to one. Normalised Elo is this times x over the deviation of a game,
so that the two agree for small x where a game's deviation is one half."""


@dataclass(frozen=True)
class Pentanomial:
    """Pairs of games by the points that the first entrant made in them.

    Attributes:
        counts: pairs with 0, 1/2, 1, 3/2 and 2 points.

    Raises:
        PavilionError: not five whole numbers from 0.
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != KINDS or min(self.counts) < 0:
            raise PavilionError(
                f"pairs: found {self.counts}, expected five counts that are not negative")

    @classmethod
    def from_points(cls, points: Iterable[float]) -> Pentanomial:
        """Count pairs by their points: 0, 0.5, 1, 1.5 or 2 (a draw is half a point).

        Raises:
            PavilionError: a pair has another number of points.
        """
        counts = [0] * KINDS
        for number in points:
            if 2 * number not in range(KINDS):
                raise PavilionError(
                    f"points of a pair: found {shown(number)}, expected 0, 0.5, 1, 1.5 or 2")
            counts[int(2 * number)] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def __add__(self, other: Pentanomial) -> Pentanomial:
        if not isinstance(other, Pentanomial):
            return NotImplemented
        a, b = self.counts, other.counts
        return Pentanomial((a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]))

    def flipped(self) -> Pentanomial:
        """Return the same pairs as the second entrant sees them."""
        lost, behind, even, ahead, won = self.counts
        return Pentanomial((won, ahead, even, behind, lost))

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(self.counts)

    @property
    def points(self) -> float:
        """The points of the first entrant, of two a pair."""
        return sum(index * count for index, count in enumerate(self.counts)) / 2

    @property
    def mean(self) -> float | None:
        """The points of the first entrant per game, 0 to 1; None without pairs."""
        return self.points / (2 * self.pairs) if self.pairs else None


def _edge_and_variance(p: Pentanomial) -> tuple[float, float]:
    """Return points per game above one half, and the variance over pairs of the points per game.

    The variance has the divisor n. Both come from whole numbers, so that they are zero only if
    they are, and change nothing but a sign when the sides are exchanged.
    """
    pairs = p.pairs
    total = sum((index - EVEN) * count for index, count in enumerate(p.counts))
    squares = sum((index - EVEN) ** 2 * count for index, count in enumerate(p.counts))
    return total / (4 * pairs), (pairs * squares - total * total) / (16 * pairs * pairs)


def _logistic(edge: float) -> float | None:
    """Return the Elo difference for points per game above one half; None from 0 and 100 % on."""
    return ELO_PER_UNIT * math.atanh(2 * edge) if abs(2 * edge) < 1 else None


def _stretch(p: Pentanomial) -> float:
    """Return the standard error of (edge / deviation) by what it is if the deviation is known.

    The root of 1 - t * skewness + t**2 * (kurtosis - 1) / 4, with t = edge / deviation (delta
    method, as official-stockfish/fishtest does); not below 1, since it vanishes for some samples
    of two kinds of pairs. There must be two kinds.
    """
    n = p.pairs
    s1, s2, s3, s4 = (
        sum((index - EVEN) ** power * count for index, count in enumerate(p.counts))
        for power in (1, 2, 3, 4)
    )
    # Central moments times powers of n, as whole numbers: exact, and symmetric in the sides.
    second = n * s2 - s1**2
    third = n**2 * s3 - 3 * n * s1 * s2 + 2 * s1**3
    fourth = n**3 * s4 - 4 * n**2 * s1 * s3 + 6 * n * s1**2 * s2 - 3 * s1**4
    skewed = s1 * third / second**2
    curved = s1**2 * (fourth - second**2) / (4 * second**3)
    return math.sqrt(max(1.0, 1 - skewed + curved))


def elo(p: Pentanomial) -> Estimate:
    """Return the Elo difference by the logistic curve, with the interval from the pairs.

    The normal interval of the points per game, seen through the curve. An end at or beyond 0 or
    100 % is no bound, and no points or all of them are no value. If all pairs are equal, the
    interval of the mean is the exact one of `estimate.mean_estimate`.

    Formula: as in Disservin/fastchess, whose tests give the same numbers; it has no special case
    for equal pairs. The interval is good while it stays away from 0 and 100 %: near them, and
    below some twenty pairs, it is too narrow.
    """
    if not p.pairs:
        return Estimate(None, None, None)
    edge, variance = _edge_and_variance(p)
    if variance:
        reach = QUANTILE * math.sqrt(variance / p.pairs)
        low, high = edge - reach, edge + reach
    else:
        chance = unseen_chance(p.pairs)
        low, high = edge - chance * (edge + 0.5), edge + chance * (0.5 - edge)
    return Estimate(_logistic(edge), _logistic(low), _logistic(high))


def normalised_elo(p: Pentanomial) -> Estimate:
    """Return the normalised Elo difference: the edge in deviations of a game.

    It says how many pairs show the difference, whatever the share of draws. A game's deviation is
    that of a pair's mean times the root of 2. If all pairs are equal there is no deviation: the
    value is then 0 for pairs of one point each, else None, and the interval is the exact one, from
    `estimate.unseen_chance`.

    Formula: Michel Van den Bergh, "Normalized Elo". The value is that of Disservin/fastchess. The
    interval is its interval times `_stretch`, since the deviation is estimated too: without that
    it would hold the true number in less than 90 % of matches as one-sided as 250 points.
    """
    if not p.pairs:
        return Estimate(None, None, None)
    unit = ELO_PER_UNIT / math.sqrt(2)
    edge, variance = _edge_and_variance(p)
    if variance:
        value = unit * edge / math.sqrt(variance)
        reach = unit * QUANTILE * _stretch(p) / math.sqrt(p.pairs)
        return Estimate(value, value - reach, value + reach)
    # The least favourable case: all the unseen chance lies where all points are lost (or won).
    chance = unseen_chance(p.pairs)
    share = abs(edge) / (abs(edge) + 0.5)
    bound = unit * (share - chance) / math.sqrt(chance * (1 - chance))
    if edge == 0:
        return Estimate(0.0, bound, -bound)
    return Estimate(None, bound, None) if edge > 0 else Estimate(None, None, -bound)


def los(p: Pentanomial) -> float | None:
    """Return the likelihood that the first entrant is the stronger one, 0 to 1; None without pairs.

    The normal chance that the true points per game exceed one half. If all pairs are equal, there
    is no variance to ask: then it is the chance that won pairs are likelier than lost ones, before
    which all chances were thought equally likely (Laplace), and one half for pairs of one point.
    """
    if not p.pairs:
        return None
    edge, variance = _edge_and_variance(p)
    if variance:
        return NormalDist().cdf(edge / math.sqrt(variance / p.pairs))
    if edge == 0:
        return 0.5
    doubt = math.ldexp(0.5, -p.pairs)
    return 1 - doubt if edge > 0 else doubt
