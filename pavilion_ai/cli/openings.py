"""The command `openings`: balanced positions to start games from."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from pavilion_ai.bounds import MAX_OPENINGS
from pavilion_ai.cli.exits import DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.few_of_each import few_of_each
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
from pavilion_ai.cli.said import as_command, note, say
from pavilion_ai.errors import RecordError, shown
from pavilion_ai.files import GrowingFile
from pavilion_ai.version import EARLIER, __version__
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.match.balanced import Balanced, Wanted

COUNT = Amount(int, MAX_OPENINGS, "count")
TRIES = Amount(int, 10**6, "count")
ROUND = Amount(int, math.inf, "round")  # each game has its own bound
BAND = Amount(float, 100, "percent")
HEADER = "# pavilion openings "
VERSION = "  # version "
"""Stands before the version in the first line; up to 0.6.0 that ends with the options."""
MAX_FILE_BYTES = 64 << 20
"""More than the positions that a match reads can take."""


@click.command()
@click.option("--count", type=COUNT, default=100, show_default=True, metavar="N",
              help="Number of positions.")
@game_options
@click.option("--round", "number", type=ROUND, default=1, show_default=True, metavar="N",
              help="Round at whose beginning they stand, 1 to 5, or to 6 if such games last so"
                   " long.")
@click.option("--band", type=BAND, default=10.0, show_default=True, metavar="PERCENT",
              help="How far a seat's chance to win may be from its fair share.")
@click.option("--sims", type=SIMS, default=2000, show_default=True, metavar="N",
              help="Simulations of the search that judges a position.")
@click.option("--tries", type=TRIES, default=1000, show_default=True, metavar="N",
              help="Deals tried for a position before giving up.")
@seed_option("that of --out, else a new one")
@click.option("--jobs", type=JOBS, metavar="N",
              help="Positions at a time; default: one per processor.")
@click.option("--out", metavar="FILE",
              help="Write to a file; the same command resumes.")
def openings(count: int, game: str | None, board: str | None, players: int | None, number: int,
             band: float, sims: int, tries: int, seed: int | None, jobs: int | None,
             out: str | None) -> int:
    """Make balanced positions for `match --from FILE`, one on each line.

    Each is the beginning of a round in a game of the engine, after a deal for which the engine
    gives every seat about its fair share of the victory. The same seed gives the same positions.
    """
    from pavilion_ai.games import fresh_seed
    from pavilion_ai.match.balanced import Wanted

    rules, board, players = the_variant(game, board, players)
    rounds = len(rules.choices[board, players]["reached"])
    if number > rounds:
        raise CommandError(f"--round {number}: expected 1 to {rounds}, the rounds that can be"
                           " asked for here")
    with _written(out) as (earlier, write):
        begun, _, version = "".join(earlier[:1]).partition(VERSION)
        given = _seed_of(begun) if earlier and seed is None else seed
        wanted = Wanted(rules.name, board, players, number, band / 100, sims, tries,
                        fresh_seed() if given is None else given)
        header = HEADER + _options(wanted)
        if earlier and begun != header:
            raise CommandError(f"{out}: holds other positions, {begun[2:]!r}, expected"
                               f" {header[2:]!r}; choose another --out")
        if not earlier:
            write(f"{header}{VERSION}{__version__}")
        done = 0 if out is None else _kept(out, earlier, wanted)
        if done:
            note(f"{out}: resuming after {plural(done, 'position')}")
        if earlier and version != __version__:
            note(f"{out}: begun by version {shown(version or EARLIER)}, this is {__version__}")
        try:
            return _make(wanted, range(done + 1, count + 1), processes(jobs), write)
        except (KeyboardInterrupt, OSError) as error:
            again = f"pavilion openings --count {count} {_options(wanted)}"
            if out is not None:
                return broken_off(error, f"resume with: {again} --out {as_command([out])}")
            if isinstance(error, OSError):
                raise
            note(f"interrupted; the same positions with: {again}")
            return INTERRUPTED


def _kept(out: str, lines: list[str], wanted: Wanted) -> int:
    """Return how many positions a file holds, of which these are the whole lines.

    Raises:
        CommandError: some of the lines are not such positions.
    """
    from pavilion_ai.match.openings import OpeningsError, read_openings

    if len(lines) < 2:
        return 0
    try:
        found = read_openings(io.BytesIO("\n".join(lines).encode()), out)
    except OpeningsError as error:
        raise CommandError(few_of_each(out, error.problems)) from None
    if found[0].variant != (wanted.game, wanted.board, wanted.players):
        raise CommandError(f"{out}: holds positions of another game than its first line says;"
                           " choose another --out")
    return len(found)


def _make(wanted: Wanted, numbers: range, jobs: int, write: Callable[[str], None]) -> int:
    """Make the positions with these numbers and write them in their order."""
    from functools import partial

    from pavilion_ai.match.balanced import make_opening
    from pavilion_ai.workers import in_order, results
    from pavilion_ai.workers.local import LocalWorkers

    with (ProgressLine(elsewhere=True) as progress,
          LocalWorkers(min(jobs, max(1, len(numbers)))) as workers):
        made = results(workers, partial(make_opening, wanted), iter(numbers))
        for number, found in in_order(made, int, numbers.start):
            progress.wipe()
            _write(wanted, found, write)
            progress.show(f"positions {number} of {numbers.stop - 1}")
    return DONE


def _write(wanted: Wanted, found: Balanced, write: Callable[[str], None]) -> None:
    """Write a position, or end the command if none was balanced."""
    if found.found:
        write(f"{found.code}  # {_chances(found)}")
        return
    closest = f"the closest was {_chances(found)}" if found.wins else "no game came to that round"
    raise CommandError(f"position {found.number}: none within {100 * wanted.band:.12g} % of a fair"
                       f" share in {plural(wanted.tries, 'try', 'tries')}, {closest}; give a wider"
                       " --band, more --tries or another --round", FAILED)


def _chances(found: Balanced) -> str:
    return "win " + ", ".join(f"{100 * win:.1f}" for win in found.wins) + " %"


def _options(wanted: Wanted) -> str:
    """Return the options that determine the positions."""
    return (f"--game {wanted.game} --board {wanted.board} --players {wanted.players}"
            f" --round {wanted.round} --band {100 * wanted.band:.12g} --sims {wanted.sims}"
            f" --tries {wanted.tries} --seed {wanted.seed}")


def _seed_of(header: str) -> int | None:
    last = header.rpartition(" --seed ")[2]
    return int(last) if last.isascii() and last.isdigit() and len(last) < 20 else None


class _Positions(GrowingFile):
    """A file of positions, one on each line below the header.

    Attributes:
        lines: the whole lines that were in the file.
    """

    holds = "positions"

    def __init__(self, path: str) -> None:
        self.lines: list[str] = []
        super().__init__(path)

    def add(self, line: str) -> None:
        """Append a line."""
        self._append(f"{line}\n".encode())

    def _read(self) -> int:
        header = HEADER.encode()
        with open(self.name, "rb") as file:
            content = file.read(len(header))
            if not header.startswith(content):
                raise RecordError(f"{self.name}: holds something else than positions of this"
                                  " command; choose another --out")
            content += file.read(MAX_FILE_BYTES)
            if len(content) > MAX_FILE_BYTES:
                raise RecordError(f"{self.name}: more than {MAX_FILE_BYTES} bytes, no positions of"
                                  " this command; choose another --out")
        whole = content[:content.rfind(b"\n") + 1]
        self.lines = whole.decode(errors="replace").splitlines()
        return len(whole)


@contextmanager
def _written(out: str | None) -> Iterator[tuple[list[str], Callable[[str], None]]]:
    """Yield the whole lines that the output holds already, and a function that adds one.

    Raises:
        CommandError: it cannot be opened for writing.
        RecordError: it holds something else, or another program is writing to it.
    """
    if out is None:
        def show(line: str) -> None:
            say(line)
            sys.stdout.flush()

        yield [], show
        return
    with appending_to(out, _Positions) as file:
        yield file.lines, file.add
