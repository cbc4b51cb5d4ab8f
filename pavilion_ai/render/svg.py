"""Pictures as SVG: elements as strings, and conversion from SVG to PNG.

A picture is one self-contained document: no scripts, no links, no style sheet that would affect
the page that embeds the picture, and only generic fonts. Equal drawings give equal text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from pavilion_ai.errors import harmless

Point = tuple[float, float]

INK = "#1d1d27"
FAINT_INK = "#5b5b66"
PAPER = "#fefefe"  # not the white of letters and tiles, which stays on a dark ground
FONT = "sans-serif"
PNG_SCALE = 2
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_SPECIAL = re.compile(f"[{''.join(_ESCAPES)}]")


class NoConverterError(RuntimeError):
    """SVG cannot be converted to PNG because something is missing; the message says what."""


def escaped(text: str) -> str:
    """Return text escaped for an element or an attribute, and otherwise `harmless`.

    >>> escaped('a<b & "c"'), escaped("x" + chr(27))
    ('a&lt;b &amp; &quot;c&quot;', 'x?')
    """
    if text.isprintable() and not _SPECIAL.search(text):
        return text  # nearly always, and much quicker
    return "".join(
        _ESCAPES.get(char, char if char in "\t\n" else harmless(char)) for char in text
    )


def number(value: float) -> str:
    """Return a coordinate with at most two decimals.

    >>> number(2.0), number(-0.001), number(1 / 3)
    ('2', '0', '0.33')
    """
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def element(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return an element; `_` in attribute names becomes `-`, or nothing at the end of a name.

    >>> element("circle", cx=1.5, r=2, class_="token", fill=None)
    '<circle cx="1.5" r="2" class="token"/>'
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            shown = escaped(value) if isinstance(value, str) else number(value)
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    opening = " ".join(parts)
    return f"<{opening}>{''.join(children)}</{name}>" if children else f"<{opening}/>"


def group(
    *children: str, title: str = "", at: Point | None = None, **attributes: str | None
) -> str:
    """Return a group, shifted if `at` is given; the title is shown when pointed at."""
    shift = None if at is None else f"translate({number(at[0])} {number(at[1])})"
    titles = [element("title", escaped(title))] if title else []
    return element("g", *titles, *children, transform=shift, **attributes)


def text(
    content: str,
    at: Point = (0, 0),
    size: float = 14,
    *,
    fill: str = INK,
    bold: bool = False,
    anchor: str = "start",
) -> str:
    """Return a line of text, vertically centred at `at` (for capitals and digits)."""
    return element(
        "text",
        escaped(content),
        x=at[0],
        y=at[1] + 0.36 * size,
        font_size=size,
        fill=fill,
        font_weight="bold" if bold else None,
        text_anchor=None if anchor == "start" else anchor,
    )


def text_width(content: str, size: float) -> float:
    """Return the approximate width of a text; fonts differ."""
    return 0.56 * size * len(content)


def box(at: Point, size: Point, radius: float = 0, **attributes: str | float | None) -> str:
    """Return a rectangle with rounded corners."""
    return element(
        "rect", x=at[0], y=at[1], width=size[0], height=size[1], rx=radius or None, **attributes
    )


def polygon(points: Iterable[Point], **attributes: str | float | None) -> str:
    """Return a polygon."""
    corners = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return element("polygon", points=corners, **attributes)


def rhombus(height: float, angle: float = math.pi / 2, at: Point = (0, 0)) -> list[Point]:
    """Return the corners of a rhombus with angles of 60 and 120 degrees.

    Args:
        height: length of the longer diagonal.
        angle: direction of that diagonal in radians, clockwise from the right; default upright.
        at: the centre.
    """
    long, short = height / 2, height / 2 / math.sqrt(3)
    x, y = math.cos(angle), math.sin(angle)
    return [
        (at[0] + along * x - across * y, at[1] + along * y + across * x)
        for along, across in ((long, 0.0), (0.0, short), (-long, 0.0), (0.0, -short))
    ]


def asterisk(radius: float, at: Point) -> list[Point]:
    """Return the corners of a five-pointed star."""
    return [
        (
            at[0] + radius * (0.45 if turn % 2 else 1) * math.sin(turn * math.pi / 5),
            at[1] - radius * (0.45 if turn % 2 else 1) * math.cos(turn * math.pi / 5),
        )
        for turn in range(10)
    ]


def document(
    size: Point, title: str, description: str, children: Sequence[str], *, shrinks: bool = True
) -> str:
    """Return the whole picture, with a title and a description for screen readers.

    With `shrinks` it is at most as wide as the page that it stands in. That takes a `style`, which
    a page may forbid.
    """
    width, height = math.ceil(size[0]), math.ceil(size[1])
    attributes: dict[str, Any] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "width": width,
        "height": height,
        "viewBox": f"0 0 {width} {height}",
        "style": f"width:100%;max-width:{width}px;height:auto" if shrinks else None,
        "role": "img",
        "font-family": FONT,
    }
    return element(
        "svg",
        "\n" + element("title", escaped(title)) + "\n",
        element("desc", escaped(description)) + "\n",
        element("rect", width=width, height=height, fill=PAPER) + "\n",
        *(child + "\n" for child in children),
        **attributes,
    ) + "\n"


def to_png(picture: str, scale: int = PNG_SCALE) -> bytes:
    """Return an SVG picture as PNG, `scale` times its size in pixels.

    Raises:
        NoConverterError: as `converter`.
    """
    return bytes(converter().svg_to_bytes(svg_string=picture, zoom=scale))


def converter() -> Any:
    """Return the library that makes PNG of SVG; call it before anything that takes long.

    Raises:
        NoConverterError: it is not installed, or finds no font: letters would be missing.
    """
    try:
        import resvg_py
    except ImportError:
        raise NoConverterError(
            "PNG needs the library resvg-py: pip install 'pavilion-ai[png]' (or take svg)"
        ) from None
    if not _has_letters(resvg_py):
        raise NoConverterError(
            "PNG needs a font for its letters, and none is installed (or take svg)")
    return resvg_py


@cache
def _has_letters(resvg: Any) -> bool:
    """Tell whether a letter leaves a trace; the library draws none if it finds no font."""
    blank, letter = (
        bytes(resvg.svg_to_bytes(svg_string=document((20, 20), "", "", [text(content, (5, 10))])))
        for content in ("", "A"))
    return blank != letter
