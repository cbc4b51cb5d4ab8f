"""The command `suggest`: search a position and rank its moves."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import click

from pavilion_ai.cli.exits import DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.files import read_position, write_file
from pavilion_ai.cli.options import (
    COUNT,
    PLY,
    THREADS,
    dark_option,
    granted,
    json_option,
    limit_options,
    limits_for,
    one_limit,
    position_argument,
    seed_option,
    tell_unused,
)
from pavilion_ai.cli.output import form_of, picture, picture_problem
from pavilion_ai.cli.positions import nobody_to_move, understood
from pavilion_ai.cli.said import note, say

if TYPE_CHECKING:
    from pavilion_ai.analysis import Analysis
    from pavilion_ai.play import Play
    from pavilion_ai.position import Position

SHOWN_MOVES = 5
DRAWN_MOVES = 3
_REPORT_EVERY = 0.2  # seconds between two interim tables


@click.command()
@position_argument
@click.option("--ply", type=PLY, metavar="N",
              help="POS is a file of game records: the position after N moves of a game.")
@click.option("--game", "name", metavar="ID", help="Game of --ply; required if there are several.")
@limit_options
@click.option("--threads", type=THREADS, metavar="N", help="Number of threads; default 1.")
@seed_option("0")
@click.option("--top", type=COUNT, metavar="K",
              help=f"Number of moves shown; default {SHOWN_MOVES}.")
@click.option("--only", multiple=True, metavar="MOVE",
              help="Consider only this move; several get equal shares of the search.")
@click.option("--compare", multiple=True, metavar="MOVE",
              help="Compare this move and the favourite at equal effort; repeat for several.")
@click.option("--even", type=COUNT, metavar="K",
              help="Compare the best K moves at equal effort.")
@click.option("--avoid", multiple=True, metavar="MOVE",
              help="Leave out this move; repeat for several.")
@click.option("--agent", "spec", default="default", show_default=True, metavar="SPEC",
              help="Agent that searches.")
@click.option("--svg", metavar="OUT",
              help="Also draw the best moves over a picture of the position, as SVG or PNG.")
@dark_option
@json_option
def suggest(
    pos: str,
    ply: int | None,
    name: str | None,
    seconds: float | None,
    sims: int | None,
    threads: int | None,
    seed: int | None,
    top: int | None,
    only: tuple[str, ...],
    compare: tuple[str, ...],
    even: int | None,
    avoid: tuple[str, ...],
    spec: str,
    svg: str | None,
    dark: bool,
    as_json: bool,
) -> int:
    """Suggest the best moves of a position, with estimates.

    Chance to win and lead are the mover's; score is the expected final score. In 9 of 10 cases,
    the chance that a search 30 times as long finds lies within the error; that of uct and flat is
    the error of their sampling only. Rows with few visits are greyed. Ctrl-C ends the search and
    prints its results.
    """
    from pavilion_ai.agents import make_agent
    from pavilion_ai.errors import EngineFault
    from pavilion_ai.focus import FocusError
    from pavilion_ai.play import Play
    from pavilion_ai.spec import parse_spec

    one_limit(seconds, sims)
    if name is not None and ply is None:
        raise CommandError("--game names a game of the file for --ply N, which is missing")
    if dark and svg is None:
        raise CommandError("--dark is for the picture of --svg OUT")
    if svg is not None and (fault := picture_problem("--svg", svg)) is not None:
        raise fault
    shown = max(SHOWN_MOVES, len(only), len(compare) + (even or 1))
    play = Play(read_position(pos)) if ply is None else _play_in(pos, name, ply)
    if play.turn is None:
        raise CommandError(nobody_to_move(play.chance))
    only, compare, avoid = (tuple(understood(text, play) for text in texts)
                            for texts in (only, compare, avoid))
    agent = make_agent(spec)
    limits = limits_for(spec, seconds, sims)
    in_threads = agent.searches and agent.ranks
    try:
        with _progress(sys.stderr, top or shown) as on_progress:
            analysis = agent.analyse(
                play,
                limits,
                threads=granted(threads or parse_spec(spec).threads) if in_threads else None,
                seed=seed or 0,
                on_progress=on_progress,
                report_every=_REPORT_EVERY if on_progress else None,
                only=only,
                compare=compare,
                even=even or 0,
                avoid=avoid,
            )
    except EngineFault as fault:
        raise CommandError(f"agent {spec}: {fault}", FAILED) from None
    except FocusError as error:
        raise CommandError(re.sub(r"^|\b(?=(only|compare)\b)", "--", str(error))) from None
    finally:
        agent.close()
    if not agent.searches:
        tell_unused(spec, ("--time", seconds), ("--sims", sims))
    if not in_threads:
        tell_unused(spec, ("--threads", threads))
    if agent.ranks and not agent.searches:
        note(f"{spec} draws its move at random, weighted by a short search; it stands first")
    try:
        if svg is not None:
            drawn = top or max(DRAWN_MOVES, len(only))
            write_file(svg, _picture(analysis, play.position, svg, drawn, dark))
    finally:  # what was found is told though the picture cannot be written
        if as_json:
            say(json.dumps(analysis.to_json(top)))
        else:
            _print(analysis, play.position, top or shown)
    return INTERRUPTED if analysis.interrupted else DONE


def _play_in(path: str, name: str | None, ply: int) -> Play:
    """Return a game of a file after that many of its moves, which tell of the players."""
    from pavilion_ai.cli.records import check_file, chosen_game, play_after, read_games

    check_file(path)
    records = read_games(path, only=() if name is None else (name,))
    return play_after(chosen_game(path, records, name), ply)


def _picture(
    analysis: Analysis, position: Position, path: str, top: int, dark: bool
) -> bytes:
    """Return the picture of a position with the best moves, their ranks and chances."""
    from pavilion_ai.render.overlay import Shown

    searched = [stats for stats in analysis.moves[:top] if stats.known]
    moves = [Shown(stats.move, f"{rank}: {100 * stats.win_prob:.0f} %", strong=rank == 1)
             for rank, stats in enumerate(searched, 1)]
    moves = moves or [Shown(analysis.moves[0].move, "1", strong=True)]  # an agent without a search
    return picture(position, form_of(path) or "svg", moves, dark=dark)


def _print(analysis: Analysis, position: Position, top: int) -> None:
    from pavilion_ai.render.analysis_text import analysis_lines
    from pavilion_ai.render.text import width_of, write

    write(analysis_lines(analysis, position, top=top, width=width_of()))


@contextmanager
def _progress(stream: TextIO, top: int) -> Iterator[Callable[[Analysis], None] | None]:
    """Return a callback that shows interim tables on a terminal; None elsewhere."""
    from pavilion_ai.render.text import columns_of, console_for, is_terminal, rich_text

    if not is_terminal(stream) or (console := console_for(stream)).is_dumb_terminal:
        yield None
        return
    from rich.live import Live

    from pavilion_ai.render.analysis_text import analysis_lines

    with Live(console=console, auto_refresh=False, transient=True) as live:
        console.show_cursor(True)  # which the shell needs after Ctrl-Z

        def show(analysis: Analysis) -> None:
            console.width = columns_of(stream)
            rows = analysis_lines(analysis, None, top=top, width=console.width)
            live.update(rich_text(rows), refresh=True)

        yield show
