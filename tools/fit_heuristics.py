"""Fit the linear policy and the evaluation of a game's search to the search's own games.

Writes pavilion_ai/_c/GAME_weights.h, from which the extension must then be rebuilt:

    python tools/fit_heuristics.py init --game azul          # the hand-written first guess only
    python tools/fit_heuristics.py fit --game summer --board coloured --players 2 --games 1000

`fit` plays games of the search against itself with the weights now compiled in, then fits

* the policy (a softmax over the moves the search looked at) to the shares of visits,
* the evaluation (points a seat still gains) by ridge regression, per round,
* the scale that turns a lead into a winning probability by maximum likelihood, per round,

and replaces the tables of that variant. Repeat until a paired match shows no gain. The shipped
tables and the matches that gated them are recorded in docs/experiments.md.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from azul_heuristics import AZUL
from heuristics import EVALUATION_UNIT, POLICY_UNIT, ROUNDS, Heuristics
from summer_heuristics import SUMMER

from pavilion_ai import _core
from pavilion_ai.games import GAMES as RULES
from pavilion_ai.search import tunables_for

ENOUGH = 500  # least positions for fitting the table of a round

GAMES = {heuristics.game: heuristics for heuristics in (SUMMER, AZUL)}

# ------------------------------------------------------------------------------ games and fitting


def play_game(game: str, grey: bool, players: int, sims: int, seed: int) -> tuple[list, list]:
    """One game of the search against itself: (policy samples, evaluation samples)."""
    rng = _core.Rng(seed, 1)
    tunables = tunables_for(RULES[game])
    state = GAMES[game].state.new(players, grey, seed % players, rng)
    decisions, evaluations = [], []
    while not state.over:
        if state.to_move < 0:
            if state.between_rounds:
                features = [state.evaluation_features(s) for s in range(players)]
                done = min(state.round - 1, ROUNDS) - 1
                evaluations.append((done, features, state.scores()))
            state.draw(rng)
            continue
        moves = state.moves(True)
        if len(moves) == 1:
            state.apply(moves[0])
            continue
        search = _core.Search(state, seed=rng.next(), memory_bytes=1 << 24, **tunables)
        search.run(sims)
        rows = [(row[0], row[1]) for row in search.rows()]
        visits = np.array([v for _, v in rows], dtype=float)
        # The priors were flattened by the temperature; the power takes that back.
        target = visits ** tunables["temperature"]
        features = [state.policy_features(move) for move, _ in rows]
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


def fit_evaluation(samples: list, players: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Ridge regression of the points still gained, and the win scale, for each round.

    If few games last that long, the round before is included as well.
    """
    weights, scales = np.zeros((ROUNDS, size)), np.zeros(ROUNDS)
    for r in range(ROUNDS):
        mine = [s for s in samples if s[0] == r]
        if len(mine) < ENOUGH:
            mine += [s for s in samples if s[0] == r - 1]
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


def fit(
    game: Heuristics, grey: bool, players: int, games: int, sims: int, jobs: int, seed: int
) -> None:
    """Play, fit, and replace the tables of one variant."""
    tables = game.read()
    variant = 3 * grey + players - 2
    play = partial(play_game, game.game, grey, players, sims)
    with ProcessPoolExecutor(jobs) as pool:
        results = list(pool.map(play, range(seed, seed + games), chunksize=8))
    decisions = [d for result in results for d in result[0]]
    samples = [e for result in results for e in result[1]]
    finals = [final for _, _, _, final, _ in samples]
    print(f"{games} games, {len(decisions)} decisions, mean score {np.mean(finals):.1f}")
    start = tables["policy"][variant] / POLICY_UNIT
    policy = fit_policy(decisions, start)
    evaluation, scales = fit_evaluation(samples, players, game.sizes[1])
    tables["policy"][variant] = np.clip(np.rint(policy * POLICY_UNIT), -5000, 5000)
    tables["evaluation"][variant] = np.rint(evaluation * EVALUATION_UNIT)
    tables["scale"][variant] = np.rint(scales * EVALUATION_UNIT)
    game.write(tables)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["init", "fit"])
    parser.add_argument("--game", choices=list(GAMES), default="summer")
    parser.add_argument("--board", choices=["coloured", "grey"], default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--sims", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = GAMES[options.game]
    if options.action == "init":
        game.write(game.first_guess())
        return
    sizes = _core.LINEAR_SIZES[game.state], _core.EVALUATION_SIZES[game.state]
    if sizes != game.sizes:
        raise SystemExit(f"feature groups {game.sizes} do not match the core's {sizes}")
    fit(game, options.board == "grey", options.players, options.games, options.sims, options.jobs,
        options.seed)


if __name__ == "__main__":
    main()
