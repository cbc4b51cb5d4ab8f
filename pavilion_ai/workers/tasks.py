"""Hand tasks to workers and return their results, even if workers die and signals arrive."""

from __future__ import annotations

import errno
import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import closing
from typing import TypeVar

from pavilion_ai.interrupts import held
from pavilion_ai.workers.protocol import Workers, WorkersError

QUEUED = 1
"""Tasks handed out in advance, so that no worker has to wait for its next one."""
BATCH = 50
"""Short tasks that are handed to a process at once, such as replays of games."""
ATTEMPTS = 3
"""How often a task is begun alone before it is blamed for the death of its workers."""
_CLOSED = (None, errno.EBADF, errno.EPIPE)
"""Errors of an executor whose pipes are closed just then, since its workers have died."""
LOOK_SECONDS = 0.1
"""Seconds between checks for signals while all workers are busy."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def _no() -> bool:
    return False


def batches(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """Yield short tasks in lists of `BATCH`, the last of which may be shorter.

    >>> [len(batch) for batch in batches(range(120))]
    [50, 50, 20]
    """
    waiting = iter(tasks)
    while batch := list(itertools.islice(waiting, BATCH)):
        yield batch


def in_order(
    found: Generator[tuple[Task, Result], None, None],
    number: Callable[[Task], int],
    first: int,
) -> Generator[tuple[int, Result], None, None]:
    """Yield what `results` yields in the order of the tasks, whichever ended first.

    Args:
        found: tasks with their results; closed at the end.
        number: returns the number of a task.
        first: number of the first task; the others follow without a gap.
    """
    early: dict[int, Result] = {}
    with closing(found):
        for task, result in found:
            early[number(task)] = result
            while first in early:
                yield first, early.pop(first)
                first += 1


def results(
    workers: Workers,
    function: Callable[[Task], Result],
    tasks: Iterable[Task | None],
    *,
    name: Callable[[Task], str] | None = None,
    enough: Callable[[], bool] = _no,
) -> Generator[tuple[Task, Result], None, None]:
    """Yield tasks with their results, in the order in which they end.

    Tasks found to have ended together come in the order in which they were handed out; so those of
    a single worker always do. When a worker dies, the tasks in progress are begun again, one at a
    time: a task is blamed for a death only if it was alone. At the end, or when the iterator is
    closed, tasks in progress are dropped. Signals are blocked meanwhile, also while the caller
    handles results.

    Args:
        workers: workers that do the tasks.
        function: function of a task; both are sent to other processes.
        tasks: tasks, taken as workers become free. None means that there is nothing to do yet: the
            next task depends on results and is requested after the next one.
        name: returns the name of a task for messages.
        enough: called before waiting for results; True ends the iteration.

    Raises:
        WorkersError: workers keep dying, or are gone.
        KeyboardInterrupt: a signal arrived; tasks finished before have been yielded, and a handler
            of the program's own was called.
        Exception: an exception of a task.
    """
    waiting = iter(tasks)
    futures: dict[Future[Result], Task] = {}
    suspects: deque[Task] = deque()
    deaths = 0  # of workers that ran the first suspect alone
    with held() as interrupt:
        try:
            while not (interrupt.is_set() or enough()):
                slots = workers.slots  # fails where all workers have left, also in a game alone
                if not suspects:
                    _hand_out(workers, function, waiting, futures, slots + QUEUED)
                elif not futures:
                    futures[_submit(workers, function, suspects[0])] = suspects[0]
                if not futures:
                    break
                alone = bool(suspects)
                for future, error in _ended(futures):
                    task = futures.pop(future)
                    again = alone and task is suspects[0]
                    if error is None:
                        if again:
                            suspects.popleft()
                            deaths = 0
                        yield task, future.result()
                    elif isinstance(error, CancelledError):
                        raise WorkersError("the executor has dropped its tasks") from None
                    elif not workers.have_died(error):
                        raise error
                    elif not again:
                        suspects.append(task)
                    else:
                        deaths += 1
                        if deaths == ATTEMPTS:
                            raise _given_up(task, name, error) from error
        finally:
            for future in futures:
                future.cancel()
    if interrupt.is_set():
        interrupt.tell()
        raise KeyboardInterrupt  # nobody may take these for all results


def _hand_out(workers: Workers, function: Callable[[Task], Result], tasks: Iterator[Task | None],
              futures: dict[Future[Result], Task], most: int) -> None:
    """Hand out tasks, until so many are in progress."""
    while len(futures) < most:
        task = next(tasks, None)
        if task is None:
            return
        futures[_submit(workers, function, task)] = task


def _submit(
    workers: Workers, function: Callable[[Task], Result], task: Task
) -> Future[Result]:
    """Hand out a task; if the executor refuses work, to its replacement.

    Raises:
        WorkersError: there is no replacement.
    """
    try:
        return workers.executor.submit(function, task)
    except BrokenExecutor:
        pass
    except OSError as error:
        if error.errno not in _CLOSED:
            raise
    workers.renew()
    return workers.executor.submit(function, task)


def _ended(
    futures: Iterable[Future[Result]],
) -> list[tuple[Future[Result], BaseException | None]]:
    """Wait a moment for tasks to end; return those that have, successful ones first.

    Args:
        futures: the futures, in the order in which they were handed out.
    """
    done = wait(futures, LOOK_SECONDS, FIRST_COMPLETED).done
    ended = [(future, CancelledError() if future.cancelled() else future.exception())
             for future in futures if future in done]
    return sorted(ended, key=lambda end: end[1] is not None)


def _given_up(
    task: Task, name: Callable[[Task], str] | None, error: BaseException
) -> WorkersError:
    what, whose = ("games were", "a") if name is None else (f"{name(task)} was", "its")
    return WorkersError(f"{what} begun {ATTEMPTS} times, and each time {whose} worker died"
                        f" ({error})")
