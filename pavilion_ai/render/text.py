"""Styled text without a terminal: spans, lines, columns, wrapping and a small canvas.

A :data:`Line` is a tuple of :class:`Span`; a drawing is a list of lines. Everything is plain data,
so a drawing is built and tested without importing a colour library. :func:`plain` drops the
styles; :func:`write` prints with colours where standard output is a terminal. Drawings use ASCII
only and never rely on colour alone.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TextIO

from pavilion_ai.errors import JOINERS, named_output, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

DIM = "dim"
STRONG = "bold"
WARN = "bold magenta"
GOOD = "green"
GUTTER_WIDTH = 2
DEFAULT_WIDTH = 80
DEFAULT_HEIGHT = 24


@dataclass(frozen=True)
class Span:
    """A piece of text and its style (a style of the rich library, "" for none)."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def line(*parts: Span | str) -> Line:
    """Make a line of spans and unstyled strings.

    >>> plain([line("a", Span("b", STRONG))])
    'ab'
    """
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def length(text: Iterable[Span]) -> int:
    """Return the number of columns a line takes."""
    return sum(breadth(span.text) for span in text)


def breadth(text: str) -> int:
    """Return how many columns a text takes: wide characters two, accents and joiners none.

    >>> breadth("abc"), breadth("\u4e2d\u6587"), breadth("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(letter) in ("Mn", "Me") or letter in JOINERS
               else 1 + (east_asian_width(letter) in "WF") for letter in text)


def beginning(text: str, width: int) -> str:
    """Return as much of a text as `width` columns hold.

    >>> beginning("abc", 2), beginning("\u4e2d\u6587", 3)
    ('ab', '\u4e2d')
    """
    used = 0
    for place, letter in enumerate(text):
        used += breadth(letter)
        if used > width:
            return text[:place]
    return text


def pad(text: Line, width: int) -> Line:
    """Return the line filled with spaces to `width` columns (never cut)."""
    missing = width - length(text)
    return (*text, Span(" " * missing)) if missing > 0 else text


def beside(blocks: Sequence[Sequence[Line]], width: int, gap: int = 2) -> list[Line]:
    """Set blocks of lines side by side, each `width` columns wide with `gap` spaces between."""
    rows: list[Line] = []
    for index in range(max((len(block) for block in blocks), default=0)):
        row: Line = ()
        for number, block in enumerate(blocks):
            cell = block[index] if index < len(block) else ()
            row = (*row, Span(" " * gap)) if number else row
            row = (*row, *pad(cell, width))
        rows.append(trimmed(row))
    return rows


def trimmed(text: Line) -> Line:
    """Return the line without unstyled blanks at its end."""
    spans = merged(text)
    while spans and not spans[-1].style and not spans[-1].text.rstrip():
        spans.pop()
    if spans and not spans[-1].style:
        spans[-1] = Span(spans[-1].text.rstrip())
    return tuple(spans)


def merged(text: Iterable[Span]) -> list[Span]:
    """Return the spans with neighbours of one style joined and empty ones left out."""
    spans: list[Span] = []
    for span in text:
        if spans and spans[-1].style == span.style:
            spans[-1] = Span(spans[-1].text + span.text, span.style)
        elif span.text:
            spans.append(span)
    return spans


def wrap(
    spans: Sequence[Span | str], width: int, indent: int = 0, *, split: bool = False
) -> list[Line]:
    """Break spans at blanks into lines of at most `width` columns.

    Lines after the first begin with `indent` spaces. A span is broken inside where it holds
    blanks, but not between a number and its error or unit, nor between the ends of an interval;
    a single word longer than the width stands on a line of its own.

    Args:
        split: whether such a word, for example the path of a program, is broken too.
    """
    rows: list[list[Span]] = [[]]
    used = 0
    for span in line(*spans):
        for word in _words(span, width - indent if split else None):
            blank = not word.text.strip()
            size = breadth(word.text)
            if used + size > width and not blank and used > (indent if rows[1:] else 0):
                while rows[-1] and _invisible(rows[-1][-1]):
                    rows[-1].pop()
                rows.append([Span(" " * indent)] if indent else [])
                used = indent
            if blank and len(rows) > 1 and used <= indent:
                continue
            rows[-1].append(word)
            used += size
    return [trimmed(tuple(row)) for row in rows]


def _invisible(span: Span) -> bool:
    """Tell whether a span shows nothing: blanks without a background colour."""
    return not span.text.strip() and " on " not in span.style


_WORD = re.compile(
    r"\s+|\S+(?: (?:%|\+-)\S*|(?<=\d) (?:ms|s|min|h|[kMG]i?B)\b\S*|(?<=[\d%]) to [-+]?\d\S*)*")


def _words(span: Span, longest: int | None) -> Iterator[Span]:
    """Split a span into words and blanks, in order, and words that are too long into parts.

    A part ends with a slash if one is in its second half.
    """
    for text in _WORD.findall(span.text):
        while longest is not None and breadth(text) > longest and not text.isspace():
            part = beginning(text, longest) or text[0]
            part = part[: part.rfind("/", len(part) // 2) + 1] or part
            yield Span(part, span.style)
            text = text[len(part):]
        yield Span(text, span.style)


class Canvas:
    """A grid that takes short texts at a row and column and returns lines."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], Span] = {}

    def put(self, row: int, column: int, text: str, style: str = "") -> None:
        """Put a text with its first character at the given place."""
        self._cells[row, column] = Span(text, style)

    def lines(self) -> list[Line]:
        """Return the rows from 0 to the last one used."""
        last = max((row for row, _ in self._cells), default=-1)
        return [self._row(row) for row in range(last + 1)]

    def _row(self, row: int) -> Line:
        spans: list[Span] = []
        used = 0
        for (_, column), span in sorted(
            ((place, span) for place, span in self._cells.items() if place[0] == row),
            key=lambda item: item[0],
        ):
            spans.append(Span(" " * (column - used)))
            spans.append(span)
            used = column + len(span.text)
        return tuple(span for span in spans if span.text)


