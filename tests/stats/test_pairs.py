"""Elo, normalised Elo and likelihood of superiority from pairs of games."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pavilion_ai.errors import PavilionError
from pavilion_ai.stats import Estimate
from pavilion_ai.stats.estimate import QUANTILE, mean_estimate, student_quantile
from pavilion_ai.stats.pairs import Pentanomial, elo, los, normalised_elo

NOTHING = Estimate(None, None, None)
MATCHES, PAIRS = 4000, 100

# Published: app/tests/elo_test.cpp of Disservin/fastchess. There: 0, 1/2, 1 (decisive), 1 (draws),
# 3/2, 2 points; here the two kinds of one point are one. It prints half the width as the error.
PUBLISHED = [
    ((34, 54, 31 + 32, 64, 75), (55.58, 27.65), (57.94, 28.28), 1.0),
    ((332, 433, 457 + 41, 333, 334), (-8.64, 10.33), (-9.17, 10.96), 0.0505),
    ((7895, 8757, 5485 + 200, 568, 9999), (-21.04, 2.95), (-19.01, 2.65), None),
]
# Published: outputs in its pull request 882, of matches with hardly a win; and 783. Where the
# logistic interval passes 100 % it prints nan for the error, and we one bound.
ONE_SIDED = [
    ((77, 1, 0, 0, 0), -997.10, None, (-4339.56, 54.52)),
    ((72, 10, 0, 0, 0), -600.97, 118.46, (-1409.98, 53.17)),
    ((379, 10170, 21828, 10640, 343), None, None, (3.05, 2.31)),
]

counts = st.tuples(*[st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**6))] * 5)
samples = st.builds(Pentanomial, counts)


def half_width(estimate: Estimate) -> float:
    """Return half the width of an interval that has both ends."""
    assert estimate.low is not None
    assert estimate.high is not None
    return (estimate.high - estimate.low) / 2


def negative(number: float | None) -> float | None:
    return None if number is None else -number


def mirrored(estimate: Estimate) -> Estimate:
    return Estimate(negative(estimate.value), negative(estimate.high), negative(estimate.low))


def stretch(p: Pentanomial) -> float:
    """Return what our interval of normalised Elo is by fastchess's, which takes the deviation as
    known: from the textbook's standardised moments."""
    points = np.repeat([0, 0.25, 0.5, 0.75, 1], p.counts)
    t = (points.mean() - 0.5) / points.std()
    standard = (points - points.mean()) / points.std()
    skewness, kurtosis = (standard**3).mean(), (standard**4).mean()
    return math.sqrt(max(1, 1 - t * skewness + t * t * (kurtosis - 1) / 4))


def wider(pairs: int) -> float:
    """Return what our error of a mean is by fastchess's: Student's quantile, the divisor n - 1."""
    return student_quantile(pairs - 1) / QUANTILE * math.sqrt(pairs / (pairs - 1))


def curve(mean: float) -> float:
    """Return the Elo difference of a share of the points, in the usual form."""
    return -400 * math.log10(1 / mean - 1)


def flipped(pairs: Pentanomial) -> Pentanomial:
    """Return the same pairs as the second entrant sees them."""
    lost, behind, even, ahead, won = pairs.counts
    return Pentanomial((won, ahead, even, behind, lost))


# ---------------------------------------------------------------------------------- pentanomial


def test_pairs_are_counted_by_their_points() -> None:
    p = Pentanomial.from_points([2, 0.5, 1, 1.0, 2, 0, 1.5])
    assert p.counts == (1, 1, 2, 1, 2)
    assert p.pairs == 7
    assert p + Pentanomial((2, 1, 2, 1, 1)) == Pentanomial((3, 2, 4, 2, 3))
    assert Pentanomial.from_points([]) == Pentanomial()
    assert Pentanomial().pairs == 0


@pytest.mark.parametrize("points", [2.5, -0.5, 0.25, float("nan"), float("inf")])
def test_other_points_are_refused(points: float) -> None:
    with pytest.raises(PavilionError, match=r"^points of a pair: found .*, expected 0, 0\.5, 1"):
        Pentanomial.from_points([1, points])


@pytest.mark.parametrize("wrong", [
    (1, 2, 3), (1, 2, -1, 0, 0), (0.5, 0, 1.5, 0, 0), (1.0, 0, 0, 0, 0), (True, 0, 0, 0, 0)])
