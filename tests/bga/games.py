"""Recorded games of every variant, played at random."""

from __future__ import annotations

import random
from typing import Any

from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord


def opening(game: str, board: str, players: int, seed: int, supply: int = 10) -> Any:
    """Return an opening in which seat 0 begins, with nine tiles on the supply if asked for."""
    start: Any = GAMES[game].new(board, players, seed, 0)
    if game == "summer" and supply < sum(start.supply):
        raw: dict[str, Any] = to_json(start)
        counts = list(start.supply)
        counts[next(i for i, n in enumerate(counts) if n)] -= 1
        raw["supply"] = "".join(n * c for n, c in zip(counts, "PGOYBR", strict=True))
        for key in ("bag", "tower", "bag_size"):
            raw.pop(key)
        start = parse_position(raw).position
    return start


def played(game: str, board: str, players: int, seed: int, *, supply: int = 10) -> GameRecord:
    """Play a game of random moves, passes rarer than they would be."""
    rng = random.Random(seed)
    play = Play(opening(game, board, players, seed, supply), seed=seed)
    rounds = rng.choice((8, 50)) if game == "azul" else 6
    while not play.is_over() and play.position.round <= rounds:  # type: ignore[attr-defined]
        if play.turn is None:
            play.draw()
            continue
        legal = play.list_moves(rng.choice(("free", "maximal")))
        better = [move for move in legal if not move.startswith("pass") and not move.endswith("F")]
        play.push(rng.choice(better if better and rng.random() < 0.93 else legal))
    return play.record(["random"] * players, id="made-up")
