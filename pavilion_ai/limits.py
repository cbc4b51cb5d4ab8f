"""Limits of a search, and timeouts of external engines."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

from pavilion_ai.bounds import MAX_MEMORY_MIB, MAX_SECONDS, MAX_SIMS, SECONDS, Range
from pavilion_ai.errors import SpecError, shown

N = TypeVar("N", int, float)

RANGES = {"sims": Range(int, 1, MAX_SIMS), "seconds": Range(float, 0, MAX_SECONDS, above=True),
          "memory_mib": Range(int, 1, MAX_MEMORY_MIB)}
"""Ranges of the limits of a search."""


@dataclass(frozen=True)
class Limits:
    """Limits of a search, which ends at the first one reached.

    Attributes:
        sims: total number of simulations, over all threads.
        seconds: wall-clock time.
        memory_mib: size of the tree in MiB; it does not end the search: a full tree is pruned.
        clock: seconds that each seat has left for the rest of the game, None for a seat without a
            clock; the agent decides how much of it a decision is worth. Empty without clocks.
        increment: seconds that each seat gets after each of its decisions; empty for none.

    Raises:
        SpecError: if a limit is out of range.
    """

    sims: int | None = None
    seconds: float | None = None
    memory_mib: int | None = None
    clock: tuple[float | None, ...] = ()
    increment: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name, range_ in RANGES.items():
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, range_.checked(name, value))
        for name in ("clock", "increment"):
            if not isinstance(found := getattr(self, name), (tuple, list)):
                raise SpecError(f"{name} {shown(found)}: expected seconds for each seat")
            times = tuple(None if time is None and name == "clock"
                          else SECONDS.checked(name, time)
                          for time in getattr(self, name))
            object.__setattr__(self, name, times)
        if self.increment and len(self.increment) != len(self.clock):
            raise SpecError(f"increment: found {len(self.increment)} numbers, expected one for each"
                            f" of {len(self.clock)} clocks")

    @property
    def is_set(self) -> bool:
        """Whether there is a limit that ends a search; agents take those of their spec if not."""
        return self.sims is not None or self.seconds is not None or bool(self.clock)

    def binds(self, seat: int) -> bool:
        """Tell whether there is a limit that ends a search of a seat."""
        return self.sims is not None or self.seconds is not None or self.left(seat) is not None

    def or_own(self, own: Limits, seat: int) -> Limits:
        """Return these limits; or an agent's own if none of these ends a search of this seat.

        In either case, if these name a size of the tree, or what seconds count from, it is theirs.
        """
        memory = self.memory_mib or own.memory_mib
        if self.binds(seat):
            return replace(self, memory_mib=memory)
        return replace(self, sims=own.sims, seconds=own.seconds, memory_mib=memory,
                       clock=own.clock, increment=own.increment)

    def left(self, seat: int) -> float | None:
        """Return the seconds left on a seat's clock, None if it has none."""
        return self.clock[seat] if seat < len(self.clock) else None

    def added(self, seat: int) -> float:
        """Return the seconds that a seat gets after each decision."""
        return self.increment[seat] if seat < len(self.increment) else 0.0

    def to_json(self) -> dict[str, object]:
        """Return the limits as in answers of the engine; clocks only where there are any."""
        clock = {"clock": list(self.clock), "increment": list(self.increment)}
        return {"sims": self.sims, "seconds": self.seconds,
                **{key: each for key, each in clock.items() if each}}


@dataclass(frozen=True)
class LimitsSince(Limits):
    """Limits whose seconds do not count from the beginning of the search.

    Attributes:
        begun: reading of time.monotonic() from which they count.
    """

    begun: float = 0.0

    @classmethod
    def of(cls, limits: Limits, begun: float) -> LimitsSince:
        """Return limits whose seconds count from a reading of time.monotonic()."""
        return cls(limits.sims, limits.seconds, limits.memory_mib, limits.clock, limits.increment,
                   begun)


def limits_of(limits: Limits | None, players: int | None = None) -> Limits:
    """Return limits as they are given; None stands for no limits.

    Args:
        players: number of players of the game; None if that is not known yet.

    Raises:
        SpecError: it is something else, or there are clocks, but not one for each seat.
    """
    if limits is None:
        return Limits()
    if not isinstance(limits, Limits):
        raise SpecError(f"limits {shown(limits)}: expected Limits, or None")
    if players is not None and len(limits.clock) not in (0, players):
        raise SpecError(f"limits.clock: found {shown(limits.clock)}, expected"
                        f" {clocks_for(players)}")
    return limits


def clocks_for(players: int) -> str:
    """Return in words what the clock of limits is for a number of players."""
    return f"seconds, or null, for each of {players} seats"


def check_stop(stop: object) -> None:
    """Check what is to stop a search. SpecError: it is neither an event nor None."""
    if stop is not None and not hasattr(stop, "is_set"):
        raise SpecError(f"stop {shown(stop)}: expected a threading.Event, or None")


def least_of(*limits: N | None) -> N | None:
    """Return the least of some limits, None for none.

    >>> least_of(2.0, None, 1.5), least_of(None, None)
    (1.5, None)
    """
    return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True)
class Timeouts:
    """Times in seconds after which an external engine forfeits the game.

    Attributes:
        start: time from the start of the process to its first answer, in addition to whichever time
            holds for the move.
        move: time for a move if the limits set no time.
        grace: time beyond the limit before a move counts as late.
        clock_grace: the same for the clock of a game, whatever kind of agent has it.

    Raises:
        SpecError: if a time is out of range.
    """

    start: float = 30.0
    move: float = 60.0
    grace: float = 2.0
    clock_grace: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            seconds = SECONDS.checked(field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, seconds)
