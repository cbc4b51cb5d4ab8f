"""Compare networks' predictions between two rounds with the outcomes.

    python -m bench.afterstates NEW.net --game azul --players 3 --games 1000

The package's agent plays all seats, in searches that end with the round. Between rounds the linear
heuristics, the package's network and each network given predict the shares of the victory and the
squashed leads; all of them see the same positions, so small differences are significant. A
predictor's win shares are first raised to the power that suits it best: the comparison is of
knowledge, not of confidence.

With `--deals 16` the mean of what the package's network says after so many deals is one more
predictor: whether it knows more of a dealt position than of the one before.

With `--playouts 128` each position is also played out that often by quick searches of the package's
agent, with independent draws. The mean shows how much a network could know, and with it as the
reference, predictors can be distinguished from far fewer positions than with results.

    python -m bench.afterstates NEW.net --game azul --players 3 --choices --round 5 --playouts 1000

Games are decided not by the values of positions but by which of several is valued highest. So
`--choices` takes decisions in which every move ends the round, and reports how much win probability
is lost by playing the move whose result a predictor values highest for the mover. The judge is a
set of playouts with the same draws after each move: one half of them finds the best move, the other
half values the moves, so that the judge's noise does not count against the predictors. This makes
all losses too small, with few playouts even negative; differences between predictors are unbiased.
In Summer Pavilion hardly any decision is of that kind.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pavilion_ai._core import Network, Search
from pavilion_ai.errors import PavilionError
from pavilion_ai.games import GAMES, Rng, rules_for
from pavilion_ai.network import load_network, shipped
from pavilion_ai.search import tunables_for
from pavilion_ai.train.calibration import SMALLEST_SHARE, likeliest_scale
from pavilion_ai.train.play import training_seed

UNIT = 2.0**-22
WIDTH = 30.0
DRAW_STREAM = 97
MEMORY_BYTES = 1 << 23
LEAST = 50
"""Fewest positions of a round that get a line."""
GUESSED = 4
"""Playouts for which equal chances count, so that no win in all playouts is not 0 %."""
PLAYED_ON = "played on"
ANY_MOVE = "any move"

Array = npt.NDArray[np.float64]
Guess = tuple[Array, Array]
"""Win shares and squashed leads by seat."""

loaded = cache(load_network)
"""A network, read from its file once per process, not once per game."""


def squashed(scores: Sequence[float]) -> Array:
    """Return 0.5 + 0.5 tanh(lead / 30) of each seat over the best other one."""
    points = np.asarray(scores, np.float64)
    others = [np.delete(points, seat).max() for seat in range(len(points))]
    leads: Array = 1 / (1 + np.exp(-2 * (points - others) / WIDTH))
    return leads


def by_heuristics(state: Any) -> Guess:
    """Return the prediction of the linear evaluation."""
    scores, shares = state.evaluate()
    return np.array(shares), squashed(scores)


def by_network(state: Any, network: Network) -> Guess:
    """Return the prediction of a network, which counts seats from the next round's starter."""
    players = state.players
    out = np.array(network.evaluate(state.inputs(), 0, 2 * players)) * UNIT
    powers = np.exp(out[:players] - out[:players].max())
    starter = state.fields().start_seat
    return (np.roll(powers / powers.sum(), starter),
            np.roll(1 / (1 + np.exp(-out[players:])), starter))


def mean_of(guesses: Sequence[Guess]) -> Guess:
    """Return the mean of several predictions."""
    shares, leads = zip(*guesses, strict=True)
    return np.mean(shares, 0), np.mean(leads, 0)


def after_deals(state: Any, seed: int, deals: int, network: Network) -> Guess:
    """Return the mean of a network's predictions after deals."""
    found = []
    for number in range(deals):
        dealt = state.copy()
        dealt.draw(Rng(training_seed("deal", seed, state.round, number), DRAW_STREAM))
        found.append(by_network(dealt, network))
    return mean_of(found)


def nobody_looks(state: Any, moves: Sequence[Any], /) -> None:
    """Ignore a state."""


def play(
    state: Any, seed: int, sims: int, network: Network, tunables: dict[str, Any],
    look: Callable[[Any, Sequence[Any]], None] = nobody_looks,
) -> None:
    """Play a game to its end.

    Args:
        look: called with the states between two rounds (without moves) and those with a choice of
            moves; they change after it returns.
    """
    rng, decisions = Rng(seed, DRAW_STREAM), 0
    tree: Search | None = None
    while not state.over:
        if state.to_move < 0:
            if state.between_rounds and decisions:
                look(state, ())
            state.draw(rng)
            continue
        moves = state.moves(True)
        if len(moves) > 1:
            look(state, moves)
            if tree is None or not tree.restart(state, seed=seed + decisions):
                tree = Search(state, seed=seed + decisions, memory_bytes=MEMORY_BYTES,
                              network=network, **tunables)
            tree.run(sims)
            moves = [max(tree.rows(), key=lambda row: (row[1], row[2]))[0]]
        decisions += 1
        state.apply(moves[0])


