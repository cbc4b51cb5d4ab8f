"""Draw a position of Summer Pavilion as an SVG picture: the table above, the boards below."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pavilion_ai.position.summer_board import SUPPLY_SPACES
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render import svg
from pavilion_ai.render import table_svg as table
from pavilion_ai.render.summer_svg_board import (
    BOARD,
    TILE_COLOURS,
    TILE_HEIGHT,
    TILE_WIDTH,
    board,
    feature_shape,
    slot,
    tile,
)
from pavilion_ai.render.svg import FAINT_INK, INK, Point
from pavilion_ai.render.table_svg import ACCENT, label
from pavilion_ai.render.table_text import seat_names
from pavilion_ai.render.words import filled, joined, one_by_one, tiles_in_words, turn
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.summer import SummerPosition, SummerSeat

PANEL_WIDTH = 490.0
_STEP = TILE_WIDTH + 3  # from tile to tile
_ROW = TILE_HEIGHT + 3
_HAND_COLUMNS = 15
_TRACK = 44.0  # height of the track of rounds where it stands below the heading
_WIDE = 700.0  # from this width on it stands beside it
_DISPLAY = 104.0
_MARKET_ROW = 3 * _ROW + 34
_STOCK_WIDTH = len(layout.COLOURS) * table.COUNT_STEP
_PANEL_TITLE = 60.0
_TOKEN = "start player token"


# -- words -----------------------------------------------------------------------------------


def title(position: SummerPosition) -> str:
    return (
        f"Summer Pavilion, {len(position.seats)} players, {position.board} boards,"
        f" round {position.round} of {layout.ROUNDS}"
    )


def _whose_turn(position: SummerPosition) -> str:
    due = f" ({position.bonus_due} to take)" if position.bonus_due else ""
    return f"{layout.PHASES[position.phase]}{due}{turn(position, seat_names(position))}"


def description(position: SummerPosition, names: Sequence[str]) -> str:
    """Describe the picture in words: what has a title of its own is not read out in a picture."""
    wild = position.round - 1

    def words(tiles: Sequence[int], wild: int | None = wild) -> str:
        return joined(tiles_in_words(tiles, layout.COLOUR_NAMES, wild))

    sentences = [f"Wild colour {layout.COLOUR_NAMES[wild]}", _whose_turn(position).capitalize()]
    for index, tiles in enumerate(position.displays, 1):
        if any(tiles):
            sentences.append(f"Display {index}: {words(tiles)}")
    token = [] if position.token is not None else [f"the {_TOKEN}"]
    centre = tiles_in_words(position.centre, layout.COLOUR_NAMES, wild)
    sentences.append(f"Centre: {joined([*centre, *token])}")
    sentences.append(f"Supply: {words(position.supply)}")
    sentences += table.stocks_in_words(position, ("tower", position.tower), layout.COLOUR_NAMES)
    for index, seat in enumerate(position.seats):
        name = f" {names[index]}" if names else ""
        placed = sum(6 - star.count(".") for star in seat.stars)
        sentence = f"Seat {index}{name}: {plural(seat.score, 'point')}, hand {words(seat.hand)}"
        sentence += f", kept {words(seat.kept, None)}" if any(seat.kept) else ""
        sentence += f", {plural(placed, 'tile')} placed"
        sentence += f", has the {_TOKEN}" if position.token == index else ""
        sentence += ", has passed" if seat.passed and position.phase != "over" else ""
        sentence += "".join(
            f"; star {name}: {filled('space', star, layout.colour_name)}"
            for name, star in zip(layout.SITES, seat.stars, strict=True) if star != "......")
        sentences.append(sentence)
    return ". ".join(sentences) + "."


# -- the table -------------------------------------------------------------------------------


def heading(position: SummerPosition, width: float) -> tuple[list[str], float]:
    """Draw round, phase and mover on the left, the track of rounds and wild colours right.

    Returns:
        the elements and their height.
    """
    track = []
    y = 22.0 if width >= _WIDE else 40.0 + _TRACK
    for index, letter in enumerate(layout.COLOURS):
        now = index == position.round - 1
        fill, ink = TILE_COLOURS[letter]
        at = (width - (layout.ROUNDS - index - 0.5) * 34, y)
        corners = svg.rhombus(44, at=at)
        opacity = None if now else table.PALE
        name = layout.COLOUR_NAMES[index]
        ring = svg.polygon(svg.rhombus(56, at=at), fill="none", stroke=ACCENT, stroke_width=3)
        track.append(
            svg.group(
                ring if now else "",
                svg.polygon(corners, fill=fill, fill_opacity=opacity, stroke=INK),
                svg.text(letter, at, 13, fill=ink if now else INK, bold=now, anchor="middle"),
                title=f"round {index + 1}: {name} is wild",
                class_="round",
            )
        )
    wild = layout.COLOUR_NAMES[position.round - 1]
    first = f"Round {position.round} of {layout.ROUNDS}, wild: {wild}"
    return [
        svg.text(first, (0, 10), 24, bold=True),
        svg.text(_whose_turn(position), (0, 40), 17),
        svg.text("wild", (width - layout.ROUNDS * 34 - 14, y), 14, fill=FAINT_INK, anchor="end"),
        *track,
    ], 70.0 + (_TRACK if width < _WIDE else 0)


def market(position: SummerPosition, width: float) -> tuple[list[str], float]:
    """Draw displays, centre, supply, bag and tower; return the elements and their height."""
    wild = layout.COLOURS[position.round - 1]
    if not table.is_taking(position):
        supply = [_supply(position, wild)]
        return table.flow(supply, _stocks(position), _STOCK_WIDTH, 2 * _ROW + 34, width)
    groups = [
        *(_display(index, tiles, wild) for index, tiles in enumerate(position.displays, 1)),
        _centre(position, wild),
        _supply(position, wild),
    ]
    return table.flow(groups, _stocks(position), _STOCK_WIDTH, _MARKET_ROW, width)


def _display(index: int, tiles: Sequence[int], wild: str) -> tuple[str, float]:
    corner = (_DISPLAY / 2 - _STEP, 24 + _DISPLAY / 2 - _ROW / 2)
    drawn = _closer(one_by_one(tiles, layout.COLOURS), 2, corner, f"D{index}", wild)
    return table.display(index, drawn, _DISPLAY), _DISPLAY


def _closer(letters: Sequence[str], columns: int, at: Point, place: str, wild: str) -> list[str]:
    """Draw two rows of tiles as `_grid`; those of an unsound position may stand closer together."""
    many = max(columns, math.ceil(len(letters) / 2))
    return _grid(letters, many, at, place, wild, columns * _STEP / many)


def _grid(
    letters: Sequence[str], columns: int, at: Point, place: str, wild: str, step: float = _STEP
) -> list[str]:
    """Draw tiles in rows, the first row centred at the height of `at`."""
    return [
        tile(
            letter,
            (at[0] + (index % columns + 0.5) * step, at[1] + index // columns * _ROW),
            place,
            wild=letter == wild,
        )
        for index, letter in enumerate(letters)
    ]


def _centre(position: SummerPosition, wild: str) -> tuple[str, float]:
    """Draw the centre: three rows of tiles, and the token if no player holds it."""
    letters = one_by_one(position.centre, layout.COLOURS)
    columns = max(len(position.displays), math.ceil(len(letters) / 3))
    width = columns * _STEP + 58
    tiles = _grid(letters, columns, (50, 20 + _ROW / 2), "C", wild)
    token = table.token((26, 18 + 1.5 * _ROW), _TOKEN) if position.token is None else ""
    return table.centre([token, *tiles], (width, 3 * _ROW + 2)), width


def _supply(position: SummerPosition, wild: str) -> tuple[str, float]:
    columns = SUPPLY_SPACES // 2
    letters = one_by_one(position.supply, layout.COLOURS)
    empty = [
        slot(((i % columns + 0.5) * _STEP, 20 + _ROW / 2 + i // columns * _ROW), "supply space")
        for i in range(len(letters), SUPPLY_SPACES)
    ]
    tiles = _closer(letters, columns, (0, 20 + _ROW / 2), "supply", wild)
    things = (label("supply", (0, 8)), _ground((-2, 19), (columns * _STEP + 4, 2 * _ROW + 2)),
              *empty, *tiles)
    return svg.group(*things, class_="supply", data_place="supply"), columns * _STEP


def _ground(at: Point, size: Point) -> str:
    """Lay out where a click means a place as a whole: a box that is not seen."""
    return svg.box(at, size, 8, fill="none", pointer_events="all")


def _stocks(position: SummerPosition) -> list[str]:
    """Draw the known contents of bag and tower."""
    return table.stocks(position, ("tower", position.tower), layout.COLOUR_NAMES, _icon)


def _icon(colour: int, present: bool) -> str:
    """Draw a small tile centred on the origin, paler if there are none."""
    letter = layout.COLOURS[colour]
    fill, ink = TILE_COLOURS[letter]
    opacity = None if present else table.PALE
    shape = svg.polygon(svg.rhombus(32), fill=fill, fill_opacity=opacity, stroke=INK)
    return shape + svg.text(letter, size=11, fill=ink if present else INK, anchor="middle")


# -- the players -----------------------------------------------------------------------------


def panel(
    position: SummerPosition, seat: int, name: str, breakdown: Sequence[Mapping[str, int]]
) -> tuple[list[str], float]:
    """Draw one player: name and score, board, hand, number sets; return also the height."""
    rows = max(1, *(math.ceil(sum(seat.hand) / _HAND_COLUMNS) for seat in position.seats))
    height = _PANEL_TITLE + BOARD[1] + rows * _ROW + 62 + (24 if breakdown else 0)
    state = position.seats[seat]
    middle = (PANEL_WIDTH / 2, _PANEL_TITLE + BOARD[1] / 2)
    y = _PANEL_TITLE + BOARD[1] + 14
    hand = svg.group(
        label("hand", (16, y + _ROW / 2 - 8)),
        _ground((8, y), (PANEL_WIDTH - 16, rows * _ROW)),
        svg.text(str(sum(state.hand)), (16, y + _ROW / 2 + 10), 14, fill=FAINT_INK),
        *_grid(
            _hand_order(state.hand, position.round - 1),
            _HAND_COLUMNS,
            (64, y + _ROW / 2),
            "hand",
            layout.COLOURS[position.round - 1],
        ),
        class_="hand",
        data_place="hand",
    )
    y += rows * _ROW + 22
    over = position.phase == "over"
    passed = "passed" if state.passed and not over else ""
    parts = [
        table.panel_frame((PANEL_WIDTH, height), moves=seat == position.to_move),
        *table.panel_title(position, seat, name, PANEL_WIDTH, _TOKEN, passed),
        svg.group(board(position.board, state.stars, state.kept, over=over), at=middle),
        hand,
        *_number_sets(position.board, state, y),
    ]
    if breakdown:
        parts += table.score_words(breakdown[seat], (16, y + 24))
    return parts, height


def _hand_order(tiles: Sequence[int], wild: int) -> list[str]:
    """Return the tiles of a hand by colour, the wild ones last."""
    letters = one_by_one(tiles, layout.COLOURS)
    return sorted(letters, key=lambda letter: letter == layout.COLOURS[wild])


def _number_sets(side: str, state: SummerSeat, y: float) -> list[str]:
    """Draw the number of filled spaces of each scored number."""
    parts = [label("sets", (16, y))]
    for index, number in enumerate(layout.SCORED_NUMBERS):
        spaces = layout.number_spaces(side, number)
        filled = len(spaces) - len(layout.missing(state.stars, spaces))
        done = filled == len(spaces)
        words = f"{number}s {filled}/{len(spaces)}"
        x = 60.0 + index * 100
        if done:
            parts.append(svg.box((x, y - 13), (84, 26), 13, fill=table.GOAL_COLOURS[0][0]))
        ink = table.DONE_INK if done else INK
        parts.append(svg.text(words, (x + 42, y), 15, fill=ink, bold=done, anchor="middle"))
    return parts


def legend() -> list[tuple[str, str]]:
    """Explain shapes and signs."""
    return [
        (feature_shape("pillar", 1, 4), "pillar"),
        (feature_shape("statue", 2, 4), "statue"),
        (feature_shape("window", 3, 2), "window, each with its tiles"),
        (feature_shape("statue", 2, 1), "one space short"),
        (feature_shape("statue", 2, 0), "surrounded"),
        (svg.polygon(svg.asterisk(8, (0, 0)), fill=INK), "wild tile"),
        (slot((0, 0), ""), "kept tile"),
    ]
