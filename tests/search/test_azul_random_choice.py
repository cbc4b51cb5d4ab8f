"""Random picks of base Azul: uniform ones over the legal list, and those of the playouts.

As test_random_choice.py; a playout draws from the softmax of the logits of all legal moves.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai._core import Rng, random_games

from . import chi_square
from .azul_positions import make_azul
from .support import DRAFT, STATES, VARIANTS, WALL, walk
from .uniform import CHOICES, sampled
from .weights import logits

CATEGORIES = ("opening", "centre", "centre alone", "column")
CENTRE, FLOOR = 9, 5
POLICY_SAMPLES = 60_000


def category(state: Any) -> str:
    """Say what a state is a sample of."""
    if state.phase == WALL:
        return "column"
    sources = {move[1] for move in state.moves()}
    if CENTRE not in sources:
        return "opening"
    return "centre alone" if sources == {CENTRE} else "centre"


def collect() -> list[tuple[str, Any]]:
    """Return one state of each category for every variant, as far as two games have it."""
    found = []
    for players, grey in VARIANTS:
        missing = set(CATEGORIES)
        for state in chain(*(walk(players, grey, seed, "azul") for seed in (11, 12))):
            kind = category(state)
            # A game opens with a long list, and of other phases a round has only a few states.
            if kind in missing and (kind == "opening" or len(state.moves()) in CHOICES):
                missing.remove(kind)
                found.append((f"{'grey' if grey else 'coloured'} {players} {kind}", state))
    return found


SAMPLES = collect()
every_sample = pytest.mark.parametrize(
    ("name", "state"), SAMPLES, ids=[name for name, _ in SAMPLES])


def test_all_categories_are_sampled() -> None:
    kinds = Counter(name.split(" ", 2)[2] for name, _ in SAMPLES)
    assert kinds == {"opening": 6, "centre": 6, "centre alone": 6, "column": 3}


@every_sample
def test_pick_is_uniform(name: str, state: Any) -> None:
    moves = state.moves()
    if len(moves) in CHOICES:
        assert sampled(state, True, seed=5)
        return
    found = Counter(map(state.random_move, repeat(Rng(5), 2000 * len(moves))))
    assert chi_square.agrees(found, dict.fromkeys(moves, 1 / len(moves)))


def test_pick_is_uniform_where_colours_have_unequally_many_places() -> None:
    """One colour may go to two lines and the floor, others to one line or to the floor alone."""
    state = make_azul(
        displays=["BBYR", "BK"], centre="W", token=1,
        lines=[["-", "BB", "BBB", "YYYY", "K"], ["-"] * 5],
        walls=["1.2 1.3 3.5 4.1 5.1", ""])
    moves = state.moves()
    places = Counter((move[1], move[2]) for move in moves)
    assert sorted(places.values()) == [1, 1, 2, 2, 2, 3]
    assert sampled(state, True, seed=6)


def test_the_only_move_is_picked() -> None:
    full = ["B", "YY", "RRR", "WWWW", "YYYYY"]
    draft = make_azul(centre="K", token=0, lines=[full, full])
    assert draft.random_move(Rng(1)) == draft.policy_move(Rng(1)) == (0, CENTRE, 3, FLOOR)
    tile = make_azul(phase=WALL, token=0, grey=True, walls=["1.2:Y 2.5:Y 4.1:B 4.3:R 4.4:K", ""],
                     lines=[["-", "-", "-", "YYYY", "-"], ["-"] * 5])
    assert tile.random_move(Rng(1)) == tile.policy_move(Rng(1)) == (1, 3, FLOOR)


# --------------------------------------------------------------------- the policy of playouts


def noise() -> list[int]:
    """Return the 256 values that the noise of a logit has, each as likely as the others."""
    header = Path(__file__).resolve().parents[2] / "pavilion_ai" / "_c" / "gumbel.h"
    table = header.read_text().partition("GUMBEL[256] = {")[2].partition("}")[0]
    values = [int(number) for number in re.findall(r"-?\d+", table)]
    assert len(values) == 256
    return values


def chances(values: list[int]) -> list[float]:
    """Return how likely each logit is the largest with noise, the first of equals counting."""
    steps = noise()
    low = min(values) + steps[0]
    width = max(values) + steps[-1] + 2 - low
    at_most = []
    for value in values:
        below = [0] * width
        for step in steps:
            below[value + step - low + 1] += 1
        total, sums = 0, []
        for count in below:
            total += count
            sums.append(total / 256)
        at_most.append(sums)  # [x]: chance of less than low + x
    result = []
    for index, value in enumerate(values):
        chance = 0.0
        for step in steps:
            x = value + step - low
            chance += math.prod(
                sums[x] if other < index else sums[x + 1]
                for other, sums in enumerate(at_most) if other != index) / 256
        result.append(chance)
    return result


def enough(expected: dict[Any, float]) -> dict[Any, float]:
    """Put what is too rare for the test together under None."""
    rare = sum(p for p in expected.values() if p * POLICY_SAMPLES < 10)
    kept = {move: p for move, p in expected.items() if p * POLICY_SAMPLES >= 10}
    return {**kept, None: rare} if rare * POLICY_SAMPLES >= 1 else kept


@every_sample
def test_playouts_draw_from_the_softmax_of_the_logits(name: str, state: Any) -> None:
    """Exactly as 256 values of noise make it, and that is close to the softmax itself."""
    values = logits(state)
    expected = dict(zip(values, chances(list(values.values())), strict=True))
    assert sum(expected.values()) == pytest.approx(1)
    top = max(values.values())
    total = sum(math.exp((value - top) / 256) for value in values.values())
    for move, value in values.items():
        assert expected[move] == pytest.approx(
            math.exp((value - top) / 256) / total, rel=0.1, abs=0.005)
    found = Counter(map(state.policy_move, repeat(Rng(3), POLICY_SAMPLES)))
    kept = enough(expected)
    counts: Counter[Any] = Counter()
    for move, count in found.items():
        assert expected[move] > 0
        counts[move if move in kept else None] += count
    if None not in kept:  # less than one sample is expected there
        assert counts.pop(None, 0) < 10
    assert len(kept) == 1 or chi_square.agrees(counts, kept)


@every_sample
def test_the_likeliest_move_has_the_largest_logit(name: str, state: Any) -> None:
    for by_hand in (False, True):
        values = logits(state, by_hand=by_hand)
        assert state.policy_move(by_hand=by_hand) == max(values, key=lambda move: values[move])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_end_and_score_little(players: int) -> None:
    """RULES.md D2: 48 to 130 drafts by two, about 70; a few more or fewer rounds by more."""
    for grey in (False, True):
        state = STATES["azul"].new(players, grey, 0, Rng(0))
        plies, scores = random_games(state, 2000, 3)
        assert 55 < plies / 2000 < 80 * players
        assert all(total / 2000 < 25 for total in scores)


def test_drafts_and_columns_are_sampled() -> None:
    assert {state.phase for _, state in SAMPLES} == {DRAFT, WALL}
