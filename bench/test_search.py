"""Speed of the search: simulations from a fresh tree, and whole suggestions.

pytest bench --benchmark-only
"""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai._core import Rng, Search, SummerState
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import Limits
from pavilion_ai.games import GAMES
from pavilion_ai.search import DEFAULTS

from .test_core import NAMES, VARIANTS, state_in

SIMS = 1000
TREE_BYTES = 16 << 20
TUNABLES: dict[str, Any] = dict(DEFAULTS)


def simulate(state: SummerState, tunables: dict[str, Any]) -> int:
    """Search with a fresh tree."""
    return Search(state, seed=1, memory_bytes=TREE_BYTES, **tunables).run(SIMS)


@pytest.mark.parametrize(("players", "grey"), VARIANTS, ids=NAMES)
def test_simulations_at_the_opening(benchmark: Any, players: int, grey: bool) -> None:
    state = SummerState.new(players, grey, 0, Rng(1))
    assert benchmark(simulate, state, TUNABLES) == SIMS


@pytest.mark.parametrize("phase", ["draft", "place", "bonus"])
@pytest.mark.parametrize("round", [3, 6])
def test_simulations_in_the_game(benchmark: Any, phase: str, round: int) -> None:
    assert benchmark(simulate, state_in(phase, round=round), TUNABLES) == SIMS


def test_simulations_with_uniform_playouts(benchmark: Any) -> None:
    """Plain UCB, to the end of the game."""
    tunables = TUNABLES | {"selection": 1, "uniform": 1, "exploration": 0.7, "fpu_reduction": 0.0}
    assert benchmark(simulate, SummerState.new(2, False, 0, Rng(1)), tunables) == SIMS


def test_moving_the_root(benchmark: Any) -> None:
    """Keeping a tree of 20,000 simulations after the favourite move."""
    state = SummerState.new(2, False, 0, Rng(1))

    def searched() -> tuple[tuple[Search, SummerState], dict[str, int]]:
        tree = Search(state, seed=1, memory_bytes=64 << 20, **TUNABLES)
        tree.run(20_000)
        after = state.copy()
        after.apply(max(tree.rows(), key=lambda row: row[1])[0])
        return (tree, after), {}

    def move(tree: Search, after: SummerState) -> bool:
        return tree.advance(after, seed=1)

    assert benchmark.pedantic(move, setup=searched, rounds=10)


@pytest.mark.parametrize("sims", [1, 1000])
def test_suggestion(benchmark: Any, sims: int) -> None:
    """From a position to ranked moves in notation; with one simulation, what surrounds a search."""
    agent = make_agent("ismcts:memory=16")
    position = GAMES["summer"].new("coloured", 2, 1)
    analysis = benchmark(agent.analyse, position, limits=Limits(sims=sims))
    assert analysis.sims == sims
