"""RULES.md part C-A, examples SP-15 to SP-39: payment, points, features, bonus tiles, supply."""

from typing import Any

import pytest

from .implementations import Position, Rules, refuses
from .summer_build import (
    at,
    build,
    canonical,
    gained,
    hand,
    passes,
    placements,
    play,
    scores,
    tiles,
)


def table(held: str, filled: str = "", **known: Any) -> Position:
    """Build a position of phase 2: what seat 0, the mover, holds and has filled."""
    return build(hands={0: held}, filled={0: filled}, **known)


ENOUGH = "2P+2G+2O+2Y+B+R"


def star(position: Position, site: str) -> str:
    """Return a star of seat 0."""
    text: str = position["seats"][0]["stars"][site]
    return text


# ---------------------------------------------------------------- payment and placement


@pytest.mark.parametrize(("held", "filled", "move", "points", "tower", "left", "shown", "bonus"), [
    ("7B", "", "E.6:6B", 1, "5B", "B", ".....B", 0),
    ("3R", "NE.1 NE.6", "NE.3:3R", 1, "2R", "-", "R.R..R", 0),
    ("3B+3P", "E.4 E.5", "E.6:3B3P", 3, "3P2B", "-", "...BBB", 3),
    ("1O+1G+3P", "NW.3 NW.5", "NW.4:O3P", 3, "3P", "G", "..OOO.", 0),
    ("2P+2R+4G", "W.1 W.3", "W.2:2P", 3, "P", "4G2R", "PPP...", 0),
], ids=["sp_15_a", "sp_16_b", "sp_17_c", "sp_18_d", "sp_19_e"])
def test_examples_of_the_rulebook(
    rules: Rules, held: str, filled: str, move: str, points: int, tower: str, left: str,
    shown: str, bonus: int,
) -> None:
    """One payment for the space; then points, tower, hand, star, and tiles due (the window E)."""
    start = table(held, filled)
    space = move.split(":")[0]
    assert at(rules.legal_moves(start), space) == [move]
    after = rules.apply(start, move)
    assert gained(start, after) == points
    assert (after["tower"], hand(after)) == (tower, left)
    assert star(after, space.split(".")[0]) == shown
    assert after["bonus_due"] == bonus
    assert (after["phase"], after["to_move"]) == (("bonus", 0) if bonus else ("place", 1))


@pytest.mark.parametrize(("more", "bonus"), [("W.1", 0), ("W.2", 0), ("W.1 W.2", 2)])
def test_sp_18_statue(rules: Rules, more: str, bonus: int) -> None:
    """No feature unless W.1 and W.2 are also filled."""
    after = rules.apply(table("1O+1G+3P", f"NW.3 NW.5 {more}"), "NW.4:O3P")
    assert (after["phase"], after["bonus_due"]) == ("bonus" if bonus else "place", bonus)


def test_sp_20_rulebook_combining(rules: Rules) -> None:
    """Hand 1G+3P: 14 placements; never a purple tile on the green star."""
    start = table("1G+3P")
    green = ["1:G", "2:GP", "3:G2P", "4:G3P"]
    purple = ["1:P", "2:2P", "3:3P"]
    expected = [f"SW.{text}" for text in green] + [f"W.{text}" for text in purple]
    expected += [f"C.{text}" for text in green + purple]
    assert len(expected) == 14
    assert placements(rules, start) == sorted(expected)
    for move in ["SW.1:P", "SW.2:2P", "SW.3:3P"]:
        assert refuses(rules, start, move)


def test_sp_21_choice_of_payment(rules: Rules) -> None:
    """Hand 2G+3P: exactly 8 moves on the green star; space 6 is impossible."""
    expected = ["1:G", "2:GP", "2:2G", "3:G2P", "3:2GP", "4:G3P", "4:2G2P", "5:2G3P"]
    moves = at(rules.legal_moves(table("2G+3P")), "SW")
    assert moves == sorted(f"SW.{text}" for text in expected)
    assert len(moves) == 8


def test_sp_22_wild_tiles_alone(rules: Rules) -> None:
    """Hand 4P: 8 placements, W.1 to W.4 and C.1 to C.4, all with purple."""
    payments = ["1:P", "2:2P", "3:3P", "4:4P"]
    expected = [f"{site}.{text}" for site in ["W", "C"] for text in payments]
    assert placements(rules, table("4P")) == sorted(expected)


def test_sp_23_no_tile_of_the_colour(rules: Rules) -> None:
    """Hand 6P: 12 placements (W.1-W.6, C.1-C.6), none on another star."""
    payments = ["1:P", "2:2P", "3:3P", "4:4P", "5:5P", "6:6P"]
    expected = [f"{site}.{text}" for site in ["W", "C"] for text in payments]
    assert placements(rules, table("6P")) == sorted(expected)


