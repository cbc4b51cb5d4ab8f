"""Speed of the rules core: lists of moves, applying, copying, playouts.

    pytest bench --benchmark-only

Times are of calls from Python: a call costs about 50 ns by itself, so what takes less than a
microsecond is measured a hundred times a call where the core can do that.
"""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai._core import Rng, SummerState, random_games

VARIANTS = [(players, grey) for grey in (False, True) for players in (2, 3, 4)]
NAMES = [f"{'grey' if grey else 'coloured'}-{players}" for players, grey in VARIANTS]
GAMES = 200

PHASES = {"draft": 0, "place": 1, "bonus": 2, "deal": 3, "over": 5}


def state_in(phase: str, *, round: int = 3, grey: bool = False, players: int = 2) -> SummerState:
    """Return a state of a fixed random game: the first of the phase in the round or later."""
    for seed in range(50):
        rng = Rng(seed)
        state = SummerState.new(players, grey, 0, rng)
        while True:
            if state.phase == PHASES[phase] and state.round >= round:
                return state
            if state.phase == PHASES["over"]:
                break
            if state.to_move < 0:
                state.draw(rng)
            else:
                state.apply(state.random_move(rng))
    raise LookupError(f"no phase {phase} from round {round} on in fifty random games")


@pytest.mark.parametrize("phase", ["draft", "place", "bonus"])
@pytest.mark.parametrize("grey", [False, True], ids=["coloured", "grey"])
def test_moves(benchmark: Any, phase: str, grey: bool) -> None:
    state = state_in(phase, grey=grey)
    benchmark.extra_info["moves"] = len(state.moves(True))
    assert benchmark(state.moves, True)


@pytest.mark.parametrize("phase", ["draft", "place", "bonus"])
@pytest.mark.parametrize("grey", [False, True], ids=["coloured", "grey"])
def test_perft(benchmark: Any, phase: str, grey: bool) -> None:
    """Two decisions deep: lists, copies and applies without Python between them."""
    state = state_in(phase, grey=grey)
    benchmark.extra_info["nodes"] = state.perft(2)
    assert benchmark(state.perft, 2) > 0


@pytest.mark.parametrize("phase", ["draft", "place", "bonus"])
def test_copy_and_apply(benchmark: Any, phase: str) -> None:
    state = state_in(phase)
    move = state.moves(True)[0]

    def step() -> None:
        state.copy().apply(move)

    benchmark(step)


@pytest.mark.parametrize("players", [2, 4])
def test_copy(benchmark: Any, players: int) -> None:
    state = state_in("place", players=players)
    benchmark.extra_info["bytes"] = state.state_bytes
    benchmark(state.copy)


@pytest.mark.parametrize("phase", ["draft", "place", "bonus"])
def test_random_pick(benchmark: Any, phase: str) -> None:
    state, rng = state_in(phase), Rng(1)
    benchmark(state.random_move, rng)


@pytest.mark.parametrize("phase", ["draft", "place", "bonus"])
def test_policy_pick(benchmark: Any, phase: str) -> None:
    state, rng = state_in(phase), Rng(1)
    benchmark(state.policy_move, rng)


def test_evaluation(benchmark: Any) -> None:
    benchmark(state_in("deal").evaluate)


def test_deal(benchmark: Any) -> None:
    state, rng = state_in("deal"), Rng(1)
    benchmark(lambda: state.copy().draw(rng))


@pytest.mark.parametrize(("players", "grey"), VARIANTS, ids=NAMES)
def test_random_games(benchmark: Any, players: int, grey: bool) -> None:
    """Two hundred whole games, moves picked without a list."""
    state = SummerState.new(players, grey, 0, Rng(1))
    benchmark.extra_info["games"] = GAMES
    assert benchmark(random_games, state, GAMES, 1)[0] > GAMES * 60
