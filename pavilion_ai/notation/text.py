"""The text form of a position: a block that a person can read and type.

One `key: value` a line, in any order; `#` starts a comment; `seat 0:` opens the lines of a
seat. Keys are those of the JSON form with spaces for underscores. What is missing takes a
default, and every default is reported. A key that is not known is an error, as it is most
likely a slip of the pen, and a silent default would hide it.

Reading turns the block into the raw JSON form and remembers where each value stood; the JSON
reader does the rest, and its problems get line and column back.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pavilion_ai.errors import Problem, shown
from pavilion_ai.notation.json_form import Reading, read_mapping, to_json
from pavilion_ai.position import TABLES, Position, table_of
from pavilion_ai.position.fields import (
    Field,
    Flag,
    GameTable,
    Integer,
    MultisetList,
    Rows,
    SeatNumber,
    Seats,
)

__all__ = ["looks_like_text", "read_text", "to_text"]

_LINE = re.compile(r"\s*([^\s:#][^:#]*?)\s*:\s*(.*?)\s*")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_NOBODY = ("none", "null", "nobody", "-", "centre", "center")
_UNKNOWN = ("?", "unknown", "null", "none")
_WORDS = {"yes": True, "true": True, "no": False, "false": False}
_ALIASES = {"center": "centre", "display": "displays", "star": "stars", "points": "score"}
_MAX_SEATS = 4


def to_text(position: Position) -> str:
    """Return the text form, several lines with a newline after each."""
    table = table_of(position)
    raw = to_json(position)
    lines = [f"# {table.title}"]
    for part in table.fields:
        if part.name in raw and not isinstance(part.kind, Seats):
            lines.append(f"{_key(part.name)}: {_written(part, raw[part.name])}")
    seats: Any = raw["seats"]
    for index, seat in enumerate(seats):
        lines.append(f"\nseat {index}:")
        lines += [f"  {_key(part.name)}: {_written(part, seat[part.name])}"
                  for part in table.seat_fields]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name.replace("_", " ")


def _written(part: Field, value: Any) -> str:
    if isinstance(part.kind, MultisetList):
        return " ".join(value)
    if isinstance(part.kind, Rows):
        return " ".join(f"{name} {row}" for name, row in value.items())
    if isinstance(part.kind, Flag):
        return "yes" if value else "no"
    if value is None:
        return part.kind.nobody if isinstance(part.kind, SeatNumber) else "?"
    return str(value)


def looks_like_text(text: str) -> bool:
    """Tell whether any line of `text` is a `key: value` line."""
    return any(_LINE.fullmatch(line.partition("#")[0]) for line in text.splitlines())


def read_text(text: str) -> Reading:
    """Read the text form and find everything wrong with it."""
    block = _Block(_table(text))
    block.read(text)
    notes = block.fill()
    reading = read_mapping(block.raw)
    if block.raw["game"] not in TABLES:  # what its keys mean is anybody's guess
        return Reading(None, [block.located(problem) for problem in reading.problems], [])
    problems = block.problems + [block.located(problem) for problem in reading.problems]
    problems.sort(key=lambda problem: (
        problem.line is None, problem.line or 0, problem.column or 0))
    return Reading(None if problems else reading.position, problems, notes + reading.notes)


def _table(text: str) -> GameTable:
    """Return the table of the game that the text names; the first one if it names none."""
    for line in text.splitlines():
        match = _LINE.fullmatch(line.partition("#")[0])
        if match and match[1].lower() == "game" and match[2] in TABLES:
            return TABLES[match[2]]
    return next(iter(TABLES.values()))


@dataclass
class _Block:
    """The raw JSON form while it is being put together, and where each value stood."""

    table: GameTable
    raw: dict[str, Any] = field(default_factory=dict)
    seats: dict[int, dict[str, Any]] = field(default_factory=dict)
    players: int | None = None
    displays: dict[int, str] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    seat: int | None = None

    def read(self, text: str) -> None:
        """Take every line of the text."""
        for number, line in enumerate(text.splitlines(), 1):
            content = line.partition("#")[0]
            if not content.strip():
                continue
            match = _LINE.fullmatch(content)
            if match is None:
                column = len(content) - len(content.lstrip()) + 1
                self.report("syntax", "", f"found {shown(content.strip())}, expected"
                            " 'key: value'", (number, column))
                continue
            self.line(match, number)

    def line(self, match: re.Match[str], number: int) -> None:
        """Take one `key: value` line."""
        key = re.sub(r"[\s_-]+", " ", match[1]).lower()
        at_key, at_value = (number, match.start(1) + 1), (number, match.start(2) + 1)
        key, index = _indexed(_ALIASES.get(key, key))
        name = key.replace(" ", "_")
        if key == "seat" and index is not None:
            self.open_seat(index, match[2], at_key)
        elif key == "players":
            self.number_of_players(match[2], at_value)
        elif name == "displays" and index is not None:
            self.one_display(index, match[2], at_key, at_value)
        elif (part := self.seat_field(name)) is not None:
            self.seat_value(part, name, match[2], at_key, at_value)
        elif (part := self.field(name)) is not None:
            self.value(part, self.raw, name, name, match[2], at_key, at_value)
        else:
            self.unknown(match[1], at_key)

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
        if index >= _MAX_SEATS:
            self.report("range", "seats", f"found seat {index}, expected 0 to {_MAX_SEATS - 1}"
                        " (seats are counted from 0)", at)
        elif value:
            self.report("syntax", f"seats[{index}]", f"found {shown(value)} after 'seat {index}:',"
                        " expected the seat's values on lines of their own", at)
        self.seat = index
        self.seats.setdefault(index, {})
        self.places.setdefault(f"seats[{index}]", at)
        self.places.setdefault("seats", at)

    def number_of_players(self, value: str, at: tuple[int, int]) -> None:
        """Take the number of players, which need not be given."""
        if self.players is not None:
            self.report("syntax", "players", "found a second time, expected it once", at)
        elif value in ("2", "3", "4"):
            self.players = int(value)
        else:
            self.report("range", "players", f"found {shown(value)}, expected 2, 3 or 4", at)

    def one_display(
        self, number: int, value: str, at_key: tuple[int, int], at_value: tuple[int, int]
    ) -> None:
        """Take `display 3: ...`; displays are counted from 1, as in moves."""
        if not 1 <= number <= 2 * _MAX_SEATS + 1:
            self.report("range", "displays", f"found display {number}, expected 1 to"
                        f" {2 * _MAX_SEATS + 1}", at_key)
        elif number - 1 in self.displays or "displays" in self.raw:
            self.report("syntax", f"displays[{number - 1}]",
                        "found a second time, expected it once", at_key)
        else:
            self.displays[number - 1] = value
            self.places[f"displays[{number - 1}]"] = at_value

    def seat_value(
        self, part: Field, name: str, value: str, at_key: tuple[int, int],
        at_value: tuple[int, int],
    ) -> None:
        """Take a value of the seat whose lines these are."""
        if self.seat is None:
            self.report("syntax", "seats", f"found {shown(_key(name))} before any seat, expected"
                        " a line 'seat 0:' above it", at_key)
            return
        seat = self.seats[self.seat]
        where = f"seats[{self.seat}].{part.name}"
        if not isinstance(part.kind, Rows):
            self.value(part, seat, part.name, where, value, at_key, at_value)
            return
        rows = seat.setdefault(part.name, {})
        self.places.setdefault(where, at_value)
        if name != part.name:
            self.row(rows, name.upper(), value, where, at_value)
            return
        words = list(re.finditer(r"[^\s,:]+", value))
        for site, row in zip(words[::2], words[1::2], strict=False):
            at = (at_value[0], at_value[1] + site.start())
            if site[0].upper() in part.kind.names:
                self.row(rows, site[0].upper(), row[0], where, at)
            else:
                self.report("syntax", where, f"found {shown(site[0])}, expected one of "
                            + " ".join(part.kind.names), at)
        if len(words) % 2:
            self.report("syntax", where, f"found {shown(words[-1][0])} without a partner, expected"
                        f" pairs such as {part.kind.names[0]} {'.' * part.kind.width}",
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
        if name in target or (name == "displays" and self.displays):
            self.report("syntax", where, "found a second time, expected it once", at_key)
        elif isinstance(part.kind, MultisetList):
            parts = re.finditer(r"[^,]+" if "," in value else r"\S+", value)
            target[name] = []
            for index, match in enumerate(parts):
                target[name].append(match[0].strip())
                self.places[f"{where}[{index}]"] = (at_value[0], at_value[1] + match.start())
        else:
            target[name] = _raw_value(part, value)
        self.places.setdefault(where, at_value)

    def unknown(self, key: str, at: tuple[int, int]) -> None:
        """Report a key that does not exist, with the likeliest ones that do."""
        known = ["seat 0", "players", "display 1"] + [
            _key(part.name) for part in (*self.table.fields, *self.table.seat_fields)
            if not isinstance(part.kind, Seats)]
        close = difflib.get_close_matches(re.sub(r"[\s_-]+", " ", key.lower())[:40], known, 2, 0.6)
        hint = (f"did you mean {' or '.join(repr(name) for name in close)}?" if close
                else "expected one of " + ", ".join(known))
        self.report("syntax", "", f"found the unknown key {shown(key)}; {hint}", at)

    def report(self, kind: str, where: str, message: str, at: tuple[int, int]) -> None:
        """Note a problem of the block itself."""
        self.problems.append(Problem(kind, where, message, *at))

    def located(self, problem: Problem) -> Problem:
        """Give a problem of the JSON reader its line and column, if its value stood somewhere."""
        where = problem.where
        while where and where not in self.places:
            where = re.sub(r"(^|\.[^.\[]*|\[[0-9]*\]|^[^.\[]*)$", "", where)
        at = self.places.get(where)
        return problem if at is None else replace(problem, line=at[0], column=at[1])

    def fill(self) -> list[str]:
        """Put seats and displays together, add the defaults, and return a note for each."""
        notes: list[str] = []
        count = self.count_seats(notes)
        seats = [self.seats.get(index, {}) for index in range(count)]
        self.raw["seats"] = seats
        if self.displays:
            self.raw["displays"] = [
                self.displays.get(index, "-")
                for index in range(max(2 * count + 1, *(index + 1 for index in self.displays)))]
            missing = [str(index + 1) for index in range(2 * count + 1)
                       if index not in self.displays]
            if missing:
                notes.append(f"display {', '.join(missing)}: not given, taken as empty")
        if "game" not in self.raw:
            self.raw["game"] = self.table.game
            notes.append(f"game: not given, taken as {self.table.game}")
        if "displays" not in self.raw:
            self.raw["displays"] = ["-"] * (2 * count + 1)
            notes.append("displays: not given, taken as empty")
        for index, seat in enumerate(seats):
            notes += _fill_seat(self.table, self.raw, index, seat)
        return notes + _fill_fields(self.table, self.raw)

    def count_seats(self, notes: list[str]) -> int:
        """Return the number of seats: as given, or as the seats and displays say."""
        found = max(self.seats, default=-1) + 1
        if self.players is not None and found <= self.players:
            return self.players
        if self.players is not None:
            self.report("range", "players", f"found {self.players}, but there is a seat"
                        f" {found - 1} (seats are counted from 0)",
                        self.places[f"seats[{found - 1}]"])
            return min(found, _MAX_SEATS)
        displays = self.raw.get("displays", ())
        by_displays = (len(displays) - 1) // 2 if len(displays) in (5, 7, 9) else 2
        count = min(max(found, by_displays), _MAX_SEATS)
        if count > found:
            notes.append(f"players: not given, taken as {count}")
        return count


def _indexed(key: str) -> tuple[str, int | None]:
    """Split `display 3` into its key and number."""
    match = re.fullmatch(r"(seat|displays?) ?([0-9]{1,6})", key)
    if match is None:
        return key, None
    return ("seat" if match[1] == "seat" else "displays"), int(match[2])


def _raw_value(part: Field, value: str) -> object:
    """Turn the written value into the raw JSON value; what does not fit stays a string."""
    word = value.lower()
    kind = part.kind
    if isinstance(kind, SeatNumber) and kind.nullable and word in _NOBODY:
        return None
    if part.unseen and word in _UNKNOWN:
        return None
    if isinstance(kind, (Integer, SeatNumber)) and _NUMBER.fullmatch(value):
        return int(value)
    if isinstance(kind, Flag):
        return _WORDS.get(word, value)
    return value


def _fill_fields(table: GameTable, raw: dict[str, Any]) -> list[str]:
    """Add the missing fields of the position; return a note for each."""
    notes = []
    defaults: Mapping[str, object] = table.defaults(raw)
    for part in table.fields:
        name = part.name
        phase = raw.get("phase", defaults.get("phase"))
        if name in raw or part.unseen or part.phase not in (None, phase):
            continue
        raw[name] = defaults[name]
        notes.append(f"{_key(name)}: not given, taken as {_written(part, raw[name])}")
    return notes


def _fill_seat(
    table: GameTable, raw: Mapping[str, Any], index: int, seat: dict[str, Any]
) -> list[str]:
    """Add the missing fields of one seat; return a note on them, if any."""
    taken = []
    defaults: Mapping[str, object] = table.seat_defaults(raw)
    for part in table.seat_fields:
        if isinstance(part.kind, Rows):
            rows = seat.setdefault(part.name, {})
            empty = [name for name in part.kind.names if name not in rows]
            rows.update(dict.fromkeys(empty, "." * part.kind.width))
            if empty:
                taken.append(f"{_key(part.name)} {' '.join(empty)} empty")
        elif part.name not in seat:
            seat[part.name] = defaults[part.name]
            taken.append(f"{_key(part.name)} {_written(part, seat[part.name])}")
    return [f"seat {index}: not given, taken as {', '.join(taken)}"] if taken else []
