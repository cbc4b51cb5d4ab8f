"""Recorded games of every variant, played at random or well."""

from __future__ import annotations

import random
from typing import Any

from pavilion_ai.agents import make_agent
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


MANNERS = ("usual", "greedy", "clumsy", "anything")
"""How games are played: at random with few passes; well; dropping many tiles; with any move."""


def played(game: str, board: str, players: int, seed: int, *, supply: int = 10,
           manner: str = "usual") -> GameRecord:
    """Play a game of random moves, passes rarer than they would be, or in another of `MANNERS`."""
    rng = random.Random(seed)
    play = Play(opening(game, board, players, seed, supply), seed=seed)
    rounds = rng.choice((8, 50)) if game == "azul" else 6
    agent = make_agent("greedy")
    while not play.is_over() and play.position.round <= rounds:  # type: ignore[attr-defined]
        if play.turn is None:
            play.draw()
            continue
        if manner == "greedy" and rng.random() < 0.9:
            play.push(agent.choose(play))
            continue
        legal = play.list_moves(rng.choice(("free", "maximal")))
        dropping = [move for move in legal if move.endswith("F")]
        better = [move for move in legal if not move.startswith("pass") and not move.endswith("F")]
        if manner == "clumsy" and dropping and rng.random() < 0.6:
            play.push(rng.choice(dropping))
            continue
        usual = better if better and rng.random() < 0.93 else legal
        play.push(rng.choice(legal if manner == "anything" else usual))
    return play.record(["random"] * players, id="made-up")
