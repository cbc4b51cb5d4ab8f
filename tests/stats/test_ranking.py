"""Plackett-Luce ratings: closed forms, an independent climb to the maximum, and the bootstrap."""

from __future__ import annotations

import math
import random
import time
import warnings
from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavilion_ai.errors import PavilionError
from pavilion_ai.stats import Estimate, ranking
from pavilion_ai.stats.pairs import Pentanomial, elo
from pavilion_ai.stats.ranking import Placing, rating_list

ELO_PER_NAT = 400 / math.log(10)


def game(*entrants: int) -> Placing:
    """Return a game in which these finished in this order."""
    return [(entrant, float(place)) for place, entrant in enumerate(entrants, 1)]


def tie(*entrants: int) -> Placing:
    return [(entrant, (1 + len(entrants)) / 2) for entrant in entrants]


def simulated(strengths: Sequence[float], seats: Sequence[int], rng: random.Random) -> Placing:
    """Play a game by the model: places drawn one after the other, by strength in Elo."""
    left, order = list(seats), []
    while left:
        weights = [10 ** (strengths[entrant] / 400) for entrant in left]
        order.append(rng.choices(left, weights)[0])
        left.remove(order[-1])
    return game(*order)


def orders(places: Placing) -> list[list[int]]:
    """Return every order of the entrants that a game with ties stands for."""
    return [
        [entrant for entrant, _ in order] for order in permutations(places)
        if [place for _, place in order] == sorted(place for _, place in places)
    ]


def ratings(sets: Sequence[Sequence[Placing]], entrants: int, **more: int) -> list[Estimate]:
    return list(rating_list(sets, entrants, **more).ratings)


def plackett_luce(games: Sequence[Placing], entrants: int) -> list[float]:
    """Return the ratings alone, with mean 0 in each group that met."""
    found = rating_list([games], entrants, resamples=0)
    values = [one.value or 0.0 for one in found.ratings]
    means = {who: sum(values[one] for one in group) / len(group)
             for group in found.groups for who in group}
    return [value - means[who] for who, value in enumerate(values)]


def climbed(games: Sequence[Placing], entrants: int, rounds: int = 20000) -> list[float]:
    """Return the ratings by minorisation-maximisation (Hunter 2004), all orders written out.

    The prior is half a game won and half a game lost against a player of weight 1.
    """
    stages = [
        (order[start:], 1 / len(orders(places)))
        for places in games for order in orders(places) for start in range(len(order) - 1)
    ]
    weights = [1.0] * entrants
    for _ in range(rounds):
        wins, expected = [0.5] * entrants, [1 / (1 + weight) for weight in weights]
        for left, share in stages:
            wins[left[0]] += share
            for entrant in left:
                expected[entrant] += share / sum(weights[other] for other in left)
        following = [won / due for won, due in zip(wins, expected, strict=True)]
        still = all(math.isclose(a, b, rel_tol=1e-12)
                    for a, b in zip(weights, following, strict=True))
        weights = following
        if still:
            break
    logs = [ELO_PER_NAT * math.log(weight) for weight in weights]
    played = {entrant for places in games if len(places) > 1 for entrant, _ in places}
    middle = sum(logs[entrant] for entrant in played) / max(1, len(played))
    return [log - middle if entrant in played else 0.0 for entrant, log in enumerate(logs)]


# -------------------------------------------------------------------------------- closed forms


def test_nobody_and_nothing() -> None:
    assert plackett_luce([], 0) == []
    assert plackett_luce([], 3) == [0.0, 0.0, 0.0]
    assert ratings([], 2) == [Estimate(0.0, None, None)] * 2
    assert ratings([], 0) == []
    assert ratings([[tie(0, 1)]], 2, resamples=0) == [Estimate(0.0, None, None)] * 2
    assert plackett_luce([game(1), [(0, 1.0)]], 2) == [0.0, 0.0]  # alone at the table


