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

POLICY_UNIT = 256
"""Weights per nat."""

EVALUATION_UNIT = 64
"""Weights per point."""


@cache
def heuristics(game: str) -> Any:
    """Return what tools/ knows of a game's heuristics."""
    sys.path.insert(0, str(TOOLS))
    try:
        return getattr(importlib.import_module(f"{game}_heuristics"), game.upper())
    finally:
        sys.path.remove(str(TOOLS))


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
