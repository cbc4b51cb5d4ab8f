"""Moves as strings, both ways (docs/notation.md); parsed without a position.

Only the form of a move is checked here; whether it is legal is decided by `pavilion_ai.games`. A
game's table names its kinds of move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pavilion_ai.errors import InvalidMoveError, one_of, shown
from pavilion_ai.notation.tiles import format_tiles, parse_tiles
from pavilion_ai.position import TABLES, Tiles
from pavilion_ai.position.fields import GameTable, Grid, Lines, Rows, size_of

MOST_DISPLAYS = 9
"""Displays with four players (A4, B3); a longer list is refused unread."""


@dataclass(frozen=True)
class Draft:
    """Take tiles of a colour; `source` is a display counted from 0, or None for the centre."""

    source: int | None
    colour: int


@dataclass(frozen=True)
class DraftTo:
    """Take tiles of a colour to a line counted from 0, or None for the floor line."""

    source: int | None
    colour: int
    line: int | None


@dataclass(frozen=True)
class Wall:
    """Put the tile of a full line in a column, both counted from 0; None: all to the floor."""

    line: int
    column: int | None


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


Move = Draft | DraftTo | Wall | Place | Bonus | Pass | Deal | Supply

FLOOR = "F"
"""The floor line as a destination."""


def parse_move(text: str, game: str, *, lenient: bool = False) -> Move:
    """Read a move.

    Multisets are read as tolerantly as in positions. Upper and lower case matter,
    unless `lenient`: then white space and case are ignored, for people who type.

    Raises:
        InvalidMoveError: if the string is not a move of the game in any position.
        SpecError: there is no such game.

    >>> parse_move("D3:G", "summer")
    Draft(source=2, colour=1)
    >>> parse_move(" c:r>f ", "azul", lenient=True)
    DraftTo(source=None, colour=2, line=None)
    """
    table = TABLES[one_of("game", game, TABLES)]
    examples = ", ".join(_SHAPES[kind].example for kind in table.moves)
    if not isinstance(text, str):
        raise InvalidMoveError(f"found {shown(text)}, expected a move such as {examples}")
    written = _upper(text, table) if lenient else text
    head, colon, rest = written.partition(":")
    if not colon:
        raise InvalidMoveError(f"found {shown(text)}, expected a move such as {examples}")
    shapes = [_SHAPES[kind] for kind in table.moves]
    shape = next((shape for shape in shapes if shape.fits(head, table)), None)
    try:
        if shape is None:
            expected = ", ".join(_named(kind) for kind in table.moves)
            raise ValueError(f"found {shown(head)} before the colon, expected {expected}")
        return shape.parse(head, rest, table)
    except ValueError as error:
        raise InvalidMoveError(f"move {shown(text)}: {error}") from None


def format_move(move: Move, game: str) -> str:
    """Write a move in canonical form.

    Raises:
        InvalidMoveError: it is not a move of the game in any position.
        SpecError: there is no such game.

    >>> format_move(Place(1, 4, 2, (3, 0, 1, 0, 0, 0)), "summer")
    'NW.4:O3P'
    >>> format_move(DraftTo(2, 2, 3), "azul"), format_move(Wall(1, None), "azul")
    ('D3:R>4', 'wall:2>F')
    """
    table = TABLES[one_of("game", game, TABLES)]
    if type(move) not in [_SHAPES[kind].move for kind in table.moves]:
        raise InvalidMoveError(f"found {shown(move)}, expected a move of {game} as `parse_move`"
                               " returns it")
    try:
        text = written(move, game)
        if parse_move(text, game) == move:
            return text
    except (TypeError, ValueError, LookupError):
        pass  # it has no text
    raise InvalidMoveError(f"found {move!r}, expected one that {game} has in some position")


def written(move: Move, game: str) -> str:
    """Write a move in canonical form, as `format_move`, which also checks that the game has it."""
    return _SHAPE_OF[type(move)].write(move, TABLES[game])


def _upper(text: str, table: GameTable) -> str:
    """Convert typed input to the case of the notation."""
    head, colon, rest = "".join(text.split()).upper().partition(":")
    return (head.lower() if head.lower() in table.moves else head) + colon + rest


def _named(kind: str) -> str:
    """Return the part before the colon of a move of this kind, for a message."""
    return _SHAPES[kind].head or kind


@dataclass(frozen=True)
class _Shape:
    """How moves of one kind are written.

    Attributes:
        move: class of these moves.
        example: an example for messages.
        parse: reads the parts before and after the colon.
        write: returns the canonical string.
        fits: tells whether the part before the colon belongs to such a move.
        head: the part before the colon, for messages; "" for the name of the kind.
    """

    move: type
    example: str
    parse: Callable[[str, str, GameTable], Move]
    write: Callable[[Any, GameTable], str]
    fits: Callable[[str, GameTable], bool]
    head: str = ""


def _word(
    kind: str, move: type, example: str, parse: Callable[[str, GameTable], Move],
    write: Callable[[Any, GameTable], str],
) -> _Shape:
    """Return the shape of moves that name their kind before the colon."""
    return _Shape(move, example, lambda _, rest, table: parse(rest, table),
                  lambda made, table: f"{kind}:{write(made, table)}",
                  lambda head, _: head == kind)


# ------------------------------------------------------------------------------------- drafts


def _is_source(head: str, table: GameTable) -> bool:
    return head == "C" or re.fullmatch(rf"D[1-{MOST_DISPLAYS}]", head) is not None


def _parse_source(head: str) -> int | None:
    return None if head == "C" else int(head[1:]) - 1


def _write_source(source: int | None) -> str:
    return "C" if source is None else f"D{source + 1}"


def _parse_colour(text: str, where: str, table: GameTable) -> int:
    if len(text) != 1 or text not in table.letters:
        raise ValueError(f"found {shown(text)} {where}, expected one colour letter of"
                         f" {table.letters}")
    return table.letters.index(text)


def _parse_draft(head: str, rest: str, table: GameTable) -> Draft:
    return Draft(_parse_source(head), _parse_colour(rest, "after the colon", table))


def _write_draft(move: Draft, table: GameTable) -> str:
    return f"{_write_source(move.source)}:{table.letters[move.colour]}"


def _parse_draft_to(head: str, rest: str, table: GameTable) -> DraftTo:
    colour, arrow, line = rest.partition(">")
    if not arrow:
        raise ValueError(f"found {shown(rest)} after the colon, expected a colour letter, '>' and"
                         f" a line, 1 to {_line_count(table)}, or {FLOOR} for the floor line")
    return DraftTo(_parse_source(head), _parse_colour(colour, "before '>'", table),
                   _parse_target(line, "a line", _line_count(table)))


def _write_draft_to(move: DraftTo, table: GameTable) -> str:
    return (f"{_write_source(move.source)}:{table.letters[move.colour]}"
            f">{_write_target(move.line)}")


# --------------------------------------------------------------------------------------- wall


def _parse_wall(rest: str, table: GameTable) -> Wall:
    line, arrow, column = rest.partition(">")
    if not arrow:
        raise ValueError(f"found {shown(rest)} after the colon, expected a line, '>' and a"
                         " column")
    return Wall(_parse_number(line, "a line", _line_count(table)),
                _parse_target(column, "a column", _column_count(table)))


def _write_wall(move: Wall, table: GameTable) -> str:
    return f"{move.line + 1}>{_write_target(move.column)}"


def _parse_number(text: str, what: str, most: int, otherwise: str = "") -> int:
    """Read the number of a line or column, counted from 1."""
    if re.fullmatch(r"[1-9]", text) and int(text) <= most:
        return int(text) - 1
    raise ValueError(f"found {shown(text)}, expected {what} from 1 to {most}{otherwise}")


def _parse_target(text: str, what: str, most: int) -> int | None:
    """Read the number of a line or column, or the floor line."""
    if text == FLOOR:
        return None
    return _parse_number(text, what, most, f" or {FLOOR} for the floor line")


def _write_target(number: int | None) -> str:
    return FLOOR if number is None else str(number + 1)


def _line_count(table: GameTable) -> int:
    return next((size_of(part.kind) for part in table.seat_fields
                 if isinstance(part.kind, Lines)), 0)


def _column_count(table: GameTable) -> int:
    return next((part.kind.width for part in table.seat_fields
                 if isinstance(part.kind, Grid)), 0)


# ------------------------------------------------------------------------------------ placing


def _is_space(head: str, table: GameTable) -> bool:
    site, _, position = head.partition(".")
    return site in _sites(table) and re.fullmatch(r"[1-6]", position) is not None


def _parse_place(head: str, rest: str, table: GameTable) -> Place:
    site, _, position = head.partition(".")
    payment = parse_tiles(rest, table.letters)
    first = re.search(r"[A-Z]", rest)
    if first is None:
        raise ValueError("found no tile, expected the placed colour and then wild tiles")
    return Place(_sites(table).index(site), int(position), table.letters.index(first[0]), payment)


def _write_place(move: Place, table: GameTable) -> str:
    others = list(move.payment)
    own, others[move.colour] = others[move.colour], 0
    rest = format_tiles(others, table.letters) if any(others) else ""
    return (f"{_sites(table)[move.site]}.{move.position}:"
            f"{own if own > 1 else ''}{table.letters[move.colour]}{rest}")


def _sites(table: GameTable) -> tuple[str, ...]:
    return next(
        (part.kind.names for part in table.seat_fields if isinstance(part.kind, Rows)), ())


# ---------------------------------------------------------------------------------- multisets


def _some(rest: str, table: GameTable, expected: str) -> Tiles:
    tiles = parse_tiles(rest, table.letters)
    if not any(tiles):
        raise ValueError(f"found no tile, expected those {expected}")
    return tiles


def _parse_deal(rest: str, table: GameTable) -> Deal:
    displays = rest.count(",") + 1
    if displays > MOST_DISPLAYS:
        raise ValueError(f"found {displays} displays, expected at most {MOST_DISPLAYS}")
    return Deal(tuple(parse_tiles(part, table.letters) for part in rest.split(",")))


def _write_deal(move: Deal, table: GameTable) -> str:
    return ",".join(format_tiles(tiles, table.letters) for tiles in move.displays)


_SHAPES: Mapping[str, _Shape] = {
    "draft": _Shape(Draft, "D3:G or C:G (draft)", _parse_draft, _write_draft, _is_source,
                    "a source such as D3 or C"),
    "draft_to": _Shape(DraftTo, "D3:R>4 or C:R>F (draft)", _parse_draft_to, _write_draft_to,
                       _is_source, "a source such as D3 or C"),
    "wall": _word("wall", Wall, "wall:2>3, wall:2>F", _parse_wall, _write_wall),
    "place": _Shape(Place, "NW.4:O3P (place)", _parse_place, _write_place, _is_space,
                    "a space such as NW.4"),
    "bonus": _word(
        "bonus", Bonus, "bonus:2PG",
        lambda rest, table: Bonus(_some(rest, table, "taken from the supply")),
        lambda move, table: format_tiles(move.tiles, table.letters)),
    "pass": _word(
        "pass", Pass, "pass:2PG, pass:-",
        lambda rest, table: Pass(parse_tiles(rest, table.letters)),
        lambda move, table: format_tiles(move.kept, table.letters)),
    "deal": _word("deal", Deal, "deal:3BR,4Y,-,...", _parse_deal, _write_deal),
    "supply": _word(
        "supply", Supply, "supply:PG",
        lambda rest, table: Supply(_some(rest, table, "that the supply received")),
        lambda move, table: format_tiles(move.tiles, table.letters)),
}

_SHAPE_OF = {shape.move: shape for shape in _SHAPES.values()}
