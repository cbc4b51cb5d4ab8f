"""Game records: one JSON object per line and game (CONTRACT.md section 4).

A record holds the starting position and every move, chance included, so it replays without the
engine that played it. A file of records grows at its end only, one flushed line a game. A game
that was broken off is a line like any other, with the reason `unfinished`; when it goes on, its
line at the end of the file is replaced, so that the file keeps one line per game. A torn last
line (the machine went down while writing) is ignored on reading and overwritten on writing.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from pavilion_ai.errors import PavilionError, RecordError, shown
from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.notation.json_form import strict_json
from pavilion_ai.position import Position

FINISHED = "finished"
UNFINISHED = "unfinished"
MAX_LINE_BYTES = 4 << 20  # far above the longest game; keeps a wrong file from filling the memory


@dataclass(frozen=True)
class GameRecord:
    """One game.

    Attributes:
        id: name of the game, unique in its file.
        seed: where the draws and the agents' seeds came from.
        agents: by seat, `{"spec", "version"}`.
        start: position at the beginning.
        moves: every move from there on, chance moves included.
        scores: by seat, at the end of the moves.
        winners: seats that share the victory, ascending; empty while unfinished.
        breakdown: by seat, parts that add up to the score; empty while unfinished.
        seconds: by seat, thinking time.
        reason: `finished`, `unfinished`, or why the game ended otherwise.
        engine: name and version of the program that wrote the record.
        extra: keys this version does not know, kept as they are.
    """

    id: str
    seed: int
    agents: tuple[Mapping[str, str], ...]
    start: Position
    moves: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    breakdown: tuple[Mapping[str, int], ...]
    seconds: tuple[float, ...]
    reason: str
    engine: Mapping[str, str]
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> str:
        """Name of the game that was played."""
        return self.start.game

    def to_json(self) -> dict[str, object]:
        """Return the record as a JSON object, keys in the order of the contract."""
        return {
            "id": self.id,
            "game": self.start.game,
            "board": self.start.board,
            "seed": self.seed,
            "agents": [dict(agent) for agent in self.agents],
            "start": to_json(self.start),
            "moves": list(self.moves),
            "scores": list(self.scores),
            "winners": list(self.winners),
            "breakdown": [dict(parts) for parts in self.breakdown],
            "seconds": list(self.seconds),
            "reason": self.reason,
            "engine": dict(self.engine),
            **self.extra,
        }

    @classmethod
    def from_json(cls, data: object) -> GameRecord:
        """Read a record.

        Raises:
            RecordError: a key is missing or has a value of the wrong type.
            PositionError: the starting position is refused.
        """
        if not isinstance(data, Mapping):
            raise RecordError(f"expected a record object, found {shown(data)}")
        missing = [key for key in _KEYS if key not in data]
        if missing:
            raise RecordError(f"record without {', '.join(map(repr, missing))}")
        for key, (kind, items, words) in _KEYS.items():
            value = data[key]
            entries = value if isinstance(value, list) else ()
            if not _is(value, kind) or not all(_is(entry, items) for entry in entries):
                raise RecordError(f"{key}: expected {words}, found {shown(value)}")
        start = parse_position(data["start"]).position
        _check_contents(data, start)
        return cls(
            id=data["id"],
            seed=data["seed"],
            agents=tuple(data["agents"]),
            start=start,
            moves=tuple(data["moves"]),
            scores=tuple(data["scores"]),
            winners=tuple(data["winners"]),
            breakdown=tuple(data["breakdown"]),
            seconds=tuple(data["seconds"]),
            reason=data["reason"],
            engine=data["engine"],
            extra={key: data[key] for key in data if key not in _KEYS},
        )

    def positions(self) -> Iterator[Position]:
        """Replay: yield the start and the position after every move.

        Raises:
            RecordError: a move is not legal where it stands; the message names its number.
        """
        game = GAMES[self.start.game]
        position = self.start
        yield position
        for number, move in enumerate(self.moves, 1):
            try:
                position = game.apply(position, move)
            except PavilionError as error:
                raise RecordError(f"record {self.id!r}, move {number}: {error}") from error
            yield position

    def replay(self) -> list[Position]:
        """Return all positions of the game and check that it ends as the record says.

        Raises:
            RecordError: a move is illegal, or scores or winners are not those of the replay.
        """
        positions = list(self.positions())
        end = positions[-1]
        scores = tuple(seat.score for seat in end.seats)
        if self.scores != scores:
            raise RecordError(
                f"record {self.id!r}: the replay ends {list(scores)}, scores say"
                f" {list(self.scores)}"
            )
        if self.reason == FINISHED:
            if end.phase != "over":
                raise RecordError(f"record {self.id!r}: 'finished', but the game is not over")
            winners = tuple(GAMES[self.game].winners(end))
            if self.winners != winners:
                raise RecordError(
                    f"record {self.id!r}: the replay is won by {list(winners)}, winners say"
                    f" {list(self.winners)}"
                )
            parts = tuple(GAMES[self.game].breakdown(end))
            if self.breakdown != parts:
                raise RecordError(
                    f"record {self.id!r}: the breakdown is not that of the replay, {list(parts)}"
                )
        return positions


_ANY: tuple[type, ...] = (object,)
_KEYS: Mapping[str, tuple[tuple[type, ...], tuple[type, ...], str]] = {
    "id": ((str,), _ANY, "a string"),
    "game": ((str,), _ANY, "a string"),
    "board": ((str,), _ANY, "a string"),
    "seed": ((int,), _ANY, "a whole number"),
    "agents": ((list,), (dict,), "a list of objects"),
    "start": ((dict,), _ANY, "a position"),
    "moves": ((list,), (str,), "a list of strings"),
    "scores": ((list,), (int,), "a list of whole numbers"),
    "winners": ((list,), (int,), "a list of seats"),
    "breakdown": ((list,), (dict,), "a list of objects"),
    "seconds": ((list,), (int, float), "a list of numbers"),
    "reason": ((str,), _ANY, "a string"),
    "engine": ((dict,), _ANY, "an object"),
}


def _is(value: object, kinds: tuple[type, ...]) -> bool:
    """Tell whether a JSON value has one of the types; a boolean is no number."""
    return isinstance(value, kinds) and (kinds == _ANY or not isinstance(value, bool))


def _check_contents(data: Mapping[str, Any], start: Position) -> None:
    """Check what the keys of a record say together; each has the right type by itself.

    Raises:
        RecordError: with the first fault.
    """
    for key, value in (("game", start.game), ("board", start.board)):
        if data[key] != value:
            raise RecordError(f"{key}: expected {shown(value)} as in start, found"
                              f" {shown(data[key])}")
    for key in ("agents", "scores", "seconds"):
        if len(data[key]) != start.players:
            raise RecordError(f"{key}: expected one for each of {start.players} seats, found"
                              f" {len(data[key])}")
    if len(data["breakdown"]) not in (0, start.players):
        raise RecordError(f"breakdown: expected one for each of {start.players} seats or none,"
                          f" found {len(data['breakdown'])}")
    seats = range(start.players)
    if any(seat not in seats for seat in data["winners"]):
        raise RecordError(f"winners: expected seats from 0 to {seats[-1]}, found"
                          f" {data['winners']}")
    for agent in data["agents"]:
        if not all(isinstance(value, str) for value in agent.values()):
            raise RecordError(f"agents: expected strings, found {shown(dict(agent))}")
    for parts in data["breakdown"]:
        if not all(type(points) is int for points in parts.values()):
            raise RecordError("breakdown: expected whole numbers")
    if not all(0 <= value < float("inf") for value in data["seconds"]):
        raise RecordError("seconds: expected numbers from 0")


@dataclass(frozen=True)
class _Lines:
    """The complete lines of a file, where the last one begins, and where they end."""

    lines: tuple[bytes, ...]
    last_start: int
    end: int
    newline: bool  # whether the last complete line ends in a line feed


def read_records(path: str | os.PathLike[str]) -> list[GameRecord]:
    """Read a file of records; the latest line of a game counts, a torn last line is ignored.

    Raises:
        RecordError: a line is not a record; the message gives file and line.
        OSError: the file cannot be read.
    """
    content = _read_lines(Path(path))
    records: dict[str, GameRecord] = {}
    for number, raw in enumerate(content.lines, 1):
        if raw.strip():
            record = _parse(raw, f"{os.fspath(path)}, line {number}")
            records[record.id] = record
    return list(records.values())


def write_record(path: str | os.PathLike[str], record: GameRecord) -> None:
    """Append a record, or replace the last line if that is an earlier state of the same game.

    Raises:
        RecordError: the file holds something else than records, or is in use.
        OSError: the file cannot be written.
    """
    with Recorder(path) as recorder:
        recorder.write(record)


class Recorder:
    """A file of records that nobody else writes while it is open.

    A file that is not there yet is made by the first record that is written.

    Raises:
        RecordError: another program writes there.
        OSError: the file cannot be opened for writing.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._name = os.fspath(path)
        self._path = Path(os.path.realpath(path))
        self._held: list[BinaryIO] = []  # files kept open for their locks, the present one last
        while self._path.exists() and not self._held:
            file = open(self._path, "r+b", buffering=0)  # noqa: SIM115 - open as long as this
            self._held.append(file)
            self._lock(file)
            if not os.path.samestat(os.fstat(file.fileno()), os.stat(self._path)):
                self.close()  # replaced between opening and locking

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write."""
        for file in self._held:
            file.close()
        self._held.clear()

    def is_at(self, path: str | os.PathLike[str]) -> bool:
        """Tell whether `path` is this file."""
        return Path(os.path.realpath(path)) == self._path

    def read(self) -> list[GameRecord]:
        """Return the records so far; as `read_records`."""
        return read_records(self._name) if self._held else []

    def write(self, record: GameRecord) -> None:
        """Append a record, or replace the last line if that is an earlier state of the same game.

        However this is interrupted, the file holds the line as it was or as it is to be. The line
        is on the disk when the method returns.

        Raises:
            RecordError: the file holds something else than records.
            OSError: the file cannot be written; it is as it was.
        """
        line = json.dumps(record.to_json(), separators=(",", ":")).encode() + b"\n"
        if not self._held:
            file = open(self._path, "xb", buffering=0)  # noqa: SIM115 - open as long as this
            self._held.append(file)
            self._lock(file)
        content = _read_lines(Path(self._name))
        if content.lines:
            last = _parse(content.lines[-1], f"{self._name}, line {len(content.lines)}")
            if last.id == record.id and last.reason == UNFINISHED:
                self._replace(content.last_start, line)
                return
            if not content.newline:
                line = b"\n" + line
        self._append(content.end, line)

    def _lock(self, file: BinaryIO) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise RecordError(f"{self._name}: another program is recording a game there") from None
        except OSError:
            pass  # a file system without locks: then without

    def _append(self, end: int, line: bytes) -> None:
        """Write at the end, over what a torn write left there."""
        with open(self._path, "r+b", buffering=0) as file:
            try:
                file.seek(end)
                _write_all(file, line)
                file.truncate(end + len(line))
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(end)
                raise

    def _replace(self, start: int, line: bytes) -> None:
        """Put `line` in the place of all from `start` on, by way of a second file.

        An interrupt may come between any two steps, so nothing is let go before its successor
        is in place.
        """
        partial = self._path.with_name(f".{self._path.name}.tmp")  # ours: the lock keeps others out
        try:
            new = open(partial, "w+b", buffering=0)  # noqa: SIM115 - open as long as the lock
            self._held.append(new)
            self._lock(new)
            with open(self._path, "rb") as old:
                os.fchmod(new.fileno(), stat.S_IMODE(os.fstat(old.fileno()).st_mode))
                left = start
                while left and (part := old.read(min(1 << 20, left))):
                    _write_all(new, part)
                    left -= len(part)
            if left:
                raise OSError(errno.EIO, "the file became shorter meanwhile", self._name)
            _write_all(new, line)
            os.fsync(new.fileno())
            os.replace(partial, self._path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        while len(self._held) > 1:
            self._held.pop(0).close()


def _write_all(file: BinaryIO, content: bytes) -> None:
    """Write to an unbuffered file; a full disk is an error even where it took a part."""
    while content:
        content = content[file.write(content) :]


def _read_lines(path: Path) -> _Lines:
    """Split a file into lines without what a torn write left at its end."""
    lines: list[bytes] = []
    last_start = end = 0
    newline = True
    with open(path, "rb") as file:
        while raw := file.readline(MAX_LINE_BYTES + 1):
            if len(raw) > MAX_LINE_BYTES:
                raise RecordError(
                    f"{path}, line {len(lines) + 1}: longer than {MAX_LINE_BYTES} bytes,"
                    " not a game record"
                )
            if not raw.endswith(b"\n") and raw.lstrip().startswith(b"{") and not _whole(raw):
                break
            if raw.strip():
                last_start = end
            lines.append(raw)
            end += len(raw)
            newline = raw.endswith(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return _Lines(tuple(lines), last_start, end, newline)


def _whole(raw: bytes) -> bool:
    try:
        strict_json(raw.decode())
    except (ValueError, RecursionError):
        return False
    return True


def _parse(raw: bytes, where: str) -> GameRecord:
    try:
        data = strict_json(raw.decode())
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{where}: not a game record (no JSON object)") from error
    try:
        return GameRecord.from_json(data)
    except PavilionError as error:
        raise RecordError(f"{where}: {str(error).splitlines()[0]}") from error


def make_record(
    *,
    id: str,
    seed: int,
    agents: Sequence[Mapping[str, str]],
    start: Position,
    moves: Sequence[str],
    end: Position,
    seconds: Sequence[float],
    engine: Mapping[str, str],
    reason: str | None = None,
) -> GameRecord:
    """Build the record of a game that stands at `end`; scores and winners come from there.

    `reason` defaults to `finished` when the game is over, else `unfinished`.
    """
    game = GAMES[start.game]
    over = end.phase == "over"
    return GameRecord(
        id=id,
        seed=seed,
        agents=tuple(agents),
        start=start,
        moves=tuple(moves),
        scores=tuple(seat.score for seat in end.seats),
        winners=tuple(game.winners(end)) if over else (),
        breakdown=tuple(game.breakdown(end)) if over else (),
        seconds=tuple(round(value, 3) for value in seconds),
        reason=reason or (FINISHED if over else UNFINISHED),
        engine=engine,
    )
