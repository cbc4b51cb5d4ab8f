"""Compare the win probabilities reported by the search with the results.

    python bench/calibration.py --games 200 --sims 400 --jobs 2

    python bench/calibration.py --errors FILE --positions 504

The second command measures the printed errors of values instead (errors.py). In the first one the
agent plays both (all) sides; every analysis gives a prediction for the seat to move. Positions
of one game share its result, so the standard errors are those of game-wise means.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import errors
import numpy as np

from pavilion_ai.agents import make_agent
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.play import Play

BINS = 10
DRAW_STREAM = 98


def predictions(spec: str, game_name: str, board: str, players: int, seed: int) -> np.ndarray:
    """Play one game: rows of round, predicted and actual win share of the mover."""
    game, agent, rng = GAMES[game_name], make_agent(spec), Rng(seed, DRAW_STREAM)
    position = game.new(board, players, seed)
    rows = []
    while position.phase != "over":
        if game.chance(position):
            _, position = game.draw(position, rng)
            continue
        analysis = agent.analyse(Play(position), seed=seed * 1000 + len(rows))
        if len(analysis.moves) > 1:
            rows.append((position.round, analysis.root.win_prob[analysis.to_move],
                         analysis.to_move))
        position = game.apply(position, analysis.best.move)
    winners = game.winners(position)
    return np.array([(number, guess, 1 / len(winners) if seat in winners else 0.0)
                     for number, guess, seat in rows])


def report(games: list[np.ndarray]) -> None:
    """Print predicted against actual shares, with errors over games."""
    print(" predicted     mean   actual     +-   positions")
    for index in range(BINS):
        low, high = index / BINS, (index + 1) / BINS
        parts = [g[(g[:, 1] >= low) & (g[:, 1] < high + (index == BINS - 1))] for g in games]
        parts = [part for part in parts if len(part)]
        if len(parts) < 2:
            continue
        every = np.concatenate(parts)
        # Game-wise residuals: positions of a game are not independent.
        residual = np.array([np.sum(part[:, 2] - part[:, 1]) for part in parts])
        error = 1.96 * residual.std(ddof=1) * len(parts) ** 0.5 / len(every)
        print(f" {low:.1f} - {high:.1f}   {every[:, 1].mean():6.3f}   {every[:, 2].mean():6.3f}"
              f"  {error:5.3f}   {len(every):8d}")
    everything = np.concatenate(games)
    for number in np.unique(everything[:, 0]):
        part = everything[everything[:, 0] == number]
        print(f" round {number:.0f}: Brier score {np.mean((part[:, 1] - part[:, 2]) ** 2):.4f}")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="summer", choices=list(GAMES))
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--sims", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--errors", type=Path, metavar="FILE",
                        help="measure the printed errors and keep what is measured in FILE")
    parser.add_argument("--positions", type=int, default=504)
    options = parser.parse_args()
    if options.errors:
        errors.report(errors.measure(options.errors, options.positions, (300, 3000), options.seed,
                                     "default"))
        return
    play = partial(predictions, f"default:sims={options.sims}", options.game, options.board,
                   options.players)
    with ProcessPoolExecutor(options.jobs) as pool:
        games = list(pool.map(play, range(options.seed, options.seed + options.games)))
    report(games)


if __name__ == "__main__":
    main()
