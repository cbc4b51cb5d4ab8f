"""Tied draws, a form of common random numbers: games with different play draw similar tiles.

If two games shared one random stream, they would consume it differently once play differs, and
their tiles would have nothing in common from then on. Here every deal and every top-up has its own
stream, derived from the seed and the round, or from the seed and the number of the top-up in the
game. In a stream each physical tile (a colour and a number within it) has a fixed random priority,
a different one for each bag cycle (the bag; then the discards poured into it), and draws take the
remaining tile with the lowest priority. So bags that differ by one tile give draws that differ by
about one tile, while each draw by itself is uniform and independent of all others (RULES A9).
"""

from __future__ import annotations

from pavilion_ai.games import Rng
from pavilion_ai.play import Play

DEAL_STREAMS, TOP_UP_STREAMS = 1 << 32, 1 << 33
"""Numbers of a seed's streams: for deals plus the round, for top-ups plus the top-up's number."""
UNTIED_STREAMS = 1 << 34
"""First stream of a pair's seed for untied draws, plus the rotation."""


def draw_tied(play: Play, *, seed: int, refill: int) -> str:
    """Make the chance move that is due in a play by tied draws from a seed, and return it.

    Args:
        refill: number of the next top-up of the supply in this game, counted from 1; a deal does
            not depend on it.

    Raises:
        IllegalMoveError: no draw is due.
    """
    stream = DEAL_STREAMS + play.state.round if play.chance == "deal" else TOP_UP_STREAMS + refill
    return play.draw_once(Rng(seed, stream), tied=True)


class Luck:
    """The draws of one game, in order.

    Args:
        seed: seed of the pair.
        rotation: number of the game in the pair; it matters only if draws are not tied.
        tied: whether draws are tied (common random numbers).
    """

    def __init__(self, seed: int, rotation: int, tied: bool) -> None:
        self._seed, self._tied = seed, tied
        self._rng = Rng(seed, UNTIED_STREAMS + rotation)
        self._refills = 0

    def draw_in(self, play: Play) -> str:
        """Make the chance move that is due in a play, and return it."""
        self._refills += play.chance == "supply"
        if self._tied:
            return draw_tied(play, seed=self._seed, refill=self._refills)
        return play.draw_once(self._rng)
