"""Bad positions are refused with all their problems, each with kind and place."""

import json
import time
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from pavilion_ai.errors import PositionError
from pavilion_ai.notation import FORMS, format_position, parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.position import Status, validate

from .reading import found, problems
from .samples import lines, make_position, sample_positions

Raw = dict[str, Any]


def sample(phase: str, want: Callable[[Raw], bool] = lambda raw: True) -> Raw:
    """Return a fresh copy of the first sample position in that phase."""
    for _, raw in sample_positions():
        if raw["phase"] == phase and want(raw):
            return json.loads(json.dumps(raw))  # type: ignore[no-any-return]
    raise LookupError(phase)


BAD = [line for line in lines("bad_positions.jsonl")
       if not (isinstance(line["position"], dict) and line["position"].get("game") == "azul")]


@pytest.mark.parametrize("line", BAD, ids=[line["reason"] for line in BAD])
def test_samples(line: Raw) -> None:
    assert found(line["position"]) == [(line["kind"], line["where"])]
    if isinstance(line["position"], dict):
        assert found(json.dumps(line["position"])) == [(line["kind"], line["where"])]


FIELDS: dict[tuple[str, str], tuple[Any, ...]] = {
    ("type", "round"): (1.0, "3", float("nan")),
    ("range", "round"): (0, 7, 10**400),
    ("type", "board"): (None,),
    ("range", "board"): ("gray",),
    ("type", "game"): (1,),
    ("range", "game"): ("chess",),
    ("type", "phase"): (["draft"],),
    ("type", "to_move"): (True, "0"),
    ("range", "to_move"): (-1,),
    ("type", "start_seat"): (None,),
    ("type", "token"): (False,),
    ("range", "token"): (4,),
    ("type", "bonus_due"): (False,),
    ("range", "bonus_due"): (4, -1),
    ("type", "displays"): ({},),
    ("range", "displays"): (["-"] * 6,),
    ("type", "displays[2]"): (["-", "-", 3, "-", "-"],),
    ("type", "centre"): (None,),
    ("syntax", "centre"): ("", "p", "01P", "0P", "2", "P-", "+P", "P+", "P++G", "P\n", "\uff19P",
                           "9" * 5000 + "P", "\ud800"),
    ("type", "supply"): (["P"],),
    ("range", "supply"): ("11P",),
    ("type", "bag"): (7,),
    ("syntax", "bag"): ("7X",),
    ("type", "bag_size"): ("82", True),
    ("range", "bag_size"): (-1,),
    ("type", "seats"): ({}, "two"),
    ("range", "seats"): ([],),
    ("phase", "next_to_move"): (0,),
}
"""Kind and place of a problem, and the values of that field which have it."""


@pytest.mark.parametrize(
    ("problem", "value"), [(problem, value) for problem, some in FIELDS.items() for value in some])
def test_one_wrong_field(problem: tuple[str, str], value: Any) -> None:
    raw = sample("place", lambda raw: len(raw["seats"]) == 2)
    assert problem in found({**raw, problem[1].removesuffix("[2]"): value})


SEAT_FIELDS: dict[tuple[str, str], tuple[Any, ...]] = {
    ("type", "score"): (None, True),
    ("range", "score"): (0, -5, 100_000, 10**30),
    ("type", "hand"): (3,),
    ("syntax", "hand"): ("x",),
    ("range", "kept"): ("5P",),
    ("type", "passed"): (0, "no", None),
    ("type", "stars"): (["......"] * 7, "......"),
}


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [(*problem, value) for problem, some in SEAT_FIELDS.items() for value in some])
def test_one_wrong_field_of_a_seat(kind: str, name: str, value: Any) -> None:
    raw = sample("draft")
    raw["seats"][0][name] = value
    assert (kind, f"seats[0].{name}") in found(raw)


@pytest.mark.parametrize(("board", "site", "star", "kind"), [
    ("coloured", "W", "G.....", "board"),
    ("coloured", "C", "PP....", "board"),
    ("grey", "C", "PPG...", "board"),
    ("grey", "W", "PGP...", "board"),
    *(("grey", "W", star, "syntax") for star in ("p.....", ".......", "")),
    *(("grey", "W", star, "type") for star in (None, ["."] * 6)),
])
def test_stars(board: str, site: str, star: Any, kind: str) -> None:
    raw = sample("draft", lambda raw: raw["board"] == board)
    raw["seats"][1]["stars"][site] = star
    assert (kind, f"seats[1].stars.{site}") in found(raw)


def test_every_missing_key() -> None:
    for phase in ("draft", "supply"):
        raw = sample(phase)
        for name in set(raw) - {"bag", "tower", "bag_size"}:
            assert found({key: raw[key] for key in raw if key != name})[0] == ("missing", name)
    raw = sample("draft")
    for name in raw["seats"][1]:
        seat = {key: value for key, value in raw["seats"][1].items() if key != name}
        assert found({**raw, "seats": [raw["seats"][0], seat, *raw["seats"][2:]]}) == [
            ("missing", f"seats[1].{name}")]
    del raw["seats"][0]["stars"]["SE"]
    assert found(raw) == [("missing", "seats[0].stars.SE")]


