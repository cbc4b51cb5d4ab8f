"""The printed player board of base Azul: wall, pattern lines, floor line (RULES B1, B2).

Beside it how long a game is.
"""

from __future__ import annotations

LETTERS = "BYRKW"
COLOURS = ("blue", "yellow", "red", "black", "white")
SIZE = 5
CAPACITIES = (1, 2, 3, 4, 5)
"""Spaces of the pattern lines, top to bottom (RULES B1)."""
FLOOR_SPACES = 7
PENALTIES = (1, 1, 2, 2, 2, 3, 3)
"""Points lost for a tile on each space of the floor line, left to right (RULES B2)."""
MARKER = "*"
ROUNDS = 50

PHASES = ("draft", "wall", "deal", "over")


def row_colours(row: int) -> str:
    """Return the colours printed in a row of the coloured wall (RULES B2).

    >>> row_colours(3)
    'RKWBY'
    """
    return LETTERS[SIZE - row:] + LETTERS[:SIZE - row]
