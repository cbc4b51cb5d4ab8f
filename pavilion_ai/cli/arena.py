"""Shared code of `match` and `tournament`: options, and playing an event to its end."""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from pavilion_ai.bounds import EVENT_SECONDS, MAX_SEED, ORDERS, SYNC_SECONDS
from pavilion_ai.cli.exits import DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.few_of_each import few_of_each
from pavilion_ai.cli.files import (
    POSITIONS,
    opened,
    refuse_own,
    refuse_page,
    unwritable,
    write_file,
)
from pavilion_ai.cli.options import (
    CLOCK,
    PLY,
    SECONDS,
    SECONDS_OR_NONE,
    Amount,
    check_agents,
    game_options,
    json_option,
    limit_options,
    one_limit,
    room_for,
    seed_option,
    tell_unused,
    the_variant,
)
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.recording import recording
from pavilion_ai.cli.records import jobs_for, print_notes
from pavilion_ai.cli.said import as_argument, as_command, note, say
from pavilion_ai.cli.workers import check_cluster, plays_here, worker_options, workers_of
from pavilion_ai.errors import file_fault, reason_of
from pavilion_ai.limits import Timeouts
from pavilion_ai.wording import plural, versions_in_words

if TYPE_CHECKING:
    from pavilion_ai.clock import TimeControl
    from pavilion_ai.limits import Limits
    from pavilion_ai.match.counts import Counts
    from pavilion_ai.match.event import Entrant, Event, Settings
    from pavilion_ai.match.recorded import Recorded
    from pavilion_ai.match.report import Report
    from pavilion_ai.match.results import Result
    from pavilion_ai.match.runner import Runner
    from pavilion_ai.match.sequential import SequentialTest
    from pavilion_ai.match.traits import Versions
    from pavilion_ai.position import Position
    from pavilion_ai.record import GameRecord, Recorder

F = TypeVar("F", bound=Callable[..., Any])

LIVE_RESAMPLES = 200
"""Resamples for the intervals of a progress table, which is made many times; not for the last."""
ROUNDS = Amount(int, 10**9, "count")


plot_option = click.option(
    "--plot", "plots", multiple=True, metavar="FILE",
    help="Plot the result into FILE.svg or FILE.png; repeat for several.")
table_option = click.option(
    "--table", "tables", multiple=True, metavar="FILE",
    help="Write the result as a table, too: FILE.csv or FILE.md; repeat for several.")


