"""The command line (CONTRACT.md section 2).

Commands live in one file per group, which is imported when one of them is called or the help is
printed. Modules that are slow to import (the core, the search, colours) are imported inside the
command that needs them, so that `pavilion --help` answers at once.
"""

from __future__ import annotations

from typing import NoReturn

import click

from pavilion_ai.cli.program import Program

COMMANDS = {
    **dict.fromkeys(("new", "show", "moves", "apply"), "positions"),
    **{name: name for name in ("suggest", "rollout", "solve", "play")},
    **dict.fromkeys(("match", "tournament", "report"), "match"),
    "openings": "openings",
    "replay": "records",
    **{name: name for name in ("review", "stats", "puzzles")},
    "verify": "records",
    "import": "imports",
    **{name: name for name in ("engine", "web")},
    "perft": "positions",
    **{name: name for name in ("bench", "train", "dataset")},
}
"""The file of each command, in the order of the help."""

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
    cls=Program, homes=COMMANDS, help=HELP, context_settings={"help_option_names": ["-h", "--help"]}
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
