"""A file of puzzles that grows, one per line, so that finding them can be interrupted."""

from __future__ import annotations

from pavilion_ai.errors import PositionError, RecordError
from pavilion_ai.files import GrowingFile
from pavilion_ai.puzzles.find import Source
from pavilion_ai.puzzles.puzzle import Puzzle, line_of, read_puzzles
from pavilion_ai.version import EARLIER, __version__


class PuzzleFile(GrowingFile):
    """A file of puzzles of one series.

    Args:
        path: the file; it is made if there is none.
        source: the series.

    Attributes:
        puzzles: all puzzles of the file.
        versions: versions of this package other than the present one that found some of them.

    Raises:
        RecordError: the file holds something else, or puzzles of another series, or another program
            is writing to it.
        OSError: the file cannot be opened for writing.
    """

    holds = "puzzles"

    def __init__(self, path: str, source: Source) -> None:
        self.puzzles: list[Puzzle] = []
        self.versions: set[str] = set()
        self._source = source
        super().__init__(path)

    @property
    def next_game(self) -> int:
        """Number of the first game of the series that was not searched yet."""
        return self.puzzles[-1].game + 1 if self.puzzles else 0

    def add(self, puzzle: Puzzle) -> None:
        """Append a puzzle.

        Raises:
            OSError: the file cannot be written.
        """
        self._append(line_of(puzzle))
        self.puzzles.append(puzzle)

    def _read(self) -> int:
        """Read the puzzles; return the place after the last one."""
        end = 0
        with open(self.name, "rb") as file:
            for line, puzzle in read_puzzles(file, self.name):
                if not line.ended:
                    break  # whole, but perhaps not as it was meant: to be written again
                self._check(line.number, puzzle)
                self.puzzles.append(puzzle)
                self.versions |= {puzzle.version or EARLIER} - {__version__}
                end = line.end
        return end

    def _check(self, number: int, puzzle: Puzzle) -> None:
        """Refuse a puzzle of another series.

        Raises:
            RecordError: it is of another one, or its position is damaged.
        """
        try:
            start, source = puzzle.start(), self._source
        except PositionError as error:
            raise RecordError(f"{self.name}, line {number}: {error.in_one_line}") from None
        found = (*start.variant, puzzle.seed, puzzle.sims)
        wanted = (source.game, source.board, source.players, source.seed, source.sims)
        for name, one, other in zip(
                ("game", "board", "players", "seed", "sims"), found, wanted, strict=True):
            if one != other:
                raise RecordError(f"{self.name}, line {number}: {name} {one}, expected {other};"
                                  " choose another --out")
        if self.puzzles and puzzle.game <= self.puzzles[-1].game:
            raise RecordError(f"{self.name}, line {number}: game {puzzle.game} after game"
                              f" {self.puzzles[-1].game}, expected ascending numbers")