def arena_options(command: F) -> F:
    """Add the options that matches and tournaments share."""
    for option in (
        table_option,
        plot_option,
        json_option,
        click.option("--move-timeout", type=SECONDS, metavar="SEC",
                     help="Time after which an external engine without a time limit loses; default"
                     f" {Timeouts.move:g}."),
        click.option("--start-timeout", type=SECONDS, metavar="SEC",
                     help="Extra time for an external engine's start and first move; default"
                     f" {Timeouts.start:g}."),
        click.option("--grace", type=SECONDS_OR_NONE, metavar="SEC",
                     help="How long after its time limit an external engine, or with --clock any"
                     f" agent, may still answer; default {Timeouts.grace:g}, with --clock"
                     f" {Timeouts.clock_grace:g}."),
        click.option("--engine-log", metavar="FOLDER",
                     help="Keep what external engines read and print, also on standard error:"
                     " a file for each process."),
        worker_options,
        click.option("--out", metavar="FILE",
                     help="Record the games; the same command resumes."),
        click.option("--order", type=click.Choice(ORDERS),
                     help="Order in which the positions of --from are used; default sequential."),
        click.option("--ply", type=PLY, metavar="N",
                     help="The file of --from holds game records: start after N of their moves."),
        click.option("--from", "source", metavar="FILE",
                     help="Start from the positions of a file, one on each line, in turn."),
        click.option("--untied", is_flag=True,
                     help="Draw the tiles of each game independently; only openings are shared."),
        seed_option("that of --out, else a new one"),
        click.option("--clock", type=CLOCK, metavar="SEC[+SEC]",
                     help="Instead of --time: seconds for the whole game, plus seconds added per"
                     " decision; a player who uses more loses."),
        partial(limit_options, default=EVENT_SECONDS),
        game_options,
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Options:
    """The values of `arena_options`."""

    game: str | None
    board: str | None
    players: int | None
    seconds: float | None
    sims: int | None
    clock: TimeControl | None
    seed: int | None
    untied: bool
    source: str | None
    ply: int | None
    order: str | None
    out: str | None
    jobs: int | None
    cluster: str | None
    engine_log: str | None
    grace: float | None
    start_timeout: float | None
    move_timeout: float | None
    as_json: bool
    plots: tuple[str, ...]
    tables: tuple[str, ...]


EventMaker = Callable[["tuple[Entrant, ...]", "Settings"], "Event"]


def starts_of(options: Options) -> Sequence[Position]:
    """Return the positions of --from, which may be none.

    Raises:
        CommandError: the file cannot be read, or some of its lines are not such positions.
    """
    if options.source is None:
        for name, value in (("--ply", options.ply), ("--order", options.order)):
            if value is not None:
                raise CommandError(f"{name} needs --from FILE")
        return ()
    given = [name for name, value in (("--game", options.game), ("--board", options.board),
                                      ("--players", options.players)) if value is not None]
    if given:
        raise CommandError(f"--from gives game, board and players; leave out {', '.join(given)}")
    from pavilion_ai.match.openings import OpeningsError, read_openings

    notes: list[str] = []
    with opened(options.source, "positions") as (where, lines):
        try:
            found = read_openings(lines, where, options.ply, notes.append)
        except OpeningsError as error:
            refuse_page(options.source, "positions", POSITIONS)
            raise CommandError(few_of_each(where, error.problems)) from None
    print_notes(where, notes)
    return found


def conduct(specs: Sequence[str], players: int, options: Options, make: EventMaker,
            starts: Sequence[Position] = ()) -> int:
    """Play an event and print its report; return the exit code.

    Args:
        specs: agent specs of the entrants.
        players: seats at a table.
        make: makes the event from its entrants and settings.
        starts: positions from which the rounds start; empty for new games.
    """
    from pavilion_ai.cli.programs import logging
    from pavilion_ai.errors import RecordError
    from pavilion_ai.match.event import check_names, entrants_of
    from pavilion_ai.match.openings import numbered
    from pavilion_ai.match.runner import Runner
    from pavilion_ai.match.traits import Versions

    specs = [spec.strip() for spec in specs]
    check_names(specs)
    entrants = entrants_of(specs)
    limits = _limits(specs, players, options)
    if starts:
        opening = starts[0]
    else:
        rules, board, _ = the_variant(options.game, options.board, players)
        opening = rules.new(board, players, seed=0)
    _check_options(options)
    begun = options.out is not None and os.path.exists(options.out)
    if not begun:
        _check_agents(specs, opening, options)
    with logging(options.engine_log), _resumable(options), ExitStack() as stack:
        recorder: Recorder | None = None
        if options.out is not None:
            told = as_command(["pavilion", "report", as_argument(options.out)])
            recorder = stack.enter_context(recording(
                options.out, create=True, sync_seconds=SYNC_SECONDS,
                instead=f"; to report its games: {told}"))
        earlier = _read(recorder) if recorder is not None else []
        settings = _settings(options, opening, limits, earlier)
        event = replace(make(entrants, settings), openings=numbered(
            starts, options.order or ORDERS[0], settings.seed))
        try:
            runner = Runner(event, earlier)
        except RecordError as error:
            raise CommandError(f"{options.out}: {error}; choose another --out") from None
        if begun and not runner.has_ended():
            _check_agents(specs, opening, options)
        versions = Versions()
        _tell_earlier(options.out, earlier, runner.asked, versions)
        if options.out is not None and earlier:
            runner.add_counts(_checked(options.out, earlier))
        del earlier  # of long files they would take a gigabyte while games are played
        kept: list[GameRecord] = []
        try:
            if recorder is None:
                _play(runner, options, versions, kept.append)
            else:
                _play(runner, options, versions, recorder.write, recorder.sync_if_due)
        except BaseException as error:
            return _broken_off(error, runner, options, kept)
        try:
            show_report(event, runner.results, options.as_json, options.plots,
                        options.tables, test=runner.test)
        except KeyboardInterrupt as error:
            return _broken_off(error, runner, options, kept)
        except BaseException:
            if options.out is None:
                _save(event, kept)
            raise
    return DONE


@contextmanager
def _resumable(options: Options) -> Iterator[None]:
    """Print the command that resumes an event if it is interrupted while its file is read."""
    try:
        yield
    except KeyboardInterrupt:
        if options.out is not None:
            _tell_going_on(options.seed, options.out)
        raise


def _read(recorder: Recorder) -> list[GameRecord]:
    """Return the games so far."""
    with ProgressLine() as progress:
        return recorder.read(lambda games: progress.show(f"{plural(games, 'game')} read"))


def _checked(out: str, earlier: Sequence[GameRecord]) -> dict[str, Counts]:
    """Check the games so far; return what was counted of each."""
    from pavilion_ai.errors import RecordError
    from pavilion_ai.match.recorded import check_earlier

    with ProgressLine() as progress:
        try:
            return check_earlier(
                earlier, jobs=jobs_for([out]),
                on_game=lambda games: progress.show(f"{plural(games, 'game')} checked"))
        except RecordError as error:
            raise CommandError(f"{out}: {error}; choose another --out") from None


def _play(runner: Runner, options: Options, versions: Versions,
          keep: Callable[[GameRecord], None], on_look: Callable[[], None] | None = None) -> None:
    """Play the missing games and show the progress."""
    from pavilion_ai.agents import make_agent
    from pavilion_ai.cli.programs import introduced
    from pavilion_ai.match.report import RESAMPLES, report
    from pavilion_ai.match.traits import agents_of
    from pavilion_ai.render.live import LiveReport

    def numbers() -> Report:
        resamples = RESAMPLES if runner.has_ended() else LIVE_RESAMPLES
        return report(runner.event, runner.results, resamples=resamples, test=runner.test)

    if runner.has_ended():
        return
    specs = [entrant.spec for entrant in runner.event.entrants]
    told = introduced(map(make_agent, dict.fromkeys(specs))) if plays_here(options.cluster) else {}
    room = room_for(specs)
    with (
        workers_of(options.jobs, options.cluster, room) as workers,
        LiveReport(sys.stderr, runner.total) as live,
    ):
        live.prepare(numbers, len(runner.results), 0)

        def look() -> None:
            if runner.running:  # not before games are handed out: a first report takes its time
                live.look()
            if on_look is not None:
                on_look()

        def on_game(record: GameRecord) -> None:
            keep(record)
            for line in versions.enter(agents_of(record)):
                note(line)
            live.prepare(numbers, len(runner.results) + 1, min(workers.slots, runner.running))

        runner.run(workers, on_game, look, told)


# ------------------------------------------------------------------------------ the request

def _limits(specs: Sequence[str], players: int, options: Options) -> Limits | None:
    """Return the limits of agents whose spec sets none; None if no agent uses a limit."""
    from pavilion_ai.limits import Limits
    from pavilion_ai.spec import parse_spec

    one_limit(options.seconds, options.sims, clock=options.clock)
    if options.clock is not None:
        return options.clock.limits(players)
    if not any(parse_spec(spec).needs_limit for spec in specs):
        tell_unused("these agents", ("--time", options.seconds), ("--sims", options.sims))
        return None
    if options.seconds is None and options.sims is None:
        note(f"{EVENT_SECONDS:g} s per move, as neither --time nor --sims was given")
        return Limits(seconds=EVENT_SECONDS)
    return Limits(sims=options.sims, seconds=options.seconds)


def _check_options(options: Options) -> None:
    """Refuse options that would fail only during the games or after them."""
    from pavilion_ai.external.log import ENGINE_LOG

    check_cluster(options.cluster)
    check_other_forms(options.plots, options.tables, [] if options.out is None else [options.out])
    if options.engine_log is not None and not plays_here(options.cluster):
        raise CommandError(f"--engine-log: set {ENGINE_LOG} for the workers of a cluster instead")


def _check_agents(specs: Sequence[str], opening: Position, options: Options) -> None:
    """Refuse agents that would fail during the games; what files they need, other workers know."""
    from pavilion_ai.agents import make_agent

    if plays_here(options.cluster):
        check_agents(specs, opening)
    else:
        for spec in specs:
            make_agent(spec).close()


def _settings(options: Options, opening: Position, limits: Limits | None,
              earlier: Sequence[GameRecord]) -> Settings:
    from pavilion_ai.games import fresh_seed
    from pavilion_ai.match.event import Settings
    from pavilion_ai.match.results import seed_told

    seed = options.seed
    if seed is None and earlier:
        seed = seed_told(earlier[0])
    return Settings(
        game=opening.game,
        board=opening.board,
        players=opening.players,
        seed=fresh_seed() if seed is None else seed,
        limits=limits,
        timeouts=_timeouts(options),
        tied=not options.untied,
    )


def _timeouts(options: Options) -> Timeouts:
    given = {"start": options.start_timeout, "move": options.move_timeout, "grace": options.grace}
    given["clock_grace"] = options.grace
    return Timeouts(**{name: value for name, value in given.items() if value is not None})


# ------------------------------------------------------------------------------ the output

def _tell_earlier(out: str | None, earlier: Sequence[GameRecord], asked: int | None,
                  versions: Versions) -> None:
    from pavilion_ai.match.traits import UNKNOWN, agents_of
    from pavilion_ai.version import __version__

    if not earlier:
        return
    note(f"{out}: resuming after {plural(len(earlier), 'game')}")
    if asked is not None and asked < len(earlier):
        note(f"{out}: only {plural(asked, 'game')} requested; the report is of all")
    external = [told for record in earlier for told in versions.enter(agents_of(record))]
    others = versions.own() - {__version__}
    others |= {record.engine.get("version") or UNKNOWN for record in earlier} - {__version__}
    if others:
        note(f"{out}: some games were played by version {versions_in_words(others)},"
             f" this is {__version__}")
    for told in external:
        note(f"{out}: {told}")


def show_report(
    event: Event,
    results: Sequence[Result],
    as_json: bool,
    plots: Sequence[str],
    tables: Sequence[str],
    recorded: Recorded | None = None,
    test: SequentialTest | None = None,
) -> None:
    """Print the report of an event; write the plots and tables that are requested.

    Args:
        recorded: where the games come from, if from files.
        test: the sequential test of a match after these games.
    """
    from pavilion_ai.match.report import report

    if recorded is None:
        found = report(event, results, test=test)
    else:
        found = report(event, results, events=recorded.counted,
                       left_out=[one.to_json() for one in recorded.left_out])
    if as_json:  # the text says so itself
        from pavilion_ai.render.report_text import not_met, repeated

        if found.repeated:
            note(repeated(found))
        if len(found.groups) > 1:
            note(not_met(found))
    try:
        if as_json:
            say(json.dumps(found.to_json(), allow_nan=False))
        else:
            from pavilion_ai.render.report_text import report_lines
            from pavilion_ai.render.text import width_of, write

            write(report_lines(found, width_of()))
        sys.stdout.flush()  # fails here if the reader has gone
    finally:
        _write_other_forms(found, results, plots, tables)


def _write_other_forms(
    found: Report, results: Sequence[Result], plots: Sequence[str], tables: Sequence[str]
) -> None:
    for path in tables:
        from pavilion_ai.render import report_table

        write_file(path, report_table.table(found, report_table.check_table(path)))
    for path in plots:
        from pavilion_ai.render.plot import check_plot, picture

        write_file(path, picture(found, results, check_plot(path)))


def check_other_forms(
    plots: Sequence[str], tables: Sequence[str], games: Sequence[str]
) -> None:
    """Refuse files that a plot or a table cannot be written to, as far as is known in advance.

    Args:
        games: files of games, which neither may replace.

    Raises:
        CommandError: one cannot.
    """
    from pavilion_ai.render.plot import NoPlotError, check_plot
    from pavilion_ai.render.report_table import check_table

    for option, paths, check in (("--plot", plots, check_plot), ("--table", tables, check_table)):
        for path in paths:
            refuse_own(option, path, *games)
            try:
                check(path)
            except NoPlotError as error:
                raise CommandError(f"{option}: {error}", FAILED) from None
            if (problem := unwritable(option, path)) is not None:
                raise problem


def _broken_off(
    error: BaseException, runner: Runner, options: Options, kept: Sequence[GameRecord]
) -> int:
    """Save unsaved games, print the command that resumes the event, then report the error."""
    event = runner.event
    out = _save(event, kept) if options.out is None else options.out
    if out is not None:
        _tell_going_on(event.settings.seed, out)
    if out is not None and runner.results:
        told = as_command(["pavilion", "report", as_argument(out)])
        say(f"note: results so far: {told}", err=True)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, OSError):
        raise CommandError(file_fault(error.filename or "playing", error), FAILED) from None
    raise error


