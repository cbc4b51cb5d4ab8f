"""RULES.md part C-B, the examples of wall-tiling: AZ-1, AZ-8 to AZ-11, AZ-20 to AZ-22."""

from typing import Any

import pytest

from .azul_build import build, floor, lid, line, of, play, scores, tiled, wall_row
from .implementations import Rules, refuses

PLAYED = "azul"


def test_az_01_wall(rules: Rules) -> None:
    """Red in row 4 is column 1, white in row 3 is column 2, blue in row 5 is column 5."""
    after = tiled(rules, lines={0: {3: "3W", 4: "4R", 5: "5B"}})
    assert wall_row(after, 3) == ".W..."
    assert wall_row(after, 4) == "R...."
    assert wall_row(after, 5) == "....B"


POINTS = [
    ("", 1),
    ("3.1 3.2", 3),
    ("2.3", 2),
    ("3.1 3.2 2.3", 5),
    ("3.1", 1),
    ("3.1 3.2 3.4 3.5 1.3 2.3 4.3 5.3", 10),
    ("2.2 4.4", 1),
]


@pytest.mark.parametrize(("filled", "points"), POINTS)
def test_az_08_points_on_the_coloured_wall(rules: Rules, filled: str, points: int) -> None:
    """New tile at row 3, column 3, which is blue."""
    after = tiled(rules, filled={0: filled}, lines={0: {3: "3B"}}, scores={0: 20})
    assert wall_row(after, 3)[2] == "B"
    won = rules.breakdown(after)[0]["play"] if points == 10 else scores(after)[0]
    assert won == 20 + points


@pytest.mark.parametrize(("filled", "points"), POINTS)
def test_az_08_points_on_the_grey_wall(rules: Rules, filled: str, points: int) -> None:
    """The same tiles on the grey side, where column 3 is chosen."""
    start = tiled(rules, board="grey", filled={0: filled}, lines={0: {3: "3B"}}, scores={0: 20})
    after = rules.apply(start, "wall:3>3")
    assert wall_row(after, 3)[2] == "B"
    won = rules.breakdown(after)[0]["play"] if points == 10 else scores(after)[0]
    assert won == 20 + points


AZ_09: dict[str, Any] = {
    "lines": {0: {1: "B", 2: "2W", 3: "2B"}}, "filled": {0: "3.1"}, "floors": {0: "*YY"},
    "token": 0}


def test_az_09_a_whole_phase_b(rules: Rules) -> None:
    """Blue 1 point, white 3 points, floor -4: score 0; line 3 stays; lid gets 1W and 2Y."""
    after = tiled(rules, **AZ_09)
    assert wall_row(after, 1) == "B...."
    assert wall_row(after, 2) == "W...."
    assert line(after, 1) == line(after, 2) == "-"
    assert line(after, 3) == "2B"
    assert scores(after) == [0, 0]
    assert after["lid"] == "2YW"
    assert floor(after) == "-"
    assert after["start_seat"] == 0


def test_az_09_points_before_the_floor(rules: Rules) -> None:
    """The 4 points of AZ-9 are added first: from score 1 on, something is left (B5)."""
    after = tiled(rules, **AZ_09, scores={0: 1})
    assert scores(after) == [1, 0]


def test_az_10_lid(rules: Rules) -> None:
    """A full line 5 puts 1 tile on the wall and 4 into the lid; line 1 puts none."""
    after = tiled(rules, lines={0: {5: "5B"}})
    assert wall_row(after, 5) == "....B"
    assert after["lid"] == "4B"
    after = tiled(rules, lines={0: {1: "B"}})
    assert wall_row(after, 1) == "B...."
    assert after["lid"] == "-"


def test_az_11_floor_at_0(rules: Rules) -> None:
    """Score 3, one isolated wall tile (+1), four floor tiles (-6): score 0."""
    after = tiled(rules, lines={0: {1: "B"}}, floors={0: "YRKW"}, scores={0: 3})
    assert scores(after) == [0, 0]
    assert sorted(lid(after)) == ["K", "R", "W", "Y"]


def test_az_20_grey_columns(rules: Rules) -> None:
    """Yellow at (1,2) and (4,5), blue at (2,1): a yellow line 2 goes to column 3 or 4."""
    start = tiled(
        rules, board="grey", filled={0: "1.2:Y 4.5:Y 2.1:B"}, lines={0: {2: "2Y"}}, scores={0: 7}
    )
    assert start["phase"] == "wall"
    assert start["to_move"] == 0
    assert rules.legal_moves(start) == ["wall:2>3", "wall:2>4"]
    after = rules.apply(start, "wall:2>4")
    assert wall_row(after, 2) == "B..Y."
    assert scores(after)[0] == 8


