"""Write files atomically, and keep other writers away from files that grow.

No reader, and no later run after a kill, ever finds half a file.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pavilion_ai.bounds import SYNC_SECONDS
from pavilion_ai.errors import RecordError

if TYPE_CHECKING:
    from typing_extensions import Self

HAS_FLOCK = find_spec("fcntl") is not None
"""Whether files can be locked themselves, and replaced while they are open: not on Windows."""

MAX_NAME = 255
"""Bytes of a file's name in the usual file systems."""
RETRY_SECONDS = 0.05
"""Seconds until another attempt at a file that another program holds."""
RETRY_AT_MOST = 2.0
"""Seconds during which attempts are repeated; a virus scanner is done sooner."""
_OPEN_ELSEWHERE = (5, 32, 33)
"""How Windows refuses such a file: access denied, a sharing violation, a locked part."""


def beside(target: Path, suffix: str) -> Path:
    """Return the name of a hidden file in the folder of another one, however long that name is.

    >>> beside(Path("games.jsonl"), ".tmp").name, len(beside(Path("x" * 255), ".tmp").name)
    ('.games.jsonl.tmp', 37)
    """
    name = f".{target.name}{suffix}"
    if len(os.fsencode(name)) > MAX_NAME:
        import hashlib  # slow, and seldom needed

        digest = hashlib.blake2b(os.fsencode(target.name), digest_size=16).hexdigest()
        name = f".{digest}{suffix}"
    return target.with_name(name)


def user_folder(name: str) -> Path:
    """Return a folder in the user's data folder, whether there is one or not.

    Raises:
        OSError: nobody knows where that is; the error names HOME.
    """
    from platformdirs import user_data_path

    with suppress(RuntimeError):
        folder = user_data_path("pavilion-ai", appauthor=False) / name
        if folder.is_absolute():  # before 4.14 it began with ~
            return folder
    raise FileNotFoundError(errno.ENOENT, "names no folder in which games can be kept", "HOME")


