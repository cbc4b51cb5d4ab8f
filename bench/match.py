"""Play seat-swapped games between two agents, of this checkout or of two, and report the wins.

    python bench/match.py ismcts:sims=1000 greedy --pairs 100 --jobs 2
    python bench/match.py ismcts:sims=300 ismcts:sims=300 --other ../before --pairs 100

A set of games is one opening played with the first agent in every seat in turn, the second one in
all others. With --other the second agent runs in the (built) checkout in that folder, through its
engine protocol. The interval is 95 %, from the variance of the sets.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pavilion_ai.agents import parse_spec
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.notation import format_position
from pavilion_ai.position import Position

DRAW_STREAM = 99


class Engine:
    """An agent in a process of its own, asked by the engine protocol."""

    def __init__(self, spec: str, checkout: Path) -> None:
        parsed = parse_spec(spec)
        options = dict(parsed.options)
        self.limits = {"sims": options.pop("sims", None), "seconds": options.pop("time", None)}
        rest = ",".join(f"{key}={value}" for key, value in options.items())
        self.spec = f"{parsed.name}:{rest}" if rest else parsed.name
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pavilion_ai", "engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout,
            env={**os.environ, "PYTHONPATH": str(checkout)},
        )

    def choose(self, position: Position, seed: int) -> str:
        """Ask for a move."""
        request = {
            "id": 1,
            "action": "choose",
            "position": format_position(position, "code"),
            "agent": self.spec,
            "limits": {key: value for key, value in self.limits.items() if value is not None},
            "seed": seed,
        }
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "move" not in answer:
            raise SystemExit(f"{self.spec}: {answer}")
        return str(answer["move"])


@dataclass
class Table:
    """Where games are played: the variant and the two agents, a pair of processes a thread."""

    options: argparse.Namespace
    local: threading.local = field(default_factory=threading.local)

    def engines(self) -> tuple[Engine, Engine]:
        """Return this thread's processes."""
        if not hasattr(self.local, "engines"):
            here = Path(__file__).resolve().parent.parent
            other = Path(self.options.other).resolve() if self.options.other else here
            self.local.engines = (
                Engine(self.options.first, here),
                Engine(self.options.second, other),
            )
        return self.local.engines

    def play(self, seat: int, seed: int) -> tuple[float, float, float]:
        """Play a game, the first agent in `seat`: its share, its score, the others' mean."""
        game = GAMES[self.options.game]
        players = self.options.players
        engines = self.engines()
        position = game.new(self.options.board, players, seed, start_player=seed % players)
        rng, ply = Rng(seed, DRAW_STREAM), 0
        while position.phase != "over":
            if game.chance(position):
                _, position = game.draw(position, rng)
                continue
            engine = engines[0] if position.to_move == seat else engines[1]
            position = game.apply(position, engine.choose(position, seed * 1000 + ply))
            ply += 1
        winners = game.winners(position)
        scores = [s.score for s in position.seats]
        others = [score for s, score in enumerate(scores) if s != seat]
        share = 1 / len(winners) if seat in winners else 0.0
        return share, scores[seat], sum(others) / len(others)

    def play_set(self, seed: int) -> list[tuple[float, float, float]]:
        """Play one opening from every seat."""
        return [self.play(seat, seed) for seat in range(self.options.players)]


def main() -> None:
    """Parse the command line, play, report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--other", metavar="DIR", help="checkout in which the second agent runs")
    parser.add_argument("--game", default="summer", choices=list(GAMES))
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=50, help="openings")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    table = Table(options)
    with ThreadPoolExecutor(options.jobs) as pool:
        sets = list(pool.map(table.play_set, range(options.seed, options.seed + options.pairs)))
    results = np.array(sets)
    shares = results[:, :, 0].mean(axis=1)
    error = 1.96 * shares.std(ddof=1) / len(shares) ** 0.5 if len(shares) > 1 else 0.5
    print(
        f"{options.first} against {options.second}{' of ' + options.other if options.other else ''}"
        f", {options.board}, {options.players} players: {100 * shares.mean():.1f}"
        f" +- {100 * error:.1f} % of {results[:, :, 0].size} games, scores"
        f" {results[:, :, 1].mean():.1f} : {results[:, :, 2].mean():.1f},"
        f" {time.monotonic() - started:.0f} s, seed {options.seed}, {platform.machine()}"
    )


if __name__ == "__main__":
    main()
