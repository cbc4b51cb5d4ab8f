"""Writing files as a whole: a reader, and whoever comes after a kill, never sees half of one."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it is there whole or not at all; what a link points to is written.

    Raises:
        OSError: it cannot be written; then it is as it was.
    """
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(unfinished, target)
    finally:
        with suppress(OSError, ValueError):
            unfinished.unlink(missing_ok=True)
