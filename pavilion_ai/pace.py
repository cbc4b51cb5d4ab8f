"""Time management: how much of a clock a decision is worth.

A choice gets the share of the time left that it is worth among those that its seat can still expect
(`Rules.share_of_clock`); a decision with one option is not a choice and costs next to nothing. A
search then ends early where no other move can catch up with the favourite any more, and continues
where two moves are close. What one decision saves, later ones get. docs/search.md describes it;
docs/experiments.md has the measurements.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pavilion_ai.clock import TimeControl
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play, mover_of
from pavilion_ai.readings import GAMES_KEPT
from pavilion_ai.sums import RootMove

LATENESS = 0.02
"""Seconds of a clock that are kept back for what happens outside the search."""
LAGS = 2.0
"""Times the usual lag that is kept back for each choice to come."""
KEPT_SHARE = 0.7
"""Most of the time left that is kept back, for clocks that are nearly run out."""
BOLD = 1.6
"""Aims are this much longer than the share of the clock: searches use 0.6 of them on average."""
OPEN = 2.5
"""An open decision may take this many times its aim."""
MOST_SHARE = 0.5
"""Share of the usable time that one decision may take at most."""
CATCH_UP = 0.4
"""Share of the simulations still to come that the second move may get at most."""
LEAST_LEFT = 5.0
"""Choices that an equal share expects at least: games differ in length."""
LOOKS, LEAST_STEP = 12, 0.001
"""Looks at a search within its aim, and the least seconds between two of them."""


@dataclass(frozen=True)
class Pace:
    """How long to think about one decision.

    Attributes:
        aim: seconds for a decision that is neither clear nor open.
        most: seconds for an open one.
        managed: whether the search may end early; otherwise it takes `aim`, which is `most`.
    """

    aim: float
    most: float
    managed: bool = True

    @property
    def step(self) -> float:
        """Seconds between two looks at the search."""
        return max(LEAST_STEP, self.aim / LOOKS)

    def in_full(self) -> Pace:
        """Return the pace of a search that compares moves rather than choosing one: its aim."""
        return replace(self, most=self.aim, managed=False)

    def is_enough(self, seconds: float, sims: int, rows: Sequence[RootMove],
                  waited: float = 0.0) -> bool:
        """Tell whether a search that has run for some time should end.

        Args:
            sims: simulations that it has made.
            rows: the moves of its root.
            waited: how many of the seconds had gone before the first simulation.
        """
        if seconds >= self.most:
            return True
        if not self.managed or seconds <= waited:
            return False
        if len(rows) < 2:
            return True
        first, second = sorted(rows, key=lambda row: -row.visits)[:2]
        is_open = second.visits > 0 and (
            second.value / second.visits > first.value / first.visits)
        limit = self.most if is_open else self.aim
        if seconds >= limit:
            return True
        to_come = sims * (limit - seconds) / (seconds - waited)
        return first.visits - second.visits > CATCH_UP * to_come


def pace_for(play: Play, limits: Limits, managed: bool = True, lag: float = 0.0) -> Pace | None:
    """Return how long to think about the decision of a play, None without a clock.

    Args:
        lag: seconds by which searches end later than they should, on average.
        managed: give choices what they are worth, end early, extend; otherwise give every choice
            of the game the same time.

    Raises:
        PavilionError: no seat is to move.
    """
    seat = mover_of(play)
    left, added = limits.left(seat), limits.added(seat)
    if left is None:
        return None
    kept = LATENESS + LAGS * lag * play.rules.choices_left(play.position)
    usable = max(left - kept, left * (1 - KEPT_SHARE))
    if not managed:
        expected = max(LEAST_LEFT, play.rules.choices_per_game(play.start)
                       - choices_made(play, seat))
        aim = min(usable * MOST_SHARE, usable / expected + added)
        return Pace(aim, aim, managed=False)
    share = play.rules.share_of_clock(play.position)
    most = usable * MOST_SHARE
    aim = min(most, BOLD * (share * usable + (1 - share) * added))
    return Pace(aim, min(most, OPEN * aim))


def choices_made(play: Play, seat: int) -> int:
    """Return how many decisions with more than one option a seat has made in a play."""
    return sum(ply.seat == seat and len(ply.state.codes(True)) > 1 for ply in play.plies)


class _Decision(NamedTuple):
    """A decision that has been made on a clock."""

    number: int   # moves before it
    left: float   # seconds after it


class _Game(NamedTuple):
    """A game of a seat: a play of its last decision, and all its decisions on the clock."""

    play: Play
    made: tuple[_Decision, ...] = ()

    def led_to(self, play: Play) -> tuple[_Decision, ...]:
        """Return the decisions that led to a play."""
        if self.play.start != play.start:
            return ()
        before, now = self.play.moves, play.moves
        return tuple(one for one in self.made
                     if one.number < len(now) and now[:one.number] == before[:one.number])

    def goes_on_in(self, play: Play) -> bool:
        """Tell whether a play has all moves before the last decision."""
        before = self.play.moves
        return self.play.start == play.start and play.moves[:len(before)] == before


class OwnClock:
    """The clock that an agent keeps for itself, in games for which nobody else keeps one.

    Each seat that it plays has its own in each of the last few games. A game that does not continue
    one of them begins with a full clock. One that does not continue from a last decision, but from
    an earlier one or from that decision anew, has what was left then.

    Args:
        control: what the clock is set to.
        now: reads the time, in seconds.
    """

    def __init__(self, control: TimeControl, now: Callable[[], float] = time.monotonic) -> None:
        self._control, self._now = control, now
        self._games: dict[int, list[_Game]] = {}  # by seat, the most recent one last
        self._began = 0.0

    def begin(self, play: Play) -> Limits:
        """Start the clock of the seat to move, and return what is left."""
        seat = mover_of(play)
        self._began = self._now()
        seats = range(play.start.players)
        clock = tuple(self._left(play) if other == seat else None for other in seats)
        return Limits(clock=clock, increment=tuple(self._control.increment for _ in seats))

    def end(self, play: Play) -> None:
        """Stop the clock of the seat to move."""
        seat, last = mover_of(play), self._last(play)
        left = self._left(play) - (self._now() - self._began)
        made = _Decision(len(play.moves), max(0.0, left) + self._control.increment)
        others = [game for game in self._games.get(seat, [])
                  if game is not last or not game.goes_on_in(play)]
        self._games[seat] = [
            *others[1 - GAMES_KEPT:], _Game(play.copy(), (*last.led_to(play), made))]

    def _left(self, play: Play) -> float:
        earlier = self._last(play).led_to(play)
        return earlier[-1].left if earlier else self._control.seconds

    def _last(self, play: Play) -> _Game:
        """Return the game of the seat to move that a play most likely continues."""
        return max(reversed(self._games.get(mover_of(play), [])), default=_Game(play),
                   key=lambda game: (len(game.led_to(play)), game.goes_on_in(play)))
