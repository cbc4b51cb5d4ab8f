"""The two ends of the engine: lines in, lines out, and detecting that the client is gone.

Neither end blocks forever. While waiting, for a request or for space in a full pipe, the engine
also checks whether the answers still have a reader: it must not continue after its client has died.
Where pipes cannot be polled, as on Windows, a thread reads the requests; whether the answers have a
reader shows there only when one is written.
"""

from __future__ import annotations

import io
import os
import queue
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from typing import BinaryIO, Protocol, runtime_checkable

from pavilion_ai.bounds import MAX_LINE_BYTES
from pavilion_ai.errors import has_no_reader, named_input

GRACE_SECONDS = 3.0
"""Seconds, after a signal, for a client that reads the last answers slowly."""
MAX_IN_HAND_BYTES = 8 << 20
"""Most bytes of the long requests in hand; decoded they take up to 30 times as much."""
ALWAYS_IN_HAND_BYTES = 1 << 16
"""Bytes of them that a client may have whatever others have; an ordinary one has 1 to 5 kB."""
_CHUNK = 1 << 16
_POLLS = hasattr(select, "poll")
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL if _POLLS else 0
_WATCH_MS = 200  # milliseconds between checks while waiting


@runtime_checkable
class Answers(Protocol):
    """Writes answers as whole lines, from any thread."""

    def write(self, line: bytes) -> None:
        """Write one line; wait while there is no room.

        Raises:
            OSError: it cannot be written.
            BrokenPipeError: the answers have no reader any more.
        """

    def has_reader(self) -> bool:
        """Tell whether the answers still have a reader."""


