"""Checks of a position: every problem at once, each with a kind and a place.

First each field by itself (type and range, from the field table), then the tile totals, then
the rules on several fields that the game's table lists. A rule is checked only if the fields it
needs could be read, so that one mistake does not cause a string of follow-up complaints.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any, NamedTuple

from pavilion_ai.errors import Problem, shown
from pavilion_ai.position.base import Position
from pavilion_ai.position.fields import (
    TILE_KINDS,
    Choice,
    Field,
    Flag,
    GameTable,
    Grid,
    Integer,
    Kind,
    Lines,
    Multiset,
    MultisetList,
    Rows,
    SeatNumber,
    Seats,
    Track,
    Values,
    size_of,
)
from pavilion_ai.position.unseen import resolve_unseen


def described(kind: Kind, table: GameTable, players: int | None = None) -> str:
    """Return what a field of this kind may hold, in words for a message.

    >>> from pavilion_ai.position.summer import SUMMER
    >>> described(Integer(1, 6), SUMMER)
    'a whole number from 1 to 6'
    """
    if isinstance(kind, Choice):
        return "one of " + ", ".join(kind.options)
    if isinstance(kind, Integer):
        return f"a whole number from {kind.low} to {kind.high}"
    if isinstance(kind, SeatNumber):
        last = (players or Seats.high) - 1
        return f"a seat from 0 to {last}" + (" or null" if kind.nullable else "")
    if isinstance(kind, Flag):
        return "true or false"
    if isinstance(kind, Multiset):
        most = "" if kind.limit is None else f" of at most {kind.limit} tiles"
        return f"a multiset{most} such as 2{table.letters[0]}{table.letters[1]} or -"
    if isinstance(kind, MultisetList):
        many = "2n+1" if players is None else str(2 * players + 1)
        return f"a list of {many} multisets, one per {kind.item}"
    if isinstance(kind, Lines):
        limits = ", ".join(str(limit) for limit in kind.limits)
        return f"a list of {size_of(kind)} multisets of at most {limits} tiles"
    if isinstance(kind, Rows):
        return f"{_row_of(kind, table)}, for each of {' '.join(kind.names)}"
    if isinstance(kind, Grid):
        return f"a list of {kind.height} {kind.item}s, each {_row_of(kind, table)}"
    if isinstance(kind, Track):
        return (f"at most {kind.limit} letters of {table.letters} in their order, with one"
                f" {kind.mark} at most, or -")
    return f"a list of {kind.low} to {kind.high} seats"


class _At(NamedTuple):
    table: GameTable
    players: int | None


def _row_of(kind: Rows | Grid, table: GameTable) -> str:
    return f"{kind.width} characters, each '.' or one of {table.letters}"


def position_values(table: GameTable, position: Position) -> dict[str, Any]:
    """Take a position apart into the values of its fields, for `check_values`.

    Its tuple of seats becomes a list of their values; a list, which no sound position has, becomes
    a tuple, which is refused.
    """
    values = _attributes(table.fields, position)
    seats = values["seats"]
    if isinstance(seats, tuple):
        values["seats"] = [_attributes(table.seat_fields, seat) for seat in seats]
    elif isinstance(seats, list):
        values["seats"] = tuple(seats)
    return values


def _attributes(fields: tuple[Field, ...], owner: object) -> dict[str, Any]:
    """Return the attributes by name; a None in a tuple (unreadable input) becomes "" instead."""
    values = {field.name: getattr(owner, field.name, None)
              for field in fields if field.name != "game"}
    return {name: tuple("" if part is None else part for part in value)
            if isinstance(value, tuple) else value for name, value in values.items()}


def check_values(
    table: GameTable, values: Values, *, complete: bool = True
) -> tuple[dict[str, Any], list[Problem], list[str]]:
    """Check the values that could be read and fill in the unseen tiles.

    Args:
        values: values by field name; a value that could not be read is absent.
        complete: False if the list of seats itself cannot be relied on.

    Returns:
        the values (usable for `table.make` if there is no problem), the problems, and notes
        on what was deduced.
    """
    seats = values.get("seats")
    count = len(seats) if isinstance(seats, list) else None
    players = count if count is not None and Seats.low <= count <= Seats.high else None
    good: dict[str, Any] = {}
    problems: list[Problem] = []
    for field in table.fields:
        if field.name in values:
            _check_field(table, field, values[field.name], "", players, good, problems)
    if players is not None and complete:
        good, more, notes = resolve_unseen(table, good)
        problems += more
    else:
        notes = []
    for check in table.checks:
        if all(name in good for name in check.needs):
            problems += check.find(good)
    return good, problems, notes


def _check_field(
    table: GameTable, field: Field, value: Any, prefix: str, players: int | None,
    good: dict[str, Any], problems: list[Problem],
) -> None:
    """Check one field; put the value into `good` if later checks can rely on it."""
    where = prefix + field.name
    kind = field.kind
    if value is None and field.unseen:
        good[field.name] = None
        return
    if isinstance(kind, Seats):
        good[field.name] = _check_seats(table, kind, value, players, problems)
        return
    found = _CHECKS[type(kind)](kind, _At(table, players), value, where)
    problems += found
    countable = isinstance(kind, TILE_KINDS)
    if not found or (countable and all(problem.kind == "range" for problem in found)):
        good[field.name] = value


def _check_seats(
    table: GameTable, kind: Seats, value: Any, players: int | None, problems: list[Problem]
) -> list[dict[str, Any]]:
    """Check every field of every seat; return the seats with their usable values."""
    if not isinstance(value, list):
        problems += _no_tuple("seats", value, described(kind, table))
        return []
    if players is None:
        problems.append(Problem(
            "range", "seats",
            f"found a list of {len(value)}, expected {kind.low} to {kind.high} seats"))
    checked: list[dict[str, Any]] = []
    for index, seat in enumerate(value):
        good: dict[str, Any] = {}
        for field in table.seat_fields:
            if field.name in seat:
                _check_field(table, field, seat[field.name], f"seats[{index}].", players,
                             good, problems)
        checked.append(good)
    return checked


def _wrong(problem: str, where: str, value: object, expected: str) -> list[Problem]:
    found = shown(value)
    if problem == "type" and type(value) not in (int, float, bool) and isinstance(value, Number):
        found += f" of type {type(value).__name__}"
    return [Problem(problem, where, f"found {found}, expected {expected}")]


def _no_tuple(where: str, value: object, expected: str) -> list[Problem]:
    """Refuse what stands for a list in a position made in Python."""
    return _wrong("type", where, value, expected.replace("a list", "a tuple", 1))


def _choice(kind: Choice, at: _At, value: Any, where: str) -> list[Problem]:
    if isinstance(value, str) and value in kind.options:
        return []
    return _wrong("range" if isinstance(value, str) else "type", where, value,
                  described(kind, at.table))


def _integer(kind: Integer, at: _At, value: Any, where: str) -> list[Problem]:
    if type(value) is not int:
        return _wrong("type", where, value, described(kind, at.table))
    if not kind.low <= value <= kind.high:
        return _wrong("range", where, value, described(kind, at.table))
    return []


def _seat_number(kind: SeatNumber, at: _At, value: Any, where: str) -> list[Problem]:
    if value is None and kind.nullable:
        return []
    if type(value) is not int:
        return _wrong("type", where, value, described(kind, *at))
    if not 0 <= value < (at.players or Seats.high):
        return _wrong("range", where, value, described(kind, *at))
    return []


def _flag(kind: Flag, at: _At, value: Any, where: str) -> list[Problem]:
    if isinstance(value, bool):
        return []
    return _wrong("type", where, value, described(kind, at.table))


def _multiset(kind: Multiset, at: _At, value: Any, where: str) -> list[Problem]:
    if not (isinstance(value, tuple) and len(value) == len(at.table.letters)
            and all(type(count) is int and count >= 0 for count in value)):
        return _wrong("type", where, value, f"a tuple of {len(at.table.letters)} numbers of tiles")
    if kind.limit is not None and sum(value) > kind.limit:
        return [Problem("range", where,
                        f"found {sum(value)} tiles, expected at most {kind.limit}")]
    return []


def _multiset_list(kind: MultisetList, at: _At, value: Any, where: str) -> list[Problem]:
    if not isinstance(value, tuple):
        return _no_tuple(where, value, described(kind, *at))
    problems: list[Problem] = []
    tables = range(Seats.low, Seats.high + 1) if at.players is None else (at.players,)
    counts = [2 * seats + 1 for seats in tables]
    if len(value) not in counts:
        expected = " or ".join(str(count) for count in counts)
        for_players = "" if at.players is None else f" for {at.players} players"
        empty = "; `-` stands for an empty one" if len(value) < counts[0] else ""
        problems.append(Problem(
            "range", where,
            f"found {len(value)} {kind.item}s, expected {expected}{for_players}{empty}"))
    for index, part in enumerate(value):
        if part is not None:
            problems += _multiset(Multiset(kind.limit), at, part, f"{where}[{index}]")
    return problems


def _lines(kind: Lines, at: _At, value: Any, where: str) -> list[Problem]:
    problems = _length(kind, at.table, value, where)
    parts = value if isinstance(value, tuple) else ()
    for index, (part, limit) in enumerate(zip(parts, kind.limits, strict=False)):
        if part is not None:
            problems += _multiset(Multiset(limit), at, part, f"{where}[{index}]")
    return problems


def _length(kind: Lines | Grid, table: GameTable, value: Any, where: str) -> list[Problem]:
    """Check that the value is a list with the right number of items."""
    if not isinstance(value, tuple):
        return _no_tuple(where, value, described(kind, table))
    if len(value) != size_of(kind):
        return [Problem("range", where, f"found {len(value)} {kind.item}s, expected"
                        f" {size_of(kind)}")]
    return []


def _rows(kind: Rows, at: _At, value: Any, where: str) -> list[Problem]:
    if not isinstance(value, tuple) or len(value) != len(kind.names):
        return _wrong("type", where, value, f"a tuple of {len(kind.names)} strings")
    return [problem for name, row in zip(kind.names, value, strict=True)
            for problem in _row(kind, at.table, row, f"{where}.{name}")]


def _grid(kind: Grid, at: _At, value: Any, where: str) -> list[Problem]:
    problems = _length(kind, at.table, value, where)
    for index, row in enumerate(value if isinstance(value, tuple) else ()):
        problems += _row(kind, at.table, row, f"{where}[{index}]")
    return problems


def _row(kind: Rows | Grid, table: GameTable, row: Any, where: str) -> list[Problem]:
    if row is None:
        return []
    if not isinstance(row, str):
        return _wrong("type", where, row, _row_of(kind, table))
    if len(row) != kind.width or not set(row) <= set(table.letters + "."):
        return _wrong("syntax", where, row, _row_of(kind, table))
    return []


def _track(kind: Track, at: _At, value: Any, where: str) -> list[Problem]:
    if not isinstance(value, str):
        return _wrong("type", where, value, described(kind, at.table))
    if not set(value) <= set(at.table.letters + kind.mark):
        return _wrong("syntax", where, value, described(kind, at.table))
    problems = []
    if len(value) > kind.limit:
        problems.append(Problem(
            "range", where, f"found {len(value)} tiles, expected at most {kind.limit}"))
    if value.count(kind.mark) > 1:
        problems.append(Problem(
            "range", where, f"found {value.count(kind.mark)} times {kind.mark}, expected one"
            " at most"))
    return problems


_CHECKS: dict[type, Callable[..., list[Problem]]] = {
    Choice: _choice,
    Integer: _integer,
    SeatNumber: _seat_number,
    Flag: _flag,
    Multiset: _multiset,
    MultisetList: _multiset_list,
    Lines: _lines,
    Rows: _rows,
    Grid: _grid,
    Track: _track,
}
