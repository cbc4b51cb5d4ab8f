"""Tied draws: legal and uniform each by itself, and nearly the same where the bags are.

The uniformity is tested against the hypergeometric distribution, tile by tile; the rule of the
priorities once more in literal Python.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from pavilion_ai._core import Rng, SummerState
from pavilion_ai.errors import IllegalMoveError
from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.luck import Luck, draw_tied
from pavilion_ai.notation import format_tiles, parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from tests.search import azul_deals, chi_square
from tests.search.azul_positions import make_azul
from tests.search.draw_chances import DEALS, TOP_UPS, Tiles, deals, draws, picks, plus
from tests.search.support import (
    DEAL,
    EVERY_VARIANT,
    NO_TILES,
    STATES,
    SUPPLY,
    make_state,
    position_of,
)

GAME = GAMES["summer"]
MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
COPIES = 32
NUMBERS = {6: (0, 5, 1, 4, 3, 2), 5: (0, 1, 2, 3, 4)}
"""Of the colours inside the core, by how many there are and their place in the order of the game
(summer_tables.h, azul_tables.h)."""


# ------------------------------------------------------------------ the rule, word by word


def mixed(z: int) -> int:
    """Return splitmix64's output function."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def drawn(key: int, bag: Sequence[int], tower: Sequence[int]) -> Iterator[int]:
    """Yield the colours of all tiles in the order in which they are drawn.

    Every physical tile, a colour and a number within it, has a priority in each bag cycle; the
    lowest one comes first, and the tower is poured when the bag is empty.
    """
    for cycle, tiles in enumerate((bag, tower)):
        priorities = [
            (mixed(key + STEP * (1 + (6 * cycle + own_number) * COPIES + number) & MASK), colour)
            for colour, own_number in enumerate(NUMBERS[len(tiles)])
            for number in range(tiles[colour])
        ]
        yield from (colour for _, colour in sorted(priorities))


def counted(colours: Sequence[int], of: int = 6) -> Tiles:
    return tuple(colours.count(colour) for colour in range(of))


def bag_and_discards(state: Any) -> tuple[Tiles, Tiles]:
    bag, discards = state.fields()[12:14] if isinstance(state, SummerState) else (
        state.fields()[9:11])
    return bag, discards


def literal_draw(state: Any, key: int) -> tuple[Tiles, ...]:
    """Return what a state draws by a key."""
    bag, discards = bag_and_discards(state)
    order = list(drawn(key, bag, discards))
    if not state.between_rounds:
        return (counted(order[: 10 - sum(state.fields()[11])]),)
    return tuple(counted(order[4 * d : 4 * d + 4], len(bag)) for d in range(2 * state.players + 1))


def chance_states(players: int, grey: bool, seed: int, game: str = "summer") -> Iterator[Any]:
    """Yield copies of all states of a random game in which tiles are to be drawn."""
    rng = Rng(seed)
    state = STATES[game].new(players, grey, seed % players, rng)
    while not state.over:
        if state.to_move < 0:
            yield state.copy()
            state.draw(rng, tied=bool(seed % 2))
        else:
            state.apply(state.random_move(rng))


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_the_core_agrees_with_the_rule(game: str, players: int, grey: bool) -> None:
    poured = 0
    for seed in range(12):
        for number, state in enumerate(chance_states(players, grey, seed, game)):
            key = Rng(seed, number).next()
            before = state.copy()
            expected = literal_draw(state, key)
            assert state.draw(Rng(seed, number), tied=True) == expected
            before.apply_chance(expected)
            assert state.fields() == before.fields()
            poured += sum(bag_and_discards(state)[1]) == 0
    assert poured > 0 or players == 2  # two players at random seldom empty a bag


@pytest.mark.parametrize(("supply", "bag", "tower"), [
    *TOP_UPS,
    ((4, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0)),  # fewer tiles than are due
    (NO_TILES, (22, 22, 22, 22, 22, 22), NO_TILES),
    (NO_TILES, NO_TILES, (22, 0, 0, 0, 0, 22)),
])
def test_small_bags_by_the_rule(supply: Tiles, bag: Tiles, tower: Tiles) -> None:
    for seed in range(40):
        state = top_up_state(supply, bag, tower)
        expected = literal_draw(state, Rng(seed).next())
        assert state.draw(Rng(seed), tied=True) == expected
        left = sum(bag) + sum(tower) - sum(expected[0])
        assert sum(map(sum, state.fields()[12:14])) == left


