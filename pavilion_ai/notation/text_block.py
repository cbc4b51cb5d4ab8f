"""Assemble the lines of the text form into the raw JSON form.

Every value keeps the line and column where it stood. Missing values are left out here;
`pavilion_ai.notation.text` fills them in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pavilion_ai.errors import Problem, shown
from pavilion_ai.position.fields import (
    Field,
    Flag,
    GameTable,
    Grid,
    Integer,
    Lines,
    MultisetList,
    Rows,
    SeatNumber,
    Seats,
    Track,
    size_of,
)

MAX_LINES = 1000
"""Most lines that a position may have besides comments: ten times what the longest one needs."""
MOST_TOLD = 10
"""Unknown keys, or lines without one, that are told one by one; more are hardly of a position."""
_BETWEEN_WORDS = re.compile(r"[\s_]+|(?<=[A-Za-z])-(?=\w)")  # not the sign of a number
_INDEXED = re.compile(r"([a-z]+) ?(0|[1-9][0-9]{0,5})")
_KEY = re.compile(r"[^\W\d_][\w\s-]*")  # other things before a colon, as in a code, are not keys
_HEADING = re.compile(r"(seat|player)[ -]*([0-9]+|one|two|three|four|[a-d])")
"""What was hardly meant as a key of its own: the lines below would go to the seat before."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_NOBODY = ("none", "null", "nobody", "-", "centre", "center")
_UNKNOWN = ("?", "unknown", "null", "none")
_WORDS = {"yes": True, "true": True, "no": False, "false": False}
_ALIASES = {"center": "centre", "display": "displays", "star": "stars", "line": "lines",
            "points": "score"}


class KeyValue(NamedTuple):
    """A line `key: value`: both without blanks around them, and their columns from 1."""

    key: str
    value: str
    at_key: int
    at_value: int


def key_value(line: str) -> KeyValue | None:
    """Return what a line of the text form says; None if it is not such a line.

    A pattern would take quadratic time for long blanks.

    >>> key_value("  score :  5   # five"), key_value(": 5")
    (KeyValue(key='score', value='5', at_key=3, at_value=12), None)
    """
    before, colon, after = line.partition("#")[0].partition(":")
    if not colon or not before.strip():
        return None
    return KeyValue(before.strip(), after.strip(), len(before) - len(before.lstrip()) + 1,
                    len(before) + len(after) - len(after.lstrip()) + 2)


def key_of(name: str) -> str:
    """Return the key that stands for a field."""
    return name.replace("_", " ")


