"""The numbers of an event in words, and the progress of one that runs."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TextIO

import pytest

from pavilion_ai.clock import TimeControl
from pavilion_ai.limits import Limits
from pavilion_ai.match.report import Report, report
from pavilion_ai.match.results import Result
from pavilion_ai.render import live as live_module
from pavilion_ai.render.columns import set_in_columns, shortened, shortened_together
from pavilion_ai.render.live import LiveReport, duration
from pavilion_ai.render.report_text import (
    report_lines,
    short_estimate,
    summary,
    title,
    words,
)
from pavilion_ai.render.text import columns_of, height_of, length, plain
from pavilion_ai.stats.estimate import Estimate
from pavilion_ai.stats.sprt import Sprt
from tests.match.report_samples import (
    drawn_match,
    drawn_round_robin,
    event,
    pair_of,
    result,
)

LONG = "ismcts:sims=%d,c=0.88,threads=4,noise=0.1"


def text_of(found: Report, width: int = 80) -> str:
    """Return the report as plain text, having checked that it fits and is plain."""
    text = plain(report_lines(found, width))
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii()
    assert "inf" not in text
    assert not re.search(r"\bnan\b|None", text)
    return text


def value_of(text: str, label: str) -> str:
    """Return what stands behind the label at the beginning of a line."""
    found = re.search(rf"^{re.escape(label)} +(\S.*)$", text, re.MULTILINE)
    assert found is not None, f"no line {label!r}"
    return found[1]


def match_of_two(pairs: int = 40, sprt: Sprt | None = None) -> Report:
    """Return a report in which the first entrant is the stronger one."""
    return report(event("strong", "weak", sprt=sprt), drawn_match(2, pairs, [75, 65]))


# -- words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimate", "long", "short"),
    [
        (Estimate(81.44, 33.5, 129.5), "+81.4 +-48.0", "+81.4 +-48.1"),
        (Estimate(81.44, 35.0, 141.0), "+81.4 (+35.0 to +141.0)", "+81.4 +-59.6"),
        (Estimate(None, 210.0, None), "at least +210.0", ">=+210.0"),
        (Estimate(None, None, -30.0), "at most -30.0", "<=-30.0"),
        (Estimate(500.0, 200.0, None), "+500.0, at least +200.0", ">=+200.0"),
        (Estimate(1.0, 0.5, 1.0), "+1.0, at least +0.5", ">=+0.5"),
        (Estimate(0.0, 0.0, 0.5), "0.0, at most +0.5", "<=+0.5"),
        (Estimate(7.0, 6.99, 7.01), "+7.0 +-0.1", "+7.0 +-0.1"),
        (Estimate(99.99, 99.97, 100.0), "+100.0 (+99.9 to +100.1)", "+100.0 +-0.1"),
        (Estimate(0.01, 0.0, 0.03), "0.0 (-0.1 to +0.1)", "0.0 +-0.1"),
        (Estimate(28.66, 28.0, 28.69), "+28.7 (+28.0 to +28.8)", "+28.7 +-0.7"),
        (Estimate(-28.66, -28.69, -28.0), "-28.7 (-28.8 to -28.0)", "-28.7 +-0.7"),
        (Estimate(100.0, 99.997, 100.0), "+100.0, at least +99.9", ">=+99.9"),
        (Estimate(0.0, 0.0, 0.003), "0.0, at most +0.1", "<=+0.1"),
        (Estimate(0.0, -2500.0, 2500.0), "0.0 +-2,500.0", "0.0 +-2,500.0"),
        (Estimate(-0.01, None, None), "0.0, no bound", "0.0"),
        (Estimate(None, -1.0, 2.0), "-1.0 to +2.0", "-"),
        (Estimate(None, None, None), "not known", "-"),
    ],
)
def test_an_estimate_in_words_and_in_a_cell(estimate: Estimate, long: str, short: str) -> None:
    assert words(estimate, 1, sign=True) == long
    assert short_estimate(estimate, 1, sign=True) == short


@pytest.mark.parametrize(("estimate", "said"), [
    (Estimate(99.947, 99.909, 99.97), "99.9 (99.8 to 100.0)"),  # of 8,000 pairs
    (Estimate(99.99, 99.97, 100.0), "100.0 (99.9 to 100.0)"),
    (Estimate(99.96, 99.91, 99.99), "100.0 (99.9 to 100.0)"),
    (Estimate(0.04, 0.01, 0.09), "0.0 (0.0 to 0.1)"),
    (Estimate(0.01, 0.0, 0.03), "0.0 (0.0 to 0.1)"),
])
def test_an_end_looks_like_the_value_only_at_the_end_of_the_range(
    estimate: Estimate, said: str
) -> None:
    assert words(estimate, 1, within=(0, 100)) == said


@pytest.mark.parametrize("width", range(5, 40))
def test_a_name_is_cut_in_the_middle_to_the_width(width: int) -> None:
    cut = shortened("abcdefghijklmnopqrstuvwxyz", width)
    assert len(cut) == min(width, 26)
    assert cut.startswith("a")
    assert cut.endswith("z")


# -- reports ---------------------------------------------------------------------------------


def test_names_that_differ_in_the_middle_look_different_everywhere() -> None:
    """Folders of versions, say."""
    specs = [f"cmd:python /home/somebody/engines/1.{version}.0/lib/{'x' * 180}/engine.py"
             for version in (2, 3, 4)]
    games = drawn_round_robin(3, 2)
    lost = [result("9.1", 0, (0, 1), [0, 9], loser=0, reason="seat 0: late"),
            result("9.1", 1, (1, 0), [0, 9], loser=0, reason="seat 0: late")]
    found = report(event(*specs, kind="round-robin"), [*games, *lost], resamples=10)
    versions = ["1.2.0", "1.3.0", "1.4.0"]
    shown = text_of(found)
    for block in shown.split("\n\n")[2:-1]:
        assert sorted(re.findall(r"1\.[234]\.0", block)) == versions, block
    assert re.findall(r"(1\.[234]\.0)/.*: seat 0: late", shown) == versions[:2]
    assert sorted(re.findall(r"\d\. \S+ ?\S*(1\.[234]\.0)", summary(found))) == versions
    duel = report(event(*specs[:2]), drawn_match(2, 3), resamples=10)
    assert re.findall(r"1\.[23]\.0", title(duel.event)) == versions[:2]


def test_names_that_are_cut_together() -> None:
    names = ["cmd:/opt/1.2.0/bin/engine", "cmd:/opt/1.3.0/bin/engine", "greedy"]
    assert shortened_together(names, 25) == names
    assert shortened_together(names, 20) == [
        "cmd:...t/1.2.0/bi...", "cmd:...t/1.3.0/bi...", "greedy"]
    assert shortened_together([names[0]] * 2, 12) == ["cmd:/...gine"] * 2
    ends = ["a" * 20 + "/x", "a" * 20 + "/xx", "b" * 30]
    assert len({*shortened_together(ends, 12)}) == 3
    grid = [f"cmd:/opt/1.{minor}.0/bin/engine --level {level}" for minor in (2, 3)
            for level in (3, 5)]
    assert shortened_together(grid, 20)[:2] == ["cm...1.2.0/...evel 3", "cm...1.2.0/...evel 5"]
    for width in range(12, 31):
        for names in (grid, [f"{name} --threads 88 --hash 1000" for name in grid]):
            cut = shortened_together(names, width)
            assert len({*cut}) == 4, cut
            assert max(map(len, cut)) <= width
    many = [f"{'x' * 40}{number:03}{'y' * 40}" for number in range(1000)]
    assert len({*shortened_together(many, 20)}) == 1000


@pytest.mark.parametrize("width", range(12))
def test_names_that_are_cut_together_to_few_columns(width: int) -> None:
    cut = shortened_together(["cmd:/opt/1.2.0/bin/engine", "cmd:/opt/1.3.0/bin/engine"], width)
    assert len({*cut}) == 1 + (width > 3)
    assert max(map(len, cut)) <= width


@pytest.mark.parametrize("width", range(30, 60))
def test_columns_that_do_not_fit_go_below(width: int) -> None:
    rows = set_in_columns(["one", "another"], [("abc", ["1", "23"])] * 12, width, ranked=True)
    assert width - 5 < max(map(length, rows)) <= width


def test_a_match_of_two_tells_all_its_numbers() -> None:
    found = match_of_two(sprt=Sprt(0, 10))
    text, first = text_of(found), found.entrants[0]
    duel = found.head_to_head
    assert duel is not None
    assert text.startswith("strong against weak\nsummer, coloured, 2 players, seed 7\n")
    assert value_of(text, "games") == f"{2 * found.pairs} in {found.pairs} pairs"
    assert f"{first.wins} won, {first.draws} drawn, {first.losses} lost" in text
    assert f"{duel.elo.value:+.1f}" in value_of(text, "Elo")
    assert f"to {duel.elo.high:+.1f}" in value_of(text, "Elo")
    counts = [int(part.split(": ")[1]) for part in value_of(text, "points/pair").split(", ")]
    assert counts == list(duel.pentanomial.counts)
    assert found.test is not None
    assert f"LLR {found.test.llr:+.2f} (-2.94 to +2.94), not decided" in value_of(text, "SPRT")
    assert "worth" not in value_of(text, "spread")  # 40 pairs are too few to say
    assert f"{first.score.value:.1f}" in value_of(text.split("score")[1], "strong")
    assert "faults" not in text
    table = text.split("sims/move")[1]  # the last column; the first agent counts no simulations
    assert [value_of(table, name).split()[-1] for name in ("strong", "weak")] == ["-", "100"]


@pytest.mark.parametrize(("points", "told"), [
    (7.0, "7 points"), (0.5, "0.5 points"), (123_456.5, "123,456.5 points"),
    (1_234_567.0, "1,234,567 points")])
def test_points_are_told_to_the_last_half(points: float, told: str) -> None:
    found = match_of_two()
    first, second = found.entrants
    many = replace(found, entrants=(replace(
        first, points=points, win_share=Estimate(0.0004, 0.0001, 0.0009)), second))
    assert value_of(text_of(many), "result").endswith(" 0.0 % (0.0 to 0.1)")
    assert f"; {told} of" in " ".join(text_of(many).split())


@pytest.mark.parametrize(("settings", "told"), [
    ({"tied": False}, ", draws not tied"), ({"limits": Limits(seconds=0.25)}, ", 0.25 s per move"),
    ({"limits": Limits(sims=1)}, ", 1 simulation per move"), ({}, ""),
    ({"limits": TimeControl(60, 0.5).limits(2)}, ", clock 60+0.5"),
    ({"limits": Limits(clock=(60, 30), increment=(1, 0))}, ", clock 60+1/30")])
def test_how_it_was_played_is_told(settings: dict[str, Any], told: str) -> None:
    found = match_of_two()
    played = replace(found.event, settings=replace(found.event.settings, **settings))
    text = text_of(replace(found, event=played, events=((played, 80),)))
    assert text.splitlines()[1] == f"summer, coloured, 2 players, seed 7{told}"


@pytest.mark.parametrize(("events", "told"), [
    (2, "2 events, seeds 0, 1"), (6, "6 events, seeds 0, 1, 2, 3, 4, 5"),
    (7, "7 events, seeds 0, 1, 2, 3, 4, 5, ...")])
def test_the_first_seeds_of_several_events_are_told(events: int, told: str) -> None:
    found = match_of_two()
    several = tuple((replace(found.event, settings=replace(found.event.settings, seed=seed)), 9)
                    for seed in range(events))
    text = text_of(replace(found, events=several))
    assert text.splitlines()[1] == f"summer, coloured, 2 players, {told}"


@pytest.mark.parametrize(("los", "told"), [
    (0.0004, "under 0.1 %"), (0.0006, "0.1 %"), (0.9994, "99.9 %"), (0.9996, "over 99.9 %"),
    (None, "not known")])
def test_a_likelihood_is_never_certain(los: float | None, told: str) -> None:
    found = match_of_two()
    assert found.head_to_head is not None
    duel = replace(found, head_to_head=replace(found.head_to_head, los=los))
    assert summary(duel).endswith(f"LOS {told}")
    assert value_of(text_of(duel), "LOS") == f"{told}, likelihood of superiority"


def test_what_pairs_are_worth_is_told_of_fifty() -> None:
    for pairs in (49, 50):
        told = value_of(text_of(replace(match_of_two(), pairs=pairs)), "spread")
        assert ("one game is worth " in told) == (pairs == 50)


def test_the_end_of_a_test_is_told() -> None:
    found = match_of_two(200, Sprt(0, 100))
    test = found.test
    assert test is not None
    assert test.verdict == "H1"
    assert f"H1 accepted after {test.decided_at} pairs" in " ".join(text_of(found).split())
    assert "came after the test ended" in value_of(text_of(found), "not counted")


def test_a_sweep_has_bounds_on_one_side() -> None:
    games = [game for n in range(1, 9) for game in pair_of(str(n), (90 + n, 10), (80, 9))]
    text = text_of(report(event("a", "b"), games))
    assert value_of(text, "Elo").startswith("at least +")
    text = text_of(report(event("b", "a"), [
        game for n in range(1, 9) for game in pair_of(str(n), (9, 90 + n), (8, 91))
    ]))
    assert value_of(text, "Elo").startswith("at most -")


@pytest.mark.parametrize("games", [[], drawn_match(2, 1)[:1], drawn_match(2, 1)])
def test_next_to_nothing_can_be_shown(games: list[object]) -> None:
    text = text_of(report(event("a", "b", sprt=Sprt(0, 5)), games))  # type: ignore[arg-type]
    assert ("no pair is complete yet" in text) == (len(games) < 2)


def test_three_players_have_places_and_ratings() -> None:
    found = report(event("a", "b", "c", players=3), drawn_match(3, 30), resamples=50)
    text = text_of(found)
    heading = next(row for row in text.splitlines() if "place" in row)
    assert heading.split() == ["rating", "place", "win", "%", "score"]
    assert f"{found.entrants[0].mean_place.value:.2f}" in value_of(text, "1 a")
    assert "cross-table" not in text
    assert value_of(text, "games") == "90 in 30 sets"


def test_games_of_a_pair_that_is_not_complete_are_told() -> None:
    text = text_of(report(event("a", "b"), drawn_match(2, 3)[:-1]))
    assert value_of(text, "games") == "4 in 2 pairs"
    assert value_of(text, "not counted") == "1, of a pair that is not complete"


def test_a_cross_table_tells_the_games_where_they_differ() -> None:
    games = drawn_round_robin(3, 2)
    found = event("a", "b", "c", kind="round-robin", rounds=2)
    even, uneven = (text_of(report(found, played, resamples=20))
                    for played in (games, games[:-2]))
    assert "cross-table: points out of 4 games against each" in even
    assert "cross-table: points/games against each" in uneven
    cells = uneven.split("against each")[1].split()
    assert (sum(cell.endswith("/4") for cell in cells),
            sum(cell.endswith("/2") for cell in cells)) == (4, 2)


@pytest.mark.parametrize(("entrants", "width"), [(5, 80), (12, 80), (12, 60), (15, 80)])
def test_a_tournament_fits_with_its_cross_table(entrants: int, width: int) -> None:
    names = [LONG % number for number in range(entrants)]
    results = drawn_round_robin(entrants, 2)
    found = report(event(*names, kind="round-robin", rounds=2), results, resamples=20)
    text = text_of(found, width)
    assert text.startswith(f"round robin of {entrants}\n")
    table = text.split("cross-table: ")[1]
    assert table.startswith("points out of 4 games")
    ranking = found.ranking()
    points = found.cross_table[ranking[0], ranking[1]][0]
    rows = [row.split() for row in table.splitlines() if "s=" in row]
    shown = {name for _, name, *_ in rows}
    assert len(shown) == entrants  # however short
    assert rows[0][:1] + rows[0][2:4] == ["1", "-", f"{points:g}"]
    last = [row for row in rows if row[0] == str(entrants)]
    assert sum(len(row) - 2 for row in last) == entrants  # the cells, in as many parts
    assert last[-1][-1] == "-"


def test_the_likelihood_that_each_is_stronger_than_the_next() -> None:
    """From the pairs of the two alone, as in a match of theirs; none of those who never met."""
    first, second = won_by_the_first([(0, 1)] * 6, "1"), won_by_the_first([(1, 2)] * 2, "2")
    found = report(event("a", "b", "c", "d", kind="swiss"), [*first, *second], resamples=20)
    text = text_of(found)
    rows = [row.split() for row in text.split("LOS %\n")[1].splitlines()[:4]]
    assert [(row[1], row[-1]) for row in rows] == [
        ("a", "99.2"), ("b", "87.5"), ("c", "-"), ("d", "-")]
    assert "LOS: likelihood that an agent is stronger than the next one" in text
    alone = report(event("a", "b"), first, resamples=20).head_to_head
    assert found.superiority[0, 1] == alone.los == pytest.approx(1 - found.superiority[1, 0])
    assert (0, 2) not in found.superiority
    assert "LOS" not in text_of(report(event("a", "b", "c", "d", players=3, kind="swiss"),
                                       drawn_match(3, 2), resamples=0))


def test_a_cross_table_of_very_many_is_left_to_json() -> None:
    names = [str(number) for number in range(30)]
    found = report(event(*names, kind="swiss"), drawn_round_robin(30, 1), resamples=0)
    assert "cross-table of 30 entrants: only as JSON or Markdown" in text_of(found)


def won_by_the_first(tables: list[tuple[int, int]], name: str = "1") -> list[Result]:
    """Return pairs of which the first entrant wins both games."""
    return [game for number, (first, second) in enumerate(tables, 1)
            for game in (result(f"{number}.{name}", 0, (first, second), (9, 1)),
                         result(f"{number}.{name}", 1, (second, first), (2, 8), starter=1))]


def test_a_swiss_tournament_says_who_sat_out() -> None:
    """Only where somebody does, and by name only between rounds."""
    games = won_by_the_first([(0, 1), (0, 2), (0, 1)])
    swiss = event("a", "b", "c", kind="swiss")
    told = value_of(text_of(report(swiss, games)), "sat out")
    assert told == "1 of 3 in each round, of those with most games: b 1, c 2"
    five = report(event(*"abcde", kind="swiss"), games)
    assert value_of(text_of(five), "sat out") == "1 of 5 in each round, of those with most games"
    for other in (event("a", "b", "c", kind="round-robin"), event(*"abcd", kind="swiss")):
        assert "sat out" not in text_of(report(other, games))
    two = report(swiss, games, events=[(swiss, 3), (swiss, 3)])  # not everybody was in both
    assert "sat out" not in text_of(two)


def test_progress_shows_ratings_as_the_report_does() -> None:
    games = won_by_the_first([(0, 1), (1, 2), (0, 2), (2, 1)] * 3)
    found = report(event("a", "b", "c", kind="round-robin"), games)
    ratings = [short_estimate(one.rating, 0, sign=True) for one in found.standings()]
    assert ratings[0].startswith(">=")
    assert all(rating in summary(found) and rating in text_of(found) for rating in ratings)


def test_a_rating_at_the_end_of_its_interval_is_shown() -> None:
    """The bootstrap of few games may lie on one side of it; that is no open end."""
    found = report(event("a", "b", "c", kind="gauntlet"), won_by_the_first([(0, 1), (0, 2)]))
    entrants = [replace(one, rating=Estimate(-168.0, -168.0, 0.0)) if one.name == "b" else one
                for one in found.entrants]
    found = replace(found, entrants=tuple(entrants))
    assert "b  -168 +-168 " in text_of(found)
    assert "b -168 +-168" in summary(found)


def test_a_rating_without_a_bound_is_marked() -> None:
    """The games say of the others only that the last one is worse."""
    games = won_by_the_first([(0, 2), (1, 2), (1, 3)])
    found = report(event(*"abcd", kind="ladder"), games)
    assert found.anchors == ((2,),)
    marked = next(one for one in found.entrants if one.name == "d")
    assert (marked.rating.low, marked.rating.high) == (None, None)
    assert f" {marked.rating.value:+.0f} ? " in text_of(found)


def test_names_of_groups_that_differ_look_different() -> None:
    names = [f"cmd:/opt/engines/{version}/azul-engine" for version in (12, 13, 14, 15)]
    found = report(event(*names, kind="ladder"), won_by_the_first([(0, 1), (3, 2)]))
    told = value_of(text_of(found, 200), "groups")
    assert all(version in told for version in ("12", "13", "14", "15"))


def test_agents_that_never_met_are_told_apart() -> None:
    games = won_by_the_first([(0, 1), (3, 2), (5, 4)])
    found = report(event(*"abcdefg", kind="ladder"), games)
    assert found.groups == ((0, 1), (2, 3), (4, 5))
    assert [one.name for one in found.standings()] == ["a", "b", "d", "c", "f", "e", "g"]
    assert found.to_json()["groups"] == [["a", "b"], ["c", "d"], ["e", "f"]]
    told = value_of(text_of(found, 200), "groups")
    assert told.startswith("3 groups of agents never met, also not through others: a, b; c, d;")
    assert "3 groups that have not met" in summary(found)
    assert found.to_json()["anchors"] == [["b"], ["c"], ["e"]]
    lines = text_of(found).split("\n")
    heading = next(number for number, one in enumerate(lines) if one.split()[:1] == ["rating"])
    assert [one.split()[:3] for one in lines[heading + 1:heading + 10]] == [
        ["1", "a", ">=-512"], ["2", "b", "0"], [], ["1", "d", ">=-512"], ["2", "c", "0"], [],
        ["1", "f", ">=-512"], ["2", "e", "0"], []]    # g has no games
    whole = report(event("a", "b", "c", kind="ladder"), won_by_the_first([(0, 1), (1, 2)]))
    assert whole.groups == ((0, 1, 2),)
    assert "groups" not in text_of(whole) + summary(whole)


def test_rounds_that_were_asked_for_are_told_unless_more_were_played() -> None:
    games = [game for number in "12" for pair in ("1", "2", "3")
             for game in pair_of(f"{number}.{pair}", (9, 1), (9, 1))]
    for rounds, told in ((3, "3 rounds"), (2, "2 rounds"), (1, None)):
        text = text_of(report(replace(event("a", "b", "c", kind="round-robin"), rounds=rounds),
                              games))
        assert ("round" in text.splitlines()[1]) is (told is not None)
        assert told is None or told in text


def test_faults_are_listed_without_what_moves_the_cursor() -> None:
    games = pair_of("1", (9, 1), (9, 1))
    games[0] = result("1", 0, (0, 1), (0, 0), loser=1, reason="seat 1: \x1b[2J\nillegal")
    games += [
        result(str(n), 0, (0, 1), (0, 0), loser=1, reason="seat 1: silent") for n in range(2, 20)
    ]
    text = text_of(report(event("a", "b"), games))
    assert "19 games lost by a fault" in text
    assert "  1-0  b: seat 1: ?[2J?illegal" in text
    assert text.endswith("  and 11 more; --json lists all")
    text = text_of(report(event("a", "b"), games[:1] + games[2:9]))
    assert "8 games lost by a fault" in text
    assert text.endswith("b: seat 1: silent")


# -- progress --------------------------------------------------------------------------------


@contextmanager
def a_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Give a clock that stands where its only element says."""
    now = [1000.0]
    monkeypatch.setattr(live_module.time, "monotonic", lambda: now[0])
    yield now


