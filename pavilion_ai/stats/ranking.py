"""Rate many entrants by the order in which they finished: the Plackett-Luce model.

Each entrant has a weight. The winner of a game is drawn by weight from all its entrants, the second
from those that remain, and so on; with two entrants this is Bradley-Terry, hence Elo. A tie counts
as every order of the tied entrants, in equal parts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pavilion_ai.errors import PavilionError
from pavilion_ai.stats.estimate import CONFIDENCE, Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Placing = Sequence[tuple[int, float]]
"""One game: (entrant, place) of each seat; place 1.0 is the best, equal places are ties."""

ELO_PER_NAT = 400 / math.log(10)
"""Elo points for odds of e to one."""

PRIOR = 0.5
"""Prior: each entrant is credited with this many wins, and as many losses, against a player rated
0. It keeps ratings finite, pulls small samples towards 0 and rates an entrant without games 0."""

MOST_STEPS = 100
TOLERANCE = 1e-7
"""Most steps of Newton's method, and the change of a log-weight below which they end."""

MOST_REFITTED = 64
"""Most entrants whose ratings are fitted anew in every resample. Of more, a resample is one step of
Newton's method from the ratings of all games, with their curvature: that is inverted once."""

DROP = -math.log(1 - CONFIDENCE)
"""How far the log-likelihood falls to the end of an interval that is not a bootstrap's. Of n equal
sets, the likelihood is then that of `unseen_chance(n)`."""

FAINT_PRIOR = 1e-5
"""Takes the place of `PRIOR` there: keeps numbers finite, and bounds nothing."""

SPRING = 1000.0
FARTHEST = 4.0
FARTHEST_LOG = 350.0
CLOSE = 1e-5
"""Stiffness of the spring that holds a difference of log-weights at a value while such an end is
searched for, farthest change of this value at once, largest log-weight, and precision of the
likelihood."""

MOST_WORK = 1e10
STEP_WORK = 1e5
"""Most work for such ends, for 1000 resamples: steps of Newton's method, each of the third power of
the number of entrants and `STEP_WORK` more. If it is not enough, there are none: ten seconds."""

NUMBERS_AT_ONCE = 4_000_000
"""Numbers in the largest array of the bootstrap: 32 MB."""

STILL = 1e-6
"""Largest spread in Elo points of a rating over the resamples that is taken as rounding error."""


# ----------------------------------------------------------------------------- who reached whom


Pairs = set[tuple[int, int]]
"""Who finished ahead of or level with whom."""

# Sets of entrants are bits of an integer here.


def _members(entrants: int) -> list[int]:
    """Return the entrants of a set, in order."""
    return [number for number, bit in enumerate(reversed(f"{entrants:b}")) if bit == "1"]


def _finishes(games: Iterable[Placing]) -> Pairs:
    return {
        (one, other) for game in games for one, place in game for other, its in game
        if place <= its and one != other
    }


def _next(entrants: int, steps: Sequence[int]) -> int:
    """Return who is a single step from some entrants."""
    found = 0
    while entrants:
        who = entrants.bit_length() - 1
        found, entrants = found | steps[who], entrants ^ 1 << who
    return found


class _Reach:
    """Who reached whom, by who finished ahead of or level with whom."""

    def __init__(self, finishes: Iterable[tuple[int, int]], entrants: int) -> None:
        self._all = (1 << entrants) - 1
        self._forward, self._backward = [0] * entrants, [0] * entrants
        self.turn(finishes)

    def turn(self, finishes: Iterable[tuple[int, int]]) -> None:
        """Add finishes; remove those that are there."""
        for one, other in finishes:
            self._forward[one] ^= 1 << other
            self._backward[other] ^= 1 << one

    def leads(self, one: int, other: int) -> bool:
        """Tell whether an entrant reached another one; the way is searched from both."""
        ahead, behind = new, old = 1 << one, 1 << other
        while new and old and not ahead & behind:
            new, old = _next(new, self._forward) & ~ahead, _next(old, self._backward) & ~behind
            ahead, behind = ahead | new, behind | old
        return bool(ahead & behind)

    def related(self, start: int) -> tuple[int, int]:
        """Return who reached some of these entrants, and whom they reached; these are in both."""
        found = []
        for steps in (self._backward, self._forward):
            all_, new = start, start
            while new:
                new = _next(new, steps) & ~all_
                all_ |= new
            found.append(all_)
        return found[0], found[1]

    def components(self, among: int | None = None) -> list[int]:
        """Return the sets of entrants, or of some of them, that all reached each other."""
        found, left = [], self._all if among is None else among
        while left:
            behind, ahead = self.related(1 << left.bit_length() - 1)
            found.append(behind & ahead & left)
            left &= ~found[-1]
        return found


