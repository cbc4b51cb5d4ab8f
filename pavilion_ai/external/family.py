"""All processes that an external engine has started, also those in sessions of their own.

A process group is left by `setsid`, and parentage is lost when the parent ends. So an engine is
started with a mark in its environment, which its children inherit. Found are all processes with the
mark, and all below them and below the engine. Not found is one that has cleared its environment and
whose parent has ended. Where the system has no /proc, only the process group is ended.
"""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

MARKS = "PAVILION_ENGINE"
"""Variable of the environment that holds the marks of an engine, and of engines that it runs in."""
_ROUNDS = 20  # one that starts children all the time may be faster
_PROC = Path("/proc")


def new_mark() -> str:
    """Return a mark that no other engine has."""
    return secrets.token_hex(16)


def environment_with(mark: str) -> dict[str, str]:
    """Return this process' environment with a further mark."""
    return {**os.environ, MARKS: f"{os.environ.get(MARKS, '')}:{mark}"}


def kill_family(mark: str, engine: int | None) -> None:
    """Kill every process that belongs to an engine, and whatever those start meanwhile.

    Args:
        engine: process of the engine; None if it has been waited for, as the system may give its
            number to another process.
    """
    for _ in range(_ROUNDS):
        family = _family(mark, engine)
        if not family:
            return
        for process in family:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def _family(mark: str, engine: int | None) -> set[int]:
    """Return the running processes of an engine's family."""
    parents: dict[int, int] = {}
    marked = set() if engine is None else {engine}
    for process in _processes():
        try:
            after_name = (_PROC / str(process) / "stat").read_bytes().rpartition(b")")[2].split()
            if after_name[0] in b"ZX":
                continue
            parents[process] = int(after_name[1])
            if mark.encode() in (_PROC / str(process) / "environ").read_bytes():
                marked.add(process)
        except (OSError, IndexError, ValueError):  # it has ended, or is another user's
            continue
    return {process for process in parents if _is_below(process, marked, parents)}


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return []


def _is_below(process: int, tops: set[int], parents: Mapping[int, int]) -> bool:
    """Tell whether a process is one of some others or stands below one of them."""
    seen: set[int] = set()
    while process not in tops:
        seen.add(process)
        process = parents.get(process, 0)
        if not process or process in seen:
            return False
    return True
