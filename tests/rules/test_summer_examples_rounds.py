"""RULES.md part C-A, examples SP-40 to SP-58: passing, new rounds, final scoring, grey side."""

from typing import Any

import pytest

from tests.reference.summer_geometry import POSITIONS, RING, SITES

from .implementations import Position, Rules, refuses
from .summer_build import at, build, gained, hand, passes, placements, play, scores


def table(held: str, filled: str = "", **known: Any) -> Position:
    """Build a position of phase 2: what seat 0, the mover, holds and has filled."""
    return build(hands={0: held}, filled={0: filled}, **known)


# ---------------------------------------------------------------- passing


def test_sp_40_rulebook_f(rules: Rules) -> None:
    """Score 10, hand 4G+2R, keep 4G: score 8, tower +2R; in round 2 the 4G are in hand, wild."""
    start = table("4G+2R", scores={0: 10})
    after = rules.apply(start, "pass:4G")
    assert scores(after)[0] == 8
    assert after["tower"] == "2R"
    assert after["seats"][0]["kept"] == "4G"
    assert hand(after) == "-"
    assert after["seats"][0]["passed"] is True
    # With nothing else to draw, the two discarded tiles are all that round 2 has to deal.
    bare = table("4G+2R", scores={0: 10}, players=4, passed=[1, 2, 3], rest="boards")
    dealing = rules.apply(bare, "pass:4G")
    assert rules.chance(dealing) == "deal"
    assert dealing["round"] == 2
    assert hand(dealing) == "4G"
    assert dealing["seats"][0]["kept"] == "-"
    second = play(rules, dealing, "deal:2R,-,-,-,-,-,-,-,-", "D1:R")
    assert second["phase"] == "place"
    assert second["to_move"] == 0
    assert at(rules.legal_moves(second), "NE.5", "NE.6") == ["NE.5:2R3G", "NE.5:R4G", "NE.6:2R4G"]


def test_sp_41_options(rules: Rules) -> None:
    """Hand 2R+3G+1B: 5 options with `maximal`, 20 with `free`."""
    start = table("2R+3G+1B")
    expected = ["pass:3GR", "pass:2G2R", "pass:3GB", "pass:2GBR", "pass:GB2R"]
    assert passes(rules, start, "maximal") == sorted(expected)
    assert len(passes(rules, start, "free")) == 20


def test_sp_42_small_hand(rules: Rules) -> None:
    """Hand 2O: `maximal` keeps both without loss; `free` has 3 options, losing 0, 1 or 2."""
    start = table("2O")
    assert passes(rules, start, "maximal") == ["pass:2O"]
    assert passes(rules, start, "free") == ["pass:-", "pass:2O", "pass:O"]
    for move, loss in [("pass:2O", 0), ("pass:O", 1), ("pass:-", 2)]:
        assert gained(start, rules.apply(start, move)) == -loss


def test_sp_43_floor(rules: Rules) -> None:
    """Score 2, hand 3R+3Y+1B, keep 3R+1B: loss 3, score 1."""
    after = rules.apply(table("3R+3Y+1B", scores={0: 2}), "pass:B3R")
    assert scores(after)[0] == 1
    assert after["tower"] == "3Y"


def test_sp_44_round_6(rules: Rules) -> None:
    """Score 40, hand 1R+1Y+1B in round 6: one way to pass, score 37, nothing kept."""
    start = table("1R+1Y+1B", round=6, scores={0: 40})
    for keep_policy in ["free", "maximal"]:
        assert passes(rules, start, keep_policy) == ["pass:-"]
    assert refuses(rules, start, "pass:YBR")
    after = rules.apply(start, "pass:-")
    assert scores(after)[0] == 37
    assert after["seats"][0]["kept"] == "-"
    assert hand(after) == "-"
    assert after["tower"] == "YBR"


def test_sp_45_turn_order(rules: Rules) -> None:
    """3 players, seat 1 starts, seat 2 passes first: 1, 2, 0, 1, 0, 1, ...; then 1 alone."""
    position = build(
        players=3,
        start_seat=1,
        to_move=1,
        hands={0: "1G+1O+1Y", 1: "1G+1O+1Y+1B+1R", 2: "1R"},
    )
    turns = [
        (1, "SW.1:G"),
        (2, "pass:R"),
        (0, "SW.1:G"),
        (1, "NW.1:O"),
        (0, "NW.1:O"),
        (1, "SE.1:Y"),
        (0, "pass:Y"),
        (1, "E.1:B"),
        (1, "NE.1:R"),
        (1, "pass:-"),
    ]
    for mover, move in turns:
        assert position["phase"] == "place"
        assert position["to_move"] == mover
        position = rules.apply(position, move)
    assert rules.chance(position) == "deal"
    assert position["round"] == 2


# ---------------------------------------------------------------- between rounds


