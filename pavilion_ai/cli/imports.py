"""The command `import`: games and positions from other sites."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pavilion_ai.cli.exits import DONE, CommandError
from pavilion_ai.cli.files import refuse_own
from pavilion_ai.cli.logs import begins, is_game, is_one, read_files
from pavilion_ai.cli.options import PLY, format_option, output_to
from pavilion_ai.cli.output import not_for_records, put_position
from pavilion_ai.cli.recording import games_of_play, recording
from pavilion_ai.cli.records import show_ply
from pavilion_ai.cli.said import note, say
from pavilion_ai.record.game import UNFINISHED

if TYPE_CHECKING:
    from pavilion_ai.bga import Outcome
    from pavilion_ai.record import GameRecord


@click.command("import")
@click.argument("site", metavar="bga", type=click.Choice(["bga"]))
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@click.option("--ply", type=PLY, metavar="N",
              help="Print only the position after N moves of a game.")
@click.option("--names", is_flag=True, help="Keep the names of the players in the records.")
@format_option
@output_to("Append records to a file, or write a position to it, whose suffix gives the form.")
def import_bga(
    site: str,
    paths: tuple[str, ...],
    ply: int | None,
    names: bool,
    form: str | None,
    output: str | None,
) -> int:
    """Convert games and positions from Board Game Arena.

    FILE (or -) holds the log of a game, which becomes a game record: one JSON line on standard
    output or at the end of OUT, unless OUT holds that game. Or it holds the data of a table's page,
    which becomes a position. A file with both is read as a log. Several files of one game are
    combined; a zip may hold them. How to save them: docs/bga.md.
    """
    refuse_own("-o", output, *paths)
    outcomes, problems = read_files(paths, names)
    games = [one for one in outcomes if is_game(one)]
    if len(games) < len(outcomes) and (len(outcomes) > 1 and output is not None):
        problems.append("-o: several positions, or positions and games; give one at a time")
    elif ply is not None or form is not None:
        _check_single(outcomes, games, ply)
        if outcomes:
            _put_single(outcomes[0], ply, form, output)
    else:
        _put_all(outcomes, output)
    if problems:
        raise CommandError(problems)
    return DONE


def _check_single(outcomes: Sequence[Outcome], games: Sequence[Outcome], ply: int | None) -> None:
    if len(outcomes) > 1:
        raise CommandError("--ply and --format are for one game or position, found"
                           f" {len(outcomes)}; give one file with one of them")
    if games and ply is None:
        raise CommandError("--format is for positions; with the log of a game give --ply N too")
    if outcomes and not games and ply is not None:
        raise CommandError(f"{outcomes[0].name}: --ply {ply}: is a position, not a game")


def _put_single(outcome: Outcome, ply: int | None, form: str | None, output: str | None) -> None:
    found: Any = outcome.found
    _refuse_games(output)
    if ply is None:
        put_position(found.position, form, output)
    else:
        show_ply(found.record, ply, form, output)


def _put_all(outcomes: Sequence[Outcome], output: str | None) -> None:
    games: list[Any] = []
    for outcome in outcomes:
        found: Any = outcome.found
        if not is_game(outcome):
            _refuse_games(output)
            put_position(found.position, None, output)
        elif output is None:
            say(json.dumps(found.record.to_json(), separators=(",", ":")))
        else:
            games.append(found.record)
    if output is not None and games:
        _append(output, games)


def _refuse_games(output: str | None) -> None:
    """Refuse to write a position over game records, to which `-o` adds games.

    Raises:
        CommandError: the output begins with one.
    """
    from pavilion_ai.record import read_entries

    if output is not None and os.path.isfile(output):
        first = next(read_entries(output), None)
        if first is not None and first.record is not None:
            raise CommandError(f"-o {output}: holds game records, which a position would replace;"
                               " choose another file")


def _append(output: str, games: Sequence[GameRecord]) -> None:
    """Append games to a file; of those that it holds it says so, and unfinished ones continue."""
    with recording(output) as recorder:
        earlier = games_of_play(recorder)
        if not earlier and not_for_records(output):
            raise CommandError(
                f"-o {output}: game records are not written like that, expected *.jsonl")
        held = {game.id: game for game in earlier}
        begun = earlier[-1].id if earlier and earlier[-1].reason == UNFINISHED else None
        tip = begun
        for game in games:
            known = max((one for one in held.values() if is_one(one, game)), default=None,
                        key=lambda one: (len(one.moves), one.reason != UNFINISHED))
            if known is not None and not _goes_on(known, game):
                note(f"{output} holds game {known.id} already")
                continue
            last = known is not None and known.id == tip
            grown = known is not None and begins(known, game)
            fresh = replace(game, id=known.id) if known is not None and (last or grown) else game
            recorder.write(fresh, known if last else None)
            if known is not None and fresh.id != known.id:
                note(f"{output}: game {known.id} is an earlier state of game {fresh.id}, in which"
                     " its last turn was taken back or it had the other boards; remove its line")
            tip = fresh.id
            held[fresh.id] = fresh
        if begun not in (None, tip) and held[begun].reason == UNFINISHED:
            note(f"{output}: game {begun} is unfinished and no longer the last, so `play --record`"
                 " does not resume it")


def _goes_on(known: GameRecord, game: GameRecord) -> bool:
    """Tell whether a record has more of its game than what is known."""
    return known.reason == UNFINISHED and (
        len(game.moves) > len(known.moves) or game.reason != UNFINISHED)
