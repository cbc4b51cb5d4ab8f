"""States of base Azul from the few things that a test mentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pavilion_ai._core import AzulState

from .support import AZUL_DEAL, DRAFT

LETTERS = "BYRKW"
FLOOR_TILES = LETTERS + "*"
"""Of a floor line: the colours, then the marker."""

EMPTY_LINES = ("-",) * 5
NO_TILES = (0,) * 5

Tiles = tuple[int, ...]


def tiles(text: str) -> Tiles:
    """Read a multiset such as `BBR`, `-` or nothing."""
    return tuple(text.count(letter) for letter in LETTERS)


def wall(filled: str) -> list[int]:
    """Read `1.2 4.5:Y`, row and column; without a colour it is the coloured wall's (B2)."""
    spaces = [0] * 25
    for space in filled.split():
        where, _, letter = space.partition(":")
        row, column = (int(number) - 1 for number in where.split("."))
        colour = LETTERS.index(letter) if letter else (column - row) % 5
        spaces[5 * row + column] = 1 + colour
    return spaces


def make_azul(
    *,
    players: int = 2,
    grey: bool = False,
    round: int = 5,
    phase: int = DRAFT,
    to_move: int = 0,
    token: int = -1,
    displays: Sequence[str | Tiles] = (),
    centre: str = "",
    bag: Tiles = (),
    lid: Tiles = NO_TILES,
    bag_size: int = -1,
    scores: Sequence[int] = (),
    lines: Sequence[Sequence[str]] = (),
    walls: Sequence[str] = (),
    floors: Sequence[str] = (),
) -> AzulState:
    """Make a state; `bag_size` hides the split of bag and lid.

    Without a bag all tiles that lie nowhere else are in it: 20 of each colour (B1).
    """
    seats: list[Any] = []
    for seat in range(players):
        shown = [tiles(line) for line in (lines[seat] if lines else EMPTY_LINES)]
        seats.append((
            scores[seat] if scores else 0,
            [(line.index(max(line)), max(line)) if any(line) else (-1, 0) for line in shown],
            wall(walls[seat] if walls else ""),
            [FLOOR_TILES.index(tile) for tile in (floors[seat] if floors else "")],
        ))
    table = [tiles(some) if isinstance(some, str) else some for some in displays]
    table += [NO_TILES] * (2 * players + 1 - len(table))
    return AzulState(
        players, grey, round, phase, -1 if phase >= AZUL_DEAL else to_move, 0, token,
        table, tiles(centre), bag or left_over(seats, [*table, tiles(centre), lid]), lid,
        max(bag_size, 0), bag_size < 0, seats)


def left_over(seats: Sequence[Any], elsewhere: Sequence[Tiles]) -> Tiles:
    """Return the tiles that lie neither on the boards nor elsewhere."""
    left = [20] * 5
    for some in elsewhere:
        left = [n - k for n, k in zip(left, some, strict=True)]
    for _, lines, spaces, floor in seats:
        for colour, count in lines:
            left[colour] -= count
        for space in spaces:
            if space:
                left[space - 1] -= 1
        for tile in floor:
            if tile < 5:
                left[tile] -= 1
    if min(left) < 0:
        raise ValueError(f"more than 20 tiles of a colour: {left} are left")
    return tuple(left)
