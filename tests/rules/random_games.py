"""Games that the package plays at random, ply by ply, for what must hold along every game."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

from pavilion_ai.games import GAMES, Rng

Position = Any  # of either game

LETTERS = {"summer": "PGOYBR", "azul": "BYRKW"}

CHANCE_PHASES = ("deal", "supply")

Ply = tuple[Position, list[str], str]

SETTINGS = [
    (players, board, seed)
    for players in [2, 3, 4]
    for board in ["coloured", "grey"]
    for seed in [1, 2]
]

every_game = pytest.mark.parametrize(
    ("game", "players", "board", "seed"),
    [pytest.param(game, *some, marks=pytest.mark.release_only if some[-1] > 1 else ())
     for game in GAMES for some in SETTINGS])

every_setting = pytest.mark.parametrize(("players", "board", "seed"), SETTINGS)


@cache
def plies(name: str, players: int, board: str, seed: int) -> list[Ply]:
    """Play a game; list position, legal moves and the move made, and the end without a move.

    What gives a turn away, a pass or tiles straight to the floor line, is seldom chosen.
    """
    rng, draws, rules = Random(seed), Rng(seed), GAMES[name]
    position = rules.new(board, players, seed)
    game: list[Ply] = []
    while position.phase != "over":
        moves = rules.legal_moves(position)
        if position.phase in CHANCE_PHASES:
            move, after = rules.draw(position, draws)
        else:
            better = [move for move in moves if move[:5] != "pass:" and move[-2:] != ">F"]
            move = rng.choice(better if better and rng.random() < 0.9 else moves)
            after = rules.apply(position, move)
        game.append((position, moves, move))
        position = after
    return [*game, (position, rules.legal_moves(position), "")]
