"""What several reviews tell of a player: sums over decisions, kinds of mistakes, levels."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.record import GameRecord
from pavilion_ai.render.across_text import _phases, _reach, _share, across
from pavilion_ai.render.columns import set_in_columns
from pavilion_ai.render.record_text import seats_called
from pavilion_ai.render.review_text import several_columns, several_names, several_title
from pavilion_ai.render.text import plain
from pavilion_ai.review import (
    Judge,
    Review,
    Totals,
    by_agent,
    level_like,
    players_of,
    review_game,
    several_to_json,
)
from pavilion_ai.review.across import Losses, Player
from pavilion_ai.review.mistakes import kind_of_mistake
from tests.cli.support import contract_games

GAMES_OF = [record for record in map(GameRecord.from_json, contract_games("summer", "azul"))
            if record.start.players == 2]


@cache
def reviews() -> list[Review]:
    """Return reviews of four games, in which one person plays with either seat."""
    found = []
    for number, record in enumerate(GAMES_OF[:2] + GAMES_OF[-2:]):
        names = [{"spec": "human", "version": "", "name": name}
                 for name in (("me", "other") if number % 2 else ("other", "me"))]
        found.append(review_game(replace(record, agents=tuple(names)),
                                 Judge("default", Limits(sims=60), seed=1), jobs=2))
    return found


def test_players_are_told_apart_by_name_and_game() -> None:
    found = players_of(reviews())
    assert sorted((one.name, one.game, one.games) for one in found) == sorted(
        (name, game, 2) for name in ("me", "other") for game in ("summer", "azul"))
    broken = [replace(reviews()[0], complete=False), *reviews()[1:]]
    assert sum(one.games for one in players_of(broken)) == 6


def test_agents_of_one_name_stay_apart() -> None:
    some = [replace(review, record=replace(review.record, agents=tuple(
                {"spec": spec, "version": ""} for spec in specs)))
            for review, specs in zip(reviews()[:2], (
                ("new=random", "old=greedy"), ("old=greedy", "new=policy")), strict=True)]
    for found in (players_of(some), by_agent(some)):
        assert sorted((one.name, one.games) for one in found) == [
            ("new", 1), ("new#2", 1), ("old", 2)]
    assert seats_called(some[0].record, ["new"]) == {0}
    assert seats_called(some[1].record, ["new=policy"]) == {1}
    assert not seats_called(some[0].record, ["new=policy"])


def test_games_that_nobody_won_count_in_their_decisions_only() -> None:
    """Means of a game would take a stub for a game."""
    left = [replace(reviews()[0], record=replace(reviews()[0].record, winners=(), reason=reason))
            for reason in ("unfinished", "stopped: 9: unknown note")]
    found = [*reviews(), *left]
    for player, before in zip(players_of(found), players_of(reviews()), strict=True):
        more = 2 * (player.game == "summer")
        assert (player.games, player.finished) == (2 + more, 2)
        assert player.luck == before.luck
        assert player.lost == before.lost
        assert (player.of_phase("draft").points == before.of_phase("draft").points) == (not more)
    assert by_agent(found) == by_agent(reviews())
    told = several_to_json(found)
    assert (told["games"], told["unfinished"], told["left_out"]) == (6, 2, 0)
    cut = replace(reviews()[1], complete=False)
    assert several_title([*found, cut]) == ("4 games, by agent, means of a game; without 2"
                                            " unfinished, 1 not reviewed to the end")
    assert across(found)[0].title.startswith(
        f"{players_of(found)[0].name}, 4 games of Azul: Summer Pavilion (2 unfinished): ")
    assert several_title(left) == "no finished game was reviewed to its end"
    assert by_agent(left) == []
    assert not any("won" in line for table in across(left) for line in table.below)


def test_totals_are_those_of_one_kind_of_game() -> None:
    totals = by_agent(reviews())
    assert [(one.name, one.game, one.games) for one in totals] == [
        (name, game, 2) for game in ("summer", "azul") for name in ("other", "me")]
    assert several_names(totals) == ["other, summer", "me, summer", "other, azul", "me, azul"]
    assert several_names(totals[:2]) == ["other", "me"]


def test_losses_are_those_of_the_decisions() -> None:
    for player in players_of(reviews()):
        mine = [(review, j) for review in reviews() if review.record.game == player.game
                for j in review.judgements
                if not j.forced and review.record.agents[j.seat]["name"] == player.name]
        assert sum(len(one.points) for one in player.phases.values()) == len(mine)
        for (phase, number), losses in player.phases.items():
            part = [j for _, j in mine if (j.position.phase, j.position.round) == (phase, number)]
            assert losses.points == [j.lead_loss for j in part]
            assert losses.agreed == sum(j.agrees for j in part)
            assert losses.win == pytest.approx(sum(j.win_loss for j in part))
        assert sum(player.lost) == pytest.approx(sum(j.win_loss for _, j in mine))
        theirs = [(1 - j.seat, j) for review in reviews() if review.record.game == player.game
                  for j in review.judgements
                  if j.win_loss > 0 and review.record.agents[1 - j.seat]["name"] == player.name]
        given = sum(j.after[seat] - j.before[seat] for seat, j in theirs)
        assert sum(player.given) == pytest.approx(given)
        assert given > 0  # what others lose is to one's advantage
        wrong = [j for _, j in mine if not j.agrees and j.worse]
        assert sum(len(one.points) for one in player.mistakes.values()) == len(wrong)
        assert sum(sum(one.points) for one in player.mistakes.values()) == pytest.approx(
            sum(j.lead_loss for j in wrong))


def test_luck_and_results_add_up() -> None:
    for player in players_of(reviews()):
        other = next(one for one in players_of(reviews())
                     if one.game == player.game and one.name != player.name)
        assert sum(player.luck) == pytest.approx(-sum(other.luck))
        assert sum(player.won) + sum(other.won) == pytest.approx(2)


def test_what_is_as_good_as_the_favourite_gives_nothing() -> None:
    """However unlike the chances are that two searches find."""
    review = reviews()[0]
    agreed = replace(review, judgements=tuple(
        replace(one, agrees=True, after=one.before[::-1]) for one in review.judgements))
    assert [(one.given, one.lost) for one in players_of([agreed])] == [([0], [0])] * 2


def test_a_player_in_both_seats_has_each_game_once() -> None:
    """Its seats are not independent: what one of them draws or wins the other loses."""
    agents = ({"spec": "same", "version": ""},) * 2
    same = [replace(one, record=replace(one.record, agents=agents)) for one in reviews()[:2]]
    (player,) = players_of(same)
    assert (player.games, len(player.variants)) == (2, 2)
    assert player.luck == pytest.approx([0, 0])
    lucky = [replace(one, draws=tuple(replace(draw, luck=(0.2, 0.1)) for draw in one.draws))
             for one in same]
    assert players_of(lucky)[0].luck == pytest.approx([0.15 * len(one.draws) for one in same])
    assert player.won == [0.5, 0.5]
    assert player.lost == pytest.approx([sum(j.win_loss for j in one.judgements) / 2
                                         for one in same])
    assert sum(map(len, (one.points for one in player.phases.values()))) == sum(
        not j.forced for one in same for j in one.judgements)
    title, *_ = (table.title for table in across(same))
    assert title.startswith("all seats called same, 2 games of ")
    (totals,) = by_agent(same)
    assert (totals.games, totals.seats) == (2, 4)
    columns = dict(several_columns([totals]))
    assert columns["games"] == ["2"]
    assert columns["moves"] == [f"{totals.decisions / 4:.1f}"]


def test_games_that_went_alike_tell_no_more_than_one_of_them() -> None:
    """As both games of a pair do, if one deterministic agent plays all seats."""
    again = [replace(one, record=replace(one.record, id=f"{one.record.id} again"))
             for one in reviews()]
    for twice, once in zip(players_of([*reviews(), *again]), players_of(reviews()), strict=True):
        assert (twice.games, twice.finished, len(set(twice.deals))) == (4, 4, 2)
        for values in ("luck", "lost", "given"):
            assert twice.mean(getattr(twice, values)).to_json() == pytest.approx(
                once.mean(getattr(once, values)).to_json())
        for phase in ("draft", "place"):
            assert twice.of_phase(phase).mean.to_json() == pytest.approx(
                once.of_phase(phase).mean.to_json())
        assert level_like(twice, "draft") == pytest.approx(level_like(once, "draft"))
        assert " of 4 in 2 deals; " in _phases(twice).below[-1]
        assert " of 2; " in _phases(once).below[-1]


def test_games_of_a_pair_belong_together() -> None:
    """Luck that the other game of the pair takes back says nothing against a mean of 0."""
    player = Player("me", "summer", [("coloured", 2)] * 4)
    player.deals = [(1, SUMMER), (1, SUMMER), (2, SUMMER), (2, AZUL)]
    mean = player.mean([0.5, -0.25, 0.0, 0.25])  # from the mean: 0 in the first deal, -1/8, 1/8
    assert mean.value == 0.125
    assert mean.high == pytest.approx(0.125 + 4.3027 * 3 / 4 / 8 / math.sqrt(3), rel=1e-4)
    player.deals = [(1, SUMMER)] * 4
    assert player.mean([0.5, -0.25, 0.0, 0.25]).high is None


def test_too_few_positions_tell_no_level() -> None:
    player = with_losses(*around(1.0)[:20])
    assert level_like(player, "draft") is not None
    player.phases["draft", 1].positions[-1] = SUMMER
    player.phases["draft", 1].positions[0] = SUMMER
    assert level_like(player, "draft") is None


class _Fake:
    """A judgement of which only moves and position count."""

    def __init__(self, played: str, best: str, position: Any) -> None:
        self.agrees, self.forced, self.worse = played == best, False, True
        self.position = position
        self.played, self.best = (type("M", (), {"move": move}) for move in (played, best))


SUMMER = GAMES["summer"].new(seed=1)
AZUL = GAMES["azul"].new(seed=1)


MISTAKES = (
    (SUMMER, [
        ("D1:G", "D1:G", ""),
        ("D1:G", "D2:G", "drafting: the same colour from elsewhere"),
        ("D1:G", "D2:R", "drafting: another colour"),
        ("C:G", "D2:R", "drafting: the start player token too early"),
        ("D2:R", "C:G", "drafting: the start player token too late"),
        ("pass:-", "W.1:P", "passing too early"),
        ("W.1:P", "pass:-", "passing too late"),
        ("pass:2P", "pass:2G", "passing: other tiles to keep"),
        ("W.1:P", "C.1:P", "placing: another star"),
        ("W.1:P", "W.2:2P", "placing: another space of the star"),
        ("C.1:R", "C.1:B", "placing: another colour on the space"),
        ("E.2:2B", "E.2:BP", "placing: another payment"),
        ("bonus:P", "bonus:G", "bonus: other tiles from the supply"),
    ]),
    (replace(SUMMER, token=0), [("D2:R", "C:G", "drafting: another colour")]),
    (replace(AZUL, displays=(AZUL.displays[1], *AZUL.displays[1:])), [
        ("D1:B>2", "D2:B>3", "drafting: another pattern line"),
        ("D1:B>F", "D2:B>3", "drafting: dropped, not put in a line"),
        ("D1:B>2", "D3:B>3", "drafting: the same colour from elsewhere"),
    ]),
    (AZUL, [
        ("D1:B>1", "D1:B>2", "drafting: another pattern line"),
        ("D1:B>F", "D1:B>2", "drafting: dropped, not put in a line"),
        ("D1:B>2", "D1:B>F", "drafting: put in a line, not dropped"),
        ("D1:B>2", "D2:B>3", "drafting: the same colour from elsewhere"),
        ("wall:2>3", "wall:2>4", "tiling: another column"),
        ("C:B>2", "D2:R>3", "drafting: the starting player marker too early"),
        ("D2:R>3", "C:B>2", "drafting: the starting player marker too late"),
    ]),
)
"""Positions, and of each: the move played, the best one, and the kind of the mistake."""


@pytest.mark.parametrize(("position", "played", "best", "kind"), [
    (position, *row) for position, rows in MISTAKES for row in rows
])
def test_kinds_of_mistakes(position: Any, played: str, best: str, kind: str) -> None:
    assert kind_of_mistake(_Fake(played, best, position)) == kind  # type: ignore[arg-type]


def with_losses(*points: float, variant: tuple[str, int] = ("coloured", 2)) -> Player:
    """Return a player who lost so much in drafts, in two games."""
    player = Player("me", "summer", [variant] * 2)
    positions = [replace(SUMMER, round=number) for number in range(len(points))]
    player.phases["draft", 1] = Losses(list(points), positions)
    player.decisions["draft", variant] = len(points)
    return player


def around(points: float) -> list[float]:
    """Return 30 losses with this mean, two of which differ a little."""
    return [points + 0.001, max(0.0, points - 0.001), *[points] * 28]


def test_the_level_that_loses_as_much() -> None:
    table = GAMES["summer"].level_losses["coloured", 2]["draft"].points
    assert list(table) == sorted(table, reverse=True)
    assert len(table) == 10
    for level in (1, 4, 10):
        found = level_like(with_losses(*around(table[level - 1])), "draft")
        assert found is not None
        assert found[0] == pytest.approx(level, abs=0.01)
    middle = (table[3] + table[4]) / 2
    found = level_like(with_losses(*[0.0] * 20, *[2 * middle] * 20), "draft")
    assert found is not None
    level, low, high, beyond = found
    assert level == pytest.approx(4.5)
    assert low < level < high
    assert not beyond
    assert level_like(with_losses(*around(1.0)[:19]), "draft") is None
    assert level_like(with_losses(*around(1.0)[:20]), "draft") is not None


def test_who_is_beyond_the_levels_is_not_like_one() -> None:
    """The interval ends at the last level, so it says nothing of those beyond."""
    scale = GAMES["summer"].level_losses["coloured", 2]["draft"]
    first, last = scale.points[0], scale.points[-1]
    for points, expected, said in (
        (0.9 * first, (1, 1, ""), r"like level 1 \(1 to 3\)"),
        (0.9 * first / (1 - scale.error), (1, 1, ""), "like level 1 or below"),
        (1.1 * first / (1 - scale.error), (1, 1, "worse"), "below level 1"),
        (0.9 * last, (10, 10, ""), "like level 10 or better"),
        (0.5 * last, (10, 10, "better"), "like level 10 or better"),
    ):
        player = with_losses(*around(points))
        found = level_like(player, "draft")
        assert found is not None
        end = found.low if points > first / 2 else found.high
        assert (round(found.level), end, found.beyond) == expected
        assert re.fullmatch(f"they draft {said} of the default agent", _phases(player).below[0])


def test_the_interval_of_a_level_holds_the_error_of_the_scale() -> None:
    """However many decisions there are: the levels' losses stay as uncertain as they are."""
    scale = GAMES["summer"].level_losses["coloured", 2]["draft"]
    points = scale.points[4]
    found = level_like(with_losses(*around(points)), "draft")
    assert found is not None
    _, low, high, _ = found
    for end, factor in ((low, 1 + scale.error), (high, 1 - scale.error)):
        level = level_like(with_losses(*around(factor * points)), "draft")
        assert level is not None
        assert level[0] == pytest.approx(end, abs=0.01)
    assert high - low > 1.5


