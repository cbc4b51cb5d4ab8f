"""Handing tasks out to workers, on this machine or on a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any, TypeVar

from pavilion_ai.match.runner import Workers, WorkersError

__all__ = ["run_tasks"]

Task = TypeVar("Task")
Result = TypeVar("Result")

QUEUED = 1
"""Tasks handed out beyond those being worked on."""
ATTEMPTS = 3
"""How often a task is begun before the death of its workers is put down to it."""


def run_tasks(
    workers: Workers, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[tuple[Task, Result]]:
    """Yield tasks with their results, in the order in which they end.

    Args:
        workers: who works.
        function: what is done; it and the tasks travel to other processes.
        tasks: taken as workers become free.

    Raises:
        WorkersError: workers keep dying, or are gone.
    """
    waiting = iter(tasks)
    again: list[Task] = []
    futures: dict[Future[Result], Task] = {}
    deaths: Counter[int] = Counter()
    try:
        while True:
            while len(futures) < workers.slots + QUEUED:
                task = again.pop() if again else next(waiting, _END)
                if task is _END:
                    break
                futures[_submit(workers, function, task)] = task
            if not futures:
                return
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                task = futures.pop(future)
                error = CancelledError() if future.cancelled() else future.exception()
                if error is None:
                    yield task, future.result()
                elif isinstance(error, CancelledError):
                    raise WorkersError("whoever handed out the games has gone") from None
                elif not workers.have_died(error):
                    raise error
                else:
                    deaths[id(task)] += 1
                    if deaths[id(task)] == ATTEMPTS:
                        raise WorkersError(f"games were begun {ATTEMPTS} times, and each time a"
                                           f" worker died ({error})") from error
                    again.append(task)
    finally:
        for future in futures:
            future.cancel()


_END: Any = object()


def _submit(workers: Workers, function: Callable[[Task], Result], task: Task) -> Future[Result]:
    try:
        return workers.executor.submit(function, task)
    except BrokenExecutor:
        workers.renew()
        return workers.executor.submit(function, task)
