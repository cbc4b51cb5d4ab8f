"""Ends of rounds of base Azul solved by brute force: the search finds what there is to be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pavilion_ai._core import AzulState
from pavilion_ai.agents import make_agent
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play

from .azul_endings import (
    A_ROW_OF_B,
    ahead_and_the_other_strong,
    alone,
    behind_and_strong,
    last_rounds,
    other_rounds,
    the_pile,
    tied_on_points,
    two_columns_for_two_lines,
)
from .azul_positions import make_azul
from .expectimax import Solver, utilities
from .support import DRAFT, WALL, position_of, search

SIMS = 20_000
KINDS = [(False, DRAFT), (True, DRAFT), (True, WALL)]
"""By wall side and phase: what there is to choose."""

SOME = 8
"""Endings of each kind."""


def favourite(state: AzulState, sims: int = SIMS) -> tuple[Any, ...]:
    """Return the row of the move an engine plays: the most visited one."""
    tree = search(state)
    tree.run(sims)
    return max(tree.rows(), key=lambda row: (row[1], row[2]))


@pytest.mark.parametrize(("grey", "phase"), KINDS)
@pytest.mark.parametrize("index", range(SOME))
def test_search_wins_what_is_won_by_a_point(grey: bool, phase: int, index: int) -> None:
    """Last rounds hold no chance at all: the best move is found, and what it is worth."""
    state = last_rounds(grey, phase, SOME)[index]
    mover = state.to_move
    values = Solver("azul").moves(state)
    best = max(value.utility[mover] for value in values.values())
    move, visits, total, _, wins, _, _ = favourite(state)
    assert values[move].utility[mover] == pytest.approx(best, abs=1e-9)
    assert values[move].wins[mover] == 1
    assert total / visits == pytest.approx(best, abs=0.05)
    assert wins[mover] / visits > 0.93


@pytest.mark.parametrize("grey", [False, True])
def test_a_won_ending_is_won_to_the_end(grey: bool) -> None:
    """Against every reply, with few simulations per move."""

    def won(state: AzulState, engine: int) -> int:
        if state.over:
            assert state.winners() == [engine]
            return 1
        moves = state.moves()
        if state.to_move == engine:
            moves = [favourite(state, 3000)[0]]
        met = 0
        for move in moves:
            after = state.copy()
            after.apply(move)
            met += won(after, engine)
        return met

    assert sum(won(state, state.to_move) for state in last_rounds(grey, DRAFT, 3)) > 9


@pytest.mark.parametrize(("grey", "seed"), [(False, 1), (True, 1), (False, 50), (True, 50)])
def test_rounds_before_the_last_are_searched_to_their_end(grey: bool, seed: int) -> None:
    """The best move by the evaluation after best play to the end of the round, or nearly so."""
    losses = []
    for state in other_rounds(2, grey, 6, seed):
        values = Solver("azul").moves(state)
        best = max(value.utility[state.to_move] for value in values.values())
        move, visits, total, *_ = favourite(state, 3 * SIMS)
        losses.append(best - values[move].utility[state.to_move])
        assert total / visits == pytest.approx(best, abs=0.05)
    assert max(losses) < 0.03
    assert sum(losses) / len(losses) < 0.006


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_seat_left_chooses_the_best_columns(players: int) -> None:
    """With nobody to answer this is a plain maximisation, whatever the number of seats."""
    for state in alone(players, 6):
        values = Solver("azul").moves(state)
        best = max(value.utility[state.to_move] for value in values.values())
        move, visits, total, *_ = favourite(state)
        assert values[move].utility[state.to_move] == pytest.approx(best, abs=1e-9)
        assert total / visits == pytest.approx(best, abs=0.03)


# ------------------------------------------------------------------------- positions made by hand

CASES: list[tuple[Callable[[], AzulState], str]] = [
    (tied_on_points, "C:K>2"),
    (the_pile, "D1:Y>F"),
    (ahead_and_the_other_strong, "C:K>1"),
    (behind_and_strong, "C:Y>5"),
    (two_columns_for_two_lines, "wall:1>1"),
]


@pytest.mark.parametrize(("make", "best"), CASES, ids=[make.__name__ for make, _ in CASES])
@pytest.mark.parametrize(("spec", "sims"), [("default", 3000), ("ismcts:threads=2", 4000)])
def test_the_clear_move_is_found(
    make: Callable[[], AzulState], best: str, spec: str, sims: int
) -> None:
    """Brute force says that it is clear: nothing else comes near.

    A network that has never seen such a position may give the move one in a hundred beforehand,
    and each of two threads has half of the simulations to find out.
    """
    state = make()
    mover, position = state.to_move, position_of(state)
    values = {GAMES["azul"].move_text(position, move): value.utility[mover]
              for move, value in Solver("azul").moves(state).items()}
    others = [value for move, value in values.items() if move != best]
    assert values[best] > max(others) + 0.05
    analysis = make_agent(spec).analyse(Play(position), Limits(sims=sims))
    assert analysis.best.move == best
    assert analysis.best.visits > analysis.sims / 2


def test_a_tie_is_broken_by_rows() -> None:
    """B9: level on points, one row more is a victory; level on both it is shared."""
    state = tied_on_points()
    values = Solver("azul").moves(state)
    to_row, to_points = (0, 9, 3, 1), (0, 9, 3, 2)
    assert values[to_row].scores == values[to_points].scores == (44, 44)
    analysis = make_agent("default").analyse(Play(position_of(state)), Limits(sims=2000))
    best, second = analysis.moves[:2]
    assert (best.move, best.win_prob, best.score_mean) == ("C:K>2", 1, (44, 44))
    assert (second.move, second.win_prob) == ("C:K>3", 0.5)
    assert best.score_lead == 0
    for move, winners, shares in ((to_row, [0], [1, 0]), (to_points, [0, 1], [0.5, 0.5])):
        after = state.copy()
        after.apply(move)
        assert after.winners() == winners
        assert after.evaluate() == ([44, 44], shares)


def test_a_row_completed_ahead_ends_the_game() -> None:
    """Its value is exact, and 1."""
    state = ahead_and_the_other_strong()
    analysis = make_agent("default").analyse(Play(position_of(state)), Limits(sims=2000))
    assert analysis.best.win_prob == 1
    assert analysis.best.score_mean == (47, 37)


def test_a_row_completed_behind_is_known_to_lose() -> None:
    analysis = make_agent("default").analyse(
        Play(position_of(behind_and_strong())), Limits(sims=2000))
    row = next(move for move in analysis.moves if move.move == "C:Y>1")
    assert row.visits > 0
    assert row.win_prob == 0
    assert row.score_mean == (41, 49)


@pytest.mark.parametrize(("walls", "scores", "shares"), [
    (["", ""], [20, 20], [0.5, 0.5]),
    (["", ""], [20, 21], [0, 1]),
    ([A_ROW_OF_B, ""], [20, 27], [1, 0]),  # 5 points and 2 for the row; it breaks the tie
    (["", A_ROW_OF_B, A_ROW_OF_B], [27, 20, 20], [0, 0.5, 0.5]),
    (["", "", ""], [9, 9, 9], [1 / 3] * 3),
    (["", A_ROW_OF_B, "", A_ROW_OF_B], [20, 13, 20, 13], [0, 0.5, 0, 0.5]),
])
@pytest.mark.parametrize("grey", [False, True])
def test_win_shares_at_the_end(
    walls: list[str], scores: list[int], shares: list[float], grey: bool
) -> None:
    """A full line 1 completes the row of those who have the rest of it (round 50)."""
    players = len(walls)
    coloured = [" ".join(f"{space}:{letter}" for space, letter in zip(
        wall.split(), "YRKW", strict=False)) for wall in walls]
    state = make_azul(
        players=players, grey=grey, round=50, centre="K", token=0, to_move=players - 1,
        lines=[["B" if wall else "-", "-", "-", "-", "-"] for wall in walls],
        walls=coloured, scores=scores)
    tree = search(state)
    tree.run(300)
    row = next(row for row in tree.rows() if row[0] == (0, 9, 3, 4))
    mover = players - 1
    final = [score + 7 * bool(wall) for score, wall in zip(scores, walls, strict=True)]
    assert [wins / row[1] for wins in row[4]] == pytest.approx(shares)
    assert [total / row[1] for total in row[6]] == pytest.approx(final)
    assert row[2] / row[1] == pytest.approx(utilities(final, shares, 0.5, 30.0)[mover], abs=1e-8)
