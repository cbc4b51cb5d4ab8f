"""The result of a search as plain values: the object behind `suggest --json`.

Reporting the results is kept apart from searching (search.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from pavilion_ai.drawn import Tabulated
from pavilion_ai.limits import Limits
from pavilion_ai.version import engine_identity

COVER = 1.645
"""Standard errors within which a search 30 times as long finds the value in 90 % of cases."""
TOGETHER = 0.5
"""Correlation of the errors of two moves of a position, whose trees and evaluations are alike."""
LARGEST_VARIANCE = 0.25
"""Expected variance of results of which nothing is known: the most possible in [0, 1]."""
NETWORK_VARIANCE = 0.01
"""Expected variance of the values that a network gives to the positions below a move."""
UNSEEN_VARIANCE, UNSEEN_WEIGHT = 0.02, 100
"""The same where the search looks past deals, for its drift, and how many results it counts like:
ends of rounds look certain until they are opened."""
FEW_DEALS, FEW_DEALS_FACTOR = 200, 3.0
"""Visits from which the deals that a search has seen grow in number, and by how many times its own
size the square of the drift is larger before."""
BY_NETWORK, LINEARLY = "network", "linear"
"""How a seat may be expected to judge positions: by the network of the search, or by the linear
heuristics."""
LEAST_ERROR = 1e-5
"""Least standard error of a value that is not exact: the last digit of a report."""


@dataclass(frozen=True)
class MoveStats:
    """One move of the root.

    Attributes:
        move: the move, in notation.
        order: rank, 0 for the move the engine would play, or the best one where the end of the game
            was solved (exact.py).
        visits: simulations that began with the move; if 0, the averages below are the root's,
            unless they are exact.
        win_prob: the mover's chance to win in [0, 1], shared victories split; `calibrated`.
        win_prob_se: standard error of `win_prob` (see `win_error`); 0 if it is exact.
        score_mean: expected final scores by seat, in points.
        score_lead: the mover's expected score minus the best other seat's.
        prior: prior probability of the move in the search, in [0, 1].
        pv: principal variation, this move first, up to the next draw of tiles.
        exact: whether `win_prob` and the scores are certain, because the move ends the game or the
            end of the game was solved (exact.py).
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
    exact: bool = False

    @property
    def known(self) -> bool:
        """Whether its values are its own: it was searched, or they are exact."""
        return self.visits > 0 or self.exact

    @property
    def win_prob_error(self) -> float:
        """Half the width of the interval for `win_prob` that is printed (see `win_error`)."""
        return min(0.5, COVER * self.win_prob_se)

    def to_json(self) -> dict[str, object]:
        """Return the entry of `moves` in the JSON form (docs/protocol.md)."""
        return {
            "move": self.move,
            "order": self.order,
            "visits": self.visits,
            "win_prob": short(self.win_prob),
            "win_prob_se": short(self.win_prob_se),
            "win_prob_error": short(self.win_prob_error),
            "exact": self.exact,
            "score_mean": [short(p) for p in self.score_mean],
            "score_lead": short(self.score_lead),
            "prior": short(self.prior),
            "pv": list(self.pv),
        }


@dataclass(frozen=True)
class RootStats:
    """The position as a whole: averages over all simulations.

    Attributes:
        visits: simulations in the tree.
        win_prob: chance to win by seat, summing to 1; `calibrated`.
        score_mean: expected final scores by seat, in points.
        score_lead: lead of the seat to move, in points.
    """

    visits: int
    win_prob: tuple[float, ...]
    score_mean: tuple[float, ...]
    score_lead: float


