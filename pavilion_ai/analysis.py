"""What a search found out, as plain values: the object behind `suggest --json`.

Reading the results of a search is kept apart from searching (search.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pavilion_ai.errors import SpecError
from pavilion_ai.version import ENGINE_NAME, __version__

__all__ = [
    "Analysis", "Limits", "MoveStats", "RootStats", "Timeouts", "calibrated", "lead", "short",
    "win_error",
]


@dataclass(frozen=True)
class Limits:
    """When a search ends: at whichever limit is reached first.

    Attributes:
        sims: simulations in all, over all threads.
        seconds: wall-clock time.
        memory_mib: size of the trees in MiB, over all threads; a full tree is searched on
            without growing.

    Raises:
        SpecError: if a limit is out of its range.
    """

    sims: int | None = None
    seconds: float | None = None
    memory_mib: int | None = None

    def __post_init__(self) -> None:
        if self.sims is not None and (type(self.sims) is not int or self.sims < 1):
            raise SpecError(f"sims {self.sims!r}: expected a whole number, at least 1")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise SpecError(f"seconds {self.seconds!r}: expected a positive number")
        if self.memory_mib is not None and not 1 <= self.memory_mib <= 1 << 20:
            raise SpecError(f"memory {self.memory_mib!r} MiB: expected 1 to {1 << 20}")


@dataclass(frozen=True)
class Timeouts:
    """When an external engine has lost; in seconds.

    Attributes:
        start: longest time from the start of the process to its first answer, on top of `move`.
        move: longest time for a move where the limits name no time.
        grace: time beyond the limit before a move counts as late.
    """

    start: float = 30.0
    move: float = 60.0
    grace: float = 2.0


@dataclass(frozen=True)
class MoveStats:
    """One move of the root.

    Attributes:
        move: in notation.
        order: rank, 0 for the move the engine would play.
        visits: simulations that began with the move; 0 if it was not looked at, and then the
            averages below are the root's.
        win_prob: the mover's chance to win in [0, 1], shared victories split; `calibrated`.
        win_prob_se: its standard error (see `win_error`).
        score_mean: expected final scores by seat, in points.
        score_lead: the mover's expected score minus the best other seat's.
        prior: share of the search's attention the move had beforehand.
        pv: principal variation, this move first, up to the next draw of tiles.
    """

    move: str
    order: int
    visits: int
    win_prob: float
    win_prob_se: float
    score_mean: tuple[float, ...]
    score_lead: float
    prior: float
    pv: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the entry of `moves` of the contract."""
        return {
            "move": self.move,
            "order": self.order,
            "visits": self.visits,
            "win_prob": short(self.win_prob),
            "win_prob_se": short(self.win_prob_se),
            "score_mean": [short(p) for p in self.score_mean],
            "score_lead": short(self.score_lead),
            "prior": short(self.prior),
            "pv": list(self.pv),
        }


@dataclass(frozen=True)
class RootStats:
    """The position as a whole: averages over all simulations.

    Attributes:
        visits: simulations that the tree rests on.
        win_prob: by seat; adds up to 1; `calibrated`.
        score_mean: expected final scores by seat, in points.
        score_lead: of the seat to move.
    """

    visits: int
    win_prob: tuple[float, ...]
    score_mean: tuple[float, ...]
    score_lead: float


@dataclass(frozen=True)
class Analysis:
    """The result of one search.

    Attributes:
        position: code of the position.
        to_move: seat whose moves are ranked.
        seconds: wall-clock time used; sims: simulations made in it.
        only: moves that the search was confined to; none: it was not.
        final: False for interim reports.
        interrupted: whether the user ended the search.
    """

    position: str
    to_move: int
    root: RootStats
    moves: tuple[MoveStats, ...]
    limits: Limits
    seconds: float
    sims: int
    threads: int
    seed: int
    agent: str
    only: tuple[str, ...] = ()
    final: bool = True
    interrupted: bool = field(default=False, compare=False)

    @property
    def best(self) -> MoveStats:
        """The move the engine would play."""
        return self.moves[0]

    @property
    def sims_per_second(self) -> float:
        """Simulations per second of wall-clock time."""
        return self.sims / self.seconds if self.seconds > 0 else 0.0

    def to_json(self, top: int | None = None) -> dict[str, object]:
        """Return the object of the contract, with the `top` best moves only if that is given."""
        return {
            "position": self.position,
            "to_move": self.to_move,
            "root": {
                "visits": self.root.visits,
                "win_prob": [short(p) for p in self.root.win_prob],
                "score_mean": [short(p) for p in self.root.score_mean],
                "score_lead": short(self.root.score_lead),
            },
            "moves": [move.to_json() for move in self.moves[:top]],
            "limits": {"sims": self.limits.sims, "seconds": self.limits.seconds},
            "seconds": round(self.seconds, 3),
            "sims": self.sims,
            "sims_per_second": round(self.sims_per_second),
            "threads": self.threads,
            "seed": self.seed,
            "agent": self.agent,
            **({"only": list(self.only)} if self.only else {}),
            "engine": {"name": ENGINE_NAME, "version": __version__},
        }


def short(number: float) -> float:
    """Return a probability or a score with the digits that a report gives."""
    return round(number, 5)


def lead(scores: tuple[float, ...], seat: int) -> float:
    """Return a seat's score minus the best other seat's.

    >>> lead((80.0, 85.5, 70.0), 0)
    -5.5
    """
    return scores[seat] - max(score for s, score in enumerate(scores) if s != seat)


def calibrated(shares: tuple[float, ...], scale: float) -> tuple[float, ...]:
    """Return win shares raised to a power, made to add up to 1 again.

    A certain victory stays one, and equal shares stay equal.

    Args:
        shares: by seat.
        scale: the power, `Header.win_scale` of the network that was searched with.
    """
    if scale == 1.0:
        return shares
    powers = [share**scale for share in shares]
    total = sum(powers)
    return tuple(power / total for power in powers)


def win_error(visits: int, total: float, squares: float, scale: float = 1.0) -> float:
    """Return the standard error of a mean of `visits` win shares in [0, 1].

    The sample variance is mixed with one observation at the largest variance possible, 1/4, so
    that a handful of equal results never looks certain. The error is that of the average over
    simulations: it does not know how wrong the evaluation may be.

    Args:
        visits: number of results, at least 0.
        total: their sum; squares: the sum of their squares.
        scale: as in `calibrated`; the error grows as that function is steep at the mean, mixed
            with one draw; but no error of something in [0, 1] is larger than 0.5.
    """
    if visits == 0:
        return 0.5
    spread = max(0.0, squares - total * total / visits)
    variance = (spread + 0.25) / (visits + 1)
    mean = (total + 0.5) / (visits + 1)
    scaled, _ = calibrated((mean, 1 - mean), scale)
    steepness = scale * scaled * (1 - scaled) / (mean * (1 - mean))
    return min(0.5, float(steepness * (variance / visits) ** 0.5))
