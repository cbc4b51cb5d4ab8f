"""Commands about files of game records: `replay` and `verify`."""

from __future__ import annotations

import difflib
import json
import os
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from pavilion_ai.cli.exits import BAD_INPUT, DONE, FAILED, CommandError
from pavilion_ai.cli.few_of_each import MAX_PROBLEMS, few_of_each, first_of_each
from pavilion_ai.cli.files import RECORDS, path_of, refuse_log, refuse_own, refuse_page
from pavilion_ai.cli.options import JOBS, PLY, format_option, output_option, processes
from pavilion_ai.cli.output import put_position
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.said import as_argument, as_command, note, say
from pavilion_ai.errors import file_fault, first_line, printable
from pavilion_ai.wording import Few, plural

if TYPE_CHECKING:
    from pavilion_ai.match.verify import Verification
    from pavilion_ai.play import Play
    from pavilion_ai.record import GameRecord

NAMED_GAMES = 5
MANY_BYTES = 4 << 20  # some 1,500 games, which take as long as starting other processes
MOST_READERS = 12  # more processes would wait for the one that reads
MAX_COMPARED = 100  # characters of a name that similar ones are looked for
LEAST_COLUMNS = 12  # columns left of shortened seats or a reason
LEAST_NAME = 8  # columns left of a shortened name

file_argument = click.argument("path", metavar="FILE")


# ---------------------------------------------------------------------------------------- verify

@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@click.option("--jobs", type=JOBS, metavar="N",
              help="Games at a time; default: up to one per processor if there are many.")
@click.option("--solo", is_flag=True,
              help="Also check draws and opponents of solo games, and compute par.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file.")
def verify(paths: Sequence[str], jobs: int | None, solo: bool, as_json: bool) -> int:
    """Replay all games of FILE and check every move, draw and score.

    Games of a match or tournament must also start and draw as their seeds determine, and fit
    together in pairs. Of several files each is checked by itself.
    """
    if solo:
        from pavilion_ai.cli.solo import verify_solo

        for path in paths:
            check_file(path)
        for option, value in (("--json", as_json), ("--jobs", jobs), ("several files", paths[1:])):
            if value:
                raise CommandError(f"--solo and {option} exclude each other; give one of them")
        return verify_solo(paths[0])
    several = len(paths) > 1
    failed: list[str] = []
    unread: list[str] = []  # not known to be wrong
    for path in paths:
        try:
            check_file(path, or_log=True)
            found = _checked(path, jobs)
        except CommandError as error:
            unread += error.lines
            continue
        if as_json:
            say(json.dumps(found.to_json()))
        else:
            named = (f"{path}, ", f"{path}:")
            print_notes(path, [text if not several or text.startswith(named) else f"{path}: {text}"
                               for text in found.notes])
        if found.problems:
            failed += ([_foreign(path, found)] if found.foreign
                       else first_of_each(path, found.problems, found.more))
        elif not found.games:
            unread.append(f"{path}: no games")
        elif not as_json:
            say(f"{path}: {plural(found.games, 'game')}, all right")
    if failed or unread:
        raise CommandError(failed + unread, FAILED if failed else BAD_INPUT)
    return DONE


def _checked(path: str, jobs: int | None) -> Verification:
    """Check a file and show the progress; a log has one problem, that it is one."""
    from pavilion_ai.match.verify import verify as check

    with ProgressLine() as progress:
        try:
            found = check(path, jobs=processes(jobs, default=jobs_for([path])),
                          on_game=lambda games: progress.show(f"{plural(games, 'game')} checked"))
        except OSError as error:
            raise CommandError(file_fault(path, error)) from None
    if found.foreign:
        try:
            refuse_page(path, *RECORDS)
        except CommandError as error:
            return replace(found, problems=error.lines, more=0)
    return found


def check_files(paths: Sequence[str], *, or_logs: bool = False) -> None:
    """Refuse paths that cannot be files of records; one of several may be empty, with a note.

    Args:
        or_logs: whether they may be logs of Board Game Arena as well.
    """
    for path in paths:
        check_file(path, may_be_empty=len(paths) > 1, or_log=or_logs)


def check_file(path: str, *, may_be_empty: bool = False, or_log: bool = False) -> None:
    """Refuse a path that cannot be a file of records, before it is opened."""
    if path == "-":
        raise CommandError("records are not read from standard input; give the name of a file")
    try:
        target = path_of(path)
        if target.is_dir():
            raise CommandError(f"{path}: is a directory, expected a file of game records")
        if not target.stat().st_size and target.is_file():
            if not may_be_empty:
                raise CommandError(f"{path}: no games")
            note(f"{path}: no games")
        if not target.is_file():
            raise CommandError(f"{path}: is not a regular file, expected a file of game records")
        if not or_log:
            refuse_log(path)
    except (OSError, ValueError) as error:
        raise CommandError(file_fault(path, error)) from None


