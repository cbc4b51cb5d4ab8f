"""Measure how much choices improve with thinking time.

    python -m bench.choices choices.jsonl --positions 200 --times 0.001 0.01 0.1 1 10

Each position is a random decision from a game of the package's agent against itself. It is searched
once for each time; then every move chosen by any of these searches is searched alone, all with the
same number of simulations. By that judgement, the loss of a choice is the mover's win probability
after the choice of the longest search minus that after this choice. The loss per game is the mean
loss times a seat's decisions per game. The file has one line per position; a run can be resumed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.measuring import go_on
from pavilion_ai._core import Search
from pavilion_ai.analysis import calibrated
from pavilion_ai.bounds import DEFAULT_MEMORY_MIB
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.network import shipped
from pavilion_ai.notation import format_position
from pavilion_ai.search import tunables_for, win_scale_of

DRAW_STREAM = 96
PLAY_SIMS = 1000
NO_LIMIT = 1 << 62


class Thinker:
    """The package's agent for a variant, without reports. As in play, its memory is reused."""

    def __init__(self, game: str, board: str, players: int) -> None:
        self.game, self.board, self.players = GAMES[game], board, players
        self.network = shipped(game, board, players)
        self._tree: Search | None = None

    def search(self, state: Any, seed: int) -> Search:
        """Return a search of a state, which is valid until the next call."""
        if self._tree is None or not self._tree.restart(state, seed=seed):
            self._tree = Search(state, seed=seed, memory_bytes=DEFAULT_MEMORY_MIB << 20,
                                network=self.network, **tunables_for(self.game, self.network))
        return self._tree

    def decisions(self, seed: int) -> list[Any]:
        """Play a game against itself; return the states in which there was a choice."""
        state: Any = self.game.to_core(self.game.new(self.board, self.players, seed))
        rng, found = Rng(seed, DRAW_STREAM), []
        while not state.over:
            if state.to_move < 0:
                state.draw(rng)
                continue
            moves = state.moves(True)
            if len(moves) > 1:
                found.append(state.copy())
                tree = self.search(state, seed + len(found))
                tree.run(PLAY_SIMS)
                moves = [favourite(tree)]
            state.apply(moves[0])
        return found

    def worth(self, state: Any, move: Any, seed: int, sims: int) -> float:
        """Return the mover's win probability after a move, by a search of that move alone."""
        tree = self.search(state, seed)
        tree.restrict([move])
        tree.run(sims)
        _, _, _, _, wins, _, _ = tree.root_stats()
        shares = tuple(share / sum(wins) for share in wins)
        scale = win_scale_of(self.game, self.game.from_core(state), self.network)
        return float(calibrated(shares, scale)[state.to_move])


thinker_for = cache(Thinker)
"""Kept from position to position."""


def favourite(tree: Search) -> Any:
    """Return the move that a search would play."""
    return max(tree.rows(), key=lambda row: (row[1], row[2] / max(1, row[1])))[0]


def study(
    variant: tuple[str, str, int], times: Sequence[float], judge: int, seed: int
) -> dict[str, Any]:
    """Return the file's line for a position: choices by time and the value of each."""
    thinker = thinker_for(*variant)
    decisions = thinker.decisions(seed)
    state = decisions[np.random.default_rng(seed).integers(len(decisions))]
    choices, sims = [], []
    for number, seconds in enumerate(times):
        tree = thinker.search(state, seed + number)
        tree.run(2)  # as many as it takes to list the moves
        tree.run(NO_LIMIT, time.monotonic() + seconds)
        choices.append(favourite(tree))
        sims.append(tree.sims)
    position = thinker.game.from_core(state)
    different = list(dict.fromkeys(choices))
    worth = ({move: thinker.worth(state, move, seed + len(times), judge) for move in different}
             if len(different) > 1 else {different[0]: 0.0})  # then nothing is lost
    return {
        "seed": seed,
        "position": format_position(position, "code"),
        "decisions": len(decisions) / thinker.players,
        "times": list(times),
        "sims": sims,
        "choices": [thinker.game.move_text(position, move) for move in choices],
        "lost": [worth[choices[-1]] - worth[move] for move in choices],
    }


def losses(rows: Iterable[dict[str, Any]]) -> list[tuple[float, float, float, float, float]]:
    """Return for each time: seconds, simulations, share of choices that differ from the longest
    search's, win probability lost per game, and half of its 95 % interval."""
    rows = list(rows)
    found = []
    for index, seconds in enumerate(rows[0]["times"]):
        lost = np.array([row["decisions"] * row["lost"][index] for row in rows])
        other = np.mean([row["choices"][index] != row["choices"][-1] for row in rows])
        error = 1.96 * lost.std(ddof=1) / len(lost) ** 0.5 if len(lost) > 1 else float("nan")
        found.append((seconds, float(np.mean([row["sims"][index] for row in rows])), float(other),
                      float(lost.mean()), float(error)))
    return found


def main() -> None:
    """Parse the command line, search, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="one line per position; resumed if it exists")
    parser.add_argument("--game", default="summer", choices=list(GAMES))
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--times", type=float, nargs="+", default=[0.001, 0.01, 0.1, 1.0],
                        help="seconds, the longest at the end")
    parser.add_argument("--judge", type=int, default=2_000_000,
                        help="simulations that judge a choice")
    parser.add_argument("--seed", type=int, default=30_000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    variant = options.game, options.board, options.players
    settings = {"variant": list(variant), "judge": options.judge, "times": options.times}
    if options.times != sorted(options.times) or options.positions < 1:
        parser.error("expected times that grow, and a position at least")
    one = partial(study, variant, options.times, options.judge)
    with ProcessPoolExecutor(options.jobs) as pool:
        rows: list[dict[str, Any]] = go_on(
            options.file, range(options.seed, options.seed + options.positions), one,
            lambda row: row["seed"], dict, dict, settings, each=pool.map)
    print("| a move | simulations | other choices | win probability lost in a game |")
    print("|---|---|---|---|")
    for seconds, sims, other, lost, error in losses(rows):
        print(f"| {1000 * seconds:g} ms | {sims:,.0f} | {100 * other:.0f} % "
              f"| {100 * lost:.1f} ± {100 * error:.1f} % |")


if __name__ == "__main__":
    main()
