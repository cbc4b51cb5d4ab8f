"""Moves drawn over the picture of a position: arrows, rings, ranks and chances.

Places are found in the picture itself, by the same `data-at` that a program uses to let people
click on it, so that this works for every game.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from pavilion_ai.position import Position
from pavilion_ai.render import choice, describe, svg
from pavilion_ai.render.steps import Step
from pavilion_ai.render.svg import PAPER, Point
from pavilion_ai.render.table_svg import ACCENT

_GROW = 1.14  # rings are so much larger than what they surround
_RING_GAP = 4.0
_BADGE_HEIGHT = 22.0
_BADGE_TEXT = 13.0
_TRIES = 20  # places tried for a badge before it may cover another
_HAND_STEP = 26.0  # between the ends of arrows to a hand, if there is room for it
_SVG = "{http://www.w3.org/2000/svg}"

PLAYED, BETTER = "#8a3a9b", ACCENT
"""Colours of the move that was played and of better ones."""

Outline = list[Point]


@dataclass(frozen=True)
class Shown:
    """A move to draw.

    Attributes:
        move: a legal move in notation.
        label: a few characters beside it, such as its rank and its chance.
        strong: whether it is drawn solid and bold, as the first of several.
        colour: colour of rings, arrow and label.
    """

    move: str
    label: str
    strong: bool = False
    colour: str = BETTER


def with_moves(picture: str, position: Position, moves: Sequence[Shown]) -> str:
    """Return the picture of a position with moves drawn over it, the first one on top.

    Raises:
        MoveError: a move is not legal in this position.
    """
    places = _Places(picture, position.to_move, len(moves))
    badges: list[tuple[Point, float]] = []
    drawn = [_move(places, position, shown, rank, badges) for rank, shown in enumerate(moves)]
    layer = svg.group(*reversed(drawn), class_="moves")
    return picture.removesuffix("</svg>\n") + layer + "\n</svg>\n"


def _move(
    places: _Places, position: Position, shown: Shown, rank: int, badges: list[tuple[Point, float]]
) -> str:
    made = choice(position, shown.move)
    stops = [places.outlines(step) for step in made.steps if step.tiles or made.kind != "pass"]
    ringed = stops if made.kind in ("draft", "wall") or shown.strong else stops[:1]
    parts = [_ring(outline, shown) for stop in ringed for outline in stop]
    ends = [_middle([corner for outline in stop for corner in outline]) for stop in stops if stop]
    if made.kind in ("draft", "bonus") and len(ends) == 1 and (hand := places.hand(rank)):
        ends.append(hand)
    if made.kind == "pass" and not stops and places.hand_name:
        ends.append(places.hand_name)
    if made.kind != "place" and len(ends) > 1:
        start = ends[0]
        if made.kind != "wall":  # from below what is taken
            start = start[0], max(y for outline in stops[0] for _, y in outline) + _RING_GAP
        parts.append(_arrow(start, ends[-1], shown))
    if ends:
        parts.append(_badge(ends[-1] if made.kind == "wall" else ends[0], shown, badges))
    return svg.group(*parts, title=f"{shown.label}: {describe(position, shown.move)}",
                     class_="move")


def _ring(outline: Outline, shown: Shown) -> str:
    x, y = _middle(outline)
    corners = [(x + _GROW * (a - x), y + _GROW * (b - y)) for a, b in outline]
    width = _width(shown)
    halo = svg.polygon(corners, fill="none", stroke=PAPER, stroke_width=width + 2.5,
                       stroke_linejoin="round")
    ring = svg.polygon(corners, fill="none", stroke=shown.colour, stroke_width=width,
                       stroke_linejoin="round", stroke_dasharray=_dashes(shown), class_="ring")
    return halo + ring


def _width(shown: Shown) -> float:
    return 4.5 if shown.strong else 2.5


def _dashes(shown: Shown) -> str | None:
    return None if shown.strong else "8 4"


def _arrow(start: Point, end: Point, shown: Shown) -> str:
    """Draw an arrow: bent, as it leaves and arrives upright, unless it runs across."""
    upright = abs(end[1] - start[1]) > abs(end[0] - start[0]) / 4
    bend = (start[1] + end[1]) / 2
    first, second = ((start[0], bend), (end[0], bend)) if upright else (start, end)
    points = " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in (first, second, end))
    path = f"M{svg.number(start[0])},{svg.number(start[1])}C{points}"
    width = _width(shown)
    tail = second if upright else start
    angle = math.atan2(end[1] - tail[1], end[0] - tail[0])
    head = [(end[0] + r * math.cos(angle + turn), end[1] + r * math.sin(angle + turn))
            for r, turn in ((10, 0.0), (11, 2.4), (11, -2.4))]
    return (
        svg.element("path", d=path, fill="none", stroke=PAPER, stroke_width=width + 2.5)
        + svg.element("path", d=path, fill="none", stroke=shown.colour, stroke_width=width,
                      stroke_dasharray=_dashes(shown), class_="arrow")
        + svg.polygon(head, fill=shown.colour, stroke=PAPER, stroke_width=1.5))


def _badge(at: Point, shown: Shown, badges: list[tuple[Point, float]]) -> str:
    """Draw a label at a place, moved down until it covers no other."""
    width = svg.text_width(shown.label, _BADGE_TEXT) + 16
    x, y = at[0] + 8, at[1] - 30
    for _ in range(_TRIES):
        if not any(abs(y - other[1]) < _BADGE_HEIGHT + 2 and x < other[0] + size
                   and other[0] < x + width for other, size in badges):
            break
        y += _BADGE_HEIGHT / 2
    badges.append(((x, y), width))
    fill, ink = (shown.colour, PAPER) if shown.strong else (PAPER, shown.colour)
    return svg.group(
        svg.box((x, y), (width, _BADGE_HEIGHT), 11, fill=fill,
                stroke=PAPER if shown.strong else shown.colour, stroke_width=1.5),
        svg.text(shown.label, (x + width / 2, y + _BADGE_HEIGHT / 2), _BADGE_TEXT, fill=ink,
                 bold=True, anchor="middle"),
        class_="badge")


def _middle(points: Outline) -> Point:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


@dataclass(frozen=True)
class _Element:
    """Something of the picture that a step names: its tile, if any, and its outline."""

    place: str
    own: bool
    tile: str
    outline: Outline


class _Places:
    """Where things lie in a picture, for the seat to move, which has some moves to draw.

    Attributes:
        hand_name: where the word beside the mover's hand stands, in games with one.
    """

    def __init__(self, picture: str, seat: int | None, moves: int) -> None:
        self.hand_name: Point | None = None
        self._elements: list[_Element] = []
        self._edge = 0.0  # of the mover's panel, on the right
        self._moves = moves
        self._walk(ElementTree.fromstring(picture), (0.0, 0.0), None, str(seat))

    def outlines(self, step: Step) -> list[Outline]:
        """Return what a step concerns: as many tiles as it names, or spaces without a tile."""
        found = [one for one in self._elements if (one.place, one.own) == (step.place, step.own)]
        if not step.tiles:
            free = [one.outline for one in found if not one.tile]
            return free[:1] or [one.outline for one in found[:1]]
        left = list(step.tiles)
        taken = []
        for one in found:
            if one.tile in left:
                left.remove(one.tile)
                taken.append(one.outline)
        return taken

    def hand(self, rank: int) -> Point | None:
        """Return where an arrow to the mover's hand ends; arrows of other ranks end beside it."""
        if self.hand_name is None:
            return None
        x, y = self.hand_name[0] + 60, self.hand_name[1] - 12
        return x + rank * min(_HAND_STEP, (self._edge - x) / self._moves), y

    def _walk(
        self, node: ElementTree.Element, offset: Point, seat: str | None, mover: str
    ) -> None:
        if moved := node.get("transform"):
            numbers = re.findall(r"-?[\d.]+", moved)
            offset = (offset[0] + float(numbers[0]), offset[1] + float(numbers[1]))
        seat = node.get("data-seat", seat)
        own = seat == mover
        if node.get("data-seat") == mover:
            self._edge = _outline(node, offset)[1][0]
        place = node.get("data-at")
        if place is not None and (own or seat is None):
            self._elements.append(
                _Element(place, own, node.get("data-tile", ""), _outline(node, offset)))
        if own and node.get("data-place") == "hand":
            label = next(node.iter(f"{_SVG}text"))
            x, y = (float(label.get(key, 0)) for key in ("x", "y"))
            self.hand_name = (offset[0] + x, offset[1] + y - 5)
        for child in node:
            self._walk(child, offset, seat, mover)


def _outline(node: ElementTree.Element, offset: Point) -> Outline:
    """Return the corners of the first shape of an element."""
    for shape in node.iter():
        if shape.tag == f"{_SVG}polygon":
            pairs = [pair.split(",") for pair in shape.get("points", "").split()]
            return [(float(x) + offset[0], float(y) + offset[1]) for x, y in pairs]
        if shape.tag == f"{_SVG}rect":
            x, y, width, height = (
                float(shape.get(key, 0)) for key in ("x", "y", "width", "height"))
            x, y = x + offset[0], y + offset[1]
            return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    return [offset]
