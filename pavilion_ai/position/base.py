"""What the positions of all games have in common."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntFlag
from typing import Any, ClassVar

from pavilion_ai.drawn import Drawn
from pavilion_ai.errors import Problem

DRAFTING = "draft"
"""The phase of a round in which its tiles are taken."""
DISPLAY_TILES = 4
MAX_SCORE = 100_000
"""Far above what any game gives; the core takes no more."""

Tiles = tuple[int, ...]
"""Numbers of tiles by colour, in the colour order of the game."""


class Status(IntFlag):
    """The kinds of problem a position has.

    Attributes:
        VALID: zero, if there is none.
        TYPE: not the expected type, or no position at all.
        SYNTAX: a malformed string, JSON or code.
        MISSING: a key that must be there.
        RANGE: a value or a number of tiles, seats or displays that does not exist.
        BOARD: a star, wall or pattern line that the board side does not allow.
        TOTALS: numbers of tiles that do not add up.
        PHASE: anything that contradicts the phase.
    """

    VALID = 0
    TYPE = 1
    SYNTAX = 2
    MISSING = 4
    RANGE = 8
    BOARD = 16
    TOTALS = 32
    PHASE = 64

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> Status:
        """Return the union of the kinds of `problems`."""
        status = cls.VALID
        for problem in problems:
            status |= cls[problem.kind.upper()]
        return status


class Position(Drawn):
    """Base of the frozen position classes of the games.

    The subclasses are dataclasses; `repr` is a constructor call, `str` the drawing as text,
    equality is by value. In a notebook a position is shown as its picture.
    """

    __slots__ = ()

    game: ClassVar[str]
    board: str
    round: int
    phase: str
    to_move: int | None
    start_seat: int
    token: int | None
    displays: tuple[Tiles, ...]
    centre: Tiles
    bag: Tiles | None
    bag_size: int
    seats: tuple[Any, ...]

    def _drawn(self) -> Position:
        return self

    @property
    def players(self) -> int:
        """Number of seats, 2 to 4."""
        return len(self.seats)

    @property
    def variant(self) -> tuple[str, str, int]:
        """Game, side of the boards, and number of seats."""
        return self.game, self.board, self.players

    @property
    def split_known(self) -> bool:
        """Whether it is known which unseen tiles are in the bag and which are discarded."""
        return self.bag is not None


def dealt(position: Position) -> int:
    """Return how many tiles a full deal puts on the displays (RULES A4, B4)."""
    return DISPLAY_TILES * len(position.displays)
