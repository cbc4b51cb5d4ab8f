"""RULES.md part C-B, the examples of rounds and the end: AZ-12 to AZ-15, AZ-19, AZ-24, AZ-25."""

from typing import Any

from tests.reference import azul as oracle

from .azul_build import build, floor, lid, line, scores, tiled
from .implementations import Position, Rules, refuses

PLAYED = "azul"

ROW_1 = "1.1 1.2 1.3 1.4 1.5 "
ROW_2 = "2.1 2.2 2.3 2.4 2.5 "


def test_az_12_end_trigger(rules: Rules) -> None:
    """Seat 0 completes row 2; the others finish phase B; no phase C; final bonuses follow."""
    known: dict[str, Any] = {
        "players": 3,
        "filled": {0: "2.1 2.2 2.3 2.4", 2: "1.1"},
        "lines": {0: {2: "2K"}, 2: {1: "Y", 3: "2W"}},
        "floors": {2: "BB"},
        "scores": {0: 10, 2: 10},
        "start_seat": 1,
    }
    after = tiled(rules, **known)
    assert after["phase"] == "over"
    assert after["to_move"] is None
    assert after["round"] == 2
    assert after["start_seat"] == 1
    assert rules.legal_moves(after) == []
    assert rules.chance(after) is None
    assert rules.breakdown(after)[0] == {"play": 15, "rows": 2, "columns": 0, "colours": 0}
    assert scores(after) == [17, 0, 10 + 2 - 2]
    assert line(after, 3, seat=2) == "2W"
    assert floor(after, seat=2) == "-"
    assert rules.winners(after) == [0]


def over(**known: Any) -> Position:
    """Build a finished game."""
    return build(round=5, phase="over", to_move=None, **known)


def test_az_13_bonuses(rules: Rules) -> None:
    """Row 1, column 1 and all five blues, 13 tiles: 2 + 7 + 10 = 19."""
    filled = ROW_1 + "2.1 3.1 4.1 5.1 2.2 3.3 4.4 5.5"
    after = over(filled={0: filled}, scores={0: 40})
    assert sum(row.count(".") for row in after["seats"][0]["wall"]) == 25 - 13
    assert rules.breakdown(after)[0] == {"play": 21, "rows": 2, "columns": 7, "colours": 10}


def test_az_13_full_wall(rules: Rules) -> None:
    """5*2 + 5*7 + 5*10 = 95, also when the last five tiles are laid one after the other."""
    spaces = [f"{row}.{column}" for row in range(1, 6) for column in range(1, 6)]
    parts = {"rows": 10, "columns": 35, "colours": 50}
    after = over(filled={0: " ".join(spaces)}, scores={0: 100})
    assert rules.breakdown(after)[0] == {"play": 5, **parts}

    others = " ".join(space for space in spaces if space[0] != space[2])  # all but the blues
    blue = {row: f"{row}B" for row in range(1, 6)}
    after = tiled(rules, filled={0: others}, lines={0: blue})
    assert after["phase"] == "over"
    assert rules.breakdown(after)[0] == {"play": 5 * 10, **parts}
    assert scores(after)[0] == 50 + 95


def test_az_14_tie(rules: Rules) -> None:
    """61 points each: two complete rows beat one; with two each the victory is shared."""
    both = {0: 61, 1: 61}
    after = over(filled={0: ROW_1 + ROW_2, 1: ROW_1}, scores=both)
    assert rules.winners(after) == [0]
    after = over(filled={0: ROW_1, 1: ROW_1 + ROW_2}, scores=both)
    assert rules.winners(after) == [1]
    after = over(filled={0: ROW_1 + ROW_2, 1: ROW_1 + ROW_2}, scores=both)
    assert rules.winners(after) == [0, 1]
    after = over(filled={0: ROW_1 + ROW_2, 1: ROW_1}, scores={0: 61, 1: 62})
    assert rules.winners(after) == [1]


def test_az_15_refill(rules: Rules) -> None:
    """Bag 3B, lid 40: display 1 gets 3B and one more; all displays full, bag 23, lid 0."""
    start = build(phase="deal", to_move=None, bag="3B", crowd=57, rest="lid")
    assert len(lid(start)) == 40
    deal = "deal:3BY,4Y,4R,4R,4W"
    after = rules.apply(start, deal)
    assert after["displays"] == ["3BY", "4Y", "4R", "4R", "4W"]
    assert after["bag_size"] == 23
    assert after["lid"] == "-"
    assert refuses(rules, start, "deal:2B2Y,B3Y,4R,4R,4W")  # the bag comes first
    assert refuses(rules, start, "deal:4Y,3BY,4R,4R,4W")


