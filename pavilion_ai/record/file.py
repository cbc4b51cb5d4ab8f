"""Files of game records: append to them without losing anything."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pavilion_ai.bounds import MAX_LINE_BYTES
from pavilion_ai.encoded import encoding_of
from pavilion_ai.errors import PavilionError, RecordError, in_one_line, shown
from pavilion_ai.files import (
    HAS_FLOCK,
    RETRY_SECONDS,
    LockedFile,
    beside,
    named,
    put_in_place,
    sync,
    sync_folder,
)
from pavilion_ai.interrupts import held
from pavilion_ai.record.game import UNFINISHED, GameRecord
from pavilion_ai.record.lines import (
    LineError,
    RecordLine,
    objects_on,
    record_lines,
)
from pavilion_ai.record.reading import Games, read_entries, within
from pavilion_ai.untrusted import strict_json

WAIT_SECONDS = 10.0
"""Seconds that a single record waits for a file that somebody else is writing to."""

_ID = re.compile(rb'"id"\s{0,99}:\s{0,99}("(?:[^"\\]|\\.){0,999}")')
"""What may be the id of the game on a line; a longer one would cost too much memory."""


def _ids_in(line: bytes) -> Iterator[str]:
    for text in _ID.findall(line):
        with suppress(ValueError):
            yield strict_json(text.decode())


def parse_line(line: RecordLine, path: str | os.PathLike[str]) -> GameRecord:
    """Return the record on a line of the file `path`, to which games are to be added.

    Raises:
        RecordError: the line is not a record, or a file like that cannot grow by lines; the
            message gives file and line.
    """
    where = f"{os.fspath(path)}, line {line.number}"
    encoding = encoding_of(line.raw[:4])
    if line.number == 1 and encoding != "UTF-8":
        raise RecordError(f"{where}: {encoding} data; games are added only to files that are plain"
                          " UTF-8 text")
    try:
        found = list(itertools.islice(objects_on(line), 2))
    except LineError as error:
        raise RecordError(f"{where}: {error}") from error
    if len(found) != 1:
        count = "several objects" if found else "no object"
        raise RecordError(f"{where}: {count} on one line; games are added only to files with one"
                          " on each")
    try:
        return GameRecord.from_json(found[0])
    except PavilionError as error:
        raise RecordError(in_one_line(error), where) from error


class _BusyError(RecordError):
    """Somebody else is writing to the file, and may be done soon."""


def write_record(path: str | os.PathLike[str], record: GameRecord) -> None:
    """Append a record, or replace the last line if that is the same game (`Recorder.write`).

    Threads and processes may do so at once: each waits for the others, up to some seconds.

    Raises:
        RecordError: as `Recorder.write`, or the file was in use for longer.
        OSError: the file cannot be written.
    """
    give_up_at = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            with Recorder(path) as recorder:
                recorder.write(record)
            return
        except _BusyError:
            if time.monotonic() >= give_up_at:
                raise
        time.sleep(RETRY_SECONDS)


@dataclass(frozen=True)
class _Tail:
    """The end of a file, as needed for writing.

    Attributes:
        size: bytes of the file, including a torn last line.
        end: byte at which the complete lines end.
        ended: whether the last complete line ends in a line feed.
        start: byte at which the last record begins.
        last: the last record, if there is one.
    """

    size: int = 0
    end: int = 0
    ended: bool = True
    start: int = 0
    last: GameRecord | None = None


class Recorder:
    """A file of records, locked against other writers while it is open.

    Threads may share it; a forked process cannot, and opens its own.

    A missing file is created by the first record written. The file is read once; after that the
    cost of a write does not depend on its length, unless it replaces the last line: then the whole
    file is copied. If the game may stand further up, the file is read again.

    Args:
        path: the file.
        sync_seconds: least time between two syncs to disk; 0 syncs every line. A killed process
            loses no line that was written; a power failure may lose the lines not yet synced. The
            next write after that time syncs them, and so do `sync_if_due`, `sync` and `close`.

    Attributes:
        name: name of the file, as given.

    Raises:
        RecordError: another recorder is open there, in this program or another one.
        OSError: the file cannot be opened for writing.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync_seconds: float = 0.0) -> None:
        self.name = os.fspath(path)
        self._path = Path(os.path.realpath(path))
        self._sync_seconds = sync_seconds
        self._synced_at = -sync_seconds  # monotonic clock at the last sync
        self._waiting = False  # whether a line is not synced to disk yet
        self._tail: _Tail | None = None  # None: unknown, to be read
        self._ids: set[str] = set()  # all that may be ids of games in the file
        self._held: list[LockedFile] = []  # files kept open for their locks
        self._closed = False
        self._lock_of_threads, self._owner = threading.RLock(), os.getpid()
        while self._path.exists() and not self._held:
            file = LockedFile(self._path, "r+")
            self._held.append(file)
            self._lock(file)
            if not os.path.samestat(os.fstat(file.fileno()), os.stat(self._path)):
                self._held.pop().close()  # replaced between opening and locking

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Sync to disk and release the lock; nothing can be read or written any more.

        A forked process only lets go of the file.

        Raises:
            OSError: the sync failed.
        """
        if os.getpid() != self._owner:
            self._let_go()
            return
        with self._alone():
            self._closed = True
            try:
                self.sync()
            finally:
                self._let_go()

    def _let_go(self) -> None:
        for file in self._held:
            file.close()
        self._held.clear()

    def _alone(self) -> threading.RLock:
        """Return the lock that keeps other threads out; in a fork it might be held for ever.

        Raises:
            RecordError: this was opened before this process was forked.
        """
        if os.getpid() != self._owner:
            raise RecordError(f"{self.name}: the recorder is that of another process, from which"
                              " this one was forked; expected one opened here")
        return self._lock_of_threads

    def _check_open(self) -> None:
        if self._closed:
            raise RecordError(f"{self.name}: the recorder is closed, expected an open one")

    def sync(self) -> None:
        """Sync written lines to disk; call it before a long time without writes.

        Raises:
            OSError: the sync failed; the error names the file.
        """
        with self._alone(), named(self.name):
            if self._waiting:
                for file in self._held:
                    self._force(file)

    def sync_if_due(self) -> None:
        """Sync written lines to disk if the last sync was long enough ago; call it while waiting.

        Raises:
            OSError: the sync failed.
        """
        if time.monotonic() - self._synced_at >= self._sync_seconds:
            self.sync()

    def is_at(self, path: str | os.PathLike[str]) -> bool:
        """Tell whether `path` is this file."""
        return Path(os.path.realpath(path)) == self._path

    def read(self, on_game: Callable[[int], None] | None = None) -> list[GameRecord]:
        """Return the records so far, the latest line of each game, in the order of these lines.

        Args:
            on_game: called after each record with the number of games so far.

        Raises:
            RecordError: a line is not a record, or two games have one id; or this is closed, or
                of another process.
        """
        with self._alone():
            self._check_open()
            if not self._held:
                return []
            records, self._tail = _read(self._path, self.name, self._ids,
                                        on_game or (lambda games: None))
            return records

    def write(self, record: GameRecord, earlier: GameRecord | None = None) -> None:
        """Append a record, or replace the last line if that is the same game.

        Two records are the same game if id, seed and start are the same, and besides: if the one
        in the file is finished, all moves; if it is unfinished, the agents, and one list of moves
        begins with the other. The new record then replaces it with all that it says, such as a
        comment. An unfinished game further up may continue at the end of the file
        (`read_records`). Other games with the same id are refused.

        Whenever this is interrupted, the file holds either the old or the new line. On return the
        line has been handed to the operating system; it is synced to disk after `sync_seconds`.

        Args:
            record: record of a game.
            earlier: a record of the game on the last line, in any state: this one replaces it
                whatever it says, as where moves were taken back.

        Raises:
            RecordError: the file holds something other than records; or this game (id, seed, start,
                agents), or an unfinished one of this id, that does not continue so; or it was made
                or replaced by another program meanwhile; or this is not a record that could be read
                again; or this recorder is closed, or of another process, or a signal handler calls
                it during another write.
            OSError: the file cannot be written and is unchanged; the error names it.
        """
        with self._alone(), named(self.name):
            self._check_open()
            if self._is_writing():  # the lock lets in a signal handler of the thread that holds it
                raise RecordError(f"{self.name}: the recorder is writing another record")
            self._write(record, earlier)

    def _is_writing(self) -> bool:
        """Tell whether this thread is within a write already: frames know, whatever interrupts."""
        frame = sys._getframe(1).f_back
        while frame is not None:
            if frame.f_code is Recorder._write.__code__ and frame.f_locals["self"] is self:
                return True
            frame = frame.f_back
        return False

    def _write(self, record: GameRecord, earlier: GameRecord | None) -> None:
        line = self._line_of(record)
        if not self._held:
            with held() as interrupt:  # a new file that nobody holds could not be made again
                try:
                    new = LockedFile(self._path, "x")
                except FileExistsError:
                    raise self._there() from None
                self._held.append(new)
                self._lock(new)
            sync_folder(self._path.parent)
            interrupt.pass_on()
        file = self._present()
        tail = self._known_tail(file)
        replacing = tail.last is not None and (
            _goes_on(record, tail.last) if earlier is None else _is_state(earlier, tail.last))
        if not replacing:
            self._check_earlier(record)
        self._tail = None  # until the end of the file is known
        if replacing:
            end = self._replace(tail.start, line)
            start = tail.start
        else:
            start = tail.end if tail.ended else tail.end + 1
            end = self._append(file, tail.end, line if tail.ended else b"\n" + line)
        self._ids.update(_ids_in(line))
        self._tail = _Tail(end, end, True, start, record)

    def _check_earlier(self, record: GameRecord) -> None:
        """Refuse a record with the id of a game that it would replace here or when it is read.

        A whole game of other seats or draws is another one, as of another match, with the same id.
        """
        if record.id not in self._ids:
            return
        games, others = Games(), []
        for entry in read_entries(self._path):
            there = entry.record
            if there is None or entry.game != record.id:
                continue
            if there.reason == UNFINISHED and _players(there) != _players(record):
                others.append(entry.place)
            elif there.reason == UNFINISHED or _deal(there) == _deal(record):
                games.add(there, entry.place)
        found = games.add(record, (self.name, 0, 0))
        if found.place is not None and found.contradicts:
            others.append(found.place)
        if others:
            raise RecordError(f"{self.name}, {within(others[0])}: holds a game {shown(record.id)}"
                              " already; only the last line can be replaced, by a record that goes"
                              " on with its moves; another game needs an id of its own")

    def _line_of(self, record: GameRecord) -> bytes:
        """Return the line of a record; one that would be refused when read is refused here."""
        if not isinstance(record, GameRecord):
            raise RecordError(f"{self.name}: found {shown(record)}, expected a GameRecord")
        try:
            line = json.dumps(record.to_json(), separators=(",", ":")) + "\n"
            if len(line) > MAX_LINE_BYTES:  # JSON is of ASCII here
                raise ValueError(f"it is longer than {MAX_LINE_BYTES} bytes")
            GameRecord.from_json(strict_json(line))
        except (TypeError, ValueError, RecursionError) as error:
            raise RecordError(f"{self.name}: record {shown(record.id)} cannot be written:"
                              f" {str(error).splitlines()[0]}") from error
        return line.encode()

    def _lock(self, file: LockedFile) -> None:
        if not file.lock():
            self._held.remove(file)
            file.close()
            raise self._taken()

    def _there(self) -> RecordError:
        """Return the error for a file that another program has made meanwhile."""
        with LockedFile(self._path, "r+") as file:
            if not file.lock():
                return self._taken()
        return _BusyError(f"{self.name}: was made by another program meanwhile")

    def _taken(self) -> RecordError:
        return _BusyError(f"{self.name}: this or another program is recording a game there")

    def _present(self) -> LockedFile:
        """Return the open file with that name; after an interrupt another may be open too."""
        there = os.stat(self._path)
        for file in reversed(self._held):
            if os.path.samestat(os.fstat(file.fileno()), there):
                return file
        raise RecordError(f"{self.name}: was replaced by another file while it was in use")

    def _known_tail(self, file: LockedFile) -> _Tail:
        """Return the end of the file, read again if another program ignored the lock."""
        if self._tail is None or self._tail.size != os.fstat(file.fileno()).st_size:
            return _read_tail(self._path, self.name, self._ids)
        return self._tail

    def _append(self, file: LockedFile, end: int, line: bytes) -> int:
        """Write at `end`, in place of any torn line; return the new end of the file."""
        file.write_at(end, line)
        try:
            self._waiting = True
            self.sync_if_due()
        except BaseException:
            file.truncate(end)
            raise
        return end + len(line)

    def _force(self, file: LockedFile) -> None:
        sync(file.fileno())
        self._waiting = False
        self._synced_at = time.monotonic()

    def _replace(self, start: int, line: bytes) -> int:
        """Replace everything from `start` on with `line`, by way of a second file.

        An interrupt may come between any two steps, so nothing is removed before its replacement
        is in place. Returns the new end of the file.
        """
        partial = beside(self._path, ".tmp")  # ours: the lock keeps others out
        try:
            new = LockedFile(partial, "w+")
            self._held.append(new)
            self._lock(new)
            with open(self._path, "rb") as old:
                if HAS_FLOCK:
                    with suppress(OSError):  # a file system of fixed owners refuses
                        os.fchmod(new.fileno(), stat.S_IMODE(os.fstat(old.fileno()).st_mode))
                left = start
                while left and (part := old.read(min(1 << 20, left))):
                    new.write_all(part)
                    left -= len(part)
            if left:
                raise OSError(errno.EIO, "the file became shorter meanwhile")
            new.write_all(line)
            self._force(new)
            if HAS_FLOCK:
                os.replace(partial, self._path)
            else:
                self._replace_closed(partial)
        except BaseException:
            if not HAS_FLOCK:  # an open file cannot be removed there
                while len(self._held) > 1:
                    self._held.pop().close()
            partial.unlink(missing_ok=True)
            raise
        while len(self._held) > 1:
            self._held.pop(0).close()
        sync_folder(self._path.parent)
        return start + len(line)

    def _replace_closed(self, partial: Path) -> None:
        """Put a file in place of ours where open files cannot be replaced, holding our lock."""
        lock, *others = self._held
        try:
            for file in others:
                file.close()
            lock.close(release=False)
            put_in_place(partial, self._path)
        finally:
            present = LockedFile(self._path, "r+")
            present.take_lock(lock)
            self._held = [present]


def _read(path: Path, name: str, ids: set[str], on_game: Callable[[int], None]
          ) -> tuple[list[GameRecord], _Tail]:
    """Read all records and the end of a file, which messages call `name`; add to the ids."""
    tail = _Tail(os.stat(path).st_size)
    records: dict[str, GameRecord] = {}
    games = Games()
    for line in record_lines(path):
        if line.torn:
            break
        if not line.blank:
            record = parse_line(line, name)
            relation = games.add(record, (name, line.number, 0))
            if relation.contradicts:
                raise RecordError(f"{name}, line {line.number}: {relation.told(record, name)};"
                                  " games are added only to files with each id once")
            ids.update(_ids_in(line.raw))
            records.pop(record.id, None)  # it stands here now
            records[record.id] = record
            on_game(len(records))
            tail = replace(tail, start=line.start, last=record)
        tail = replace(tail, end=line.end, ended=line.ended)
    return list(records.values()), tail


def _read_tail(path: Path, name: str, ids: set[str]) -> _Tail:
    """Read the end of a file, which messages call `name`, parsing only its last record.

    Whatever may be the id of a game is added to the ids.
    """
    tail = _Tail(os.stat(path).st_size)
    last: RecordLine | None = None
    for line in record_lines(path):
        if line.torn:
            break
        if len(line.raw) > MAX_LINE_BYTES:
            parse_line(line, name)  # raises
        last = last if line.blank else line
        ids.update(_ids_in(line.raw))
        tail = replace(tail, end=line.end, ended=line.ended)
    if last is None:
        return tail
    return replace(tail, start=last.start, last=parse_line(last, name))


def _deal(record: GameRecord) -> tuple[object, ...]:
    """Return what all records of one game share, whatever was played or noted."""
    return record.seed, record.start, record.agents


def _is_state(record: GameRecord, last: GameRecord) -> bool:
    """Tell whether the last line of a file holds the game of a record in any state."""
    return (record.id, record.seed, record.start) == (last.id, last.seed, last.start) and (
        last.reason == UNFINISHED or record.moves == last.moves)


def _goes_on(record: GameRecord, last: GameRecord) -> bool:
    """Tell whether a record replaces the last line of a file: one goes on where the other stands.

    A record with fewer moves is of a game in which some were taken back. Games of one seed that
    are played by others, or otherwise, may have the same id.
    """
    both = min(len(record.moves), len(last.moves))
    return _is_state(record, last) and record.moves[:both] == last.moves[:both] and (
        last.reason != UNFINISHED or _players(record) == _players(last))


def _players(record: GameRecord) -> list[tuple[object, object]]:
    """Return who plays; versions of agents may become known during a game."""
    return [(agent.get("spec"), agent.get("name")) for agent in record.agents]