def tied_draw(position: Position, *, seed: int, refill: int) -> tuple[str, Position]:
    """Return the tied draw that is due in a position, and the position after it."""
    play = Play(position)
    return draw_tied(play, seed=seed, refill=refill), play.position


def test_a_draw_takes_one_random_number() -> None:
    rng, other = Rng(5), Rng(5)
    top_up_state(*TOP_UPS[2]).draw(rng, tied=True)
    other.next()
    assert rng.next() == other.next()


def test_pinned_draws() -> None:
    """Records are checked against these draws: they must never change."""
    deal = make_state([NO_TILES] * 2, round=2, phase=DEAL, bag=(3, 2, 2, 1, 0, 0),
                      tower=(4, 4, 4, 4, 4, 4))
    assert tied_draw(position_of(deal), seed=1, refill=1)[0] == "deal:3PG,G2OY,PG2B,O2YB,2P2G"
    top_up = top_up_state((4, 0, 0, 0, 0, 0), (1, 0, 0, 0, 1, 0), (3, 1, 1, 0, 0, 3))
    assert tied_draw(position_of(top_up), seed=1, refill=1)[0] == "supply:3PGOB"
    assert tied_draw(position_of(top_up), seed=1, refill=2)[0] == "supply:3PB2R"
    azul = position_of(azul_deals.deal_state((3, 2, 2, 1, 0), (4, 4, 4, 4, 4)))
    assert tied_draw(azul, seed=1, refill=1)[0] == "deal:BY2R,2BYK,BYRK,3KW,2B2W"
    assert tied_draw(azul, seed=1, refill=9) == tied_draw(azul, seed=1, refill=1)


def test_pinned_draws_of_games_that_are_not_tied() -> None:
    """Records are checked against these too; each game of a pair has draws of its own."""
    deal = position_of(make_state([NO_TILES] * 2, round=2, phase=DEAL, bag=(22,) * 6))
    assert [Luck(1, rotation, tied=False).draw_in(Play(deal)) for rotation in range(2)] == [
        "deal:POBR,2POR,G2YR,2GOB,2POY", "deal:POYR,2P2G,GY2B,GO2R,2G2Y"]


# ------------------------------------------------------------------ legal moves of chance


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_draws_are_legal_and_lose_no_tile(game: str, players: int, grey: bool) -> None:
    phases: Counter[str] = Counter()
    for seed in range(10):
        for number, state in enumerate(chance_states(players, grey, seed, game)):
            position = position_of(state)
            before = to_json(position)
            move, after = tied_draw(position, seed=seed, refill=number)
            assert to_json(position) == before
            assert rules_of(position).apply(position, move) == after
            assert parse_position(to_json(after)).position == after  # sound: no tile is lost
            assert tied_draw(position, seed=seed, refill=number) == (move, after)
            phases[position.phase] += 1
    assert set(phases) == ({"deal", "supply"} if game == "summer" else {"deal"})


def test_only_a_chance_phase_draws() -> None:
    with pytest.raises(IllegalMoveError):
        tied_draw(GAME.new(seed=1), seed=1, refill=1)


def top_up_state(supply: Tiles, bag: Tiles, tower: Tiles, *, bag_size: int = -1) -> SummerState:
    return make_state([NO_TILES] * 2, phase=SUPPLY, supply=supply, bag=bag, tower=tower,
                      next_to_move=0, bag_size=bag_size)


def deal_state(
    bag: Tiles, tower: Tiles = NO_TILES, *, players: int = 2, round: int = 2, bag_size: int = -1
) -> SummerState:
    return make_state([NO_TILES] * players, round=round, phase=DEAL, bag=bag, tower=tower,
                      bag_size=bag_size)


def moves(position: Position, *, seeds: Sequence[int] = (1,), refills: Sequence[int] = (1,)
          ) -> set[str]:
    return {tied_draw(position, seed=s, refill=r)[0] for s in seeds for r in refills}


