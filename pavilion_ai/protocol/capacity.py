"""What the engines of one process share: threads to search with, and agents with their memory."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
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

PATIENCE_SECONDS = {"review": 60.0}
"""Seconds for which a search may run while others wait for its threads, by action."""
PATIENCE = 10.0
"""That of other actions."""

NICENESS = 5
"""How much threads that search give way to those that answer (Linux)."""


@dataclass(eq=False)
class _Search:
    """A search that runs or waits.

    Attributes:
        who: client that wants it.
        threads: number of threads that it searches with.
        stop: ends it.
        patience: seconds that it has while others wait.
        on_way: called when it has to make way for others; None if it never has to.
        round: round in which it has its turn: each client has one search in each.
        before: number of searches that wait before it.
        since: when it began, by the monotonic clock; None while it waits.
    """

    who: object
    threads: int
    stop: threading.Event
    patience: float
    on_way: Callable[[], None] | None
    round: int = 0
    before: int = 0
    since: float | None = None


class Capacity:
    """Room for the searches of several engines.

    The clients take turns: of the searches of one that asks for several at a time, each comes after
    one of every other client that waits, and otherwise the first to ask is the first. A search
    that has run for long ends if others wait for its threads.

    Args:
        threads: searched with at a time, over all engines; so there are never more searches.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.agents = Agents(DEFAULT_AGENT)
        self.in_hand = InHand()
        self._changed = threading.Condition()
        self._free = threads
        self._searches: list[_Search] = []  # in the order in which they were asked for
        self._round = 0  # of the one that began last

    def told(self) -> dict[str, object]:
        """Return what `hello` says beside the rest: threads; by game, tiles and phases."""
        return {"threads": self.threads,
                "colours": {name: rules.colours for name, rules in GAMES.items()},
                "phases": {name: list(rules.phases) for name, rules in GAMES.items()}}

    @contextmanager
    def room(
        self,
        request: fields.Request,
        stop: threading.Event,
        on_wait: Callable[[int], None],
        who: object = None,
        on_way: Callable[[], None] | None = None,
    ) -> Iterator[fields.Request]:
        """Wait for free threads, and yield the request with the threads that it may use.

        A request that is stopped waits no longer; its search ends before it begins. One whose
        agent does not search needs no threads, and never waits.

        Args:
            on_wait: called with the number of requests waiting before it, whenever that changes.
            who: client that asks.
            on_way: called before `stop` is set, as others wait; None: it is never set here.

        Raises:
            SpecError: the agent requests more than guests may use.
        """
        wanted = self._threads(request)
        action = str(request.get("action"))
        me = _Search(who, wanted, stop, PATIENCE_SECONDS.get(action, PATIENCE), on_way)
        if wanted:
            self._take(me, on_wait)
        give_way()
        try:
            if request.get("threads") is None and wanted <= 1:
                yield request
            else:
                yield {**request, "threads": max(1, wanted)}
        finally:
            if wanted:
                with self._changed:
                    self._free += wanted
                    self._searches.remove(me)
                    self._order()

    def _threads(self, request: fields.Request) -> int:
        """Return the number of threads for a request, 0 if its agent does not search.

        An invalid one is refused on reading.
        """
        from pavilion_ai.search import CAN_SHARE

        spec = request.get("agent")
        agent = _guest_spec(spec) if isinstance(spec, str) else None
        if agent and not agent.searches and request.get("action") in ("analyse", "choose"):
            return 0
        usual = agent.threads if agent else 1
        named = fields.threads(request)
        most = self.threads if CAN_SHARE or request.get("action") == "review" else 1
        return min(named or usual, most)

    def _take(self, me: _Search, on_wait: Callable[[int], None]) -> None:
        """Wait until the threads are free and no request waits before, or until it is stopped."""
        told = -1
        with self._changed:
            me.round = max([self._round, *(one.round + 1 for one in self._searches
                                           if one.who == me.who)])
            self._searches.append(me)
            self._order()
        while True:
            with self._changed:
                before = me.before
                stopped = me.stop.is_set()
                if stopped or (before == 0 and self._free >= me.threads):
                    if not stopped:
                        self._round = max(self._round, me.round)
                    me.since = time.monotonic()
                    self._free -= me.threads  # below 0 for a moment after a stop
                    self._order()
                    return
                if before == 0:
                    self._make_way(me)
            if before != told:
                told = before
                on_wait(before)
            with self._changed:
                self._changed.wait(WATCH_SECONDS)

    def _order(self) -> None:
        """Count for each that waits how many come before it, after a change."""
        waiting = [one for one in self._searches if one.since is None]
        waiting.sort(key=attrgetter("round"))  # stable: then in the order of asking
        for before, one in enumerate(waiting):
            one.before = before
        self._changed.notify_all()

    def _make_way(self, first: _Search) -> None:
        """End what was searched for longest, as far as the first one that waits needs.

        That may be a search of its own client if others wait behind: they wait for it too. If the
        first one could not begin even so, none ends.
        """
        waiting = {one.who for one in self._searches if one.since is None and not one.stop.is_set()}
        begun = [one for one in self._searches if one.since is not None]
        needed = first.threads - self._free - sum(
            one.threads for one in begun if one.stop.is_set())
        leaving: list[_Search] = []
        for one in sorted(begun, key=attrgetter("since")):
            if (needed > 0 and one.on_way and not one.stop.is_set() and waiting - {one.who}
                    and time.monotonic() - (one.since or 0) > one.patience):
                leaving.append(one)
                needed -= one.threads
        if needed > 0:
            return
        for one in leaving:
            if one.on_way:
                one.on_way()
            one.stop.set()


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
