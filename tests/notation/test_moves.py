"""Moves and multisets as strings, both ways."""

from typing import Any

import pytest

from pavilion_ai.errors import InvalidMoveError, SpecError
from pavilion_ai.notation import (
    Bonus,
    Deal,
    Draft,
    DraftTo,
    Pass,
    Place,
    Supply,
    Wall,
    format_move,
    format_tiles,
    parse_move,
    parse_tiles,
)

from .samples import GAMES, lines

LETTERS = "PGOYBR"


@pytest.mark.parametrize(("text", "tiles"), [
    ("2PG3O", (2, 1, 3, 0, 0, 0)),
    ("PPGOOO", (2, 1, 3, 0, 0, 0)),
    ("2P + G + 3O", (2, 1, 3, 0, 0, 0)),
    ("OPGOPO", (2, 1, 3, 0, 0, 0)),
    (" 3O  G 2P ", (2, 1, 3, 0, 0, 0)),
    ("2 P+G+3 O", (2, 1, 3, 0, 0, 0)),
    ("1P", (1, 0, 0, 0, 0, 0)),
    ("10P10P", (20, 0, 0, 0, 0, 0)),
    (" - ", (0, 0, 0, 0, 0, 0)),
])
def test_multisets(text: str, tiles: tuple[int, ...]) -> None:
    assert parse_tiles(text, LETTERS) == tiles


def test_canonical_multisets() -> None:
    assert format_tiles((2, 1, 3, 0, 0, 0), LETTERS) == "2PG3O"
    assert format_tiles((0, 0, 0, 0, 0, 22), LETTERS) == "22R"
    assert format_tiles((0,) * 6, LETTERS) == "-"


@pytest.mark.parametrize(("text", "move"), [
    ("D3:G", Draft(2, 1)),
    ("D9:R", Draft(8, 5)),
    ("C:P", Draft(None, 0)),
    ("NW.4:O3P", Place(1, 4, 2, (3, 0, 1, 0, 0, 0))),
    ("W.2:2P", Place(0, 2, 0, (2, 0, 0, 0, 0, 0))),
    ("C.6:3R3B", Place(6, 6, 5, (0, 0, 0, 0, 3, 3))),
    ("bonus:2PG", Bonus((2, 1, 0, 0, 0, 0))),
    ("pass:2PG", Pass((2, 1, 0, 0, 0, 0))),
    ("pass:-", Pass((0,) * 6)),
    ("deal:2PGO,4R,-", Deal(((2, 1, 1, 0, 0, 0), (0, 0, 0, 0, 0, 4), (0,) * 6))),
    ("supply:PG", Supply((1, 1, 0, 0, 0, 0))),
])
def test_both_ways(text: str, move: object) -> None:
    assert parse_move(text, "summer") == move
    assert format_move(parse_move(text, "summer"), "summer") == text


@pytest.mark.parametrize(("text", "canonical"), [
    ("pass:G + 2P", "pass:2PG"),
    ("bonus:GPP", "bonus:2PG"),
    ("NW.4:OPPP", "NW.4:O3P"),
    ("NW.4:3PO", "NW.4:3PO"),
    ("deal:GP,- ,RRRR", "deal:PG,-,4R"),
])
def test_tolerated(text: str, canonical: str) -> None:
    assert format_move(parse_move(text, "summer"), "summer") == canonical


@pytest.mark.parametrize(("text", "move"), [
    ("D3:R>4", DraftTo(2, 2, 3)),
    ("D9:B>1", DraftTo(8, 0, 0)),
    ("C:R>F", DraftTo(None, 2, None)),
    ("C:W>5", DraftTo(None, 4, 4)),
    ("wall:2>3", Wall(1, 2)),
    ("wall:5>F", Wall(4, None)),
    ("deal:2BRW,4K,-", Deal(((2, 0, 1, 0, 1), (0, 0, 0, 4, 0), (0,) * 5))),
])
def test_both_ways_with_lines_and_columns(text: str, move: object) -> None:
    assert parse_move(text, "azul") == move
    assert format_move(parse_move(text, "azul"), "azul") == text


