"""The sockets of the server, on which messages in endless parts hold up nobody."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

MAX_PARTS = 10_000
"""Parts of a message; browsers send it in one, or in parts of many kB."""
READ_BYTES = 1 << 14
"""Bytes that are read at a time; of 256 kB, as is usual, the shortest parts take a second."""


class Sockets(WebSocketsSansIOProtocol):
    """The protocol of uvicorn; who sends a message in more parts is dropped."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        with suppress(AttributeError):  # only transports of asyncio itself take it
            transport.max_size = READ_BYTES  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if len(self.frames) > MAX_PARTS:
            self.transport.abort()
