"""Options that several commands have, and checks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pavilion_ai.bounds import (
    ANALYSIS_SECONDS,
    MAX_DEPTH,
    MAX_GAMES,
    MAX_JOBS,
    MAX_LEVEL,
    MAX_MEMORY_MIB,
    MAX_SECONDS,
    MAX_SEED,
    MAX_SHOWN_MOVES,
    MAX_SIMS,
    MAX_THREADS,
    MAX_TRIALS,
    Range,
)
from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.said import note
from pavilion_ai.errors import shown

if TYPE_CHECKING:
    from pavilion_ai.clock import TimeControl
    from pavilion_ai.games import Rules
    from pavilion_ai.limits import Limits
    from pavilion_ai.position import Position

F = TypeVar("F", bound=Callable[..., Any])

FORMS = ("text", "json", "code")
PICTURES = ("svg", "png")


class Amount(click.ParamType):  # type: ignore[type-arg]    # generic from click 8.4 on
    """A number up to a maximum: a whole number of at least `minimum`, or a float above zero.

    With a `minimum` of zero a float may be zero, too.
    """

    def __init__(
        self, kind: type[int] | type[float], maximum: float, name: str, minimum: int = 1
    ) -> None:
        self.name = name
        if kind is int:
            self.range = Range(int, minimum, maximum)
            self.expected = self.range.expected
        else:
            self.range = Range(float, 0, maximum, above=minimum > 0)
            above = "above 0 and up to" if minimum > 0 else "from 0 to"
            self.expected = f"a number {above} {maximum:.0f}"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float:
        """Return the number, or fail naming the expected range."""
        number = self.range.read(str(value))
        if number is None:
            self.fail(f"{shown(str(value))} is not {self.expected}", param, ctx)
        return number


class _Clock(click.ParamType):  # type: ignore[type-arg]
    """A clock for a whole game, such as `60+0.5`."""

    name = "clock"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> TimeControl:
        """Return the clock, or fail naming the expected form."""
        from pavilion_ai.clock import TimeControl
        from pavilion_ai.errors import SpecError

        if isinstance(value, TimeControl):
            return value
        try:
            return TimeControl.parse(str(value))
        except SpecError as error:
            self.fail(str(error), param, ctx)


CLOCK = _Clock()
SECONDS = Amount(float, MAX_SECONDS, "seconds")
SECONDS_OR_NONE = Amount(float, MAX_SECONDS, "seconds", minimum=0)
SIMS = Amount(int, MAX_SIMS, "count")
THREADS = Amount(int, MAX_THREADS, "count")
JOBS = Amount(int, MAX_JOBS, "count")
COUNT = Amount(int, MAX_SHOWN_MOVES, "count")
TRIALS = Amount(int, MAX_TRIALS, "count")
GAMES = Amount(int, MAX_GAMES, "count")
MEMORY = Amount(int, MAX_MEMORY_MIB, "MiB")
SEED = Amount(int, MAX_SEED, "seed", minimum=0)
DEPTH = Amount(int, MAX_DEPTH, "depth", minimum=0)
PLY = Amount(int, 99_999, "ply", minimum=0)  # far above the longest game
LEVEL = Amount(int, MAX_LEVEL, "level")
PLAYERS = Amount(int, 4, "count", minimum=2)

position_argument = click.argument("pos", metavar="POS")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
format_option = click.option(
    "--format",
    "form",
    type=click.Choice([*FORMS, *PICTURES]),
    help="Form of the position; default: a drawing and the code on a terminal, the code elsewhere.",
)


def output_to(use: str) -> Callable[[F], F]:
    """Return `-o`, with its use as help; `-` is standard output."""
    return click.option("-o", "output", metavar="OUT", help=use,
                        callback=lambda _context, _option, path: None if path == "-" else path)


output_option = output_to("Write the position to a file; its suffix gives the form.")
dark_option = click.option("--dark", is_flag=True, help="Draw the picture for a dark background.")

jobs_option = click.option("--jobs", type=JOBS, metavar="N",
                           help="Games at a time; default: one per processor (fewer if agents have"
                           " threads).")


def seed_option(default: str) -> Callable[[F], F]:
    """Return `--seed`; the command applies the default, which the help names."""
    return click.option("--seed", type=SEED, metavar="N",
                        help=f"Seed of all random choices; default: {default}.")


def option_elsewhere(name: str, here: str) -> Callable[[F], F]:
    """Refuse an option of a kindred command, and name the one that stands for it here."""
    def refuse(context: click.Context, _: click.Parameter, value: object) -> None:
        if value is not None:
            raise click.NoSuchOption(
                name, f"No such option {name!r}. Did you mean {here!r}?", ctx=context)

    return click.option(name, hidden=True, expose_value=False, is_eager=True, callback=refuse)


def limit_options(command: F, default: float = ANALYSIS_SECONDS) -> F:
    """Add `--time` and `--sims`, which exclude each other.

    Args:
        default: seconds named in the help as the default; the command applies it.
    """
    command = click.option("--sims", type=SIMS, metavar="N",
                           help="Simulations per decision.")(command)
    return click.option("--time", "seconds", type=SECONDS, metavar="SEC",
                        help=f"Seconds per decision; default {default:g}.")(command)


def one_limit(seconds: float | None, sims: int | None, timed: str = "--time",
              clock: object = None) -> None:
    """Refuse two limits at once; `timed` is the name of the option with the seconds."""
    given = [name for name, value in ((timed, seconds), ("--sims", sims), ("--clock", clock))
             if value is not None]
    if len(given) > 1:
        raise CommandError(f"{given[0]} and {given[1]} exclude each other; give one of them")


def limits_for(
    spec: str, seconds: float | None, sims: int | None, default: float = ANALYSIS_SECONDS
) -> Limits | None:
    """Return the user's limits, None if the spec has its own, else the default time."""
    from pavilion_ai.limits import Limits
    from pavilion_ai.spec import parse_spec

    if seconds is None and sims is None:
        if parse_spec(spec).has_limit:
            return None
        seconds = default
    return Limits(sims=sims, seconds=seconds)


