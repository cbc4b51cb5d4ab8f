"""Which of an engine's searches run just now.

With as many threads as clients ask for, the one that reads requests would wait for all of them
whenever it needs the processor or Python's lock. So only some search at a time, in turn, each for a
moment; with fewer nobody waits.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

TURN_SECONDS = 0.1
"""Seconds for which a search runs while others wait; its own slices are as long."""
WATCH_SECONDS = 0.05
"""Seconds between checks for `stop` while waiting."""


class _Waiting(NamedTuple):
    """One that waits for its turn, and the threads it will search with."""

    threads: int
    granted: threading.Event


class Turns:
    """Shares out threads of searches; the one that waits longest comes next.

    Args:
        threads: most that search at a time, all together; more only if one search has more.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._lock = threading.Lock()
        self._free = threads
        self._waiting: deque[_Waiting] = deque()

    @contextmanager
    def taken(
        self, stop: threading.Event, threads: int = 1, until: float | None = None
    ) -> Iterator[threading.Event]:
        """Wait for a turn, and yield an event that stands for `stop` in the search.

        Whenever the search asks whether it is set, others may have their turn first. It must ask
        at least every `TURN_SECONDS`; several threads of one search may ask.

        Args:
            threads: threads of the search.
            until: reading of time.monotonic() after which it waits no longer, as it must answer.
        """
        turn = _Turn(self, stop, min(threads, self.threads), until)
        try:
            turn.take()
            yield turn
        finally:
            turn.give_back()

    def take(self, threads: int, stop: threading.Event, until: float | None) -> bool:
        """Wait for so many threads; tell whether there are, or it is stopped or out of time."""
        me = _Waiting(threads, threading.Event())
        with self._lock:
            self._waiting.append(me)
            self._grant()
        while not me.granted.wait(_patience(until)):
            if stop.is_set() or (until is not None and time.monotonic() >= until):
                with self._lock:
                    if not me.granted.is_set():
                        self._waiting.remove(me)
                        self._grant()
                        return False
        return True

    def give_back(self, threads: int) -> None:
        """Let others have so many threads."""
        with self._lock:
            self._free += threads
            self._grant()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits."""
        return bool(self._waiting)

    def _grant(self) -> None:
        while self._waiting and self._waiting[0].threads <= self._free:
            first = self._waiting.popleft()
            self._free -= first.threads
            first.granted.set()


def _patience(until: float | None) -> float:
    left = WATCH_SECONDS if until is None else until - time.monotonic()
    return max(0.0, min(left, WATCH_SECONDS))


class _Turn(threading.Event):
    """Stands for the `stop` of a search, and lets others have their turn when it is asked."""

    def __init__(
        self, turns: Turns, stop: threading.Event, threads: int, until: float | None
    ) -> None:
        super().__init__()
        self._turns, self._stop, self._threads, self._until = turns, stop, threads, until
        self._asking = threading.Lock()
        self._has, self._since = False, 0.0

    def is_set(self) -> bool:
        """Tell whether the search is to stop, after the turns of others."""
        if not self._stop.is_set():
            with self._asking:
                if not self._has:
                    self.take()
                elif self._turns.wanted and time.monotonic() - self._since >= TURN_SECONDS:
                    self.give_back()
                    self.take()
        return self._stop.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the search is to stop."""
        return self._stop.wait(timeout)

    def take(self) -> None:
        """Wait for the turn, unless the search is stopped or out of time."""
        if not self._stop.is_set() and (
                self._until is None or time.monotonic() < self._until):
            self._has = self._turns.take(self._threads, self._stop, self._until)
            self._since = time.monotonic()

    def give_back(self) -> None:
        """Let others have their turn."""
        if self._has:
            self._has = False
            self._turns.give_back(self._threads)
