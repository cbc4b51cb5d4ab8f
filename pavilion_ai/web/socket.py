"""One WebSocket as the two ends of an engine: messages in, messages out.

The engine reads and writes in a thread of its own, so that nothing it does holds up the others.
Neither direction grows without bound: a client that sends faster than it is answered is not read,
and the answers for one that does not read wait in the threads that make them.
"""

from __future__ import annotations

import asyncio
import gc
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from pavilion_ai.bounds import MAX_LINE_BYTES
from pavilion_ai.protocol import Engine, fields
from pavilion_ai.protocol.actions import Answer
from pavilion_ai.protocol.capacity import Capacity
from pavilion_ai.protocol.fields import BadRequest, Request
from pavilion_ai.web import intake, mistakes, reviews, saved, solo, study, views

MAX_MESSAGE_BYTES = 2 * MAX_LINE_BYTES
"""A longer message ends the connection; one longer than a line may be is answered."""
MAX_WAITING = 64  # requests that are read before they are begun
BYTES_EACH = 1 << 17
"""A longer request counts as several waiting ones."""
MAX_UNSENT_BYTES = 4 << 20
CLOSE_SECONDS = 1.0  # for saying goodbye to a client that may not read
SAVING = ("save", "solo_save")
"""Actions that are done although their client has left: it sent the last move, and was reloaded."""

KEYS = {**saved.KEYS, **intake.KEYS, **reviews.KEYS, **mistakes.KEYS, **solo.KEYS, **study.KEYS,
        **views.KEYS}
More = Mapping[str, Callable[[Request], Answer]]


class Garbage:
    """Collects what closed sockets leave behind.

    It refers to itself, long messages included, and Python looks for such garbage by the number of
    objects, not by their size: a hundred sockets could hold a gigabyte. To look takes some
    milliseconds.
    """

    def __init__(self) -> None:
        self._due = False
        self._more = False

    def left(self) -> None:
        """Collect soon, once, what was left until then; later again what others left meanwhile."""
        self._more = self._due
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(2 * CLOSE_SECONDS, self._collect)

    def _collect(self) -> None:
        gc.collect()
        self._due = False
        if self._more:
            self.left()


class _Answers:
    """Where the engine's threads put their answers; the event loop sends them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lines: deque[str] = deque()
        self._changed = threading.Condition()
        self._size = 0
        self._gone = False
        self._ready = asyncio.Event()

    def write(self, line: bytes) -> None:
        text = line.decode()
        with self._changed:
            while self._size > MAX_UNSENT_BYTES and not self._gone:
                self._changed.wait()
            if self._gone:
                raise BrokenPipeError
            self._lines.append(text.rstrip("\n"))
            self._size += len(text)
        self._wake()

    def has_reader(self) -> bool:
        return not self._gone

    async def next(self) -> str | None:
        """Return the next answer, None when there will be no more."""
        while True:
            self._ready.clear()
            with self._changed:
                if self._lines:
                    line = self._lines.popleft()
                    self._size -= len(line) + 1
                    self._changed.notify_all()
                    return line
                if self._gone:
                    return None
            await self._ready.wait()

    def end(self) -> None:
        """Let nobody wait any more."""
        with self._changed:
            self._gone = True
            self._changed.notify_all()
        self._wake()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed, the server ends
            self._loop.call_soon_threadsafe(self._ready.set)


class _Requests:
    """Requests on their way to the engine's thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._queue: queue.SimpleQueue[bytes | BrokenPipeError | None] = queue.SimpleQueue()
        self._room = asyncio.Semaphore(MAX_WAITING)
        self._ended = False
        self.over = False  # whether all of them were taken, and no more come

    async def put(self, raw: bytes | None) -> None:
        """Hand over a request, None for one that is too long; wait for room."""
        for _ in range(_counts_as(raw)):
            await self._room.acquire()
        self._queue.put(raw)

    def end(self) -> None:
        """Nobody is there any more; what waits is dropped, but for what saves a game."""
        self._ended = True
        self._queue.put(BrokenPipeError())

    def __iter__(self) -> Iterator[bytes | None]:
        while True:
            found = self._queue.get()
            if isinstance(found, BrokenPipeError):
                self.over = True
                raise BrokenPipeError
            if self._ended and not _saves(found):
                continue
            with suppress(RuntimeError):
                for _ in range(_counts_as(found)):
                    self._loop.call_soon_threadsafe(self._room.release)
            yield found


def _saves(raw: bytes | None) -> bool:
    """Tell whether a request saves a game."""
    try:
        return raw is not None and fields.decode(raw).get("action") in SAVING
    except BadRequest:
        return False


def _counts_as(raw: bytes | None) -> int:
    """Return as how many requests one counts while it waits."""
    return min(1 + len(raw or b"") // BYTES_EACH, MAX_WAITING)


async def run_engine(
    websocket: WebSocket, capacity: Capacity, more: More, kept: reviews.KeptReviews,
    closed: threading.Event,
) -> None:
    """Serve one socket until it is closed; then its searches end at once.

    Args:
        websocket: accepted.
        capacity: shared with the others.
        more: further actions by name.
        kept: reviews.
        closed: ends the further actions of this socket, and stands for it where clients take turns.
    """
    loop = asyncio.get_running_loop()
    answers, requests = _Answers(loop), _Requests(loop)
    engine = Engine(answers, capacity=capacity, more=more, keys=KEYS,
                    aside=study.ASIDE | solo.ASIDE,
                    patient=(*views.KEYS, *intake.KEYS, *mistakes.KEYS), reviews=kept,
                    who=closed)

    def serve() -> None:
        while not requests.over:  # an answer that nobody takes does not end it
            with suppress(BrokenPipeError):
                engine.serve_messages(requests)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    tasks = {asyncio.create_task(_receive(websocket, requests)),
             asyncio.create_task(_send(websocket, answers))}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        requests.end()
        answers.end()
        engine.stop_all()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if websocket.application_state == WebSocketState.CONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect, TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(websocket.close(), CLOSE_SECONDS)


async def _receive(websocket: WebSocket, requests: _Requests) -> None:
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        raw: bytes = message["bytes"] if text is None else text.encode()
        await requests.put(None if len(raw) > MAX_LINE_BYTES else raw)


async def _send(websocket: WebSocket, answers: _Answers) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while (line := await answers.next()) is not None:
            await websocket.send_text(line)
