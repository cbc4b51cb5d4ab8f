"""Open files that grow for writing, so that faults show before anything is played."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.files import NO_STDOUT, descriptor_of, problem_lines, refuse_log
from pavilion_ai.errors import file_fault

if TYPE_CHECKING:
    from pavilion_ai.files import GrowingFile
    from pavilion_ai.record import GameRecord, Recorder

F = TypeVar("F", bound="GrowingFile")
_OUTPUT = "is where the output of the command goes"


@contextmanager
def recording(
    path: str, *, create: bool = False, sync_seconds: float = 0.0, instead: str = ""
) -> Iterator[Recorder]:
    """Open a file of records and hold its lock.

    Args:
        create: make an empty file if there is none, so that it can be locked.
        sync_seconds: as in `Recorder`.
        instead: told of a file that is there, but in a folder that cannot be written to.

    Raises:
        CommandError: the file cannot be read or written, or the start of a game in it has problems
            (one line for each).
        RecordError: another program is writing to the file, or something else in it is wrong.
    """
    from pavilion_ai.errors import PositionError, RecordError
    from pavilion_ai.files import sync_folder
    from pavilion_ai.record import Recorder

    target = Path(path)
    if not path.strip():
        raise CommandError("the name of the file to record in is empty")
    if path == "-":
        raise CommandError(f"-: {NO_STDOUT}")
    try:
        folder = Path(os.path.realpath(path)).parent
        if target.exists() and not target.is_file() and not target.is_dir():
            raise CommandError(f"{path}: is not a regular file, expected a file of game records")
        if descriptor_of(path) is not None:
            raise CommandError(f"{path}: {_OUTPUT}, expected a file of game records")
        if not target.is_dir() and not os.access(folder, os.W_OK):
            raise CommandError(f"{path}: its folder cannot be written to{instead}"
                               if target.exists() else f"{path}: cannot be created there")
        refuse_log(path)
        if create:
            target.touch()
            sync_folder(folder)  # the file may be new
        recorder = Recorder(path, sync_seconds=sync_seconds)
    except ValueError as error:
        if "\0" in path:
            raise CommandError(file_fault(path, error)) from None
        raise error
    except OSError as error:
        raise CommandError(file_fault(path, error)) from None
    with recorder:
        try:
            yield recorder
        except RecordError as error:
            if not isinstance(start := error.__cause__, PositionError):
                raise
            raise CommandError(problem_lines(error.problems[0].where, start.problems)) from None


def games_of_play(recorder: Recorder) -> list[GameRecord]:
    """Return the games of a file to which single games are added, as by `play`.

    Raises:
        CommandError: they belong to a match or tournament, which could no longer be resumed.
    """
    from pavilion_ai.match.results import MATCH_KEY

    games = recorder.read()
    if any(MATCH_KEY in game.extra for game in games):
        raise CommandError(f"{recorder.name}: holds the games of a match or tournament, which"
                           " another game would spoil; choose another file")
    return games


def free_id(seed: int, games: Collection[GameRecord]) -> str:
    """Return an id for a game of `play` that none of these games has."""
    taken = {game.id for game in games}
    numbers = itertools.count(len(games) + 1)
    return next(name for n in numbers if (name := f"play-{seed}-{n}") not in taken)


def appending_to(out: str, opened: Callable[[str], F]) -> F:
    """Open the file that `--out` names, to which a command appends.

    Raises:
        CommandError: it is not a regular file, or cannot be opened for writing.
        RecordError: it holds something else, or another program is writing to it.
    """
    if not out.strip() or "\0" in out:
        raise CommandError("--out: expected the name of a file")
    if out == "-":
        raise CommandError(f"--out -: {NO_STDOUT}")
    if os.path.exists(out) and not os.path.isfile(out):
        raise CommandError(f"--out {out}: is not a regular file")
    if descriptor_of(out) is not None:
        raise CommandError(f"--out {out}: {_OUTPUT}")
    try:
        return opened(out)
    except OSError as error:
        raise CommandError(f"--out {file_fault(out, error)}") from None