def test_what_a_draw_depends_on() -> None:
    """A deal on seed and round; a top-up on seed and its number in the game, not on the round."""
    bag = (9, 11, 8, 12, 10, 9)
    deal = [position_of(deal_state(bag, round=round)) for round in range(2, 7)]
    assert len(moves(deal[0], refills=range(30))) == 1
    assert len(moves(deal[0], seeds=range(30))) == 30
    assert len({tied_draw(position, seed=1, refill=1)[0] for position in deal}) == 5
    top_up = top_up_state((2, 0, 0, 0, 0, 0), bag, NO_TILES)
    assert len(moves(position_of(top_up), refills=range(1, 31))) > 25
    assert len(moves(position_of(top_up), seeds=range(30))) > 25
    earlier = make_state([NO_TILES] * 2, phase=SUPPLY, supply=(2, 0, 0, 0, 0, 0), bag=bag, round=3,
                         next_to_move=0)
    assert moves(position_of(earlier), refills=range(5)) == moves(
        position_of(top_up), refills=range(5))


def test_deal_and_top_up_do_not_share_their_luck() -> None:
    """The first tiles of the deal of round n and of top-up n are drawn by different priorities."""
    bag = (10, 10, 10, 10, 10, 10)
    same = 0
    for seed in range(300):
        deal = tied_draw(position_of(deal_state(bag)), seed=seed, refill=2)[1]
        top_up = top_up_state((6, 0, 0, 0, 0, 0), bag, NO_TILES)
        move = tied_draw(position_of(top_up), seed=seed, refill=2)[0]
        same += move == f"supply:{format_tiles(deal.displays[0], GAME.colours)}"
    assert same < 30  # by chance about one in 60


# ------------------------------------------------------------------ uniform by itself (A9)


def sample(state: SummerState, seed: int, samples: int) -> Counter[tuple[Tiles, ...]]:
    rng = Rng(seed)
    return Counter(state.copy().draw(rng, tied=True) for _ in range(samples))


@pytest.mark.parametrize(("supply", "bag", "tower"), TOP_UPS)
def test_top_ups_are_uniform(supply: Tiles, bag: Tiles, tower: Tiles) -> None:
    expected: dict[tuple[Tiles, ...], float] = {}
    for (tiles, *_), p in draws(bag, tower, 10 - sum(supply)).items():
        expected[(tiles,)] = expected.get((tiles,), 0.0) + p
    found = sample(top_up_state(supply, bag, tower), 11, 60_000)
    if len(expected) == 1:
        assert set(found) == set(expected)
    else:
        assert chi_square.agrees(found, expected)


@pytest.mark.parametrize(("bag", "tower"), DEALS)
def test_deals_are_uniform(bag: Tiles, tower: Tiles) -> None:
    found: Counter[tuple[Tiles, ...]] = Counter()
    for filled, count in sample(deal_state(bag, tower), 12, 60_000).items():
        assert [sum(tiles) for tiles in filled] == [
            min(4, max(0, sum(bag) + sum(tower) - 4 * d)) for d in range(5)]
        found[filled[:2]] += count
    assert chi_square.agrees(found, deals(bag, tower, 2))


@pytest.mark.parametrize(("bag", "lid", "bag_size"), [
    *((bag, lid, -1) for bag, lid in azul_deals.DEALS),
    *(((2, 3, 1, 2, 1), (0,) * 5, bag_size) for bag_size in (0, 3, 6, 9)),
])
def test_deals_of_base_azul_are_uniform(bag: Tiles, lid: Tiles, bag_size: int) -> None:
    state, rng = azul_deals.deal_state(bag, lid, bag_size=bag_size), Rng(12)
    found = Counter(state.copy().draw(rng, tied=True) for _ in range(50_000))
    assert chi_square.agrees(azul_deals.two_displays(found), deals(bag, lid, 2))


def test_every_display_is_uniform_over_the_seeds_of_pairs() -> None:
    """As a match draws: stream by stream of seed after seed, not number by number of one."""
    bag = (9, 4, 0, 7, 1, 3)
    state = deal_state(bag, round=4)
    found: list[Counter[Tiles]] = [Counter() for _ in range(5)]
    for seed in range(40_000):
        for display, tiles in enumerate(state.copy().draw(Rng(seed, (1 << 32) + 4), tied=True)):
            found[display][tiles] += 1
    assert all(chi_square.agrees(counts, picks(bag, 4)) for counts in found)


