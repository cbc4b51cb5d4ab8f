"""Reading files of game records in any known encoding, game by game.

Every command reads records through this module, so that all commands report the same faults.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import IO, Any

from pavilion_ai.encoded import EncodingFault, utf8
from pavilion_ai.errors import PositionError, Problem, RecordError, first_line, shown
from pavilion_ai.record.game import UNFINISHED, GameRecord
from pavilion_ai.record.lines import LineError, RecordLine, lines_of, objects_on

TORN = "cut short"
MOST_WITHOUT = 300_000
"""Lines in a row without a record after which a file is read no further."""

Place = tuple[str, int, int]
"""File, line, and number of the object on the line."""


@dataclass(frozen=True)
class Entry:
    """One entry of a file of records: a record, or a fault.

    Attributes:
        path: the file.
        line: number of the line, from 1.
        part: number of the object on it, from 1; 0 where there is only one.
        record: the record, None if there is a fault.
        fault: why there is no record, in words, the first reason; empty if there is one.
        problems: all that is wrong with a record that could be decoded.
        game: id of the game, if known.
        torn: whether the writing of the last line was cut short.
        open: whether a value begins here that does not end on its line.
    """

    path: str
    line: int
    part: int = 0
    record: GameRecord | None = None
    fault: str = ""
    problems: tuple[Problem, ...] = ()
    game: str | None = None
    torn: bool = False
    open: bool = False

    @property
    def place(self) -> Place:
        """File, line and part."""
        return self.path, self.line, self.part

    @property
    def where(self) -> str:
        """The place, in words."""
        return f"{self.path}, {within(self.place)}"

    @property
    def told(self) -> str:
        """The fault; of a start position all problems, as far as they fit a line."""
        several = len(self.problems) > 1
        return PositionError(self.problems).in_one_line if several else self.fault

    @property
    def problem(self) -> str:
        """What is told, with its place."""
        return f"{self.where}: {self.told}"

    @property
    def faults(self) -> list[str]:
        """All reasons why there is no record, in words; a start position may give several."""
        return [self.fault, *map(str, self.problems[1:])]


def within(place: Place) -> str:
    """Return a place in its file, in words."""
    _, line, part = place
    return f"line {line}" + (f", object {part}" if part else "")


def read_entries(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """Yield the entries of a file of records, one at a time; blank lines are skipped.

    Raises:
        OSError: the file cannot be read.
    """
    name = os.fspath(path)
    with open(path, "rb") as file:
        yield from entries_in(file, name)


def entries_in(file: io.BufferedIOBase | io.RawIOBase, name: str) -> Iterator[Entry]:
    """Yield the entries of an open file of records, which has a name; then it is closed."""
    number = without = 0
    try:
        with file, utf8(file) as text:
            waiting: Entry | None = None  # start of a value that continues on later lines
            for line in lines_of(text):
                number, without = line.number, without + 1
                if without > MOST_WITHOUT:
                    yield Entry(name, number, fault=f"{MOST_WITHOUT} lines without a game record"
                                                    " stand above; the rest is not read")
                    return
                if waiting is not None:
                    if line.blank or not line.raw.startswith(b"{"):
                        continue
                    yield _spread(waiting, number - 1)
                    waiting = None
                for entry in _on_line(name, line):
                    if entry.record is not None:
                        without = 0
                    if entry.open:
                        waiting = entry
                    else:
                        yield entry
            if waiting is not None:
                yield _spread(waiting, number)
    except EncodingFault as fault:
        yield Entry(name, number + 1, fault=str(fault))


def _spread(entry: Entry, last: int) -> Entry:
    """Return the entry of a value; its fault names the last line if that is a later one."""
    if last == entry.line:
        return entry
    return replace(entry, fault=f"not a game record (it extends to line {last}, expected each"
                                " record on one line)")


def _on_line(path: str, line: RecordLine) -> Iterator[Entry]:
    if line.torn:
        yield Entry(path, line.number, fault=TORN, torn=True)
        return
    found = objects_on(line)
    ahead = _next_on(found)
    part = 0
    while ahead is not None:
        data, ahead = ahead, _next_on(found)
        part += part > 0 or ahead is not None
        if isinstance(data, LineError):
            torn = data.open and part > 0 and not line.ended
            yield Entry(path, line.number, part, fault=TORN if torn else str(data), torn=torn,
                        open=data.open and not torn)
        else:
            yield entry_of(path, line.number, part, data)


def _next_on(found: Iterator[dict[str, Any]]) -> dict[str, Any] | LineError | None:
    """Return the next object of a line, the fault found in its place, or None at the end."""
    try:
        return next(found, None)
    except LineError as error:
        return error


def entry_of(path: str, number: int, part: int, data: dict[str, Any]) -> Entry:
    """Return the entry of a decoded record."""
    try:
        record = GameRecord.from_json(data)
    except (PositionError, RecordError) as error:
        game = data.get("id")
        return Entry(path, number, part, fault=first_line(error), problems=error.problems,
                     game=game if isinstance(game, str) else None)
    return Entry(path, number, part, record, game=record.id)


def nothing_in(path: str, what: str, first: str, count: int) -> str:
    """Say in one line that a file holds nothing of use: the first problem, and how many there are.

    Args:
        what: what the file lacks, in words.
        first: the first problem, with file and line.
    """
    if count == 1:
        return first
    within_file = first.removeprefix(f"{path}, ")
    return f"{path}: {what}; the first of {count:,} problems: {within_file}"


def read_records(path: str | os.PathLike[str]) -> Iterator[GameRecord]:
    """Yield the records of a file, one at a time however long it is.

    The latest line of a game counts, and a torn last line is ignored. Different games with the same
    id, as in files that were joined, are all yielded. A first pass over the file notes the games,
    so that no more than one record is held in memory. The file stays open until the last record;
    what is added to it after the call is not read. A pipe is copied first.

    Raises:
        RecordError: on reaching a line that is not a record; the message gives file and line.
        OSError: immediately, if the file cannot be read.
    """
    records = _read_twice(path)
    next(records)
    return records


def _read_twice(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield None once the games are noted, then the records."""
    name = os.fspath(path)
    games, passed = Games(), set()
    with ExitStack() as files:
        file: IO[bytes] = files.enter_context(open(path, "rb"))
        if not file.seekable():
            from shutil import copyfileobj  # slow, and seldom needed
            from tempfile import TemporaryFile

            pipe, file = file, files.enter_context(TemporaryFile())
            copyfileobj(pipe, file)
        size = file.seek(0, os.SEEK_END)
        for entry in entries_in(_Beginning(file, size), name):
            if entry.record is not None:
                relation = games.add(entry.record, entry.place)
                if relation.same:
                    passed.add(relation.place)
        yield None
        for entry in entries_in(_Beginning(file, size), name):
            if entry.record is not None:
                if entry.place not in passed:
                    yield entry.record
            elif not entry.torn:
                raise RecordError(entry.problem)


