"""The two implementations of the rules behind one face, on positions in JSON form."""

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Protocol

from tests.reference import azul, summer

Position = dict[str, Any]

SAMPLES = Path(__file__).parent.parent / "data" / "contract"


class Rules(Protocol):
    """What the tests ask of an implementation of a game's rules."""

    def legal_moves(self, position: Position, keep_policy: str = "free") -> list[str]: ...
    def chance(self, position: Position) -> str | None: ...
    def apply(self, position: Position, move: str) -> Position: ...
    def perft(self, position: Position, depth: int) -> int: ...
    def breakdown(self, position: Position) -> list[dict[str, int]]: ...
    def winners(self, position: Position) -> list[int]: ...


class Oracle(Rules, Protocol):
    """What an oracle can do besides, for games played at random."""

    def possible_draw(self, position: Position, move: str) -> bool: ...
    def draw(self, position: Position, rng: Random) -> tuple[str, Position]: ...
    def new_game(self, players: int, board: str, rng: Random) -> Position: ...


ORACLES: dict[str, Oracle] = {"summer": summer, "azul": azul}


class Core:
    """The package: `pavilion_ai.notation` reads and writes, `pavilion_ai.games` plays."""

    def __init__(self, game: str = "summer") -> None:
        from pavilion_ai import notation
        from pavilion_ai.games import GAMES

        self.notation = notation
        self.game = GAMES[game]

    def read(self, position: Mapping[str, object]) -> Any:
        return self.notation.parse_position(position).position

    def legal_moves(self, position: Position, keep_policy: str = "free") -> list[str]:
        return self.game.legal_moves(self.read(position), keep_policy)

    def chance(self, position: Position) -> str | None:
        return self.game.chance(self.read(position))

    def apply(self, position: Position, move: str) -> Position:
        return self.notation.to_json(self.game.apply(self.read(position), move))

    def perft(self, position: Position, depth: int) -> int:
        return self.game.perft(self.read(position), depth)

    def breakdown(self, position: Position) -> list[dict[str, int]]:
        return [dict(parts) for parts in self.game.breakdown(self.read(position))]

    def winners(self, position: Position) -> list[int]:
        return list(self.game.winners(self.read(position)))


def implementation(name: str, game: str = "summer") -> Rules:
    """Return the implementation `oracle` (tests/reference) or `core` (the package) of a game."""
    return ORACLES[game] if name == "oracle" else Core(game)


def samples(name: str) -> list[dict[str, Any]]:
    """Read a file of the contract's sample data."""
    with (SAMPLES / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def game_of(position: object) -> str:
    """Return the game of a position; a bad one that names none is Summer Pavilion's."""
    azul_named = isinstance(position, dict) and position.get("game") == "azul"
    return "azul" if azul_named else "summer"


def refuses(rules: Rules, position: Position, move: str) -> bool:
    """Tell whether an implementation refuses a move with a ValueError."""
    try:
        rules.apply(position, move)
    except ValueError:
        return True
    return False