def test_sp_46_short_fill(rules: Rules) -> None:
    """4 players, bag 10, tower 12: displays 4,4,4,4,4,2,0,0,0; poured after the tenth tile."""
    start = table(
        "-", players=4, passed=[1, 2, 3], bag="5P+5G", tower="6O+6Y", rest="boards", token=1
    )
    dealing = rules.apply(start, "pass:-")
    assert rules.chance(dealing) == "deal"
    after = rules.apply(dealing, "deal:4P,4G,PG2O,4O,4Y,2Y,-,-,-")
    assert after["displays"] == ["4P", "4G", "PG2O", "4O", "4Y", "2Y", "-", "-", "-"]
    assert (after["bag"], after["tower"], after["bag_size"]) == ("-", "-", 0)
    assert after["phase"] == "draft"
    assert after["to_move"] == 1
    for impossible in [
        "deal:4P,3GO,P2GO,4O,4Y,2Y,-,-,-",  # O before the bag is empty
        "deal:4P,4G,G3O,P3O,4Y,2Y,-,-,-",  # the last P after the pouring
        "deal:4P,4G,PG2O,4O,2Y,4Y,-,-,-",  # display 5 is filled before display 6
        "deal:4P,4G,PG2O,4O,4Y,-,-,-,2Y",
        "deal:4P,4G,PG2O,4O,4Y,Y,-,-,-",  # two tiles are left for display 6
        "deal:4P,4G,PG2O,4O,4Y,2Y",
    ]:
        assert refuses(rules, dealing, impossible)


@pytest.mark.parametrize(("token", "starter"), [(2, 2), (None, 3)])
def test_sp_47_no_tiles_at_all(rules: Rules, token: int | None, starter: int) -> None:
    """Bag and tower empty: displays empty, phase 1 skipped, the token's last holder starts."""
    start = table(
        "2G", players=4, passed=[1, 2, 3], rest="boards", token=token, start_seat=3, round=2
    )
    assert start["bag"] == start["tower"] == "-"
    after = rules.apply(start, "pass:2G")
    assert rules.chance(after) is None
    assert after["round"] == 3
    assert after["phase"] == "place"
    assert after["displays"] == ["-"] * 9
    assert after["centre"] == "-"
    assert after["to_move"] == starter
    assert after["start_seat"] == starter
    assert after["token"] is None
    assert hand(after) == "2G"
    assert not any(seat["passed"] for seat in after["seats"])


# ---------------------------------------------------------------- final scoring


def final(rules: Rules, filled: str, board: str = "coloured") -> dict[str, int]:
    """End the game by seat 0's last pass and return its breakdown, checked against the score."""
    start = table("-", filled, board=board, round=6, passed=[1])
    after = rules.apply(start, "pass:-")
    assert after["phase"] == "over"
    assert after["to_move"] is None
    parts = rules.breakdown(after)[0]
    assert parts["play"] == 5
    assert scores(after)[0] == sum(parts.values())
    return parts


def spaces(sites: list[str], positions: list[int]) -> str:
    """List spaces for the builder, outer sites only."""
    return " ".join(f"{site}.{position}" for site in sites for position in positions)


ALL_CENTRE = "C.1:P C.2:G C.3:O C.4:Y C.5:B C.6:R"


def test_sp_48_star_and_numbers(rules: Rules) -> None:
    """Purple star, all 1s, all 2s but C.2: 20 + 4 = 24; with C.2 also 8 = 32."""
    filled = spaces(["W"], POSITIONS) + " " + spaces(RING[1:], [1, 2]) + " C.1:P"
    assert final(rules, filled) == {"play": 5, "stars": 20, "numbers": 4}
    assert final(rules, filled + " C.2:G") == {"play": 5, "stars": 20, "numbers": 4 + 8}


def test_sp_49_threes(rules: Rules) -> None:
    """All six outer 3s without C.3: nothing; with C.3: 12."""
    filled = spaces(RING, [3])
    assert final(rules, filled) == {"play": 5, "stars": 0, "numbers": 0}
    assert final(rules, filled + " C.3:O") == {"play": 5, "stars": 0, "numbers": 12}


def test_sp_50_full_board(rules: Rules) -> None:
    """Completely filled coloured board: 100 + 12 + 4 + 8 + 12 + 16 = 152."""
    filled = spaces(RING, POSITIONS) + " " + ALL_CENTRE
    parts = final(rules, filled)
    assert parts == {"play": 5, "stars": 100 + 12, "numbers": 4 + 8 + 12 + 16}
    assert parts["stars"] + parts["numbers"] == 152


def test_sp_51_tie(rules: Rules) -> None:
    """Final 88, 88, 71: seats 0 and 1 share the victory."""
    start = table("-", players=3, round=6, passed=[1, 2], scores={0: 88, 1: 88, 2: 71})
    after = rules.apply(start, "pass:-")
    assert scores(after) == [88, 88, 71]
    assert rules.winners(after) == [0, 1]