def test_only_the_judge_of_the_scale_tells_levels() -> None:
    found = reviews()
    assert all(one.on_scale for one in players_of(found))
    others = [replace(found[0], agent="ismcts:net=0"), *found[1:]]
    for player in players_of(others):
        assert player.on_scale == (player.game == "azul")
        assert (level_like(player, "draft") is not None) == player.on_scale
    named = [replace(review, agent="judge=default") for review in found]
    assert all(one.on_scale for one in players_of(named))


def test_a_long_game_of_base_azul_fits_in_80_columns() -> None:
    """Its eight rounds leave 12 columns for the names of the phases."""
    player = with_losses(*around(1.0))
    for number in range(1, 9):
        for phase in ("draft", "wall"):
            player.phases[phase, number] = player.phases["draft", 1]
            player.decisions[phase, ("coloured", 2)] += 30
    table = _phases(player)
    text = plain(set_in_columns(table.names, table.columns, 80, ranked=False))
    assert "..." not in text
    assert text.count("\n") == 2


@pytest.mark.parametrize("points", [0.0, 0.1, 1.0])
def test_equal_losses_tell_of_no_level_and_no_interval(points: float) -> None:
    player = with_losses(*[points] * 30)
    player.luck = player.lost = player.given = [0.0, 0.0]
    player.won, player.deals = [1.0, 1.0], [(1, SUMMER), (2, SUMMER)]
    assert level_like(player, "draft") is None
    phases = _phases(player)
    assert dict(phases.columns)["+-"] == ["-"]
    assert not any("+-" in line or "like level" in line for line in phases.below)


