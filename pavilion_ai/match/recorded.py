"""Reconstruct the event of a file from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pavilion_ai.analysis import Limits
from pavilion_ai.errors import RecordError, shown
from pavilion_ai.match.event import Event, Settings, entrants_of
from pavilion_ai.match.keys import key_faults
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.record import GameRecord

__all__ = ["event_of"]

UNKNOWN = "?"
"""Stands for the spec of an entrant that has not played yet."""


def event_of(records: Sequence[GameRecord]) -> Event:
    """Return the event in which these games were played.

    The records do not contain the requested number of rounds, a sequential test, or the timeouts
    of engines. Whether the games agree with each other is checked by the `Runner`.

    Raises:
        RecordError: there are no games, or one does not belong to an event.
    """
    if not records:
        raise RecordError("no games")
    specs: dict[int, str] = {}
    for record in records:
        match = record.extra.get(MATCH_KEY)
        if match is None:
            raise RecordError(f"game {shown(record.id)} was not played in a match or tournament")
        fault = next(key_faults(match, record.start.players), None)
        if fault is None and max(match["entrants"]) >= len(records) * record.start.players:
            fault = f"no entrant can have number {max(match['entrants'])}"
        if fault is not None:
            raise RecordError(f"game {shown(record.id)}: {fault}")
        for entrant, agent in zip(match["entrants"], record.agents, strict=True):
            specs[entrant] = agent.get("spec", UNKNOWN)
    first = records[0]
    match = first.extra[MATCH_KEY]
    return Event(
        kind=match["event"],
        entrants=entrants_of(specs.get(index, UNKNOWN) for index in range(max(specs) + 1)),
        settings=Settings(
            game=first.game,
            board=first.start.board,
            players=first.start.players,
            seed=match["seed"],
            limits=_limits(match["limits"]),
            tied=match["tied"],
        ),
        rounds=None,
    )


def _limits(told: Mapping[str, Any]) -> Limits | None:
    sims, seconds = told.get("sims"), told.get("seconds")
    return None if sims is None and seconds is None else Limits(sims=sims, seconds=seconds)
