"""States for the measurements, and the names of the variants."""

from __future__ import annotations

from typing import Any

from pavilion_ai._core import Rng
from pavilion_ai.bench import variants
from pavilion_ai.games import GAMES, Rules

VARIANTS = list(variants())

NAMES = [f"{game.name}-{board}-{players}" for game, board, players in VARIANTS]

PHASES = {game.name: game.table.field("phase").kind.options for game in GAMES.values()}

DECIDING = [
    (game, phase) for game, phases in PHASES.items() for phase in phases
    if phase not in ("deal", "supply", "over")
]
"""Games and phases in which a seat is to move."""


def opening(game: Rules, board: str, players: int) -> Any:
    """Return the core's state of a fixed opening."""
    return game.to_core(game.new(board, players, seed=1, start_player=0))


def state_in(game: str, phase: str, *, round: int = 3, players: int = 2) -> Any:
    """Return a state of a fixed random game: the first of the phase in the round or later."""
    number = PHASES[game].index(phase)
    for seed in range(50):
        rng = Rng(seed)
        state = opening(GAMES[game], "grey" if phase == "wall" else "coloured", players)
        while not state.over:
            if state.phase == number and state.round >= round:
                return state
            if state.to_move < 0:
                state.draw(rng)
            else:
                state.apply(state.random_move(rng))
    raise LookupError(f"no phase {phase} from round {round} on in fifty random games")
