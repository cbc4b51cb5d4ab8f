"""Rate many entrants by the order in which they finished: the Plackett-Luce model.

Each entrant has a weight. The winner of a game is drawn by weight from all its entrants, the second
from those that remain, and so on; with two entrants this is Bradley-Terry, hence Elo. A tie counts
as every order of the tied entrants, in equal parts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pavilion_ai.errors import PavilionError
from pavilion_ai.stats.estimate import CONFIDENCE, Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Placing", "ratings"]

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

NUMBERS_AT_ONCE = 4_000_000
"""Numbers in the largest array of the bootstrap: 32 MB."""

STILL = 1e-6
"""Largest spread in Elo points of a rating over the resamples that is taken as rounding error."""


# ------------------------------------------------------------------------------------ choices


@dataclass
class _Tally:
    """Sufficient statistics of some games for the likelihood.

    Attributes:
        choices: number of choices, by the sorted entrants to choose from.
        chosen: how often each entrant was chosen.
        passed_over: how often another one was chosen instead, by entrant.
    """

    choices: defaultdict[tuple[int, ...], float]
    chosen: defaultdict[int, float]
    passed_over: defaultdict[int, float]

    @classmethod
    def of(cls, games: Iterable[Placing]) -> _Tally:
        tally = cls(defaultdict(float), defaultdict(float), defaultdict(float))
        for game, times in Counter(tuple(game) for game in games).items():
            for tied, behind in _groups(game):
                tally._add(tied, behind, times)
        return tally

    def _add(self, tied: Sequence[int], behind: Sequence[int], times: int) -> None:
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
                for entrant in set(among):
                    others = size - left.count(entrant)
                    self.passed_over[entrant] += weight * others / size


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

    def __init__(self, choices: Sequence[tuple[int, ...]], entrants: int) -> None:
        self.entrants = entrants
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

    def maximum(self, counts: Floats, chosen: Floats) -> Floats:
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
        """
        import numpy as np

        logs = np.zeros_like(chosen)
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
        slope: Floats = chosen - expected + PRIOR - 2 * PRIOR * weights / (1 + weights)
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
            weights * self._by_entrant(rates) + 2 * PRIOR * weights / (1 + weights) ** 2)
        return np.moveaxis(curve, 2, 0)


def _elo(logs: Floats) -> Floats:
    """Convert log-weights to Elo ratings of mean 0."""
    centred: Floats = ELO_PER_NAT * (logs - logs.mean(axis=0))
    return centred


# ------------------------------------------------------------------------------------ ratings


def _likeliest(tally: _Tally, entrants: int) -> Floats:
    """Return the likeliest log-weights, a column."""
    import numpy as np

    choices = list(tally.choices)
    counts = np.array([[tally.choices[among]] for among in choices]).reshape(-1, 1)
    chosen = np.array([[tally.chosen[entrant]] for entrant in range(entrants)])
    return _Model(choices, entrants).maximum(counts, chosen)


def ratings(
    sets: Sequence[Sequence[Placing]], entrants: int, *, resamples: int = 1000, seed: int = 0
) -> list[Estimate]:
    """Return ratings in Elo, with mean 0 and 95 % intervals from a bootstrap over sets.

    They are the most likely ones under a weak prior, and always finite: each entrant has won half a
    game and lost half a game against a player rated 0. An entrant without games gets that player's
    rating. Between groups that never met, the prior alone decides.

    A set is all games of one deal: they are not independent, so a set is resampled as a whole. The
    interval spans the middle 95 % of the resampled ratings. An entrant that always finished alone
    in first place has no upper bound, one always alone in last place no lower bound. There is no
    interval for an entrant without games, nor where the rating is the same in all resamples:
    equal sets show no variance. With few sets the interval is too narrow.

    Args:
        sets: games by deal.
        entrants: number of entrants; games refer to them by numbers from 0.
        resamples: number of bootstrap samples; 0 gives no bounds.
        seed: seed of the resampling; equal seeds give equal intervals.

    Raises:
        PavilionError: a game refers to an entrant that does not exist.
    """
    import numpy as np

    games = [game for games in sets for game in games]
    _check(games, entrants)
    if not entrants:
        return []
    tally = _Tally.of(games)
    logs = _likeliest(tally, entrants)
    values = [float(rating) for rating in _elo(logs)[:, 0]]
    if not sets or resamples < 1:
        return [Estimate(value, None, None) for value in values]
    sampled = _resampled(sets, logs, resamples, np.random.default_rng(seed))
    tail = (1 - CONFIDENCE) / 2
    lows, highs = np.quantile(sampled, [tail, 1 - tail], axis=1)
    moves = np.ptp(sampled, axis=1) > STILL
    return [
        Estimate(
            value,
            min(value, float(lows[who])) if moves[who] and tally.chosen[who] else None,
            max(value, float(highs[who])) if moves[who] and tally.passed_over[who] else None,
        )
        for who, value in enumerate(values)
    ]


def _resampled(
    sets: Sequence[Sequence[Placing]], likeliest: Floats, resamples: int, rng: Any
) -> Floats:
    """Return the ratings in each resample of the sets, one column per resample.

    Sets with the same games are one kind of set, drawn in proportion to its share of all sets.

    Args:
        likeliest: log-weights of the entrants by all games, a column.
    """
    import numpy as np

    entrants = len(likeliest)
    kinds = Counter(tuple(sorted(tuple(sorted(game)) for game in games)) for games in sets)
    tallies = [_Tally.of(kind) for kind in kinds]
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
        fitted = model.maximum
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
        parts.append(_elo(fitted(counts_of(table), chosen_of(table))))
    return np.concatenate(parts, axis=1)


def _weighted_fold(rows: Sequence[dict[int, float]], targets: int) -> Any:
    """Return a function that adds each row of a table to its targets with the given weights."""
    import numpy as np

    entries = sorted(
        (target, row, weight) for row, cells in enumerate(rows) for target, weight in cells.items())
    fold = _Fold([row for _, row, _ in entries], [target for target, _, _ in entries], targets)
    weights = np.array([weight for _, _, weight in entries])
    return lambda table: fold(table, weights)