LENIENT = {
    "summer": [
        (" c:g ", "C:G"), ("d3 : g", "D3:G"), ("nw.4:o3p", "NW.4:O3P"), ("PASS:-", "pass:-"),
        ("Bonus: 2p g", "bonus:2PG"),
    ],
    "azul": [
        (" c:r>f ", "C:R>F"), ("d3 : r > 4", "D3:R>4"), ("WALL:2>f", "wall:2>F"),
        ("Deal: 2b + r, -", "deal:2BR,-"),
    ],
}
INVALID = {
    "summer": [
        "", ":", "D:G", "D0:G", "D03:G", "D3:", "D3:GG", "D3:X", "D3", "C:-", "E1:G", "NW:O",
        "NW.7:O", "NW.0:O", "NW.4:", "NW.4:-", "X.1:P", "C.1.2:P", "bonus:", "bonus:-", "pass",
        "pass:", "pass:x", "deal:", "deal", "supply:-", "supply:", "supply:P,G", "wall:2>3",
        "D3:R>4", "D10:G", "pass:00P", "pass:10000P", "D3:G\n", "\u0000", "\uff243:G",
        "bonus:\u00b2P",
    ],
    "azul": [
        "", ":", "D3:R", "C:R", "D3:R>", "D3:>4", "D3:R>0", "D3:R>6", "D3:R>f", "D3:RR>4",
        "D3:G>4", "D0:R>4", "D03:R>4", "D3:R>>4", "D3:R>4>4", "D3:R>4 ", "D3:R>44", "E1:R>4",
        "wall", "wall:", "wall:2", "wall:F>2", "wall:2>", "wall:2>6", "wall:0>2", "wall:6>1",
        "wall:2>3,3>1", "pass:-", "pass", "bonus:B", "supply:B", "NW.4:B", "deal:P", "deal:",
        "draft_to:R", "D99:R>4", "draft:R", "wall:\u00b2>3", "D3:R>\uff14", "wall:2>F\n",
    ],
}


@pytest.mark.parametrize(
    ("game", "text", "canonical"),
    [(game, *pair) for game, pairs in LENIENT.items() for pair in pairs])
def test_lenient(game: str, text: str, canonical: str) -> None:
    assert format_move(parse_move(text, game, lenient=True), game) == canonical
    with pytest.raises(InvalidMoveError):
        parse_move(text, game)


@pytest.mark.parametrize(
    ("game", "text"), [(game, text) for game, texts in INVALID.items() for text in texts])
def test_invalid(game: str, text: str) -> None:
    with pytest.raises(InvalidMoveError, match="expected"):
        parse_move(text, game)


def test_another_game() -> None:
    with pytest.raises(SpecError, match="game 'chess': expected one of"):
        parse_move("D1:G", "chess")
    with pytest.raises(SpecError, match="game 'chess': expected one of"):
        format_move(parse_move("D1:G", "summer"), "chess")


@pytest.mark.parametrize(("game", "move"), [
    ("summer", Draft(-3, 1)), ("summer", Draft(0, 6)), ("summer", Draft(0, -1)),
    ("summer", Draft(0, None)), ("azul", Draft(1, 2)), ("summer", "D1:G"), ("summer", None),
    ("azul", DraftTo(0, 0, 5)), ("azul", Wall(-1, 0)), ("summer", Bonus((0,) * 6)),
    ("summer", Place(1, 4, 2, (3, 0, 0, 0, 0, 0))), ("summer", Place(9, 1, 0, (1, 0, 0, 0, 0, 0))),
    ("azul", Deal(((1, 0, 0, 0, 0),) * 10)), ("summer", Pass((-1, 0, 0, 0, 0, 0))),
])
def test_moves_that_no_text_stands_for(game: str, move: Any) -> None:
    with pytest.raises(InvalidMoveError, match=r"^found .*, expected "):
        format_move(move, game)


@pytest.mark.parametrize(("game", "text", "reason"), [
    ("summer", "E1:G", "expected a source such as D3 or C, a space such as NW.4, bonus, pass,"),
    ("summer", "D3:R>4", "expected one colour letter of PGOYBR"),
    ("azul", "NW.4:O", "expected a source such as D3 or C, wall, deal"),
    ("azul", "D3:R", "a line, 1 to 5, or F for the floor line"),
    ("azul", "D3:R>7", "found '7', expected a line from 1 to 5 or F for the floor line"),
    ("azul", "D3:P>4", "found 'P' before '>', expected one colour letter of BYRKW"),
    ("azul", "wall:2>9", "found '9', expected a column from 1 to 5 or F for the floor line"),
    ("azul", "wall:F>1", "found 'F', expected a line from 1 to 5"),
    ("azul", "wall:2", "expected a line, '>' and a column"),
    ("azul", "nonsense", "expected a move such as D3:R>4 or C:R>F (draft), wall:2>3, wall:2>F,"),
])
def test_what_was_expected(game: str, text: str, reason: str) -> None:
    with pytest.raises(InvalidMoveError) as caught:
        parse_move(text, game)
    assert reason in str(caught.value)


@pytest.mark.parametrize("game", GAMES)
def test_every_sample_move_is_canonical(game: str) -> None:
    count = 0
    for kind in ("positions", "transitions", "games"):
        for board in ("coloured", "grey"):
            for line in lines(f"{kind}_{game}_{board}.jsonl", game):
                for text in (*line.get("moves", ()), *([line["move"]] if "move" in line else [])):
                    assert format_move(parse_move(text, game), game) == text
                    count += 1
    assert count > 1000
