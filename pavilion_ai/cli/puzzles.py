"""The command `puzzles`: find positions in which one move is clearly best."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

from pavilion_ai.bounds import PUZZLE_SIMS
from pavilion_ai.cli.exits import DONE, INTERRUPTED
from pavilion_ai.cli.options import (
    JOBS,
    SIMS,
    Amount,
    game_options,
    processes,
    seed_option,
    the_variant,
)
from pavilion_ai.cli.program import broken_off
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.recording import appending_to
from pavilion_ai.cli.said import note, say
from pavilion_ai.version import __version__
from pavilion_ai.wording import plural, versions_in_words

if TYPE_CHECKING:
    from pavilion_ai.puzzles import Puzzle, Source
    from pavilion_ai.puzzles.file import PuzzleFile

PUZZLES = Amount(int, 10**6, "count")
DEFAULT_COUNT = 20


@click.command()
@game_options
@click.option("--count", type=PUZZLES, default=DEFAULT_COUNT, show_default=True, metavar="N",
              help="Puzzles to find.")
@click.option("--sims", type=SIMS, default=PUZZLE_SIMS, show_default=True, metavar="N",
              help="Simulations of the search that confirms a puzzle.")
@seed_option("0")
@click.option("--jobs", type=JOBS, metavar="N",
              help="Games at a time; default: one per processor.")
@click.option("--out", metavar="FILE",
              help="Append the puzzles to a file; the same command resumes.")
def puzzles(game: str | None, board: str | None, players: int | None, count: int, sims: int,
            seed: int | None, jobs: int | None, out: str | None) -> int:
    """Find puzzles: positions in which one move is clearly best and weaker levels miss it.

    Levels play games against each other; each game gives at most one puzzle. Every other move loses
    at least 5 percentage points of the chance to win. One JSON object per line: position, level (up
    to which the levels usually miss it), the solution, and the tempting move. The same seed gives
    the same puzzles.
    """
    from pavilion_ai.puzzles import Source

    rules, board, players = the_variant(game, board, players)
    source = Source(rules.name, board, players, seed or 0, sims)
    try:
        with _sink(out, source) as (begun, first, add):
            if begun >= count:
                note(f"{out}: holds {plural(begun, 'puzzle')}; a larger --count finds more")
            elif begun:
                note(f"{out}: resuming after {plural(begun, 'puzzle')}")
            _find(source, count, begun, first, processes(jobs), add)
    except (KeyboardInterrupt, OSError) as error:
        if out is not None:
            return broken_off(error)
        if isinstance(error, OSError):
            raise
        note("interrupted; the puzzles so far are printed, --out would let the command resume")
        return INTERRUPTED
    return DONE


def _find(source: Source, count: int, found: int, first: int, jobs: int,
          add: Callable[[Puzzle], None]) -> None:
    """Find puzzles until there are `count`, `found` of them known already."""
    from pavilion_ai.puzzles import find
    from pavilion_ai.workers.local import LocalWorkers

    if found >= count:
        return
    with (LocalWorkers(jobs) as workers, ProgressLine(elsewhere=True) as progress,
          closing(find(source, workers, first)) as games):
        for number, puzzle in games:
            if puzzle is not None:
                progress.wipe()
                add(puzzle)
                found += 1
            if found >= count:
                return
            progress.show(f"{found} of {plural(count, 'puzzle')}, {plural(number + 1, 'game')}")


@contextmanager
def _sink(
    out: str | None, source: Source
) -> Iterator[tuple[int, int, Callable[[Puzzle], None]]]:
    """Yield the number of known puzzles, the next game, and what writes a puzzle."""
    if out is None:
        yield 0, 0, _print
        return
    with _file(out, source) as file:
        if file.versions:
            note(f"{out}: some puzzles were found by version {versions_in_words(file.versions)},"
                 f" this is {__version__}")
        yield len(file.puzzles), file.next_game, file.add


def _file(out: str, source: Source) -> PuzzleFile:
    """Open the file of `--out`.

    Raises:
        CommandError: it cannot be opened. RecordError: it holds something else.
    """
    from pavilion_ai.puzzles.file import PuzzleFile

    return appending_to(out, lambda path: PuzzleFile(path, source))


def _print(puzzle: Puzzle) -> None:
    from pavilion_ai.puzzles.puzzle import line_of

    say(line_of(puzzle).decode(), nl=False)
    sys.stdout.flush()
