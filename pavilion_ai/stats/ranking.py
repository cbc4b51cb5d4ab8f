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
from functools import cache
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any

from pavilion_ai.errors import PavilionError
from pavilion_ai.stats.estimate import CONFIDENCE, Estimate, unseen_chance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Placing", "groups_that_met", "ratings"]

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

FEWEST = 2
"""Fewest sets in which somebody on one side of a step of the rating list must have finished ahead
of or level with one on the other side. Many resamples lack a single one: they leave the prior."""

NUMBERS_AT_ONCE = 4_000_000
"""Numbers in the largest array of the bootstrap: 32 MB."""

STILL = 1e-6
"""Largest spread in Elo points of a rating over the resamples that is taken as rounding error."""


# ----------------------------------------------------------------------------- who reached whom


# Sets of entrants are bits of an integer here.


def _set_of(entrants: Iterable[int]) -> int:
    return sum(1 << entrant for entrant in entrants)


def _members(entrants: int) -> list[int]:
    """Return the entrants of a set, in order."""
    return [number for number, bit in enumerate(reversed(f"{entrants:b}")) if bit == "1"]


def _finishes(games: Iterable[Placing]) -> set[tuple[int, int]]:
    """Return who finished ahead of or level with whom."""
    return {
        (one, other) for game in games for one, place in game for other, its in game
        if place <= its and one != other
    }


def _crossed(spans: Iterable[set[tuple[int, int]]], places: int) -> list[int]:
    """Return how many sets of spans cover each step from a place to the next."""
    change = [0] * (places + 1)
    for of_one in spans:
        covered = 0
        for start, end in sorted(of_one):
            if end > covered:
                change[max(start, covered)] += 1
                change[end] -= 1
                covered = end
    return list(accumulate(change))[:places]


def _firm(sets: Sequence[Sequence[Placing]], order: Sequence[int]) -> set[tuple[int, int]]:
    """Return who finished ahead of or level with whom, without what rests on a single set.

    That is looked for at each step of the order, upwards and downwards.
    """
    place = {who: place for place, who in enumerate(order)}
    finishes = [{(place[one], place[other]) for one, other in _finishes(games)} for games in sets]
    down = [{(one, other) for one, other in found if one < other} for found in finishes]
    up = [{(other, one) for one, other in found if one > other} for found in finishes]
    met = _crossed((one | other for one, other in zip(down, up, strict=True)), len(order))
    firm = set()
    for spans, turned in ((down, False), (up, True)):
        thin = [0, *accumulate(
            count < min(FEWEST, whole)
            for count, whole in zip(_crossed(spans, len(order)), met, strict=True))]
        for start, end in set().union(*spans):
            if thin[start] == thin[end]:
                pair = order[start], order[end]
                firm.add(pair[::-1] if turned else pair)
    return firm


@dataclass(frozen=True)
class _Component:
    """Entrants each of whom reached each other one.

    Attributes:
        members: the entrants.
        reached: all that its members reached, themselves included.
        reached_by: all that reached its members, themselves included.
    """

    members: int
    reached: int
    reached_by: int


def _from(start: int, steps: Sequence[int]) -> int:
    """Return who can be reached from an entrant, itself included."""
    found = to_do = 1 << start
    while to_do:
        who = to_do.bit_length() - 1
        new = steps[who] & ~found
        found, to_do = found | new, to_do ^ 1 << who | new
    return found


def _components(finishes: Iterable[tuple[int, int]], entrants: int) -> list[_Component]:
    """Return the components, none before one that reached it."""
    forward, backward = [0] * entrants, [0] * entrants
    for one, other in finishes:
        forward[one] |= 1 << other
        backward[other] |= 1 << one
    found, left = [], (1 << entrants) - 1
    while left:
        first = left.bit_length() - 1
        reached, reached_by = _from(first, forward), _from(first, backward)
        found.append(_Component(reached & reached_by, reached, reached_by))
        left &= ~found[-1].members
    return sorted(found, key=lambda one: -one.reached.bit_count())


def groups_that_met(
    sets: Sequence[Sequence[Placing]], entrants: int
) -> tuple[tuple[int, ...], ...]:
    """Return groups of entrants that met, also through others; who met nobody is a group.

    The largest group comes first, of equal ones that with the first entrant.
    """
    finishes = _finishes(game for games in sets for game in games)
    met = _components(finishes | {pair[::-1] for pair in finishes}, entrants)
    groups = [tuple(_members(one.members)) for one in met]
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


# ------------------------------------------------------------------------------------ choices


