"""The agents that answer the requests of one engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pavilion_ai.bounds import DEFAULT_MEMORY_MIB, MAX_LEVEL
from pavilion_ai.errors import SpecError, shown
from pavilion_ai.processors import cores
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.turns import WATCH_SECONDS, Turns

if TYPE_CHECKING:
    from pavilion_ai.agents import Agent
    from pavilion_ai.limits import Limits
    from pavilion_ai.spec import AgentSpec

DEFAULT_AGENT = "default"

MEMORY_MIB = 1024
"""MiB for the trees of all searches of an engine, unless its own agent names more."""
BYTES_PER_SIM = 16 << 10
"""A simulation never takes more: a node with 300 children, and a page of the table."""
TIMED_SHARE = 4
"""A search with a time limit takes at most this part of the memory that is free, so some is always
left; or what its agent holds already."""

THREADS_EACH = 2
"""Threads that search at a time for each processor; further searches wait for their turn."""
MOST_IDLE = 2
"""Most agents kept between requests; they keep their memory until the engine ends."""


def agent_spec(text: str, own: bool = False) -> AgentSpec:
    """Parse the spec of an agent for the protocol.

    Args:
        own: whether the spec comes from the engine's command line rather than from a request.

    Raises:
        SpecError: there is no such agent, it is an external program, or a request's agent reads a
            file: requests must not be able to start programs or read files.
    """
    from pavilion_ai.spec import EXTERNAL, names_agent, no_agent, parse_spec

    if not names_agent(text):
        raise no_agent(text, programs=False)
    spec = parse_spec(text)
    if spec.name == EXTERNAL:
        raise SpecError(f"agent {shown(text)}: the protocol starts no other programs")
    if not own and spec.net_file is not None:
        raise SpecError(f"agent {shown(text)}: the protocol reads no files, expected net=0 or"
                        " net=1")
    return spec


class Agents:
    """Agents by spec, kept for the next request: memory in use is faster to search in.

    All their searches together share one amount of memory, whatever the requests name. One with a
    limit of simulations alone waits until there is room, and until those before it had theirs, as
    its answer must not depend on others; one with a time limit takes at most a quarter of what is
    free, or what its agent held before, and never waits.

    Args:
        default: spec of the agent for `analyse` and `choose` that name none.
        memory_mib: MiB of the trees of all searches together; at least what `default` names.

    Attributes:
        turns: which of the searches run just now.
    """

    def __init__(self, default: str = DEFAULT_AGENT, memory_mib: int = MEMORY_MIB) -> None:
        self.default = default
        self.memory_mib = max(memory_mib, _memory_of(agent_spec(default, own=True), 1))
        self.turns = Turns(THREADS_EACH * cores())
        self._changed = threading.Condition()
        self._idle: list[tuple[Agent, int]] = []  # with the memory that they hold
        self._used = 0  # MiB, idle agents included
        self._waiting: list[object] = []  # searches that wait for memory, the first one first

    def spec_of(self, request: fields.Request) -> AgentSpec:
        """Return the spec of a request's agent.

        Raises:
            BadRequest, SpecError: as `agent_spec`, or the field is wrong.
        """
        text = fields.string(request, "agent", self.default)
        return agent_spec(text, own=text == self.default)

    def threads(self, request: fields.Request) -> int:
        """Return how many threads a request names for its search, itself or by its agent.

        One for an agent that does not search with several.

        Raises:
            BadRequest, SpecError: as `spec_of`.
        """
        spec = self.spec_of(request)
        named = fields.threads(request)
        return (named or spec.threads) if spec.searches and spec.level == MAX_LEVEL else 1

    @contextmanager
    def lent(
        self, request: fields.Request, limits: Limits | None, stop: threading.Event
    ) -> Iterator[tuple[Agent, AgentSpec, int]]:
        """Lend a request its agent, exclusively, with the size of its trees in MiB.

        An agent that failed is not kept, nor one with `reuse`, whose answers would depend on
        earlier requests.

        Raises:
            BadRequest, SpecError: as `agent_spec`, or a field is wrong, or the agent requests more
                memory than there is.
        """
        from pavilion_ai.agents import make_agent

        text, spec = fields.string(request, "agent", self.default), self.spec_of(request)
        agent, granted, held = self._room(
            self._wanted(text, spec), _sims(limits, spec), stop, text)
        try:
            agent = agent or make_agent(text)
            yield agent, spec, granted
        except BaseException:
            self._release(held)
            raise
        if spec.options.get("reuse"):
            self._release(held)
        else:
            self._keep(agent, held)

    @contextmanager
    def memory_for(
        self, request: fields.Request, limits: Limits, searches: int, stop: threading.Event
    ) -> Iterator[tuple[str, int]]:
        """Set memory aside for several searches at a time; yield the spec and the MiB of each.

        Raises:
            BadRequest, SpecError: as `lent`.
        """
        text = fields.string(request, "agent", DEFAULT_AGENT)
        spec = agent_spec(text)
        each = min(self._wanted(text, spec), self.memory_mib // searches)
        sims = _sims(limits, spec)
        _, granted, held = self._room(
            each * searches, None if sims is None else sims * searches, stop)
        try:
            yield text, max(1, granted // searches)
        finally:
            self._release(held)

    def _wanted(self, text: str, spec: AgentSpec) -> int:
        """Return the size of the trees, in MiB, that a spec names; SpecError: it is too much."""
        wanted = _memory_of(spec, min(DEFAULT_MEMORY_MIB, self.memory_mib))
        if wanted > self.memory_mib:
            raise SpecError(f"agent {shown(text)}: memory is at most {self.memory_mib} MiB here")
        return wanted

    def _room(
        self, wanted: int, sims: int | None, stop: threading.Event, text: str | None = None
    ) -> tuple[Agent | None, int, int]:
        """Return an idle agent, the size of the trees for a request, and the memory set aside.

        Args:
            wanted: MiB that the spec names.
            sims: limit of the search; None for one with a time limit. Those with a limit of
                simulations have their room in the order in which they ask.
            text: the spec of which an agent is taken, if one is idle.
        """
        with self._changed:
            if sims is None:
                agent, held = self._taken(text)
                free = self._left + sum(idle for _, idle in self._idle)
                granted = max(1, min(wanted, max(free // TIMED_SHARE, held)))
                self._drop_idle(granted)
                self._used += granted
                return agent, granted, granted
            me = object()
            self._waiting.append(me)
            while self._waiting[0] is not me and not stop.is_set():
                self._changed.wait(WATCH_SECONDS)
            agent, held = self._taken(text)
            needed = max(held, min(wanted, 1 + (sims * BYTES_PER_SIM >> 20)))
            self._drop_idle(needed)
            while self._left < needed and not stop.is_set():
                self._changed.wait(WATCH_SECONDS)
                self._drop_idle(needed)
            self._waiting.remove(me)
            self._used += needed
            self._changed.notify_all()
            return agent, wanted, needed

    def _taken(self, text: str | None) -> tuple[Agent | None, int]:
        """Take the idle agent of a spec, if there is one; what it held is free then."""
        for entry in reversed(self._idle):
            if entry[0].spec == text:
                self._idle.remove(entry)
                self._used -= entry[1]
                return entry
        return None, 0

    @property
    def _left(self) -> int:
        return max(0, self.memory_mib - self._used)

    def _drop_idle(self, needed: int) -> None:
        """Drop idle agents, the oldest first, until so many MiB are left."""
        while self._idle and self._left < needed:
            self._used -= self._idle.pop(0)[1]

    def _keep(self, agent: Agent, held: int) -> None:
        with self._changed:
            self._idle.append((agent, held))
            while len(self._idle) > MOST_IDLE:
                self._used -= self._idle.pop(0)[1]
            self._changed.notify_all()

    def _release(self, held: int) -> None:
        with self._changed:
            self._used -= held
            self._changed.notify_all()


def _sims(limits: Limits | None, spec: AgentSpec) -> int | None:
    """Return the limit of simulations of a search; None if time may end it, or there is none.

    Args:
        limits: limits of its request; None for those of the spec.
    """
    if not spec.searches:
        return None
    if limits is None:
        return None if spec.options.keys() & {"time", "clock"} else spec.sims
    return None if limits.seconds is not None or limits.clock else limits.sims


def _memory_of(spec: AgentSpec, default: int) -> int:
    """Return the size of the trees, in MiB, that a spec names, or the default.

    One that does not search has none, and gets 1.
    """
    return int(spec.options.get("memory", default)) if spec.searches else 1
