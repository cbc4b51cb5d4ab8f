"""Moves and multisets as strings, both ways."""

import pytest

from pavilion_ai.errors import InvalidMoveError
from pavilion_ai.notation import (
    Bonus,
    Deal,
    Draft,
    Pass,
    Place,
    Supply,
    format_move,
    format_tiles,
    parse_move,
    parse_tiles,
)

from .samples import lines

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


@pytest.mark.parametrize(("text", "canonical"), [
    (" c:g ", "C:G"), ("d3 : g", "D3:G"), ("nw.4:o3p", "NW.4:O3P"), ("PASS:-", "pass:-"),
    ("Bonus: 2p g", "bonus:2PG"),
])
def test_lenient(text: str, canonical: str) -> None:
    assert format_move(parse_move(text, "summer", lenient=True), "summer") == canonical
    with pytest.raises(InvalidMoveError):
        parse_move(text, "summer")


@pytest.mark.parametrize("text", [
    "", ":", "D:G", "D0:G", "D03:G", "D3:", "D3:GG", "D3:X", "D3", "C:-", "E1:G", "NW:O", "NW.7:O",
    "NW.0:O", "NW.4:", "NW.4:-", "X.1:P", "C.1.2:P", "bonus:", "bonus:-", "pass", "pass:", "pass:x",
    "deal:", "deal", "supply:-", "supply:", "supply:P,G", "wall:2>3", "D3:R>4", "pass:00P",
    "D3:G\n", "\u0000", "\uff243:G", "bonus:\u00b2P",
])
def test_invalid(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="expected"):
        parse_move(text, "summer")


def test_every_sample_move_is_canonical() -> None:
    for name in ("positions_summer_coloured.jsonl", "positions_summer_grey.jsonl"):
        for line in lines(name):
            for text in line.get("moves", ()):
                assert format_move(parse_move(text, "summer"), "summer") == text
