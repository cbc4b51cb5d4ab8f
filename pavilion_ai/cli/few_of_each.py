"""Messages that differ in names and numbers alone: a few of each kind are told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

MAX_PROBLEMS = 200  # most lines printed about one file
NAMED = 5
"""Messages of one kind that are told."""
KIND_CHARACTERS = 300  # of a message, by which its kind is told
_VARIABLE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[0-9]+""")
"""What differs in messages of one kind: names as `shown` writes them, and numbers."""


def few_of_each(path: str, messages: Sequence[str]) -> list[str]:
    """Return the first messages of each kind; the last of them says how many more there are.

    Messages that differ in names and numbers alone are of one kind.

    Args:
        path: the file that all of them are about.
    """
    lines: list[str] = []
    counts: Counter[str] = Counter()
    lasts: dict[str, int] = {}
    for message in messages:
        kind = _VARIABLE.sub("", message.removeprefix(path)[:KIND_CHARACTERS])
        counts[kind] += 1
        if counts[kind] <= NAMED:
            lasts[kind] = len(lines)
            lines.append(message)
    for kind, number in lasts.items():
        if counts[kind] > NAMED:
            lines[number] += f"; and {counts[kind] - NAMED:,} more like it"
    return lines


def first_of_each(path: str, problems: Sequence[str], more: int = 0) -> list[str]:
    """Return the first problems of each kind, and a line with their number if there are more.

    Args:
        more: problems that are counted only.
    """
    lines = few_of_each(path, problems)
    if more or len(lines) > MAX_PROBLEMS:
        del lines[MAX_PROBLEMS:]
        lines.append(f"{path}: {len(problems) + more} problems, of which {len(lines)} are shown")
    return lines
