"""Endings of Summer Pavilion with their exact solutions, and what a search gives away in them."""

from __future__ import annotations

from functools import cache
from typing import Any

from pavilion_ai._core import Search, SummerState

from .expectimax import Solver, balanced
from .summer_endings import cut_hands, with_holes
from .support import NO_TILES, PLACE, make_state, search, walk


def maker(grey: bool, kind: str, seed: int) -> SummerState:
    if kind == "no draws":
        return cut_hands(2, grey, seed, hand=4)
    if kind == "draws":
        return with_holes(seed, grey=grey, holes=3, bag=4)
    return with_holes(seed, grey=grey, holes=4, bag=7, bag_size=4, passed=True, dearest=1)


SEEDS = {"no draws": (1, 2), "draws": (1, 5, 6, 7), "unknown bag": (0, 1, 2, 3)}

CASES = [
    (grey, kind, seed) for grey in (False, True) for kind, seeds in SEEDS.items() for seed in seeds]


@cache
def solved(grey: bool, kind: str, seed: int) -> tuple[SummerState, Solver]:
    """Return an ending that best play makes about level, and its solution."""
    state, solver = balanced(maker(grey, kind, seed)), Solver()
    solver.value(state)
    return state, solver


def favourite(tree: Search) -> tuple[int, ...]:
    """Return the move an engine plays: the most visited one."""
    return max(tree.rows(), key=lambda row: (row[1], row[2]))[0]


def finished(scores: list[int], players: int) -> SummerState:
    """Return a state in which the last seat's pass ends the game with these scores."""
    hands = [NO_TILES] * players
    return make_state(hands, scores=scores, passed=range(players - 1), to_move=players - 1,
                      supply=(0, 0, 0, 0, 0, 10))


def alone(players: int, seed: int, ahead: int) -> tuple[SummerState, Solver]:
    """Return an ending in which all others have passed; best play ends `ahead` of the best other.

    With nobody to answer this is a plain maximisation, whatever the number of seats.
    """
    state = next(s for s in walk(players, bool(seed % 2), seed)
                 if s.round == 6 and s.phase == PLACE and len(s.moves(True)) > 4)
    mover = state.to_move
    fields: list[Any] = list(state.fields())
    fields[11], fields[12], fields[13] = (0, 2, 3, 1, 4, 0), NO_TILES, NO_TILES
    rows = [list(row) for row in fields[16]]
    for seat, row in enumerate(rows):
        row[1:4] = cut(row[1], 5) if seat == mover else NO_TILES, NO_TILES, seat != mover
    fields[16] = rows
    scores = Solver().value(SummerState(*fields)).scores
    others = max(score for seat, score in enumerate(scores) if seat != mover)
    for seat, row in enumerate(rows):
        row[0] += 20 + (round(others - scores[mover]) + ahead if seat == mover else 0)
    state, solver = SummerState(*fields), Solver()
    solver.value(state)
    return state, solver


def cut(tiles: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return the first so many tiles of a hand."""
    kept = []
    for n in tiles:
        kept.append(min(n, most))
        most -= kept[-1]
    return tuple(kept)


def loss(state: SummerState, solver: Solver, sims: int, **tunables: Any) -> float:
    """Return how much utility the engine's choice gives away."""
    values = solver.moves(state)
    tree = search(state, **tunables)
    tree.run(sims)
    best = max(value.utility[state.to_move] for value in values.values())
    return best - values[favourite(tree)].utility[state.to_move]
