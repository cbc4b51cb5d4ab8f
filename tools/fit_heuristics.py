"""Fit the linear policy and the evaluation of the search to the search's own games.

Writes pavilion_ai/_c/summer_weights.h, from which the extension must then be rebuilt:

    python tools/fit_heuristics.py init                      # the hand-written first guess only
    python tools/fit_heuristics.py fit --board coloured --players 2 --games 1000 --sims 300

`fit` plays games of the search against itself with the weights now compiled in, then fits

* the policy (a softmax over the moves the search looked at) to the shares of visits,
* the evaluation (points a seat still gains) by ridge regression, per round,
* the scale that turns a lead into a winning probability by maximum likelihood, per round,

and replaces the tables of that variant. Repeat until a paired match shows no gain. The shipped
tables and the matches that gated them are recorded in docs/search.md.
"""

from __future__ import annotations

import argparse
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from pavilion_ai import _core
from pavilion_ai.search import DEFAULTS

HEADER = Path(__file__).resolve().parent.parent / "pavilion_ai" / "_c" / "summer_weights.h"
POLICY_UNIT = 256  # weights per nat
EVALUATION_UNIT = 64  # weights per point
DEAL, OVER = 3, 5
ROUNDS = 5

# First index of each feature group, as in summer_features.pxd (checked against the core's sizes).
GROUPS = {
    "D_TAKE": 32, "D_FIT": 56, "D_TOKEN": 16, "D_NEXT": 4, "D_REST": 5, "D_RIVAL": 14,
    "D_COLOUR": 36, "P_POINTS": 36, "P_WILD": 72, "P_STAR": 24, "P_SITE": 42, "P_NUMBER": 56,
    "P_FEATURE": 24, "P_DUE": 8, "P_LEFT": 18, "P_NEXT": 6, "P_GREY": 18, "B_TILE": 108,
    "S_LOSS": 18, "S_OPTIONS": 54, "S_KEEP": 32,
}  # fmt: skip
EVALUATION_GROUPS = {
    "E_STAR": 49, "E_NUMBER": 32, "E_FEATURE": 15, "E_KEPT_WILD": 5, "E_KEPT": 5, "E_KEPT_FIT": 7,
    "E_STARTER": 1, "E_CONSTANT": 1,
}  # fmt: skip


def hand_policy() -> np.ndarray:
    """The policy a person would write down: nats by feature."""
    tables = {name: np.zeros(size) for name, size in GROUPS.items()}
    for last in range(2):
        for own in range(8):
            for wild in range(2):
                tables["D_TAKE"][16 * last + 2 * own + wild] = 0.6 * own + 0.9 * wild
        for loss in range(1, 9):
            tables["D_TOKEN"][8 * last + loss - 1] = (0 if last else 0.7) - 0.3 * loss
        for wilds in range(6):
            for cost in range(1, 7):
                tables["P_WILD"][36 * last + 6 * wilds + cost - 1] = -0.3 * wilds
        for filled in range(1, 7):
            done = 3.0 if filled == 6 else 0.0
            tables["P_STAR"][12 * last + filled - 1] = 0.15 * filled + done
            tables["P_STAR"][12 * last + 6 + filled - 1] = 0.1 * filled + done - 0.3
        for number in range(1, 5):
            for count in range(1, 8):
                done = number if count == 7 else 0
                tables["P_NUMBER"][28 * last + 7 * (number - 1) + count - 1] = 0.08 * count + done
        for kind in range(3):
            tables["P_FEATURE"][12 * last + 4 * kind + 1] = 0.2 * (kind + 1)
        for due in range(4):
            tables["P_DUE"][4 * last + due] = (0.5 if last else 1.2) * due
        for kind in range(9):
            worth = 1.0 if kind == 0 else 0.6 if kind == 1 else 0.12 * (kind - 2)
            tables["B_TILE"][54 * last + 6 * kind : 54 * last + 6 * kind + 6] = worth
        for loss in range(9):
            tables["S_LOSS"][9 * last + loss] = -0.5 * loss
    for filled in range(7):
        for after in range(1, 9):
            fit = -0.8 if filled == 6 else 0.12 * filled + 0.1 * min(after, filled + 1)
            tables["D_FIT"][8 * filled + after - 1] = fit
        tables["D_RIVAL"][2 * filled + 1] = 0.05 * filled
        tables["S_KEEP"][4 * (filled + 1) : 4 * (filled + 2)] = 0.15 * filled
    tables["S_KEEP"][:4] = 1.0
    tables["D_NEXT"][:] = [0.25, 0.5, 0.75, 1.0]
    tables["D_REST"][:] = [0, -0.1, -0.2, -0.3, 0]
    for cost in range(1, 7):
        for points in range(1, 7):
            tables["P_POINTS"][6 * (cost - 1) + points - 1] = 0.35 * points - 0.1 * cost
    for options in range(1, 6):
        for hand in range(9):
            tables["S_OPTIONS"][9 * options + hand] = 1.0 if hand <= 4 else -0.5
    return np.concatenate([tables[name] for name in GROUPS])


