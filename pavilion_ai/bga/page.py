"""Reading what a page holds: every value knows where it stands, and says what was expected."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from pavilion_ai.errors import PositionError, Problem, shown
from pavilion_ai.notation.json_form import decode_json

__all__ = ["Node", "page_data"]

NAME = "gamedatas"
_SETUP = re.compile(r"completesetup\s*\(")
"""The call with which a page hands the object to its program, up to its arguments."""
ARGUMENTS = 10_000  # characters of them that may come before the object


class Node:
    """A value and the way to it.

    All methods raise PositionError where the value is not what they are to return.
    """

    def __init__(self, value: object, where: str) -> None:
        self.value, self.where = value, where

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key: str) -> Node:
        if not isinstance(self.value, dict):
            self.refuse("an object")
        if self.value.get(key) is None:
            raise PositionError([Problem("missing", self.where, f"found no key {key!r}")])
        return Node(self.value[key], f"{self.where}.{key}")

    def refuse(self, expected: str) -> NoReturn:
        """Say that the value is not what was expected."""
        raise PositionError([Problem(
            "type", self.where, f"found {shown(self.value)}, expected {expected}")])

    def number(self, low: int, high: int) -> int:
        """Return a whole number, which may be written as a string, as databases give it."""
        value = self.value
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,12}", value):
            value = int(value)
        if type(value) is not int or not low <= value <= high:
            self.refuse(f"a whole number from {low} to {high}")
        return value

    def text(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            self.refuse("a string")
        return self.value

    def truth(self) -> bool:
        """Return a truth value, in any of the ways that such a page writes it."""
        if self.value not in (True, False, "0", "1"):
            self.refuse("true or false")
        return self.value in (True, "1")

    def entries(self) -> list[tuple[str, Node]]:
        """Return the entries of an object, or of a list by their indices."""
        if isinstance(self.value, dict):
            pairs = list(self.value.items())
        elif isinstance(self.value, list):
            pairs = [(str(index), item) for index, item in enumerate(self.value)]
        else:
            self.refuse("an object or a list")
        return [(key, Node(item, f"{self.where}.{key}")) for key, item in pairs]

    def items(self) -> list[Node]:
        """Return the entries without their keys."""
        return [node for _, node in self.entries()]


def page_data(text: str) -> Node:
    """Find the object `gamedatas` in a text: the object itself, one that holds it, or a page.

    Raises:
        PositionError: there is none.
    """
    text = text.lstrip("\ufeff").strip()
    if text.startswith("{"):
        node = Node(decode_json(text), NAME)
        return Node(node[NAME].value, NAME) if NAME in node else node
    call = _SETUP.search(text)
    if call is None:
        raise PositionError([Problem(
            "type", "", f"found {shown(text)}, expected the object {NAME} as JSON, or the source of"
            " a page that holds it")])
    for brace in re.finditer("{", text[call.end() : call.end() + ARGUMENTS]):
        try:
            found, _ = json.JSONDecoder().raw_decode(text, call.end() + brace.start())
        except (json.JSONDecodeError, RecursionError):
            continue  # a brace in one of the names before it
        if "players" in found:
            return Node(found, NAME)
    raise PositionError([Problem(
        "syntax", "", f"found a page whose {NAME} cannot be read as JSON")])
