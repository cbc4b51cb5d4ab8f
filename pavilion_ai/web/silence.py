"""Connections whose client says nothing, or takes nothing: none is kept, nor too many at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SILENT_SECONDS = 60.0
"""Seconds that a client may take until its request has come, first line and headers."""
BUSY_SECONDS = 600.0
"""Seconds from then until it has taken the answer; to import a saved page takes a few."""
MOST = 500
"""Connections that may be open at a time, if so many descriptors and as many again may be."""

MAX_UNTAKEN_BYTES = 8 << 20
"""Bytes that the client of a socket may leave untaken: of answers few wait here, of pongs all."""


def most_open() -> int:
    """Return how many connections may be open at a time."""
    try:
        import resource  # not on Windows
    except ImportError:
        return MOST
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if limit == resource.RLIM_INFINITY else min(MOST, limit // 2)


class Silence:
    """Closes the connections of HTTP on which nothing happens for too long, and the oldest of many.

    Sockets of the page may be silent: the server asks them every few seconds whether they live. But
    who sends them pings without taking the answers is dropped.
    """

    def __init__(self) -> None:
        self._since: dict[Any, tuple[Any, bool, float]] = {}
        self._most = most_open()

    def end(self, connections: Iterable[Any], now: float) -> None:
        """Close those that have been silent for too long, and the oldest while there are too many.

        Args:
            connections: protocols of uvicorn; `cycle` is the request in hand or the last one.
            now: seconds on the monotonic clock.
        """
        known = {}
        for connection in connections:
            if not hasattr(connection, "cycle"):  # no HTTP
                if connection.transport.get_write_buffer_size() > MAX_UNTAKEN_BYTES:
                    connection.transport.abort()
                continue
            cycle = connection.cycle
            waits = cycle is None or bool(cycle.response_complete)
            before = self._since.get(connection)
            if before is None or before[0] is not cycle or before[1] != waits:
                known[connection] = (cycle, waits, now)
                continue
            known[connection] = before
            if now - before[2] > (SILENT_SECONDS if waits else BUSY_SECONDS):
                connection.transport.abort()  # to close would wait for the client
        self._since = known
        surplus = len(known) - self._most
        if surplus > 0:  # those without a request in hand first
            oldest = sorted(known, key=lambda one: (not known[one][1], known[one][2]))
            for connection in oldest[:surplus]:
                connection.transport.abort()
