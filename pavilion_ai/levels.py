"""Levels of play: the default agent made weaker, so that people may win.

A level looks only so far, and it is not always strict with itself: it draws its move among those
that its search finds plausible, the likelier the better they look. Both hang on one number, the
level's simulations: the fewer, the shorter its sight and the freer the draw. What no search and no
experience speaks for is never played. `Rules.levels` holds the numbers, docs/strength.md tells how
strong they turned out and how to measure that.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pavilion_ai.analysis import Analysis, Limits, MoveStats
from pavilion_ai.games import Rng, Rules
from pavilion_ai.play import Play
from pavilion_ai.search import SHIPPED, Searcher

__all__ = ["Level", "LevelSearcher", "level_of", "weights"]

NETWORK_LEVEL = 8
"""The levels from here on search with a network, where fewer simulations are worth more. A new
network leaves the others as they are."""

PRIOR_VISITS = 10
"""Visits that the prior of a move counts for."""

PLAUSIBLE = 0.02
"""Share of the favourite's weight that a move needs to be played at all."""

FREEDOM, STRICTNESS = 3.0, 0.45
"""The temperature of the draw: FREEDOM with one simulation, falling as sims**-STRICTNESS."""

LEVEL_STREAM = 1
"""Stream of the seed from which the move is drawn; the search has stream 0."""

MEMORY_MIB = 16


@dataclass(frozen=True)
class Level:
    """What a level is in a game.

    Attributes:
        sims: simulations of a decision.
        temperature: of the draw: a move is as likely as weight ** (1 / temperature).
    """

    sims: int
    temperature: float


def level_of(rules: Rules, number: int) -> Level:
    """Return a level of a game below the best one, which is the default agent as it is.

    Args:
        number: from 1 on.

    >>> from pavilion_ai.games import GAMES
    >>> level_of(GAMES["summer"], 1)
    Level(sims=1, temperature=3.0)
    """
    sims = rules.levels[number - 1]
    return Level(sims, FREEDOM * sims**-STRICTNESS)


def weights(moves: Sequence[MoveStats], temperature: float) -> list[float]:
    """Return how likely each of the moves is to be played, up to a factor.

    What speaks for a move are its visits and its prior; the favourite has 1, an implausible move 0.
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
    """Searches as a level does: with its own number of simulations, on one thread.

    Args:
        agent: spec written into the results.
        number: of the level, from 1 on, below the best one.
    """

    def __init__(self, agent: str, number: int) -> None:
        self.number = number
        self._searcher = Searcher(
            agent, network=SHIPPED if number >= NETWORK_LEVEL else None)

    def analyse(self, play: Play, seed: int = 0, stop: threading.Event | None = None,
                only: Sequence[str] = ()) -> Analysis:
        """Search, and rank first the move that is played, the others as the search does.

        Raises:
            ValueError, MoveError: as `Searcher.analyse`.
        """
        level = level_of(play.rules, self.number)
        found = self._searcher.analyse(
            play, Limits(sims=level.sims, memory_mib=MEMORY_MIB), seed=seed, stop=stop, only=only)
        played = draw(found.moves, level.temperature, Rng(seed, LEVEL_STREAM))
        ranked = [played, *(move for move in found.moves if move is not played)]
        return replace(found, moves=tuple(
            replace(move, order=order) for order, move in enumerate(ranked)))

    def decide(self, play: Play, seed: int = 0, stop: threading.Event | None = None,
               only: Sequence[str] = ()) -> tuple[str, int]:
        """Return the move that `analyse` ranks first, and the simulations made.

        Raises:
            KeyboardInterrupt: the search was interrupted.
            ValueError, MoveError: as `analyse`.
        """
        analysis = self.analyse(play, seed, stop, only)
        if analysis.interrupted:
            raise KeyboardInterrupt
        return analysis.best.move, analysis.sims
