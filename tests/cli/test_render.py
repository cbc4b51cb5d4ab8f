"""Drawings and words: the board's shape against the reference geometry, moves against the rules."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest

from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.notation import format_move, parse_move, parse_position
from pavilion_ai.render import describe, draw, move_examples, one_short
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render.analysis_text import analysis_lines
from pavilion_ai.render.columns import set_in_columns, shortened
from pavilion_ai.render.screen import screen
from pavilion_ai.render.summer_text import draw_board
from pavilion_ai.render.text import (
    DIM,
    Span,
    beside,
    breadth,
    colours_wanted,
    commented,
    length,
    line,
    plain,
    wrap,
)
from pavilion_ai.render.words import joined
from pavilion_ai.wording import plural
from tests.cli.pictures import POSITIONS, each
from tests.cli.support import (
    ALL_EXAMPLES,
    AZUL_DRAFT,
    AZUL_WALL,
    BONUS,
    DRAFTING,
    GREY,
    PLACING,
    SUMMER_EXAMPLES,
    contract_games,
    made_up_analysis,
    position_of,
)
from tests.reference import summer_geometry as geometry

SUMMER = GAMES["summer"]
EMPTY = ("......",) * 7


# -- the layout ------------------------------------------------------------------------------


def test_names_numbers_and_features_are_those_of_the_reference() -> None:
    assert list(layout.SITES) == geometry.SITES
    for board in ("coloured", "grey"):
        for site, name in enumerate(layout.SITES):
            for position in range(1, 7):
                expected = geometry.printed_number(board, (name, position))
                assert layout.printed_number(board, site, position) == expected
    named = {
        feature.name: sorted((layout.SITES[site], position) for site, position in feature.spaces)
        for feature in layout.FEATURES
    }
    assert named == {name: sorted(spaces) for name, spaces in geometry.FEATURES.items()}
    for feature in layout.FEATURES:
        assert feature.tiles == geometry.REWARD[feature.kind]


def test_points_of_the_stars() -> None:
    for site, name in enumerate(layout.SITES):
        for position in range(1, 7):
            point = geometry.POINTS[layout.point_of(site, position)]
            assert geometry.position_at(name, point) == position


def cells(board: str, stars: tuple[str, ...]) -> dict[tuple[int, int], str]:
    """Return the two-letter cells of a drawn board by row and column."""
    rows = plain(draw_board(board, stars)).split("\n")
    return {
        (number, column): row[column : column + 2]
        for number, row in enumerate(rows)
        for column in range(0, 38, 3)
        if row[column : column + 2].strip()
    }


def test_the_drawn_board_has_every_space_and_feature_in_its_place() -> None:
    drawn = cells("coloured", EMPTY)
    assert len(drawn) == 42 + 18 + 7
    # RULES.md A3.1 and A3.3, read off by eye: above NW lies its 6, W's 1 is at the top of W, the
    # statue W-NW stands between W.1 and NW.3, the windows lie on the rim.
    assert drawn[0, 12] == " 6"
    assert drawn[3, 6] == " 1"
    assert drawn[3, 9] == "+2"
    assert drawn[3, 12] == " 3"
    assert drawn[3, 18] == " 1"
    assert drawn[4, 0] == "+3"
    assert drawn[4, 12] == "+1"
    assert drawn[9, 24] == " 6"
    assert [drawn[place] for place in ((4, 6), (1, 12), (1, 24), (4, 30), (7, 24), (7, 12))] == [
        "W ", "NW", "NE", "E ", "SE", "SW",
    ]


@pytest.mark.parametrize("feature", layout.FEATURES, ids=lambda feature: feature.name)
def test_a_feature_is_marked_when_it_is_one_short_and_when_it_is_done(feature: Any) -> None:
    *most, last = feature.spaces

    def filled(spaces: Any) -> tuple[str, ...]:
        return tuple(
            "".join("P" if (site, p) in spaces else "." for p in range(1, 7)) for site in range(7)
        )

    before, short, done = (
        cells("grey", filled(spaces)) for spaces in ([], most, [*most, last])
    )
    place, = (at for at, text in done.items() if text == "ok")
    assert before[place] == f"+{feature.tiles}"
    assert short[place] == f"!{feature.tiles}"
    # The feature stands amidst its spaces: the nearest six cells hold at least two of them.
    near = sorted(
        (at for at in done if at != place),
        key=lambda at: (2 * (at[0] - place[0])) ** 2 + (at[1] - place[1]) ** 2,
    )[:6]
    assert sum(done[at].startswith("P") for at in near) >= 2


@pytest.mark.parametrize("data", contract_games(*GAMES)[::2], ids=lambda data: data["id"])
def test_every_position_of_a_game_is_drawn_within_80_columns(data: Any) -> None:
    game = GAMES[data["game"]]
    position = parse_position(data["start"]).position
    for number, move in enumerate([None, *data["moves"]]):
        position = game.apply(position, move) if move else position
        if number % 7:
            continue
        breakdown = game.breakdown(position) if position.phase == "over" else ()
        rows = commented(draw(position, breakdown=breakdown))
        assert max(map(length, rows)) <= 80
        text = plain(rows)
        assert text.isascii()
        for index, seat in enumerate(position.seats):
            assert f"seat {index}  {plural(seat.score, 'point')}" in text


# -- words -----------------------------------------------------------------------------------


@each({name: position for name, position in POSITIONS.items() if position.phase == "over"})
def test_a_finished_game_has_a_winner_and_nothing_to_hope_for(position: Any) -> None:
    drawing, _, _ = plain(draw(position)).partition("\nSpaces: ")
    (winner,) = rules_of(position).winners(position)
    assert f"the game is over: seat {winner} wins\n" in drawing
    assert "one short" not in drawing
    assert not re.search("![0-9]", drawing)
    assert one_short(position) == []


@pytest.mark.parametrize("path", [PLACING, AZUL_WALL], ids=lambda path: path.stem)
def test_a_token_in_an_empty_centre_is_shown(path: Any) -> None:
    left: Any = replace(position_of(path), token=None)
    name = "start player token" if left.game == "summer" else "starting player marker"
    assert f"Displays and centre are empty but for the {name}.\n" in plain(draw(left))


@pytest.mark.parametrize("data", contract_games("summer")[::2], ids=lambda data: data["id"])
def test_words_agree_with_the_rules_for_every_move_played(data: Any) -> None:
    position = parse_position(data["start"]).position
    for move in data["moves"]:
        after = SUMMER.apply(position, move)
        words = describe(position, move)
        if re.match(r"[A-Z]+\.", move):
            seat = position.to_move
            gained = after.seats[seat].score - position.seats[seat].score
            assert f": {gained} point" in words
            promised = re.search(r"\(\+(\d) tiles?\)", words)
            assert (int(promised[1]) if promised else 0) == after.bonus_due
            assert ("statue" in words or "window" in words or "pillar" in words) == bool(
                promised
            ) or not any(position.supply)
        assert "\n" not in words
        assert words.isascii()
        position = after


@pytest.mark.parametrize(
    ("path", "move", "words"),
    [
        (PLACING, "E.2:2B",
         "place blue on E.2 (cost 2) paying 2 blue: 2 points, completes statue E-SE (+2 tiles)"),
        (PLACING, "pass:4B", "pass, keeping 4 blue (-4 points)"),
        (PLACING, "pass:-", "pass, keeping nothing (-8 points)"),
        (BONUS, "bonus:PB", "take 1 purple and 1 wild blue from the supply"),
        (DRAFTING, "D1:P", "take 1 purple and 1 wild green from display 1 (GG to the centre)"),
        (GREY, "C:R", "take 2 red from the centre, with the start token (-2 points)"),
        (GREY, "D3:R", "take 1 red and 1 wild blue from display 3 (PY to the centre)"),
    ],
)
def test_moves_in_words(path: Any, move: str, words: str) -> None:
    assert describe(position_of(path), move) == words


def test_payments_name_the_wild_tiles() -> None:
    found = [
        describe(position, move)
        for path in SUMMER_EXAMPLES
        if (position := position_of(path)).phase == "place"
        for move in SUMMER.legal_moves(position)
        if ":" in move
    ]
    assert all(re.search(r"paying \d \w+|keeping", words) for words in found)


def test_the_last_pass_does_not_count_the_bonuses_of_the_end() -> None:
    for data in contract_games("summer"):
        position = parse_position(data["start"]).position
        for move in data["moves"][:-1]:
            position = SUMMER.apply(position, move)
        assert data["moves"][-1] == "pass:-"
        assert position.to_move is not None
        lost = sum(position.seats[position.to_move].hand)
        said = f" (-{lost} point{'s' * (lost != 1)})" if lost else ""
        assert describe(position, "pass:-") == f"pass, keeping nothing{said}"


@pytest.mark.parametrize("path", ALL_EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_of_moves_are_moves_of_the_game(path: Any) -> None:
    position = position_of(path)
    for text in move_examples(position.game).split(", "):
        assert format_move(parse_move(text, position.game), position.game) == text


@pytest.mark.parametrize("path", ALL_EXAMPLES, ids=lambda path: path.stem)
def test_a_narrow_drawing_has_the_boards_one_under_the_other(path: Any) -> None:
    position = position_of(path)
    above, below = screen(position, ["xx " * 30 + "x"] * position.players, 60)
    rows = plain([*above, *below]).split("\n")
    assert max(map(len, rows)) <= 60
    titles = [row for row in rows if re.match(r"(> |  )x.* points?", row)]
    assert len(titles) == position.players
    assert max(map(len, titles)) <= 38


@pytest.mark.parametrize("path", ALL_EXAMPLES, ids=lambda path: path.stem)
def test_nothing_is_wider_than_the_narrowest_terminal(path: Any) -> None:
    position = position_of(path)
    assert max(map(length, draw(position, width=40))) <= 40
    names = ["a long name, b"] * position.players
    above, below = screen(position, names, 40)
    assert max(map(length, [*above, *below])) <= 40


def test_wide_characters_take_two_columns() -> None:
    assert plain(wrap(["中文 中文"], 8)) == "中文\n中文"
    assert plain(beside([[line("中文")], [line("a")]], 6, 1)) == "中文   a"
    assert shortened("中" * 20, 12) == "中中...中中"
    assert shortened("abcde\u0301fg", 6) == "ab...g"
    assert shortened("abcdefe\u0301g", 6) == "ab...g"
    assert shortened("abcdefe\u0301", 6) == "ab...e\u0301"
    assert breadth("a\u200cb\u200d") == 2
    for path in (DRAFTING, AZUL_DRAFT):
        position = position_of(path)
        titles = [row for name in ("ab" * 30, "中" * 30)
                  for row in plain(screen(position, [name, "(b)"], 78)[1]).split("\n")
                  if row.count("points") == 2]
        assert [breadth(title.split("(b)")[0]) for title in titles] == [42, 42]
    rows = set_in_columns(["中文", "name"], [("games", ["1", "2"])], 40, ranked=False)
    assert {length(row) for row in rows[1:]} == {11}


def test_names_that_differ_stay_different_in_a_table() -> None:
    names = [f"player {number}, {game}" for number in range(3) for game in ("azul", "summer")]
    columns = [(str(number), ["12.50"] * len(names)) for number in range(12)]
    rows = plain(set_in_columns(names, columns, 80, ranked=False)).split("\n")
    assert len({row.split("12.50")[0] for row in rows if "12.50" in row}) == len(names)
    assert max(map(len, rows)) <= 80
    same = ["the same long name"] * 2
    assert "the s...name" in plain(set_in_columns(same, columns[:1], 18, ranked=False))
    alike = ["a" * 100 + sign + "b" * 100 for sign in "xyz"]  # shown at no width
    rows = plain(set_in_columns(alike, [("x", ["1"] * 3)], 60, ranked=True)).split("\n")
    assert max(map(len, rows)) == 60


def test_a_single_point_is_one() -> None:
    position = replace(position_of(PLACING), seats=tuple(
        replace(seat, score=1) for seat in position_of(PLACING).seats))
    assert "seat 0  1 point " in plain(draw(position))


def test_the_grey_legend_names_the_spaces_as_they_lie() -> None:
    for path in SUMMER_EXAMPLES:
        position = position_of(path)
        text = " ".join(plain(draw(position)).split())
        assert ("Names: C.1 is at the top" in text) == (position.board == "grey")
    assert layout.point_of(layout.CENTRE, 1) == 0
    for site in range(6):
        costs = [layout.printed_number("grey", site, at) for at in range(1, 7)]
        assert costs == [3, 2, 1, 4, 5, 6]


# -- plain building blocks -------------------------------------------------------------------


def test_wrap_breaks_at_blanks_and_indents() -> None:
    rows = wrap(["one two three", Span(" four", DIM)], 9, 2)
    assert plain(rows) == "one two\n  three\n  four"
    assert plain(wrap(["unbreakable"], 5)) == "unbreakable"
    assert plain(wrap(["in unbreakable"], 5, 2, split=True)).splitlines() == [
        "in", "  unb", "  rea", "  kab", "  le"]
    assert plain(wrap(["a/bc/def /gh"], 5, split=True)).splitlines() == ["a/bc/", "def", "/gh"]
    assert plain(wrap(["中文"], 1, split=True)).splitlines() == ["中", "文"]
    assert plain(wrap(["is 50.6 +-1.4 %, and"], 15)).splitlines() == ["is", "50.6 +-1.4 %,", "and"]
    for kept in ("0.01 s,", "5 ms", "2 min", "3 h", "64 MiB.", "1.5 kB,", "90 MB", "2 GiB",
                 "(-2.25 to +2.25)", "95 to 325.5)", "0.5 % to 0.7 %,"):
        assert plain(wrap([f"is {kept} and"], len(kept) + 2)).splitlines() == ["is", kept, "and"]
    assert plain(wrap(["go to 5 sons"], 5)).splitlines() == ["go to", "5", "sons"]
    assert plain(wrap(["5 hours"], 5)).splitlines() == ["5", "hours"]
    assert wrap([""], 5) == [()]


def test_blocks_stand_side_by_side() -> None:
    assert plain(beside([[line("ab")], [line("c"), line("d")]], 4, 1)) == "ab   c\n     d"


def test_joined_words() -> None:
    assert joined([]) == "nothing"
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colours_follow_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, variables: dict[str, str], expected: bool
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with open(tmp_path / "out", "w") as stream:
        assert colours_wanted(stream) is expected


@pytest.mark.parametrize(("term", "expected"), [("xterm", True), ("dumb", False)])
def test_a_terminal_has_colours_unless_it_is_dumb(
    monkeypatch: pytest.MonkeyPatch, term: str, expected: bool
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", term)
    stream = StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    assert colours_wanted(stream) is expected


def test_rows_with_few_visits_are_greyed() -> None:
    found = made_up_analysis()
    for shown in (
        found,
        replace(found, sims=100),  # the rest of the visits is of earlier searches
        replace(found, only=("W.2:2P", "E.2:2B"), root=replace(found.root, visits=10**6)),
    ):
        rows = analysis_lines(shown, None)
        grey = [plain([row]).split()[1] for row in rows[4:] if row and row[0].style == DIM]
        assert grey == ["pass:2P2B", "pass:4B"]


def test_the_table_has_the_numbers_of_the_seat_to_move() -> None:
    rows = plain(analysis_lines(replace(made_up_analysis(), to_move=1), None)).splitlines()
    assert rows[0] == "seat 1 to move, wins 39.0 %, expected scores 81 : 78"
    assert rows[4].split()[:6] == ["1", "E.2:2B", "9500", "61.8", "+-2.02", "78.0"]


@pytest.mark.parametrize(("asked", "said"), [
    ({}, ""), ({"only": ("W.2:2P",)}, " with this move"),
    ({"only": ("W.2:2P", "pass:4B")}, " with the best of these moves"),
    ({"compare": ("W.2:2P", "pass:4B")}, " with the best of these moves"),
    ({"even": 2}, " with the best of these moves"),
    ({"avoid": ("pass:4B",)}, " without what is avoided")])
def test_a_table_of_some_moves_says_so(asked: dict[str, Any], said: str) -> None:
    rows = plain(analysis_lines(replace(made_up_analysis(), **asked), None)).splitlines()
    start = "seat 0 to move, wins 61.0 %, expected scores 81 : 78"
    assert " ".join(rows[:rows.index("")]).startswith(f"{start}{said} 10,000 simulations")


def test_a_narrow_terminal_cuts_the_variation() -> None:
    rows = analysis_lines(made_up_analysis(), None, width=70)
    assert max(map(length, rows)) <= 70
    assert "..." in plain(rows)
    rows = analysis_lines(made_up_analysis(), None, width=40)
    assert max(map(length, rows)) <= 40
    assert "  # move          visits         win %\n  score   lead  then\n" in plain(rows)
