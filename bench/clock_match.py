"""A match in processor time: what time is worth, and its management, on a busy machine too.

    python -m bench.clock_match default default:pace=0 --clock 0.2 --pairs 200 --out c.jsonl
    python -m bench.clock_match default ismcts:net=0 --time-per-move 0.1 --out d.jsonl
    python -m bench.clock_match default:time=0.1 default:time=0.02 --out e.jsonl

Plays the games of `pavilion match`, one after another in this process, but
time is the processor time of the process and not the time of the day. So other programs on the
machine change neither how much the agents think nor who runs out of time. Agents have to search in
this process, on one thread. `pavilion report` takes the file, also while it grows.
"""

from __future__ import annotations

import argparse
import time

from pavilion_ai import rivals, search
from pavilion_ai.clock import TimeControl
from pavilion_ai.limits import Limits
from pavilion_ai.match.inprocess import Match
from pavilion_ai.record import Recorder


class ProcessorTime:
    """Stands for the module `time` where the clocks are read."""

    monotonic = staticmethod(time.process_time)


def slice_of(run: search._Run, seconds: float) -> None:
    """Search for a short while of processor time, as `_Run.slice`."""
    until = time.process_time() + seconds
    if run.deadline:
        until = min(until, run.deadline)
    left = until - time.process_time()
    run.left -= run.tree.run(run.left, time.monotonic() + left)  # no more than that
    run.late = max(0.0, time.process_time() - until)


def out_of_time(run: search._Run) -> bool:
    """Tell whether a search has used its processor time, as `_Run.out_of_time`."""
    return run.deadline > 0 and time.process_time() >= run.deadline


def use_processor_time() -> None:
    """Let every search of this process read the processor's clock, and end by it alone."""
    for module in search, rivals:
        module.time = ProcessorTime  # type: ignore[attr-defined]
    search._Run.slice = slice_of  # type: ignore[method-assign]
    search._Run.end_at = lambda *_: None  # type: ignore[method-assign]  # the time of the day
    search._Run.out_of_time = out_of_time  # type: ignore[method-assign]


def main() -> None:
    """Play the match and print its report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("specs", nargs="+")
    time_of = parser.add_mutually_exclusive_group()
    time_of.add_argument("--clock", type=TimeControl.parse)
    time_of.add_argument("--time-per-move", type=float)
    parser.add_argument("--game", default="summer")
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True)
    given = parser.parse_args()
    use_processor_time()
    match = Match(given.specs, game=given.game, board=given.board, pairs=given.pairs,
                  seed=given.seed, clock=given.clock, now=time.process_time,
                  limits=Limits(seconds=given.time_per_move) if given.time_per_move else None)
    with Recorder(given.out) as recorder:
        match.run(recorder.write)
    print(match.report())


if __name__ == "__main__":
    main()
