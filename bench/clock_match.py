"""A match in processor time: what time is worth, and its management, on a busy machine too.

    python -m bench.clock_match default default:pace=0 --clock 0.2 --pairs 200 --out c.jsonl
    python -m bench.clock_match default default:net=0 --time-per-move 0.1 --out d.jsonl
    python -m bench.clock_match default:time=0.1 default:time=0.02 --out e.jsonl
    python -m bench.clock_match default:threads=2 default --time-per-move 0.05 --out f.jsonl

Plays the games of `pavilion match` with the same options, one after another in this process, but
time is the processor time of the process and not the time of the day. So other programs on the
machine change neither how much the agents think nor who runs out of time. Agents have to search in
this process. The trees of several threads are searched in turn, and only the first one's time
counts, as if every thread had a processor. `pavilion report` takes the file, also while it grows.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

from pavilion_ai import search
from pavilion_ai.analysis import Limits
from pavilion_ai.clock import TimeControl
from pavilion_ai.match.inprocess import Match
from pavilion_ai.network import shipped
from pavilion_ai.record import Recorder


class ProcessorTime:
    """Stands for the module `time` where the clocks are read."""

    beside = 0.0
    """Seconds of this process that another processor would have spent at the same time."""

    @classmethod
    def monotonic(cls) -> float:
        """Return the processor time of this process, in seconds, less what was spent beside."""
        return time.process_time() - cls.beside


def slice_of(run: search._Run, _: ThreadPoolExecutor | None, seconds: float) -> None:
    """Search for a short while of processor time, as `_Run.slice`."""
    began = ProcessorTime.monotonic()
    until = min(began + seconds, run.deadline or began + seconds)
    search_tree(run, 0, until - began)
    run.late = max(0.0, ProcessorTime.monotonic() - until)
    taken, ended = ProcessorTime.monotonic() - began, time.process_time()
    for i in range(1, run.threads):
        before = time.process_time()
        while run.left[i] and (rest := before + taken - time.process_time()) > 0:
            search_tree(run, i, rest)
    ProcessorTime.beside += time.process_time() - ended


def search_tree(run: search._Run, i: int, seconds: float) -> None:
    """Search the tree of thread i for at most some seconds of the day, so of processor time too."""
    run.left[i] -= run.trees[i].run(run.left[i], time.monotonic() + seconds)


def out_of_time(run: search._Run) -> bool:
    """Tell whether a search has used its processor time, as `_Run.out_of_time`."""
    return run.deadline > 0 and ProcessorTime.monotonic() >= run.deadline


INSTEAD: tuple[tuple[object, str, object], ...] = (
    (search, "time", ProcessorTime), (search._Run, "slice", slice_of),
    (search._Run, "out_of_time", out_of_time),
    (search._Run, "end_at", lambda *_: None),  # the trees' own limit is the time of the day
)
"""What stands in this process in place of an attribute: owner, name, value."""


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
    for owner, name, instead in INSTEAD:
        setattr(owner, name, instead)
    shipped(given.game, given.board, len(given.specs))  # reading it is on nobody's clock
    match = Match(given.specs, game=given.game, board=given.board, pairs=given.pairs,
                  seed=given.seed, clock=given.clock, now=ProcessorTime.monotonic,
                  limits=Limits(seconds=given.time_per_move) if given.time_per_move else None)
    with Recorder(given.out) as recorder:
        match.run(recorder.write)
    print(match.report())


if __name__ == "__main__":
    main()