def _save(event: Event, kept: Sequence[GameRecord]) -> str | None:
    """Save games played without --out; return the name of the file with the games, if any.

    What this folder has no room for, or does not take at all, goes among the temporary files.
    """
    if not kept:
        note("no game was finished; nothing to save")
        return None
    out, most = None, 0
    for folder in _folders():
        name, saved, fault = _saved(folder, f"{event.kind}-{event.settings.seed}", kept)
        if saved > most:
            out, most = name, saved
        told = f"{saved} of {plural(len(kept), 'game')}" if fault else plural(saved, "game")
        note(f"{told} saved in {name}" + (f"; {fault}" if fault else ""))
        if most == len(kept):
            break
    return out


def _folders() -> Iterator[Path]:
    """Yield the folders in which games may be saved; a note says so if there are no more."""
    if os.access(".", os.W_OK):
        yield Path()
    try:
        yield Path(tempfile.gettempdir())
    except OSError as error:
        note(f"cannot save among the temporary files: {reason_of(error)}")


def _saved(folder: Path, stem: str, games: Sequence[GameRecord]) -> tuple[str, int, str]:
    """Save games in a new file; return its name, how many were saved, and why not all."""
    from pavilion_ai.errors import RecordError

    name, saved = str(folder / f"{stem}.jsonl"), 0
    try:
        name = _new_file(folder, stem)
        with recording(name, create=True, sync_seconds=SYNC_SECONDS) as recorder:
            for game in games:
                recorder.write(game)
                saved += 1
    except OSError as error:
        return name, saved, file_fault(error.filename or name, error)
    except (CommandError, RecordError) as error:
        return name, saved, str(error)
    return name, saved, ""


