"""What a game in progress costs: legal moves, pushing and popping, a game played at random.

    pytest bench/test_play.py --benchmark-only
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.play import Play

MANY_MOVES = 200


def random_game(game: str, seed: int) -> Play:
    """Play a game at random, by the strings of its moves."""
    chooser = Random(seed)
    play = Play.new(game, seed=seed)
    while not play.is_over():
        if play.turn is None:
            play.draw()
        else:
            play.push(chooser.choice(play.legal_moves))
    return play


def with_many_moves() -> Play:
    """Return a play with more than `MANY_MOVES` legal moves."""
    for seed in range(100):
        play = random_game("summer", seed)
        while play.plies:
            play.pop()
            if len(play.legal_moves) > MANY_MOVES:
                return play
    raise AssertionError(f"no position with more than {MANY_MOVES} moves")


def test_legal_moves_as_a_container(benchmark: Any) -> None:
    play = with_many_moves()
    assert len(benchmark(lambda: play.legal_moves)) > MANY_MOVES


def test_legal_moves_as_strings(benchmark: Any) -> None:
    play = with_many_moves()
    assert len(benchmark(lambda: list(play.legal_moves))) > MANY_MOVES


def test_push_and_pop(benchmark: Any) -> None:
    play = with_many_moves()
    move = play.legal_moves[0]

    def there_and_back() -> str:
        play.push(move)
        return play.pop()

    assert benchmark(there_and_back) == move


@pytest.mark.parametrize("game", list(GAMES))
def test_games_at_random(benchmark: Any, game: str) -> None:
    """Divide the length of the game, some 100 moves, by the time for plies per second."""
    assert benchmark(random_game, game, 3).is_over()
