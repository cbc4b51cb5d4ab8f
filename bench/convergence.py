"""Compare what `suggest` says of positions for 3 and 4 players after short and long searches.

    python -m bench.convergence FILE --positions 48 --sims 3000 --sims 100000 --agent default

What is found is kept in FILE, one position per line, so that a longer run resumes there and the
report is made again from it. Positions are those of errors.py, from the first and from the last
round of a game. A search says what its favourite wins, and with which error.

For each agent, variant and kind of round the report gives how many differences between the shortest
and the longest searches lie within one and three printed errors of the shortest one; the median and
the 90 % quantile of these differences and of those between two seeds, in points of 100; and, where
`pavilion solve` can solve the position, the mean difference from the exact value of the best move.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, count, cycle, islice, product
from pathlib import Path
from typing import Any

from bench import errors
from bench.measuring import MORE_PLAYERS, VARIANTS, go_on
from pavilion_ai.agents import make_agent
from pavilion_ai.bounds import OTHERS
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.solve import TooLargeError, solve_position

SOLVED_MOST = 40_000
"""Positions that an exact value may take."""
PRINTED_LEAST = 5e-5
"""The last digit of a printed chance to win: smaller differences do not show."""


@dataclass(frozen=True)
class Said:
    """What a search says of a position: its favourite, what it wins, and the printed error."""

    agent: str
    sims: int
    seed: int
    move: str
    win_prob: float
    error: float


@dataclass(frozen=True)
class Case:
    """A position with what searches say of it and its exact values, by how the others play."""

    variant: str
    last: bool
    code: str
    said: tuple[Said, ...]
    exact: dict[str, float]

    def at(self, agent: str, sims: int) -> list[Said]:
        """Return what an agent says after so many simulations, by each seed."""
        return [one for one in self.said if (one.agent, one.sims) == (agent, sims)]


def positions(variant: str, last: bool) -> Iterator[tuple[str, bool, str]]:
    """Yield positions from first or last rounds, one per game: what is given, and a code."""
    for seed in count(1):
        chosen = random.Random(f"{VARIANTS[variant]}/{last}/{seed}")
        found = errors.choices(*VARIANTS[variant], seed, chosen)
        wanted = found[-1].round if last else 1
        yield variant, last, Play(chosen.choice(
            [one for one in found if one.round == wanted])).code()


def exact_values(play: Play) -> dict[str, float]:
    """Return what the best move wins, by how the others play, where that can be solved."""
    values = {}
    for others in OTHERS:
        try:
            solution = solve_position(play, others, limit=SOLVED_MOST)
        except TooLargeError:
            continue
        values[others] = solution.moves[0].win_prob[solution.to_move]
    return values


def examine(variant: str, last: bool, code: str, agents: Sequence[str], sims: Sequence[int],
            seeds: int) -> Case:
    """Search a position with each agent and number of simulations, which has seeds of its own."""
    play, said = Play(code), []
    own = [(number, 1 + seeds * index + turn)
           for index, number in enumerate(sims) for turn in range(seeds)]
    for agent, (number, seed) in product(agents, own):
        best = make_agent(agent).analyse(play, Limits(sims=number), seed=seed).best
        said.append(Said(agent, number, seed, best.move, best.win_prob, best.win_prob_error))
    return Case(variant, last, code, tuple(said), exact_values(play) if last else {})


def kept(data: dict[str, Any]) -> Case:
    """Return the case of a line of the file."""
    return Case(**{**data, "said": tuple(Said(**one) for one in data["said"])})


def measure(path: Path, number: int, agents: Sequence[str], sims: Sequence[int],
            seeds: int) -> list[Case]:
    """Examine positions of all variants in turn; those in the file are only read."""
    kinds = [positions(*kind) for kind in product(MORE_PLAYERS, (False, True))]
    return go_on(path, map(next, islice(cycle(kinds), number)),
                 lambda one: examine(*one, agents, sims, seeds),
                 lambda case: (case.variant, case.last, case.code), kept, asdict,
                 {"agents": list(agents), "sims": list(sims), "seeds": seeds})


def spread(differences: Sequence[float]) -> str:
    """Return the median and the 90 % quantile of differences, in points of 100."""
    ordered = sorted(differences)
    return ", ".join(f"{100 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]:.1f}"
                     for share in (0.5, 0.9)) if ordered else "-"


def row(label: str, cases: Sequence[Case], agent: str, fewest: int, most: int) -> str:
    """Return one row of the table of differences."""
    pairs = [(one, other) for case in cases
             for one, other in product(case.at(agent, fewest), case.at(agent, most))]
    off = [abs(one.win_prob - other.win_prob) for one, other in pairs]
    within = [sum(far <= max(PRINTED_LEAST, times * one.error)
                  for far, (one, _) in zip(off, pairs, strict=True)) / len(pairs)
              for times in (1, 3)]
    seeds = [spread([abs(one.win_prob - other.win_prob) for case in cases
                     for one, other in combinations(case.at(agent, sims), 2)])
             for sims in (fewest, most)]
    return " | ".join([f"| {label}", agent, str(len(cases)),
                       *(f"{100 * share:.1f} %" for share in within),
                       spread(off), *seeds]) + " |"


def report(cases: Sequence[Case]) -> None:
    """Print the tables."""
    said = [one for case in cases for one in case.said]
    fewest, most = (choice(one.sims for one in said) for choice in (min, max))
    agents = list(dict.fromkeys(one.agent for one in said))
    print(f"{fewest:,} against {most:,} simulations; differences in points: median, 90 %\n")
    print("| positions | agent | number | within 1 error | within 3 | longer search"
          " | seeds, short | seeds, long |")
    print("|---|---|---|---|---|---|---|---|")
    kinds: list[Callable[[Case], str]] = [
        lambda case: case.variant, lambda case: "last rounds" if case.last else "first rounds",
        lambda _: "all"]
    for kind in kinds:
        for key in dict.fromkeys(map(kind, cases)):
            chosen = [case for case in cases if kind(case) == key]
            for agent in agents:
                print(row(key, chosen, agent, fewest, most))
    print("\n| the others, exactly | agent | positions | mean difference, short | long |")
    print("|---|---|---|---|---|")
    for others, agent in product(OTHERS, agents):
        known = [case for case in cases if others in case.exact]
        if known:
            far = [[abs(one.win_prob - case.exact[others]) for case in known
                    for one in case.at(agent, sims)] for sims in (fewest, most)]
            means = " | ".join(f"{100 * sum(each) / len(each):.1f}" for each in far)
            print(f"| {others} | {agent} | {len(known)} | {means} |")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, metavar="FILE", help="keeps what is measured")
    parser.add_argument("--positions", type=int, default=16)
    parser.add_argument("--agent", action="append", help="repeat for several")
    parser.add_argument("--sims", type=int, action="append", help="repeat for several")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    report(measure(options.file, options.positions, options.agent or ["default"],
                   options.sims or [3_000, 30_000], options.seeds))


if __name__ == "__main__":
    main()
