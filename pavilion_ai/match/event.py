"""A match or a tournament: its entrants, game and limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pavilion_ai.errors import SpecError
from pavilion_ai.limits import Limits, Timeouts
from pavilion_ai.position import Position
from pavilion_ai.spec import called, split_name
from pavilion_ai.stats import Sprt
from pavilion_ai.wording import unique

SEVERAL = "several"
"""Kind of what is made of events of different kinds, for a report."""


@dataclass(frozen=True)
class Entrant:
    """An agent that takes part in an event.

    Attributes:
        name: unique name in the event: what the spec calls the agent, else the spec, with `#2` and
            so on if it is repeated.
        spec: agent spec.
        network: hash of the network file with which it has played, None if no record tells it.
    """

    name: str
    spec: str
    network: str | None = None


@dataclass(frozen=True)
class Settings:
    """Settings shared by all games of an event.

    Attributes:
        game: name of the game.
        board: side of the boards.
        players: seats at a table.
        seed: seed of the whole event; everything random derives from it (`seeds.py`).
        limits: limits of agents whose spec sets none; None leaves them their own defaults.
        timeouts: timeouts of external engines.
        tied: whether the games of a pair draw by common random numbers (`luck.py`).
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
        entrants: the agents, in the order given.
        settings: settings of all games.
        rounds: number of deals per meeting (match: number of pairs; None: no limit).
        sprt: the test that may end a match early, or None.
        openings: the positions from which the rounds start, with their numbers in the file that
            they come from; after the last one the first follows. Empty: every pair has a new game.
    """

    kind: str
    entrants: tuple[Entrant, ...]
    settings: Settings
    rounds: int | None
    sprt: Sprt | None = None
    openings: tuple[tuple[int, Position], ...] = ()

    def opening(self, pair: str) -> tuple[int, Position] | None:
        """Return the number and the position from which a pair starts; None for a new game.

        All pairs of a round start alike.
        """
        if not self.openings:
            return None
        number = int(pair.partition(".")[0])
        return self.openings[(number - 1) % len(self.openings)]


def entrants_of(specs: Iterable[str]) -> tuple[Entrant, ...]:
    """Name the entrants after their specs, numbered if a name is repeated.

    >>> [entrant.name for entrant in entrants_of(["greedy", "old=policy", "greedy"])]
    ['greedy', 'old', 'greedy#2']
    """
    given = list(specs)
    return tuple(map(Entrant, unique([called(spec) for spec in given]), given))


def check_names(specs: Iterable[str]) -> None:
    """Refuse a name that two different agents have.

    Raises:
        SpecError: there is one.
    """
    found: dict[str, str] = {}
    for name, spec in map(split_name, specs):
        if name is not None and found.setdefault(name, spec) != spec:
            raise SpecError(
                f"{name}={spec}: {name}={found[name]} has this name too, expected another one")
