"""Draw tiles and a player board of Summer Pavilion as SVG.

The board has the shape of the cardboard one (RULES.md A3): the places of spaces and features come
from `summer_layout`; here are only sizes, shapes and colours. Every tile carries its letter, so
that nothing is shown by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache

from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render import svg
from pavilion_ai.render.svg import Point
from pavilion_ai.render.table_svg import (
    DONE_INK,
    EDGE,
    GOAL_COLOURS,
    SPACE_INK,
    goal_look,
    goal_sign,
)
from pavilion_ai.render.texture import texture
from pavilion_ai.render.words import one_by_one
from pavilion_ai.wording import plural

RING = 140.0  # radius of the ring of stars
_TIP = 0.94 * RING * layout.TIP  # length of a star's points; the rest is the gap between stars
BOARD: Point = (460.0, 412.0)
TILE_HEIGHT = 42.0
TILE_WIDTH = TILE_HEIGHT / math.sqrt(3)
_CORNERS: tuple[Point, ...] = ((-202, -172), (202, -172), (202, 172), (-202, 172))

# Fill of a tile and its letter; edge and fill of an empty space of that colour.
TILE_COLOURS = {
    "P": ("#71368a", "#ffffff"),
    "G": ("#58b368", "#000000"),
    "O": ("#f28c28", "#000000"),
    "Y": ("#ffe14d", "#000000"),
    "B": ("#1f5fbf", "#ffffff"),
    "R": ("#c62828", "#ffffff"),
}
SPACE_COLOURS = {
    "P": ("#8e5aa8", "#f3e9f7"),
    "G": ("#3c8f4c", "#e6f4e8"),
    "O": ("#c8690a", "#fdeedd"),
    "Y": ("#a58a00", "#fdf8d8"),
    "B": ("#3f78cc", "#e6effb"),
    "R": ("#cc4a4a", "#fbe7e7"),
    "": ("#85858f", "#f0f0f3"),
}
SPACE_TEXTURES = {
    "P": "dots", "G": "along", "O": "across", "Y": "rings", "B": "zigzag", "R": "crosses",
}
"""Texture at the tip of an empty space; the tints alone merge for colour-blind eyes."""


@lru_cache(4096)
def tile(letter: str, at: Point, place: str, *, wild: bool = False) -> str:
    """Draw an upright tile, with a star above its letter if it is wild."""
    fill, ink = TILE_COLOURS[letter]
    name = layout.colour_name(letter)
    x, y = at
    mark = svg.polygon(svg.asterisk(4.5, (x, y - 10)), fill=ink, class_="wild") if wild else ""
    return svg.group(
        svg.polygon(svg.rhombus(TILE_HEIGHT, at=at), fill=fill, stroke=svg.INK, stroke_width=1),
        mark,
        svg.text(letter, (x, y + (3 if wild else 0)), 13, fill=ink, bold=True, anchor="middle"),
        title=f"{'wild ' if wild else ''}{name} tile",
        class_="tile",
        data_tile=letter,
        data_at=place,
    )


def slot(at: Point, title: str) -> str:
    """Draw an empty place for an upright tile."""
    corners = svg.rhombus(TILE_HEIGHT, at=at)
    drawn = svg.polygon(corners, fill="#f7f7f9", stroke=EDGE, stroke_dasharray="3 2")
    return svg.group(drawn, title=title, class_="slot")


def board(
    side: str, stars: Sequence[str], kept: Sequence[int], *, over: bool = False
) -> str:
    """Draw a player board centred on the origin, `BOARD` wide and high."""
    tiles = one_by_one(kept, layout.COLOURS)
    corners = [
        tile(tiles[index], at, "kept") if index < len(tiles) else slot(at, "corner for a kept tile")
        for index, at in enumerate(_CORNERS)
    ]
    return svg.group(
        *corners,
        *(_star(side, site, stars[site]) for site in range(7)),
        *(_feature(feature, len(layout.missing(stars, feature.spaces)), over=over)
          for feature in layout.FEATURES),
        class_="board",
    )


def _star(side: str, site: int, tiles: str) -> str:
    """Draw a star: six spaces, and its name in its middle."""
    x, y = layout.star_middle(site)
    colour = layout.STAR_COLOURS[site] if side == "coloured" else ""
    complete = "." not in tiles
    return svg.group(
        *(_space(side, site, position, tiles[position - 1]) for position in range(1, 7)),
        _hub(site, colour, complete=complete),
        at=(RING * x, RING * y),
        class_="star",
        data_site=layout.SITES[site],
    )


@cache
def _hub(site: int, colour: str, *, complete: bool) -> str:
    """Draw the middle of a star with its name, green once the star is complete."""
    name = layout.SITES[site]
    which = layout.colour_name(colour) if colour else "any colours"
    circle = svg.element(
        "circle", class_="middle", r=12, fill=GOAL_COLOURS[0][0] if complete else svg.PAPER,
        stroke=SPACE_COLOURS[colour][0])
    ink = DONE_INK if complete else svg.INK
    label = svg.text(name, size=11, fill=ink, bold=True, anchor="middle")
    return svg.group(circle, label, title=f"star {name}, {which}"
                     + (", complete" if complete else ""))


@cache  # 588 of them are most of every picture
def _space(side: str, site: int, position: int, letter: str) -> str:
    """Draw a space: its number while it is empty, else the tile with the number beside."""
    angle = layout.point_angle(layout.point_of(site, position))
    name = layout.space_name(site, position)
    number = str(layout.printed_number(side, site, position))
    colour = layout.STAR_COLOURS[site] if side == "coloured" else ""

    def at(distance: float) -> Point:
        return distance * math.cos(angle), distance * math.sin(angle)

    corners = svg.rhombus(0.96 * _TIP, angle, at(_TIP / 2))
    if letter == ".":
        edge, fill = SPACE_COLOURS[colour]
        return svg.group(
            svg.polygon(corners, fill=fill, stroke=edge, stroke_width=1.5),
            svg.text(number, at(0.55 * _TIP), 16, fill=SPACE_INK, anchor="middle"),
            svg.text(colour.lower(), at(0.29 * _TIP), 10, fill=SPACE_INK, anchor="middle")
            if colour else "",
            texture(SPACE_TEXTURES[colour], at(0.79 * _TIP), (5.5, 5.5), edge, angle)
            if colour else "",
            title=f"{name}: empty, number {number}{_printed(colour)}",
            class_="space",
            data_at=name,
        )
    fill, ink = TILE_COLOURS[letter]
    tile_name = layout.colour_name(letter)
    return svg.group(
        svg.polygon(corners, fill=fill, stroke=svg.INK, stroke_width=1.5),
        svg.text(letter, at(0.61 * _TIP), 17, fill=ink, bold=True, anchor="middle"),
        svg.text(number, at(0.31 * _TIP), 10, fill=ink, anchor="middle"),
        title=f"{name}: {tile_name} tile, number {number}",
        class_="tile",
        data_tile=letter,
        data_at=name,
    )


def _printed(colour: str) -> str:
    """Say for which colour a space is, if it is for one."""
    return f", for {layout.colour_name(colour)}" if colour else ""


@cache
def _feature(feature: layout.Feature, short: int, *, over: bool) -> str:
    """Draw a feature that so many spaces are missing of, be it for good, as the game is over."""
    x, y = layout.feature_middle(feature)
    state = ("surrounded", "one space short")[short] if short < 2 else f"{short} spaces short"
    if over and short:
        state = "not surrounded"
    return svg.group(
        feature_shape(feature.kind, feature.tiles, 2 if over and short else short),
        at=(RING * x, RING * y),
        title=f"{feature.name}, {plural(feature.tiles, 'bonus tile')}: {state}",
        class_="feature",
        data_at=feature.name,
        data_short=str(short),
    )


def feature_shape(kind: str, tiles: int, short: int) -> str:
    """Draw a feature at the origin: a pillar is a circle, a statue a square, a window an arch.

    It shows its number of bonus tiles, with `!` before it if one space is missing, or a tick.
    """
    look = goal_look(short)
    if kind == "pillar":
        shape = svg.element("circle", r=15, **look)
    elif kind == "statue":
        shape = svg.box((-13, -13), (26, 26), 3, **look)
    else:
        shape = svg.element("path", d="M-13,15V-3A13,13 0 0 1 13,-3V15Z", **look)
    return shape + goal_sign(tiles, short)
