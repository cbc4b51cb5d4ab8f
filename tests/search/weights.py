"""The tables of the linear policies and evaluations, as the fitting tools read them."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

from pavilion_ai._core import State

from .support import rules_of

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def tool(name: str) -> Any:
    """Return a module of tools/."""
    sys.path.insert(0, str(TOOLS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(TOOLS))


POLICY_UNIT, EVALUATION_UNIT = tool("heuristics").POLICY_UNIT, tool("heuristics").EVALUATION_UNIT


def heuristics(game: str) -> Any:
    """Return what tools/ knows of a game's heuristics."""
    return getattr(tool(f"{game}_heuristics"), game.upper())


@cache
def tables(game: str) -> dict[str, Any]:
    """Return the tables of a game, from its C header."""
    found: dict[str, Any] = heuristics(game).read()
    return found


def variant(state: State) -> int:
    """Return the number of the table for a state's board side and players."""
    fields: Any = state
    return 3 * bool(fields.fields()[1]) + state.players - 2


def logits(state: State, *, by_hand: bool = False) -> dict[tuple[int, ...], int]:
    """Add up the weights of the features of every legal move, in 1/256 nat."""
    read = tables(rules_of(state).name)
    weights = read["hand"] if by_hand else read["policy"][variant(state)]
    return {move: int(sum(weights[feature] for feature in state.policy_features(move)))
            for move in state.moves(True)}
