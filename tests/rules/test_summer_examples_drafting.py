"""RULES.md part C-A, examples SP-1 to SP-14: drafting."""

from typing import Any

import pytest

from tests.reference.summer_drawing import draw_move
from tests.reference.summer_table import read_table

from .implementations import Position, Rules, refuses
from .summer_build import at, build, hand, passes, play, scores


def table(**known: Any) -> Position:
    """Build a position of phase 1; a last display of 4O keeps the phase going."""
    displays = list(known.pop("displays", []))
    return build(phase="draft", displays=[*displays, "4O"], **known)


# The rulebook's turn example (SP-1 to SP-3) is one story with three players.
TURN_EXAMPLE: dict[str, Any] = {"players": 3, "displays": ["2R+2Y", "2P+1G+1Y"]}


def test_sp_01_first_player_of_the_rulebook(rules: Rules) -> None:
    """Display 2R+2Y: R or Y; taking R gives 2R, the centre 2Y."""
    start = table(**TURN_EXAMPLE)
    assert at(rules.legal_moves(start), "D1") == ["D1:R", "D1:Y"]
    after = rules.apply(start, "D1:R")
    assert hand(after, 0) == "2R"
    assert after["centre"] == "2Y"
    assert after["displays"][0] == "-"
    assert after["to_move"] == 1
    assert after["token"] is None
    assert scores(after) == [5, 5, 5]


def test_sp_02_second_player_of_the_rulebook(rules: Rules) -> None:
    """Display 2P+1G+1Y: G or Y, not P; taking G gives 1G+1P, the centre 3Y+1P."""
    start = play(rules, table(**TURN_EXAMPLE), "D1:R")
    assert at(rules.legal_moves(start), "D2") == ["D2:G", "D2:Y"]
    assert refuses(rules, start, "D2:P")
    after = rules.apply(start, "D2:G")
    assert hand(after, 1) == "PG"
    assert after["centre"] == "P3Y"
    assert after["token"] is None
    assert scores(after) == [5, 5, 5]


def test_sp_03_third_player_of_the_rulebook(rules: Rules) -> None:
    """Centre 3Y+1P with the token: only Y; hand 3Y+1P, token, 5 - 4 = 1, centre empty."""
    start = play(rules, table(**TURN_EXAMPLE), "D1:R", "D2:G")
    assert at(rules.legal_moves(start), "C") == ["C:Y"]
    after = rules.apply(start, "C:Y")
    assert hand(after, 2) == "P3Y"
    assert after["token"] == 2
    assert scores(after) == [5, 5, 1]
    assert after["centre"] == "-"


def test_sp_04_the_floor_is_one(rules: Rules) -> None:
    """Score 3, centre 4R+2P: taking R gives 4R+1P, loss 5, score 1; the centre keeps 1P."""
    after = rules.apply(table(centre="4R+2P", scores={0: 3}), "C:R")
    assert hand(after) == "P4R"
    assert scores(after) == [1, 5]
    assert after["centre"] == "P"
    assert after["token"] == 0


def test_sp_05_already_at_one(rules: Rules) -> None:
    """As SP-4 with score 1: legal, the score stays 1."""
    start = table(centre="4R+2P", scores={0: 1})
    assert "C:R" in rules.legal_moves(start)
    after = rules.apply(start, "C:R")
    assert hand(after) == "P4R"
    assert scores(after) == [1, 5]
    assert after["centre"] == "P"
    assert after["token"] == 0


def test_sp_06_token_already_gone(rules: Rules) -> None:
    """Centre 2B+1P, token held: taking B gives 2B+1P, no loss."""
    after = rules.apply(table(centre="2B+1P", token=1), "C:B")
    assert hand(after) == "P2B"
    assert scores(after) == [5, 5]
    assert after["token"] == 1


def test_sp_07_wild_only_display(rules: Rules) -> None:
    """Display 4P: only P; hand 1P, centre +3P, token stays, score unchanged."""
    start = table(displays=["4P"])
    assert at(rules.legal_moves(start), "D1") == ["D1:P"]
    after = rules.apply(start, "D1:P")
    assert hand(after) == "P"
    assert after["centre"] == "3P"
    assert after["displays"][0] == "-"
    assert after["token"] is None
    assert scores(after) == [5, 5]


