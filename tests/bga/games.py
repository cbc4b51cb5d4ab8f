"""Recorded games of every variant, played at random."""

from __future__ import annotations

import random
from typing import Any

from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.record import GameRecord, make_record

VARIANTS = [(game, board, players) for game in ("summer", "azul")
            for board in ("coloured", "grey") for players in (2, 3, 4)]


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
    rules, rng = GAMES[game], random.Random(seed)
    start = position = opening(game, board, players, seed, supply)
    moves: list[str] = []
    rounds = rng.choice((8, 50)) if game == "azul" else 6
    while position.phase != "over" and position.round <= rounds:
        if position.to_move is None:
            position, drawn = rules.play(position, [], seed=rng.getrandbits(40))
            moves += drawn
            continue
        legal = rules.legal_moves(position, rng.choice(("free", "maximal")))
        better = [move for move in legal if not move.startswith("pass") and not move.endswith("F")]
        move = rng.choice(better if better and rng.random() < 0.93 else legal)
        position = rules.apply(position, move)
        moves.append(move)
    agents = [{"spec": "random", "version": ""}] * players
    return make_record(id="made-up", seed=seed, agents=agents, start=start, moves=moves,
                       end=position, seconds=[0] * players, engine={})
