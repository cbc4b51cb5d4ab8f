"""Reading what a page holds: every value knows where it stands, and says what was expected."""

from __future__ import annotations

import json
import re

from pavilion_ai import untrusted
from pavilion_ai.errors import PositionError, Problem, shown
from pavilion_ai.notation.json_form import decode_json
from pavilion_ai.untrusted import NestingError, strict_json_at

__all__ = ["Node", "page_data"]

NAME = "gamedatas"
_SETUP = re.compile(r"completesetup\s*\(")
"""The call with which a page hands the object to its program, up to its arguments."""
ARGUMENTS = 10_000  # characters of them that may come before the object
_NUMBER = re.compile(r"-?[0-9]{1,12}")


class Node(untrusted.Node):
    """A value as such pages write it: numbers may be strings, lists may be objects.

    All methods raise PositionError where the value is not what they are to return.
    """

    __slots__ = ()

    def __init__(self, value: object, where: str | untrusted.Node,
                 error: untrusted.Refusal | None = None, key: str | int | None = None) -> None:
        super().__init__(value, where, error or _refused, key)

    def number(self, low: int, high: int) -> int:
        """Return a whole number, which may be written as a string, as databases give it."""
        value = self.value
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = int(value)
        if type(value) is not int or not low <= value <= high:
            self.refuse(f"a whole number from {low} to {high}")
        return value

    def truth(self, expected: str = "true or false") -> bool:
        """Return a truth value, in any of the ways that such a page writes it."""
        if self.value not in (True, False, "0", "1"):
            self.refuse(expected)
        return self.value in (True, "1")

    def entries(self, low: int = 0, high: int | None = None,
                expected: str = "") -> list[tuple[str, Node]]:
        """Return the entries of an object, or of a list by their indices; as `items` of the base.
        """
        pairs: list[tuple[str | int, object]] = []
        if isinstance(self.value, dict):
            pairs = list(self.value.items())
        elif isinstance(self.value, list):
            pairs = list(enumerate(self.value))
        else:
            self.refuse(expected or "an object or a list")
        if not low <= len(pairs) <= (high or len(pairs)):
            self.fail(f"found {len(pairs)} entries, expected {expected or f'{low} to {high}'}",
                      "range")
        return [(str(key), self._entry(key, item)) for key, item in pairs]

    def items(self, low: int = 0, high: int | None = None, expected: str = "") -> list[Node]:
        """Return the entries without their keys."""
        return [node for _, node in self.entries(low, high, expected)]


def _refused(kind: str, where: str, message: str) -> PositionError:
    return PositionError([Problem(kind, where, message)])


def page_data(text: str) -> Node:
    """Find the object `gamedatas` in a text: the object itself, one that holds it, or a page.

    Raises:
        PositionError: there is none, or it is not strict JSON.
    """
    text = text.lstrip("\ufeff").strip()
    if text.startswith("{"):
        node = Node(decode_json(text), NAME)
        return Node(node[NAME].value, NAME) if NAME in node else node
    call = _SETUP.search(text)
    if call is None:
        raise _refused(
            "type", "", f"found {shown(text)}, expected the object {NAME} as JSON, or the source of"
            " a page that holds it")
    return _argument(text, call.end())


def _argument(text: str, start: int) -> Node:
    """Return the object among the arguments of the call in a page, which begin at `start`."""
    end = start + ARGUMENTS
    for brace in re.finditer("{", text[start:end]):
        try:
            found = strict_json_at(text, start + brace.start())
        except json.JSONDecodeError as error:
            # A brace in one of the names before the object is read no further than these. What
            # was read further was the object, and no brace inside it begins another.
            if error.pos >= end or error.msg.startswith("Unterminated string"):
                break
        except NestingError:
            raise _refused(
                "syntax", "", f"found {NAME} nested too deeply, expected a table") from None
        except ValueError as error:
            raise _refused("syntax", NAME, str(error)) from None
        else:
            if "players" in found:
                return Node(found, NAME)
    raise _refused("syntax", "", f"found a page whose {NAME} cannot be read as JSON")
