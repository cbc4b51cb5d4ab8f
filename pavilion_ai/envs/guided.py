"""Searches guided by a function of one's own, such as a network of any framework.

>>> import numpy as np
>>> from pavilion_ai import Limits, Play
>>> def even(leaves):
...     count, players = len(leaves), leaves.players
...     return np.full((count, players), 1 / players), np.zeros(leaves.masks.shape)
>>> play = Play.new("azul", players=2, seed=7)
>>> search(play, Limits(sims=100), evaluator=even).sims
100
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pavilion_ai import _core
from pavilion_ai.agents import Agent, Decision, check_request, make_agent
from pavilion_ai.analysis import Analysis
from pavilion_ai.bounds import Range
from pavilion_ai.envs import observations
from pavilion_ai.envs.actions import Array, num_actions
from pavilion_ai.errors import SpecError, one_of, shown
from pavilion_ai.games import Rules
from pavilion_ai.limits import Limits, limits_of
from pavilion_ai.play import Play, mover_of
from pavilion_ai.search import OnProgress, Searcher
from pavilion_ai.tunables import Tunables

__all__ = ["BATCH", "Guided", "GuidedEvaluator", "Leaves", "search"]

BATCH = 32
"""Leaves that are evaluated together unless told otherwise."""
MOST_LEAVES = 4096
EXACT = 16
"""Simulations per leaf of a batch after which it is evaluated at the latest: some simulations need
no evaluation."""
LEAST = np.float32(-1e30)
"""Least logit, in place of minus infinity."""
INERT = "expand_visits", "plain", "rivals"
"""Tunables that mean nothing to a search with a function: a leaf has its children at once, and
there are no beliefs about other seats."""
SLACK = 0.01
"""How far rounding may take a share below 0 or above 1, and the sum of a row's from 1."""
DEFAULT_SIMS = 400
"""Simulations where no limit is given."""
ROOT_REDUCTION = 0.0
"""`fpu_reduction` of the root unless told otherwise. With the engine's, and a network that has
learned nothing, the first move that came out above the average would have all visits."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """Positions that a search wants evaluated: decisions, and ends of rounds before the last.

    The arrays are overwritten by the next leaves; copy them to keep them.

    Attributes:
        observations: [n, size], as `observe` returns them, each from the viewpoint of the seat to
            move; between two rounds, of the seat that starts next.
        masks: int8 [n, num_actions], 1 for the actions whose logits count; all 0 between rounds.
        viewers: uint8 [n], that seat.
        players: number of seats.
    """

    observations: Array
    masks: Array
    viewers: Array
    players: int

    def __len__(self) -> int:
        return len(self.observations)


GuidedEvaluator = Callable[[Leaves], Sequence[Any]]
"""Returns two to four arrays, a row for each leaf: `win` [n, players], shares of the victory, which
sum to 1, the viewer's first; `logits` [n, num_actions] in nats; `lead` [n, players], 0 to 1,
squashed leads, where None stands for the shares; `gain` [n, players], points still to come, where
None stands for 0. Arrays of any framework are taken that numpy can read."""


class _Tree(_core.GuidedSearch):
    """A tree that asks the function for what its leaves are worth."""

    evaluator: GuidedEvaluator

    def prepare(self, evaluator: GuidedEvaluator, leaves: Leaves, kind: str,
                scales: Array) -> _Tree:
        """Set the function, and the arrays in which it is shown leaves."""
        self.evaluator, self._leaves = evaluator, leaves
        self._kind, self._scales = observations.KINDS[kind], scales
        return self

    def run(self, sims: int, until: float = 0) -> int:
        """Simulate in whole batches until a limit is reached; return the number of simulations.

        Batches do not depend on the clock, so equal seeds and simulations give equal trees.
        """
        room, done = self._leaves, 0
        most = EXACT * len(room)
        while done < sims and not self.is_out_of_time() and not (
                until and time.monotonic() >= until):
            made, waiting = self.gather(min(sims - done, most), self._kind, self._scales,
                                        room.observations, room.masks, room.viewers)
            if waiting:
                try:
                    made += self.settle(*self._asked(waiting))
                finally:
                    self.forget()
            elif not made:  # it was stopped
                break
            done += made
        return done

    def _asked(self, count: int) -> tuple[Array, Array, Array, Array]:
        room = self._leaves
        leaves = room if count == len(room) else Leaves(
            room.observations[:count], room.masks[:count], room.viewers[:count], room.players)
        found = self.evaluator(leaves)
        if not isinstance(found, Sequence) or not 2 <= len(found) <= 4:
            raise SpecError("evaluator: expected a tuple of win, logits, and perhaps lead and gain")
        by_seat = (count, room.players)
        win, logits, lead, gain = [*found, None, None][:4]
        wins = _finite("win", _array("win", win, by_seat, np.float64))
        sums = wins.sum(axis=1, keepdims=True)
        whole = abs(sums - 1) <= SLACK
        if not (wins.min() >= 0 and whole.all()):
            _check("win", wins, _inside(wins) & whole,
                   "shares of the victory, 0 to 1, whose sum is 1")
            wins = wins.clip(0, 1)
            sums = wins.sum(axis=1, keepdims=True)
        leads = wins = wins / sums  # visits are counted by them
        if lead is not None:
            leads = _finite("lead", _array("lead", lead, by_seat, np.float64))
            _check("lead", leads, _inside(leads), "squashed leads, 0 to 1")
            leads = leads.clip(0, 1)
        gains = np.zeros(by_seat) if gain is None else _finite(
            "gain", _array("gain", gain, by_seat, np.float64))
        policy = _array("logits", logits, leaves.masks.shape, np.float32)
        if not policy.max() < np.inf:  # nor is it if one is NaN; it may be one that does not count
            policy = _finite("logits", np.maximum(np.where(leaves.masks, policy, LEAST), LEAST))
        return wins, leads, gains, policy


def _array(name: str, values: Any, shape: tuple[int, ...], dtype: Any) -> Array:
    """Return what an evaluator gave as an array, itself if it can be read as it is.

    Raises:
        SpecError: it has another shape, or no numbers.
    """
    array: Array = values
    if type(values) is not np.ndarray or values.dtype != dtype or not values.flags.carray:
        try:
            with np.errstate(over="ignore"):  # what is too large is refused, if it counts
                array = np.require(values, dtype, ["C", "A"])
        except (TypeError, ValueError, RuntimeError) as error:
            raise SpecError(f"evaluator: {name}: not an array of numbers ({error})") from None
    if array.shape != shape:
        raise SpecError(f"evaluator: {name} of shape {array.shape}, expected {shape}")
    return array


def _finite(name: str, array: Array) -> Array:
    """Return an array. SpecError: a number in it is not finite."""
    if not np.isfinite(array).all():
        raise SpecError(f"evaluator: {name}: found {shown(array[~np.isfinite(array)].item(0))},"
                        " expected finite numbers")
    return array


def _inside(array: Array) -> Array:
    """Return which numbers are from 0 to 1, but for rounding."""
    return abs(array - 0.5) <= 0.5 + SLACK


def _check(name: str, array: Array, right: Array, expected: str) -> None:
    """Raise SpecError for the first row of an array with a number that is not right."""
    if not right.all():
        row = int(right.all(axis=1).argmin())
        raise SpecError(f"evaluator: {name}: found {shown(array[row].round(3).tolist())} in row"
                        f" {row}, expected {expected}")


class _GuidedSearcher(Searcher):
    """Makes trees that ask a function; a copy has none of them."""

    def __init__(self, agent: str, evaluator: GuidedEvaluator, batch: int, observation: str,
                 tunables: Mapping[str, Any]) -> None:
        super().__init__(agent, {**tunables, "rivals": 0.0}, network=None)
        self._evaluator, self._batch, self._kind = evaluator, batch, observation

    def __reduce__(self) -> tuple[Any, ...]:
        return _GuidedSearcher, (
            self.agent, self._evaluator, self._batch, self._kind, self._changes)

    def tunables(self, rules: Rules, network: Any) -> Tunables:
        """Return the tunables of a search with a network for two players, with this one's
        changes."""
        return rules.network_tunables[2].changed(self._changes)

    def judges_by(self, network: Any) -> str:
        """Return nothing: the judgement is the caller's own."""
        return ""

    def tree_for(self, play: Play, threads: int, seed: int, memory_mib: int, network: Any,
                 whole: bool, deadline: float, seconds: float | None) -> _core.Search:
        start = play.start
        parts = observations.observation_parts(start.game, start.players, self._kind)
        room, size = self._batch, parts[-1].start + parts[-1].size
        leaves = Leaves(
            np.zeros((room, size), observations.DTYPES[self._kind]),
            np.zeros((room, num_actions(*start.variant)), np.int8),
            np.zeros(room, np.uint8), start.players)
        reduction = None if "fpu_reduction" in self._changes else ROOT_REDUCTION
        tree = _Tree(play.state, room=room, seed=seed, memory_bytes=memory_mib << 20,
                     root_reduction=reduction, **self.tunables(play.rules, None))
        return tree.prepare(self._evaluator, leaves, self._kind,
                            observations.scales(start.game, start.players))


