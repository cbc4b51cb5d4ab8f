"""Workers on this machine, however they end."""

from __future__ import annotations

import os
import signal
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from pavilion_ai.workers import results
from pavilion_ai.workers.local import LocalWorkers

SECONDS = 60.0


def tell_half(mark: str) -> bytes:
    """Return a result of which the process then sends only the beginning."""
    def send(self: Connection, content: bytes, _: object = None) -> None:
        os.write(self.fileno(), bytes(content[:10]))
        Path(mark).touch()
        time.sleep(SECONDS)

    Connection._send = send  # type: ignore[attr-defined]
    return bytes(100_000)


def die_halfway(mark: str) -> bytes:
    """Die in the middle of the result, but only the first time."""
    def send(self: Connection, content: bytes, _: object = None) -> None:
        os.write(self.fileno(), bytes(content[:10]))
        os.kill(os.getpid(), signal.SIGKILL)

    if not Path(mark).exists():
        Path(mark).touch()
        Connection._send = send  # type: ignore[attr-defined]
    return bytes(100_000)


own_send = pytest.mark.skipif(os.name == "nt", reason="connections are made otherwise there")


@own_send
def test_a_process_in_the_middle_of_a_result_is_not_waited_for(tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    workers = LocalWorkers(1)
    workers.executor.submit(tell_half, str(mark))
    until = time.monotonic() + SECONDS
    while not mark.exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert mark.exists()
    time.sleep(0.2)  # the beginning is read
    closing = threading.Thread(target=workers.close, daemon=True)
    closing.start()
    closing.join(SECONDS / 4)
    assert not closing.is_alive()


@own_send
def test_a_process_that_dies_in_the_middle_of_a_result_is_replaced(tmp_path: Path) -> None:
    until, task = time.monotonic() + SECONDS, str(tmp_path / "begun")
    with LocalWorkers(2) as workers:
        done = [*results(workers, die_halfway, [task], enough=lambda: time.monotonic() > until)]
    assert done == [(task, bytes(100_000))]