@pytest.mark.parametrize(("wins", "losses", "draws"), [
    (1, 0, 0), (3, 1, 0), (7, 2, 4), (0, 0, 5), (40, 0, 0), (100000, 90000, 5), (0, 3, 1),
])
def test_two_players_are_bradley_terry(wins: int, losses: int, draws: int) -> None:
    """By symmetry the weights are w and 1/w; where the slope of the likelihood vanishes,

    points - games * w**2 / (1 + w**2) + 1/2 - w / (1 + w) = 0.
    """
    games = [game(0, 1)] * wins + [game(1, 0)] * losses + [tie(0, 1)] * draws
    points, played = wins + draws / 2, wins + losses + draws
    low, high = -20.0, 20.0
    while high - low > 1e-13:
        log = (low + high) / 2
        slope = points - played / (1 + math.exp(-2 * log)) + 0.5 - 1 / (1 + math.exp(-log))
        low, high = (log, high) if slope > 0 else (low, log)
    expected = ELO_PER_NAT * low
    assert plackett_luce(games, 2) == pytest.approx([expected, -expected], abs=1e-6)


def test_a_single_win_by_hand() -> None:
    # w**2 / (1 + w**2) + w / (1 + w) = 3/2 is w**3 - w**2 - w - 3 = 0
    root = 2.1303954347672787
    assert root**3 - root**2 - root - 3 == pytest.approx(0, abs=1e-12)
    assert plackett_luce([game(0, 1)], 2)[0] == pytest.approx(ELO_PER_NAT * math.log(root))


def test_the_prior_fades_with_the_number_of_games() -> None:
    games = [game(0, 1)] * 3000 + [game(1, 0)] * 1000
    first, second = plackett_luce(games, 2)
    assert first - second == pytest.approx(400 * math.log10(3), abs=0.1)


@pytest.mark.parametrize(("games", "entrants"), [
    ([game(0, 1, 2), game(1, 0, 2), game(2, 0, 1), game(0, 2, 1)], 3),
    ([game(0, 1, 2, 3)], 4),
    ([tie(0, 1, 2), game(0, 1, 2)], 3),
    ([[(0, 1.5), (1, 1.5), (2, 3.5), (3, 3.5)], game(3, 2, 1, 0), game(0, 1)], 4),
    ([[(0, 1.0), (1, 3.0), (2, 3.0), (3, 3.0)], game(3, 0)], 4),
    ([game(0, 1), game(2, 3), game(2, 3), tie(3, 2)], 5),
    ([game(0, 1), game(1, 2), game(2, 0), game(0, 1, 2)], 3),
])
def test_the_maximum_is_where_the_climb_ends(games: list[Placing], entrants: int) -> None:
    assert plackett_luce(games, entrants) == pytest.approx(climbed(games, entrants), abs=1e-4)


@settings(max_examples=25)
@given(st.lists(
    st.permutations(range(4)).flatmap(lambda seats: st.tuples(
        *[st.tuples(st.just(seat), st.sampled_from([1.0, 2.0, 3.0])) for seat in seats[:3]])),
    min_size=1, max_size=5))
def test_the_maximum_is_where_the_climb_ends_for_any_games(games: list[Placing]) -> None:
    assert plackett_luce(games, 4) == pytest.approx(climbed(games, 4), abs=1e-3)


# ----------------------------------------------------------------------------------- properties


def test_known_strengths_are_found() -> None:
    rng = random.Random(4)
    strengths = [-300.0, -120.0, 0.0, 60.0, 360.0]
    pairs = [simulated(strengths, rng.sample(range(5), 2), rng) for _ in range(8000)]
    fours = [simulated(strengths, rng.sample(range(5), 4), rng) for _ in range(3000)]
    # Standard errors: about 9 points from 3200 games a head, 6 from 2400 of four.
    assert plackett_luce(pairs, 5) == pytest.approx(strengths, abs=30)
    assert plackett_luce(fours, 5) == pytest.approx(strengths, abs=25)


