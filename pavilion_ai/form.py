"""How well each seat of a game has played so far.

A chance to win assumes that everybody plays on as well as the search does. A seat's form says how
far its moves so far were from what the network's policy would have played, and weaker players
leave more (docs/calibration.md).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from pavilion_ai._core import Network
from pavilion_ai.play import Play, Ply
from pavilion_ai.readings import Reading, Readings, ShortSearches
from pavilion_ai.tunables import Tunables

MOST = 2.0
"""Nats that one decision counts at most: no policy foresees every good move."""
ORDINARY = 0.1
"""Nats by which good players are off too: the mean of `default` in its own games."""
FEW = 4
"""Decisions of an ordinary player that count beside those of a seat, since few tell little."""
WEIGHT = 4.0
"""Nats by which the odds of a seat fall at the start of a game if its decisions are off by one
(`bench/calibration.py --fit`); later in proportion to the choices that are left."""


@dataclass
class _Played(Reading):
    """Decisions of each seat so far, and by how many nats they were off."""

    count: dict[int, int] = field(default_factory=dict)
    off: dict[int, float] = field(default_factory=dict)


class Forms:
    """Knows the form of the seats in games. Each decision of a game is looked at once."""

    def __init__(self) -> None:
        self._readings = Readings(_Played)
        self._searches = ShortSearches()

    def of(self, play: Play, network: Network, tunables: Tunables,
           deadline: float = 0.0) -> tuple[float, ...]:
        """Return by how many nats the odds of each seat to win fall for how it has played so far.

        Args:
            play: a game with a seat to move.
            network: its policy is what moves are compared with.
            tunables: tunables of searches with the network.
            deadline: reading of time.monotonic() from which decisions are left for the next call;
                0 for no limit.

        Returns:
            nothing if nobody has decided anything yet, or if there was no time to look at it all:
            what a game tells must not depend on when it is asked.
        """
        played = self._readings.of(play)
        while played.unread:
            if deadline and time.monotonic() >= deadline:
                return ()
            self._read(played.unread.pop(0), network, tunables, played)
        if not played.count:
            return ()
        weight = WEIGHT * play.rules.share_of_choices_left(play.position)
        counts = (played.count.get(seat, 0) for seat in range(play.start.players))
        return tuple(
            weight * max(0.0, played.off.get(seat, 0.0) - ORDINARY * count) / (count + FEW)
            for seat, count in enumerate(counts))

    def _read(self, ply: Ply, network: Network, tunables: Tunables, played: _Played) -> None:
        """Count a decision, unless there was no choice."""
        assert ply.seat is not None
        assert ply.code is not None
        priors = {row.move: row.prior
                  for row in self._searches.rows(ply.state, network, tunables, sims=1)}
        if len(priors) < 2:
            return
        prior = priors.get(ply.state.numbers(ply.code), 0.0)
        most = max(priors.values())
        off = MOST if prior <= most * math.exp(-MOST) else math.log(most / prior)
        played.count[ply.seat] = played.count.get(ply.seat, 0) + 1
        played.off[ply.seat] = played.off.get(ply.seat, 0.0) + off
