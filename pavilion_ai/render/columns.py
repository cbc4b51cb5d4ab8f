"""Tables of names and numbers for a terminal, and texts that fit into them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pavilion_ai.render.text import STRONG, Line, Span, beginning, breadth, line, trimmed

__all__ = ["LONGEST_NAME", "Column", "set_in_columns", "shortened", "shortened_together"]

LONGEST_NAME = 200
"""Columns of the name of a game or an agent in a heading, where those in use are told in full."""
_MIN_NAME = 12
_ROUNDS = 5
"""In each of which texts that look alike after it are cut closer to where they differ."""

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


def shortened_together(texts: Sequence[str], width: int) -> list[str]:
    """Cut texts that are too long so that those that differ look different.

    Where the middle is all that differs, the part from there on is kept.

    >>> shortened_together(["cmd:/opt/1.2.0/x/engine", "cmd:/opt/1.3.0/x/engine"], 16)
    ['cmd.../1.2.0/...', 'cmd.../1.3.0/...']
    """
    found = [shortened(text, width) for text in texts]
    for _ in range(_ROUNDS):
        alike: defaultdict[str, list[int]] = defaultdict(list)
        for place, short in enumerate(found):
            alike[short].append(place)
        for places in alike.values():
            different = {texts[place] for place in places}
            if len(different) > 1:
                shared = _shared(min(different), max(different))
                for place in places:
                    found[place] = _cut_before(texts[place], shared, width)
        if len({*found}) == len(alike):
            break
    return found


def _shared(text: str, other: str) -> int:
    """Return how many letters two texts share at their beginnings."""
    return next((place for place, (one, two) in enumerate(zip(text, other, strict=False))
                 if one != two), min(len(text), len(other)))


def _cut_before(text: str, place: int, width: int) -> str:
    """Cut out what stands some letters before a place, and what is too long behind it."""
    kept = max(width - 3, 2)
    while 0 < place < len(text) and not breadth(text[place]):  # an accent stays with its letter
        place -= 1
    before = beginning(text[:place][::-1], kept // 4)
    rest = text[place - len(before):]
    room = kept - kept // 4
    if breadth(rest) > room:
        rest = beginning(rest, room - 3) + "..."
    return f"{beginning(text, kept - breadth(rest))}...{rest}"


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
    left = [name + " " * (room - breadth(name)) for name in shortened_together(names, room)]
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
