"""Handing tasks out to workers, on this machine or on a cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import TypeVar

from pavilion_ai.match.runner import ATTEMPTS, QUEUED, Workers, WorkersError, submit

__all__ = ["run_tasks"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_tasks(
    workers: Workers, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[tuple[Task, Result]]:
    """Yield tasks with their results, in the order in which they end.

    When a worker dies, what was in progress is begun again, one task at a time: a death is put down
    to a task only if that was alone.

    Args:
        workers: who works.
        function: what is done; it and the tasks travel to other processes.
        tasks: taken as workers become free.

    Raises:
        WorkersError: workers keep dying, or are gone.
    """
    waiting = iter(tasks)
    suspects: deque[Task] = deque()
    deaths = 0  # of workers, over the first of the suspects alone
    futures: dict[Future[Result], Task] = {}
    try:
        while True:
            alone = bool(suspects)
            if alone and not futures:
                futures[submit(workers, function, suspects[0])] = suspects[0]
            while not alone and len(futures) < workers.slots + QUEUED:
                try:
                    task = next(waiting)
                except StopIteration:
                    break
                futures[submit(workers, function, task)] = task
            if not futures:
                return
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                task = futures.pop(future)
                error = CancelledError() if future.cancelled() else future.exception()
                again = alone and task is suspects[0]
                if error is None:
                    if again:
                        suspects.popleft()
                        deaths = 0
                    yield task, future.result()
                elif isinstance(error, CancelledError):
                    raise WorkersError("whoever handed out the games has gone") from None
                elif not workers.have_died(error):
                    raise error
                elif not again:
                    suspects.append(task)
                else:
                    deaths += 1
                    if deaths == ATTEMPTS:
                        raise WorkersError(f"games were begun {ATTEMPTS} times, and each time a"
                                           f" worker died ({error})") from error
    finally:
        for future in futures:
            future.cancel()
