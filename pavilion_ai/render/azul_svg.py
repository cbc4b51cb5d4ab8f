"""Draw a position of base Azul as an SVG picture: the table above, the boards below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render import svg
from pavilion_ai.render import table_svg as table
from pavilion_ai.render.azul_svg_board import (
    BOARD_WIDTH,
    SMALL,
    arrow,
    board,
    board_height,
    goal_shape,
    icon,
    tile,
)
from pavilion_ai.render.svg import Point
from pavilion_ai.render.table_text import seat_names
from pavilion_ai.render.words import filled, joined, one_by_one, tiles_in_words, turn
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.azul import AzulPosition, AzulSeat

PANEL_WIDTH = BOARD_WIDTH + 32
_PANEL_TITLE = 62.0
_STEP = SMALL + 4  # from tile to tile on the table
_DISPLAY = 98.0
_MARKET_ROW = 3 * _STEP + 36
_STOCK_WIDTH = len(layout.COLOURS) * table.COUNT_STEP


# -- words -----------------------------------------------------------------------------------


def title(position: AzulPosition) -> str:
    return (
        f"Azul, {len(position.seats)} players, {position.board} boards, round {position.round}"
    )


def _whose_turn(position: AzulPosition) -> str:
    return f"{layout.PHASES[position.phase]}{turn(position, seat_names(position))}"


def heading(position: AzulPosition, _: float) -> tuple[list[str], float]:
    """Say round, phase and mover; return the elements and their height."""
    first = f"Round {position.round}, started by seat {position.start_seat}"
    return [svg.text(first, (0, 10), 24, bold=True),
            svg.text(_whose_turn(position), (0, 40), 17)], 66.0


def _words(tiles: Sequence[int]) -> str:
    return joined(tiles_in_words(tiles, layout.COLOUR_NAMES))


def description(position: AzulPosition, names: Sequence[str]) -> str:
    """Describe the picture in words: what has a title of its own is not read out in a picture."""
    turn = _whose_turn(position)
    sentences = [turn[0].upper() + turn[1:]]
    for index, tiles in enumerate(position.displays, 1):
        if any(tiles):
            sentences.append(f"Display {index}: {_words(tiles)}")
    marker = [] if position.token is not None else [f"the {layout.MARKER_NAME}"]
    centre = tiles_in_words(position.centre, layout.COLOUR_NAMES)
    sentences.append(f"Centre: {joined([*centre, *marker])}")
    sentences += table.stocks_in_words(position, ("lid", position.lid), layout.COLOUR_NAMES)
    sentences += [
        _seat_words(position, index, f" {names[index]}" if names else "")
        for index in range(position.players)
    ]
    return ". ".join(sentences) + "."


def _seat_words(position: AzulPosition, index: int, name: str) -> str:
    """Describe a seat in words."""
    seat = position.seats[index]
    lines = [
        f"line {number}: {_words(tiles)}"
        for number, tiles in enumerate(seat.lines, 1)
        if any(tiles)
    ]
    placed = sum(layout.SIZE - row.count(".") for row in seat.wall)
    sentence = f"Seat {index}{name}: {plural(seat.score, 'point')}, "
    sentence += "".join(f"{line}, " for line in lines)
    sentence += f"{plural(placed, 'tile')} on the wall, floor line {_floor_words(seat)}"
    sentence += f", has the {layout.MARKER_NAME}" if position.token == index else ""
    return sentence + "".join(
        f"; row {number}: {filled('column', row, layout.colour_name)}"
        for number, row in enumerate(seat.wall, 1) if row != ".....")


def _floor_words(seat: AzulSeat) -> str:
    if not seat.floor:
        return "empty"
    things = [
        "marker" if thing == layout.MARKER else layout.colour_name(thing) for thing in seat.floor
    ]
    return f"{joined(things)} ({plural(-layout.penalty(len(seat.floor)), 'point')})"


# -- the table -------------------------------------------------------------------------------


def market(position: AzulPosition, width: float) -> tuple[list[str], float]:
    """Draw displays, centre, bag and lid; return the elements and their height."""
    if not table.is_taking(position):
        return table.flow([], _stocks(position), _STOCK_WIDTH, 0, width)
    groups = [
        *(_display(index, tiles) for index, tiles in enumerate(position.displays, 1)),
        _centre(position),
    ]
    return table.flow(groups, _stocks(position), _STOCK_WIDTH, _MARKET_ROW, width)


def _display(index: int, tiles: Sequence[int]) -> tuple[str, float]:
    """Draw a display: two rows of two, or of more, closer together, in an unsound position."""
    corner = (_DISPLAY / 2 - _STEP, 24 + _DISPLAY / 2 - _STEP)
    drawn = _grid(one_by_one(tiles, layout.COLOURS), 2, corner, f"D{index}", rows=2)
    return table.display(index, drawn, _DISPLAY), _DISPLAY


def _grid(
    letters: Sequence[str], columns: int, at: Point, place: str, rows: int = 3
) -> list[str]:
    """Draw tiles in rows, beginning at an upper left corner; too many stand closer together."""
    width = columns * _STEP
    columns = max(columns, math.ceil(len(letters) / rows))
    return [
        tile(
            letter,
            (
                at[0] + (index % columns + 0.5) * width / columns,
                at[1] + (index // columns + 0.5) * _STEP,
            ),
            place,
            SMALL,
        )
        for index, letter in enumerate(letters)
    ]


def _centre(position: AzulPosition) -> tuple[str, float]:
    """Draw the centre: three rows of tiles, and the marker if no player has it."""
    letters = one_by_one(position.centre, layout.COLOURS)
    columns = max(len(position.displays), math.ceil(len(letters) / 3))
    width = columns * _STEP + 58
    height = 3 * _STEP + 6
    tiles = _grid(letters, columns, (51, 21), "C")
    marker = ""
    if position.token is None:
        marker = table.token((26, 18 + height / 2), layout.MARKER_NAME)
    return table.centre([marker, *tiles], (width, height)), width


def _stocks(position: AzulPosition) -> list[str]:
    """Draw the known contents of bag and lid."""
    return table.stocks(position, ("lid", position.lid), layout.COLOUR_NAMES, _icon)


def _icon(colour: int, present: bool) -> str:
    return icon(layout.COLOURS[colour], present=present)


# -- the players -----------------------------------------------------------------------------


def panel(
    position: AzulPosition, seat: int, name: str, breakdown: Sequence[Mapping[str, int]]
) -> tuple[list[str], float]:
    """Draw one player: name and score, board, parts of the score; return also the height."""
    height = _PANEL_TITLE + board_height(position.board) + 12 + (26 if breakdown else 0)
    return [
        table.panel_frame((PANEL_WIDTH, height), moves=seat == position.to_move),
        *table.panel_title(position, seat, name, PANEL_WIDTH, layout.MARKER_NAME),
        svg.group(board(position.board, position.seats[seat], over=position.phase == "over"),
                  at=(16, _PANEL_TITLE)),
        *(table.score_words(breakdown[seat], (16, height - 22)) if breakdown else ()),
    ], height


def legend() -> list[tuple[str, str]]:
    """Explain shapes and signs."""
    return [
        (arrow((0, 0)), "full line"),
        (goal_shape(layout.BONUSES["row"], 5), "bonus of a row, column or colour"),
        (goal_shape(layout.BONUSES["row"], 1), "one tile short"),
        (goal_shape(layout.BONUSES["row"], 0), "complete"),
    ]
