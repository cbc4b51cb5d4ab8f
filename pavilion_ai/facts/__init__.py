"""What recorded games tell people: points by source, what things are worth, how games open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pavilion_ai.facts import azul, summer
from pavilion_ai.facts.game import Played
from pavilion_ai.facts.tally import Layout, Table

__all__ = ["COUNTERS", "Table"]


class _Counter(Protocol):
    """The module of a game: `LAYOUTS` are the tables in order, `count` counts a game for them."""

    LAYOUTS: tuple[Layout, ...]

    def count(self, game: Played) -> None: ...


COUNTERS: Mapping[str, _Counter] = {"summer": summer, "azul": azul}
"""What is counted, by name of the game."""
