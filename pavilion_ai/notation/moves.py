"""Moves as strings, both ways (CONTRACT section 1); parsed without a position.

Whether a move is legal is for `pavilion_ai.games`; here only its shape counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pavilion_ai.errors import InvalidMoveError, shown
from pavilion_ai.notation.tiles import format_tiles, parse_tiles
from pavilion_ai.position import TABLES, Tiles
from pavilion_ai.position.fields import GameTable, Rows

__all__ = [
    "Bonus", "Deal", "Draft", "Move", "Pass", "Place", "Supply", "format_move", "parse_move",
]


@dataclass(frozen=True)
class Draft:
    """Take tiles of a colour; `source` is a display counted from 0, or None for the centre."""

    source: int | None
    colour: int


@dataclass(frozen=True)
class Place:
    """Place a tile of `colour` on position 1-6 of a star, paying `payment` in all."""

    site: int
    position: int
    colour: int
    payment: Tiles


@dataclass(frozen=True)
class Bonus:
    """Take these tiles from the supply."""

    tiles: Tiles


@dataclass(frozen=True)
class Pass:
    """Pass and keep these tiles."""

    kept: Tiles


@dataclass(frozen=True)
class Deal:
    """Chance: what each display received."""

    displays: tuple[Tiles, ...]


@dataclass(frozen=True)
class Supply:
    """Chance: what the supply received."""

    tiles: Tiles


Move = Draft | Place | Bonus | Pass | Deal | Supply

_SHAPES = ("D3:G or C:G (draft), NW.4:O3P (place), bonus:2PG, pass:2PG, pass:-, deal:2PGO,4R,-,...,"
           " supply:PG")


def parse_move(text: str, game: str, *, lenient: bool = False) -> Move:
    """Read a move.

    Multisets are read as tolerantly as in positions. Upper and lower case matter, as the
    contract says, unless `lenient`: then white space and case are ignored, for people who type.

    Raises:
        InvalidMoveError: if the string is no move of the game in any position.

    >>> parse_move("D3:G", "summer")
    Draft(source=2, colour=1)
    >>> parse_move(" c:g ", "summer", lenient=True)
    Draft(source=None, colour=1)
    """
    table = TABLES[game]
    if not isinstance(text, str):
        raise InvalidMoveError(f"found {shown(text)}, expected a move such as {_SHAPES}")
    written = _upper(text) if lenient else text
    head, colon, rest = written.partition(":")
    if not colon:
        raise InvalidMoveError(f"found {shown(text)}, expected a move such as {_SHAPES}")
    try:
        return _parse(head, rest, table)
    except ValueError as error:
        raise InvalidMoveError(f"move {shown(text)}: {error}") from None


def format_move(move: Move, game: str) -> str:
    """Write a move in canonical form.

    >>> format_move(Place(1, 4, 2, (3, 0, 1, 0, 0, 0)), "summer")
    'NW.4:O3P'
    """
    table = TABLES[game]
    if isinstance(move, Draft):
        source = "C" if move.source is None else f"D{move.source + 1}"
        return f"{source}:{table.letters[move.colour]}"
    if isinstance(move, Place):
        return f"{_sites(table)[move.site]}.{move.position}:{_payment(move, table)}"
    if isinstance(move, Bonus):
        return "bonus:" + format_tiles(move.tiles, table.letters)
    if isinstance(move, Pass):
        return "pass:" + format_tiles(move.kept, table.letters)
    if isinstance(move, Supply):
        return "supply:" + format_tiles(move.tiles, table.letters)
    return "deal:" + ",".join(format_tiles(tiles, table.letters) for tiles in move.displays)


def _upper(text: str) -> str:
    """Bring what a person typed into the case of the notation."""
    head, colon, rest = "".join(text.split()).upper().partition(":")
    return (head.lower() if head.lower() in _WORDS else head) + colon + rest


def _parse(head: str, rest: str, table: GameTable) -> Move:
    if head in _WORDS:
        return _WORDS[head](rest, table)
    if head == "C" or re.fullmatch(r"D[1-9][0-9]?", head):
        if len(rest) != 1 or rest not in table.letters:
            raise ValueError(f"found {shown(rest)} after the colon, expected one colour letter"
                             f" of {table.letters}")
        return Draft(None if head == "C" else int(head[1:]) - 1, table.letters.index(rest))
    site, _, position = head.partition(".")
    if site in _sites(table) and re.fullmatch(r"[1-6]", position):
        return _place(_sites(table).index(site), int(position), rest, table)
    raise ValueError(f"found {shown(head)} before the colon, expected a source such as D3 or C,"
                     f" a space such as NW.4, or one of {', '.join(_WORDS)}")


def _place(site: int, position: int, rest: str, table: GameTable) -> Place:
    payment = parse_tiles(rest, table.letters)
    first = re.search(r"[A-Z]", rest)
    if first is None:
        raise ValueError("found no tile, expected the placed colour and then wild tiles")
    return Place(site, position, table.letters.index(first[0]), payment)


def _payment(move: Place, table: GameTable) -> str:
    others = tuple(0 if colour == move.colour else count
                   for colour, count in enumerate(move.payment))
    own = tuple(count - other for count, other in zip(move.payment, others, strict=True))
    rest = format_tiles(others, table.letters) if any(others) else ""
    return format_tiles(own, table.letters) + rest


def _sites(table: GameTable) -> tuple[str, ...]:
    return next(
        (part.kind.names for part in table.seat_fields if isinstance(part.kind, Rows)), ())


def _bonus(rest: str, table: GameTable) -> Move:
    tiles = parse_tiles(rest, table.letters)
    if not any(tiles):
        raise ValueError("found no tile, expected those taken from the supply")
    return Bonus(tiles)


def _supply(rest: str, table: GameTable) -> Move:
    tiles = parse_tiles(rest, table.letters)
    if not any(tiles):
        raise ValueError("found no tile, expected those that the supply received")
    return Supply(tiles)


_WORDS: dict[str, Callable[[str, GameTable], Move]] = {
    "bonus": _bonus,
    "pass": lambda rest, table: Pass(parse_tiles(rest, table.letters)),
    "deal": lambda rest, table: Deal(
        tuple(parse_tiles(part, table.letters) for part in rest.split(","))),
    "supply": _supply,
}
