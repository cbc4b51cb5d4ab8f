"""Records replayed, for the tests of any room."""

from __future__ import annotations

from pavilion_ai.play import walk
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord


def positions_of(record: GameRecord) -> list[Position]:
    """Return the positions of a game, the start first; RecordError if a move is not legal."""
    return [play.position for play in walk(record)]


def replayed(record: GameRecord) -> list[Position]:
    """Return the same, having checked that the game ends as its record says."""
    positions = positions_of(record)
    record.check_end(positions[-1])
    return positions