@dataclass
class Block:
    """The raw JSON form while it is being put together, and where each value stood.

    Attributes:
        table: the game's table.
        raw: the values of the position, without its seats.
        seats: the values of each seat.
        players: the number of players, if it is given.
        items: values given item by item (`display 3: ...`), by the place of their list.
        places: line and column of each value, by its place in the JSON form.
        problems: problems of the block itself.
        unused: unknown keys, each with its line and column.
        refused: those that are a problem.
        seat: the seat to which the current lines belong.
        keys_told: whether a problem has listed the known keys.
    """

    table: GameTable
    raw: dict[str, Any] = field(default_factory=dict)
    seats: dict[int, dict[str, Any]] = field(default_factory=dict)
    players: int | None = None
    items: dict[str, dict[int, str]] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unused: list[tuple[str, tuple[int, int]]] = field(default_factory=list)
    refused: list[tuple[str, tuple[int, int]]] = field(default_factory=list)
    seat: int | None = None
    keys_told: bool = False

    def read(self, text: str) -> None:
        """Take every line of the text, to the most that a position may have."""
        taken, other = 0, list[tuple[str, tuple[int, int]]]()
        for number, line in enumerate(text.splitlines(), 1):
            content = line.partition("#")[0]
            if not content.strip():
                continue
            taken += 1
            if taken > MAX_LINES:
                self.report("syntax", "", f"found more than {MAX_LINES} lines, expected fewer",
                            (number, 1))
                break
            found = key_value(line)
            if found is None:
                column = len(content) - len(content.lstrip()) + 1
                other.append((content.strip(), (number, column)))
                continue
            self.line(found, number)
        self.refuse_lines(other)

    def refuse_lines(self, lines: list[tuple[str, tuple[int, int]]]) -> None:
        """Report the lines that say nothing, each with its line and column, many of them as one."""
        if len(lines) > MOST_TOLD:
            text, at = lines[0]
            self.report("syntax", "", f"found {len(lines):,} lines without a key, the first"
                        f" {shown(text)}, expected 'key: value'", at)
            return
        for text, at in lines:
            self.report("syntax", "", f"found {shown(text)}, expected 'key: value'", at)

    def line(self, line: KeyValue, number: int) -> None:
        """Take one `key: value` line."""
        value, at_key, at_value = line.value, (number, line.at_key), (number, line.at_value)
        key, index = self.indexed(line.key)
        name = key.replace(" ", "_")
        if key == "seat" and index is not None:
            self.open_seat(index, value, at_key)
        elif key == "players":
            self.number_of_players(value, at_value)
        elif (part := self.seat_field(name)) is not None:
            self.seat_value(part, name, index, value, at_key, at_value)
        elif (part := self.field(name)) is not None and index is not None:
            self.one_item(part, self.raw, name, index, value, at_key, at_value)
        elif part is not None:
            self.value(part, self.raw, name, name, value, at_key, at_value)
        elif value and _KEY.fullmatch(line.key) and not _HEADING.fullmatch(key) and (
                not value.startswith("//")):  # a link
            self.unused.append((line.key, at_key))
        else:  # the lines below may belong to it, such as those of a misspelt seat
            self.refused.append((line.key, at_key))

    def indexed(self, key: str) -> tuple[str, int | None]:
        """Normalise a key; split `display 3` into the list and the number."""
        key = _BETWEEN_WORDS.sub(" ", key).lower()
        key = _ALIASES.get(key, key)
        match = _INDEXED.fullmatch(key)
        if match is not None and match[1] == "seat":
            return "seat", int(match[2])
        for part in (*self.table.fields, *self.table.seat_fields):
            if match is not None and isinstance(part.kind, (MultisetList, Lines, Grid)) and (
                    match[1] in (part.name, part.kind.item)):
                return part.name, int(match[2])
        return key, None

    def knows(self, key: str) -> bool:
        """Tell whether a key belongs to this game."""
        name, index = self.indexed(key)
        name = name.replace(" ", "_")
        return (name == "players" or (name == "seat" and index is not None)
                or self.seat_field(name) is not None or self.field(name) is not None)

    def field(self, name: str) -> Field | None:
        """Return the field of the position with that name."""
        fields = (part for part in self.table.fields if not isinstance(part.kind, Seats))
        return next((part for part in fields if part.name == name), None)

    def seat_field(self, name: str) -> Field | None:
        """Return the field of a seat with that name, or the one with a row of that name."""
        for part in self.table.seat_fields:
            rows = part.kind.names if isinstance(part.kind, Rows) else ()
            if part.name == name or name.upper() in rows:
                return part
        return None

    def open_seat(self, index: int, value: str, at: tuple[int, int]) -> None:
        """Start the lines of a seat."""
        if index >= Seats.high:
            self.report("range", "seats", f"found seat {index}, expected 0 to {Seats.high - 1}"
                        " (seats are counted from 0)", at)
        elif value:
            self.report("syntax", f"seats[{index}]", f"found {shown(value)} after 'seat {index}:',"
                        " expected the seat's values on lines of their own", at)
        self.seat = index
        self.seats.setdefault(index, {})
        self.places.setdefault(f"seats[{index}]", at)
        self.places.setdefault("seats", at)

    def number_of_players(self, value: str, at: tuple[int, int]) -> None:
        """Take the number of players, which is optional."""
        if self.players is not None:
            self.report("syntax", "players", "found a second time, expected it once", at)
        elif value in ("2", "3", "4"):
            self.players = int(value)
        else:
            self.report("range", "players", f"found {shown(value)}, expected 2, 3 or 4", at)

    def one_item(
        self, part: Field, target: dict[str, Any], where: str, number: int, value: str,
        at_key: tuple[int, int], at_value: tuple[int, int],
    ) -> None:
        """Take `display 3: ...`; items of lists are counted from 1, as in moves."""
        kind, given = part.kind, self.items.setdefault(where, {})
        most = size_of(kind) if isinstance(kind, (Lines, Grid)) else 2 * Seats.high + 1
        if isinstance(kind, (MultisetList, Lines, Grid)) and not 1 <= number <= most:
            self.report("range", where, f"found {kind.item} {number}, expected 1 to {most}",
                        at_key)
        elif number - 1 in given or part.name in target:
            self.report("syntax", f"{where}[{number - 1}]",
                        "found a second time, expected it once", at_key)
        else:
            given[number - 1] = value
            self.places[f"{where}[{number - 1}]"] = at_value

    def seat_value(
        self, part: Field, name: str, index: int | None, value: str, at_key: tuple[int, int],
        at_value: tuple[int, int],
    ) -> None:
        """Take a value of the current seat."""
        if self.seat is None:
            self.report("syntax", "seats", f"found {shown(key_of(name))} before any seat, expected"
                        " a line 'seat 0:' above it", at_key)
            return
        seat = self.seats[self.seat]
        where = f"seats[{self.seat}].{part.name}"
        if index is not None:
            self.one_item(part, seat, where, index, value, at_key, at_value)
            return
        if not isinstance(part.kind, Rows):
            self.value(part, seat, part.name, where, value, at_key, at_value)
            return
        rows = seat.setdefault(part.name, {})
        self.places.setdefault(where, at_value)
        if name != part.name:
            self.row(rows, name.upper(), value, where, at_value)
        else:
            self.rows(part.kind, rows, value, where, at_value)

    def rows(
        self, kind: Rows, rows: dict[str, str], value: str, where: str, at_value: tuple[int, int]
    ) -> None:
        """Take rows in pairs of name and spaces."""
        words = list(re.finditer(r"[^\s,:]+", value))
        for site, row in zip(words[::2], words[1::2], strict=False):
            at = (at_value[0], at_value[1] + site.start())
            if site[0].upper() in kind.names:
                self.row(rows, site[0].upper(), row[0], where, at)
            else:
                self.report("syntax", where, f"found {shown(site[0])}, expected one of "
                            + " ".join(kind.names), at)
        if len(words) % 2:
            self.report("syntax", where, f"found {shown(words[-1][0])} without a partner, expected"
                        f" pairs such as {kind.names[0]} {'.' * kind.width}",
                        (at_value[0], at_value[1] + words[-1].start()))

    def row(
        self, rows: dict[str, str], name: str, value: str, where: str, at: tuple[int, int]
    ) -> None:
        """Take one row of a board."""
        if name in rows:
            self.report("syntax", f"{where}.{name}", "found a second time, expected it once", at)
        else:
            rows[name] = value
            self.places[f"{where}.{name}"] = at

    def value(
        self, part: Field, target: dict[str, Any], name: str, where: str, value: str,
        at_key: tuple[int, int], at_value: tuple[int, int],
    ) -> None:
        """Take one value that is not a row."""
        if name in target or self.items.get(where):
            self.report("syntax", where, "found a second time, expected it once", at_key)
        elif isinstance(part.kind, (MultisetList, Lines, Grid)):
            parts = re.finditer(r"[^,]+" if "," in value else r"\S+", value)
            target[name] = []
            for index, match in enumerate(parts):
                target[name].append(match[0].strip())
                blanks = len(match[0]) - len(match[0].lstrip())
                self.places[f"{where}[{index}]"] = (
                    at_value[0], at_value[1] + match.start() + blanks)
        else:
            target[name] = _raw_value(part, value)
        self.places.setdefault(where, at_value)

    def unknown(self, key: str, at: tuple[int, int]) -> None:
        """Report an unknown key, the first of them with the known ones that it may stand for."""
        hint = ""
        if meant := self.meant(key):
            hint = f"; {meant}"
        elif not self.keys_told:
            hint, self.keys_told = "; expected one of " + ", ".join(self.known), True
        self.report("syntax", "", f"found the unknown key {shown(key)}{hint}", at)

    def refuse_keys(self) -> None:
        """Report the unknown keys that are a problem, many of them as one."""
        refused = sorted(self.refused, key=lambda one: one[1])
        if len(refused) > MOST_TOLD:
            key, at = refused[0]
            self.report("syntax", "", f"found {len(refused):,} unknown keys, the first"
                        f" {shown(key)}; expected one of {', '.join(self.known)}", at)
            return
        for key, at in refused:
            self.unknown(key, at)

    def told_unused(self) -> Iterator[str]:
        """Yield the keys that are not used in words."""
        for key, (line, _) in self.unused:
            meant = self.meant(key)
            yield f"{shown(key)} on line {line}" + (f" ({meant})" if meant else "")

    def meant(self, key: str) -> str:
        """Ask for the known keys that an unknown one may stand for; empty if there are none."""
        from difflib import get_close_matches  # slow, and seldom needed

        close = get_close_matches(
            _BETWEEN_WORDS.sub(" ", key.lower())[:40], self.known, 2, 0.6)
        return f"did you mean {' or '.join(map(repr, close))}?" if close else ""

    @property
    def known(self) -> list[str]:
        """The keys of this game, one of each kind."""
        parts = [part for part in (*self.table.fields, *self.table.seat_fields)
                 if not isinstance(part.kind, Seats)]
        items = [f"{part.kind.item} 1" for part in parts
                 if isinstance(part.kind, (MultisetList, Lines, Grid))]
        return ["seat 0", "players", *items, *(key_of(part.name) for part in parts)]

    def report(self, kind: str, where: str, message: str, at: tuple[int, int]) -> None:
        """Note a problem of the block itself."""
        self.problems.append(Problem(kind, where, message, *at))

    def located(self, problem: Problem) -> Problem:
        """Add line and column to a problem of the JSON reader, if its value has a place."""
        where = problem.where
        while where and where not in self.places:
            where = re.sub(r"(^|\.[^.\[]*|\[[0-9]*\]|^[^.\[]*)$", "", where)
        at = self.places.get(where)
        return problem if at is None else replace(problem, line=at[0], column=at[1])


def _raw_value(part: Field, value: str) -> object:
    """Turn a written value into the raw JSON value; a value that does not fit stays a string."""
    word = value.lower()
    kind = part.kind
    if isinstance(kind, SeatNumber) and kind.nullable and word in _NOBODY:
        return None
    if part.unseen and word in _UNKNOWN:
        return None
    if isinstance(kind, (Integer, SeatNumber)) and _NUMBER.fullmatch(value):
        return int(value)
    if isinstance(kind, Track):
        return re.sub(r"[\s,]+", "", value)
    if isinstance(kind, Flag):
        return _WORDS.get(word, value)
    return value
