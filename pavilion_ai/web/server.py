"""The server: static files of the page, the socket of the engine, and imports."""

from __future__ import annotations

import asyncio
import errno
import io
import ipaddress
import json
import logging
import mimetypes
import os
import socket
import threading
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from importlib import resources
from pathlib import Path
from typing import cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from pavilion_ai.errors import PavilionError, PositionError, harmless, reason_of
from pavilion_ai.interrupts import Interrupt, held
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.capacity import Capacity, give_way
from pavilion_ai.solo import SoloGames
from pavilion_ai.web.guard import Guard, for_browser, is_loopback
from pavilion_ai.web.intake import (
    MAX_BYTES,
    Answer,
    import_text,
    problems_of,
    read_import,
    read_imports,
)
from pavilion_ai.web.mistakes import Mistakes
from pavilion_ai.web.parts import Sockets
from pavilion_ai.web.reviews import KeptReviews
from pavilion_ai.web.saved import SavedGames
from pavilion_ai.web.silence import Silence
from pavilion_ai.web.socket import MAX_MESSAGE_BYTES, Garbage, run_engine
from pavilion_ai.web.solo import Solo
from pavilion_ai.web.study import Study
from pavilion_ai.web.views import sketch, view, why
from pavilion_ai.web.waiting import taken

MAX_FROM_HERE = 64
"""Sockets from this machine, whose person may have many tabs; nobody else can take their room."""
MAX_FROM_OTHERS = 64
"""Sockets from all other machines together."""
MAX_FROM_ADDRESS = 16
"""Sockets from any one of their addresses."""
MAX_NAME = 100  # characters of the name of an imported file
TRY_AGAIN_LATER = 1013
GRACE_SECONDS = 2
TICKS_A_LOOK = 10
"""Ticks of the server, of a tenth of a second each, between looks for silent clients."""
BACKLOG = 128
"""Connections that may wait to be taken; without descriptors as many attempts are made at once."""
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Types of the page's files. On Windows programs may register others, which browsers refuse."""
BODY_SECONDS = 60.0
"""Seconds within which the body of a request has to come."""
MOST_IMPORTS = 2
"""Imports that are read at a time; each takes a second or two, and up to twenty times its bytes."""
MAX_HELD_BYTES = 64 << 20
"""Bytes of all bodies that come or wait; of more the longest body is dropped."""
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
          " connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none';"
          " frame-ancestors 'none'")
"""Content security policy: nothing is loaded from elsewhere, no text becomes a program."""


class PortError(Exception):
    """The address cannot be listened on; the message says why in one line."""


def serve(
    host: str,
    port: int,
    *,
    threads: int,
    folder: Path,
    solo: Path,
    reviews: Path,
    on_ready: Callable[[str], None],
) -> None:
    """Serve the page until interrupted.

    Args:
        host: address to listen on.
        port: its port, 0 for a free one.
        threads: most threads that all searches use together.
        folder: where games are saved.
        solo: where games for one are kept.
        reviews: where reviews are kept.
        on_ready: called with the address for this machine once it can be reached.

    Raises:
        PortError: the port is in use, or the address is not one of this machine.
        KeyboardInterrupt: after an interrupt.
    """
    listening = _listen(host, port)
    with listening:
        port = listening.getsockname()[1]
        name = for_browser(host)
        shown = f"[{name}]" if ":" in name else name
        capacity = Capacity(threads)
        imports = _Imports()
        app = Guard(_Headers(_app(capacity, SavedGames(folder), Solo(SoloGames(solo), capacity),
                                  KeptReviews(reviews), imports)), host, port)
        config = uvicorn.Config(
            app, log_config=None, log_level="error", lifespan="off", ws=Sockets,
            ws_max_size=MAX_MESSAGE_BYTES,
            ws_per_message_deflate=False,  # a few kB would unpack to the longest message
            server_header=False, date_header=False, timeout_graceful_shutdown=GRACE_SECONDS,
            backlog=BACKLOG)
        logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of clients that have left
        for name in ("asyncio", "uvicorn.error"):
            logging.getLogger(name).addFilter(_matters)
        with held() as interrupt:  # an exception would leave half of an event loop
            server = _Server(config, lambda: on_ready(f"http://{shown}:{port}/"), interrupt,
                             imports)
            server.run(sockets=[listening])
        raise KeyboardInterrupt  # it ends after an interrupt only, which may have been lost


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        PortError: it cannot.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise PortError(f"{host!r}: {getattr(error, 'strerror', None) or error}") from None
    try:
        if os.name == "posix":  # on Windows two servers would share the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        free = "; --port 0 takes a free one" if error.errno == errno.EADDRINUSE else ""
        raise PortError(f"{host}:{port}: {reason_of(error)}{free}") from None
    return listening


