"""RULES.md part C-B, the examples of drafting: AZ-2 to AZ-7, AZ-16 to AZ-18, AZ-23."""

from typing import Any

import pytest

from .azul_build import build, floor, line, of, play, scores
from .implementations import Position, Rules, refuses

PLAYED = "azul"


def table(**known: Any) -> Position:
    """Build a position of phase A; a last display of 4W keeps the phase going."""
    displays = list(known.pop("displays", []))
    return build(displays=[*displays, "4W"], **known)


@pytest.mark.parametrize(("players", "moves"), [(2, 120), (3, 168), (4, 216)])
def test_az_02_opening(rules: Rules, players: int, moves: int) -> None:
    """Displays of four different colours, empty boards: 120 / 168 / 216 moves."""
    four = ["BYRK", "BYRW", "BYKW", "BRKW", "YRKW"]
    displays = [four[n % 5] for n in range(2 * players + 1)]
    start = build(players=players, round=1, displays=displays)
    legal = rules.legal_moves(start)
    assert len(legal) == moves
    assert of(legal, "D2:B") == [f"D2:B>{where}" for where in "12345F"]
    assert rules.legal_moves(start, "maximal") == legal


def test_az_03_display(rules: Rules) -> None:
    """Display 2B+1R+1K: B to line 2 fills it; 1R+1K go to the centre."""
    after = rules.apply(table(displays=["2B+1R+1K"]), "D1:B>2")
    assert line(after, 2) == "2B"
    assert after["centre"] == "RK"
    assert after["displays"][0] == "-"
    assert after["to_move"] == 1
    assert after["token"] is None
    assert floor(after) == "-"


def test_az_04_centre_and_marker(rules: Rules) -> None:
    """Centre 5Y with the marker: Y to line 3 holds 3Y; floor [marker, Y, Y], penalty 4."""
    start = build(centre="5Y", scores={0: 10})
    after = rules.apply(start, "C:Y>3")
    assert line(after, 3) == "-"  # the round is over: the line was full
    assert after["start_seat"] == 0
    assert scores(after) == [10 + 1 - 4, 0]

    after = rules.apply(table(centre="5Y"), "C:Y>3")
    assert line(after, 3) == "3Y"
    assert floor(after) == "*YY"
    assert after["token"] == 0
    assert after["centre"] == "-"


def test_az_05_destinations(rules: Rules) -> None:
    """Blue may go to lines 3 and 5, yellow to 1 and 5, both to the floor."""
    start = build(
        displays=["2B+2Y"],
        filled={0: "1.1"},
        lines={0: {2: "R", 3: "B", 4: "4B"}},
    )
    legal = rules.legal_moves(start)
    assert of(legal, "D1:B") == ["D1:B>3", "D1:B>5", "D1:B>F"]
    assert of(legal, "D1:Y") == ["D1:Y>1", "D1:Y>5", "D1:Y>F"]


def test_az_06_overflow(rules: Rules) -> None:
    """Floor of 6, 3R from the centre as first to the floor: marker 7th, 3R to the lid, -14."""
    known: dict[str, Any] = {"centre": "3R", "floors": {0: "BBYYKK"}, "scores": {0: 20}}
    after = rules.apply(table(**known), "C:R>F")
    assert floor(after) == "BBYYKK*"
    assert after["lid"] == "3R"
    assert after["token"] == 0

    after = rules.apply(build(**known), "C:R>F")
    assert scores(after) == [6, 0]
    assert after["lid"] == "2B2Y3R2K"


def test_az_07_marker_and_full_floor(rules: Rules) -> None:
    """Floor of 7, 2R from the centre first to line 2: next start player, penalty stays 14."""
    known: dict[str, Any] = {
        "centre": "2R",
        "floors": {0: "BBYYKKW"},
        "scores": {0: 20},
        "start_seat": 1,
    }
    after = rules.apply(table(**known), "C:R>2")
    assert floor(after) == "BBYYKKW"
    assert line(after, 2) == "2R"
    assert after["token"] == 0

    after = rules.apply(build(**known), "C:R>2")
    assert scores(after) == [20 + 1 - 14, 0]
    assert after["start_seat"] == 0


def test_az_16_marker_never_taken(rules: Rules) -> None:
    """All displays of one colour each: the centre stays empty, the same player starts again."""
    position = build(displays=["4B", "4Y", "4R", "4K", "4W"], start_seat=1, to_move=1)
    for number, colour in enumerate("BYRKW", start=1):
        assert position["centre"] == "-"
        assert position["to_move"] == number % 2
        position = rules.apply(position, f"D{number}:{colour}>F")
    assert rules.chance(position) == "deal"
    assert position["start_seat"] == 1
    assert position["token"] is None
    assert position["round"] == 3


def test_az_17_nothing_fits(rules: Rules) -> None:
    """No line takes black or red: two moves to the floor line, no pass."""
    lines = {0: {1: "B", 2: "Y", 3: "2Y", 4: "3Y", 5: "4Y"}}
    start = build(displays=["3K+1R"], lines=lines)
    assert rules.legal_moves(start) == ["D1:K>F", "D1:R>F"]


def test_az_18_voluntary_floor(rules: Rules) -> None:
    """With an empty board, taking 1B to the floor line is legal."""
    start = table(displays=["B+Y+R+K"])
    assert "D1:B>F" in rules.legal_moves(start)
    after = rules.apply(start, "D1:B>F")
    assert floor(after) == "B"
    assert after["seats"][0]["lines"] == ["-"] * 5


def test_az_23_drafting_is_not_restricted_by_columns(rules: Rules) -> None:
    """In the position of AZ-21 before line 4 was filled, yellow into line 4 is legal."""
    start = build(
        board="grey",
        displays=["4Y"],
        token=0,
        scores={0: 10},
        filled={0: "4.1:R 4.3:W 4.4:B 1.2:Y 2.5:Y"},
        floors={0: "*"},
    )
    assert rules.legal_moves(start) == ["D1:Y>3", "D1:Y>4", "D1:Y>5", "D1:Y>F"]
    after = rules.apply(start, "D1:Y>4")
    assert rules.legal_moves(after) == ["wall:4>F"]


def test_moves_of_another_phase_are_refused(rules: Rules) -> None:
    """Nobody passes (B4); nothing is taken from where it is not."""
    start = table(displays=["2B+1R+1K"])
    for move in ["pass:-", "D1:Y>1", "D1:B>6", "C:B>1", "D9:B>1", "wall:1>1", "deal:-,-,-,-,-"]:
        assert refuses(rules, start, move), move


def test_a_whole_round_of_the_marker(rules: Rules) -> None:
    """Only the first to take from the centre takes the marker (B4.2)."""
    start = table(displays=["B+Y+R+K"], players=3)
    after = play(rules, start, "D1:B>1", "C:Y>F", "C:R>2")
    assert [floor(after, seat) for seat in range(3)] == ["-", "*Y", "-"]
    assert after["token"] == 1
