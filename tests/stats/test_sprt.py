"""The sequential test: published LLRs, closed forms, symmetry, and its error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavilion_ai.errors import SpecError
from pavilion_ai.stats import Pentanomial, Sprt
from pavilion_ai.stats.sprt import EDGES, _deficit

UNIT = 800 / math.log(10) / math.sqrt(2)
"""Normalised Elo of an edge of one deviation of a pair."""

# Published, all of Disservin/fastchess: app/tests/sprt_test.cpp (the first three; the third as it
# became with the likelihood under the t-value), pull requests 783 and 882. There: 0, 1/2, 1
# (decisive), 1 (draws), 3/2, 2 points.
PUBLISHED = [
    ((365, 16618, 36029 + 200, 16974, 390), (0, 2), 2.25, 0.005),
    ((127, 4883, 10311 + 401, 5150, 104), (-1.75, 0.25), 3.01, 0.005),
    # It stops its iteration at an error of 1e-4 in the chances: 0.02 off with 5550 pairs.
    ((0, 0, 0, 0, 5550), (0, 5), 111.82, 0.03),
    ((379, 10170, 21828, 10640, 343), (0, 2), 2.94598, 0.001),
    ((77, 1, 0, 0, 0), (-1000, -500), -2.95, 0.005),
    ((72, 10, 0, 0, 0), (-1000, -500), -2.97, 0.005),
]

counts = st.tuples(*[st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**6))] * 5)
hypotheses = st.tuples(
    st.one_of(st.floats(-20, 20), st.floats(-1000, 900)), st.floats(0.1, 100))


@pytest.mark.parametrize(("found", "bounds", "expected", "error"), PUBLISHED)
def test_published_numbers(
    found: tuple[int, int, int, int, int], bounds: tuple[float, float], expected: float,
    error: float,
) -> None:
    assert Sprt(*bounds).llr(Pentanomial(found)) == pytest.approx(expected, abs=error)


def test_bounds_and_verdicts() -> None:
    test = Sprt(0, 5)
    assert (test.lower, test.upper) == pytest.approx((-math.log(19), math.log(19)))
    uneven = Sprt(0, 5, alpha=0.01, beta=0.2)
    assert (uneven.lower, uneven.upper) == pytest.approx((math.log(0.2 / 0.99), math.log(80)))
    assert test.verdict(0.0) is None
    assert test.verdict(test.upper) == "H1"
    assert test.verdict(test.lower) == "H0"
    assert test.verdict(test.upper - 1e-9) is test.verdict(test.lower + 1e-9) is None


@pytest.mark.parametrize("numbers", [
    (5, 0), (1, 1), (0, math.nan), (math.nan, 1), (0, math.inf), (-math.inf, 0), (0, 1001),
    (0, 5, 0), (0, 5, 0.5), (0, 5, 0.05, 0), (0, 5, 0.05, 0.5), (0, 5, math.nan), (0, 5, -0.1),
])
def test_senseless_tests_are_refused(numbers: tuple[float, ...]) -> None:
    with pytest.raises(SpecError, match=r"^sprt: found .*expected"):
        Sprt(*numbers)


def test_no_pairs_say_nothing() -> None:
    assert Sprt(0, 5).llr(Pentanomial()) == 0.0


@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (0, 100), (-30, 200), (50, 900)])
def test_all_won_in_closed_form(elo0: float, elo1: float) -> None:
    """The likeliest chances are then those of won and lost pairs only, w and 1 - w.

    w - 1/2 = t * sqrt(w * (1 - w)) gives w = (1 + t / sqrt(1 + t**2)) / 2.
    """
    def won(normalised: float) -> float:
        t = normalised / UNIT
        return (1 + t / math.sqrt(1 + t * t)) / 2

    expected = 1000 * math.log(won(elo1) / won(elo0))
    found = Sprt(elo0, elo1).llr(Pentanomial((0, 0, 0, 0, 1000)))
    assert found == pytest.approx(expected, rel=1e-4)  # the unseen kinds count a little


def test_the_likeliest_hypothesis_is_the_observed_value() -> None:
    p = Pentanomial((12, 30, 90, 41, 27))
    shares = np.array(p.counts) / p.pairs
    edge = float(shares @ EDGES)
    spread = math.sqrt(shares @ np.array(EDGES) ** 2 - edge**2)
    observed = UNIT * edge / spread
    assert _deficit(shares.tolist(), edge / spread) == pytest.approx(0, abs=1e-12)
    for other in (-200, 0, observed - 1, observed + 1, 300):
        assert _deficit(shares.tolist(), other / UNIT) > 0
    # Near it the LLR is quadratic: that of a normal variable with the error of a t-value.
    skewness, kurtosis = (float(shares @ ((np.array(EDGES) - edge) / spread) ** k) for k in (3, 4))
    t = edge / spread
    variance = (1 - t * skewness + t * t * (kurtosis - 1) / 4) / p.pairs
    low, high = observed - 0.2, observed + 0.6
    expected = ((low - observed) ** 2 - (high - observed) ** 2) / (2 * variance * UNIT**2)
    assert Sprt(low, high).llr(p) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("shares", [
    (0.1, 0.2, 0.4, 0.2, 0.1), (0.02, 0.03, 0.05, 0.1, 0.8), (0.3, 0.05, 0.3, 0.05, 0.3),
])
@pytest.mark.parametrize("target", [-1.0, -0.2, 0.1, 0.5, 1.5])
def test_no_other_chances_with_that_value_are_likelier(
    shares: tuple[float, ...], target: float
) -> None:
    """Random chances on the far side of the condition: none beats the solution, some come near."""
    rng = np.random.default_rng(3)
    observed, edges = np.array(shares), np.array(EDGES)

    def t_value(chances: np.ndarray) -> np.ndarray:
        mean = chances @ edges
        deviation: np.ndarray = mean / np.sqrt(chances @ edges**2 - mean**2)
        return deviation

    above = t_value(observed) < target
    best, width = observed, 1.0
    best_value = math.inf
    for _ in range(60):
        tried = np.exp(np.log(best) + width * rng.normal(size=(2000, 5)))
        if best_value == math.inf:
            tried = rng.dirichlet([0.5] * 5, 2000) + 1e-9
        tried /= tried.sum(axis=1, keepdims=True)
        allowed = tried[(t_value(tried) >= target) == above]
        if not len(allowed):
            continue
        values = (np.log(observed) - np.log(allowed)) @ observed
        if values.min() < best_value:
            best, best_value = allowed[values.argmin()], values.min()
        else:
            width *= 0.7
    solved = _deficit(shares, target)
    assert solved <= best_value + 1e-9
    assert solved == pytest.approx(best_value, abs=2e-4)


@given(counts, hypotheses)
def test_exchanging_the_sides_changes_the_sign(
    found: tuple[int, int, int, int, int], bounds: tuple[float, float]
) -> None:
    p, elo0, elo1 = Pentanomial(found), bounds[0], bounds[0] + bounds[1]
    llr = Sprt(elo0, elo1).llr(p)
    assert math.isfinite(llr)
    mirrored = Sprt(-elo1, -elo0).llr(p.flipped())
    assert mirrored == pytest.approx(-llr, rel=1e-6, abs=1e-9 * (1 + p.pairs))


@given(counts, st.floats(-300, 300))
def test_the_llr_is_a_difference(found: tuple[int, int, int, int, int], elo0: float) -> None:
    p = Pentanomial(found)
    parts = Sprt(elo0, elo0 + 7).llr(p) + Sprt(elo0 + 7, elo0 + 50).llr(p)
    assert Sprt(elo0, elo0 + 50).llr(p) == pytest.approx(parts, rel=1e-6, abs=1e-9 * (1 + p.pairs))


# --------------------------------------------------------------------------------- error rates


def tilted(chances: tuple[float, ...], normalised: float) -> np.ndarray:
    """Return chances with that normalised Elo, the given ones shifted towards more points."""
    low, high = -20.0, 20.0
    edges = np.array(EDGES)
    while True:
        lean = (low + high) / 2
        shifted = np.array(chances) * np.exp(lean * edges)
        shifted /= shifted.sum()
        mean = float(shifted @ edges)
        value = UNIT * mean / math.sqrt(shifted @ edges**2 - mean**2)
        if high - low < 1e-12:
            return shifted
        low, high = (lean, high) if value < normalised else (low, lean)


@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.1, 0.2)])
@pytest.mark.parametrize("chances", [(0.2, 0.1, 0.4, 0.1, 0.2), (0.05, 0.1, 0.5, 0.2, 0.15)])
def test_error_rates(chances: tuple[float, ...], alpha: float, beta: float) -> None:
    """Whole tests, looked at after each pair; the wrong end comes no oftener than announced."""
    matches = 800
    test = Sprt(0, 120, alpha, beta)
    rng = np.random.default_rng(20)
    known: dict[tuple[int, ...], float] = {}

    def run(truth: np.ndarray) -> str:
        found = [0] * 5
        while True:
            found[rng.choice(5, p=truth)] += 1
            key = tuple(found)
            if key not in known:
                known[key] = test.llr(Pentanomial(key))  # type: ignore[arg-type]
            verdict = test.verdict(known[key])
            if verdict:
                return verdict

    for true, wrong, allowed in ((0, "H1", alpha), (120, "H0", beta)):
        truth = tilted(chances, true)
        errors = sum(run(truth) == wrong for _ in range(matches))
        # One-sided, at three standard errors; and it must be possible to err.
        assert errors / matches <= allowed + 3 * math.sqrt(allowed * (1 - allowed) / matches)
        assert errors > 0
