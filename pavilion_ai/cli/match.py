"""The commands `match`, `tournament` and `report`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pavilion_ai.bounds import DEFAULT_RISK, SYSTEMS, read_number
from pavilion_ai.cli.arena import (
    ROUNDS,
    Options,
    arena_options,
    check_other_forms,
    conduct,
    plot_option,
    show_report,
    starts_of,
    table_option,
)
from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.options import json_option, option_elsewhere
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.records import NAMED_GAMES, check_files, jobs_for, print_notes
from pavilion_ai.cli.said import note
from pavilion_ai.errors import file_fault
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.match.event import Entrant, Event, Settings
    from pavilion_ai.stats import Sprt

DEFAULT_PAIRS = 50
MOST_SEATS = 4


class _Chance(click.ParamType):  # type: ignore[type-arg]    # generic from click 8.4 on
    """An error probability: above 0, below one half."""

    name = "chance"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = read_number(str(value), float)
        if number is None or not 0 < number < 0.5:
            self.fail(f"{value!r} is not a number above 0 and below 0.5", param, ctx)
        return float(number)


@click.command()
@click.argument("specs", metavar="SPEC SPEC [SPEC SPEC]", nargs=-1, required=True)
@click.option("--pairs", type=ROUNDS, metavar="N",
              help=f"Deals, each played from every seat; default {DEFAULT_PAIRS}, or as many as"
                   " --from has positions; with --sprt no limit.")
@click.option("--sprt", "bounds", metavar="ELO0,ELO1",
              help="Sequential test: play until the games decide between two advantages of the"
              " first SPEC, in normalised Elo; at most --pairs deals.")
@click.option("--alpha", type=_Chance(), default=DEFAULT_RISK, show_default=True,
              help="Probability of accepting ELO1 if ELO0 is true.")
@click.option("--beta", type=_Chance(), default=DEFAULT_RISK, show_default=True,
              help="Probability of accepting ELO0 if ELO1 is true.")
@option_elsewhere("--rounds", "--pairs")
@arena_options
def match(specs: tuple[str, ...], pairs: int | None, bounds: str | None, alpha: float, beta: float,
          **options: Any) -> int:
    """Play a match of 2 to 4 agents and report the result with its error.

    Every deal is played from every rotation of the seats, with the same tiles where possible.
    --time and --sims limit agents whose SPEC sets no limit. docs/arena.md explains Elo and error.
    """
    asked = Options(**options)
    if not 2 <= len(specs) <= MOST_SEATS:
        raise CommandError(f"SPEC: found {len(specs)}, expected 2 to {MOST_SEATS} agents")
    if asked.players not in (None, len(specs)):
        raise CommandError(f"--players {asked.players}: a match has a seat for each of its"
                           f" {len(specs)} agents; `pavilion tournament` seats many in turn")
    sprt = _sprt(bounds, alpha, beta)
    starts = starts_of(asked)
    if starts and starts[0].players != len(specs):
        raise CommandError(f"{asked.source}: positions for {starts[0].players} players, expected"
                           f" {len(specs)}, a seat for each SPEC")
    if pairs is None and sprt is None:
        pairs = len(starts) or DEFAULT_PAIRS

    def make(entrants: tuple[Entrant, ...], settings: Settings) -> Event:
        from pavilion_ai.match.event import Event

        return Event("match", entrants, settings, pairs, sprt)

    return conduct(specs, len(specs), asked, make, starts)


def _sprt(bounds: str | None, alpha: float, beta: float) -> Sprt | None:
    if bounds is None:
        if (alpha, beta) != (DEFAULT_RISK, DEFAULT_RISK):
            raise CommandError("--alpha and --beta are for the test: they need --sprt ELO0,ELO1")
        return None
    from pavilion_ai.stats import Sprt

    numbers = [read_number(part.strip(), float) for part in bounds.split(",")]
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
        raise CommandError(f"--sprt: found {bounds!r}, expected ELO0,ELO1 such as 0,10")
    return Sprt(numbers[0], numbers[1], alpha, beta)


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True)
@json_option
@plot_option
@table_option
def report(
    paths: tuple[str, ...], as_json: bool, plots: tuple[str, ...], tables: tuple[str, ...]
) -> None:
    """Report the results of recorded matches and tournaments so far.

    Every game is checked as `verify` checks it. Several events, in one file or in several, are
    rated together if game, board and number of players are the same; games that are left out are
    named on standard error.
    """
    from pavilion_ai.errors import RecordError
    from pavilion_ai.match.recorded import recorded

    check_other_forms(plots, tables, paths)
    check_files(paths)
    with ProgressLine() as progress:
        try:
            found = recorded(
                paths, jobs=jobs_for(paths),
                on_read=lambda games: progress.show(f"{plural(games, 'game')} read"),
                on_game=lambda games: progress.show(f"{plural(games, 'game')} checked"))
        except OSError as error:
            raise CommandError(file_fault(error.filename or paths[0], error)) from None
        except RecordError as error:
            raise CommandError(str(error).splitlines()) from None
    for left in found.left_out[:NAMED_GAMES]:
        note(f"left out: {left}")
    more = sum(left.lines for left in found.left_out[NAMED_GAMES:])
    if more:
        note(f"left out: {more:,} more; `pavilion verify` names faults,"
             " --json all games that are left out")
    print_notes("", found.notes)
    show_report(found.event, found.results, as_json, plots, tables, found)


@click.command()
@click.argument("specs", metavar="SPEC SPEC SPEC...", nargs=-1, required=True)
@click.option("--system", type=click.Choice(SYSTEMS), default=SYSTEMS[0], show_default=True,
              help="All against all, the first against all others, each against the next two"
              " in the list, or by standings.")
@click.option("--rounds", type=ROUNDS, metavar="N",
              help="Deals per meeting, by default 10 (Swiss: meetings per agent, by default by"
                   " their number).")
@option_elsewhere("--pairs", "--rounds")
@arena_options
def tournament(specs: tuple[str, ...], system: str, rounds: int | None, **options: Any) -> int:
    """Play a tournament of many agents: a rating list and a table of all meetings.

    In each round every agent meets every other (Swiss: one opponent near it in the standings) on
    one deal, played from every rotation of the seats. --players 3 or 4 makes larger tables.
    """
    asked = Options(**options)
    starts = starts_of(asked)
    players = starts[0].players if starts else 2 if asked.players is None else asked.players
    if len(specs) <= players:
        raise CommandError(f"SPEC: found {len(specs)}, expected at least {players + 1} agents for"
                           f" tables of {players}; `pavilion match` seats 2 to {MOST_SEATS} agents"
                           " at one table")

    def make(entrants: tuple[Entrant, ...], settings: Settings) -> Event:
        from pavilion_ai.match.event import Event
        from pavilion_ai.match.schedule import default_rounds

        return Event(system, entrants, settings, rounds or default_rounds(system, len(specs)))

    return conduct(specs, players, asked, make, starts)
