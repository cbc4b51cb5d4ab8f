"""Infer from the other seats' moves whether they evaluate like the network or like the linear
heuristics.

The tunable `rivals` is the prior share of the linear heuristics in another seat's evaluation. Every
decision of that seat is evidence (Bayes): how much better it looks to a short search with the
network than to one without. The moves of one seat are also evidence about the others, which may be
copies of the same program.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from pavilion_ai._core import Network
from pavilion_ai.games import State
from pavilion_ai.play import Play, Ply
from pavilion_ai.readings import Reading, Readings, ShortSearches
from pavilion_ai.tunables import Tunables

SIMS = 128
"""Simulations of each short search: a millisecond for both. With 64 the two hypotheses were a tenth
less separated."""
VISITS, FAVOURITE, PRIOR = 0.6, 0.6, 0.4
"""Nats of evidence in a move: for each nat that its visits are below the favourite's, for being the
favourite, and for each nat of its prior. From a logistic regression on 31,000 decisions of six
variants (docs/experiments.md); the weights also allow for a short search being overconfident about
another player's moves."""
FEW = 2
"""Visits added to both counts compared, since small counts are weak evidence."""
LEAST_PRIOR = 1e-3
"""Priors are not counted below this: no evaluation foresees every move."""
LEVEL = 0.15
"""Nats by which a neutral decision looks likelier to a search with the network. After subtracting
it, the mean evidence per decision in six variants was -0.80 to -0.23 for seats that search without
a network and 0.26 to 0.62 for seats with one."""
ALIKE = 0.5
"""Prior probability that all other seats evaluate alike, as copies of one program do; otherwise
they are independent."""
STEPS = 64
"""Shares are rounded to multiples of 1 / STEPS, since the last digits of logarithms differ between
machines."""
DECIDED = 6.0
"""Nats for either hypothesis after which a seat's further moves are not judged. What a game tells
must not depend on when it is asked, so only the seat's own moves count for this."""


@dataclass
class _Evidence(Reading):
    """Evidence from the decisions of one game so far, in nats by seat."""

    by_seat: dict[int, float] = field(default_factory=dict)


class Rivals:
    """Judges the seats of games by their decisions.

    The decisions are found in the play's past. The evidence is kept, so that each decision is
    judged once while a game continues. With two players it would not matter.
    """

    def __init__(self) -> None:
        self._readings = Readings(_Evidence)
        self._searches = ShortSearches()

    def shares(self, share: float, play: Play, network: Network,
               tunables: Tunables, linear_tunables: Tunables,
               deadline: float = 0.0) -> tuple[float, ...]:
        """Return the share of the linear heuristics in each seat's evaluation.

        Args:
            share: prior share, for a seat without evidence; 0 and 1 are not changed by evidence.
            play: the game; the moves of its mover are ignored, but are judged for the next mover.
            network: network of the first hypothesis.
            tunables: tunables of searches with the network.
            linear_tunables: tunables of searches without a network, the second hypothesis.
            deadline: reading of time.monotonic() from which decisions are left for the next call;
                0 for no limit.
        """
        players = play.start.players
        if not 0 < share < 1 or players == 2:
            return (share,) * players
        minds = ((network, tunables), (None, linear_tunables))
        evidence = self._readings.of(play)
        left = []
        for ply in evidence.unread:
            assert ply.seat is not None  # a seat decided
            if ply.seat == play.turn or (deadline and time.monotonic() >= deadline):
                left.append(ply)
            elif abs(evidence.by_seat.get(ply.seat, 0.0)) < DECIDED:
                self._read(ply.seat, ply, minds, evidence)
        evidence.unread = left
        found = self._judged(share, play, evidence)
        return tuple(found.get(seat, share) for seat in range(players))

    def _judged(self, share: float, play: Play, evidence: _Evidence) -> dict[int, float]:
        """Return the posterior shares of the seats other than the one to move."""
        odds = {seat: math.exp(-evidence.by_seat.get(seat, 0.0))
                for seat in range(play.start.players) if seat != play.turn}
        alike = math.prod(odds.values())
        found: dict[int, float] = {}
        for seat, own in odds.items():
            apart = math.prod(share * one + 1 - share for other, one in odds.items()
                              if other != seat)
            linear = share * (ALIKE * alike + (1 - ALIKE) * own * apart)
            network = (1 - share) * (ALIKE + (1 - ALIKE) * apart)
            found[seat] = round(STEPS * linear / (linear + network)) / STEPS
        return found

    def _read(self, seat: int, ply: Ply,
              minds: Sequence[tuple[Network | None, Tunables]],
              evidence: _Evidence) -> None:
        """Add the evidence of a decision for the first hypothesis and against the second."""
        assert ply.code is not None  # a seat decided
        numbers = ply.state.numbers(ply.code)
        by_network, linearly = (self._appeal(ply.state, numbers, network, tunables)
                                for network, tunables in minds)
        if by_network is not None and linearly is not None:
            found = by_network - linearly - LEVEL
            evidence.by_seat[seat] = evidence.by_seat.get(seat, 0.0) + found

    def _appeal(self, state: State, move: tuple[int, ...], network: Network | None,
                tunables: Tunables) -> float | None:
        """Return how well a short search rates a move, in nats of evidence.

        None if it does not consider the move, or no other move: then there is no evidence.
        """
        rows = {row.move: row for row in self._searches.rows(state, network, tunables, SIMS)}
        if move not in rows or len(rows) == 1:
            return None
        favourite = max(rows.values(), key=lambda row: (row.visits, row.value))
        row = rows[move]
        return (VISITS * math.log((row.visits + FEW) / (favourite.visits + FEW))
                + FAVOURITE * (move == favourite.move)
                + PRIOR * math.log(max(row.prior, LEAST_PRIOR)))
