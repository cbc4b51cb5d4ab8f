"""Strength with 3 and 4 players at mixed tables: every subject, with every mix, on the same deals.

    python -m bench.older OLDER
    python -m bench.mixed mixed.jsonl --older OLDER --seconds 1800

A subject plays against the agents of a mix from every seat of a deal, and the share of the
victories that it wins is one number. Deals are the same for all mixes and subjects of a variant,
so subjects are compared on the same deals. The file keeps the numbers; with the same file a run
resumes, or makes its report again.

`LONGER`, the subject with ten times the simulations of everybody else, sits at tables of base Azul,
grey wall, alone: what it does not win is luck, or beyond ten times the time.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from bench.measuring import MORE_PLAYERS, VARIANTS, go_on
from pavilion_ai.limits import Limits
from pavilion_ai.match.inprocess import Match
from pavilion_ai.stats.estimate import mean_estimate

PRESENT, PLAIN, LONGER = "default", "ismcts:rivals=0", "default, 10 times"
TIMES = 10
NETWORK, LINEAR, LEVEL, OLDER, GREEDY = (
    "ismcts:rivals=0", "ismcts:net=0", "default:level=7", "older", "greedy")
MIXES = {
    "own kind": (NETWORK,) * 3,
    "net=0": (LINEAR,) * 3,
    "level 7": (LEVEL,) * 3,
    "older network": (OLDER,) * 3,
    "greedy": (GREEDY,) * 3,
    "older, net=0, level 7": (OLDER, LINEAR, LEVEL),
    "own kind, greedy, net=0": (NETWORK, GREEDY, LINEAR),
}
"""The others at a table, of which as many sit there as there are seats."""


@dataclass(frozen=True)
class Set:
    """A deal played from every seat: the share of the victories that the subject won."""

    variant: str
    mix: str
    subject: str
    seed: int
    sims: int
    won: float


def subjects_of(variant: str, mix: str) -> Iterator[str]:
    """Yield the subjects that have to play; `PLAIN` among its equals wins the fair share."""
    yield PRESENT
    if mix != "own kind":
        yield PLAIN
    if variant.startswith("azul/grey/"):
        yield LONGER


def play(variant: str, mix: str, subject: str, seed: int, sims: int, older: Path) -> Set:
    """Play a deal from every seat."""
    game, board, players = VARIANTS[variant]
    network = f"ismcts:net={older}/{game}-{board}-{players}.net,rivals=0"
    others = [network if spec == OLDER else spec for spec in MIXES[mix][:players - 1]]
    own = f"{PRESENT}:sims={TIMES * sims}" if subject == LONGER else subject
    match = Match([own, *others], game=game, board=board, pairs=1, seed=seed,
                  limits=Limits(sims=sims))
    match.run()
    won = [one.points[one.entrants.index(0)] for one in match.results]
    return Set(variant, mix, subject, seed, sims, sum(won) / len(won))


def measure(path: Path, variants: Sequence[str], deals: int, seconds: float, sims: int,
            first: int, older: Path) -> list[Set]:
    """Play the deals of all variants in turn; those in the file are read.

    Args:
        path: the file that keeps them.
        deals: number of deals of each variant.
        seconds: processor time after which no deal is begun.
        sims: simulations of each decision.
        first: the first seed.
        older: folder of older networks (bench/older.py).
    """
    wanted = ((variant, mix, subject, seed)
              for seed, variant, mix in product(range(first, first + deals), variants, MIXES)
              for subject in subjects_of(variant, mix))
    return go_on(path, wanted, lambda one: play(*one, sims, older),
                 lambda one: (one.variant, one.mix, one.subject, one.seed),
                 lambda data: Set(**data), asdict, {"sims": sims}, seconds)


def cell(values: Sequence[float], sign: str = "") -> str:
    """Return a mean in points of 100 with its error; empty without values."""
    if not values:
        return ""
    found = mean_estimate(values)
    if found.value is None or found.high is None:
        return f"{100 * (found.value or 0.0):{sign}.1f}"
    return f"{100 * found.value:{sign}.1f} ± {100 * (found.high - found.value):.1f}"


def report(sets: Sequence[Set]) -> None:
    """Print tables of what each subject won, and of differences on the same deals."""
    found = {(one.variant, one.mix, one.subject, one.seed): one.won for one in sets}
    for variant, mix, _, seed in list(found):
        if mix == "own kind":
            found[variant, mix, PLAIN, seed] = 1 / int(variant[-1])
    variants = list(dict.fromkeys(variant for variant, *_ in found))
    for subject in (PRESENT, PLAIN, LONGER):
        chosen = {key: won for key, won in found.items() if key[2] == subject}
        if not chosen:
            continue
        print(f"\n{subject}, share of the victories in points of 100\n")
        head([*MIXES, "mean of the mixes"])
        for variant in variants:
            row(variant, {key: won for key, won in chosen.items() if key[0] == variant})
        for players in ("3", "4"):
            row(f"all for {players}", {key: won for key, won in chosen.items()
                                       if key[0].endswith(players)})
    print(f"\n{PRESENT} less {PLAIN}, on the same deals\n")
    head([*MIXES, "mean of the mixes"])
    plain = {(variant, mix, seed): won for (variant, mix, subject, seed), won in found.items()
             if subject == PLAIN}
    differences = {(variant, mix, subject, seed): won - plain[variant, mix, seed]
                   for (variant, mix, subject, seed), won in found.items()
                   if subject == PRESENT and (variant, mix, seed) in plain}
    for variant in variants:
        row(variant, {key: one for key, one in differences.items() if key[0] == variant}, "+")
    row("all", differences, "+")


def head(columns: Sequence[str]) -> None:
    """Print the head of a table."""
    print(f"| variant | deals | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 2) + "|")


def row(label: str, found: dict[tuple[str, str, str, int], float], sign: str = "") -> None:
    """Print a row: each mix, and the mean of the mixes over deals that were played with all."""
    by_mix, by_deal = defaultdict(list), defaultdict(list)
    for (variant, mix, _, seed), won in found.items():
        by_mix[mix].append(won)
        by_deal[variant, seed].append(won)
    means = [sum(one) / len(one) for one in by_deal.values() if len(one) == len(MIXES)]
    if found:
        cells = [cell(by_mix[mix], sign) for mix in MIXES]
        print(f"| {label} | {len(means)} | {' | '.join([*cells, cell(means, sign)])} |")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="keeps what is measured")
    parser.add_argument("--older", type=Path, required=True, metavar="FOLDER",
                        help="older networks (older.py)")
    parser.add_argument("--variant", action="append", choices=[*MORE_PLAYERS],
                        help="repeat for several; default: all")
    parser.add_argument("--deals", type=int, default=10_000, help="of each variant")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="processor time after which no deal is begun")
    parser.add_argument("--sims", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = [name for name in MORE_PLAYERS if name in (options.variant or MORE_PLAYERS)]
    report(measure(options.file, chosen, options.deals, options.seconds, options.sims,
                   options.seed, options.older))


if __name__ == "__main__":
    main()
