"""The printed player board of Summer Pavilion: stars, colours and numbers (RULES A2, A3).

Beside it how long a game is, and how many tiles are kept and supplied.
"""

from __future__ import annotations

LETTERS = "PGOYBR"
"""Colour letters in wild order (A2)."""
COLOURS = ("purple", "green", "orange", "yellow", "blue", "red")

ROUNDS = 6
KEPT_TILES = 4
SUPPLY_SPACES = 10

PHASES = ("draft", "place", "bonus", "deal", "supply", "over")

RING = ("W", "NW", "NE", "E", "SE", "SW")
SITES = (*RING, "C")
CENTRE = 6

SITE_COLOURS: tuple[int | None, ...] = (0, 2, 5, 4, 3, 1, None)
"""Colour of each star on the coloured side, None for the centre star (A2)."""

STAR_COLOURS = tuple("" if colour is None else LETTERS[colour] for colour in SITE_COLOURS)
"""The same as letters, "" for the centre star."""


def _features() -> tuple[tuple[str, str, tuple[tuple[int, int], ...]], ...]:
    pillars, statues, windows = [], [], []
    for k, site in enumerate(RING):
        following = (k + 1) % 6
        a, b = (k + 4) % 6 + 1, (k + 5) % 6 + 1
        pillars.append(("pillar", site, ((k, 2), (k, 3), (CENTRE, a), (CENTRE, b))))
        spaces = ((k, 1), (k, 2), (following, 3), (following, 4))
        statues.append(("statue", f"{site}-{RING[following]}", spaces))
        windows.append(("window", site, ((k, 5), (k, 6))))
    return (*pillars, *statues, *windows)


FEATURES = _features()
"""The 18 features: pillars, statues, windows, each clockwise from W, with kind, place, and the
spaces that surround it as site 0-6 and position 1-6 (A3.3)."""

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