def test_ties_count_half_each_order() -> None:
    assert plackett_luce([tie(0, 1)] * 2, 2) == pytest.approx([0, 0])
    assert plackett_luce([tie(0, 1)] * 2 + [game(0, 1)], 2) == pytest.approx(
        plackett_luce([game(0, 1), game(1, 0), game(0, 1)], 2))
    assert plackett_luce([tie(0, 1, 2)], 3) == pytest.approx([0, 0, 0])
    half = plackett_luce([[(0, 1.0), (1, 2.5), (2, 2.5)]] * 2, 3)
    assert half == pytest.approx(plackett_luce([game(0, 1, 2), game(0, 2, 1)], 3))
    assert half[1] == pytest.approx(half[2])


def test_the_same_entrant_on_two_seats() -> None:
    twice = [(0, 1.0), (0, 2.0), (1, 3.0)]
    first, second = plackett_luce([twice], 2)
    assert first > 0 > second
    # Two of three seats and two of three first places: no reason to rate anybody.
    even = [game(0, 0, 1), game(0, 1, 0), game(1, 0, 0)]
    assert plackett_luce(even, 2) == pytest.approx([0, 0], abs=1e-6)


def test_an_entrant_without_games_has_a_rating_but_no_bounds() -> None:
    found = ratings([[game(0, 1)], [game(1, 0)], [game(0, 1)]] * 2, 3, resamples=50)
    assert found[2] == Estimate(found[2].value, None, None)
    assert found[2].value == pytest.approx(0, abs=1e-6)
    assert sum(estimate.value or 0 for estimate in found) == pytest.approx(0, abs=1e-9)


def test_groups_that_never_met_are_set_apart_by_the_prior_alone() -> None:
    strong = [game(0, 1)] * 3 + [game(1, 0)]
    weak = [game(2, 3)] * 3 + [game(3, 2)]
    apart = plackett_luce(strong + weak, 4)
    assert apart == pytest.approx([*plackett_luce(strong, 2), *plackett_luce(strong, 2)])
    joined = plackett_luce([*strong, *weak, *[game(1, 2)] * 5], 4)
    assert joined[1] > joined[2]
    assert all(math.isfinite(rating) for rating in apart + joined)


def test_winning_everything_stays_finite() -> None:
    found = plackett_luce([game(0, 1)] * 10**5 + [game(1, 2)], 3)
    assert all(math.isfinite(rating) for rating in found)
    assert found[0] > found[1] > found[2]


@pytest.mark.parametrize("wrong", [-1, 2])
def test_strangers_are_refused(wrong: int) -> None:
    with pytest.raises(PavilionError, match=f"^game: found entrant {wrong}, expected .* 0 to 1$"):
        plackett_luce([game(0, wrong)], 2)
    with pytest.raises(PavilionError, match=r"^game: found entrant"):
        ratings([[game(0, wrong)]], 2)


# ------------------------------------------------------------------------------------ bootstrap


def test_bounds_only_where_something_bounds() -> None:
    sets = [
        *[[game(0, 1), game(0, 2)], [game(1, 2), game(2, 1)], [game(2, 4), game(4, 1)]] * 2,
        [game(0, 2), game(1, 3)], [game(2, 3), game(0, 3)],
    ]
    found = ratings(sets, 5, resamples=200)
    assert [estimate.high is None for estimate in found] == [True, False, False, False, False]
    assert [estimate.low is None for estimate in found] == [False, False, False, True, False]
    for estimate in found:
        assert estimate.value is not None
        assert estimate.low is None or estimate.low <= estimate.value
        assert estimate.high is None or estimate.value <= estimate.high


def open_ends(sets: Sequence[Sequence[Placing]], entrants: int) -> list[str]:
    """Return how a list would print the bounds of each entrant."""
    kinds = {(False, False): "+-", (False, True): ">=", (True, False): "<=", (True, True): "."}
    return [kinds[one.low is None, one.high is None]
            for one in ratings(sets, entrants, resamples=50)]


def test_a_tie_is_half_a_loss_and_bounds() -> None:
    assert open_ends([*[[game(0, 1)]] * 2, *[[tie(0, 1)]] * 2], 2) == ["+-", "+-"]


