"""Layout of a player board of Summer Pavilion: names and places for renderers.

Geometry for drawing and naming only (RULES.md A2, A3): legal moves, their costs and scores always
come from the rules core, never from these tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from pavilion_ai.position.summer_board import CENTRE, ROUNDS, SITES, STAR_COLOURS, printed_number
from pavilion_ai.position.summer_board import COLOURS as COLOUR_NAMES
from pavilion_ai.position.summer_board import FEATURES as PRINTED
from pavilion_ai.position.summer_board import LETTERS as COLOURS

__all__ = [
    "CENTRE", "COLOURS", "COLOUR_NAMES", "FEATURES", "PHASES", "ROUNDS", "SCORED_NUMBERS", "SITES",
    "STAR_COLOURS", "TIP", "Feature", "colour_name", "feature_middle", "goals", "missing",
    "number_spaces", "point_angle", "point_of", "printed_number", "space_name",
    "star_middle", "star_spaces",
]

TIP = 1 / math.sqrt(3)  # length of a star's points at which the seven stars just touch
SCORED_NUMBERS = (1, 2, 3, 4)  # A10
PHASES = {
    "draft": "phase 1, taking tiles",
    "place": "phase 2, placing tiles",
    "bonus": "phase 2, bonus tiles",
    "deal": "the displays are to be filled",
    "supply": "the supply is to be topped up",
    "over": "the game is over",
}


class Feature(NamedTuple):
    """A pillar, statue or window: its name, the tiles it is worth, and its spaces."""

    kind: str
    at: str
    tiles: int
    spaces: tuple[tuple[int, int], ...]  # (site 0-6, position 1-6)

    @property
    def name(self) -> str:
        """Return the name used by RULES.md, such as "statue W-NW"."""
        return f"{self.kind} {self.at}"


_REWARDS = {"pillar": 1, "statue": 2, "window": 3}  # A7.5
FEATURES = tuple(Feature(kind, at, _REWARDS[kind], spaces) for kind, at, spaces in PRINTED)


def point_of(site: int, position: int) -> int:
    """Return the point of the star at which a position lies (A3.1).

    Points count clockwise from the top: 0 N, 1 upper right, 2 lower right, 3 S, 4 lower left,
    5 upper left. Every outer star is the previous one turned by 60 degrees.
    """
    return (position - 1 + site) % 6


def star_middle(site: int) -> tuple[float, float]:
    """Return the centre of a star: x to the right, y down, in radii of the ring."""
    if site == CENTRE:
        return 0.0, 0.0
    angle = math.radians(180 + 60 * site)
    return math.cos(angle), math.sin(angle)


def point_angle(point: int) -> float:
    """Return the direction of a star's point in radians: 0 to the right, clockwise."""
    return math.radians(60 * point - 90)


def feature_middle(feature: Feature) -> tuple[float, float]:
    """Return the centre of a feature: halfway between its two stars; a window is beyond its star.

    It is always half a ring radius from the centre of a star, between two of its points.
    """
    middles = [star_middle(site) for site in sorted({site for site, _ in feature.spaces})]
    scale = 1.5 if len(middles) == 1 else 0.5
    return scale * sum(x for x, _ in middles), scale * sum(y for _, y in middles)


def space_name(site: int, position: int) -> str:
    """Return the notation of a space, such as "NW.4"."""
    return f"{SITES[site]}.{position}"


def missing(stars: Sequence[str], spaces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the given spaces that are still empty on a board of seven stars."""
    return [(site, position) for site, position in spaces if stars[site][position - 1] == "."]


def star_spaces(site: int) -> tuple[tuple[int, int], ...]:
    """Return the six spaces of a star."""
    return tuple((site, position) for position in range(1, 7))


@cache
def goals(board: str) -> tuple[tuple[str, tuple[tuple[int, int], ...]], ...]:
    """Return everything that can be completed on a board: its name and its spaces."""
    return (
        *((feature.name, feature.spaces) for feature in FEATURES),
        *((f"star {name}", star_spaces(site)) for site, name in enumerate(SITES)),
        *((f"all {number}s", number_spaces(board, number)) for number in SCORED_NUMBERS),
    )


def number_spaces(board: str, number: int) -> tuple[tuple[int, int], ...]:
    """Return all spaces of a board that carry a number."""
    return tuple(
        (site, position)
        for site in range(7)
        for position in range(1, 7)
        if printed_number(board, site, position) == number
    )


def colour_name(letter: str) -> str:
    """Return the name of a colour."""
    return COLOUR_NAMES[COLOURS.index(letter)]