def test_az_21_grey_blocked(rules: Rules) -> None:
    """No legal column: all 4 tiles fall, penalty 8, score 2, nothing is placed."""
    start = tiled(
        rules,
        board="grey",
        filled={0: "4.1:R 4.3:W 4.4:B 1.2:Y 2.5:Y"},
        lines={0: {4: "4Y"}},
        floors={0: "*"},
        token=0,
        scores={0: 10},
    )
    assert floor(start) == "*"
    assert rules.legal_moves(start) == ["wall:4>F"]
    assert refuses(rules, start, "wall:4>2")
    after = rules.apply(start, "wall:4>F")
    assert wall_row(after, 4) == "R.WB."
    assert line(after, 4) == floor(after) == "-"
    assert after["lid"] == "4Y"
    assert scores(after) == [2, 0]


def test_az_21_fallen_tiles_on_the_floor_line(rules: Rules) -> None:
    """While line 5 still waits, the floor line is [marker, Y, Y, Y, Y]."""
    start = tiled(
        rules,
        board="grey",
        filled={0: "4.1:R 4.3:W 4.4:B 1.2:Y 2.5:Y"},
        lines={0: {4: "4Y", 5: "5B"}},
        floors={0: "*"},
        token=0,
        scores={0: 10},
    )
    after = rules.apply(start, "wall:4>F")
    assert after["phase"] == "wall"
    assert after["to_move"] == 0
    assert floor(after) == "*YYYY"
    assert line(after, 4) == "-"
    assert scores(after) == [10, 0]
    assert scores(rules.apply(after, "wall:5>2")) == [10 + 1 - 8, 0]


AZ_22: dict[str, Any] = {
    "board": "grey",
    "filled": {0: "1.3:R 1.4:K 1.5:W 2.1:W 2.3:B 2.4:R 2.5:K"},
    "lines": {0: {1: "Y", 2: "2Y"}},
    "scores": {0: 20},
}


def test_az_22_line_1_uses_column_2(rules: Rules) -> None:
    """Then line 2 is blocked and 2 tiles fall."""
    start = tiled(rules, **AZ_22)
    assert rules.legal_moves(start) == ["wall:1>1", "wall:1>2"]
    after = rules.apply(start, "wall:1>2")
    assert scores(after)[0] == 20 + 4
    assert rules.legal_moves(after) == ["wall:2>F"]
    after = rules.apply(after, "wall:2>F")
    assert scores(after)[0] == 24 - 2
    assert after["lid"] == "2Y"


def test_az_22_line_1_uses_column_1(rules: Rules) -> None:
    """Then line 2 goes to column 2; the full row 2 ends the game."""
    start = tiled(rules, **AZ_22)
    after = rules.apply(start, "wall:1>1")
    assert scores(after)[0] == 20 + 2
    assert rules.legal_moves(after) == ["wall:2>2"]
    after = rules.apply(after, "wall:2>2")
    assert after["phase"] == "over"
    assert rules.breakdown(after)[0] == {"play": 27, "rows": 2, "columns": 0, "colours": 0}


def test_grey_seats_from_the_coming_start_player(rules: Rules) -> None:
    """B5, RULING: seat 2 took the marker, so columns are chosen by seats 2, 0, 1."""
    position = build(
        players=3,
        board="grey",
        token=2,
        displays=["K"],
        lines={0: {1: "B", 2: "2R"}, 1: {3: "3B"}, 2: {1: "W"}},
        floors={0: "Y", 1: "K", 2: "*R"},
        scores={0: 10, 1: 10, 2: 10},
    )
    position = rules.apply(position, "D1:K>5")
    assert position["start_seat"] == 0
    order = [(2, 1), (0, 1), (0, 2), (1, 3)]
    for number, (seat, row) in enumerate(order):
        assert position["phase"] == "wall"
        assert position["to_move"] == seat
        moves = rules.legal_moves(position)
        assert moves == of(moves, f"wall:{row}>")
        before = sorted({other for other, _ in order[:number]} - {seat})
        assert all(floor(position, other) == "-" for other in before)
        position = play(rules, position, moves[-1])
    assert position["phase"] == "deal"
    assert position["start_seat"] == 2
    assert position["token"] is None