def commented(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with `#` in front, as comments of the text form."""
    return [trimmed((Span("# " if text else "#", DIM), *text)) for text in lines]


def plain(lines: Iterable[Line]) -> str:
    """Return the drawing as plain text, lines joined by line feeds, without styles."""
    return "\n".join("".join(span.text for span in text).rstrip() for text in lines)


def colours_wanted(stream: TextIO) -> bool:
    """Tell whether to colour: a terminal (or FORCE_COLOR), and not NO_COLOR or TERM=dumb."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether the stream is a terminal; a closed stream is not."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def columns_of(stream: TextIO) -> int:
    """Return the columns of the terminal, or 80 for other streams (COLUMNS overrides both)."""
    return _named("COLUMNS") or _terminal_size(stream).columns or DEFAULT_WIDTH


def width_of() -> int:
    """Return the columns of standard output, but not fewer than drawings need."""
    return max(40, columns_of(sys.stdout))


def height_of(stream: TextIO) -> int:
    """Return the lines of the terminal, or 24 for other streams (LINES overrides both)."""
    return max(10, _named("LINES") or _terminal_size(stream).lines or DEFAULT_HEIGHT)


def _named(variable: str) -> int:
    """Return the number in a variable of the environment, 0 without one."""
    try:
        return max(0, int(os.environ.get(variable, "")))
    except ValueError:
        return 0


def _terminal_size(stream: TextIO) -> os.terminal_size:
    """Return the size of a terminal; zeros if it is unknown, or the stream is not a terminal."""
    with suppress(OSError, ValueError):
        if is_terminal(stream):
            return os.get_terminal_size(stream.fileno())
    return os.terminal_size((0, 0))


def rich_text(lines: Iterable[Line]) -> Text:
    """Return the drawing as one text of the rich library."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ignore", end="")
    for number, row in enumerate(lines):
        if number:
            text.append("\n")
        for span in row:
            text.append(span.text, style=span.style or None)
    return text


def console_for(stream: TextIO) -> Console:
    """Return a rich console that writes to the stream and adds no formatting."""
    from rich.console import Console

    return Console(
        file=stream,
        width=columns_of(stream),
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=True if os.environ.get("FORCE_COLOR") else None,
    )


def write(lines: Sequence[Line]) -> None:
    """Print a drawing to standard output, in colour if wanted."""
    lines = [tuple(replace(span, text=printable(span.text)) for span in row) for row in lines]
    with named_output():
        if colours_wanted(sys.stdout):
            console_for(sys.stdout).print(rich_text(lines), soft_wrap=True)
            sys.stdout.flush()
        else:
            print(plain(lines), flush=True)
