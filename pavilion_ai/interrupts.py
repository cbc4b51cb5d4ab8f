"""Signals that ask a program to end: Ctrl-C, a termination, a hang-up.

Python raises KeyboardInterrupt wherever the main thread happens to be. Inside `wait` of a future
or a condition this leaves a lock held for ever, and the program hangs at its end. So code that
waits for other threads or processes holds interrupts back, and checks a flag:

    with held() as interrupt:
        while working and not interrupt.is_set():
            ...

Elsewhere, as at a prompt, KeyboardInterrupt interrupts a system call, which is safe. A command
installs its own handler with `installed`: only the first signal raises KeyboardInterrupt, and the
second ends the process at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 130
"""Exit code of a command ended by a signal."""
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP")
                if hasattr(signal, name))
SAME_SECONDS = 0.1
"""Signals within this time count as one: a terminal that closes sends several."""
RETRY_SECONDS = 0.01
"""Seconds until another attempt, where an exception may be lost."""
RETRY_AT_MOST = 2.0
"""Seconds of the processor during which attempts are repeated; imports take less."""
RETRY_AT_LONGEST = 30.0
"""The same in seconds of the clock: a busy machine lets an import wait."""
_LOSING = {"__del__", "remove", "_remove", "weakref_cb", "__set_name__"}
"""Names of functions in which an exception is lost: finalizers in Python's standard library, and
what Python calls while it makes a class, where it wraps any exception into a RuntimeError."""
_SPAWNED = b"multiprocessing.spawn"
"""What stands in the command line of a worker."""
_SHOW_CURSOR = b"\x1b[?25h\n"


class Interrupt:
    """Whether a signal has arrived. A plain flag: a handler must not wait for an event's lock."""

    __slots__ = ("_set",)

    def __init__(self) -> None:
        self._set = False

    def is_set(self) -> bool:
        """Tell whether a signal has arrived."""
        return self._set

    def set(self) -> None:
        """Record that a signal has arrived."""
        self._set = True

    def pass_on(self) -> None:
        """Leave a signal that was held back to the handler of Ctrl-C that the program has.

        Raises:
            KeyboardInterrupt: a signal has arrived, and the program has no handler of its own.
        """
        if self._set and not self.tell():
            raise KeyboardInterrupt

    def tell(self) -> bool:
        """Call the program's own handler of Ctrl-C if a signal was held back.

        Returns:
            whether the program has one.
        """
        handler = own_handler()
        if self._set and handler is not None:
            handler(signal.SIGINT, None)
        return handler is not None


class _Handler:
    """Handles signals: raises KeyboardInterrupt, or sets the flags of blocks that hold it back.

    Args:
        last: called on a second signal; None to handle it like the first.
    """

    def __init__(self, last: Callable[[], NoReturn] | None) -> None:
        self.holders: list[Interrupt] = []
        self._last = last
        self._repeated = False
        self._first: float | None = None
        self._spent = 0.0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._last is not None and self._first is not None:
            if now - self._first > SAME_SECONDS:
                self._last()
            return
        self._first, self._spent = now, time.process_time()
        self._interrupt(frame)

    def again(self, number: int, frame: FrameType | None) -> None:
        """Try again to raise KeyboardInterrupt."""
        if self._repeated:
            self._interrupt(frame)

    def settle(self) -> bool:
        """Make no more attempts; tell whether an interrupt has still to be raised.

        A timer that outlives the handler would end the process by its own signal.
        """
        repeated, self._repeated = self._repeated, False
        if repeated:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return repeated

    def forget(self) -> None:
        """Treat the next signal as the first."""
        self._first = None

    def _interrupt(self, frame: FrameType | None) -> None:
        self._repeated = False
        for holder in self.holders:
            holder.set()
        if self.holders:
            return
        if hasattr(signal, "setitimer") and self._last is not None and (
                self._has_time() and _may_be_lost(frame)):
            self._repeated = True
            signal.signal(signal.SIGALRM, self.again)
            signal.setitimer(signal.ITIMER_REAL, RETRY_SECONDS)
            return
        raise KeyboardInterrupt

    def _has_time(self) -> bool:
        """Tell whether the first signal came not long ago."""
        return self._first is not None and (
            time.monotonic() - self._first < RETRY_AT_LONGEST
            and time.process_time() - self._spent < RETRY_AT_MOST)


