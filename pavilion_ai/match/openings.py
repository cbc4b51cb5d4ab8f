"""Read the positions from which the games of an event start, from a file of any form.

A file holds one position on each line, as a code or as JSON; empty lines do not count, nor what
follows a `#` outside JSON. It may also hold positions in text form, each beginning with its line
`game:`. Or it is a file of game records, whose positions after some moves are meant.
"""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from pavilion_ai.bounds import MAX_LINE_BYTES, MAX_OPENINGS
from pavilion_ai.errors import (
    PavilionError,
    PositionError,
    RecordError,
    SpecError,
    in_one_line,
    shown,
)
from pavilion_ai.notation import MAX_CHARACTERS, Parsed, is_record, parse_position
from pavilion_ai.notation.text_block import key_value
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record import Games, entries_in
from pavilion_ai.record.lines import NO_RECORD, OVERLONG
from pavilion_ai.seeds import derived_seed
from pavilion_ai.untrusted import strict_json

MOST_PROBLEMS = 20
"""Lines with a fault that are named; then reading ends."""
_COMMENT = re.compile(r"(^|\s)#.*")


class OpeningsError(PavilionError):
    """Some lines of a file are not positions to start from; `problems` says which, and why."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problems))

    def __reduce__(self) -> tuple[type[OpeningsError], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


OnNote = Callable[[str], None]


def read_openings(file: io.BufferedIOBase, where: str, ply: int | None = None,
                  on_note: OnNote | None = None) -> list[Position]:
    """Return the positions of a file, in its order.

    Args:
        file: the file, as UTF-8.
        where: name of the file, for messages.
        ply: number of moves to replay of game records, chance moves included.
        on_note: called with the remarks on each position, such as the values that were assumed.

    Raises:
        OpeningsError: some lines are not positions with a game to play, or the positions not of one
            game, board and number of players, or there are none.
    """
    found: list[Position] = []
    problems: list[str] = []
    for number, read in (
            _texts(file, where, on_note) if ply is None else _games(file, where, ply)):
        if len(found) == MAX_OPENINGS:
            raise OpeningsError([f"{where}, line {number}: more than {MAX_OPENINGS} positions"])
        try:
            if isinstance(read, PavilionError):
                raise read
            _check(read, found[0] if found else read)
        except PavilionError as error:
            problems.append(f"{where}, {_placed(error, number)}")
            if len(problems) == MOST_PROBLEMS:
                break
            continue
        found.append(read)
    if problems:
        raise OpeningsError(problems)
    if not found:
        raise OpeningsError([f"{where}: no positions, expected one on each line"])
    return found


def openings_of(positions: Iterable[Position | str], players: int) -> tuple[Position, ...]:
    """Return positions to start from, given in any form.

    Raises:
        SpecError: one of them is not a position, or they do not fit each other or the number of
            players.
    """
    found: list[Position] = []
    for number, given in enumerate(positions, 1):
        try:
            position = given if isinstance(given, Position) else parse_position(given).position
            _check(position, found[0] if found else position)
        except PavilionError as error:
            raise SpecError(f"opening {number}: {in_one_line(error)}") from None
        if position.players != players:
            raise SpecError(f"opening {number}: has {position.players} players, expected {players}")
        found.append(position)
    return tuple(found)


def numbered(
    positions: Sequence[Position], order: str, seed: int
) -> tuple[tuple[int, Position], ...]:
    """Return positions with their numbers in the file, from 1, in the order of play.

    Args:
        order: one of `bounds.ORDERS`.
        seed: seed of the event; a random order depends on nothing else.
    """
    found = list(enumerate(positions, 1))
    if order == "random":
        random.Random(derived_seed("openings", seed)).shuffle(found)
    return tuple(found)


_Read = tuple[int, Position | PavilionError]
"""Number of a line, and the position there or why there is none."""


def _games(file: io.BufferedIOBase, where: str, ply: int) -> Iterable[_Read]:
    """Return the positions of game records after some moves; the latest line of a game counts."""
    games, found, faults = Games(), dict[object, _Read](), 0
    for entry in entries_in(file, where):
        if entry.torn:
            continue
        try:
            if entry.record is None:
                faults += 1
                needed = "; --ply needs game records" if entry.fault.startswith(NO_RECORD) else ""
                raise RecordError(entry.told + needed)
            relation = games.add(entry.record, entry.place)
            if relation.same:
                del found[relation.place]
            found[entry.place] = entry.line, Play.of(entry.record, ply).position
        except PavilionError as error:
            found[entry.place] = entry.line, error
        if (faults == MOST_PROBLEMS or len(found) > MAX_OPENINGS
                or entry.fault.startswith(OVERLONG)):  # a line that may have no end
            break
    return found.values()


def _texts(file: io.BufferedIOBase, where: str, on_note: OnNote | None) -> Iterator[_Read]:
    """Yield the positions of a file of positions."""
    for number, text in _pieces(file, where):
        try:
            found = _parsed(text)
        except PavilionError as error:
            yield number, error
            continue
        if on_note is not None and found.notes:
            on_note(f"{where}, line {number}: {'; '.join(found.notes)}")
        yield number, found.position


def _pieces(file: io.BufferedIOBase, where: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of the positions, each with the number of its first line."""
    block: list[str] = []
    began = 0
    size = 0  # characters of the block
    for number, raw in enumerate(iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), 1):
        if len(raw) > MAX_LINE_BYTES:
            raise OpeningsError([f"{where}, line {number}: longer than {MAX_LINE_BYTES} bytes,"
                                 " expected a position or a game record"])
        try:
            line = raw.decode("utf-8-sig").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise OpeningsError([f"{where}, line {number}: byte {error.start} is not UTF-8 text,"
                                 " expected a position"]) from None
        if _begins_text(line):
            if block:
                yield began, "\n".join(block)
            block, began, size = [line], number, 0
        elif block and not line.lstrip().startswith("{"):
            size += len(line) + 1
            if size > MAX_CHARACTERS:
                raise OpeningsError([f"{where}, line {began}: a text of more than {MAX_CHARACTERS}"
                                     " characters, expected a position"])
            block.append(line)
        else:
            if block:
                yield began, "\n".join(block)
                block = []
            text = line if line.lstrip().startswith("{") else _COMMENT.sub("", line)
            if text.strip():
                yield number, text.strip()
    if block:
        yield began, "\n".join(block)


