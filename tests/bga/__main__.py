"""Damage the logs of many games, and count what the import makes of them."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

from tests.bga.hammer import WAYS, Count, hammer, hammer_sample
from tests.bga.samples import WHOLE
from tests.plays import VARIANTS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--logs", type=int, default=len(WAYS), help="logs a game")
    parser.add_argument("--samples", type=int, default=0,
                        help="damaged logs of each of the samples, in place of games")
    parser.add_argument("--keep", help="folder for the logs that are read wrongly")
    asked = parser.parse_args()
    if asked.keep:
        Path(asked.keep).mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, _interrupt)
    count, begun, number = Count(asked.keep), time.monotonic(), 0
    try:
        for each in range(asked.samples):
            for name in WHOLE:
                hammer_sample(name, 1_000_003 * asked.seed + each, count.of(f"{name} {each}"))
        while not asked.samples and number < asked.games:
            variant = VARIANTS[number % len(VARIANTS)]
            seed = 1_000_003 * asked.seed + number
            hammer(variant, seed, asked.logs, count.of(f"{variant} {seed}"))
            number += 1
            if number % 60 == 0:
                print(f"{number} games, {sum(count.kinds.values())} logs,"
                      f" {len(count.wrong)} read wrongly, {time.monotonic() - begun:.0f} s",
                      file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        pass
    print(f"{number} games, {sum(count.kinds.values())} logs")
    print(count.table())
    for name, found in count.wrong:
        print(f"{name}: {found.kind}: {found.said}")
    return 1 if count.wrong else 0


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