def dated(folder: Path, pattern: str) -> list[tuple[float, Path]]:
    """Return the files of a folder and when they were changed, the oldest first.

    Of links only those to files, and nothing that is none: whoever opened a pipe would wait.
    """
    found = []
    with suppress(OSError):
        for path in folder.glob(pattern):
            with suppress(OSError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    found.append((status.st_mtime, path))
    return sorted(found)


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file completely or not at all; a symbolic link is followed.

    Raises:
        OSError: the file cannot be written and is unchanged; the error names it.
    """
    with named(os.fspath(path)):
        _replace(Path(os.path.realpath(path)), content)


def _replace(target: Path, content: bytes) -> None:
    unfinished = beside(target, f".{os.getpid()}.{threading.get_ident()}.tmp")
    mode = None
    if HAS_FLOCK:  # on Windows a read-only file could not be removed
        with suppress(OSError):
            mode = stat.S_IMODE(target.stat().st_mode)
    try:
        with open(unfinished, "wb", opener=lambda name, flags: os.open(
                name, flags, 0o666 if mode is None else mode)) as file:
            if mode is not None:
                with suppress(OSError):  # a file system of fixed owners refuses
                    unfinished.chmod(mode)
            file.write(content)
            file.flush()
            sync(file.fileno())
        put_in_place(unfinished, target)
    finally:
        with suppress(OSError, ValueError):
            unfinished.unlink(missing_ok=True)
    sync_folder(target.parent)


def put_in_place(source: Path, target: Path) -> None:
    """Replace a file by another one; on Windows wait while a program has one of them open.

    Raises:
        OSError: it cannot be replaced.
    """
    give_up_at = time.monotonic() + RETRY_AT_MOST
    while True:
        try:
            os.replace(source, target)
            return
        except OSError as error:
            held = getattr(error, "winerror", None) in _OPEN_ELSEWHERE
            if not held or time.monotonic() >= give_up_at:
                raise
        time.sleep(RETRY_SECONDS)


def sync(number: int) -> None:
    """Force the content of an open file onto the disk.

    Args:
        number: its file descriptor.
    """
    if sys.platform == "darwin":  # there os.fsync leaves it in the memory of the drive
        import fcntl

        with suppress(OSError):  # not every file system can
            fcntl.fcntl(number, fcntl.F_FULLFSYNC)
            return
    os.fsync(number)


def sync_folder(path: Path) -> None:
    """Sync the names of a folder's files to disk: a power failure keeps a file just put there.

    Windows has no such call; a file system that refuses it counts as one that needs none.
    """
    if HAS_FLOCK:
        with suppress(OSError):
            folder = os.open(path, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


class LockedFile(FileIO):
    """An unbuffered file that can be locked; the lock is released when it is closed.

    The file itself is locked; on Windows, where nobody could read it then, a hidden file beside it.

    Args:
        path: the file.
        mode: as of `open`, without `b`.
        create: whether to create the file if it is missing, whatever the mode.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: str | os.PathLike[str], mode: str, create: bool = False) -> None:
        self._path = Path(os.path.abspath(path))
        self._beside: Any = None
        self._locker = 0  # process that locked the file itself
        flags = os.O_CREAT if create else 0
        super().__init__(path, mode, opener=lambda name, wanted: os.open(
            name, wanted | flags, 0o666))

    def lock(self, seconds: float = 0.0) -> bool:
        """Lock the file; tell whether no other program had locked it.

        A file system without locks counts as one in which nobody has.

        Args:
            seconds: how long to wait for another program to release it.
        """
        give_up_at = time.monotonic() + seconds
        while not (self._lock() if HAS_FLOCK else self._lock_beside()):
            if time.monotonic() >= give_up_at:
                return False
            time.sleep(RETRY_SECONDS)
        return True

    def write_all(self, content: bytes) -> None:
        """Write all of some bytes; a full disk is an error even after a partial write."""
        while content:
            content = content[self.write(content):]

    def write_at(self, end: int, content: bytes) -> None:
        """Write all of some bytes at `end`, in place of what follows there, or nothing of them."""
        try:
            self.truncate(end)  # first: a kill leaves no mixture of two lines
            self.seek(end)
            self.write_all(content)
        except BaseException:
            self.truncate(end)
            raise

    def take_lock(self, other: LockedFile) -> None:
        """Take over the lock beside a file, from the file that this one has replaced."""
        self._beside, other._beside = other._beside, None

    def close(self, release: bool = True) -> None:
        """Close the file; a lock beside it may stay for another file to take over.

        A process that was forked meanwhile does not keep the lock, and does not release it.
        """
        if not self.closed and self._locker == os.getpid():
            self._unlock()
        super().close()
        if release and self._beside is not None:
            self._beside.release()
            self._beside = None

    def _lock(self) -> bool:
        from fcntl import LOCK_EX, LOCK_NB, flock

        try:
            flock(self, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        self._locker = os.getpid()
        return True

    def _unlock(self) -> None:
        from fcntl import LOCK_UN, flock

        with suppress(OSError):
            flock(self, LOCK_UN)

    def _lock_beside(self) -> bool:
        from filelock import FileLock, Timeout

        # else only the thread that locks could release
        lock = FileLock(beside(self._path, ".lock"), thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return False
        except (OSError, NotImplementedError):
            return True
        self._beside = lock
        return True


@contextmanager
def named(name: str) -> Iterator[None]:
    """Name a file in errors: those of an open file name none, others one beside it."""
    try:
        yield
    except OSError as error:
        error.filename = name
        del error.filename2
        raise


class GrowingFile:
    """A file of lines that grows, locked against other writers while it is open.

    A torn last line, which a killed process leaves, is overwritten.

    Args:
        path: the file; it is made if there is none.

    Attributes:
        name: the path.
        holds: what its lines are, in the plural.

    Raises:
        RecordError: the file holds something else, or another program is writing to it.
        OSError: the file cannot be opened for writing.
    """

    holds: ClassVar[str]

    def __init__(self, path: str) -> None:
        self.name = path
        self._synced_at = time.monotonic()
        self._file = LockedFile(path, "r+", create=True)
        try:
            if not self._file.lock():
                raise RecordError(f"{path}: another program is writing {self.holds} there")
            self._end = self._read()
            sync_folder(Path(path).parent)  # the file may be new
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Sync to disk and release the lock, also if the sync fails.

        Raises:
            OSError: the sync failed; the error names the file.
        """
        if not self._file.closed:
            try:
                self._sync()
            finally:
                self._file.close()

    def _read(self) -> int:
        """Read the lines; return the place after the last complete one."""
        raise NotImplementedError

    def _append(self, line: bytes) -> None:
        """Write a line after the last complete one, or nothing of it; sync about once a second.

        Raises:
            OSError: the file cannot be written and is unchanged, or the sync failed; the error
                names it.
        """
        with named(self.name):
            self._file.write_at(self._end, line)
            self._end += len(line)
        if time.monotonic() - self._synced_at >= SYNC_SECONDS:
            self._sync()

    def _sync(self) -> None:
        with named(self.name):
            sync(self._file.fileno())
        self._synced_at = time.monotonic()
