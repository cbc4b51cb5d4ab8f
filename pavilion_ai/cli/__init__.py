"""The command line (docs/cli.md).

Commands live in one file per group, which is imported when one of them is called. Modules that are
slow to import (the core, the search, colours) are imported inside the command that needs them, so
that `pavilion --help` answers at once.
"""

from __future__ import annotations

from typing import NoReturn

import click

from pavilion_ai.cli.program import Program

COMMANDS = {
    "new": ("positions", "Set up a new game and print its first position."),
    "show": ("positions", "Show a position, or convert it from one form to another."),
    "moves": (
        "positions",
        "List the legal moves, one per line; on a terminal with a description of each.",
    ),
    "apply": ("positions", "Play moves and print the position reached."),
    "suggest": ("suggest", "Suggest the best moves of a position, with estimates."),
    "rollout": (
        "rollout",
        "Play candidate moves on to the end, many times and with the same draws.",
    ),
    "solve": ("solve", "Solve a position of the last round exactly, by every move and every draw."),
    "play": ("play", "Play a game: a person against the engine, or engines among themselves."),
    "match": ("match", "Play a match of 2 to 4 agents and report the result with its error."),
    "tournament": (
        "match",
        "Play a tournament of many agents: a rating list and a table of all meetings.",
    ),
    "report": ("match", "Report the results of recorded matches and tournaments so far."),
    "openings": ("openings", "Make balanced positions for `match --from FILE`, one on each line."),
    "replay": ("records", "Walk through a recorded game, or list the games of FILE."),
    "review": ("review", "Judge every decision of the recorded games of FILE."),
    "stats": (
        "stats",
        "Count what recorded games tell: points by source, and what things are worth.",
    ),
    "puzzles": (
        "puzzles",
        "Find puzzles: positions in which one move is clearly best and weaker levels miss it.",
    ),
    "verify": ("records", "Replay all games of FILE and check every move, draw and score."),
    "import": ("imports", "Convert games and positions from Board Game Arena."),
    "engine": ("engine", "Answer requests, one JSON object per line."),
    "web": ("web", "Show a board in the browser: play, analyse, review."),
    "perft": ("positions", "Count the leaf nodes after DEPTH decisions (a check of the rules)."),
    "bench": ("bench", "Measure random games and search on one core."),
    "train": ("train", "Train a network by self-play."),
    "dataset": ("dataset", "Write decisions of games as arrays, for learning."),
}
"""The file of each command and what the help says of it, in the order of the help.

The words are the first sentence of the command's own help, so that no command is imported to be
listed (`tests/cli/test_help.py` compares them).
"""

HELP = """Play and analyse two board games, Azul and Azul: Summer Pavilion.

POS is a position: a code, a file, or - for standard input; the form (JSON, code or text) is
detected automatically. SPEC is an agent: default, default:level=1 to default:level=10,
ismcts:sims=1000, policy, greedy, random, or a program of your own, 'cmd:PROGRAM ARGS' (see Agents
in README.md). Data goes to standard output, notes to standard error. Exit codes: 0 done, 1 failed,
2 bad input, 130 interrupted.
"""


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from pavilion_ai.version import ENGINE_NAME, __version__

        click.echo(f"{ENGINE_NAME} {__version__}")
        context.exit()


@click.group(
    cls=Program,
    commands=COMMANDS,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Parse the arguments and run the command they name."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit; `arguments` defaults to those of the process."""
    cli.main(args=arguments, prog_name="pavilion")
    raise SystemExit(0)