def even(*entrants: int) -> list[list[Placing]]:
    """Return four sets of each two, of which each wins two."""
    return [[order] for one, other in combinations(entrants, 2)
            for order in (game(one, other), game(other, one))] * 2


def swept(above: Sequence[int], below: Sequence[int]) -> list[list[Placing]]:
    return [[game(one, other)] for one in above for other in below] * 2


@pytest.mark.parametrize(("sets", "ends", "anchor"), [
    (even(0, 1) + even(2, 3, 4) + swept((0, 1), (2, 3, 4)), ">= >= +- +- +-", (2, 3, 4)),
    (even(0, 1) + swept((0, 1), (2, 3)) + swept((2,), (3,)), "+- +- <= <=", (0, 1)),
    (swept((0,), (1, 2, 3)), "+- <= <= <=", (0,)),
    (swept((0, 1, 2), (3,)), ">= >= >= +-", (3,)),
    (swept((0,), (1, 2)) + swept((1,), (2,)), ">= +- <=", (1,)),    # the middle one
    (swept((0,), (1, 2)) + swept((3,), (2,)), ">= . +- >=", (2,)),    # 1 and 2 have lost to 0
    ([[game(0, 1)], [game(0, 1)]], ">= +-", (1,)),
    # One set alone makes nobody a member, but bounds.
    ([*even(0, 1, 2), [game(3, 0), game(0, 3)]], "+- +- +- +-", (0, 1, 2)),
    ([*even(0, 1, 2), [game(3, 0)]], "+- +- +- >=", (0, 1, 2)),
    ([*even(0, 1, 2), [game(3, 0)], [game(0, 3)]], "+- +- +- +-", (0, 1, 2)),
    (even(0, 1, 2) + [[game(3, 0)], [game(0, 3)]] * 2, "+- +- +- +-", (0, 1, 2, 3)),
    ([[game(0, 1, 2)], [game(1, 0, 2)], [game(1, 0, 2)], [game(0, 1, 2)]], "+- +- <=", (0, 1)),
])
def test_what_only_the_prior_would_bound_is_open(
    sets: list[list[Placing]], ends: str, anchor: tuple[int, ...]
) -> None:
    entrants = ends.count(" ") + 1
    assert open_ends(sets, entrants) == ends.split()
    found = rating_list(sets, entrants, resamples=50)
    assert found.anchors == (anchor,)
    if len(anchor) == 1:
        assert str(found.ratings[anchor[0]]) == str(Estimate(0.0, 0.0, 0.0))
    assert sum(found.ratings[who].value or 0 for who in anchor) == pytest.approx(0, abs=1e-6)


def test_the_order_of_entrants_does_not_matter() -> None:
    """Whoever is beaten by one set only is not taken to stand where others were beaten by many."""
    sets = even(0, 1, 2) + swept((0,), (3,)) + swept((0, 1, 2), (4,)) * 10 + swept((3,), (5,))
    found = rating_list(sets, 6, resamples=50)
    turned = [5, 4, 3, 2, 1, 0]
    other = rating_list([[[(turned[who], place) for who, place in one] for one in games]
                         for games in sets], 6, resamples=50)
    for who in (3, 4, 5):
        assert found.ratings[who].low is other.ratings[turned[who]].low is None
        assert found.ratings[who].high == pytest.approx(other.ratings[turned[who]].high)
    assert [one.low is None for one in found.ratings] == [False] * 3 + [True] * 3
    # From fewer sets, less is known.
    assert (found.ratings[3].high or 0) > (found.ratings[4].high or 0) + 400


@pytest.mark.parametrize(("results", "entrants", "bound"), [
    (dict.fromkeys(combinations(range(3), 2), 10), 3, 317.7),
    (dict.fromkeys(combinations(range(5), 2), 10), 5, 869.8),
    (dict.fromkeys([(0, 1), (0, 2), (0, 3)], 10), 4, 293.6),
    ({(0, 1): 10}, 2, 91.4), ({(0, 1): 1}, 2, -255.8),
])
def test_ends_of_the_likelihood(
    results: dict[tuple[int, int], int], entrants: int, bound: float
) -> None:
    """Distances from the mean of all; the numbers are from a maximisation written separately.

    Of two, the distance from each other is twice that: 10 pairs won are Elo of at least 182.7.
    """
    sets = [[game(*two), game(*two)] for two, times in results.items() for _ in range(times)]
    apart = np.eye(entrants)[0] - 1 / entrants
    assert ELO_PER_NAT * ranking._Profile(sets, entrants).least(apart) == pytest.approx(
        bound, abs=0.2)


