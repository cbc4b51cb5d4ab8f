"""The command `dataset`: decisions of games as arrays, for supervised learning."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pavilion_ai.cli.exits import DONE, CommandError
from pavilion_ai.cli.files import check_folder
from pavilion_ai.cli.options import (
    GAMES,
    SECONDS,
    SIMS,
    check_agents,
    game_options,
    jobs_option,
    one_limit,
    processes,
    room_for,
    seed_option,
    tell_unused,
    the_variant,
)
from pavilion_ai.cli.program import broken_off
from pavilion_ai.cli.progress import ProgressLine, time_left
from pavilion_ai.cli.records import check_files
from pavilion_ai.cli.said import note
from pavilion_ai.errors import file_fault, one_of
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.envs.dataset import Block, Settings
    from pavilion_ai.files import LockedFile
    from pavilion_ai.record import Entry, GameRecord

DEFAULT_AGENT = "default:sims=200"
DEFAULT_GAMES = 1000


@click.command()
@click.argument("records", nargs=-1, metavar="[RECORDS]...")
@click.option("--out", metavar="DIR", required=True,
              help="Folder for the arrays; the same command resumes.")
@game_options
@click.option("--games", type=GAMES, metavar="N",
              help=f"Games of self-play, {DEFAULT_GAMES} by default; or the largest number of"
              " recorded games.")
@click.option("--agent", metavar="SPEC",
              help=f"Agent that plays all seats; default {DEFAULT_AGENT}.")
@click.option("--sims", type=SIMS, metavar="N", help="Simulations per decision.")
@click.option("--time", "seconds", type=SECONDS, metavar="SEC", help="Seconds per decision.")
@click.option("--observation", default="counts", show_default=True, metavar="KIND",
              help="counts, scaled or features; see docs/environments.md.")
@seed_option("0")
@jobs_option
def dataset(records: tuple[str, ...], out: str, game: str | None, board: str | None,
            players: int | None, games: int | None, agent: str | None, sims: int | None,
            seconds: float | None, observation: str, seed: int | None, jobs: int | None) -> int:
    """Write decisions of games as arrays, for learning.

    The arrays are numpy files (npz) of 64 games each. RECORDS are files of games; of those,
    finished games of one variant are taken. Without them an agent plays against itself; the same
    seed then gives the same arrays, if no time limit decides. --sims and --time replace a limit
    of the spec.
    """
    from pavilion_ai.envs.observations import OBSERVATIONS

    path = Path(out)
    check_folder(out)
    one_of("--observation", observation, OBSERVATIONS)
    one_limit(seconds, sims)
    source: _Recorded | _SelfPlay
    if records:
        check_files(records)
        for option, value in (("--agent", agent), ("--sims", sims), ("--time", seconds),
                              ("--seed", seed)):
            if value is not None:
                raise CommandError(f"{option}: only for self-play, without RECORDS")
        source = _Recorded(records, game, board, players, games, observation)
    else:
        source = _SelfPlay(game, board, players, games, agent, sims, seconds, observation, seed,
                           path)
    try:
        with _opened(path, source.settings):
            _write(path, source, processes(jobs, source.room))
    except (KeyboardInterrupt, OSError) as error:
        return broken_off(error)
    source.tell()
    return DONE


def _opened(path: Path, settings: Settings) -> LockedFile:
    """Open the folder, or refuse it; note another version."""
    from pavilion_ai.envs.dataset import open_folder, version_of
    from pavilion_ai.version import __version__

    try:
        lock = open_folder(path, settings)
    except OSError as error:
        raise CommandError(f"--out {file_fault(path, error)}") from None
    if (version := version_of(path)) not in (None, __version__):
        note(f"{path}: begun by version {version}, this is {__version__}")
    return lock


class _SelfPlay:
    """Blocks of games of one agent against itself."""

    def __init__(self, game: str | None, board: str | None, players: int | None,
                 games: int | None, agent: str | None, sims: int | None, seconds: float | None,
                 observation: str, seed: int | None, path: Path) -> None:
        from pavilion_ai.agents import make_agent
        from pavilion_ai.envs.dataset import Settings, check_limit, network_of

        rules, board, players = the_variant(game, board, players)
        agent = agent or DEFAULT_AGENT
        check_agents([agent], rules.new(board, players, seed=0))
        made = make_agent(agent)
        if not made.searches:
            tell_unused(agent, ("--sims", sims), ("--time", seconds))
        elif sims is seconds is None:
            check_limit(made, path, "--sims, --time or one in the spec")
        self.settings = Settings(rules.name, board, players, observation, agent, sims, seconds,
                                 seed or 0, network_of(agent))
        self.games = games or DEFAULT_GAMES
        self.room: int | None = room_for([agent])

    @property
    def total(self) -> int | None:
        """Number of games."""
        return self.games

    def blocks(self) -> Iterator[Block]:
        """Return the blocks in order."""
        from pavilion_ai.envs.dataset import self_play

        return self_play(self.settings, self.games)

    def tell(self) -> None:
        """There is nothing to say."""


class _Recorded:
    """Blocks of finished games of one variant, from files of records."""

    def __init__(self, files: tuple[str, ...], game: str | None, board: str | None,
                 players: int | None, games: int | None, observation: str) -> None:
        from pavilion_ai.envs.dataset import Settings

        self.room: int | None = None
        self._left_out: Counter[str] = Counter()
        the_variant(game, board, players)  # refuses what there is not
        self._given = (game, board, players)
        self._games = self._taken(files)
        first = next(self._games, None)
        if first is None:
            self.tell()
            raise CommandError(f"{', '.join(files)}: no finished games to take")
        self._games = itertools.islice(itertools.chain([first], self._games), games)
        self.settings: Settings = Settings(*first[1].start.variant, observation)

    @property
    def total(self) -> int | None:
        """Unknown: files are read as they are needed."""
        return None

    def _taken(self, files: Iterable[str]) -> Iterator[tuple[str, GameRecord]]:
        """Yield finished games of the variant, the first game's unless options name another.

        Each comes with its place in words.
        """
        from pavilion_ai.record import FINISHED, Games

        variant: tuple[object, ...] | None = None
        known, unfinished = Games(), set[object]()  # the latter by place
        for entry, record in _entries(files):
            found = record.start.variant
            fits = variant == found if variant else all(
                wanted in (None, have) for wanted, have in zip(self._given, found, strict=True))
            relation = known.add(record, entry.place)
            goes_on = relation.same and relation.place in unfinished
            self._left_out["that did not finish"] -= goes_on
            if record.reason != FINISHED:
                self._left_out["that did not finish"] += 1
                unfinished.add(entry.place)
            elif relation.same and not goes_on:
                self._left_out["met before"] += 1
            elif not fits:
                self._left_out["of other variants"] += 1
            else:
                variant = found
                yield entry.where, record

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks in order."""
        from pavilion_ai.envs.dataset import GAMES_PER_FILE, Block

        for number in itertools.count():
            taken = tuple(itertools.islice(self._games, GAMES_PER_FILE))
            if not taken:
                return
            places, games = zip(*taken, strict=True)
            yield Block(self.settings, number, games, places)

    def tell(self) -> None:
        """Say how many games were left out."""
        for why, count in (+self._left_out).items():
            note(f"left out: {plural(count, 'game')} {why}")