def test_levels_of_several_variants_count_by_their_decisions() -> None:
    tables = GAMES["summer"].level_losses
    two, four = (tables[variant]["draft"].points for variant in (("coloured", 2), ("grey", 4)))
    for level in (2, 5, 9):
        player = with_losses(*[two[level - 1]] * 30, *[four[level - 1]] * 10)
        player.decisions["draft", ("grey", 4)] = 10
        player.decisions["draft", ("coloured", 2)] = 30
        player.decisions["place", ("coloured", 2)] = 7  # which is another matter
        found = level_like(player, "draft")
        assert found is not None
        assert found[0] == pytest.approx(level, abs=1e-6)


@pytest.mark.parametrize("game", GAMES)
def test_every_variant_has_a_scale_of_its_own(game: str) -> None:
    rules = GAMES[game]
    tables = rules.level_losses
    assert {*tables} == {(board, players) for board in rules.boards for players in (2, 3, 4)}
    for (board, _), phases in tables.items():
        free = {"draft", "place", "bonus"} if game == "summer" else {"draft"}
        assert {*phases} == free | ({"wall"} if (game, board) == ("azul", "grey") else set())
        for points, error in phases.values():
            assert 0 < error < 1
            assert len(points) == 10
            assert list(points) == sorted(points, reverse=True)
            assert points[0] > points[-1] >= 0