def test_a_stream_gets_a_line_now_and_then_and_one_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, stream = match_of_two(), io.StringIO()
    with a_clock(monkeypatch) as now, LiveReport(stream, 400, every=10) as live:
        for done in range(50, 150):  # 50 games were played before; one a second now
            live.prepare(found, done, 2)
            live.look()
            now[0] += 1
    lines = stream.getvalue().splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("games 60 of 400, 2 running, 1 games/s, 5 min 40 s left; Elo +")
    assert lines[-1].startswith("games 149 of 400")
    assert lines[-1].endswith(summary(found))


def test_an_open_event_has_no_time_left_and_the_latest_fault_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    late = result("1", 0, (0, 1), (0, 0), loser=0, reason="seat 0: late")
    early = result("2", 0, (0, 1), (0, 0), loser=1, reason="seat 1: early")
    with a_clock(monkeypatch) as now, LiveReport(stream, None, every=1) as live:
        for games in ([], [early], [early, late]):
            live.prepare(report(event("a", "b"), games), len(games), 0)
            live.look()
            now[0] += 2
    lines = stream.getvalue().splitlines()
    assert "left" not in stream.getvalue()
    assert lines[0].endswith("faults 1, last b: seat 1: early")
    assert lines[1].endswith("faults 2, last a: seat 0: late")


