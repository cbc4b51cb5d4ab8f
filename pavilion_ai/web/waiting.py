"""Waiting for a turn, for as long as anybody waits for the answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pavilion_ai.protocol import fields
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.protocol.turns import WATCH_SECONDS


@contextmanager
def taken(room: threading.Lock | threading.Semaphore, left: Callable[[], bool]) -> Iterator[None]:
    """Wait until there is room, and take it meanwhile.

    Args:
        left: tells whether nobody waits for the answer any more.

    Raises:
        BadRequest: nobody does.
    """
    has_room = False
    try:
        while not has_room and not left():
            has_room = room.acquire(timeout=WATCH_SECONDS)
        if left():
            raise BadRequest(fields.STOPPED, "")
        yield
    finally:
        if has_room:
            room.release()
