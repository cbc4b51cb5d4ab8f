"""The JSON form of a position: from raw values to a checked position and back.

The text and the code form are read by turning them into the same raw mapping, so this is the
only reader: what it accepts and refuses holds for every form.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeGuard

from pavilion_ai.errors import PositionError, Problem, shown
from pavilion_ai.notation.tiles import NOTHING, format_tiles, parse_tiles
from pavilion_ai.position import (
    TABLES,
    Position,
    Tiles,
    check_values,
    described,
    table_of,
    telling_faults,
)
from pavilion_ai.position.fields import (
    TILE_KINDS,
    Field,
    GameTable,
    Grid,
    Integer,
    Lines,
    Multiset,
    MultisetList,
    Rows,
    Seats,
    Track,
)
from pavilion_ai.untrusted import NestingError, strict_json

MOST_ENTRIES = 12
"""Longer lists are refused unread; none of a position is as long."""
MOST_KEYS = 100
"""Keys of an object among which a misspelt one is looked for."""
NAMED_KEYS = 20
"""Unknown keys of a position that a note names."""


class Reading(NamedTuple):
    """The result of reading a raw mapping: a position or problems, and notes on deduced values."""

    position: Position | None
    problems: list[Problem]
    notes: list[str]


def decode_json(text: str) -> object:
    """Decode JSON text as `strict_json` does.

    Raises:
        PositionError: if the text is not JSON; line and column are given.
    """
    try:
        return strict_json(text)
    except json.JSONDecodeError as error:
        fault = f"found no valid JSON: {error.msg}; expected a position"
        raise PositionError([Problem("syntax", "", fault, error.lineno, error.colno)]) from None
    except NestingError:
        raise PositionError.at(
            "syntax", "", "found JSON nested too deeply, expected a position object") from None
    except ValueError as error:
        raise PositionError.at("syntax", "", str(error)) from None


def is_record(found: object) -> TypeGuard[dict[str, Any]]:
    """Tell whether a decoded object is a game record rather than a position."""
    return isinstance(found, dict) and {"start", "moves"} <= found.keys() and "phase" not in found


def read_mapping(raw: object) -> Reading:
    """Read the JSON form, already decoded, and find everything wrong with it."""
    if not isinstance(raw, Mapping):
        return Reading(None, [Problem(
            "type", "", f"found {shown(raw)}, expected a JSON object")], [])
    table, problems = _game(raw)
    if table is None:
        return Reading(None, problems, [])
    reader = _Reader(table, problems)
    values = reader.position(raw)
    checked, found, notes = check_values(table, values, complete=reader.seats_complete)
    problems += found
    problems.sort(key=lambda problem: problem.where not in ("", "game"))
    if problems:
        return Reading(None, problems, notes)
    return Reading(table.make(checked), [], notes)


def read_draft(raw: object) -> Position | None:
    """Read the JSON form of a position that is being made, which need not be sound yet.

    Returns:
        a position to be drawn and nothing else: a number of the table out of its range is the next
        one that is in it, and what the seats have need not be possible; None if a value is missing,
        or unlike any value of its field, or one place has more tiles than there are in the game.
    """
    if not isinstance(raw, Mapping):
        return None
    table, problems = _game(raw)
    if table is None or problems:
        return None
    reader = _Reader(table, problems)
    values = reader.position(raw)
    _bring_in_range(table.fields, values)
    checked, _, _ = check_values(table, values, complete=reader.seats_complete)
    wanted = {field.name for field in table.fields if not (field.unseen or field.phase)} - {"game"}
    parts = {field.name for field in table.seat_fields}
    for seat, good in zip(values.get("seats", ()), checked.get("seats", ()), strict=False):
        good.update({name: value for name, value in seat.items() if name not in good})
    if problems or wanted - checked.keys() or any(parts - seat.keys() for seat in checked["seats"]):
        return None
    for role in ("drawn", "discarded"):
        name = table.unseen_field(role).name
        checked[name] = checked.get(name) or (0,) * len(table.letters)
    groups = [(table.fields, checked), *((table.seat_fields, seat) for seat in checked["seats"])]
    most = table.per_colour * len(table.letters)
    if any(_size(group[field.name]) > most for fields, group in groups for field in fields
           if isinstance(field.kind, TILE_KINDS)):
        return None
    return table.make(checked)


def _size(value: Any) -> int:
    """Return how many tiles, or spaces for tiles, the value of a field has."""
    if isinstance(value, int):
        return value
    return len(value) if isinstance(value, str) else sum(map(_size, value))


def _bring_in_range(fields: Sequence[Field], values: dict[str, Any]) -> None:
    """Replace numbers that are too small or too large."""
    for field in fields:
        value = values.get(field.name)
        if isinstance(field.kind, Integer) and type(value) is int:
            values[field.name] = min(max(value, field.kind.low), field.kind.high)


def _game(raw: Mapping[Any, Any]) -> tuple[GameTable | None, list[Problem]]:
    """Find the table of the game; without a usable `game`, the one whose keys fit best."""
    best = max(TABLES.values(), key=lambda table: _fit(table, raw))
    expected = "one of " + ", ".join(TABLES)
    if "game" not in raw:
        return best, [Problem("missing", "game", f"found no such key, expected {expected}")]
    game = raw["game"]
    if not isinstance(game, str):
        return best, [Problem("type", "game", f"found {shown(game)}, expected {expected}")]
    if game not in TABLES:
        return None, [Problem("range", "game", f"found {shown(game)}, expected {expected}")]
    return TABLES[game], []


def _fit(table: GameTable, raw: Mapping[Any, Any]) -> int:
    """Count the fields of a game that the position and its first seat have."""
    seats = raw.get("seats")
    first = seats[0] if isinstance(seats, (list, tuple)) and seats else None
    return sum(field.name in raw for field in table.fields) + sum(
        field.name in first for field in table.seat_fields if isinstance(first, Mapping))


def unused_in(raw: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the places of all keys of the JSON form, already decoded, that no field reads."""
    table, _ = _game(raw)
    if table is None:
        return
    names = {field.name for field in table.fields}
    yield from (str(key) for key in raw if key not in names)
    seats = raw.get("seats")
    for index, seat in enumerate(seats[:MOST_ENTRIES] if isinstance(seats, (list, tuple)) else ()):
        if not isinstance(seat, Mapping):
            continue
        parts = {field.name: field.kind for field in table.seat_fields}
        for key, value in seat.items():
            kind = parts.get(key)
            if kind is None:
                yield f"seats[{index}].{key}"
            elif isinstance(kind, Rows) and isinstance(value, Mapping):
                yield from (f"seats[{index}].{key}.{row}" for row in value if row not in kind.names)


