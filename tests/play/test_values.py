"""Values print as calls that make them again, or do not claim to; copies of rules are the rules."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

import pavilion_ai
from pavilion_ai import (
    GAMES,
    Agent,
    Imported,
    Judge,
    Limits,
    Play,
    Problem,
    Rules,
    Timeouts,
    make_agent,
    parse_move,
    parse_position,
    parse_spec,
    review_game,
    roll_out,
    solve_position,
)
from pavilion_ai.envs import Guided
from pavilion_ai.games import AzulRules
from pavilion_ai.notation import Move
from tests.envs.support import even
from tests.plays import decisions

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


def names() -> dict[str, Any]:
    """Return the public names, and those that the reference imports besides."""
    found = {name: getattr(pavilion_ai, name) for name in pavilion_ai.__all__}
    exec("\n".join(line for line in REFERENCE.read_text().splitlines()
                   if line.startswith("from pavilion_ai")), found)
    return found


class Own(Agent):
    """Needs nothing to be made."""

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return play.legal_moves[0]


class Nth(Own):
    """Needs a number."""

    def __init__(self, number: int) -> None:
        self.number = number


def ended(game: str) -> tuple[Play, Play]:
    """Return a game on grey boards at its last decision, and after it."""
    play = Play.new(game, board="grey", seed=1)
    last = [here.copy() for here in decisions(play, 1)][-1]
    return last, play


def test_values_print_as_calls() -> None:
    """Of every public class of values, and of what they hold."""
    last, play = ended("azul")
    records = [play.record(), ended("summer")[1].record()]
    moves = {parse_move(move, record.game) for record in records for move in record.moves}
    assert {*map(type, moves)} == {*get_args(Move)}
    analysis = make_agent("default:sims=2").analyse(last)
    rollout = roll_out(last, [last.legal_moves[0]], agent="greedy", trials=2)
    solution = solve_position(last)
    review = review_game(Play(last.position, [last.legal_moves[0]]).record(), Judge("flat:sims=9"))
    values = [
        *GAMES.values(), last, last.position, *records, *moves, analysis, analysis.root,
        analysis.moves[0], rollout, rollout.moves[0], solution, solution.moves[0],
        review.judgements[0], Imported(records[0], ("a note",), ("Ada", ""), ("1", "2")),
        parse_position(last.code()), parse_spec("ismcts:sims=10"),
        make_agent("greedy").decide(last), Limits(seconds=1), Timeouts(move=1),
        Problem("range", "seats", "wrong")]
    known = names()
    for value in values:
        again = eval(repr(value), known)
        assert type(again) is type(value)
        assert again == value
    assert repr(review).startswith("<Review ")
    assert {known[name] for name in pavilion_ai.__all__ if is_dataclass(known[name])} <= (
        {*map(type, values)} | {type(review)})


@pytest.mark.parametrize(("agent", "printed"), [
    (make_agent("default:sims=3"), "make_agent('default:sims=3')"),
    (make_agent("cmd:none"), "make_agent('cmd:none')"),
    (make_agent("cmd:none", timeouts=Timeouts(move=1)),
     f"make_agent('cmd:none', timeouts={Timeouts(move=1)!r})"),
    (Own(), "Own()"),
    (Own("mine"), "Own('mine')"),
    (Nth(3), "<Nth>"),
    (Guided(even, batch=8),
     f"Guided({even!r}, None, spec='guided', batch=8, observation='scaled')"),
    (Guided(even, Limits(sims=5), spec="mine", temperature=0.5),
     f"Guided({even!r}, {Limits(sims=5)!r}, spec='mine', batch=32, observation='scaled',"
     " temperature=0.5)"),
])
def test_agents_print_as_calls_where_one_makes_them(agent: Agent, printed: str) -> None:
    assert repr(agent) == printed
    if repr(even) not in printed and not printed.startswith("<"):
        again = eval(printed, {**names(), "Own": Own})
        assert (type(again), again.spec, repr(again)) == (type(agent), agent.spec, printed)


@pytest.mark.parametrize("copied", [
    copy.copy, copy.deepcopy, lambda rules: pickle.loads(pickle.dumps(rules, 0)),
    lambda rules: type(rules)()], ids=["copied", "deep", "pickled", "made"])
def test_a_game_has_one_object_of_its_rules(copied: Callable[[Rules], Rules]) -> None:
    """So its names of moves are made once."""
    for rules in GAMES.values():
        assert copied(rules) is rules
    assert GAMES["summer"] != AzulRules()
