"""The sequential test: published LLRs, closed forms, symmetry, and its error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavilion_ai.errors import SpecError
from pavilion_ai.stats import Sprt
from pavilion_ai.stats.pairs import Pentanomial
from pavilion_ai.stats.sprt import UNSEEN, _deficit, set_points

EDGES = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""Points per game above one half, for each kind of pair."""

EDGES_OF_THREE = tuple(half / 6 - 1 / 3 for half in range(7))
"""Points per game above one third, for sets of three games in whole and half points."""


def unit(players: int = 2) -> float:
    """Return the normalised Elo of an edge of one deviation of a set."""
    return 800 / math.log(10) / math.sqrt(players)


UNIT = unit()

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

def llr(test: Sprt, p: Pentanomial) -> float:
    """Return the ratio of pairs that are counted by their kind."""
    return test.llr({half / 2: count for half, count in enumerate(p.counts)})


counts = st.tuples(*[st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**6))] * 5)
hypotheses = st.tuples(
    st.one_of(st.floats(-20, 20), st.floats(-1000, 900)), st.floats(0.1, 100))


@pytest.mark.parametrize(("found", "bounds", "expected", "error"), PUBLISHED)
def test_published_numbers(
    found: tuple[int, int, int, int, int], bounds: tuple[float, float], expected: float,
    error: float,
) -> None:
    assert llr(Sprt(*bounds), Pentanomial(found)) == pytest.approx(expected, abs=error)


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


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_sets_say_nothing(players: int) -> None:
    assert Sprt(0, 5).llr({}, players) == 0.0
    assert Sprt(0, 5).llr({1.0: 0}, players) == 0.0


@pytest.mark.parametrize(("sets", "elo"), [
    ({1.5: 1}, 200), ({2: 1, 1.5: 2}, 200), ({1: 3, 1.5: 1, 2: 1}, 100), ({1.5: 1}, 20),
])
def test_small_samples_of_four_players_come_to_an_end(sets: dict[float, int], elo: float,
                                                      monkeypatch: pytest.MonkeyPatch) -> None:
    """The iteration used to swing to and fro there until it was cut off."""
    monkeypatch.setattr("pavilion_ai.stats.sprt.MOST_ROUNDS", 10_000)
    exact = Sprt(0, elo).llr(sets, players=4)
    monkeypatch.setattr("pavilion_ai.stats.sprt.MOST_ROUNDS", 200)
    assert Sprt(0, elo).llr(sets, players=4) == exact


# From scans over the mean: for each the likeliest chances with that mean and deviation (a convex
# problem in two unknowns), then the best mean.
SEVERAL_MAXIMA = [
    (4, {2.0: 3}, 100, 0.858253), (4, {2.0: 3}, 500, 0.074872),
    (4, {1.5: 6}, 200, 0.281885), (4, {1.5: 6}, 300, 0.087955),
    (4, {1.5: 2, 2.0: 1}, 300, 0.057847), (4, {1.5: 2, 2.0: 1}, 400, 0.011270),
    (2, {1.5: 294, 1.0: 5, 0.5: 1}, 300, 15.431611),
    (2, {1.5: 294, 1.0: 5, 0.5: 1}, 1000, 0.735589),
    (2, {1.5: 285, 2.0: 11, 1.0: 4}, 800, 1.461592),
    (2, {1.5: 285, 2.0: 11, 1.0: 4}, 1000, 0.354989),
    (2, {1.5: 1, 0.5: 1}, -585, 1.903355), (4, {2.5: 2, 0.0: 3}, 669, 8.011990),
    (3, {0.5: 6, 1.0: 264, 1.5: 1, 2.0: 29}, 254, 181.478739),
]


