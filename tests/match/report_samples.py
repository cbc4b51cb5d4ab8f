"""Made-up results of events."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations

from pavilion_ai.match.event import Event, Settings, entrants_of
from pavilion_ai.match.results import Result
from pavilion_ai.stats.sprt import Sprt

Scores = Sequence[int]


def event(
    *specs: str,
    players: int = 2,
    kind: str = "match",
    rounds: int | None = None,
    sprt: Sprt | None = None,
) -> Event:
    """Return an event of the game in question."""
    settings = Settings(game="summer", board="coloured", players=players, seed=7)
    return Event(kind, entrants_of(specs), settings, rounds, sprt)


def result(
    pair: str,
    rotation: int,
    entrants: tuple[int, ...],
    scores: Scores,
    *,
    starter: int = 0,
    loser: int | None = None,
    reason: str = "finished",
    seconds: float = 1.0,
    sims: tuple[int, ...] | None = None,
) -> Result:
    """Return a game by its scores, or by who lost it by a fault; 10 decisions per seat."""
    seats = range(len(entrants))
    keys = [int(seat != loser) for seat in seats] if loser is not None else list(scores)
    best = keys.count(max(keys))
    return Result(
        game=f"{pair}-{rotation}",
        pair=pair,
        rotation=rotation,
        entrants=entrants,
        starter=starter,
        scores=tuple(scores),
        points=tuple(1 / best if key == max(keys) else 0.0 for key in keys),
        places=tuple(
            1 + sum(other > key for other in keys) + (keys.count(key) - 1) / 2 for key in keys
        ),
        seconds=tuple(seconds for _ in seats),
        decisions=tuple(10 for _ in seats),
        sims=sims or tuple(0 for _ in seats),
        loser=loser,
        reason=reason,
    )


def pair_of(name: str, *games: Scores) -> list[Result]:
    """Return a pair of a match by the scores of its games, in the order of the entrants.

    In rotation r the entrants have moved on by r seats; seat 0 begins.
    """
    players = len(games[0])
    results = []
    for rotation, scores in enumerate(games):
        seats = tuple((seat - rotation) % players for seat in range(players))
        results.append(result(name, rotation, seats, [scores[entrant] for entrant in seats]))
    return results


def drawn_pair(
    name: str, table: Sequence[int], strength: Sequence[float], rng: random.Random
) -> Iterator[Result]:
    """Yield the games of a pair at a table: scores around each entrant's strength."""
    players = len(table)
    luck = [rng.gauss(0, 8) for _ in range(players)]
    for rotation in range(players):
        seats = tuple(table[(seat - rotation) % players] for seat in range(players))
        scores = [
            max(1, round(strength[entrant] + luck[seat] + rng.gauss(0, 8) + 2 * (seat == 0)))
            for seat, entrant in enumerate(seats)
        ]
        sims = tuple(1000 * entrant for entrant in seats)
        yield result(name, rotation, seats, scores, seconds=rng.random(), sims=sims)


def drawn_match(players: int, pairs: int, strength: Sequence[float] | None = None) -> list[Result]:
    """Return the games of a match of all."""
    rng = random.Random(1)
    strength = strength or [70 - 6 * entrant for entrant in range(players)]
    return [
        game
        for number in range(1, pairs + 1)
        for game in drawn_pair(str(number), range(players), strength, rng)
    ]


def drawn_round_robin(entrants: int, rounds: int) -> list[Result]:
    """Return the games of a tournament at tables of two."""
    rng = random.Random(1)
    strength = [70 - 3 * entrant for entrant in range(entrants)]
    return [
        game
        for round_number in range(1, rounds + 1)
        for table in combinations(range(entrants), 2)
        for game in drawn_pair(
            f"{round_number}.{table[0]}.{table[1]}", table, strength, rng
        )
    ]