def outcome(state: Any) -> Guess:
    """Return the outcome of a finished game."""
    won = np.zeros(state.players)
    won[list(state.winners())] = 1 / len(state.winners())
    return won, squashed(state.scores())


def play_on(
    state: Any, seed: int, playouts: int, sims: int, network: Network, tunables: dict[str, Any]
) -> list[Guess]:
    """Return the outcome of a position, played out with the draws of its round and seed."""
    found = []
    for number in range(playouts):
        end = state.copy()
        play(end, training_seed("playout", seed, state.round, number), sims, network, tunables)
        found.append(outcome(end))
    return found


def by_playouts(
    state: Any, seed: int, playouts: int, sims: int, network: Network, tunables: dict[str, Any]
) -> Guess:
    """Return the mean outcome of a position over its playouts, the shares with `GUESSED` more."""
    shares, leads = mean_of(play_on(state, seed, playouts, sims, network, tunables))
    return (playouts * shares + GUESSED / state.players) / (playouts + GUESSED), leads


@dataclass(frozen=True)
class Setting:
    """The games, the predictors and the method of the comparison.

    Attributes:
        game, board, players: the variant.
        files: network files in addition to the package's.
        sims: simulations per decision in the games.
        playouts: playouts per position; 0: none.
        playout_sims: simulations per decision in the playouts.
        only: take only positions before this round; 0: any.
        deals: number of deals after which the package's network is asked too; 0: it is not.
    """

    game: str
    board: str
    players: int
    files: tuple[str, ...]
    sims: int
    playouts: int
    playout_sims: int
    only: int
    deals: int

    def start(self, seed: int) -> tuple[Any, Network, dict[str, Any]]:
        """Return a new game, the package's network and the search settings for it."""
        game, network = GAMES[self.game], shipped(self.game, self.board, self.players)
        assert network is not None
        state = game.to_core(game.new(self.board, self.players, seed))
        return state, network, tunables_for(game, network).changed({"deal_visits": 0})

    def guesses(self, state: Any, network: Network) -> list[Guess]:
        """Return the predictions of the package's network, the heuristics and other networks."""
        return [by_network(state, network), by_heuristics(state),
                *(by_network(state, loaded(file)) for file in self.files)]


def records(setting: Setting, seed: int) -> list[tuple[int, list[Guess], Guess]]:
    """Play one game: for each row the coming round, the predictions and the outcome."""
    state, network, tunables = setting.start(seed)
    ends, rows = [], []

    def look(state: Any, moves: Sequence[Any]) -> None:
        if not moves and setting.only in {0, state.round}:
            ends.append(state.copy())

    play(state, seed, setting.sims, network, tunables, look)
    result = outcome(state)
    for end in ends:
        guesses = setting.guesses(end, network)
        if setting.deals:
            guesses.append(after_deals(end, seed, setting.deals, network))
        if setting.playouts:
            guesses.append(by_playouts(end, seed, setting.playouts, setting.playout_sims, network,
                                       tunables))
        rows.append((end.round, guesses, result))
    return rows


def last_choices(setting: Setting, seed: int) -> list[tuple[int, Array]]:
    """Play one game: by last choice of a round the round that was to begin, and what it `lost`."""
    state, network, tunables = setting.start(seed)
    found: list[tuple[int, list[Any]]] = []

    def look(state: Any, moves: Sequence[Any]) -> None:
        ends = [state.copy() for _ in moves]
        for end, move in zip(ends, moves, strict=True):
            end.apply(move)
        if ends and all(end.between_rounds and not end.over for end in ends) and (
                setting.only in {0, ends[0].round}):
            found.append((state.to_move, ends))

    play(state, seed, setting.sims, network, tunables, look)
    rows = []
    for mover, ends in found:
        guessed = np.array([[shares[mover] for shares, _ in setting.guesses(end, network)]
                            for end in ends])
        came = np.array([[shares[mover] for shares, _ in play_on(
            end, seed, setting.playouts, setting.playout_sims, network, tunables)]
            for end in ends])
        rows.append((ends[0].round, lost(guessed, came)))
    return rows


def lost(guessed: Array, came: Array) -> Array:
    """Return the win probability lost by each predictor's favourite, then by a random move.

    Args:
        guessed: [moves, predictors], predicted win shares of the mover.
        came: [moves, playouts], its win shares in playouts, one half of which judges the other.
    """
    halves = came[:, ::2].mean(1), came[:, 1::2].mean(1)
    costs: Array = np.mean([
        judge[picked.argmax()] - np.append(judge[guessed.argmax(0)], judge.mean())
        for judge, picked in (halves, halves[::-1])
    ], axis=0)
    return costs


def losses(shares: Array, won: Array) -> Array:
    """Return the cross-entropy of each row, of the shares to the power that suits `won` best."""
    scaled = np.maximum(shares, SMALLEST_SHARE) ** likeliest_scale(shares, won).scale
    nats: Array = -(won * np.log(scaled / scaled.sum(1, keepdims=True))).sum(1)
    return nats


