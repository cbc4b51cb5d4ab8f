"""The text form: typed by people, with defaults that are reported and slips that are found."""

import time

import pytest

from .reading import Told, check_problem, problems, read_text

SHORT = """
# typed at the table
displays: PGGO, 2Y 2B, -, -, -      # a comment
centre: P
"""

LONG = """
SEAT 1:
  Passed: yes
  Kept: 2P + G
  W: PP....
  star_x: 1
"""


def test_a_few_lines_suffice_and_every_default_is_reported() -> None:
    position, notes = read_text(SHORT)
    assert position.phase == "draft"
    assert position.displays[:2] == ((1, 2, 1, 0, 0, 0), (0, 0, 0, 2, 2, 0))
    assert position.bag_size == 132 - 9
    assert position.seats[1].score == 5
    text = "\n".join(notes)
    for default in ("game: not given, taken as summer", "players: not given, taken as 2",
                    "board: not given, taken as coloured", "round: not given, taken as 1",
                    "phase: not given, taken as draft", "to move: not given, taken as 0",
                    "token: not given, taken as centre", "supply: not given, taken as empty",
                    "seat 1: not given, taken as score 5, hand empty, kept empty, passed no,"
                    " stars W NW NE E SE SW C empty",
                    "bag, tower: not given, all 123 unseen tiles taken as in the bag"):
        assert default in text
    assert not any(note.startswith(("displays", "centre")) for note in notes)


def test_keys_in_any_order_and_spelling() -> None:
    position, _ = read_text("""
seat 1:
  W: PP....
  stars: nw OO....  C: PG....
  hand: 2P+G
token: 1
seat 0:
  passed: yes
  kept: O
Round: 2
START-SEAT: 1
bag size: 30
bag: ?
""")
    assert position.phase == "place"
    assert position.to_move == 1
    assert position.start_seat == 1
    assert position.bag is None
    assert position.bag_size == 30
    assert position.seats[1].stars[:2] == ("PP....", "OO....")
    assert position.seats[1].stars[6] == "PG...."
    assert position.seats[0].passed
    assert position.seats[0].kept == (0, 0, 1, 0, 0, 0)


def test_single_displays_count_from_one() -> None:
    position, notes = read_text("players: 3\ndisplay 7: P G\ndisplay 2: 4R\n")
    assert position.displays[6] == (1, 1, 0, 0, 0, 0)
    assert position.displays[1] == (0, 0, 0, 0, 0, 4)
    assert "display 1, 3, 4, 5, 6: not given, taken as empty" in notes


@pytest.mark.parametrize(("count", "players"), [(5, 2), (7, 3), (9, 4)])
def test_displays_tell_the_number_of_players(count: int, players: int) -> None:
    single = "".join(f"display {number}: P\n" for number in range(1, count + 1))
    for text in (single, "displays:" + " P" * count):
        position, notes = read_text(text)
        assert position.players == players
        assert f"players: not given, taken as {players}" in notes


def test_phase_and_mover_follow_from_the_rest() -> None:
    assert read_text("round: 3\nseat 0:\n hand: P\n")[0].phase == "place"
    bonus, _ = read_text("bonus due: 2\nsupply: 3P\ntoken: 1\n")
    assert (bonus.phase, bonus.to_move) == ("bonus", 1)
    over, _ = read_text("phase: over\n")
    assert (over.round, over.to_move, over.seats[0].passed) == (6, None, True)
    deal, _ = read_text("phase: deal\nround: 2\n")
    assert deal.to_move is None
    supply, _ = read_text("phase: supply\nseat 0:\n passed: yes\nseat 1:\n hand: P\n")
    assert supply.next_to_move == 1


