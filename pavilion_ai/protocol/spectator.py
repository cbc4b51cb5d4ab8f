"""The game so far, where a request tells it: an agent sees what it has not seen yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pavilion_ai.errors import MoveError, PositionError
from pavilion_ai.games import game_of
from pavilion_ai.notation import parse_position
from pavilion_ai.position import Position
from pavilion_ai.protocol import fields

if TYPE_CHECKING:
    from pavilion_ai.agents import Agent

__all__ = ["Spectator"]


class Spectator:
    """An agent, and what it has seen of a game."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._start: fields.Source | None = None
        self._moves: list[str] = []
        self._position: Position | None = None

    def has_seen_of(self, past: fields.Past | None) -> int:
        """Return how many moves of a game it has seen; -1 if it has seen another one."""
        start, moves = past or (None, [])
        seen = len(self._moves)
        return seen if self._start == start and self._moves == moves[:seen] else -1

    def look_at(self, past: fields.Past | None, position: Position) -> None:
        """Let the agent see the game up to a position, or forget what it saw if there is none.

        Raises:
            BadRequest: that is no game, or it leads elsewhere.
        """
        if self.has_seen_of(past) < 0:
            self.agent.new_game()
            self._start, self._moves, self._position = None, [], None
        if past is None:
            return
        start, moves = past
        here = _read(start) if self._position is None else self._position
        for number, move in enumerate(moves[len(self._moves):], len(self._moves) + 1):
            try:
                after = game_of(here).apply(here, move)
            except MoveError as error:
                raise fields.BadRequest(f"past.moves: move {number}: {error}", "past") from None
            self.agent.watch(here, move)
            here = after
        if here != position:
            raise fields.BadRequest("past: leads to another position than `position`", "past")
        self._start, self._moves, self._position = start, moves, here


def _read(start: fields.Source) -> Position:
    try:
        return parse_position(start).position
    except PositionError as error:
        raise fields.BadRequest(f"past.start: {error.in_one_line}", "past") from None
