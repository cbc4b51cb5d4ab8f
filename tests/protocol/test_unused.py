"""Keys that an engine does not know are named in its answer, and cost little."""

from __future__ import annotations

import ast
import inspect
import io
import json
import time
from itertools import pairwise
from typing import Any

import pytest

from pavilion_ai.games import rules_of
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.protocol import Engine, actions, agents, capacity, engine, fields, keys
from pavilion_ai.web import saved
from tests.cli.support import DRAFTING, PLACING

POSITION = DRAFTING.read_text()
START = parse_position(POSITION).position
JSON = to_json(START)
LEGAL = rules_of(START).legal_moves(START)
REQUESTS: dict[str, dict[str, Any]] = {
    "hello": {},
    "new": {"seed": 1},
    "show": {"position": POSITION},
    "moves": {"position": POSITION, "describe": True},
    "replay": {"position": POSITION, "moves": LEGAL[:1]},
    "apply": {"position": POSITION, "moves": LEGAL[:1]},
    "perft": {"position": POSITION, "depth": 1},
    "analyse": {"position": POSITION, "sims": 10},
    "choose": {"position": POSITION, "legal_moves": LEGAL[:1]},
    "stop": {"target": 1},
}


def ask(request: dict[str, Any]) -> dict[str, Any]:
    output = io.BytesIO()
    Engine(output).serve(io.BytesIO(json.dumps({"id": "q", **request}).encode() + b"\n"))
    answer: dict[str, Any] = json.loads(output.getvalue().splitlines()[-1])
    return answer


@pytest.mark.parametrize("action", REQUESTS)
def test_unknown_keys_are_named_and_change_nothing(action: str) -> None:
    plain = ask({"action": action, **REQUESTS[action]})
    assert "error" not in plain
    assert "unused" not in plain
    odd = ask({"action": action, **REQUESTS[action], "sim": 100, "Seed": None, "x y\u001b": 1})
    assert odd.pop("unused") == ["sim", "Seed", "x y\u001b"]
    times = {"seconds": 0, "sims_per_second": 0}
    assert {**plain, **times} == {**odd, **times}


def test_the_cases_reported() -> None:
    request = {"action": "analyse", "position": POSITION, "sim": 100, "seconds": 0.05, "Seed": 7}
    assert ask(request)["unused"] == ["sim", "Seed"]
    chosen = ask({"action": "choose", "position": POSITION, "limits": {"sims": 9, "sim": 100}})
    assert chosen["unused"] == ["limits.sim"]
    assert ask({"action": "moves", "position": POSITION, "sims": 5})["unused"] == ["sims"]
    assert "unused" not in ask({"action": "analyse", "position": POSITION, "sims": 9,
                                "avoid": LEGAL[:1]})


def test_keys_within_positions_are_named() -> None:
    odd = {**JSON, "colour": 1}
    odd["seats"] = [{**JSON["seats"][0], "name": "Ada"},  # type: ignore[index]
                    {**JSON["seats"][1], "stars": {**JSON["seats"][1]["stars"], "X": "......"}}]  # type: ignore[index]
    expected = ["position.colour", "position.seats[0].name", "position.seats[1].stars.X"]
    for position in (odd, json.dumps(odd), " \n" + json.dumps(odd)):
        assert ask({"action": "show", "position": position})["unused"] == expected
    past = {"start": odd, "moves": [], "move": 1}
    answer = ask({"action": "choose", "position": JSON, "past": past, "legal_moves": LEGAL[:1]})
    assert answer["unused"] == ["past.move", *(f"past.start.{place.removeprefix('position.')}"
                                              for place in expected)]
    assert parse_position(json.dumps(odd)).notes[-1] == (
        "not used: 'colour', 'seats[0].name', 'seats[1].stars.X'")
    assert not [note for note in parse_position(json.dumps(JSON)).notes if "not used" in note]
    assert "unused" not in ask({"action": "show", "position": PLACING.read_text()})


def test_what_positions_leave_out_is_noted() -> None:
    text = "game: summer\nphase: draft\ndisplays: PGOY - - - -\nname: Ada\n"
    left_out = list(parse_position(text).notes)
    assert len(left_out) == 13
    assert left_out[-1] == "not used: 'name' on line 4 (did you mean 'game'?)"
    for request in ({"action": "show"}, {"action": "moves"}, {"action": "perft", "depth": 1},
                    {"action": "apply", "moves": []}, {"action": "replay", "moves": []}):
        answer = ask({"position": text, **request})
        assert answer["notes"] == left_out
        assert "unused" not in answer
    past = {"start": {**JSON, "bag": None}, "moves": []}
    chosen = ask({"action": "choose", "position": JSON, "past": past, "legal_moves": LEGAL[:1],
                  "threads": 256})
    many, bag = chosen["notes"]
    assert many.startswith("threads: 256 requested")
    assert bag.startswith("past.start: bag: not given, taken as the ")
    for whole in (POSITION, {**JSON, "colour": 1}):
        assert "notes" not in ask({"action": "show", "position": whole})


def test_refusals_have_three_keys() -> None:
    refused = ask({"action": "show", "position": 5, "sim": 1})
    assert set(refused) == {"id", "error", "field"}


def test_a_flood_of_unknown_keys_is_counted() -> None:
    flood = {f"k{number}": 0 for number in range(190_000)}
    began = time.process_time()
    plain = json.loads(json.dumps({"id": 1, "action": "hello", **flood}))
    decoding = time.process_time() - began
    began = time.process_time()
    named = keys.unused(plain, keys.KEYS["hello"])
    assert time.process_time() - began < 1 + decoding
    assert named == [*(f"k{number}" for number in range(100)), "and 189900 more"]
    long = keys.unused({"x" * 10**6: 1}, ())
    assert long == ["x" * 60 + "..."]
    answer = ask({"action": "show", "position": {**JSON, **flood}})
    assert len(answer["unused"]) == 101
    assert answer["unused"][-1] == "and 189900 more"


def keys_read(module: Any) -> set[str]:
    """Return the keys that a module takes out of requests: f(request, "key", ...) and the like."""
    found: set[object] = set()
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            given = [*node.args, ast.Name("no more")]
            if ast.unparse(node.func) == "request.get":
                found.add(getattr(given[0], "value", None))
            found |= {getattr(after, "value", None) for one, after in pairwise(given)
                      if ast.unparse(one) == "request"}
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "_node(request)":
            found.add(getattr(node.slice, "value", None))
        elif isinstance(node, ast.GeneratorExp) and "_named(play, request, name)" in (
                ast.unparse(node)):
            found |= {*ast.literal_eval(node.generators[0].iter)}
    return {key for key in found if isinstance(key, str)}


def test_the_keys_listed_are_those_that_are_read() -> None:
    """Every key that the code takes out of a request is in the table, and no other."""
    listed = {key for names in (*keys.KEYS.values(), *saved.KEYS.values()) for key in names}
    modules = (actions, fields, saved, engine, agents, capacity)
    assert set().union(*map(keys_read, modules)) - {"id", "action"} == listed
    assert {*keys.KEYS} == {*REQUESTS, "review"}
