"""The command `train`: train a network from scratch, or resume an interrupted run."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pavilion_ai.cli.exits import DONE, CommandError
from pavilion_ai.cli.files import check_folder
from pavilion_ai.cli.options import (
    GAMES,
    SIMS,
    THREADS,
    Amount,
    game_options,
    seed_option,
)
from pavilion_ai.cli.program import broken_off
from pavilion_ai.cli.progress import ProgressLine, time_left
from pavilion_ai.cli.said import as_command, note, say
from pavilion_ai.cli.workers import check_cluster, worker_options, workers_of
from pavilion_ai.errors import file_fault

if TYPE_CHECKING:
    from pavilion_ai.train.loop import Progress
    from pavilion_ai.train.recipe import Recipe
    from pavilion_ai.workers import Workers

GENERATIONS = Amount(int, 1000, "count")


@click.command()
@click.option("--out", metavar="DIR", required=True,
              help="Folder of the run; the same command resumes it, or --out alone once its own"
                   " games have begun.")
@click.option("--recipe", metavar="NAME", help="Recipe: a name or a file; see docs/training.md.")
@game_options
@seed_option("that of the recipe")
@click.option("--generations", type=GENERATIONS, metavar="N",
              help="Number of rounds of self-play and learning.")
@click.option("--games", type=GAMES, metavar="N", help="Games per generation.")
@click.option("--full-sims", type=SIMS, metavar="N", help="Simulations of a full search.")
@click.option("--fast-sims", type=SIMS, metavar="N", help="Simulations of any other search.")
@click.option("--threads", type=THREADS, metavar="N",
              help="Threads for learning; the result depends on it.")
@click.option("--start-from", metavar="FILE",
              help="File of a network or folder of a run to start from, a shipped network (NAME;"
                   " ./NAME is a file or folder), or recipe:NAME.")
@worker_options
@click.option("--json", "as_json", is_flag=True,
              help="Print the lines of the log, one JSON object each.")
def train(out: str, recipe: str | None, jobs: int | None, cluster: str | None, as_json: bool,
          start_from: str | None, **changes: Any) -> int:
    """Train a network by self-play. It needs `pip install 'pavilion-ai[train]'`.

    A run can be interrupted at any time and resumed.
    """
    from pavilion_ai.train.folder import RECIPE
    from pavilion_ai.train.model import load_torch

    check_folder(out)
    check_cluster(cluster)
    wanted = _recipe(out, recipe, {**changes, "start": start_from})
    load_torch()
    with workers_of(jobs, cluster) as workers, _Lines(as_json) as lines:
        try:
            result = run_recipe(Path(out), wanted, workers, lines)
        except (KeyboardInterrupt, OSError) as error:
            lines.line.wipe()
            begun = (Path(out) / RECIPE).exists()
            words = [f"resume with: pavilion train --out {as_command([out])}"] if begun else []
            return broken_off(error, *words)
    if not as_json:
        say(f"result: {result}")
    return DONE


def run_recipe(path: Path, recipe: Recipe, workers: Workers, lines: Progress) -> Path:
    """Do a run, or the rest of it; return the path of its result.

    If the run starts from another recipe, that recipe's run comes first, in the same folder.
    """
    from pavilion_ai.train.folder import FIRST, RECIPE, START, Folder, locked
    from pavilion_ai.train.loop import Training, start_file, start_network
    from pavilion_ai.train.recipe import OF_RECIPE, read_recipe, recipes_before

    before, content, file = recipes_before(recipe), None, None
    begun = (path / RECIPE).exists()
    start = read_recipe(path / RECIPE).start if begun else None
    if before and begun:  # its start is there too
        if start and _began_with(path, before[0]):
            recipe = replace(recipe, start=start)
    elif before:
        with locked(path):
            first = run_recipe(path / FIRST, before[0], workers, lines)
        recipe = replace(recipe, start=str(first))
    if recipe.start is not None and not recipe.start.startswith(("sha256:", OF_RECIPE)):
        file = start_file(recipe.start)
        if start and (path / START).exists() and not file.exists():
            note(f"{recipe.start}: missing; the run has a copy of what it started from")
            recipe, file = replace(recipe, start=start), None
        else:
            recipe, content = start_network(recipe)
    try:
        folder = Folder(path, recipe, content)
    except OSError as error:
        raise CommandError(file_fault(error.filename or path, error)) from None
    with folder:
        return Training(folder, workers, lines, file).run()


def _began_with(path: Path, first: Recipe) -> bool:
    """Tell whether a run began with the network of another recipe's run.

    Recipes without a name were called `default` before their files named them.
    """
    from pavilion_ai.network import read_network
    from pavilion_ai.train.folder import FIRST, RECIPE, START
    from pavilion_ai.train.recipe import DEFAULT, read_recipe, shipped_recipes

    there = path / FIRST / RECIPE
    if there.exists():
        found = replace(read_recipe(there), name=first.name, start=None)
        return found == replace(first, start=None)
    trained = read_network(path / START)[0].trained  # `first` was removed
    return trained.get("recipe") in {
        first.name, first.name if first.name in shipped_recipes() else DEFAULT}


def _recipe(out: str, name: str | None, changes: Mapping[str, Any]) -> Recipe:
    """Return the requested recipe, else that of the folder, else the default one.

    The default one has room for the network to start from.
    """
    from pavilion_ai.train.folder import FIRST, RECIPE
    from pavilion_ai.train.loop import start_hidden
    from pavilion_ai.train.recipe import DEFAULT, OF_RECIPE, RecipeError, read_recipe

    there, start = Path(out) / RECIPE, changes["start"] or ""
    plain = name is None and not there.exists()
    if plain and (Path(out) / FIRST).exists() and not start.startswith(OF_RECIPE):
        raise CommandError(f"{out}: interrupted in the run that it starts from, expected"
                           " the same --recipe or --start-from again")
    recipe = read_recipe(name if name is not None else DEFAULT if plain else there)
    try:
        recipe = recipe.changed(**changes)
    except RecipeError as error:
        place, _, fault = str(error).partition(": ")
        setting = place.rpartition(".")[2]
        if changes.get(setting) is None:
            raise
        option = "start-from" if setting == "start" else setting.replace("_", "-")
        raise CommandError(f"--{option}: {fault}") from None
    return recipe.widened(start_hidden(start)) if plain and start else recipe


UNITS = {"play": "games", "play again": "games", "calibrate": "games", "learn": "steps",
         "finish": "steps", "gate": "deals", "finish gate": "deals"}
"""What is counted in each stage."""


class _Lines:
    """Prints one line per stage; shows progress on standard error."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self.line = ProgressLine(elsewhere=True)
        self._generations = 0
        self._part: tuple[str, int] | None = None
        self._begun, self._before = 0.0, 0  # when the part began, and how much was done then

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self.line.wipe()

    def stage(self, entry: Mapping[str, Any], /) -> None:
        """Print a finished stage."""
        self.line.wipe()
        self._part = None
        if entry["stage"] == "begin":
            self._generations = entry["generations"]
        if self._as_json:
            say(json.dumps(entry))
        elif (text := _stage_text(entry)) is not None:
            say(text)
        sys.stdout.flush()

    def part(
        self, stage: str, generation: int, done: int, total: int, /, **numbers: float
    ) -> None:
        """Show the progress of a stage from time to time."""
        if self._part != (stage, generation):
            self._part = stage, generation
            self._begun, self._before = time.monotonic(), done
        where = _where(stage, generation)
        if where.startswith("generation"):
            where += f" ({generation + 1} of {self._generations})"
        text = f"{where}: {done:,} of {total:,} {UNITS[stage]}"
        if "rate" in numbers:
            text += f", {numbers['rate']:.1f} games/s"
        text += time_left(self._begun, done - self._before, total - done)  # a line may be cut off
        if "win" in numbers:
            text += f", loss of win {numbers['win']:.4f}"
        if "policy" in numbers:
            text += f", of policy {numbers['policy']:.4f}"
        self.line.show(text)


