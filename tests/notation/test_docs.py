"""The examples in docs/notation.md are true."""

import re
from pathlib import Path

from pavilion_ai.notation import format_position, parse_position

TEXT = (Path(__file__).parents[2] / "docs" / "notation.md").read_text()


def blocks(form: str) -> list[str]:
    return re.findall(rf"```{form}\n(.*?)```", TEXT, re.DOTALL)


def test_one_position_in_three_forms() -> None:
    position = parse_position(blocks("json")[0]).position
    assert blocks("code") == [format_position(position, "code") + "\n"]
    assert parse_position(blocks("text")[0]).position == position
    assert parse_position(blocks("text")[0]).notes == ()


def test_the_short_text_is_a_position() -> None:
    parsed = parse_position(blocks("text")[1])
    assert parsed.position.phase == "draft"
    assert len(parsed.notes) > 5