@pytest.mark.parametrize("bag_size", [0, 2, 6, 9])
def test_an_unknown_bag_is_uniform(bag_size: int) -> None:
    unseen = (3, 2, 2, 1, 1, 0)
    state = top_up_state((7, 0, 0, 0, 0, 0), unseen, NO_TILES, bag_size=bag_size)
    expected: dict[tuple[Tiles, ...], float] = {
        (pick,): p for pick, p in picks(unseen, 3).items()}
    assert chi_square.agrees(sample(state, 13, 40_000), expected)


def test_what_was_discarded_since_does_not_come_from_an_unknown_bag_that_has_enough() -> None:
    bag = (0, 10, 10, 10, 10)
    ended = make_azul(round=2, centre="BB", bag=bag, bag_size=30)
    ended.apply(next(move for move in ended.moves() if move[3] == 5))
    for seed in range(30):
        after = ended.copy()
        assert {display[0] for display in after.draw(Rng(seed), tied=True)} == {0}
        assert after.fields()[-3:-1] == (10, False)


@pytest.mark.parametrize("given", [False, True])
def test_what_was_discarded_since_comes_once_an_unknown_bag_is_empty(given: bool) -> None:
    """Two deals take all of the bag, whether tiles are drawn or given; the third pours the lid."""
    for seed in range(10):
        state = make_azul(round=2, centre="BB", bag=(0, 10, 10, 10, 10), bag_size=40)
        for left, blue in ((20, 0), (0, 0), (22, 2)):
            while state.to_move >= 0:
                state.apply(next(move for move in state.moves() if move[3] == 5))
            drawn = state.copy().draw(Rng(seed))
            state.apply_chance(drawn) if given else state.draw(Rng(seed))
            assert state.fields()[-3:-1] == (left, False)
            assert sum(display[0] for display in drawn) <= blue


@pytest.mark.parametrize("bag_size", [0, 2, 3, 4, 5])
def test_the_split_stays_unknown(bag_size: int) -> None:
    unseen = (1, 1, 1, 1, 1, 0)
    state = top_up_state((7, 0, 0, 0, 0, 0), unseen, NO_TILES, bag_size=bag_size)
    before = position_of(state)
    move, after = tied_draw(before, seed=1, refill=1)
    assert GAME.apply(before, move) == after
    assert {to_json(after)[key] for key in ("bag", "tower")} == {None}
    state.draw(Rng(1), tied=True)
    size, known = state.fields()[14:16]
    assert (size, known) == (bag_size - 3 if bag_size >= 3 else 2, False)


def test_rounds_and_top_ups_are_independent_of_each_other() -> None:
    """The first display of two rounds, of a round and a top-up, of two top-ups: any two colours."""
    bag = (3, 3, 3, 3, 3, 3)
    streams = [(1 << 32) + 2, (1 << 32) + 3, (1 << 33) + 1, (1 << 33) + 2]
    state = top_up_state((9, 0, 0, 0, 0, 0), bag, NO_TILES)  # one tile: its colour says it all
    found: dict[tuple[int, int], Counter[tuple[int, int]]] = {
        pair: Counter() for pair in [(0, 1), (0, 2), (2, 3), (1, 2)]}
    for seed in range(30_000):
        colours = [
            state.copy().draw(Rng(seed, stream), tied=True)[0].index(1) for stream in streams]
        for pair, counts in found.items():
            counts[colours[pair[0]], colours[pair[1]]] += 1
    expected = dict.fromkeys(product(range(6), range(6)), 1 / 36)
    assert all(chi_square.agrees(counts, expected) for counts in found.values())