def _new_file(folder: Path, stem: str) -> str:
    """Make a file for records under a name that nothing has; return the name."""
    path = folder / f"{stem}.jsonl"
    for number in itertools.count(2):
        try:
            path.touch(exist_ok=False)
            break
        except FileExistsError:
            path = folder / f"{stem}-{number}.jsonl"
    return str(path)


def _tell_going_on(seed: int | None, out: str) -> None:
    """Print the command that was given, with the seed and the record file added.

    A seed that is not known yet, or that the command does not take, is read from the file.
    """
    context = click.get_current_context()
    changed = {"seed": seed, "out": out}
    words = ["pavilion", str(context.info_name)]
    for parameter in context.command.params:
        name = parameter.name or ""
        if name == "seed" and (seed is None or not 0 <= seed <= MAX_SEED):
            continue
        if name in changed:
            words += [parameter.opts[-1], str(changed[name])]
        elif context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += _as_typed(parameter, context.params[name])
    say(f"note: resume with: {as_command(words)}", err=True)


def _as_typed(parameter: click.Parameter, value: Any) -> list[str]:
    if isinstance(parameter, click.Argument):
        return [str(word) for word in value]
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return [parameter.opts[-1]]
    values = value if isinstance(value, tuple) else (value,)
    return [word for one in values for word in (parameter.opts[-1], str(one))]
