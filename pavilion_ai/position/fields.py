"""Declarative tables: what the fields of a position are.

A game describes its positions by a `GameTable`. The reader and writer of every notation, the
checks of `pavilion_ai.position.checks` and the JSON schema all work from that table, so that
each fact is stated once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pavilion_ai.errors import Problem
from pavilion_ai.position.base import Position

# These are tables: nothing compares or prints them, and what dataclasses generate for that takes a
# noticeable part of the start of a command.

Values = Mapping[str, Any]
"""Field values by name. A field that could not be read is absent; `seats` is a list of Values."""


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """One word of a fixed list."""

    options: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Integer:
    """A whole number from `low` to `high`."""

    low: int
    high: int


@dataclass(frozen=True, eq=False, repr=False)
class SeatNumber:
    """A seat, counted from 0; None (where `nullable`) is written as `nobody` in the text form."""

    nullable: bool = False
    nobody: str = "none"


@dataclass(frozen=True, eq=False, repr=False)
class Flag:
    """True or false."""


@dataclass(frozen=True, eq=False, repr=False)
class Multiset:
    """Tiles by colour, at most `limit` in all (None: no limit but the tiles of the game)."""

    limit: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class MultisetList:
    """One multiset per display; 2n+1 of them for n players, each of at most `limit` tiles."""

    limit: int
    item: str


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Named rows of `width` spaces; each is a letter of a tile or `.` for an empty space."""

    names: tuple[str, ...]
    width: int


@dataclass(frozen=True, eq=False, repr=False)
class Lines:
    """One multiset per line, line n of at most `limits[n]` tiles."""

    limits: tuple[int, ...]
    item: str = "line"


@dataclass(frozen=True, eq=False, repr=False)
class Grid:
    """A list of `height` rows of `width` spaces; a letter of a tile or `.` for an empty space."""

    height: int
    width: int
    item: str = "row"


@dataclass(frozen=True, eq=False, repr=False)
class Track:
    """Tiles in a row, in order of arrival, at most `limit` including one `mark`.

    The value is a string of colour letters and the mark, empty if nothing lies there.
    """

    limit: int
    mark: str


@dataclass(frozen=True, eq=False, repr=False)
class Seats:
    """One group of `GameTable.seat_fields` per player."""

    low: int = 2
    high: int = 4


TILE_KINDS = (Multiset, MultisetList, Lines, Rows, Grid, Track)
"""The kinds of field whose values are tiles of the game."""

Kind = (
    Choice | Integer | SeatNumber | Flag | Seats
    | Multiset | MultisetList | Lines | Rows | Grid | Track
)


def size_of(kind: Lines | Rows | Grid) -> int:
    """Return the number of lines or rows, which is the same for every player."""
    if isinstance(kind, Grid):
        return kind.height
    return len(kind.limits if isinstance(kind, Lines) else kind.names)


@dataclass(frozen=True, eq=False, repr=False)
class Field:
    """One field of a position or of a seat.

    Attributes:
        name: key of the JSON form and attribute of the dataclass.
        kind: what values it takes.
        doc: one sentence for schema and documentation.
        tag: lower-case letter that marks it in the code form; "" needs no mark.
        unseen: "size", "drawn" or "discarded" for the three fields about unseen tiles; they may
            be missing or null on input.
        phase: the only phase in which the field exists, or None.
    """

    name: str
    kind: Kind
    doc: str
    tag: str = ""
    unseen: str = ""
    phase: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Check:
    """A rule that involves several fields, checked only if all of `needs` could be read."""

    needs: tuple[str, ...]
    find: Callable[[Values], Sequence[Problem]]


@dataclass(frozen=True, eq=False, repr=False)
class GameTable:
    """Everything specific to the notation of one game.

    Attributes:
        game: name of the game in the notation.
        title: name of the game for people.
        letters: colour letters, in the order of a canonical multiset.
        colours: colour names, in the same order.
        per_colour: tiles of each colour in the game.
        moves: kinds of move, by their names in `pavilion_ai.notation.moves`, chance included.
        fields, seat_fields: the fields in the order of the JSON form.
        position, seat: the classes.
        checks: rules on several fields, in the order in which problems are reported.
        defaults: values that the text form assumes for missing fields of the position.
        seat_defaults: the same for a field of a seat; a row or line that is missing is empty.
    """

    game: str
    title: str
    letters: str
    colours: tuple[str, ...]
    per_colour: int
    moves: tuple[str, ...]
    fields: tuple[Field, ...]
    seat_fields: tuple[Field, ...]
    position: Callable[..., Position]
    seat: Callable[..., object]
    checks: tuple[Check, ...]
    defaults: Callable[[Values], Mapping[str, object]]
    seat_defaults: Callable[[Values], Mapping[str, object]]

    def make(self, values: Values) -> Position:
        """Return the position that complete values stand for."""
        names = [field.name for field in self.fields if field.name not in ("game", "seats")]
        seats = tuple(self.seat(**seat) for seat in values["seats"])
        return self.position(**{name: values.get(name) for name in names}, seats=seats)

    def field(self, name: str) -> Field:
        """Return the field of the position called `name`."""
        return next(field for field in self.fields if field.name == name)

    def unseen_field(self, role: str) -> Field:
        """Return the field whose `unseen` is `role`."""
        return next(field for field in self.fields if field.unseen == role)
