"""Estimate the difference in strength of two entrants from pairs of games.

A pair is one deal played twice with the seats exchanged. Its two games are not independent, so
the unit is the pair: pairs are counted by their five possible sums of points (pentanomial), and
every standard error is that of the mean over pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pavilion_ai.bounds import whole
from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.stats.estimate import (
    Estimate,
    in_range,
    student_cdf,
    student_quantile,
    unseen_chance,
)

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

    It is the estimate of the points per game (`estimate.mean_estimate`), mapped through the curve.
    An end at or beyond 0 or 100 % gives no bound, and a mean of 0 or 100 % gives no value.

    The value and, for many pairs, the interval are those of Disservin/fastchess, which takes the
    normal quantile and the divisor n.
    """
    if not p.pairs:
        return Estimate(None, None, None)
    edge, variance = _edge_and_variance(p)
    found = Estimate(edge, None, None)
    if variance:
        reach = student_quantile(p.pairs - 1) * math.sqrt(variance / (p.pairs - 1))
        found = Estimate(edge, edge - reach, edge + reach)
    found = in_range(found, p.pairs, -0.5, 0.5)
    return Estimate(*(None if one is None else _logistic(one)
                      for one in (found.value, found.low, found.high)))


def normalised_elo(p: Pentanomial) -> Estimate:
    """Return the normalised Elo difference: the edge in standard deviations of a game.

    It determines how many pairs are needed to show the difference, whatever the share of draws. A
    game's deviation is that of a pair's mean times the square root of 2. If all pairs are equal,
    the deviation is zero: the value is then 0 if every pair was split evenly, else None, and the
    other end of the interval is open.

    Formula: Michel Van den Bergh, "Normalized Elo". The value is that of Disservin/fastchess. The
    interval is theirs with Student's quantile and the divisor n - 1, times `_stretch`, since the
    deviation is estimated too: without that factor it would cover the true value in less than 90 %
    of matches as one-sided as 250 points. It contains what pairs that were not seen would make of
    it (`_with_unseen`).
    """
    if not p.pairs:
        return Estimate(None, None, None)
    unit = ELO_PER_UNIT / math.sqrt(2)
    edge, variance = _edge_and_variance(p)
    if variance:
        value = edge / math.sqrt(variance)
        reach = student_quantile(p.pairs - 1) * _stretch(p) / math.sqrt(p.pairs - 1)
        return Estimate(unit * value, unit * min(value - reach, _with_unseen(p, -0.5)),
                        unit * max(value + reach, _with_unseen(p, 0.5)))
    return Estimate(None if edge else 0.0,
                    unit * _with_unseen(p, -0.5) if edge >= 0 else None,
                    unit * _with_unseen(p, 0.5) if edge <= 0 else None)


def _with_unseen(p: Pentanomial, end: float) -> float:
    """Return edge / deviation if pairs that were not seen exist, all of them lost or all won.

    They have the probability `estimate.unseen_chance`; of equal pairs that is the worst case.

    Args:
        end: the edge of those pairs, -0.5 or 0.5; not that of all pairs.
    """
    chance = unseen_chance(p.pairs)
    edge, variance = _edge_and_variance(p)
    spread = (1 - chance) * (variance + chance * (end - edge) ** 2)
    return (edge + chance * (end - edge)) / math.sqrt(spread)


def los(p: Pentanomial) -> float | None:
    """Return the likelihood that the first entrant is the stronger one, 0 to 1; None without pairs.

    The probability, by Student's distribution, that the true points per game exceed one half, but
    no more than pairs that were not seen leave: with x times the points that an even match gives
    the leader, n pairs leave a doubt of at least x**-n / 2. If all pairs are won, that is the
    posterior probability that lost pairs are likelier, under a uniform prior (Laplace).
    """
    if not p.pairs:
        return None
    edge, variance = _edge_and_variance(p)
    ahead = abs(edge)
    doubt = math.exp(-p.pairs * math.log1p(2 * ahead)) / 2
    if variance:
        error = math.sqrt(variance / (p.pairs - 1))
        doubt = max(doubt, student_cdf(-ahead / error, p.pairs - 1))
    return doubt if edge < 0 else 1 - doubt
