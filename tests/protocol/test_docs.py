"""What docs/protocol.md says of objects is true of them, field by field."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pavilion_ai.agents import make_agent
from pavilion_ai.limits import Limits
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()


def section(title: str) -> str:
    return TEXT.split(f"## {title}\n")[1].split("\n## ")[0]


def fields(table: str) -> list[str]:
    """Return the names in the first column of the tables."""
    cells = re.findall(r"^\| (`.*?) \|", table, re.M)
    return [name for cell in cells for name in re.findall(r"`(.*?)`", cell)]


def names(data: dict[str, Any]) -> list[str]:
    """Return the keys of an object, those of objects in it behind a full stop."""
    return [
        f"{key}.{inner}" if inner else key
        for key, value in data.items()
        for inner in (value if isinstance(value, dict) else ("",))
    ]


def test_the_analysis_object() -> None:
    text = section("The analysis object")
    example = json.loads(text.split("```json\n")[1].split("```")[0])
    position = parse_position(example["position"]).position
    found = make_agent("default").analyse(
        Play(position), Limits(sims=example["sims"]), threads=1, seed=example["seed"]
    )
    data = json.loads(json.dumps(found.to_json(1)))
    assert names(example) == names(data)
    assert list(example["moves"][0]) == list(data["moves"][0])
    for key in ("position", "root", "moves"):
        assert example[key] == data[key], "what is shown was made by another network or search"
    whole, rows = text.split("Each of `moves`")
    confined = make_agent("default").analyse(
        Play(position), Limits(sims=10), only=[example["moves"][0]["move"]])
    one, two, *_ = Play(position).legal_moves
    compared = make_agent("default").analyse(
        Play(position), Limits(sims=10), compare=[one], even=1, avoid=[two])
    assert set(names(confined.to_json())) == {*names(data), "only"}
    assert set(names(compared.to_json())) == {*names(data), "compare", "even", "avoid"}
    known = Play(position)
    known.push(known.legal_moves[0])
    told = make_agent("default").analyse(known, Limits(sims=10))
    by_form = {"form", "win_prob_by_form"}
    assert set(names(told.to_json())) == {*names(data), *by_form}
    assert sorted(fields(whole)) == sorted(
        [*names(data), *by_form, "only", "compare", "even", "avoid", "final"])
    assert fields(rows) == list(data["moves"][0])


def test_game_records() -> None:
    example = section("The analysis object").split('"position": "')[1].split('"')[0]
    start = parse_position(example).position
    record = Play(start, seed=1).record(
        [{"spec": "greedy", "version": "1"}] * 2,
        id="one",
        engine={"name": "pavilion-ai", "version": "1"},
        extra={"comment": "the first"},
    )
    assert fields(section("Game records")) == list(record.to_json())
