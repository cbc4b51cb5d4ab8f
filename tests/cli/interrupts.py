"""Interrupt every command at random moments: `python -m tests.cli.interrupts [COMMAND...]`.

    python -m tests.cli.interrupts --times 2000 --processes 16     # each command so often
    python -m tests.cli.interrupts --seconds 500 --processes 16    # in turn, for so long
    python -m tests.cli.interrupts --warm --times 2000             # not while Python starts

A command must end with exit code 130, say nothing of Python's, leave no process behind and no file
that cannot be read. A second signal ends it at once.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from pavilion_ai.record import Recorder, read_records
from tests.cli.support import (
    AZUL_FOUR,
    CONTRACT,
    DRAFTING,
    PLACING,
    ROOT,
    command,
    environment,
)
from tests.cli.warm import Warm
from tests.match.support import alive, descendants, wait_until
from tests.soak.usage import processor_seconds

LONG = 60.0
"""Seconds that the end may take on a busy machine."""
AT_ONCE = 10.0
"""Seconds that the end may take after a second signal, on a busy machine."""
LATEST = 2.0
"""Seconds after which the signal comes at the latest; mostly it comes sooner."""
LATEST_WARM = 0.5
"""The same for a command that needs no start of Python."""
GROUP: dict[str, Any] = (
    {"process_group": 0} if sys.version_info >= (3, 11) else {"start_new_session": True})
"""How a command is started so that signals reach it and what it starts alone. A session of its own
would also get processor time of its own, however much this run gives way to others."""
slower = 1.0
"""By how much everything takes longer here than where nothing else runs; `--slower` sets it."""
GAME = CONTRACT / "games_summer_coloured.jsonl"
BGA = ROOT / "tests" / "data" / "bga" / "summer_coloured_2p.json.gz"
EVENT = ROOT / "tests" / "data" / "compat" / "0.1" / "match.jsonl"

COMMANDS: dict[str, list[object]] = {
    "review": ["review", GAME, "--time-per-move", 0.3, "--jobs", 2],
    "review rolled": ["review", GAME, "--sims", 50, "--rollout", 50, "--jobs", 2],
    "match": ["match", "flat:sims=200", "random", "--pairs", 300, "--jobs", 2, "--out", "OUT"],
    "tournament": ["tournament", "flat:sims=200", "random", "greedy", "--system", "swiss",
                   "--rounds", 400, "--jobs", 2, "--out", "OUT"],
    "train": ["train", "--out", "run", "--games", 640, "--generations", 2, "--jobs", 2],
    "dataset": ["dataset", "--out", "run", "--agent", "ismcts:sims=2000", "--games", 10**6,
                "--jobs", 2],
    "stats": ["stats", "--play", "greedy", "--games", 10**6, "--jobs", 2],
    "suggest": ["suggest", DRAFTING, "--time", 60, "--threads", 2],
    "rollout": ["rollout", DRAFTING, "--sims", 50, "--trials", 10**6, "--jobs", 2],
    "solve": ["solve", AZUL_FOUR],
    "play": ["play", "--seats", "greedy,ismcts:time=0.2", "--record", "OUT"],
    "play typed": ["play", "--seats", "human,greedy", "--record", "OUT"],
    "play solo": ["play", "--solo", "--game", "azul"],
    "openings": ["openings", "--count", 10**5, "--jobs", 2, "--out", "lines"],
    "puzzles": ["puzzles", "--count", 1000, "--jobs", 2, "--out", "lines"],
    "perft": ["perft", DRAFTING, 12],
    "bench": ["bench", "--seconds", 60],
    "engine": ["engine"],
    "web": ["web", "--port", 0, "--no-open"],
    "verify": ["verify", "GAMES", "--jobs", 2],
    "new": ["new"],
    "show": ["show", PLACING],
    "moves": ["moves", PLACING],
    "apply": ["apply", PLACING, "pass:-"],
    "replay": ["replay", "GAMES"],
    "report": ["report", EVENT],
    "import": ["import", "bga", BGA],
}
SHORT = frozenset({"new", "show", "moves", "apply", "replay", "report", "import", "verify",
                   "solve"})
"""Commands that may be done before the signal comes."""
LISTENING = frozenset({"engine", "play typed", "play solo"})
"""Commands whose standard input stays open."""


def can_run(name: str) -> bool:
    """Tell whether a command has the libraries that it needs."""
    needed = {"train": "torch", "web": "uvicorn"}.get(name)
    return needed is None or importlib.util.find_spec(needed) is not None


@cache
def many_games() -> str:
    """Return the lines of a file of 300 games."""
    records = [json.loads(line) for line in GAME.read_text().splitlines()[:10]]
    return "".join(json.dumps({**record, "id": f"{number}-{record['id']}"}) + "\n"
                   for number in range(30) for record in records)


def state_of(process: int) -> str:
    """Return what a process does: one that waits hangs, one that may run has had no processor."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return f"state {words[0]} after {processor_seconds(process):.1f} s of the processor"
    return "unknown"


