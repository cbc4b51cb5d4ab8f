"""What the adapters for several libraries share: spaces and drawings."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from pavilion_ai.envs import observations
from pavilion_ai.envs.actions import Array
from pavilion_ai.play import Play
from pavilion_ai.render import draw_svg
from pavilion_ai.render.svg import to_png

__all__ = ["MODES", "observation_box", "picture", "rendered"]

MODES = ("ansi", "rgb_array", "human")
"""Render modes: the drawing as text, as a picture, or printed."""


def observation_box(game: str, players: int, kind: str) -> Any:
    """Return the space of a kind of observation (`gymnasium.spaces.Box`)."""
    from gymnasium import spaces

    parts = observations.observation_parts(game, players, kind)
    dtype = observations.DTYPES[kind]
    high = np.concatenate([
        np.full(part.size, 1 if kind == "scaled" else part.high, dtype) for part in parts])
    return spaces.Box(np.zeros_like(high), high, dtype=dtype)


def rendered(play: Play, mode: str | None) -> Any:
    """Return the drawing as text (`ansi`) or as a picture (`rgb_array`), or print it (`human`).

    Raises:
        NoConverterError: pictures need cairosvg, which is not installed.
    """
    if mode == "rgb_array":
        return picture(play)
    if mode == "ansi":
        return str(play)
    if mode == "human":
        print(play)
    return None


def picture(play: Play) -> Array:
    """Return the drawing of a position as pixels: uint8, by height, width and channel.

    Raises:
        NoConverterError: cairosvg is not installed.
    """
    png = to_png(draw_svg(play.position))
    from PIL import Image  # cairosvg requires it

    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))