class _OfGames(click.Option):
    """An option whose help names games or boards, once it is shown: they are slow to import."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        from pavilion_ai.games import DEFAULT_GAME, GAMES

        record = super().get_help_record(ctx)
        boards = dict.fromkeys(board for rules in GAMES.values() for board in rules.boards)
        return record and (record[0], record[1].format(
            games=" or ".join(GAMES), default=DEFAULT_GAME, boards=" or ".join(boards)))


def game_options(command: F) -> F:
    """Add the options that describe a new game."""
    for option in (
        click.option("--players", type=PLAYERS, metavar="N", help="Number of players; default 2."),
        click.option("--board", cls=_OfGames, metavar="SIDE",
                     help="Side of the boards, {boards}; default coloured."),
        click.option("--game", cls=_OfGames, metavar="GAME",
                     help="Game, {games}; default {default}."),
    ):
        command = option(command)
    return command


def the_variant(name: str | None, board: str | None, players: int | None,
                counted: str = "--players") -> tuple[Rules, str, int]:
    """Return the rules, side and players of `game_options`, None where one is not given.

    They are checked. `counted` is the option that sets the players.
    """
    from pavilion_ai.games import DEFAULT_GAME, GAMES

    name, board = DEFAULT_GAME if name is None else name, "coloured" if board is None else board
    players = 2 if players is None else players
    problems = []
    rules = GAMES.get(name)
    if rules is None:
        raise CommandError(f"--game: no game {name!r}; expected {', '.join(GAMES)}")
    if board not in rules.boards:
        problems.append(f"--board: no side {board!r}; expected {', '.join(rules.boards)}")
    if not rules.min_players <= players <= rules.max_players:
        allowed = f"{rules.min_players} to {rules.max_players}"
        problems.append(f"{counted}: {players} is not {allowed}")
    if problems:
        raise CommandError(problems)
    return rules, board, players


def check_agents(specs: Iterable[str], start: Position) -> None:
    """Refuse agents that would fail during the game: missing programs and unsuitable networks.

    Raises:
        CommandError: a program cannot be found (one line for each).
        NetworkError: a network file is invalid, or for a variant other than that of `start`.
    """
    from pavilion_ai.external import program_problem
    from pavilion_ai.network import network_for
    from pavilion_ai.spec import parse_spec

    parsed = [parse_spec(spec) for spec in specs]
    commands = {spec.command for spec in parsed} - {""}
    problems = [problem for command in sorted(commands)
                if (problem := program_problem(command)) is not None]
    if problems:
        raise CommandError(problems)
    granted(max([spec.threads for spec in parsed], default=1))
    for spec in parsed:
        if spec.net_file is not None:
            network_for(spec.net_file, start)


def tell_unused(where: str, *given: tuple[str, object]) -> None:
    """Note the options that are given though they have no effect there."""
    for option, value in given:
        if value is not None:
            note(f"{option} has no effect on {where}")


def granted(wanted: int) -> int:
    """Return how many of the threads requested a search has; a note says so if these are fewer."""
    from pavilion_ai.processors import cores
    from pavilion_ai.search import most_threads, note_of_threads

    if (told := note_of_threads(wanted, cores())) is not None:
        note(told)
    return min(wanted, most_threads())


def processes(jobs: int | None, default: int | None = None) -> int:
    """Return how many processes `--jobs` starts: at most one for each processor, with a note.

    Args:
        default: number without the option; None for one for each processor.
    """
    from pavilion_ai.processors import cores, threads_note

    if jobs is not None and jobs > cores():
        note(threads_note(jobs, cores(), "--jobs"))
    return min(jobs or default or cores(), cores())


def room_for(specs: Iterable[str]) -> int:
    """Return how many processes have room for the threads of such agents."""
    from pavilion_ai.processors import cores
    from pavilion_ai.search import most_threads
    from pavilion_ai.spec import parse_spec

    return cores() // min(most_threads(), max(parse_spec(spec).threads for spec in specs))
