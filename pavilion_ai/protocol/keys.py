"""The keys that each action reads; others are named in the answer, as `unused`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from pavilion_ai.errors import PositionError
from pavilion_ai.notation import unused_keys
from pavilion_ai.protocol.fields import Request

NAMED = 100
"""Unused keys that are named; the rest is counted."""
NAME_CHARACTERS = 60
_COMMON = frozenset({"id", "action"})
_SEARCH = frozenset({"position", "past", "threads", "seed", "agent", "avoid"})

KEYS: Mapping[str, Collection[str]] = {
    "hello": frozenset(),
    "new": frozenset({"game", "board", "players", "seed"}),
    "show": frozenset({"position", "format", "names", "columns", "first", "dark", "alone"}),
    "moves": frozenset({"position", "describe"}),
    "replay": frozenset({"position", "moves"}),
    "apply": frozenset({"position", "moves", "seed", "draw"}),
    "perft": frozenset({"position", "depth"}),
    "analyse": _SEARCH | {"sims", "seconds", "top", "only", "compare", "even", "report_every",
                          "limits"},
    "review": frozenset({"record", "sims", "seconds", "threads", "seed", "agent"}),
    "choose": _SEARCH | {"legal_moves", "limits"},
    "stop": frozenset({"target"}),
}
"""Keys by action, besides `id` and `action`."""
_PARTS: Mapping[str, Collection[str]] = {
    "limits": ("sims", "seconds", "clock", "increment"), "past": ("start", "moves")}
_POSITIONS = ("position", "start")


def unused(request: Request, known: Collection[str]) -> list[str]:
    """Return the keys of a request that no one reads, those of its parts with their place.

    Args:
        known: the keys that its action reads.
    """
    found = list(islice(_places(request, known), NAMED))
    total = sum(1 for _ in _places(request, known)) if len(found) == NAMED else len(found)
    return [*found, f"and {total - NAMED} more"] if total > NAMED else found


def _places(request: Request, known: Collection[str]) -> Iterator[str]:
    for key, value in request.items():
        if key not in known and key not in _COMMON:
            yield _named(key)
        elif key in _PARTS and isinstance(value, dict):
            yield from (f"{key}.{_named(inner)}" for inner in value if inner not in _PARTS[key])
        if key in known and key in _POSITIONS:
            yield from (f"{key}.{place}" for place in _of_position(value))
        elif key == "past" and key in known and isinstance(value, dict):
            yield from (f"past.start.{place}" for place in _of_position(value.get("start")))


def _of_position(value: object) -> Iterator[str]:
    try:
        yield from map(_named, unused_keys(value))
    except PositionError:  # refused, or about to be
        return


def _named(key: str) -> str:
    return key if len(key) <= NAME_CHARACTERS else f"{key[:NAME_CHARACTERS]}..."
