"""Base Azul drawn and put into words, checked against the oracle's tables and the rules core."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position
from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render import describe, draw
from pavilion_ai.render.azul_text import draw_board
from pavilion_ai.render.text import plain
from tests.cli.support import (
    AZUL_DRAFT,
    AZUL_EXAMPLES,
    AZUL_FOUR,
    AZUL_GREY,
    AZUL_WALL,
    ROOT,
    contract_games,
    pavilion,
    position_of,
)
from tests.reference import azul_table

AZUL = GAMES["azul"]
every_game = pytest.mark.parametrize("data", contract_games("azul"), ids=lambda data: data["id"])


def plies(data: Any) -> Any:
    """Yield position, move and the position after it."""
    before = parse_position(data["start"]).position
    for move in data["moves"]:
        after = AZUL.apply(before, move)
        yield before, move, after
        before = after


def play_score(position: Any, seat: int) -> int:
    """Return a score without the bonuses of the end."""
    if position.phase == "over":
        return AZUL.breakdown(position)[seat]["play"]
    return position.seats[seat].score


# -- the layout ------------------------------------------------------------------------------


def test_the_printed_wall_is_that_of_the_reference() -> None:
    for row in range(5):
        for column in range(5):
            assert layout.printed("coloured", row, column) == azul_table.WALL[row][column]
            assert layout.printed("grey", row, column) == ""


def test_penalties_and_bonuses_are_those_of_the_rules() -> None:
    rules = (ROOT / "docs" / "RULES.md").read_text()
    penalties = ", ".join(map(str, layout.PENALTIES))
    sums = ", ".join(str(layout.penalty(n)) for n in range(1, 8))
    assert f"left to right: **{penalties}** (cumulative {sums})" in rules
    assert f"* +{layout.BONUSES['row']} for each complete row" in rules
    assert f"* +{layout.BONUSES['column']} for each complete column" in rules
    assert f"* +{layout.BONUSES['colour']} for each colour" in rules


def grey_wall(chooser: random.Random) -> tuple[str, ...]:
    """Fill most of a wall at random as the grey side allows."""
    rows = [["."] * 5 for _ in range(5)]
    for place in chooser.sample(range(25), 25):
        row, column = divmod(place, 5)
        taken = {*rows[row], *(other[column] for other in rows)}
        free = [letter for letter in layout.COLOURS if letter not in taken]
        if free and chooser.random() < 0.9:
            rows[row][column] = chooser.choice(free)
    return tuple("".join(row) for row in rows)


def is_sound(wall: list[str]) -> bool:
    lines = [*wall, *("".join(row[column] for row in wall) for column in range(5))]
    return all(max(Counter(line.replace(".", "")).values(), default=0) <= 1 for line in lines)


def complete(wall: Any) -> set[tuple[str, str]]:
    """Name what is complete, by the words of RULES.md B9."""
    found = {("row", str(row + 1)) for row in range(5) if "." not in wall[row]}
    found |= {("column", str(c + 1)) for c in range(5) if all(row[c] != "." for row in wall)}
    tiles = Counter("".join(wall))
    return found | {
        ("colour", name)
        for letter, name in zip(layout.COLOURS, layout.COLOUR_NAMES, strict=True)
        if tiles[letter] == 5
    }


def test_the_last_tile_of_a_goal_is_the_one_that_completes_it() -> None:
    """Every tile that may be placed is tried; nothing else completes anything."""
    chooser = random.Random(5)
    blocked = 0
    for _ in range(300):
        wall = grey_wall(chooser)
        goals = list(layout.goals(wall))
        assert len(goals) == 15
        assert {(g.kind, g.name) for g in goals if not g.short} == complete(wall)
        found: dict[tuple[str, str], set[tuple[str, int]]] = {}
        for row, column in ((r, c) for r in range(5) for c in range(5) if wall[r][c] == "."):
            for letter in layout.COLOURS:
                after = list(wall)
                after[row] = wall[row][:column] + letter + wall[row][column + 1 :]
                if is_sound(after):
                    for goal in complete(after) - complete(wall):
                        found.setdefault(goal, set()).add((letter, row))
        expected = {(g.kind, g.name): {g.last} for g in goals if g.last is not None}
        assert found == expected
        blocked += sum(goal.short == 1 and goal.last is None for goal in goals)
    assert blocked > 50


# -- the drawing -----------------------------------------------------------------------------


def read_board(board: str, rows: list[str]) -> dict[str, Any]:
    """Read a drawn board back, at the columns where its parts stand."""
    top = 1 if board == "grey" else 0
    lines, walls, printed = [], [], []
    for row in rows[top : top + 5]:
        lines.append(row[2:17].replace(" ", ""))
        cells = [row[21 + 3 * column : 24 + 3 * column] for column in range(5)]
        assert all(re.fullmatch(r"\[[A-Z]\]| [a-z.] ?", cell) for cell in cells), row
        walls.append("".join(cell[1] if cell[0] == "[" else "." for cell in cells))
        printed.append("".join("." if cell[0] == "[" else cell[1] for cell in cells))
    number = [row[18:20].strip() for row in rows[top : top + 5]]
    floor = rows[top + 5]
    assert floor.startswith("floor ")
    return {
        "lines": lines,
        "wall": tuple(walls),
        "printed": printed,
        "full": [text.endswith(">") for text in number],
        "floor": floor[6:27].replace(" ", "").rstrip("."),
        "lost": floor[27:].strip(),
        "costs": rows[top + 6].split(),
    }


@every_game
def test_a_drawn_board_says_what_is_on_it(data: Any) -> None:
    for number, (position, _, _) in enumerate(plies(data)):
        for seat in position.seats if number % 5 == 0 else ():
            rows = plain(draw_board(position.board, seat)).split("\n")
            found = read_board(position.board, rows)
            assert found["wall"] == seat.wall
            assert found["floor"] == seat.floor
            assert found["lost"] == (f"= -{layout.penalty(len(seat.floor))}" if seat.floor else "")
            assert found["costs"] == ["-1", "-1", "-2", "-2", "-2", "-3", "-3"]
            for row, tiles in enumerate(seat.lines):
                letters = "".join(
                    letter * n for letter, n in zip(layout.COLOURS, tiles, strict=True)
                )
                assert found["lines"][row] == letters.rjust(row + 1, ".")
                assert found["full"][row] == (len(letters) == row + 1)
                empty = [
                    "." if tile != "." or position.board == "grey" else own.lower()
                    for tile, own in zip(seat.wall[row], azul_table.WALL[row], strict=True)
                ]
                assert found["printed"][row] == "".join(empty)
            assert ("1  2  3  4  5" in rows[0]) == (position.board == "grey")


@pytest.mark.parametrize("path", AZUL_EXAMPLES, ids=lambda path: path.stem)
def test_the_table_is_shown(path: Any) -> None:
    position = position_of(path)
    text = plain(draw(position))
    assert f"Round {position.round}, started by seat {position.start_seat}" in text
    assert f": seat {position.to_move} to move" in text
    assert f"> seat {position.to_move}  " in text
    in_centre = "+ starting player marker" in text
    assert in_centre == (position.token is None and position.phase == "draft")
    for seat, state in enumerate(position.seats):
        marked = f"seat {seat}  {state.score} points, marker" in text
        assert marked == (seat == position.token)


def test_a_finished_game_shows_parts_and_nothing_to_hope_for() -> None:
    for data in contract_games("azul"):
        *_, (_, _, end) = plies(data)
        text = " ".join(plain(draw(end, width=40, breakdown=AZUL.breakdown(end))).split())
        assert "one short" not in text
        for parts in AZUL.breakdown(end):
            assert " + ".join(f"{name} {points}" for name, points in parts.items()) in text


def test_the_documentation_shows_an_example() -> None:
    shown = pavilion("show", AZUL_DRAFT, "--format", "text").stdout
    documented = (ROOT / "docs" / "cli.md").read_text()
    boards = shown[shown.index("#   seat 0") : shown.index("#\n# Spaces")]
    assert boards in documented


# -- words -----------------------------------------------------------------------------------


def draft_words_agree(before: Any, move: str, after: Any, words: str) -> None:
    """Check a draft whose round goes on: then the position shows what became of it."""
    mover = before.to_move
    old, new = before.seats[mover], after.seats[mover]
    colour = layout.COLOURS.index(move.split(":")[1][0])
    taken = sum(before.centre) + sum(map(sum, before.displays))
    taken -= sum(after.centre) + sum(map(sum, after.displays))
    assert words.startswith(f"take {taken} {layout.COLOUR_NAMES[colour]} from ")
    assert ("with the marker" in words) == (before.token is None and after.token == mover)
    lost = re.search(r"\(-(\d+) points?\)", words)
    paid = layout.penalty(len(new.floor)) - layout.penalty(len(old.floor))
    assert (int(lost[1]) if lost else 0) == paid
    if move.endswith("F"):
        assert "to the floor line" in words
    else:
        number = int(move[-1])
        held = sum(new.lines[number - 1])
        state = "completes it" if held == number else f"{held} of {number}"
        assert f"to line {number}: {state}" in words
        spilt = re.search(r", (\d+) to the floor line", words)
        fallen = len(new.floor) - len(old.floor) - ("*" in new.floor) + ("*" in old.floor)
        assert (int(spilt[1]) if spilt else 0) == fallen


@every_game
def test_words_agree_with_the_rules_for_every_move_played(data: Any) -> None:
    for before, move, after in plies(data):
        words = describe(before, move)
        assert words.isascii()
        if before.to_move is None:
            assert words.startswith("the displays receive ")
            continue
        mover = before.to_move
        goes_on = (after.phase, after.round) == (before.phase, before.round)
        if before.phase == "draft" and goes_on:
            draft_words_agree(before, move, after, words)
        told = re.search(r": (\d+) points?", words)
        points = int(told[1]) if told else 0
        assert (told is None) == (before.phase == "draft" or move.endswith("F"))
        same_mover = before.phase == "draft" or after.to_move == mover
        assert ("; ends the " in words) == (not (goes_on and same_mover))
        changes = dict.fromkeys(range(before.players), 0)
        for seat, change in re.findall(r"seat (\d) ([+-]\d+)", words):
            changes[int(seat)] = int(change)
        changes[mover] += points
        for seat, change in changes.items():
            assert play_score(after, seat) - before.seats[seat].score == change
        new = complete(after.seats[mover].wall) - complete(before.seats[mover].wall)
        completed = words.partition(", completes ")[2].partition(";")[0]
        assert set(re.findall(r"(row|column|colour) (\w+)", completed)) == new


def with_floor(position: Any, floor: str) -> Any:
    """Return the position with this floor line of the mover; what is in the bag is not known."""
    seats = list(position.seats)
    seats[position.to_move] = replace(seats[position.to_move], floor=floor)
    return replace(position, bag=None, lid=None, bag_size=5, seats=tuple(seats))


@pytest.mark.parametrize(
    ("path", "floor", "move", "words"),
    [
        (AZUL_DRAFT, "", "C:W>5", "take 1 white from the centre to line 5: 1 of 5"),
        (AZUL_DRAFT, "", "D3:K>1",
         "take 3 black from display 3 (rest W) to line 1: completes it, 2 to the floor line"
         " (-2 points)"),
        (AZUL_DRAFT, "", "D2:B>F",
         "take 2 blue from display 2 (rest YY) to the floor line (-2 points)"),
        (AZUL_DRAFT, "RRRRRR", "D3:K>1",
         "take 3 black from display 3 (rest W) to line 1: completes it, 1 to the floor line,"
         " 1 to the lid (-3 points)"),
        (AZUL_DRAFT, "RRRRRRR", "D3:K>1",
         "take 3 black from display 3 (rest W) to line 1: completes it, 2 to the lid"),
        (AZUL_GREY, "W", "C:Y>F",
         "take 5 yellow from the centre to the floor line, with the marker (-13 points)"),
        (AZUL_GREY, "WWWWWWW", "C:B>3",
         "take 2 blue from the centre to line 3: completes it, with the marker, 1 to the lid"),
        (AZUL_FOUR, "", "C:W>3", "take 3 white from the centre to line 3: completes it"),
        (AZUL_WALL, "*RY", "wall:1>4", "tile of line 1 (blue) to column 4: 5 points"),
    ],
)
def test_moves_in_words(path: Any, floor: str, move: str, words: str) -> None:
    position = position_of(path)
    if position.seats[position.to_move].floor != floor:
        position = with_floor(position, floor)
    assert describe(position, move) == words


def test_words_for_a_line_that_no_column_takes() -> None:
    found = [
        describe(before, move)
        for data in contract_games("azul")
        for before, move, _ in plies(data)
        if move.startswith("wall:") and move.endswith("F")
    ]
    assert len(found) > 3
    shape = (
        r"no column takes the \w+ of line \d(, \d to the floor line)?(, \d to the lid)?"
        r"( \(-\d+ points?\))?(; ends the .*)?"
    )
    assert all(re.fullmatch(shape, words) for words in found)
