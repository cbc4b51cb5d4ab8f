"""Clocks: how long the seats of a game may think, from the first decision to the last.

A clock gives its seat a number of seconds for the whole game, and after each decision an increment
(Fischer's clock). A seat that uses more than it has left loses the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pavilion_ai.bounds import MAX_SECONDS, Range, read_number
from pavilion_ai.errors import PavilionError, SpecError, shown
from pavilion_ai.limits import Limits

OUT_OF_TIME = "out of time"
"""How the reason of a game begins, after the seat, that was lost on time."""
SHORTEST = 0.001
"""Least seconds for a game."""


class OutOfTimeError(PavilionError):
    """A seat used more time than its clock had left."""


@dataclass(frozen=True)
class TimeControl:
    """What a clock is set to.

    Attributes:
        seconds: seconds for the whole game.
        increment: seconds added after each decision.

    Raises:
        SpecError: a value is out of its range.

    >>> TimeControl.parse("60+0.5")
    TimeControl(seconds=60.0, increment=0.5)
    >>> str(TimeControl(90.0))
    '90'
    """

    seconds: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("seconds", SHORTEST), ("increment", 0.0)):
            number = Range(float, least, MAX_SECONDS).checked(f"clock, {name}", getattr(self, name))
            object.__setattr__(self, name, number)

    def __str__(self) -> str:
        return f"{self.seconds:.12g}" + (f"+{self.increment:.12g}" if self.increment else "")

    def limits(self, players: int) -> Limits:
        """Return the limits of an event in which all seats have such a clock."""
        return Limits(clock=(self.seconds,) * players, increment=(self.increment,) * players)

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read a clock: the seconds for the game, or with `+` also the increment.

        Raises:
            SpecError: the text is not such a clock.
        """
        seconds, plus, increment = (part.strip() for part in text.partition("+"))
        numbers = [read_number(part, float) for part in (seconds, *([increment] if plus else []))]
        if None in numbers:
            raise SpecError(f"clock {shown(text)}: expected seconds for the whole game, and after"
                            " a + the seconds added per decision, such as 60+0.5")
        return cls(*(float(number) for number in numbers if number is not None))


class Clocks:
    """The clocks of one game, by seat; it does not measure time itself.

    Args:
        controls: what each seat's clock is set to, None for a seat without one.
        left: seconds left to each seat, for a game that continues.
        again: decisions of each seat taken back and not made again, for a game that continues.
        grace: seconds by which a seat may be late without losing.
    """

    def __init__(self, controls: Sequence[TimeControl | None], *,
                 left: Sequence[float | None] | None = None, again: Sequence[int] = (),
                 grace: float = 0.0) -> None:
        self.controls = tuple(controls)
        self._grace = grace
        self._again = list(again) or [0] * len(self.controls)
        self._left = [None if control is None else control.seconds for control in controls]
        if left is not None:
            self._left = [None if control is None or seconds is None else seconds
                          for control, seconds in zip(controls, left, strict=True)]

    def __bool__(self) -> bool:
        return any(control is not None for control in self.controls)

    @property
    def left(self) -> tuple[float | None, ...]:
        """Seconds left by seat, None without a clock; negative after a loss on time."""
        return tuple(self._left)

    @property
    def again(self) -> tuple[int, ...]:
        """Decisions by seat that were taken back and not made again, which bring no increment."""
        return tuple(self._again)

    @property
    def increments(self) -> tuple[float, ...]:
        """Seconds that each seat gets per decision, 0 without a clock."""
        return tuple(0.0 if control is None else control.increment for control in self.controls)

    def limits(self, sims: int | None = None) -> Limits:
        """Return the limits of a decision: what is left, and a number of simulations if given."""
        left = tuple(None if seconds is None else max(0.0, seconds) for seconds in self._left)
        return Limits(sims=sims, clock=left, increment=self.increments)

    def runs(self, seat: int) -> bool:
        """Tell whether a seat has a clock."""
        return self._left[seat] is not None

    def spend(self, seat: int, seconds: float) -> None:
        """Take time from a seat's clock for which no decision was made.

        Raises:
            OutOfTimeError: the seat had less time left.
        """
        left = self._left[seat]
        if left is None:
            return
        self._left[seat] = left - seconds
        if seconds > left + self._grace:
            late = f"{seconds - left:.3f}"
            late = "less than 0.001" if float(late) == 0 else late
            raise OutOfTimeError(f"{OUT_OF_TIME}, {late} s late on a clock of"
                                 f" {self.controls[seat]}")

    def add_increment(self, seat: int) -> None:
        """Add to a seat's clock what it gets for a decision, once if it was taken back."""
        left = self._left[seat]
        if self._again[seat]:
            self._again[seat] -= 1
        elif left is not None:
            self._left[seat] = left + self.increments[seat]

    def take_back(self, seat: int) -> None:
        """Note that a seat's last decision was taken back: its time is spent all the same."""
        self._again[seat] += 1


def clock_of(limits: Limits | None, seat: int) -> TimeControl | None:
    """Return the clock that the limits of an event give a seat for the whole game, or None."""
    left = None if limits is None else limits.left(seat)
    return None if left is None or limits is None else TimeControl(left, limits.added(seat))


def clocks_told(limits: Limits) -> str:
    """Return what the clocks of an event are set to, by seat where they differ.

    >>> clocks_told(TimeControl(60, 0.5).limits(3))
    '60+0.5'
    >>> clocks_told(Limits(clock=(60, 30), increment=(1, 0)))
    '60+1/30'
    """
    found = [str(clock_of(limits, seat)) for seat in range(len(limits.clock))]
    return "/".join(found if len(set(found)) > 1 else found[:1])
