"""Words for numbers, variants and several of one name; the first of many things."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from pavilion_ai.errors import shown

NAMED_VERSIONS = 5
"""Versions that a note names of many."""
T = TypeVar("T")
_DIGITS = re.compile(r"([0-9]+)")


class Few(Generic[T]):
    """The first of many things; the others are counted.

    Args:
        most: how many are kept.

    Attributes:
        first: those that are kept.
        more: number of the others.

    >>> few = Few(2)
    >>> for name in "abc":
    ...     few.add(name)
    >>> few.first, few.more
    (['a', 'b'], 1)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.first: list[T] = []
        self.more = 0

    def add(self, thing: T) -> None:
        """Keep a thing, or count it."""
        if len(self.first) < self._most:
            self.first.append(thing)
        else:
            self.more += 1


def natural(name: str) -> list[str | tuple[int, str]]:
    """Return a sort key that puts `pair 10` after `pair 9`: text and numbers alternate.

    >>> sorted(["0.10.0", "0.9.0", "0.9"], key=natural)
    ['0.9', '0.9.0', '0.10.0']
    """
    return [(len(part.lstrip("0")), part.lstrip("0")) if index % 2 else part
            for index, part in enumerate(_DIGITS.split(name))]


def versions_in_words(versions: Iterable[str]) -> str:
    """Return versions in their order, of many the latest.

    >>> versions_in_words({"0.10.0", "0.9.0"})
    "'0.9.0', '0.10.0'"
    """
    found = sorted(versions, key=natural)
    named = ", ".join(shown(name) for name in found[-NAMED_VERSIONS:])
    earlier = len(found) - NAMED_VERSIONS
    return named if earlier <= 0 else f"{named} and {earlier} earlier"


def plural(count: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun.

    Args:
        nouns: the plural, if it is not the noun with an s.

    >>> plural(1, "point"), plural(-3, "point"), plural(2000, "try", "tries")
    ('1 point', '-3 points', '2,000 tries')
    """
    return f"{count:,} {noun if abs(count) == 1 else nouns or f'{noun}s'}"


def signed(value: float, digits: int = 1) -> str:
    """Return a number with its sign; what is rounded to 0 has none.

    >>> signed(0.25), signed(-1234.5, 0), signed(-0.04), signed(0.0, 2)
    ('+0.2', '-1,234', '0.0', '0.00')
    """
    text = f"{abs(value):,.{digits}f}"
    return ("-" if value < 0 else "+") * any(digit in text for digit in "123456789") + text


def variant_in_words(variant: tuple[str, str, int]) -> str:
    """Return a game, its board and the number of players as in a sentence.

    >>> variant_in_words(("azul", "grey", 3))
    'azul, grey, 3 players'
    """
    game, board, players = variant
    return f"{game}, {board}, {players} players"


def unique(names: Sequence[str]) -> Iterator[str]:
    """Yield names, numbered where they are repeated."""
    taken: set[str] = set()
    for index, given in enumerate(names):
        numbers = itertools.count(names[:index].count(given) + 1)
        tries = (given if number == 1 else f"{given}#{number}" for number in numbers)
        name = next(name for name in tries if name not in taken)
        taken.add(name)
        yield name