def _matters(record: logging.LogRecord) -> bool:
    """Tell whether a message of the server is told: a fault of its own, nothing that clients do.

    A client that opens too many connections, or sends other things than text, would fill the
    terminal. Without descriptors the loop listens again later, also where the server has ended
    meanwhile.
    """
    message = record.getMessage()
    if record.name == "asyncio":
        return not ("out of system resource" in message or "_start_serving" in message)
    return "ASGI" in message


class _Imports:
    """Reads what is imported, by requests and over sockets, few at a time."""

    def __init__(self) -> None:
        self._room = threading.Semaphore(MOST_IMPORTS)
        self._bodies: dict[asyncio.Task[Answer], int] = {}  # bytes held for each request

    async def read(self, request: Request) -> Answer:
        """Return what `read_import` does, or `read_imports` if the query names files.

        Raises:
            PavilionError: as these, or the body is longer than anything worth importing.
            ClientDisconnect: nobody waits for the answer.
            TimeoutError, asyncio.TimeoutError: the body has not come.
            asyncio.CancelledError: the server ends, or has no room for the body.
        """
        task = asyncio.ensure_future(self._read(request))
        self._bodies[task] = 0
        try:
            return await task
        finally:
            del self._bodies[task]

    def end(self) -> None:
        """Give up all that are in hand or wait."""
        for task in self._bodies:
            task.cancel()

    def action(self, closed: threading.Event) -> Callable[[fields.Request], Answer]:
        """Return the action `import` of one socket; `closed` ends it if it waits."""
        return lambda request: self._in_turn(partial(import_text, request), closed)

    async def _read(self, request: Request) -> Answer:
        task = cast(asyncio.Task[Answer], asyncio.current_task())
        content = await asyncio.wait_for(
            _body(request, lambda size: self._hold(task, size)), BODY_SECONDS)
        files = _parts(content, request.query_params.getlist("file"),
                       request.query_params.getlist("size"))
        names = request.query_params.get("names") == "1"
        left = threading.Event()
        work = (partial(read_import, content, names=names, left=left.is_set) if files is None else
                partial(read_imports, files, names=names, left=left.is_set))
        answer = asyncio.ensure_future(_aside(lambda: self._in_turn(work, left)))
        leaves = asyncio.ensure_future(request.receive())  # nothing else comes after the body
        try:
            await asyncio.wait((answer, leaves), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise ClientDisconnect
            return answer.result()
        finally:
            left.set()
            answer.cancel()
            leaves.cancel()

    def _hold(self, task: asyncio.Task[Answer], size: int) -> None:
        """Note how much is held for a request; if it is too much in all, drop the longest body."""
        self._bodies[task] = size
        if sum(self._bodies.values()) > MAX_HELD_BYTES:
            longest = max(self._bodies, key=self._bodies.__getitem__)
            self._bodies[longest] = 0
            longest.cancel()

    def _in_turn(self, work: Callable[[], Answer], left: threading.Event) -> Answer:
        """Do some work, not much of which is done at a time, unless nobody waits for it any more.

        Raises:
            BadRequest: nobody does.
        """
        give_way()
        with taken(self._room, left.is_set):
            return work()


async def _aside(work: Callable[[], Answer]) -> Answer:
    """Call in a thread for which the end of the program does not wait, as it does for a pool's."""
    done: Future[Answer] = Future()
    done.set_running_or_notify_cancel()  # what waits for it may end

    def call() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    return await asyncio.wrap_future(done)


class _Server(uvicorn.Server):
    """A server that says when it can be reached, unless it was interrupted before.

    Clients that stay silent are dropped; at its end it waits for no import.
    """

    def __init__(
        self, config: uvicorn.Config, on_ready: Callable[[], None], interrupt: Interrupt,
        imports: _Imports,
    ) -> None:
        super().__init__(config)
        self._on_ready, self._interrupt, self._imports = on_ready, interrupt, imports
        self._silence = Silence()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._imports.end()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._interrupt.is_set():
            self.should_exit = True
            return
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        if counter % TICKS_A_LOOK == 0:
            self._silence.end(self.server_state.connections, time.monotonic())
        return self._interrupt.is_set() or await super().on_tick(counter)


class _Headers:
    """Adds to every answer what keeps a browser from doing more than the page needs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = next((value for key, value in scope["headers"] if key == b"host"), b"")
        extra = [
            (b"content-security-policy", POLICY.format(host=host.decode("latin-1")).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cache-control", b"no-cache"),
        ]

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self._app(scope, receive, with_headers)


def _json(answer: Mapping[str, object], status: int = 200) -> Response:
    """Answer in ASCII: half a character, which JSON may hold, has no UTF-8."""
    return Response(json.dumps(answer), status, media_type="application/json")


def _app(capacity: Capacity, saved: SavedGames, solo: Solo, reviews: KeptReviews,
         imports: _Imports) -> Starlette:
    """Put the routes together."""
    static = resources.files("pavilion_ai.web") / "static"
    page = (static / "index.html").read_bytes()
    for suffix, kind in TYPES.items():
        mimetypes.add_type(kind, suffix)
    study = Study()
    more = {**Mistakes(reviews).actions(), "sketch": sketch, "view": view, "why": why}
    open_sockets: set[WebSocket] = set()
    garbage = Garbage()

    async def index(_: Request) -> Response:
        return Response(page, media_type="text/html; charset=utf-8")

    async def imported(request: Request) -> Response:
        try:
            answer = await imports.read(request)
            return _json(answer, 400 if answer.keys() == {"problems"} else 200)
        except ClientDisconnect:
            return Response(status_code=400)
        except asyncio.CancelledError:  # the server ends, or is full
            return Response(status_code=503)
        except (TimeoutError, asyncio.TimeoutError):
            return Response(status_code=408)
        except PavilionError as error:
            return _json({"problems": problems_of(error)}, 400)

    async def engine(websocket: WebSocket) -> None:
        await websocket.accept()
        if full := _full(open_sockets, websocket):
            await websocket.close(TRY_AGAIN_LATER, full)
            return
        open_sockets.add(websocket)
        closed = threading.Event()
        try:
            with suppress(asyncio.CancelledError):  # the server ends
                await run_engine(
                    websocket, capacity, {**saved.actions(), **solo.actions(closed),
                                          **study.actions(closed),
                                          "import": imports.action(closed), **more}, reviews,
                    closed)
        finally:
            closed.set()
            open_sockets.discard(websocket)
            garbage.left()

    return Starlette(routes=[
        Route("/", index, methods=["GET"]),
        Route("/import", imported, methods=["POST"]),
        WebSocketRoute("/engine", engine),
        Mount("/static", StaticFiles(packages=[("pavilion_ai.web", "static")])),
    ])


def _full(sockets: Collection[HTTPConnection], one: HTTPConnection) -> str:
    """Say why there is no room beside some sockets for one more; "" if there is."""
    address, others = _address(one), [_address(other) for other in sockets]
    here, local = sum(map(is_loopback, others)), is_loopback(address)
    if not local and len(others) - here >= MAX_FROM_OTHERS:
        return f"{MAX_FROM_OTHERS} pages are open already on devices other than the server's"
    most = MAX_FROM_HERE if local else MAX_FROM_ADDRESS
    if (here if local else others.count(address)) >= most:
        return f"{most} pages are open already on your device or behind its address"
    return ""


def _address(one: HTTPConnection) -> str:
    """Return the address of a client; one of IP 4 as such, also where IP 6 is listened on."""
    host = one.client.host if one.client else ""
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
            return str(address.ipv4_mapped)
    return host


def _parts(
    content: bytes, names: list[str], sizes: list[str]
) -> list[tuple[str, bytes]] | None:
    """Cut a body into the files that its query names, with their sizes; None without any.

    Raises:
        PositionError: names and sizes do not fit.
    """
    if not names and not sizes:
        return None
    lengths = [int(size) if size.isascii() and size.isdecimal() and len(size) < 9 else -1
               for size in sizes]
    if len(names) != len(sizes) or min(lengths) < 0 or sum(lengths) != len(content):
        raise PositionError.at(
            "range", "", "found file and size that do not fit the body, expected both for each of"
            " the files that it holds")
    stream = io.BytesIO(content)
    return [(harmless(name[:MAX_NAME]), stream.read(length))
            for name, length in zip(names, lengths, strict=True)]


async def _body(request: Request, on_size: Callable[[int], None]) -> bytes:
    """Read a body that is not longer than anything worth importing.

    Args:
        on_size: called with its length so far.

    Raises:
        PositionError: it is longer.
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        on_size(len(content))
        if len(content) > MAX_BYTES:
            raise PositionError.at(
                "range", "", f"found more than {MAX_BYTES} bytes, expected a position, records or"
                " a saved page")
    return bytes(content)