@pytest.mark.parametrize(("players", "sets", "elo", "expected"), SEVERAL_MAXIMA)
def test_of_several_local_maxima_the_best_one_counts(
    players: int, sets: dict[float, int], elo: float, expected: float
) -> None:
    """From all sets won or lost alone the search ends elsewhere, at up to 600 times as much."""
    kinds = {half / 2: sets.get(half / 2, UNSEEN) for half in range(2 * players + 1)}
    total = sum(kinds.values())
    edges = [(points - 1) / players for points in kinds]
    shares = [count / total for count in kinds.values()]
    found = total * _deficit(edges, shares, elo / unit(players))
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (0, 100), (-30, 200), (50, 900)])
def test_all_won_in_closed_form(elo0: float, elo1: float, players: int) -> None:
    """The likeliest chances are then those of won and lost sets only, w and 1 - w.

    w - 1/2 = t * sqrt(w * (1 - w)) gives w = (1 + t / sqrt(1 + t**2)) / 2; with more players, who
    have a third or a quarter for a half, w is found by halving.
    """
    def won(normalised: float) -> float:
        t = normalised / unit(players)
        if players == 2:
            return (1 + t / math.sqrt(1 + t * t)) / 2
        low, high = 0.0, 1.0
        for _ in range(100):
            w = (low + high) / 2
            low, high = (w, high) if w - 1 / players < t * math.sqrt(w * (1 - w)) else (low, w)
        return w

    expected = 1000 * math.log(won(elo1) / won(elo0))
    found = Sprt(elo0, elo1).llr({players: 1000}, players)
    assert found == pytest.approx(expected, rel=1e-4)  # the unseen kinds count a little


def test_victories_shared_by_three_count_as_they_are() -> None:
    """Thirds are kinds of their own; sums that differ by rounding alone are one kind."""
    assert set_points([1 / 3, 1 / 3, 1 / 3]) == set_points([0.0, 1.0, 0.0]) == 1.0
    assert set_points([1 / 3, 1 / 2, 1 / 4]) == 13 / 12
    third = set_points([1 / 3, 0.0, 0.0])
    whole = Sprt(0, 50).llr({0.0: 20, 1.0: 50, 2.0: 20}, 3)
    less, more = (Sprt(0, 50).llr({0.0: 20, points: 50, 2.0: 20}, 3) for points in (third, 1.5))
    assert less < whole < more
    near = Sprt(0, 50).llr({0.0: 20, 1.0: 49, set_points([1 / 3, 1 / 3, 1 / 4]): 1, 2.0: 20}, 3)
    assert near == pytest.approx(whole, abs=0.05)
    assert near < whole


def test_the_likeliest_hypothesis_is_the_observed_value() -> None:
    p = Pentanomial((12, 30, 90, 41, 27))
    shares = np.array(p.counts) / p.pairs
    edge = float(shares @ EDGES)
    spread = math.sqrt(shares @ np.array(EDGES) ** 2 - edge**2)
    observed = UNIT * edge / spread
    assert _deficit(EDGES, shares.tolist(), edge / spread) == pytest.approx(0, abs=1e-12)
    for other in (-200, 0, observed - 1, observed + 1, 300):
        assert _deficit(EDGES, shares.tolist(), other / UNIT) > 0
    # Near it the LLR is quadratic: that of a normal variable with the error of a t-value.
    skewness, kurtosis = (float(shares @ ((np.array(EDGES) - edge) / spread) ** k) for k in (3, 4))
    t = edge / spread
    variance = (1 - t * skewness + t * t * (kurtosis - 1) / 4) / p.pairs
    low, high = observed - 0.2, observed + 0.6
    expected = ((low - observed) ** 2 - (high - observed) ** 2) / (2 * variance * UNIT**2)
    assert llr(Sprt(low, high), p) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("shares", [
    (0.1, 0.2, 0.4, 0.2, 0.1), (0.02, 0.03, 0.05, 0.1, 0.8), (0.3, 0.05, 0.3, 0.05, 0.3),
    (0.3, 0.05, 0.3, 0.05, 0.2, 0.03, 0.07),
])
@pytest.mark.parametrize("target", [-1.0, -0.2, 0.1, 0.5, 1.5])
def test_no_other_chances_with_that_value_are_likelier(
    shares: tuple[float, ...], target: float
) -> None:
    """Random chances on the far side of the condition: none beats the solution, some come near."""
    rng = np.random.default_rng(3)
    observed = np.array(shares)
    edges = np.array(EDGES if len(shares) == len(EDGES) else EDGES_OF_THREE)

    def t_value(chances: np.ndarray) -> np.ndarray:
        mean = chances @ edges
        deviation: np.ndarray = mean / np.sqrt(chances @ edges**2 - mean**2)
        return deviation

    above = t_value(observed) < target
    best, width = observed, 1.0
    best_value = math.inf
    for _ in range(60):
        tried = np.exp(np.log(best) + width * rng.normal(size=(2000, len(shares))))
        if best_value == math.inf:
            tried = rng.dirichlet([0.5] * len(shares), 2000) + 1e-9
        tried /= tried.sum(axis=1, keepdims=True)
        allowed = tried[(t_value(tried) >= target) == above]
        if not len(allowed):
            continue
        values = (np.log(observed) - np.log(allowed)) @ observed
        if values.min() < best_value:
            best, best_value = allowed[values.argmin()], values.min()
        else:
            width *= 0.7
    solved = _deficit(edges.tolist(), shares, target)
    assert solved <= best_value + 1e-9
    assert solved == pytest.approx(best_value, abs=2e-4)


