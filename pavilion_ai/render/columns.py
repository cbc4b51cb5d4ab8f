"""Tables of names and numbers for a terminal, and texts that fit into them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pavilion_ai.render.text import STRONG, Line, Span, beginning, breadth, line, trimmed

LONGEST_NAME = 200
"""Columns of the name of a game or an agent in a heading, where those in use are told in full."""
_MIN_NAME = 12
_ROUNDS = 5
"""In each of which texts that look alike after it are cut closer to where they differ."""

_LEAST_CUT = 5
"""Columns of a text with letters on both sides of what is cut out."""
_LEAST_CUTS = 8
"""The same where two parts are cut out."""

Column = tuple[str, Sequence[str]]
"""Heading and cells of a column."""


def shortened(text: str, width: int) -> str:
    """Cut the middle out of a text that is too long.

    >>> shortened("ismcts:time=0.5,threads=2", 16)
    'ismcts:...eads=2'
    """
    if breadth(text) <= width:
        return text
    if width < _LEAST_CUT:
        return beginning(text, width)
    kept = width - 3
    return f"{beginning(text, (kept + 1) // 2)}...{_ending(text, kept // 2)}"


def _ending(text: str, width: int) -> str:
    """Return as much of the end of a text as `width` columns hold."""
    end = beginning(text[::-1], width)[::-1]
    while end and not breadth(end[0]):  # an accent, whose letter is cut off
        end = end[1:]
    return end


def shortened_together(texts: Sequence[str], width: int) -> list[str]:
    """Cut texts that are too long so that those that differ look different.

    Where the middle is all that differs, the part from there on is kept; where both the middle and
    what follows it do, parts of both.

    >>> shortened_together(["cmd:/opt/1.2.0/x/engine", "cmd:/opt/1.3.0/x/engine"], 16)
    ['cmd.../1.2.0/...', 'cmd.../1.3.0/...']
    """
    found = {text: shortened(text, width) for text in texts}
    for _ in range(_ROUNDS):
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for text, short in found.items():
            alike[short].append(text)
        if len(alike) == len(found):
            break
        tries = [dict(found) for _ in range(3)]
        for group in alike.values():
            if len(group) > 1:
                first = _shared(group)
                same = _shared([text[::-1] for text in group])
                for text in group:
                    tries[0][text] = _cut_before(text, first, width)
                    tries[1][text] = _cut_between(text, first, len(text), width)
                    tries[2][text] = _cut_between(text, first, len(text) - same, width)
        best = max(tries, key=lambda cuts: len({*cuts.values()}))
        if len({*best.values()}) <= len(alike):
            break
        found = best
    return [found[text] for text in texts]


def _shared(texts: Sequence[str]) -> int:
    """Return how many letters all of the texts share at their beginnings."""
    first, last = min(texts), max(texts)
    return next((place for place, (one, two) in enumerate(zip(first, last, strict=False))
                 if one != two), min(len(first), len(last)))


def _cut_before(text: str, place: int, width: int) -> str:
    """Cut out what stands some letters before a place, and what is too long behind it."""
    if breadth(text) <= width:
        return text
    while 0 < place < len(text) and not breadth(text[place]):  # an accent stays with its letter
        place -= 1
    if width < _LEAST_CUTS:
        return f"...{beginning(text[place:], width - 3)}"
    kept = width - 3
    room = max(kept - kept // 4, _LEAST_CUT)
    before = beginning(text[:place][::-1], min(kept // 4, room - _LEAST_CUT))
    rest = text[place - len(before):]
    if breadth(rest) > room:
        rest = beginning(rest, room - 3) + "..."
    return f"{beginning(text, kept - breadth(rest))}...{rest}"


def _cut_between(text: str, place: int, end: int, width: int) -> str:
    """Cut a text as `_cut_before`, and also between the place and what stands before an end."""
    room = width // 3
    if breadth(text[end - 1:]) <= room:
        last = _ending(text, room)
        body = text[:len(text) - len(last)]
    else:
        shown = _ending(text[:end], room - 3)
        last = f"{shown}..."
        body = text[:end - len(shown)]
    return _cut_before(body, place, width - breadth(last)) + last


def ranks(rows: int, begins: Sequence[int]) -> list[int]:
    """Return the numbers of rows, from 1 and again at the given rows.

    >>> ranks(5, [3])
    [1, 2, 3, 1, 2]
    """
    return [row - max(first for first in (0, *begins) if first <= row) + 1 for row in range(rows)]


def set_in_columns(
    names: Sequence[str], columns: Sequence[Column], width: int, *, ranked: bool, gap: int = 2,
    least: int = _MIN_NAME, begins: Sequence[int] = (),
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
        begins: rows at which the numbers begin anew, below a blank line.
    """
    digits = len(str(len(names))) if ranked else 0
    prefix = digits + 1 if ranked else 0
    sizes = [gap + max(map(breadth, (heading, *cells))) for heading, cells in columns]
    longest = max(map(breadth, names))
    room = min(longest, max(least, width - prefix - sum(sizes)))
    left = [name + " " * (room - breadth(name)) for name in shortened_together(names, room)]
    if ranked:
        left = [f"{rank:>{digits}} {name}"
                for rank, name in zip(ranks(len(left), begins), left, strict=True)]
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
            rows += [()] if number in begins else []
            cells = "".join(f"{cells[number]:>{size}}" for (_, cells), size in part)
            rows.append(trimmed(line(name + cells)))
        start = end
    return rows
