"""Statistics of sums kept in blocks: means and regressions with errors by the jackknife.

Values of one deal belong together (two games of a pair, the seats of a table), so all values of a
deal go to one block, and leaving out one block after another shows how much the result depends on
which deals were dealt. Only sums are kept, so memory does not grow with the number of games.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pavilion_ai.stats.estimate import TINY, student_quantile

BLOCKS = 64
"""Blocks that the deals are divided among; 64 give an error that is itself known to 9 %."""
FEWEST_BLOCKS = 8
"""Blocks with values below which no error is given."""
RIDGE = 1e-9
"""Share of a variance that is added to it, so that a feature that never varies does no harm."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """A number with its standard error.

    Attributes:
        value: the number, None without values.
        error: standard error, None where nothing tells it: too few blocks, or all values are equal.
        count: how many values it is made of (sum of the weights).
        left: float64 [BLOCKS], the number without each block, NaN for a block without values; None
            without an error.
    """

    value: float | None
    error: float | None
    count: float
    left: Floats | None = field(default=None, repr=False, compare=False)

    @property
    def reach(self) -> float | None:
        """Half the 95 % interval, by Student's distribution over the blocks; None as `error` is."""
        if self.error is None:
            return None
        blocks = BLOCKS if self.left is None else int(np.count_nonzero(~np.isnan(self.left)))
        return student_quantile(blocks - 1) * self.error

    def less(self, other: Measured) -> Measured:
        """Return the difference from a number whose deals may be the same, or others."""
        if self.value is None or other.value is None:
            return Measured(None, None, 0)
        value, count = self.value - other.value, min(self.count, other.count)
        if self.left is None or other.left is None:
            return Measured(value, None, count)
        own, its = (np.where(np.isnan(left), one, left) for one, left in (
            (self.value, self.left), (other.value, other.left)))
        return _with_error(value, count, np.where(
            np.isnan(self.left) & np.isnan(other.left), np.nan, own - its))

    def to_json(self) -> dict[str, float | None]:
        """Return the numbers under their names."""
        return {"value": self.value, "error": self.error, "count": self.count}


def block_of(*deal: object) -> int:
    """Return the block of a deal, the same on every machine; deals are spread evenly.

    >>> block_of(7, "PGO"), block_of(8, "PGO")
    (57, 40)
    """
    return zlib.crc32(repr(deal).encode()) % BLOCKS


class Moments:
    """Sums for a least-squares regression without a constant, by block.

    Args:
        size: number of features.
    """

    def __init__(self, size: int) -> None:
        self.count = np.zeros(BLOCKS)
        self.squares = np.zeros((BLOCKS, size, size))
        self.products = np.zeros((BLOCKS, size))

    def add(self, block: int, features: Sequence[float], value: float) -> None:
        """Add one row: features, and the value that they are to explain."""
        row = np.asarray(features, float)
        self.count[block] += 1
        self.squares[block] += np.outer(row, row)
        self.products[block] += row * value

    def __iadd__(self, other: Moments) -> Moments:
        self.count += other.count
        self.squares += other.squares
        self.products += other.products
        return self


def ratio(sums: Floats) -> Measured:
    """Return the weighted mean of values kept as sums.

    Args:
        sums: float64 [BLOCKS, 2], sums of weights and of weight times value.
    """
    return _jackknife([sums], lambda parts: parts[0][1] / parts[0][0])


def contrast(first: Floats, second: Floats) -> Measured:
    """Return the difference of two means of the same deals, each as for `ratio`."""
    return _jackknife(
        [first, second],
        lambda parts: parts[0][1] / parts[0][0] - parts[1][1] / parts[1][0])


def coefficients(moments: Moments) -> list[Measured]:
    """Return the coefficient of each feature; None for one that never varies."""
    total = float(moments.count.sum())
    used = np.flatnonzero(moments.count)
    squares, products = moments.squares.sum(axis=0), moments.products.sum(axis=0)
    varies = np.diag(squares) > 0
    if not varies.any() or total <= varies.sum():
        return [Measured(None, None, total) for _ in varies]
    kept = np.flatnonzero(varies)

    def solved(squares: Floats, products: Floats) -> Any:
        matrix = squares[np.ix_(kept, kept)]
        return np.linalg.solve(matrix + np.diag(RIDGE * np.diag(matrix) + RIDGE), products[kept])

    value = solved(squares, products)
    left = None
    if len(used) >= FEWEST_BLOCKS:
        left = np.full((BLOCKS, len(kept)), np.nan)
        for block in used:
            left[block] = solved(squares - moments.squares[block],
                                 products - moments.products[block])
    found = [Measured(None, None, total)] * len(varies)
    for place, index in enumerate(kept):
        found[index] = (Measured(float(value[place]), None, total) if left is None
                        else _with_error(float(value[place]), total, left[:, place]))
    return found


def _jackknife(parts: Sequence[Floats], statistic: Callable[[list[Floats]], float]) -> Measured:
    totals = [part.sum(axis=0) for part in parts]
    count = float(min(total[0] for total in totals))
    if count <= 0:
        return Measured(None, None, 0)
    value = float(statistic(totals))
    used = [block for block in range(BLOCKS) if any(part[block, 0] for part in parts)]
    rest = {block: [total - part[block] for total, part in zip(totals, parts, strict=True)]
            for block in used}
    if len(used) < FEWEST_BLOCKS or any(one[0] <= 0 for some in rest.values() for one in some):
        return Measured(value, None, count)
    left = np.full(BLOCKS, np.nan)
    for block, some in rest.items():
        left[block] = statistic(some)
    return _with_error(value, count, left)


def _with_error(value: float, count: float, left: Floats) -> Measured:
    """Return a number with its error by the jackknife; `left` as in `Measured`."""
    some = left[~np.isnan(left)]
    n = len(some)
    error = math.sqrt((n - 1) / n * float(((some - some.mean()) ** 2).sum()))
    return Measured(value, error, count, left) if error > TINY else Measured(value, None, count)
