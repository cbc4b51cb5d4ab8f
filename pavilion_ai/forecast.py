"""What final scores will be made of: a position is played out many times without searching.

Every move is the likeliest one of the shipped network's policy, so a game takes about a
millisecond. The means are about those of games between searches, and on boards unlike those of good
play nearer to them than the scores that the network itself expects there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from pavilion_ai.games import Rng
from pavilion_ai.play import Play
from pavilion_ai.search import SHIPPED, network_for

__all__ = ["forecast"]

MAX_SECONDS = 1.0
"""No game is begun after this time, so that a busy machine answers as well."""
LEAST_GAMES = 8


def forecast(play: Play, games: int = 100, seed: int = 0,
             max_seconds: float = MAX_SECONDS) -> tuple[Mapping[str, float], ...]:
    """Return the expected parts of the final scores (`Rules.breakdown_keys`) by seat, in points.

    Args:
        play: its current position is played out; a position that is over counts as it is.
        games: how often, at most.
        seed: of the draws; the same number of games with the same seed gives the same means.
        max_seconds: time after which no game is begun, but for the first `LEAST_GAMES`.
    """
    network = network_for(SHIPPED, play.start)
    until = time.monotonic() + max_seconds
    totals = [[0] * len(play.rules.breakdown_keys) for _ in range(play.start.players)]
    played = 0
    while played < games and (played < LEAST_GAMES or time.monotonic() < until):
        state, rng = play.state, Rng(seed, played)
        while not state.over:
            if state.to_move < 0:
                state.draw(rng)
            else:
                state.apply(state.policy_move(network=network))
        for total, parts in zip(totals, state.breakdown(), strict=True):
            total[:] = [one + other for one, other in zip(total, parts, strict=True)]
        played += 1
    return tuple(
        dict(zip(play.rules.breakdown_keys, (one / played for one in total), strict=True))
        for total in totals)
