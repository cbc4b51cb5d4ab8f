"""The event that a file of records belongs to, as far as the records tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pavilion_ai.analysis import Limits
from pavilion_ai.errors import RecordError
from pavilion_ai.match.event import Event, Settings, entrants_of
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import KINDS
from pavilion_ai.record import GameRecord

__all__ = ["event_of"]

UNKNOWN = "?"
"""Stands for the spec of an entrant who has not played yet."""


def event_of(records: Sequence[GameRecord]) -> Event:
    """Return the event that these games were played in.

    How many rounds were asked for, a sequential test and the timeouts of engines are not recorded.
    That the games agree with each other is for the `Runner` to check.

    Raises:
        RecordError: there is no game, or one that no event has written.
    """
    if not records:
        raise RecordError("no games")
    specs: dict[int, str] = {}
    for record in records:
        entrants = _match(record).get("entrants")
        if not isinstance(entrants, list) or len(entrants) != len(record.agents):
            raise RecordError(f"game {record.id!r}: key 'match' does not name its entrants")
        for entrant, agent in zip(entrants, record.agents, strict=True):
            if type(entrant) is not int or not 0 <= entrant < len(records) * len(entrants):
                raise RecordError(f"game {record.id!r}: no entrant can have number {entrant!r}")
            specs[entrant] = agent.get("spec", UNKNOWN)
    first, match = records[0], _match(records[0])
    if match.get("event") not in ("match", *KINDS):
        raise RecordError(f"game {first.id!r}: key {MATCH_KEY!r} does not say of which kind the"
                          " event is")
    limits = match.get("limits")
    return Event(
        kind=match["event"],
        entrants=entrants_of(specs.get(index, UNKNOWN) for index in range(max(specs) + 1)),
        settings=Settings(
            game=first.game,
            board=first.start.board,
            players=first.start.players,
            seed=match.get("seed", 0),
            limits=_limits(limits if isinstance(limits, dict) else {}),
            tied=match.get("tied") is not False,
        ),
        rounds=None,
    )


def _match(record: GameRecord) -> Mapping[str, Any]:
    match = record.extra.get(MATCH_KEY)
    if not isinstance(match, dict):
        raise RecordError(f"game {record.id!r} was not played in a match or tournament")
    return match


def _limits(told: Mapping[str, Any]) -> Limits | None:
    sims, seconds = told.get("sims"), told.get("seconds")
    return None if sims is None and seconds is None else Limits(sims=sims, seconds=seconds)
