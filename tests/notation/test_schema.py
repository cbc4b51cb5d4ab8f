"""The JSON schema is generated, published in docs/ and true of every sample."""

import json
from pathlib import Path

import jsonschema
import pytest

from pavilion_ai.notation import position_schema

from .samples import lines, sample_positions

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = jsonschema.Draft202012Validator(position_schema())


def test_published_schema_is_current() -> None:
    """`python -m tests.notation.test_schema` writes it anew."""
    published = json.loads((DOCS / "position.schema.json").read_text())
    assert published == position_schema()


def test_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(position_schema())


def test_samples_validate() -> None:
    for name, raw in sample_positions():
        assert SCHEMA.is_valid(raw), name


@pytest.mark.parametrize("line", lines("tolerated_positions.jsonl"), ids=lambda line: line["what"])
def test_tolerated_positions_validate(line: dict[str, object]) -> None:
    assert SCHEMA.is_valid(line["position"])


def test_bad_types_do_not_validate() -> None:
    for line in lines("bad_positions.jsonl"):
        if line["kind"] in ("type", "syntax", "missing"):
            assert not SCHEMA.is_valid(line["position"]), line["reason"]


if __name__ == "__main__":
    (DOCS / "position.schema.json").write_text(json.dumps(position_schema(), indent=2) + "\n")
