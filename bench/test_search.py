"""Speed of the search: simulations from a fresh tree, and whole suggestions.

pytest bench --benchmark-only
"""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai._core import Search
from pavilion_ai.agents import make_agent
from pavilion_ai.games import GAMES, Rules
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.search import tunables_for

from .states import DECIDING, NAMES, VARIANTS, opening, state_in

SIMS = 1000
TREE_BYTES = 16 << 20


def simulate(state: Any, tunables: dict[str, Any]) -> int:
    """Search with a fresh tree."""
    return Search(state, seed=1, memory_bytes=TREE_BYTES, **tunables).run(SIMS)


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS, ids=NAMES)
def test_simulations_at_the_opening(benchmark: Any, game: Rules, board: str, players: int) -> None:
    assert benchmark(simulate, opening(game, board, players), tunables_for(game)) == SIMS


@pytest.mark.parametrize(("game", "phase"), DECIDING)
@pytest.mark.parametrize("round", [3, 5])
def test_simulations_in_the_game(benchmark: Any, game: str, phase: str, round: int) -> None:
    state = state_in(game, phase, round=round)
    assert benchmark(simulate, state, tunables_for(GAMES[game])) == SIMS


@pytest.mark.parametrize("game", list(GAMES))
def test_simulations_with_uniform_playouts(benchmark: Any, game: str) -> None:
    """Plain UCB, to the end of the game."""
    plain = {"selection": 1, "uniform": 1, "exploration": 0.7, "fpu_reduction": 0.0}
    state = opening(GAMES[game], "coloured", 2)
    assert benchmark(simulate, state, tunables_for(GAMES[game]).changed(plain)) == SIMS


@pytest.mark.parametrize("game", list(GAMES))
def test_moving_the_root(benchmark: Any, game: str) -> None:
    """Keeping a tree of 20,000 simulations after the favourite move."""
    state = opening(GAMES[game], "coloured", 2)

    def searched() -> tuple[tuple[Search, Any], dict[str, int]]:
        tree = Search(state, seed=1, memory_bytes=64 << 20, **tunables_for(GAMES[game]))
        tree.run(20_000)
        after = state.copy()
        after.apply(max(tree.rows(), key=lambda row: row[1])[0])
        return (tree, after), {}

    def move(tree: Search, after: Any) -> bool:
        return tree.advance(after, seed=1)

    assert benchmark.pedantic(move, setup=searched, rounds=10)


@pytest.mark.parametrize("sims", [1, 1000])
@pytest.mark.parametrize("game", list(GAMES))
def test_suggestion(benchmark: Any, game: str, sims: int) -> None:
    """From a position to ranked moves in notation; with one simulation, the overhead."""
    agent = make_agent("ismcts:memory=16")
    position = GAMES[game].new("coloured", 2, 1)
    analysis = benchmark(agent.analyse, Play(position), Limits(sims=sims))
    assert analysis.sims == sims