def _where(stage: str, generation: object) -> str:
    """Return a part of the run in words."""
    if stage == "calibrate":
        return "calibration"
    return "finish" if stage in ("finish", "finish gate") else f"generation {generation}"


def _stage_text(entry: Mapping[str, Any]) -> str | None:
    """Return a stage of the log in words; None if it is not reported."""
    where = _where(entry["stage"], entry.get("generation"))
    match entry["stage"]:
        case "begin":
            start = f", starts from {entry['start']}" if entry["start"] else ""
            return f"{entry['folder']}: recipe {entry['name']}{start}"
        case "play":
            player = entry["network"] or "the linear heuristics"
            size = 1000 * entry["megabytes"] / max(1, entry["games"])
            others = entry["by_another"]
            foreign = f" ({others:,} by another network)" if others else ""
            return (f"{where}: {entry['games']:,} games by {player}{foreign}, mean score"
                    f" {entry['score']:.1f}, {entry['games_per_second']:.1f} games/s,"
                    f" {size:.1f} kB per game")
        case "play again":
            return f"{where}: {entry['games']:,} games played again, whose files were missing"
        case "learn" | "finish":
            losses, fresh = entry["losses"], entry["fresh"]
            text = (f"{where}: {entry['steps']:,} steps on"
                    f" {entry['records']:,} records, {entry['seconds']:.0f} s, losses"
                    f" {_losses(losses)}")
            if fresh is not None:
                text += f"; on new games before {_losses(fresh)}"
            return text
        case "calibrate":
            from pavilion_ai.network import LARGEST_SCALE, SMALLEST_SCALE

            bound = {SMALLEST_SCALE: " (the smallest allowed)",
                     LARGEST_SCALE: " (the largest allowed)"}.get(entry["scale"], "")
            return (f"{where}: {entry['games']:,} games by {entry['network']}, mean score"
                    f" {entry['score']:.1f}; win shares to the power of {entry['scale']:.3f}"
                    f"{bound}, their loss {entry['before']:.4f}, then {entry['after']:.4f};"
                    f" on these games {_losses(entry['fresh'], moves=False)}")
        case "gate" | "finish gate":
            return (f"{where}: {100 * entry['share']:.1f} ± {100 * entry['error']:.1f} % of"
                    f" {entry['deals']} deals against {entry['against'] or 'the linear heuristics'}"
                    f" ({entry['score']:.1f} points to {entry['score_of_others']:.1f}):"
                    f" {'takes over' if entry['passed'] else 'does not take over'}")
    return None


def _losses(losses: Mapping[str, float | None], moves: bool = True) -> str:
    """Return losses in words; no moves are learned from the games of a calibration."""
    from pavilion_ai.network import VALUES

    names = (*VALUES, "policy") if moves else VALUES
    return ", ".join(
        f"no {'moves' if name == 'policy' else name}" if losses[name] is None
        else f"{name} {losses[name]:.4f}" for name in names)
