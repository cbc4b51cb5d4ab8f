"""A cluster of dask.distributed: the same games, every one once, though workers are killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pavilion_ai.interrupts import installed
from pavilion_ai.match.runner import Runner
from pavilion_ai.record import GameRecord
from pavilion_ai.version import __version__
from pavilion_ai.workers import WorkersError, cluster
from pavilion_ai.workers.cluster import LOCAL, ClusterWorkers
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

pytest.importorskip("distributed")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def workers() -> Iterator[ClusterWorkers]:
    with ClusterWorkers(LOCAL, 2) as found:
        yield found


def address(workers: ClusterWorkers) -> str:
    return str(workers._client.scheduler.address)


def test_a_cluster_plays_the_same_games(workers: ClusterWorkers) -> None:
    asked = event("random", "greedy", "policy", kind="swiss", rounds=3)
    assert workers.slots == 2
    found = played(asked, workers=workers)
    assert games(found) == games(played(asked))
    assert played(asked, found, workers=workers) == []


def test_games_lost_by_a_fault(workers: ClusterWorkers) -> None:
    asked = event(mock("illegal", 3), "greedy", rounds=2)
    found = played(asked, workers=workers)
    assert games(found) == games(played(asked))
    assert all(record.reason.endswith("illegal move 'D9:G'") for record in found)


def test_a_worker_that_is_killed_costs_no_game(workers: ClusterWorkers) -> None:
    asked = event("ismcts:sims=300", "flat:sims=300", "random", kind="round-robin", rounds=2)
    processes: dict[str, int] = workers._client.run(os.getpid)
    assert len(set(processes.values())) == 2
    records: list[GameRecord] = []

    def keep(record: GameRecord) -> None:
        records.append(record)
        if len(records) == 3:
            os.kill(min(processes.values()), signal.SIGKILL)

    Runner(asked).run(workers, keep)
    assert games(records) == games(played(asked))
    wait_until(lambda: len(workers._client.nthreads()) == 2, "the cluster starts another worker")


def test_the_scheduler_is_not_asked_for_its_workers_at_every_look(
    workers: ClusterWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[None] = []
    threads = workers._client.nthreads

    def counted() -> object:
        asked.append(None)
        return threads()

    monkeypatch.setattr(workers._client, "nthreads", counted)
    for seconds, times in ((0.0, 3), (3600.0, 0)):
        monkeypatch.setattr(cluster, "COUNT_SECONDS", seconds)
        asked.clear()
        assert [workers.slots for _ in range(3)] == [2, 2, 2]
        assert len(asked) == times


def test_a_cluster_that_all_workers_have_left_is_given_up(
    workers: ClusterWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "COUNT_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(workers._client, "nthreads", dict)
        assert workers.slots == 1  # some may come back
        patched.setattr(cluster, "WAIT_SECONDS", -1.0)
        with pytest.raises(WorkersError, match=r"^the cluster has had no worker for -1 s$"):
            played(event("random", "greedy"), workers=workers)
    assert workers.slots == 2


def test_another_client_may_join(workers: ClusterWorkers) -> None:
    asked = event("random", "greedy", rounds=2)
    with ClusterWorkers(address(workers), 1) as others:
        assert others.slots == 2
        assert games(played(asked, workers=others)) == games(played(asked))
    assert workers.slots == 2  # a guest does not end the cluster


def test_workers_with_another_version_are_refused(
    workers: ClusterWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "__version__", "99.9")
    with pytest.raises(WorkersError) as caught:
        ClusterWorkers(address(workers), 1)
    line = str(caught.value)
    assert line.startswith("worker tcp://")
    assert line.endswith(f": found pavilion-ai {__version__}, expected 99.9")
    assert len(line.splitlines()) == 1


def test_an_exception_of_a_game_is_no_death(workers: ClusterWorkers) -> None:
    error = workers.executor.submit(int, "no number").exception()
    assert isinstance(error, ValueError)
    assert not workers.have_died(error)
    with pytest.raises(WorkersError):
        workers.renew()


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WAIT_SECONDS", 0.3)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(WorkersError, match=f"^cluster {where}: ") as caught:
        ClusterWorkers(where, 1)
    assert len(str(caught.value).splitlines()) == 1


SCRIPT = (
    "import sys\n"
    "from pavilion_ai.workers import cluster\n"
    "cluster.WAIT_SECONDS = 0.2\n"
    "try: cluster.ClusterWorkers(sys.argv[1], 1)\n"
    "except cluster.SpecError as error: print(error)\n")


@pytest.mark.parametrize("where", ["nonsense", "ftp://127.0.0.1:1", "tls://127.0.0.1:1"])
def test_what_is_no_address(where: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, where], capture_output=True, text=True,
                          cwd=ROOT, timeout=60, check=False)
    assert done.stdout == f"cluster '{where}': expected tcp://HOST:PORT, or local\n"
    assert done.stderr == ""


def test_ctrl_c_ends_a_match_on_a_cluster_of_our_own(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), "match", "flat:sims=50", "random", "--pairs", "500",
         "--cluster", LOCAL, "--jobs", "2", "--out", str(path)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as running:
        wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") > 1, "two games")
        below = descendants(running.pid)
        os.killpg(running.pid, signal.SIGINT)
        output, errors = running.communicate(timeout=30)
    wait_until(lambda: not any(map(alive, below)), "processes are left")
    assert (running.returncode, output) == (130, "")
    assert [line[:5] for line in errors.splitlines()] == ["games", "note:", "note:"]


def test_ctrl_c_while_a_cluster_of_our_own_starts_leaves_no_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), "match", "random", "random", "--cluster", LOCAL,
         "--jobs", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as running:
        wait_until(lambda: any(map(is_worker, descendants(running.pid))), "a worker starts")
        below = descendants(running.pid)
        os.killpg(running.pid, signal.SIGINT)
        output, errors = running.communicate(timeout=30)
    wait_until(lambda: not any(map(alive, below)), "processes are left")
    assert (running.returncode, output) == (130, "")
    assert errors == "note: no game was finished; nothing to save\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_waits_until_a_cluster_can_be_closed(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Started:
        def __init__(self, **_: object) -> None:
            signal.raise_signal(number)
            done.append("started")

        def close(self, timeout: float) -> None:
            done.append("closed")

    done: list[str] = []
    monkeypatch.setattr("distributed.LocalCluster", Started)
    with pytest.raises(KeyboardInterrupt), installed():
        ClusterWorkers(LOCAL, 1)
    assert done == ["started", "closed"]


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'pavilion-ai\[cluster\]'"):
        ClusterWorkers(LOCAL, 1)


def test_a_cluster_of_our_own_is_reached_from_this_machine_alone() -> None:
    import psutil  # comes with distributed

    own = psutil.Process()
    before = set(own.net_connections())
    with ClusterWorkers(LOCAL, 1):
        found = {*own.net_connections()} - before
        for process in own.children(recursive=True):
            found |= {*process.net_connections()}
        listening = [one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN]
    assert len(listening) > 2  # scheduler, its page, worker
    assert set(listening) <= {"127.0.0.1", "::1"}


def test_the_end_leaves_no_worker() -> None:
    before = descendants(os.getpid())
    with ClusterWorkers(LOCAL, 1) as workers:
        processes = set(workers._client.run(os.getpid).values())
        assert processes <= descendants(os.getpid()) - before
        workers.executor.submit(time.sleep, 600)
    wait_until(lambda: not processes & descendants(os.getpid()), "a worker is left")
