"""What was read in games so far: each game is followed from one question about it to the next.

Its decisions are read by short searches of the positions in which they were made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pavilion_ai._core import Network, RootMove, Search
from pavilion_ai.games import State
from pavilion_ai.play import Play, Ply
from pavilion_ai.position import Position
from pavilion_ai.tunables import Tunables

GAMES_KEPT = 4
"""Number of games of which something is kept, the most recent ones."""
MEMORY = 1 << 20
"""Bytes of a short search's tree: room for the children of all its nodes."""


@dataclass
class Reading:
    """One game so far.

    Attributes:
        start: its first position.
        seen: its moves.
        unread: decisions that nobody has read yet, in order.
    """

    start: Position
    seen: list[str] = field(default_factory=list)
    unread: list[Ply] = field(default_factory=list)

    def is_of(self, play: Play) -> bool:
        """Tell whether a play continues the moves seen so far."""
        seen = self.seen
        return len(seen) <= len(play.plies) and self.start == play.start and all(
            ply.move == move for ply, move in zip(play.plies, seen, strict=False))


R = TypeVar("R", bound=Reading)


class Readings(Generic[R]):
    """The games that were asked about last.

    A play in which moves were taken back is another game.

    Args:
        new: makes the reading of a game from its first position.
    """

    def __init__(self, new: Callable[[Position], R]) -> None:
        self._new = new
        self._games: list[R] = []

    def of(self, play: Play) -> R:
        """Return the reading of a play's game, with its new decisions added to those unread."""
        known = [reading for reading in self._games if reading.is_of(play)]
        reading = max(known, key=lambda one: len(one.seen), default=None)
        if reading is None:
            reading = self._new(play.start)
        else:
            self._games.remove(reading)
        self._games = [*self._games[1 - GAMES_KEPT:], reading]
        new = play.plies[len(reading.seen):]
        reading.seen += [ply.move for ply in new]
        reading.unread += [ply for ply in new if ply.seat is not None]
        return reading


class ShortSearches:
    """Searches one position after another, with one tree for each network."""

    def __init__(self) -> None:
        self._trees: dict[Network | None, Search] = {}

    def rows(self, state: State, network: Network | None, tunables: Tunables,
             sims: int) -> list[RootMove]:
        """Return the moves of a position after a search that expects everybody to judge alike.

        Args:
            network: network that evaluates the leaves; None for the linear heuristics.
            tunables: tunables of all searches with this network.
        """
        tree = self._trees.get(network)
        if tree is None or not tree.restart(state, seed=0):
            tree = self._trees[network] = Search(
                state, seed=0, memory_bytes=MEMORY, network=network, **{**tunables, "rivals": 0.0})
        tree.run(sims)
        return tree.rows()
