"""What an event keeps with a record, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pavilion_ai.errors import shown
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import KINDS

__all__ = ["few", "key_faults"]

MAX_COUNT = 10**15
"""Decisions or simulations of one game; no number of theirs overflows further down."""

_COUNTS = ("entrants", "decisions", "sims")
_EVENTS = ("match", *KINDS)
_TYPES: Mapping[str, tuple[type, str]] = {
    "event": (str, "a string"),
    "seed": (int, "a whole number"),
    "pair": (str, "a string"),
    "rotation": (int, "a whole number"),
    "entrants": (list, "a list"),
    "decisions": (list, "a list"),
    "sims": (list, "a list"),
    "tied": (bool, "true or false"),
    "limits": (dict, "an object"),
}


def key_faults(match: object, players: int) -> Iterator[str]:
    """Yield what is wrong with the key `match` of a record, seen by itself.

    Args:
        players: seats of the game.
    """
    if not isinstance(match, Mapping):
        yield f"{MATCH_KEY}: expected an object, found {shown(match)}"
        return
    for key, (kind, words) in _TYPES.items():
        value: Any = match.get(key)
        found: type = type(value)  # exact: a boolean is no number
        if found is not kind:
            yield f"{MATCH_KEY}.{key}: expected {words}, found {shown(value)}"
        elif key in _COUNTS and not _counts(value, players):
            yield (f"{MATCH_KEY}.{key}: expected a whole number from 0 for each of {players}"
                   f" seats, found {few(value)}")
        elif key in ("decisions", "sims") and max(value) > MAX_COUNT:
            yield (f"{MATCH_KEY}.{key}: expected numbers up to {MAX_COUNT}, found"
                   f" {shown(max(value))}")
        elif key == "limits" and not {*map(type, value.values())} <= {int, float, type(None)}:
            yield f"{MATCH_KEY}.limits: expected numbers or null, found something else"
        elif key == "event" and value not in _EVENTS:
            yield (f"{MATCH_KEY}.event: expected one of {', '.join(_EVENTS)}, found"
                   f" {shown(value)}")
    loser = match.get("loser")
    if loser is not None and (type(loser) is not int or not 0 <= loser < players):
        yield f"{MATCH_KEY}.loser: expected a seat from 0 to {players - 1}, found {shown(loser)}"


def _counts(values: list[Any], players: int) -> bool:
    return len(values) == players and all(type(value) is int and value >= 0 for value in values)


def few(values: list[Any]) -> str:
    """Return a list for a message, or only its length."""
    return str(values) if len(str(values)) < 60 else shown(values)