class Guided(Agent):
    """An agent that searches with an evaluation of one's own; it plays wherever an `Agent` can.

    If moves to look at are named (`only`, `avoid`, ...), their priors are those of the fitted
    policy instead of the function's.

    Args:
        evaluator: function that is asked what positions are worth, see `GuidedEvaluator`.
        limits: limits of its searches, unless it is given others.
        spec: name for records.
        batch: most leaves evaluated together. More are quicker and choose a little worse.
        observation: one of `OBSERVATIONS`, what the function is shown.
        **tunables: changes to the tunables of the search (docs/search.md); without
            `fpu_reduction` it is 0 at the root.

    Raises:
        SpecError: an argument is out of its range.
    """

    searches = ranks = True

    def __init__(self, evaluator: GuidedEvaluator, limits: Limits | None = None, *,
                 spec: str = "guided", batch: int = BATCH, observation: str = "scaled",
                 **tunables: Any) -> None:
        super().__init__(spec)
        if not callable(evaluator):
            raise SpecError(f"evaluator {shown(evaluator)}: expected a function")
        number = int(Range(int, 1, MOST_LEAVES).checked("batch", batch))
        one_of("observation", observation, observations.OBSERVATIONS)
        usual = Tunables()
        usual.changed(tunables)  # checks them
        for name in INERT:
            if tunables.get(name, usual[name]) != usual[name]:
                raise SpecError(f"tunable {name}: found {shown(tunables[name])}, of no effect"
                                f" beside a function; expected {shown(usual[name])}")
        self.limited = limits is not None
        self._limits = Limits(sims=DEFAULT_SIMS) if limits is None else limits_of(limits)
        self._searcher = _GuidedSearcher(spec, evaluator, number, observation, tunables)
        self._given = {"spec": spec, "batch": number, "observation": observation, **tunables}
        self._evaluator = evaluator

    def __repr__(self) -> str:
        if type(self).__init__ is not Guided.__init__:
            return super().__repr__()
        given = "".join(f", {name}={value!r}" for name, value in self._given.items())
        limits = self._limits if self.limited else None
        return f"{type(self).__name__}({self._evaluator!r}, {limits!r}{given})"

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return self.decide(play, limits, seed=seed).move

    def decide(self, play: Play, limits: Limits | None = None, *, threads: int | None = None,
               seed: int = 0, stop: threading.Event | None = None, only: Sequence[str] = (),
               avoid: Sequence[str] = ()) -> Decision:
        check_request(threads)
        return Decision(*self._searcher.decide(play, self._within(play, limits), 1, seed, stop,
                                               only, avoid=avoid))

    def analyse(
        self, play: Play, limits: Limits | None = None, *, threads: int | None = None,
        seed: int = 0, on_progress: OnProgress | None = None, report_every: float | None = None,
        stop: threading.Event | None = None, only: Sequence[str] = (),
        compare: Sequence[str] = (), even: int = 0, avoid: Sequence[str] = (),
    ) -> Analysis:
        check_request(threads)
        return self._searcher.analyse(play, self._within(play, limits), 1, seed, on_progress,
                                      report_every, stop, only, compare=compare, even=even,
                                      avoid=avoid)

    def close(self) -> None:
        self._searcher.close()

    def _within(self, play: Play, limits: Limits | None) -> Limits:
        mover = mover_of(play)
        return limits_of(limits, play.start.players).or_own(self._limits, mover)


def search(play: Play, limits: Limits | None = None, *, evaluator: GuidedEvaluator | None = None,
           seed: int = 0, **options: Any) -> Analysis:
    """Search the current position of a game, guided by a function, and rank its moves.

    Args:
        play: a game with a seat to move.
        limits: limits of the search; none for 400 simulations.
        evaluator: function that is asked what positions are worth, see `GuidedEvaluator`; None for
            the network that the `default` agent has.
        seed: equal seeds and simulations give equal answers, if the function does.
        **options: `batch`, `observation` and tunables, as for `Guided`.

    Raises:
        PavilionError: no seat is to move.
        SpecError: an option is out of its range, or the function returns other than such arrays.
    """
    mover = mover_of(play)
    limits = limits_of(limits, play.start.players).or_own(Limits(sims=DEFAULT_SIMS), mover)
    if evaluator is not None:
        return Guided(evaluator, **options).analyse(play, limits, seed=seed)
    if options:
        raise SpecError(f"{', '.join(options)}: only with an evaluator")
    return make_agent("default").analyse(play, limits, seed=seed)
