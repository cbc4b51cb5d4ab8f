"""Pictures for dark screens: the same drawing in other colours; tiles keep theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping

DARK: Mapping[str, str] = {
    # table and words
    "#fefefe": "#202028", "#1d1d27": "#ececf2", "#5b5b66": "#b0b0bd", "#33333d": "#e6e6ee",
    "#4a4a55": "#d4d4de", "#a02020": "#ff9a9a", "#0b4f8a": "#7ab8f2", "#8a3a9b": "#dc9bea",
    "#d5d5dc": "#4a4a57", "#8f8f99": "#7d7d8a", "#fafafc": "#26262f", "#ececf1": "#32323e",
    "#f7f7f9": "#2b2b35", "#e4e4ea": "#3c3c49",
    # edges and tints of empty spaces, both games
    "#8e5aa8": "#b98ad0", "#f3e9f7": "#3a2a44", "#3c8f4c": "#6fc07f", "#e6f4e8": "#21382a",
    "#c8690a": "#e09a4f", "#fdeedd": "#45321d", "#a58a00": "#c9b23a", "#fdf8d8": "#3f3a18",
    "#3f78cc": "#7fa8e8", "#e6effb": "#1f3050", "#cc4a4a": "#e58a8a", "#fbe7e7": "#472527",
    "#85858f": "#9a9aa6", "#f0f0f3": "#2e2e38", "#a07800": "#c9a33a", "#fdf3d3": "#43391a",
    "#6b6b75": "#a0a0ac", "#dedee3": "#484853", "#5b8fa3": "#8fbccc", "#f7fbfc": "#27363d",
    # goals that are reached
    "#1b7a38": "#1d803b",
}
"""Colours of the drawings that are others on a dark ground. White and black are not among them:
they are the letters on tiles and the white tile."""

_COLOUR = re.compile(r'((?:fill|stroke)=")(#[0-9a-f]{6})"')


def darkened(picture: str) -> str:
    """Return a picture as it is drawn on a dark ground."""
    return _COLOUR.sub(lambda found: f'{found[1]}{DARK.get(found[2], found[2])}"', picture)


def alone(picture: str) -> str:
    """Return a picture that follows its reader's light or dark setting where it is opened alone.

    Its style sheet is for the root of a document, so it changes nothing on a page that holds the
    picture among other things.
    """
    used = sorted({found.groups() for found in _COLOUR.finditer(picture) if found[2] in DARK})
    rules = "".join(f'svg:root [{start[:-2]}="{colour}"]{{{start[:-2]}:{DARK[colour]}}}'
                    for start, colour in used)
    style = f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>\n"
    opening, end, rest = picture.partition("</desc>\n")
    return opening + end + style + rest
