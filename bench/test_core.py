"""Speed of the rules core: lists of moves, applying, copying, playouts.

    pytest bench --benchmark-only

Times are of calls from Python: a call alone costs about 50 ns, so operations of less than a
microsecond are repeated a hundred times per call if the core can do that.
"""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai._core import Rng, random_games, state_bytes
from pavilion_ai.games import GAMES, Rules

from .states import DECIDING, NAMES, VARIANTS, opening, state_in

RANDOM_GAMES = 200


@pytest.mark.parametrize(("game", "phase"), DECIDING)
def test_moves(benchmark: Any, game: str, phase: str) -> None:
    state = state_in(game, phase)
    benchmark.extra_info["moves"] = len(state.moves(True))
    assert benchmark(state.moves, True)


@pytest.mark.parametrize(("game", "phase"), DECIDING)
def test_perft(benchmark: Any, game: str, phase: str) -> None:
    """Two decisions deep: lists, copies and applies without Python between them."""
    state = state_in(game, phase)
    benchmark.extra_info["nodes"] = state.perft(2)
    assert benchmark(state.perft, 2) > 0


@pytest.mark.parametrize(("game", "phase"), DECIDING)
def test_copy_and_apply(benchmark: Any, game: str, phase: str) -> None:
    state = state_in(game, phase)
    move = state.moves(True)[0]

    def step() -> None:
        state.copy().apply(move)

    benchmark(step)


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("game", list(GAMES))
def test_copy(benchmark: Any, game: str, players: int) -> None:
    state = state_in(game, "draft", players=players)
    benchmark.extra_info["bytes"] = state_bytes(type(state), players)
    benchmark(state.copy)


@pytest.mark.parametrize(("game", "phase"), DECIDING)
def test_random_pick(benchmark: Any, game: str, phase: str) -> None:
    state, rng = state_in(game, phase), Rng(1)
    benchmark(state.random_move, rng)


@pytest.mark.parametrize(("game", "phase"), DECIDING)
def test_policy_pick(benchmark: Any, game: str, phase: str) -> None:
    state, rng = state_in(game, phase), Rng(1)
    benchmark(state.policy_move, rng)


@pytest.mark.parametrize("game", list(GAMES))
def test_evaluation(benchmark: Any, game: str) -> None:
    benchmark(state_in(game, "deal").evaluate)


@pytest.mark.parametrize("game", list(GAMES))
def test_deal(benchmark: Any, game: str) -> None:
    state, rng = state_in(game, "deal"), Rng(1)
    benchmark(lambda: state.copy().draw(rng))


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS, ids=NAMES)
def test_random_games(benchmark: Any, game: Rules, board: str, players: int) -> None:
    """Two hundred whole games, moves picked without a list."""
    state = opening(game, board, players)
    benchmark.extra_info["games"] = RANDOM_GAMES
    assert benchmark(random_games, state, RANDOM_GAMES, 1)[0] > RANDOM_GAMES * 40
