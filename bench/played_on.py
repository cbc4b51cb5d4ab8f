"""Predicted chances to win, and the results of games played on, for bench/calibration.py.

Games are played at two kinds of tables. At a table of its `own` kind every seat is `default`, and
each of its searches is a prediction for the seat to move, made from the position alone. At a
`mixed` table one seat is `default` and every other one is drawn from `default` and the agents
of `MIXED`. There `default` searches one decision in four, whoever decides, from the position alone;
and its own seat's searches, which know the moves so far, are predictions too. With each prediction
goes the form of the seats in the game.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.analysis import short, win_shares
from pavilion_ai.form import WEIGHT
from pavilion_ai.games import Rng
from pavilion_ai.play import Play
from pavilion_ai.search import SHIPPED, Searcher, network_for

OWN, MIXED_POSITIONS, MIXED_GAMES = "own kind", "mixed table", "mixed table, its own seat"
VIEWS = (OWN, MIXED_POSITIONS, MIXED_GAMES)
MIXED = ("ismcts:net=0,sims={sims}", "default:level=5", "default:level=6", "default:level=7",
         "default:level=8", "default:level=9", "greedy")
"""Agents of mixed tables beside `default` and an older network."""
JUDGED = 0.25
"""Share of the decisions at mixed tables that are judged from the position alone."""
DRAW_STREAM = 98

Variant = tuple[str, str, int]


@dataclass(frozen=True)
class Said:
    """A prediction: for which seat, in which round, and its chances in two forms.

    Attributes:
        view: one of `VIEWS`.
        round: of the position.
        ply: moves and draws before it.
        seat: the seat to move.
        root: chances by seat as the position's, over all moves that were tried.
        best: chance of the seat to move by the favourite.
        off: by seat, `Analysis.form` of the game so far for a weight of 1; empty before anyone
            has decided.
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
        shares: of the victory, by seat.
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


def play_on(variant: Variant, mixed: bool, seed: int, sims: int, older: Path | None,
            begun: Sequence[str] = (), again: int = 0) -> Game:
    """Play a game at a table of either kind.

    Args:
        begun: its moves and draws that are known already.
        again: another number gives other draws and seeds of searches from there on.
    """
    game, board, players = variant
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

    def predict(agent: Agent, known: Play, view: str) -> str:
        found = agent.analyse(known, seed=(seed + again) * 1000 + len(play.plies))
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
                      else agents[seat].choose(play, seed=seed))
    return Game("/".join(map(str, variant)), mixed, seed, tuple(specs),
                tuple(ply.move for ply in play.plies), win_shares(play.winners(), players),
                tuple(said))


def shortened(numbers: Iterable[float]) -> tuple[float, ...]:
    """Return numbers rounded to the digits of a report."""
    return tuple(map(short, numbers))


def read(path: Path) -> list[Game]:
    """Return the games that are kept in a file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [Game(**{**data, "said": tuple(Said(*one) for one in data["said"])})
            for data in map(json.loads, lines)]


def measure(path: Path, variants: Sequence[Variant], count: int, seconds: float, sims: int,
            first: int, older: Path | None, kinds: Sequence[bool] = (False, True)) -> list[Game]:
    """Play games of all variants at both kinds of tables in turn; those in the file are read.

    Args:
        path: the file that keeps them.
        count: games of each variant at each kind of table.
        seconds: processor time after which no game is begun.
        sims: simulations of each search.
        first: the first seed.
        older: folder of older networks (bench/older.py), None for tables without one.
        kinds: of tables, False for its own kind and True for mixed ones.
    """
    games = read(path)
    known = {(one.variant, one.mixed, one.seed) for one in games}
    with path.open("a") as file:
        for variant, mixed, seed in _wanted(variants, count, first, kinds):
            if ("/".join(map(str, variant)), mixed, seed) in known:
                continue
            if time.process_time() > seconds:
                break
            games.append(play_on(variant, mixed, seed, sims, older))
            _keep(games[-1], file)
    return games


def last_rounds(path: Path, source: Path, variants: Sequence[Variant], sims: int,
                again: int) -> list[Game]:
    """Play the last rounds of games on anew with its own kind; those in the file are read.

    The first round that can be the last one counts as that.

    Args:
        path: the file that keeps the games played on.
        source: a file of games; those of its own kind are taken.
        sims: simulations of each search.
        again: as for `play_on`.
    """
    games = read(path)
    known = {(one.variant, one.seed) for one in games}
    names = {"/".join(map(str, one)): one for one in variants}
    with path.open("a") as file:
        for game in read(source):
            if game.mixed or game.variant not in names or (game.variant, game.seed) in known:
                continue
            variant, begun = names[game.variant], list[str]()
            play = Play.new(variant[0], board=variant[1], players=variant[2], seed=game.seed)
            while play.state.round < play.rules.last_round or play.chance:
                begun.append(game.moves[len(begun)])
                play.push(begun[-1])
            games.append(play_on(variant, False, game.seed, sims, None, begun, again))
            _keep(games[-1], file)
    return games


def _keep(game: Game, file: TextIO) -> None:
    data = {**asdict(game), "said": [tuple(asdict(one).values()) for one in game.said]}
    file.write(json.dumps(data) + "\n")
    file.flush()


def _wanted(variants: Sequence[Variant], count: int, first: int,
            kinds: Sequence[bool]) -> Iterator[tuple[Variant, bool, int]]:
    for seed in range(first, first + count):
        for variant in variants:
            for mixed in kinds:
                yield variant, mixed, seed