@pytest.mark.parametrize("told", [
    ("centre: P\nroun: 3\n", "syntax", "", 2, 1, "did you mean 'round'?"),
    ("game: summer\nplayer two: Ada\n", "syntax", "", 2, 1, "found the unknown key"),
    ("game: summer\nseat -1: Ada\n", "syntax", "", 2, 1, "did you mean 'seat 0'?"),
    ("game: summer\nhttp://127.0.0.1/?position=x\n", "syntax", "", 2, 1, "found the unknown key"),
    ("game: summer\nseat two:\n", "syntax", "", 2, 1, "did you mean 'seat 0'?"),
    ('game: summer\n{"game": "summer"}\n', "syntax", "", 2, 1, "found the unknown key"),
    ("game: summer\nseat (0): P\n", "syntax", "", 2, 1, "did you mean 'seat 0'?"),
    ("seat 0:\n  hnad: P\n", "syntax", "", 2, 3, "did you mean 'hand'"),
    ("seat 0:\n  frobnicate: P\n", "syntax", "", 2, 3, "expected one of seat 0, players"),
    ("centre: P\nhand: P\n", "syntax", "seats", 2, 1, "before any seat"),
    ("centre: P\nround:  three\n", "type", "round", 2, 9, "found 'three'"),
    ("centre: P\nround: 9\n", "range", "round", 2, 8, "from 1 to 6"),
    ("centre: P\nround: 2\nround: 2\n", "syntax", "round", 3, 1, "a second time"),
    ("centre: 2p\n", "syntax", "centre", 1, 9, "upper case"),
    ("centre: P\nno colon here\n", "syntax", "", 2, 1, "expected 'key: value'"),
    ("centre: P\n" + " no colon here\n" * 11, "syntax", "", 2, 2,
     "found 11 lines without a key, the first 'no colon here', expected 'key: value'"),
    ("displays: P - - -  5R\n", "range", "displays[4]", 1, 20, "found 5 tiles"),
    ("displays: P - - -  5X\n", "syntax", "displays[4]", 1, 20, "found 'X'"),
    ("displays: P - -\n", "range", "displays", 1, 11,
     "found 3 displays, expected 5 for 2 players; `-` stands for an empty one"),
    ("seat 1:\nseat 2:\ndisplays: P - - - -\n", "range", "seats", 2, 1,
     "found seats 1 to 2, but no seat 0 (seats are counted from 0)"),
    ("centre: P\ndisplay 12: P\n", "range", "displays", 2, 1, "expected 1 to 9"),
    ("centre: P\ndisplay 1: P\ndisplay 7: P\n", "range", "displays", 3, 12, "found 7 displays"),
    ("centre: P\ndisplay 1: P\ndisplay 1: P\n", "syntax", "displays[0]", 3, 1, "second time"),
    ("centre: P\nseat 0:\n  stars: W P....\n", "syntax", "seats[0].stars.W", 3, 10, "6 char"),
    ("centre: P\nseat 0:\n  stars: W P..... NW\n", "syntax", "seats[0].stars", 3, 19, "partner"),
    ("centre: P\nseat 0:\n  stars: X P.....\n", "syntax", "seats[0].stars", 3, 10, "found 'X'"),
    ("centre: P\nseat 0:\n  W: G.....\n", "board", "seats[0].stars.W", 3, 6, "only P"),
    ("centre: P\nseat 0:\n W: P.....\n W: P.....\n", "syntax", "seats[0].stars.W", 4, 5, "second"),
    ("centre: P\nseat 1:\n  passed: perhaps\n", "type", "seats[1].passed", 3, 11, "true or false"),
    ("centre: P\nseat 0: 5\n", "syntax", "seats[0]", 2, 1, "on lines of their own"),
    ("centre: P\nseat 4:\n", "range", "seats", 2, 1, "expected 0 to 3"),
    *((f"centre: P\n{key}: P\n", "syntax", "", 2, 1, f"found the unknown key '{key}'")
      for key in ("seat -1", "seat 01", "display -1")),
    ("centre: P\nplayers: 5\n", "range", "players", 2, 10, "expected 2, 3 or 4"),
    ("centre: P\nplayers: 2\nseat 2:\n", "range", "players", 3, 1, "there is a seat 2"),
    ("centre: P\ntoken: nobody at all\n", "type", "token", 2, 8, "a seat from 0 to 1"),
    ("centre: P\nkept: -\n", "syntax", "seats", 2, 1, "before any seat"),
    ("game: chess\n", "range", "game", 1, 7, "expected one of summer"),
])
def test_problems_have_line_and_column(told: Told) -> None:
    check_problem(*told)


def test_all_problems_at_once_in_the_order_of_the_lines() -> None:
    found = problems("round: x\nboard: red\nsupply: 11P\nwhat: 1\n")
    assert [problem.line for problem in found] == [1, 2, 3, 4]


@pytest.mark.parametrize("text", [
    "token: 9", "token: x", "start seat: 9", "players: 3\ntoken: 3",
    "phase: supply\nstart seat: 9",
])
def test_nothing_is_told_of_a_key_that_nobody_wrote(text: str) -> None:
    """The seat to move follows from token and start seat, but not from wrong ones."""
    (problem,) = problems(f"game: summer\n{text}")
    assert problem.line is not None
    assert problem.where in ("token", "start_seat")


def test_unknown_keys_are_no_silent_default() -> None:
    assert [problem.line for problem in problems(LONG)] == [6]


def test_unknown_keys_of_a_text_that_names_its_game_are_noted() -> None:
    text = "game: summer\nseat 0:\n  score: 9\n"
    position, notes = read_text(text)
    assert read_text(text + "  hnad: P\nSite 7 of_it: x # y\n") == (position, (
        *notes, "not used: 'hnad' on line 4 (did you mean 'hand'?), 'Site 7 of_it' on line 5"))
    *_, last = read_text(text + "x: 1\n" * 900)[1]
    assert last.endswith("'x' on line 22, 'x' on line 23 and more")


def test_unknown_keys_are_told_with_the_problems_that_they_may_cause() -> None:
    found = problems("game: summer\nphase: draft\ndispalys: P - - - -\n")
    assert ["did you mean" in problem.message for problem in found] == [False, True]


@pytest.mark.parametrize("text", [
    "Dear Ada: the score is 5", "players: 2\nname: Ada\n", "The game: summer\n", "game: on\n",
    "note: game: summer\nround: 3\n",
])
def test_prose_is_no_position(text: str) -> None:
    assert problems(text)


@pytest.mark.parametrize("text", [
    f"game: summer{' ' * 190_000}x", f"game{' ' * 190_000}x", f"{' ' * 190_000}:",
    f"game: summer\nbag: {' ' * 190_000}!", f"game: summer\n{'a ' * 90_000}",
    f"game: summer\nbag:{' +' * 90_000}",
], ids=["value", "no colon", "no key", "tiles", "words", "plus"])
def test_long_blanks_take_little_time(text: str) -> None:
    """A pattern with blanks at both ends took ten minutes for the first of these."""
    begun = time.process_time()
    problems(text)
    assert time.process_time() - begun < 5


def test_many_wrong_lines_cost_little() -> None:
    """They took 2 seconds and more, most of it for the keys that they may have meant."""
    began = time.process_time()
    found = problems("game: summer\n" + "x:1\n" * 49_000)
    assert time.process_time() - began < 0.5
    assert len(found) == 2
    assert "expected one of seat 0" in found[0].message
    assert (found[-1].line, found[-1].message) == (
        1001, "found more than 1000 lines, expected fewer")