def test_sp_08_wild_only_centre(rules: Rules) -> None:
    """Centre 3P with the token, score 5: only P; hand 1P, centre 2P, token, score 4."""
    start = table(centre="3P")
    assert at(rules.legal_moves(start), "C") == ["C:P"]
    after = rules.apply(start, "C:P")
    assert hand(after) == "P"
    assert after["centre"] == "2P"
    assert after["token"] == 0
    assert scores(after) == [4, 5]


def test_sp_09_nothing_left_over(rules: Rules) -> None:
    """Display 3O+1P: taking O gives 3O+1P and moves nothing to the centre."""
    after = rules.apply(table(displays=["3O+1P"]), "D1:O")
    assert hand(after) == "P3O"
    assert after["centre"] == "-"
    assert after["displays"][0] == "-"


def test_sp_10_enumeration(rules: Rules) -> None:
    """Displays 2G+1B+1P, 4P, 1R+1Y+1O+1B, centre 1G+2P: exactly 8 drafts."""
    start = build(
        phase="draft", displays=["2G+1B+1P", "4P", "1R+1Y+1O+1B"], centre="1G+2P", token=None
    )
    assert rules.legal_moves(start) == sorted(
        ["D1:G", "D1:B", "D2:P", "D3:R", "D3:Y", "D3:O", "D3:B", "C:G"]
    )


def test_sp_11_another_round(rules: Rules) -> None:
    """Round 2 (green is wild), display 2P+2G: only P, giving 2P+1G; 1G to the centre."""
    start = table(round=2, displays=["2P+2G"])
    assert at(rules.legal_moves(start), "D1") == ["D1:P"]
    after = rules.apply(start, "D1:P")
    assert hand(after) == "2PG"
    assert after["centre"] == "G"


def test_sp_12_nobody_takes_the_token(rules: Rules) -> None:
    """Displays 4R 4B 4G 4Y 4O, seat 0 starts: no loss; seat 0 starts phase 2 and round 2."""
    position = build(phase="draft", displays=["4R", "4B", "4G", "4Y", "4O"])
    for mover, move in zip([0, 1, 0, 1, 0], ["D1:R", "D2:B", "D3:G", "D4:Y", "D5:O"], strict=True):
        assert position["to_move"] == mover
        assert position["centre"] == "-"
        position = rules.apply(position, move)
    assert scores(position) == [5, 5]
    assert position["phase"] == "place"
    assert position["to_move"] == 0
    assert position["token"] is None
    position = play(rules, position, "pass:4G", "pass:4B")
    assert rules.chance(position) == "deal"
    assert position["round"] == 2
    assert position["start_seat"] == 0
    position = rules.apply(position, dealt(position))
    assert position["phase"] == "draft"
    assert position["to_move"] == 0


def test_sp_13_who_starts_phase_2(rules: Rules) -> None:
    """Seat 2 has the token, seat 0 drafts last: seat 2 starts phase 2 and round 2."""
    position = build(players=3, phase="draft", displays=["4O"], token=2, start_seat=1)
    position = rules.apply(position, "D1:O")
    assert position["phase"] == "place"
    assert position["to_move"] == 2
    assert position["token"] == 2
    assert position["start_seat"] == 1
    for mover in [2, 0, 1]:
        assert position["to_move"] == mover
        position = rules.apply(position, passes(rules, position, "maximal")[0])
    assert position["start_seat"] == 2
    assert position["token"] is None
    position = rules.apply(position, dealt(position))
    assert position["phase"] == "draft"
    assert position["to_move"] == 2


@pytest.mark.parametrize(("players", "drafts"), [(2, 20), (3, 28), (4, 36)])
def test_sp_14_opening_bound(rules: Rules, players: int, drafts: int) -> None:
    """Displays of four different ordinary colours each: 20 / 28 / 36 drafts."""
    start = build(players=players, phase="draft", displays=["G+O+Y+B"] * (2 * players + 1))
    assert len(rules.legal_moves(start)) == drafts


def dealt(position: Position) -> str:
    """Deal by drawing the lowest colour in the bag each time."""
    return draw_move(read_table(position), lambda bag: bag[0])