@pytest.mark.parametrize(("strengths", "rounds"), [
    ([600, 600, -600, -600], 10), ([350, 350, -350, -350], 10), ([900, 300, -300, -900], 5),
    ([700, 700, -600, -600], 2),
])
def test_what_open_intervals_say_holds(strengths: list[float], rounds: int) -> None:
    """Where some all but never beat others; before, 3 to 75 % of the intervals did."""
    rng = random.Random(5)
    held, events = [], 40
    for _ in range(events):
        sets = [[simulated(strengths, two, rng) for _ in range(2)]
                for _ in range(rounds) for two in combinations(range(4), 2)]
        found = rating_list(sets, 4, resamples=100)
        middle = sum(strengths[who] for who in found.anchors[0]) / len(found.anchors[0])
        for one, true in zip(found.ratings, strengths, strict=True):
            if one.low != one.high:
                held.append((one.low is None or one.low <= true - middle)
                            and (one.high is None or true - middle <= one.high))
    assert len(held) > events
    assert sum(held) / len(held) > 0.95 - 2 * math.sqrt(0.95 * 0.05 / events)


def test_bounds_of_those_who_won_all_agree_with_elo() -> None:
    """As for the mean of equal values: another end has a chance of at most 1 - 0.05^(1/n)."""
    for pairs in (1, 10, 200):
        low = ratings([[game(0, 1), game(0, 1)]] * pairs, 2, resamples=20)[0].low
        assert low == pytest.approx(elo(Pentanomial.from_points([2.0] * pairs)).low, abs=0.2)


def test_groups_are_rated_around_means_of_their_own() -> None:
    weak = [[game(2, 3)], [game(2, 4)], [game(3, 4)], [game(4, 2)]] * 3
    both, alone = (ratings(sets, 6, resamples=50) for sets in (even(0, 1) + weak, weak))
    found = rating_list(even(0, 1) + weak, 6, resamples=50)
    assert found.groups == ((2, 3, 4), (0, 1), (5,))
    assert found.anchors == found.groups
    assert sum(one.value or 0 for one in both[2:5]) == pytest.approx(0, abs=1e-6)
    assert [one.value for one in both[2:]] == pytest.approx([one.value for one in alone[2:]])
    assert both[5] == Estimate(0.0, None, None)


def test_many_in_a_row_take_seconds() -> None:
    """Each a component of its own; so many have no bounds, and no warning is printed."""
    sets = [[game(number, number + 1)] for number in range(800)] * 2
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rating_list(sets, 801, resamples=20)
    assert time.process_time() - begun < 20
    assert [[who] for who, one in enumerate(found.ratings)
            if (one.low, one.high) != (None, None)] == [[*one] for one in found.anchors]
    assert found.ratings[found.anchors[0][0]] == Estimate(0.0, 0.0, 0.0)


def test_a_swept_ladder_has_bounds() -> None:
    sets = [[game(one, other)] * 2 for one in range(40) for other in (one + 1, one + 2)
            if other < 40] * 5
    found = rating_list(sets, 40)
    ((middle,),) = found.anchors
    assert [(one.low is None, one.high is None) for one in found.ratings] == [
        (who > middle, who < middle) for who in range(40)]


def test_equal_sets_show_no_variance() -> None:
    found = ratings([[game(0, 1), game(1, 0)]] * 30, 2, resamples=50)
    assert found == [Estimate(pytest.approx(0), None, None)] * 2