def test_az_19_short_deal(rules: Rules) -> None:
    """Bag empty, lid 6R: displays 4, 2, 0, ...; with 4 players, as 2 boards hold no 94 tiles."""
    start = build(players=4, phase="deal", to_move=None, lid="6R", crowd=94, rest="lid")
    assert start["lid"] == "6R"
    after = rules.apply(start, "deal:4R,2R,-,-,-,-,-,-,-")
    assert after["phase"] == "draft"
    assert after["to_move"] == after["start_seat"]
    assert after["bag_size"] == 0
    assert after["lid"] == "-"
    assert refuses(rules, start, "deal:3R,3R,-,-,-,-,-,-,-")
    assert refuses(rules, start, "deal:4R,-,2R,-,-,-,-,-,-")
    assert refuses(rules, start, "deal:4R,2R,-,-,-")


def test_az_19_two_players() -> None:
    """The example itself, which only the oracle can hold: it does not count the tiles."""
    start = {**build(phase="deal", to_move=None), "bag": "-", "lid": "6R", "bag_size": 0}
    after = oracle.apply(start, "deal:4R,2R,-,-,-")
    assert after["displays"] == ["4R", "2R", "-", "-", "-"]


def test_az_24_no_tiles(rules: Rules) -> None:
    """Bag and lid empty at the start of a round: the game ends, final bonuses."""
    known: dict[str, Any] = {
        "players": 4,
        "round": 7,
        "displays": ["R"],
        "to_move": 3,
        "start_seat": 2,
        "token": 1,
        "lines": {3: {5: "R"}},
        "floors": {1: "*"},
        "scores": {0: 9, 1: 9},
        "crowd": 98,
    }
    start = build(**known)
    assert start["bag"] == start["lid"] == "-"
    after = rules.apply(start, "D1:R>5")
    assert after["phase"] == "over"
    assert rules.chance(after) is None
    assert after["round"] == 7
    assert after["start_seat"] == 2
    assert after["token"] == 1
    assert line(after, 5, seat=3)[-1] == "R"
    parts = rules.breakdown(after)
    assert all(part["rows"] == 0 for part in parts)
    assert [sum(part.values()) for part in parts] == scores(after)
    bonuses = [part["columns"] + part["colours"] for part in parts]
    assert scores(after) == [9 + bonuses[0], 8 + bonuses[1], bonuses[2], bonuses[3]]

    after = rules.apply(start, "D1:R>F")  # one tile in the lid: the game goes on
    assert rules.chance(after) == "deal"
    assert after["round"] == 8


def test_az_25_bag_exactly_empty(rules: Rules) -> None:
    """The deal takes all of the bag, the lid keeps its 12; with 3 players and a bag of 28."""
    start = build(
        players=3,
        round=5,
        phase="deal",
        to_move=None,
        bag="6B6Y6R5K5W",
        crowd=60,
        rest="lid",
    )
    empty_the_bag(rules, start, "deal:4B,4Y,4R,4K,4W,2B2Y,2RKW")


def test_az_25_two_players() -> None:
    """The example itself, which only the oracle can hold: two boards hold no 68 tiles."""
    start = {
        **build(round=5, phase="deal", to_move=None, crowd=60),
        "bag": "4B4Y4R4K4W",
        "lid": "3B3Y3R3K",
        "bag_size": 20,
    }
    empty_the_bag(oracle, start, "deal:4B,4Y,4R,4K,4W")


def empty_the_bag(rules: Rules, start: Position, deal: str) -> None:
    """Deal the whole bag, put all of it on the floor lines, and deal again."""
    assert len(lid(start)) == 12
    after = rules.apply(start, deal)
    assert after["bag"] == "-"
    assert after["lid"] == start["lid"]
    while after["phase"] == "draft":
        floors = [move for move in rules.legal_moves(after) if move.endswith(">F")]
        after = rules.apply(after, floors[0])
    assert rules.chance(after) == "deal"
    assert after["round"] == 6
    assert after["bag"] == "-"
    assert len(lid(after)) == 12 + start["bag_size"]
    after = rules.apply(after, deal)
    assert after["bag_size"] == 12
    assert after["lid"] == "-"


def test_guard(rules: Rules) -> None:
    """B9, max_rounds: the game ends with phase B of round 50."""
    after = tiled(rules, round=50, lines={0: {1: "B"}}, start_seat=1)
    assert after["phase"] == "over"
    assert (after["round"], after["start_seat"], after["token"]) == (50, 1, None)
    assert scores(after) == [1, 0]
    assert rules.winners(after) == [0]
    assert rules.chance(tiled(rules, round=49, lines={0: {1: "B"}})) == "deal"
