"""The printed player board of base Azul and the state of its goals, for renderers.

Names, places and penalties for drawing only (RULES.md B1, B2, B9): legal moves and scores always
come from the rules core, never from these tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pavilion_ai.games.azul import free_columns
from pavilion_ai.position.azul_board import (
    CAPACITIES,
    FLOOR_SPACES,
    MARKER,
    PENALTIES,
    SIZE,
    row_colours,
)
from pavilion_ai.position.azul_board import COLOURS as COLOUR_NAMES
from pavilion_ai.position.azul_board import LETTERS as COLOURS

__all__ = [
    "BONUSES",
    "CAPACITIES",
    "COLOURS",
    "COLOUR_NAMES",
    "FLOOR_SPACES",
    "MARKER",
    "MARKER_NAME",
    "PENALTIES",
    "PHASES",
    "SIZE",
    "Goal",
    "colour_name",
    "columns_for",
    "goals",
    "is_full",
    "letter_of",
    "penalty",
    "printed",
]

BONUSES = {"row": 2, "column": 7, "colour": 10}  # B9
MARKER_NAME = "starting player marker"
PHASES = {
    "draft": "phase A, taking tiles",
    "wall": "phase B, columns for full lines",
    "deal": "the displays are to be filled",
    "over": "the game is over",
}


class Goal(NamedTuple):
    """A row, a column or a colour of a wall.

    Attributes:
        kind: a key of `BONUSES`.
        name: number of the row or column, or the colour.
        short: number of its five tiles that are missing.
        last: colour letter and row (from 0) of the missing tile, if there is only one and it can
            still be placed.
    """

    kind: str
    name: str
    short: int
    last: tuple[str, int] | None


def printed(board: str, row: int, column: int) -> str:
    """Return the colour printed on a wall space, empty on the grey side."""
    return row_colours(row)[column] if board == "coloured" else ""


def colour_name(letter: str) -> str:
    """Return the name of a colour."""
    return COLOUR_NAMES[COLOURS.index(letter)]


def letter_of(line: Sequence[int]) -> str:
    """Return the colour of the tiles on a pattern line, empty if it has none."""
    return next((letter for letter, n in zip(COLOURS, line, strict=True) if n), "")


def is_full(number: int, line: Sequence[int]) -> bool:
    """Tell whether a pattern line, counted from 0, is full."""
    return sum(line) >= CAPACITIES[number]


def penalty(occupied: int) -> int:
    """Return the points lost for the first `occupied` spaces of the floor line together.

    >>> [penalty(n) for n in (0, 3, 7, 9)]
    [0, 4, 14, 14]
    """
    return sum(PENALTIES[:occupied])


def goals(wall: Sequence[str]) -> Iterator[Goal]:
    """Yield rows, columns and colours of a wall.

    Every row has each colour once, and so has every column on both sides (B2, B8): if one tile is
    missing, its colour is the one that is absent. A wall that is unsound may have a colour twice.
    """
    every = range(SIZE)
    for number, row in enumerate(wall):
        lacking = [(letter, number) for letter in _absent(row)]
        yield _goal("row", str(number + 1), wall, lacking, every)
    for column in every:
        spaces = "".join(row[column] for row in wall)
        empty = [row for row, letter in enumerate(spaces) if letter == "."]
        lacking = list(zip(_absent(spaces), empty, strict=False))
        yield _goal("column", str(column + 1), wall, lacking, (column,))
    for letter, name in zip(COLOURS, COLOUR_NAMES, strict=True):
        lacking = [(letter, row) for row, spaces in enumerate(wall) if letter not in spaces]
        yield _goal("colour", name, wall, lacking, every)


def _absent(spaces: str) -> list[str]:
    return [letter for letter in COLOURS if letter not in spaces]


def _goal(
    kind: str,
    name: str,
    wall: Sequence[str],
    lacking: Sequence[tuple[str, int]],
    columns: Iterable[int],
) -> Goal:
    """Make a goal; on the grey side the last tile may fit no column (B8)."""
    last = lacking[0] if len(lacking) == 1 else None
    if last is not None and set(columns).isdisjoint(free_columns(wall, *last)):
        last = None
    return Goal(kind, name, len(lacking), last)


def columns_for(board: str, wall: Sequence[str], letter: str, row: int) -> list[int]:
    """Return the columns, from 0, of a row where a tile of a colour may be placed."""
    return [column for column in free_columns(wall, letter, row)
            if printed(board, row, column) in ("", letter)]
