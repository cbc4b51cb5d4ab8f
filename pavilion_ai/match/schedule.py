"""Who meets whom: the pairs of an event, and the games of a pair.

A pair is one deal, played once from every rotation of its seats (two games for two players). What
is played is known beforehand, but for the Swiss system, where each round depends on the results of
those before; so an event goes on from its results alone.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pavilion_ai.games import Rng
from pavilion_ai.match.event import Event
from pavilion_ai.match.results import Result
from pavilion_ai.match.seeds import order_seed

__all__ = [
    "KINDS", "Pair", "Seating", "default_rounds", "meetings", "rounds", "seating_of", "waits",
]

NUMBER = re.compile("[1-9][0-9]{0,11}")
"""A number of a round, a table or a pair, as it stands in names."""

KINDS = ("round-robin", "gauntlet", "ladder", "swiss")
"""Systems of a tournament."""


@dataclass(frozen=True)
class Seating:
    """One game: who sits where.

    Attributes:
        pair: id of the deal.
        rotation: 0 to players - 1.
        entrants: index of the entrant in each seat.
    """

    pair: str
    rotation: int
    entrants: tuple[int, ...]

    @property
    def id(self) -> str:
        """Id of the game's record."""
        return f"{self.pair}-{self.rotation + 1}"


@dataclass(frozen=True)
class Pair:
    """One deal for as many entrants as there are seats, in the order of their seats at first."""

    id: str
    entrants: tuple[int, ...]

    def seatings(self) -> Iterator[Seating]:
        """Yield the games; everybody moves on by one seat from game to game."""
        for rotation in range(len(self.entrants)):
            seats = self.entrants[-rotation:] + self.entrants[:-rotation]
            yield Seating(self.id, rotation, seats)


def waits(event: Event) -> bool:
    """Tell whether a round can be drawn up only after all games of those before."""
    return event.kind == "swiss"


def default_rounds(kind: str, entrants: int) -> int:
    """Return how many rounds a tournament has if nobody says."""
    return math.ceil(math.log2(max(entrants, 2))) + 2 if kind == "swiss" else 10


def rounds(event: Event, results: Sequence[Result]) -> Iterator[list[Pair]]:
    """Yield the pairs of each round.

    Args:
        results: of the games so far, in any order; where `waits(event)`, those of all rounds
            before have to be in it when a round is asked for.
    """
    numbers = itertools.count(1) if event.rounds is None else range(1, event.rounds + 1)
    for number in numbers:
        if event.kind == "match":
            yield [_pair(event, str(number), range(len(event.entrants)))]
            continue
        tables: Sequence[tuple[int, ...]]
        if event.kind == "swiss":
            tables = _swiss(event, number, results)
        else:
            tables = meetings(event.kind, len(event.entrants), event.settings.players)
        yield [
            _pair(event, f"{number}.{table}", entrants)
            for table, entrants in enumerate(tables, 1)
        ]


def seating_of(event: Event, pair: str, rotation: int) -> Seating | None:
    """Return the game with this name, as far as it is known beforehand; None if there is none.

    In the Swiss system every name of the right form will do, and nobody is seated yet.
    """
    words = pair.split(".")
    if not all(NUMBER.fullmatch(word) for word in words):
        return None
    if len(words) != (1 if event.kind == "match" else 2):
        return None
    if not 0 <= rotation < event.settings.players:
        return None
    if event.kind == "match":
        entrants: Iterable[int] = range(len(event.entrants))
    elif event.kind == "swiss":
        return Seating(pair, rotation, ())
    else:
        tables = meetings(event.kind, len(event.entrants), event.settings.players)
        if int(words[1]) > len(tables):
            return None
        entrants = tables[int(words[1]) - 1]
    return list(_pair(event, pair, entrants).seatings())[rotation]


def _pair(event: Event, name: str, entrants: Iterable[int]) -> Pair:
    """Return a pair; with more than two players chance decides who sits next to whom."""
    seats = list(entrants)
    if len(seats) > 2:
        rng = Rng(order_seed(event.settings.seed, name))
        for i in range(len(seats) - 1, 0, -1):  # Fisher and Yates
            j = rng.below(i + 1)
            seats[i], seats[j] = seats[j], seats[i]
    return Pair(name, tuple(seats))


@lru_cache(maxsize=16)
def meetings(kind: str, entrants: int, players: int) -> tuple[tuple[int, ...], ...]:
    """Return every table of a round, in lexicographic order.

    Args:
        kind: `round-robin`: everybody with everybody; `gauntlet`: the first one with all;
            `ladder`: everybody with the next ones in line, as many as there are `players`, so
            that a table has its number however many come after it.
    """
    if kind == "ladder":
        return tuple(
            (first, *others)
            for first in range(entrants)
            for others in itertools.combinations(
                range(first + 1, min(first + 1 + players, entrants)), players - 1))
    tables = itertools.combinations(range(entrants), players)
    return tuple(table for table in tables if kind == "round-robin" or 0 in table)


# ------------------------------------------------------------------------------ Swiss system

SEARCHED_TABLES = 20_000
"""Tables tried before one more repeated meeting is allowed; to prove it needless takes forever."""


def _swiss(event: Event, number: int, results: Sequence[Result]) -> list[tuple[int, ...]]:
    """Return the tables of a round: neighbours in the standings, meeting again as little as can be.

    Who is left over sits out: the last in the standings of those who have played most.
    """
    earlier = [result for result in results if int(result.pair.split(".")[0]) < number]
    points = {entrant: [0.0] for entrant in range(len(event.entrants))}
    met: Counter[tuple[int, int]] = Counter()
    for result in earlier:
        for entrant, share in zip(result.entrants, result.points, strict=True):
            points[entrant].append(share)
        met.update(itertools.permutations(result.entrants, 2))
    standings = sorted(  # fsum: the same for every order of the results
        points, key=lambda e: (-math.fsum(points[e]) / max(1, len(points[e]) - 1), e))
    spare = len(standings) % event.settings.players
    last_first = standings[::-1]
    idle = sorted(last_first, key=lambda e: -len(points[e]))[:spare]
    playing = [entrant for entrant in standings if entrant not in idle]
    for again in itertools.count():
        tables = _tables(playing, met, event.settings.players, again, [SEARCHED_TABLES])
        if tables is not None:
            return tables
    raise AssertionError  # any tables will do once enough meetings may be repeated


def _tables(playing: Sequence[int], met: Mapping[tuple[int, int], int], size: int, again: int,
            left: list[int]) -> list[tuple[int, ...]] | None:
    """Seat neighbours together with at most `again` repeated meetings; None if none was found.

    Args:
        left: one number, the tables that may still be tried.
    """
    if not playing:
        return []
    first, rest = playing[0], playing[1:]
    for others in itertools.combinations(rest, size - 1):
        left[0] -= 1
        if left[0] < 0:
            return None
        repeated = sum(met.get(two, 0) for two in itertools.combinations((first, *others), 2))
        if repeated <= again:
            remaining = [entrant for entrant in rest if entrant not in others]
            tables = _tables(remaining, met, size, again - repeated, left)
            if tables is not None:
                return [(first, *others), *tables]
    return None
