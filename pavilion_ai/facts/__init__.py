"""What recorded games tell people: points by source, what things are worth, how games open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from pavilion_ai.facts import azul, summer
from pavilion_ai.facts.game import Counter
from pavilion_ai.facts.tally import Layout, Table

__all__ = ["COUNTERS", "Kind", "Table"]


@dataclass(frozen=True)
class Kind:
    """What is counted in a game.

    Attributes:
        layouts: the tables, in order.
        count: counts a game for them.
    """

    layouts: tuple[Layout, ...]
    count: Counter


def _kind(module: ModuleType) -> Kind:
    return Kind(module.LAYOUTS, module.count)


COUNTERS: Mapping[str, Kind] = {"summer": _kind(summer), "azul": _kind(azul)}
"""Counters by name of the game."""
