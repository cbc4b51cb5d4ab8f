"""Draw tiles and a player board of base Azul as SVG.

Pattern lines are on the left, right-aligned towards the wall. The bonus of each row is beside it,
that of each column below it, and those of the colours beside the floor line. Every tile carries
its letter, so that nothing is shown by colour alone; letters of empty spaces are lower case.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render import svg
from pavilion_ai.render import table_svg as table
from pavilion_ai.render.svg import FAINT_INK, INK, Point
from pavilion_ai.render.texture import texture
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.azul import AzulSeat

TILE = 36.0
STEP = 40.0  # from space to space
SMALL = 30.0  # a tile on the table
WALL_X = layout.SIZE * STEP + 44  # left edge of the wall; the lines are at 0
BOARD_WIDTH = WALL_X + layout.SIZE * STEP + 46
_COLUMN_NUMBERS = 22.0
_BELOW_WALL = 36.0  # for the bonuses of the columns
_FLOOR_HEIGHT = 66.0

# Fill of a tile and its letter, edge and fill of an empty space of that colour.
TILE_COLOURS = {
    "B": ("#1f5fbf", "#ffffff"),
    "Y": ("#f5c031", "#000000"),
    "R": ("#c62828", "#ffffff"),
    "K": ("#2b2b33", "#ffffff"),
    "W": ("#ffffff", "#0b5a75"),
}
SPACE_COLOURS = {
    "B": ("#3f78cc", "#e6effb"),
    "Y": ("#a07800", "#fdf3d3"),
    "R": ("#cc4a4a", "#fbe7e7"),
    "K": ("#6b6b75", "#dedee3"),
    "W": ("#5b8fa3", "#f7fbfc"),
    "": ("#85858f", "#f0f0f3"),
}
SPACE_TEXTURES = {"B": "zigzag", "Y": "dots", "R": "crosses", "K": "along", "W": "rings"}
"""Texture below the letter of an empty space; the tints alone merge for colour-blind eyes."""
LOSS_INK = "#a02020"
_INSET = {"W": "#389fbf"}  # the others take the ink of their letter


@lru_cache(4096)  # tiles are most of every picture, and stay where they are
def tile(letter: str, at: Point, place: str, size: float = TILE) -> str:
    """Draw a tile centred on a point."""
    fill, ink = TILE_COLOURS[letter]
    half, inner = size / 2, size / 2 - 4
    x, y = at
    inset = svg.box(
        (x - inner, y - inner),
        (2 * inner, 2 * inner),
        4,
        fill="none",
        stroke=_INSET.get(letter, ink),
        stroke_width=2 if letter in _INSET else 1,
        opacity=None if letter in _INSET else 0.45,
    )
    return svg.group(
        svg.box((x - half, y - half), (size, size), 5, fill=fill, stroke=INK, stroke_width=1.5),
        inset,
        svg.text(letter, at, 0.46 * size, fill=ink, bold=True, anchor="middle"),
        title=f"{place}: {layout.colour_name(letter)} tile",
        class_="tile",
        data_tile=letter,
        data_at=place,
    )


@cache  # some hundred of them are much of every picture
def space(colour: str, at: Point, place: str, *, marker: bool = False) -> str:
    """Draw a space without a tile, with the colour printed on it, if any, or with the marker."""
    edge, fill = SPACE_COLOURS[colour]
    half = TILE / 2
    corner = (at[0] - half, at[1] - half)
    words = f"empty, for {layout.colour_name(colour)}" if colour else "empty"
    printed = ""
    if colour:
        printed = svg.text(colour.lower(), (at[0], at[1] - 3), 15, fill=table.SPACE_INK,
                           anchor="middle")
        printed += texture(SPACE_TEXTURES[colour], (at[0], at[1] + 12), (9, 3), edge, width=1)
    if marker:
        words = layout.MARKER_NAME
        printed = table.token(at, words)
    return svg.group(
        svg.box(corner, (TILE, TILE), 5, fill=fill, stroke=edge, stroke_dasharray="3 2"),
        printed,
        title=f"{place}: {words}",
        class_="space",
        data_tile=layout.MARKER if marker else None,
        data_at=place,
    )


def arrow(at: Point) -> str:
    """Draw the mark of a full line, pointing to the wall."""
    x, y = at
    corners = [(x - 5, y - 7), (x + 7, y), (x - 5, y + 7)]
    return svg.polygon(corners, fill=table.GOAL_COLOURS[0][0], class_="full")


def wall_top(side: str) -> float:
    """Return where the wall begins below the top of the board."""
    return _COLUMN_NUMBERS if side == "grey" else 0


def board_height(side: str) -> float:
    """Return the height of a board with its floor line."""
    return wall_top(side) + layout.SIZE * STEP + _BELOW_WALL + _FLOOR_HEIGHT


def board(side: str, seat: AzulSeat, *, over: bool = False) -> str:
    """Draw lines, wall, goals and floor line; the upper left corner is the origin."""
    top = wall_top(side)
    below = top + layout.SIZE * STEP + _BELOW_WALL
    return svg.group(
        *(_column_numbers() if top else ()),
        *(
            svg.group(*_line(number, seat.lines[number]), at=(0, top + number * STEP))
            for number in range(layout.SIZE)
        ),
        *(
            svg.group(*_row(side, number, seat.wall[number]), at=(WALL_X, top + number * STEP))
            for number in range(layout.SIZE)
        ),
        *_goals(seat.wall, top, below, over=over),
        svg.group(*_floor(seat.floor), at=(0, below), class_="floor"),
        class_="board",
    )


def _column_numbers() -> list[str]:
    return [
        svg.text(str(n + 1), (WALL_X + (n + 0.5) * STEP, 8), 13, fill=FAINT_INK, anchor="middle")
        for n in range(layout.SIZE)
    ]


def _line(number: int, tiles: Sequence[int]) -> list[str]:
    """Draw a pattern line, which fills from the wall's side, and its number."""
    letter, count = layout.letter_of(tiles), sum(tiles)
    place = f"line {number + 1}"
    parts = []
    for index in range(layout.CAPACITIES[number]):
        at = ((layout.SIZE - index - 0.5) * STEP, STEP / 2)
        parts.append(tile(letter, at, place) if index < count else space("", at, place))
    x = layout.SIZE * STEP
    parts.append(svg.text(str(number + 1), (x + 14, STEP / 2), 14, fill=FAINT_INK, anchor="middle"))
    if layout.is_full(number, tiles):
        parts.append(arrow((x + 31, STEP / 2)))
    return parts


