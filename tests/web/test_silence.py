"""Clients that say nothing: the server drops them, and keeps the pages that are open."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pavilion_ai.web import silence as silence_module
from pavilion_ai.web.silence import BUSY_SECONDS, MAX_UNTAKEN_BYTES, SILENT_SECONDS, Silence
from tests.web.support import PATIENCE, Altered

SILENT, BUSY = 2.0, 3.0
IMPATIENT = (
    "import sys; from pavilion_ai.web import silence\n"
    f"silence.SILENT_SECONDS, silence.BUSY_SECONDS = {SILENT}, {BUSY}\n"
    "sys.argv = ['pavilion', 'web', '--port', '0', '--no-open']\n"
    "from pavilion_ai.__main__ import main; main()\n")


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[Altered]:
    server = Altered(tmp_path, IMPATIENT)
    yield server
    assert server.end() == (130, "", "")


def ended(client: socket.socket) -> bool:
    """Wait until the server closes a connection, and drop what it still says."""
    client.settimeout(PATIENCE)
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


def test_silent_clients_are_dropped_and_open_pages_are_kept(impatient: Altered) -> None:
    host = impatient.address.netloc
    get = f"GET / HTTP/1.1\r\nHost: {host}\r\n"
    said = {"nothing": "", "half a request": get, "one, and half of another": f"{get}\r\n{get}",
            "no body": f"POST /import HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n"}
    clients = {}
    with impatient.socket() as page:
        assert page.ask("hello")["protocol"] == 1
        for kind, text in said.items():
            clients[kind] = socket.create_connection(
                (impatient.address.hostname, impatient.address.port), PATIENCE)
            clients[kind].sendall(text.encode())
        for kind, client in clients.items():
            with client:
                assert ended(client), kind
        time.sleep(SILENT)
        assert page.ask("hello")["protocol"] == 1
    assert impatient.request("GET", "/")[0] == 200


FEW = 48
SCARCE = (
    "import resource, sys\n"
    f"resource.setrlimit(resource.RLIMIT_NOFILE, ({FEW}, {FEW}))\n"
    "sys.argv = ['pavilion', 'web', '--port', '0', '--no-open']\n"
    "from pavilion_ai.__main__ import main; main()\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of descriptors")
def test_more_connections_than_descriptors_keep_nobody_out(tmp_path: Path) -> None:
    """It printed 4 MB of tracebacks a second, and answered nobody until others had left."""
    server = Altered(tmp_path, SCARCE)
    address = (server.address.hostname, server.address.port)
    with ExitStack() as stack:
        for _ in range(2 * FEW):
            stack.enter_context(socket.create_connection(address, PATIENCE))
        assert server.request("GET", "/")[0] == 200
    assert server.end() == (130, "", "")


def test_of_too_many_connections_the_oldest_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence_module, "most_open", lambda: 2)
    silence = Silence()
    first, second, third = (Hashed(**vars(connection(None))) for _ in range(3))
    busy = Hashed(**vars(connection(Hashed(response_complete=False))))
    silence.end([busy, first], 0)
    silence.end([busy, first, second], 1)
    assert (busy.dropped, first.dropped, second.dropped) == ([], [1], [])
    silence.end([busy, second, third], 2)
    assert (busy.dropped, second.dropped, third.dropped) == ([], [1], [])


def connection(cycle: Any, **more: Any) -> Any:
    dropped: list[float] = []
    return SimpleNamespace(cycle=cycle, dropped=dropped,
                           transport=SimpleNamespace(abort=lambda: dropped.append(1)), **more)


class Hashed(SimpleNamespace):
    __hash__ = object.__hash__  # type: ignore[assignment]


def test_each_request_gives_its_time_anew() -> None:
    silence = Silence()
    one = Hashed(**vars(connection(None)))
    busy = Hashed(**vars(connection(Hashed(response_complete=False))))
    for now in (0, SILENT_SECONDS):
        silence.end([one, busy], now)
    assert not one.dropped
    one.cycle = Hashed(response_complete=False)
    silence.end([one, busy], SILENT_SECONDS + 1)
    one.cycle.response_complete = True
    for now in (SILENT_SECONDS + 2, 2 * SILENT_SECONDS + 2):
        silence.end([one, busy], now)
    assert (one.dropped, busy.dropped) == ([], [])
    silence.end([one, busy], 2 * SILENT_SECONDS + 3)
    assert (one.dropped, busy.dropped) == ([1], [])
    silence.end([busy], BUSY_SECONDS + 1)
    assert busy.dropped == [1]


def socket_of_page(waiting: int) -> Any:
    """Return a connection that is no HTTP, with so many bytes that its client has not taken."""
    dropped: list[float] = []
    return SimpleNamespace(dropped=dropped, transport=SimpleNamespace(
        abort=lambda: dropped.append(1), get_write_buffer_size=lambda: waiting))


def test_sockets_of_the_page_may_be_silent_but_take_what_they_are_sent() -> None:
    silence = Silence()
    silent, full = socket_of_page(MAX_UNTAKEN_BYTES), socket_of_page(MAX_UNTAKEN_BYTES + 1)
    for now in (0, BUSY_SECONDS + 1):
        silence.end([silent], now)
    silence.end([full], 0)
    assert (silent.dropped, full.dropped) == ([], [1])


def test_pings_whose_answers_nobody_takes_end_a_socket(impatient: Altered) -> None:
    """The answers took 260 MB in 12 seconds."""
    pings = (b"\x89\xfd" + bytes(4 + 125)) * 2000
    with socket.create_connection((impatient.address.hostname, impatient.address.port),
                                  PATIENCE) as attack:
        attack.sendall((f"GET /engine HTTP/1.1\r\nHost: {impatient.address.netloc}\r\n"
                        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        f"Sec-WebSocket-Key: {'A' * 22}==\r\n\r\n").encode())
        assert attack.recv(1 << 16).startswith(b"HTTP/1.1 101")
        with pytest.raises(ConnectionError):
            attack.sendall(pings * 1000)
    assert impatient.request("GET", "/")[0] == 200
