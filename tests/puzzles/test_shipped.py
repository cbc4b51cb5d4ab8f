"""The puzzles that ship: every one loads, its best move is legal, and the solution stands."""

from __future__ import annotations

import pytest

from pavilion_ai.agents import make_agent
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.puzzles import Puzzle, shipped
from pavilion_ai.puzzles.find import GAP, JUDGE, LEAST_LEVEL, _compared, _is_solution, _shares
from pavilion_ai.puzzles.puzzle import DATA
from tests.plays import VARIANTS

COUNT = 200


@pytest.fixture(params=VARIANTS, ids=lambda variant: "-".join(map(str, variant)))
def puzzles(request: pytest.FixtureRequest) -> tuple[Puzzle, ...]:
    return shipped(*request.param)


def test_there_are_enough_and_none_is_there_twice(puzzles: tuple[Puzzle, ...]) -> None:
    assert len(puzzles) == COUNT
    assert len({puzzle.position for puzzle in puzzles}) == len(puzzles)


def test_every_move_is_legal(puzzles: tuple[Puzzle, ...]) -> None:
    for puzzle in puzzles:
        assert puzzle.level >= LEAST_LEVEL
        assert puzzle.loss >= GAP
        for option in (puzzle.solution, puzzle.tempting):
            play = Play(puzzle.start())
            assert play.code() == puzzle.position
            assert option.line[0] == option.move
            for move in option.line:
                play.push(move)


def test_every_solution_stands(puzzles: tuple[Puzzle, ...]) -> None:
    """Against the tempting move for all, deep ones after a longer search; against all for some."""
    judge = make_agent(JUDGE)
    for number, puzzle in enumerate(puzzles):
        play, moves = Play(puzzle.start()), [puzzle.solution.move, puzzle.tempting.move]
        sims = next((sims for sims in (200, 10_000) if judge.analyse(
            play, Limits(sims), seed=number, only=moves).best.move == moves[0]), None)
        assert sims is not None, number
    for puzzle in puzzles[::20]:
        assert judge.analyse(Play(puzzle.start()), Limits(20_000), seed=7).best.move \
            == puzzle.solution.move


def test_levels_up_to_that_of_a_puzzle_usually_miss_it(puzzles: tuple[Puzzle, ...]) -> None:
    """With other random numbers than those it was found by."""
    for puzzle in puzzles[::10]:
        shares = _shares(Play(puzzle.start()), puzzle.level, seed=1000)
        assert shares.get(puzzle.solution.move, 0.0) < 0.75


def test_every_other_move_is_worse(puzzles: tuple[Puzzle, ...]) -> None:
    """All searched equally often, then the best of them longer; ends that can be solved are."""
    judge = make_agent(JUDGE)
    for number, puzzle in enumerate(puzzles[::4]):
        play, favourite = Play(puzzle.start()), puzzle.solution.move
        assert _is_solution(play, favourite), number
        others = [move for move in play.legal_moves if move != favourite]
        _, *found = _compared(
            judge, play, (favourite, *others), 100 * (1 + len(others)), seed=number)
        rivals = [one.move for one in sorted(found, key=lambda one: -one.win_prob)[:3]]
        assert any(  # the second search where the first one is not sure
            best.win_prob - max(one.win_prob for one in found) > 0.4 * GAP
            for sims in (3000, 20_000)
            for best, *found in [_compared(
                judge, play, (favourite, *rivals), sims * (1 + len(rivals)), seed=number)]), number


def test_they_are_small_and_of_all_kinds() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 600_000  # type: ignore[attr-defined]
    every = [puzzle for variant in VARIANTS for puzzle in shipped(*variant)]
    assert {puzzle.level for puzzle in every} >= set(range(LEAST_LEVEL, 9))
    assert {puzzle.start().phase for puzzle in every} >= {"draft", "place", "bonus"}
    assert shipped("azul", "coloured", 5) == ()
