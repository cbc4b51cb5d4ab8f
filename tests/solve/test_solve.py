"""Exact values against brute force, and what is too large said so."""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from pavilion_ai import exact
from pavilion_ai._core import Search
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import Analysis
from pavilion_ai.bounds import OTHERS
from pavilion_ai.cli import program
from pavilion_ai.errors import SpecError
from pavilion_ai.exact import solved, with_exact_values
from pavilion_ai.games import rules_of
from pavilion_ai.limits import Limits, LimitsSince
from pavilion_ai.notation import format_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.render.analysis_text import analysis_lines
from pavilion_ai.search import tunables_for
from pavilion_ai.solve import TooLargeError, _multisets, _Solver, solve_position
from tests.cli.support import AZUL_DRAFT, assert_clean, pavilion
from tests.clocks import Time
from tests.plays import decisions
from tests.search.summer_endings import cut_hands, with_holes
from tests.search.support import EVERY_VARIANT, position_of

from .oracle import value

SMALL = 250
"""Positions that brute force manages in a moment."""


def ends(game: str, players: int, grey: bool, seed: int) -> list[Play]:
    """Return the last decisions of a game played by the policy."""
    play = Play.new(game, board="grey" if grey else "coloured", players=players, seed=seed)
    return [Play(here.position) for here in decisions(play, seed)][-6:]


def check(play: Play, others: str, limit: int = SMALL) -> bool:
    """Compare every move with brute force; tell whether the position was small enough."""
    try:
        found = solve_position(play, others, limit)
    except TooLargeError:
        return False
    rules, seat = rules_of(play.position), play.turn
    assert seat is not None
    assert {move.move for move in found.moves} == set(play.legal_moves)
    keys = []
    for move in found.moves:
        wins, leads, _ = value(rules.apply(play.position, move.move), seat, others)
        assert move.win_prob == pytest.approx(wins, abs=1e-9)
        assert move.score_lead == pytest.approx(leads[seat], abs=1e-9)
        assert sum(move.win_prob) == pytest.approx(1)
        keys.append((-round(wins[seat], 9), -round(leads[seat], 9), move.move))
    assert keys == sorted(keys)
    return True


@pytest.mark.parametrize("others", OTHERS)
@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_the_end_of_a_game_is_that_of_brute_force(
    game: str, players: int, grey: bool, others: str
) -> None:
    checked = [check(play, others) for seed in (1, 2) for play in ends(game, players, grey, seed)]
    assert sum(checked) >= 3


def test_draws_of_bonus_tiles_are_averaged() -> None:
    """What is drawn decides what can be filled next; a fixed draw would not do."""
    checked = averages = 0
    for grey in (False, True):
        for seed in range(8):
            play = Play(position_of(with_holes(seed, grey=grey, bag=3, hand=1)))
            if check(play, "maximise", 1000):
                checked += 1
                averages += any(abs(move.score_lead - round(move.score_lead)) > 0.001
                                for move in solve_position(play).moves)
    assert checked >= 8
    assert averages


def test_players_play_for_what_they_are_said_to() -> None:
    """A seat without hope decides who wins; which way depends on what it still plays for."""
    def differ(play: Play, one: str, other: str) -> bool:
        try:
            answers = [
                {move.move: move.win_prob for move in solve_position(play, others, 2000).moves}
                for others in (one, other)]
        except TooLargeError:
            return False
        return any(answers[0][move] != pytest.approx(answers[1][move], abs=1e-9)
                   for move in answers[0])

    plays = [play for seed in (1, 2, 3) for play in ends("azul", 4, False, seed)]
    assert any(differ(play, "maximise", "mix") for play in plays)
    hands = [Play(position_of(cut_hands(3, False, seed, 2))) for seed in (2, 9)]
    assert any(differ(play, "maximise", "policy") for play in hands)


def test_two_players_win_one_share() -> None:
    """What one behaviour of the other costs: against best play nothing is better."""
    for seed in range(4):
        play = Play(position_of(cut_hands(2, False, seed, 2)))
        seat = play.turn
        assert seat is not None
        best = solve_position(play).moves[0]
        for others in ("utility", "mix", "policy"):
            against = solve_position(play, others).moves[0]
            assert against.win_prob[seat] >= best.win_prob[seat] - 1e-9


def test_a_play_that_goes_on_meanwhile_is_solved_as_it_stood() -> None:
    play = ends("azul", 2, False, 1)[-2]
    first, expected = play.legal_moves[0], solve_position(play)

    def going_on() -> bool:
        if not play.plies:
            play.push(first)
        return False

    assert solve_position(play, stop=going_on) == expected
    assert play.moves == (first,)


