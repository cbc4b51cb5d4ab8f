"""The pick without a list is uniform over the list of legal moves.

Lockstep with another implementation does not see a skewed choice; a chi-square does. Every
position is sampled often enough to find a single move that comes 5 % too often or too rarely
(see chi_square.py); seeds are fixed, so a result never changes from run to run.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import pytest

from pavilion_ai._core import Rng, SummerState, random_games

from . import chi_square
from .support import BONUS, DRAFT, PLACE, STATES, VARIANTS, make_state, walk
from .uniform import CHOICES, SKEW, sampled

CATEGORIES = ("opening", "centre", "wilds", "keep", "last round", "bonus 1", "bonus 2")


def category(state: SummerState) -> str:
    """Say what a state is a sample of, '' if of nothing in particular."""
    round, phase, bonus_due = state.fields()[2], state.phase, state.fields()[7]
    moves = state.moves(True)
    if phase == BONUS:
        return f"bonus {bonus_due}"
    if phase == DRAFT:
        return "centre" if any(move[1] == 9 for move in moves) else "opening"
    hand = state.fields()[16][state.to_move][1]
    if round == 6:
        return "last round"
    if sum(move[0] == 3 for move in moves) > 1:
        return "keep"
    return "wilds" if hand[round - 1] >= 2 else ""


def collect() -> list[tuple[str, SummerState]]:
    """Return one state of each category for every variant, as far as two games have it."""
    found = []
    for players, grey in VARIANTS:
        missing = set(CATEGORIES)
        for state in chain(walk(players, grey, seed=11), walk(players, grey, seed=12)):
            kind = category(state)
            if kind in missing and len(state.moves(True)) in CHOICES:
                missing.remove(kind)
                side = "grey" if grey else "coloured"
                found.append((f"{side} {players} {kind}", state))
    return found


SAMPLES = collect()


def test_all_categories_are_sampled() -> None:
    kinds = Counter(name.split(" ", 2)[2] for name, _ in SAMPLES)
    assert set(kinds) == set(CATEGORIES)
    assert len(SAMPLES) >= 24


@pytest.mark.parametrize(("name", "state"), SAMPLES, ids=[name for name, _ in SAMPLES])
def test_pick_is_uniform(name: str, state: SummerState) -> None:
    assert sampled(state, True, seed=5)


@pytest.mark.parametrize(
    ("hand", "round"),
    [
        ((2, 1, 0, 0, 0, 0), 3),
        ((0, 1, 0, 2, 0, 0), 5),
        ((1, 1, 1, 0, 0, 0), 4),
        ((3, 1, 0, 0, 0, 0), 6),
    ],
)
def test_pick_is_uniform_with_free_keeps(hand: tuple[int, ...], round: int) -> None:
    full = (1,) * 42
    board = [0 if space in (0, 2, 9, 37) else colour for space, colour in enumerate(full)]
    state = make_state([hand, hand], boards=[board, full], round=round)
    assert sampled(state, False, seed=6)


def test_pick_is_uniform_in_the_grey_centre() -> None:
    """Its spaces all cost 3 and are picked by rank among the free ones, many wilds at hand."""
    board = [1 + space % 6 for space in range(42)]
    for space in (37, 38, 40):
        board[space] = 0
    state = make_state([(0, 2, 0, 0, 1, 2), (0,) * 6], boards=[board, board], grey=True)
    moves = [move for move in state.moves(True) if move[0] == 1]
    assert {move[1] for move in moves} == {37, 38, 40}
    assert sampled(state, True, seed=7)


def test_pick_is_uniform_with_many_wilds_on_an_empty_board() -> None:
    state = make_state([(0, 2, 0, 0, 0, 5), (0,) * 6])
    assert len(state.moves(True)) > 20
    assert sampled(state, True, seed=8)


@pytest.mark.parametrize("due", [1, 2, 3])
@pytest.mark.parametrize("supply", [(3, 1, 1, 2, 0, 0), (1, 0, 4, 1, 1, 3), (0, 9, 0, 0, 0, 1)])
def test_pick_of_bonus_tiles_is_uniform(supply: tuple[int, ...], due: int) -> None:
    state = make_state([(0,) * 6] * 2, phase=BONUS, bonus_due=due, supply=supply)
    assert sampled(state, True, seed=9)


@pytest.mark.parametrize("choices", [3, 14])
def test_a_skewed_pick_would_be_found(choices: int) -> None:
    expected = dict.fromkeys(range(choices), 1 / choices)
    skewed = [(1 + SKEW) / choices] + [
        (1 - (1 + SKEW) / choices) / (choices - 1)] * (choices - 1)
    samples = chi_square.samples_needed(choices, SKEW)
    generator = np.random.default_rng(1)
    alarms = sum(
        not chi_square.agrees(dict(enumerate(generator.multinomial(samples, skewed))), expected)
        for _ in range(50))
    assert alarms >= 46


def test_false_alarms_are_as_rare_as_promised() -> None:
    tests = len(SAMPLES) + 20
    assert tests * chi_square.FALSE_ALARM < 1e-6
    assert chi_square.upper_tail(18.307, 10) == pytest.approx(0.05, rel=1e-3)
    assert chi_square.upper_tail(3.841, 1) == pytest.approx(0.05, rel=1e-3)


# ----------------------------------------------------------------------- whole random games


def listed_games(name: str, players: int, grey: bool, games: int, seed: int) -> np.ndarray:
    """Play games by picking from the list; a row each: decisions, scores by seat."""
    rng, rows = Rng(seed), []
    for game in range(games):
        state = STATES[name].new(players, grey, game % players, rng)
        plies = 0
        while not state.over:
            if state.to_move < 0:
                state.draw(rng)
            else:
                moves = state.moves(True)
                state.apply(moves[rng.below(len(moves))])
                plies += 1
        rows.append([plies, *state.scores()])
    return np.array(rows, dtype=float)


def core_games(name: str, players: int, grey: bool, batches: int, seed: int) -> np.ndarray:
    """Play as many games a batch as there are players; a row each: means over the batch."""
    state = STATES[name].new(players, grey, 0, Rng(0))
    rows = []
    for batch in range(batches):
        plies, scores = random_games(state, players, seed + batch)
        rows.append([plies, *scores])
    return np.array(rows, dtype=float) / players


@pytest.mark.parametrize(("game", "players", "grey", "games"), [
    ("summer", 2, False, 600), ("summer", 3, False, 300), ("summer", 2, True, 300),
    ("summer", 4, True, 120), ("azul", 2, False, 600), ("azul", 2, True, 400),
    ("azul", 3, True, 300), ("azul", 4, False, 240),
])
def test_random_games_agree_with_games_from_the_list(
    game: str, players: int, grey: bool, games: int
) -> None:
    games -= games % players
    listed = listed_games(game, players, grey, games, seed=21)
    batch = listed.reshape(-1, players, 1 + players).mean(axis=1)
    core = core_games(game, players, grey, 4000, seed=1000)
    error = np.sqrt(batch.var(axis=0, ddof=1) / len(batch) + core.var(axis=0) / len(core))
    assert (np.abs(batch.mean(axis=0) - core.mean(axis=0)) < 4 * error).all()
    ratio = batch.std(axis=0, ddof=1) / core.std(axis=0)
    assert ((ratio > 1 / 1.6) & (ratio < 1.6)).all()


def test_random_games_of_two_players_have_the_known_means() -> None:
    state = SummerState.new(2, False, 0, Rng(0))
    plies, scores = random_games(state, 20_000, 3)
    assert plies / 20_000 == pytest.approx(95.0, abs=0.3)
    assert sum(scores) / 40_000 == pytest.approx(6.3, abs=0.2)


@pytest.mark.parametrize("game", STATES)
def test_random_games_repeat(game: str) -> None:
    state = STATES[game].new(3, True, 0, Rng(0))
    assert random_games(state, 50, 9) == random_games(state, 50, 9)
    assert random_games(state, 50, 9) != random_games(state, 50, 10)


def test_place_phase_is_sampled_on_both_sides() -> None:
    assert {state.fields()[1] for _, state in SAMPLES if state.phase == PLACE} == {False, True}
