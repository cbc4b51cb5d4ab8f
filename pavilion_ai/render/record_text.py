"""Describe a recorded game in words: its id, players and result."""

from __future__ import annotations

from collections.abc import Mapping

from pavilion_ai.errors import printable
from pavilion_ai.record import FINISHED, UNFINISHED, GameRecord
from pavilion_ai.render.words import joined

__all__ = ["head", "player", "result"]


def player(agent: Mapping[str, str]) -> str:
    """Return the name of a player from an entry of `GameRecord.agents`."""
    return printable(agent.get("name") or agent.get("spec", "?"))


def head(record: GameRecord) -> list[str]:
    """Return the id of a game and its players."""
    start = record.start
    return [
        f"game {printable(record.id)}: {start.game}, {start.board}, seed {record.seed}",
        *(f"seat {seat}: {player(agent)}" for seat, agent in enumerate(record.agents)),
    ]


def result(record: GameRecord) -> str:
    """Return the result of the game according to the record."""
    names = joined(f"seat {seat}" for seat in record.winners)
    won = f"{names} {'wins' if len(record.winners) == 1 else 'share the victory'}"
    scores = f"scores {', '.join(map(str, record.scores))}"
    if record.reason == UNFINISHED:
        return f"unfinished, {scores}"
    how = "" if record.reason == FINISHED else f"{printable(record.reason)}; "
    return f"{how}{won if record.winners else 'nobody wins'}, {scores}"
