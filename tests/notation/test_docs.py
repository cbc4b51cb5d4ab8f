"""The examples in docs/notation.md are true."""

import re
from pathlib import Path

from pavilion_ai.notation import format_move, format_position, parse_move, parse_position

TEXT = (Path(__file__).parents[2] / "docs" / "notation.md").read_text()


def blocks(form: str) -> list[str]:
    return re.findall(rf"```{form}\n(.*?)```", TEXT, re.DOTALL)


GAMES = ("summer", "azul")


def test_one_position_in_three_forms() -> None:
    codes = []
    for game, text in zip(GAMES, blocks("text")[::2], strict=True):
        number = GAMES.index(game)
        position = parse_position(blocks("json")[number]).position
        assert position.game == game
        codes.append(format_position(position, "code") + "\n")
        assert parse_position(text).position == position
        assert parse_position(text).notes == ()
    assert blocks("code") == codes


def test_the_short_texts_are_positions() -> None:
    for game, text in zip(GAMES, blocks("text")[1::2], strict=True):
        parsed = parse_position(text)
        assert (parsed.position.game, parsed.position.phase) == (game, "draft")
        assert len(parsed.notes) > 5


def test_moves_are_those_of_the_tables() -> None:
    tables = re.findall(r"\| move \| string \|.*?\n\n", TEXT, re.DOTALL)
    for game, table in zip(GAMES, tables, strict=True):
        for text in re.findall(r"`([^` ]+:[^` ]+)`", table):
            text = text.removesuffix(",...")
            assert format_move(parse_move(text, game), game) == text
