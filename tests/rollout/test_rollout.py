"""Rollouts: candidates played on with the same draws."""

from __future__ import annotations

import json
import math
import tracemalloc
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from pavilion_ai.agents import Agent, Decision, make_agent
from pavilion_ai.analysis import Analysis
from pavilion_ai.errors import MoveError, SpecError
from pavilion_ai.limits import Limits
from pavilion_ai.luck import Luck
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play
from pavilion_ai.render.rollout_text import rollout_lines
from pavilion_ai.render.text import length, plain
from pavilion_ai.rollout import (
    FEWEST_TRIALS,
    JUDGE,
    JUDGE_SIMS,
    Rollout,
    _Tally,
    check_roller,
    roll_out,
)
from pavilion_ai.seeds import decision_seed, derived_seed
from pavilion_ai.workers.local import LocalWorkers
from tests.cli.support import (
    ALL_EXAMPLES,
    AZUL_FOUR,
    EXAMPLES,
    assert_clean,
    chance_position,
    error_lines,
    pavilion,
)

DRAFTING = EXAMPLES / "round3_draft_2p.code"
"""Yellow from display 5 keeps the game level; purple from display 3 loses it."""


def play_of(path: Any) -> Play:
    return Play(parse_position(path.read_text()).position)


def by_hand(play: Play, move: str, agent: str, trials: int, seed: int) -> list[Play]:
    """Play a candidate on by means of positions alone."""
    ends = []
    for number in range(trials):
        own = derived_seed("rollout", seed, number)
        after, luck, decisions = play.copy(), Luck(own, 0, tied=True), 0
        after.push(move)
        while not after.is_over():
            if after.chance:
                luck.draw_in(after)
            else:
                after.push(make_agent(agent).choose(after, seed=decision_seed(own, decisions)))
                decisions += 1
        ends.append(after)
    return ends


def error_of(values: list[float], lowest: float, highest: float) -> float:
    """Return the standard error of a mean, by the farther end of Wilson's interval."""
    z, mean, whole = 1.959964, fmean(values), len(values) + 1.959964**2
    centre = (math.fsum(values) + z**2 * (lowest + highest) / 2) / whole
    squares = math.fsum((value - mean) ** 2 for value in values)
    half = z * math.sqrt(squares + (z * (highest - lowest) / 2) ** 2) / whole
    return max(centre + half - mean, mean - centre + half) / z


@pytest.mark.parametrize(("path", "agent"), [
    (DRAFTING, "greedy"), (AZUL_FOUR, "policy"), (AZUL_FOUR, "random")])
def test_means_and_errors_are_those_of_games_played_by_hand(path: Any, agent: str) -> None:
    play = play_of(path)
    moves = list(play.legal_moves)[:2]
    found = roll_out(play, moves, agent=agent, trials=5, seed=3)
    assert (found.trials, found.agent, found.to, found.decided) == (5, agent, "game", False)
    shares = {}
    for move in moves:
        ends = by_hand(play, move, agent, 5, 3)
        shares[move] = [(play.turn in end.winners()) / len(end.winners()) for end in ends]
        one = next(one for one in found.moves if one.move == move)
        assert one.win_prob == pytest.approx(fmean(shares[move]))
        assert one.win_prob_se == pytest.approx(error_of(shares[move], 0, 1))
        assert one.score_mean == pytest.approx(
            [fmean(end.scores()[seat] for end in ends) for seat in range(len(ends[0].scores()))])
    first, second = found.moves
    worse = [a - b for a, b in zip(shares[first.move], shares[second.move], strict=True)]
    assert (first.worse, first.worse_se) == (0, 0)
    assert second.worse == pytest.approx(fmean(worse)) == pytest.approx(
        first.win_prob - second.win_prob)
    assert second.worse_se == pytest.approx(error_of(worse, -1, 1))
    assert second.worse >= 0


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_a_round_is_played_to_its_deal_and_no_further(game: str) -> None:
    """The deal after a move that ends the round already belongs to the next one."""
    play, agent, decisions = Play.new(game, seed=3), make_agent("policy"), []
    while play.chance != "deal":
        if play.chance:
            play.draw()
        decisions.append((play.copy(), agent.choose(play)))
        play.push(decisions[-1][1])
    own = derived_seed("rollout", 4, 0)
    for before, move in (decisions[-4], decisions[-1]):
        found = roll_out(before, [move], to="round", trials=1, seed=4)
        after, luck, made = Play(before.position), Luck(own, 0, tied=True), 0
        after.push(move)
        while after.position.round == 1 or after.chance:
            if after.chance:
                luck.draw_in(after)
            else:
                after.push(agent.choose(after, seed=decision_seed(own, made)))
                made += 1
        root = make_agent(JUDGE).analyse(
            Play(after.position), Limits(sims=JUDGE_SIMS), seed=own).root
        assert found.moves[0].win_prob == root.win_prob[found.to_move]
        assert found.moves[0].score_mean == pytest.approx(root.score_mean)
    assert made == 0


