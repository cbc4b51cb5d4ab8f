"""Workers on this machine: one process per job, each doing one task at a time."""

from __future__ import annotations

import contextlib
import errno
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from pavilion_ai.errors import reason_of
from pavilion_ai.external import end_all
from pavilion_ai.interrupts import blocked
from pavilion_ai.workers.protocol import Closing, WorkersError

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess
    from multiprocessing.synchronize import Semaphore

_EXHAUSTED = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors of a system that has no room for another process."""
_MOST_ON_WINDOWS = 61
"""Processes for which a pool of Python's can wait there."""
_LAST_SECONDS = 1.5
"""Seconds that workers have to end their engines, which have 1.0 s."""
_NOTICED_SECONDS = 2.0
"""Seconds in which a pool of Python's has noticed a death, if it can: it does so at once."""
_QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"


def start_tracker() -> None:
    """Start Python's process that removes the semaphores of a pool whose owner was killed.

    It would also print a warning of leaked ones, on the terminal of somebody who has just killed a
    match and reads on about how to resume it.
    """
    if os.name == "nt":
        return
    from multiprocessing import resource_tracker

    sys.warnoptions.append(_QUIET)  # all its options come from here
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(_QUIET)


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit work; this may start a process.

        Raises:
            WorkersError: the system starts none.
        """
        with blocked():
            try:
                return super().submit(fn, *args, **kwargs)
            except BrokenExecutor:
                raise
            except RuntimeError as error:  # the system has no threads left
                reason = str(error)
            except OSError as error:
                if error.errno not in _EXHAUSTED:
                    raise
                reason = reason_of(error)
            raise WorkersError(f"a process for the work cannot be started: {reason}")


class LocalWorkers(Closing):
    """A pool of processes that ends with its owner, however the owner ends.

    The workers hold the reading end of a pipe whose other end only the owner holds. When it closes,
    because the owner is finished, is interrupted or was killed, each worker drops its task and
    exits. Where a `with` block ends well, another pipe closes before: each worker that has begun
    ends its engines, and says so. Processes are spawned, not forked: a forked one would also hold
    the lock of the record file.
    """

    def __init__(self, jobs: int) -> None:
        self._slots = min(jobs, _MOST_ON_WINDOWS) if os.name == "nt" else jobs
        self._pool: ProcessPoolExecutor | None = None
        self._life: tuple[Connection, ...] = ()
        self._work: tuple[Connection, ...] = ()
        self._died: float | None = None  # when one of the pool was first seen dead

    @property
    def slots(self) -> int:
        """Number of processes; whoever waits for results asks for it often.

        If one has died in the middle of a result, the pool waits for the rest, as another process
        could write it. So it is broken here.
        """
        processes = _processes_of(self._pool)
        if not wait([process.sentinel for process in processes], 0):
            self._died = None
        elif self._died is None:
            self._died = time.monotonic()
        elif self._pool is not None and time.monotonic() > self._died + _NOTICED_SECONDS:
            _kill(self._pool)
        return self._slots

    @property
    def executor(self) -> Executor:
        """The pool, started on first use.

        Raises:
            WorkersError: the system has no room for it, or no locks that processes share.
        """
        if self._pool is None:
            try:
                life, _ = self._life = multiprocessing.Pipe(duplex=False)
                work, _ = self._work = multiprocessing.Pipe(duplex=False)
                with blocked():
                    start_tracker()
                    context = multiprocessing.get_context("spawn")
                    self._begun, self._done = context.Semaphore(0), context.Semaphore(0)
                    self._pool = _Pool(
                        self._slots,
                        mp_context=context,
                        initializer=_begin,
                        initargs=(life, work, self._begun, self._done),
                    )
            # Their locks are files, in a folder of the system's; some systems have none.
            except (OSError, NotImplementedError, ImportError) as error:
                reason = reason_of(error) if isinstance(error, OSError) else error
                raise WorkersError(f"processes for the work cannot be prepared: {reason}") from None
        return self._pool

    def renew(self) -> None:
        """Start a new pool and end what is left of the old one."""
        self.close()

    def have_died(self, error: BaseException) -> bool:
        """Tell whether an error means that a process of the pool has died."""
        return isinstance(error, BrokenExecutor)

    def __exit__(self, *raised: object) -> None:
        try:
            if self._pool is not None and raised[0] is None:
                self._finish()
        finally:
            self.close()

    def _finish(self) -> None:
        """Let the workers that have begun end their engines."""
        until = time.monotonic() + _LAST_SECONDS
        for end in self._work:
            end.close()
        while self._begun.acquire(block=False) and self._done.acquire(
                timeout=max(0.0, until - time.monotonic())):
            pass

    def close(self) -> None:
        """Kill all workers immediately."""
        pool, self._pool = self._pool, None
        for end in (*self._life, *self._work):
            end.close()
        if pool is not None:
            _kill(pool)
            with contextlib.suppress(RuntimeError):  # its thread could not be started
                pool.shutdown(wait=True, cancel_futures=True)


def _processes_of(pool: ProcessPoolExecutor | None) -> list[BaseProcess]:
    return [*(getattr(pool, "_processes", None) or {}).values()]


def _kill(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of a pool."""
    # One that has not yet begun knows nothing of the pipe; it would be waited for.
    for process in _processes_of(pool):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            process.kill()
    # One that was killed in the middle of a result would be waited for as long as somebody could
    # write the rest, which this process could.
    with contextlib.suppress(OSError, AttributeError):
        pool._result_queue._writer.close()  # type: ignore[attr-defined]


def _begin(life: Connection, work: Connection, begun: Semaphore, done: Semaphore) -> None:
    """Prepare a worker: only its owner reacts to Ctrl-C, and without an owner it ends.

    SIGINT is blocked by the mask, and ignored so that engines it starts inherit no handler.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(life, work, done), daemon=True).start()
    begun.release()


def _follow(life: Connection, work: Connection, done: Semaphore) -> None:
    """Wait for the ends of both pipes, through which nothing is ever sent."""
    try:
        if life not in wait([life, work]):
            end_all()
            done.release()
            wait([life])
    finally:
        os._exit(1)  # the guards of engines see the end of their input