def test_sp_24_centre_star(rules: Rules) -> None:
    """Hand 3R+1Y+1P, filled C.1 (red): 10 placements; red may not enter the centre again."""
    start = table("3R+1Y+1P", "C.1:R")
    expected = ["W.1:P", "NE.1:R", "NE.2:RP", "NE.2:2R", "NE.3:2RP", "NE.3:3R", "NE.4:3RP"]
    expected += ["SE.1:Y", "SE.2:YP", "C.2:YP"]
    assert len(expected) == 10
    assert placements(rules, start) == sorted(expected)
    for move in ["C.2:2R", "C.3:3R", "C.2:RP"]:
        assert refuses(rules, start, move)


def test_sp_25_full_enumeration(rules: Rules) -> None:
    """Hand 2P+3R+1B: 28 placements (red star 9, blue 3, purple 2, centre 14); 5 keeps."""
    start = table("2P+3R+1B")
    moves = placements(rules, start)
    red = [move.split(":")[0] for move in at(moves, "NE")]
    assert [red.count(f"NE.{number}") for number in range(1, 7)] == [1, 2, 3, 2, 1, 0]
    assert len(at(moves, "E")) == 3
    assert len(at(moves, "W")) == 2
    colours = [move.split(":")[1].lstrip("23456")[0] for move in at(moves, "C")]
    assert [colours.count(colour) for colour in "RBP"] == [9, 3, 2]
    assert len(moves) == 28
    assert len(passes(rules, start, "maximal")) == 5


def test_sp_26_kept_tiles_turn_wild(rules: Rules) -> None:
    """Round 2, hand 1R+4G: red 1-5 each with one payment (1R and 0-4 G), red 6 impossible."""
    start = table("1R+4G", round=2)
    expected = ["NE.1:R", "NE.2:RG", "NE.3:R2G", "NE.4:R3G", "NE.5:R4G"]
    assert at(rules.legal_moves(start), "NE") == expected


# ---------------------------------------------------------------- points

CHAINS = [
    ([1, 2, 5, 6], 3, 5),
    ([1, 6], 5, 3),
    ([1, 2, 3, 4, 5], 6, 6),
    ([2, 5], 1, 2),
    ([1, 3, 5], 2, 3),
    ([1, 2, 4, 5], 3, 5),
    ([1, 6], 3, 1),
    ([], 4, 1),
]


@pytest.mark.parametrize("site", ["W", "NW", "NE", "E", "SE", "SW", "C"])
@pytest.mark.parametrize(("before", "new", "points"), CHAINS)
def test_sp_27_chains(rules: Rules, site: str, before: list[int], new: int, points: int) -> None:
    """One star, occupied before + new position -> size of the whole chain."""
    colours = {"W": "P", "NW": "O", "NE": "R", "E": "B", "SE": "Y", "SW": "G", "C": "R"}
    others = iter("PGOYB")
    filled = [f"{site}.{n}" + (f":{next(others)}" if site == "C" else "") for n in before]
    paid = canonical(f"{new}{colours[site]}")
    start = table(paid, " ".join(filled))
    assert gained(start, rules.apply(start, f"{site}.{new}:{paid}")) == points


def test_sp_28_no_cross_star_adjacency(rules: Rules) -> None:
    """Filled NE.3 NE.4, orange star empty: NW.1 scores 1."""
    start = table("O", "NE.3 NE.4")
    assert gained(start, rules.apply(start, "NW.1:O")) == 1


# ---------------------------------------------------------------- features and bonus tiles


def due(rules: Rules, start: Position, move: str) -> tuple[int, int]:
    """Play a placement of seat 0 that releases tiles; return its points and the tiles due."""
    after = rules.apply(start, move)
    assert after["phase"] == "bonus"
    assert after["to_move"] == 0
    assert all(choice.startswith("bonus:") for choice in rules.legal_moves(after))
    return gained(start, after), after["bonus_due"]


@pytest.mark.parametrize(("held", "filled", "move", "points", "bonus"), [
    ("G", "NW.2 NW.3 C.6:R", "C.1:G", 2, "P"),
    ("G", "NW.2 NW.3 C.6:R NE.2 NE.3 C.2:B", "C.1:G", 3, "2P"),
    ("2O", "NW.1 NW.3 NE.3 NE.4 C.6:R C.1:G", "NW.2:2O", 3, "PGO"),
    ("3P", "SW.1 SW.2 W.4", "W.3:3P", 2, "2P"),
    ("4O", "NW.2 NW.3 C.6:R C.1:G W.1 W.2", "NW.4:4O", 3, "GY"),
], ids=["sp_29_pillar", "sp_30_two_pillars", "sp_31_statue_and_pillar",
        "sp_32_statue_across_the_seam", "sp_34_no_double_pay"])
