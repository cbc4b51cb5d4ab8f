"""How late the engine answers requests with a time limit, on a free and on a busy machine.

    python -m bench.deadlines [--busy 2] [--requests 200] [--seconds 0.05 0.1 0.2]

Drives `pavilion engine` through its pipes as a program would, beside `--busy` processes that
compute all the time, and prints by limit how many milliseconds after it the answers came. Time
counts from the moment the request is written. Positions are the examples of the repository.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SHARES = (50, 90, 99, 100)
"""Percentiles that are printed."""


def positions() -> list[str]:
    """Return the examples that are positions: decisions of both games for two to four players."""
    files = sorted(EXAMPLES.glob("*round*_?p*"))
    return [path.read_text(encoding="utf-8").strip() for path in files]


def asked(engine: subprocess.Popen[str], line: str) -> dict[str, object]:
    """Return the engine's answer to a request."""
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write(line + "\n")
    engine.stdin.flush()
    answer: dict[str, object] = json.loads(engine.stdout.readline())
    return answer


def lateness(engine: subprocess.Popen[str], seconds: float, requests: int) -> list[float]:
    """Return how many milliseconds after the limit each answer came."""
    found = []
    for number, position in zip(range(requests), itertools.cycle(positions()), strict=False):
        line = json.dumps({"id": number, "action": "choose", "position": position,
                           "limits": {"seconds": seconds}})
        began = time.perf_counter()
        answer = asked(engine, line)
        found.append(1000 * (time.perf_counter() - began - seconds))
        if "move" not in answer:
            raise SystemExit(f"no move: {answer}")
    return found


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--busy", type=int, default=2, help="processes that compute beside it")
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.05, 0.1, 0.2])
    options = parser.parse_args()
    if options.requests < 1:
        parser.error(f"--requests: found {options.requests}, expected at least 1")
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(options.busy)]
    try:
        with subprocess.Popen([sys.executable, "-m", "pavilion_ai", "engine"], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
            asked(engine, '{"id": 0, "action": "hello"}')  # it has started
            print("| limit |" + "".join(f" {share} % |" for share in SHARES))
            print("|---|" + "---|" * len(SHARES))
            for seconds in options.seconds:
                late = np.percentile(lateness(engine, seconds, options.requests), SHARES)
                print(f"| {1000 * seconds:.0f} ms |" + "".join(f" {value:.1f} |" for value in late),
                      flush=True)
            assert engine.stdin is not None
            engine.stdin.close()
    finally:
        for process in busy:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
