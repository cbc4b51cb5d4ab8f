"""Endings solved exactly by brute force: the search finds the best move and the right numbers."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai._core import Rng, SummerState

from .expectimax import Solver, utilities
from .solved_endings import CASES, SEEDS, alone, favourite, finished, loss, solved
from .summer_endings import cut_hands
from .support import NO_TILES, OVER, SUPPLY, make_state, search

SIMS = 150_000


@pytest.mark.parametrize(("grey", "kind", "seed"), CASES)
def test_search_finds_the_exact_answer(grey: bool, kind: str, seed: int) -> None:
    state, solver = solved(grey, kind, seed)
    mover = state.to_move
    values = solver.moves(state)
    best = max(value.utility[mover] for value in values.values())
    tree = search(state)
    errors = []
    for sims in (SIMS // 20, SIMS):
        tree.run(sims - tree.sims)
        row = max(tree.rows(), key=lambda row: (row[1], row[2]))
        errors.append(abs(row[2] / row[1] - values[row[0]].utility[mover]))
    exact = values[row[0]]
    assert exact.utility[mover] == pytest.approx(best, abs=1e-9)
    assert errors[1] < 0.06
    assert errors[1] < max(0.6 * errors[0], 0.01)
    assert row[4][mover] / row[1] == pytest.approx(exact.wins[mover], abs=0.1)
    # Not the scores themselves: both seats may give up the same points.
    ahead = (row[6][mover] - row[6][1 - mover]) / row[1]
    assert ahead == pytest.approx(exact.scores[mover] - exact.scores[1 - mover], abs=5)


def test_the_cases_are_worth_it() -> None:
    """There are draws, choices that matter, and winning chances of all sizes."""
    chances, choices, draws = set(), 0, 0
    for case in CASES:
        state, solver = solved(*case)
        values = solver.moves(state)
        choices += len({round(value.utility[state.to_move], 6) for value in values.values()}) > 1
        chances.add(round(solver.value(state).wins[state.to_move], 2))
        draws += any(key[3] == SUPPLY for key in solver.known)
    assert choices >= 18
    assert draws >= 14
    assert len(chances) >= 4


@pytest.mark.parametrize("seed", SEEDS["draws"])
def test_plain_selection_rules_agree(seed: int) -> None:
    """UCB over uniform playouts converges to the same move in a tiny ending."""
    state, solver = solved(False, "draws", seed)
    values = solver.moves(state)
    best = max(value.utility[state.to_move] for value in values.values())
    tree = search(state, selection=1, uniform=1, exploration=0.7, fpu_reduction=0.0)
    tree.run(SIMS)
    assert values[favourite(tree)].utility[state.to_move] == pytest.approx(best, abs=1e-9)


# --------------------------------------------------------------------------- winning for certain


def lines_won(state: SummerState, engine: int, seen: set[object]) -> int:
    """Let the engine play on against every reply; return the number of states it was met in."""
    if state.phase == OVER:
        assert state.winners() == [engine]
        return 1
    key = state.fields()
    if key in seen:
        return 0
    seen.add(key)
    if state.to_move == engine:
        tree = search(state)
        tree.run(2000)
        moves = [favourite(tree)]
    else:
        moves = state.moves(True)
    met = 1
    for move in moves:
        after = state.copy()
        after.apply(move)
        while after.phase == SUPPLY:
            after.draw(Rng(len(seen)))
        met += lines_won(after, engine, seen)
    return met


@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize("seed", [2, 3, 5, 8])
def test_a_won_ending_is_never_thrown_away(grey: bool, seed: int) -> None:
    """Scores are set so that best play wins by a single point."""
    state = cut_hands(2, grey, seed, hand=3)
    engine = state.to_move
    solver = Solver()
    fields: list[Any] = list(state.fields())
    scores = solver.value(state).scores
    behind = round(scores[1 - engine] - scores[engine]) + 1
    fields[16] = tuple(
        (seat[0] + max(0, behind if index == engine else -behind), *seat[1:])
        for index, seat in enumerate(fields[16]))
    state = SummerState(*fields)
    value = solver.value(state)
    assert value.wins[engine] == 1
    assert value.scores[engine] - value.scores[1 - engine] == 1
    assert lines_won(state, engine, set()) > 3


def test_the_last_point_is_taken() -> None:
    """One tile, one space: placing wins the game, passing loses it."""
    board = [1] * 42
    board[0] = 0
    state = make_state([(1, 0, 0, 0, 0, 0), NO_TILES], boards=[board, board], scores=[25, 30],
                       passed=[1], supply=(0, 0, 0, 0, 0, 10))
    tree = search(state)
    tree.run(200)
    assert favourite(tree)[:2] == (1, 0)
    row = max(tree.rows(), key=lambda row: row[1])
    assert row[4][0] / row[1] == 1


# ------------------------------------------------------------------------------------- results


@pytest.mark.parametrize(("scores", "shares"), [
    ([30, 30], [0.5, 0.5]),
    ([30, 31], [0.0, 1.0]),
    ([44, 30, 44], [0.5, 0.0, 0.5]),
    ([20, 20, 20], [1 / 3] * 3),
    ([9, 20, 20, 20], [0.0, 1 / 3, 1 / 3, 1 / 3]),
    ([7, 7, 7, 7], [0.25] * 4),
])
def test_ties_share_the_victory(scores: list[int], shares: list[float]) -> None:
    state = finished(scores, len(scores))
    tree = search(state)
    tree.run(10)
    root = tree.root_stats()
    assert [wins / 10 for wins in root[4]] == pytest.approx(shares)
    assert [total / 10 for total in root[6]] == pytest.approx(scores)
    seat = len(scores) - 1
    exact = utilities(scores, shares, 0.5, 30.0)[seat]
    assert root[2] / 10 == pytest.approx(exact, abs=1e-8)
    state.apply((3, *NO_TILES))
    assert state.winners() == [seat for seat, share in enumerate(shares) if share]
    assert state.evaluate()[1] == pytest.approx(shares)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_seat_left_plays_best(players: int) -> None:
    """Where the best line alone wins by a point: all but a few are found.

    How many depends on the priors: a winning line all of whose moves look bad takes more than
    these simulations.
    """
    losses = [loss(*alone(players, seed, ahead=1), 20_000) for seed in range(1, 11)]
    assert sum(lost > 1e-9 for lost in losses) <= 2


def test_a_lost_ending_is_lost_by_little() -> None:
    """Where only points are left to play for: few are given away."""
    losses = [loss(*alone(3, seed, ahead=-12), 20_000) for seed in range(1, 11)]
    assert sum(losses) / len(losses) < 0.01
    assert max(losses) < 0.06
