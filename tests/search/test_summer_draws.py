"""Draws from the bag follow RULES A9: uniform, without replacement, the tower poured on demand.

Small bags, so that the distribution of what is drawn can be worked out exactly, tile by tile.
"""

from __future__ import annotations

import math
from collections import Counter

import pytest

from pavilion_ai._core import Rng, SummerState

from . import chi_square
from .draw_chances import DEALS, TOP_UPS, Tiles, deals, draws, picks
from .support import DEAL, DRAFT, NO_TILES, PLACE, SUPPLY, make_state

SAMPLES = 120_000


def sample(state: SummerState, seed: int, samples: int = SAMPLES) -> Counter[tuple[Tiles, ...]]:
    rng = Rng(seed)
    return Counter(state.copy().draw(rng) for _ in range(samples))


@pytest.mark.parametrize(("supply", "bag", "tower"), TOP_UPS)
def test_top_up(supply: Tiles, bag: Tiles, tower: Tiles) -> None:
    state = make_state([NO_TILES] * 2, phase=SUPPLY, supply=supply, bag=bag, tower=tower,
                       next_to_move=0)
    due = 10 - sum(supply)
    expected: dict[tuple[Tiles, ...], float] = {}
    for (drawn, *_), p in draws(bag, tower, due).items():
        expected[(drawn,)] = expected.get((drawn,), 0.0) + p
    found = sample(state, seed=1)
    assert sum(expected.values()) == pytest.approx(1)
    if len(expected) == 1:
        assert set(found) == set(expected)
    else:
        assert chi_square.agrees(found, expected)


def test_what_is_left_after_a_top_up() -> None:
    """RULES SP-37 and SP-38: the tower is poured when a further tile is needed, not before."""
    state = make_state([NO_TILES] * 2, phase=SUPPLY, supply=(7, 0, 0, 0, 0, 0), next_to_move=0,
                       bag=(0, 1, 0, 1, 1, 0), tower=(0, 0, 5, 0, 0, 0))
    state.draw(Rng(1))
    assert state.fields()[12:14] == (NO_TILES, (0, 0, 5, 0, 0, 0))
    assert state.phase == PLACE
    state = make_state([NO_TILES] * 2, phase=SUPPLY, supply=(7, 0, 0, 0, 0, 0), next_to_move=0,
                       bag=(0, 0, 0, 0, 0, 1), tower=(0, 2, 0, 0, 4, 0))
    state.draw(Rng(1))
    bag, tower = state.fields()[12:14]
    assert (sum(bag), sum(tower)) == (4, 0)


@pytest.mark.parametrize(("bag", "tower"), DEALS)
def test_deal(bag: Tiles, tower: Tiles) -> None:
    state = make_state([NO_TILES] * 2, round=2, phase=DEAL, bag=bag, tower=tower)
    expected = deals(bag, tower, 2)
    found: Counter[tuple[Tiles, ...]] = Counter()
    for filled, count in sample(state, seed=2, samples=60_000).items():
        assert [sum(tiles) for tiles in filled] == [
            min(4, max(0, sum(bag) + sum(tower) - 4 * d)) for d in range(5)]
        found[filled[:2]] += count
    assert chi_square.agrees(found, expected)


def test_every_display_of_a_full_bag_is_dealt_alike() -> None:
    """The fast path draws four tiles with one random number; look at each of the displays."""
    bag = (9, 4, 0, 7, 1, 3)
    expected = picks(bag, 4)
    state = make_state([NO_TILES] * 2, round=3, phase=DEAL, bag=bag)
    rng = Rng(3)
    found: list[Counter[Tiles]] = [Counter() for _ in range(5)]
    for _ in range(60_000):
        for display, tiles in enumerate(state.copy().draw(rng)):
            found[display][tiles] += 1
    assert all(chi_square.agrees(counts, expected) for counts in found)


def test_opening_is_dealt_from_all_tiles() -> None:
    """A4: ten supply tiles, then the displays; colours by display follow the full bag."""
    rng, supply, display = Rng(4), Counter[int](), Counter[Tiles]()
    for _ in range(30_000):
        fields = SummerState.new(2, False, 0, rng).fields()
        supply[fields[11][0]] += 1
        display[fields[9][4]] += 1
    everything = (22,) * 6
    purple = {n: math.comb(22, n) * math.comb(110, 10 - n) / math.comb(132, 10) for n in range(11)}
    rare = [n for n in purple if 30_000 * purple[n] < 10]
    expected = {n: p for n, p in purple.items() if n not in rare} | {
        -1: sum(purple[n] for n in rare)}
    found = Counter({n: supply[n] for n in expected if n >= 0} | {
        -1: sum(supply[n] for n in rare)})
    assert chi_square.agrees(found, expected)
    assert chi_square.agrees(display, picks(everything, 4))


