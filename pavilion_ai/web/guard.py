"""Who may talk to the server: the page that it serves, and programs of this machine.

Any page in a browser can send requests to a local address, and with a name of its own that leads
there (DNS rebinding) it could read the answers. So the name that a request is for must be the one
served, and where a browser says which page asks, it must be ours.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from contextlib import suppress

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

HTTP_PORT = 80
PORT_DIGITS = 5
LOCALHOST = "localhost"
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""What stands for all addresses of a machine, and one of these: browsers refuse the former."""


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    name = _as_sent(host)
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == LOCALHOST


def for_browser(host: str) -> str:
    """Return a host as a browser of this machine reaches it."""
    return EVERY_ADDRESS.get(_as_sent(host), host)


def _as_sent(host: str) -> str:
    """Return a host as browsers write it in a Host header, without brackets."""
    with suppress(ValueError):
        return str(ipaddress.ip_address(host))
    with suppress(OSError, ValueError):  # a short form, as 127.1
        return socket.inet_ntoa(socket.inet_aton(host))
    with suppress(UnicodeError):
        return host.lower().encode("idna").decode()
    return host.lower()


class Guard:
    """Refuses requests that are for another host or come from another page (403).

    Args:
        app: what is guarded.
        host: address that is listened on.
        port: its port.
    """

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self._app, self._host, self._port = app, _as_sent(host), port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        hosts = _values(scope, b"host")
        origins = _values(scope, b"origin")
        if len(hosts) == 1 and self._serves(hosts[0]) and all(
            origin == f"http://{hosts[0]}" for origin in origins
        ):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()  # its request to connect
            await send({"type": "websocket.close", "code": 1008})  # answered with 403
        else:
            refusal = PlainTextResponse("not the address of this page\n", 403)
            await refusal(scope, receive, send)

    def _serves(self, host: str) -> bool:
        """Tell whether a Host header names the address served."""
        name, port = _split(host)
        if port != self._port:
            return False
        if name == self._host or (is_loopback(self._host) and name == LOCALHOST):
            return True
        if self._host not in EVERY_ADDRESS:
            return False
        try:  # of all addresses of the machine only names can be somebody else's
            ipaddress.ip_address(name)
        except ValueError:
            return name == LOCALHOST
        return True


def _values(scope: Scope, name: bytes) -> list[str]:
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value.decode("latin-1").lower() for key, value in headers if key.lower() == name]


def _split(host: str) -> tuple[str, int | None]:
    """Take a Host header apart; the port is None if it is not a number."""
    name, colon, port = host.rpartition(":")
    if not colon or "]" in port:  # an address of IP 6 without a port
        name, port = host, str(HTTP_PORT)
    is_port = port.isascii() and port.isdecimal() and len(port) <= PORT_DIGITS
    return name.strip("[]"), int(port) if is_port else None
