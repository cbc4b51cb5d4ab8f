"""Who searches for the requests of one engine."""

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
"""Agents kept between requests; what they hold in memory is theirs until the engine ends."""


def agent_spec(text: str, own: bool = False) -> AgentSpec:
    """Take the spec of an agent apart that searches for the protocol.

    Args:
        own: it comes from whoever started the engine, not from a request.

    Raises:
        SpecError: there is no such agent, or it would be a program, or a request's would read a
            file: whoever can send requests may not start programs or read files by that.
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
    """Agents by spec, kept for the next request: memory that was used before is searched faster.

    Args:
        default: spec of who searches where a request names nobody.
    """

    def __init__(self, default: str = DEFAULT_AGENT) -> None:
        self._default = default
        self._lock = threading.Lock()
        self._idle: list[Agent] = []

    @contextmanager
    def lent(self, request: fields.Request) -> Iterator[tuple[Agent, AgentSpec]]:
        """Lend a request the agent that it names, to it alone.

        One that failed is not kept, nor one with `reuse`, whose answers would depend on the
        requests before.

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
