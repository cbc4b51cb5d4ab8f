"""Reading a request: its line, and its fields, each checked with what was expected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pavilion_ai.bounds import MAX_SECONDS, MAX_SIMS
from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.notation import parse_position
from pavilion_ai.notation.json_form import strict_json
from pavilion_ai.position import Position

if TYPE_CHECKING:
    from pavilion_ai.analysis import Limits

Request = Mapping[str, Any]
Source = str | dict[str, Any]
"""A position as a request gives it, in any form."""
Past = tuple[Source, list[str]]
"""Where a game started, and its moves since."""


class BadRequest(PavilionError):
    """A request that is answered with an error; `field` names what was wrong."""

    def __init__(self, message: str, field: str) -> None:
        self.field = field
        super().__init__(message)


def decode(raw: bytes) -> Request:
    """Read a line as a JSON object.

    Raises:
        BadRequest: it is none.
    """
    try:
        request = strict_json(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadRequest(f"not UTF-8 text (byte {error.start})", "") from None
    except json.JSONDecodeError as error:
        raise BadRequest(f"not JSON: {error.msg} at character {error.pos + 1}", "") from None
    except ValueError as error:
        raise BadRequest(f"not JSON: {error}", "") from None
    if not isinstance(request, dict):
        raise BadRequest(f"found {shown(request)}, expected an object with id and action", "")
    return request


def position(request: Request) -> Position:
    """Read the `position` of a request, in any form."""
    return parse_position(_source(request, "position")).position


def decision(request: Request) -> Position:
    """Return a position in which somebody is to move."""
    found = position(request)
    if found.to_move is None:
        raise BadRequest(f"position: nobody is to move in phase {found.phase!r}", "position")
    return found


def past(request: Request) -> Past | None:
    """Return the `past` of a request, not yet replayed."""
    found = request.get("past")
    if found is None:
        return None
    if not isinstance(found, dict):
        raise refused(request, "past", "an object")
    return _source(found, "start", "past"), strings(found, "moves", "past")


def _source(request: Request, name: str, within: str = "") -> Source:
    value = request.get(name)
    if not isinstance(value, (str, dict)):
        raise refused(request, name, "an object or a string", within)
    return value


def number(request: Request, name: str, low: int, high: int, default: int) -> int:
    """Read a whole number, or take the default."""
    found = optional_number(request, name, low, high)
    return default if found is None else found


def optional_number(
    request: Request, name: str, low: int, high: int, within: str = ""
) -> int | None:
    """Read a whole number that may be missing or null; `within` names the field it is part of."""
    value = request.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise refused(request, name, f"a whole number from {low} to {high}", within)
    return value


def refused(request: Request, name: str, expected: str, within: str = "") -> BadRequest:
    """Say what a field held and what was expected; `within` names the field it is part of."""
    place = f"{within}.{name}" if within else name
    found = shown(request[name]) if name in request else "none"
    return BadRequest(f"{place}: found {found}, expected {expected}", within or name)


def seconds(request: Request, name: str, within: str = "") -> float | None:
    """Read a positive, finite number of seconds that may be missing or null."""
    value = request.get(name)
    if value is None:
        return None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 < value <= MAX_SECONDS:  # false for NaN as well
        raise refused(request, name, f"seconds above 0 up to {MAX_SECONDS:g}", within)
    return float(value)


def string(request: Request, name: str, default: str) -> str:
    """Read a string, or take the default."""
    value = default if request.get(name) is None else request[name]
    if not isinstance(value, str):
        raise refused(request, name, "a string")
    return value


def strings(request: Request, name: str, within: str = "") -> list[str]:
    """Read a list of strings; `within` names the field it is part of."""
    value = request.get(name)
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise refused(request, name, "a list of strings", within)
    return value


def flag(request: Request, name: str, default: bool) -> bool:
    """Read a boolean, or take the default."""
    value = default if request.get(name) is None else request[name]
    if not isinstance(value, bool):
        raise refused(request, name, "true or false")
    return value


def limits(request: Request, within: str = "") -> Limits | None:
    """Read `sims` or `seconds`; None without either."""
    from pavilion_ai.analysis import Limits

    sims = optional_number(request, "sims", 1, MAX_SIMS, within)
    time = seconds(request, "seconds", within)
    if sims is None and time is None:
        return None
    return Limits(sims=sims, seconds=time)