def test_a_slip_in_a_key_is_pointed_out() -> None:
    raw = sample("draft")
    raw["start_set"] = raw.pop("start_seat")
    assert "is 'start_set' a slip" in problems(raw)[0].message


def change(raw: Raw, **values: Any) -> Raw:
    """Change fields; `hand0`, `kept1`, `passed0` are those of a seat. Tiles come from the bag."""
    raw = {**raw, "bag": None, "tower": None, "bag_size": None}
    for name, value in values.items():
        if name[-1].isdigit():
            raw["seats"][int(name[-1])][name[:-1]] = value
        else:
            raw[name] = value
    return raw


EMPTY = ["-"] * 5
PHASES: list[tuple[str, Raw, str]] = [
    ("draft", {"displays": EMPTY, "centre": "-"}, "phase"),
    ("draft", {"to_move": None}, "to_move"),
    ("draft", {"bonus_due": 1}, "bonus_due"),
    ("draft", {"kept0": "P"}, "seats[0].kept"),
    ("draft", {"passed1": True}, "seats[1].passed"),
    ("draft", {"next_to_move": 1}, "next_to_move"),
    ("place", {"displays": ["P", *EMPTY[1:]]}, "phase"),
    ("place", {"centre": "P"}, "phase"),
    ("place", {"to_move": None}, "to_move"),
    ("place", {"to_move": 0, "passed0": True, "hand0": "-"}, "to_move"),
    ("place", {"kept0": "P", "passed0": False}, "seats[0].kept"),
    ("place", {"to_move": 1, "passed0": True, "hand0": "P"}, "seats[0].hand"),
    ("place", {"bonus_due": 2}, "bonus_due"),
    ("bonus", {"bonus_due": 0}, "bonus_due"),
    ("bonus", {"bonus_due": 3, "supply": "2P"}, "bonus_due"),
    ("bonus", {"to_move": None}, "to_move"),
    ("bonus", {"centre": "P"}, "phase"),
    ("supply", {"to_move": 0}, "to_move"),
    ("supply", {"supply": "10P"}, "phase"),
    ("supply", {"centre": "G"}, "phase"),
    ("supply", {"next_to_move": None, "passed0": False, "kept0": "-"}, "next_to_move"),
    ("supply", {"next_to_move": 0, "passed0": True, "hand0": "-"}, "next_to_move"),
    ("deal", {"round": 1}, "phase"),
    ("deal", {"token": 0}, "token"),
    ("deal", {"to_move": 1}, "to_move"),
    ("deal", {"displays": ["P", *EMPTY[1:]]}, "phase"),
    ("deal", {"centre": "P"}, "phase"),
    ("deal", {"kept1": "P"}, "seats[1].kept"),
    ("deal", {"passed1": True}, "seats[1].passed"),
    ("over", {"round": 5}, "phase"),
    ("over", {"to_move": 0}, "to_move"),
    ("over", {"passed1": False}, "seats[1].passed"),
    ("over", {"hand0": "P"}, "seats[0].hand"),
    ("over", {"kept0": "P"}, "seats[0].kept"),
    ("over", {"centre": "P"}, "phase"),
]


@pytest.mark.parametrize(("phase", "values", "where"), PHASES)
def test_phase_contradictions(phase: str, values: Raw, where: str) -> None:
    raw = sample(phase, lambda raw: len(raw["seats"]) == 2)
    assert found(change(raw, **values)) == [("phase", where)]


def test_supply_with_nothing_to_draw() -> None:
    raw = sample("supply", lambda raw: raw["round"] < 6)
    raw.update(bag="-", tower="-", bag_size=0)
    assert ("phase", "phase") in found(raw)


def test_totals() -> None:
    raw = sample("draft")
    assert found({**raw, "bag_size": raw["bag_size"] - 1}) == [("totals", "bag_size")]
    assert found({**raw, "bag": None, "tower": None, "bag_size": 132}) == [("totals", "bag_size")]
    two = {**raw, "bag": "22P22G", "tower": None, "bag_size": None}
    assert found(two) == [("totals", "tiles")] * 2
    assert found({**raw, "tower": "-", "bag": "-", "bag_size": 0}) == [("totals", "tiles")] * 6


def test_all_problems_at_once() -> None:
    raw = sample("place", lambda raw: len(raw["seats"]) == 2 and raw["board"] == "coloured")
    raw.update(round="three", token=7, displays=["5P", "X", *EMPTY[2:]], bonus_due=1)
    raw["seats"][1]["stars"]["E"] = "RR...."
    raw["seats"][0]["score"] = 0
    assert set(found(raw)) == {
        ("type", "round"), ("range", "token"), ("range", "displays[0]"),
        ("syntax", "displays[1]"), ("phase", "bonus_due"), ("board", "seats[1].stars.E"),
        ("range", "seats[0].score"), ("phase", "phase")}
    status = Status.of(problems(raw))
    assert status == (Status.TYPE | Status.RANGE | Status.SYNTAX | Status.PHASE | Status.BOARD)


