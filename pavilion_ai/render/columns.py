"""Tables of names and numbers for a terminal, and texts that fit into them."""

from __future__ import annotations

from collections.abc import Sequence

from pavilion_ai.render.text import STRONG, Line, Span, beginning, breadth, line, trimmed

__all__ = ["LONGEST_NAME", "Column", "set_in_columns", "shortened"]

LONGEST_NAME = 200
"""Columns of the name of a game or an agent in a heading, where those in use are told in full."""
_MIN_NAME = 12

Column = tuple[str, Sequence[str]]
"""Heading and cells of a column."""


def shortened(text: str, width: int) -> str:
    """Cut the middle out of a text that is too long.

    >>> shortened("ismcts:time=0.5,threads=2", 16)
    'ismcts:...eads=2'
    """
    if breadth(text) <= width:
        return text
    kept = max(width - 3, 2)
    end = beginning(text[::-1], kept // 2)[::-1]
    while end and not breadth(end[0]):  # an accent, whose letter is cut off
        end = end[1:]
    return f"{beginning(text, (kept + 1) // 2)}...{end}"


def set_in_columns(
    names: Sequence[str], columns: Sequence[Column], width: int, *, ranked: bool, gap: int = 2,
    least: int = _MIN_NAME,
) -> list[Line]:
    """Set columns to the right of the names; those that do not fit go to another table below.

    Names that differ are cut so far only that they still do, as far as the terminal is wide enough.

    Args:
        names: names of the rows.
        columns: columns with one cell per row.
        width: columns of the terminal.
        ranked: whether to number the rows.
        gap: blanks between two columns.
        least: columns that longer names keep, however many columns there are.
    """
    digits = len(str(len(names))) if ranked else 0
    prefix = digits + 1 if ranked else 0
    sizes = [gap + max(map(breadth, (heading, *cells))) for heading, cells in columns]
    longest = max(map(breadth, names))
    room = min(longest, max(least, width - prefix - sum(sizes)))
    most = min(longest, width - prefix - max(sizes, default=0))
    while room < most and len({shortened(one, room) for one in names}) < len({*names}):
        room += 1
    left = [name + " " * (room - breadth(name)) for name in (shortened(one, room) for one in names)]
    if ranked:
        left = [f"{rank:>{digits}} {name}" for rank, name in enumerate(left, 1)]
    rows: list[Line] = []
    start = 0
    while start < len(columns):
        end = start + 1
        while end < len(columns) and prefix + room + sum(sizes[start : end + 1]) <= width:
            end += 1
        part = list(zip(columns[start:end], sizes[start:end], strict=True))
        heading = "".join(f"{text:>{size}}" for (text, _), size in part)
        rows += [()] if rows else []
        rows.append(line(Span(" " * (prefix + room) + heading, STRONG)))
        for number, name in enumerate(left):
            cells = "".join(f"{cells[number]:>{size}}" for (_, cells), size in part)
            rows.append(trimmed(line(name + cells)))
        start = end
    return rows