def test_what_is_too_large_is_refused_with_its_size() -> None:
    play = ends("summer", 2, False, 1)[0]
    with pytest.raises(TooLargeError, match="more than 2 positions") as refused:
        solve_position(play, limit=2)
    assert refused.value.positions == 2
    with pytest.raises(TooLargeError, match="stopped"):
        solve_position(play, stop=lambda: True)
    small = ends("azul", 2, False, 1)[-2]
    found = solve_position(small)
    assert solve_position(small, limit=found.positions) == found
    with pytest.raises(TooLargeError):
        solve_position(small, limit=found.positions - 1)
    for sims, expected in ((found.positions, found), (found.positions - 1, None)):
        assert solved(small, Limits(sims=sims), lambda: False) == expected
    stop = threading.Event()
    small = ends("azul", 2, False, 1)[-1]
    assert solve_position(small, stop=stop) == solve_position(small)
    stop.set()
    with pytest.raises(TooLargeError, match="stopped"):
        solve_position(play, stop=stop)
    with pytest.raises(SpecError, match="expected a threading"):
        solve_position(play, stop=True)  # type: ignore[arg-type]
    result = pavilion("solve", format_position(play.position, "code"), "--memory", "1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: too large: more than 873 positions (--memory 1)\n"
    result = pavilion("solve", AZUL_DRAFT, "--memory", "1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: another round may follow, expected a position of the last round\n")


def test_without_memory_what_is_remembered_is_given_up_at_once(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    play = ends("azul", 2, False, 1)[-3]
    solver = _Solver(play, "maximise", 10**6, None)
    ended = solver.ended

    def end(state: Any) -> Any:
        if solver.known:
            raise MemoryError
        return ended(state)

    monkeypatch.setattr(solver, "ended", end)
    with pytest.raises(MemoryError):
        solver.value(play.state)
    assert not solver.known


def test_without_memory_there_is_room_for_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Any] = []
    told = program._report

    class Large:
        pass

    def fail(*_: object, **__: object) -> None:
        large = Large()
        held.append(weakref.ref(large))
        raise MemoryError

    def report(lines: Any, code: int) -> int:
        held.append(held[0]())
        return told(lines, code)

    monkeypatch.setattr("pavilion_ai.solve.solve_position", fail)
    monkeypatch.setattr(program, "_report", report)
    done = pavilion("solve", AZUL_DRAFT)
    assert (done.exit_code, done.stderr, held[1]) == (1, "error: out of memory\n", None)


def test_the_command_prints_a_table_and_json() -> None:
    play: Any = ends("summer", 2, False, 1)[-2]
    code = format_position(play.position, "code")
    result = pavilion("solve", code)
    assert_clean(result)
    lines = result.stdout.splitlines()
    assert lines[0].endswith("exactly")
    assert max(map(len, lines)) <= 80
    count = len(solve_position(play).moves)
    for top, last in ((count, False), (count - 1, True)):
        shown = pavilion("solve", code, "--top", top).stdout
        assert shown.endswith("    and 1 more\n") == last
    assert json.loads(pavilion("solve", code, "--json").stdout) == solve_position(play).to_json()
    assert f"{solve_position(play)}\n" == result.stdout
    with pytest.raises(SpecError, match="expected one of maximise"):
        solve_position(play, "nobody")
    for limit in (-1, 1.5, "10", None):
        with pytest.raises(SpecError, match=r"^limit .*: expected a whole number from 0 on"):
            solve_position(play, limit=limit)


def test_the_best_move_of_a_search_has_its_numbers() -> None:
    """It is added only where none that was searched is as good."""
    found = []
    for play in (play for seed in range(8) for play in ends("summer", 2, False, seed)):
        with suppress(TooLargeError):
            solution = solve_position(play, limit=SMALL)
            values = [(round(one.win_prob[play.turn or 0], 9), round(one.score_lead, 9))
                      for one in solution.moves]
            if len(set(values)) > 1 and values[0] == values[1]:
                found.append((play, solution))
    play, solution = found[0]
    searched = make_agent("ismcts:sims=20").analyse(play)

    def ranked(*names: str, more: str = "") -> Analysis:
        moves = tuple(replace(searched.moves[0], move=name, visits=9 + (name == more))
                      for name in names)
        return with_exact_values(replace(searched, moves=moves, only=()), solution)

    best, tied, *_, worst = (one.move for one in solution.moves)
    assert [one.move for one in ranked(worst, tied).moves] == [tied, worst]
    for more in (best, tied):
        assert ranked(worst, best, tied, more=more).best.move == more
    analysis = ranked(worst)
    assert [(one.move, one.visits, one.known) for one in analysis.moves] == [
        (best, 0, True), (worst, 9, True)]
    row, = (text for text in map(str, analysis_lines(analysis, play.position)) if best in text)
    assert f"{100 * solution.moves[0].win_prob[play.turn or 0]:.1f}" in row


def test_the_clock_of_the_seat_to_move_leaves_no_time_to_solve() -> None:
    play = ends("azul", 2, False, 1)[-1]
    for other in (True, False):
        clock = tuple(5.0 if (seat == play.turn) != other else None for seat in range(2))
        found = solved(play, Limits(sims=1000, clock=clock), lambda: False)
        assert (found is not None) is other


@pytest.mark.parametrize(("gone", "allowed"), [(0.0, 0.4), (1.0, 0.2), (1.99, 0.002), (5.0, 0.0)])
def test_time_that_has_gone_is_not_there_to_solve(
    gone: float, allowed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, play = Time(), ends("azul", 2, False, 1)[-1]

    def tried(play: Play, *, limit: int, stop: Callable[[], bool]) -> None:
        while not stop():
            now.seconds += 1 / 1024
        raise TooLargeError("", 0)

    monkeypatch.setattr(exact, "time", SimpleNamespace(monotonic=now))
    monkeypatch.setattr(exact, "solve_position", tried)
    assert solved(play, LimitsSince(seconds=2.0, begun=-gone), lambda: False) is None
    assert now.seconds == pytest.approx(allowed, abs=1 / 512)


def test_the_table_has_the_numbers_of_the_seat_to_move() -> None:
    play = ends("azul", 3, False, 3)[4]    # seat 1 is to move, seat 0 wins
    code = format_position(play.position, "code")
    said = set()
    for others in OTHERS:
        found = solve_position(play, others)
        lines = pavilion("solve", code, "--others", others).stdout.splitlines()
        rows = [line.split() for line in lines[4:] if line[:3].strip().isdigit()]
        best = found.moves[0].win_prob[play.turn or 0]
        assert lines[0] == f"seat {play.turn} to move, wins {100 * best:.2f} %, exactly"
        assert rows == [
            [str(rank), move.move, f"{100 * move.win_prob[play.turn or 0]:.2f}",
             f"{move.score_mean[play.turn or 0]:.1f}", f"{move.score_lead:+.1f}"]
            for rank, move in enumerate(found.moves[:5], 1)]
        said.add(lines[1])
    assert len(said) == len(OTHERS)  # what the others do


def test_a_search_and_the_solver_maximise_one_utility() -> None:
    play = ends("azul", 2, False, 1)[-1]
    tunables = tunables_for(play.rules)
    tree = Search(play.state, seed=1, memory_bytes=1 << 20, **tunables)
    tree.run(100)
    solver, seat = _Solver(play, "utility", SMALL, None), play.turn
    for row in tree.rows():
        after = play.copy()
        after.push(play.rules.move_text(play.position, row.move))
        assert after.is_over()
        worth = solver.value(after.state).utilities[seat or 0]
        assert row.value / row.visits == pytest.approx(worth)


@pytest.mark.parametrize(("game", "discards", "decision", "told"), [
    ("summer", "tower", 0, "note: the bag is not known: all unseen tiles taken as in the bag\n"),
    ("summer", "tower", -1, ""),
    ("azul", "lid", -1, ""),
])
def test_an_unknown_bag_is_told_where_draws_matter(
        game: str, discards: str, decision: int, told: str) -> None:
    known = to_json(ends(game, 2, False, 7)[decision].position)
    result = pavilion("solve", "-", stdin=json.dumps({**known, "bag": None, discards: None}))
    assert (result.exit_code, result.stderr) == (0, told)


def test_an_interrupted_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pavilion_ai.solve.solve_position", interrupted)
    result = pavilion("solve", AZUL_DRAFT)
    assert (result.exit_code, result.stdout) == (130, "")
    assert "interrupted before the position was solved" in result.stderr


def test_draws_that_were_listed_are_not_kept_for_ever() -> None:
    """A server solves endings with ever new bags."""
    for number in range(3000):
        _multisets((number % 23, number // 23 % 23, number // 529, 1, 0, 0), 2)
    assert _multisets.cache_info().currsize < 2000
