"""Reading and writing the pipes of an engine's process without ever waiting too long.

Where the system can poll pipes, they are polled; elsewhere, as on Windows, threads read and write.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Collection
from typing import Protocol

CHUNK = 1 << 16
"""Most bytes of one read or write."""
_END_SECONDS = 1.0  # for a thread, once the process has ended


class Pipes(Protocol):
    """The pipes of a process, named by their file descriptors."""

    def wait(self, numbers: Collection[int], writing: bool, seconds: float) -> list[int]:
        """Return which pipes are ready, waiting until one is, at most some seconds.

        Args:
            numbers: pipes to wait for.
            writing: whether to wait for space in the pipe to the process too, if it is among them.
                A broken pipe may count as ready in any case.
            seconds: longest time.
        """

    def read(self, number: int) -> bytes:
        """Return what a pipe holds, empty at its end.

        Raises:
            BlockingIOError: there is nothing yet.
        """

    def write(self, content: bytes) -> int:
        """Write to the process; return how many bytes were taken.

        Raises:
            BlockingIOError: there is no space.
            BrokenPipeError: nobody will read them.
        """

    def free(self, number: int) -> bool:
        """Tell whether a pipe may be closed. Nothing is read or written after the first call."""


def pipes_of(to: int, sources: Collection[int]) -> Pipes:
    """Return the pipes of a process, in the way that this system has.

    Args:
        to: the pipe to the process.
        sources: the pipes from it.
    """
    polls = hasattr(select, "poll") and hasattr(os, "set_blocking")
    return PolledPipes(to, sources) if polls else ThreadedPipes(to, sources)


class PolledPipes:
    """Pipes that the system polls; as `Pipes`."""

    def __init__(self, to: int, sources: Collection[int]) -> None:
        self._to = to
        for number in (to, *sources):
            os.set_blocking(number, False)

    def wait(self, numbers: Collection[int], writing: bool, seconds: float) -> list[int]:
        poll = select.poll()
        for number in numbers:
            if number != self._to:
                poll.register(number, select.POLLIN)
            elif writing:
                poll.register(number, select.POLLOUT)
        return [number for number, _ in poll.poll(seconds * 1000)]

    def read(self, number: int) -> bytes:
        return os.read(number, CHUNK)

    def write(self, content: bytes) -> int:
        return os.write(self._to, content[:CHUNK])

    def free(self, number: int) -> bool:
        return True


class ThreadedPipes:
    """Pipes with a thread each, which holds at most one chunk; as `Pipes`."""

    def __init__(self, to: int, sources: Collection[int]) -> None:
        self._to = to
        self._changed = threading.Condition()
        self._over = False
        self._broken = False
        self._outgoing = b""
        self._chunks: dict[int, bytes | None] = dict.fromkeys(sources)
        self._threads = {to: threading.Thread(target=self._write, daemon=True)}
        for number in sources:
            self._threads[number] = threading.Thread(
                target=self._read, args=(number,), daemon=True)

    def wait(self, numbers: Collection[int], writing: bool, seconds: float) -> list[int]:
        for thread in self._threads.values():
            if thread.ident is None:
                thread.start()

        def ready() -> list[int]:
            return [number for number in numbers if (
                self._chunks[number] is not None if number != self._to
                else self._broken or (writing and not self._outgoing))]

        with self._changed:
            return self._changed.wait_for(ready, seconds)

    def read(self, number: int) -> bytes:
        with self._changed:
            chunk = self._chunks[number]
            if chunk is None:
                raise BlockingIOError
            if chunk:  # the end stays
                self._chunks[number] = None
                self._changed.notify_all()
            return chunk

    def write(self, content: bytes) -> int:
        with self._changed:
            if self._broken:
                raise BrokenPipeError
            if self._outgoing:
                raise BlockingIOError
            self._outgoing = content[:CHUNK]
            self._changed.notify_all()
            return len(self._outgoing)

    def free(self, number: int) -> bool:
        with self._changed:
            self._over = True
            self._changed.notify_all()
        thread = self._threads[number]
        if thread.ident is not None:
            thread.join(_END_SECONDS)
        return not thread.is_alive()

    def _read(self, number: int) -> None:
        chunk: bytes | None = None
        while chunk != b"" and not self._over:
            try:
                chunk = os.read(number, CHUNK)
            except OSError:
                chunk = b""
            with self._changed:
                self._chunks[number] = chunk
                self._changed.notify_all()
                if chunk:
                    self._changed.wait_for(lambda: self._over or self._chunks[number] is None)

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._over or self._outgoing)
                left = self._outgoing
                if self._over:
                    return
            try:
                while left:
                    left = left[os.write(self._to, left):]
            except OSError:
                self._broken = True
            with self._changed:
                self._outgoing = b""
                self._changed.notify_all()
                if self._broken:
                    return
