"""Find puzzles in games of the levels against each other.

A series of games follows from its seed; each game gives one puzzle or none. Its positions are
looked at in random order with a short search, which most of them do not survive; the others are
searched longer, and at last once more with other random numbers. A search looks only now and then
at what it thinks little of, and may be wrong there: so at last all moves are searched equally
often, and an end that can be solved is. The puzzles of a series come in the order of its games,
whatever the number of workers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.analysis import Analysis, MoveStats, uninterrupted
from pavilion_ai.bounds import MAX_LEVEL, PUZZLE_SIMS
from pavilion_ai.games import Rng
from pavilion_ai.levels import LevelSearcher, level_of, weights
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play, mover_of
from pavilion_ai.position import Position
from pavilion_ai.puzzles.puzzle import Option, Puzzle
from pavilion_ai.solve import TooLargeError, solve_position
from pavilion_ai.version import __version__
from pavilion_ai.workers import Workers, in_order, results

JUDGE = "default"
"""The agent that decides what is best, as in a review."""
SCAN_SIMS, CHECK_SIMS = 500, 4000
"""Simulations of the two shorter searches."""
GAP = 0.05
"""Chance to win that every other move gives away at least: a mistake in a review."""
SCAN_GAP = 0.04
PLAYED_LEVELS = (2, 6)
"""Lowest and highest level that play the games."""
EVEN_SIMS = 1000
"""Simulations for each move, when all are searched equally often."""
RIVALS = 2
"""Moves that are searched longer against the favourite: those that came closest to it."""
SOLVED_POSITIONS = 50_000
"""Positions that are looked at to solve the end of a game."""
EXACT_OTHERS = ("maximise", "mix")
"""What the others may play for, where more than two players make it matter."""
LEAST_LEVEL = 2
"""Levels up to this one at least miss the solution."""
LEVEL_SEARCHES = 10
"""Searches of a level, each with other random numbers, that tell what it usually plays."""
LEAST_MOVES = 4
LOOKED_AT = 24
"""Positions of a game that are looked at."""


@dataclass(frozen=True)
class Source:
    """A series of games.

    Attributes:
        game, board, players: the variant.
        seed: seed of everything that is random.
        sims: simulations of the search that confirms a puzzle.
    """

    game: str
    board: str
    players: int
    seed: int
    sims: int = PUZZLE_SIMS


@dataclass(frozen=True)
class Task:
    """A game of a series, by its number."""

    source: Source
    number: int


class _Moment(NamedTuple):
    ply: int
    position: Position


def find(
    source: Source, workers: Workers, first: int = 0
) -> Generator[tuple[int, Puzzle | None], None, None]:
    """Yield number and puzzle of every game of a series, without end, in order.

    Args:
        source: the series.
        workers: search games side by side.
        first: number of the first game.

    Raises:
        WorkersError, KeyboardInterrupt: as `workers.results`.
    """
    tasks: Iterator[Task] = (Task(source, number) for number in count(first))
    games = results(workers, puzzle_of, tasks, name=lambda task: f"game {task.number}")
    yield from in_order(games, lambda task: task.number, first)


def puzzle_of(task: Task) -> Puzzle | None:
    """Play a game and return its puzzle, None without one."""
    source = task.source
    rng = Rng(source.seed, task.number)
    moments = _moments(source, rng)
    for _ in range(min(LOOKED_AT, len(moments))):
        moment = moments.pop(rng.below(len(moments)))
        found = _puzzle(moment, source, task.number, rng.next() >> 11)
        if found is not None:
            return found
    return None


def _moments(source: Source, rng: Rng) -> list[_Moment]:
    """Play a game; return its decisions with a choice, by the number of the move."""
    play = Play.new(source.game, board=source.board, players=source.players, seed=rng.next() >> 11)
    low, high = PLAYED_LEVELS
    seats = [_level(low + rng.below(high - low + 1)) for _ in range(source.players)]
    moments = []
    while not play.is_over():
        if play.turn is None:
            play.draw()
            continue
        if len(play.list_moves("maximal")) >= LEAST_MOVES:
            moments.append(_Moment(len(play.moves), play.position))
        play.push(seats[play.turn].decide(play, rng.next() >> 11)[0])
    return moments


def _level(number: int) -> LevelSearcher:
    return LevelSearcher(f"default:level={number}", number)


def _puzzle(moment: _Moment, source: Source, number: int, seed: int) -> Puzzle | None:
    """Return the puzzle of a position, None if it makes no puzzle."""
    play, judge = Play(moment.position), make_agent(JUDGE)
    best = _clear_best(
        uninterrupted(judge.analyse(play, Limits(SCAN_SIMS), seed=seed)), SCAN_GAP)
    if best is None:
        return None
    missed = _missed(play, best.move, seed)
    if missed is None:
        return None
    level, tempting = missed
    for sims, other in ((CHECK_SIMS, 1), (source.sims, 2)):
        found = uninterrupted(judge.analyse(play, Limits(sims), seed=seed + other))
        best_now = _clear_best(found, GAP)
        if best_now is None or best_now.move != best.move:
            return None
    options = _confirmed(judge, play, (best.move, tempting), source.sims, seed + 3)
    return options and Puzzle(play.code(), level, *options, source.sims, source.seed, number,
                              moment.ply, __version__)


def relabelled(puzzle: Puzzle, seed: int) -> Puzzle | None:
    """Return a puzzle with its level and tempting move found anew, None if it is not a puzzle now.

    Args:
        seed: seed of the searches, one of which must still find the solution best.
    """
    play, judge, solution = Play(puzzle.start()), make_agent(JUDGE), puzzle.solution.move
    missed = _missed(play, solution, seed)
    found = uninterrupted(judge.analyse(play, Limits(puzzle.sims), seed=seed))
    if missed is None or found.best.move != solution:
        return None
    level, tempting = missed
    options = _confirmed(judge, play, (solution, tempting), puzzle.sims, seed)
    return options and replace(puzzle, level=level, solution=options[0], tempting=options[1])


def _confirmed(judge: Agent, play: Play, moves: tuple[str, str], sims: int,
               seed: int) -> tuple[Option, Option] | None:
    """Return solution and tempting move, None if not every other move is worse by `GAP`.

    Args:
        moves: the two.
        sims: simulations of the search that found the solution best.
    """
    long = max(2, sims // 2)
    if not (_is_solution(play, moves[0]) and _is_alone(judge, play, moves[0], long, seed + 1)):
        return None
    return _options(judge, play, moves, long, seed)


def _options(judge: Agent, play: Play, moves: tuple[str, str], sims: int,
             seed: int) -> tuple[Option, Option] | None:
    """Search solution and tempting move equally often, None if they differ by less than `GAP`."""
    solution, tempting = map(Option.of, _compared(judge, play, moves, sims, seed))
    return (solution, tempting) if solution.win_prob - tempting.win_prob >= GAP else None


def _compared(judge: Agent, play: Play, moves: tuple[str, ...], sims: int,
              seed: int) -> list[MoveStats]:
    """Search moves equally often; return what was found of each, in their order."""
    found = uninterrupted(judge.analyse(play, Limits(sims), seed=seed, only=moves))
    of = {stats.move: stats for stats in found.moves}
    return [of[move] for move in moves]


def _clear_best(found: Analysis, gap: float) -> MoveStats | None:
    """Return the best move if every other one that was looked at is worse by a gap."""
    best = found.best
    others = [move.win_prob for move in found.moves[1:] if move.visits]
    if not others or best.win_prob - max(others) < gap:
        return None
    return best


def _is_alone(judge: Agent, play: Play, favourite: str, sims: int, seed: int) -> bool:
    """Tell whether every other move is worse by `GAP`, all searched equally often.

    Args:
        sims: simulations of a search of the favourite and its `RIVALS`.
    """
    others = [move for move in play.legal_moves if move != favourite]
    for each, gap in ((EVEN_SIMS, GAP / 2), (max(1, sims // (1 + RIVALS)), GAP)):
        best, *found = _compared(
            judge, play, (favourite, *others), each * (1 + len(others)), seed)
        found.sort(key=lambda one: -one.win_prob)
        if best.win_prob - found[0].win_prob < gap:
            return False
        others = [one.move for one in found[:RIVALS]]
    return True


def _is_solution(play: Play, favourite: str) -> bool:
    """Tell whether nothing is known against a move: exact values of the end of a game."""
    seat = mover_of(play)
    for others in EXACT_OTHERS if play.start.players > 2 else EXACT_OTHERS[:1]:
        try:
            best, *more = solve_position(play, others, SOLVED_POSITIONS).moves
        except TooLargeError:
            return True
        if best.move != favourite or best.win_prob[seat] - more[0].win_prob[seat] < GAP:
            return False
    return True


def _missed(play: Play, solution: str, seed: int) -> tuple[int, str] | None:
    """Return the highest level up to which all usually miss a move, and what it plays instead.

    None if a level below `LEAST_LEVEL` finds it already.
    """
    missed: tuple[int, str] | None = None
    for number in range(1, MAX_LEVEL):
        shares = _shares(play, number, seed)
        if shares.pop(solution, 0.0) >= 0.5:
            break
        missed = number, max(shares, key=lambda move: (shares[move], move))
    return missed if missed is not None and missed[0] >= LEAST_LEVEL else None


def _shares(play: Play, number: int, seed: int) -> dict[str, float]:
    """Return the chance of each move to be played by a level, a mean over `LEVEL_SEARCHES`."""
    level, searcher = level_of(play.rules, number), _level(number)
    shares: dict[str, float] = defaultdict(float)
    for search in range(LEVEL_SEARCHES):
        found = uninterrupted(searcher.analyse(play, seed + search)).moves
        chances = weights(found, level.temperature)
        whole = math.fsum(chances) * LEVEL_SEARCHES
        for move, chance in zip(found, chances, strict=True):
            shares[move.move] += chance / whole
    return shares
