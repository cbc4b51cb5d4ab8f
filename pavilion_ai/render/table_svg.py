"""Parts shared by the pictures of all games: frames, seat titles, token, bag and discards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pavilion_ai.position import Position
from pavilion_ai.render import svg
from pavilion_ai.render.svg import FAINT_INK, INK, PAPER, Point
from pavilion_ai.render.text import beginning, breadth
from pavilion_ai.render.words import joined, tiles_in_words
from pavilion_ai.wording import plural

MARGIN = 24.0
GAP = 20.0
COUNT_STEP = 44.0  # from colour to colour in a stock
STOCK_HEIGHT = 66.0
LEGEND_ROW = 40.0
FRAME = "#d5d5dc"
EDGE = "#8f8f99"
PALE = 0.35
"""How opaque the fill of a small tile is that only stands for a colour; its letter stays."""
ACCENT = "#0b4f8a"
SPACE_INK = "#33333d"
TOKEN = "#1d1d27"
# Fill, edge and ink of a goal by the number of tiles missing, 2 for two or more.
GOAL_COLOURS = (
    ("#1b7a38", "#0f4f23", "#ffffff"),
    ("#ffd24a", "#7a4d00", "#000000"),
    (PAPER, "#85858f", "#4a4a55"),
)
DONE_INK = GOAL_COLOURS[0][2]
_TICK = ((-6.5, 0.5), (-2, 5.5), (7, -5.5))
_NAME_LENGTH = 44


class Parts(Protocol):
    """A game's module that draws parts of positions; `heading` and `market` in a width.

    Those that are drawn are returned as elements and their height.
    """

    PANEL_WIDTH: float

    def title(self, position: Any, /) -> str: ...
    def description(self, position: Any, names: Sequence[str], /) -> str: ...
    def heading(self, position: Any, width: float, /) -> tuple[list[str], float]: ...
    def market(self, position: Any, width: float, /) -> tuple[list[str], float]: ...
    def panel(self, position: Any, seat: int, name: str,
              breakdown: Sequence[Mapping[str, int]], /) -> tuple[list[str], float]: ...
    def legend(self) -> list[tuple[str, str]]: ...


def document(
    position: Position,
    game: Parts,
    names: Sequence[str],
    breakdown: Sequence[Mapping[str, int]],
    columns: int,
    first: int,
    *,
    shrinks: bool,
) -> str:
    """Draw a position by the parts of a game's module; other arguments as `render.draw_svg`."""
    inner = columns * game.PANEL_WIDTH + (columns - 1) * GAP
    parts, y = [], MARGIN
    for name, draw, gap in (("heading", game.heading, 0.0), ("market", game.market, GAP)):
        drawn, height = draw(position, inner)
        parts.append(svg.group(*drawn, at=(MARGIN, y), class_=name))
        y += height + gap
    seats = len(position.seats)
    for seat in range(seats):
        drawn, height = game.panel(position, seat, names[seat] if names else "", breakdown)
        row, column = divmod((seat - first) % seats, columns)
        at = (MARGIN + column * (game.PANEL_WIDTH + GAP), y + row * (height + GAP))
        parts.append(svg.group(*drawn, at=at, class_="seat", data_seat=str(seat)))
    y += math.ceil(seats / columns) * (height + GAP)
    drawn, height = _legend(game.legend(), inner)
    parts.append(svg.group(*drawn, at=(MARGIN, y + 10), class_="legend"))
    return svg.document((inner + 2 * MARGIN, y + height), game.title(position),
                        game.description(position, names), parts, shrinks=shrinks)


def label(content: str, at: Point, anchor: str = "start") -> str:
    """Return the name of a part of the table."""
    return svg.text(content, at, 14, fill=INK, bold=True, anchor=anchor)


def goal_sign(worth: int, short: int) -> str:
    """Draw the value of a goal at the origin, with `!` before it if one is missing, or a tick."""
    ink = GOAL_COLOURS[min(short, 2)][2]
    if short == 0:
        points = " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in _TICK)
        return svg.element("polyline", points=points, fill="none", stroke=ink, stroke_width=3.5)
    sign = "!" if short == 1 else "+"
    return svg.text(f"{sign}{worth}", size=14, fill=ink, bold=short == 1, anchor="middle")


