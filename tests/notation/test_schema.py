"""The JSON schema is generated, published in docs/ and true of every sample."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings

from pavilion_ai.notation import position_schema, to_json
from pavilion_ai.position import Position

from .samples import GAMES, lines, positions, sample_positions

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = jsonschema.Draft202012Validator(position_schema())


def test_published_schema_is_current() -> None:
    """`python -m tests.notation.test_schema` writes it anew."""
    published = json.loads((DOCS / "position.schema.json").read_text())
    assert published == position_schema()


def test_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(position_schema())


def test_samples_validate() -> None:
    for game in GAMES:
        for name, raw in sample_positions(game):
            assert SCHEMA.is_valid(raw), name


@settings(max_examples=100)
@given(positions())
def test_made_up_positions_validate(position: Position) -> None:
    assert SCHEMA.is_valid(to_json(position))


TOLERATED = [line for game in GAMES for line in lines("tolerated_positions.jsonl", game)]


@pytest.mark.parametrize("line", TOLERATED, ids=lambda line: line["what"])
def test_tolerated_positions_validate(line: dict[str, object]) -> None:
    assert SCHEMA.is_valid(line["position"])


def test_bad_types_do_not_validate() -> None:
    for game in GAMES:
        for line in lines("bad_positions.jsonl", game):
            if line["kind"] in ("type", "syntax", "missing"):
                assert not SCHEMA.is_valid(line["position"]), line["reason"]


@pytest.mark.parametrize(("name", "value"), [
    ("floor", ""), ("floor", "**"), ("floor", "B-"), ("floor", "8B"), ("floor", "BBBBBBBB"),
    ("lines", ["-"] * 4), ("lines", ["-", "-", "-", "-", "X"]), ("lines", "-"),
    ("wall", ["....."] * 6), ("wall", ["...."] * 5), ("wall", {"1": "....."}), ("score", -1),
])
def test_bad_values_of_a_seat_do_not_validate(name: str, value: object) -> None:
    raw = dict(next(sample_positions("azul"))[1])
    raw["seats"] = [{**raw["seats"][0], name: value}, *raw["seats"][1:]]
    assert not SCHEMA.is_valid(raw)


if __name__ == "__main__":
    (DOCS / "position.schema.json").write_text(json.dumps(position_schema(), indent=2) + "\n")