class Interrupted:
    """A command that is sent one or two signals.

    Attributes:
        ended: seconds from the last signal to the end.
    """

    def __init__(self, name: str, folder: Path, chance: random.Random,
                 warm: Warm | None = None) -> None:
        self.name, self.out = name, folder / "games.jsonl"
        given = {"OUT": self.out, "GAMES": folder / "many.jsonl"}
        if "GAMES" in COMMANDS[name]:
            given["GAMES"].write_text(many_games())
        words = [given.get(str(word), word) for word in COMMANDS[name]]
        around = environment(XDG_DATA_HOME=str(folder), XDG_CACHE_HOME=str(folder),
                             PYTHONFAULTHANDLER="1")
        self.chance = chance
        self.latest = LATEST if warm is None else LATEST_WARM
        self.below: set[int] = set()
        self.process = warm.start(words, folder, around, name in LISTENING) if warm else (
            subprocess.Popen(
                command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                stdin=subprocess.PIPE if name in LISTENING else subprocess.DEVNULL, env=around,
                **GROUP))
        # What it prints is read from the start: nobody waits for a full pipe.
        self._said = [b"", b""]
        self._readers = [threading.Thread(target=self._read, args=(number,)) for number in (0, 1)]
        for reader in self._readers:
            reader.start()
        if name == "engine":
            assert self.process.stdin is not None
            request = {"id": 1, "action": "analyse", "position": DRAFTING.read_text(),
                       "seconds": 60, "threads": 2, "report_every": 0.02}
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()

    def _read(self, number: int) -> None:
        stream = (self.process.stdout, self.process.stderr)[number]
        assert stream is not None
        with stream:
            for line in stream:
                self._said[number] = (self._said[number] + line)[-10_000:]

    def interrupt(self, again: bool) -> None:
        """Send a signal after a moment, and another one."""
        send: Callable[[int, int], None] = self.chance.choice([os.kill, os.killpg])
        wait_until(self._listens, "no handler", LONG * slower)
        time.sleep(self.latest * slower * self.chance.random() ** 2)
        self.below = descendants(self.process.pid) if self.process.poll() is None else set()
        self.again = again
        for seconds in [0.0, *([self.chance.uniform(0.11, 0.5)] if again else [])]:
            time.sleep(seconds)
            self._sent = time.monotonic()
            with contextlib.suppress(ProcessLookupError):
                send(self.process.pid, self.chance.choice([signal.SIGINT, signal.SIGTERM]))

    def _listens(self) -> bool:
        """Tell whether the command has got so far that it catches signals, or has ended."""
        if self.process.poll() is not None:
            return True
        with contextlib.suppress(OSError, StopIteration):
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
            return bool(int(caught.split()[1], 16) >> signal.SIGTERM - 1 & 1)
        return False

    def check(self) -> None:
        """Check that it ends, what it says, and what it leaves."""
        try:
            code = self.process.wait((AT_ONCE if self.again else LONG) * slower)
        except subprocess.TimeoutExpired:
            state = state_of(self.process.pid)
            os.killpg(self.process.pid, signal.SIGABRT)  # says where each thread is
            for reader in self._readers:
                reader.join(LONG)
            raise AssertionError(
                f"it does not end: {state}\n{self._said[1].decode()}") from None
        finally:
            self.ended = time.monotonic() - self._sent
            if self.process.stdin is not None:
                with contextlib.suppress(OSError):
                    self.process.stdin.close()
        wait_until(lambda: not any(map(alive, self.below)), "processes are left", LONG * slower)
        for reader in self._readers:
            reader.join(LONG * slower)
            assert not reader.is_alive(), "somebody keeps its output open"
        said = self._said[1].decode()
        assert code in ((0, 130) if self.name in SHORT else (130,)), (code, said)
        assert "Traceback" not in said, said
        assert "Exception ignored" not in said, said
        if self.out.exists():
            list(read_records(self.out))
            Recorder(self.out).close()


