"""What processes hold: memory, descriptors, threads and children, sampled while they work."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from statistics import median

SLACK = {"KiB": 64 << 10, "descriptors": 8, "threads": 24, "files": 4}
"""By how much the median may grow: caches, and what is in hand just then."""
MOST = {"KiB": 1400 << 10, "descriptors": 200, "threads": 300, "files": 200}
"""What nothing may hold at any time. An engine may have 1 GiB for its trees."""
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


def processor_seconds(process: int) -> float:
    """Return the seconds of the processor that a process has used; 0 if it has ended."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Usage:
    """Samples of one part: in the last third it may hold no more than in the first."""

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
            early, late = median(values[:third]), median(values[-third:])
            if late > FACTOR * early + SLACK[key]:
                found.append(f"{self.name}: {key} grew from {early:.0f} to {late:.0f}")
            if max(values) > MOST[key]:
                found.append(f"{self.name}: {key} reached {max(values)}")
        return found

    def told(self) -> str:
        """Return the last sample and the peak of each kind."""
        return ", ".join(f"{key} {values[-1]} (peak {max(values)})"
                         for key, values in self._samples.items())