def with_error(values: Array, digits: int) -> str:
    """Return the mean with its 95 % interval."""
    error = 1.96 * values.std(ddof=1) / len(values) ** 0.5
    return f"{values.mean():.{digits}f} +- {error:.{digits}f}"


def by_round(rows: Sequence[tuple[Any, ...]]) -> dict[int, list[Any]]:
    """Return the rows by round, without the round, for rounds with enough rows.

    Prints a line if there is no such round.
    """
    found = defaultdict(list)
    for number, *rest in rows:
        found[number].append(rest)
    enough = {number: some for number, some in sorted(found.items()) if len(some) >= LEAST}
    if not enough:
        print(f"no round has {LEAST} of them in these games")
    return enough


def report(rows: Sequence[tuple[int, list[Guess], Guess]], names: Sequence[str]) -> None:
    """Print losses by round, and the differences to the first predictor's.

    If the last predictor is `PLAYED_ON`, also print each one's Kullback-Leibler divergence from it.
    """
    played_on, rounds = names[-1] == PLAYED_ON, by_round(rows)
    if not rounds:
        return
    print("", "before round", "positions", "", " " * 20, f"{'nats':>7}", f"{'less':>17}",
          "lead, x 1000", *["from played on"] * played_on)
    for number, some in rounds.items():
        won, leads = (np.array([result[i] for _, result in some]) for i in (0, 1))
        base = None
        known = np.array([guesses[-1][0] for guesses, _ in some])
        least = losses(known, known).mean() if played_on else 0.0
        for index, name in enumerate(names):
            shares, squares = (np.array([guesses[index][i] for guesses, _ in some])
                               for i in (0, 1))
            nats = losses(shares, won)
            base = nats if base is None else base
            less = base - nats
            left = (f"{number:<12}", f"{len(some):9}") if not index else (" " * 12, " " * 9)
            gain = f"{with_error(less, 4) if index else '':>17}"
            print("", *left, "", f"{name[-20:]:20}", f"{nats.mean():7.4f}", gain,
                  f"{1000 * ((squares - leads) ** 2).mean():12.2f}",
                  *([f"{losses(shares, known).mean() - least:14.4f}"] if played_on else []))


def report_choices(rows: Sequence[tuple[int, Array]], names: Sequence[str]) -> None:
    """Print by round the loss of each predictor's choice, and its difference to the first's.

    Args:
        rows: the coming round, and the result of `lost`.
        names: names of the predictors.
    """
    rounds = by_round(rows)
    if not rounds:
        return
    print("", "before round", "choices", "", " " * 20, f"{'points of 100':>15}", f"{'less':>15}")
    for number, some in rounds.items():
        costs = 100 * np.array([costs for costs, in some])
        for index, name in enumerate((*names, ANY_MOVE)):
            less = costs[:, 0] - costs[:, index]
            left = (f"{number:<12}", f"{len(some):7}") if not index else (" " * 12, " " * 7)
            print("", *left, "", f"{name[-20:]:20}", f"{with_error(costs[:, index], 3):>15}",
                  *([f"{with_error(less, 3):>15}"] if index else []))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", help="files of networks for the same variant")
    parser.add_argument("--game", choices=GAMES, default="summer")
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--sims", type=int, default=400)
    parser.add_argument("--deals", type=int, default=0,
                        help="also ask the package's network after so many deals")
    parser.add_argument("--playouts", type=int, default=0, help="of each position")
    parser.add_argument("--playout-sims", type=int, default=8)
    parser.add_argument("--round", type=int, default=0, help="only before this one")
    parser.add_argument("--choices", action="store_true",
                        help="what is lost by the last choices of rounds")
    parser.add_argument("--seed", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if min(args.games, args.sims, args.playout_sims, args.jobs) < 1 or (
            min(args.deals, args.playouts, args.round) < 0):
        parser.error("expected --games, --sims, --playout-sims and --jobs from 1 on, --deals,"
                     " --playouts and --round from 0 on")
    if args.choices and args.playouts < 2:
        parser.error("expected --playouts from 2 on: playing on judges the choices")
    variant = args.game, args.board, args.players
    try:
        rules_for(*variant)
    except PavilionError as error:
        parser.error(str(error))
    for file in args.networks:
        try:
            load_network(file, variant)
        except PavilionError as error:
            parser.error(str(error))
        except OSError as error:
            parser.error(f"{file}: {error.strerror}")
    setting = Setting(*variant, tuple(args.networks), args.sims, args.playouts, args.playout_sims,
                      args.round, args.deals)
    seeds = range(args.seed, args.seed + args.games)
    names = ["package", "linear", *(Path(file).stem for file in args.networks)]
    with ProcessPoolExecutor(args.jobs) as pool:
        if args.choices:
            choices = pool.map(partial(last_choices, setting), seeds, chunksize=10)
            report_choices([row for game in choices for row in game], names)
        else:
            games = pool.map(partial(records, setting), seeds, chunksize=10)
            report([row for game in games for row in game],
                   [*names, *[f"after {args.deals} deals"] * bool(args.deals),
                    *[PLAYED_ON] * bool(args.playouts)])


if __name__ == "__main__":
    main()