def note_of_unused(keys: Iterable[str]) -> list[str]:
    """Return a note that names unknown keys, the first of many; none if there are none."""
    found = list(islice(keys, NAMED_KEYS + 1))
    more = " and more" if len(found) > NAMED_KEYS else ""
    return [f"not used: {', '.join(found[:NAMED_KEYS])}{more}"] if found else []


class _Reader:
    """Turns raw JSON values into field values, collecting type and syntax problems."""

    def __init__(self, table: GameTable, problems: list[Problem]) -> None:
        self.table = table
        self.problems = problems
        self.seats_complete = True

    def position(self, raw: Mapping[Any, Any]) -> dict[str, Any]:
        """Read the fields of the position; those that cannot be read are left out."""
        values: dict[str, Any] = {}
        for field in self.table.fields:
            if field.name == "game":
                continue
            wanted = field.phase is None or raw.get("phase") == field.phase
            if field.unseen or not wanted:
                values[field.name] = None
                if raw.get(field.name) is None:
                    continue
            self._field(field, raw, "", values)
        return values

    def _field(
        self, field: Field, raw: Mapping[Any, Any], prefix: str, values: dict[str, Any]
    ) -> None:
        """Read one field into `values`, or report it and take it out."""
        where = prefix + field.name
        values.pop(field.name, None)
        if field.name not in raw:
            expected = described(field.kind, self.table)
            self._report("missing", where,
                         f"found no such key, expected {expected}{_typo(field.name, raw)}")
            self.seats_complete &= not isinstance(field.kind, Seats)
            return
        before = len(self.problems)
        value = self._value(field, raw[field.name], where)
        if value is not None or len(self.problems) == before:
            values[field.name] = value

    def _value(self, field: Field, raw: Any, where: str) -> Any:
        kind = field.kind
        if isinstance(kind, Multiset):
            return self._tiles(raw, where, described(kind, self.table))
        if isinstance(kind, MultisetList):
            items = self._list(raw, where, described(kind, self.table))
            item = described(Multiset(kind.limit), self.table)
            return None if items is None else tuple(
                self._tiles(part, f"{where}[{index}]", item) for index, part in enumerate(items))
        if isinstance(kind, Lines):
            items = self._list(raw, where, described(kind, self.table))
            return None if items is None else tuple(
                self._tiles(part, f"{where}[{index}]", _line(kind, index, self.table))
                for index, part in enumerate(items))
        if isinstance(kind, Rows):
            return self._rows(kind, raw, where)
        if isinstance(kind, Grid):
            items = self._list(raw, where, described(kind, self.table))
            return None if items is None else tuple(
                self._row(kind, part, f"{where}[{index}]") for index, part in enumerate(items))
        if isinstance(kind, Track):
            return self._track(kind, raw, where)
        if isinstance(kind, Seats):
            return self._seats(kind, raw, where)
        return raw

    def _tiles(self, raw: Any, where: str, expected: str) -> Tiles | None:
        if not isinstance(raw, str):
            self._report("type", where, f"found {shown(raw)}, expected {expected}")
            return None
        try:
            return parse_tiles(raw, self.table.letters)
        except ValueError as error:
            self._report("syntax", where, str(error))
            return None

    def _list(self, raw: Any, where: str, expected: str) -> Sequence[Any] | None:
        if isinstance(raw, (list, tuple)):
            if len(raw) <= MOST_ENTRIES:
                return raw
            self._report("range", where, f"found a list of {len(raw)}, expected {expected}")
            return None
        self._report("type", where, f"found {shown(raw)}, expected {expected}")
        return None

    def _rows(self, kind: Rows, raw: Any, where: str) -> tuple[str | None, ...] | None:
        if not isinstance(raw, Mapping):
            self._report("type", where, f"found {shown(raw)}, expected an object with the keys "
                         + " ".join(kind.names))
            return None
        rows: list[str | None] = []
        for name in kind.names:
            if name not in raw:
                self._report("missing", f"{where}.{name}", "found no such key, expected"
                             f" {kind.width} characters such as {'.' * kind.width}")
                rows.append(None)
            else:
                rows.append(self._row(kind, raw[name], f"{where}.{name}"))
        return tuple(rows)

    def _row(self, kind: Rows | Grid, raw: Any, where: str) -> str | None:
        if isinstance(raw, str):
            return raw
        self._report("type", where, f"found {shown(raw)}, expected"
                     f" {kind.width} characters such as {'.' * kind.width}")
        return None

    def _track(self, kind: Track, raw: Any, where: str) -> str | None:
        if raw == NOTHING:
            return ""
        if isinstance(raw, str) and raw:
            return raw
        self._report("syntax" if raw == "" else "type", where,
                     f"found {shown(raw)}, expected {described(kind, self.table)}")
        return None

    def _seats(self, kind: Seats, raw: Any, where: str) -> list[dict[str, Any]] | None:
        items = self._list(raw, where, described(kind, self.table))
        self.seats_complete = items is not None
        seats: list[dict[str, Any]] = []
        for index, item in enumerate(items or ()):
            values: dict[str, Any] = {}
            if isinstance(item, Mapping):
                for field in self.table.seat_fields:
                    self._field(field, item, f"{where}[{index}].", values)
            else:
                self._report("type", f"{where}[{index}]",
                             f"found {shown(item)}, expected an object for one seat")
            seats.append(values)
        return None if items is None else seats

    def _report(self, kind: str, where: str, message: str) -> None:
        self.problems.append(Problem(kind, where, message))


