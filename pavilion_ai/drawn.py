"""What draws itself: `str()` is a drawing as text, and a notebook shows a picture.

Renderers stand near the top of the order of rooms, positions at its bottom. This is the one place
that reaches up, when something is drawn and not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["Drawn", "Tabulated", "renderer"]


def renderer() -> Any:
    """Return the module that draws (`pavilion_ai.render`)."""
    return import_module("pavilion_ai.render")


class Tabulated:
    """Base of what is shown as a table: the results of a search."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(renderer().analysis_as_text(self))

    def _repr_html_(self) -> str:
        return str(renderer().analysis_as_html(self))


class Drawn:
    """Base of what stands for a position and is shown as one."""

    __slots__ = ()

    def _drawn(self) -> Any:
        """Return the position to be drawn."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(renderer().as_text(self._drawn()))

    def _repr_svg_(self) -> str:
        return str(renderer().as_svg(self._drawn()))