def _begins_text(line: str) -> bool:
    """Tell whether a position in text form begins with a line."""
    found = key_value(line)
    return found is not None and found.key.lower() == "game"


def _parsed(text: str) -> Parsed:
    """Read a line with a position, or the lines of a text form."""
    if _is_record(text):
        raise RecordError("is a game record, expected --ply N, which says after how many moves")
    found = parse_position(text)
    if found.form == "text" and not _begins_text(text.partition("\n")[0]):
        raise RecordError("is a line of the text form, expected a line 'game: ...' above it")
    return found


def _is_record(text: str) -> bool:
    """Tell whether a line is a game record."""
    try:
        return text.startswith("{") and is_record(strict_json(text))
    except ValueError:
        return False  # its fault is told as that of a position


def _check(position: Position, first: Position) -> None:
    """Check that a game can start here, and that it is one like the first one.

    Raises:
        RecordError: it is not.
    """
    if position.phase == "over":
        raise RecordError("the game is over, expected a position with a move to come")
    for what, found, expected in (("game", position.game, first.game),
                                  ("board", position.board, first.board),
                                  ("number of players", position.players, first.players)):
        if found != expected:
            raise RecordError(f"{what}: found {shown(found)}, expected {shown(expected)}, that of"
                              " the first position")


def _placed(error: PavilionError, number: int) -> str:
    """Return an error about a text in one line, with its place in the file.

    Args:
        number: number of the line at which the text begins.
    """
    if isinstance(error, PositionError):
        error = PositionError(
            problem if problem.line is None else replace(problem, line=number + problem.line - 1)
            for problem in error.problems)
        if error.problems[0].line is not None:
            return error.in_one_line
    return f"line {number}: {in_one_line(error)}"
