"""Read untrusted JSON: decode it strictly, then check it value by value.

`strict_json` turns text into values; a `Node` holds a value and its place, and refuses it with the
message `PLACE: found X, expected Y` as the caller's own error:

    page = Node(strict_json(text), "page", refusal(RecordError))
    count = page["count"].whole(0, 99)       # page.count: found 'x', expected a whole number ...
    names = [one.text() for one in page["names"].items(high=4)]
    if "board" in page:                      # there, and not null
        side = page["board"].choice(("coloured", "grey"))
    if count > len(names):
        page["count"].refuse(f"at most {len(names)}, the number of names")

A missing key is a node too, so that its message can name what was expected; taking keys of a
missing key is refused as well. Further kinds of value need a subclass, as in `bga.page` for numbers
written as strings.

Messages are safe to print: values go through `errors.shown`, keys through `place`. Lists are
measured before they are read, so overlong lists cost nothing.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from pavilion_ai.bounds import Range, whole
from pavilion_ai.errors import shown

MAX_DIGITS = 1000
"""Most digits of a whole number; far more than needed, and far fewer than would take long."""
TOO_LONG = 10**MAX_DIGITS
"""The least number with more digits than that."""
_CUT = re.compile(r"|[tfn][a-z]*|[0-9.eE+-]+|\\?u?[0-9a-fA-F]{0,4}")
"""What may remain of a JSON text from the place of an error if the text is cut off."""
_BEGUN = re.compile(
    r'\s*(?:[{"]|\[\s*(?:[\[{"\]]|[0-9.eE+-]*\Z'
    r"|(?:-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)"
    r"\s*(?:,|\][^\S\n]*(?:\n|\Z)|\Z)))")
"""An object, a string, or a list up to its first value, after which a short one ends its line."""
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]{1,40}")

Refusal = Callable[[str, str, str], Exception]
"""Makes an error from a kind (as in `errors.Problem`), a place, and the message."""
_DEEP = "found values nested too deeply, expected fewer levels"
_MISSING: Any = object()
_MOST = sys.float_info.max
_NUMBERS = (int, float)
AnyNode = TypeVar("AnyNode", bound="Node")


# ------------------------------------------------------------------------------ decoding


class NestingError(ValueError):
    """JSON text is nested more deeply than can be decoded."""


def strict_json(text: str) -> Any:
    """Decode JSON text strictly: no duplicate keys, no NaN or infinity, no overlong number.

    Raises:
        ValueError: if the text is not JSON (then it is a `json.JSONDecodeError`), or one of these,
            or nested too deeply (then it is a `NestingError`).
    """
    return _decoded(text, _DECODER)


def lenient_json(text: str) -> Any:
    """Decode what `strict_json` refuses although it can be read, without the values at fault.

    Raises:
        ValueError: the text is not JSON, or nested too deeply.

    >>> lenient_json('{"id": 5, "seed": NaN, "board": "grey", "board": "coloured"}')
    {'id': 5, 'seed': None}
    """
    return _decoded(text, _LENIENT)


def _decoded(text: str, decoder: json.JSONDecoder) -> Any:
    try:
        return decoder.decode(text)
    except RecursionError:
        raise NestingError(_DEEP) from None


def strict_json_at(text: str, start: int) -> Any:
    """Decode the JSON value that begins at a position in a text, ignoring what follows it.

    Raises:
        ValueError: as `strict_json`.
    """
    return strict_json_part(text, start)[0]


def strict_json_part(text: str, start: int) -> tuple[Any, int]:
    """Decode as `strict_json_at`; return the value and the place where it ends."""
    try:
        return _DECODER.raw_decode(text, start)
    except RecursionError:
        raise NestingError(_DEEP) from None


def begins_json(text: str) -> bool:
    """Tell whether a text begins as an object, a list or a string; others too have brackets.

    >>> [begins_json(text) for text in ('[{"id": 1', "[1, 2", "[12:30] Ann: hi", "[1] Ann: hi")]
    [True, True, False, False]
    """
    return _BEGUN.match(text) is not None


def begins_list(text: str) -> bool:
    """Tell whether a text begins as a list, as `begins_json`."""
    return text.startswith("[") and begins_json(text)


def is_cut(error: json.JSONDecodeError) -> bool:
    """Tell whether a JSON text is cut off at its end."""
    return error.msg.startswith("Unterminated string") or (
        len(error.doc) - error.pos < 40 and bool(_CUT.fullmatch(error.doc[error.pos:].strip())))


def has_more_values(raw: bytes, most: int) -> bool:
    """Tell whether JSON holds more values than that, without decoding it.

    Small values cost 30 times their length in memory, and keep other threads waiting meanwhile.

    >>> has_more_values(b'[1, "a, b"]', 3), has_more_values(b'[1, "a, b"]', 2)
    (False, True)
    """
    if _values(raw) <= most:
        return False
    text = raw.replace(b"\\\\", b"").replace(b'\\"', b"")  # what is left of quotes ends strings
    return text.count(b'"') > 4 * most or _values(b"".join(text.split(b'"')[::2])) > most


def _values(raw: bytes) -> int:
    """Return the most values that JSON can hold: each but the first follows one of these."""
    return 1 + raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"found the key {shown(twice)} twice in one object, expected it once")
    return result


def _constant(name: str) -> NoReturn:
    raise ValueError(f"found {name}, expected a JSON number")


def _integer(digits: str) -> int:
    count = len(digits.removeprefix("-"))
    if count > MAX_DIGITS:
        raise ValueError(f"found a number of {count} digits, expected at most {MAX_DIGITS}")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"found the number {shown(digits)}, expected at most 1e308")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    count = Counter(name for name, _ in pairs)
    return {name: value for name, value in pairs if count[name] == 1}


def _short(digits: str) -> int | None:
    return int(digits) if len(digits) <= MAX_DIGITS else None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_real)
_LENIENT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=lambda name: None, parse_int=_short)


# ------------------------------------------------------------------------------ values


def refusal(error: Callable[[str], Exception], within: str = "") -> Refusal:
    """Return a `Refusal` for an error class whose argument is one message.

    Args:
        within: where the whole is found, such as a file and its line.
    """
    return lambda kind, where, message: error(": ".join(filter(None, (within, where, message))))


def place(where: str, key: str | int) -> str:
    """Return the place of an entry: `where.key`, or `where[0]` in a list.

    >>> place("seats[0]", "hand"), place("", "game"), place("displays", 2)
    ('seats[0].hand', 'game', 'displays[2]')
    >>> place("players", "a key")
    "players['a key']"
    """
    if isinstance(key, int):
        return f"{where}[{key}]"
    if not _PLAIN_KEY.fullmatch(key):
        return f"{where}[{shown(key)}]"
    return f"{where}.{key}" if where else key


class Node:
    """A value of untrusted JSON with its place.

    Every method that returns the value as a certain type raises the error of `refuse` if it is not
    of that type.

    Args:
        value: decoded JSON.
        where: its place, for messages; `""` is the whole. With `key`, the place of its container.
        error: makes the errors; see `refusal`.
        key: key or index of the value in its container.

    Attributes:
        value: the value as given.
    """

    __slots__ = ("_error", "_key", "_within", "value")

    def __init__(self, value: object, where: str | Node, error: Refusal,
                 key: str | int | None = None) -> None:
        # The place is assembled only when needed: most values are valid.
        self.value, self._within, self._error, self._key = value, where, error, key

    @property
    def where(self) -> str:
        """The place of the value."""
        within = self._within if isinstance(self._within, str) else self._within.where
        return within if self._key is None else place(within, self._key)

    def __contains__(self, key: str) -> bool:
        value = self.value
        return (type(value) is dict or isinstance(value, Mapping)) and value.get(key) is not None

    def __getitem__(self: AnyNode, key: str) -> AnyNode:
        """Return the value of a key of an object; a missing key is reported on use."""
        return type(self)(self.mapping().get(key, _MISSING), self, self._error, key)

    def get(self: AnyNode, key: str, default: object) -> AnyNode:
        """Return the value of a key, or the default if it is missing."""
        return self._entry(key, self.mapping().get(key, default))

    def of(self: AnyNode, value: object, where: str | None = None) -> AnyNode:
        """Return a node for another value, at this place or another one, with the same errors."""
        return type(self)(value, self.where if where is None else where, self._error)

    def _entry(self: AnyNode, key: str | int, value: object) -> AnyNode:
        return type(self)(value, self, self._error, key)

    @property
    def missing(self) -> bool:
        """Whether the key is missing."""
        return self.value is _MISSING

    def refuse(self, expected: str) -> NoReturn:
        """Raise the error that says what was found, where, and what was expected.

        Args:
            expected: the expected value, in words.
        """
        found = "no such key" if self.missing else shown(self.value)
        self.fail(f"found {found}, expected {expected}", "missing" if self.missing else "type")

    def fail(self, message: str, kind: str = "type") -> NoReturn:
        """Raise an error about this place with another message."""
        raise self._error(kind, self.where, message)

    # -- single values -----------------------------------------------------------------------

    def whole(self, low: int | None = None, high: int | None = None) -> int:
        """Return a whole number, within bounds if there are any."""
        value = self.value
        if type(value) is not int or not (
                (low is None or low <= value) and (high is None or value <= high)):
            bounds = (f" from {low}" if low is not None else "") + (
                f" to {high}" if high is not None else "")
            self.refuse(f"a whole number{bounds}")
        return value

    def real(self, low: float, high: float, expected: str = "") -> float:
        """Return a number, whole or not; `expected` replaces the description of the bounds."""
        value = self.value
        # Not `>`: NaN must fail too.
        if type(value) not in (int, float) or not low <= value <= high:  # type: ignore[operator]
            self.refuse(expected or f"a number from {low:g} to {high:g}")
        return float(value)  # type: ignore[arg-type]

    def text(self, expected: str = "a string") -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            self.refuse(expected)
        return self.value

    def word(self) -> str:
        """Return a string that can be printed and is not blank."""
        if not isinstance(self.value, str) or not (
                self.value.strip() and self.value.isprintable()):
            self.refuse("a word")
        return self.value

    def truth(self, expected: str = "true or false") -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse(expected)
        return self.value

    def choice(self, options: Collection[str]) -> str:
        """Return one of some strings."""
        if not isinstance(self.value, str) or self.value not in options:
            self.refuse(f"one of {', '.join(options)}")
        return self.value

    # -- objects and lists -------------------------------------------------------------------

    def mapping(self, expected: str = "an object") -> Mapping[str, Any]:
        """Return an object as it is."""
        value = self.value
        if type(value) is not dict and not isinstance(value, Mapping):  # the first is quick
            self.refuse(expected)
        return value

    def only(self, known: Iterable[str]) -> None:
        """Refuse an object with keys other than these, all of which are optional."""
        options = tuple(known)
        for key in self.mapping():
            if key not in options:
                raise self._error("range", place(self.where, key),
                                  f"found an unknown key, expected one of {', '.join(options)}")

    def items(self: AnyNode, low: int = 0, high: int | None = None,
              expected: str = "") -> list[AnyNode]:
        """Return the entries of a list; a list of another length is refused without reading it.

        Args:
            low, high: least and most entries.
            expected: the expected list, in words.
        """
        value = self.value
        if not isinstance(value, list) or not low <= len(value) <= (
                len(value) if high is None else high):
            bounds = "" if high is None else f" of {low} to {high} entries"
            self.refuse(expected or f"a list{bounds}")
        return [self._entry(index, item) for index, item in enumerate(value)]

    def list_of(self, kinds: Collection[type], entry: str, expected: str) -> list[Any]:
        """Return a list as it is, every entry of exactly one of these types.

        This is much faster than `items`, which makes a node of each entry.

        Args:
            kinds: allowed types of entries; `bool` does not count as `int`.
            entry: the expected entry, in words.
            expected: the expected list, in words.
        """
        value = self.value
        if not isinstance(value, list):
            self.refuse(expected)
        if not {*map(type, value)} <= {*kinds}:
            number = next(n for n, found in enumerate(value) if type(found) not in kinds)
            self._entry(number, value[number]).refuse(entry)
        return value

    # -- what Python code gives in place of JSON ---------------------------------------------

    def listed(self, expected: str) -> list[Any]:
        """Return the entries of anything that has some, but of no text or object, as a list."""
        value = self.value
        if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
            self.refuse(expected)
        return [*value]

    def plain(self) -> Any:
        """Return a copy as JSON text would give it back, with numbers of numpy as Python's.

        Raises:
            RecursionError: it is nested too deeply, or holds itself.
        """
        value = self.value
        if type(value) in _NUMBERS and -_MOST <= value <= _MOST:  # type: ignore[operator]
            return value
        if value is None or isinstance(value, (str, bool)):
            return value
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    self.fail(f"found the key {shown(key)}, expected text")
            return {key: self._entry(key, entry).plain() for key, entry in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._entry(index, entry).plain() for index, entry in enumerate(value)]
        number: float | None = whole(value)
        if number is None:
            number = Range(float, -_MOST, _MOST).number(value)
        if number is None or abs(number) >= TOO_LONG:
            self.refuse("text, a finite number, true, false, null, a list or an object")
        return number