@dataclass(frozen=True)
class Analysis(Tabulated):
    """The result of one search; `str` is the table that `suggest` prints.

    Attributes:
        position: code of the position.
        to_move: seat whose moves are ranked.
        root: the position as a whole.
        moves: the moves, best first.
        limits: limits of the search.
        seconds: wall-clock time used.
        sims: simulations made in that time.
        threads: number of threads of the search.
        seed: seed of the search.
        agent: spec of the agent.
        only: moves the search was restricted to; empty if it was not restricted.
        compare: moves that were compared with the favourite at equal effort; empty if none were.
        even: number of favourites that were compared at equal effort; 0 if none were.
        avoid: moves the search left out.
        beliefs: how each seat is expected to judge positions, `BY_NETWORK` or `LINEARLY`; the
            seat to move judges as the search does. Empty if nothing is expected of anyone.
        form: how many nats the odds of each seat fall for how it has played so far (form.py);
            empty if nothing is known of that.
        final: False for interim reports.
        interrupted: whether a KeyboardInterrupt ended the search; `stop` does not count.
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
    compare: tuple[str, ...] = ()
    even: int = 0
    avoid: tuple[str, ...] = ()
    final: bool = True
    interrupted: bool = field(default=False, compare=False)
    beliefs: tuple[str, ...] = ()
    form: tuple[float, ...] = ()

    @property
    def best(self) -> MoveStats:
        """The move of rank 0."""
        return self.moves[0]

    @property
    def unlike(self) -> tuple[int, ...]:
        """Seats that are expected to judge otherwise than the search does, in order."""
        return tuple(seat for seat, belief in enumerate(self.beliefs)
                     if belief != self.beliefs[self.to_move])

    @property
    def win_prob_by_form(self) -> tuple[float, ...]:
        """Chance to win by seat if everybody plays on as so far; empty without a form."""
        return by_form(self.root.win_prob, self.form) if self.form else ()

    @property
    def sims_per_second(self) -> float:
        """Simulations per second of wall-clock time."""
        return self.sims / self.seconds if self.seconds > 0 else 0.0

    def to_json(self, top: int | None = None) -> dict[str, object]:
        """Return the JSON form (docs/protocol.md), with only the `top` best moves if given."""
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
            "limits": self.limits.to_json(),
            "seconds": round(self.seconds, 3),
            "sims": self.sims,
            "sims_per_second": round(self.sims_per_second),
            "threads": self.threads,
            "seed": self.seed,
            "agent": self.agent,
            **({"beliefs": list(self.beliefs)} if self.beliefs else {}),
            **({"form": [short(nats) for nats in self.form],
                "win_prob_by_form": [short(p) for p in self.win_prob_by_form]}
               if self.form else {}),
            **({"only": list(self.only)} if self.only else {}),
            **({"compare": list(self.compare)} if self.compare else {}),
            **({"even": self.even} if self.even else {}),
            **({"avoid": list(self.avoid)} if self.avoid else {}),
            "engine": engine_identity(),
        }


def short(number: float) -> float:
    """Return a probability or a score rounded to the digits of a report."""
    return round(number, 5)


def lead(scores: tuple[float, ...], seat: int) -> float:
    """Return a seat's score minus the best other seat's.

    >>> lead((80.0, 85.5, 70.0), 0)
    -5.5
    """
    return scores[seat] - max(score for s, score in enumerate(scores) if s != seat)


def win_shares(winners: Sequence[int], players: int) -> tuple[float, ...]:
    """Return each seat's share of a victory, which the winners share equally.

    >>> win_shares([0, 2], 3)
    (0.5, 0.0, 0.5)
    """
    return tuple((seat in winners) / len(winners) for seat in range(players))


def calibrated(shares: tuple[float, ...], scale: float) -> tuple[float, ...]:
    """Return win shares raised to a power and normalised to sum to 1 again.

    A certain victory stays certain, and equal shares stay equal.

    Args:
        shares: win shares by seat.
        scale: the power, `search.win_scale_of` what was searched.
    """
    if scale == 1.0:
        return shares
    powers = [share**scale for share in shares]
    total = sum(powers)
    return tuple(power / total for power in powers)


def by_form(chances: Sequence[float], form: Sequence[float]) -> tuple[float, ...]:
    """Return chances to win by seat if everybody plays on as so far.

    Args:
        chances: those among equals, by seat, summing to 1.
        form: how many nats the odds of each seat fall.

    >>> by_form((0.5, 0.5), (1.0, 1.0))
    (0.5, 0.5)
    >>> [round(share, 2) for share in by_form((0.4, 0.6), (0.0, 1.5))]
    [0.75, 0.25]
    """
    shares = [chance * math.exp(-nats) for chance, nats in zip(chances, form, strict=True)]
    total = sum(shares)
    return tuple(share / total for share in shares)


def win_error(visits: int, total: float, squares: float, scale: float = 1.0, *,
              others: Sequence[float] | None = None, drift: float = 0.0,
              expected: float = LARGEST_VARIANCE, deals: bool = False) -> float:
    """Return the standard error of a mean of `visits` win shares in [0, 1].

    It says how far off a search 30 times as long may find the value: within 1.65 standard errors
    in 90 % of cases, within 2 in 95 % (docs/search.md; bench/calibration.py). Its square is

        variance / visits + variance * drift**2

    with the variance of the results. The first term is the sampling error of an average of
    independent results. The second one is what a search adds that still changes its mind: its
    results are not independent, they all follow the moves that have looked best so far, and more
    visits help only as far as they make the results more equal. Errors of the network, which a
    longer search shares, are in neither.

    Args:
        visits: number of results, at least 0.
        total: sum of the results.
        squares: sum of their squares.
        scale: as in `calibrated`; the error is multiplied by the slope of that function at the
            mean, mixed with one draw, where the other seats keep their proportions.
        others: sums of the results of the other seats; None for one, which has the rest.
        drift: how much the search changes its mind, `Rules.drift_of`; 0 if not at all.
        expected: a variance that counts like one result beside those of the sample, so that a few
            equal results never look certain.
        deals: whether the search looks past deals, of which a longer one sees more: in the second
            term another variance is expected, and the drift falls with the number of deals, the
            root of the visits.

    Returns:
        a number from LEAST_ERROR to 0.5, the most possible in [0, 1].
    """
    if visits == 0:
        return 0.5
    spread = max(0.0, squares - total * total / visits)
    more, weight = (UNSEEN_VARIANCE, UNSEEN_WEIGHT) if deals else (expected, 1)
    few = FEW_DEALS_FACTOR * math.sqrt(FEW_DEALS / max(FEW_DEALS, visits)) if deals else 0.0
    variance = ((spread + expected) / (visits + 1) / visits
                + (spread + weight * more) / (visits + weight) * drift**2 * (1 + few))
    sums = (total, *((visits - total,) if others is None else others))
    means = tuple((won + 1 / len(sums)) / (visits + 1) for won in sums)
    mean, scaled = means[0], calibrated(means, scale)[0]
    steepness = scale * scaled * (1 - scaled) / (mean * (1 - mean))
    return float(min(0.5, max(LEAST_ERROR, steepness * variance**0.5)))


def difference_error(one: float, other: float) -> float:
    """Return the standard error of the difference of two moves' values from their own errors.

    The errors of two moves of a position go together: measured 0.35 to 0.7 (docs/search.md).
    """
    return float((one**2 + other**2 - 2 * TOGETHER * one * other) ** 0.5)


def uninterrupted(found: Analysis) -> Analysis:
    """Return an analysis that others are built on.

    Raises:
        KeyboardInterrupt: a signal ended it early, and would be lost if nobody looked.
    """
    if found.interrupted:
        raise KeyboardInterrupt
    return found