def _parts(found: Sequence[Pairs], entrants: int) -> list[int]:
    """Return the sets of entrants that all reached each other, and do so without any single set.

    Args:
        found: the finishes in each set.
    """
    times = Counter(pair for pairs in found for pair in pairs)
    reach = _Reach(times, entrants)
    parts = reach.components()
    whole = {who: part for part in parts for who in _members(part)}
    for pairs in found:
        only = [(one, other) for one, other in pairs
                if times[one, other] == 1 and whole[one] == whole[other]]
        reach.turn(only)
        if not all(reach.leads(one, other) for one, other in only):
            parts = [one for part in parts
                     for one in (reach.components(part) if part.bit_count() > 1 else [part])]
        reach.turn(only)
    return parts


def _groups_that_met(finishes: Pairs, entrants: int) -> list[int]:
    """Return groups of entrants that met, also through others; who met nobody is a group.

    The largest group comes first, of equal ones that with the first entrant.
    """
    met = _Reach(finishes | {pair[::-1] for pair in finishes}, entrants)
    return sorted(met.components(), key=lambda group: (-group.bit_count(), group & -group))


def _anchor(parts: Sequence[int], reach: _Reach, logs: Floats) -> int:
    """Return which of these parts of a group is its anchor.

    That is the largest one; of equal ones that which most others reached or were reached by, and of
    these the middle one by rating.
    """
    size = max(map(int.bit_count, parts))
    related = {part: reach.related(part) for part in parts if part.bit_count() == size}
    numbers = {part: (behind | ahead).bit_count() for part, (behind, ahead) in related.items()}
    most = max(numbers.values())
    best = sorted((part for part, number in numbers.items() if number == most),
                  key=lambda part: max(float(logs[who, 0]) for who in _members(part)))
    return best[(len(best) - 1) // 2]


# ------------------------------------------------------------------------------------ choices


@dataclass
class _Tally:
    """Sufficient statistics of some games for the likelihood.

    Attributes:
        choices: number of choices, by the sorted entrants to choose from.
        chosen: how often each entrant was chosen.
    """

    choices: defaultdict[tuple[int, ...], float]
    chosen: defaultdict[int, float]

    @classmethod
    def of(cls, games: Mapping[tuple[tuple[int, float], ...], float]) -> _Tally:
        """Count the choices of games that were played so many times."""
        tally = cls(defaultdict(float), defaultdict(float))
        for game, times in games.items():
            for tied, behind in _groups(game):
                tally._add(tied, behind, times)
        return tally

    def _add(self, tied: Sequence[int], behind: Sequence[int], times: float) -> None:
        """Count the choices that put the tied entrants before those behind, in every order.

        At each point of the order some subset of the tied entrants is left: all subsets of a size
        are equally likely, and so is each member of the subset to be chosen next.
        """
        for size in range(1, len(tied) + 1):
            weight = times / math.comb(len(tied), size)
            for left in combinations(tied, size):
                among = tuple(sorted((*left, *behind)))
                if among[0] == among[-1]:  # no other entrant to choose from
                    continue
                self.choices[among] += weight
                for entrant in left:
                    self.chosen[entrant] += weight / size

    def columns(self, entrants: int) -> tuple[Floats, Floats]:
        """Return the numbers of choices, and how often each entrant was chosen, as columns."""
        import numpy as np

        return (np.array(list(self.choices.values())).reshape(-1, 1),
                np.array([[self.chosen[entrant]] for entrant in range(entrants)]))


def _groups(game: Placing) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the entrants that share a place and those behind them, for each place of a game."""
    for place in sorted({place for _, place in game}):
        yield (
            [entrant for entrant, its in game if its == place],
            [entrant for entrant, its in game if its > place],
        )


def _check(games: Iterable[Placing], entrants: int) -> None:
    for game in games:
        for entrant, _ in game:
            if not 0 <= entrant < entrants:
                raise PavilionError(
                    f"game: found entrant {entrant}, expected a number from 0 to {entrants - 1}")


# --------------------------------------------------------------------------------------- sums


class _Fold:
    """Sums over rows of a table: row `target[e]` of the result gets row `source[e]`, for all e."""

    def __init__(self, source: Sequence[int], target: Sequence[int], rows: int) -> None:
        import numpy as np

        order = np.argsort(np.asarray(target, dtype=np.intp), kind="stable")
        self._source = np.asarray(source, dtype=np.intp)[order]
        self._targets, self._starts = np.unique(
            np.asarray(target, dtype=np.intp)[order], return_index=True)
        self._rows = rows

    def __call__(self, table: Floats, weights: Floats | None = None) -> Floats:
        """Return the sums; `weights` has a number for each entry, in the order of the targets."""
        import numpy as np

        result = np.zeros((self._rows, table.shape[1]))
        if len(self._source):
            entries = table[self._source]
            if weights is not None:
                entries *= weights[:, None]
            result[self._targets] = np.add.reduceat(entries, self._starts, axis=0)
        return result


class _Model:
    """The likelihood of many samples at once; tables have a column for each sample."""

    def __init__(
        self, choices: Sequence[tuple[int, ...]], entrants: int, prior: float = PRIOR
    ) -> None:
        self._prior = prior
        members = [(row, who) for row, among in enumerate(choices) for who in among]
        couples = [
            (row, one * entrants + other)
            for row, among in enumerate(choices) for one in among for other in among
        ]
        rows, who = [row for row, _ in members], [entrant for _, entrant in members]
        self._total = _Fold(who, rows, len(choices))
        self._by_entrant = _Fold(rows, who, entrants)
        self._by_couple = _Fold(
            [row for row, _ in couples], [cell for _, cell in couples], entrants * entrants)

    def maximum(self, counts: Floats, chosen: Floats, start: Floats | None = None) -> Floats:
        """Return the log-weights that maximise the likelihood of the samples times the prior.

        Newton's method. The log-likelihood is concave, and along a step its curvature changes by
        at most a factor of e to the power of the step's range (with the prior's player, whose
        weight is fixed, included); shortening a step to log(1 + range) / range of its length
        therefore always increases the likelihood (Sun and Tran-Dinh 2019, generalised
        self-concordant functions). Minorisation-maximisation (Hunter 2004) reaches the same
        maximum more slowly.

        Args:
            counts: number of times each choice was made.
            chosen: number of times each entrant was chosen.
            start: log-weights to begin with, usually 0.
        """
        import numpy as np

        logs = np.zeros_like(chosen) if start is None else start.copy()
        for _ in range(MOST_STEPS):
            step = self._step(logs, counts, chosen)
            reach = np.maximum(step.max(axis=0), 0) - np.minimum(step.min(axis=0), 0)
            logs += step * np.where(reach > 0, np.log1p(reach) / np.maximum(reach, 1e-300), 1)
            if reach.max(initial=0) < TOLERANCE:
                break
        return logs

    def _step(self, logs: Floats, counts: Floats, chosen: Floats) -> Floats:
        """Return the Newton step: the maximum of the quadratic that approximates the likelihood."""
        import numpy as np

        slope = self.slope(logs, counts, chosen)
        solved = np.linalg.solve(self.curve(logs, counts), slope.T[:, :, None])
        return np.ascontiguousarray(solved[:, :, 0].T)

    def slope(self, logs: Floats, counts: Floats, chosen: Floats) -> Floats:
        """Return the first derivatives of the log-likelihood; `logs` may have a single column."""
        import numpy as np

        weights = np.exp(logs)
        expected = weights * self._by_entrant(counts / self._total(weights))
        slope: Floats = (
            chosen - expected + self._prior - 2 * self._prior * weights / (1 + weights))
        return slope

    def curve(self, logs: Floats, counts: Floats) -> Floats:
        """Return the second derivatives of each sample with the sign turned."""
        import numpy as np

        n, samples = logs.shape
        weights = np.exp(logs)
        rates = counts / self._total(weights)
        # The curvature of a choice: variances and covariances of the chosen entrant.
        shared = self._by_couple(rates * rates / np.where(counts > 0, counts, 1))
        curve = -shared.reshape(n, n, samples) * weights[:, None] * weights[None]
        diagonal = np.arange(n)
        curve[diagonal, diagonal] += (
            weights * self._by_entrant(rates) + 2 * self._prior * weights / (1 + weights) ** 2)
        return np.moveaxis(curve, 2, 0)


class _TooFarError(Exception):
    """The likelihood has no maximum that is found with the work that is allowed."""


class _Profile(_Model):
    """The likelihood of all sets, each counted as one trial, along differences of log-weights.

    Args:
        work: how much of it is allowed, see `MOST_WORK`.

    Raises:
        _TooFarError: it is not enough; also of `least`.
    """

    def __init__(
        self, sets: Sequence[Sequence[Placing]], entrants: int, work: float = MOST_WORK
    ) -> None:
        import numpy as np

        self._work, self._step_work = work, entrants**3 + STEP_WORK

        games: defaultdict[tuple[tuple[int, float], ...], float] = defaultdict(float)
        for one in sets:
            for game in one:
                games[tuple(game)] += 1 / len(one)
        tally = _Tally.of(games)
        super().__init__(list(tally.choices), entrants, FAINT_PRIOR)
        self._counts, self._chosen = tally.columns(entrants)
        self._apart, self._held = np.zeros(entrants), 0.0
        self._top = np.zeros((entrants, 1))
        while abs(self.slope(self._top, self._counts, self._chosen)).max(initial=0) > CLOSE:
            self._top = self.maximum(self._counts, self._chosen, self._top)

    def _step(self, logs: Floats, counts: Floats, chosen: Floats) -> Floats:
        """As of the model, with a count of the work."""
        self._work -= self._step_work
        if self._work < 0 or not abs(logs).max() <= FARTHEST_LOG:
            raise _TooFarError
        return super()._step(logs, counts, chosen)

    def slope(self, logs: Floats, counts: Floats, chosen: Floats) -> Floats:
        """As of the model, with the spring."""
        stretched = self._held - self._apart @ logs
        return super().slope(logs, counts, chosen) + SPRING * stretched * self._apart[:, None]

    def curve(self, logs: Floats, counts: Floats) -> Floats:
        """As of the model, with the spring."""
        return super().curve(logs, counts) + SPRING * self._apart[:, None] * self._apart

    def _likelihood(self, logs: Floats) -> float:
        import numpy as np

        choices = self._counts * np.log(self._total(np.exp(logs)))
        return float((self._chosen * logs).sum() - choices.sum())

    def least(self, apart: Floats) -> float:
        """Return the least difference at which the log-likelihood has fallen by `DROP`.

        Newton's method: the largest log-likelihood at each difference is concave, and its
        derivative is the force of the spring that holds the difference there.

        Args:
            apart: the factors of the log-weights in the difference; their sum is 0.
        """
        self._apart, logs, force = apart, self._top, 0.0
        value = float((apart @ logs)[0]) - 1
        for _ in range(MOST_STEPS):
            self._held = value - force / SPRING
            logs = self.maximum(self._counts, self._chosen, logs)
            value = float((apart @ logs)[0])
            force = SPRING * (value - self._held)
            missing = DROP - self._likelihood(self._top) + self._likelihood(logs)
            if abs(missing) < CLOSE:
                break
            value -= min(missing / max(force, CLOSE), FARTHEST)
        return value


# ------------------------------------------------------------------------------------ ratings


@dataclass(frozen=True)
class RatingList:
    """Ratings in Elo.

    Attributes:
        ratings: rating of each entrant with its 95 % interval.
        groups: groups of entrants that met, also through others; who met nobody is a group. The
            largest comes first. Ratings of two groups cannot be compared.
        anchors: those members of each group that reached each other; their ratings have mean 0.
    """

    ratings: tuple[Estimate, ...]
    groups: tuple[tuple[int, ...], ...]
    anchors: tuple[tuple[int, ...], ...]


def rating_list(
    sets: Sequence[Sequence[Placing]], entrants: int, *, resamples: int = 1000, seed: int = 0
) -> RatingList:
    """Rate entrants, with 95 % intervals.

    Ratings are the most likely ones under a weak prior, and always finite: each entrant has won
    half a game and lost half a game against a player rated 0.

    Where A finished ahead of or level with B, or with one that did so to B, and so on, A has
    reached B. The largest part of a group whose members all reached each other is its anchor, and
    may be a single entrant; what rests on a single set does not count for this.

    A set is all games of one deal: they are not independent. The interval of a member of the anchor
    is a bootstrap over sets: it spans the middle 95 % of the ratings in resamples of whole sets.
    There is none where the rating is the same in all resamples: equal sets show no variance. With
    few sets it is too narrow. An anchor of one is exactly 0.

    The games may leave open how far others are from the anchor, and the prior alone would say. So
    these have a lower bound only if they reached it, an upper one only if it reached them: the
    difference at which the likelihood of the games, each set counted as one trial, has fallen to a
    twentieth of its largest value. So have the members of an anchor of half of the group or fewer:
    it came about by chance. There are none of these where they take too long (`MOST_WORK`).

    Args:
        sets: games by deal.
        entrants: number of entrants; games refer to them by numbers from 0.
        resamples: number of bootstrap samples; 0 gives no bounds at all.
        seed: seed of the resampling; equal seeds give equal intervals.

    Raises:
        PavilionError: a game refers to an entrant that does not exist.
    """
    import numpy as np

    games = Counter(tuple(game) for games in sets for game in games)
    _check(games, entrants)
    if not entrants:
        return RatingList((), (), ())
    tally = _Tally.of(games)
    logs = _Model(list(tally.choices), entrants).maximum(*tally.columns(entrants))
    finishes = [_finishes(games) for games in sets]
    met: Pairs = set().union(*finishes)
    groups = _groups_that_met(met, entrants)
    reach, parts = _Reach(met, entrants), _parts(finishes, entrants)
    anchors = [_anchor([part for part in parts if part & group], reach, logs) for group in groups]
    apart = np.eye(entrants)  # the ratings as differences of log-weights
    for group, anchor in zip(groups, anchors, strict=True):
        apart[np.ix_(_members(group), _members(anchor))] -= 1 / anchor.bit_count()
    ends: dict[int, tuple[float | None, float | None]] = {}
    if sets and resamples > 0:
        alone = [anchor.bit_length() - 1 for group, anchor in zip(groups, anchors, strict=True)
                 if anchor.bit_count() == 1 < group.bit_count()]
        most = [anchor for group, anchor in zip(groups, anchors, strict=True)
                if 1 < anchor.bit_count() > group.bit_count() / 2]
        firm = [who for anchor in most for who in _members(anchor)]
        samples = _resampled(sets, logs, resamples, np.random.default_rng(seed)) if firm else logs
        below = above = 0    # who has a lower and an upper end by the likelihood
        for anchor in anchors:
            behind, ahead = reach.related(anchor)
            own = anchor if anchor in most or anchor.bit_count() == 1 else 0
            below, above = below | behind & ~own, above | ahead & ~own
        ends = {**dict.fromkeys(alone, (0.0, 0.0)), **_of_samples(apart[firm] @ samples, firm),
                **_of_likelihood(sets, apart, below, above, MOST_WORK * resamples / 1000)}
    return RatingList(
        tuple(_estimate(float(value), *ends.get(who, (None, None)))
              for who, value in enumerate((apart @ logs)[:, 0])),
        *(tuple(tuple(_members(one)) for one in several) for several in (groups, anchors)),
    )


def _estimate(value: float, low: float | None, high: float | None) -> Estimate:
    """Return an estimate in Elo whose interval contains its value."""
    return Estimate(
        ELO_PER_NAT * value,
        None if low is None else ELO_PER_NAT * min(value, low),
        None if high is None else ELO_PER_NAT * max(value, high),
    )


def _of_samples(samples: Floats, entrants: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return the middle 95 % of the ratings of some entrants, a row each; none if all are equal."""
    import numpy as np

    tail = (1 - CONFIDENCE) / 2
    ends = np.quantile(samples, [tail, 1 - tail], axis=1).T
    moves = ELO_PER_NAT * np.ptp(samples, axis=1) > STILL
    return {who: (float(low), float(high))
            for who, (low, high), moved in zip(entrants, ends, moves, strict=True) if moved}


