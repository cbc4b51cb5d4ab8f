"""Largest values accepted on the command line and in the protocol.

Bounds catch typing errors and keep numbers from overflowing further down; they are far above any
sensible value.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from numbers import Real
from operator import index
from typing import TypeVar

from pavilion_ai.errors import SpecError, shown

MAX_SEED = 2**63 - 1
MAX_SECONDS = 1e9
MAX_CLOCK = 1e15  # seconds left on a clock, all increments included
MAX_SIMS = 10**12
MAX_THREADS = 256
MAX_JOBS = 1024
MAX_MEMORY_MIB = 1 << 20
MAX_DEPTH = 1000  # plies of perft
MAX_SHOWN_MOVES = 10**6
MAX_GAMES = 10**8  # of self-play at once: a generation, a data set, statistics
MAX_TRIALS = 10**6  # of a rollout
MAX_OPENINGS = 10**5  # positions of a file of openings; they are all kept in memory
MAX_POINTS = 10_000.0  # of a lead in points
MAX_LINE_BYTES = 4 << 20  # of JSON: far above the longest game, keeps wrong files out of memory
ANALYSIS_SECONDS = 2.0  # for an analysis whose command or request sets no limit
REVIEW_SECONDS = 0.2  # for a decision of a review that nobody limited
MOVE_SECONDS = 1.0  # for a move if neither the agent's spec nor the caller sets a limit
EVENT_SECONDS = 0.1  # the same in a match or tournament; short, since it has hundreds of games
SYNC_SECONDS = 1.0  # between two syncs of a growing file to disk; a killed process loses nothing
PUZZLE_SIMS = 20_000  # of the search that decides what is a puzzle
DEFAULT_TRIALS = 400  # of a rollout
SOLVE_MEMORY_MIB = 512  # of the positions of an ending that is solved
DEFAULT_MEMORY_MIB = 256  # of the trees of a search for which nobody names another size
SYSTEMS = ("round-robin", "gauntlet", "ladder", "swiss")  # of a tournament
ORDERS = ("sequential", "random")  # in which the positions of a file are played
OTHERS = ("maximise", "utility", "mix", "policy")  # what the other seats do where a game is solved
ENDS = ("game", "round")  # of a trial of a rollout
DEFAULT_RISK = 0.05  # probability of either error of a sequential test
MAX_LEVEL = 10  # playing strength; 10 is the default agent at full strength

N = TypeVar("N", int, float, float | None)

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,4})?")


def read_number(text: str, kind: type[int] | type[float]) -> int | float | None:
    """Read a number written in plain ASCII digits; return None if the text is anything else.

    Python's own conversion accepts more: `1_0`, blanks, `nan`, and digits of any script.

    >>> read_number("12", int), read_number("1_2", int), read_number("1e-3", float)
    (12, None, 0.001)
    """
    pattern = _WHOLE if kind is int else _NUMBER
    return kind(text) if pattern.fullmatch(text) else None


def whole(value: object) -> int | None:
    """Return a whole number of Python or any framework as Python's; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


@dataclass(frozen=True)
class Range:
    """The numbers that something may be, both ends included.

    Attributes:
        kind: `int` or `float`; a whole number is a number too.
        above: whether the lower end is not one of them.
    """

    kind: type[int] | type[float]
    low: float
    high: float
    above: bool = False

    @property
    def expected(self) -> str:
        """Type and range in words.

        >>> Range(float, 0.05, 100).expected
        'a number from 0.05 to 100'
        >>> Range(int, 1, math.inf).expected
        'a whole number from 1 on'
        """
        what = "a whole number" if self.kind is int else "a number"
        low, high = (f"{end:.15g}" if isinstance(end, float) else str(end)
                     for end in (self.low, self.high))
        if self.above:
            return f"{what} above {low} up to {high}"
        return f"{what} from {low} " + ("on" if math.isinf(self.high) else f"to {high}")

    def number(self, value: object) -> int | float | None:
        """Return a value, also of another library, as a number of Python; None if out of range.

        >>> from fractions import Fraction
        >>> [Range(float, 0, 1).number(value) for value in (1, Fraction(1, 4), 2.0, True, "1")]
        [1, 0.25, None, None, None]
        """
        found: int | float | None = whole(value)
        if found is None:
            if self.kind is int or isinstance(value, bool) or not isinstance(value, Real):
                return None
            try:
                found = float(value)
            except OverflowError:  # a fraction
                return None
        if self.above and found == self.low:
            return None
        return found if self.low <= found <= self.high else None

    def takes(self, value: object) -> bool:
        """Tell whether a value is such a number."""
        return self.number(value) is not None

    def checked(self, what: str, value: object) -> int | float:
        """Return a value as a number of Python, also one of another library.

        Args:
            what: what the value is for, in words.

        Raises:
            SpecError: it is not such a number.
        """
        number = self.number(value)
        if number is None:
            raise SpecError(f"{what} {shown(value)}: expected {self.expected}")
        return number

    def read(self, text: str) -> int | float | None:
        """Return the number that a text stands for, None if it is not one of these."""
        return self.number(read_number(text, self.kind))


def ranged(default: N, low: float, high: float, **more: object) -> N:
    """Declare a field that is a number: its metadata hold the `range` of the values, and more."""
    kind = int if isinstance(default, int) else float
    value: N = field(default=default, metadata={"range": Range(kind, low, high), **more})
    return value


SECONDS = Range(float, 0, MAX_CLOCK)
"""Times that a program may set."""