def _line(kind: Lines, index: int, table: GameTable) -> str:
    """Return what a line may hold; lines that do not exist are reported by the checks."""
    return described(Multiset(kind.limits[min(index, len(kind.limits) - 1)]), table)


def _typo(name: str, raw: Mapping[Any, Any]) -> str:
    """Return a hint if `raw` has a key that looks like a misspelt `name`."""
    from difflib import get_close_matches  # slow, and seldom needed

    keys = [key for key in islice(raw, MOST_KEYS) if isinstance(key, str) and len(key) < 40]
    close = get_close_matches(name, keys, 1, 0.75)
    return f" (is {shown(close[0])} a slip?)" if close else ""


@telling_faults
def to_json(position: Position) -> dict[str, object]:
    """Return the JSON form, ready for `json.dumps`, with the keys in the order of docs/notation.md.

    Raises:
        PositionError: the position is invalid so that it cannot be written.
    """
    table = table_of(position)
    result: dict[str, object] = {"game": table.game}
    for field in table.fields:
        if field.name != "game" and field.phase in (None, position.phase):
            result[field.name] = _raw(table, field, getattr(position, field.name))
    return result


def _raw(table: GameTable, field: Field, value: Any) -> object:
    kind = field.kind
    if value is None:
        return None
    if isinstance(kind, Multiset):
        return format_tiles(value, table.letters)
    if isinstance(kind, (MultisetList, Lines)):
        return [format_tiles(part, table.letters) for part in value]
    if isinstance(kind, Rows):
        return dict(zip(kind.names, value, strict=True))
    if isinstance(kind, Grid):
        return list(value)
    if isinstance(kind, Track):
        return value or NOTHING
    if isinstance(kind, Seats):
        return [{part.name: _raw(table, part, getattr(seat, part.name))
                 for part in table.seat_fields} for seat in value]
    plain: object = value
    return plain