def hand_evaluation(rounds_left: int) -> np.ndarray:
    """Points a seat still gains, by feature, as a person would guess them."""
    tables = {name: np.zeros(size) for name, size in EVALUATION_GROUPS.items()}
    for site in range(7):
        for filled in range(7):
            chance = min(1.0, (filled / 6) ** 2 * (0.5 + 0.15 * rounds_left))
            tables["E_STAR"][7 * site + filled] = 16 * (1.0 if filled == 6 else chance)
    for number in range(1, 5):
        for count in range(8):
            full = 1.0 if count == 7 else 0.8 * (count / 7) ** 2
            tables["E_NUMBER"][8 * (number - 1) + count] = 4 * number * full
    tables["E_KEPT_WILD"][:] = [0, 2, 4, 6, 8]
    tables["E_KEPT"][:] = [0, 1.5, 3, 4.5, 6]
    tables["E_STARTER"][0] = 2
    tables["E_CONSTANT"][0] = 12 * rounds_left
    return np.concatenate([tables[name] for name in EVALUATION_GROUPS])


# ------------------------------------------------------------------------------- the header file

TABLE = re.compile(r"(\w+)((?:\[\w+\])+) = \{(.*?)\};", re.DOTALL)


def read_tables() -> dict[str, np.ndarray]:
    """Tables now in the header."""
    found = {}
    shapes = {
        "POLICY_WEIGHTS": (6, -1),
        "HAND_WEIGHTS": (-1,),
        "EVAL_WEIGHTS": (6, ROUNDS, -1),
        "WIN_SCALES": (6, ROUNDS),
    }
    for name, _, body in TABLE.findall(HEADER.read_text()):
        if name in shapes:
            numbers = [int(n) for n in re.findall(r"-?\d+", body)]
            found[name] = np.array(numbers).reshape(shapes[name])
    return found


def as_c(name: str, dimensions: str, table: np.ndarray, ctype: str = "int16_t") -> str:
    """C text of a flat initialiser, wrapped at 100 columns."""

    def rows(part: np.ndarray) -> str:
        if part.ndim > 1:
            return "{\n" + ",\n".join(rows(inner) for inner in part) + "}"
        lines, line = [], " "
        for number in part:
            piece = f" {number:d},"
            if len(line) + len(piece) > 98:
                lines.append(line)
                line = " "
            line += piece
        return "{\n" + "\n".join([*lines, line.rstrip(",")]) + "}"

    return f"static const {ctype} {name}{dimensions} = {rows(table)};\n"


def write_tables(tables: dict[str, np.ndarray]) -> None:
    """Write the header, with the constant tables that the policy needs beside the weights."""
    index = (np.arange(256) + 0.5) / 256
    gumbel = np.rint(-np.log(-np.log(index)) * POLICY_UNIT).astype(int)
    HEADER.write_text(
        "/* Written by tools/fit_heuristics.py; see there and docs/search.md.\n"
        " * Policy weights in 1/256 nat, evaluation weights in 1/64 point, win scales in 1/64\n"
        " * point per logit. Variants: 3 * grey + players - 2; rounds: the one just finished. */\n"
        "#ifndef PAVILION_SUMMER_WEIGHTS_H\n#define PAVILION_SUMMER_WEIGHTS_H\n\n"
        "#include <stdint.h>\n\n"
        + as_c("HAND_WEIGHTS", f"[{sum(GROUPS.values())}]", tables["HAND_WEIGHTS"])
        + as_c("POLICY_WEIGHTS", f"[6][{sum(GROUPS.values())}]", tables["POLICY_WEIGHTS"])
        + as_c("EVAL_WEIGHTS", f"[6][5][{sum(EVALUATION_GROUPS.values())}]", tables["EVAL_WEIGHTS"])
        + as_c("WIN_SCALES", "[6][5]", tables["WIN_SCALES"])
        + "\n/* Quantiles of the standard Gumbel distribution, in 1/256 nat. */\n"
        + as_c("GUMBEL", "[256]", gumbel)
        + "\n/* Byte s of SPREAD[row] is bit s of row. */\n"
        + "static const uint64_t SPREAD[128] = {\n"
        + ",\n".join(
            "    " + ", ".join(f"0x{spread(row):014X}ULL" for row in range(start, start + 4))
            for start in range(0, 128, 4)
        )
        + "};\n\n#endif\n"
    )


