"""Levels of play: their order, their mistakes, and that their answers are as sound as any."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from pavilion_ai import network
from pavilion_ai._core import Rng
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import Analysis, MoveStats
from pavilion_ai.bounds import MAX_LEVEL
from pavilion_ai.errors import SpecError
from pavilion_ai.games import GAMES
from pavilion_ai.levels import NETWORK_LEVEL, PLAUSIBLE, PRIOR_VISITS, level_of, weights
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.spec import parse_spec
from tests.plays import turns

from .analyses import check_analysis
from .chi_square import FALSE_ALARM, upper_tail
from .support import EVERY_VARIANT, opening, position_of, states, walk, wins

LEVELS = range(1, MAX_LEVEL)
every_game = pytest.mark.parametrize("game", GAMES)


def spec(level: int) -> str:
    return f"default:level={level}"


def without_times(analysis: Analysis) -> dict[str, object]:
    answer = analysis.to_json()
    return {key: answer[key] for key in answer if key not in ("seconds", "sims_per_second")}


# ------------------------------------------------------------------------------- parameters


@every_game
def test_every_level_sees_further_and_is_stricter_than_the_one_below(game: str) -> None:
    levels = [level_of(GAMES[game], number) for number in LEVELS]
    for group in (levels[: NETWORK_LEVEL - 1], levels[NETWORK_LEVEL - 1 :]):
        for lower, higher in pairwise(group):
            assert lower.sims < higher.sims
            assert lower.temperature > higher.temperature > 0


@pytest.mark.parametrize(("text", "complaint"), [
    ("default:level=0", "option level: found '0', expected a whole number from 1 to 10"),
    ("default:level=11", "option level: found '11', expected a whole number from 1 to 10"),
    ("default:level=easy", "option level: found 'easy', expected a whole number from 1 to 10"),
    ("default:level=2.5", "option level: found '2.5', expected a whole number"),
    ("default:level", "expected level=VALUE"),
    ("default:level=3,level=4", "level is given twice"),
    ("default:level=3,sims=100", "option sims: expected none beside level=3"),
    ("default:time=1,level=9", "option time: expected none beside level=9"),
    ("default:level=3,threads=2", "option threads: expected none beside level=3"),
    ("ismcts:level=3", "agent ismcts, option 'level': expected one of"),
])
def test_bad_specs(text: str, complaint: str) -> None:
    with pytest.raises(SpecError, match=f"^[^\n]*{re.escape(complaint)}[^\n]*$"):
        make_agent(text)


def test_who_heeds_limits() -> None:
    assert [make_agent(spec(level)).searches for level in LEVELS] == [False] * len(LEVELS)
    assert all(parse_spec(spec(level)).has_limit for level in LEVELS)
    assert make_agent(spec(MAX_LEVEL)).searches
    assert not parse_spec(spec(MAX_LEVEL)).has_limit
    assert parse_spec("default:level=10,sims=5").has_limit


@every_game
def test_limits_and_threads_make_no_difference_to_a_level(game: str) -> None:
    position, agent = opening(game=game), make_agent(spec(4))
    asked = agent.analyse(Play(position), Limits(sims=3000), threads=3, seed=6)
    assert without_times(asked) == without_times(agent.analyse(Play(position), seed=6))
    assert (asked.sims, asked.threads) == (level_of(GAMES[game], 4).sims, 1)
    assert asked.limits.sims == asked.sims


@every_game
def test_the_best_level_is_the_default_agent(game: str) -> None:
    position, limits = opening(game=game), Limits(sims=200)
    answers = [without_times(make_agent(text).analyse(Play(position), limits, seed=3))
               for text in (spec(MAX_LEVEL), "default")]
    assert [answer.pop("agent") for answer in answers] == [spec(MAX_LEVEL), "default"]
    assert answers[0] == answers[1]


@every_game
def test_the_lower_levels_do_without_a_network(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, int]] = []
    monkeypatch.setattr(network, "shipped", lambda *variant: asked.append(variant))
    for level in LEVELS:
        make_agent(spec(level)).choose(Play(opening(game=game)))
        assert asked == [(game, "coloured", 2)] * max(0, level - NETWORK_LEVEL + 1)


# ---------------------------------------------------------------------------------- answers


@pytest.mark.usefixtures("plain_wins")
@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_answers_hang_together(game: str, players: int, grey: bool) -> None:
    for number, state in enumerate(list(walk(players, grey, 23, game))[3::8]):
        position, level = position_of(state), 1 + number % len(LEVELS)
        agent = make_agent(spec(level))
        analysis = agent.analyse(Play(position), seed=number)
        check_analysis(position, analysis)
        assert agent.choose(Play(position), seed=number) == analysis.best.move
        assert analysis.agent == spec(level)
        assert analysis.final
        others = [move.visits for move in analysis.moves[1:]]
        assert others == sorted(others, reverse=True)


@every_game
def test_the_same_answer_every_time(game: str) -> None:
    position = opening(3, "grey", game=game)
    for level in LEVELS:
        answers = {
            json.dumps(without_times(make_agent(spec(level)).analyse(Play(position), seed=8)))
            for _ in range(3)
        }
        assert len(answers) == 1


def test_a_level_heeds_the_moves_that_are_named() -> None:
    agent, play = make_agent(spec(3)), Play(opening())
    *others, one = play.legal_moves
    for options in ({"only": [one]}, {"avoid": others}):
        assert agent.decide(play, **options).move == one
        assert [row.move for row in agent.analyse(play, **options).moves] == [one]


def test_nobody_to_move() -> None:
    for state in states(2, False, 3, round=6)[-1:]:
        while state.to_move >= 0:
            state.apply(state.random_move(Rng(1)))
        with pytest.raises(ValueError, match="no seat is to move"):
            make_agent(spec(1)).choose(Play(position_of(state)))


# --------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(("found", "temperature", "expected"), [
    ([(90, 1.0), (40, 1.0), (15, 1.0)], 1.0, [1, 0.5, 0.25]),
    ([(20, 0.5), (0, 0.5), (0, 0.0)], 0.5, [1, 0.04, 0]),
    ([(98, 0.2), (1, 0.1), (0, 0.15), (1, 0.0)], 2.0, [1, 0.02**0.5, 0, 0]),
])
def test_weights_by_hand(
    found: list[tuple[int, float]], temperature: float, expected: list[float]
) -> None:
    """A prior of 1 is 10 visits; what has less than 2 % of the favourite is implausible."""
    moves = [MoveStats("x", 0, visits, 0, 0, (), 0, prior, ()) for visits, prior in found]
    assert weights(moves, temperature) == pytest.approx(expected)


@every_game
def test_moves_are_drawn_by_their_weights(game: str) -> None:
    """Seed by seed: the search differs too, so the expected numbers are added up over all."""
    position, agent = opening(game=game), make_agent(spec(1))
    expected: dict[str, float] = {}
    found: dict[str, int] = {}
    for seed in range(700):
        analysis = agent.analyse(Play(position), seed=seed)
        shares = weights(analysis.moves, level_of(GAMES[game], 1).temperature)
        for move, share in zip(analysis.moves, shares, strict=True):
            expected[move.move] = expected.get(move.move, 0) + share / sum(shares)
        found[analysis.best.move] = found.get(analysis.best.move, 0) + 1
    common = [move for move, number in expected.items() if number >= 5]
    statistic = sum((found.get(m, 0) - expected[m]) ** 2 / expected[m] for m in common)
    assert len(common) > 2
    assert upper_tail(statistic, len(common) - 1) > FALSE_ALARM


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_nothing_implausible_is_ever_played(game: str, players: int, grey: bool) -> None:
    for number, state in enumerate(list(walk(players, grey, 29, game))[::6]):
        analysis = make_agent(spec(1)).analyse(Play(position_of(state)), seed=number)
        support = {move.move: move.visits + PRIOR_VISITS * move.prior for move in analysis.moves}
        assert support[analysis.best.move] >= PLAUSIBLE * max(support.values())


def play(level: int, game: str, seed: int) -> list[tuple[Any, str]]:
    """Let a level play a game with itself; return its positions and what it played there."""
    agent = make_agent(spec(level))
    seen: list[tuple[Any, str]] = []
    for here in turns(Play(opening(2, "coloured", seed, game)), Rng(seed, 5)):
        move = agent.choose(here, seed=1000 * seed + len(seen))
        seen.append((here.position, move))
        here.push(move)
    return seen


def test_beginners_do_not_pass_while_they_could_place_tiles_they_will_lose() -> None:
    chances = passed = 0
    for seed in range(6):
        for position, move in play(1, "summer", seed):
            hand = sum(position.seats[position.to_move].hand)
            if position.phase == "place" and hand >= 7 and len(
                    GAMES["summer"].legal_moves(position, "maximal")) > 1:
                chances += 1
                passed += move.startswith("pass")
    assert chances > 50
    assert passed <= 0.04 * chances


def test_beginners_do_not_fill_their_floor_line_for_nothing() -> None:
    """Of moves that drop three tiles more than another would, at most every fortieth is played."""
    rules, decisions, costly = GAMES["azul"], 0, 0
    for seed in range(5):
        for position, move in play(1, "azul", seed):
            if position.phase != "draft":
                continue
            floors = {text: len(rules.apply(position, text).seats[position.to_move].floor)
                      for text in rules.legal_moves(position)}
            decisions += 1
            costly += floors[move] >= 3 + min(floors.values())
    assert decisions > 150
    assert costly <= decisions / 40


# --------------------------------------------------------------------------------- strength


@every_game
def test_beginners_beat_random(game: str) -> None:
    assert wins(spec(1), "random", game, "coloured", pairs=10) >= 19


@every_game
def test_an_average_player_beats_beginners(game: str) -> None:
    """But not always: a beginner who is lucky should see that winning is possible."""
    assert 35 <= wins("greedy", spec(1), game, "coloured", pairs=30) <= 57


@every_game
@pytest.mark.parametrize("board", ["coloured", "grey"])
def test_levels_far_apart(game: str, board: str) -> None:
    assert wins(spec(8), spec(2), game, board, pairs=6) >= 11
