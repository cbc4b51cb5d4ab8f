"""Commands that are interrupted at random moments: they end, quietly, with nothing left behind.

PAVILION_INTERRUPTS=300 interrupts each command so often; without it a few times.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pavilion_ai.record import Recorder, read_records
from tests.cli.support import CONTRACT, DRAFTING, command, environment
from tests.match.support import alive, descendants, wait_until

TIMES = int(os.environ.get("PAVILION_INTERRUPTS", "3"))
LONG = 30.0
"""Seconds that the end may take on a busy machine."""
GAME = CONTRACT / "games_summer_coloured.jsonl"

COMMANDS: dict[str, list[object]] = {
    "review": ["review", GAME, "--time-per-move", 0.3, "--jobs", 2],
    "match": ["match", "flat:sims=200", "random", "--pairs", 300, "--jobs", 2, "--out", "OUT"],
    "tournament": ["tournament", "flat:sims=200", "random", "greedy", "--system", "swiss",
                   "--rounds", 400, "--jobs", 2, "--out", "OUT"],
    "train": ["train", "--out", "run", "--games", 640, "--generations", 2, "--jobs", 2],
    "dataset": ["dataset", "--out", "run", "--agent", "ismcts:sims=2000", "--games", 10**6,
                "--jobs", 2],
    "suggest": ["suggest", DRAFTING, "--time", 60, "--threads", 2],
    "play": ["play", "--seats", "greedy,ismcts:time=0.2", "--record", "OUT"],
    "perft": ["perft", DRAFTING, 12],
    "engine": ["engine"],
}

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


class Interrupted:
    """A command that is sent one or two signals."""

    def __init__(self, name: str, folder: Path, chance: random.Random) -> None:
        self.out = folder / "games.jsonl"
        words = command(*(self.out if word == "OUT" else word for word in COMMANDS[name]))
        self.chance = chance
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE if name == "engine" else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=folder,
            start_new_session=True)
        if self.process.stdin is not None:
            request = {"id": 1, "action": "analyse", "position": DRAFTING.read_text(),
                       "seconds": 60, "threads": 2, "report_every": 0.02}
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()

    def interrupt(self, again: bool) -> None:
        """Send a signal after a moment, and another one."""
        send: Callable[[int, int], None] = self.chance.choice([os.kill, os.killpg])
        wait_until(self._listens, "no handler")
        time.sleep(self.chance.uniform(0.0, 2.0))
        self.below = descendants(self.process.pid)
        for seconds in [0.0, *([self.chance.uniform(0.0, 0.5)] if again else [])]:
            time.sleep(seconds)
            with contextlib.suppress(ProcessLookupError):
                send(self.process.pid, self.chance.choice([signal.SIGINT, signal.SIGTERM]))

    def _listens(self) -> bool:
        """Tell whether the command has got so far that it catches signals."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        return bool(int(caught.split()[1], 16) >> signal.SIGTERM - 1 & 1)

    def check(self) -> None:
        """Check that it ends, what it says, and what it leaves."""
        try:
            _, errors = self.process.communicate(timeout=LONG)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGABRT)
            pytest.fail("it does not end")
        said = errors.decode()
        assert self.process.returncode == 130, said
        assert "Traceback" not in said
        assert "Exception ignored" not in said
        wait_until(lambda: not any(map(alive, self.below)), "processes are left")
        if self.out.exists():
            list(read_records(self.out))
            Recorder(self.out).close()


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_end_when_they_are_interrupted(name: str, tmp_path: Path) -> None:
    if name == "train" and importlib.util.find_spec("torch") is None:
        pytest.skip("training needs torch")
    chance = random.Random(f"{name} {TIMES}")
    for time_number in range(TIMES):
        folder = tmp_path / str(time_number)
        folder.mkdir()
        running = Interrupted(name, folder, chance)
        running.interrupt(again=time_number % 3 == 2)
        running.check()
