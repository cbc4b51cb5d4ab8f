"""The sequential test: is the first entrant better by `elo1` or only by `elo0`?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pavilion_ai.bounds import DEFAULT_RISK
from pavilion_ai.errors import SpecError
from pavilion_ai.stats.pairs import ELO_PER_UNIT

Verdict = Literal["H0", "H1"]

PARTS = 12
"""Parts of a point: a victory shared by two, three or four is a whole number of them."""

UNSEEN = 1e-3
"""Count given to a kind of set that was not seen: with a count of 0 it would be impossible, and a
one-sided match could satisfy neither hypothesis. As in Disservin/fastchess, so that LLRs agree."""

LARGEST_ELO = 1000.0
"""Largest normalised Elo of a hypothesis: four standard deviations of a pair."""

MOST_ROUNDS, TOLERANCE = 1000, 1e-9
"""Most rounds of the outer iteration, and the change of mean and deviation that ends it."""

SMALLEST_PACE = 2.0**-7
"""Least share of a step of the outer iteration that is taken."""

MOST_STEPS, PRECISION = 200, 1e-14
"""Most steps of the inner iteration, and the relative change that ends it."""


def set_points(points: Iterable[float]) -> float:
    """Return the sum of the points in a set of games, free of rounding error."""
    return round(PARTS * sum(points)) / PARTS


@dataclass(frozen=True)
class Sprt:
    """A generalised sequential probability ratio test on sets of games, in normalised Elo.

    A set is one deal played from every seat; with two players it is a pair. Normalised Elo is
    `pairs.ELO_PER_UNIT` times the points per game above the fair share, divided by the standard
    deviation of a game, which is that of a set's mean times the square root of the players.

    Attributes:
        elo0: difference under H0, in normalised Elo.
        elo1: difference under H1; above `elo0`.
        alpha: probability of accepting H1 if H0 is true; above 0, below 0.5.
        beta: probability of accepting H0 if H1 is true; above 0, below 0.5.

    Raises:
        SpecError: a number is out of range.
    """

    elo0: float
    elo1: float
    alpha: float = DEFAULT_RISK
    beta: float = DEFAULT_RISK

    def __post_init__(self) -> None:
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise SpecError(
                f"sprt: found bounds {self.elo0} and {self.elo1}, expected the first to be the"
                f" smaller one and both from {-LARGEST_ELO:.0f} to {LARGEST_ELO:.0f}")
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise SpecError(f"sprt: found {name} {chance}, expected it between 0 and 0.5")

    @property
    def lower(self) -> float:
        """The LLR at and below which H0 is accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at and above which H1 is accepted (Wald)."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, sets: Mapping[float, int], players: int = 2) -> float:
        """Return the log-likelihood ratio of H1 to H0 for the sets; 0 without sets.

        Each hypothesis is represented by its most likely distribution among those with its
        normalised Elo. Formula: Michel Van den Bergh, "Comments on Normalized Elo", section 4.1,
        as in Disservin/fastchess, here for sets of any number of games. The kinds of set are all
        whole and half points, and any other sums seen.

        Args:
            sets: number of sets by the first entrant's `set_points`.
            players: number of players, which is the number of games per set.
        """
        if not any(sets.values()):
            return 0.0
        halves = (half / 2 for half in range(2 * players + 1))
        counts = {points: sets.get(points) or UNSEEN for points in sorted({*halves, *sets})}
        total = math.fsum(counts.values())
        shares = [count / total for count in counts.values()]
        edges = [(points - 1) / players for points in counts]
        unit = ELO_PER_UNIT / math.sqrt(players)
        below, above = (_deficit(edges, shares, elo / unit) for elo in (self.elo0, self.elo1))
        return total * (below - above)

    def verdict(self, llr: float) -> Verdict | None:
        """Return the hypothesis that an LLR accepts, None while the test is undecided."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


class SprtPath:
    """The log-likelihood ratio, set by set, until the test ends.

    Attributes:
        path: the ratio after each set.
        verdict: the hypothesis accepted with the last set, None while the test is undecided.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt = sprt
        self.path: list[float] = []
        self.verdict: Verdict | None = None
        self._sets = Counter[float]()  # number of sets by points

    def append(self, points: Collection[float]) -> None:
        """Add a set by the first entrant's points in each game; do not call it after the end."""
        self._sets[set_points(points)] += 1
        self.path.append(self.sprt.llr(self._sets, len(points)))
        self.verdict = self.sprt.verdict(self.path[-1])


