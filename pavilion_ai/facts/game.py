"""A finished game as the files of the games count it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pavilion_ai.analysis import win_shares
from pavilion_ai.facts.tally import Tally
from pavilion_ai.games import State
from pavilion_ai.notation import format_tiles
from pavilion_ai.play import Play, Ply
from pavilion_ai.stats.blocks import block_of

SIDES = ("winners", "others")
"""Columns of seats that won alone, and of those that did not win; shared victories are in none."""

MOST_MORE = 8
MORE = (f"{MOST_MORE - 1}+ fewer", *(f"{n} fewer" for n in range(MOST_MORE - 2, 0, -2)), "equal",
        *(f"{n} more" for n in range(2, MOST_MORE, 2)), f"{MOST_MORE - 1}+ more")
"""Rows: by how many tiles a seat has drafted more than the mean of the others, in steps of 2."""


@dataclass(frozen=True)
class Played:
    """A game that is over.

    Attributes:
        play: the game, at its end.
        tallies: tally of each seat that is counted; None for the others.
    """

    play: Play
    tallies: Sequence[Tally | None]

    @cached_property
    def block(self) -> int:
        """Block of the deal: games that begin with the same tiles share it."""
        start = self.play.start
        letters = self.play.rules.colours
        return block_of(*(format_tiles(tiles, letters) for tiles in start.displays))

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """Each seat's share of the victory."""
        return win_shares(self.play.winners(), self.play.start.players)

    @cached_property
    def end(self) -> State:
        """The state at the end."""
        return self.play.state

    @property
    def plies(self) -> Sequence[Ply]:
        """The moves with the states before them."""
        return self.play.plies

    @cached_property
    def breakdown(self) -> tuple[Mapping[str, int], ...]:
        """Parts of the final scores, by seat."""
        return self.play.breakdown()

    def side(self, seat: int) -> str | None:
        """Return the column of a seat, None where the victory is shared."""
        if max(self.shares) < 1:
            return None
        return SIDES[self.shares[seat] < 1]

    def add(self, seat: int, table: str, row: str, column: str, value: float) -> None:
        """Count a value of a seat."""
        tally = self.tallies[seat]
        if tally is not None:
            tally.add(table, row, column, self.block, value)

    def by_side(self, table: str, row: str, values: Sequence[float]) -> None:
        """Count a value of each seat under winners or others."""
        for seat, value in enumerate(values):
            side = self.side(seat)
            if side is not None:
                self.add(seat, table, row, side, value)

    def completed(self, table: str, row: str, done: Sequence[bool]) -> None:
        """Count which seats have something, and what those that do and do not have it win."""
        for seat, has in enumerate(done):
            self.add(seat, table, row, "seats", float(has))
            self.add(seat, table, row, "with" if has else "without", self.shares[seat])

    def by_tiles(self, drafted: Sequence[int]) -> None:
        """Count what seats win by how many tiles they have drafted more than the others."""
        for seat, own in enumerate(drafted):
            rest = (sum(drafted) - own) / (len(drafted) - 1)
            steps = min(MOST_MORE // 2, int(abs(own - rest) / 2 + 0.5))
            row = MORE[MOST_MORE // 2 + (steps if own > rest else -steps)]
            self.add(seat, "tiles", row, "wins", self.shares[seat])

    def regress(self, table: str, column: str, features: Sequence[Sequence[float]]) -> None:
        """Count features of every seat, less the mean of the others', as what explains victory."""
        fair = 1 / len(features)
        for seat, own in enumerate(features):
            tally = self.tallies[seat]
            if tally is not None:
                mean = others(features, seat)
                tally.regress(table, column, self.block,
                              [a - b for a, b in zip(own, mean, strict=True)],
                              self.shares[seat] - fair)


def others(values: Sequence[Sequence[float]], seat: int) -> list[float]:
    """Return the means of the other seats' values.

    >>> others([[1, 2], [3, 4], [5, 8]], 0)
    [4.0, 6.0]
    """
    rest = [row for other, row in enumerate(values) if other != seat]
    return [sum(column) / len(rest) for column in zip(*rest, strict=True)]


@lru_cache(maxsize=1 << 14)
def kind_of_display(tiles: tuple[int, ...], wild: int | None = None) -> str:
    """Name the kind of a display: tiles of each colour, the most first, wild tiles last.

    >>> kind_of_display((2, 1, 0, 1), wild=0), kind_of_display((2, 1, 0, 1)), kind_of_display((4,))
    ('1+1+2w', '2+1+1', '4')
    """
    counts = sorted((count for colour, count in enumerate(tiles) if count and colour != wild),
                    reverse=True)
    words = list(map(str, counts))
    if wild is not None and tiles[wild]:
        words.append("w" if tiles[wild] == 1 else f"{tiles[wild]}w")
    return "+".join(words)