class _Beginning(io.RawIOBase):
    """The first bytes of an open file; closing this leaves the file open."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left = file, size
        file.seek(0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._file.read(min(len(buffer), self._left))
        buffer[: len(part)] = part
        self._left -= len(part)
        return len(part)


# ------------------------------------------------------------------------------ which game it is


@dataclass(frozen=True)
class Relation:
    """The relation of a record to earlier ones.

    Attributes:
        place: place of the record that it continues or repeats, else of the first with its id;
            None if the id is new.
        same: whether it continues or repeats that game; False for another game.
        repeats: whether it repeats that record and adds nothing.
    """

    place: Place | None = None
    same: bool = False
    repeats: bool = False

    @property
    def contradicts(self) -> bool:
        """Whether another game has the id."""
        return self.place is not None and not self.same

    def told(self, record: GameRecord, path: str) -> str:
        """Return a contradiction in words."""
        assert self.place is not None  # for a contradiction only
        first, *_ = self.place
        there = within(self.place) if first == path else f"{first}, {within(self.place)}"
        return f"another game {shown(record.id)} than on {there}"


@dataclass(frozen=True)
class _Tip:
    """The latest record of a game."""

    place: Place
    digest: int


class Games:
    """Distinguishes games that share an id, at a cost that does not depend on their number.

    A record continues an unfinished game if it begins with the same seed, position and moves;
    otherwise it is the same game only if its contents are equal, apart from the time taken and the
    program that wrote it.
    """

    def __init__(self) -> None:
        self._first: dict[object, Place] = {}
        # by moves, and by digest unless it is unfinished: games of the same moves may differ
        self._tips: dict[tuple[object, int, int | None], _Tip] = {}

    def add(self, record: GameRecord, place: Place, scope: object = None) -> Relation:
        """Add a record, and return its relation to the earlier ones.

        Args:
            scope: scope within which ids are unique, if that is not the file.
        """
        key = (scope, record.id)
        prefixes = [hash((record.seed, record.start))]
        for move in record.moves:
            prefixes.append(hash((prefixes[-1], move)))
        digest = _digest(record)
        relation = Relation()
        if key in self._first:
            relation = self._relation(key, prefixes, digest)
        if not relation.same:
            self._first.setdefault(key, place)
        end = None if record.reason == UNFINISHED else digest
        self._tips[key, prefixes[-1], end] = _Tip(place, digest)
        return relation

    def _relation(self, key: object, prefixes: list[int], digest: int) -> Relation:
        last = prefixes[-1]
        for prefix, end in ((last, digest), *((prefix, None) for prefix in reversed(prefixes))):
            tip = self._tips.pop((key, prefix, end), None)
            if tip is not None:
                repeats = prefix == last and tip.digest == digest
                return Relation(tip.place, same=True, repeats=repeats)
        return Relation(self._first[key])


def _digest(record: GameRecord) -> int:
    """Return a hash of what a record says of its game apart from the moves."""
    contents = [[dict(agent) for agent in record.agents], record.scores, record.winners,
                [dict(parts) for parts in record.breakdown], record.reason, dict(record.extra)]
    return hash(json.dumps(contents, sort_keys=True))
