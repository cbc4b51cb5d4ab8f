"""The inputs of Summer Pavilion's networks: their groups, rotated seats, and a literal second
count; and the features of moves that only networks weigh."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pavilion_ai._core import LINEAR_SIZES, POLICY_SIZES, Rng, SummerState, input_groups
from tests.network.inputs import by_group, kind, made_up, played, tiled, turned
from tests.reference.summer_geometry import CENTRE, FEATURES, SITES, STAR_COLOUR, printed_number
from tests.rules.lockstep import scaled
from tests.rules.summer_made_up import made_up_ending, made_up_position

DRAFT, PLACE, BONUS, DEAL, SUPPLY, OVER = range(6)
SEATS = (4, 5, 6, 8)
"""Fields of a state that hold a seat: to move, start, token, next to move."""
MAX_ACTIVE = 704
WILD_ORDER = "PGOYBR"

COUNTS = {"display", "space", "slot", "feature", "colours", "kind"}
"""Groups of which several inputs may be active; of all others exactly one, or by `SOMETIMES`."""
DRAFTING = {"displays", "centre", "table", "choices"}
"""Groups that are told while tiles are drafted."""

Tiles = tuple[int, ...]


def between_rounds(players: int, grey: bool, seed: int, rounds: int) -> SummerState:
    """Play to the end of a round."""
    rng = Rng(seed)
    state = SummerState.new(players, grey, seed % players, rng)
    while state.phase != DEAL or state.round <= rounds:
        if state.to_move < 0:
            state.draw(rng)
        else:
            state.apply(state.random_move(rng))
    return state


positions = some.one_of(
    some.builds(partial(played, SummerState), some.integers(2, 4), some.booleans(),
                some.integers(0, 999), some.integers(0, 260), some.booleans()),
    some.builds(between_rounds, some.integers(2, 4), some.booleans(), some.integers(0, 999),
                some.integers(1, 5)),
    some.builds(partial(made_up, "summer"), some.integers(0, 9999),
                some.sampled_from([made_up_position, made_up_ending])),
)


# ------------------------------------------------------------------------------- the groups


@pytest.mark.parametrize("players", [2, 3, 4])
def test_groups_tile_the_inputs(players: int) -> None:
    groups = input_groups(SummerState, players)
    assert tiled(groups) < {2: 1600, 3: 2200, 4: 2800}[players]
    assert {kind(name) for name, _, _, ordinal in groups if not ordinal} == COUNTS | {
        "phase", "token", "starter", "passed"}


@settings(max_examples=scaled(300))
@given(positions)
def test_one_hot(state: SummerState) -> None:
    inputs = state.inputs()
    assert 0 < len(inputs) <= MAX_ACTIVE
    grey = state.fields()[1]
    for name, active in by_group(state).items():
        if kind(name) in DRAFTING:
            assert active.total() == (state.phase == DRAFT), name
        elif kind(name) == "payable":
            assert active.total() == (not grey), name
        elif kind(name) not in COUNTS:
            assert active.total() == 1, name
        elif kind(name) != "display":
            assert all(times == 1 for times in active.values()), name


@settings(max_examples=scaled(200))
@given(positions, some.integers(1, 3))
def test_rotated_seats_make_no_difference(state: SummerState, by: int) -> None:
    other = turned(state, by, SEATS)
    assert other.inputs() == state.inputs()


def full_boards(grey: bool, spaces: int, drafting: bool) -> SummerState:
    """Four boards with so many spaces filled together, one after the other."""
    seats = []
    for _ in range(4):
        filled = min(spaces, 42)
        spaces -= filled
        stars = [0 if space >= filled else
                 1 + space % 6 if grey or space >= 36 else
                 1 + WILD_ORDER.index(STAR_COLOUR[SITES[space // 6]]) for space in range(42)]
        seats.append((50, (0,) * 6, (0,) * 6, False, stars))
    display = (1, 1, 1, 1, 0, 0) if drafting else (0,) * 6
    return SummerState(4, grey, 6, DRAFT if drafting else PLACE, 0, 0, -1, 0, -1, [display] * 9,
                       (5 * drafting,) * 6, (0,) * 6, (0,) * 6, (0,) * 6, 0, True, seats)


@pytest.mark.parametrize("grey", [False, True])
def test_room_is_enough(grey: bool) -> None:
    """Also for boards that hold more tiles than there are; all others need less than 512."""
    assert 580 < len(full_boards(grey, 168, True).inputs()) <= MAX_ACTIVE
    state = full_boards(grey, 132, False)
    assert 470 < len(state.inputs()) < 512
    found = by_group(state)
    slots = sum(found[f"seat{seat}.slot"].total() for seat in range(4))
    colours = sum(found[f"seat{seat}.colours"].total() for seat in range(4))
    assert (slots, colours) == ((0, 132) if grey else (114, 18))


def test_an_unknown_bag_counts_in_proportion() -> None:
    """Of 60 unseen tiles 30 are in the bag: half of each colour, rounded."""
    hand = ((3,) + (0,) * 5, (0,) * 6, False, (0,) * 42)
    state = SummerState(2, False, 1, PLACE, 0, 0, 0, 0, -1, [(0,) * 6] * 5, (0,) * 6,
                        (2, 2, 2, 2, 2, 0), (0, 20, 20, 9, 7, 4), (0,) * 6, 30, False,
                        [(5, *hand)] * 2)
    found = by_group(state)
    assert [list(found[f"bag.{slot}"]) for slot in range(6)] == [[0], [5], [5], [2], [2], [1]]
    assert list(found["bag_size"]) == [3]


# ---------------------------------------------------------------------- counted a second time


class View:
    """What is known of a position, under the names of the rules."""

    def __init__(self, state: SummerState) -> None:
        (self.players, self.grey, self.round, self.phase, to_move, self.start, self.token, self.due,
         following, self.displays, self.centre, self.supply, self.bag, _, _, _,
         self.seats) = state.fields()
        self.mover = self.start
        if self.phase in (DRAFT, PLACE, BONUS):
            self.mover = to_move
        elif self.phase == SUPPLY and following >= 0:
            self.mover = following
        self.wild = self.round - 1

    def slot(self, colour: int) -> int:
        """In how many rounds the colour is wild, those past counted on from the last round."""
        return (colour - self.wild) % 6

    def relative(self, seat: int) -> int:
        return (seat - self.mover) % self.players

    def drafts(self, tiles: Tiles) -> list[int]:
        """The colours that may be drafted from a source (A6.1)."""
        own = [colour for colour, n in enumerate(tiles) if n and colour != self.wild]
        return own or ([self.wild] if tiles[self.wild] else [])

    def number(self, space: int) -> int:
        return printed_number("grey" if self.grey else "coloured",
                              (SITES[space // 6], space % 6 + 1))


def site_number(colour: int) -> int:
    """The number of the outer star that has a colour on the coloured side."""
    return [STAR_COLOUR[site] for site in SITES[:6]].index(WILD_ORDER[colour])


def expected_table(view: View) -> dict[str, list[int]]:
    """The numbers within their groups of what is shared."""
    phase = {DRAFT: 0, PLACE: 1, BONUS: 2, DEAL: 3, SUPPLY: 1}[view.phase]
    found = {
        "phase": [4 * (view.round - 1) + phase],
        "token": [0 if view.token < 0 else 1 + view.relative(view.token)],
        "starter": [view.relative(view.start)],
        "due": [view.due],
        "bag_size": [min(16, sum(view.bag) // 8)],
        "display": [],
        "displays": [],
        "choices": [],
    }
    for colour in range(6):
        slot = view.slot(colour)
        found[f"supply.{slot}"] = [min(6, view.supply[colour])]
        found[f"bag.{slot}"] = [min(11, view.bag[colour] // 2)]
        found[f"centre.{slot}"], found[f"table.{slot}"] = [], []
        if view.phase == DRAFT:
            found[f"centre.{slot}"] = [min(9, view.centre[colour])]
            found[f"table.{slot}"] = [
                min(14, sum(tiles[colour] for tiles in [*view.displays, view.centre]))]
    if view.phase == DRAFT:
        found["display"] = [
            8 * view.slot(colour) + 2 * (tiles[colour] - 1) + (tiles[view.wild] > 0)
            for tiles in view.displays for colour in view.drafts(tiles)]
        found["displays"] = [sum(map(any, view.displays))]
        found["choices"] = [
            min(20, sum(len(view.drafts(tiles)) for tiles in [*view.displays, view.centre]))]
    return found


def expected_seat(view: View, index: int) -> dict[str, list[int]]:
    """The same of a seat."""
    score, hand, kept, passed, stars = view.seats[index]
    held = [a + b for a, b in zip(hand, kept, strict=True)]
    filled = [space for space in range(42) if stars[space]]
    in_star = [sum(space // 6 == site for space in filled) for site in range(7)]
    colours = [{stars[space] - 1 for space in filled if space // 6 == site} for site in range(7)]
    lead = max(-60, min(60, score - view.seats[view.mover][0]))
    own_slot = [view.slot(WILD_ORDER.index(STAR_COLOUR[site])) for site in SITES[:6]]
    found: dict[str, list[int]] = {
        "space": [8 * (space % 6) + space // 6 for space in filled],
        "slot": [6 * own_slot[space // 6] + space % 6 for space in filled
                 if space < 36 and not view.grey],
        "feature": [],
        "tiles": [min(20, sum(held))],
        "passed": [int(passed)],
        "lead": [(lead + 62) // 4],
        "score": [min(12, score)],
        "colours": [6 * site + view.slot(colour) for site in range(7)
                    for colour in colours[site] if view.grey or SITES[site] == CENTRE],
        "kind": [],
    }
    for site in range(7):
        found[f"star.{site if view.grey or site == 6 else own_slot[site]}"] = [in_star[site]]
        if view.grey:
            found["kind"].append(4 * site + (
                in_star[site] if in_star[site] < 2 else 2 if len(colours[site]) == 1 else 3))
    for i, (name, spaces) in enumerate(FEATURES.items()):
        missing = sum(not stars[6 * SITES.index(site) + position - 1] for site, position in spaces)
        if missing < (2 if name.startswith("window") else 3):
            found["feature"].append(3 * i + missing)
    for number in range(1, 5):
        count = sum(view.number(space) == number for space in filled)
        found[f"number.{number - 1}"] = [
            (count + 1) // 2 if view.grey and number == 3 else count]
    for colour in range(6):
        found[f"hand.{view.slot(colour)}"] = [min(12, held[colour])]
        found[f"colour.{site_number(colour)}"] = [min(6, held[colour])]
        found[f"payable.{view.slot(colour)}"] = [] if view.grey else [
            max([view.number(space) for space in range(36)
                 if space // 6 == site_number(colour) and not stars[space] and held[colour]
                 and held[colour] + (held[view.wild] if colour != view.wild else 0)
                 >= view.number(space)], default=0)]
    return found


@settings(max_examples=scaled(500))
@given(positions)
def test_counted_literally(state: SummerState) -> None:
    view = View(state)
    expected = expected_table(view)
    for r in range(view.players):
        for name, numbers in expected_seat(view, (view.mover + r) % view.players).items():
            expected[f"seat{r}.{name}"] = numbers
    found = by_group(state)
    for name, numbers in expected.items():
        assert found[name] == Counter(numbers), name
    assert found.keys() == expected.keys()


# ------------------------------------------------------------------------ features of moves

W_COUNT = LINEAR_SIZES[SummerState]
W_WILD = W_COUNT + 6 * 8
W_PUSH = W_WILD + 6 * 2
W_CENTRE = W_PUSH + 6 * 3
W_SPACE = W_CENTRE + 6 * 2
W_COST = W_SPACE + 48
W_PAID = W_COST + 2 * 6 * 6
W_BONUS = W_PAID + 6 * 6
W_KEEP = W_BONUS + 6 * 7
W_PASS = W_KEEP + 6 * 4


def wide_draft(view: View, source: int, colour: int) -> list[int]:
    """What is added for a draft."""
    tiles = view.centre if source == 9 else view.displays[source]
    slot, wild = view.slot(colour), int(tiles[view.wild] > 0)
    own = 0 if colour == view.wild else tiles[colour]
    wanted = [W_COUNT + 8 * slot + min(7, own), W_WILD + 2 * slot + wild]
    if source == 9:
        return [*wanted, W_CENTRE + 2 * slot + (view.token < 0)]
    left = [0 if c == colour else n for c, n in enumerate(tiles)]
    left[view.wild] = tiles[view.wild] - wild
    return wanted + [W_PUSH + 3 * view.slot(c) + min(3, n) - 1 for c, n in enumerate(left) if n]


def wide_features(view: View, move: tuple[int, ...]) -> list[int]:
    """What is added to the features of a move."""
    what, *numbers = move
    hand = view.seats[view.mover][1]
    if what == 0:
        return wide_draft(view, *numbers)
    if what == 1:
        space, colour, own = numbers
        slot, cost = view.slot(colour), view.number(space)
        return [W_SPACE + 8 * (space % 6) + space // 6,
                W_COST + 36 * (space >= 36) + 6 * slot + cost - 1,
                W_PAID + 6 * slot + cost - own]
    if what == 2:
        return [W_BONUS + 7 * view.slot(colour) + min(7, hand[colour] + i) - 1
                for colour, n in enumerate(numbers) for i in range(1, n + 1)]
    return [W_PASS, *(W_KEEP + 4 * view.slot(colour) + i
                      for colour, n in enumerate(numbers) for i in range(n))]


@settings(max_examples=scaled(150))
@given(positions)
def test_wide_features_of_moves(state: SummerState) -> None:
    """They come on top of the others, and say what the move does."""
    assert POLICY_SIZES[SummerState] == W_PASS + 1
    view, moves = View(state), state.moves()
    for move in moves[:: 1 + len(moves) // 150]:
        features = Counter(state.policy_features(move, wide=True))
        narrow = Counter(state.policy_features(move))
        assert all(0 <= number < W_COUNT for number in narrow)
        wanted = wide_features(view, move)
        assert features - narrow == Counter(wanted)
        assert features.total() == narrow.total() + len(wanted)