def test_other_counts_are_refused(wrong: tuple[int, ...]) -> None:
    with pytest.raises(PavilionError, match="expected five whole numbers"):
        Pentanomial(wrong)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize(("found", "logistic", "normalised", "superior"), PUBLISHED)
def test_published_numbers(
    found: tuple[int, int, int, int, int],
    logistic: tuple[float, float],
    normalised: tuple[float, float],
    superior: float | None,
) -> None:
    p = Pentanomial(found)
    assert elo(p).value == pytest.approx(logistic[0], abs=0.005)
    assert half_width(elo(p)) == pytest.approx(
        wider(p.pairs) * logistic[1], abs=0.005 * (1 + 10 * (p.pairs < 1000)))  # the curve bends
    assert normalised_elo(p).value == pytest.approx(normalised[0], abs=0.005)
    assert half_width(normalised_elo(p)) / (stretch(p) * wider(p.pairs)) == pytest.approx(
        normalised[1], abs=0.005)
    if superior is not None:
        assert los(p) == pytest.approx(superior, abs=0.0001)


@pytest.mark.parametrize(("found", "value", "error", "normalised"), ONE_SIDED)
def test_published_numbers_of_one_sided_matches(
    found: tuple[int, int, int, int, int],
    value: float | None,
    error: float | None,
    normalised: tuple[float, float],
) -> None:
    p = Pentanomial(found)
    if value is not None:
        assert elo(p).value == pytest.approx(value, abs=0.005)
        assert (elo(p).low is None) == (error is None)
    if error is not None:
        assert half_width(elo(p)) > error  # the unseen
    assert normalised_elo(p).value == pytest.approx(normalised[0], abs=0.005)
    found = normalised_elo(p)
    assert found.value is not None
    assert found.low is not None
    assert (found.value - found.low) / (stretch(p) * wider(p.pairs)) == pytest.approx(
        normalised[1], abs=0.005)


def test_two_pairs_by_hand() -> None:
    # points per game 1 and 1/2: mean 3/4, variance 1/16, standard error 1/4 with one degree of
    # freedom, which leaves everything open; the unseen leave a doubt of (3/2)**-2 / 2
    p = Pentanomial.from_points([2, 1])
    assert elo(p) == Estimate(pytest.approx(400 * math.log10(3)), None, None)
    assert normalised_elo(p).value == pytest.approx(800 / math.log(10) / math.sqrt(2))
    # t = 1, no skewness, kurtosis 1: the error is that with a known deviation
    assert half_width(normalised_elo(p)) == pytest.approx(
        800 / math.log(10) / math.sqrt(2) * 12.7062, rel=1e-5)
    assert los(p) == pytest.approx(0.75)  # Student's distribution at one error
    assert los(Pentanomial.from_points([2, 1.5])) == pytest.approx(1 - (4 / 7) ** 2 / 2)


def test_no_pairs() -> None:
    assert elo(Pentanomial()) == normalised_elo(Pentanomial()) == NOTHING
    assert los(Pentanomial()) is None


@pytest.mark.parametrize("pairs", [1, 2, 10, 1000, 10**6])
def test_all_won_or_all_lost(pairs: int) -> None:
    won = Pentanomial((0, 0, 0, 0, pairs))
    assert (elo(won).value, elo(won).high) == (None, None)
    # a pair may be lost entirely with the chance 1 - 0.05**(1/n)
    assert elo(won).low == pytest.approx(curve(0.05 ** (1 / pairs)))
    assert elo(flipped(won)) == mirrored(elo(won))
    chance = 1 - 0.05 ** (1 / pairs)
    found = normalised_elo(won)
    assert (found.value, found.high) == (None, None)
    assert found.low == pytest.approx(
        800 / math.log(10) / math.sqrt(2) * (0.5 - chance) / math.sqrt(chance * (1 - chance)))
    assert los(won) == pytest.approx(1 - 0.5 ** (pairs + 1))
    assert los(flipped(won)) == pytest.approx(0.5 ** (pairs + 1))


@pytest.mark.parametrize("pairs", [1, 20])
def test_all_pairs_even(pairs: int) -> None:
    even = Pentanomial((0, 0, pairs, 0, 0))
    chance = 1 - 0.05 ** (1 / pairs)
    assert elo(even).value == 0.0
    assert elo(even).high == pytest.approx(curve(0.5 + chance / 2))
    assert elo(even) == mirrored(elo(even))
    found = normalised_elo(even)
    assert found.value == 0.0
    assert found.high == pytest.approx(
        800 / math.log(10) / math.sqrt(2) * math.sqrt(chance / (1 - chance)))
    assert found == mirrored(found)
    assert los(even) == 0.5


