"""Draw the pictures that explain the search, and the plot of the benchmarks: `docs/images/*.svg`.

    python tools/diagrams.py

The bars are the numbers of the first table of docs/benchmarks.md. A test compares the files with
what this script draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
INK, PALE, LINE = "#20232a", "#5a6170", "#8a92a3"
BLUE, GREEN, ORANGE, GREY = "#cfe0ff", "#d3f0d6", "#ffe2bd", "#eceef3"


class Drawing:
    """Shapes on a white sheet, which is readable on light and dark pages."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' font-family="sans-serif" font-size="13" role="img" aria-label="{escape(title)}">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9"'
            ' markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{PALE}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>']

    def text(self, x: float, y: float, words: str, *, size: int = 13, anchor: str = "middle",
             colour: str = INK, bold: bool = False) -> None:
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"'
                          f' fill="{colour}"{weight}>{escape(words)}</text>')

    def box(self, x: float, y: float, width: float, height: float, lines: Sequence[str],
            fill: str = GREY) -> None:
        """Draw a box with lines of text; the first one is bold if there are several."""
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5"'
                          f' fill="{fill}" stroke="{LINE}"/>')
        top = y + height / 2 - 8 * (len(lines) - 1) + 4.5
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + 16 * number, line, bold=not number and len(lines) > 1)

    def node(self, x: float, y: float, words: str = "", fill: str = BLUE,
             radius: float = 15) -> None:
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"'
                          f' stroke="{LINE}"/>')
        if words:
            self.text(x, y + 4.5, words)

    def line(self, places: Iterable[tuple[float, float]], *, tip: bool = True, thick: float = 1.3,
             dashed: bool = False, colour: str = LINE) -> None:
        path = "L".join(f"{x:g} {y:g}" for x, y in places)
        ends = ' marker-end="url(#tip)"' if tip else ""
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{colour}"'
                          f' stroke-width="{thick:g}"{ends}{dashes}/>')

    def __str__(self) -> str:
        return "\n".join([*self.parts, "</svg>", ""])


def simulation() -> Drawing:
    """One simulation: select, expand, value, back up."""
    drawing = Drawing(860, 345, "The four parts of a simulation")
    steps = (("1 select", "the best bound at each node;", "a draw is made anew each time"),
             ("2 expand", "at its second visit a node gets", "its moves, likeliest first"),
             ("3 value", "the network says for each seat:", "chance to win, points to come"),
             ("4 back up", "each node adds what its value is", "to the seat that chose it"))
    for number, (name, first, second) in enumerate(steps):
        left = 10 + 213 * number
        middle = left + 100
        drawing.text(middle, 32, name, size=16, bold=True)
        drawing.text(middle, 288, first, size=12, colour=PALE)
        drawing.text(middle, 304, second, size=12, colour=PALE)
        path = [(middle, 65), (middle - 40, 125), (middle - 10, 185)]
        aside = [(middle + 40, 125), (middle - 70, 185)]
        for begin, end in ((path[0], path[1]), (path[0], aside[0]), (path[1], path[2]),
                           (path[1], aside[1])):
            near = begin in path and end in path and number != 2
            up = number == 3 and near
            places = [(begin[0], begin[1] + 15), (end[0], end[1] - 15)]
            drawing.line(places[::-1] if up else places, thick=2.6 if near else 1.2,
                         colour="#3a66c8" if near else LINE, tip=near)
        for place, seat in zip((*path, *aside), "01221", strict=True):
            drawing.node(*place, seat, BLUE if place in path else GREY)
        if number == 1:
            for shift, share in ((-45, "62 %"), (0, "30 %"), (45, "8 %")):
                drawing.line([(path[2][0], 200), (path[2][0] + shift, 230)])
                drawing.node(path[2][0] + shift, 240, "", GREEN, 9)
                drawing.text(path[2][0] + shift, 266, share, size=11, colour=PALE)
        if number == 2:
            drawing.line([(path[2][0], 200), (path[2][0], 224)])
            drawing.box(path[2][0] - 62, 226, 124, 40, ["0.41, 0.33, 0.26"], ORANGE)
    drawing.text(430, 333, "The number in a node is the seat that decides there: each maximises its"
                 " own value (max^n).", size=12, colour=PALE)
    return drawing


