"""The command `rollout`: play candidate moves on many times, with the same draws."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from pavilion_ai.bounds import DEFAULT_TRIALS, ENDS
from pavilion_ai.cli.exits import DONE, INTERRUPTED, CommandError
from pavilion_ai.cli.files import read_position
from pavilion_ai.cli.options import (
    COUNT,
    JOBS,
    SIMS,
    TRIALS,
    Amount,
    json_option,
    position_argument,
    processes,
    seed_option,
    tell_unused,
)
from pavilion_ai.cli.positions import nobody_to_move, understood
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.said import note, say

if TYPE_CHECKING:
    from pavilion_ai.play import Play
    from pavilion_ai.rollout import Rollout
    from pavilion_ai.workers import Workers

PERCENT = Amount(float, 50, "percent")
DEFAULT_MOVES = 3
CHOOSER, DEFAULT_SIMS = "default", 3000  # what finds the candidates


@click.command()
@position_argument
@click.option("--move", "moves", multiple=True, metavar="MOVE",
              help="Roll out this move; repeat for several.")
@click.option("--top", type=COUNT, metavar="K",
              help=f"Without --move: the best K moves of a search; default {DEFAULT_MOVES}.")
@click.option("--sims", type=SIMS, metavar="N",
              help=f"Simulations of that search; default {DEFAULT_SIMS}.")
@click.option("--agent", "spec", default="policy", show_default=True, metavar="SPEC",
              help="Agent that plays on for all seats.")
@click.option("--to", type=click.Choice(ENDS), default=ENDS[0], show_default=True,
              help="Where a trial ends; the round's end is valued after the next deal.")
@click.option("--trials", type=TRIALS, default=DEFAULT_TRIALS, show_default=True, metavar="N",
              help="Largest number of trials.")
@click.option("--error", type=PERCENT, metavar="PERCENT",
              help="Stop when the standard error of every difference is this small.")
@click.option("--all", "every", is_flag=True,
              help="Make all trials, even when the best move is decided.")
@seed_option("0")
@click.option("--jobs", type=JOBS, metavar="N", help="Trials at a time; default 1.")
@json_option
def rollout(
    pos: str,
    moves: tuple[str, ...],
    top: int | None,
    sims: int | None,
    spec: str,
    to: str,
    trials: int,
    error: float | None,
    every: bool,
    seed: int | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Play candidate moves on to the end, many times and with the same draws.

    The results judge the moves, not the search that found them. A trial plays on every candidate
    with the same tiles drawn, so differences are known better than values. It ends early when the
    best candidate leads every other one by 3 standard errors. Ctrl-C prints what is known.
    """
    from pavilion_ai.play import Play
    from pavilion_ai.rollout import check_roller, roll_out
    from pavilion_ai.workers.local import LocalWorkers

    if moves and top:
        raise CommandError("--move and --top exclude each other; give one of them")
    if moves:
        tell_unused("the moves of --move", ("--sims", sims))
    play = Play(read_position(pos))
    if play.turn is None:
        raise CommandError(nobody_to_move(play.chance))
    meant = [understood(text, play) for text in moves]
    check_roller(spec)

    def rolled(workers: Workers | None, progress: ProgressLine) -> Rollout:
        return roll_out(
            play,
            meant or _best(play, top or DEFAULT_MOVES, sims or DEFAULT_SIMS, seed or 0),
            agent=spec, to=to, trials=trials, error=(error or 0) / 100, until_decided=not every,
            seed=seed or 0, workers=workers,
            on_progress=lambda so_far: progress.show(f"trial {so_far} of {trials}"))

    try:
        number = processes(jobs, default=1)
        with (ProgressLine(elsewhere=True) as progress,
              LocalWorkers(number) if number > 1 else nullcontext() as workers):
            result = rolled(workers, progress)
    except KeyboardInterrupt:
        note("interrupted before the first trial")
        return INTERRUPTED
    if as_json:
        say(json.dumps(result.to_json()))
    else:
        _print(result, play)
    return INTERRUPTED if result.interrupted else DONE


def _best(play: Play, count: int, sims: int, seed: int) -> list[str]:
    """Return the best moves of a search."""
    from pavilion_ai.agents import make_agent
    from pavilion_ai.analysis import uninterrupted
    from pavilion_ai.limits import Limits

    found = uninterrupted(make_agent(CHOOSER).analyse(play, Limits(sims=sims), seed=seed))
    return [move.move for move in found.moves[:count]]


def _print(result: Rollout, play: Play) -> None:
    from pavilion_ai.render.rollout_text import rollout_lines
    from pavilion_ai.render.text import width_of, write

    write(rollout_lines(result, play.position, width=width_of()))
