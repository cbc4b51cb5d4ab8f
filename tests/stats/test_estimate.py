"""Means, their intervals, and what equal values say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavilion_ai.errors import PavilionError
from pavilion_ai.stats import Estimate, mean_of_few
from pavilion_ai.stats.estimate import (
    QUANTILE,
    deviation,
    mean_estimate,
    mean_with_error,
    student_cdf,
    student_quantile,
    unseen_chance,
)

MATCHES, VALUES = 4000, 100


def test_an_estimate_as_json() -> None:
    assert Estimate(1.5, None, 2.0).to_json() == {"value": 1.5, "low": None, "high": 2.0}


@pytest.mark.parametrize(("values", "expected"), [
    ([], None), ([3.0], None), ([3.0, 3.0], 0.0), ([1.0, 3.0], math.sqrt(2)),
    ([2, 4, 4, 4, 5, 5, 7, 9], math.sqrt(32 / 7)),
])
def test_deviation(values: list[float], expected: float | None) -> None:
    assert deviation(values) == pytest.approx(expected)


def test_no_values_and_one_value() -> None:
    assert mean_estimate([]) == Estimate(None, None, None)
    assert mean_estimate([], lowest=0, highest=1) == Estimate(None, None, None)
    assert mean_estimate([7.0]) == Estimate(7.0, None, None)


def test_a_mean_by_hand() -> None:
    # mean 3, sample variance 8/7; the quantile for 7 degrees of freedom is 2.364624
    found = mean_estimate([1.0, 3.0, 3.0, 5.0, 3.0, 3.0, 3.0, 3.0])
    reach = 2.364624 * math.sqrt(8 / 7 / 8)
    assert found.value == 3.0
    assert found.low == pytest.approx(3 - reach, abs=1e-4)
    assert found.high == pytest.approx(3 + reach, abs=1e-4)


def test_the_interval_is_cut_at_the_range() -> None:
    assert mean_estimate([0.0, 1.0], lowest=0, highest=1) == Estimate(0.5, 0, 1)
    found = mean_estimate([0.0, 1.0], lowest=0)
    assert found.low == 0
    assert found.high is not None
    assert found.high > 1


@pytest.mark.parametrize(("count", "chance"), [(1, 0.95), (2, 1 - math.sqrt(0.05)), (59, 0.0495)])
def test_what_was_not_seen_may_still_be_there(count: int, chance: float) -> None:
    assert unseen_chance(count) == pytest.approx(chance, abs=5e-5)
    assert (1 - unseen_chance(count)) ** count == pytest.approx(0.05)


def test_equal_values_are_bounded_by_the_unseen() -> None:
    assert mean_estimate([4.0, 4.0]) == Estimate(4.0, None, None)
    assert mean_estimate([0.1] * 3) == Estimate(0.1, None, None)  # rounding leaves a deviation
    chance = 1 - math.sqrt(0.05)
    found = mean_estimate([1.0, 1.0], lowest=0, highest=1)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(1 - chance)
    inside = mean_estimate([3.0, 3.0], lowest=1, highest=4)
    assert inside.low == pytest.approx(3 - 2 * chance)
    assert inside.high == pytest.approx(3 + chance)
    one_sided = mean_estimate([3.0, 3.0], lowest=1)
    assert one_sided == Estimate(3.0, inside.low, None)
    assert mean_estimate([1.0], lowest=0, highest=1).low == pytest.approx(0.05)


def test_values_that_differ_are_bounded_by_the_unseen_as_well() -> None:
    chance = 0.05 ** (1 / 5)  # of seeing them all
    found = mean_estimate([1.0, 1.0, 1.0, 1.0, 0.9], lowest=0, highest=1)
    assert found.low == pytest.approx(0.98 * chance)
    assert found.high == pytest.approx(1)
    assert mean_estimate([1.0, 1.0, 1.0, 1.0, 0.9], lowest=0).low == found.low
    alone = mean_estimate([1.0, 1.0, 1.0, 1.0, 0.9], highest=1)
    assert alone.low == pytest.approx(0.98 - 2.7764 * 0.02, abs=1e-4)


def test_the_error_of_a_mean() -> None:
    assert mean_with_error([1.0, 1.0]) == (1, 0)
    assert mean_with_error([1.0], 0.5, limits=(0, 1)) == (1, 0.5)
    assert mean_with_error([2.0, 4.0]) == (3, 1)


@pytest.mark.parametrize(("won", "trials"), [
    (0, 2), (2, 2), (0, 40), (1, 40), (20, 40), (39, 40), (0, 400), (1, 400), (399, 400)])
def test_the_error_of_a_share_is_that_of_wilson(won: int, trials: int) -> None:
    """The farther end is a share from which this one is so many errors of its own away."""
    mean, error = mean_with_error([1.0] * won + [0.0] * (trials - won), limits=(0, 1))
    assert mean == won / trials
    reach = QUANTILE * error
    end = mean + reach if mean <= 0.5 else mean - reach
    assert reach == pytest.approx(QUANTILE * math.sqrt(end * (1 - end) / trials))


def test_errors_of_bounded_values_heed_their_variance_and_range() -> None:
    shared = mean_with_error([0.5] * 400, limits=(0, 1))[1]
    assert 0 < shared < 0.6 * mean_with_error([0.0] * 400, limits=(0, 1))[1]
    none, one = (mean_with_error([0.0] * (400 - n) + [1.0] * n, limits=(-1, 1))[1] for n in (0, 1))
    assert none < one < 1.2 * none
    rng = np.random.default_rng(5)
    values = list(rng.choice([0.0, 1 / 3, 0.5, 1.0], 2000))
    assert mean_with_error(values, limits=(0, 1))[1] == pytest.approx(
        mean_with_error(values)[1], rel=0.01)


@pytest.mark.parametrize(("freedom", "quantile"), [
    (1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (30, 2.042),
    (120, 1.980), (10**6, 1.95997)])
def test_the_quantile_of_student_is_that_of_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom) == pytest.approx(quantile, rel=0.002)


@pytest.mark.parametrize(("errors", "freedom", "chance"), [
    (1, 1, 0.75), (math.sqrt(2), 2, 0.5 + math.sqrt(0.125)), (2.3534, 3, 0.95), (1.8331, 9, 0.95),
    (2.2281, 10, 0.975), (4.5869, 10, 0.9995), (1.9623, 1000, 0.975), (1.9623, 1001, 0.975),
    (1.6449, 10**7, 0.95), (0, 7, 0.5)])
def test_the_distribution_of_student_is_that_of_tables(
    errors: float, freedom: int, chance: float
) -> None:
    assert student_cdf(errors, freedom) == pytest.approx(chance, abs=1e-5)
    assert student_cdf(-errors, freedom) == pytest.approx(1 - chance, abs=1e-5)
    assert student_cdf(-1e9, freedom) >= 0


def test_the_mean_of_a_few_values() -> None:
    assert mean_of_few([]) == Estimate(None, None, None)
    for equal in ([7.0], [7.0, 7.0], [0.25] * 3):
        assert mean_of_few(equal) == Estimate(equal[0], None, None)
    for value, count in ((0.1, 3), (123456.7, 9)):  # rounding leaves a deviation
        assert mean_of_few([value] * count) == Estimate(value, None, None)
    assert mean_of_few([0.0, 1e-17, -3e-17]).high is None
    found = mean_of_few([1.0, 3.0])
    assert (found.value, found.low, found.high) == pytest.approx((2, 2 - 12.7062, 2 + 12.7062))


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_the_interval_of_a_few_values_holds_the_mean_as_often_as_it_says(count: int) -> None:
    held = 0
    for values in np.random.default_rng(count).normal(2.0, 3.0, (MATCHES, count)):
        found = mean_of_few(list(values))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 2.0 <= found.high
    assert abs(held / MATCHES - 0.95) < 3.5 * math.sqrt(0.95 * 0.05 / MATCHES)


@pytest.mark.parametrize(("lowest", "highest"), [(1.0, 2.0), (-1.0, 0.5), (0.5, None)])
def test_values_outside_the_range_are_refused(lowest: float, highest: float | None) -> None:
    with pytest.raises(PavilionError, match=r"^mean: found values from 0\.0 to 1\.0, expected"):
        mean_estimate([0.0, 1.0], lowest=lowest, highest=highest)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_the_ends_enclose_the_mean(values: list[float]) -> None:
    found = mean_estimate(values, lowest=-1e6, highest=1e6)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    slack = 1e-9 * (1 + abs(found.value))
    assert -1e6 <= found.low <= found.value + slack
    assert found.value - slack <= found.high <= 1e6


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(MATCHES // 4):
        found = mean_estimate(list(rng.exponential(3.0, VALUES)), lowest=0)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 3.0 <= found.high
    rate, error = held / (MATCHES // 4), math.sqrt(0.95 * 0.05 / (MATCHES // 4))
    # The exponential distribution is skew: at 100 values 94 % is what the normal interval gives.
    assert abs(rate - 0.94) < 3.5 * error