def test_chances_at_the_end_of_a_round_have_the_error_of_their_spread() -> None:
    """Results of games leave room for others; chances hardly differ, and have their own error."""
    found = tally(36, 36)
    found.outcomes = [(((0.6 + shift, 0.4 - shift), (9.0, 5.0)), ((0.55, 0.45), (9.0, 5.0)))
                      for shift in (-0.03, 0.0, 0.03)]
    best, other = found.ranked()
    assert best.win_prob_se == pytest.approx(0.03 / math.sqrt(3))
    assert other.worse_se == pytest.approx(0.03 / math.sqrt(3))
    assert other.win_prob_se > 0.1  # of equal ones
    assert [(one.win_prob_wilson, one.worse_wilson) for one in (best, other)] == [
        (False, True), (True, False)]
    assert shown(found, "round") == ["60.0 +-7.5", "55.0 +-30.9", "5.0 +-7.5"]


def shown(found: _Tally, to: str) -> list[str]:
    """Return the chances to win that the table shows, then by how much others are worse."""
    moves = tuple(replace(one, move=move)
                  for one, move in zip(found.ranked(), ("D5:Y", "D3:P"), strict=True))
    result = replace(found.result(), to=to, moves=moves)
    rows = [line.split() for line in
            plain(rollout_lines(result, play_of(DRAFTING).position)).splitlines() if "+-" in line]
    return [*(" ".join(row[2:4]) for row in rows), *(" ".join(row[-2:]) for row in rows[1:])]


def test_a_last_round_has_results_and_their_errors_wherever_it_is_said_to_end() -> None:
    """A game has no deal after its last round, so `to="round"` ends with results, too."""
    found = tally(36, 36)
    found.outcomes = [(((won, 1 - won), (9.0, 5.0)), ((less, 1 - less), (9.0, 5.0)))
                      for won, less in ((1.0, 0.0), (0.5, 0.5))]
    assert shown(found, "round") == shown(found, "game")
    found.outcomes = [(((1.0, 0.0), (9.0, 5.0)), ((1.0, 0.0), (9.0, 5.0)))] * 2  # equal ones
    assert shown(found, "round") == shown(found, "game")


