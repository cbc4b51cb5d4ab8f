"""Estimates replaced by exact values, where the end of a game is small enough to be solved.

Only with two players: with more, what a move is worth depends on what the others want.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from pavilion_ai.analysis import Analysis, MoveStats, RootStats
from pavilion_ai.limits import Limits, LimitsSince
from pavilion_ai.play import Play, mover_of
from pavilion_ai.solve import Solution, Solved, TooLargeError, solve_position

MOST_POSITIONS = 20_000
"""Positions that may be looked at, no more than simulations; each takes some 11 microseconds."""
SECONDS, SHARE = 0.5, 0.2
"""Most seconds for it, and with the search that follows if it succeeds; most of what is left of a
limit of time."""


def solved(play: Play, limits: Limits, stop: Callable[[], bool]) -> Solution | None:
    """Return the exact values of all moves, or None where they are not soon known.

    Args:
        play: a game with a seat to move.
        limits: limits of a search that the values are for.
        stop: whether nobody waits for it any more.
    """
    clocked = limits.left(mover_of(play)) is not None
    if play.start.players != 2 or clocked:
        return None
    positions = min(MOST_POSITIONS, limits.sims or MOST_POSITIONS)
    until = math.inf
    if limits.seconds is not None:
        now = time.monotonic()
        gone = now - limits.begun if isinstance(limits, LimitsSince) else 0.0
        until = now + min(SECONDS, SHARE * (limits.seconds - gone))
    try:
        solution = solve_position(
            play, limit=positions, stop=lambda: stop() or time.monotonic() > until)
    except TooLargeError:
        return None
    return None if guesses_bag(play, solution) else solution


def guesses_bag(play: Play, solution: Solution) -> bool:
    """Tell whether values rest on tiles in the bag that are not known to be there."""
    return solution.draws_matter and play.position.bag is None


def what_is_left(limits: Limits, solution: Solution | None, begun: float) -> Limits:
    """Return the limits of a search after the attempt to solve its position.

    What is solved only needs to be ordered and put into lines, unless simulations are wanted.

    Args:
        begun: reading of time.monotonic() before the attempt.
    """
    if limits.seconds is None:
        return limits
    left = limits if isinstance(limits, LimitsSince) else LimitsSince.of(limits, begun)
    if solution is not None and limits.sims is None:
        left = replace(left, seconds=min(limits.seconds, begun + SECONDS - left.begun))
    return left


def with_exact_values(found: Analysis, solution: Solution) -> Analysis:
    """Return an analysis with exact values, best moves first; visits and lines stay.

    Of equal moves those come first that were searched most. A search of all moves also gets the
    best one if it listed none that is as good.
    """
    known = {one.move: one for one in solution.moves}
    best, seat = solution.moves[0], found.to_move
    moves = [_exact(move, known[move.move], seat) for move in found.moves]
    named = found.only or found.compare or found.even or found.avoid
    if not named and all(known[move.move].rank(seat) != best.rank(seat) for move in moves):
        moves.append(_exact(MoveStats(best.move, 0, 0, 0, 0, (), 0, 0, (best.move,)), best, seat))
    moves.sort(key=lambda move: (*known[move.move].rank(seat), -move.visits, move.move))
    first = known[moves[0].move]
    return replace(
        found,
        root=RootStats(found.root.visits, first.win_prob, first.score_mean, first.score_lead),
        moves=tuple(replace(move, order=order) for order, move in enumerate(moves)))


def _exact(move: MoveStats, known: Solved, seat: int) -> MoveStats:
    return replace(move, win_prob=known.win_prob[seat], win_prob_se=0.0, exact=True,
                   score_mean=known.score_mean, score_lead=known.score_lead)
