"""The printed player board of Summer Pavilion: stars, colours and numbers (RULES A2, A3)."""

from __future__ import annotations

__all__ = ["CENTRE", "LETTERS", "RING", "SITES", "SITE_COLOURS", "STAR_COLOURS", "printed_number"]

LETTERS = "PGOYBR"
"""Colour letters in wild order (A2)."""

RING = ("W", "NW", "NE", "E", "SE", "SW")
SITES = (*RING, "C")
CENTRE = 6

SITE_COLOURS: tuple[int | None, ...] = (0, 2, 5, 4, 3, 1, None)
"""Colour of each star on the coloured side, None for the centre star (A2)."""

STAR_COLOURS = tuple("" if colour is None else LETTERS[colour] for colour in SITE_COLOURS)
"""The same as letters, "" for the centre star."""

_GREY_NUMBERS = (3, 2, 1, 4, 5, 6)


def printed_number(board: str, site: int, place: int) -> int:
    """Return the number printed on a space, which is its cost (A3.2).

    Args:
        board: `coloured` or `grey`.
        site: 0-6, 6 is the centre star.
        place: position 1-6 within the star.

    >>> printed_number("coloured", 1, 4), printed_number("grey", 0, 1), printed_number("grey", 6, 1)
    (4, 3, 3)
    """
    if board == "coloured":
        return place
    return 3 if site == CENTRE else _GREY_NUMBERS[place - 1]
