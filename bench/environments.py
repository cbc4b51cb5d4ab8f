"""Speed of `Batch`: environment steps per second, by variant, batch size and threads.

    python -m bench.environments                 # every variant, 1,024 games, one thread
    python -m bench.environments --sizes 1,16,256,4096 --threads 1,2 --variant summer/coloured/2

All legal actions are equally likely. Their choice is not part of the figures: a learner makes its
own. With one thread, times are processor time, which other programs on the machine disturb little;
with several, they are wall time.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

import numpy as np

from bench.measuring import VARIANTS
from pavilion_ai.envs.batch import Batch


def measured(variant: str, size: int, threads: int, seconds: float) -> tuple[float, ...]:
    """Return steps per second without and with masks and observations, games per second, and the
    mean number of legal actions."""
    game, board, players = VARIANTS[variant]
    clock = time.process_time if threads == 1 else time.perf_counter
    spent = {"step": 0.0, "mask": 0.0, "observe": 0.0}
    steps = games = legal = 0

    def timed(name: str, work: Callable[[], object]) -> None:
        began = clock()
        work()
        spent[name] += clock() - began

    with Batch(game, board, players, size, 1, threads=threads) as batch:
        mask, seen, actions = batch.mask(), batch.observe(), batch.random_actions()
        while sum(spent.values()) < seconds:
            batch.random_actions(out=actions)
            timed("step", lambda: batch.step(actions))
            timed("mask", lambda: batch.mask(out=mask))
            timed("observe", lambda: batch.observe(out=seen))
            steps += size
            games += int(np.count_nonzero(batch.done))
            legal += int(np.count_nonzero(mask))
    whole = sum(spent.values())
    return steps / spent["step"], steps / whole, games / whole, legal / steps


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", action="append", choices=[*VARIANTS])
    parser.add_argument("--sizes", default="1024")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    print("| variant | games | threads | steps/s | with masks and observations | games/s"
          " | legal actions |\n|---|---|---|---|---|---|---|")
    for variant in options.variant or VARIANTS:
        for size in map(int, options.sizes.split(",")):
            for threads in map(int, options.threads.split(",")):
                bare, full, games, legal = measured(variant, size, threads, options.seconds)
                print(f"| {variant} | {size:,} | {threads} | {bare:,.0f} | {full:,.0f}"
                      f" | {games:,.0f} | {legal:.1f} |")


if __name__ == "__main__":
    main()
