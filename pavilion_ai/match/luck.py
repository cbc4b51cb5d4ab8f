"""Luck that games can share: draws tied to what is drawn, not to how much was drawn before.

A random stream common to two games is used up differently as soon as play differs, and from then on
their tiles have nothing in common. Here every deal and every top-up has a stream of its own, named
by the seed and the round, or by the seed and the number of the top-up in the game. In a stream each
physical tile (a colour and a number within it) has a fixed random priority, another one for each
bag cycle (the bag; then the discards poured into it), and of the tiles that are left the one with
the lowest priority is drawn. So bags that differ by one tile yield draws that differ by about one
tile, while each draw by itself is uniform and independent of all others (RULES A9).
"""

from __future__ import annotations

from pavilion_ai.games import Rng, game_of
from pavilion_ai.position import Position

__all__ = ["Luck", "tied_draw"]

DEAL_STREAMS, TOP_UP_STREAMS = 1 << 32, 1 << 33
"""Numbers of a seed's streams: these plus the round, and these plus the number of the top-up."""
UNTIED_STREAMS = 1 << 34
"""Streams of a pair's seed from which each rotation draws by itself where draws are not tied."""


def tied_draw(position: Position, *, seed: int, refill: int) -> tuple[str, Position]:
    """Resolve a chance phase by the luck of a seed.

    Args:
        refill: which top-up of the supply in this game it would be, counted from 1; a deal does
            not depend on it.

    Returns:
        the chance move, and the position after it.

    Raises:
        IllegalMoveError: if the position is in no chance phase.
    """
    stream = DEAL_STREAMS + position.round if position.phase == "deal" else TOP_UP_STREAMS + refill
    return game_of(position).draw(position, Rng(seed, stream), tied=True)


class Luck:
    """All draws of one game, from the first to the last.

    Args:
        seed: of the pair.
        rotation: which game of the pair; it matters only where draws are not tied.
        tied: whether draws are tied to what is drawn.
    """

    def __init__(self, seed: int, rotation: int, tied: bool) -> None:
        self._seed, self._tied = seed, tied
        self._rng = Rng(seed, UNTIED_STREAMS + rotation)
        self._refills = 0

    def draw(self, position: Position) -> tuple[str, Position]:
        """Return the chance move that is due in the game, and the position after it."""
        self._refills += position.phase == "supply"
        if self._tied:
            return tied_draw(position, seed=self._seed, refill=self._refills)
        return game_of(position).draw(position, self._rng)