class _Doubts:
    """How often, at worst, what ended as it nearly always did may end the other way.

    The components are in an order in which none reached an earlier one. Of the n sets in which
    entrants before some point of this order met others behind it, hardly any was won by the
    latter: another one is, with a probability of at most `unseen_chance(n)`.
    """

    def __init__(self, parts: Sequence[_Component], sets: Sequence[Sequence[Placing]]) -> None:
        self._place = {who: place for place, part in enumerate(parts)
                       for who in _members(part.members)}
        spans = ({(self._place[one], self._place[other]) for one, other in _finishes(games)
                  if self._place[one] < self._place[other]} for games in sets)
        self._chances = [unseen_chance(met) if met else 0.0
                         for met in _crossed(spans, len(parts))]

    def of(self, tied: Sequence[int], behind: Sequence[int]) -> tuple[float, list[int]]:
        """Return the chance that one of a later component is chosen instead, and who may be."""
        place = max(self._place[who] for who in tied)
        later = [who for who in behind if self._place[who] > place]
        farthest = max((self._place[who] for who in later), default=place)
        return max(self._chances[place:farthest], default=0.0), later


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
    def of(cls, games: Iterable[Placing], doubts: _Doubts | None = None) -> _Tally:
        """Count the choices of games; with doubts, as if a share of them was the other way."""
        tally = cls(defaultdict(float), defaultdict(float))
        for game, times in Counter(tuple(game) for game in games).items():
            for tied, behind in _groups(game):
                chance, later = doubts.of(tied, behind) if doubts else (0.0, [])
                tally._add(tied, behind, times, chance, later)
        return tally

    def _add(self, tied: Sequence[int], behind: Sequence[int], times: int, chance: float,
             later: Sequence[int]) -> None:
        """Count the choices that put the tied entrants before those behind, in every order.

        At each point of the order some subset of the tied entrants is left: all subsets of a size
        are equally likely, and so is each member of the subset to be chosen next. With the given
        chance one of the later entrants is chosen instead, each equally often.
        """
        for size in range(1, len(tied) + 1):
            weight = times / math.comb(len(tied), size)
            for left in combinations(tied, size):
                among = tuple(sorted((*left, *behind)))
                if among[0] == among[-1]:  # no other entrant to choose from
                    continue
                self.choices[among] += weight
                for entrant in left:
                    self.chosen[entrant] += weight * (1 - chance) / size
                for entrant in later:
                    self.chosen[entrant] += weight * chance / len(later)


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
    """Return ratings in Elo, with 95 % intervals from a bootstrap over sets.

    They are the most likely ones under a weak prior, and always finite: each entrant has won half a
    game and lost half a game against a player rated 0. Each of the `groups_that_met` has mean 0;
    the ratings of two groups cannot be compared. An entrant without games is rated 0.

    A set is all games of one deal: they are not independent, so a set is resampled as a whole. The
    interval spans the middle 95 % of the resampled ratings. There is no interval where the rating
    is the same in all resamples: equal sets show no variance. With few sets it is too narrow.

    Where A finished ahead of or level with B, or with one that did so to B, and so on, A has
    reached B; what rests on a single set does not count, as many resamples lack it. If all entrants
    of a group reached each other, each has both bounds. Otherwise the games leave open how far
    apart they are, and the prior alone would say. A bound is given only if
    the games give one for the difference between an entrant and the mean of the group: a lower one
    if it has reached all others, an upper one if all others have reached it. If more than half of
    the group have reached each other, the mean is that of these alone. They have both bounds, and
    others a lower one if they have reached these, an upper one if they were reached. A bound
    between entrants that did not reach each other allows for what was not seen (`_Doubts`).

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
    logs = _likeliest(_Tally.of(games), entrants)
    groups = groups_that_met(sets, entrants)
    order = [who for group in groups
             for who in sorted(group, key=lambda who: -round(float(logs[who, 0]), 6))]
    parts = _components(_firm(sets, order), entrants)

    @cache
    def sampled(doubted: bool) -> Floats:
        doubts = _Doubts(parts, sets) if doubted else None
        likeliest = _likeliest(_Tally.of(games, doubts), entrants) if doubted else logs
        return _resampled(sets, likeliest, resamples, np.random.default_rng(seed), doubts)

    found: dict[int, Estimate] = {}
    for group in groups:
        own = [part for part in parts if part.members & _set_of(group)]
        largest = max((part.members for part in own), key=int.bit_count)
        anchor = largest if 2 * largest.bit_count() > len(group) else _set_of(group)
        middle = logs[list(group)].mean(axis=0)
        above = logs[_members(anchor)].mean(axis=0) - middle
        for part in own:
            members = _members(part.members)
            values = ELO_PER_NAT * (logs[members] - middle)[:, 0]
            low, high = not anchor & ~part.reached, not anchor & ~part.reached_by
            if not (sets and resamples > 0 and (low or high)):
                found |= {who: Estimate(float(value), None, None)
                          for who, value in zip(members, values, strict=True)}
                continue
            samples = sampled(not (low and high))
            apart = ELO_PER_NAT * (
                samples[members] - samples[_members(anchor)].mean(axis=0) + above)
            found |= zip(members, _bounded(values, apart, low, high), strict=True)
    return [found[who] for who in range(entrants)]


def _bounded(values: Floats, samples: Floats, low: bool, high: bool) -> Iterator[Estimate]:
    """Yield the estimates of some entrants.

    Args:
        values: their ratings.
        samples: the same in each resample, one column per resample.
        low, high: whether the games give a lower and an upper bound.
    """
    import numpy as np

    tail = (1 - CONFIDENCE) / 2
    ends = np.quantile(samples, [tail, 1 - tail], axis=1).T
    moves = np.ptp(samples, axis=1) > STILL
    for value, (least, most), moved in zip(values, ends, moves, strict=True):
        given = moved or not (low and high)
        yield Estimate(
            float(value),
            min(float(value), float(least)) if low and given else None,
            max(float(value), float(most)) if high and given else None,
        )


def _resampled(
    sets: Sequence[Sequence[Placing]], likeliest: Floats, resamples: int, rng: Any,
    doubts: _Doubts | None,
) -> Floats:
    """Return the log-weights in each resample of the sets, one column per resample.

    Sets with the same games are one kind of set, drawn in proportion to its share of all sets.

    Args:
        likeliest: log-weights of the entrants by all games, a column.
        doubts: with which games are counted, also in `likeliest`.
    """
    import numpy as np

    entrants = len(likeliest)
    kinds = Counter(tuple(sorted(tuple(sorted(game)) for game in games)) for games in sets)
    tallies = [_Tally.of(kind, doubts) for kind in kinds]
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