@given(counts, hypotheses)
def test_exchanging_the_sides_changes_the_sign(
    found: tuple[int, int, int, int, int], bounds: tuple[float, float]
) -> None:
    p, elo0, elo1 = Pentanomial(found), bounds[0], bounds[0] + bounds[1]
    found_llr = llr(Sprt(elo0, elo1), p)
    assert math.isfinite(found_llr)
    mirrored = llr(Sprt(-elo1, -elo0), Pentanomial(found[::-1]))
    assert mirrored == pytest.approx(-found_llr, rel=1e-6, abs=1e-9 * (1 + p.pairs))


@given(counts, st.floats(-300, 300))
def test_the_llr_is_a_difference(found: tuple[int, int, int, int, int], elo0: float) -> None:
    p = Pentanomial(found)
    parts = llr(Sprt(elo0, elo0 + 7), p) + llr(Sprt(elo0 + 7, elo0 + 50), p)
    assert llr(Sprt(elo0, elo0 + 50), p) == pytest.approx(parts, rel=1e-6, abs=1e-9 * (1 + p.pairs))


# --------------------------------------------------------------------------------- error rates


def tilted(chances: tuple[float, ...], normalised: float) -> np.ndarray:
    """Return chances with that normalised Elo, the given ones shifted towards more points."""
    low, high = -20.0, 20.0
    edges = np.array(EDGES if len(chances) == len(EDGES) else EDGES_OF_THREE)
    players = (len(chances) - 1) // 2
    while True:
        lean = (low + high) / 2
        shifted = np.array(chances) * np.exp(lean * edges)
        shifted /= shifted.sum()
        mean = float(shifted @ edges)
        value = unit(players) * mean / math.sqrt(shifted @ edges**2 - mean**2)
        if high - low < 1e-12:
            return shifted
        low, high = (lean, high) if value < normalised else (low, lean)


@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.1, 0.2)])
@pytest.mark.parametrize("chances", [
    (0.2, 0.1, 0.4, 0.1, 0.2), (0.05, 0.1, 0.5, 0.2, 0.15),
    (0.25, 0.02, 0.45, 0.02, 0.2, 0.01, 0.05),
])
def test_error_rates(chances: tuple[float, ...], alpha: float, beta: float) -> None:
    """Whole tests, looked at after each pair; the wrong end comes no oftener than announced."""
    matches = 300
    test = Sprt(0, 180, alpha, beta)
    rng = np.random.default_rng(20)
    known: dict[tuple[int, ...], float] = {}

    def run(truth: np.ndarray) -> str:
        found = [0] * len(chances)
        drawn: list[int] = []
        while True:
            drawn = drawn or rng.choice(len(chances), 64, p=truth).tolist()
            found[drawn.pop()] += 1
            key = tuple(found)
            if key not in known:
                known[key] = test.llr({half / 2: count for half, count in enumerate(key)},
                                      (len(chances) - 1) // 2)
            verdict = test.verdict(known[key])
            if verdict:
                return verdict

    for true, wrong, allowed in ((0, "H1", alpha), (180, "H0", beta)):
        truth = tilted(chances, true)
        errors = sum(run(truth) == wrong for _ in range(matches))
        # One-sided, at three standard errors; and it must be possible to err.
        assert errors / matches <= allowed + 3 * math.sqrt(allowed * (1 - allowed) / matches)
        assert errors > 0
