"""Textures of empty spaces, so that their colours are told apart without colour.

Each is one path of thin lines in a small box, without clipping or references to other elements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pavilion_ai.render import svg
from pavilion_ai.render.svg import Point

_Strokes = Sequence[Sequence[Point]]
_DOT = 0.01  # length of a stroke that shows as a dot, having round ends
_RINGS = ((-0.55, 0.0), (0.55, 0.0))
_RING_SIDES = 8


def _dots(points: Iterable[Point]) -> _Strokes:
    return [((x - _DOT, y), (x + _DOT, y)) for x, y in points]


def _ring(x: float, y: float) -> Sequence[Point]:
    turns = [2 * math.pi * side / _RING_SIDES for side in range(_RING_SIDES + 1)]
    return [(x + 0.4 * math.cos(turn), y + 0.4 * math.sin(turn)) for turn in turns]


TEXTURES: dict[str, _Strokes] = {
    "dots": _dots([(-0.7, -0.5), (0.0, -0.5), (0.7, -0.5), (-0.35, 0.5), (0.35, 0.5)]),
    "along": [[(-1, y), (1, y)] for y in (-0.7, 0.0, 0.7)],
    "across": [[(x, -1), (x, 1)] for x in (-0.8, -0.27, 0.27, 0.8)],
    "rings": [_ring(*at) for at in _RINGS],
    "zigzag": [[(-1, y + 0.35), (-0.5, y - 0.35), (0, y + 0.35), (0.5, y - 0.35), (1, y + 0.35)]
               for y in (-0.5, 0.5)],
    "crosses": [[(x - 0.4, -y), (x + 0.4, y)] for x in (-0.55, 0.55) for y in (-0.8, 0.8)],
}
"""Strokes by name, in a square from -1 to 1."""


def texture(
    kind: str, at: Point, size: Point, stroke: str, angle: float = 0.0, width: float = 1.2
) -> str:
    """Draw a texture.

    Args:
        kind: a key of `TEXTURES`.
        at: middle of its box.
        size: half the width and half the height of the box.
        stroke: colour.
        angle: turn of the box in radians, clockwise.
        width: width of the strokes.
    """
    along, across = math.cos(angle), math.sin(angle)

    def placed(point: Point) -> str:
        x, y = point[0] * size[0], point[1] * size[1]
        return (f"{svg.number(at[0] + x * along - y * across)}"
                f",{svg.number(at[1] + x * across + y * along)}")

    path = "".join("M" + "L".join(map(placed, points)) for points in TEXTURES[kind])
    return svg.element(
        "path", d=path, fill="none", stroke=stroke, class_=f"texture {kind}",
        stroke_width=2.4 if kind == "dots" else width, stroke_linecap="round")
