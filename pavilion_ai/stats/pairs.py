"""Estimate the difference in strength of two entrants from pairs of games.

A pair is one deal played twice with the seats exchanged. Its two games are not independent, so
the unit is the pair: pairs are counted by their five possible sums of points (pentanomial), and
every standard error is that of the mean over pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from pavilion_ai.bounds import whole
from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.stats.estimate import QUANTILE, Estimate, unseen_chance

KINDS = 5
EVEN = 2
"""Index of the pairs in which each side made one point."""

ELO_PER_UNIT = 800 / math.log(10)
"""With x the points per game above one half, Elo is this factor times artanh(2x): the logistic
curve with 400 points for odds of ten to one. Normalised Elo is this factor times x / (standard
deviation of a game), so the two agree for small x if that deviation is one half."""


@dataclass(frozen=True)
class Pentanomial:
    """Numbers of pairs by the first entrant's points in them.

    Attributes:
        counts: numbers of pairs with 0, 1/2, 1, 3/2 and 2 points.

    Raises:
        PavilionError: the counts are not five whole numbers, each at least 0.
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        counts = [whole(count) for count in self.counts]
        if len(counts) != KINDS or any(count is None or count < 0 for count in counts):
            raise PavilionError(f"pairs: found {shown(self.counts)}, expected five whole numbers,"
                                " none of them negative")
        object.__setattr__(self, "counts", tuple(counts))

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

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(self.counts)

    @property
    def points(self) -> float:
        """The first entrant's points, at most two per pair."""
        return sum(index * count for index, count in enumerate(self.counts)) / 2

    @property
    def mean(self) -> float | None:
        """The first entrant's points per game, 0 to 1; None without pairs."""
        return self.points / (2 * self.pairs) if self.pairs else None


def _edge_and_variance(p: Pentanomial) -> tuple[float, float]:
    """Return points per game above one half, and the variance over pairs of the points per game.

    The variance has the divisor n. Both are computed from whole numbers, so they are never zero by
    rounding, and exchanging the sides changes only the sign of the edge.
    """
    pairs = p.pairs
    total = sum((index - EVEN) * count for index, count in enumerate(p.counts))
    squares = sum((index - EVEN) ** 2 * count for index, count in enumerate(p.counts))
    return total / (4 * pairs), (pairs * squares - total * total) / (16 * pairs * pairs)


def _logistic(edge: float) -> float | None:
    """Return the Elo difference for points per game above one half; None at 0 and 100 %."""
    return ELO_PER_UNIT * math.atanh(2 * edge) if abs(2 * edge) < 1 else None


def _stretch(p: Pentanomial) -> float:
    """Return the factor by which estimating the deviation widens the error of edge / deviation.

    The square root of 1 - t * skewness + t**2 * (kurtosis - 1) / 4, with t = edge / deviation
    (delta method, as in official-stockfish/fishtest). It is never less than 1, since the formula
    gives zero for some samples with two kinds of pairs. At least two kinds are required.
    """
    n = p.pairs
    s1, s2, s3, s4 = (
        sum((index - EVEN) ** power * count for index, count in enumerate(p.counts))
        for power in (1, 2, 3, 4)
    )
    # Central moments times powers of n, as whole numbers: exact, and symmetric between the sides.
    second = n * s2 - s1**2
    third = n**2 * s3 - 3 * n * s1 * s2 + 2 * s1**3
    fourth = n**3 * s4 - 4 * n**2 * s1 * s3 + 6 * n * s1**2 * s2 - 3 * s1**4
    skewed = s1 * third / second**2
    curved = s1**2 * (fourth - second**2) / (4 * second**3)
    return math.sqrt(max(1.0, 1 - skewed + curved))


def elo(p: Pentanomial) -> Estimate:
    """Return the Elo difference on the logistic curve, with its interval from the pairs.

    The normal interval of the points per game is mapped through the curve. An end at or beyond 0
    or 100 % gives no bound, and a mean of 0 or 100 % gives no value. If all pairs are equal, the
    interval of the mean is the exact one of `estimate.mean_estimate`.

    Formula: as in Disservin/fastchess, whose tests give the same numbers, but which has no special
    case for equal pairs. The interval is reliable away from 0 and 100 %: near them, and below
    about twenty pairs, it is too narrow.
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
    """Return the normalised Elo difference: the edge in standard deviations of a game.

    It determines how many pairs are needed to show the difference, whatever the share of draws. A
    game's deviation is that of a pair's mean times the square root of 2. If all pairs are equal,
    the deviation is zero: the value is then 0 if every pair was split evenly, else None, and the
    interval is the exact one from `estimate.unseen_chance`.

    Formula: Michel Van den Bergh, "Normalized Elo". The value is that of Disservin/fastchess. The
    interval is theirs times `_stretch`, since the deviation is estimated too: without that factor
    it would cover the true value in less than 90 % of matches as one-sided as 250 points.
    """
    if not p.pairs:
        return Estimate(None, None, None)
    unit = ELO_PER_UNIT / math.sqrt(2)
    edge, variance = _edge_and_variance(p)
    if variance:
        value = unit * edge / math.sqrt(variance)
        reach = unit * QUANTILE * _stretch(p) / math.sqrt(p.pairs)
        return Estimate(value, value - reach, value + reach)
    # Worst case: all the unseen probability is on pairs that lose (or win) every point.
    chance = unseen_chance(p.pairs)
    share = abs(edge) / (abs(edge) + 0.5)
    bound = unit * (share - chance) / math.sqrt(chance * (1 - chance))
    if edge == 0:
        return Estimate(0.0, bound, -bound)
    return Estimate(None, bound, None) if edge > 0 else Estimate(None, None, -bound)


def los(p: Pentanomial) -> float | None:
    """Return the likelihood that the first entrant is the stronger one, 0 to 1; None without pairs.

    The probability, in the normal approximation, that the true points per game exceed one half. If
    all pairs are equal, there is no variance: then it is the posterior probability that won pairs
    are likelier than lost ones under a uniform prior (Laplace), and one half for drawn pairs.
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
