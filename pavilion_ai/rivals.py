"""What a seat's moves tell of its mind: whether it judges as the network does or linearly.

The tunable `rivals` is the share of the linear heuristics in what another seat wants, before any
of its moves were seen. Every decision of it is evidence (Bayes): how much likelier a short search
with the network finds it than one without.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

from pavilion_ai._core import Network, Search
from pavilion_ai.games import game_of
from pavilion_ai.position import Position

__all__ = ["Rivals"]

SIMS = 64
"""Of each short search: a millisecond for both. Priors alone, of no searches, told half as much."""
PRIOR_VISITS = 10
"""Visits that the priors count for: no move that is looked at is ruled out."""
LEVEL = 0.25
"""Nats by which a decision that speaks for neither mind is likelier to a search with the network.
Those of seats that search without one had -0.8 to -0.1 on average, of seats with one 0.5 to 0.8."""
ENOUGH = 6.0
"""Nats of evidence at which a seat is judged for the rest of the game."""
STEPS = 64
"""Shares are multiples of one in so many: the last digits of logarithms differ between machines."""
MEMORY = 1 << 20
"""Bytes of the tree of a short search."""


class Rivals:
    """The decisions of one game, and what they tell of each seat."""

    def __init__(self) -> None:
        self._unread: list[tuple[Position, str]] = []
        self._evidence: dict[int, float] = {}
        self._trees: dict[Network | None, Search] = {}

    def forget(self) -> None:
        """Begin another game."""
        self._unread.clear()
        self._evidence.clear()

    def watch(self, position: Position, move: str) -> None:
        """Take note of a decision; with two players it would tell nothing that matters."""
        if len(position.seats) > 2 and position.to_move is not None:
            self._unread.append((position, move))

    def shares(self, share: float, position: Position,
               minds: Mapping[Network | None, Mapping[str, Any]],
               deadline: float = 0.0) -> tuple[float, ...]:
        """Return the share of the linear heuristics in what each seat wants.

        Args:
            share: that of a seat of which nothing was seen; 0 and 1 stay what they are.
            position: whose mover asks; its own moves tell it nothing.
            minds: the tunables of searches, first with a network, then without.
            deadline: reading of time.monotonic() from which on decisions are left for the next
                time; 0 for none.
        """
        if not 0 < share < 1:
            return (share,) * len(position.seats)
        left = []
        for seen, move in self._unread:
            seat = seen.to_move
            if seat == position.to_move or (deadline and time.monotonic() >= deadline):
                left.append((seen, move))
            elif seat is not None and abs(self._evidence.get(seat, 0.0)) < ENOUGH:
                self._read(seat, seen, move, minds)
        self._unread = left
        return tuple(_after(share, self._evidence.get(seat, 0.0))
                     for seat in range(len(position.seats)))

    def _read(self, seat: int, position: Position, move: str,
              minds: Mapping[Network | None, Mapping[str, Any]]) -> None:
        game = game_of(position)
        state: Any = game.to_core(position)
        [numbers] = game.move_numbers(position, [move])
        by_network, linearly = (self._chance(state, numbers, network, tunables)
                                for network, tunables in minds.items())
        if not by_network or not linearly or by_network == linearly == 1:
            return  # a move that neither looks at, or the only one, tells nothing
        found = self._evidence.get(seat, 0.0) + math.log(by_network / linearly) - LEVEL
        self._evidence[seat] = max(-ENOUGH, min(ENOUGH, found))

    def _chance(self, state: Any, move: tuple[int, ...], network: Network | None,
                tunables: Mapping[str, Any]) -> float:
        """Return how likely a short search finds a move, 0 if it does not look at it."""
        tree = self._trees.get(network)
        if tree is None or not tree.restart(state, seed=0):
            tree = self._trees[network] = Search(
                state, seed=0, memory_bytes=MEMORY, network=network, **{**tunables, "rivals": 0.0})
        tree.run(SIMS)
        for row in tree.rows():
            if row[0] == move:
                return float(row[1] + PRIOR_VISITS * row[3]) / (SIMS + PRIOR_VISITS)
        return 0.0


def _after(share: float, evidence: float) -> float:
    """Return the share when so many nats speak for the network's mind."""
    odds = share / (1 - share) * math.exp(-evidence)
    return round(STEPS * odds / (1 + odds)) / STEPS
