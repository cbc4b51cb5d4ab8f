"""The round of a position of base Azul, from where its tiles are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pavilion_ai.position.azul import PER_COLOUR
from pavilion_ai.position.azul_board import COLOURS, SIZE
from pavilion_ai.position.base import DISPLAY_TILES

TILES = PER_COLOUR * len(COLOURS)
MOST_ROUNDS = 20  # tried; far more than any game between people takes
NAMED_ROUNDS = 2  # besides the one that is taken
DROPPED = 4
"""Tiles that a player drops in a round at most, on average, for a round to be thought possible."""


@dataclass(frozen=True)
class Count:
    """Where the tiles are.

    Attributes:
        players: how many there are.
        bag: tiles in it.
        walls: tiles in each row, on the walls of all.
        longest: tiles in the longest row.
        loose: tiles on displays, in the centre, in pattern lines and floor lines.
        spilled: whether tiles of this round may be in the lid, for want of space on a floor line.
    """

    players: int
    bag: int
    walls: Sequence[int]
    longest: int
    loose: int
    spilled: bool = False

    @property
    def dealt(self) -> int:
        """Tiles that a full deal takes."""
        return DISPLAY_TILES * (2 * self.players + 1)

    @property
    def lid(self) -> int:
        """Tiles that are nowhere else."""
        return TILES - self.bag - sum(self.walls) - self.loose

    def dropped(self, number: int) -> int:
        """Return how many tiles were dropped to floor lines before round `number`.

        That is what was dealt and neither filled a line whose tile is on a wall nor is still
        there; less, if a deal was short.
        """
        filled = sum(row * tiles for row, tiles in enumerate(self.walls, 1))
        return number * self.dealt - filled - self.loose


def likely_rounds(count: Count) -> list[int]:
    """Return the rounds that the page may show, the likeliest first; never none.

    The bag and the lid must be able to be so after that many deals, and a row gets one tile a round
    at most. As long as the bag was not filled again its size tells the round. After that the
    fewest tiles dropped are the likeliest: one round more takes 9 or 10 more from each player. All
    possible rounds are returned, unless just one is likely.
    """
    short = count.dealt if not count.bag else 0
    least = 0 if count.spilled else count.lid
    found = [
        number for number, filled in enumerate(_bags(count.dealt), 1)
        if count.longest < number and count.dropped(number) + short >= 0
        and count.bag in filled
        and filled[count.bag][0] <= count.lid and least <= filled[count.bag][1]
    ]
    if found and count.bag == TILES - found[0] * count.dealt:
        return found[:1]
    likely = [number for number in found
              if count.dropped(number) <= DROPPED * count.players * (number - 1)]
    return likely if len(likely) == 1 else found or [count.longest + 1]


def taken_as(rounds: Sequence[int]) -> str:
    """Say which of several possible rounds is taken, the first one, and what else it could be."""
    first, *others = rounds
    if not others:
        return f"taken as {first}"
    more = " or ".join(map(str, others)) if len(others) <= NAMED_ROUNDS else "a later one"
    return f"taken as {first}, could be {more}"


@cache
def _bags(dealt: int) -> tuple[dict[int, tuple[int, int]], ...]:
    """Return, by round, after the deal: the sizes that the bag can have, and with each the lid.

    The discards are poured when a tile is needed and the bag is empty (RULES B7).
    """
    found = [{TILES - dealt: (0, 0)}]
    while len(found) < MOST_ROUNDS:
        after: dict[int, tuple[int, int]] = {}
        for bag, (least, _) in found[-1].items():
            if bag >= dealt:
                _add(after, bag - dealt, least, TILES - bag)
            else:
                for lid in range(least, TILES - bag + 1):
                    _add(after, max(0, bag + lid - dealt), 0, 0)
        found.append(after)
    return tuple(found)


def _add(bags: dict[int, tuple[int, int]], bag: int, least: int, most: int) -> None:
    low, high = bags.get(bag, (least, most))
    bags[bag] = min(low, least), max(high, most)


def rows_of(walls: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Return the tiles in each row on the walls of all, and those in the longest row."""
    filled = [[SIZE - row.count(".") for row in wall] for wall in walls]
    return [sum(rows) for rows in zip(*filled, strict=True)], max(map(max, filled))
