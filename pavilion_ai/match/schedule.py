"""The schedule: the pairs of an event, and the games of a pair.

A pair is one deal, played once from every rotation of its seats (two games for two players). The
schedule is fixed in advance, except in the Swiss system, where each round depends on the results of
the rounds before; so an event can be resumed from its results alone.
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
from pavilion_ai.seeds import order_seed

NUMBER = re.compile("[1-9][0-9]{0,11}")
"""Number of a round, a table or a pair in names."""


@dataclass(frozen=True)
class Seating:
    """One game and its seating.

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
    """One deal and its entrants in the order of their seats in the first game."""

    id: str
    entrants: tuple[int, ...]

    def seatings(self) -> Iterator[Seating]:
        """Yield the games; each entrant moves by one seat from game to game."""
        for rotation in range(len(self.entrants)):
            seats = self.entrants[-rotation:] + self.entrants[:-rotation]
            yield Seating(self.id, rotation, seats)


def waits(event: Event) -> bool:
    """Tell whether a round can be paired only after all games of earlier rounds."""
    return event.kind == "swiss"


def default_rounds(kind: str, entrants: int) -> int:
    """Return the default number of rounds of a tournament."""
    return math.ceil(math.log2(max(entrants, 2))) + 2 if kind == "swiss" else 10


def rounds(event: Event, results: Sequence[Result]) -> Iterator[list[Pair]]:
    """Yield the pairs of each round.

    Args:
        results: results of the games so far, in any order; if `waits(event)`, they must include
            all earlier rounds when a round is requested.
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
    """Return the game with this name, as far as it is fixed in advance; None if there is no such.

    In the Swiss system every name of the right form is accepted, and the seating is unknown.
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
    """Return a pair; with more than two players the seed shuffles the order of seats."""
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
        kind: `round-robin`: all against all; `gauntlet`: the first entrant against all others;
            `ladder`: each entrant against the next in the list, `players` at a table, so that the
            number of a table does not depend on the number of later entrants.
    """
    if kind == "ladder":
        return tuple(
            (first, *others)
            for first in range(entrants)
            for others in itertools.combinations(
                range(first + 1, min(first + 1 + players, entrants)), players - 1))
    if kind == "round-robin":
        return tuple(itertools.combinations(range(entrants), players))
    return tuple(
        (0, *others) for others in itertools.combinations(range(1, entrants), players - 1))


def tables_of(event: Event) -> int:
    """Return the number of tables of a round, which is that of its pairs."""
    entrants, players = len(event.entrants), event.settings.players
    if event.kind == "swiss":
        return entrants // players
    if event.kind == "ladder":
        return sum(math.comb(min(players, later), players - 1) for later in range(entrants))
    if event.kind == "gauntlet":
        return math.comb(entrants - 1, players - 1)
    return math.comb(entrants, players)


# ------------------------------------------------------------------------------ Swiss system

SEARCHED_TABLES = 20_000
"""Tables tried before allowing one more repeated meeting; an exhaustive search is too slow."""

_Step = tuple[Sequence[int], int, Iterator[tuple[int, ...]]]
"""Entrants without a table, meetings that may still repeat, and whom the first may yet meet."""


def _swiss(event: Event, number: int, results: Sequence[Result]) -> list[tuple[int, ...]]:
    """Return the tables of a round: neighbours in the standings with few repeated meetings.

    Surplus entrants sit out: the last in the standings among those with the most games.
    """
    earlier = [result for result in results if int(result.pair.split(".")[0]) < number]
    points = {entrant: [0.0] for entrant in range(len(event.entrants))}
    met: Counter[tuple[int, int]] = Counter()
    for result in earlier:
        for entrant, share in zip(result.entrants, result.points, strict=True):
            points[entrant].append(share)
        if result.rotation == 0:
            met.update(itertools.permutations(result.entrants, 2))
    standings = sorted(  # fsum: the same for every order of the results
        points, key=lambda e: (-math.fsum(points[e]) / max(1, len(points[e]) - 1), e))
    spare = len(standings) % event.settings.players
    last_first = standings[::-1]
    idle = sorted(last_first, key=lambda e: -len(points[e]))[:spare]
    playing = [entrant for entrant in standings if entrant not in idle]
    for again in itertools.count():
        tables = _tables(playing, met, event.settings.players, again)
        if tables is not None:
            return tables
    raise AssertionError  # any tables are accepted once enough meetings may repeat


def _tables(playing: Sequence[int], met: Mapping[tuple[int, int], int], size: int, again: int
            ) -> list[tuple[int, ...]] | None:
    """Seat neighbours together with at most `again` repeated meetings; None if not found."""
    def step(free: Sequence[int], again: int) -> _Step:
        return free, again, itertools.combinations(free[1:], size - 1)

    tables: list[tuple[int, ...]] = []
    steps = [step(playing, again)]  # one more than tables
    tried = 0
    while steps:
        free, again, choices = steps[-1]
        if not free:
            return tables
        for others in choices:
            tried += 1
            if tried > SEARCHED_TABLES:
                return None
            table = (free[0], *others)
            repeated = sum(met.get(two, 0) for two in itertools.combinations(table, 2))
            if repeated <= again:
                tables.append(table)
                steps.append(step([one for one in free if one not in table], again - repeated))
                break
        else:
            steps.pop()
            del tables[-1:]
    return None