def test_the_pouring_of_the_tower_is_independent_of_the_bag() -> None:
    """The last tile of the bag and the first one of the tower: any two colours."""
    bag, tower = (1, 1, 1, 0, 0, 0), (0, 0, 0, 2, 2, 2)
    found = sample(top_up_state((6, 0, 0, 0, 0, 0), bag, tower), 14, 30_000)
    thirds: dict[tuple[Tiles, ...], float] = {
        (plus(bag, counted([colour])),): 1 / 3 for colour in (3, 4, 5)}
    assert chi_square.agrees(found, thirds)
    deal = make_state([NO_TILES] * 2, round=2, phase=DEAL, bag=(1, 1, 1, 1, 1, 0),
                      tower=(0, 0, 0, 1, 1, 2))
    counts: Counter[tuple[int, tuple[Tiles, ...]]] = Counter()
    for filled, count in sample(deal, 15, 40_000).items():
        second = tuple(sorted(colour for colour in range(6) for _ in range(filled[1][colour])))
        counts[filled[0].index(0), (second,)] += count
    expected: dict[tuple[int, tuple[Tiles, ...]], float] = {}
    for last in range(5):  # the one of the bag that is not on the first display
        for pick, p in picks((0, 0, 0, 1, 1, 2), 3).items():
            tiles = [colour for colour in range(6) for _ in range(pick[colour])]
            key = (last, (tuple(sorted([last, *tiles])),))
            expected[key] = expected.get(key, 0.0) + p / 5
    assert chi_square.agrees(counts, expected)


# ------------------------------------------------------------------ and tied to each other


def differing(one: Sequence[Tiles], other: Sequence[Tiles]) -> int:
    """Return how many tiles have to be exchanged on the displays to make them alike."""
    return sum(abs(a - b) for x, y in zip(one, other, strict=True)
               for a, b in zip(x, y, strict=True)) // 2


def exchanged(bag: Tiles, gone: int, come: int) -> Tiles:
    tiles = list(bag)
    tiles[gone] -= 1
    tiles[come] += 1
    return tuple(tiles)


@pytest.mark.parametrize("players", [2, 4])
def test_bags_that_differ_by_one_tile_are_dealt_nearly_alike(players: int) -> None:
    """Tied deals differ by a tile or so in 20 (36), untied ones by more than half of them."""
    chance = random.Random(players)
    samples = 3000
    tied = untied = in_all = 0
    for seed in range(samples):
        bag = tuple(chance.randint(8, 14) for _ in range(6))
        gone, come = chance.sample(range(6), 2)
        similar = exchanged(bag, gone, come)
        found = [deal_state(tiles, players=players).draw(Rng(seed), tied=True)
                 for tiles in (bag, similar)]
        tied += differing(*found)
        in_all += differing(*([tuple(map(sum, zip(*deal, strict=True)))] for deal in found))
        # What a common stream that was used up differently comes to: numbers of its own.
        other = deal_state(similar, players=players).draw(Rng(seed, 1))
        untied += differing(found[0], other)
    tiles = 4 * (2 * players + 1)
    assert 0.1 < in_all / samples < 0.9  # all displays together: that tile or none
    assert tied / samples < 0.1 * tiles
    assert untied / samples > 0.4 * tiles
    assert tied > 0


def test_the_same_tiles_in_another_split_share_what_the_bag_has() -> None:
    """A top-up from a bag with one tile less is mostly the same top-up."""
    same = 0
    bag = (9, 11, 8, 12, 10, 9)
    for seed in range(1000):
        one = top_up_state((6, 0, 0, 0, 0, 0), bag, NO_TILES).draw(Rng(seed), tied=True)
        less = top_up_state((6, 0, 0, 0, 0, 0), exchanged(bag, seed % 6, (seed + 1) % 6),
                            NO_TILES).draw(Rng(seed), tied=True)
        assert differing(one, less) <= 1
        same += one == less
    assert same > 800


def test_a_larger_draw_from_the_same_bag_begins_with_the_smaller_one() -> None:
    bag, tower = (2, 1, 0, 1, 1, 0), (1, 2, 2, 0, 0, 3)
    for seed in range(200):
        before: Tiles = NO_TILES
        for due in range(1, 11):
            supply = (10 - due, 0, 0, 0, 0, 0)
            tiles, = top_up_state(supply, bag, tower).draw(Rng(seed), tied=True)
            assert math.dist(tiles, before) == 1
            assert all(a <= b for a, b in zip(before, tiles, strict=True))
            before = tiles
