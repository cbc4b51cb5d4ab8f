"""What people see, kept as files: run with PAVILION_SNAPSHOTS=write after a wanted change."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pavilion_ai.render import describe
from pavilion_ai.render.analysis_text import analysis_lines
from pavilion_ai.render.text import plain
from tests.cli.support import (
    ALL_EXAMPLES,
    AZUL_FOUR,
    AZUL_WALL,
    FOUR,
    PLACING,
    made_up_analysis,
    pavilion,
    position_of,
)

DIRECTORY = Path(__file__).parent / "snapshots"


def _table() -> str:
    return plain(analysis_lines(made_up_analysis(), position_of(PLACING), top=3))


def _words(path: Path) -> str:
    from pavilion_ai.games import rules_of

    position = position_of(path)
    moves = rules_of(position).legal_moves(position)
    return "\n".join(describe(position, move) for move in moves[:30])


def _prompt(path: Path) -> str:
    return pavilion("play", "--from", path, stdin="help\nquit\n").stdout


SNAPSHOTS: dict[str, Callable[[], str]] = {
    **{
        f"show-{path.stem}": lambda path=path: pavilion("show", path, "--format", "text").stdout
        for path in ALL_EXAMPLES
    },
    "help": lambda: pavilion("--help").stdout,
    "suggest": _table,
    "words": lambda: _words(FOUR),
    "words-azul": lambda: _words(AZUL_FOUR),
    "prompt": lambda: _prompt(PLACING),
    "prompt-azul": lambda: _prompt(AZUL_WALL),
}


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_output_is_as_it_was(name: str) -> None:
    found = SNAPSHOTS[name]().rstrip("\n") + "\n"
    path = DIRECTORY / f"{name}.txt"
    if os.environ.get("PAVILION_SNAPSHOTS") == "write":
        path.write_text(found)
        pytest.fail("written anew: look at the change, then run it again without")
    assert found == path.read_text()


@pytest.mark.parametrize("path", sorted(DIRECTORY.glob("*.txt")), ids=lambda path: path.stem)
def test_a_snapshot_fits_80_columns_and_is_one_of_ours(path: Path) -> None:
    assert path.stem in SNAPSHOTS
    widest = max(path.read_text().splitlines(), key=len)
    assert len(widest) <= 80, widest