def test_a_report_is_made_only_to_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    found, made = match_of_two(), []

    with a_clock(monkeypatch) as now, LiveReport(io.StringIO(), 400, every=10) as live:

        def slowly() -> Report:
            made.append(now[0])
            now[0] += 2  # which is 5 % of 40 seconds
            return found

        for second in range(100):
            now[0] = 1000.0 + second
            live.prepare(slowly, second, 1)
            live.look()
    assert made == [1010, 1050, 1090, 1099]


def test_a_state_is_shown_at_a_later_look_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    with a_clock(monkeypatch) as now, LiveReport(stream, 400, every=10) as live:
        live.prepare(match_of_two, 50, 2)
        for _ in range(30):
            now[0] += 1
            live.look()
        assert stream.getvalue().startswith("games 50 of 400, 2 running; Elo +")
    assert len(stream.getvalue().splitlines()) == 1


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_closed_stream_is_left_alone(when: str) -> None:
    stream = io.StringIO()
    if when == "before":
        stream.close()
    with LiveReport(stream, 10, every=0) as live:
        live.prepare(match_of_two(1), 1, 1)
        live.look()
        stream.close()
        live.prepare(match_of_two(1), 2, 1)
        live.look()
    with LiveReport(None, 10, every=0) as live:
        live.prepare(match_of_two(1), 1, 1)
        live.look()