def spread(row: int) -> int:
    """Bit s of row moved to bit 8 s."""
    return sum((row >> s & 1) << (8 * s) for s in range(7))


def initial_tables() -> dict[str, np.ndarray]:
    """The hand-written guess for every variant."""
    policy = np.rint(hand_policy() * POLICY_UNIT).astype(int)
    evaluation = np.array(
        [np.rint(hand_evaluation(5 - r) * EVALUATION_UNIT).astype(int) for r in range(ROUNDS)]
    )
    scales = np.array([int(EVALUATION_UNIT * 8 * (5 - r) ** 0.5) for r in range(ROUNDS)])
    return {
        "HAND_WEIGHTS": policy,
        "POLICY_WEIGHTS": np.tile(policy, (6, 1)),
        "EVAL_WEIGHTS": np.tile(evaluation, (6, 1, 1)),
        "WIN_SCALES": np.tile(scales, (6, 1)),
    }


# ------------------------------------------------------------------------------ games and fitting


def play_game(grey: bool, players: int, sims: int, seed: int) -> tuple[list, list]:
    """One game of the search against itself: (policy samples, evaluation samples)."""
    rng = _core.Rng(seed, 1)
    state = _core.SummerState.new(players, grey, seed % players, rng)
    decisions, evaluations = [], []
    while state.phase != OVER:
        if state.phase >= DEAL:
            if state.phase == DEAL:
                features = [_core.evaluation_features(state, s) for s in range(players)]
                evaluations.append((state.round - 2, features, state.scores()))
            state.draw(rng)
            continue
        moves = state.moves(True)
        if len(moves) == 1:
            state.apply(moves[0])
            continue
        search = _core.Search(state, seed=rng.next(), memory_bytes=1 << 24, **DEFAULTS)
        search.run(sims)
        rows = [(row[0], row[1]) for row in search.rows()]
        visits = np.array([v for _, v in rows], dtype=float)
        # The priors were flattened by the temperature; the power takes that back.
        target = visits ** DEFAULTS["temperature"]
        features = [_core.policy_features(state, move) for move, _ in rows]
        decisions.append((features, target / target.sum()))
        chosen = int(np.argmax(visits))
        if rng.below(4) == 0:  # one move in four is drawn, for variety
            pick = rng.below(1 << 30) / (1 << 30) * visits.sum()
            chosen = int(np.searchsorted(np.cumsum(visits), pick, side="right"))
        state.apply(rows[chosen][0])
    final = state.scores()
    winners = state.winners()
    shares = [1 / len(winners) if s in winners else 0 for s in range(players)]
    return decisions, [(r, f, now, final, shares) for r, f, now in evaluations]


