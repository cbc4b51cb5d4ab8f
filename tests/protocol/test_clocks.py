"""A clock among the limits of `choose`."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from pavilion_ai.games import rules_of
from pavilion_ai.notation import parse_position
from pavilion_ai.protocol import Engine
from tests.cli.support import DRAFTING

POSITION = DRAFTING.read_text()
START = parse_position(POSITION).position
LEGAL = rules_of(START).legal_moves(START)
EACH = "seconds, or null, for each of 2 seats"


def choose(limits: object) -> dict[str, Any]:
    request = {"id": 1, "action": "choose", "position": POSITION, "limits": limits}
    output = io.BytesIO()
    Engine(output).serve(io.BytesIO(json.dumps(request).encode() + b"\n"))
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
])
def test_a_move_within_the_clock(limits: dict[str, Any]) -> None:
    answer = choose(limits)
    assert answer.pop("move") in LEGAL
    assert answer == {"id": 1}  # nothing unused, no error


@pytest.mark.parametrize(("limits", "said"), [
    ({"clock": 5}, f"limits.clock: found 5, expected {EACH}"),
    ({"clock": [1]}, f"limits.clock: found [1], expected {EACH}"),
    ({"clock": [1, 2, 3]}, f"expected {EACH}"),
    ({"clock": [1, -1]}, "limits.clock[1]: found -1, expected a number from 0 to 1e+15"),
    ({"clock": [1, "2"]}, "limits.clock[1]: found '2', expected a number from 0"),
    ({"clock": [1, True]}, "limits.clock[1]: found true, expected a number from 0"),
    ({"clock": [1, 2], "increment": 1}, "limits.increment: found 1, expected seconds for each of"),
    ({"clock": [1, 2], "increment": [1, None]}, "limits.increment[1]: found null, expected a"),
])
def test_a_bad_clock(limits: dict[str, Any], said: str) -> None:
    answer = choose(limits)
    assert answer["field"] == "limits"
    assert said in answer["error"]


def test_other_keys_are_unused() -> None:
    assert choose({"clock": [1, 1], "clocks": [1, 1]})["unused"] == ["limits.clocks"]
