"""A server of its own for tests, and clients for it."""

from __future__ import annotations

import errno
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from tests.cli.support import ROOT, environment, start

Answer = dict[str, Any]
PATIENCE = 30  # seconds that anything may take


def denied(path: Path) -> NoReturn:
    """Stand for an operation on a file that the system does not allow."""
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


class Server:
    """A running `pavilion web`.

    Args:
        folder: the user's data folder.
    """

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.folder = folder
        self.process = start("web", "--port", "0", "--no-open", *arguments,
                             XDG_DATA_HOME=str(folder))
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().decode()
        self.address = urlsplit(self.line.strip())

    @property
    def url(self) -> str:
        """Address of the page, without a position."""
        return f"http://{self.address.netloc}/"

    def request(self, method: str, path: str, body: bytes | None = None,
                **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Send a request; return status, headers and body."""
        connection = http.client.HTTPConnection(self.address.netloc, timeout=PATIENCE)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        names = {key.lower(): value for key, value in answer.getheaders()}
        return answer.status, names, answer.read()

    def imported(self, content: str | bytes) -> tuple[int, Answer]:
        """Import something; return status and answer."""
        body = content.encode() if isinstance(content, str) else content
        status, _, answer = self.request("POST", "/import", body)
        return status, json.loads(answer)

    @contextmanager
    def socket(self, **options: Any) -> Iterator[Socket]:
        """Open a socket of the engine."""
        with connect(f"ws://{self.address.netloc}/engine", max_size=None, compression=None,
                     close_timeout=1, **options) as connection:
            yield Socket(connection)

    def end(self, number: int = signal.SIGINT) -> tuple[int, str, str]:
        """End it by a signal; return exit code and what else it wrote to output and errors."""
        self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, out.decode(), err.decode()


class Altered(Server):
    """A server that a program runs, which changes it first."""

    def __init__(self, folder: Path, program: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment(XDG_DATA_HOME=str(folder)))
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().decode()
        self.address = urlsplit(self.line.strip())


class Socket:
    """One socket, as a program uses it."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self._last = 0

    def send(self, action: str, **request: Any) -> int:
        """Send a request; return its id."""
        self._last += 1
        self.connection.send(json.dumps({"id": self._last, "action": action, **request}))
        return self._last

    def read(self) -> Answer:
        """Return the next answer."""
        answer: Answer = json.loads(self.connection.recv(timeout=PATIENCE))
        return answer

    def ask(self, action: str, **request: Any) -> Answer:
        """Send a request and return its last answer."""
        number = self.send(action, **request)
        while True:
            answer = self.read()
            if answer["id"] == number and answer.get("final") is not False:
                return answer


@contextmanager
def serving(folder: Path, *arguments: object) -> Iterator[Server]:
    """Start a server, end it afterwards."""
    server = Server(folder, *arguments)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end(signal.SIGTERM)
