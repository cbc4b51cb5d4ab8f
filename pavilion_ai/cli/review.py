"""The command `review`: what each decision of a recorded game cost."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from pavilion_ai.bounds import REVIEW_SECONDS
from pavilion_ai.cli.exits import DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.files import refuse_own, unwritable, write_file
from pavilion_ai.cli.kinds import is_log
from pavilion_ai.cli.logs import games_of_logs, is_one
from pavilion_ai.cli.options import (
    JOBS,
    SECONDS,
    SIMS,
    TRIALS,
    granted,
    limits_for,
    one_limit,
    processes,
    room_for,
    seed_option,
    tell_unused,
)
from pavilion_ai.cli.program import broken_off
from pavilion_ai.cli.progress import ProgressLine, time_left
from pavilion_ai.cli.recording import appending_to
from pavilion_ai.cli.records import check_files, chosen_game, none_called, read_games
from pavilion_ai.cli.said import note, say
from pavilion_ai.interrupts import held
from pavilion_ai.version import __version__
from pavilion_ai.wording import plural, versions_in_words

if TYPE_CHECKING:
    from pavilion_ai.play import Play
    from pavilion_ai.record import GameRecord
    from pavilion_ai.review import Judge, Kept, Review

JUDGE = "default"


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@click.option("--game", "ids", multiple=True, metavar="ID",
              help="Game to review; repeat for several. Default: all.")
@click.option("--time-per-move", "seconds", type=SECONDS, metavar="SEC",
              help=f"Seconds per decision; default {REVIEW_SECONDS:g}.")
@click.option("--sims", type=SIMS, metavar="N", help="Simulations per decision.")
@seed_option("0")
@click.option("--agent", "spec", default=JUDGE, show_default=True, metavar="SPEC",
              help="Agent that judges.")
@click.option("--jobs", type=JOBS, metavar="N",
              help="Decisions at a time; default: one per processor"
              " (fewer if agents have threads).")
@click.option("--all", "every", is_flag=True, help="List every decision, not only the marked ones.")
@click.option("--player", "players", multiple=True, metavar="NAME",
              help="List only the decisions of this player, by name or as 'seat 0'; repeat for"
              " several.")
@click.option("--html", metavar="OUT", help="Also write the review as an HTML page.")
@click.option("--rollout", "trials", type=TRIALS, metavar="N",
              help="Also play each marked move and the better one on, N times at most.")
@click.option("--names", is_flag=True, help="Name the players of games of Board Game Arena.")
@click.option("--out", metavar="FILE",
              help="Keep each decision that is judged; the same command resumes.")
@click.option("--text", "as_text", is_flag=True,
              help="Print each game as annotated text, ready to post.")
@click.option("--json", "as_json", is_flag=True,
              help="Print one JSON object per game; the last one sums up several games.")
def review(
    paths: tuple[str, ...],
    ids: tuple[str, ...],
    seconds: float | None,
    sims: int | None,
    seed: int | None,
    spec: str,
    jobs: int | None,
    every: bool,
    players: tuple[str, ...],
    html: str | None,
    trials: int | None,
    names: bool,
    out: str | None,
    as_text: bool,
    as_json: bool,
) -> int:
    """Judge every decision of the recorded games of FILE.

    FILE holds game records, or the log of a game of Board Game Arena as `import bga` reads it (a
    saved page, JSON, or a zip of them). With several games, a report on each player follows at the
    end.

    Each position is searched; if the move played is not the favourite of the search, it is searched
    separately. The list shows the loss of each move, in chance to win with half a 90 % interval and
    in points, with marks: ?! from 2 percentage points, ? from 5, ?? from 10. Luck is the change
    caused by draws. Ctrl-C prints the results so far; with --out the same command continues. With
    --rollout the network's policy plays the marked moves on, with the same draws, so you see
    results beside the search's opinion, with half a 95 % interval.
    """
    from pavilion_ai.processors import cores
    from pavilion_ai.review import Judge
    from pavilion_ai.spec import capped, parse_spec

    one_limit(seconds, sims, "--time-per-move")
    if as_text and as_json:
        raise CommandError("--text and --json exclude each other; give one of them")
    _check_files(paths, html, out)
    granted(parse_spec(spec).threads)
    limits = limits_for(spec, seconds, sims, REVIEW_SECONDS)
    number = processes(jobs, room_for([spec]))
    judge = Judge(capped(spec, cores()), limits, seed or 0)
    records = _asked_for(paths, ids, names)
    _check_players(paths, players, records, names)
    if as_text or as_json:
        tell_unused("--text" if as_text else "--json", ("--player", players or None))
    form = "text" if as_text else "json" if as_json else "all" if every else "marked"
    reviews: list[Review] = []
    unkept = _Unkept()
    unprinted: OSError | None = None  # write the page even if standard output has no reader
    with _keeping(out, judge, unkept) as kept, _page_of(reviews, html):
        for found in _reviews(records, judge, number, kept, trials, unkept.told):
            reviews.append(found)
            try:
                if unprinted is None:
                    last = len(reviews) == len(records) or not found.complete
                    _print(found, reviews[:-1], form, players, last)
            except OSError as error:
                if html is None:
                    raise
                unprinted = error
    if unprinted is not None:
        raise unprinted
    if len(reviews) > 1 and not (as_json or as_text):
        _print_several(reviews)
    if unkept.fault is not None:
        broken_off(unkept.fault)
    faults = [found.fault for found in reviews if found.fault]
    if not all(found.complete for found in reviews):
        return INTERRUPTED
    if faults:
        raise CommandError(faults, FAILED)
    return DONE


def _check_files(paths: tuple[str, ...], html: str | None, out: str | None) -> None:
    """Refuse files that cannot be read or written, or of which one would overwrite another."""
    written = {"--html": html, "--out": out}
    for option, target in written.items():
        if target is not None and (fault := unwritable(option, target)) is not None:
            raise fault
    check_files(paths, or_logs=True)
    for path in paths:
        for option, target in written.items():
            refuse_own(option, target, path)
    if html is not None and out is not None and os.path.realpath(html) == os.path.realpath(out):
        raise CommandError(f"--html {html}: is the file of --out")


def _asked_for(paths: tuple[str, ...], ids: tuple[str, ...], names: bool) -> list[GameRecord]:
    """Return the games of all files, or those that are named by id.

    Of records of one game the longest counts, of equal ones that of the log if it names the
    players, under the name that the game has in a file.
    """
    records: dict[str, GameRecord] = {}
    logs = [path for path in paths if is_log(path)]
    files = [path for path in dict.fromkeys(paths) if path not in logs]
    if files:
        records.update(read_games(*files, only=() if logs else ids, needed=not logs))
    for record in games_of_logs(logs, names) if logs else []:
        same = [name for name, one in records.items() if is_one(one, record)]
        if all(len(records[name].moves) < len(record.moves) + names for name in same):
            for name in same:
                del records[name]
            called = same[0] if same else record.id
            records[called] = replace(record, id=called)
    if not ids:
        return list(records.values())
    return [chosen_game(", ".join(paths), records, name) for name in dict.fromkeys(ids)]


def _check_players(paths: tuple[str, ...], players: tuple[str, ...],
                   records: list[GameRecord], named: bool) -> None:
    """Refuse a name of `--player` that nobody has; without `--names` nobody of a log has one."""
    from pavilion_ai.render.record_text import player, seats_called

    for name in players:
        if not any(seats_called(record, [name]) for record in records):
            names = {player(agent) for record in records for agent in record.agents}
            seats = range(max(record.start.players for record in records))
            without = "" if named or not any(map(is_log, paths)) else " without --names"
            raise none_called(
                f"--player: nobody is called {name!r} in {', '.join(paths)}{without}", name,
                [*sorted(names, key=_in_order), *(f"seat {seat}" for seat in seats)])


def _in_order(name: str) -> str:
    """Return a key to sort names by, with the numbers in them as such."""
    return re.sub("[0-9]+", lambda number: number[0].zfill(9), name)


@dataclass
class _Unkept:
    """Whether a judgement could not be kept, as on a full disk: that ends the review.

    Attributes:
        told: set then.
        fault: the first such fault.
    """

    told: threading.Event = field(default_factory=threading.Event)
    fault: OSError | None = None


@contextmanager
def _keeping(out: str | None, judge: Judge, unkept: _Unkept) -> Iterator[Kept | None]:
    """Open the file of judgements that `--out` names."""
    if out is None:
        yield None
        return
    from pavilion_ai.review import Judgement, Kept

    class Keeping(Kept):
        def add(self, before: Play, judgement: Judgement) -> None:
            try:
                super().add(before, judgement)
            except OSError as error:
                unkept.fault = unkept.fault or error
                unkept.told.set()

    with appending_to(out, lambda path: Keeping(path, judge)) as kept:
        if kept.count:
            note(f"{out}: resuming after {plural(kept.count, 'decision')}")
        if kept.versions:
            note(f"{out}: some decisions were judged by version"
                 f" {versions_in_words(kept.versions)}, this is {__version__}")
        yield kept


@contextmanager
def _page_of(reviews: list[Review], html: str | None) -> Iterator[None]:
    """Write the page of the reviews that are there at the end, whatever ends them."""
    try:
        yield
    finally:
        if html is not None and any(found.judgements or found.complete for found in reviews):
            with held() as interrupt:
                from pavilion_ai.render.review_html import page

                write_file(html, page(reviews).encode())
            if interrupt.is_set():
                raise KeyboardInterrupt


def _reviews(
    records: list[GameRecord], judge: Judge, jobs: int, kept: Kept | None, trials: int | None,
    stop: threading.Event,
) -> Iterator[Review]:
    """Yield reviews of the games, ending with the first one that is interrupted or stopped."""
    from pavilion_ai.review import review_game

    progress = ProgressLine(elsewhere=True)
    for number, record in enumerate(records, 1):
        begun = time.monotonic()
        which = f"game {number} of {len(records)}, " if len(records) > 1 else ""

        known: list[int] = []  # decisions that were judged before

        def tell(done: int, of: int, begun: float = begun, which: str = which,
                 known: list[int] = known) -> None:
            if not known:
                known.append(done)
            left = time_left(begun, done - known[0], of - done)
            if left and which:
                left += " in this game"
            progress.show(f"{which}decision {done} of {of}{left}")

        with progress:
            found = review_game(record, judge, jobs=jobs, on_progress=tell, stop=stop,
                                kept=kept)
            if trials and found.complete:
                found = _rolled(found, trials, jobs, partial(_tell_rollout, progress, which))
        yield _brief(found)
        if not found.complete:
            return


def _brief(review: Review) -> Review:
    """Return a review with the best moves only of each decision: no form of it shows more."""
    from pavilion_ai.review.kept import KEPT_MOVES

    return replace(review, judgements=tuple(
        replace(one, analysis=replace(one.analysis, moves=one.analysis.moves[:KEPT_MOVES]))
        for one in review.judgements))


def _tell_rollout(progress: ProgressLine, which: str, done: int, of: int) -> None:
    progress.show(f"{which}rollout {done + 1} of {of}")


def _rolled(review: Review, trials: int, jobs: int,
            tell: Callable[[int, int], None]) -> Review:
    """Roll the marked decisions out."""
    from pavilion_ai.review import roll_out_marked
    from pavilion_ai.workers.local import LocalWorkers

    with LocalWorkers(jobs) if jobs > 1 else nullcontext() as workers:
        return roll_out_marked(review, trials, workers=workers, on_progress=tell)


def _print(review: Review, earlier: list[Review], form: str, players: tuple[str, ...],
           last: bool) -> None:
    """Print a review: its `marked` decisions, `all` of them, as `text`, or as `json`.

    Of `players`, if there are any, only their decisions are listed in the first two forms.
    As JSON, the last of several sums them up.
    """
    from pavilion_ai.render.review_post import annotated
    from pavilion_ai.render.review_text import review_lines
    from pavilion_ai.render.text import width_of, write
    from pavilion_ai.review import several_to_json

    if form == "json":
        several = {"several": several_to_json([*earlier, review])} if last and earlier else {}
        say(json.dumps({**review.to_json(), **several}))
        return
    if form == "text":
        say("\n".join([*([""] if earlier else []), *annotated(review)]))
        return
    rows = review_lines(review, every=form == "all", players=players,
                        width=width_of())
    write([(), *rows] if earlier else rows)


def _print_several(reviews: list[Review]) -> None:
    from pavilion_ai.render.review_text import several_lines
    from pavilion_ai.render.text import width_of, write

    write([(), *several_lines(reviews, width_of())])
