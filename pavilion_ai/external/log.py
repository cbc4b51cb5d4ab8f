"""What an engine and this package say to each other, and its standard error, in a file."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Literal

from pavilion_ai.errors import reason_of

ENGINE_LOG = "PAVILION_ENGINE_LOG"
"""Variable of the environment that names the folder for logs; without it there are none."""
_LONGEST_LINE = 1 << 20  # bytes that are kept until its end comes
_LONGEST_NAME = 80  # bytes


class EngineLog:
    """The log of one process: a line for each line, with the seconds since its start.

    Raises:
        OSError: it cannot be written; its `filename` is that of the log. `close` raises nothing.
    """

    def __init__(self, folder: str, words: Sequence[str], process: int) -> None:
        named = "_".join(map(os.path.basename, words[:2]))  # program and first argument
        name = re.sub(r"[^\w.-]+", "-", named).encode()[:_LONGEST_NAME].decode(errors="ignore")
        self._path = os.path.join(folder, f"{name}-{process}.log")
        self._begun = time.monotonic()
        self._rests: dict[str, bytes] = {}
        os.makedirs(folder, exist_ok=True)
        self._file = open(self._path, "ab", buffering=0)  # noqa: SIM115 (closed with the process)
        self._write("#", f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S %z} {list(words)}"
                    .encode(errors="replace"))

    def add(self, mark: Literal[">", "<", "!"], content: bytes) -> None:
        """Add what went to the engine (>), came from it (<), or from its standard error (!)."""
        *whole, rest = (self._rests.get(mark, b"") + content).split(b"\n")
        if len(rest) > _LONGEST_LINE:
            whole, rest = [*whole, rest], b""
        self._rests[mark] = rest
        for line in whole:
            self._write(mark, line)

    def close(self) -> None:
        """Write what has no end of line, and close the file."""
        with suppress(OSError):
            for mark, rest in self._rests.items():
                if rest:
                    self._write(mark, rest)
        with suppress(OSError):
            self._file.close()

    def _write(self, mark: str, line: bytes) -> None:
        told = f"{time.monotonic() - self._begun:.3f} {mark} ".encode()
        try:
            left = memoryview(told + line.rstrip(b"\r") + b"\n")
            while left:
                left = left[self._file.write(left):]
        except OSError as error:
            raise OSError(error.errno, reason_of(error), self._path) from None


def log_of(words: Sequence[str], process: int) -> EngineLog | None:
    """Return a log for a process that was started, if the environment asks for one.

    Raises:
        OSError: it cannot be written; the error tells which variable asks for it.
    """
    folder = os.environ.get(ENGINE_LOG)
    if not folder:
        return None
    try:
        return EngineLog(folder, words, process)
    except OSError as error:
        error.strerror = f"{reason_of(error)}; {ENGINE_LOG} asks for logs there"
        raise
