"""Deals of base Azul to sample: states in which one is due, and what is counted of it."""

from __future__ import annotations

from collections import Counter

from pavilion_ai._core import AzulState

from .azul_positions import NO_TILES, Tiles, make_azul
from .support import AZUL_DEAL

DEALS: list[tuple[Tiles, Tiles]] = [
    # bag, lid: what two displays get is worked out, the others are summed over
    ((3, 2, 2, 1, 0), NO_TILES),
    ((3, 2, 1, 1, 1), (0, 3, 0, 0, 2)),
    ((2, 1, 0, 1, 1), (0, 3, 0, 0, 2)),
    ((1, 0, 0, 0, 2), (2, 0, 2, 2, 0)),
    (NO_TILES, (2, 2, 1, 1, 0)),
]


def deal_state(bag: Tiles, lid: Tiles = NO_TILES, *, players: int = 2, bag_size: int = -1,
               round: int = 3, grey: bool = False) -> AzulState:
    """Return a deal that is due, boards empty."""
    return make_azul(players=players, grey=grey, round=round, phase=AZUL_DEAL, bag=bag, lid=lid,
                     bag_size=bag_size)


def two_displays(found: Counter[tuple[Tiles, ...]]) -> Counter[tuple[Tiles, ...]]:
    """Sum over what the third display and those after it get."""
    summed: Counter[tuple[Tiles, ...]] = Counter()
    for filled, count in found.items():
        summed[filled[:2]] += count
    return summed
