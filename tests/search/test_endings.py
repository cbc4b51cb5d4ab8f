"""Endings solved exactly by brute force: the search finds the best move and the right numbers."""

from __future__ import annotations

import pytest

from pavilion_ai._core import Rng, Search, SummerState, evaluate

from .endings import cut_hands, with_holes
from .expectimax import Solver, balanced, utilities
from .support import NO_TILES, OVER, make_state, search, walk

SIMS = 40_000

Case = tuple[str, SummerState]


def cases() -> list[Case]:
    found: list[Case] = []
    for grey in (False, True):
        side = "grey" if grey else "coloured"
        for seed in (1, 2, 3):
            found.append((f"{side} no draws {seed}", balanced(cut_hands(2, grey, seed, hand=4))))
        for seed in (1, 3, 5, 6, 7, 9):
            state = with_holes(seed, grey=grey, holes=3, bag=4)
            found.append((f"{side} draws {seed}", balanced(state)))
        for seed in range(4):
            state = with_holes(seed, grey=grey, holes=4, bag=7, bag_size=4, passed=True, dearest=1)
            found.append((f"{side} unknown bag {seed}", balanced(state)))
    return found


CASES = cases()


def favourite(tree: Search) -> tuple[int, ...]:
    """Return the move an engine plays: the most visited one."""
    return max(tree.rows(), key=lambda row: (row[1], row[2]))[0]


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


@pytest.mark.parametrize(("name", "state"), CASES, ids=[name for name, _ in CASES])
def test_search_finds_the_exact_answer(name: str, state: SummerState, solver: Solver) -> None:
    mover = state.to_move
    values = solver.moves(state)
    best = max(value.utility[mover] for value in values.values())
    tree = search(state)
    errors = []
    for sims in (SIMS // 20, SIMS):
        tree.run(sims - tree.sims)
        row = max(tree.rows(), key=lambda row: (row[1], row[2]))
        errors.append(abs(row[2] / row[1] - values[row[0]].utility[mover]))
    assert values[row[0]].utility[mover] == pytest.approx(best, abs=1e-9)
    exact = values[row[0]]
    assert errors[1] < 0.02
    assert errors[1] < max(0.6 * errors[0], 0.01)
    assert row[4][mover] / row[1] == pytest.approx(exact.wins[mover], abs=0.04)
    assert row[6][mover] / row[1] == pytest.approx(exact.scores[mover], abs=2)
    lead = (row[6][mover] - row[6][1 - mover]) / row[1]
    assert lead == pytest.approx(exact.scores[mover] - exact.scores[1 - mover], abs=2)


def test_the_cases_are_worth_it(solver: Solver) -> None:
    """There are draws, choices that matter, and winning chances of all sizes."""
    chances, choices, draws = set(), 0, 0
    for _, state in CASES:
        values = solver.moves(state)
        choices += len({round(value.utility[state.to_move], 6) for value in values.values()}) > 1
        chances.add(round(solver.value(state).wins[state.to_move], 2))
        alone = Solver()
        alone.value(state)
        draws += any(key[3] == 4 for key in alone.known)
    assert choices >= 20
    assert draws >= 18
    assert len(chances) >= 5


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_plain_selection_rules_agree(seed: int, solver: Solver) -> None:
    """UCB over uniform playouts converges to the same move in a tiny ending."""
    state = balanced(with_holes(seed, holes=3, bag=4))
    values = solver.moves(state)
    best = max(value.utility[state.to_move] for value in values.values())
    tree = search(state, selection=1, uniform=1, exploration=0.7, fpu_reduction=0.0)
    tree.run(SIMS)
    assert values[favourite(tree)].utility[state.to_move] == pytest.approx(best, abs=1e-9)


# --------------------------------------------------------------------------- winning for certain


def lines_won(state: SummerState, engine: int, solver: Solver, seen: set[object]) -> int:
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
        while after.phase == 4:
            after.draw(Rng(len(seen)))
        met += lines_won(after, engine, solver, seen)
    return met


@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize("seed", [2, 3, 5, 8])
def test_a_won_ending_is_never_thrown_away(grey: bool, seed: int, solver: Solver) -> None:
    """Scores are set so that best play wins by a single point."""
    state = cut_hands(2, grey, seed, hand=3)
    engine = state.to_move
    fields = list(state.fields())
    scores = solver.value(state).scores
    behind = round(scores[1 - engine] - scores[engine]) + 1
    fields[16] = tuple(
        (seat[0] + max(0, behind if index == engine else -behind), *seat[1:])
        for index, seat in enumerate(fields[16]))
    state = SummerState(*fields)
    value = solver.value(state)
    assert value.wins[engine] == 1
    assert value.scores[engine] - value.scores[1 - engine] == 1
    assert lines_won(state, engine, solver, set()) > 3


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


def finished(scores: list[int], players: int) -> SummerState:
    """Return a state in which the last seat's pass ends the game with these scores."""
    hands = [NO_TILES] * players
    return make_state(hands, scores=scores, passed=range(players - 1), to_move=players - 1,
                      supply=(0, 0, 0, 0, 0, 10))


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
    assert evaluate(state)[1] == pytest.approx(shares)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("seed", [1, 3, 5])
def test_the_last_seat_left_plays_best(players: int, seed: int) -> None:
    """Several seats, all others passed: a plain maximisation, whatever the number of seats."""
    state = next(s for s in walk(players, bool(seed % 2), seed)
                 if s.round == 6 and s.phase == 1 and len(s.moves(True)) > 4)
    fields = list(state.fields())
    fields[11], fields[12], fields[13] = (0, 2, 3, 1, 4, 0), NO_TILES, NO_TILES
    mover = state.to_move
    fields[16] = tuple(
        (seat[0], hand_of(seat[1], 5) if index == mover else NO_TILES, NO_TILES, index != mover,
         seat[4])
        for index, seat in enumerate(fields[16]))
    state = SummerState(*fields)
    values = Solver().moves(state)
    best = max(value.utility[mover] for value in values.values())
    tree = search(state)
    tree.run(20_000)
    assert values[favourite(tree)].utility[mover] == pytest.approx(best, abs=1e-9)


def hand_of(tiles: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return the first so many tiles of a hand."""
    kept = []
    for n in tiles:
        kept.append(min(n, most))
        most -= kept[-1]
    return tuple(kept)