def test_a_pipe_without_a_reader_is_left_alone() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stream = os.fdopen(writing, "w", buffering=1)
    with LiveReport(stream, 10, every=0) as live:
        for done in range(3):
            live.prepare(match_of_two(1), done, 1)
            live.look()
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_an_error_inside_comes_out_without_a_last_line() -> None:
    stream = io.StringIO()

    def fails() -> None:
        with LiveReport(stream, 10) as live:
            live.prepare(match_of_two(1), 1, 1)
            live.look()
            raise LookupError

    with pytest.raises(LookupError):
        fails()
    assert stream.getvalue() == ""


@contextmanager
def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TextIO, int]]:
    """Give the two ends of a terminal of 80 columns."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "40")
    own, other = pty.openpty()
    try:
        yield os.fdopen(other, "w"), own
    finally:
        os.close(own)


def read_until(end: int, last: str) -> str:
    """Read from the end of a terminal until something was there, at most for some seconds."""
    text = ""
    while last not in text and select.select([end], [], [], 5)[0]:
        text += os.read(end, 1 << 16).decode()
    return text


def test_a_terminal_gets_a_table_that_is_wiped_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["alpha", "beta", "gamma", "delta"]
    found = report(event(*names, kind="round-robin"), drawn_round_robin(4, 2), resamples=0)
    with a_terminal(monkeypatch) as (stream, own):
        with a_clock(monkeypatch) as now, LiveReport(stream, 100) as live:
            for done in range(10):
                live.prepare(found, done, 1)  # ten times within a quarter of a second
                live.look()
                now[0] += 0.02
            shown = read_until(own, f"4 {found.standings()[-1].name}")
            assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")  # Ctrl-Z may come any time
        ended = read_until(own, "\x1b[?25h")  # the cursor is back
        stream.close()
    assert shown.count("round robin of 4") == 1
    assert all(name in shown for name in names)
    assert "rating" in shown
    assert ended.count("\x1b[2K") >= len(names)
    assert "\x1b[?25h" in ended


def test_the_table_is_as_wide_as_its_own_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output may be none, or another one; a line that wraps could not be wiped."""
    with a_terminal(monkeypatch) as (stream, own):
        monkeypatch.delenv("COLUMNS")
        fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("4H", 24, 30, 0, 0))
        assert (columns_of(stream), height_of(stream)) == (30, 40)
        with LiveReport(stream, 100) as live:
            live.prepare(match_of_two(), 1, 1)
            live.look()
            shown = read_until(own, "LOS")
        stream.close()
    assert max(map(len, re.sub("\x1b[^a-zA-Z]*[a-zA-Z]", "", shown).splitlines())) <= 30


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (3599.7, "1 h 00 min"),
     (8000, "2 h 13 min")],
)
def test_a_time_in_its_two_largest_units(seconds: float, said: str) -> None:
    assert duration(seconds) == said