def test_all_pairs_ahead() -> None:
    ahead = Pentanomial((0, 0, 0, 2, 0))
    chance = 1 - math.sqrt(0.05)
    assert elo(ahead).value == pytest.approx(400 * math.log10(3))
    assert elo(ahead).low == pytest.approx(curve(0.75 * (1 - chance)))
    assert elo(ahead).high == pytest.approx(curve(0.75 + 0.25 * chance))
    assert los(ahead) == pytest.approx(1 - 1.5**-2 / 2)


def test_the_bound_without_variance_is_the_least_favourable_case() -> None:
    """Whatever the unseen rest of the pairs is, the normalised Elo is not below the bound."""
    rng = np.random.default_rng(5)
    values = np.array([0, 0.25, 0.5, 0.75, 1])
    for kind in (2, 3, 4):
        for pairs in (1, 2, 5, 40):
            counted = [0] * 5
            counted[kind] = pairs
            bound = normalised_elo(Pentanomial.from_points([kind / 2] * pairs)).low
            assert bound is not None
            chance = 1 - 0.05 ** (1 / pairs)
            rest = rng.dirichlet([0.2] * 5, 3000) * chance * rng.random((3000, 1)) ** 0.3
            rest[:, kind] += 1 - rest.sum(axis=1)
            # what the rest gives to the kind itself leaves the chance of the others smaller
            mean = rest @ values
            spread = np.sqrt(np.maximum(rest @ values**2 - mean**2, 1e-12))
            true = (mean - 0.5) / spread * 800 / math.log(10) / math.sqrt(2)
            assert true.min() >= bound - 1e-6
            worst = np.zeros(5)
            worst[0], worst[kind] = chance, 1 - chance
            mean, spread = worst @ values, math.sqrt(worst @ values**2 - (worst @ values) ** 2)
            assert bound == pytest.approx((mean - 0.5) / spread * 800 / math.log(10) / 2**0.5)


def test_one_draw_among_wins() -> None:
    p = Pentanomial.from_points([2] * 9 + [1.5])
    # mean 0.975; a pair may be lost entirely with the chance 1 - 0.05**(1/10)
    assert elo(p).value == pytest.approx(curve(0.975))
    assert elo(p).low == pytest.approx(curve(0.975 * 0.05 ** (1 / 10)))
    assert elo(p).high is None
    error = math.sqrt(0.09 * 0.0625 / 9)
    assert 0.975 - 2.2622 * error > 0.975 * 0.05 ** (1 / 10)


@given(samples)
def test_numbers_of_one_match_do_not_contradict_each_other(p: Pentanomial) -> None:
    """Elo is win % on its curve, and LOS is over 97.5 % where its interval is above an even match.
    """
    few = Pentanomial(tuple(count % 40 for count in p.counts))  # type: ignore[arg-type]
    found, chance = elo(few), los(few)
    values = [index / 4 for index, count in enumerate(few.counts) for _ in range(count)]
    share = mean_estimate(values, lowest=0, highest=1)
    for name in ("value", "low", "high"):
        one, other = getattr(found, name), getattr(share, name)
        if one is None:
            assert other in (None, 0, 1) or other == pytest.approx(0) or other == pytest.approx(1)
        else:
            assert other is not None
            assert one == pytest.approx(curve(other), abs=1e-6)
    if chance is not None and abs(chance - 0.975) > 1e-3:
        assert (found.low is not None and found.low > 0) == (chance > 0.975)
        low = normalised_elo(few).low
        assert chance > 0.975 or low is None or low < 0


# ------------------------------------------------------------------------------------ symmetry


@given(samples)
def test_exchanging_the_sides_changes_the_sign(p: Pentanomial) -> None:
    assert elo(flipped(p)) == mirrored(elo(p))
    assert normalised_elo(flipped(p)) == mirrored(normalised_elo(p))
    chance, against = los(p), los(flipped(p))
    if chance is None or against is None:
        assert p.pairs == 0
    else:
        assert chance + against == pytest.approx(1)


@given(samples)
def test_numbers_are_finite_and_in_order(p: Pentanomial) -> None:
    for estimate in (elo(p), normalised_elo(p)):
        numbers = [estimate.low, estimate.value, estimate.high]
        known = [number for number in numbers if number is not None]
        assert all(math.isfinite(number) for number in known)
        assert known == sorted(known)
        assert bool(known) == bool(p.pairs)
    chance = los(p)
    assert chance is None or 0 <= chance <= 1


