"""Logits and evaluations are the sums of weights over features that they are said to be.

The weights are read from the C headers, so that these tests hold whatever they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from pavilion_ai._core import EVALUATION_SIZES, LINEAR_SIZES, Rng
from pavilion_ai.search import tunables_for

from .azul_positions import make_azul
from .support import AZUL_DEAL, DRAFT, EVERY_VARIANT, STATES, VARIANTS, rules_of, search, walk
from .weights import EVALUATION_UNIT, POLICY_UNIT, heuristics, logits, tables, variant

every_variant = pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)


def deals(game: str, players: int, grey: bool, seed: int) -> Iterator[Any]:
    """Yield copies of the states between the rounds of a random game, and of its end."""
    rng = Rng(seed)
    state = STATES[game].new(players, grey, 0, rng)
    while not state.over:
        if state.to_move >= 0:
            state.apply(state.random_move(rng))
            continue
        if state.between_rounds:
            yield state.copy()
        state.draw(rng)
    yield state


@pytest.mark.parametrize("game", STATES)
def test_tables_have_a_weight_for_every_feature(game: str) -> None:
    policy, evaluation = heuristics(game).sizes
    assert LINEAR_SIZES[STATES[game]] == policy
    assert EVALUATION_SIZES[STATES[game]] == evaluation
    for players, grey in VARIANTS:
        for state in walk(players, grey, 21, game):
            for move in state.moves(True)[::7]:
                assert all(0 <= feature < policy for feature in state.policy_features(move))


@every_variant
def test_priors_are_the_softmax_of_the_sums(game: str, players: int, grey: bool) -> None:
    """With temperature, and with a share that is spread evenly (docs/search.md).

    Summer Pavilion's lists of placements, bonuses and keeps are made in another way.
    """
    for state in list(walk(players, grey, 22, game))[::3]:
        if game == "summer" and state.phase != DRAFT:
            continue
        sums = logits(state)
        for temperature in (tunables_for(rules_of(state)).temperature, 0.6):
            tree = search(state, temperature=temperature)
            mixed = tunables_for(rules_of(state)).mixed
            tree.run(2)
            found = {row[0]: row[3] for row in tree.rows()}
            top = max(sums.values())
            shares = {move: math.exp((value - top) / POLICY_UNIT / temperature)
                      for move, value in sums.items()}
            total = sum(shares.values())
            assert found.keys() == shares.keys()
            for move, share in shares.items():
                assert found[move] == pytest.approx(
                    (1 - mixed) * share / total + mixed / len(shares), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize(("players", "grey"), VARIANTS)
def test_the_likeliest_move_of_base_azul(players: int, grey: bool) -> None:
    """The largest sum, the first of equals; by hand with the other table."""
    for state in list(walk(players, grey, 23, "azul"))[::2]:
        for by_hand in (False, True):
            sums = logits(state, by_hand=by_hand)
            assert state.policy_move(by_hand=by_hand) == max(sums, key=lambda move: sums[move])


@every_variant
def test_evaluation_is_the_sum_of_the_weights(game: str, players: int, grey: bool) -> None:
    """Points still gained, and the softmax of the outcome by a scale (docs/search.md)."""
    read = tables(game)
    met = 0
    for state in deals(game, players, grey, 24):
        if state.over:
            continue
        met += 1
        done = min(state.round - 1, 5) - 1
        weights = read["evaluation"][variant(state), done]
        scale = read["scale"][variant(state), done] / EVALUATION_UNIT
        expected = [
            score + sum(weights[feature] for feature in state.evaluation_features(seat))
            / EVALUATION_UNIT for seat, score in enumerate(state.scores())]
        scores, shares = state.evaluate()
        assert scores == pytest.approx(expected)
        powers = [math.exp((score - max(expected)) / scale) for score in expected]
        assert shares == pytest.approx([power / sum(powers) for power in powers], abs=1e-8)
    assert met >= 4


@every_variant
def test_evaluation_is_exact_at_the_end(game: str, players: int, grey: bool) -> None:
    for seed in range(20):
        *_, state = deals(game, players, grey, seed)
        winners = state.winners()
        assert state.evaluate() == (state.scores(), [
            1 / len(winners) if seat in winners else 0 for seat in range(players)])


def test_features_of_extreme_boards() -> None:
    """Full and empty walls, floor lines and lines: the numbers stay within the tables."""
    full_rows = " ".join(f"{row}.{column}" for row in range(1, 6) for column in range(2, 6))
    limit = EVALUATION_SIZES[STATES["azul"]]
    for walls in (["", ""], [full_rows, ""], [full_rows, full_rows]):
        for number in (2, 5, 6, 50):
            lines = [["-" if wall else "Y" * min(row, 4) for row in range(5)] for wall in walls]
            state = make_azul(phase=AZUL_DEAL, round=number, walls=walls, lines=lines)
            for seat in range(2):
                assert all(0 <= f < limit for f in state.evaluation_features(seat))
            assert all(math.isfinite(score) for score in state.evaluate()[0])
    crowded = make_azul(centre="BBBBBBBBBBBBBBBBBBBB", floors=["YYYYYYY", "RRRRRR"])
    for move in crowded.moves():
        assert all(0 <= f < LINEAR_SIZES[STATES["azul"]] for f in crowded.policy_features(move))
