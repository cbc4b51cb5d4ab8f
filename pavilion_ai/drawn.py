"""Bases of classes that draw themselves: `str()` is a text drawing, a notebook shows a picture.

Renderers are near the top of the order of rooms, positions at its bottom. This is the only place
that imports upwards, and only when something is drawn.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def renderer() -> Any:
    """Return the module that draws (`pavilion_ai.render`)."""
    return import_module("pavilion_ai.render")


class Tabulated:
    """Base of classes shown as a table: the results of a search."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(renderer().analysis_as_text(self))

    def _repr_html_(self) -> str:
        return str(renderer().analysis_as_html(self))


class Drawn:
    """Base of classes shown as the drawing of a position."""

    __slots__ = ()

    def _drawn(self) -> Any:
        """Return the position to be drawn."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(renderer().as_text(self._drawn()))

    def _repr_svg_(self) -> str:
        return str(renderer().as_svg(self._drawn()))