@given(samples, st.integers(2, 20))
def test_more_of_the_same_narrows_the_interval(p: Pentanomial, times: int) -> None:
    assume(sum(count > 0 for count in p.counts) > 1)
    more = Pentanomial(tuple(times * count for count in p.counts))  # type: ignore[arg-type]
    assert elo(more).value == pytest.approx(elo(p).value)
    assert half_width(normalised_elo(more)) < half_width(normalised_elo(p))


@pytest.mark.parametrize("pairs", range(1, 9))
def test_a_better_result_is_never_judged_worse(pairs: int) -> None:
    """One pair gained half a point: neither LOS falls nor a bound above an even match."""
    won = elo(Pentanomial((0, 0, 0, 0, pairs))).low
    assert won is not None
    for worse in every_result(pairs):
        for index in range(4):
            if worse[index]:
                counts = list(worse)
                counts[index] -= 1
                counts[index + 1] += 1
                lower, higher = Pentanomial(worse), Pentanomial(tuple(counts))  # type: ignore[arg-type]
                before, after = los(lower), los(higher)
                assert before is not None
                assert after is not None
                assert before <= after + 1e-12
                bound, its = elo(lower).low, elo(higher).low
                assert bound is None or bound < won
                assert bound is None or bound < 0 or (its is not None and bound <= its + 1e-9)


# ------------------------------------------------------------------------------------ coverage


def every_result(pairs: int, kinds: int = 5) -> Iterator[tuple[int, ...]]:
    """Yield all ways to divide pairs among kinds."""
    if kinds == 1:
        yield (pairs,)
        return
    for count in range(pairs + 1):
        yield from ((count, *rest) for rest in every_result(pairs - count, kinds - 1))


@pytest.mark.parametrize("pairs", [2, 3, 4, 5, 7, 10, 20, 50])
@pytest.mark.parametrize("win", [0.5, 0.6, 0.75, 0.9, 0.95, 0.975])
def test_the_interval_of_few_pairs_holds_the_truth_as_often_as_it_says(
    pairs: int, win: float
) -> None:
    """Exactly, over all results of independent games, each won with the same chance."""
    truth = curve(win)
    held = sure = 0.0
    for lost, split, won in every_result(pairs, 3):
        ways = math.factorial(pairs) / math.prod(map(math.factorial, (lost, split, won)))
        chance = ways * (1 - win) ** (2 * lost) * (2 * win * (1 - win)) ** split * win ** (2 * won)
        p = Pentanomial((lost, 0, split, 0, won))
        found, superior = elo(p), los(p)
        assert superior is not None
        held += chance * ((found.low is None or found.low <= truth + 1e-9)
                          and (found.high is None or truth - 1e-9 <= found.high))
        sure += chance * (superior >= 0.95)
    assert held >= 0.938
    assert win != 0.5 or sure <= 0.058


@pytest.mark.parametrize("chances", [
    (0.2, 0.1, 0.4, 0.1, 0.2), (0.05, 0.1, 0.3, 0.25, 0.3), (0.02, 0.03, 0.9, 0.03, 0.02),
    (0.3, 0.3, 0.3, 0.05, 0.05), (0.4, 0.3, 0.2, 0.05, 0.05),
])
def test_the_intervals_hold_the_truth_as_often_as_they_say(chances: tuple[float, ...]) -> None:
    weights, values = np.array(chances), np.array([0, 0.25, 0.5, 0.75, 1])
    mean = float(weights @ values)
    spread = math.sqrt(weights @ values**2 - mean**2)
    truth = (curve(mean), 800 / math.log(10) * (mean - 0.5) / (spread * math.sqrt(2)))
    held = [0, 0]
    for row in np.random.default_rng(7).multinomial(PAIRS, weights, MATCHES):
        p = Pentanomial(tuple(int(count) for count in row))  # type: ignore[arg-type]
        for number, (estimate, true) in enumerate(zip(
            (elo(p), normalised_elo(p)), truth, strict=True
        )):
            held[number] += (estimate.low is None or estimate.low <= true) and (
                estimate.high is None or true <= estimate.high)
    error = math.sqrt(0.95 * 0.05 / MATCHES)
    # Besides the chance error, half a point in a hundred: pairs have five kinds, not normal.
    for count in held:
        assert abs(count / MATCHES - 0.95) < 3 * error + 0.005