def _may_be_lost(frame: FrameType | None) -> bool:
    """Tell whether an exception may get lost: finalizers print it, C code in imports drops it."""
    while frame is not None:
        code = frame.f_code
        if code.co_name in _LOSING or code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def held() -> Iterator[Interrupt]:
    """Let signals set a flag instead of raising KeyboardInterrupt while the block runs.

    The caller checks the flag at least every few tenths of a second, and finally reports that it
    was interrupted, or raises KeyboardInterrupt itself. In threads other than the main one, where
    no signal arrives, the flag is never set.
    """
    interrupt = Interrupt()
    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            handler = _current() or stack.enter_context(_replaced(_Handler(None), True))
            handler.holders.append(interrupt)
            stack.callback(handler.holders.remove, interrupt)
        yield interrupt


@contextlib.contextmanager
def blocked() -> Iterator[None]:
    """Block the terminal's signals, also for threads and processes started meanwhile.

    Only their owner should react: they would end with a traceback. On Windows signals cannot be
    blocked; there each worker ignores them from its first line on.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """Let the first signal interrupt what the block does, and a second one end the process.

    Raises:
        KeyboardInterrupt: also at the end of the block, if it could not be raised within.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # a test runner: signals stay as they are
        return
    handler = _Handler(end_at_once)
    with _replaced(handler):
        try:
            yield
        finally:
            interrupted = handler.settle()
        if interrupted:
            raise KeyboardInterrupt


def own_handler() -> Callable[[int, None], object] | None:
    """Return the handler of Ctrl-C that the program has itself, None for Python's and ours."""
    handler: Any = signal.getsignal(signal.SIGINT)
    usual = not callable(handler) or handler is signal.default_int_handler
    return None if usual or isinstance(handler, _Handler) else handler


def forget() -> None:
    """Treat the next signal as the first: earlier ones have been handled."""
    handler = _current()
    if handler is not None:
        handler.forget()


def end_at_once(*_: object) -> NoReturn:
    """End the process and show the terminal's cursor again; also usable as a signal handler."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if sys.stderr.isatty():
            os.write(sys.stderr.fileno(), _SHOW_CURSOR)
    _end_beginners()
    os._exit(INTERRUPTED)


def _end_beginners() -> None:
    """Kill workers of this process: one that is just being started would print a traceback.

    Those that have begun end by themselves.
    """
    parent = str(os.getpid()).encode()
    with contextlib.suppress(OSError):  # no /proc
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    if file.read().rpartition(b")")[2].split()[1] != parent:
                        continue
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if _SPAWNED in file.read():
                        os.kill(int(name), signal.SIGKILL)


def _current() -> _Handler | None:
    handler = signal.getsignal(signal.SIGINT)
    if not isinstance(handler, _Handler):
        handler = signal.getsignal(signal.SIGTERM)
    return handler if isinstance(handler, _Handler) else None


@contextlib.contextmanager
def _replaced(handler: _Handler, raising_only: bool = False) -> Iterator[_Handler]:
    """Install a handler, except for ignored signals, as in the background or under nohup.

    Args:
        raising_only: whether only that of Ctrl-C is replaced, if there is one in Python; the other
            signals are the program's own.
    """
    before: dict[Any, Any] = {}
    for number in (signal.SIGINT,) if raising_only else SIGNALS:
        found = signal.getsignal(number)
        if callable(found) or (found is signal.SIG_DFL and not raising_only):
            before[number] = signal.signal(number, handler)
    try:
        yield handler
    finally:
        for number, found in before.items():
            signal.signal(number, found)
