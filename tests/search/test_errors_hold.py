"""The printed errors hold what they promise, and only what is certain is called exact."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavilion_ai._core import Rng
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import Analysis, MoveStats
from pavilion_ai.exact import what_is_left
from pavilion_ai.games import Rules, State, rules_of
from pavilion_ai.limits import Limits, LimitsSince
from pavilion_ai.play import Play
from pavilion_ai.render.analysis_text import analysis_lines
from pavilion_ai.render.text import plain
from pavilion_ai.solve import _top_ups, solve_position
from tests.plays import decisions
from tests.solve.oracle import value

from .support import EVERY_VARIANT


def searched(play: Play, sims: int, seed: int, *only: str) -> Analysis:
    return make_agent("default").analyse(play, Limits(sims=sims), seed=seed, only=only)


def opening(game: str, players: int, grey: bool, moves: int, seed: int = 0) -> Play:
    """Return a game after some moves of the policy."""
    play, agent = Play.new(game, board="grey" if grey else "coloured", players=players,
                           seed=seed), make_agent("policy")
    for _ in range(moves):
        play.draw() if play.chance else play.push(agent.choose(play))
    play.draw()
    return play


def near_the_end(game: str, players: int, grey: bool, seed: int, moves: int) -> list[Play]:
    """Return the last decisions of a game played by the policy."""
    play = Play.new(game, board="grey" if grey else "coloured", players=players, seed=seed)
    return [Play(here.position) for here in decisions(play, seed)][-moves:]


def within(move: MoveStats, later: float) -> bool:
    return abs(move.win_prob - later) <= move.win_prob_error


def test_errors_cover_the_value_of_a_search_30_times_as_long() -> None:
    """In 9 of 10 cases; the plain error of an average covers half of them."""
    held = []
    for game, players, grey in EVERY_VARIANT:
        for seed in range(3):
            play = opening(game, players, grey, 4 + 14 * seed, seed)
            if len(play.list_moves("maximal")) == 1:
                continue
            best = searched(play, 300, 1).best
            longer = {move.move: move for move in searched(play, 9000, 2).moves}
            held.append(within(best, longer[best.move].win_prob))
    assert len(held) >= 30
    assert sum(held) >= 0.85 * len(held)


def test_moves_named_and_the_table_agree_within_their_errors() -> None:
    """With each other, and with a longer search of the move alone, in 9 of 10 cases.

    The bound is two standard errors below that: what holds of a position goes together, and there
    are 12.
    """
    held = []
    for play in (opening(*variant, 18) for variant in EVERY_VARIANT):
        table = {move.move: move for move in searched(play, 3000, 0).moves[:2] if move.visits}
        both = {move.move: move for move in searched(play, 3000, 0, *table).moves}
        for name, move in table.items():
            alone = searched(play, 30_000, 1, name).best
            held += [within(move, alone.win_prob), within(both[name], alone.win_prob),
                     within(move, both[name].win_prob)]
    assert len(held) == 72
    assert sum(held) >= 0.73 * len(held)


def test_a_search_past_deals_says_what_it_has_not_seen() -> None:
    """At the end of a round, which is worth the same on every visit until it is opened."""
    play = Play.new("azul", board="grey", players=2, seed=2)
    while play.phase != "wall":
        play.draw() if play.chance else play.push(make_agent("policy").choose(play))
    past, before = (make_agent(spec).analyse(play, Limits(sims=40), seed=1).best
                    for spec in ("default", "ismcts:deals=0"))
    assert past.win_prob == before.win_prob  # no deal is opened yet
    assert past.win_prob_se > 2 * before.win_prob_se > 0


def assert_true(analysis: Analysis, play: Play) -> None:
    """Compare exact values with brute force."""
    seat = analysis.to_move
    for move in analysis.moves:
        wins, leads, _ = value(rules_of(play.position).apply(play.position, move.move), seat,
                               "maximise")
        assert move.win_prob == pytest.approx(wins[seat], abs=1e-9)
        assert move.score_lead == pytest.approx(leads[seat], abs=1e-9)
        assert move.win_prob_se == move.win_prob_error == 0
    keys = [(round(-move.win_prob, 9), round(-move.score_lead, 9)) for move in analysis.moves]
    assert keys == sorted(keys)
    assert [move.order for move in analysis.moves] == list(range(len(analysis.moves)))
    assert analysis.root.win_prob[seat] == analysis.best.win_prob
    assert " exact " in plain(analysis_lines(analysis, None))


@pytest.mark.parametrize(("grey", "decisions"), [(False, 3), (True, 4)])
def test_a_solved_ending_does_not_use_up_the_time(grey: bool, decisions: int) -> None:
    """Where the end is solved the limit of time is not used up; interim reports are exact too."""
    play = near_the_end("azul", 2, grey, 3, decisions)[0]
    reports: list[Analysis] = []
    found = make_agent("default").analyse(play, Limits(seconds=30), on_progress=reports.append,
                                          report_every=0.05)
    assert found.seconds < 10
    assert found.limits == Limits(seconds=30)
    for one in (found, *reports):
        assert_true(one, play)
    assert reports


def test_what_a_search_waited_before_is_not_taken_from_a_solved_ending() -> None:
    """Its half a second begins with the attempt to solve it; a limit of time holds all the same."""
    play = near_the_end("azul", 2, False, 3, 2)[0]
    solution = solve_position(play)
    for seconds, left in ((30.0, 7.5), (7.25, 7.25)):
        waited = LimitsSince(seconds=seconds, begun=100.0)
        assert what_is_left(waited, solution, 107.0) == replace(waited, seconds=left)
    assert what_is_left(Limits(seconds=30), solution, 107.0) == LimitsSince(
        seconds=0.5, begun=107.0)


@pytest.mark.parametrize("grey", [False, True])
def test_moves_that_are_not_asked_about_are_not_told(grey: bool) -> None:
    """By `even`, beside the move named and the favourite, or avoided, though the end is solved."""
    for play in near_the_end("azul", 2, grey, 3, 5):
        worst = searched(play, 3000, 0).moves[-1].move
        for number, options in ((2, {"even": 2}), (2, {"compare": [worst]})):
            found = make_agent("default").analyse(play, Limits(sims=60), seed=1, **options)
            assert len(found.moves) <= number
        assert [one.move for one in searched(play, 3000, 0, worst).moves] == [worst]
        best = searched(play, 3000, 0).best.move
        if best != worst:
            found = make_agent("default").analyse(play, Limits(sims=3000), avoid=[best])
            assert best not in [one.move for one in found.moves]


def test_what_is_too_large_for_the_limit_is_estimated() -> None:
    play = near_the_end("azul", 2, False, 3, 4)[0]
    assert searched(play, 3000, 0).best.exact
    assert not searched(play, 2, 0).best.exact


def takes_what_is_drawn(rules: Rules, state: State, drawn: bool = False) -> bool:
    """Tell whether bonus tiles may be taken after a draw: every move, one draw for all."""
    if state.over:
        return False
    if state.to_move < 0:
        after = state.copy()
        after.apply_chance((next(_top_ups(*rules.top_up(state)))[0],))
        return takes_what_is_drawn(rules, after, drawn=True)
    if drawn and rules.phases[state.phase] == "bonus":
        return True
    for code in state.codes():
        after = state.copy()
        after.apply_code(code)
        if takes_what_is_drawn(rules, after, drawn):
            return True
    return False


def test_an_ending_is_not_exact_while_the_split_of_its_bag_matters() -> None:
    """Where bonus tiles may be taken from what is drawn; else nothing hangs on it."""
    matters = set()
    for game, rest, last, seeds in (("summer", "tower", 4, range(4, 12)), ("azul", "lid", 2, [7])):
        for play in (play for seed in seeds for play in near_the_end(game, 2, False, seed, last)):
            hidden = Play(replace(play.position, **{"bag": None, rest: None}))
            solution = solve_position(hidden)
            assert searched(play, 3000, 0).best.exact
            assert searched(hidden, 3000, 0).best.exact != solution.draws_matter
            assert solution.draws_matter or solution.moves == solve_position(play).moves
            assert solution.draws_matter == takes_what_is_drawn(play.rules, play.state)
            matters.add((game, solution.draws_matter))
    assert matters == {("summer", True), ("summer", False), ("azul", False)}


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_only_what_is_certain_is_exact(game: str, players: int, grey: bool) -> None:
    """A move that ends the game, and with two players what is solved, as brute force says."""
    for number, play in enumerate(near_the_end(game, players, grey, 3, 6)):
        analysis = searched(play, 200, 0)
        if players == 2 and analysis.best.exact:
            assert {move.exact for move in analysis.moves} == {True}
            assert_true(analysis, play)
            continue
        for move in analysis.moves:
            after = play.copy()
            after.push(move.move)
            after.draw(Rng(7))
            assert move.exact == (after.is_over() and move.visits > 0)
            assert (move.win_prob_se == 0) == (move.win_prob_error == 0) == move.exact
            if move.exact:
                winners = after.winners()
                assert move.win_prob == pytest.approx(
                    (play.turn in winners) / len(winners), abs=1e-12)
                assert move.score_mean == pytest.approx(after.scores())
        rows = plain(analysis_lines(analysis, None))
        assert "+-0.00" not in rows
        assert (" exact " in rows) == any(move.exact for move in analysis.moves)
        if number == 5:
            assert analysis.best.exact
