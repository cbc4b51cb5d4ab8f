"""Positions of base Azul: classes, field table and the checks particular to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pavilion_ai.position.azul_board import (
    CAPACITIES,
    COLOURS,
    FLOOR_SPACES,
    LETTERS,
    MARKER,
    PHASES,
    ROUNDS,
    SIZE,
)
from pavilion_ai.position.azul_checks import CHECKS
from pavilion_ai.position.base import DISPLAY_TILES, MAX_SCORE, Position, Tiles
from pavilion_ai.position.fields import (
    Choice,
    Field,
    GameTable,
    Grid,
    Integer,
    Lines,
    Multiset,
    MultisetList,
    SeatNumber,
    Seats,
    Track,
)
from pavilion_ai.position.table_checks import known_seat

PER_COLOUR = 20


@dataclass(frozen=True)
class AzulSeat:
    """One player's score, pattern lines, wall and floor line.

    Attributes:
        score: points, at least 0.
        lines: tiles on the five pattern lines, top to bottom, each by colour.
        wall: five strings of five characters, top to bottom.
        floor: letters of the tiles on the floor line and `*` for the marker, left to right;
            empty if nothing lies there.
    """

    score: int
    lines: tuple[Tiles, ...]
    wall: tuple[str, ...]
    floor: str


@dataclass(frozen=True)
class AzulPosition(Position):
    """A position of base Azul; fields and meanings are those of the JSON form.

    `bag` and `lid` are both None if it is unknown which of the unseen tiles are where;
    `bag_size` then says how many are in the bag.
    """

    game: ClassVar[str] = "azul"

    board: str
    round: int
    phase: str
    to_move: int | None
    start_seat: int
    token: int | None
    displays: tuple[Tiles, ...]
    centre: Tiles
    bag: Tiles | None
    lid: Tiles | None
    bag_size: int
    seats: tuple[AzulSeat, ...]


def _defaults(given: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the defaults of the text form for missing fields; `given` is the raw input.

    The holder of the token follows from the floor lines, the phase from the tiles on the table,
    the full lines and the complete rows, the mover from all of them, if they can be read: of a
    wrong value only that is told, nothing that would follow from it.
    """
    seats: list[Mapping[str, Any]] = given["seats"]
    start = known_seat(given.get("start_seat"), len(seats)) or 0
    marked = [seat for seat, value in enumerate(seats) if MARKER in str(value.get("floor"))]
    token = (known_seat(given["token"], len(seats)) if "token" in given
             else marked[0] if marked else None)
    phase = given.get("phase") or _phase(given, seats)
    mover = start
    if phase == "wall":
        mover = _next_to_tile(seats, start if token is None else token)
    return {
        "board": "coloured",
        "round": 2 if phase == "deal" else 1,
        "phase": phase,
        "to_move": mover if phase in ("draft", "wall") else None,
        "start_seat": 0,
        "token": token,
        "centre": "-",
    }


def _seat_defaults(_: Mapping[str, Any]) -> Mapping[str, object]:
    return {"score": 0, "floor": "-"}


def _phase(given: Mapping[str, Any], seats: list[Mapping[str, Any]]) -> str:
    parts = [given.get("centre"), *given.get("displays", [])]
    if any(part not in (None, "-") for part in parts):
        return "draft"
    if any(_has_full_line(seat) for seat in seats):
        return "wall"
    complete = any(len(row) == SIZE and "." not in row for seat in seats for row in seat["wall"])
    return "over" if complete else "deal"


def _next_to_tile(seats: list[Mapping[str, Any]], first: int) -> int:
    """Return the first seat from `first` on, clockwise, that has a full line."""
    order = [*range(first, len(seats)), *range(first)]
    return next((seat for seat in order if _has_full_line(seats[seat])), first)


def _has_full_line(seat: Mapping[str, Any]) -> bool:
    return any(_is_full(*line) for line in zip(seat["lines"], CAPACITIES, strict=False))


def _is_full(tiles: str, capacity: int) -> bool:
    """Tell whether a line, as it was given, holds that many tiles, of one colour of the game."""
    counts = re.findall(r"([0-9]{0,4})[\s+]*[A-Z]", tiles)
    return ({*re.sub(r"[0-9\s+]", "", tiles)} in [{letter} for letter in LETTERS]
            and sum(int(count or 1) for count in counts) == capacity)


FIELDS = (
    Field("game", Choice(("azul",)), "The game."),
    Field("board", Choice(("coloured", "grey")), "Side of the player boards."),
    Field("round", Integer(1, ROUNDS), "Round.", tag="r"),
    Field("phase", Choice(PHASES), "What happens next."),
    Field("to_move", SeatNumber(nullable=True), "Seat to move; null in deal and over.", tag="m"),
    Field("start_seat", SeatNumber(), "Seat that started this round's drafting.", tag="s"),
    Field("token", SeatNumber(nullable=True, nobody="centre"),
          "Seat that holds the starting player marker; null while it lies in the centre.",
          tag="t"),
    Field("displays", MultisetList(DISPLAY_TILES, "display"), "Tiles on each factory display."),
    Field("centre", Multiset(), "Tiles in the centre of the table.", tag="c"),
    Field("bag", Multiset(), "Tiles in the bag; null if unknown.", tag="b", unseen="drawn"),
    Field("lid", Multiset(), "Tiles in the lid of the box; null if unknown.", tag="l",
          unseen="discarded"),
    Field("bag_size", Integer(0, PER_COLOUR * len(LETTERS)), "Number of tiles in the bag.",
          tag="u", unseen="size"),
    Field("seats", Seats(), "The players, clockwise from seat 0."),
)

SEAT_FIELDS = (
    Field("score", Integer(0, MAX_SCORE), "Points.", tag="p"),
    Field("lines", Lines(CAPACITIES), "Tiles on the pattern lines, top to bottom.", tag="l"),
    Field("wall", Grid(SIZE, SIZE), "The rows of the wall, top to bottom."),
    Field("floor", Track(FLOOR_SPACES, MARKER),
          "Tiles on the floor line, left to right; * is the marker, - an empty floor line.",
          tag="f"),
)

AZUL = GameTable(
    game="azul",
    title="Azul",
    letters=LETTERS,
    colours=COLOURS,
    per_colour=PER_COLOUR,
    moves=("draft_to", "wall", "deal"),
    fields=FIELDS,
    seat_fields=SEAT_FIELDS,
    position=AzulPosition,
    seat=AzulSeat,
    checks=CHECKS,
    defaults=_defaults,
    seat_defaults=_seat_defaults,
)
