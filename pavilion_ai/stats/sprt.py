"""The sequential test: is the first entrant better by one number or only by another?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pavilion_ai.errors import SpecError
from pavilion_ai.stats.pairs import ELO_PER_UNIT

__all__ = ["Sprt", "SprtPath", "set_points"]

Verdict = Literal["H0", "H1"]

PARTS = 12
"""A victory shared by two, three or four is a whole number of such parts of a point."""

UNSEEN = 1e-3
"""Count of a kind of set that was not seen: without one it would be impossible, and a one-sided
match could meet no hypothesis. The number is that of Disservin/fastchess, so that LLRs agree."""

LARGEST_ELO = 1000.0
"""Largest normalised Elo of a hypothesis: four times the deviation of a pair."""

MOST_ROUNDS, TOLERANCE = 1000, 1e-9
"""Rounds of the outer iteration, and the change of mean and deviation that ends it."""

MOST_STEPS, PRECISION = 200, 1e-14
"""Steps of the inner iteration, and the relative change that ends it."""


def set_points(points: Iterable[float]) -> float:
    """Return the points of a set of games together, without the error of rounding."""
    return round(PARTS * sum(points)) / PARTS


@dataclass(frozen=True)
class Sprt:
    """A generalised sequential probability ratio test on sets of games, in normalised Elo.

    A set is one deal played from every seat, with two players a pair. Normalised Elo is
    `pairs.ELO_PER_UNIT` times the points per game above the fair share, over the deviation of a
    game, which is that of a set's mean times the root of the players.

    Attributes:
        elo0: H0 says that the first entrant is better by this.
        elo1: H1 says that the first entrant is better by this; above `elo0`.
        alpha: chance of accepting H1 where H0 is true; above 0, below 0.5.
        beta: chance of accepting H0 where H1 is true; above 0, below 0.5.

    Raises:
        SpecError: a number is out of its range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

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
        """Return the logarithm of how much likelier H1 makes the sets than H0; 0 without sets.

        Each hypothesis is taken with the chances, among those that have its normalised Elo, that
        make the sets likeliest. Formula: Michel Van den Bergh, "Comments on Normalized Elo",
        section 4.1, as in Disservin/fastchess, here for sets of any number of games. Its kinds
        are whole and half points, and what else was seen.

        Args:
            sets: how many there are by the first entrant's `set_points`.
            players: as many games has a set.
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
        """Return the hypothesis that an LLR accepts, None while the test goes on."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


class SprtPath:
    """The log-likelihood ratio, set by set, up to where the test ends.

    Attributes:
        path: the ratio after each set.
        verdict: the hypothesis accepted with the last set of the path, None while the test goes on.
    """

    def __init__(self, sprt: Sprt) -> None:
        self.sprt = sprt
        self.path: list[float] = []
        self.verdict: Verdict | None = None
        self._sets = Counter[float]()  # by their points

    def append(self, points: Collection[float]) -> None:
        """Take in the first entrant's points of each game of the next set; no set after the end."""
        self._sets[set_points(points)] += 1
        self.path.append(self.sprt.llr(self._sets, len(points)))
        self.verdict = self.sprt.verdict(self.path[-1])


def _deficit(edges: Sequence[float], shares: Sequence[float], target: float) -> float:
    """Return by how much a hypothesis makes a set less likely than the observed shares do.

    The mean, over the observed sets, of the logarithm of observed share by likeliest chance under
    the condition edge = target * deviation. The condition is straightened at the current mean and
    deviation; it is then one linear equation, `sum(chance * tilt) = 0`, whose solution gives the
    next mean and deviation. It begins with chances that meet the condition (all sets won or
    lost), which leaves tilts of both signs in every round.

    Args:
        edges: points per game above the fair share, for each kind of set, the least one (all
            games lost) first.
        shares: of the kinds of set, all above 0, together 1.
        target: edge in deviations of a set that the hypothesis demands.
    """
    fair, square = -edges[0], target * target
    won = (2 * fair + square + target * math.sqrt(square + 4 * fair * (1 - fair))) / (
        2 * (1 + square))
    edge, spread = won - fair, math.sqrt(won * (1 - won))
    factors: list[float] = []
    for _ in range(MOST_ROUNDS):
        tilts = [x - 0.5 * target * (spread + (x - edge) ** 2 / spread) for x in edges]
        factors = _share_by_chance(shares, tilts)
        chances = [share / factor for share, factor in zip(shares, factors, strict=True)]
        before = edge, spread
        edge = sum(chance * x for chance, x in zip(chances, edges, strict=True))
        spread = math.sqrt(
            sum(chance * (x - edge) ** 2 for chance, x in zip(chances, edges, strict=True)))
        # The sum below is flat at the solution: its error is of the square of this one.
        if abs(edge - before[0]) + abs(spread - before[1]) < TOLERANCE:
            break
    return sum(
        share * math.log(factor) for share, factor in zip(shares, factors, strict=True))


def _share_by_chance(shares: Sequence[float], tilts: Sequence[float]) -> list[float]:
    """Return observed share by likeliest chance of each kind, where `sum(chance * tilt) = 0`.

    The chances are share / (1 + multiplier * tilt). The multiplier can be so near to the pole of
    one kind, hardly seen but needed, that its digits do not suffice; the unknown is therefore that
    kind's own share by chance. Newton's method on the equation times the unknown, with a bracket
    that is halved, in ratio, where a step would leave it.
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
