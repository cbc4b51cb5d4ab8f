"""Exact chances of draws from the bag: RULES A9 and B7, uniform and without replacement."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

from .support import NO_TILES

Tiles = tuple[int, ...]


def plus(tiles: Tiles, other: Tiles, sign: int = 1) -> Tiles:
    return tuple(a + sign * b for a, b in zip(tiles, other, strict=True))


@cache
def picks(tiles: Tiles, count: int) -> dict[Tiles, float]:
    """Return the chance of every multiset of `count` tiles taken at random (hypergeometric)."""
    ways = math.comb(sum(tiles), count)
    return {
        pick: math.prod(math.comb(n, k) for n, k in zip(tiles, pick, strict=True)) / ways
        for pick in product(*(range(min(n, count) + 1) for n in tiles))
        if sum(pick) == count
    }


@cache
def draws(bag: Tiles, tower: Tiles, count: int) -> dict[tuple[Tiles, Tiles, Tiles], float]:
    """Return the chance of every (tiles drawn, bag after, tower after)."""
    if sum(bag) >= count:
        return {(pick, plus(bag, pick, -1), tower): p for pick, p in picks(bag, count).items()}
    rest = min(count - sum(bag), sum(tower))
    return {
        (plus(bag, pick), plus(tower, pick, -1), (0,) * len(bag)): p
        for pick, p in picks(tower, rest).items()
    }


def deals(bag: Tiles, tower: Tiles, displays: int) -> dict[tuple[Tiles, ...], float]:
    """Return the chance of every filling of the displays, in order."""
    chances: dict[tuple[tuple[Tiles, ...], Tiles, Tiles], float] = {((), bag, tower): 1.0}
    for _ in range(displays):
        after: dict[tuple[tuple[Tiles, ...], Tiles, Tiles], float] = {}
        for (filled, bag_now, tower_now), p in chances.items():
            for (drawn, *rest), q in draws(bag_now, tower_now, 4).items():
                key = ((*filled, drawn), rest[0], rest[1])
                after[key] = after.get(key, 0.0) + p * q
        chances = after
    totals: dict[tuple[Tiles, ...], float] = {}
    for (filled, *_), p in chances.items():
        totals[filled] = totals.get(filled, 0.0) + p
    return totals


TOP_UPS = [
    # tiles on the supply, bag, tower
    ((7, 0, 0, 0, 0, 0), (3, 2, 2, 1, 1, 1), NO_TILES),
    ((9, 0, 0, 0, 0, 0), (5, 1, 0, 2, 0, 3), (1, 1, 0, 0, 0, 0)),
    ((7, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1), (0, 2, 0, 0, 4, 1)),
    ((6, 0, 0, 0, 0, 0), NO_TILES, (2, 2, 2, 0, 0, 2)),
    ((7, 0, 0, 0, 0, 0), (1, 1, 1, 0, 0, 0), (5, 0, 0, 0, 0, 0)),
    ((4, 0, 0, 0, 0, 0), (1, 0, 0, 0, 1, 0), (0, 1, 1, 0, 0, 0)),
]

DEALS = [
    # bag, tower: what two displays get is worked out, the others are summed over
    ((3, 2, 2, 1, 0, 0), NO_TILES),
    ((2, 1, 0, 1, 1, 1), (0, 3, 0, 0, 2, 0)),
    ((1, 0, 0, 0, 0, 2), (2, 0, 2, 2, 0, 0)),
    (NO_TILES, (2, 2, 1, 1, 0, 0)),
]
