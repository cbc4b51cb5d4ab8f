"""How many processors there are for threads and processes."""

from __future__ import annotations

import os

__all__ = ["cores", "threads_note"]


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_note(wanted: int, most: int, what: str = "threads") -> str:
    """Return the message for a user who requested more threads than there are processors.

    >>> threads_note(64, 2)
    'threads: 64 requested, 2 used, one for each processor'
    """
    return f"{what}: {wanted} requested, {most} used, one for each processor"