def test_moves_of_a_trial_tell_the_judge_nothing_of_the_players(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are no evidence of how anybody plays."""
    judge, pasts = make_agent(JUDGE), []

    class Spy:
        def analyse(self, play: Play, *arguments: Any, **named: Any) -> Analysis:
            pasts.append(play.plies)
            return judge.analyse(play, *arguments, **named)

    monkeypatch.setattr("pavilion_ai.rollout.agent_of_process",
                        lambda spec: Spy() if spec == JUDGE else make_agent(spec))
    roll_out(play_of(DRAFTING), ["D5:Y"], to="round", trials=2)
    assert [len(past) for past in pasts] == [0, 0]


def test_a_play_that_goes_on_meanwhile_is_rolled_out_as_it_stood(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    play = play_of(DRAFTING)
    first, second, *_ = play.legal_moves
    expected = roll_out(play, [first, second], trials=3)
    check = check_roller

    def going_on(spec: str) -> None:
        play.push(first)
        check(spec)

    monkeypatch.setattr("pavilion_ai.rollout.check_roller", going_on)
    assert roll_out(play, [first, second], trials=3) == expected
    assert play.moves == (first,)


def test_an_interrupt_leaves_what_was_played() -> None:
    play = play_of(DRAFTING)

    def interrupt(trials: int) -> None:
        if trials == 3:
            raise KeyboardInterrupt

    found = roll_out(play, ["D5:Y", "D3:P"], trials=9, on_progress=interrupt)
    assert (found.trials, found.interrupted) == (3, True)
    assert not roll_out(play, ["D5:Y"], trials=2).interrupted


def test_a_command_that_is_interrupted_prints_what_it_knows_and_says_so(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: object, text: str) -> None:
        if text.startswith("trial 3 "):
            raise KeyboardInterrupt

    monkeypatch.setattr("pavilion_ai.cli.rollout.ProgressLine.show", interrupt)
    result = pavilion("rollout", DRAFTING, "--move", "D5:Y", "--trials", 9, "--json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["trials"] == 3


def test_an_interrupt_ends_the_trial_that_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    class Thinker(Agent):
        """Thinks until it is stopped, but for the first trial."""

        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            raise AssertionError

        def decide(self, play: Play, limits: Limits | None = None, *, stop: Any = None,
                   **_: Any) -> Decision:
            if asked:
                assert stop.wait(60)
            return Decision(play.legal_moves[0])

    def interrupt(trials: int) -> None:
        asked.append(trials)
        raise KeyboardInterrupt

    asked: list[int] = []
    monkeypatch.setattr("pavilion_ai.rollout.agent_of_process", lambda spec: Thinker(spec))
    found = roll_out(play_of(DRAFTING), ["D5:Y", "D3:P"], agent="policy", on_progress=interrupt)
    assert (found.interrupted, found.trials, asked) == (True, 1, [1])


def test_an_interrupt_before_the_first_trial_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pavilion_ai.rollout.results", interrupted)
    with pytest.raises(KeyboardInterrupt):
        roll_out(play_of(DRAFTING), ["D5:Y"], trials=2)


def test_a_single_trial_tells_nothing_of_errors() -> None:
    arguments = ["rollout", DRAFTING, "--move", "D5:Y", "--move", "D3:P", "--trials", 1]
    result = pavilion(*arguments, "--json")
    assert_clean(result)
    found = json.loads(result.stdout)
    assert [(one["win_prob_se"], one["score_lead_se"]) for one in found["moves"]] == [
        (0.5, None)] * 2
    assert [one["worse_se"] for one in found["moves"]] == [0, 1]
    text = pavilion(*arguments).stdout
    assert "1 trial to the end of the game" in text
    assert "+-0.0" not in text


def test_equal_trials_leave_room_for_others() -> None:
    play = play_of(EXAMPLES / "azul_round4_close_2p.code")
    few, more = (roll_out(play, ["C:R>3"], trials=trials, seed=32) for trials in (2, 30))
    assert (few.moves[0].score_lead, few.moves[0].score_lead_se) == (-4, None)
    assert "+-0.0" not in str(few)
    error = more.moves[0].score_lead_se
    assert error is not None
    assert 0 < error < 2
    alike = roll_out(play_of(DRAFTING), ["D5:Y", "D3:P"], trials=4, to="round")
    assert [one.worse for one in alike.moves] == [0, 0]
    assert alike.moves[1].worse_se > 0.1
    assert "+-0.0" not in str(alike)
    sure = replace(more.moves[0], win_prob_se=1e-4, score_lead_se=1e-4)
    assert str(replace(more, moves=(sure,))).count("+-0.1") == 2


def test_the_same_draws_make_differences_surer_than_values() -> None:
    play = play_of(DRAFTING)
    found = roll_out(play, ["D5:Y", "D3:R"], trials=60, until_decided=False)
    second = found.moves[1]
    assert second.worse_se < math.hypot(found.moves[0].win_prob_se, second.win_prob_se)
    assert all(one.score_lead_se is not None and one.score_lead_se > 0 for one in found.moves)


def test_a_rollout_ends_when_the_order_is_decided() -> None:
    play = play_of(EXAMPLES / "azul_round4_close_2p.code")
    moves = ["D2:Y>2", "C:W>F"]
    found = roll_out(play, moves, trials=200, seed=1)
    assert found.decided
    assert FEWEST_TRIALS <= found.trials < 200
    assert found.moves[1].worse > 3 * found.moves[1].worse_se
    few = roll_out(play, moves, trials=FEWEST_TRIALS - 1, seed=1)
    assert few.moves[1].worse > 3 * few.moves[1].worse_se
    assert not few.decided
    wanted = roll_out(play, moves, trials=200, error=0.07, until_decided=False)
    assert FEWEST_TRIALS <= wanted.trials < 200
    assert wanted.moves[1].worse_se <= 0.07
    assert roll_out(play, moves, trials=45, until_decided=False).trials == 45
    alone = roll_out(play, moves[:1], trials=200, error=0.08)
    assert alone.trials < 200
    assert alone.moves[0].win_prob_se <= 0.08
    assert not alone.decided


def tally(*wins: int) -> _Tally:
    """Return 36 trials of candidates that won so many of them."""
    found = _Tally("code", 0, tuple("abc"[:len(wins)]), "policy", "game", 1)
    for number in range(36):
        found.add(tuple(((float(number < won), float(number >= won)), (9.0, 5.0))
                        for won in wins))
    return found


def test_three_standard_errors_decide_the_order() -> None:
    assert tally(36, 25).result().decided
    assert not tally(36, 26).result().decided  # 2.9 of them
    assert not tally(36, 36, 18).result().decided  # of every other candidate


def test_the_error_to_stop_at_is_that_of_every_difference() -> None:
    found = tally(36, 36, 18)
    assert [round(one.worse_se, 3) for one in found.ranked()] == [0, 0.049, 0.115]
    assert not found.is_enough(0.06, until_decided=False)
    assert tally(36, 36, 18).is_enough(0.12, until_decided=False)


def test_trials_to_come_are_not_listed() -> None:
    play = play_of(DRAFTING)
    tracemalloc.start()
    try:
        found = roll_out(play, ["D5:Y"], agent="random", error=1.0, trials=60_000, seed=2)
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()
    assert found.trials == FEWEST_TRIALS


def test_the_number_of_workers_changes_nothing() -> None:
    play = play_of(AZUL_FOUR)
    moves = list(play.legal_moves)[:3]
    alone = roll_out(play, moves, trials=50, seed=5)
    with LocalWorkers(2) as workers:
        assert roll_out(play, moves, trials=50, seed=5, workers=workers) == alone
    assert roll_out(play, moves, trials=50, seed=6) != alone


@pytest.mark.parametrize("path", ALL_EXAMPLES, ids=lambda path: path.name)
def test_every_example_can_be_rolled_out(path: Any) -> None:
    play = play_of(path)
    moves = list(play.legal_moves)[:2]
    for to in ("game", "round"):
        found = roll_out(play, moves, trials=2, to=to)
        assert {one.move for one in found.moves} == set(moves)
        for one in found.moves:
            assert 0 <= one.win_prob <= 1
            assert len(one.score_mean) == play.start.players
        assert found.trials == 2


def test_one_trial_has_no_error_and_decides_nothing() -> None:
    found = roll_out(play_of(DRAFTING), ["D5:Y", "D3:P"], trials=1)
    assert not found.decided
    assert [one.win_prob_se for one in found.moves] == [0.5, 0.5]


def test_candidates_that_win_alike_stand_in_order_of_their_leads() -> None:
    play = play_of(DRAFTING)
    moves = [*play.legal_moves, play.legal_moves[0]]
    found = roll_out(play, moves, agent="greedy", trials=1).moves
    assert len(found) == len(moves) - 1  # each once
    assert list(found) == sorted(found, key=lambda one: (-one.win_prob, -one.score_lead))
    assert len({one.win_prob for one in found}) < len({one.score_lead for one in found})


def test_what_cannot_be_rolled_out_is_refused() -> None:
    play = play_of(DRAFTING)
    with pytest.raises(ValueError, match="no candidates"):
        roll_out(play, [])
    with pytest.raises(MoveError):
        roll_out(play, ["D9:Y"])
    for spec in ("cmd:cat", "nobody", "ismcts", "default"):
        with pytest.raises(SpecError):
            roll_out(play, ["D5:Y"], agent=spec)
    wrong: dict[str, Any]
    for wrong in ({"to": "rnd"}, *({"trials": value} for value in (0, -5, 2.5, "4", True)),
                  *({"error": value} for value in (math.nan, 7, "x", -0.1))):
        with pytest.raises(SpecError, match=rf"^{next(iter(wrong))} .*: expected"):
            roll_out(play, ["D5:Y"], **wrong)
    over = Play(parse_position(chance_position()).position)
    with pytest.raises(ValueError, match="no seat is to move"):
        roll_out(over, ["D5:Y"])


def test_the_command_prints_a_table_and_json() -> None:
    result = pavilion("rollout", DRAFTING, "--top", "2", "--trials", "40", "--sims", "300")
    assert_clean(result)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("seat 1 to move, the best move is ")
    assert lines[1].endswith("trials to the end of the game, played on by policy, seed 0")
    assert max(map(len, lines)) <= 80
    data = json.loads(pavilion("rollout", DRAFTING, "--move", "D5:Y", "--move", "D3:P", "--trials",
                               "40", "--to", "round", "--jobs", "2", "--json").stdout)
    again = roll_out(play_of(DRAFTING), ["D5:Y", "D3:P"], trials=40, to="round")
    assert isinstance(again, Rollout)
    assert data == again.to_json()
    assert f"{again}\n" == pavilion("rollout", DRAFTING, "--move", "D5:Y", "--move", "D3:P",
                                    "--trials", "40", "--to", "round").stdout
    assert [move["move"] for move in data["moves"]] == ["D5:Y", "D3:P"]


@pytest.mark.parametrize(("percent", "trials"), [(50, 36), (0.5, 60)])
def test_the_command_takes_an_error_in_percent(percent: float, trials: int) -> None:
    """With 36 trials it is some 10 %, so that half of everything is enough and half a % is not."""
    result = pavilion("rollout", DRAFTING, "--move", "D5:Y", "--move", "D3:P", "--all",
                      "--trials", 60, "--error", percent, "--json")
    assert_clean(result)
    assert json.loads(result.stdout)["trials"] == trials


def test_the_table_has_the_numbers_of_the_seat_to_move() -> None:
    play = play_of(DRAFTING)
    found = roll_out(play, ["D5:Y", "D3:P"], trials=9, to="round", seed=2)
    lines = plain(rollout_lines(found, play.position)).splitlines()
    assert lines[0] == "seat 1 to move, the best move is not decided"
    sure = plain(rollout_lines(replace(found, decided=True), play.position))
    assert sure.startswith("seat 1 to move, the best move is decided\n")
    assert lines[1] == "9 trials to the end of the round, played on by policy, seed 2"
    for move in found.moves:
        row = next(line for line in lines if f" {move.move} " in line).split()
        wide = [f"+-{(1.959964 if wilson else 2.306004) * error:.1f}" for error, wilson in (
            (100 * move.win_prob_se, move.win_prob_wilson), (move.score_lead_se or 0.0, False),
            (100 * move.worse_se, move.worse_wilson))]
        assert row == [
            str(move.order + 1), move.move, f"{100 * move.win_prob:.1f}", wide[0],
            f"{move.score_mean[1]:.1f}", f"{move.score_lead:+.1f}", wide[1],
            *([f"{100 * move.worse:.1f}", wide[2]] if move.order else [])]
    assert max(map(length, rollout_lines(found, play.position, width=40))) <= 40
    # Wilson's is meant for few, the lead's is not
    best = replace(found.moves[0], win_prob_wilson=True)
    game = replace(found, to="game", trials=2, moves=(best,))
    row = next(line for line in plain(rollout_lines(game, play.position)).splitlines()
               if f" {best.move} " in line).split()
    assert row[3] == f"+-{100 * 1.959964 * best.win_prob_se:.1f}"
    assert row[6] == f"+-{12.706205 * (best.score_lead_se or 0):.1f}"
    alone = plain(rollout_lines(roll_out(play, ["D5:Y"], trials=2), play.position))
    assert alone.startswith("seat 1 to move, one candidate\n2 trials to the end of the game,")


def test_the_command_refuses_in_one_line() -> None:
    for arguments, message in (
        (["--move", "D5:Y", "--top", "2"], "--move and --top exclude each other"),
        (["--move", "D9:Y"], "D9:Y is not legal"),
        (["--agent", "ismcts"], "expected a limit for each decision"),
        (["--agent", "cmd:cat"], "expected one of this package"),
    ):
        result = pavilion("rollout", DRAFTING, *arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert len(error_lines(result)) == 1
        assert message in result.stderr