def _entries(files: Iterable[str]) -> Iterator[tuple[Entry, GameRecord]]:
    """Yield the entries of files that hold a record, with it, as they are read.

    Raises:
        CommandError: a file cannot be read; on reaching a line that is not a record.
    """
    from pavilion_ai.record import read_entries

    for file in files:
        try:
            for entry in read_entries(file):
                if entry.record is not None:
                    yield entry, entry.record
                elif not entry.torn:
                    raise CommandError([f"{entry.where}: {fault}" for fault in entry.faults])
        except OSError as error:
            raise CommandError(file_fault(file, error)) from None


def _write(path: Path, source: _SelfPlay | _Recorded, jobs: int) -> None:
    """Write the files that are missing, and those that hold fewer games than they should."""
    from pavilion_ai.envs.dataset import block_bytes, is_missing, told_of_games, write_file
    from pavilion_ai.workers import results
    from pavilion_ai.workers.local import LocalWorkers

    done, fresh, begun = 0, 0, time.monotonic()
    there = told_of_games(path)
    games = {number: len(ids) for number, (ids, _) in there.items()}

    def missing() -> Iterator[Block]:
        nonlocal done
        for block in source.blocks():
            if is_missing(path, block, there):
                yield block
            else:
                done += len(block.games)

    with (LocalWorkers(jobs) as workers, ProgressLine(elsewhere=True) as progress,
          closing(results(workers, block_bytes, missing())) as written):
        for block, content in written:
            write_file(path, block.number, content)
            done += len(block.games)
            fresh += len(block.games)
            games[block.number] = len(block.games)
            of = ""
            if source.total:
                of = f" of {source.total:,}{time_left(begun, fresh, source.total - done)}"
            progress.show(f"games: {done:,}{of}")
    total = sum(games.values())
    more = f", {done:,} requested" if total > done else ""
    note(f"{path}: {plural(total, 'game')}{more}")
