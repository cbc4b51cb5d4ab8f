"""Exact values of the end of a game: every move and every draw, to the last one.

Positions are remembered, so orders of moves that lead to the same position are solved once, and a
top-up of the supply is enumerated only if bonus tiles may be taken from what it drew: otherwise any
draw stands for all. A limit on the number of positions keeps time and memory in bounds.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from pavilion_ai.analysis import lead, short, win_shares
from pavilion_ai.bounds import OTHERS, SOLVE_MEMORY_MIB, Range
from pavilion_ai.drawn import renderer
from pavilion_ai.errors import PavilionError, one_of
from pavilion_ai.games import State
from pavilion_ai.limits import check_stop
from pavilion_ai.network import SHIPPED, network_for
from pavilion_ai.play import Play, copy_of, mover_of
from pavilion_ai.search import tunables_for
from pavilion_ai.version import engine_identity

EQUAL = 1e-9
"""Values that differ by less are equal; a seat mixes evenly among moves of equal value."""
BYTES_PER_POSITION = 1200
"""Memory that a remembered position takes, about."""
DEFAULT_LIMIT = (SOLVE_MEMORY_MIB << 20) // BYTES_PER_POSITION
"""Positions that are looked at where no other limit is set."""

Tiles = tuple[int, ...]
Vector = tuple[float, ...]


class TooLargeError(PavilionError):
    """A position was not solved: too many follow, another round may, or it was stopped.

    Attributes:
        positions: number of positions met.
    """

    def __init__(self, message: str, positions: int) -> None:
        self.positions = positions
        super().__init__(message)

    def __reduce__(self) -> tuple[type[TooLargeError], tuple[str, int]]:
        return type(self), (str(self), self.positions)


class NotLastRoundError(TooLargeError):
    """A position was not solved, whatever the limit: another round may follow."""


@dataclass(frozen=True)
class Solved:
    """One legal move with its exact expectations, by seat.

    Attributes:
        move: the move, in notation.
        order: rank; the moves are in order of the mover's chance to win, then of its lead.
        win_prob: shares of the victory, summing to 1.
        score_mean: final scores, in points.
        score_lead: the mover's expected score minus the best other seat's, in points.
    """

    move: str
    order: int
    win_prob: Vector
    score_mean: Vector
    score_lead: float

    def rank(self, seat: int) -> tuple[float, float]:
        """Return what orders moves of a seat, the best first; the same for equal moves."""
        return -round(self.win_prob[seat], 9), -round(self.score_lead, 9)


@dataclass(frozen=True)
class Solution:
    """The exact value of each legal move of a position; `str` is the table of `pavilion solve`.

    Attributes:
        position: code of the position.
        to_move: the seat to move, which plays for its chance to win, then for its lead.
        others: what the others play for, as in `solve_position`.
        positions: number of different positions that were met.
        moves: all legal moves, best first.
        draws_matter: whether the values depend on what may be drawn: bonus tiles may be taken
            from it.
    """

    position: str
    to_move: int
    others: str
    positions: int
    moves: tuple[Solved, ...]
    draws_matter: bool = True

    def __str__(self) -> str:
        return str(renderer().solution_as_text(self))

    def to_json(self, top: int | None = None) -> dict[str, object]:
        """Return the JSON form, with only the `top` best moves if given."""
        return {
            "position": self.position, "to_move": self.to_move, "others": self.others,
            "positions": self.positions, "draws_matter": self.draws_matter,
            "moves": [{"move": one.move, "order": one.order,
                       "win_prob": [short(share) for share in one.win_prob],
                       "score_mean": [short(points) for points in one.score_mean],
                       "score_lead": short(one.score_lead)} for one in self.moves[:top]],
            "engine": engine_identity(),
        }


@dataclass(frozen=True)
class _Value:
    """Expectations by seat.

    Attributes:
        bonus: whether bonus tiles may be taken further on.
        drawn: whether they may be taken from what is drawn further on.
    """

    wins: Vector
    leads: Vector
    scores: Vector
    utilities: Vector
    bonus: bool
    drawn: bool = False


def solve_position(play: Play, others: str = "maximise", limit: int = DEFAULT_LIMIT,
                   stop: Callable[[], bool] | threading.Event | None = None) -> Solution:
    """Return the exact value of every legal move of a position in the last round.

    What `pavilion solve` does: every move and every draw is tried, to the end of the game.

    Args:
        play: a game with a seat to move. If the split of its bag is not known, all unseen tiles
            count as in the bag (which only matters where `draws_matter`).
        others: what the other seats play for: `maximise` their chance to win and then their lead;
            the `utility` of the search; `mix`, their chance to win, mixing evenly among equal
            moves; or `policy`, the likeliest move of the policy. The seat to move plays for its
            chance to win, then for its lead.
        limit: most different positions to look at, of some 1200 bytes each.
        stop: asked before each position whether to give up, or an event that says so.

    Raises:
        PavilionError: no seat is to move.
        SpecError: `others` is unknown, the limit is out of range, or nobody can ask `stop`.
        TooLargeError: there are more positions, another round may follow, or it was stopped.
    """
    play = copy_of(play)
    seat = mover_of(play)
    one_of("others", others, OTHERS)
    limit = int(Range(int, 0, math.inf).checked("limit", limit))
    if stop is not None and not callable(stop):
        check_stop(stop)
        stop = stop.is_set
    solver = _Solver(play, others, limit, stop)
    found = {move: solver.value(after) for move, after in solver.children(play)}
    moves = [Solved(move, 0, value.wins, value.scores, value.leads[seat])
             for move, value in found.items()]
    moves.sort(key=lambda one: (*one.rank(seat), one.move))
    return Solution(play.code(), seat, others, len(solver.known), tuple(
        replace(one, order=order) for order, one in enumerate(moves)),
        any(value.drawn for value in found.values()))


class _Solver:
    """Solves the positions below one, and remembers them."""

    def __init__(self, play: Play, others: str, limit: int,
                 stop: Callable[[], bool] | None) -> None:
        self.mover, self.others, self.limit, self.stop = mover_of(play), others, limit, stop
        self.rules = play.rules
        self.network = network_for(SHIPPED, play.position) if others == "policy" else None
        tunables = tunables_for(play.rules)
        self.win_weight, self.width = tunables.win_weight, tunables.width
        self.bonus_phase = play.rules.phases.index("bonus") if "bonus" in play.rules.phases else -1
        self.known: dict[bytes, _Value] = {}
        self.met = 0  # positions known, and those on the way to the present one

    @staticmethod
    def children(play: Play) -> Iterator[tuple[str, State]]:
        """Yield the legal moves of a play with the states after them."""
        for move in play.legal_moves:
            after = play.copy()
            after.push(move)
            yield move, after.state

    def value(self, state: State) -> _Value:
        key = state.packed()
        value = self.known.get(key)
        if value is None:
            if self.met >= self.limit:
                raise TooLargeError(f"too large: more than {self.limit:,} positions", self.limit)
            if self.stop is not None and self.stop():
                raise TooLargeError("stopped before it was solved", self.met)
            self.met += 1
            try:
                value = self.known[key] = self.solved(state)
            except MemoryError:
                self.known.clear()  # at once: without room for frames Python loses the error
                raise
        return value

    def solved(self, state: State) -> _Value:
        if state.over:
            return self.ended(state)
        if state.to_move >= 0:
            return self.decided(state)
        if state.between_rounds:
            raise NotLastRoundError(
                "another round may follow, expected a position of the last round", self.met)
        return self.drawn(state)

    def ended(self, state: State) -> _Value:
        scores = tuple(map(float, state.scores()))
        wins = win_shares(state.winners(), len(scores))
        leads = tuple(lead(scores, seat) for seat in range(len(scores)))
        utilities = tuple(
            self.win_weight * win
            + (1 - self.win_weight) * (0.5 + 0.5 * math.tanh(ahead / self.width))
            for win, ahead in zip(wins, leads, strict=True))
        return _Value(wins, leads, scores, utilities, bonus=False)

    def decided(self, state: State) -> _Value:
        seat = state.to_move
        if self.others == "policy" and seat != self.mover:
            after = state.copy()
            after.apply(state.policy_move(network=self.network))
            found = [self.value(after)]
        else:
            found = []
            for code in state.codes():
                after = state.copy()
                after.apply_code(code)
                found.append(self.value(after))
        best = found
        for worth in self.aims(seat):
            most = max(map(worth, best))
            best = [value for value in best if worth(value) >= most - EQUAL]
        bonus = state.phase == self.bonus_phase or any(value.bonus for value in found)
        return _mixed([(value, 1 / len(best)) for value in best], bonus,
                      any(value.drawn for value in found))

    def aims(self, seat: int) -> Sequence[Callable[[_Value], float]]:
        """Return what a seat plays for, the most important first."""
        if seat != self.mover and self.others == "utility":
            return (lambda value: value.utilities[seat],)
        if seat != self.mover and self.others == "mix":
            return (lambda value: value.wins[seat],)
        return (lambda value: value.wins[seat], lambda value: value.leads[seat])

    def drawn(self, state: State) -> _Value:
        """Average over a top-up; one draw will do if no bonus tiles are taken later."""
        outcomes = []
        for pick, chance in _top_ups(*self.rules.top_up(state)):
            after = state.copy()
            after.apply_chance((pick,))
            value = self.value(after)
            if not value.bonus and self.others != "policy":  # which sees what was drawn
                return value
            outcomes.append((value, chance))
        return _mixed(outcomes, bonus=True, drawn=True)


def _mixed(values: Sequence[tuple[_Value, float]], bonus: bool, drawn: bool) -> _Value:
    """Return the average of values with these weights, which sum to 1."""
    if len(values) == 1:
        only = values[0][0]
        return only if (only.bonus, only.drawn) == (bonus, drawn) else replace(
            only, bonus=bonus, drawn=drawn)

    weights = [weight for _, weight in values]

    def average(vectors: Sequence[Vector]) -> Vector:
        return tuple(
            math.fsum(share * weight for share, weight in zip(row, weights, strict=True))
            for row in zip(*vectors, strict=True))

    return _Value(average([value.wins for value, _ in values]),
                  average([value.leads for value, _ in values]),
                  average([value.scores for value, _ in values]),
                  average([value.utilities for value, _ in values]), bonus, drawn)


def _top_ups(due: int, bag: Tiles, discards: Tiles) -> Iterator[tuple[Tiles, float]]:
    """Yield what a top-up can draw, the bag first, with chances (RULES A7.7, A9)."""
    if sum(bag) >= due:
        yield from _multisets(bag, due)
        return
    for pick, chance in _multisets(discards, min(due - sum(bag), sum(discards))):
        yield tuple(a + b for a, b in zip(bag, pick, strict=True)), chance


@lru_cache(maxsize=1024)  # bags of one position are alike; a server meets new ones for ever
def _multisets(tiles: Tiles, count: int) -> tuple[tuple[Tiles, float], ...]:
    """Return all draws of `count` tiles with their chances (hypergeometric)."""
    ways = math.comb(sum(tiles), count)
    return tuple(
        (pick, math.prod(math.comb(n, k) for n, k in zip(tiles, pick, strict=True)) / ways)
        for pick in product(*(range(min(n, count) + 1) for n in tiles)) if sum(pick) == count)
