"""Programs as agents: what they say of themselves before they play."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Timer

from pavilion_ai.agents import Agent, program_of
from pavilion_ai.cli.program import CommandError
from pavilion_ai.cli.said import note
from pavilion_ai.errors import file_fault
from pavilion_ai.external.engine import IDENTITY_SECONDS
from pavilion_ai.external.log import ENGINE_LOG
from pavilion_ai.match.traits import UNKNOWN
from pavilion_ai.spec import called

PATIENCE_SECONDS = 1.0
"""Seconds after which a note tells for which program the command waits."""


@contextmanager
def logging(folder: str | None) -> Iterator[None]:
    """Let programs, also those of workers that start meanwhile, be logged in a folder.

    Raises:
        CommandError: no file can be written there.
    """
    if folder is None:
        yield
        return
    before = os.environ.get(ENGINE_LOG)
    try:
        os.makedirs(folder, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except (OSError, ValueError) as error:
        raise CommandError(f"--engine-log {file_fault(folder, error)}") from None
    os.environ[ENGINE_LOG] = os.path.abspath(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[ENGINE_LOG]
        else:
            os.environ[ENGINE_LOG] = before


def introduced(agents: Iterable[Agent]) -> dict[str, str]:
    """Return the versions of the programs among agents, by spec; tell which end or are late.

    Agents ask once, so those that play on know their versions then.
    """
    versions: dict[str, str] = {}
    for agent in agents:
        program = program_of(agent)
        if program is None:
            continue
        late = Timer(PATIENCE_SECONDS, note, [
            f"{called(agent.spec)}: has not answered `hello` yet; it has {IDENTITY_SECONDS:g} s"])
        late.daemon = True
        late.start()
        try:
            versions[agent.spec] = agent.identity().get("version", UNKNOWN)
        finally:
            late.cancel()
        if program.ended is not None:
            note(f"{called(agent.spec)}: ended before it answered `hello`: {program.ended}")
    return versions
