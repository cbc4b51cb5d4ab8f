"""Who meets whom: complete, balanced, and the same whatever the order of the results."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from pavilion_ai.bounds import SYSTEMS
from pavilion_ai.match.event import Event, entrants_of
from pavilion_ai.match.results import Result
from pavilion_ai.match.schedule import (
    Pair,
    default_rounds,
    meetings,
    rounds,
    tables_of,
    waits,
)
from tests.match.report_samples import result
from tests.match.support import event

Outcome = tuple[float, ...]


def specs(count: int) -> list[str]:
    return ["greedy"] * count


def all_pairs(asked: Event) -> list[list[Pair]]:
    return list(rounds(asked, ()))


def tables(pairs: Sequence[Pair]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair.entrants) for pair in pairs)


def points_of(share: Sequence[float], drawn: Result) -> Result:
    return replace(drawn, points=tuple(share))


# ------------------------------------------------------------------ pairs


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_pair_is_played_from_every_rotation_once(players: int) -> None:
    entrants = tuple(range(5, 5 + players))
    games = list(Pair("3", entrants).seatings())
    assert [game.rotation for game in games] == list(range(players))
    assert [game.id for game in games] == [f"3-{n + 1}" for n in range(players)]
    for seat in range(players):  # everybody sits everywhere once
        assert sorted(game.entrants[seat] for game in games) == list(entrants)
    for game in games:  # and has the same neighbours
        first = game.entrants.index(entrants[0])
        assert game.entrants[first:] + game.entrants[:first] == entrants
        assert game.entrants[game.rotation % players] == entrants[0]


def test_a_match_has_a_pair_for_each_round() -> None:
    found = all_pairs(event("greedy", "random", rounds=7))
    assert found == [[Pair(str(n), (0, 1))] for n in range(1, 8)]


def test_a_match_without_an_end_goes_on() -> None:
    endless = rounds(event("greedy", "random", rounds=None), ())
    assert [pair.id for pairs in itertools.islice(endless, 200) for pair in pairs] == [
        str(n) for n in range(1, 201)]


def test_entrants_have_names_of_their_own() -> None:
    names = [entrant.name for entrant in entrants_of(["a", "b", "a", "a", "b"])]
    assert names == ["a", "b", "a#2", "a#3", "b#2"]


def test_a_spec_may_look_like_the_name_of_another() -> None:
    names = [entrant.name for entrant in entrants_of(["cmd:x", "cmd:x", "cmd:x#2", "cmd:x#2"])]
    assert len(set(names)) == 4


# ------------------------------------------------------------------ everybody with everybody


@pytest.mark.parametrize(("count", "players"), [(3, 2), (4, 2), (7, 2), (4, 3), (6, 3), (6, 4)])
@pytest.mark.parametrize("kind", ["round-robin", "gauntlet"])
def test_every_meeting_once_in_a_round(kind: str, count: int, players: int) -> None:
    found = all_pairs(event(*specs(count), kind=kind, players=players, rounds=3))
    expected = Counter(
        frozenset(table) for table in itertools.combinations(range(count), players)
        if kind == "round-robin" or 0 in table)
    assert len(found) == 3
    assert all(tables(pairs) == expected for pairs in found)
    names = [pair.id for pairs in found for pair in pairs]
    assert len(set(names)) == len(names)
    games = [game.id for pairs in found for pair in pairs for game in pair.seatings()]
    assert len(set(games)) == len(games) == players * len(names)
    assert not waits(event(*specs(count), kind=kind, players=players))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("kind", SYSTEMS)
def test_tables_are_counted_without_a_list_of_them(kind: str, players: int) -> None:
    for count in range(players, 10):
        asked = event(*specs(count), kind=kind, players=players, rounds=1)
        assert tables_of(asked) == len(all_pairs(asked)[0])
    assert tables_of(event(*specs(players))) == 1


def test_tables_are_in_lexicographic_order() -> None:
    for kind in ("round-robin", "gauntlet", "ladder"):
        assert list(meetings(kind, 7, 3)) == sorted(meetings(kind, 7, 3))
    assert meetings("gauntlet", 100_000, 2)[-1] == (0, 99_999)  # of some 5 billion tables


# ------------------------------------------------------------------ who sits next to whom


@pytest.mark.parametrize("players", [3, 4])
def test_the_order_of_a_table_is_chance_and_balanced(players: int) -> None:
    """All orders are equally likely: 24 (6) counts of 240 (1000) with 5 standard deviations."""
    names = 6000
    asked = event(*specs(players), rounds=names)
    found = Counter(pairs[0].entrants for pairs in rounds(asked, ()))
    orders = list(itertools.permutations(range(players)))
    assert set(found) == set(orders)
    mean = names / len(orders)
    assert all(abs(found[order] - mean) < 5 * mean**0.5 for order in orders)


def test_the_order_is_that_of_the_seed() -> None:
    found = [
        [pairs[0].entrants for pairs in rounds(event(*specs(4), rounds=50, seed=seed), ())]
        for seed in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]


def test_two_players_keep_their_order() -> None:
    """Each sits in both seats anyway; so a match reads as its command."""
    assert {pairs[0].entrants for pairs in rounds(event(*specs(2), rounds=50), ())} == {(0, 1)}


# ------------------------------------------------------------------ Swiss


def outcome(strength: Sequence[float], rng: random.Random) -> Outcome:
    """Return shares of the victory; better entrants score more, ties are frequent."""
    scores = [round(4 * (value + rng.random())) for value in strength]
    best = scores.count(max(scores))
    return tuple(1 / best if score == max(scores) else 0.0 for score in scores)


def swiss(count: int, number: int, *, players: int = 2, seed: int = 1, shuffled: bool = False
          ) -> tuple[list[list[Pair]], list[Result]]:
    """Play a Swiss tournament with made-up results; return its rounds and results."""
    asked = event(*specs(count), kind="swiss", players=players, rounds=number, seed=seed)
    rng, order = random.Random(seed), random.Random(seed)
    results: list[Result] = []
    found = []
    for pairs in rounds(asked, results):
        found.append(pairs)
        new = []
        for pair in pairs:
            for game in pair.seatings():
                shares = outcome([-e / count for e in game.entrants], rng)
                drawn = result(game.pair, game.rotation, game.entrants, [10] * players)
                new.append(points_of(shares, drawn))
        results += new
        if shuffled:
            order.shuffle(results)
    return found, results


@pytest.mark.parametrize(("count", "players"), [(4, 2), (5, 2), (8, 2), (11, 2), (7, 3), (9, 4)])
def test_everybody_who_can_plays_one_table_of_a_round(count: int, players: int) -> None:
    assert waits(event(*specs(count), kind="swiss", players=players))
    for seed in range(5):
        found, _ = swiss(count, 6, players=players, seed=seed)
        assert len(found) == 6
        for pairs in found:
            seated = [entrant for pair in pairs for entrant in pair.entrants]
            assert len(set(seated)) == len(seated) == count - count % players


@pytest.mark.parametrize(("count", "players"), [(5, 2), (7, 2), (7, 3), (8, 3), (7, 4), (6, 4)])
def test_sitting_out_is_shared(count: int, players: int) -> None:
    """Nobody has sat out two rounds more often than another."""
    for seed in range(5):
        idle = Counter(dict.fromkeys(range(count), 0))
        for pairs in swiss(count, 3 * count, players=players, seed=seed)[0]:
            seated = {entrant for pair in pairs for entrant in pair.entrants}
            idle.update(set(range(count)) - seated)
            assert max(idle.values()) - min(idle.values()) <= 1


def fewest(playing: frozenset[int], met: Counter[frozenset[int]]) -> int:
    """Return how often at least those who meet have met before; tries everything."""
    @cache
    def least(free: frozenset[int]) -> int:
        if not free:
            return 0
        first, *rest = sorted(free)
        return min(met[frozenset((first, other))] + least(free - {first, other})
                   for other in rest)

    return least(playing)


@pytest.mark.parametrize("count", [4, 5, 6, 8, 9, 10])
def test_as_few_as_possible_meet_again(count: int) -> None:
    again = 0
    for seed in range(12):
        met: Counter[frozenset[int]] = Counter()
        for pairs in swiss(count, count + 2, seed=seed)[0]:
            new = [frozenset(pair.entrants) for pair in pairs]
            repeated = sum(met[two] for two in new)
            again += repeated > 0
            assert repeated == fewest(frozenset().union(*new), met)
            met.update(new)
    assert again > 0  # or it was never put to the test


def test_larger_fields_do_not_meet_again_either() -> None:
    """32 entrants and 8 rounds: far from having met everybody."""
    for seed in range(3):
        found, _ = swiss(32, 8, seed=seed)
        met = [frozenset(pair.entrants) for pairs in found for pair in pairs]
        assert len(set(met)) == len(met) == 8 * 16


def test_swiss_tournaments_of_thousands_are_paired() -> None:
    asked = event(*specs(2400), kind="swiss", rounds=1)
    (pairs,) = rounds(asked, [])
    assert sorted(entrant for pair in pairs for entrant in pair.entrants) == list(range(2400))


def test_neighbours_in_the_standings_meet() -> None:
    """After a first round in which the even entrants won, winners meet winners."""
    asked = event(*specs(8), kind="swiss", rounds=2)
    first, second = Pair("1.1", (0, 1)), Pair("1.2", (2, 3))
    results = [
        points_of([float(entrant % 2 == 0) for entrant in game.entrants],
                  result(game.pair, game.rotation, game.entrants, [9, 9]))
        for pair in (first, second, Pair("1.3", (4, 5)), Pair("1.4", (6, 7)))
        for game in pair.seatings()
    ]
    assert [pair.entrants for pair in list(rounds(asked, results))[1]] == [
        (0, 2), (4, 6), (1, 3), (5, 7)]


def test_who_sat_out_stands_by_points_per_game() -> None:
    """Entrant 4 sat out once and has won the rest: it leads one with more points of more games."""
    asked = event(*specs(5), kind="swiss", rounds=3)
    shares = {"1.1": (0, 1.0), "1.2": (2, 0.5), "2.1": (0, 0.75), "2.2": (4, 1.0)}
    results: list[Result] = []
    found = []
    for pairs in rounds(asked, results):
        found.append([pair.entrants for pair in pairs])
        for game in (game for pair in pairs if pair.id in shares for game in pair.seatings()):
            who, share = shares[game.pair]
            results.append(points_of(
                [share if entrant == who else 1 - share for entrant in game.entrants],
                result(game.pair, game.rotation, game.entrants, [9, 9])))
    assert found == [[(0, 1), (2, 3)], [(0, 2), (3, 4)], [(4, 0), (2, 1)]]


@pytest.mark.parametrize(("count", "players"), [(6, 2), (7, 2), (7, 3), (6, 3), (9, 4), (5, 4)])
def test_the_order_of_the_results_does_not_matter(count: int, players: int) -> None:
    """A tournament goes on from its file, and games end in any order, so no round may change."""
    for seed in range(6):
        found, results = swiss(count, 7, players=players, seed=seed)
        assert swiss(count, 7, players=players, seed=seed, shuffled=True)[0] == found
        asked = event(*specs(count), kind="swiss", players=players, rounds=7, seed=seed)
        for order in (results[::-1], random.Random(seed).sample(results, len(results))):
            assert list(rounds(asked, order)) == found  # later rounds are not looked at


def test_equal_sums_of_shares_are_equal_in_any_order() -> None:
    """1/3 + 1/2 + 1/3 is not 1/3 + 1/3 + 1/2 where sums are rounded as they grow."""
    asked = event(*specs(6), kind="swiss", players=3, rounds=4)
    shares = {0: (1 / 3, 1 / 3, 1 / 3), 1: (0.5, 0.5, 0.0), 2: (0.0, 0.5, 0.5)}
    rng = random.Random(1)
    results = []
    for number in range(1, 4):
        seats = rng.sample(range(6), 6)
        for table, entrants in enumerate((seats[:3], seats[3:]), 1):
            results += [
                points_of(shares[rng.randrange(3)], result(
                    game.pair, game.rotation, game.entrants, [9] * 3))
                for game in Pair(f"{number}.{table}", tuple(entrants)).seatings()
            ]
    found = {
        tuple(pair.entrants for pair in list(rounds(asked, order))[3])
        for order in (rng.sample(results, len(results)) for _ in range(200))
    }
    assert len(found) == 1


def test_default_rounds() -> None:
    assert [default_rounds("swiss", n) for n in (2, 3, 4, 5, 8, 9, 64)] == [3, 4, 4, 5, 5, 6, 8]
    assert default_rounds("round-robin", 5) == default_rounds("gauntlet", 9) == 10
