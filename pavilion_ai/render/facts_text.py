"""Show what games tell as tables for a terminal."""

from __future__ import annotations

from pavilion_ai.errors import printable
from pavilion_ai.facts import Table
from pavilion_ai.facts.groups import Group
from pavilion_ai.facts.tally import less
from pavilion_ai.games import GAMES
from pavilion_ai.render.columns import set_in_columns, shortened_together
from pavilion_ai.render.text import DIM, STRONG, Line, Span, line, wrap
from pavilion_ai.stats.blocks import Measured
from pavilion_ai.wording import plural
from pavilion_ai.wording import signed as with_sign

UNKNOWN = "-"
LONGEST_AGENT = 60
LEAST_NAME = 24
MOST_DIGITS = 5
FEWEST = 20
"""Values below which a row that was merely met is not worth a line."""


def group_lines(group: Group, against: Group | None, width: int) -> list[Line]:
    """Return the tables of a group as lines of at most `width` columns (60 or more).

    `+-` is half the width of a 95 % interval.

    Args:
        against: a group of the same variant: below each table stands by how much the numbers of
            the first group are above its own; None for none.
    """
    variant = group.variant
    title = GAMES[variant.game].title
    groups = [group] if against is None else [group, against]
    agents = shortened_together([printable(one.agent) for one in groups], LONGEST_AGENT)
    rows = wrap([Span(f"{title}, {variant.board}, {variant.players} players", STRONG)], width)
    for start, agent, one in zip(("", "against "), agents, groups, strict=False):
        counted = f"{plural(one.seats, 'seat')} in {plural(one.games, 'game')}"
        rows += wrap([f"{start}{agent}: {counted}"], width)
    for number, table in enumerate(group.tables):
        rows += [(), *_table(table, width)]
        if against is not None:
            difference = less(table, against.tables[number])
            rows += [(), *_table(difference, width, differing=True)]
    return rows


def _table(table: Table, width: int, differing: bool = False) -> list[Line]:
    layout = table.layout
    shown = [row for row in table.rows if layout.rows or any(
        table.cells[row, column].count >= FEWEST for column in layout.shown)]
    title = line(Span(layout.title, STRONG))
    if differing:
        title = line(Span("... above that", DIM))
    if not shown:
        return [title, line(Span("too few to tell", DIM))]
    columns = []
    for column in layout.shown:
        percent = layout.is_percent(column)
        signed = differing or layout.regression or bool(
            layout.difference and column == layout.difference[0])
        cells = [measured(table.cells[row, column], percent, signed) for row in shown]
        if any(cell != UNKNOWN for cell in cells):
            columns.append((f"{column} %" if percent else column, cells))
    if not columns:
        return [title, line(Span("too few to tell", DIM))]
    return [*wrap(title, width), *set_in_columns(
        shown, columns, width, ranked=False, least=LEAST_NAME)]


def measured(number: Measured, percent: bool = False, signed: bool = False) -> str:
    """Return a number with half its 95 % interval, for a cell of a table.

    A small interval has as many digits as it needs not to look like none.

    >>> measured(Measured(0.5, 0.01, 100), percent=True), measured(Measured(2.25, 0.1, 9))
    ('50.0 +-2.0', '2.25 +-0.20')
    >>> measured(Measured(-0.25, None, 3), signed=True), measured(Measured(None, None, 0))
    ('-0.25', '-')
    >>> measured(Measured(0.032, 0.001, 9)), measured(Measured(85.21, 0.02, 9))
    ('0.032 +-0.002', '85.21 +-0.04')
    """
    if number.value is None:
        return UNKNOWN
    factor = 100 if percent else 1
    value = factor * number.value
    digits = 1 if percent or abs(value) >= 10 else 2
    half = None if number.reach is None else factor * number.reach
    while half is not None and half < 10**-digits and digits < MOST_DIGITS:
        digits += 1
    text = with_sign(value, digits) if signed else f"{value:,.{digits}f}"
    return text if half is None else f"{text} +-{half:.{digits}f}"