def fit_policy(decisions: list, start: np.ndarray, steps: int = 200) -> np.ndarray:
    """Softmax regression on visit shares by Adam, pulled weakly towards `start` (nats)."""
    size = len(start)
    features = [f for moves, _ in decisions for f in moves]
    lengths = np.array([len(f) for f in features])
    flat = np.fromiter((i for f in features for i in f), dtype=np.int64)
    move_of = np.repeat(np.arange(len(features)), lengths)
    counts = np.array([len(moves) for moves, _ in decisions])
    decision_of = np.repeat(np.arange(len(decisions)), counts)
    target = np.concatenate([share for _, share in decisions])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    weights = start.copy()
    mean, square = np.zeros(size), np.zeros(size)
    for step in range(1, steps + 1):
        logits = np.bincount(move_of, weights=weights[flat], minlength=len(features))
        logits -= np.maximum.reduceat(logits, starts)[decision_of]
        odds = np.exp(logits)
        odds /= np.add.reduceat(odds, starts)[decision_of]
        loss = -np.sum(target * np.log(odds + 1e-12)) / len(decisions)
        error = (odds - target) / len(decisions)
        gradient = np.bincount(flat, weights=error[move_of], minlength=size)
        gradient += 1e-5 * (weights - start)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = 0.08 if step < steps * 2 // 3 else 0.02
        weights = weights - rate * (mean / (1 - 0.9**step)) / (
            np.sqrt(square / (1 - 0.99**step)) + 1e-8
        )
        if step % 50 == 0 or step == 1:
            print(f"  policy step {step}: cross-entropy {loss:.4f}", flush=True)
    return weights


def fit_evaluation(samples: list, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Ridge regression of the points still gained, and the win scale, for each round."""
    size = sum(EVALUATION_GROUPS.values())
    weights, scales = np.zeros((ROUNDS, size)), np.zeros(ROUNDS)
    for r in range(ROUNDS):
        mine = [s for s in samples if s[0] == r]
        matrix = np.zeros((len(mine) * players, size))
        gains = np.zeros(len(mine) * players)
        for i, (_, features, now, final, _) in enumerate(mine):
            for s in range(players):
                np.add.at(matrix[i * players + s], features[s], 1)
                gains[i * players + s] = final[s] - now[s]
        ridge = 10.0 * np.eye(size)
        ridge[-1, -1] = 1e-3
        weights[r] = np.linalg.solve(matrix.T @ matrix + ridge, matrix.T @ gains)
        guess = (matrix @ weights[r]).reshape(-1, players) + np.array([s[2] for s in mine])
        shares = np.array([s[4] for s in mine])
        grid = np.linspace(2, 40, 153)
        fits = []
        for scale in grid:
            odds = np.exp((guess - guess.max(axis=1, keepdims=True)) / scale)
            odds /= odds.sum(axis=1, keepdims=True)
            fits.append(np.sum(shares * np.log(odds + 1e-12)))
        scales[r] = grid[int(np.argmax(fits))]
        deviation = np.std(gains - matrix @ weights[r])
        print(
            f"  round {r + 1}: {len(mine)} positions, residual {deviation:.1f} points, "
            f"win scale {scales[r]:.1f}, log-likelihood {max(fits) / len(mine):.3f}",
            flush=True,
        )
    return weights, scales


def fit(grey: bool, players: int, games: int, sims: int, jobs: int, seed: int) -> None:
    """Play, fit, and replace the tables of one variant."""
    tables = read_tables()
    variant = 3 * grey + players - 2
    play = partial(play_game, grey, players, sims)
    with ProcessPoolExecutor(jobs) as pool:
        results = list(pool.map(play, range(seed, seed + games), chunksize=8))
    decisions = [d for result in results for d in result[0]]
    samples = [e for result in results for e in result[1]]
    finals = [final for _, _, _, final, _ in samples]
    print(f"{games} games, {len(decisions)} decisions, mean score {np.mean(finals):.1f}")
    start = tables["POLICY_WEIGHTS"][variant] / POLICY_UNIT
    policy = fit_policy(decisions, start)
    evaluation, scales = fit_evaluation(samples, players)
    tables["POLICY_WEIGHTS"][variant] = np.clip(np.rint(policy * POLICY_UNIT), -5000, 5000)
    tables["EVAL_WEIGHTS"][variant] = np.rint(evaluation * EVALUATION_UNIT)
    tables["WIN_SCALES"][variant] = np.rint(scales * EVALUATION_UNIT)
    write_tables(tables)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["init", "fit"])
    parser.add_argument("--board", choices=["coloured", "grey"], default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--sims", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.action == "init":
        write_tables(initial_tables())
    else:
        sizes = (sum(GROUPS.values()), sum(EVALUATION_GROUPS.values()))
        if sizes != (_core.POLICY_SIZE, _core.EVALUATION_SIZE):
            raise SystemExit(f"feature groups {sizes} do not match the core's")
        fit(options.board == "grey", options.players, options.games, options.sims, options.jobs,
            options.seed)


if __name__ == "__main__":
    main()