def test_sp_52_lap(rules: Rules) -> None:
    """Score 79, a placement worth 4 -> 83; passing with 5 discards -> 78."""
    start = table("4B+4G+5Y", "E.1 E.2 E.3", scores={0: 79}, passed=[1])
    placed = rules.apply(start, "E.4:4B")
    assert scores(placed)[0] == 83
    assert placed["phase"] == "place"
    assert placed["to_move"] == 0
    assert scores(rules.apply(placed, "pass:4G"))[0] == 78


# ---------------------------------------------------------------- grey side


def test_sp_53_numbers(rules: Rules) -> None:
    """W.1-W.6 cost 3, 2, 1, 4, 5, 6, the centre 3 each; statue W-NW: 3, 2, 1, 4."""
    moves = placements(rules, table("7R", board="grey"))
    costs = {1: "3R", 2: "2R", 3: "R", 4: "4R", 5: "5R", 6: "6R"}
    assert at(moves, "W") == [f"W.{position}:{paid}" for position, paid in costs.items()]
    assert at(moves, "C") == [f"C.{position}:3R" for position in POSITIONS]
    around = {"W.1": "3R", "W.2": "2R", "NW.3": "R", "NW.4": "4R"}
    for last, paid in around.items():
        others = " ".join(f"{space}:R" for space in around if space != last)
        start = table("7R", others, board="grey")
        assert at(rules.legal_moves(start), last) == [f"{last}:{paid}"]
        assert rules.apply(start, f"{last}:{paid}")["bonus_due"] == 2


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize(
    ("laid", "allowed"),
    [("R", "PGOYBR"), ("RR", "R"), ("RB", "PGOY"), ("-", "PGOYBR")],
)
def test_sp_54_type_of_a_star(rules: Rules, site: str, laid: str, allowed: str) -> None:
    """One red tile: any colour next. Two red: only red. Red and blue: only P, G, O, Y."""
    filled = " ".join(f"{site}.{n}:{c}" for n, c in zip([1, 5], laid.strip("-"), strict=False))
    moves = at(rules.legal_moves(table("4P+4G+4O+4Y+4B+4R", filled, board="grey")), site)
    colours = {move.split(":")[1].lstrip("23456")[0] for move in moves}
    assert colours == set(allowed)


def test_sp_55_centre_star(rules: Rules) -> None:
    """Round 4, hand 2Y+2B, empty board: 12 moves in the centre, 8 on each outer star, 60."""
    start = table("2Y+2B", board="grey", round=4)
    moves = placements(rules, start)
    expected = [f"C.{n}:{paid}" for n in POSITIONS for paid in ["B2Y", "2BY"]]
    assert at(moves, "C") == sorted(expected)
    assert [len(at(moves, site)) for site in RING] == [8] * 6
    assert len(moves) == 60
    assert refuses(rules, start, "C.1:3Y")


def test_sp_56_wild_tiles_do_not_extend_a_colour(rules: Rules) -> None:
    """Round 1, W.1 and W.2 red, hand 4P+2R: on W six moves, all red, none purple."""
    start = table("4P+2R", "W.1:R W.2:R", board="grey")
    expected = ["W.3:R", "W.4:R3P", "W.4:2R2P", "W.5:R4P", "W.5:2R3P", "W.6:2R4P"]
    assert at(rules.legal_moves(start), "W") == sorted(expected)
    for move in ["W.3:P", "W.4:4P"]:
        assert refuses(rules, start, move)


def test_sp_57_multicoloured(rules: Rules) -> None:
    """E.1 red, E.2 blue, hand 3P+1G: E.3 with purple or green, E.4 with 1G+3P; 3 moves."""
    start = table("3P+1G", "E.1:R E.2:B", board="grey")
    assert at(rules.legal_moves(start), "E") == ["E.3:G", "E.3:P", "E.4:G3P"]


def test_sp_58_final(rules: Rules) -> None:
    """Two red stars and a multicoloured centre: 14+14+12 = 40; 1s of all: +12; 3s of all: +4."""
    red = " ".join(f"{site}.{n}:R" for site in ["W", "NE"] for n in POSITIONS)
    filled = f"{red} {ALL_CENTRE}"
    assert final(rules, filled, "grey") == {"play": 5, "stars": 40, "numbers": 0}
    first = " ".join(f"{site}.1:B" for site in ["NW", "E", "SE", "SW"])
    with_threes = f"{filled} {first}"
    assert final(rules, with_threes, "grey") == {"play": 5, "stars": 40, "numbers": 12}
    third = " ".join(f"{site}.3:Y" for site in ["NW", "E", "SE", "SW"])
    with_ones = f"{filled} {third}"
    assert final(rules, with_ones, "grey") == {"play": 5, "stars": 40, "numbers": 4}
    both = f"{with_threes} {third}"
    assert final(rules, both, "grey") == {"play": 5, "stars": 40, "numbers": 16}
