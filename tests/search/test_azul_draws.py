"""Deals of base Azul follow RULES B7: uniform, without replacement, the lid poured on demand.

Small bags, so that the distribution of what is dealt can be worked out exactly; see
test_summer_draws.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pytest

from pavilion_ai._core import AzulState, Rng
from pavilion_ai.games import GAMES

from . import chi_square
from .azul_deals import DEALS, deal_state, two_displays
from .azul_positions import NO_TILES, Tiles, make_azul
from .draw_chances import deals, picks
from .support import AZUL_DEAL, DRAFT, VARIANTS, position_of

SAMPLES = 60_000
GAME = GAMES["azul"]


def sample(state: AzulState, seed: int, samples: int = SAMPLES) -> Counter[tuple[Tiles, ...]]:
    """Count what is dealt; each time the right number of tiles to each display."""
    bag, lid = state.fields()[9:11]
    due = [min(4, max(0, sum(bag) + sum(lid) - 4 * d)) for d in range(2 * state.players + 1)]
    rng = Rng(seed)
    found = Counter(state.copy().draw(rng) for _ in range(samples))
    assert all([sum(tiles) for tiles in filled] == due for filled in found)
    return found


@pytest.mark.parametrize(("bag", "lid"), DEALS)
def test_deal(bag: Tiles, lid: Tiles) -> None:
    found = two_displays(sample(deal_state(bag, lid), seed=2))
    assert chi_square.agrees(found, deals(bag, lid, 2))


@pytest.mark.parametrize(("players", "grey"), VARIANTS)
def test_every_display_of_a_full_bag_is_dealt_alike(players: int, grey: bool) -> None:
    bag = (12, 9, 4, 16, 6)
    expected = picks(bag, 4)
    found: list[Counter[Tiles]] = [Counter() for _ in range(2 * players + 1)]
    state = deal_state(bag, players=players, grey=grey)
    for filled, count in sample(state, seed=3, samples=20_000).items():
        for display, tiles in enumerate(filled):
            found[display][tiles] += count
    assert all(chi_square.agrees(counts, expected) for counts in found)


def test_opening_is_dealt_from_all_tiles() -> None:
    """B3: the first and the last display of four players follow the full bag."""
    rng, first, last = Rng(4), Counter[Tiles](), Counter[Tiles]()
    for _ in range(30_000):
        displays = AzulState.new(4, False, 0, rng).fields()[7]
        first[displays[0]] += 1
        last[displays[8]] += 1
    assert chi_square.agrees(first, picks((20,) * 5, 4))
    assert chi_square.agrees(last, picks((20,) * 5, 4))


@pytest.mark.parametrize(("bag", "lid", "after"), [
    ((6, 5, 4, 3, 2), (3, 3, 3, 3, 0), (0, 12)),  # AZ-25: the lid is not poured before it is due
    ((6, 5, 4, 3, 1), (3, 3, 3, 3, 0), (11, 0)),
    ((3, 0, 0, 0, 0), (8, 8, 8, 8, 8), (23, 0)),  # AZ-15
    (NO_TILES, (0, 0, 6, 0, 0), (0, 0)),  # AZ-19
])
def test_what_is_left_after_a_deal(bag: Tiles, lid: Tiles, after: tuple[int, int]) -> None:
    state = deal_state(bag, lid)
    dealt = state.draw(Rng(1))
    left = state.fields()[9:11]
    assert (sum(left[0]), sum(left[1])) == after
    assert state.phase == DRAFT
    assert total([*dealt, *left]) == total([bag, lid])


def total(some: Sequence[Tiles]) -> list[int]:
    """Add multisets up."""
    return [sum(counts) for counts in zip(*some, strict=True)]


# ------------------------------------------------------------------ split of the bag not known


@pytest.mark.parametrize("bag_size", [0, 2, 4, 6, 9])
def test_a_deal_from_an_unknown_bag_is_a_deal_from_all_unseen_tiles(bag_size: int) -> None:
    """Whatever the size of the bag: part of it, then part of the rest, is uniform again."""
    unseen = (2, 3, 1, 2, 1)
    state = deal_state(unseen, bag_size=bag_size)
    found = two_displays(sample(state, seed=6))
    assert chi_square.agrees(found, deals(unseen, NO_TILES, 2))


@pytest.mark.parametrize(("bag_size", "left"), [(0, 4), (10, 4), (19, 4), (20, 0), (22, 2)])
def test_split_stays_unknown_after_a_deal(bag_size: int, left: int) -> None:
    """B7: the bag keeps what was not drawn; once it is poured, it holds all unseen tiles."""
    state = deal_state((6, 5, 5, 4, 4), bag_size=bag_size)
    state.draw(Rng(7))
    bag, lid, size, known = state.fields()[9:13]
    assert (sum(bag), lid, known, size) == (4, NO_TILES, False, left)


def before_the_deal() -> AzulState:
    """Return the last draft of a round, to the floor line; 2 of 10 unseen tiles are in the bag."""
    return make_azul(displays=["KKKK"], bag=(3, 3, 2, 0, 2), bag_size=2, token=0)


def test_tiles_discarded_since_come_when_the_lid_is_poured() -> None:
    """The four tiles of the floor line are dealt with the eight others of the lid (B5)."""
    state = before_the_deal()
    state.apply((0, 0, 3, 5))
    assert state.phase == AZUL_DEAL
    found: Counter[int] = Counter()
    rng = Rng(8)
    for _ in range(20_000):
        dealt = state.copy().draw(rng)
        assert total(dealt) == [3, 3, 2, 4, 2]
        assert dealt[0][3] <= 2  # two of the first four tiles come from the bag
        found[dealt[0][3]] += 1
    expected = {n: math.comb(4, n) * math.comb(8, 2 - n) / math.comb(12, 2) for n in range(3)}
    assert chi_square.agrees(found, expected)


def test_what_was_dealt_can_be_given() -> None:
    """Whatever `draw` shows, `apply_chance` accepts, and the states are then the same."""
    after = before_the_deal()
    after.apply((0, 0, 3, 5))
    states = [after, *(deal_state(bag, lid) for bag, lid in DEALS),
              *(deal_state((3, 3, 3, 3, 3), bag_size=size) for size in (0, 5, 15))]
    for state in states:
        for seed in range(20):
            drawn, given = state.copy(), state.copy()
            given.apply_chance(drawn.draw(Rng(seed)))
            assert given.fields() == drawn.fields()
            position = position_of(state)
            move, following = GAME.draw(position, Rng(seed))
            assert GAME.apply(position, move) == following


def test_same_seed_same_deal() -> None:
    state = deal_state((5, 4, 3, 9, 6))
    assert state.copy().draw(Rng(3)) == state.copy().draw(Rng(3))
    assert len({state.copy().draw(Rng(seed)) for seed in range(20)}) > 15
