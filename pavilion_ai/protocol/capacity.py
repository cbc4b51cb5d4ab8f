"""What the engines of one process share: threads to search with, and agents with their memory."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pavilion_ai.errors import SpecError, shown
from pavilion_ai.games import GAMES
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.agents import DEFAULT_AGENT, Agents, agent_spec
from pavilion_ai.protocol.streams import InHand
from pavilion_ai.protocol.turns import WATCH_SECONDS

if TYPE_CHECKING:
    from pavilion_ai.spec import AgentSpec

MAX_MEMORY_MIB = 256
"""Most that the spec of a request may take for its trees."""

NICENESS = 5
"""How much threads that search give way to those that answer (Linux)."""


class Capacity:
    """Room for the searches of several engines, given in the order in which they ask.

    Args:
        threads: searched with at a time, over all engines; so there are never more searches.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.agents = Agents(DEFAULT_AGENT)
        self.in_hand = InHand()
        self._changed = threading.Condition()
        self._free = threads
        self._queue: list[object] = []  # requests that wait, the first one first

    def told(self) -> dict[str, object]:
        """Return what `hello` says beside the rest: threads, and the letters of tiles by game."""
        return {"threads": self.threads,
                "colours": {name: rules.colours for name, rules in GAMES.items()}}

    @contextmanager
    def room(
        self,
        request: fields.Request,
        stop: threading.Event,
        on_wait: Callable[[int], None],
    ) -> Iterator[fields.Request]:
        """Wait for free threads, and yield the request with the threads that it may use.

        A request that is stopped waits no longer; its search ends before it begins.

        Args:
            on_wait: called with the number of requests waiting before it, whenever that changes.

        Raises:
            SpecError: the agent requests more than guests may use.
        """
        wanted = self._threads(request)
        self._take(wanted, stop, on_wait)
        give_way()
        try:
            if request.get("threads") is None and wanted == 1:
                yield request
            else:
                yield {**request, "threads": wanted}
        finally:
            with self._changed:
                self._free += wanted
                self._changed.notify_all()

    def _threads(self, request: fields.Request) -> int:
        """Return the number of threads for a request; an invalid one is refused on reading."""
        from pavilion_ai.search import CAN_SHARE

        spec = request.get("agent")
        usual = _guest_spec(spec).threads if isinstance(spec, str) else 1
        named = fields.threads(request)
        most = self.threads if CAN_SHARE or request.get("action") == "review" else 1
        return min(named or usual, most)

    def _take(self, wanted: int, stop: threading.Event, on_wait: Callable[[int], None]) -> None:
        """Wait until the threads are free and no request waits before, or until `stop`."""
        me, told = object(), -1
        with self._changed:
            self._queue.append(me)
        while True:
            with self._changed:
                before = self._queue.index(me)
                if stop.is_set() or (before == 0 and self._free >= wanted):
                    self._queue.remove(me)
                    self._free -= wanted  # below 0 for a moment after a stop
                    self._changed.notify_all()
                    return
            if before != told:
                told = before
                on_wait(before)
            with self._changed:
                self._changed.wait(WATCH_SECONDS)


def give_way() -> None:
    """Let this thread, and those that it starts, come after the ones that answer at once.

    Every search has a thread of its own, so that nothing else is slowed down. The main thread never
    gives way, since it could not take that back and all that it starts would inherit it. Elsewhere
    than on Linux a single thread has no priority.
    """
    if sys.platform == "linux" and threading.current_thread() is not threading.main_thread():
        process = os.getpriority(os.PRIO_PROCESS, os.getpid())
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), process + NICENESS)


def _guest_spec(text: str) -> AgentSpec:
    """Take a spec apart that came from anybody who can reach the server.

    Raises:
        SpecError: there is no such agent, or it would read a file or take much memory.
    """
    spec = agent_spec(text)
    if "net" in spec.options:
        raise SpecError(f"agent {shown(text)}: net= is not taken here")
    memory = spec.options.get("memory")
    if memory is not None and int(memory) > MAX_MEMORY_MIB:
        raise SpecError(f"agent {shown(text)}: memory is at most {MAX_MEMORY_MIB} MiB here")
    return spec