def _deficit(edges: Sequence[float], shares: Sequence[float], target: float) -> float:
    """Return how much less likely a set is under a hypothesis than under the observed shares.

    The mean, over the observed sets, of log(observed share / probability), where the
    probabilities are the most likely ones that satisfy edge = target * deviation. There can be
    several local maxima of the likelihood: the best one that is found from several starts counts.
    The first start is all sets won or lost. At each other one a kind of set has the largest tilt
    towards the hypothesis.

    Args:
        edges: points per game above the fair share of each kind of set, the smallest (all games
            lost) first.
        shares: share of each kind of set, all above 0, summing to 1.
        target: the edge under the hypothesis, in standard deviations of a set.
    """
    fair, square = -edges[0], target * target
    won = (2 * fair + square + target * math.sqrt(square + 4 * fair * (1 - fair))) / (
        2 * (1 + square))
    starts = [(won - fair, math.sqrt(won * (1 - won)))]
    starts += [(x * square / (1 + square), x * target / (1 + square))
               for x in edges if x * target * square > 0]
    return min(_stationary(edges, shares, target, *start) for start in starts)


def _stationary(
    edges: Sequence[float], shares: Sequence[float], target: float, edge: float, spread: float
) -> float:
    """Return the deficit of the local maximum to which a start leads.

    The condition is linearised at the current mean and deviation; it is then the single equation
    `sum(chance * tilt) = 0`, whose solution gives the next mean and deviation. The start satisfies
    the condition, so that there are tilts of both signs in every round. Where the iteration swings
    to and fro, its steps are halved.

    Args:
        edge: mean at the start.
        spread: deviation at the start.
    """
    pace, last, last_step = 1.0, math.inf, 0.0
    factors: list[float] = []
    for _ in range(MOST_ROUNDS):
        tilts = [x - 0.5 * target * (spread + (x - edge) ** 2 / spread) for x in edges]
        factors = _share_by_chance(shares, tilts)
        chances = [share / factor for share, factor in zip(shares, factors, strict=True)]
        mean = sum(chance * x for chance, x in zip(chances, edges, strict=True))
        variance = sum(chance * (x - mean) ** 2 for chance, x in zip(chances, edges, strict=True))
        step, wider = mean - edge, math.sqrt(variance) - spread
        moved = abs(step) + abs(wider)
        # The sum below is stationary at the solution, so its error is quadratic in this one.
        if moved < TOLERANCE:
            break
        if step * last_step < 0 and moved > last / 2:
            pace = max(pace / 2, SMALLEST_PACE)
        edge, spread = edge + pace * step, spread + pace * wider
        last, last_step = moved, step
    return sum(
        share * math.log(factor) for share, factor in zip(shares, factors, strict=True))


def _share_by_chance(shares: Sequence[float], tilts: Sequence[float]) -> list[float]:
    """Return share / probability of each kind for the most likely `sum(chance * tilt) = 0`.

    The probabilities are share / (1 + multiplier * tilt). The multiplier can be so close to the
    pole of one kind, hardly seen but needed, that it loses all precision; the unknown is therefore
    that kind's own share / probability. Newton's method on the equation times the unknown, with a
    bracket that is bisected geometrically wherever a step would leave it.
    """
    total = sum(share * tilt for share, tilt in zip(shares, tilts, strict=True))
    pole = tilts.index(min(tilts) if total > 0 else max(tilts))
    slopes = [tilt / tilts[pole] for tilt in tilts]
    fixed = [(tilts[pole] - tilt) / tilts[pole] for tilt in tilts]
    terms = list(zip(shares, slopes, fixed, strict=True))
    low, high = shares[pole], 1.0
    unknown = 1.0
    for _ in range(MOST_STEPS):
        value = climb = 0.0
        for share, slope, rest in terms:
            factor = rest + slope * unknown
            value += share * slope * unknown / factor
            climb += share * slope * rest / (factor * factor)
        if value > 0:
            low = unknown
        else:
            high = unknown
        following = unknown - value / climb if climb else 0.0
        if not low <= following <= high:
            following = math.sqrt(low * high)
        done = abs(following - unknown) <= PRECISION * unknown
        unknown = following
        if done:
            break
    return [rest + slope * unknown for _, slope, rest in terms]
