"""The two implementations of the rules behind one face, on positions in JSON form."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from tests.reference import summer as oracle

Position = dict[str, Any]

SAMPLES = Path(__file__).parent.parent / "data" / "contract"


class Rules(Protocol):
    """What the tests ask of an implementation of Summer Pavilion."""

    def legal_moves(self, position: Position, keep_policy: str = "free") -> list[str]: ...
    def chance(self, position: Position) -> str | None: ...
    def apply(self, position: Position, move: str) -> Position: ...
    def perft(self, position: Position, depth: int) -> int: ...
    def breakdown(self, position: Position) -> list[dict[str, int]]: ...
    def winners(self, position: Position) -> list[int]: ...


class Core:
    """The package: `pavilion_ai.notation` reads and writes, `pavilion_ai.games` plays."""

    def __init__(self) -> None:
        from pavilion_ai import notation
        from pavilion_ai.games import GAMES

        self.notation = notation
        self.game = GAMES["summer"]

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


def implementation(name: str) -> Rules:
    """Return the implementation `oracle` (tests/reference) or `core` (the package)."""
    return oracle if name == "oracle" else Core()


def samples(name: str) -> list[dict[str, Any]]:
    """Read a file of the contract's sample data."""
    with (SAMPLES / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def summer_samples(name: str) -> list[dict[str, Any]]:
    """Read the lines of a sample file that belong to Summer Pavilion."""
    return [
        line
        for line in samples(name)
        if not isinstance(line["position"], dict) or line["position"].get("game") != "azul"
    ]


def refuses(rules: Rules, position: Position, move: str) -> bool:
    """Tell whether an implementation refuses a move with a ValueError."""
    try:
        rules.apply(position, move)
    except ValueError:
        return True
    return False