def goal_look(short: int) -> dict[str, str | float]:
    """Return the attributes of the shape of a goal."""
    fill, edge, _ = GOAL_COLOURS[min(short, 2)]
    return {"fill": fill, "stroke": edge, "stroke_width": 2.5 if short == 1 else 1.5}


def token(at: Point, title: str) -> str:
    """Draw the start player token or marker."""
    corners = [
        (at[0] + 19 * math.cos(math.pi / 3 * k), at[1] + 19 * math.sin(math.pi / 3 * k))
        for k in range(6)
    ]
    return svg.group(
        svg.polygon(corners, fill=PAPER, stroke=TOKEN, stroke_width=3),
        svg.text("1st", at, 14, fill=TOKEN, bold=True, anchor="middle"),
        title=title,
        class_="token",
    )


def display(index: int, tiles: Sequence[str], size: float) -> str:
    """Draw a display, `size` wide, under its name; its centre is at (size / 2, 24 + size / 2)."""
    middle = (size / 2, 24 + size / 2)
    plate = svg.element(
        "circle", cx=middle[0], cy=middle[1], r=size / 2 - 1, fill="#ececf1", stroke=EDGE
    )
    name = label(f"D{index}", (middle[0], 8), "middle")
    return svg.group(name, plate, *tiles, class_="display", data_place=f"D{index}")


def centre(things: Sequence[str], size: Point) -> str:
    """Draw the centre and its contents under its name."""
    mat = svg.box((0, 18), size, 8, fill=PAPER, stroke=EDGE)
    return svg.group(label("C centre", (0, 8)), mat, *things, class_="centre", data_place="C")


def stocks(
    position: Position, discards: tuple[str, Sequence[int] | None], colours: Sequence[str],
    icon: Callable[[int, bool], str]
) -> list[str]:
    """Draw bag and discards as counts, or the size of a bag of unknown contents.

    Args:
        position: the position.
        discards: name and contents of what holds the discards.
        colours: names of the colours.
        icon: draws a small tile of a colour at the origin, paler if there are none.
    """
    name, discarded = discards
    if position.bag is None or discarded is None:
        words = f"contents of bag and {name} not known"
        return [svg.group(label(f"bag {position.bag_size}", (0, 8)),
                          svg.text(words, (0, 34), 14), class_="bag")]
    return [_stock("bag", position.bag, colours, icon), _stock(name, discarded, colours, icon)]


def stocks_in_words(
    position: Position, discards: tuple[str, Sequence[int] | None], colours: Sequence[str]
) -> list[str]:
    """Describe bag and discards; arguments as `stocks`."""
    name, discarded = discards
    if position.bag is None or discarded is None:
        return [f"Bag: {plural(position.bag_size, 'tile')}, contents of bag and {name} not known"]
    return [f"{what}: {joined(tiles_in_words(tiles, colours))}"
            for what, tiles in (("Bag", position.bag), (name.capitalize(), discarded))]


def _stock(
    name: str, counts: Sequence[int], colours: Sequence[str], icon: Callable[[int, bool], str]
) -> str:
    """Draw a named multiset, `COUNT_STEP` wide per colour, `STOCK_HEIGHT` high."""
    cells = [
        svg.group(
            icon(index, count > 0),
            svg.text(str(count), (12, 0), 14, fill=INK if count else FAINT_INK),
            title=f"{name}: {count} {colour}",
            at=(index * COUNT_STEP + 9, 36.0),
            class_="count",
        )
        for index, (count, colour) in enumerate(zip(counts, colours, strict=True))
    ]
    return svg.group(label(f"{name} {sum(counts)}", (0, 8)), *cells, class_=name)


def panel_frame(size: Point, *, moves: bool) -> str:
    """Draw the frame of a seat, highlighted if the seat is to move."""
    return svg.box(
        (0, 0),
        size,
        10,
        fill=PAPER,
        stroke=ACCENT if moves else FRAME,
        stroke_width=4 if moves else 1.5,
    )


