"""How many processors there are for threads and processes."""

from __future__ import annotations

import os
from math import ceil
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
QUOTAS = (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us"))
"""Where Linux says for how much time of each period a container may compute, by version."""


def cores() -> int:
    """Return the number of processors that this process may use, and has the time of."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        allowed = len(os.sched_getaffinity(0))
        return min(allowed, _quota() or allowed)
    return os.cpu_count() or 1


def _quota() -> int | None:
    """Return for how many processors a container has time; None where nothing limits it."""
    for names in QUOTAS:
        try:
            time, period = map(int, " ".join(
                (CGROUPS / name).read_text(encoding="utf-8") for name in names).split())
        except (OSError, ValueError):  # no such file, or "max"
            continue
        if time > 0 and period > 0:
            return ceil(time / period)
    return None


def threads_note(wanted: int, most: int, what: str = "threads") -> str:
    """Return the message for a user who requested more threads than there are processors.

    >>> threads_note(64, 2)
    'threads: 64 requested, 2 used, one for each processor'
    """
    return f"{what}: {wanted} requested, {most} used, one for each processor"
