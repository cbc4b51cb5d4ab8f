"""The games: rules on immutable positions and move strings, computed by the compiled core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pavilion_ai.errors import one_of
from pavilion_ai.games.azul import AzulRules
from pavilion_ai.games.base import (
    CHANCE_PHASES,
    CHANCE_STREAM,
    MoveNames,
    Rng,
    Rules,
    State,
    check_variant,
    fresh_seed,
    seeded,
    whole_seed,
)
from pavilion_ai.games.summer import SummerRules
from pavilion_ai.position import Position, table_of

__all__ = [
    "CHANCE_PHASES",
    "CHANCE_STREAM",
    "DEFAULT_GAME",
    "GAMES",
    "AzulRules",
    "MoveNames",
    "Rng",
    "Rules",
    "State",
    "SummerRules",
    "fresh_seed",
    "rules_for",
    "rules_of",
    "seeded",
    "variants",
    "whole_seed",
]

GAMES: Mapping[str, Rules] = {rules.name: rules for rules in (SummerRules(), AzulRules())}
"""Every game by its name."""

DEFAULT_GAME = SummerRules().name
"""The game to use if none is named."""


def variants() -> Iterator[tuple[Rules, str, int]]:
    """Yield every game with each of its boards and numbers of players."""
    for rules in GAMES.values():
        for board in rules.boards:
            for players in range(rules.min_players, rules.max_players + 1):
                yield rules, board, players


def rules_of(position: Position) -> Rules:
    """Return the game that a position belongs to. PositionError: it is not a position."""
    return GAMES[table_of(position).game]


def rules_for(game: str, board: str, players: int) -> Rules:
    """Return the rules of a variant.

    Raises:
        SpecError: there is no such variant.
    """
    rules = GAMES[one_of("game", game, GAMES)]
    check_variant(rules, board, players)
    return rules
