"""The one loop that hands out tasks: in any order, not yet, enough, interrupted, dropped."""

from __future__ import annotations

import errno
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from pavilion_ai.interrupts import installed
from pavilion_ai.workers import FixedWorkers, WorkersError, results
from tests.match.support import wait_until


def double(number: int) -> int:
    return 2 * number


def test_every_task_has_its_result() -> None:
    with ThreadPoolExecutor(3) as pool:
        found = dict(results(FixedWorkers(pool, 3), double, range(200)))
    assert found == {number: 2 * number for number in range(200)}
    with ThreadPoolExecutor(1) as pool:
        assert list(results(FixedWorkers(pool, 1), double, [])) == []


def test_tasks_that_depend_on_results_wait_for_them() -> None:
    """Each may be asked for only when the one before is known."""
    known = [1]

    def tasks() -> Iterator[int | None]:
        handed = 0
        while handed < 10:
            if handed < len(known):
                handed += 1
                yield known[-1]
            else:
                yield None

    with ThreadPoolExecutor(2) as pool:
        for task, result in results(FixedWorkers(pool, 2), double, tasks()):
            assert task == known[-1]
            known.append(result)
    assert known == [2**n for n in range(11)]


def test_tasks_are_taken_as_workers_become_free() -> None:
    taken: list[int] = []
    done: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(50):
            taken.append(number)
            assert len(taken) - len(done) <= 3
            yield number

    with ThreadPoolExecutor(2) as pool:
        for task, _ in results(FixedWorkers(pool, 2), double, tasks()):
            done.append(task)
    assert len(done) == 50


def test_enough_is_enough() -> None:
    found: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        for task, _ in results(FixedWorkers(pool, 1), double, range(10**9),
                               enough=lambda: len(found) >= 5):
            found.append(task)
        assert list(results(FixedWorkers(pool, 1), double, range(9), enough=lambda: True)) == []
    assert 5 <= len(found) <= 7


class Holding(Executor):
    """Ends no task by itself."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]

    def handed_out(self, number: int) -> Future[Any]:
        """Wait for a task to be handed out; return its future."""
        wait_until(lambda: len(self.futures) > number)
        return self.futures[number]


def test_what_is_in_progress_is_dropped_when_nobody_wants_it() -> None:
    held = Holding()
    found = results(FixedWorkers(held, 3), double, range(9))
    threading.Timer(0.05, lambda: held.handed_out(1).set_result(7)).start()
    assert next(found) == (1, 7)
    found.close()
    assert [future.cancelled() for future in held.futures] == [True, False, True, True]


class Ready(Executor):
    """Ends every task at once, so several are found to have ended together."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args))
        return future


def test_what_ends_together_comes_in_the_order_of_handing_out() -> None:
    found = results(FixedWorkers(Ready(), 20), double, range(200))
    assert [task for task, _ in found] == list(range(200))


class FirstFails(Executor):
    """Ends every task at once, the first one with an error."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if args[0]:
            future.set_result(fn(*args))
        else:
            future.set_exception(ArithmeticError("of the first task"))
        return future


class Dying(Executor):
    """Its worker dies three times over each of the first two tasks: together, then twice alone."""

    def __init__(self) -> None:
        self.deaths = {0: 3, 1: 3}

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.deaths.get(args[0]):
            self.deaths[args[0]] -= 1
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(fn(*args))
        return future


def test_a_task_is_not_blamed_for_the_deaths_of_another() -> None:
    found = results(FixedWorkers(Dying(), 1), double, range(3))
    assert dict(found) == {0: 0, 1: 2, 2: 4}


def test_what_ended_together_with_a_fault_is_not_lost() -> None:
    found = results(FixedWorkers(FirstFails(), 2), double, range(3))
    assert [next(found), next(found)] == [(1, 2), (2, 4)]
    with pytest.raises(ArithmeticError, match="of the first task"):
        next(found)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_after_what_has_ended(number: int) -> None:
    held = Holding()
    seen: list[tuple[int, int]] = []

    def end() -> None:
        held.handed_out(0).set_result(5)
        signal.raise_signal(number)

    timer = threading.Timer(0.3, end)
    timer.start()
    begun = time.monotonic()
    with installed(), pytest.raises(KeyboardInterrupt):
        seen.extend(results(FixedWorkers(held, 2), double, range(9)))
    assert time.monotonic() - begun < 5
    timer.join()
    assert seen == [(0, 5)]
    assert all(future.done() for future in held.futures)
    assert sum(future.cancelled() for future in held.futures) >= 2


def test_a_signal_while_a_result_is_looked_at_does_not_break_in() -> None:
    kept: list[int] = []

    def look_at(pool: Executor) -> None:
        for task, _ in results(FixedWorkers(pool, 1), double, range(9)):
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.01)
            kept.append(task)

    with ThreadPoolExecutor(1) as pool, installed(), pytest.raises(KeyboardInterrupt):
        look_at(pool)
    assert kept


class Broken(Holding):
    """Breaks with the first task, however often it is begun."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor("gone"))
        return future


def test_the_task_that_is_blamed_is_named() -> None:
    with pytest.raises(WorkersError, match=r"^number 4 was begun 3 times, and each time its worker"
                                           r" died \(gone\)$"):
        list(results(FixedWorkers(Broken(), 1), double, [4], name=lambda task: f"number {task}"))


class Closing(Holding):
    """Has just noticed that its workers are gone: its pipes are closed."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise self.error


class Renewing(FixedWorkers):
    def __init__(self, first: Executor, then: Executor) -> None:
        super().__init__(first, 1)
        self.then = then

    def renew(self) -> None:
        self.executor = self.then


@pytest.mark.parametrize("error", [OSError("handle is closed"), BrokenPipeError(errno.EPIPE, "x")])
def test_an_executor_whose_pipes_are_closed_is_replaced(error: OSError) -> None:
    with ThreadPoolExecutor(1) as pool:
        workers = Renewing(Closing(error), pool)
        assert dict(results(workers, double, [1, 2])) == {1: 2, 2: 4}
    with pytest.raises(OSError, match="No space"):  # nothing that another executor would help
        list(results(Renewing(Closing(OSError(errno.ENOSPC, "No space")), pool), double, [1]))


def test_an_executor_that_drops_its_tasks_is_gone() -> None:
    held = Holding()

    def drop() -> None:
        held.handed_out(0).cancel()
        held.futures[0].set_running_or_notify_cancel()

    threading.Timer(0.05, drop).start()
    with pytest.raises(WorkersError, match=r"^the executor has dropped its tasks$"):
        list(results(FixedWorkers(held, 1), double, [1]))
