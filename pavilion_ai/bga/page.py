"""Reading the data of a page: every value knows its place, and its errors say what is expected."""

from __future__ import annotations

import re

from pavilion_ai import untrusted
from pavilion_ai.errors import PositionError, shown

NAME = "gamedatas"
"""The page's name for the object that describes its table."""
_NUMBER = re.compile(r"-?[0-9]{1,12}")


def without_point(value: object) -> object:
    """Return a whole number that was written with a decimal point as one without; else the value.

    >>> without_point(12.0), without_point(1.5), without_point("12.0")
    (12, 1.5, '12.0')
    """
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Node(untrusted.Node):
    """A value as such pages write it: numbers may be strings, lists may be objects.

    All methods raise PositionError if the value does not have the form that they return.
    """

    __slots__ = ()

    def __init__(self, value: object, where: str | untrusted.Node,
                 error: untrusted.Refusal | None = None, key: str | int | None = None) -> None:
        # As the base does; a log has hundreds of thousands of nodes.
        self.value, self._within, self._key = value, where, key
        self._error = error or PositionError.at

    def number(self, low: int, high: int) -> int:
        """Return a whole number, which may be written as a string, as databases give it."""
        value = self.value
        if type(value) is not int:
            value = (int(value) if isinstance(value, str) and _NUMBER.fullmatch(value)
                     else without_point(value))
        if type(value) is not int or not low <= value <= high:
            self.refuse(f"a whole number from {low} to {high}")
        return value

    def truth(self, expected: str = "true or false") -> bool:
        """Return a Boolean, in any of the ways that such a page writes it."""
        if self.value not in (True, False, "0", "1"):
            self.refuse(expected)
        return self.value in (True, "1")

    def entries(self, low: int = 0, high: int | None = None,
                expected: str = "") -> list[tuple[str, Node]]:
        """Return the entries of an object, or of a list by their indices; as `items` of the base.

        Where there may be none, null stands for none.
        """
        pairs: list[tuple[str | int, object]] = []
        if isinstance(self.value, dict):
            pairs = list(self.value.items())
        elif isinstance(self.value, list):
            pairs = list(enumerate(self.value))
        elif self.value is not None or low:
            self.refuse(expected or "an object or a list")
        if not low <= len(pairs) <= (high or len(pairs)):
            self.fail(f"found {len(pairs)} entries, expected {expected or f'{low} to {high}'}",
                      "range")
        return [(str(key), self._entry(key, item)) for key, item in pairs]

    def numbered(self) -> list[Node]:
        """Return the entries of a list, or of an object whose keys are whole numbers, as ids are.
        """
        entries = self.entries()
        for key, _ in entries:
            if not _NUMBER.fullmatch(key):
                self.fail(f"found the key {shown(key)}, expected a whole number")
        return [node for _, node in entries]

    def items(self, low: int = 0, high: int | None = None, expected: str = "") -> list[Node]:
        """Return the entries without their keys."""
        return [node for _, node in self.entries(low, high, expected)]
