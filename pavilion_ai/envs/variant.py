"""Checks of the arguments that name a variant of a game."""

from __future__ import annotations

from collections.abc import Collection

from pavilion_ai.errors import SpecError, shown
from pavilion_ai.games import GAMES, Rules

__all__ = ["one_of", "rules_for"]


def rules_for(game: str, board: str, players: int) -> Rules:
    """Return the rules of a variant.

    Raises:
        SpecError: there is no such variant.
    """
    rules = GAMES[one_of("game", game, GAMES)]
    one_of("board", board, rules.boards)
    if type(players) is not int or not rules.min_players <= players <= rules.max_players:
        raise SpecError(f"players {shown(players)}: expected {rules.min_players} to"
                        f" {rules.max_players}")
    return rules


def one_of(what: str, value: str, names: Collection[str]) -> str:
    """Return the value if it is one of the names; otherwise raise SpecError."""
    if not isinstance(value, str) or value not in names:
        raise SpecError(f"{what} {shown(value)}: expected one of {', '.join(names)}")
    return value
