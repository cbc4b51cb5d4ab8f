"""Processes of our own: they play, are replaced when they die, and never outlive their owner."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from pavilion_ai import processors
from pavilion_ai.errors import RecordError
from pavilion_ai.match.runner import Runner
from pavilion_ai.processors import cores
from pavilion_ai.record import GameRecord, Recorder
from pavilion_ai.workers import WorkersError
from pavilion_ai.workers.local import LocalWorkers
from tests.cli.support import PLACING, assert_clean, pavilion
from tests.match.support import (
    LONG,
    alive,
    descendants,
    event,
    games,
    killer,
    played,
    tidying,
    wait_until,
)

ROOT = Path(__file__).resolve().parents[2]
EVENT = event("random", "greedy", "policy", kind="round-robin", rounds=2)

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@pytest.fixture
def workers() -> Iterator[LocalWorkers]:
    with LocalWorkers(2) as found:
        yield found


# ------------------------------------------------------------------ playing


def test_cores_that_may_be_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(processors, "CGROUPS", tmp_path)  # nothing limits the time
    assert cores() == len(os.sched_getaffinity(0))
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_processes_play_the_same_games(workers: LocalWorkers) -> None:
    found = played(EVENT, workers=workers)
    assert games(found) == games(played(EVENT))
    assert played(EVENT, found, workers=workers) == []


def test_nothing_is_started_before_it_is_asked_for() -> None:
    before = descendants(os.getpid())
    with LocalWorkers(3) as workers:
        assert workers.slots == 3
        played(EVENT, played(EVENT), workers=workers)
        assert descendants(os.getpid()) == before


def test_the_end_leaves_no_process_and_no_descriptor() -> None:
    with LocalWorkers(1) as warm:  # starts what multiprocessing keeps for good
        warm.executor.submit(os.getpid).result()
    before, files = descendants(os.getpid()), os.listdir("/proc/self/fd")
    with LocalWorkers(2) as workers:
        running = [workers.executor.submit(time.sleep, 600) for _ in range(4)]
        wait_until(lambda: running[1].running())
        begun = time.monotonic()
    assert time.monotonic() - begun < 10  # and does not wait for the games
    assert descendants(os.getpid()) == before
    assert len(os.listdir("/proc/self/fd")) <= len(files)
    workers.close()
    assert workers.executor.submit(os.getpid).result() != os.getpid()  # as new
    workers.close()


def test_engines_have_a_moment_at_the_end(tmp_path: Path) -> None:
    """One takes it, one would take more."""
    before = descendants(os.getpid())
    trace, never = tmp_path / "trace", tmp_path / "never"
    with LocalWorkers(1) as workers:
        played(event(tidying(trace), tidying(never, 600), rounds=1), workers=workers)
        assert not trace.exists()
    assert trace.exists()
    assert not never.exists()
    wait_until(lambda: descendants(os.getpid()) <= before, "engines are left")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
@pytest.mark.parametrize("end", [LocalWorkers.close, lambda workers: workers.__exit__(None)])
def test_the_end_waits_for_no_process_that_has_not_begun(
    workers: LocalWorkers, end: Callable[[LocalWorkers], None]
) -> None:
    """On a busy machine it took a minute until those that were being started had begun."""
    before = descendants(os.getpid())
    workers.executor.submit(cores)
    begun = descendants(os.getpid()) - before
    for process in begun:
        os.kill(process, signal.SIGSTOP)
    closing = threading.Thread(target=end, args=(workers,), daemon=True)
    closing.start()
    closing.join(LONG)
    ended = not closing.is_alive()
    for process in filter(alive, begun):
        os.kill(process, signal.SIGCONT)
    closing.join()
    assert begun
    assert ended


def test_a_worker_that_dies_is_replaced(workers: LocalWorkers) -> None:
    """Killed from outside, after the third and the sixth game, or when there is one again."""
    records: list[GameRecord] = []
    killed: list[int] = []

    def keep(record: GameRecord) -> None:
        records.append(record)
        if len(killed) < 2 and len(records) >= 3 * len(killed) + 3:
            with contextlib.suppress(ProcessLookupError, BrokenProcessPool):
                process = workers.executor.submit(os.getpid).result()
                os.kill(process, signal.SIGKILL)
                killed.append(process)

    Runner(EVENT).run(workers, keep)
    assert killed
    assert games(records) == games(played(EVENT))


def test_a_game_that_kills_its_worker_twice_is_played(tmp_path: Path) -> None:
    asked = event(killer(tmp_path, 2), "random", rounds=2)
    with LocalWorkers(1) as workers:
        found = played(asked, workers=workers)
    assert len(os.listdir(tmp_path)) == 2
    assert sorted(games(found)) == ["1-1", "1-2", "2-1", "2-2"]
    assert {record.reason for record in found} == {"finished"}


def test_a_game_that_kills_every_worker_ends_the_event(tmp_path: Path) -> None:
    asked = event(killer(tmp_path, 1000), "random", rounds=20)
    with LocalWorkers(2) as workers, \
            pytest.raises(WorkersError, match=r"^game \d+-\d was begun 3 times, and each time its"):
        played(asked, workers=workers)
    assert 3 <= len(os.listdir(tmp_path)) <= 9


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE])
def test_a_system_without_room_for_a_process_is_named(
    workers: LocalWorkers, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(ProcessPoolExecutor, "submit", refuse)
    with pytest.raises(WorkersError, match=f"cannot be started: {os.strerror(number)}"):
        workers.executor.submit(cores)


def test_a_system_without_room_for_a_thread_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = pavilion("match", "greedy", "random", "--pairs", 1)
    assert_clean(done, 1)
    assert done.stderr.splitlines()[-1] == (
        "error: a process for the work cannot be started: can't start new thread")
    done = pavilion("suggest", PLACING, "--agent", "ismcts", "--sims", 10, "--threads", 2)
    assert_clean(done, 1)
    assert done.stderr == "error: the system cannot start another thread\n"


def test_only_the_death_of_a_process_is_one(workers: LocalWorkers) -> None:
    failed = workers.executor.submit(int, "no number")
    error = failed.exception()
    assert isinstance(error, ValueError)
    assert not workers.have_died(error)
    dead: Future[None] = workers.executor.submit(os._exit, 3)
    error = dead.exception()
    assert error is not None
    assert workers.have_died(error)


# ------------------------------------------------------------------ the end of the owner

OWNER = (
    "import sys, time\n"
    "from pavilion_ai.match.runner import Runner\n"
    "from pavilion_ai.workers.local import LocalWorkers\n"
    "from pavilion_ai.record import Recorder\n"
    "from tests.match.support import event, mock\n"
    "def main():\n"
    "    asked = event(mock('good'), 'ismcts:sims=3000', rounds=1000)\n"
    "    with Recorder(sys.argv[1]) as recorder, LocalWorkers(2) as workers:\n"
    "        Runner(asked).run(workers, recorder.write)\n"
    "if __name__ == '__main__':\n"
    "    try: main()\n"
    "    except KeyboardInterrupt: sys.exit(130)\n")


class Owner:
    """A process that plays an endless match with engines on two workers."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "games.jsonl"
        self.path.touch()
        script = folder / "owner.py"
        script.write_text(OWNER)
        pids = folder / "pids"
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(self.path)], start_new_session=True,
            stderr=subprocess.PIPE, cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PIDS": str(pids)})
        wait_until(lambda: pids.exists() and pids.read_text().count("\n") >= 2, "two engines")
        time.sleep(0.3)  # in the middle of the games
        self.below = descendants(self.process.pid)
        assert len(self.below) >= 6  # two workers, each with an engine and its guard
        assert self.process.poll() is None

    def end(self) -> str:
        """Wait until nobody is left; return what was said on standard error."""
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode()
        self.process.stderr.close()
        self.process.wait()
        wait_until(lambda: not any(map(alive, self.below)), "processes are left")
        return said


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    found = Owner(tmp_path)
    yield found
    with contextlib.suppress(ProcessLookupError):
        os.killpg(found.process.pid, signal.SIGKILL)
    found.process.wait()


def test_everybody_ends_with_a_killed_owner(owner: Owner) -> None:
    with pytest.raises(RecordError, match="another program is recording"):
        Recorder(owner.path)
    owner.process.kill()
    owner.process.wait()
    Recorder(owner.path).close()  # at once: the workers do not hold the lock
    assert owner.end() == ""


def test_ctrl_c_is_the_affair_of_the_owner(owner: Owner) -> None:
    os.killpg(owner.process.pid, signal.SIGINT)
    assert owner.end() == ""
    assert owner.process.returncode == 130
    Recorder(owner.path).close()


def test_the_owner_ends_though_its_workers_are_stopped(owner: Owner) -> None:
    """Stopped processes do not go, but they go as soon as they are continued."""
    for process in owner.below:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGSTOP)
    owner.process.kill()
    owner.process.wait()
    for process in owner.below:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)
    owner.end()
