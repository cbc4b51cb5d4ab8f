"""Many similar pictures as pieces that they share: a game's positions differ by little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

_BOUNDARY = "\0"
"""Stands in no picture."""


class Pieces:
    """Pictures that share their pieces, each kept once.

    >>> shared = Pieces()
    >>> shared.add("<svg><g a='1'></g><g b='2'></g></svg>")
    '0-3'
    >>> shared.add("<svg><g a='1'></g><g b='3'></g></svg>")
    '0-1,4,3'
    >>> len(shared.pieces)
    5
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def pieces(self) -> list[str]:
        """The pieces, in the order of their numbers."""
        return list(self._numbers)

    def add(self, picture: str) -> str:
        """Add a picture; return its pieces as ranges of numbers."""
        groups = picture.replace("<g ", f"{_BOUNDARY}<g ").replace("</g>", f"</g>{_BOUNDARY}")
        pieces = filter(None, groups.split(_BOUNDARY))
        numbers = (self._numbers.setdefault(piece, len(self._numbers)) for piece in pieces)
        return ",".join(str(first) if first == last else f"{first}-{last}"
                        for first, last in _ranges(numbers))


def _ranges(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Join numbers that follow one another."""
    for _, run in groupby(enumerate(numbers), lambda item: item[1] - item[0]):
        following = [number for _, number in run]
        yield following[0], following[-1]
