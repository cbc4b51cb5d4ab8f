"""Measure how strong the levels of play are, and print the table of docs/strength.md.

    python bench/levels.py --deals 100 --time 0.2 --jobs 2
    python bench/levels.py --game azul --players 3 --board grey

Levels play those next to them, from every seat of every deal; who is further apart than that
teaches little. `greedy` meets the lower half, `random` the lowest. The ratings are those of
`pavilion tournament` (Plackett-Luce, 95 % intervals from a bootstrap over deals), level 1 is 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations

from pavilion_ai.analysis import Limits
from pavilion_ai.bench import machine
from pavilion_ai.bounds import MAX_LEVEL
from pavilion_ai.games import GAMES
from pavilion_ai.levels import level_of
from pavilion_ai.match.event import Settings
from pavilion_ai.match.results import Result, result_of
from pavilion_ai.match.schedule import Pair
from pavilion_ai.match.table import Task, play
from pavilion_ai.stats import Estimate, ratings
from pavilion_ai.version import __version__

LEVELS = tuple(f"default:level={number}" for number in range(1, MAX_LEVEL + 1))
SPECS = (*LEVELS, "greedy", "random")
GREEDY, RANDOM = MAX_LEVEL, MAX_LEVEL + 1
RESAMPLES = 1000


def tables(players: int) -> list[tuple[int, ...]]:
    """List who meets whom: numbers of `SPECS`."""
    neighbours = [
        (one, *others)
        for one in range(MAX_LEVEL)
        for others in combinations(range(one + 1, min(one + players + 1, MAX_LEVEL)), players - 1)
    ]
    anchors = [(GREEDY, *range(one, one + players - 1)) for one in range(MAX_LEVEL // 2)]
    return [*neighbours, *anchors, (RANDOM, *range(players - 1))]


def tasks(settings: Settings, deals: int) -> list[Task]:
    """List all games, deal by deal."""
    pairs = [
        Pair(f"{deal}-{number}", entrants)
        for deal in range(1, deals + 1)
        for number, entrants in enumerate(tables(settings.players), 1)
    ]
    return [
        Task("levels", seating, tuple(SPECS[entrant] for entrant in seating.entrants), settings)
        for pair in pairs
        for seating in pair.seatings()
    ]


def played(task: Task) -> Result:
    """Play a game and return how it ended."""
    return result_of(play(task))


def rated(results: Sequence[Result]) -> list[Estimate]:
    """Return the ratings of all entrants; games with one deal form a set."""
    deals: dict[str, list[list[tuple[int, float]]]] = {}
    for result in results:
        deals.setdefault(result.pair, []).append(
            list(zip(result.entrants, result.places, strict=True)))
    return ratings(list(deals.values()), len(SPECS), resamples=RESAMPLES)


def share(results: Sequence[Result], one: int, other: int) -> float:
    """Return how often one finishes before another, ties as halves, of their common games."""
    places = [
        dict(zip(result.entrants, result.places, strict=True)) for result in results
        if {one, other} <= set(result.entrants)
    ]
    return sum((at[one] < at[other]) + (at[one] == at[other]) / 2 for at in places) / len(places)


def report(settings: Settings, results: Sequence[Result]) -> list[str]:
    """Return the lines of the table."""
    found, game = rated(results), GAMES[settings.game]
    zero = found[0].value or 0.0

    def number(value: float | None) -> str:
        return "" if value is None else f"{value - zero:+.0f}"

    def row(name: str, sims: str, temperature: str, entrant: int, below: int | None) -> str:
        cell = found[entrant]
        against = "" if below is None else f"{100 * share(results, entrant, below):.0f} %"
        low = "up to" if cell.low is None else f"{number(cell.low)} to"
        high = "" if cell.high is None else f" {number(cell.high)}"
        interval = f"{low}{high}"
        cells = [name, sims, temperature, number(cell.value), interval, against]
        return f"| {' | '.join(cells)} |"

    limits = settings.limits or Limits()
    best = f"{limits.seconds:g} s" if limits.seconds else f"{limits.sims}"
    rows = ["| level | simulations | temperature | Elo | 95 % | against the level below |",
            "|---|---|---|---|---|---|"]
    for index in range(MAX_LEVEL - 1):
        level = level_of(game, index + 1)
        rows.append(row(f"{index + 1}", f"{level.sims}", f"{level.temperature:.2f}", index,
                        index - 1 if index else None))
    rows.append(row(f"{MAX_LEVEL}", best, "", MAX_LEVEL - 1, MAX_LEVEL - 2))
    rows += [row("`greedy`", "", "", GREEDY, None), row("`random`", "", "", RANDOM, None)]
    rows.append(f"\nLevel 1 against `greedy`: {100 * share(results, 0, GREEDY):.0f} %, against"
                f" `random`: {100 * share(results, 0, RANDOM):.0f} %.")
    return rows


def main() -> None:
    """Parse the command line, play, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="summer", choices=list(GAMES))
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--deals", type=int, default=50, help="of every table")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--time", type=float, help=f"seconds a decision of level {MAX_LEVEL}")
    limit.add_argument("--sims", type=int, help="the same in simulations; default 2000")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    limits = (Limits(sims=options.sims or 2000) if options.time is None
              else Limits(seconds=options.time))
    settings = Settings(options.game, options.board, options.players, options.seed, limits)
    games = tasks(settings, options.deals)
    with ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(played, games, chunksize=1))
    print(f"{machine()}\npavilion-ai {__version__}; {settings.game}, {settings.board},"
          f" {settings.players} players, {options.deals} deals a table, {len(results)} games,"
          f" seed {settings.seed}\n")
    print("\n".join(report(settings, results)))


if __name__ == "__main__":
    main()
