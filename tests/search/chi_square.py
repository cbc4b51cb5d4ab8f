"""Pearson's test against known probabilities, with its power, on the standard library alone."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import cache
from typing import TypeVar

Outcome = TypeVar("Outcome", bound=Hashable)

FALSE_ALARM = 1e-9
"""Chance that a test with correct probabilities fails: a thousand tests fail once in a million."""

POWER = 0.99
"""Chance with which the skew that a test is laid out for is found."""


def upper_tail(x: float, freedom: int) -> float:
    """Return the chance that a chi-square variable exceeds x.

    The regularised incomplete gamma function Q(freedom / 2, x / 2) by its finite sum: of Poisson
    terms for even `freedom`, starting from erfc for odd.
    """
    half = x / 2
    total, term, start = (0.0, math.exp(-half), 0.0) if freedom % 2 == 0 else (
        math.erfc(math.sqrt(half)), math.exp(-half) * math.sqrt(half) / math.gamma(1.5), 0.5)
    order = start
    for _ in range(freedom // 2):
        total += term
        order += 1
        term *= half / order
    return min(1.0, total)


@cache
def critical(freedom: int, alarm: float = FALSE_ALARM) -> float:
    """Return the value that a chi-square variable exceeds with chance `alarm`."""
    low, high = 0.0, 100.0 + 10.0 * freedom
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        if upper_tail(middle, freedom) > alarm:
            low = middle
        else:
            high = middle
    return high


def power(freedom: int, shift: float) -> float:
    """Return the chance of an alarm when the statistic has noncentrality `shift`."""
    limit = critical(freedom)
    weight, total = math.exp(-shift / 2), 0.0
    for i in range(int(shift + 20 * math.sqrt(shift) + 50)):
        total += weight * upper_tail(limit, freedom + 2 * i)
        weight *= shift / 2 / (i + 1)
    return total


@cache
def samples_needed(choices: int, skew: float) -> int:
    """Return how many samples find one of equal `choices` skewed by so much, up or down.

    With n samples a move of probability p = 1 / choices that is drawn with p (1 + skew), at the
    others' expense, gives the noncentrality n p skew^2 / (1 - p).
    """
    low, high = 0.0, 200.0 + 5.0 * choices  # exp(-high / 2) is still a number
    while high - low > 0.1:
        middle = (low + high) / 2
        if power(choices - 1, middle) < POWER:
            low = middle
        else:
            high = middle
    return math.ceil(high * (choices - 1) / skew**2)


def chi_square(found: Mapping[Outcome, int], expected: Mapping[Outcome, float]) -> float:
    """Return Pearson's statistic of counts against probabilities; infinite if one is 0."""
    samples = sum(found.values())
    if any(key not in expected for key in found):
        return math.inf
    return sum(
        (found.get(key, 0) - samples * p) ** 2 / (samples * p) for key, p in expected.items())


def agrees(found: Mapping[Outcome, int], expected: Mapping[Outcome, float]) -> bool:
    """Whether the counts pass the test at FALSE_ALARM."""
    return chi_square(found, expected) < critical(len(expected) - 1)