def _of_likelihood(
    sets: Sequence[Sequence[Placing]], apart: Floats, below: int, above: int, work: float
) -> dict[int, tuple[float | None, float | None]]:
    """Return the ends that the likelihood gives: the lower ones of some, the upper ones of some.

    Args:
        work: how much is allowed, see `MOST_WORK`; if it is not enough, there are no ends.
    """
    if not below | above:
        return {}
    try:
        profile = _Profile(sets, len(apart), work)
        low = {who: profile.least(apart[who]) for who in _members(below)}
        high = {who: -profile.least(-apart[who]) for who in _members(above)}
    except _TooFarError:
        return {}
    return {who: (low.get(who), high.get(who)) for who in low | high}


def _resampled(
    sets: Sequence[Sequence[Placing]], likeliest: Floats, resamples: int, rng: Any
) -> Floats:
    """Return the log-weights in each resample of the sets, one column per resample.

    Sets with the same games are one kind of set, drawn in proportion to its share of all sets.

    Args:
        likeliest: log-weights of the entrants by all games, a column.
    """
    import numpy as np

    entrants = len(likeliest)
    kinds = Counter(tuple(sorted(tuple(sorted(game)) for game in games)) for games in sets)
    tallies = [_Tally.of(Counter(kind)) for kind in kinds]
    numbers: dict[tuple[int, ...], int] = {}
    for tally in tallies:
        for among in tally.choices:
            numbers.setdefault(among, len(numbers))
    model = _Model(list(numbers), entrants)
    counts_of = _weighted_fold(
        [{numbers[a]: w for a, w in tally.choices.items()} for tally in tallies], len(numbers))
    chosen_of = _weighted_fold([tally.chosen for tally in tallies], entrants)
    shares = np.array(list(kinds.values())) / len(sets)
    # The largest tables: choices of all kinds of sets, and pairs of entrants of all choices.
    largest = max(sum(len(tally.choices) + len(tally.chosen) for tally in tallies), entrants, 1)
    if entrants <= MOST_REFITTED:
        largest = max(sum(len(among) ** 2 for among in numbers), entrants**2, largest)

        def fitted(counts: Floats, chosen: Floats) -> Floats:
            return model.maximum(counts, chosen)
    else:
        of_all = counts_of(np.array([[float(kind)] for kind in kinds.values()]))
        inverse = np.linalg.inv(model.curve(likeliest, of_all)[0])

        def fitted(counts: Floats, chosen: Floats) -> Floats:
            return likeliest + inverse @ model.slope(likeliest, counts, chosen)

    at_once = max(1, NUMBERS_AT_ONCE // largest)
    parts = []
    for start in range(0, resamples, at_once):
        drawn = rng.multinomial(len(sets), shares, size=min(at_once, resamples - start))
        table = np.ascontiguousarray(drawn.T.astype(np.float64))
        parts.append(fitted(counts_of(table), chosen_of(table)))
    return np.concatenate(parts, axis=1)


def _weighted_fold(rows: Sequence[dict[int, float]], targets: int) -> Any:
    """Return a function that adds each row of a table to its targets with the given weights."""
    import numpy as np

    entries = sorted(
        (target, row, weight) for row, cells in enumerate(rows) for target, weight in cells.items())
    fold = _Fold([row for _, row, _ in entries], [target for target, _, _ in entries], targets)
    weights = np.array([weight for _, _, weight in entries])
    return lambda table: fold(table, weights)
