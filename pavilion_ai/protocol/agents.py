"""The agents that answer the requests of one engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pavilion_ai.errors import SpecError, shown
from pavilion_ai.protocol import fields

if TYPE_CHECKING:
    from pavilion_ai.agents import Agent
    from pavilion_ai.spec import AgentSpec

__all__ = ["DEFAULT_AGENT", "Agents", "agent_spec"]

DEFAULT_AGENT = "default"

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
    from pavilion_ai.spec import EXTERNAL, parse_spec

    spec = parse_spec(text)
    if spec.name == EXTERNAL:
        raise SpecError(f"agent {shown(text)}: the protocol starts no other programs")
    if not own and spec.net_file is not None:
        raise SpecError(f"agent {shown(text)}: the protocol reads no files, expected net=0 or"
                        " net=1")
    return spec


class Agents:
    """Agents by spec, kept for later requests, since reused memory makes searches faster.

    Args:
        default: spec of the agent for requests that name none.
    """

    def __init__(self, default: str = DEFAULT_AGENT) -> None:
        self._default = default
        self._lock = threading.Lock()
        self._idle: list[Agent] = []

    @contextmanager
    def lent(self, request: fields.Request) -> Iterator[tuple[Agent, AgentSpec]]:
        """Lend a request its agent, exclusively.

        An agent that failed is not kept, nor one with `reuse`, whose answers would depend on
        earlier requests.

        Raises:
            BadRequest, SpecError: as `agent_spec`, or a field is wrong.
        """
        from pavilion_ai.agents import make_agent

        text = fields.string(request, "agent", self._default)
        spec = agent_spec(text, own=text == self._default)
        with self._lock:
            agent = next((idle for idle in reversed(self._idle) if idle.spec == text), None)
            if agent:
                self._idle.remove(agent)
        agent = agent or make_agent(text)
        yield agent, spec
        if not spec.options.get("reuse"):
            with self._lock:
                self._idle.append(agent)
                del self._idle[:-MOST_IDLE]
