"""The games: rules on immutable positions and move strings, computed by the compiled core."""

from __future__ import annotations

from collections.abc import Mapping

from pavilion_ai.games.azul import Azul
from pavilion_ai.games.base import KEEP_POLICIES, Game, Rng, fresh_seed
from pavilion_ai.games.summer import Summer
from pavilion_ai.position import Position

__all__ = [
    "DEFAULT_GAME",
    "GAMES",
    "KEEP_POLICIES",
    "Azul",
    "Game",
    "Rng",
    "Summer",
    "fresh_seed",
    "game_of",
]

GAMES: Mapping[str, Game] = {game.name: game for game in (Summer(), Azul())}
"""Every game by its name."""

DEFAULT_GAME = Summer().name
"""The game that is meant where none is named."""


def game_of(position: Position) -> Game:
    """Return the game that a position belongs to."""
    return GAMES[position.game]
