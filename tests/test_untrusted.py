"""The reader of foreign JSON: strict, bounded, one wording, nothing raw in a message."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavilion_ai.errors import PositionError, Problem, RecordError
from pavilion_ai.untrusted import (
    NestingError,
    Node,
    has_more_values,
    refusal,
    strict_json,
    strict_json_at,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def node(value: object, where: str = "page") -> Node:
    return Node(value, where, refusal(RecordError))


# ------------------------------------------------------------------------------ decoding


@given(JSON)
def test_strict_json_reads_what_json_writes(value: object) -> None:
    text = json.dumps(value)
    assert strict_json(text) == value
    assert strict_json_at(f"xyz {text} more", 4) == value


@pytest.mark.parametrize(("text", "message"), [
    ('{"a": 1, "b": 2, "a": 3}', "found the key 'a' twice in one object, expected it once"),
    ('[{"\\u001b[2J": 1, "\\u001b[2J": 1}]', r"found the key '\x1b[2J' twice"),
    ("NaN", "found NaN, expected a JSON number"),
    ("[-Infinity]", "found -Infinity, expected a JSON number"),
    ("1e999", "found the number '1e999', expected at most 1e308"),
    ("9" * 1001, "found a number of 1001 digits, expected at most 1000"),
    ("[" * 100_000, "nested too deeply"),
    ('{"a":' * 100_000, "nested too deeply"),
    ("", "Expecting value"),
    ("[1] 2", "Extra data"),
    ("[\u0661]", "Expecting value"),  # a digit of another script
])
def test_what_is_not_strict_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        strict_json(text)
    assert isinstance(caught.value, NestingError) == ("nested too deeply" in message)


def test_large_numbers_within_the_bounds_are_read() -> None:
    assert strict_json("9" * 1000) == int("9" * 1000)
    assert strict_json("[1e308, -1e308, 1e-999]") == [1e308, -1e308, 0.0]


def test_objects_of_many_keys_are_read_quickly() -> None:
    text = json.dumps({str(key): 0 for key in range(300_000)})
    begun = time.process_time()
    with pytest.raises(ValueError, match="found the key '5' twice"):
        strict_json(text[:-1] + ', "5": 0}')
    assert time.process_time() - begun < 5


def count(value: object) -> int:
    """Return the number of values in a value, itself included."""
    if isinstance(value, dict):
        return 1 + sum(map(count, value.values()))
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1


@given(JSON | st.text(alphabet=',[{"\\\\a'))
def test_more_values_are_noticed_undecoded(value: object) -> None:
    raw = json.dumps(value).encode()
    assert has_more_values(raw, count(value) - 1)
    assert not has_more_values(raw, 2 * count(value))  # an empty list may count as two


# ------------------------------------------------------------------------------ values

PAGE = {"count": 7, "share": 0.5, "name": "x", "list": [1, "2"], "none": None, "flag": True,
        "inner": {"two words": 1, "\x1b[31m": 2}}


@pytest.mark.parametrize(("read", "message"), [
    (lambda page: page["count"].whole(0, 6), "page.count: found 7, expected a whole number from 0"
                                             " to 6"),
    (lambda page: page["share"].whole(), "page.share: found 0.5, expected a whole number"),
    (lambda page: page["flag"].whole(0, 1), "page.flag: found true, expected a whole number from 0"
                                            " to 1"),
    (lambda page: page["flag"].real(0, 1), "page.flag: found true, expected a number from 0 to 1"),
    (lambda page: page["count"].real(0, 1, "a share"), "page.count: found 7, expected a share"),
    (lambda page: page["count"].text(), "page.count: found 7, expected a string"),
    (lambda page: page["none"].text(), "page.none: found null, expected a string"),
    (lambda page: page["other"].text(), "page.other: found no such key, expected a string"),
    (lambda page: page["other"]["more"], "page.other: found no such key, expected an object"),
    (lambda page: page["name"]["more"], "page.name: found 'x', expected an object"),
    (lambda page: page["count"].truth(), "page.count: found 7, expected true or false"),
    (lambda page: page["name"].choice(["y", "z"]), "page.name: found 'x', expected one of y, z"),
    (lambda page: page["list"].choice(["y"]), "page.list: found a list of 2, expected one of y"),
    (lambda page: page["count"].items(), "page.count: found 7, expected a list"),
    (lambda page: page["list"].items(0, 1), "page.list: found a list of 2, expected a list of 0 to"
                                            " 1 entries"),
    (lambda page: page["list"].items(0, 0), "page.list: found a list of 2, expected a list of 0 to"
                                            " 0 entries"),
    (lambda page: page["list"].items(3, 3, "three"), "page.list: found a list of 2, expected"
                                                     " three"),
    (lambda page: page["list"].items()[1].whole(), "page.list[1]: found '2', expected a whole"
                                                   " number"),
    (lambda page: page["list"].list_of({int}, "a number", "numbers"),
     "page.list[1]: found '2', expected a number"),
    (lambda page: page["name"].list_of({int}, "a number", "numbers"),
     "page.name: found 'x', expected numbers"),
    (lambda page: page["inner"].only(["more"]),
     "page.inner['two words']: found an unknown key, expected one of more"),
    (lambda page: page["inner"]["\x1b[31m"].text(),
     r"page.inner['\x1b[31m']: found 2, expected a string"),
    (lambda page: page["inner"].of({"a": "b"}, "each")["a"].whole(),
     "each.a: found 'b', expected a whole number"),
])
def test_refusals_tell_place_found_and_expected(
    read: Callable[[Node], object], message: str
) -> None:
    with pytest.raises(RecordError) as caught:
        read(node(PAGE))
    assert str(caught.value) == message


def test_a_place_within_a_file_stands_apart_from_it() -> None:
    page = Node(PAGE, "", refusal(RecordError, "file, line 2"))
    with pytest.raises(RecordError, match=r"^file, line 2: count: found 7, expected a string$"):
        page["count"].text()
    with pytest.raises(RecordError, match=r"^file, line 2: found an object, expected a string$"):
        page.text()


def test_what_is_expected_is_returned() -> None:
    page = node(PAGE)
    assert page["count"].whole(7, 7) == 7
    assert page["count"].real(0, 9) == 7.0
    assert page["share"].real(0.5, 0.5) == 0.5
    assert page["flag"].truth() is True
    assert page["name"].choice(("x", "y")) == page["name"].text() == page["name"].word() == "x"
    assert [one.value for one in page["list"].items(2, 2)] == [1, "2"]
    assert page["list"].list_of({int, str}, "", "") == [1, "2"]
    assert ("name" in page, "none" in page, "other" in page) == (True, False, False)
    assert (page["none"].missing, page["other"].missing) == (False, True)
    assert page.get("other", 5).whole() == 5
    page.only(PAGE)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "1", None, [1]])
def test_numbers_out_of_all_bounds_are_refused(value: object) -> None:
    with pytest.raises(RecordError, match=r"^page: found .*, expected a number from 0 to 1e\+09$"):
        node(value).real(0, 1e9)


@pytest.mark.parametrize("value", ["", " ", "a\nb", "a\x7f", "\x1b", 5])
def test_words_can_be_printed(value: object) -> None:
    with pytest.raises(RecordError, match="expected a word"):
        node(value).word()


def test_a_long_list_costs_nothing() -> None:
    value = [0] * 5_000_000
    begun = time.process_time()
    with pytest.raises(RecordError, match="found a list of 5000000, expected at most four"):
        node(value).items(high=4, expected="at most four")
    assert time.process_time() - begun < 0.5


@given(st.text(), JSON)
def test_no_message_holds_anything_raw(key: str, value: object) -> None:
    for read in (lambda page: page[key].refuse("nothing"), lambda page: page.only(())):
        with pytest.raises(RecordError) as caught:
            read(node({key: value}))
        message = str(caught.value)
        assert message.isprintable()
        assert len(message) < 1500  # 60 letters of a key and of a value, each escaped


def test_many_long_problems_have_an_end() -> None:
    """A hundred unknown keys of a position, each with all known ones, were told on 28 kB."""
    problems = [Problem("syntax", f"seats[{number}]", "found " + "x" * 300)
                for number in range(150)]
    told = PositionError(problems).in_one_line
    assert told.startswith("seats[0]: found x")
    assert len(told) < 16_000
    whole = told.count("[syntax]")
    assert told.endswith(f"; and {150 - whole} more problems")
    assert PositionError(problems[:2]).in_one_line == f"{problems[0]}; {problems[1]}"
    longest = Problem("syntax", "", "x" * 20_000)
    assert PositionError([problems[0], longest]).in_one_line.endswith("; and 1 more problem")
    assert PositionError([longest]).in_one_line == str(longest)
