"""A file of puzzles that grows, one per line, so that finding them can be interrupted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pavilion_ai.errors import RecordError
from pavilion_ai.files import LockedFile
from pavilion_ai.puzzles.find import Source
from pavilion_ai.puzzles.puzzle import Puzzle, line_of, read_puzzles

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PuzzleFile"]


class PuzzleFile:
    """A file of puzzles of one series, locked against other writers while it is open.

    A torn last line, which a killed process leaves, is overwritten.

    Args:
        path: the file; it is made if there is none.
        source: the series.

    Attributes:
        puzzles: all puzzles of the file.

    Raises:
        RecordError: the file holds something else, or puzzles of another series, or another program
            is writing to it.
        OSError: the file cannot be opened for writing.
    """

    def __init__(self, path: str, source: Source) -> None:
        self.name = path
        self.puzzles: list[Puzzle] = []
        self._source = source
        self._file = LockedFile(path, "r+", create=True)
        try:
            self._lock()
            self._end = self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Sync to disk and release the lock."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()

    @property
    def next_game(self) -> int:
        """Number of the first game of the series that was not searched yet."""
        return self.puzzles[-1].game + 1 if self.puzzles else 0

    def add(self, puzzle: Puzzle) -> None:
        """Append a puzzle.

        Raises:
            OSError: the file cannot be written.
        """
        line = left = line_of(puzzle)
        self._file.seek(self._end)
        while left:
            left = left[self._file.write(left):]
        self._end += len(line)
        self._file.truncate(self._end)
        self.puzzles.append(puzzle)

    def _lock(self) -> None:
        if not self._file.lock():
            raise RecordError(f"{self.name}: another program is writing puzzles there")

    def _read(self) -> int:
        """Read the puzzles; return the place after the last one."""
        end = 0
        with open(self.name, "rb") as file:
            for line, puzzle in read_puzzles(file, self.name):
                if not line.ended:
                    break  # whole, but perhaps not as it was meant: to be written again
                self._check(line.number, puzzle)
                self.puzzles.append(puzzle)
                end = line.end
        return end

    def _check(self, number: int, puzzle: Puzzle) -> None:
        """Refuse a puzzle of another series.

        Raises:
            RecordError: it is of another one.
        """
        start, source = puzzle.start(), self._source
        found = (start.game, start.board, start.players, puzzle.seed, puzzle.sims)
        wanted = (source.game, source.board, source.players, source.seed, source.sims)
        for name, one, other in zip(
                ("game", "board", "players", "seed", "sims"), found, wanted, strict=True):
            if one != other:
                raise RecordError(f"{self.name}, line {number}: {name} {one}, expected {other};"
                                  " choose another --out")
        if self.puzzles and puzzle.game <= self.puzzles[-1].game:
            raise RecordError(f"{self.name}, line {number}: game {puzzle.game} after game"
                              f" {self.puzzles[-1].game}, expected ascending numbers")
