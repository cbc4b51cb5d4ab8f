"""Write files atomically: no reader, and no later run after a kill, ever finds half a file."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["beside", "replace_file"]

MAX_NAME = 255
"""Bytes of a file's name in the usual file systems."""


def beside(target: Path, suffix: str) -> Path:
    """Return the name of a hidden file in the folder of another one, however long that name is.

    >>> beside(Path("games.jsonl"), ".tmp").name, len(beside(Path("x" * 255), ".tmp").name)
    ('.games.jsonl.tmp', 37)
    """
    name = f".{target.name}{suffix}"
    if len(os.fsencode(name)) > MAX_NAME:
        digest = hashlib.blake2b(os.fsencode(target.name), digest_size=16).hexdigest()
        name = f".{digest}{suffix}"
    return target.with_name(name)


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file completely or not at all; a symbolic link is followed.

    Raises:
        OSError: the file cannot be written and is unchanged.
    """
    target = Path(os.path.realpath(path))
    unfinished = beside(target, f".{os.getpid()}.tmp")
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