def panel_title(
    position: Position, seat: int, name: str, width: float, token_name: str, note: str = ""
) -> list[str]:
    """Draw number, name and score of a seat, its token and a note if it has one."""
    short = name if breadth(name) <= _NAME_LENGTH else beginning(name, _NAME_LENGTH - 1) + "…"
    x = 16.0
    parts = []
    if seat == position.to_move:
        parts.append(svg.polygon([(16, 18), (30, 28), (16, 38)], fill=ACCENT, class_="turn"))
        x += 22
    parts.append(svg.text(f"seat {seat}", (x, 28), 20, bold=True))
    if short:
        parts.append(svg.text(short, (16, 51), 13))
    x += 84
    if position.token == seat:
        parts.append(token((x + 19, 28), token_name))
        x += 48
    if note:
        parts.append(svg.box((x, 16), (66, 24), 12, fill="#e4e4ea"))
        parts.append(svg.text(note, (x + 33, 28), 14, anchor="middle"))
    points = plural(position.seats[seat].score, "point")
    return [*parts, svg.text(points, (width - 16, 28), 20, bold=True, anchor="end")]


def score_words(breakdown: Mapping[str, int], at: Point) -> list[str]:
    """Show the parts of a final score."""
    words = " + ".join(f"{key} {value}" for key, value in breakdown.items())
    return [label("score", at), svg.text(words, (at[0] + 58, at[1]), 14)]


def is_taking(position: Position) -> bool:
    """Tell whether there is or will be anything on displays or centre; else they are left out."""
    return position.phase in ("draft", "deal") or position.token is None


def flow(
    groups: Sequence[tuple[str, float]], stocks: Sequence[str], stock_width: float, row: float,
    width: float,
) -> tuple[list[str], float]:
    """Lay out parts of the table in rows, the stocks after the last part or below; add a frame.

    Args:
        groups: drawn parts with their widths.
        stocks: bag and discards.
        stock_width: width of each stock.
        row: height of a row; nothing stands in one if there are no parts.
        width: available width.

    Returns:
        the elements and their total height.
    """
    parts, x, y = [], 16.0, 14.0
    for drawn, size in groups:
        if x > 16 and x + size > width - 16:
            x, y = 16.0, y + row
        parts.append(svg.group(drawn, at=(x, y)))
        x += size + 10
    height = y + row if groups else y
    room = width - 16 - (x + 10)
    if groups and row >= len(stocks) * STOCK_HEIGHT and stock_width <= room:
        places = [(x + 10, y + index * STOCK_HEIGHT) for index in range(len(stocks))]
    elif groups and len(stocks) * (stock_width + 40) <= room:
        places = [(x + 30 + index * (stock_width + 40), y) for index in range(len(stocks))]
    else:
        columns = max(1, int((width - 32) // (stock_width + 40)))
        rows = math.ceil(len(stocks) / columns)
        places = [(16 + index % columns * (stock_width + 40),
                   height + 4 + index // columns * STOCK_HEIGHT) for index in range(len(stocks))]
        height += rows * STOCK_HEIGHT
    parts += [svg.group(drawn, at=at) for drawn, at in zip(stocks, places, strict=True)]
    frame = svg.box((0, 0), (width, height), 10, fill="#fafafc", stroke=FRAME)
    return [frame, *parts], height


def _legend(entries: Sequence[tuple[str, str]], width: float) -> tuple[list[str], float]:
    """Explain signs in rows: each drawn round the origin, with words.

    Returns:
        the elements, and the height that they take.
    """
    parts, x, y = [], 16.0, 8.0
    for drawn, words in entries:
        size = 22 + svg.text_width(words, 14)
        if x > 16 and x + size > width:
            x, y = 16.0, y + LEGEND_ROW
        parts.append(svg.group(drawn, at=(x, y)))
        parts.append(svg.text(words, (x + 22, y), 14))
        x += size + 24
    return parts, y + LEGEND_ROW + 4
