"""What each level loses in a decision, by phase, in all variants: the scale of "like level 6".

    python -m bench.level_losses losses.jsonl --games 20 --seconds 3000
    python -m bench.level_losses losses.jsonl --games 20 --seconds 0 --write

A level plays against its equals; level 10 is `default` with `BEST_SIMS` simulations. Of its
decisions with a choice a share is judged as `pavilion review` does it. The file keeps what was
lost; with the same file a run resumes, or makes its report again. `--write` puts the means into the
package, with their mean error. They are made to fall from level to level, by the means of
neighbours that do not.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from bench.measuring import VARIANTS, go_on
from pavilion_ai.agents import make_agent
from pavilion_ai.files import replace_file
from pavilion_ai.games import Rng
from pavilion_ai.games.measured import LEVEL_LOSSES
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.review.judge import Judge
from pavilion_ai.spec import MAX_LEVEL

BEST_SIMS = 1000
DRAW_STREAM = 99
DIGITS = 3


@dataclass(frozen=True)
class Game:
    """What the judged decisions of a level in a game lost, in points, by phase."""

    variant: str
    level: int
    seed: int
    sims: int
    lost: dict[str, list[float]]


def play(variant: str, level: int, seed: int, sims: int, share: float) -> Game:
    """Play a game of a level against its equals and judge a share of its decisions."""
    game, board, players = VARIANTS[variant]
    best = f":sims={BEST_SIMS}" if level == MAX_LEVEL else f":level={level}"
    agent, judge = make_agent("default" + best), Judge("default", Limits(sims=sims), seed=seed)
    chosen, rng = random.Random(f"{variant}/{level}/{seed}"), Rng(seed, DRAW_STREAM)
    now = Play.new(game, board=board, players=players, seed=seed)
    lost: dict[str, list[float]] = defaultdict(list)
    while not now.is_over():
        if now.turn is None:
            now.draw_once(rng)
            continue
        move = agent.choose(now, seed=1000 * seed + len(now.plies))
        after = now.copy()
        after.push(move)
        if len(now.legal_moves) > 1 and chosen.random() < share:
            phase = now.position.phase
            found = judge.judge(len(now.plies) + 1, now, move, after.position, by_seat=False)
            lost[phase].append(round(found.lead_loss, 4))
        now = after
    return Game(variant, level, seed, sims, dict(lost))


def measure(path: Path, variants: Sequence[str], games: int, seconds: float, sims: int,
            share: float) -> list[Game]:
    """Play games of all variants and levels in turn; those in the file are read.

    Args:
        path: the file that keeps them.
        games: number of games of each level in each variant.
        seconds: processor time after which no game is begun.
        sims: simulations of the judge.
        share: share of the decisions that is judged.
    """
    wanted = product(range(1, games + 1), variants, range(1, MAX_LEVEL + 1))
    return go_on(path, ((variant, level, seed) for seed, variant, level in wanted),
                 lambda one: play(*one, sims, share),
                 lambda game: (game.variant, game.level, game.seed),
                 lambda data: Game(**data), asdict, {"sims": sims, "share": share}, seconds)


def phases_of(games: Sequence[Game]) -> list[str]:
    """Return the phases in which decisions were judged at every level, in the order of play."""
    seen = dict.fromkeys(phase for one in games for phase in one.lost)
    return [phase for phase in seen if all(
        any(one.lost.get(phase) for one in games if one.level == level)
        for level in range(1, MAX_LEVEL + 1))]


def by_level(games: Sequence[Game], phase: str) -> list[tuple[float, float | None, int]]:
    """Return the mean loss of each level in a phase, its error and the decisions.

    The error is half a 95 % interval with the game as the unit; None for a single game.
    """
    found = []
    for level in range(1, MAX_LEVEL + 1):
        parts = [np.array(one.lost[phase]) for one in games
                 if one.level == level and one.lost.get(phase)]
        every = np.concatenate(parts)
        off = np.array([np.sum(part - every.mean()) for part in parts])
        error = None
        if len(off) > 1:
            error = float(1.96 * off.std(ddof=1) * len(off) ** 0.5 / len(every))
        found.append((float(every.mean()), error, len(every)))
    return found


def falling(means: Sequence[float], weights: Sequence[float]) -> Iterator[float]:
    """Yield the falling sequence nearest to the means: neighbours that rise become one mean.

    >>> list(falling([3.0, 1.0, 2.0, 0.5], [1, 1, 1, 1]))
    [3.0, 1.5, 1.5, 0.5]
    """
    blocks: list[tuple[float, float, int]] = []
    for mean, weight in zip(means, weights, strict=True):
        blocks.append((mean, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (one, its, number), (other, another, more) = blocks[-2:]
            both = its + another
            blocks[-2:] = [((one * its + other * another) / both, both, number + more)]
    for mean, _, number in blocks:
        yield from [mean] * number


def report(games: Sequence[Game]) -> dict[str, dict[str, dict[str, Any]]]:
    """Print a table of each variant; return falling means and their error, by variant and phase.

    The error is that of levels 1 to 9 on average, as a share; None where it is unknown.
    """
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    print(f"| variant | games | phase | {' | '.join(map(str, range(1, MAX_LEVEL + 1)))} |")
    print("|---" * (MAX_LEVEL + 3) + "|")
    for variant in VARIANTS:
        own = [one for one in games if one.variant == variant]
        for phase in phases_of(own):
            found = by_level(own, phase)
            cells = " | ".join(f"{mean:.2f}" + ("" if error is None else f" ± {error:.2f}")
                               for mean, error, _ in found)
            print(f"| {variant} | {len(own)} | {phase} | {cells} |")
            steady = falling([mean for mean, _, _ in found], [number for *_, number in found])
            shares = [error / mean for mean, error, _ in found[:-1] if error is not None and mean]
            tables.setdefault(variant, {})[phase] = {
                "points": [round(mean, DIGITS) for mean in steady],
                "error": round(fmean(shares), 2) if shares else None}
    return tables


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="keeps what is measured")
    parser.add_argument("--variant", action="append", choices=[*VARIANTS],
                        help="repeat for several; default: all")
    parser.add_argument("--games", type=int, default=20, help="of each level in each variant")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="processor time after which no game is begun")
    parser.add_argument("--sims", type=int, default=1500, help="simulations of the judge")
    parser.add_argument("--share", type=float, default=0.5, help="of the decisions that are judged")
    parser.add_argument("--write", action="store_true", help="put the table into the package")
    options = parser.parse_args()
    if min(options.games, options.sims) < 1 or not 0 < options.share <= 1:
        parser.error("expected --games and --sims from 1 on, and --share above 0, at most 1")
    games = measure(options.file, options.variant or [*VARIANTS], options.games,
                    options.seconds, options.sims, options.share)
    tables = report(games)
    if options.write:
        if missing := [name for name in VARIANTS if not tables.get(name)]:
            parser.error(f"no games of every level in {', '.join(missing)}; nothing is written")
        if any(one["error"] is None for phases in tables.values() for one in phases.values()):
            parser.error("games that tell no error, expected two of a level at least; nothing is"
                         " written")
        lines = [f' "{variant}": {json.dumps(phases)}' for variant, phases in tables.items()]
        replace_file(LEVEL_LOSSES, ("{\n" + ",\n".join(lines) + "\n}\n").encode())


if __name__ == "__main__":
    main()