def once(name: str, seed: int, warm: Warm | None = None) -> tuple[str, int, float, str]:
    """Interrupt a command once; return its name, exit code, seconds to its end, and the fault."""
    chance = random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory(prefix="interrupts", ignore_cleanup_errors=True) as folder:
        running = Interrupted(name, Path(folder), chance, warm)
        fault = ""
        try:
            running.interrupt(again=seed % 3 == 2)
            running.check()
        except Exception as error:
            running.process.kill()
            fault = f"{name}, seed {seed}: {type(error).__name__}: {error}"[:10_000]
        return name, running.process.wait(), running.ended if not fault else 0.0, fault


def turns(names: Sequence[str], given: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """Yield commands in turn, each with a seed of its own, until it is enough."""
    end = time.monotonic() + given.seconds if given.seconds else None
    for number in itertools.count() if end else range(given.times):
        for name in names:
            if end is not None and time.monotonic() > end:
                return
            yield name, given.seed + number


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cli.interrupts",
                                     description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commands", nargs="*", metavar="COMMAND",
                        help=f"of {', '.join(COMMANDS)}; default: all")
    parser.add_argument("--times", type=int, default=300, help="for each command; default 300")
    parser.add_argument("--seconds", type=float, help="instead of --times: so long in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="commands at a time; default 2")
    parser.add_argument("--warm", action="store_true",
                        help="start commands from a process that has imported them: several times "
                             "as many, but none while it imports")
    parser.add_argument("--slower", type=float, default=1.0, metavar="FACTOR",
                        help="everything may take so much longer, on a busy machine")
    given = parser.parse_args()
    global slower
    slower = given.slower
    for number in (signal.SIGINT, signal.SIGTERM):  # what this one ignores they would ignore too
        if signal.getsignal(number) == signal.SIG_IGN:  # as in the background of a shell
            signal.signal(number, signal.SIG_DFL)
    names = [name for name in given.commands or COMMANDS if can_run(name)]
    warm = Warm() if given.warm else None
    lock, todo = threading.Lock(), turns(names, given)
    codes: dict[str, Counter[int]] = defaultdict(Counter)
    ends: dict[str, list[float]] = defaultdict(list)
    faults: list[str] = []

    def work(_: int) -> None:
        while True:
            with lock:
                one = next(todo, None)
            if one is None:
                return
            name, code, ended, fault = once(*one, warm)
            with lock:
                codes[name][code] += 1
                ends[name].append(ended)
                if fault:
                    faults.append(fault)
                    print(fault, flush=True)

    with ThreadPoolExecutor(given.processes) as pool:
        list(pool.map(work, range(given.processes)))
    if warm is not None:
        warm.close()
    for name in names:
        if times := sorted(ends[name]):
            told = ", ".join(f"{count} with {code}" for code, count in sorted(codes[name].items()))
            print(f"{name}: {len(times)} interrupts ({told}); ended within "
                  f"{times[len(times) // 2]:.2f} s (median), {times[-1]:.2f} s (longest)")
    print(f"{sum(map(len, ends.values()))} interrupts, {len(faults)} findings")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
