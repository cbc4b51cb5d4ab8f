"""Play seat-swapped pairs of games between two agents and report the share of wins.

    python bench/match.py ismcts:sims=1000 greedy --pairs 100 --jobs 2

The two games of a pair start from the same opening with seats exchanged. The interval is 95 %,
from the variance of the pairs' points.
"""

from __future__ import annotations

import argparse
import platform
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import numpy as np

from pavilion_ai.agents import make_agent
from pavilion_ai.games import GAMES, Rng


def play(specs: list[str], game_name: str, board: str, seed: int) -> tuple[list[int], list[int]]:
    """Play one game, agent i in seat i: (scores, winners)."""
    game = GAMES[game_name]
    agents = [make_agent(spec) for spec in specs]
    position = game.new(board, len(specs), seed, start_player=seed % len(specs))
    rng, ply = Rng(seed, 99), 0
    while position.phase != "over":
        if game.chance(position):
            _, position = game.draw(position, rng)
            continue
        agent = agents[position.to_move or 0]
        position = game.apply(position, agent.choose(position, seed=seed * 1000 + ply))
        ply += 1
    return [seat.score for seat in position.seats], game.winners(position)


def play_set(specs: tuple[str, str], game_name: str, board: str, players: int, seed: int) -> list:
    """Play agent 0 in every seat in turn, agent 1 in all others: [(share, mean margin, scores)]."""
    results = []
    for seat in range(players):
        seats = [specs[0] if s == seat else specs[1] for s in range(players)]
        scores, winners = play(seats, game_name, board, seed)
        share = 1 / len(winners) if seat in winners else 0
        others = [score for s, score in enumerate(scores) if s != seat]
        results.append((share, scores[seat], sum(others) / len(others)))
    return results


def main() -> None:
    """Parse the command line, play, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--game", default="summer")
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    seeds = range(options.seed, options.seed + options.pairs)
    specs = (options.first, options.second)
    with ProcessPoolExecutor(options.jobs) as pool:
        sets = list(pool.map(play_set, repeat(specs), repeat(options.game), repeat(options.board),
                             repeat(options.players), seeds))
    table = np.array(sets)
    shares = table[:, :, 0].mean(axis=1)
    error = 1.96 * shares.std(ddof=1) / len(shares) ** 0.5 if len(shares) > 1 else 0.5
    print(
        f"{options.first} against {options.second}, {options.board}, {options.players} players: "
        f"{100 * shares.mean():.1f} +- {100 * error:.1f} % of {table[:, :, 0].size} games, "
        f"scores {table[:, :, 1].mean():.1f} : {table[:, :, 2].mean():.1f}, "
        f"{time.monotonic() - started:.0f} s, seed {options.seed}, {platform.machine()}"
    )


if __name__ == "__main__":
    main()