def graph() -> Drawing:
    """Orders of moves that meet, and the deals below the end of a round."""
    drawing = Drawing(860, 400, "Transpositions, ends of a round and deals")
    drawing.text(225, 28, "Orders of moves that meet", size=16, bold=True)
    drawing.node(225, 62, "root", radius=20)
    for x, first, second in ((120, "D1:R", "D3:P"), (330, "D3:P", "D1:R")):
        side = 1 if x < 225 else -1
        drawing.line([(225 - side * 14, 77), (x + side * 8, 127)])
        drawing.text((225 + x) / 2 - side * 28, 104, first, colour=PALE)
        drawing.node(x, 140)
        drawing.line([(x, 155), (x, 205)])
        drawing.text(x - side * 26, 184, second, colour=PALE)
        drawing.node(x, 220, "12" if side > 0 else "5")
        drawing.line([(x + side * 10, 231), (225 - side * 40, 276)])
    drawing.box(150, 278, 150, 34, ["the same children"], GREEN)
    for line, words in enumerate((
            "Each way keeps its own node and visits; a table maps the position's",
            "key to one list of children, which all ways share.")):
        drawing.text(225, 345 + 17 * line, words, size=12, colour=PALE)
    drawing.line([(440, 20), (440, 380)], tip=False, dashed=True)
    drawing.text(650, 28, "The end of a round (two players)", size=16, bold=True)
    drawing.node(650, 62, "", radius=15)
    drawing.text(675, 66, "the last decision of the round", anchor="start", size=12, colour=PALE)
    drawing.line([(650, 77), (650, 118)])
    drawing.box(570, 120, 160, 44, ["end of the round", "first its known value"], ORANGE)
    for number, x in enumerate((520, 650, 780)):
        drawing.line([(650 + 40 * (number - 1), 164), (x, 216)], dashed=number == 2)
        drawing.box(x - 56, 218, 112, 34, [("deal 1", "deal 2", "deal 3 ...")[number]], GREEN)
        drawing.line([(x, 252), (x, 288)], dashed=number == 2)
        drawing.node(x, 303)
    for line, words in enumerate((
            "After some visits it is opened: 1 + sqrt(visits / spread) deals, the",
            "least visited one is followed. Moves that leave the same bag",
            "are compared on the same deals.")):
        drawing.text(650, 343 + 17 * line, words, size=12, colour=PALE)
    return drawing


def network() -> Drawing:
    """The network: its inputs, layers and outputs, and what is kept."""
    drawing = Drawing(860, 330, "The network")
    for row, (name, words) in enumerate((("shared", "displays, bag, round"),
                                         ("seat to move", "board, hand, score"),
                                         ("next seat", "board, hand, score"),
                                         ("...", "clockwise"))):
        y = 52 + 58 * row
        drawing.box(14, y, 168, 46, [name, words], GREY)
        drawing.line([(182, y + 23), (262, 150)])
    drawing.text(98, 34, "inputs, 0 or 1", bold=True)
    drawing.box(264, 100, 120, 100, ["256 units", "sums of the rows", "of active inputs"], BLUE)
    drawing.line([(384, 150), (444, 150)])
    drawing.box(446, 110, 104, 80, ["64 units", "cut to 0..4"], BLUE)
    for row, (name, words) in enumerate((("win", "shares of the victory by seat"),
                                         ("lead", "over the best other seat"),
                                         ("gain", "points still to come"),
                                         ("policy", "weights of features of moves"))):
        y = 44 + 62 * row
        drawing.line([(550, 150), (620, y + 23)], dashed=name == "policy")
        drawing.box(622, y, 224, 46, [name, words], ORANGE if name != "policy" else GREEN)
    drawing.text(324, 222, "kept for each seat:", size=12, colour=PALE)
    drawing.text(324, 238, "what its board adds", size=12, colour=PALE)
    drawing.text(498, 222, "kept for 16,384", size=12, colour=PALE)
    drawing.text(498, 238, "positions", size=12, colour=PALE)
    drawing.text(430, 318, "Whole numbers throughout, so every machine computes the same bits. The"
                 " policy is computed only where a node gets its moves.", size=12, colour=PALE)
    return drawing


def benchmarks() -> Drawing:
    """Bars of the first table of docs/benchmarks.md."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"## Results\n.*?\n\n(\| variant .*?\n)\n", text, re.DOTALL)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    drawing = Drawing(860, 60 + 24 * (len(rows) - 2), "Random games and simulations per second")
    panels = ((1, "random games/s", 150, BLUE), (3, "simulations/s of the opening", 510, GREEN))
    for column, title, left, fill in panels:
        values = [int(row[column].replace(",", "")) for row in rows[2:]]
        drawing.text(left + 150, 30, title, size=15, bold=True)
        for number, value in enumerate(values):
            y = 46 + 24 * number
            width = 260 * value / max(values)
            drawing.parts.append(f'<rect x="{left}" y="{y}" width="{width:.1f}" height="17"'
                                 f' fill="{fill}" stroke="{LINE}"/>')
            drawing.text(left + width + 6, y + 13, f"{value:,}", size=12, anchor="start")
    for number, row in enumerate(rows[2:]):
        drawing.text(142, 59 + 24 * number, row[0], anchor="end")
    return drawing


PICTURES: dict[str, Callable[[], Drawing]] = {
    "search-simulation": simulation, "search-graph": graph, "search-network": network,
    "benchmarks": benchmarks,
}


def main() -> None:
    """Write all pictures."""
    for name, draw in PICTURES.items():
        (IMAGES / f"{name}.svg").write_text(str(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