@pytest.mark.parametrize("source", [None, 3, [], (), b"summer", object(), "", " \n", "[]", '"x"'])
def test_what_is_no_position_at_all(source: Any) -> None:
    assert found(source) == [("type", "")]


@pytest.mark.parametrize("text", [
    '{"game": "summer"', '{"game": NaN}', '{"game": Infinity}', '{"a": 1, "a": 2}', "{]",
    '{"a": ' * 60_000, "[" * 100_000, '{"round": ' + "9" * 5000 + "}", '{"\\ud800": "\\udfff"}',
])
def test_broken_json_text(text: str) -> None:
    for problem in problems(text):
        str(problem).encode("utf-8")


def test_json_errors_have_line_and_column() -> None:
    problem = problems('{"game": "summer",\n  "round" 3}')[0]
    assert (problem.line, problem.column) == (2, 11)
    assert str(problem).startswith("line 2, column 11: ")


def test_validate_takes_anything() -> None:
    never = (1.0, -1, 10**30, "", (), (None,), ("x",) * 7, [], object())
    for seed in range(6):
        position = make_position(Random(seed))
        assert validate(position) == ()
        first, *others = position.seats
        for value in (None, True, *never):
            wrong = [replace(position, **{field.name: value}) for field in fields(position)]
            wrong += [replace(position, seats=(replace(first, **{field.name: value}), *others))
                      for field in fields(first)]
            for bad in wrong:
                problems_found = validate(bad)
                assert problems_found or value in (None, True)
                assert all("\n" not in str(problem) for problem in problems_found)


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_a_broken_position_is_written_and_drawn_or_told_why_not(game: str) -> None:
    position = Play.new(game, seed=1).position
    writings: list[Callable[[Any], object]] = [
        to_json, str, lambda broken: broken._repr_svg_(),
        *(partial(format_position, form=form) for form in FORMS)]
    refused = {}
    for field in fields(position):
        for value in (None, -1, 99, "x", (), (1,), [1, 2], 1.5, {}, object()):
            broken = replace(position, **{field.name: value})
            for number, write in enumerate(writings):
                try:
                    write(broken)
                except PositionError as error:
                    told = error.problems == validate(broken)
                    refused[number] = told and refused.get(number, True)
    assert refused == dict.fromkeys(range(len(writings)), True)


def test_types_of_python_are_named() -> None:
    position = make_position(Random(1))
    for name, value, message in (
        ("seats", list(position.seats), "found a list of {}, expected a tuple of 2 to 4 seats"),
        ("displays", list(position.displays), "found a list of {}, expected a tuple of {} mult"),
        ("centre", list(position.centre), "expected a tuple of 6 numbers of tiles"),
        ("round", np.int64(1), "found 1 of type int64, expected a whole number from 1 to 6"),
    ):
        length = len(value) if isinstance(value, list) else 0
        refused = validate(replace(position, **{name: value}))[0]
        assert refused.where == name
        assert message.format(length, length) in refused.message


def test_a_position_is_no_form_of_one() -> None:
    with pytest.raises(PositionError, match="found a SummerPosition, expected a position in"):
        parse_position(make_position(Random(1)))  # type: ignore[arg-type]


def test_made_up_positions_differ() -> None:
    phases = {make_position(Random(seed)).phase for seed in range(60)}
    assert len(phases) == 6


def test_a_game_record_is_told_from_a_position() -> None:
    record = json.dumps({"id": "g", "start": {}, "moves": []})
    with pytest.raises(PositionError) as caught:
        parse_position(record)
    problem, = caught.value.problems
    assert "found a game record" in problem.message
    with pytest.raises(PositionError, match="found a file of game records, expected a position"):
        parse_position(f"{record}\n{record}\n")
    with pytest.raises(PositionError, match="no valid JSON"):
        parse_position(f"{{}}\n{record}\n")


@pytest.mark.parametrize(("where", "value"), [
    ("seats", [{}] * 1_400_000), ("seats", [0] * 60_000), ("displays", ["-"] * 500_000),
    ("displays", ["B"] * 13),
])
def test_long_lists_are_counted_and_not_read(where: str, value: list[Any]) -> None:
    raw = sample("draft")
    raw[where] = value
    begun = time.process_time()
    refused = problems(raw)
    assert time.process_time() - begun < 1
    assert [problem.where for problem in refused] == [where]
    assert refused[0].message.startswith(f"found a list of {len(value)}, expected a list of ")


@pytest.mark.parametrize("raw", [
    {str(key): 0 for key in range(380_000)},
    {"game": "summer", "seats": [{str(key): 0 for key in range(100_000)}] * 4},
    {"game": "summer", "centre": "B" * 4_000_000, "displays": ["9" * 4_000_000] * 5},
    {"game": "azul", "seats": [{"lines": ["1B" * 500_000] * 5, "floor": "B" * 1_000_000}] * 2},
])
def test_no_position_takes_long_to_refuse(raw: Raw) -> None:
    begun = time.process_time()
    refused = problems(raw)
    assert time.process_time() - begun < 2
    assert len(refused) < 200
    assert len(str(refused)) < 40_000
