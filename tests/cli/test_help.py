"""What --help says is whole, true of the games that there are, and said without any command."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest

from pavilion_ai.cli import COMMANDS, cli
from pavilion_ai.cli import options as cli_options
from pavilion_ai.games import GAMES
from pavilion_ai.notation import FORMS
from pavilion_ai.render import plot

from .support import DRAFTING, pavilion

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


def test_what_commands_repeat_of_modules_that_are_slow_to_import_is_the_same() -> None:
    assert set(cli_options.FORMS) == set(FORMS)
    assert set(cli_options.PICTURES) == set(plot.FORMS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_by_the_first_sentence_of_its_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.get_short_help_str(1000) == COMMANDS[name][1]


@pytest.mark.parametrize(("argument", "more"), [("--help", set()), ("--version", {"version"})],
                         ids=lambda value: value if isinstance(value, str) else "")
def test_what_the_whole_program_says_of_itself_imports_no_command(
    argument: str, more: set[str]
) -> None:
    few = {"__main__", "cli", "cli.exits", "cli.program", "cli.said", "errors", "interrupts"} | more
    assert loaded([argument], ("pavilion_ai.",)) <= {f"pavilion_ai.{name}" for name in few}


def test_a_search_starts_without_what_few_commands_need() -> None:
    slow = ("concurrent.futures.process", "difflib", "gzip", "logging", "multiprocessing", "numpy",
            "pavilion_ai.external", "pavilion_ai.render.svg", "random", "rich", "secrets",
            "subprocess")
    assert not loaded(["suggest", str(DRAFTING), "--sims", "1"], slow)


def loaded(arguments: list[str], wanted: tuple[str, ...]) -> set[str]:
    """Return which modules, of those that begin so, a run of the program has imported."""
    code = ("import atexit, sys; before = {*sys.modules}; from pavilion_ai.__main__ import main;"
            " atexit.register(lambda: print(*{*sys.modules} - before, file=sys.stderr));"
            f" sys.argv[1:] = {arguments!r}; main()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name for name in done.stderr.split() if name.startswith(wanted)}
