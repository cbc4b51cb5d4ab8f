"""Read a request: its line and its fields, each checked against the expected form."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pavilion_ai.bounds import MAX_CLOCK, MAX_SECONDS, MAX_SIMS, MAX_THREADS
from pavilion_ai.errors import MoveError, PavilionError, PositionError
from pavilion_ai.notation import read_position
from pavilion_ai.play import Play, push_each
from pavilion_ai.position import Position
from pavilion_ai.untrusted import Node, has_more_values, strict_json

if TYPE_CHECKING:
    from pavilion_ai.limits import Limits

Request = Mapping[str, Any]
Source = str | dict[str, Any]
"""A position as a request gives it, in any form."""
BEGUN = "time.monotonic()"
"""Key under which the engine notes when it received a request, or gave it threads."""
NOTES = "list[str]"
"""Key under which the engine collects what is to be told of the positions of a request."""
MAX_VALUES = 200_000
"""Most values of a request: numbers, strings, lists and objects. They take 30 ms to decode."""
STOPPED = "stopped, as nobody waits for the answer"


class BadRequest(PavilionError):
    """A request that is answered with an error.

    Attributes:
        field: the faulty one.
        made_way: whether it ended as others wait.
    """

    def __init__(self, message: str, field: str) -> None:
        self.field = field
        self.made_way = False
        super().__init__(message)

    def __reduce__(self) -> tuple[type[BadRequest], tuple[str, str]]:
        return type(self), (str(self), self.field)


def decode(raw: bytes, read: Callable[[str], Any] = strict_json) -> Request:
    """Read a line as a JSON object.

    Args:
        read: function that decodes the text.

    Raises:
        BadRequest: the line is not a JSON object, or one of too many values.
    """
    if has_more_values(raw, MAX_VALUES):
        raise BadRequest(f"found a line of more than {MAX_VALUES} values, expected fewer", "")
    try:
        request = read(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadRequest(f"not UTF-8 text (byte {error.start})", "") from None
    except json.JSONDecodeError as error:
        raise BadRequest(f"not JSON: {error.msg} at character {error.pos + 1}", "") from None
    except ValueError as error:
        raise BadRequest(f"not JSON: {error}", "") from None
    return _node(request).mapping("an object with id and action")


def _node(value: object, where: str = "") -> Node:
    """Return a request, or the part of one that stands at `where`, ready to be read."""
    return Node(value, where, lambda _, place, message: BadRequest(
        f"{place}: {message}" if place else message, _field(place)))


def _field(place: str) -> str:
    """Return the field of the request that contains a place."""
    return re.split(r"[.[]", place, maxsplit=1)[0]


def position(request: Request) -> Position:
    """Read the `position` of a request, in any form."""
    return _read(request, _source(request, "position"))


def _read(request: Request, source: Source, where: str = "") -> Position:
    """Read a position of a request, and note what it leaves out."""
    found = read_position(source)
    request.get(NOTES, []).extend(where + note for note in found.notes)
    return found.position


def play(request: Request) -> Play:
    """Return the play of a request: a position, with its past if that is given.

    Raises:
        BadRequest: a field is wrong, or the past leads elsewhere.
    """
    found = position(request)
    return _past(request, found) or Play(found)


def decision(request: Request) -> Play:
    """Return the play of a request: a position with a seat to move, with its past.

    Raises:
        BadRequest: a field is wrong, no seat is to move, or the past leads elsewhere.
    """
    found = play(request)
    if found.turn is None:
        raise BadRequest(f"position: no seat is to move in phase {found.phase!r}", "position")
    return found


def _past(request: Request, position: Position) -> Play | None:
    """Return the game that led to a position, if the request gives it."""
    found = _node(request)["past"]
    if found.missing or found.value is None:
        return None
    told = found.mapping()
    start, moves = _source(told, "start", "past"), strings(told, "moves", "past")
    try:
        play = Play(_read(request, start, "past.start: "))
    except PositionError as error:
        raise BadRequest(f"past.start: {error.in_one_line}", "past") from None
    try:
        push_each(play, moves)
    except MoveError as error:
        raise BadRequest(f"past.moves: {error}", "past") from None
    if play.position != position:
        raise BadRequest("past: leads to another position than `position`", "past")
    return play


def _source(request: Request, name: str, within: str = "") -> Source:
    node = _node(request, within)[name]
    if not isinstance(node.value, (str, dict)):
        node.refuse("an object or a string")
    return node.value


def number(request: Request, name: str, low: int, high: int, default: int) -> int:
    """Read a whole number, or take the default."""
    found = optional_number(request, name, low, high)
    return default if found is None else found


def optional_number(
    request: Request, name: str, low: int, high: int, within: str = ""
) -> int | None:
    """Read a whole number that may be missing or null; `within` names the field it is part of."""
    node = _node(request, within)
    return node[name].whole(low, high) if name in node else None


def threads(request: Request) -> int | None:
    """Read how many threads a request names itself."""
    return optional_number(request, "threads", 1, MAX_THREADS)


def refused(request: Request, name: str, expected: str) -> BadRequest:
    """Return the error for a field with an unexpected value."""
    try:
        _node(request)[name].refuse(expected)
    except BadRequest as error:
        return error


def seconds(request: Request, name: str, within: str = "") -> float | None:
    """Read a positive, finite number of seconds that may be missing or null."""
    node = _node(request, within)
    if name not in node:
        return None
    return node[name].real(sys.float_info.min, MAX_SECONDS,
                           f"seconds above 0 up to {MAX_SECONDS:g}")


def times(request: Request, name: str, players: int) -> tuple[float, ...]:
    """Read seconds for each seat; none if they are missing."""
    return _times(_node(request), name, players)


def _times(
    node: Node, name: str, players: int, without: Collection[int] = ()
) -> tuple[float, ...]:
    """Read seconds for each seat; null is 0 for the seats that are `without` a clock."""
    if name not in node:
        return ()
    return tuple(
        0.0 if seat in without and seconds.value is None else seconds.real(0, MAX_SECONDS)
        for seat, seconds in enumerate(node[name].items(
            players, players, f"seconds for each of {players} seats")))


def string(request: Request, name: str, default: str) -> str:
    """Read a string, or take the default."""
    node = _node(request)
    return node[name].text() if name in node else default


def strings(request: Request, name: str, within: str = "") -> list[str]:
    """Read a list of strings; `within` names the field it is part of."""
    return _node(request, within)[name].list_of({str}, "a string", "a list of strings")


def flag(request: Request, name: str, default: bool) -> bool:
    """Read a boolean, or take the default."""
    node = _node(request)
    return node[name].truth() if name in node else default


def clocked(request: Request, play: Play) -> Limits | None:
    """Read the limits of an `analyse` or a `choose`: `sims`, `seconds` or a clock by seat.

    They stand under `limits`, those of an `analyse` but for the clock also in the request itself;
    of two the smaller one counts. None without any.

    Raises:
        BadRequest: a limit is wrong, or there is not one clock for each seat.
    """
    given = request.get("limits")
    if given is not None and not isinstance(given, dict):
        raise refused(request, "limits", "an object")
    found = limits(given or {}, "limits")
    if request["action"] == "analyse":
        found = _tighter(found, limits(request))
    node = _node(given or {}, "limits")
    if "clock" not in node:
        if "increment" in node:
            node["clock"].refuse("one beside increment")
        return found
    from pavilion_ai.limits import Limits, clocks_for

    players = play.start.players
    left = tuple(None if seconds.value is None else seconds.real(0, MAX_CLOCK)
                 for seconds in node["clock"].items(players, players, clocks_for(players)))
    without = [seat for seat, seconds in enumerate(left) if seconds is None]
    added = _times(node, "increment", players, without)
    if play.turn is None or left[play.turn] is None:
        return found
    return replace(found or Limits(), clock=left, increment=added)


def _tighter(one: Limits | None, other: Limits | None) -> Limits | None:
    """Return the limits of which the first one ends a search."""
    if one is None or other is None:
        return one or other
    from pavilion_ai.limits import least_of

    return replace(one, sims=least_of(one.sims, other.sims),
                   seconds=least_of(one.seconds, other.seconds))


def limits(request: Request, within: str = "") -> Limits | None:
    """Read `sims` or `seconds`; None without either."""
    from pavilion_ai.limits import Limits

    sims = optional_number(request, "sims", 1, MAX_SIMS, within)
    time = seconds(request, "seconds", within)
    if sims is None and time is None:
        return None
    return Limits(sims=sims, seconds=time)
