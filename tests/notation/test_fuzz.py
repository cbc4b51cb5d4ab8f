"""Whatever is thrown at the parsers: a position or a `PositionError`, nothing else.

Any text of a position is the fuzzers' (tests/fuzz); here are values that are no text, codes with a
sound check, tiles and moves.
"""

import binascii
import json
import string
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavilion_ai.errors import InvalidMoveError, PositionError
from pavilion_ai.notation import (
    format_move,
    format_position,
    format_tiles,
    parse_move,
    parse_position,
    parse_tiles,
)
from pavilion_ai.notation.code import _read
from pavilion_ai.position import TABLES
from tests.fuzz.targets import check_position

from .samples import GAMES, made_up, sample_positions

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12)
RAW = [raw for game in GAMES for _, raw in sample_positions(game)][::9]


@settings(max_examples=100)
@given(JSON)
def test_any_json(value: Any) -> None:
    check_position(value)
    check_position(json.dumps(value))


@settings(max_examples=300)
@given(st.sampled_from(RAW), JSON, st.data())
def test_any_value_anywhere(raw: dict[str, Any], value: Any, data: st.DataObject) -> None:
    copy = json.loads(json.dumps(raw))
    place: Any = copy
    for _ in range(data.draw(st.integers(0, 3))):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        inner = [key for key in keys if isinstance(place[key], (dict, list)) and place[key]]
        if not inner:
            break
        place = place[data.draw(st.sampled_from(inner))]
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    place[data.draw(st.sampled_from(keys))] = value
    check_position(copy)
    check_position(json.dumps(copy))


@pytest.mark.parametrize("game", GAMES)
def test_every_changed_character_of_a_code_is_noticed(game: str) -> None:
    random = Random(5)
    for seed in range(3):
        code = format_position(made_up(game, seed), "code")
        for at in range(len(code)):
            other = random.choice(sorted(set(string.ascii_letters + string.digits + ".:/-_")
                                         - {code[at]}))
            with pytest.raises(PositionError):
                parse_position(code[:at] + other + code[at + 1:])
            with pytest.raises(PositionError):
                parse_position(code[:at])
            with pytest.raises(PositionError):
                parse_position(code[:at] + code[at + 1:])


@pytest.mark.parametrize("game", GAMES)
def test_a_damaged_code_says_so(game: str) -> None:
    code = format_position(made_up(game, 1), "code")
    with pytest.raises(PositionError, match="damaged or cut off"):
        parse_position(code[:-9])
    with pytest.raises(PositionError, match="found version '2', expected 1"):
        parse_position(code.replace(f"{game}.1.", f"{game}.2."))
    with pytest.raises(PositionError, match=r"expected GAME\.VERSION\.BOARD\.PLAYERS"):
        parse_position(code[3:])


def test_items_of_one_field_are_not_compared_with_each_other() -> None:
    compared: list[object] = []

    class Item(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            compared.append(other)
            return str.__eq__(self, other)

    class Section(str):
        __slots__ = ()

        def split(self, *_: object) -> list[str]:
            return [Item(f"r{number}") for number in range(50)]

    fields = [field for field in TABLES["azul"].fields if field.tag == "r"]
    with pytest.raises(PositionError, match="expected one item for round"):
        _read(Section("r0"), fields, "position")
    assert len(compared) < 200


@settings(max_examples=200)
@given(st.sampled_from(GAMES), st.integers(0, 10**6), st.data())
def test_a_changed_code_with_a_sound_check(game: str, seed: int, data: st.DataObject) -> None:
    body = format_position(made_up(game, seed), "code").rpartition("/")[0]
    at = data.draw(st.integers(0, len(body) - 1))
    put = data.draw(st.text(alphabet="./:-BYRKWPGOx0123456789abflmprs", max_size=4))
    body = body[:at] + put + body[at + data.draw(st.integers(0, 12)):]
    check_position(f"{body}/{binascii.crc_hqx(body.encode(), 0xFFFF):04x}")


@settings(max_examples=300)
@given(st.text(max_size=12) | st.text(alphabet="PGOYBR0129 +-", max_size=12))
def test_any_multiset(text: str) -> None:
    try:
        tiles = parse_tiles(text, "PGOYBR")
    except ValueError as error:
        assert "expected" in str(error)  # noqa: PT017
    else:
        assert parse_tiles(format_tiles(tiles, "PGOYBR"), "PGOYBR") == tiles


@settings(max_examples=400)
@given(st.sampled_from(GAMES), st.text(max_size=20)
       | st.text(alphabet="DC0123456789.:>PGOYBRKWFNSEWbonuspadelyw,-+ ", max_size=20)
       | st.builds("{}:{}".format,
                   st.sampled_from(["D3", "C", "NW.4", "bonus", "pass", "deal", "supply", "wall"]),
                   st.text(alphabet="PGOYBRKWF>123456,-+ ", max_size=12)))
def test_any_move(game: str, text: str) -> None:
    for lenient in (False, True):
        try:
            move = parse_move(text, game, lenient=lenient)
        except InvalidMoveError as error:
            assert "expected" in str(error)  # noqa: PT017
        else:
            canonical = format_move(move, game)
            assert parse_move(canonical, game) == move
            assert " " not in canonical
