"""The players of several games, called by number so that nobody is named in a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pavilion_ai.bga.importing import Imported
from pavilion_ai.errors import shown
from pavilion_ai.record import GameRecord

__all__ = ["numbered"]

MOST_NAMED = 8


def numbered(games: Sequence[Imported]) -> tuple[list[GameRecord], list[str]]:
    """Return the records with players called `player 1` and so on, and notes on who that is.

    Player 1 plays in most of the games. Of a single game its own notes say who sits where.
    """
    played = Counter(player for game in games for player in game.ids)
    numbers = {player: number for number, (player, _) in enumerate(played.most_common(), 1)}
    known = {player: name for game in games
             for player, name in zip(game.ids, game.names, strict=False) if name}
    notes = [f"player {number} is {shown(known[player])}"
             for player, number in list(numbers.items())[:MOST_NAMED] if player in known]
    return [_numbered(game, numbers) for game in games], notes if len(games) > 1 else []


def _numbered(game: Imported, numbers: dict[str, int]) -> GameRecord:
    labels = [f"player {numbers[player]}" for player in game.ids]
    agents = tuple({**agent, "name": label} for agent, label in zip(
        game.record.agents, [*labels, *("player ?" for _ in game.record.agents)], strict=False))
    return replace(game.record, agents=agents)
