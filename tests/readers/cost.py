"""What a call costs: time of the processor, and memory beyond what was held before."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Cost:
    """Seconds of the processor, and MiB at the peak; 0 where the system does not tell."""

    seconds: float
    mib: float


def cost_of(call: Callable[[], Result]) -> tuple[Result, Cost]:
    """Call, and return the result with what it has cost."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    held, begun = _kib("VmRSS"), time.process_time()
    result = call()
    seconds = time.process_time() - begun
    return result, Cost(seconds, max(0, _kib("VmHWM") - held) / 1024)


def _kib(name: str) -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1])
    return 0
