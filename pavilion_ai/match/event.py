"""What a match or a tournament is: who takes part, in which game, under which limits."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from pavilion_ai.analysis import Limits, Timeouts
from pavilion_ai.stats import Sprt

__all__ = ["Entrant", "Event", "Settings", "entrants_of"]


@dataclass(frozen=True)
class Entrant:
    """Somebody who takes part.

    Attributes:
        name: unique in the event: the spec, with `#2` and so on where it is there before.
        spec: agent spec.
    """

    name: str
    spec: str


@dataclass(frozen=True)
class Settings:
    """What all games of an event have in common.

    Attributes:
        game: name of the game.
        board: side of the boards.
        players: seats at a table.
        seed: of the whole event; everything random derives from it (`seeds.py`).
        limits: of agents whose spec names none; None leaves them their own defaults.
        timeouts: of external engines.
        tied: draws are tied to what is drawn; False draws each game by itself.
    """

    game: str
    board: str
    players: int
    seed: int
    limits: Limits | None = None
    timeouts: Timeouts = field(default_factory=Timeouts)
    tied: bool = True


@dataclass(frozen=True)
class Event:
    """A match or a tournament.

    Attributes:
        kind: `match`, `round-robin`, `gauntlet`, `ladder` or `swiss`.
        entrants: who takes part, in the order given.
        settings: what all games have in common.
        rounds: how often everybody meets everybody (match: the pairs to be played; None: no limit).
        sprt: the test that may end a match early, or None.
    """

    kind: str
    entrants: tuple[Entrant, ...]
    settings: Settings
    rounds: int | None
    sprt: Sprt | None = None


def entrants_of(specs: Iterable[str]) -> tuple[Entrant, ...]:
    """Name the entrants after their specs, apart where a spec is given twice.

    >>> [entrant.name for entrant in entrants_of(["greedy", "random", "greedy"])]
    ['greedy', 'random', 'greedy#2']
    """
    given = list(specs)
    taken: set[str] = set()
    entrants = []
    for index, spec in enumerate(given):
        numbers = itertools.count(given[:index].count(spec) + 1)
        names = (spec if number == 1 else f"{spec}#{number}" for number in numbers)
        name = next(name for name in names if name not in taken)
        taken.add(name)
        entrants.append(Entrant(name, spec))
    return tuple(entrants)