def test_the_tables_hold_what_was_counted() -> None:
    tables = across(reviews())
    assert len(tables) == 2 * len(players_of(reviews()))
    for player, (phases, mistakes) in zip(
            players_of(reviews()), zip(tables[::2], tables[1::2], strict=True), strict=True):
        assert player.name in phases.title
        cells = dict(phases.columns)
        draft = player.of_phase("draft")
        row = phases.names.index("draft")
        assert cells["all"][row] == f"{sum(draft.points) / len(draft.points):.2f}"
        assert f"won {sum(player.won):g} of 2" in phases.below[-1]
        luck = 100 * math.fsum(player.luck) / 2
        assert f"draws {luck:+.1f} +- " in phases.below[-1]
        points = [float(cell) for cell in dict(mistakes.columns)["points"]]
        assert points == sorted(points, reverse=True)
        assert len(mistakes.names) <= 6
    assert across(reviews()[:1]) == []


def test_a_table_without_rows_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    player = with_losses(0.0, 0.0, 0.0)
    monkeypatch.setattr("pavilion_ai.render.across_text.players_of", lambda _: [player])
    (table,) = across([])
    assert table.names == ["draft"]


def test_who_decided_nothing_agreed_with_nothing() -> None:
    cells = dict(several_columns([Totals(seats=1)]))
    assert [cells[heading] for heading in ("moves", "agreed", "each %", "pts")] == [
        ["0"], ["-"], ["-"], ["-"]]