def test_features(
    rules: Rules, held: str, filled: str, move: str, points: int, bonus: str
) -> None:
    """All tiles of a placement are due at once, in one choice; no feature pays twice."""
    start = table(held, filled, supply=ENOUGH)
    assert due(rules, start, move) == (points, len(tiles(bonus)))
    after = play(rules, start, move, f"bonus:{bonus}")
    assert after["phase"] == "supply"
    assert hand(after) == bonus


def test_sp_33_window(rules: Rules) -> None:
    """Filled W.6, W.5 (5P): 2 points, window W, 3 tiles; all three may be wild."""
    start = table("5P", "W.6", supply="4P+2G+2O+2R")
    assert due(rules, start, "W.5:5P") == (2, 3)
    bonus = rules.apply(start, "W.5:5P")
    assert "bonus:3P" in rules.legal_moves(bonus)
    assert hand(rules.apply(bonus, "bonus:3P")) == "3P"


@pytest.mark.parametrize(
    ("supply", "choices"), [("2P+2G+2O+2Y+1B+1R", [6, 19, 40]), ("9P+1G", [2, 2, 2])]
)
def test_sp_35_number_of_choices(rules: Rules, supply: str, choices: list[int]) -> None:
    """Distinct choices for 1 / 2 / 3 tiles: 6 / 19 / 40 at most; with 9P+1G 2 / 2 / 2."""
    counts = []
    for number in [1, 2, 3]:
        start = table("O", phase="bonus", bonus_due=number, supply=supply)
        moves = rules.legal_moves(start)
        assert len(set(moves)) == len(moves)
        counts.append(len(moves))
    assert counts == choices


def test_sp_36_supply_too_small(rules: Rules) -> None:
    """Supply 1R+1Y, bag and tower empty, window W by 5P: 2 of 3 tiles, then supply 4P."""
    start = table("5P", "W.6", supply="1R+1Y", rest="hand")
    assert start["bag"] == start["tower"] == "-"
    bonus = rules.apply(start, "W.5:5P")
    assert gained(start, bonus) == 2
    assert bonus["phase"] == "bonus"
    assert bonus["bonus_due"] == 2
    assert bonus["tower"] == "4P"
    assert rules.legal_moves(bonus) == ["bonus:YR"]
    top_up = rules.apply(bonus, "bonus:YR")
    assert hand(top_up) == "YR"
    assert rules.chance(top_up) == "supply"
    assert top_up["next_to_move"] == 1
    after = rules.apply(top_up, "supply:4P")
    assert (after["supply"], after["bag"], after["tower"]) == ("4P", "-", "-")
    assert after["phase"] == "place"
    assert after["to_move"] == 1


def test_sp_37_refill_while_topping_up(rules: Rules) -> None:
    """Supply 7, bag 1R, tower 4B+2G: R, then two of the poured six; supply 10, bag 4, tower 0."""
    start = table("-", supply="2P+2G+3Y", bag="1R", tower="4B+2G", rest="hand")
    top_up = rules.apply(start, "pass:-")
    assert rules.chance(top_up) == "supply"
    for drawn, bag in [("2BR", "2G2B"), ("GBR", "G3B"), ("2GR", "4B")]:
        after = rules.apply(top_up, f"supply:{drawn}")
        assert after["bag"] == bag
        assert after["bag_size"] == 4
        assert after["tower"] == "-"
        assert canonical(after["supply"]) == canonical("2P+2G+3Y" + drawn)
    for drawn in ["3B", "2GB", "R", "BR", "G2BR", "PBR"]:
        assert refuses(rules, top_up, f"supply:{drawn}")


def test_sp_38_refill_on_demand(rules: Rules) -> None:
    """Supply 7, bag 1B+1G+1Y, tower 5O: the three bag tiles; the tower still holds 5O."""
    start = table("-", supply="2P+2G+3Y", bag="1B+1G+1Y", tower="5O", rest="hand")
    top_up = rules.apply(start, "pass:-")
    after = rules.apply(top_up, "supply:GYB")
    assert after["supply"] == "2P3G4YB"
    assert after["bag"] == "-"
    assert after["bag_size"] == 0
    assert after["tower"] == "5O"
    assert refuses(rules, top_up, "supply:GYO")


def test_sp_39_top_up_after_a_pass(rules: Rules) -> None:
    """Supply 8, bag and tower empty; score 20, hand 3B+3Y+1O, keep 3B+1O: 17, supply 10, bag 1Y."""
    start = table("3B+3Y+1O", supply="4P+4G", rest="hand", scores={0: 20})
    assert start["bag"] == start["tower"] == "-"
    top_up = rules.apply(start, "pass:O3B")
    assert scores(top_up)[0] == 17
    assert top_up["tower"] == "3Y"
    assert top_up["seats"][0]["kept"] == "O3B"
    assert rules.chance(top_up) == "supply"
    after = rules.apply(top_up, "supply:2Y")
    assert after["supply"] == "4P4G2Y"
    assert (after["bag"], after["tower"]) == ("Y", "-")
