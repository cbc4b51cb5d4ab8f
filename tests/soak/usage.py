"""What processes hold: memory, descriptors, threads and children, sampled while they work."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

__all__ = ["Usage", "usage_of"]

SLACK = {"KiB": 64 << 10, "descriptors": 24, "threads": 24, "files": 8, "processes": 0}
"""By how much the later peak may exceed the earlier one: caches, and requests in flight."""
FACTOR = 1.25


def usage_of(process: int) -> dict[str, int]:
    """Return what a process holds now; empty if it has ended."""
    folder = Path(f"/proc/{process}")
    try:
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        return {"KiB": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                "descriptors": len(os.listdir(folder / "fd"))}
    except (OSError, KeyError):
        return {}


class Usage:
    """Samples of one part. What it needs is known after the first third; later it may not grow."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._samples: dict[str, list[int]] = defaultdict(list)

    def add(self, sample: dict[str, int]) -> None:
        """Add what is held now."""
        for key, value in sample.items():
            self._samples[key].append(value)

    def faults(self) -> list[str]:
        """Return what has grown, in words."""
        found = []
        for key, values in self._samples.items():
            third = max(1, len(values) // 3)
            early, late = max(values[:third]), max(values[third:], default=0)
            if late > FACTOR * early + SLACK[key]:
                found.append(f"{self.name}: {key} grew from {early} to {late}")
        return found

    def told(self) -> str:
        """Return the last sample and the peak of each kind."""
        return ", ".join(f"{key} {values[-1]} (peak {max(values)})"
                         for key, values in self._samples.items())
