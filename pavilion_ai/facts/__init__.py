"""What recorded games tell people: points by source, what things are worth, how games open."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from pavilion_ai.facts import azul, summer
from pavilion_ai.facts.tally import Table

__all__ = ["COUNTERS", "Table"]

COUNTERS: Mapping[str, ModuleType] = {"summer": summer, "azul": azul}
"""What is counted, by name of the game: `LAYOUTS`, the tables in order, and `count`, of a game."""
