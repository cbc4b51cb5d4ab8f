"""The numbers of an event, against events small enough to be counted by hand."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavilion_ai.match.report import Report, counted_pairs, report
from pavilion_ai.match.results import Result
from pavilion_ai.render.report_text import short_estimate
from pavilion_ai.stats.sprt import Sprt
from tests.match.report_samples import (
    drawn_match,
    drawn_round_robin,
    event,
    pair_of,
    result,
)

TWO = event("a", "b")


def counted(*games: list[Result], sprt: Sprt | None = None, specs: str = "ab") -> Report:
    """Return the report of a match."""
    results = [game for pair in games for game in pair]
    return report(event(*specs, players=len(specs), sprt=sprt), results, resamples=20)


# -- counting --------------------------------------------------------------------------------


def test_nothing_played_gives_nothing_known() -> None:
    empty = report(TWO, [])
    assert (empty.games, empty.pairs, empty.seconds, empty.faults) == (0, 0, 0, ())
    assert empty.pair_sd is empty.independent_sd is empty.gain is None
    for entrant in empty.entrants:
        assert (entrant.games, entrant.points, entrant.seconds_per_move) == (0, 0, None)
        assert entrant.rating.value is entrant.score.value is entrant.win_share.value is None


def test_results_points_scores_and_margins_of_two() -> None:
    found = counted(pair_of("1", (60, 50), (40, 44)), pair_of("2", (50, 50), (70, 30)))
    a, b = found.entrants
    assert (found.games, found.pairs) == (4, 2)
    assert (a.games, a.wins, a.draws, a.losses, a.points) == (4, 2, 1, 1, 2.5)
    assert (b.games, b.wins, b.draws, b.losses, b.points) == (4, 1, 1, 2, 1.5)
    assert a.win_share.value == pytest.approx(0.625)
    assert a.mean_place.value == pytest.approx((1 + 2 + 1.5 + 1) / 4)
    assert a.score.value == pytest.approx(55)
    assert b.score.value == pytest.approx(43.5)
    assert a.margin.value == pytest.approx(11.5)
    assert b.margin.value == pytest.approx(-11.5)
    assert found.cross_table == {(0, 1): (2.5, 4), (1, 0): (1.5, 4)}
    duel = found.head_to_head
    assert duel is not None
    assert duel.pentanomial.counts == (0, 0, 1, 1, 0)


def test_the_error_of_a_score_is_that_of_the_means_of_pairs() -> None:
    found = counted(*(pair_of(str(n), (50 + n, 0), (50 - n, 0)) for n in range(1, 9)))
    score = found.entrants[0].score
    assert (score.value, score.low, score.high) == (50, None, None)  # each pair means 50
    assert short_estimate(score, 1) == "50.0"


def test_only_complete_pairs_count_and_the_last_of_two_results_of_a_game() -> None:
    whole, half = pair_of("2", (60, 50), (40, 44)), pair_of("10", (1, 90), (1, 90))[:1]
    again = result("2", 1, (1, 0), (10, 90))
    found = counted(half, whole, [again])
    assert (found.games, found.pairs) == (3, 1)
    assert found.entrants[0].points == 2
    assert found.seconds == 4


def test_the_order_of_the_results_changes_nothing() -> None:
    results = drawn_round_robin(4, 3)
    mixed = random.Random(5).sample(results, len(results))
    tournament = event("a", "b", "c", "d", kind="round-robin", rounds=3)
    assert report(tournament, mixed, resamples=20) == report(tournament, results, resamples=20)


class Counted(tuple[int, ...]):
    """Entrants that count how often they are searched."""

    looks = 0

    def __contains__(self, one: object) -> bool:
        Counted.looks += 1
        return super().__contains__(one)

    def __iter__(self) -> Iterator[int]:
        Counted.looks += 1
        return super().__iter__()


def test_a_game_is_looked_at_for_its_own_entrants_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "looks", 0)
    whole = event(*map(str, range(41)), kind="gauntlet")
    games = [result(f"1.{other}", rotation, Counted(seats), (9, 1)) for other in range(1, 41)
             for rotation, seats in enumerate(((0, other), (other, 0)))]
    found = report(whole, games, resamples=0)
    assert [one.games for one in found.entrants] == [80, *[2] * 40]
    assert Counted.looks < 10 * len(games)


def test_time_and_simulations_are_by_the_move_and_by_the_entrant() -> None:
    first = result("1", 0, (0, 1), (9, 8), seconds=2.0, sims=(0, 700))
    second = result("1", 1, (1, 0), (9, 8), seconds=4.0, sims=(500, 0))
    a, b = counted([first, second]).entrants
    assert (a.seconds_per_move, a.sims_per_move) == (6 / 20, None)
    assert (b.seconds_per_move, b.sims_per_move) == (6 / 20, 1200 / 20)


def test_pairs_that_repeat_others_are_counted() -> None:
    """Move for move and by the same entrants; not where the moves are unknown, as here at first."""
    games = [pair_of(str(number), (9, 1), (1, 9)) for number in range(1, 5)]
    assert counted(*games).repeated == 0
    known = [[replace(game, course=course + game.rotation) for game in pair]
             for pair, course in zip(games, (5, 5, 4, 5), strict=True)]
    assert counted(*known).repeated == 2
    known[1] = [replace(game, entrants=game.entrants[::-1]) for game in known[1]]
    known[3][1:] = []
    assert counted(*known).repeated == 0


def test_who_begins_is_counted_from_the_starter_of_each_game() -> None:
    wins = [pair_of(str(n), (9, 1), (1, 9)) for n in range(1, 5)]  # seat 0 begins and wins
    assert counted(*wins).starter.value == pytest.approx(0.5)
    second = [
        result("1", 0, (0, 1), (9, 1), starter=1),
        result("1", 1, (1, 0), (9, 1), starter=1),
    ]
    assert counted(second).starter.value == pytest.approx(-0.5)


def test_three_players_share_and_tie() -> None:
    games = pair_of("1", (50, 50, 10), (50, 60, 70), (50, 50, 50))
    found = report(event("a", "b", "c", players=3), games, resamples=20)
    a, b, c = found.entrants
    assert found.head_to_head is None
    assert (a.wins, a.draws, a.losses) == (0, 2, 1)
    assert a.points == pytest.approx(1 / 2 + 1 / 3)
    assert c.points == pytest.approx(1 + 1 / 3)
    assert a.mean_place.value == pytest.approx((1.5 + 3 + 2) / 3)
    assert b.margin.value == pytest.approx((0 - 10 + 0) / 3)
    assert found.cross_table[2, 0] == (pytest.approx(4 / 3), 3)


# -- faults ----------------------------------------------------------------------------------


def test_a_game_lost_by_a_fault_counts_but_its_scores_do_not() -> None:
    games = pair_of("1", (60, 50), (60, 50)) + pair_of("2", (60, 50), (60, 50))
    games[2] = result("2", 0, (0, 1), (30, 1), loser=0, reason="seat 0: silent")
    found = counted(games)
    a, b = found.entrants
    assert (a.wins, a.losses, a.faults) == (3, 1, 1)
    assert (b.wins, b.losses, b.faults) == (1, 3, 0)
    assert (a.score.value, a.margin.value) == (60, 10)
    assert found.faults == (("2-0", "a", "seat 0: silent"),)


def test_a_fault_in_a_pair_that_does_not_count_is_listed() -> None:
    found = counted([result("1", 1, (1, 0), (3, 3), loser=0, reason="seat 0: crashed")])
    assert found.faults == (("1-1", "b", "seat 0: crashed"),)
    assert [entrant.faults for entrant in found.entrants] == [0, 0]


def test_entrants_of_the_same_spec_are_told_apart() -> None:
    twins = event("greedy", "greedy")
    found = report(twins, pair_of("1", (9, 1), (9, 1)), resamples=20)
    assert [(one.name, one.wins) for one in found.standings()] == [("greedy", 2), ("greedy#2", 0)]


# -- what pairs buy --------------------------------------------------------------------------


def test_the_spread_of_pairs_and_of_independent_games_by_hand() -> None:
    # First games (a begins): 1 1 0 0; second games: 0 0 1 0. Means of pairs: .5 .5 .5 0.
    win, loss = (9, 1), (1, 9)
    table = ((win, loss), (win, loss), (loss, win), (loss, loss))
    found = counted(*(pair_of(str(n), *games) for n, games in enumerate(table, 1)))
    assert found.pair_sd == pytest.approx(0.25)
    roles = (1 / 3, 1 / 4)  # sample variances of 1 1 0 0 and of 0 0 1 0
    assert found.independent_sd == pytest.approx(math.sqrt((roles[0] + roles[1]) / 2 / 2))
    assert found.gain == pytest.approx((roles[0] + roles[1]) / 4 / 0.25**2)


def test_pairs_that_are_all_equal_have_no_gain() -> None:
    found = counted(*(pair_of(str(n), (9, 1), (1, 9)) for n in range(1, 4)))
    assert (found.pair_sd, found.independent_sd, found.gain) == (0, 0, None)
    alternating = (((9, 1), (1, 9)), ((1, 9), (9, 1)))
    found = counted(*(pair_of(str(n), *alternating[n % 2]) for n in range(1, 5)))
    assert found.pair_sd == 0
    assert found.gain is None


def test_thirds_of_a_point_do_not_make_a_spread() -> None:
    games = pair_of("1", (9, 9, 9), (9, 9, 9), (9, 9, 9)) + pair_of("2", (9, 1, 1), (1, 9, 1),
                                                                    (1, 1, 9))
    found = report(event("a", "b", "c", players=3), games, resamples=20)
    assert found.gain is None


def test_independent_games_gain_nothing() -> None:
    rng = random.Random(3)
    games = [
        pair_of(str(n), *(rng.choice(((9, 1), (1, 9))) for _ in range(2))) for n in range(1, 2001)
    ]
    gain = counted(*games).gain
    assert gain == pytest.approx(1, abs=0.1)


def test_the_spread_of_a_tournament_is_within_tables() -> None:
    # a beats b always and loses to c always: no spread at either table.
    games = []
    for n in range(3):
        for name, seats, scores in ((f"{n}.x", (0, 1), (9, 1)), (f"{n}.y", (0, 2), (1, 9))):
            games.append(result(name, 0, seats, scores))
            games.append(result(name, 1, seats[::-1], scores[::-1]))
    found = report(event("a", "b", "c", kind="gauntlet"), games, resamples=20)
    assert (found.pair_sd, found.independent_sd) == (0, 0)


# -- the sequential test ---------------------------------------------------------------------


def test_a_test_counts_the_unbroken_run_of_pairs() -> None:
    sprt = Sprt(0, 10)
    names = ["1", "2", "4", "10"]
    found = counted(*(pair_of(name, (9, 1), (1, 9)) for name in names), sprt=sprt)
    test = found.test
    assert test is not None
    assert (found.games, found.pairs, len(test.llr_path)) == (8, 2, 2)
    assert (test.verdict, test.decided_at) == (None, None)
    assert test.llr == test.llr_path[-1] == pytest.approx(sprt.llr({1.0: 2}))


def test_a_test_ends_where_it_is_decided_whatever_was_played_beyond() -> None:
    sprt = Sprt(0, 200)
    pairs = [pair_of(str(n), (9, 1), (9, 1) if n % 2 else (1, 9)) for n in range(1, 200)]
    found = counted(*pairs, sprt=sprt)
    duel, test = found.head_to_head, found.test
    assert duel is not None
    assert test is not None
    assert test.verdict == "H1"
    end = test.decided_at
    assert end is not None
    assert found.pairs == end == len(test.llr_path) < 199
    assert test.llr_path[-1] >= sprt.upper > max(test.llr_path[:-1])
    assert duel.pentanomial.pairs == end
    fewer = counted(*pairs[:end], sprt=sprt)
    assert (fewer.head_to_head, fewer.test) == (duel, test)
    games = [game for pair in pairs for game in pair]
    names = [pair[0].pair for pair in counted_pairs(found, games)]
    assert names == [str(n) for n in range(1, end + 1)]


def test_a_test_without_pairs_stands_at_zero() -> None:
    found = counted(sprt=Sprt(0, 10))
    assert found.test is not None
    assert (found.test.llr, found.test.llr_path, found.test.verdict) == (0.0, (), None)
    assert counted().test is None


def test_a_test_of_three_counts_sets_by_the_points_of_the_first() -> None:
    won, shared, lost = (9, 1, 1), (9, 9, 9), (1, 9, 1)
    sets = [pair_of(str(n), won, won, shared if n % 3 else lost) for n in range(1, 100)]
    sprt = Sprt(0, 300)
    found = counted(*sets, sprt=sprt, specs="abc")
    test = found.test
    assert test is not None
    assert test.verdict == "H1"
    assert found.head_to_head is None
    assert found.pairs == test.decided_at == len(test.llr_path) < 99
    path = [sprt.llr({2 + 1 / 3: n - n // 3, 2.0: n // 3}, 3) for n in range(1, found.pairs + 1)]
    assert test.llr_path == pytest.approx(path)
    whole: Any = found.to_json()
    assert whole["test"]["verdict"] == "H1"
    # One rotation is missing: the set does not count, and no later one.
    games = [game for pair in sets for game in pair if game.game != "2-2"]
    assert report(found.event, games, resamples=0).pairs == 1


def test_a_report_in_json_has_the_test_at_the_match_of_two_as_well() -> None:
    pairs = [pair_of(str(n), (9, 1), (1, 9)) for n in range(1, 4)]
    plain: Any = counted(*pairs, sprt=Sprt(0, 10)).to_json()
    assert set(plain["test"]) == {"llr", "verdict", "decided_at", "llr_path"}
    assert plain["test"].items() <= plain["head_to_head"].items()
    without: Any = counted(*pairs).to_json()
    assert without["test"] is None
    assert without["head_to_head"]["llr"] is None
    assert without["head_to_head"]["llr_path"] == []


# -- ratings ---------------------------------------------------------------------------------


def test_the_rating_list_follows_strength_and_says_who_never_played() -> None:
    tournament = event("d", "c", "b", "a", "idle", kind="swiss")
    games = [
        game
        for n in range(20)
        for one in range(4)
        for other in range(one + 1, 4)
        for game in (
            result(f"{n}.{one}.{other}", 0, (one, other), (1, 2 if n % 4 else 0)),
            result(f"{n}.{one}.{other}", 1, (other, one), (2, 1)),
        )
    ]
    found = report(tournament, games, resamples=50)
    assert [entrant.name for entrant in found.standings()] == ["a", "b", "c", "d", "idle"]
    assert found.entrants[4].rating.value is None
    top = found.standings()[0].rating
    assert top.value is not None
    assert top.low is not None
    assert top.low < top.value


def test_equal_results_rank_in_the_order_of_the_agents() -> None:
    """Though their ratings differ in the last digit."""
    games = [result(f"1.{one}.{other}", rotation, seats,
                    [9 if seats[seat] == 3 or (3 not in seats and seat == 0) else 1
                     for seat in range(2)])
             for one, other in combinations(range(4), 2)
             for rotation, seats in enumerate([(one, other), (other, one)])]
    found = report(event("a", "b", "c", "d", kind="round-robin", rounds=1), games, resamples=0)
    assert found.ranking() == (3, 0, 1, 2)


def test_without_resamples_ratings_have_no_interval() -> None:
    results = drawn_match(3, 10)
    quick = report(event("a", "b", "c", players=3), results, resamples=0)
    slow = report(event("a", "b", "c", players=3), results, resamples=50)
    for one, other in zip(quick.entrants, slow.entrants, strict=True):
        assert one.rating.value == pytest.approx(other.rating.value)
        assert one.rating.low is one.rating.high is None
        assert other.rating.low is not None


# -- JSON ------------------------------------------------------------------------------------


def test_json_has_the_names_of_the_attributes() -> None:
    found = report(event("a", "b", sprt=Sprt(0, 10)), drawn_match(2, 5), resamples=20)
    plain: Any = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert list(plain) == list(Report.__dataclass_fields__)
    assert plain["event"]["entrants"][1] == {
        "name": "b", "spec": "b", "network": None}
    assert plain["event"]["sprt"]["upper"] == pytest.approx(math.log(19))
    assert plain["entrants"][0]["rating"].keys() == {"value", "low", "high"}
    assert plain["head_to_head"]["pentanomial"] == list(found.head_to_head.pentanomial.counts)
    row = plain["cross_table"][0]
    assert (row["entrant"], row["opponent"], row["games"]) == ("a", "b", 10)


@st.composite
def events(draw: st.DrawFn) -> tuple[Any, list[Result]]:
    """Draw an event of 2 to 4 seats with games, complete or not, faults included."""
    players = draw(st.integers(2, 4))
    entrants = draw(st.integers(players, players + 2))
    sprt = Sprt(0, 20) if players == entrants == 2 and draw(st.booleans()) else None
    games = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        table = draw(st.permutations(range(entrants)))[:players]
        for rotation in range(players):
            if draw(st.integers(0, 9)) == 0:
                continue
            seats = tuple(table[(seat - rotation) % players] for seat in range(players))
            loser = draw(st.sampled_from([None, None, None, *range(players)]))
            scores = draw(st.lists(st.integers(0, 3), min_size=players, max_size=players))
            games.append(result(str(number), rotation, seats, scores, loser=loser,
                                starter=draw(st.integers(0, players - 1)),
                                seconds=draw(st.floats(0, 1e6))))
    names = [f"e{number}" for number in range(entrants)]
    return event(*names, players=players, sprt=sprt), games


@given(events())
@settings(max_examples=60)
def test_json_is_plain_whatever_was_played(case: tuple[Any, list[Result]]) -> None:
    what, games = case
    found = report(what, games, resamples=5)
    json.dumps(found.to_json(), allow_nan=False)
    assert found.games == len(games)
    played = found.pairs * what.settings.players
    assert sum(entrant.games for entrant in found.entrants) == played * what.settings.players
    assert sum(entrant.points for entrant in found.entrants) == pytest.approx(played)
    assert all(one.wins + one.draws + one.losses == one.games for one in found.entrants)
