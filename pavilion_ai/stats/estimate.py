"""Estimates: means and their 95 % confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from pavilion_ai.errors import PavilionError

CONFIDENCE = 0.95
"""Confidence level of every interval."""

QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of a normal interval in standard errors, about 1.96."""

TINY = 1e-12
"""A deviation of at most this is rounding: all values are equal, which tells nothing of others."""

EXACT_TAIL = 1000
"""Degrees of freedom up to which Student's distribution function is summed exactly."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval; never infinite, never not-a-number.

    Attributes:
        value: the number, or None if the data do not give one.
        low: lower end of the interval, or None if nothing bounds the number from below.
        high: upper end of the interval, or None if nothing bounds the number from above.
    """

    value: float | None
    low: float | None
    high: float | None

    def to_json(self) -> dict[str, float | None]:
        """Return the three numbers under their names."""
        return {"value": self.value, "low": self.low, "high": self.high}


def unseen_chance(count: int) -> float:
    """Return the upper 95 % bound on the probability of an outcome unseen in `count` trials.

    The bound is exact and one-sided: for any larger probability q, (1 - q)**count is below 5 %.

    Args:
        count: independent trials, at least 1.
    """
    return -math.expm1(math.log(1 - CONFIDENCE) / count)


def deviation(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation (divisor n - 1), None below two values."""
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def student_quantile(freedom: int) -> float:
    """Return half the width of an interval of Student's distribution in standard errors.

    Exact for 1 and 2 degrees of freedom; beyond, the Cornish-Fisher expansion (Abramowitz and
    Stegun, 26.7.5), at most 0.2 % too small.

    >>> [round(student_quantile(freedom), 2) for freedom in (1, 2, 9, 1000)]
    [12.71, 4.3, 2.26, 1.96]
    """
    if freedom == 1:
        return math.tan(math.pi / 2 * CONFIDENCE)
    if freedom == 2:
        return CONFIDENCE * math.sqrt(2 / (1 - CONFIDENCE**2))
    z = QUANTILE
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / float(freedom) ** power for power, term in enumerate(terms))


def student_cdf(errors: float, freedom: int) -> float:
    """Return the probability that Student's distribution gives less than so many standard errors.

    A finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4), and beyond `EXACT_TAIL` degrees of
    freedom the normal distribution at a changed place (26.7.8), off by less than 1e-7.

    >>> [round(student_cdf(student_quantile(freedom), freedom), 3) for freedom in (1, 2, 9, 5000)]
    [0.975, 0.975, 0.975, 0.975]
    """
    if freedom > EXACT_TAIL:
        return NormalDist().cdf(errors * (1 - 1 / (4 * freedom))
                                / math.sqrt(1 + errors * errors / (2 * freedom)))
    angle = math.atan(errors / math.sqrt(freedom))
    odd = freedom % 2
    term = math.sin(angle) * (math.cos(angle) if odd else 1.0)
    terms = []
    for power in range(1 + odd, freedom, 2):
        terms.append(term)
        term *= math.cos(angle) ** 2 * power / (power + 1)
    within = math.fsum(terms)
    return 0.5 + ((angle + within) / math.pi if odd else within / 2)


def mean_with_error(values: Sequence[float], unknown: float = 0.0, *,
                    limits: tuple[float, float] | None = None) -> tuple[float, float]:
    """Return the mean of independent values and its standard error.

    Args:
        values: the values, at least one.
        unknown: stands for the error of a single value.
        limits: the smallest and the largest possible value. The error is then that of Wilson's
            interval (1927), to its farther end and with the variance of the values in place of a
            share's: few or equal values leave room for others.
    """
    count = len(values)
    mean, spread = math.fsum(values) / count, deviation(values)
    if spread is None:
        return mean, unknown
    if limits is None:
        return mean, spread / math.sqrt(count)
    low, high = limits
    squares = (count - 1) * spread**2 + (QUANTILE * (high - low) / 2) ** 2
    shift = QUANTILE * abs((low + high) / 2 - mean)
    return mean, (math.sqrt(squares) + shift) / (count + QUANTILE**2)


def mean_of_few(values: Sequence[float]) -> Estimate:
    """Return the mean of independent values with its 95 % interval by Student's distribution.

    It holds for few values too, if they are about normal. A single value, or several that are
    equal, give no interval.

    Args:
        values: finite numbers; if empty, the mean is None as well.
    """
    if not values:
        return Estimate(None, None, None)
    mean, spread = math.fsum(values) / len(values), deviation(values)
    if spread is None or spread <= TINY or min(values) == max(values):
        return Estimate(values[0], None, None)
    reach = student_quantile(len(values) - 1) * spread / math.sqrt(len(values))
    return Estimate(mean, mean - reach, mean + reach)


def mean_estimate(
    values: Sequence[float], *, lowest: float | None = None, highest: float | None = None
) -> Estimate:
    """Return the mean of independent values with its 95 % interval.

    It is that of `mean_of_few`, but where a range is given, it also heeds what was not seen
    (`in_range`).

    Args:
        values: finite numbers; if empty, value and interval are None.
        lowest: the smallest possible value; the interval is cut off there.
        highest: the largest possible value; the interval is cut off there.

    Raises:
        PavilionError: a value is outside the range.
    """
    if not values:
        return Estimate(None, None, None)
    smallest, largest = min(values), max(values)
    too_small = lowest is not None and smallest < lowest
    too_large = highest is not None and largest > highest
    if too_small or too_large:
        raise PavilionError(
            f"mean: found values from {smallest} to {largest},"
            f" expected them from {lowest} to {highest}")
    return in_range(mean_of_few(values), len(values), lowest, highest)


def in_range(
    mean: Estimate, count: int, lowest: float | None, highest: float | None
) -> Estimate:
    """Return the estimate of a mean of `count` values that have a range.

    Values that were not seen may have a probability of up to `unseen_chance`, and lie at an end of
    the range: the interval contains the means that they would give. So no interval is narrower
    than that of equal values, and no bound better than if all values were at the other end.

    Args:
        mean: the mean, and its interval if there is one, from the deviation of the values.
        count: number of values, at least 1.
        lowest, highest: the smallest and the largest possible value, None if there is none.
    """
    value, low, high = mean.value, mean.low, mean.high
    if value is None:
        return mean
    chance = unseen_chance(count)
    if lowest is not None:
        unseen = value - chance * (value - lowest)
        low = unseen if low is None else max(lowest, min(low, unseen))
    if highest is not None:
        unseen = value + chance * (highest - value)
        high = unseen if high is None else min(highest, max(high, unseen))
    return Estimate(value, low, high)
