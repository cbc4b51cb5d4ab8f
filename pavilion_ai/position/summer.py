"""Positions of Azul: Summer Pavilion: classes, field table and the checks particular to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pavilion_ai.position.base import DISPLAY_TILES, MAX_SCORE, Position, Tiles
from pavilion_ai.position.fields import (
    Choice,
    Field,
    Flag,
    GameTable,
    Integer,
    Multiset,
    MultisetList,
    Rows,
    SeatNumber,
    Seats,
)
from pavilion_ai.position.summer_board import (
    COLOURS,
    KEPT_TILES,
    LETTERS,
    PHASES,
    ROUNDS,
    SITES,
    SUPPLY_SPACES,
)
from pavilion_ai.position.summer_checks import CHECKS
from pavilion_ai.position.table_checks import known_seat

PER_COLOUR = 22


@dataclass(frozen=True)
class SummerSeat:
    """One player's score, tiles and stars.

    Attributes:
        score: points, at least 1.
        hand: tiles beside the board, by colour.
        kept: tiles on the corner spaces after a pass, at most 4, by colour.
        passed: whether the player has passed in this round.
        stars: seven strings of six characters, in the order W NW NE E SE SW C.
    """

    score: int
    hand: Tiles
    kept: Tiles
    passed: bool
    stars: tuple[str, ...]


@dataclass(frozen=True)
class SummerPosition(Position):
    """A position of Summer Pavilion; fields and meanings are those of the JSON form.

    `bag` and `tower` are both None if it is unknown which of the unseen tiles are where;
    `bag_size` then says how many are in the bag.
    """

    game: ClassVar[str] = "summer"

    board: str
    round: int
    phase: str
    to_move: int | None
    start_seat: int
    token: int | None
    bonus_due: int
    displays: tuple[Tiles, ...]
    centre: Tiles
    supply: Tiles
    bag: Tiles | None
    tower: Tiles | None
    bag_size: int
    seats: tuple[SummerSeat, ...]
    next_to_move: int | None = None


def _defaults(given: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the defaults of the text form for missing fields; `given` is the raw input.

    The phase follows from the tiles on the table, the mover from token and start seat, if they can
    be read: of a wrong value only that is told, nothing that would follow from it.
    """
    seats: list[Mapping[str, Any]] = given["seats"]
    def drawn(name: str) -> bool:
        value = given.get(name)
        parts = value if isinstance(value, list) else [value]
        return any(part not in (None, "-") for part in parts)

    phase = given.get("phase")
    if phase is None:
        on_table = drawn("displays") or drawn("centre")
        phase = "draft" if on_table else "bonus" if given.get("bonus_due") else "place"
    start = known_seat(given.get("start_seat"), len(seats)) or 0
    token = known_seat(given.get("token"), len(seats))
    mover = _next_not_passed(seats, start if phase == "draft" or token is None else token)
    return {
        "board": "coloured",
        "round": ROUNDS if phase == "over" else 1,
        "phase": phase,
        "to_move": None if phase in ("deal", "supply", "over") else mover,
        "start_seat": 0,
        "token": None,
        "bonus_due": 0,
        "centre": "-",
        "supply": "-",
        "next_to_move": mover,
    }


def _next_not_passed(seats: list[Mapping[str, Any]], first: int) -> int | None:
    """Return the first seat from `first` on, clockwise, that has not passed."""
    order = [*range(first, len(seats)), *range(first)]
    return next((seat for seat in order if seats[seat].get("passed") is not True), None)


def _seat_defaults(given: Mapping[str, Any]) -> Mapping[str, object]:
    return {"score": 5, "hand": "-", "kept": "-", "passed": given.get("phase") == "over"}


FIELDS = (
    Field("game", Choice(("summer",)), "The game."),
    Field("board", Choice(("coloured", "grey")), "Side of the player boards."),
    Field("round", Integer(1, ROUNDS), "Round; it sets the wild colour.", tag="r"),
    Field("phase", Choice(PHASES), "What happens next."),
    Field("to_move", SeatNumber(nullable=True),
          "Seat to move; null in deal, supply and over.", tag="m"),
    Field("start_seat", SeatNumber(), "Seat that started this round's drafting.", tag="s"),
    Field("token", SeatNumber(nullable=True, nobody="centre"),
          "Seat that holds the start player token; null while it lies in the centre.", tag="t"),
    Field("bonus_due", Integer(0, 3), "Tiles the mover must take from the supply now.", tag="b"),
    Field("displays", MultisetList(DISPLAY_TILES, "display"), "Tiles on each factory display."),
    Field("centre", Multiset(), "Tiles in the centre of the table.", tag="c"),
    Field("supply", Multiset(SUPPLY_SPACES), "Tiles on the supply spaces.", tag="s"),
    Field("bag", Multiset(), "Tiles in the bag; null if unknown.", tag="b", unseen="drawn"),
    Field("tower", Multiset(), "Tiles in the tower; null if unknown.", tag="t",
          unseen="discarded"),
    Field("bag_size", Integer(0, PER_COLOUR * len(LETTERS)), "Number of tiles in the bag.",
          tag="u", unseen="size"),
    Field("seats", Seats(), "The players, clockwise from seat 0."),
    Field("next_to_move", SeatNumber(nullable=True),
          "Seat whose turn follows the draw; null if the round ends. In supply only.",
          tag="n", phase="supply"),
)

SEAT_FIELDS = (
    Field("score", Integer(1, MAX_SCORE), "Points.", tag="p"),
    Field("hand", Multiset(), "Tiles beside the board.", tag="h"),
    Field("kept", Multiset(KEPT_TILES), "Tiles on the corner spaces after a pass.", tag="k"),
    Field("passed", Flag(), "Whether the player has passed in this round.", tag="x"),
    Field("stars", Rows(SITES, 6), "The seven stars, positions 1 to 6 of each."),
)

SUMMER = GameTable(
    game="summer",
    title="Azul: Summer Pavilion",
    letters=LETTERS,
    colours=COLOURS,
    per_colour=PER_COLOUR,
    moves=("draft", "place", "bonus", "pass", "deal", "supply"),
    fields=FIELDS,
    seat_fields=SEAT_FIELDS,
    position=SummerPosition,
    seat=SummerSeat,
    checks=CHECKS,
    defaults=_defaults,
    seat_defaults=_seat_defaults,
)
