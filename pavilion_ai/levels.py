"""Levels of play: the default agent made weaker, so that people can win.

A level searches with few simulations and draws its move at random among those that the search finds
plausible, better moves being more likely. Both depend on one number, the level's simulations: the
fewer, the weaker the search and the more random the draw. Moves with less than a fiftieth of the
favourite's weight are never played. `Rules.levels` holds the numbers; docs/strength.md reports the
measured strengths and how to measure them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pavilion_ai.analysis import Analysis, MoveStats
from pavilion_ai.games import Rng, Rules
from pavilion_ai.interrupts import held
from pavilion_ai.limits import Limits
from pavilion_ai.network import SHIPPED
from pavilion_ai.play import Play, mover_of
from pavilion_ai.search import Searcher

NETWORK_LEVEL = 8
"""Levels from this one on search with a network, with which fewer simulations are needed. A new
network does not change the levels below."""

PRIOR_VISITS = 10
"""Visits for which a prior of 1 counts."""

PLAUSIBLE = 0.02
"""Least share of the favourite's weight with which a move is played at all."""

FREEDOM, STRICTNESS = 3.0, 0.45
"""The temperature of the draw is FREEDOM * sims**-STRICTNESS."""

LEVEL_STREAM = 1
"""Stream of the seed from which the move is drawn; the search uses stream 0."""

MEMORY_MIB = 16


@dataclass(frozen=True)
class Level:
    """Settings of a level in a game.

    Attributes:
        sims: simulations per decision.
        temperature: temperature of the draw: the probability of a move is proportional to
            weight ** (1 / temperature).
    """

    sims: int
    temperature: float


def level_of(rules: Rules, number: int) -> Level:
    """Return a level of a game below the best one, which is the unchanged default agent.

    Args:
        number: number of the level, from 1.

    >>> from pavilion_ai.games import GAMES
    >>> level_of(GAMES["summer"], 1)
    Level(sims=1, temperature=3.0)
    """
    sims = rules.levels[number - 1]
    return Level(sims, FREEDOM * sims**-STRICTNESS)


def weights(moves: Sequence[MoveStats], temperature: float) -> list[float]:
    """Return the probability of each move, up to a common factor.

    It depends on the move's visits and prior; the favourite has 1, an implausible move 0.
    """
    support = [move.visits + PRIOR_VISITS * move.prior for move in moves]
    most = max(support)
    return [(one / most) ** (1 / temperature) if one >= PLAUSIBLE * most else 0.0
            for one in support]


def draw(moves: Sequence[MoveStats], temperature: float, rng: Rng) -> MoveStats:
    """Draw one of the moves by their `weights`."""
    shares = weights(moves, temperature)
    left = rng.next() / 2**64 * sum(shares)
    for move, share in zip(moves, shares, strict=True):
        left -= share
        if share and left < 0:
            return move
    return max(zip(shares, moves, strict=True), key=lambda pair: pair[0])[1]


class LevelSearcher:
    """Searches at a level, with the level's number of simulations and on one thread.

    Args:
        agent: spec written into the results.
        number: number of the level, from 1, below the best one.
    """

    def __init__(self, agent: str, number: int) -> None:
        self.number = number
        self._searcher = Searcher(
            agent, network=SHIPPED if number >= NETWORK_LEVEL else None)
        self.networks = self._searcher.networks

    def close(self) -> None:
        """Let go of the tree of the last search."""
        self._searcher.close()

    def analyse(self, play: Play, seed: int = 0, stop: threading.Event | None = None,
                only: Sequence[str] = (), avoid: Sequence[str] = ()) -> Analysis:
        """Search, and rank first the move to be played, then the others by the search.

        The moves of `only` get no equal shares of the search: its visits are what is drawn by.

        Raises:
            PavilionError, MoveError, FocusError: as `Searcher.analyse`.
        """
        mover_of(play)
        level = level_of(play.rules, self.number)
        found = self._searcher.analyse(
            play, Limits(sims=level.sims, memory_mib=MEMORY_MIB), seed=seed, stop=stop, only=only,
            avoid=avoid, fair=False)
        played = draw(found.moves, level.temperature, Rng(seed, LEVEL_STREAM))
        ranked = [played, *(move for move in found.moves if move is not played)]
        return replace(found, moves=tuple(
            replace(move, order=order) for order, move in enumerate(ranked)))

    def decide(self, play: Play, seed: int = 0, stop: threading.Event | None = None,
               only: Sequence[str] = (), avoid: Sequence[str] = ()) -> tuple[str, int]:
        """Return the move that `analyse` ranks first, and the simulations made.

        Raises:
            KeyboardInterrupt: as `Searcher.decide`.
            PavilionError, MoveError, FocusError: as `analyse`.
        """
        with held() as interrupt:
            found = self.analyse(play, seed, stop, only, avoid)
        interrupt.pass_on()
        return found.best.move, found.sims