def test_the_seed_decides() -> None:
    rng = random.Random(1)
    sets = [[simulated([0, 50, 90], rng.sample(range(3), 2), rng)] for _ in range(40)]
    assert ratings(sets, 3, resamples=100, seed=5) == ratings(sets, 3, resamples=100, seed=5)
    assert ratings(sets, 3, resamples=100, seed=5) != ratings(sets, 3, resamples=100, seed=6)


def test_sets_are_drawn_whole() -> None:
    """The same games, once as sets of two that cancel, once as games of their own."""
    rng = random.Random(2)
    games = [simulated([0, 30], (0, 1), rng) for _ in range(100)]
    mirrored = [[(1 - entrant, place) for entrant, place in places] for places in games]
    tied = ratings([*zip(games, mirrored, strict=True)], 2, resamples=200)
    alone = ratings([[places] for places in games + mirrored], 2, resamples=200)
    assert (tied[0].low, tied[0].high) == (None, None)  # every set is one win each
    assert alone[0].low is not None
    assert alone[0].low < -5


def test_two_entrants_agree_with_elo_from_pairs() -> None:
    """Without the prior the difference of two ratings is Elo; with it, nearly."""
    rng = random.Random(8)
    sets = [[simulated([60, -60], (0, 1), rng) for _ in range(2)] for _ in range(300)]
    sets[0] = [tie(0, 1), game(1, 0)]
    points = [
        sum(2 - place for places in pair for entrant, place in places if entrant == 0)
        for pair in sets
    ]
    expected = elo(Pentanomial.from_points(points))
    found = ratings(sets, 2, resamples=2000, seed=1)[0]
    for ours, theirs in zip(
        (found.value, found.low, found.high), (expected.value, expected.low, expected.high),
        strict=True,
    ):
        assert ours is not None
        assert theirs is not None
        assert 2 * ours == pytest.approx(theirs, abs=3)


@pytest.mark.parametrize("refitted", [ranking.MOST_REFITTED, 0])
def test_the_intervals_hold_the_truth_as_often_as_they_say(
    monkeypatch: pytest.MonkeyPatch, refitted: int
) -> None:
    """Those of few entrants, fitted anew in every resample, and those of many."""
    monkeypatch.setattr(ranking, "MOST_REFITTED", refitted)
    rng = random.Random(13)
    strengths, held, matches = [100.0, 20.0, -120.0], 0, 150
    for number in range(matches):
        sets = [
            [simulated(strengths, seats, rng) for _ in range(2)]
            for seats in ((0, 1), (1, 2), (0, 2)) * 15
        ]
        for estimate, true in zip(
            ratings(sets, 3, resamples=200, seed=number), strengths, strict=True
        ):
            assert estimate.low is not None
            assert estimate.high is not None
            held += estimate.low <= true <= estimate.high
    # The three ratings of a match depend on each other: the error is that of the matches.
    rate, error = held / (3 * matches), math.sqrt(0.95 * 0.05 / matches)
    assert abs(rate - 0.95) < 3 * error


def test_hundreds_of_entrants_take_seconds() -> None:
    rng = random.Random(8)
    sets = [[simulated([0] * 400, seats, rng)]
            for seats in (rng.sample(range(400), 2) for _ in range(2000))]
    begun = time.process_time()
    found = ratings(sets, 400)
    assert time.process_time() - begun < 20    # fitted anew in every resample: minutes
    assert sum(one.low is not None and one.high is not None for one in found) > 300


def test_a_large_tournament_is_resampled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut into many parts, the bootstrap gives what one part gives."""
    rng = random.Random(6)
    sets = [
        [simulated([0] * 20, seats, rng) for _ in range(2)]
        for seats in (rng.sample(range(20), 2) for _ in range(2000))
    ]
    whole = ratings(sets, 20, resamples=300)
    monkeypatch.setattr("pavilion_ai.stats.ranking.NUMBERS_AT_ONCE", 100_000)
    parts = ratings(sets, 20, resamples=300)
    for one, other in zip(whole, parts, strict=True):
        assert one.value == other.value
        assert one.low == pytest.approx(other.low)
        assert one.high == pytest.approx(other.high)