# ------------------------------------------------------------------ split of the bag not known


@pytest.mark.parametrize("bag_size", [0, 2, 3, 6, 9])
def test_draws_from_an_unknown_bag_are_draws_from_all_unseen_tiles(bag_size: int) -> None:
    """Whatever the size of the bag: first part of it, then part of the rest, is uniform again."""
    unseen = (3, 2, 2, 1, 1, 0)
    state = make_state([NO_TILES] * 2, phase=SUPPLY, supply=(7, 0, 0, 0, 0, 0), next_to_move=0,
                       bag=unseen, bag_size=bag_size)
    expected: dict[tuple[Tiles, ...], float] = {
        (pick,): p for pick, p in picks(unseen, 3).items()}
    assert chi_square.agrees(sample(state, seed=5), expected)


def test_unknown_bag_deal() -> None:
    unseen = (2, 3, 1, 0, 2, 1)
    state = make_state([NO_TILES] * 2, round=2, phase=DEAL, bag=unseen, bag_size=6)
    found: Counter[tuple[Tiles, ...]] = Counter()
    for filled, count in sample(state, seed=6, samples=60_000).items():
        found[filled[:2]] += count
    assert chi_square.agrees(found, deals(unseen, NO_TILES, 2))


@pytest.mark.parametrize("bag_size", [0, 2, 3, 4, 5])
def test_split_stays_unknown_after_a_draw(bag_size: int) -> None:
    state = make_state([NO_TILES] * 2, phase=SUPPLY, supply=(7, 0, 0, 0, 0, 0), next_to_move=0,
                       bag=(1, 1, 1, 1, 1, 0), bag_size=bag_size)
    state.draw(Rng(7))
    bag, tower, size, known = state.fields()[12:16]
    assert (sum(bag), tower, known) == (2, NO_TILES, False)
    assert size == (bag_size - 3 if bag_size >= 3 else 2)


def top_up_after_a_discard() -> SummerState:
    """Return a top-up of four tiles with 3 of 6 unseen tiles in the bag and 4P just discarded."""
    board = [1] * 42
    board[4] = 0
    state = make_state([(5, 0, 0, 0, 0, 0), NO_TILES], boards=[board, [1] * 42], round=6,
                       phase=PLACE, supply=(0, 0, 0, 0, 0, 9), bag=(0, 2, 2, 1, 1, 0), bag_size=3)
    state.apply((1, 4, 0, 5))
    assert state.phase == 2
    state.apply((2, 0, 0, 0, 0, 0, 3))
    assert state.phase == SUPPLY
    return state


def test_tiles_discarded_this_turn_are_not_in_an_unknown_bag() -> None:
    """Tiles just discarded are known to be in the tower and come only when it is poured."""
    state = top_up_after_a_discard()
    found: Counter[Tiles] = Counter()
    rng = Rng(8)
    for _ in range(2000):
        copy = state.copy()
        drawn = copy.draw(rng)[0]
        assert sum(drawn) == 4
        assert drawn[0] <= 1
        found[drawn] += 1
    # three of the six unseen tiles, then one of the other three and the four discarded ones
    assert sum(n for drawn, n in found.items() if drawn[0]) / 2000 == pytest.approx(4 / 7, abs=0.06)


def test_what_was_drawn_can_be_given() -> None:
    """Whatever `draw` shows, `apply_chance` accepts, and the states are then the same."""
    state = top_up_after_a_discard()
    for seed in range(50):
        drawn, given = state.copy(), state.copy()
        given.apply_chance(drawn.draw(Rng(seed)))
        assert given.fields() == drawn.fields()


def test_same_seed_same_draw() -> None:
    state = make_state([NO_TILES] * 2, round=2, phase=DEAL, bag=(5, 4, 3, 9, 6, 2))
    assert state.copy().draw(Rng(3)) == state.copy().draw(Rng(3))
    assert len({state.copy().draw(Rng(seed)) for seed in range(20)}) > 15
    state.draw(Rng(3))
    assert state.phase == DRAFT
