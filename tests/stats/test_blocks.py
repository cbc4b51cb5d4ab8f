"""Means and regressions from sums in blocks: against formulas, simulation, planted effects."""

from __future__ import annotations

import numpy as np
import pytest

from pavilion_ai.stats.blocks import (
    BLOCKS,
    Measured,
    Moments,
    block_of,
    coefficients,
    contrast,
    ratio,
)


def sums(values: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Return the sums of values in blocks."""
    found = np.zeros((BLOCKS, 2))
    np.add.at(found, blocks, np.stack([np.ones_like(values), values], axis=1))
    return found


def test_a_mean_has_the_error_of_the_formula() -> None:
    rng = np.random.default_rng(1)
    values, blocks = rng.normal(3, 2, 64_000), np.arange(64_000) % BLOCKS
    found = ratio(sums(values, blocks))
    assert found.value == pytest.approx(values.mean())
    assert found.count == 64_000
    assert found.error is not None
    assert 0.75 < found.error / (2 / np.sqrt(64_000)) < 1.35  # known to 9 %


def test_copies_in_a_block_do_not_make_it_more_certain() -> None:
    rng = np.random.default_rng(2)
    values, blocks = rng.normal(0, 1, 6400), np.arange(6400) % BLOCKS
    once, ten = (ratio(times * sums(values, blocks)) for times in (1, 10))
    assert once.error == pytest.approx(ten.error)
    apart = ratio(sums(np.repeat(values, 10), rng.integers(BLOCKS, size=64_000)))
    assert apart.error is not None
    assert once.error is not None
    assert apart.error < once.error / 2  # as if the copies were known to be independent


def test_intervals_of_a_contrast_cover_the_truth() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(400):
        blocks = rng.integers(BLOCKS, size=600)
        luck = rng.normal(0, 1, BLOCKS)[blocks]  # of the deal, the same for both sides
        first = sums(luck + rng.normal(1, 1, 600), blocks)
        second = sums(luck + rng.normal(0, 1, 600), blocks)
        found = contrast(first, second)
        assert found.value is not None
        assert found.error is not None
        hits += abs(found.value - 1) < 1.96 * found.error
    assert 0.91 < hits / 400 < 0.985


def test_intervals_of_few_blocks_cover_the_truth() -> None:
    """As of somebody's own games; normal ones would do so in 91 % of cases."""
    rng = np.random.default_rng(6)
    found = [ratio(sums(rng.normal(0, 1, 8), np.arange(8))) for _ in range(2000)]
    hits = sum(abs(one.value) < one.reach for one in found
               if one.value is not None and one.reach is not None)
    assert 0.935 < hits / 2000 < 0.965
    assert Measured(1.0, None, 9).reach is None


def test_planted_effects_are_found_within_their_errors() -> None:
    rng = np.random.default_rng(4)
    misses = 0
    for _ in range(40):
        moments, truth = Moments(3), np.array([0.05, 0.0, -0.02])
        for block in rng.integers(BLOCKS, size=1500):
            features = rng.integers(-3, 4, 3)
            chance = 0.5 + features @ truth
            won = float(rng.random() < chance)
            for sign in (1, -1):  # both seats of a game
                moments.add(int(block), list(sign * features), sign * (won - 0.5))
        found = coefficients(moments)
        for one, true in zip(found, truth, strict=True):
            assert one.value is not None
            assert one.error is not None
            assert one.error < 0.01
            misses += abs(one.value - true) > 1.96 * one.error
    assert misses <= 14  # of 120; 6 expected, 14 in one of 500


def test_a_feature_that_never_varies_has_no_coefficient() -> None:
    moments = Moments(2)
    for number in range(200):
        moments.add(number % BLOCKS, [number % 7 - 3, 0], 0.1 * (number % 7 - 3))
    first, second = coefficients(moments)
    assert first.value == pytest.approx(0.1, rel=1e-6)
    assert second == Measured(None, None, 200)
    assert coefficients(Moments(2))[0].value is None


def test_as_many_values_as_features_explain_nothing() -> None:
    moments = Moments(2)
    for block, (features, value) in enumerate([([1, 2], 0.5), ([0, 1], -0.5), ([0, 1], -0.5)]):
        assert coefficients(moments) == [Measured(None, None, block)] * 2
        moments.add(block, features, value)
    assert [one.value for one in coefficients(moments)] == pytest.approx([1.5, -0.5])


def test_few_blocks_give_no_error() -> None:
    found = ratio(sums(np.arange(7.0), np.arange(7)))
    assert (found.value, found.error, found.count) == (3.0, None, 7)
    assert ratio(np.zeros((BLOCKS, 2))) == Measured(None, None, 0)
    alone = sums(np.array([1.0]), np.array([5]))
    assert contrast(alone, sums(np.arange(9.0), np.arange(9))).error is None


def test_moments_and_differences_add_up() -> None:
    rows = [([1.0, 2.0], 0.5), ([0.0, 1.0], -0.5), ([3.0, 1.0], 0.25)]
    whole, first, second = Moments(2), Moments(2), Moments(2)
    for number, (features, value) in enumerate(rows):
        whole.add(number, features, value)
        (first if number else second).add(number, features, value)
    first += second
    assert np.array_equal(first.squares, whole.squares)
    assert np.array_equal(first.products, whole.products)
    assert Measured(3, None, 10).less(Measured(1, None, 5)) == Measured(2, None, 5)
    assert Measured(None, None, 0).less(Measured(1, None, 5)).value is None


def test_differences_know_what_their_numbers_share() -> None:
    rng = np.random.default_rng(5)
    values, blocks = rng.normal(3, 2, 6400), np.arange(6400) % BLOCKS
    one, other = ratio(sums(values, blocks)), ratio(sums(rng.normal(3, 2, 6400), blocks))
    assert one.error is not None
    assert other.error is not None
    apart = one.less(other).error
    assert apart == pytest.approx(np.hypot(one.error, other.error), rel=0.3)
    assert one.less(one) == Measured(0, None, 6400)
    reverse = ratio(sums(-values, blocks))          # as the chances of the two seats of a game
    assert one.less(reverse).error == pytest.approx(2 * one.error)
    few = blocks < BLOCKS // 2                      # deals that only one of them has
    half, rest = ratio(sums(values[few], blocks[few])), ratio(sums(values[~few], blocks[~few]))
    assert half.error is not None
    assert rest.error is not None
    assert half.less(rest).error == pytest.approx(np.hypot(half.error, rest.error), rel=0.02)
    alike = ratio(sums(np.ones(6400), blocks))
    assert (alike.error, one.less(alike).error) == (None, None)
    moments, others = Moments(1), Moments(1)
    for block, value in zip(blocks.tolist(), values.tolist(), strict=True):
        moments.add(block, [1.0], value)
        others.add(block, [1.0], -value)
    (slope,), (opposite,) = coefficients(moments), coefficients(others)
    assert slope.error is not None
    assert slope.less(opposite).error == pytest.approx(2 * slope.error)


def test_blocks_are_even_and_the_same_everywhere() -> None:
    found = np.bincount([block_of("deal", number) for number in range(6400)], minlength=BLOCKS)
    assert found.min() > 60
    assert found.max() < 150
    assert block_of(7, "PGO") == 57
