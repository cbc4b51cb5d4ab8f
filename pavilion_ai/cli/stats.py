"""The command `stats`: what recorded games, or games of self-play, tell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from pavilion_ai.cli.exits import DONE, INTERRUPTED, CommandError
from pavilion_ai.cli.options import (
    GAMES,
    JOBS,
    check_agents,
    game_options,
    json_option,
    processes,
    room_for,
    seed_option,
    the_variant,
)
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.records import NAMED_GAMES, check_files, jobs_for
from pavilion_ai.cli.said import note, say
from pavilion_ai.errors import file_fault
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pavilion_ai.facts.groups import Group, Groups

DEFAULT_GAMES = 1000
MOST_PLAYED = 2


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE]...")
@click.option("--against", multiple=True, metavar="FILE",
              help="Also count the games of this file, and compare; repeat for several.")
@click.option("--play", "specs", multiple=True, metavar="SPEC",
              help="Instead of FILE: play games of SPEC against itself; twice to compare two.")
@click.option("--games", type=GAMES, metavar="N",
              help=f"Games of self-play; default {DEFAULT_GAMES}.")
@game_options
@seed_option("0")
@click.option("--jobs", type=JOBS, metavar="N",
              help="Games at a time; default: up to one per processor if there are many"
                   " (fewer if agents have threads).")
@json_option
def stats(
    paths: tuple[str, ...],
    against: tuple[str, ...],
    specs: tuple[str, ...],
    games: int | None,
    game: str | None,
    board: str | None,
    players: int | None,
    seed: int | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Count what recorded games tell: points by source, and what things are worth.

    For each variant and agent: where the points come from, for winners and others; how often stars,
    numbers, rows ... are completed, and what such seats win; what each thing on the board is worth
    in chance to win, from a regression; drafts and openings by kind of display; the start token.
    Games that did not finish or do not begin with a new game are left out. Ctrl-C prints what is
    known. docs/strategy.md says how to read it.
    """
    if bool(paths) == bool(specs):
        raise CommandError("expected FILE, or --play SPEC, and not both")
    if specs:
        if against:
            raise CommandError("--against is for FILE; give --play a second time")
        sets = _played(specs, games, game, board, players, seed, jobs)
    else:
        given = [name for name, value in (
            ("--games", games), ("--game", game), ("--board", board), ("--players", players),
            ("--seed", seed)) if value is not None]
        if given:
            raise CommandError(f"{', '.join(given)}: for --play SPEC only")
        sets = _read(paths, against, jobs)
    if as_json:
        _print_json(sets)
    else:
        _print(sets)
    return INTERRUPTED if any(one.interrupted for one in sets) else DONE


def _played(specs: Sequence[str], games: int | None, game: str | None, board: str | None,
            players: int | None, seed: int | None, jobs: int | None) -> list[Groups]:
    from pavilion_ai.facts.groups import SelfPlay, Variant, count_self_play
    from pavilion_ai.rollout import check_roller

    if len(specs) > MOST_PLAYED:
        raise CommandError(f"--play: found {len(specs)}, expected at most {MOST_PLAYED}")
    rules, board, players = the_variant(game, board, players)
    variant, opening = Variant(rules.name, board, players), rules.new(board, players, seed=0)
    for spec in specs:
        check_roller(spec)
    check_agents(specs, opening)
    count = games or DEFAULT_GAMES
    number = processes(jobs, default=room_for(specs))
    found: list[Groups] = []
    for spec in specs:
        if found and found[-1].interrupted:
            break
        with ProgressLine(elsewhere=True) as progress:
            found.append(count_self_play(
                SelfPlay(variant, spec, count, seed or 0), jobs=number,
                on_game=lambda so_far: progress.show(f"games: {so_far:,} of {count:,}")))
    return _some(found)


def _read(paths: Sequence[str], against: Sequence[str], jobs: int | None) -> list[Groups]:
    from pavilion_ai.facts.groups import count_files

    check_files([*paths, *against])
    number = processes(jobs, default=jobs_for([*paths, *against]))
    found: list[Groups] = []
    for files in filter(None, (paths, against)):
        if found and found[-1].interrupted:
            break
        with ProgressLine() as progress:
            try:
                found.append(count_files(
                    files, jobs=number, on_game=lambda games: progress.show(
                        f"{plural(games, 'game')} counted")))
            except OSError as error:
                raise CommandError(file_fault(error.filename or files[0], error)) from None
        _tell(found[-1], files)
    if (len(found) > 1 and not found[-1].interrupted
            and not any(other for _, other in _pairs(found))):
        raise CommandError("--against: none of its games is of a variant of the others")
    return _some(found)


def _tell(found: Groups, files: Sequence[str]) -> None:
    """Say which games were left out; refuse files without any that count."""
    from pavilion_ai.record.reading import nothing_in

    if not found.games and not found.interrupted:
        where = ", ".join(files)
        raise CommandError(nothing_in(where, "no game counts", found.left_out[0], found.left)
                           if found.left else f"{where}: no games")
    for problem in found.left_out[:NAMED_GAMES]:
        note(f"left out: {problem}")
    if found.left > NAMED_GAMES:
        note(f"left out: {found.left - NAMED_GAMES} more")


def _some(found: list[Groups]) -> list[Groups]:
    if not any(one.games for one in found):
        raise CommandError("interrupted before the first games were counted", INTERRUPTED)
    return found


def _pairs(sets: Sequence[Groups]) -> list[tuple[Group, Group | None]]:
    """Return the groups of the first set, each with the largest of its variant in the second."""
    second = sets[1].found() if len(sets) > 1 else []
    return [(group, next((one for one in second if one.variant == group.variant), None))
            for group in sets[0].found()]


def _print_json(sets: Sequence[Groups]) -> None:
    from pavilion_ai.facts.tally import less

    groups = []
    for group, other in _pairs(sets):
        entry = group.to_json()
        if other is not None:
            entry["against"] = other.to_json()
            entry["above"] = [less(mine, its).to_json()
                              for mine, its in zip(group.tables, other.tables, strict=True)]
        groups.append(entry)
    say(json.dumps({
        "games": sets[0].games, "left_out": sum(one.left for one in sets),
        "interrupted": any(one.interrupted for one in sets), "groups": groups}, allow_nan=False))


def _print(sets: Sequence[Groups]) -> None:
    from pavilion_ai.render.facts_text import group_lines
    from pavilion_ai.render.text import width_of, write

    for number, (group, other) in enumerate(_pairs(sets)):
        write([*([()] if number else []), *group_lines(group, other, width_of())])