def test_the_object_holds_what_the_tables_show() -> None:
    found: Any = several_to_json(reviews())
    assert (found["games"], found["unfinished"], found["left_out"]) == (4, 0, 0)
    for told, player in zip(found["players"], players_of(reviews()), strict=True):
        assert (told["agent"], told["game"], told["games"]) == (player.name, player.game, 2)
        assert (told["finished"], told["deals"], told["won"]) == (2, 2, sum(player.won))
        for key, values in (("luck", player.luck), ("others_mistakes", player.given),
                            ("own_mistakes", [-one for one in player.lost])):
            mean = told[key]
            assert mean["value"] == pytest.approx(math.fsum(values) / 2, abs=1e-4)
            assert mean["low"] < mean["value"] < mean["high"]
        points = [one["lead_loss"] for one in told["mistakes"]]
        assert points == sorted(points, reverse=True)
        assert {one["kind"] for one in told["mistakes"]} == {*player.mistakes}
        rounds = {(one["phase"], one["round"]): one["decisions"] for one in told["rounds"]}
        assert rounds == {key: len(one.points) for key, one in player.phases.items()}
        levels = {one["phase"]: one["like_level"] for one in told["phases"]}
        assert levels.keys() == {phase for phase, _ in player.phases}
        for phase, like in levels.items():
            level = level_like(player, phase)
            assert (like is None) == (level is None)
            if level is not None:
                assert [*like] == ["value", "low", "high", "beyond"]
                assert [*like.values()][:3] == pytest.approx([*level][:3], abs=1e-4)
                assert like["beyond"] == (level.beyond or None)
        assert levels["draft"] is not None
    broken: Any = several_to_json([replace(reviews()[0], complete=False), *reviews()[1:]])
    assert (broken["games"], broken["left_out"]) == (3, 1)


def test_errors_are_not_rounded_to_0() -> None:
    starts = [GAMES["azul"].new("coloured", 2, seed=seed) for seed in range(3)]
    player = Player("a", "azul", deals=list(enumerate(starts)))
    assert _reach(Losses([0.5, 0.501, 0.499], starts).mean) == "0.01"
    assert _share(player, [0.0001, 0.0, -0.0001]) == "0.0 +- 0.1"
    assert _share(player, [0.0, 1e-17, -3e-17]) == "0.0"