class InHand:
    """Counts the bytes of the long requests in hand, of all engines that share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bytes: dict[object, int] = {}  # by client

    def take(self, size: int, who: object = None) -> bool:
        """Add a request, if there is room for it or it is the only one; tell whether there is.

        Args:
            who: the client that sent it, which always has room for a little.
        """
        with self._lock:
            own = self._bytes.get(who, 0)
            if (self._bytes and own + size > ALWAYS_IN_HAND_BYTES
                    and sum(self._bytes.values()) + size > MAX_IN_HAND_BYTES):
                return False
            self._bytes[who] = own + size
            return True

    def give_back(self, size: int, who: object = None) -> None:
        """Take off a request that has been answered."""
        with self._lock:
            self._bytes[who] -= size
            if not self._bytes[who]:
                del self._bytes[who]


class Output:
    """Answers as lines of a stream.

    Args:
        stream: output stream.
        interrupted: tells whether a signal has arrived. From then on there is no waiting for input,
            and a pipe that stays full counts as one without a reader.
    """

    def __init__(self, stream: BinaryIO, interrupted: Callable[[], bool]) -> None:
        self._stream = stream
        self.interrupted = interrupted
        self._number = _polled(stream)
        if self._number is not None:
            stream.flush()  # what was written before comes first
        self._writing = threading.Lock()
        self._unsent = bytearray()
        self._give_up_at: float | None = None

    def write(self, line: bytes) -> None:
        """Write one line; wait while the pipe is full.

        Raises:
            BrokenPipeError: the answers have no reader any more.
            OSError: the line cannot be written, as on a full disk.
        """
        with self._writing:
            if self._number is None:
                try:
                    self._stream.write(line)
                    self._stream.flush()
                except OSError as error:
                    if has_no_reader(error):
                        raise BrokenPipeError from None
                    raise
                return
            self._unsent += line  # an interrupted line is finished by the next write
            while self._unsent:
                if self._ready(self._number, select.POLLOUT):
                    with suppress(BlockingIOError):
                        # a pipe that is ready takes this much without blocking
                        sent = os.write(self._number, self._unsent[: select.PIPE_BUF])
                        del self._unsent[:sent]

    def has_reader(self) -> bool:
        """Tell whether the output still has a reader; a file always counts as having one."""
        if self._number is None:
            return True
        try:
            self._ready(self._number, select.POLLHUP, 0)
        except BrokenPipeError:
            return False
        return True

    def watch(self, number: int) -> bool:
        """Wait a while for input on a file descriptor; tell whether there is some.

        Raises:
            BrokenPipeError: the answers have no reader any more.
        """
        poll = select.poll()
        poll.register(number, select.POLLIN)
        if self._number is not None and self._number != number:
            poll.register(self._number, select.POLLHUP)  # macOS tells it only if requested
        events = dict(poll.poll(_WATCH_MS))
        answers = 0 if self._number in (None, number) else events.get(self._number, 0)
        if answers & _GONE:
            raise BrokenPipeError
        return number in events

    def _ready(self, number: int, wanted: int, wait_ms: int = _WATCH_MS) -> bool:
        poll = select.poll()
        poll.register(number, wanted)
        events = poll.poll(wait_ms)
        if self._give_up_at is None and self.interrupted():
            self._give_up_at = time.monotonic() + GRACE_SECONDS
        late = self._give_up_at is not None and time.monotonic() >= self._give_up_at
        full = wanted == select.POLLOUT and not events
        if any(event & _GONE for _, event in events) or (late and full):
            raise BrokenPipeError
        return bool(events)


class _ReadAhead:
    """A stream that a thread reads, so that waiting for it ends after a signal.

    Args:
        number: file descriptor.
        interrupted: tells whether a signal has arrived.
    """

    def __init__(self, number: int, interrupted: Callable[[], bool]) -> None:
        self._interrupted = interrupted
        self._chunks: queue.Queue[bytes] = queue.Queue(maxsize=1)  # the rest waits in the pipe
        threading.Thread(target=self._follow, args=(number,), daemon=True).start()

    def read(self, size: int) -> bytes:
        """Return what is there, waiting for it; empty at the end of input, and after a signal."""
        while not self._interrupted():
            with suppress(queue.Empty):
                return self._chunks.get(timeout=_WATCH_MS / 1000)
        return b""

    def _follow(self, number: int) -> None:
        chunk = b"more"
        while chunk:
            try:
                chunk = os.read(number, _CHUNK)
            except OSError:
                chunk = b""
            self._chunks.put(chunk)


def lines(requests: BinaryIO, output: Output, before: bytes = b"") -> Iterator[bytes | None]:
    """Yield the lines of a stream, the last one with or without a line feed.

    A line of more than `MAX_LINE_BYTES` is skipped, and None stands in its place.

    Args:
        before: what was already read of it.

    Raises:
        BrokenPipeError: the answers have no reader any more.
    """
    buffer = bytearray()
    skipping = False
    for chunk in chain([before], _chunks(requests, output)):
        first, *rest = chunk.split(b"\n")
        buffer += first
        for part in rest:
            yield None if skipping or len(buffer) > MAX_LINE_BYTES else bytes(buffer)
            skipping, buffer = False, bytearray(part)
        if len(buffer) > MAX_LINE_BYTES:
            skipping, buffer = True, bytearray()
    if skipping or buffer:
        yield None if skipping else bytes(buffer)


def _chunks(requests: BinaryIO, output: Output) -> Iterator[bytes]:
    """Yield the bytes of a stream as they come."""
    source: BinaryIO | _ReadAhead = requests
    number = descriptor(requests)
    if number is not None:
        yield held_by(requests, number)
        if not _POLLS:
            source, number = _ReadAhead(number, output.interrupted), None
    while chunk := _chunk(source, number, output):
        yield chunk


def held_by(stream: BinaryIO, number: int) -> bytes:
    """Return what a buffered stream has read from its file descriptor before, without waiting.

    A file is set to where its stream stands instead. Without `poll`, what the stream of a pipe has
    read is lost.
    """
    if stream.seekable():
        os.lseek(number, stream.tell(), os.SEEK_SET)
        return b""
    if not (_POLLS and isinstance(stream, io.BufferedReader)):
        return b""
    blocking = os.get_blocking(number)
    os.set_blocking(number, False)
    try:
        with named_input():
            return stream.read1()
    finally:
        os.set_blocking(number, blocking)


def _chunk(requests: BinaryIO | _ReadAhead, number: int | None, output: Output) -> bytes:
    """Read what is there, waiting for it; empty at the end of input, and after a signal."""
    if number is None:
        with named_input():
            return requests.read(_CHUNK)
    while not output.interrupted():
        if output.watch(number):
            with suppress(BlockingIOError), named_input():
                return os.read(number, _CHUNK)
    return b""


def _polled(stream: BinaryIO) -> int | None:
    """Return the file descriptor of a stream that can be polled, as devices of macOS cannot."""
    number = descriptor(stream) if _POLLS else None
    if number is None:
        return None
    poll = select.poll()
    poll.register(number, select.POLLOUT)
    return None if (number, select.POLLNVAL) in poll.poll(0) else number


def descriptor(stream: BinaryIO) -> int | None:
    """Return the file descriptor whose bytes are those of a stream.

    There is none for one in memory, nor for one that packs or unpacks.
    """
    raw = getattr(stream, "raw", stream)
    if not isinstance(raw, io.RawIOBase):
        return None
    try:
        return raw.fileno()
    except OSError:
        return None
