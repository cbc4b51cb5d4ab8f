"""One game held by the oracle and by the package; at every ply all that they say must agree.

PAVILION_LOCKSTEP=N plays N times as many games; from 1 on they are drawn at random, instead of the
same ones every time. Of the made-up positions of other tests it tries N times as many.
"""

import json
import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from .implementations import ORACLES, Core, Position, game_of

FACTOR = float(os.environ.get("PAVILION_LOCKSTEP", "0"))

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


def scaled(count: int) -> int:
    """Return how many of `count` games or positions are tried: times PAVILION_LOCKSTEP."""
    return max(1, round(count * (FACTOR or 1)))


def examples(count: int) -> settings:
    """Settings of a test that plays `count` games, times PAVILION_LOCKSTEP."""
    return settings(
        max_examples=scaled(count),
        derandomize=FACTOR < 1,
        database=None,
        phases=[Phase.generate],  # a seed does not shrink; the failing ply is in the message
        suppress_health_check=list(HealthCheck),
    )


class Lockstep:
    """One game held by both implementations, each in its own form."""

    def __init__(self, position: Position) -> None:
        self.core = Core(game_of(position))
        self.oracle = ORACLES[game_of(position)]
        self.theirs = position
        self.ours = self.core.read(position)
        self.compare("(start)", position)

    def compare(self, move: str, before: Position) -> None:
        """Check that both stand at the same position; else show the one before and the move."""
        ours = self.core.notation.to_json(self.ours)
        if ours != self.theirs:
            keys = [key for key in self.theirs if ours.get(key) != self.theirs[key]]
            seen = {key: (ours.get(key), self.theirs[key]) for key in keys}
            raise AssertionError(f"{move} from {json.dumps(before)} differs: {seen}")

    def play(self, move: str) -> None:
        """Play a decision or a draw on both sides."""
        before = self.theirs
        self.theirs = self.oracle.apply(before, move)
        self.ours = self.core.game.apply(self.ours, move)
        self.compare(move, before)

    def check_moves(self) -> list[str]:
        """Compare the full lists of moves, free and maximal; return the free one."""
        for keep_policy in ["maximal", "free"]:
            theirs = self.oracle.legal_moves(self.theirs, keep_policy)
            ours = self.core.game.legal_moves(self.ours, keep_policy)
            assert ours == theirs, (keep_policy, json.dumps(self.theirs))
        assert self.core.game.chance(self.ours) == self.oracle.chance(self.theirs)
        return theirs

    def check_draw(self, move: str) -> None:
        """Compare what both think of a draw that may be impossible."""
        possible = self.oracle.possible_draw(self.theirs, move)
        try:
            self.core.game.apply(self.ours, move)
            accepted = True
        except ValueError:
            accepted = False
        assert accepted == possible, (move, json.dumps(self.theirs))

    def check_end(self) -> None:
        """Compare the results of a finished game."""
        assert self.core.game.winners(self.ours) == self.oracle.winners(self.theirs)
        ours = [dict(parts) for parts in self.core.game.breakdown(self.ours)]
        assert ours == self.oracle.breakdown(self.theirs), json.dumps(self.theirs)
