"""Compare the errors that `suggest` prints with what searches 30 times as long say.

`bench/calibration.py --errors FILE` measures and reports; see docs/search.md, "Reported
uncertainty". A position comes from a game of the agent `policy` in which one move in ten is random.
Three kinds of values are compared:

    best    the favourite's with its value in the table of the longer search
    table   another move's, if the longer search visited it at least 5 times as often
    only    the second favourite's and a random move's with `--only MOVE`, 30 times its visits
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.measuring import VARIANTS, go_on
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import COVER, MoveStats
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.position import Position

LONGER = 30
SHOWN = 8
MORE = 5
MOST_ALONE = 30_000
"""Simulations of a search with `only` at most."""
RANDOM_SHARE = 0.1


@dataclass(frozen=True)
class Sample:
    """One printed value and what a longer search said."""

    variant: str
    phase: str
    round: int
    sims: int
    kind: str
    visits: int
    win_prob: float
    win_prob_se: float
    longer: float

    @property
    def errors(self) -> float:
        """Difference in standard errors."""
        difference = abs(self.longer - self.win_prob)
        return difference / self.win_prob_se if difference else 0.0


def choices(game: str, board: str, players: int, seed: int,
            chosen: random.Random) -> list[Position]:
    """Return the positions with a choice of some game, in which `chosen` picks random moves."""
    policy = make_agent("policy")
    play, found = Play.new(game, board=board, players=players, seed=seed), []
    while not play.is_over():
        if play.chance:
            play.draw()
            continue
        moves = list(play.list_moves("maximal"))
        if len(moves) > 1:
            found.append(play.position)
        play.push(chosen.choice(moves) if chosen.random() < RANDOM_SHARE else policy.choose(play))
    return found


def position(game: str, board: str, players: int, seed: int) -> Play:
    """Return a position with a choice from the middle of some game."""
    chosen = random.Random(f"{(game, board, players)}/{seed}")
    return Play(chosen.choice(choices(game, board, players, seed, chosen)))


def compared(play: Play, spec: str, sims: int, seed: int) -> Iterator[tuple[str, MoveStats, float]]:
    """Yield kinds, printed values and what a longer search says."""
    def search(sims: int, number: int, only: Sequence[str] = ()) -> dict[str, MoveStats]:
        moves = make_agent(spec).analyse(play, Limits(sims=sims), seed=number, only=only).moves
        return {move.move: move for move in moves if move.visits}

    short, longer = search(sims, 1), search(LONGER * sims, 2)
    # What is exact has no error to compare: a longer search can only be less right.
    best, *others = sorted(short.values(), key=lambda move: -move.visits)[:SHOWN]
    if best.exact:
        return
    others = [move for move in others if not move.exact]
    for kind, moves, more in (("best", [best], 1), ("table", others, MORE)):
        for move in moves:
            later = longer.get(move.move)
            if later and later.visits >= more * move.visits:
                yield kind, move, later.win_prob
    picked = others[:1]
    if others[1:]:
        picked.append(random.Random(seed).choice(others[1:]))
    for move in picked:
        alone = search(min(MOST_ALONE, LONGER * move.visits), 3, [move.move])
        yield "only", move, alone[move.move].win_prob


def examine(variant: str, seed: int, sims: Sequence[int], spec: str) -> dict[str, Any]:
    """Return the file's line for a position: the samples, without their variant."""
    play = position(*VARIANTS[variant], seed)
    found = [Sample(variant, play.phase, play.position.round, one, kind, move.visits,
                    move.win_prob, move.win_prob_se, later)
             for one in sims for kind, move, later in compared(play, spec, one, seed)]
    return {"variant": variant, "seed": seed, "samples": [
        {key: value for key, value in asdict(one).items() if key != "variant"} for one in found]}


def measure(path: Path, variants: Sequence[str], count: int, sims: Sequence[int], first: int,
            spec: str) -> list[Sample]:
    """Measure positions of the variants in turn; those already in the file are only read."""
    wanted = ((name, seed) for seed in itertools.count(first) for name in variants)
    rows = go_on(path, itertools.islice(wanted, count), lambda one: examine(*one, sims, spec),
                 lambda row: (row["variant"], row["seed"]), dict, dict,
                 {"sims": list(sims), "agent": spec})
    return [Sample(row["variant"], **one) for row in rows for one in row["samples"]]


def report(samples: Sequence[Sample]) -> None:
    """Print how many differences are covered, and by how much the errors are off."""
    print("| values | number | within the error | within 2 standard errors | median error |")
    print("|---|---|---|---|---|")

    def row(label: str, chosen: Sequence[Sample]) -> None:
        if chosen:
            shares = [sum(one.errors <= cover for one in chosen) / len(chosen)
                      for cover in (COVER, 2.0)]
            middle = sorted(COVER * one.win_prob_se for one in chosen)[len(chosen) // 2]
            print(f"| {label} | {len(chosen)} | {100 * shares[0]:.1f} % | {100 * shares[1]:.1f} %"
                  f" | {100 * middle:.1f} % |")

    def rows(label: Callable[[Sample], object], chosen: Sequence[Sample]) -> None:
        for key in dict.fromkeys(map(label, sorted(chosen, key=lambda one: str(label(one))))):
            row(str(key), [one for one in chosen if label(one) == key])

    best = [one for one in samples if one.kind == "best"]
    rows(lambda one: f"{one.kind}, {one.sims:,} simulations", samples)
    rows(lambda one: f"{one.variant}, all moves", samples)
    rows(lambda one: f"{one.variant}, favourite", best)
    rows(lambda one: f"{one.phase}, favourite", best)
    rows(lambda one: f"round {one.round}, favourite", best)
    rows(lambda one: f"10^{len(str(one.visits)) - 1} or more visits", samples)
    print("\nFactor with which the favourites' errors would cover 90 %, and 2 standard errors 95 %;"
          "\nthe drift of a variant is to be multiplied by about that:")
    for name in dict.fromkeys(one.variant for one in samples):
        ratios = sorted(one.errors for one in best if one.variant == name)
        if ratios:
            factors = [ratios[min(len(ratios) - 1, int(share * len(ratios)))] / cover
                       for share, cover in ((0.9, COVER), (0.95, 2.0))]
            print(f"  {name}: {max(factors):.2f}")
