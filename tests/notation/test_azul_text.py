"""The text form of base Azul: lines, wall and floor line as a person types them."""

import pytest

from .reading import Told, check_problem, problems, read_text

SHORT = """
game: azul
displays: BBRK, 2Y 2W, -, -, -
"""


def test_a_few_lines_suffice_and_every_default_is_reported() -> None:
    position, notes = read_text(SHORT)
    assert (position.phase, position.to_move, position.bag_size) == ("draft", 0, 92)
    text = "\n".join(notes)
    for default in ("players: not given, taken as 2", "board: not given, taken as coloured",
                    "round: not given, taken as 1", "phase: not given, taken as draft",
                    "token: not given, taken as centre", "centre: not given, taken as empty",
                    "seat 1: not given, taken as score 0, lines 1 2 3 4 5 empty,"
                    " wall 1 2 3 4 5 empty, floor empty",
                    "bag, lid: not given, all 92 unseen tiles taken as in the bag"):
        assert default in text


def test_lines_and_rows_one_by_one() -> None:
    position, notes = read_text("""
game: azul
centre: 2B
seat 0:
  line 2: 2W
  Row 1: B....
  floor: * Y, Y
  wall 3: K.B..
seat 1:
  lines: B, -, 3 R, -, -
  wall: ..... ..... ..... ..... Y....
  points: 7
""")
    first, second = position.seats
    assert first.lines == ((0,) * 5, (0, 0, 0, 0, 2), (0,) * 5, (0,) * 5, (0,) * 5)
    assert first.wall == ("B....", ".....", "K.B..", ".....", ".....")
    assert first.floor == "*YY"
    assert position.token == 0
    assert second.lines[2] == (0, 0, 3, 0, 0)
    assert (second.wall[4], second.floor, second.score) == ("Y....", "", 7)
    assert "seat 0: not given, taken as score 0, lines 1 3 4 5 empty, wall 2 4 5 empty" in notes
    assert "seat 1: not given, taken as floor empty" in notes
    assert "token: not given, taken as 0" in notes


def test_the_game_follows_from_the_keys() -> None:
    position, notes = read_text("centre: B\nseat 0:\n  floor: B\n")
    assert position.seats[0].floor == "B"
    assert "game: not given, taken as azul" in notes


@pytest.mark.parametrize(("text", "phase", "mover", "number"), [
    ("centre: B\nstart seat: 1\n", "draft", 1, 1),
    ("board: grey\nseat 1:\n line 1: B\n", "wall", 1, 1),
    ("board: grey\nstart seat: 1\nseat 0:\n line 1: B\nseat 1:\n line 2: 2R\n", "wall", 1, 1),
    ("board: grey\nseat 0:\n line 1: B\nseat 1:\n line 2: 2R\n floor: *\n", "wall", 1, 1),
    ("seat 0:\n row 1: BYRKW\n", "over", None, 1),
    ("seat 0:\n line 2: R\n", "deal", None, 2),
    ("", "deal", None, 2),
])
def test_phase_and_mover_follow_from_the_rest(
    text: str, phase: str, mover: int | None, number: int
) -> None:
    position, _ = read_text("game: azul\n" + text)
    assert (position.phase, position.to_move, position.round) == (phase, mover, number)


@pytest.mark.parametrize("told", [
    ("seat 0:\n lines: B 3W - - -", "range", "seats[0].lines[1]", 4, 11, "at most 2"),
    ("seat 0:\n lines: B 2X - - -", "syntax", "seats[0].lines[1]", 4, 11, "found 'X'"),
    ("seat 0:\n lines: B - -", "range", "seats[0].lines", 4, 9, "found 3 lines, expected 5"),
    ("seat 0:\n line 6: B", "range", "seats[0].lines", 4, 2, "found line 6, expected 1 to 5"),
    ("seat 0:\n line 1: B\n line 1: B", "syntax", "seats[0].lines[0]", 5, 2, "a second time"),
    ("seat 0:\n line 1: B\n lines: - - - - -", "syntax", "seats[0].lines", 5, 2, "a second time"),
    ("seat 0:\n lines: - - - - -\n line 1: B", "syntax", "seats[0].lines[0]", 5, 2, "second time"),
    ("seat 0:\n line 3: BY", "board", "seats[0].lines[2]", 4, 10, "B and Y"),
    ("seat 0:\n row 3: B", "syntax", "seats[0].wall[2]", 4, 9, "5 characters"),
    ("seat 0:\n row 3: B....", "board", "seats[0].wall[2]", 4, 9, "KWBYR"),
    ("seat 0:\n lines: -, -,  BY, -, -", "board", "seats[0].lines[2]", 4, 16, "B and Y"),
    ("seat 0:\n wall: B.... W....", "range", "seats[0].wall", 4, 8, "found 2 rows"),
    ("seat 0:\n floor: 2B", "syntax", "seats[0].floor", 4, 9, "at most 7 letters of BYRKW"),
    ("seat 0:\n floor: BBBBBBBB", "range", "seats[0].floor", 4, 9, "found 8 tiles"),
    ("seat 0:\n hand:", "syntax", "", 4, 2, "expected one of seat 0, players, display 1, line 1"),
    ("line 1: B", "syntax", "seats", 3, 1, "before any seat"),
    ("tower:", "syntax", "", 3, 1, "found the unknown key 'tower'"),
])
def test_problems_have_line_and_column(told: Told) -> None:
    check_problem(f"game: azul\ncentre: B\n{told[0]}\n", *told[1:])


@pytest.mark.parametrize(("text", "where"), [
    ("board: grey\nstart seat: 7\nseat 0:\n  line 1: B", "start_seat"),
    ("board: grey\ntoken: 7\nseat 0:\n  line 1: B", "token"),
    ("seat 0:\n  line 1: Q", "seats[0].lines[0]"),
    ("seat 0:\n  line 2: BQ", "seats[0].lines[1]"),
    ("seat 0:\n  line 3: 2BY", "seats[0].lines[2]"),
])
def test_nothing_is_told_of_a_key_that_nobody_wrote(text: str, where: str) -> None:
    """Phase and seat to move follow from the rest, but not from wrong values."""
    assert {problem.where for problem in problems(f"game: azul\n{text}")} == {where}
