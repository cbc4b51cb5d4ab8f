"""What --help says is whole, and true of the games that there are."""

from __future__ import annotations

import re

import pytest

from pavilion_ai.cli import COMMANDS
from pavilion_ai.games import GAMES

from .support import pavilion

WITH_GAMES = ("new", "play", "match", "tournament", "openings", "stats", "puzzles", "train",
              "dataset")


@pytest.mark.parametrize("command", WITH_GAMES)
def test_help_names_all_games_and_boards(command: str) -> None:
    text = " ".join(pavilion(command, "--help").stdout.split())
    assert f"--game GAME Game, {' or '.join(GAMES)};" in text
    boards = {board: None for rules in GAMES.values() for board in rules.boards}
    assert f"--board SIDE Side of the boards, {' or '.join(boards)};" in text


def test_help_says_of_each_command_all_that_it_has_to_say() -> None:
    text = pavilion("--help").stdout.partition("Commands:\n  ")[2]
    said = dict(entry.split(maxsplit=1) for entry in re.split(r"\n  (?=\w)", text))
    assert list(said) == list(COMMANDS)
    for words in said.values():
        assert words.rstrip().endswith(".")
        assert "..." not in words