def _row(side: str, number: int, tiles: str) -> list[str]:
    """Draw a row of the wall."""
    parts = []
    for column, letter in enumerate(tiles):
        at = ((column + 0.5) * STEP, STEP / 2)
        place = f"wall {number + 1}.{column + 1}"
        if letter == ".":
            parts.append(space(layout.printed(side, number, column), at, place))
        else:
            parts.append(tile(letter, at, place))
    return parts


def _goals(wall: Sequence[str], top: float, below: float, *, over: bool) -> list[str]:
    """Draw the bonuses: rows beside, columns below, colours beside the floor line."""
    parts = []
    middle = top - STEP / 2
    for goal in layout.goals(wall):
        if goal.kind == "row":
            at = (WALL_X + layout.SIZE * STEP + 24, middle + int(goal.name) * STEP)
        elif goal.kind == "column":
            at = (WALL_X + (int(goal.name) - 0.5) * STEP, below - _BELOW_WALL + 18)
        else:
            index = layout.COLOUR_NAMES.index(goal.name)
            at = (WALL_X + layout.SIZE * STEP + 24 - (4 - index) * STEP, below + 48)
            letter = layout.COLOURS[index]
            parts.append(svg.group(icon(letter, present=True), at=(at[0], at[1] - 27)))
        short = 2 if goal.short == 1 and (over or goal.last is None) else goal.short
        parts.append(_goal(goal, short, at))
    return parts


def _goal(goal: layout.Goal, short: int, at: Point) -> str:
    worth = layout.BONUSES[goal.kind]
    state = ("complete", "one tile short")[short] if short < 2 else "not complete"
    return svg.group(
        goal_shape(worth, short),
        title=f"{goal.kind} {goal.name}, {plural(worth, 'point')}: {state}",
        at=at,
        class_="goal",
        data_at=f"{goal.kind} {goal.name}",
        data_short=str(short),
    )


def goal_shape(worth: int, short: int) -> str:
    """Draw the bonus of a goal, centred on the origin."""
    return svg.box((-18, -11), (36, 22), 11, **table.goal_look(short)) + table.goal_sign(
        worth, short
    )


def icon(letter: str, *, present: bool) -> str:
    """Draw a small tile centred on the origin, paler if there are none."""
    fill, ink = TILE_COLOURS[letter]
    opacity = None if present else table.PALE
    shape = svg.box((-9, -9), (18, 18), 4, fill=fill, fill_opacity=opacity, stroke=INK)
    return shape + svg.text(letter, size=11, fill=ink if present else INK, anchor="middle")


def _floor(floor: str) -> list[str]:
    """Draw the floor line under its name: penalties, tiles, and the points lost."""
    parts = []
    for index, cost in enumerate(layout.PENALTIES):
        x = (index + 0.5) * STEP
        at = (x, 21 + STEP / 2)
        parts.append(svg.text(f"-{cost}", (x, 11), 13, fill=FAINT_INK, anchor="middle"))
        if index >= len(floor):
            parts.append(space("", at, "floor line"))
        elif floor[index] == layout.MARKER:
            parts.append(space("", at, "floor line", marker=True))
        else:
            parts.append(tile(floor[index], at, "floor line"))
    parts.append(table.label("floor line", (2, -18)))
    if floor:
        lost = f"-{layout.penalty(len(floor))}"
        parts.append(svg.text(lost, (86, -18), 17, fill=LOSS_INK, bold=True))
    return parts
