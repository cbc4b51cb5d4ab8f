"""Predicted chances to win, and the results of games played on, for bench/calibration.py.

Games are played at two kinds of tables. At a table of its `own` kind every seat is `default`, and
each of its searches is a prediction for the seat to move, made from the position alone. At a
`mixed` table one seat is `default` and every other one is drawn from `default` and the agents
of `MIXED`. There `default` searches one decision in four, of any agent, from the position alone;
and its own seat's searches, which know the moves so far, are predictions too. With each prediction
goes the form of the seats in the game.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from bench.measuring import VARIANTS, Variant, go_on, read
from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.analysis import short, win_shares
from pavilion_ai.form import WEIGHT
from pavilion_ai.games import Rng
from pavilion_ai.network import SHIPPED, network_for
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher

OWN, MIXED_POSITIONS, MIXED_GAMES = "own kind", "mixed table", "mixed table, its own seat"
VIEWS = (OWN, MIXED_POSITIONS, MIXED_GAMES)
MIXED = ("ismcts:net=0,sims={sims}", "default:level=5", "default:level=6", "default:level=7",
         "default:level=8", "default:level=9", "greedy")
"""Agents of mixed tables beside `default` and an older network."""
JUDGED = 0.25
"""Share of the decisions at mixed tables that are judged from the position alone."""
DRAW_STREAM = 98


@dataclass(frozen=True)
class Said:
    """A prediction: for which seat, in which round, and its chances in two forms.

    Attributes:
        view: one of `VIEWS`.
        round: round of the position.
        ply: moves and draws before it.
        seat: the seat to move.
        root: chances by seat as the position's, over all moves that were tried.
        best: chance of the seat to move by the favourite.
        off: `Analysis.form` of each seat in the game so far for a weight of 1; empty before
            anyone has decided.
    """

    view: str
    round: int
    ply: int
    seat: int
    root: tuple[float, ...]
    best: float
    off: tuple[float, ...]


@dataclass(frozen=True)
class Game:
    """A game that was played on.

    Attributes:
        seats: spec of the agent in each seat.
        moves: moves and draws from the first deal of the seed on.
        shares: shares of the victory, by seat.
        said: what was predicted.
    """

    variant: str
    mixed: bool
    seed: int
    seats: tuple[str, ...]
    moves: tuple[str, ...]
    shares: tuple[float, ...]
    said: tuple[Said, ...]


def pool(variant: Variant, sims: int, older: Path | None) -> list[str]:
    """Return the specs that sit at mixed tables."""
    found = [f"default:sims={sims}", *(spec.format(sims=sims) for spec in MIXED)]
    if older is not None:
        file = older / "{}-{}-{}.net".format(*variant)
        found.append(f"ismcts:net={file},sims={sims}")
    return found


def play_on(name: str, mixed: bool, seed: int, sims: int, older: Path | None,
            begun: Sequence[str] = (), again: int = 0) -> Game:
    """Play a game at a table of either kind.

    Args:
        begun: its moves and draws that are known already.
        again: another number gives other draws and seeds of searches from there on.
    """
    game, board, players = variant = VARIANTS[name]
    chosen = random.Random(f"{variant}/{mixed}/{seed}")
    judge = make_agent(f"default:sims={sims}")
    specs = [judge.spec] * players
    if mixed:
        specs = [chosen.choice(pool(variant, sims, older)) for _ in range(players)]
        specs[chosen.randrange(players)] = judge.spec
    agents = [make_agent(spec) for spec in specs]
    reader = Searcher("default")
    play, rng, said = Play.new(game, board=board, players=players, seed=seed), Rng(
        seed + again, DRAW_STREAM), list[Said]()
    for move in begun:
        play.push(move)

    def seed_now() -> int:
        return (seed + again) * 1000 + len(play.plies)

    def predict(agent: Agent, known: Play, view: str) -> str:
        found = agent.analyse(known, seed=seed_now())
        if len(found.moves) > 1:
            form = reader.form_in(play, network_for(SHIPPED, play.position))
            said.append(Said(view, play.state.round, len(play.plies), found.to_move,
                             shortened(found.root.win_prob), short(found.best.win_prob),
                             shortened(nats / WEIGHT for nats in form)))
        return found.best.move

    while not play.is_over():
        seat = play.turn
        if seat is None:
            play.draw_once(rng)
        elif not mixed:
            play.push(predict(judge, Play(play.position), OWN))
        else:
            if chosen.random() < JUDGED:
                predict(judge, Play(play.position), MIXED_POSITIONS)
            own = specs[seat] == judge.spec
            play.push(predict(agents[seat], play, MIXED_GAMES) if own
                      else agents[seat].choose(play, seed=seed_now()))
    return Game(name, mixed, seed, tuple(specs),
                tuple(ply.move for ply in play.plies), win_shares(play.winners(), players),
                tuple(said))


def shortened(numbers: Iterable[float]) -> tuple[float, ...]:
    """Return numbers rounded to the digits of a report."""
    return tuple(map(short, numbers))


def loaded(data: dict[str, Any]) -> Game:
    """Return the game of a line of the file."""
    return Game(**{**data, "said": tuple(Said(*one) for one in data["said"])})


def dumped(game: Game) -> dict[str, Any]:
    """Return the line of a game; what was said is kept without its names."""
    return {**asdict(game), "said": [tuple(asdict(one).values()) for one in game.said]}


def measure(path: Path, variants: Sequence[str], count: int, seconds: float, sims: int,
            first: int, older: Path | None, kinds: Sequence[bool] = (False, True)) -> list[Game]:
    """Play games of all variants at both kinds of tables in turn; those in the file are read.

    Args:
        path: the file that keeps them.
        count: games of each variant at each kind of table.
        seconds: processor time after which no game is begun.
        sims: simulations of each search.
        first: the first seed.
        older: folder of older networks (bench/older.py), None for tables without one.
        kinds: kinds of tables, False for its own kind and True for mixed ones.
    """
    wanted = product(range(first, first + count), variants, kinds)
    return go_on(path, ((name, mixed, seed) for seed, name, mixed in wanted),
                 lambda one: play_on(*one, sims, older),
                 lambda game: (game.variant, game.mixed, game.seed), loaded, dumped,
                 {"sims": sims}, seconds)


def last_rounds(path: Path, source: Path, variants: Sequence[str], sims: int,
                again: int) -> list[Game]:
    """Play the last rounds of games on anew with its own kind; those in the file are read.

    The first round that can be the last one counts as that.

    Args:
        path: the file that keeps the games played on.
        source: a file of games; those of its own kind are taken.
        sims: simulations of each search.
        again: as for `play_on`.
    """
    games = {(game.variant, game.seed): game for game in read(source, loaded)
             if not game.mixed and game.variant in variants}

    def anew(one: tuple[str, int]) -> Game:
        name, seed = one
        game, board, players = VARIANTS[name]
        play, begun = Play.new(game, board=board, players=players, seed=seed), list[str]()
        while play.state.round < play.rules.last_round or play.chance:
            begun.append(games[one].moves[len(begun)])
            play.push(begun[-1])
        return play_on(name, False, seed, sims, None, begun, again)

    return go_on(path, games, anew, lambda game: (game.variant, game.seed), loaded, dumped,
                 {"sims": sims, "again": again})
