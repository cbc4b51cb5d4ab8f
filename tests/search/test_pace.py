"""Time management: the share of a clock that a decision gets, and when a search has done enough."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from pavilion_ai._core import RootMove
from pavilion_ai.agents import make_agent
from pavilion_ai.clock import TimeControl
from pavilion_ai.focus import Focus
from pavilion_ai.games import GAMES, Rules
from pavilion_ai.limits import Limits, LimitsSince
from pavilion_ai.pace import (
    BOLD,
    LAGS,
    LATENESS,
    LEAST_LEFT,
    MOST_SHARE,
    OPEN,
    OwnClock,
    Pace,
    choices_made,
    pace_for,
)
from pavilion_ai.play import Play
from pavilion_ai.position import AzulPosition
from pavilion_ai.readings import GAMES_KEPT
from pavilion_ai.search import Searcher, _Run
from tests.clocks import Time
from tests.plays import VARIANTS, decisions, turns


def row(visits: int, mean: float = 0.5) -> RootMove:
    return RootMove((0,), visits, visits * mean, 0.1, (float(visits), 0.0), 0.0, (0.0, 0.0))


def walk(game: str, board: str, players: int, seed: int = 3) -> Iterator[Any]:
    """Yield the play at every decision of a quick game."""
    return decisions(Play.new(game, board=board, players=players, seed=seed), seed)


# ------------------------------------------------------------------------------- what is expected

@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_what_a_seat_expects_falls_to_about_nothing(variant: tuple[str, str, int]) -> None:
    left: dict[int, list[float]] = {}
    for play in walk(*variant):
        seat = play.turn
        rules, position = play.rules, play.position
        assert 0 < rules.share_of_clock(position) <= 1
        left.setdefault(seat, []).append(rules.choices_left(position))
    rules = GAMES[variant[0]]
    for numbers in left.values():
        assert numbers[0] == pytest.approx(rules.choices_per_game(play.start), rel=0.1)
        assert numbers[-1] < 0.3 * numbers[0]
        assert max(numbers) == numbers[0]
        assert min(numbers) >= 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_line_that_is_tiled_is_no_choice_any_more(players: int) -> None:
    """While walls are tiled a seat has its full lines before it, and all rounds to come."""
    met = set()
    for play in walk("azul", "grey", players):
        position = cast(AzulPosition, play.position)
        if position.phase != "wall" or position.round > 5 or position.to_move is None:
            continue
        table = play.rules.choices["grey", players]
        full = sum(sum(line) == size
                   for size, line in enumerate(position.seats[position.to_move].lines, 1))
        later = sum(sum(table[phase][position.round:]) for phase in ("draft", "wall"))
        assert play.rules.choices_left(position) == pytest.approx(
            max(1, min(full, table["wall"][position.round - 1]) + later))
        met.add(full)
    assert len(met) > 2


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_tables_have_a_number_for_every_round(variant: tuple[str, str, int]) -> None:
    game, board, players = variant
    table = GAMES[game].choices[board, players]
    rounds = len(table["reached"])
    assert all(len(counts) == rounds for counts in table.values())
    assert table["reached"][0] == 1
    assert set(table) - {"reached"} <= set(GAMES[game].worth)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_first_draft_has_its_share_of_what_a_game_is_worth(
    variant: tuple[str, str, int]
) -> None:
    """Every choice counts by its own round; drafts count less as their round goes on."""
    game, board, players = variant
    rules, total = GAMES[game], 0.0
    for phase, counts in rules.choices[board, players].items():
        for number, count in enumerate(counts):
            if phase != "reached":
                worth = rules.worth[phase][min(number, len(rules.worth[phase]) - 1)]
                total += count * worth / (1 + rules.fade if phase == "draft" else 1)
    start = Play.new(game, board=board, players=players, seed=3).position
    assert rules.share_of_clock(start) == pytest.approx(rules.worth["draft"][0] / total)


@pytest.mark.parametrize("rules", GAMES.values(), ids=repr)
def test_rounds_beyond_the_table_are_worth_what_its_last_one_is(rules: Rules) -> None:
    for phase, worth in rules.worth.items():
        found = [rules.worth_of(phase, number) for number in range(1, len(worth) + 3)]
        assert found == [*worth, worth[-1], worth[-1]]
        with pytest.raises(ValueError, match="round 0: expected 1 or a later one"):
            rules.worth_of(phase, 0)


def test_nobody_to_move_expects_nothing() -> None:
    play = Play.new(seed=1)
    while play.turn is not None:
        play.push(play.legal_moves[0])
    for ask in (play.rules.share_of_clock, play.rules.choices_left):
        with pytest.raises(ValueError, match="no seat is to move"):
            ask(play.position)
    with pytest.raises(ValueError, match="no seat is to move"):
        pace_for(play, Limits(clock=(1.0, 1.0)))


# ---------------------------------------------------------------------------- dividing the clock

@pytest.mark.parametrize("managed", [True, False])
@pytest.mark.parametrize("variant", [VARIANTS[0], VARIANTS[5], VARIANTS[6], VARIANTS[11]], ids=str)
def test_a_clock_lasts_for_a_game_in_which_every_decision_takes_the_most(
    variant: tuple[str, str, int], managed: bool
) -> None:
    control = TimeControl(10.0, 0.01)
    left = [control.seconds] * variant[2]
    for play in walk(*variant):
        seat = play.turn
        pace = pace_for(play, Limits(clock=tuple(left), increment=(0.01,) * len(left)), managed)
        assert pace is not None
        assert 0 < pace.aim <= pace.most < left[seat]
        if not managed:  # also in a game with more choices than usual
            assert pace.aim <= left[seat] / LEAST_LEFT + control.increment
        left[seat] += control.increment - pace.most
    assert min(left) > 0


@pytest.mark.parametrize("managed", [True, False])
def test_an_increment_is_not_spent_before_it_is_there(managed: bool) -> None:
    limits = Limits(clock=(2.0, 2.0), increment=(60.0, 60.0))
    pace = pace_for(Play.new(seed=2), limits, managed)
    assert pace is not None
    assert 0 < pace.aim <= pace.most <= MOST_SHARE * 2.0


def test_equal_time_for_every_choice() -> None:
    left = 10.0
    aims = []
    for play in walk("summer", "coloured", 2):
        if play.turn == 0 and len(play.list_moves("maximal")) > 1 and play.position.round < 6:
            pace = pace_for(play, Limits(clock=(left, 1.0)), managed=False)
            assert pace is not None
            assert pace.aim == pace.most
            aims.append(pace.aim)
            left -= pace.aim
    expected = (10.0 - LATENESS) / GAMES["summer"].choices_per_game(play.start)
    assert aims == pytest.approx([expected] * len(aims), rel=0.01)


@pytest.mark.parametrize("game", GAMES)
def test_choices_made_are_those_with_an_alternative(game: str) -> None:
    made = [0, 0]
    for play in walk(game, "coloured", 2, seed=16):  # where tiles could be given up for nothing
        seat = play.turn
        assert choices_made(play, seat) == made[seat]
        made[seat] += len(play.list_moves("maximal")) > 1
    assert min(made) > 15


def test_the_share_the_increment_and_the_lag() -> None:
    play = Play.new(seed=2)
    seat = play.turn or 0
    share = play.rules.share_of_clock(play.position)

    def aim(left: float, added: float = 0.0, lag: float = 0.0) -> float:
        found = pace_for(play, Limits(clock=(left,) * 2, increment=(added,) * 2), lag=lag)
        assert found is not None
        return found.aim

    assert seat == play.turn
    assert aim(100) == pytest.approx(BOLD * share * (100 - LATENESS))
    assert aim(100, 1) == pytest.approx(aim(100) + BOLD * (1 - share))
    kept = LATENESS + LAGS * 0.1 * play.rules.choices_left(play.position)
    assert aim(100, lag=0.1) == pytest.approx(BOLD * share * (100 - kept))
    assert 0 < aim(0.01) < 0.01
    open_one = pace_for(play, Limits(clock=(100.0,) * 2))
    assert open_one is not None
    assert open_one.most == pytest.approx(OPEN * open_one.aim)
    assert pace_for(play, Limits(seconds=1)) is None
    none = Limits(clock=tuple(None if other == seat else 1.0 for other in (0, 1)))
    assert pace_for(play, none) is None


# ----------------------------------------------------------------------------- ending a search

def test_a_clear_decision_ends_early_and_an_open_one_late() -> None:
    pace = Pace(aim=1.0, most=3.0)
    clear, mixed = [row(10), row(900)], [row(600), row(400, 0.4)]
    assert not pace.is_enough(0.1, 910, clear)
    assert pace.is_enough(0.4, 910, clear)
    assert not pace.is_enough(0.6, 1000, mixed)
    assert pace.is_enough(1.0, 1000, mixed)
    better = [row(600, 0.5), row(400, 0.6)]  # the second one may take the lead
    assert not pace.is_enough(1.5, 1000, better)
    assert pace.is_enough(3.0, 1000, better)
    assert pace.is_enough(0.01, 5, [row(5)])
    # Visits of earlier searches tell of the favourite, but not of how many are to come.
    assert pace.is_enough(0.4, 100, [row(10), row(400)])
    assert not pace.is_enough(0.4, 910, [row(10), row(400)])


def test_what_a_search_has_waited_for_says_nothing_of_its_rate() -> None:
    pace, rows = Pace(aim=3.2, most=8.0), [row(9200), row(400)]
    assert pace.is_enough(1.1, 10_000, rows)
    assert not pace.is_enough(1.1, 10_000, rows, waited=1.0)
    assert not pace.is_enough(1.0, 10_000, rows, waited=1.0)
    limits = LimitsSince(clock=(60.0, 60.0), begun=time.monotonic() - 1.0)
    run, stop = _Run(Searcher("x"), Play.new(seed=4), limits, 1, 0), threading.Event()
    stop.set()
    run.search(stop=stop)
    run.pace = Mock()
    run.is_enough()
    *_, waited = run.pace.is_enough.call_args.args
    assert waited == run.waited >= 1.0


def test_without_management_a_search_takes_its_time() -> None:
    pace = Pace(aim=1.0, most=1.0, managed=False)
    assert not pace.is_enough(0.99, 1001, [row(1000), row(1)])
    assert pace.is_enough(1.0, 1000, [row(500), row(500)])


def test_a_search_with_a_clock_ends_and_says_what_limited_it() -> None:
    agent, play = make_agent("default"), Play.new(seed=4)
    limits = Limits(clock=(0.5, 0.5), increment=(0.0, 0.0), memory_mib=16)
    analysis = agent.analyse(play, limits)
    assert analysis.sims > 0
    assert analysis.to_json()["limits"] == {
        "sims": None, "seconds": None, "clock": [0.5, 0.5], "increment": [0.0, 0.0]}
    assert "clock" not in agent.analyse(play, Limits(sims=20)).to_json()["limits"]  # type: ignore[operator]
    bounded = agent.decide(play, Limits(sims=30, clock=(1e9, 1e9)))
    assert bounded.sims == 30


@pytest.mark.parametrize(("focus", "fair", "chooses"), [
    ({}, True, True), ({"avoid": 1}, True, True), ({"avoid": 1}, False, True),
    ({"only": 3}, False, True), ({"only": 3}, True, False), ({"only": 1}, True, False),
    ({"compare": 1}, True, False), ({"even": 2}, True, False),
])
def test_a_search_that_chooses_manages_its_time_whatever_moves_it_looks_at(
    focus: dict[str, int], fair: bool, chooses: bool
) -> None:
    play, limits = Play.new(seed=4), Limits(clock=(60.0, 60.0))
    named: dict[str, Any] = {key: count if key == "even" else play.legal_moves[:count]
                             for key, count in focus.items()}
    run = _Run(Searcher("x"), play, limits, 1, 0, Focus.of(play, **named), fair)
    pace = pace_for(play, limits)
    assert pace is not None
    assert run.pace == (pace if chooses else Pace(pace.aim, pace.aim, managed=False))
    assert run.seconds == (pace.most if chooses else pace.aim)
    run.tree.run(20)
    run.pace = Pace(0.0, 0.0)
    assert run.is_enough()


# ------------------------------------------------------------------------- a clock of one's own

def test_an_agent_keeps_its_own_clock_for_each_seat_and_game() -> None:
    time = Time()
    own = OwnClock(TimeControl(10, 1), now=time)
    play = Play.new(seed=5)
    first = play.turn or 0

    def think(seconds: float) -> tuple[float | None, ...]:
        left = own.begin(play).clock
        assert left.count(None) == 1
        time.seconds += seconds
        own.end(play)
        play.push(next(move for move in play.legal_moves if not move.startswith("C:")))
        return left

    assert think(2)[first] == 10
    assert play.turn == 1 - first
    assert think(3)[1 - first] == 10  # the other seat has a clock of its own
    time.seconds += 100  # nobody's time
    assert think(1)[first] == 9
    assert think(1)[1 - first] == 8
    other = Play.new(seed=6)
    assert other.turn is not None
    assert own.begin(other).clock[other.turn] == 10  # another game
    ahead = tuple(replace(seat, score=seat.score + 1) for seat in play.start.seats)
    alike = Play(replace(play.start, seats=ahead), play.moves)
    assert own.begin(alike).clock[first] == 10  # also one with the same moves


def test_a_clock_of_its_own_is_never_below_the_increment() -> None:
    time = Time()
    own = OwnClock(TimeControl(10, 1), now=time)
    play = Play.new(seed=5)
    seat = play.turn or 0
    own.begin(play)
    time.seconds += 50
    own.end(play)
    assert own.begin(play).clock[seat] == 10  # the same decision is no game that goes on
    for _ in range(2):
        play.push(play.legal_moves[0])
    assert play.turn == seat
    assert own.begin(play).clock[seat] == 1


def test_a_game_that_goes_back_goes_on_with_what_was_left_there() -> None:
    time = Time()
    own = OwnClock(TimeControl(10, 1), now=time)
    play = Play.new("azul", seed=5)

    def think(seconds: float) -> float | None:
        seat = play.turn or 0
        left = own.begin(play).clock[seat]
        time.seconds += seconds
        own.end(play)
        return left

    def answer() -> None:
        for _ in range(2):
            play.push(play.legal_moves[0])

    lefts = []
    for seconds in (2, 3, 4):
        lefts.append(think(seconds))
        answer()
    assert lefts == [10, 9, 7]
    assert think(0.5) == 4
    assert think(0.25) == 4  # the same decision again
    answer()
    assert think(0.5) == 4.75
    for _ in range(4):
        play.pop()
    play.push(play.legal_moves[1])  # another move than in the third decision
    play.push(play.legal_moves[0])
    assert think(1) == 4
    for _ in range(6):
        play.pop()
    assert think(2) == 10  # no decision led here
    answer()
    assert think(1) == 9  # and those that came after it are forgotten


def test_games_at_a_time_have_clocks_of_their_own() -> None:
    """Also two of the same deal that part later; of more games than are kept the last ones."""
    time = Time()
    own = OwnClock(TimeControl(10), now=time)
    first, second = (Play.new("azul", seed=1) for _ in range(2))
    plays = [play for seed in range(2, 20)
             if (play := Play.new("azul", seed=seed)).turn == first.turn][1 - GAMES_KEPT:]

    def think(play: Play, seconds: float) -> float | None:
        left = own.begin(play).clock[play.turn or 0]
        time.seconds += seconds
        own.end(play)
        return left

    def answer(play: Play, other: int = 0) -> None:
        play.push(play.legal_moves[other])
        play.push(play.legal_moves[0])

    for play, seconds, then in ((first, (1, 2), (10, 9)), (second, (4, 4), (10, 6))):
        for each, left in zip(seconds, then, strict=True):
            assert think(play, each) == left
            answer(play, 0 if play is first else 1)
    for _ in range(2):
        assert (think(first, 0), think(second, 0)) == (7, 2)
    for play in plays:
        think(play, 5)
        answer(play)
    assert [think(play, 0) for play in plays] == [5] * (GAMES_KEPT - 1)
    assert think(second, 0) == 2
    assert think(first, 0) == 6  # forgotten, but for the decision that is also the other's first


def test_a_spec_with_a_clock_plays_a_game_by_itself() -> None:
    agent = make_agent("default:clock=1000,sims=5")
    for play in turns(Play.new("azul", seed=1)):
        play.push(agent.choose(play))
    assert agent.limited
    assert agent.clock == TimeControl(1000)
