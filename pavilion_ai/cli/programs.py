"""Programs as agents: what they say of themselves before they play."""

from __future__ import annotations

from collections.abc import Iterable

from pavilion_ai.agents import Agent, program_of
from pavilion_ai.cli.said import note
from pavilion_ai.match.traits import UNKNOWN
from pavilion_ai.spec import called


def introduced(agents: Iterable[Agent]) -> dict[str, str]:
    """Return the versions of the programs among agents, by spec; tell which end when asked.

    Agents ask once, so those that play on know their versions then.
    """
    versions: dict[str, str] = {}
    for agent in agents:
        program = program_of(agent)
        if program is None:
            continue
        versions[agent.spec] = agent.identity().get("version", UNKNOWN)
        if program.ended is not None:
            note(f"{called(agent.spec)}: ended before it answered `hello`: {program.ended}")
    return versions
