"""Programs as agents: what they say of themselves before they play."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Event, Timer

from pavilion_ai.agents import Agent, program_of
from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.said import note
from pavilion_ai.errors import file_fault
from pavilion_ai.external.engine import IDENTITY_SECONDS, ExternalEngine, share_identity
from pavilion_ai.external.log import ENGINE_LOG
from pavilion_ai.interrupts import held
from pavilion_ai.match.traits import UNKNOWN
from pavilion_ai.processors import cores
from pavilion_ai.spec import called

PATIENCE_SECONDS = 1.0
"""Seconds after which a note tells for which program the command waits."""
ASKING_TICK = 0.1
"""Seconds between looks at whether a signal has arrived while programs are asked."""


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

    All are asked at the same time, each command line once. Agents keep what they are told, so those
    that play on know their versions then.

    Raises:
        KeyboardInterrupt: the user has ended it.
    """
    programs: dict[str, list[tuple[str, ExternalEngine]]] = {}
    for agent in agents:
        if (program := program_of(agent)) is not None:
            programs.setdefault(program.command, []).append((agent.spec, program))
    if not programs:
        return {}
    stop = Event()
    with held() as interrupt, ThreadPoolExecutor(min(len(programs), cores())) as pool:
        asked = [pool.submit(_ask, called(spec), program, stop)
                 for (spec, program), *_ in programs.values()]
        while wait(asked, ASKING_TICK).not_done:
            if interrupt.is_set():
                stop.set()
    if interrupt.is_set():
        raise KeyboardInterrupt
    versions: dict[str, str] = {}
    for one, ((first, program), *others) in zip(asked, programs.values(), strict=True):
        versions[first] = one.result().get("version", UNKNOWN)
        for spec, other in others:
            versions[spec] = versions[first]
            share_identity(program, other)
        if program.ended is not None:
            note(f"{called(first)}: ended before it answered `hello`: {program.ended}")
    return versions


def _ask(name: str, program: ExternalEngine, stop: Event) -> dict[str, str]:
    """Return what a program says of itself; tell if that takes long."""
    late = Timer(PATIENCE_SECONDS, note, [
        f"{name}: has not answered `hello` yet; it has {IDENTITY_SECONDS:g} s"])
    late.daemon = True
    late.start()
    try:
        return program.identity(stop)
    finally:
        late.cancel()