def jobs_for(paths: Sequence[str]) -> int:
    """Return how many processes replay the games of these files: one unless there are many."""
    from pavilion_ai.processors import cores

    size = sum(os.path.getsize(path) for path in paths)
    return min(cores(), size // MANY_BYTES + 1, MOST_READERS)


def print_notes(path: str, notes: Sequence[str]) -> None:
    """Print the first notes of each kind that a file gives rise to."""
    lines = few_of_each(path, notes)
    for message in lines[:MAX_PROBLEMS]:
        note(message)
    if len(lines) > MAX_PROBLEMS:
        note(f"{len(notes)} notes, of which {MAX_PROBLEMS} are shown")


def _foreign(path: str, found: Verification) -> str:
    """Say that a file has nothing to do with records, and where that shows first."""
    from pavilion_ai.record.reading import nothing_in

    return nothing_in(path, "not a file of game records", found.problems[0],
                      len(found.problems) + found.more)


# ---------------------------------------------------------------------------------------- replay

@click.command()
@file_argument
@click.option("--game", "name", metavar="ID", help="Game to show; required if there are several.")
@click.option("--ply", type=PLY, metavar="N", help="Show only the position after N moves.")
@format_option
@output_option
def replay(
    path: str,
    name: str | None,
    ply: int | None,
    form: str | None,
    output: str | None,
) -> int:
    """Walk through a recorded game, or list the games of FILE.

    If the file has several games, --game selects one. On a terminal the game is shown one ply at a
    time, elsewhere as one line per move. With --ply the position is printed as `show` prints it, so
    that it can be piped to other commands.
    """
    from pavilion_ai.cli.walk import Walk, print_all
    from pavilion_ai.render.text import is_terminal

    refuse_own("-o", output, path)
    if ply is None and (form is not None or output is not None):
        raise CommandError("--format and -o are for the position that --ply N names")
    check_file(path)
    records = read_games(path, only=() if name is None else (name,))
    if name is None and len(records) > 1 and ply is None:
        _list(path, list(records.values()))
        return DONE
    record = chosen_game(path, records, name)
    if ply is not None:
        show_ply(record, ply, form, output)
    elif is_terminal(sys.stdin) and is_terminal(sys.stdout):
        Walk(record).run()
    else:
        print_all(record)
    return DONE


def read_games(
    *paths: str, only: Collection[str] = (), needed: bool = True
) -> dict[str, GameRecord]:
    """Read the games of files by id; other lines are noted and left out.

    A later line of an interrupted game replaces the earlier one. A different game with the same
    id, as in concatenated files, gets a number in its name.

    Args:
        only: names of the games that are returned, each of which must be there; empty: all.
        needed: whether there must be a game at all.
    """
    from pavilion_ai.record import Games, read_entries

    games, names = Games(), Names()
    records: dict[str, GameRecord] = {}
    called: dict[object, str] = {}  # by place of the game's latest record
    faults, renamed = Few[str](NAMED_GAMES), Few[str](NAMED_GAMES)
    for path in paths:
        there, first = False, list[str]()
        try:
            for entry in read_entries(path):
                record = entry.record
                if record is None:
                    first = first or [f"{entry.where}: {fault}" for fault in entry.faults]
                    faults.add(entry.problem)
                    continue
                relation, there = games.add(record, entry.place), True
                name = called.pop(relation.place) if relation.same else names.new(record.id)
                if relation.contradicts:
                    renamed.add(
                        f"{entry.where}: {relation.told(record, path)}, called {printable(name)}")
                called[entry.place] = name
                if not only or name in only:
                    records[name] = record if name == record.id else replace(record, id=name)
        except OSError as error:
            raise CommandError(file_fault(path, error)) from None
        if first and not there:
            raise CommandError(first)
    if needed and not called:
        raise CommandError(f"{', '.join(paths)}: no games")
    for one in renamed.first:
        note(one)
    if renamed.more:
        note(plural(renamed.more, "more game has the id of another game, and a number in its name",
                    "more games have the id of another game, and a number in their name"))
    for one in faults.first:
        note(f"left out: {one}")
    if faults.more:
        note(f"left out: {plural(faults.more, 'more line')}; `pavilion verify --json FILE` names"
             " them all")
    for name in only:
        if name not in records:
            raise _no_game(", ".join(paths), name, list(called.values()))
    return records


class Names:
    """Gives each game a name of its own: its id, with a number added if that is taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def new(self, game: str) -> str:
        """Return a name that no game has yet."""
        name = game
        while name in self._taken:
            self._counts[game] = self._counts.get(game, 1) + 1
            name = f"{game}#{self._counts[game]}"
        self._taken.add(name)
        return name


def chosen_game(path: str, records: dict[str, GameRecord], name: str | None) -> GameRecord:
    """Return the game of that name, or the only one."""
    if name is None:
        if len(records) > 1:
            raise CommandError(f"{path}: {plural(len(records), 'game')}; say which with --game:"
                               f" {_some(list(records))}")
        return next(iter(records.values()))
    if name not in records:
        raise _no_game(path, name, list(records))
    return records[name]


def _no_game(path: str, name: str, names: list[str]) -> CommandError:
    return none_called(f"--game: no game {name!r} in {path}", name, names)


def none_called(told: str, name: str, names: list[str]) -> CommandError:
    """Say that nothing has a name, and which names there are, similar ones first."""
    short = [other for other in names if len(other) <= MAX_COMPARED]
    close = difflib.get_close_matches(name[:MAX_COMPARED], short, NAMED_GAMES, 0.5)
    there = _some(sorted(names, key=lambda other: other not in close))
    return CommandError(f"{told}; there is {there}")


def _some(names: list[str]) -> str:
    more = len(names) - NAMED_GAMES
    return ", ".join(names[:NAMED_GAMES]) + (f" and {more} more" if more > 0 else "")


def play_after(record: GameRecord, ply: int) -> Play:
    """Return a recorded game after that many of its moves."""
    from pavilion_ai.errors import RecordError
    from pavilion_ai.play import Play

    if ply > len(record.moves):
        raise CommandError(f"--ply {ply}: game {record.id} has {plural(len(record.moves), 'move')}")
    try:
        return Play.of(record, ply)
    except RecordError as error:
        raise CommandError(first_line(error), FAILED) from None


def show_ply(record: GameRecord, ply: int, form: str | None, output: str | None) -> None:
    """Print or write a position as `show` does."""
    put_position(play_after(record, ply).position, form, output)


# ---------------------------------------------------------------------------- games in a line each

_CUT = (1, 4)  # widths of seats and reason in the table of games


def _list(path: str, records: list[GameRecord]) -> None:
    """Print the games of a file as a table as wide as the terminal."""
    from pavilion_ai.render.record_text import player
    from pavilion_ai.render.text import breadth, width_of

    rows = [("id", "seats", "scores", "winner", "reason")]
    tables = [[player(agent) for agent in record.agents] for record in records]
    for record, names in zip(records, tables, strict=True):
        scores = ", ".join(map(str, record.scores))
        winners = ", ".join(map(str, record.winners)) or "-"
        rows.append((printable(record.id), ", ".join(names), scores, winners,
                     printable(record.reason)))
    widths = [max(breadth(row[column]) for row in rows) for column in range(len(rows[0]))]
    room = width_of() - 2 * (len(widths) - 1)
    for column in _CUT:
        widths[column] = min(widths[column], room)
    while sum(widths) > room:  # specs and reasons can be shortened, the wider first; ids cannot
        wider = max(_CUT, key=lambda column: widths[column])
        if widths[wider] <= LEAST_COLUMNS:
            break
        widths[wider] -= 1
    short = _seats(tables, widths[1])
    for number, (name, _, *others) in enumerate(rows):
        cells = name, short[number - 1] if number else rows[0][1], *others
        say("  ".join(_cell(*cell) for cell in zip(cells, widths, strict=True)).rstrip())
    command = as_command(["pavilion", "replay", as_argument(path), "--game", "ID"])
    note(f"{plural(len(records), 'game')}; `{command}` walks through one")


def _seats(tables: list[list[str]], width: int) -> list[str]:
    """Return the names at each table, those that are too long cut so that they look different."""
    from pavilion_ai.render.columns import shortened_together
    from pavilion_ai.render.text import breadth

    sizes = {name: breadth(name) for names in tables for name in names}
    longest = width
    while longest > LEAST_NAME and any(
            sum(min(sizes[name], longest) for name in names) + 2 * (len(names) - 1) > width
            for names in tables):
        longest -= 1
    short = dict(zip(sizes, shortened_together([*sizes], longest), strict=True))
    return [", ".join(short[name] for name in names) for names in tables]


def _cell(text: str, width: int) -> str:
    from pavilion_ai.render.text import beginning, breadth

    short = text if breadth(text) <= width else beginning(text, width - 3) + "..."
    return short + " " * (width - breadth(short))
