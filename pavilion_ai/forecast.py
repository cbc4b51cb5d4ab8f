"""What final scores will be made of: a position is played out many times without searching.

Every move is the likeliest one of the shipped network's policy, so a game takes about a
millisecond. The means are about those of games between searches, and on boards unlike those of good
play nearer to them than the scores that the network itself expects there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from statistics import fmean

from pavilion_ai.games import Rng
from pavilion_ai.network import SHIPPED, network_for
from pavilion_ai.play import Play

Parts = tuple[Mapping[str, float], ...]
"""Parts of scores (`Rules.breakdown_keys`) by seat, in points."""
MAX_SECONDS = 1.0
LEAST_GAMES = 8
"""After so many seconds no game is begun but the first ones, so that a busy machine answers too."""


def played_out(play: Play, games: int, seed: int = 0) -> list[Parts]:
    """Return the parts of the final scores of games from a position on, one after the other.

    Args:
        play: its current position is played out; a position that is over counts as it is.
        games: how often, at most.
        seed: seed of the draws; the same seed gives the same games, and after another move of the
            same position each has the same luck.
    """
    network = network_for(SHIPPED, play.start)
    until = time.monotonic() + MAX_SECONDS
    ends: list[Parts] = []
    while len(ends) < games and (len(ends) < LEAST_GAMES or time.monotonic() < until):
        state, rng = play.state, Rng(seed, len(ends))
        while not state.over:
            if state.to_move < 0:
                state.draw(rng)
            else:
                state.apply(state.policy_move(network=network))
        ends.append(play.rules.parts(state))
    return ends


def mean_parts(ends: Sequence[Parts]) -> Parts:
    """Return the mean parts of several games.

    >>> mean_parts([({"play": 10}, {"play": 4}), ({"play": 20}, {"play": 5})])
    ({'play': 15.0}, {'play': 4.5})
    """
    return tuple({name: fmean(seat[name] for seat in seats) for name in seats[0]}
                 for seats in zip(*ends, strict=True))
