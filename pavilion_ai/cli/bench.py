"""The command `bench`: speed of rules and search on this machine, and the search's signature."""

from __future__ import annotations

import json

import click

from pavilion_ai.cli.exits import DONE, FAILED, CommandError
from pavilion_ai.cli.options import SECONDS, json_option, tell_unused
from pavilion_ai.cli.said import say
from pavilion_ai.errors import printable

DEFAULT_SECONDS = 10.0
COLUMNS = (
    "random_games_per_second", "plies_per_second", "sims_per_second", "sims_per_second_linear",
)


@click.command()
@click.option(
    "--check", metavar="SIGNATURE", help="Only compare the signature; exit 1 if it differs."
)
@click.option("--seconds", type=SECONDS, metavar="SEC",
              help=f"Total time to spend; default {DEFAULT_SECONDS:g}.")
@json_option
def bench(check: str | None, seconds: float | None, as_json: bool) -> int:
    """Measure random games and search on one core.

    The signature is a number that depends on the results of fixed searches, not on speed: it
    changes only if the engine plays differently.
    """
    if check is not None and not check.strip():
        raise CommandError("--check: the signature is empty")
    from pavilion_ai.bench import run_bench, signature

    if check is not None:
        tell_unused("--check", ("--seconds", seconds))
        found = signature()
        if as_json:
            say(json.dumps({"signature": found, "expected": check, "same": found == check}))
        elif found == check:
            say(f"signature {found}: as expected")
        if found != check:
            say(f"error: signature {found}, expected {printable(check)}", err=True)
        return DONE if found == check else FAILED
    results = run_bench(seconds or DEFAULT_SECONDS)
    if as_json:
        say(json.dumps(results))
    else:
        _print_table(results)
    return DONE


def _print_table(report: dict[str, object]) -> None:
    say(f"pavilion-ai {report['version']} on {report['machine']}")
    say(f"signature {report['signature']}")
    say(f"{'':19} {'random games/s':>14} {'plies/s':>12} {'simulations/s':>14}"
        f" {'without network':>16}")
    results = report["results"]
    assert isinstance(results, dict)
    for name, row in results.items():
        numbers = (row[key] for key in COLUMNS)
        games, plies, sims, linear = (f"{number:,.0f}" for number in numbers)
        say(f"{name:19} {games:>14} {plies:>12} {sims:>14} {linear:>16}")
