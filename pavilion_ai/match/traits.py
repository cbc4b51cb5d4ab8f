"""What all games of an event share, and who played in each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.record import GameRecord

__all__ = ["agents_of", "traits"]


def traits(record: GameRecord) -> dict[str, object]:
    """Return what the game of a record shares with all games of its event, by name."""
    match, start = record.extra[MATCH_KEY], record.start
    return {"seed": match["seed"], "event": match["event"], "game": start.game,
            "board": start.board, "players": start.players, "tied": match["tied"],
            "limits": match["limits"], "from positions": match.get("opening") is not None}


def agents_of(record: GameRecord) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the entrants of a game by seat, with what its record tells of their agents."""
    return zip(record.extra[MATCH_KEY]["entrants"], record.agents, strict=True)
