"""A clock among the limits of `choose` and `analyse`, or in the spec of an agent."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from pavilion_ai.bounds import ANALYSIS_SECONDS
from pavilion_ai.games import rules_of
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.protocol import Engine
from pavilion_ai.protocol.actions import CLOCKED_SECONDS, search
from pavilion_ai.protocol.actions import choose as choose_move
from pavilion_ai.protocol.agents import Agents
from pavilion_ai.protocol.fields import BEGUN
from pavilion_ai.protocol.turns import Turns
from tests.cli.support import DRAFTING

POSITION = DRAFTING.read_text()
START = parse_position(POSITION).position
LEGAL = rules_of(START).legal_moves(START)
EACH = "seconds, or null, for each of 2 seats"


def choose(limits: object) -> dict[str, Any]:
    return asked("choose", limits=limits)


def asked(action: str, own: str = "default", **fields: object) -> dict[str, Any]:
    request = {"id": 1, "action": action, "position": POSITION, **fields}
    output = io.BytesIO()
    Engine(output, own).serve(io.BytesIO(json.dumps(request).encode() + b"\n"))
    answer: dict[str, Any] = json.loads(output.getvalue().splitlines()[-1])
    return answer


@pytest.mark.parametrize("limits", [
    {"clock": [0.2, 0.2]},
    {"clock": [0.2, 0.2], "increment": [0.01, 0]},
    {"clock": [0, 0], "increment": [0, 0]},
    {"clock": [1e9, 1e9], "sims": 20},
    {"clock": [1e9, 1e9], "seconds": 0.05},
    {"clock": [None, None], "sims": 20},
    {"clock": None, "increment": None, "sims": 20},
    {"clock": [None, 0.2], "increment": [None, 0], "sims": 20},
    {"clock": [0.2, None], "increment": [0.01, None]},
])
def test_a_move_within_the_clock(limits: dict[str, Any]) -> None:
    answer = choose(limits)
    assert answer.pop("move") in LEGAL
    assert answer == {"id": 1}  # nothing unused, no error


def test_the_clock_of_another_seat_is_no_limit() -> None:
    answer = asked("choose", agent="ismcts:sims=20", limits={"clock": [None, 5]})
    assert answer["move"] in LEGAL


@pytest.mark.parametrize(("limits", "said"), [
    ({"clock": 5}, f"limits.clock: found 5, expected {EACH}"),
    ({"clock": [1]}, f"limits.clock: found [1], expected {EACH}"),
    ({"clock": [1, 2, 3]}, f"expected {EACH}"),
    ({"clock": [1, -1]}, "limits.clock[1]: found -1, expected a number from 0 to 1e+15"),
    ({"clock": [1, "2"]}, "limits.clock[1]: found '2', expected a number from 0"),
    ({"clock": [1, True]}, "limits.clock[1]: found true, expected a number from 0"),
    ({"clock": [1, 2], "increment": 1}, "limits.increment: found 1, expected seconds for each of"),
    ({"clock": [1, 2], "increment": [1, None]}, "limits.increment[1]: found null, expected a"),
    ({"clock": [1, None], "increment": [None, 1]}, "limits.increment[0]: found null, expected a"),
    ({"increment": [1, 1]}, "limits.clock: found no such key, expected one beside increment"),
    ({"clock": None, "increment": 5}, "limits.clock: found null, expected one beside increment"),
])
def test_a_bad_clock(limits: dict[str, Any], said: str) -> None:
    answer = choose(limits)
    assert answer["field"] == "limits"
    assert said in answer["error"]


def test_other_keys_are_unused() -> None:
    assert choose({"clock": [1, 1], "clocks": [1, 1]})["unused"] == ["limits.clocks"]


@pytest.mark.parametrize(("own", "fields"), [
    ("default", {"limits": {"clock": [0.05, 0.05], "increment": [0, 0]}}),
    ("default", {"agent": "ismcts:clock=0.05"}),
    ("ismcts:clock=0.05", {}),
])
def test_an_analysis_within_the_clock(own: str, fields: dict[str, Any]) -> None:
    answer = asked("analyse", own, **fields)
    assert 0 < answer["seconds"] < ANALYSIS_SECONDS
    assert "unused" not in answer


def test_limits_of_an_analysis_in_either_place() -> None:
    for fields in ({"sims": 7}, {"limits": {"sims": 7}}, {"sims": 7, "limits": {"sims": 8}},
                   {"sims": 8, "limits": {"sims": 7}}, {"seconds": 1000, "limits": {"sims": 7}},
                   {"sims": 7, "limits": {"clock": [1e9, 1e9]}}):
        assert asked("analyse", **fields)["root"]["visits"] == 7


def test_the_clock_of_a_spec_runs_through_the_game() -> None:
    moves: list[str] = []
    agents, play = Agents(), Play(START)
    left = []
    for _ in range(4):
        past = {"start": POSITION, "moves": moves}
        request = {"id": 1, "action": "choose", "agent": "ismcts:clock=30+0.001,sims=1",
                   "position": to_json(play.position), "past": past, BEGUN: 0.0}
        with agents.lent(request, None, Event()) as (agent, _, _):
            left.append(agent._own._left(play))  # type: ignore[attr-defined]
        moves.append(choose_move(request, Event(), agents)["move"])
        play.push(moves[-1])
    assert left[:2] == [30, 30]  # each seat has its own
    assert all(seconds != 30 for seconds in left[2:])


def test_a_decision_without_a_choice_counts_on_the_clock_of_a_spec() -> None:
    """Each adds its increment."""
    agents, play = Agents(), Play(START)
    request = {"id": 1, "action": "choose", "agent": "ismcts:clock=30+5", "position": POSITION,
               "legal_moves": LEGAL[:1], BEGUN: 0.0}
    assert choose_move(request, Event(), agents) == {"move": LEGAL[0]}
    play.push(LEGAL[0])
    while play.turn != START.to_move:
        play.push(play.legal_moves[0])
    with agents.lent(request, None, Event()) as (agent, _, _):
        assert agent._own._left(play) > 30  # type: ignore[attr-defined]
    limits = {"limits": {"sims": 1}}
    assert choose_move({**request, **limits}, Event(), agents) == {"move": LEGAL[0]}


def test_the_clock_of_a_spec_starts_with_the_turn_of_its_search() -> None:
    """Not with a request that has waited so long that its share of the clock would be over."""
    found = search({"id": 1, "action": "analyse", "agent": "default:clock=100,sims=200",
                    "position": POSITION, BEGUN: time.monotonic() - 100}, Event(), Agents())
    assert found.sims == 200


@pytest.mark.parametrize(("spec", "limits", "seconds"), [
    ("default", {"clock": [600, 600]}, CLOCKED_SECONDS),
    ("default", {"clock": [600, 600], "seconds": 0.25}, 0.25),
    ("default", {"clock": [600, 600], "seconds": 5}, CLOCKED_SECONDS),
    ("default", {"clock": [0.5, 600]}, 0.25),
    ("default", {"clock": [0, 600]}, 0),
    ("default", {"clock": [None, 1], "seconds": 5}, 5),
    ("default", {"sims": 5}, None),
    ("default:clock=600,sims=5", None, CLOCKED_SECONDS),
    ("default:time=5", None, 5),
    ("default:sims=5", None, None),
    ("default", None, ANALYSIS_SECONDS),
])
def test_how_long_a_search_waits_for_its_turn(
    spec: str, limits: dict[str, Any] | None, seconds: float | None
) -> None:
    class Noting(Turns):
        @contextmanager
        def taken(self, stop: Event, threads: int = 1,
                  until: float | None = None) -> Iterator[Event]:
            waited.append(until)
            yield stop

    waited: list[float | None] = []
    agents, stopped = Agents(), Event()
    agents.turns = Noting(1)
    stopped.set()
    choose_move({"id": 1, "action": "choose", "agent": spec, "position": POSITION,
                 "limits": limits, BEGUN: 0.0}, stopped, agents)
    assert waited == [seconds]
