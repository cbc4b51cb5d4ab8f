"""Workers on other machines: a cluster of dask.distributed (extra `cluster`)."""

from __future__ import annotations

import logging
import math
import re
import time
from concurrent.futures import Executor
from typing import Any

from pavilion_ai.errors import SpecError, shown
from pavilion_ai.interrupts import blocked, held
from pavilion_ai.version import __version__
from pavilion_ai.workers.local import start_tracker
from pavilion_ai.workers.protocol import Closing, WorkersError

LOCAL = "local"
"""Used as an address: start a scheduler and workers on this machine."""
ADDRESS = re.compile(r"((tcp|ws)://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):[0-9]{1,5}/?")
IGNORE_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""Code that such workers run at their start: only their owner reacts to Ctrl-C."""
WAIT_SECONDS = 30.0
"""Seconds that a cluster may be without any worker."""
COUNT_SECONDS = 1.0
"""Seconds between two questions to the scheduler how many workers there are."""


def check_address(address: str) -> None:
    """Refuse a string that cannot be the address of a scheduler.

    Raises:
        SpecError: it is neither `HOST:PORT` nor `local`.
    """
    if address != LOCAL and not ADDRESS.fullmatch(address):
        raise SpecError(f"cluster {shown(address)}: expected tcp://HOST:PORT, or {LOCAL}")


class ClusterWorkers(Closing):
    """The current workers of a dask scheduler.

    The scheduler replaces a worker that dies, and its games start again. Workers that join later
    get their share.

    Args:
        address: address of the scheduler (`tcp://host:8786`), or `local`.
        jobs: number of workers of a local cluster.

    Raises:
        ImportError: the extra is not installed.
        SpecError: the address is invalid.
        WorkersError: there is no such scheduler, it has no workers, or they run another version.
    """

    def __init__(self, address: str, jobs: int) -> None:
        try:
            import distributed
        except ImportError:
            raise ImportError(
                "a cluster needs dask.distributed: pip install 'pavilion-ai[cluster]'") from None
        self._cluster: Any = None
        self._client: Any = None
        self._slots, self._counted_at = 1, -math.inf
        self._seen_at = self._asked_at = time.monotonic()
        check_address(address)
        for logger in ("distributed", "distributed.client"):
            logging.getLogger(logger).setLevel(logging.CRITICAL)  # what matters is raised
        try:
            self._join(distributed, address, jobs)
            self._check()
        except BaseException:
            self.close()
            raise

    @property
    def executor(self) -> Executor:
        """The cluster as an executor."""
        return self._executor

    @property
    def slots(self) -> int:
        """Number of threads of all workers; at least 1, for workers still to come.

        Raises:
            WorkersError: as `_threads`.
        """
        now = time.monotonic()
        if now - self._counted_at >= COUNT_SECONDS:
            self._slots, self._counted_at = max(1, self._threads()), now
        return self._slots

    def renew(self) -> None:
        """Give up: a scheduler manages its workers itself.

        Raises:
            WorkersError: always.
        """
        raise WorkersError("the cluster takes no more games")

    def have_died(self, error: BaseException) -> bool:
        """Tell whether the scheduler gave up a task because its workers died."""
        from distributed.scheduler import KilledWorker

        return isinstance(error, KilledWorker)

    def close(self) -> None:
        """Drop running tasks and leave the cluster."""
        if self._client is not None:
            self._client.close(timeout=5)
        if self._cluster is not None:
            self._cluster.close(timeout=5)

    def _join(self, dask: Any, address: str, jobs: int) -> None:
        """Connect to a cluster, which is started before if it is a local one.

        Raises:
            WorkersError: it cannot be started, or there is no such scheduler.
        """
        try:
            if address == LOCAL:
                start_tracker()  # later its start would unblock the signals
                with held() as interrupt, blocked():  # half a cluster cannot be closed
                    self._cluster = dask.LocalCluster(
                        n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL, preload=[IGNORE_CTRL_C])
                interrupt.pass_on()
                address = self._cluster.scheduler_address
            self._client = dask.Client(address, timeout=WAIT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise WorkersError(f"cluster {address}: {error}") from None
        self._executor: Executor = self._client.get_executor(pure=False)

    def _threads(self) -> int:
        """Return the number of threads of all workers.

        Raises:
            WorkersError: there has been no worker for `WAIT_SECONDS`.
        """
        found, now = sum(self._client.nthreads().values()), time.monotonic()
        if found or now - self._asked_at > WAIT_SECONDS:  # else an old sight would count
            self._seen_at = now
        self._asked_at = now
        if not found and now - self._seen_at > WAIT_SECONDS:
            raise WorkersError(f"the cluster has had no worker for {WAIT_SECONDS:g} s")
        return int(found)

    def _check(self) -> None:
        """Wait for a worker, and refuse workers with another version of this package."""
        self._seen_at = time.monotonic()
        while not self._threads():
            time.sleep(0.1)
        for worker, version in self._client.run(_version, on_error="return").items():
            if version != __version__ and not isinstance(version, OSError):  # gone just now
                raise WorkersError(
                    f"worker {worker}: found pavilion-ai {version}, expected {__version__}")


def _version() -> str:
    return __version__
