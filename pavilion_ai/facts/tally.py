"""Sums over games, and the tables made of them.

A game's own file says what is counted (`Layout`); here it is added up in blocks of deals
(`stats.blocks`), so that memory depends on the number of rows and not on that of games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pavilion_ai.frozen import freeze
from pavilion_ai.stats.blocks import (
    BLOCKS,
    Floats,
    Measured,
    Moments,
    coefficients,
    contrast,
    ratio,
)

SHARE = "share"
"""Column of a layout with `shares`: what part of all values each row has."""
PARTS = 12
"""Values are added up in twelfths. Shares of up to four seats, and means of up to three others, are
whole numbers of them, whose sums do not depend on the order of the games."""
MOST_ROWS = 200
"""Rows of one table; no game has as many."""


@dataclass(frozen=True)
class Layout:
    """A table to be counted.

    Attributes:
        name: its name in JSON.
        title: what it shows, for people.
        columns: what is counted, in order; not those computed below.
        rows: rows in order; without any, they appear as they are met and the most frequent first.
        percent: columns that are shares, to be shown in percent.
        difference: name and two columns whose difference is shown too.
        shares: column whose number of values gives each row its share of all; none if empty.
        regression: whether rows are features and columns moments of a regression.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[str, ...] = ()
    percent: tuple[str, ...] = ()
    difference: tuple[str, str, str] | None = None
    shares: str = ""
    regression: bool = False

    @property
    def shown(self) -> tuple[str, ...]:
        """All columns, computed ones included."""
        return ((SHARE,) if self.shares else ()) + self.columns + (
            self.difference[:1] if self.difference else ())

    def is_percent(self, column: str) -> bool:
        """Tell whether a column is a share."""
        return (self.regression or column in self.percent or column == SHARE
                or bool(self.difference and column == self.difference[0]
                        and self.difference[1] in self.percent))


@dataclass(frozen=True)
class Table:
    """What was counted.

    Attributes:
        layout: layout of the table.
        rows: names of the rows.
        cells: numbers by row and column.
    """

    layout: Layout
    rows: tuple[str, ...]
    cells: Mapping[tuple[str, str], Measured]

    def __post_init__(self) -> None:
        freeze(self, "cells")

    def to_json(self) -> dict[str, object]:
        """Return a JSON object; shares are from 0 to 1, errors standard errors."""
        columns = self.layout.shown
        return {
            "table": self.layout.name, "title": self.layout.title,
            "rows": [{"row": row, **{column: self.cells[row, column].to_json()
                                     for column in columns}} for row in self.rows]}


_Cells = dict[tuple[str, str, str], dict[int, list[int]]]
"""By block, the number of values and their sum in `PARTS`."""


@dataclass
class Tally:
    """Sums of one group of seats.

    Attributes:
        seats: seats counted.
    """

    seats: int = 0
    _sums: _Cells = field(default_factory=dict)
    _moments: dict[tuple[str, str], Moments] = field(default_factory=dict)

    def add(self, table: str, row: str, column: str, block: int, value: float) -> None:
        """Count one value, a multiple of 1 / `PARTS`."""
        blocks = self._sums.setdefault((table, row, column), {})
        sums = blocks.setdefault(block, [0, 0])
        sums[0] += 1
        sums[1] += _parts(value)

    def regress(self, table: str, column: str, block: int, features: Sequence[float],
                value: float) -> None:
        """Count one row of a regression, of multiples of 1 / `PARTS`.

        Its coefficients do not depend on the unit, as it is that of all.
        """
        key = table, column
        if key not in self._moments:
            self._moments[key] = Moments(len(features))
        self._moments[key].add(block, [*map(_parts, features)], _parts(value))

    def __iadd__(self, other: Tally) -> Tally:
        self.seats += other.seats
        for key, blocks in other._sums.items():
            mine = self._sums.setdefault(key, {})
            for block, (weight, value) in blocks.items():
                sums = mine.setdefault(block, [0, 0])
                sums[0] += weight
                sums[1] += value
        for name, moments in other._moments.items():
            if name in self._moments:
                self._moments[name] += moments
            else:
                self._moments[name] = moments
        return self

    def table(self, layout: Layout) -> Table:
        """Return a table of what was counted."""
        return self._regression(layout) if layout.regression else self._counted(layout)

    def _regression(self, layout: Layout) -> Table:
        cells = {}
        for column in layout.columns:
            moments = self._moments.get((layout.name, column))
            found = (coefficients(moments) if moments is not None
                     else [Measured(None, None, 0)] * len(layout.rows))
            cells.update({(row, column): one for row, one in zip(layout.rows, found, strict=True)})
        return Table(layout, layout.rows, cells)

    def _counted(self, layout: Layout) -> Table:
        rows = layout.rows or self._met(layout)
        cells: dict[tuple[str, str], Measured] = {}
        total = sum((self._blocks(layout.name, row, layout.shares)[:, 0] for row in rows),
                    np.zeros(BLOCKS)) if layout.shares else np.zeros(BLOCKS)
        for row in rows:
            sums = {column: self._blocks(layout.name, row, column)
                    for column in {*layout.columns, layout.shares}}
            for column in layout.columns:
                cells[row, column] = ratio(sums[column])
            if layout.shares:
                cells[row, SHARE] = ratio(np.stack([total, sums[layout.shares][:, 0]], axis=1))
            if layout.difference:
                name, first, second = layout.difference
                cells[row, name] = contrast(sums[first], sums[second])
        return Table(layout, rows, cells)

    def _met(self, layout: Layout) -> tuple[str, ...]:
        """Return the rows that were met, those with the most values first."""
        counted = layout.shares or layout.columns[0]
        weights = {row: sum(sums[0] for sums in blocks.values())
                   for (table, row, column), blocks in self._sums.items()
                   if table == layout.name and column == counted}
        return tuple(sorted(weights, key=lambda row: (-weights[row], row))[:MOST_ROWS])

    def _blocks(self, *key: str) -> Floats:
        found = np.zeros((BLOCKS, 2))
        for block, (count, parts) in self._sums.get((key[0], key[1], key[2]), {}).items():
            found[block] = count, parts / PARTS
        return found


def _parts(value: float) -> int:
    return round(PARTS * value)


def less(first: Table, second: Table) -> Table:
    """Return the differences of two tables of one layout, whose deals may be the same."""
    nothing = Measured(None, None, 0)
    rows = (*first.rows, *(row for row in second.rows if row not in first.rows))
    cells = {
        (row, column): first.cells.get((row, column), nothing).less(
            second.cells.get((row, column), nothing))
        for row in rows for column in first.layout.shown}
    return Table(first.layout, rows, cells)
