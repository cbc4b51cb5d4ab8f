"""A match that is killed again and again is the match that nobody disturbed.

Killed without warning, at random moments: the command alone, its whole group, a worker, or all of
its workers; sometimes with the end of its file torn off, as when the machine goes down. Afterwards
every game is there once and is, move for move, that of the undisturbed match.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pavilion_ai.errors import RecordError
from pavilion_ai.record import Recorder, read_records
from tests.cli.support import command, environment, process
from tests.match.support import (
    alive,
    descendants,
    event,
    games,
    is_worker,
    mock,
    played,
    wait_until,
)

STORM_SECONDS, KILLS = 4.0, 5
"""How long there are kills, and how many at least; then the match may finish."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


class Storm:
    """A match in a file, and how often it was hit in which way."""

    def __init__(self, path: Path, seed: int, *arguments: object) -> None:
        self.path = path
        self.chance = random.Random(seed)
        self.words = command(*arguments, "--out", path)
        self.seen: set[int] = set()
        self.hits: Counter[str] = Counter()
        self.sizes: list[int] = []

    def run(self) -> bool:
        """Run the command until it ends or is hit; tell whether it ended by itself."""
        ways: dict[str, Callable[[int], None]] = {
            "owner": lambda owner: os.kill(owner, signal.SIGKILL),
            "group": lambda owner: os.killpg(owner, signal.SIGKILL),
            "interrupt, then owner": self._interrupt_and_kill,
            "worker": self._kill_worker,
            "torn": lambda owner: os.killpg(owner, signal.SIGKILL),
        }
        way = self.chance.choice(list(ways))
        with subprocess.Popen(
            self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=environment(), start_new_session=True,
        ) as running:
            if self._still_there_later(running):
                self.seen |= descendants(running.pid)
                ways[way](running.pid)
                self.hits[way] += 1
                if way == "worker":  # which does not end it
                    time.sleep(self.chance.uniform(0, 0.3))
                    self.seen |= descendants(running.pid)
                    running.kill()
            return running.wait(60) == 0

    def _still_there_later(self, running: subprocess.Popen[bytes]) -> bool:
        """Wait a moment, or until some games more are recorded; False if it ends meanwhile."""
        enough = self._lines() + self.chance.randrange(1, 8)
        deadline = time.monotonic() + self.chance.uniform(0.1, 1.2)
        while time.monotonic() < deadline and self._lines() < enough:
            if running.poll() is not None:
                return False
            time.sleep(0.003)
        return running.poll() is None

    def _lines(self) -> int:
        return self.path.read_bytes().count(b"\n") if self.path.exists() else 0

    def _interrupt_and_kill(self, owner: int) -> None:
        os.killpg(owner, signal.SIGINT)
        time.sleep(self.chance.uniform(0, 0.1))
        with contextlib.suppress(ProcessLookupError):
            os.kill(owner, signal.SIGKILL)

    def _kill_worker(self, owner: int) -> None:
        """Kill a process that plays; not an engine, whose end would be its loss."""
        playing = [process for process in sorted(descendants(owner)) if is_worker(process)]
        if playing:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.chance.choice(playing), signal.SIGKILL)

    def check(self) -> None:
        """Check that the file only grew, has no bad line, and is not locked any more."""
        if self.path.exists():
            records = list(read_records(self.path))
            assert len(records) >= (self.sizes[-1] if self.sizes else 0)
            self.sizes.append(len(records))
            wait_until(self._free, "the file stays locked")

    def _free(self) -> bool:
        with contextlib.suppress(RecordError):
            Recorder(self.path).close()
            return True
        return False

    def begin_anew(self) -> None:
        """Forget a match that a fast machine has finished too soon."""
        self.path.unlink()
        self.sizes.clear()

    def tear(self) -> None:
        """Take a part of the last line away; that game is lost."""
        content = self.path.read_bytes() if self.path.exists() else b""
        lines = content.splitlines(keepends=True)
        if lines:
            cut = self.chance.randrange(1, len(lines[-1]))
            self.path.write_bytes(b"".join(lines[:-1]) + lines[-1][:cut])
            self.sizes.append(len(lines) - 1)


@pytest.mark.parametrize(("seed", "arguments"), [
    (1, ["match", "flat:sims=40", "random", "--pairs", 24, "--jobs", 2]),
    (2, ["tournament", mock("good"), "flat:sims=20", "random", "greedy", "--system", "swiss",
         "--rounds", 8, "--sims", 9, "--board", "grey", "--jobs", 1]),
])
def test_kills_at_random_moments_change_nothing(
    tmp_path: Path, seed: int, arguments: list[object]
) -> None:
    storm = Storm(tmp_path / "games.jsonl", seed, *arguments, "--seed", 11)
    deadline = time.monotonic() + STORM_SECONDS
    while time.monotonic() < deadline or sum(storm.hits.values()) < KILLS:
        before = storm.hits["torn"]
        if storm.run():
            if sum(storm.hits.values()) >= KILLS:
                break
            storm.begin_anew()
        if storm.hits["torn"] > before:
            storm.tear()
        storm.check()
    done = process(*storm.words[2:], "--json", timeout=300)
    assert done.returncode == 0, done.stderr

    swiss = arguments[0] == "tournament"
    from pavilion_ai.limits import Limits

    asked = (
        event(str(arguments[1]), "flat:sims=20", "random", "greedy", kind="swiss", rounds=8,
              board="grey", limits=Limits(sims=9), seed=11)
        if swiss else event("flat:sims=40", "random", rounds=24, seed=11))
    records = list(read_records(storm.path))
    assert storm.path.read_bytes().count(b"\n") == len(records)
    assert games(records) == games(played(asked))
    verified = process("verify", storm.path)
    assert verified.returncode == 0, verified.stdout
    wait_until(lambda: not any(map(alive, storm.seen)), "processes are left")
