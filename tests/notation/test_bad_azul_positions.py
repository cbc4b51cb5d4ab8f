"""Bad positions of base Azul are refused with all their problems, each with kind and place."""

import json
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

import pytest

from pavilion_ai.notation import parse_position
from pavilion_ai.position import Status, validate

from .reading import found, problems
from .samples import lines, made_up

Raw = dict[str, Any]


BAD = lines("bad_positions.jsonl", "azul")


@pytest.mark.parametrize("line", BAD, ids=[line["reason"] for line in BAD])
def test_samples(line: Raw) -> None:
    assert found(line["position"]) == [(line["kind"], line["where"])]
    assert found(json.dumps(line["position"])) == [(line["kind"], line["where"])]


EMPTY_WALL = ["....."] * 5
NO_LINES = ["-"] * 5
NO_DISPLAYS = ["-"] * 5
ROW = ["BYRKW", *EMPTY_WALL[1:]]
BASE: dict[str, Raw] = {
    "draft": {"phase": "draft", "to_move": 1, "displays": ["BYRK", *NO_DISPLAYS[1:]]},
    "wall": {"phase": "wall", "board": "grey", "to_move": 1, "token": 1,
             "lines0": ["R", "-", "-", "-", "-"], "lines1": ["-", "2B", "-", "-", "-"],
             "floor1": "*B"},
    "deal": {"phase": "deal", "to_move": None},
    "over": {"phase": "over", "to_move": None, "wall1": ROW},
}


def sound(base: str, /, **values: Any) -> Raw:
    """Return a small sound position in the phase `base`, changed.

    `lines0`, `wall1`, `floor0` are those of a seat. All unseen tiles are in the bag.
    """
    raw: Raw = {
        "game": "azul", "board": "coloured", "round": 3, "start_seat": 0, "token": None,
        "displays": NO_DISPLAYS, "centre": "-",
        "seats": [{"score": 0, "lines": NO_LINES, "wall": EMPTY_WALL, "floor": "-"}
                  for _ in range(2)],
    }
    for name, value in {**BASE[base], **values}.items():
        if name[-1].isdigit():
            raw["seats"][int(name[-1])][name[:-1]] = value
        else:
            raw[name] = value
    return deepcopy(raw)


@pytest.mark.parametrize("phase", BASE)
def test_what_is_changed_below_is_sound(phase: str) -> None:
    assert parse_position(sound(phase)).position.phase == phase


FIELDS: list[tuple[str, Any, str, str]] = [
    ("round", 0, "range", "round"),
    ("round", 51, "range", "round"),
    ("round", True, "type", "round"),
    ("board", "blue", "range", "board"),
    ("phase", "place", "range", "phase"),
    ("to_move", 2, "range", "to_move"),
    ("start_seat", None, "type", "start_seat"),
    ("token", 2, "range", "token"),
    ("displays", ["B"] * 7, "range", "displays"),
    ("displays", ["5B", "-", "-", "-", "-"], "range", "displays[0]"),
    ("displays", ["P", "-", "-", "-", "-"], "syntax", "displays[0]"),
    ("centre", "21B", "totals", "tiles"),
    ("lid", "X", "syntax", "lid"),
    ("bag_size", 101, "range", "bag_size"),
    ("bag_size", 100, "totals", "bag_size"),
    ("seats", [], "range", "seats"),
    ("score0", -1, "range", "seats[0].score"),
    ("score0", 100_000, "range", "seats[0].score"),
    ("score0", 100_001, "range", "seats[0].score"),
    ("score0", "7", "type", "seats[0].score"),
    ("lines0", "-----", "type", "seats[0].lines"),
    ("lines0", {"1": "-"}, "type", "seats[0].lines"),
    ("lines0", ["-"] * 6, "range", "seats[0].lines"),
    ("lines0", [], "range", "seats[0].lines"),
    ("lines0", ["-", "-", "3B", "-", None], "type", "seats[0].lines[4]"),
    ("lines0", ["-", "-", "3b", "-", "-"], "syntax", "seats[0].lines[2]"),
    ("lines0", ["-", "-", "", "-", "-"], "syntax", "seats[0].lines[2]"),
    ("lines0", ["2B", "-", "-", "-", "-"], "range", "seats[0].lines[0]"),
    ("lines0", ["-", "-", "4B", "-", "-"], "range", "seats[0].lines[2]"),
    ("lines0", ["-", "-", "-", "-", "6W"], "range", "seats[0].lines[4]"),
    ("lines0", ["-", "BY", "-", "-", "-"], "board", "seats[0].lines[1]"),
    ("wall0", ".....", "type", "seats[0].wall"),
    ("wall0", {"1": "....."}, "type", "seats[0].wall"),
    ("wall0", [*EMPTY_WALL, "....."], "range", "seats[0].wall"),
    ("wall0", [*EMPTY_WALL[:4], "...."], "syntax", "seats[0].wall[4]"),
    ("wall0", [*EMPTY_WALL[:4], "....b"], "syntax", "seats[0].wall[4]"),
    ("wall0", [*EMPTY_WALL[:4], 5], "type", "seats[0].wall[4]"),
    ("floor0", None, "type", "seats[0].floor"),
    ("floor0", ["B"], "type", "seats[0].floor"),
    ("floor0", "", "syntax", "seats[0].floor"),
    ("floor0", "2B", "syntax", "seats[0].floor"),
    ("floor0", "B-", "syntax", "seats[0].floor"),
    ("floor0", "B B", "syntax", "seats[0].floor"),
    ("floor0", "BBBBBBBB", "range", "seats[0].floor"),
]


@pytest.mark.parametrize(("name", "value", "kind", "where"), FIELDS)
def test_one_wrong_field(name: str, value: Any, kind: str, where: str) -> None:
    assert found(sound("draft", **{name: value})) == [(kind, where)]


def test_every_missing_key() -> None:
    raw = sound("draft")
    for name in set(raw) - {"bag", "lid", "bag_size"}:
        assert found({key: raw[key] for key in raw if key != name}) == [("missing", name)]
    for name in raw["seats"][1]:
        seat = {key: value for key, value in raw["seats"][1].items() if key != name}
        assert found({**raw, "seats": [raw["seats"][0], seat]}) == [
            ("missing", f"seats[1].{name}")]


@pytest.mark.parametrize(("board", "wall", "row"), [
    ("coloured", ["Y....", *EMPTY_WALL[1:]], 0),
    ("coloured", [*EMPTY_WALL[:3], ".R...", "....."], 3),
    ("coloured", [*EMPTY_WALL[:4], "....Y"], 4),
    ("grey", [".....", "B.B..", *EMPTY_WALL[2:]], 1),
    ("grey", ["..Y..", ".....", ".....", "..Y..", "....."], 3),
])
def test_walls(board: str, wall: list[str], row: int) -> None:
    raw = sound("draft", board=board, wall1=wall)
    assert found(raw) == [("board", f"seats[1].wall[{row}]")]


def test_sound_walls() -> None:
    printed = ["BYRKW", "WBYRK", "KWBYR", "RKWBY", "YRKWB"]
    other = ["YRKWB", "BYRKW", "WBYRK", "KWBYR", "RKWBY"]
    assert validate(parse_position(sound("draft", wall0=printed)).position) == ()
    assert validate(parse_position(sound("draft", board="grey", wall0=other)).position) == ()
    assert found(sound("draft", wall0=other)) == [
        ("board", f"seats[0].wall[{row}]") for row in range(5)]


def test_a_line_whose_colour_is_on_its_wall_row() -> None:
    wall = [*EMPTY_WALL[:2], "K....", ".....", "....."]
    sides = [{"wall0": wall, "board": board} for board in ("coloured", "grey")]
    for side in sides:
        assert found(sound("draft", **side, lines0=["-", "-", "2K", "-", "-"])) == [
            ("board", "seats[0].lines[2]")]
        parse_position(sound("draft", **side, lines0=["-", "2K", "-", "-", "-"]))


PHASES: list[tuple[str, Raw, list[str]]] = [
    ("draft", {"displays": NO_DISPLAYS}, ["phase"]),
    ("draft", {"to_move": None}, ["to_move"]),
    ("draft", {"floor0": "*"}, ["seats[0].floor"]),
    ("draft", {"token": 1, "floor0": "*B"}, ["seats[0].floor"]),
    ("draft", {"token": 0, "floor0": "*B", "floor1": "*"}, ["seats[1].floor"]),
    ("draft", {"token": 0}, ["seats[0].floor"]),
    ("draft", {"token": 0, "floor0": "BBBBBB"}, ["seats[0].floor"]),
    ("wall", {"board": "coloured"}, ["phase"]),
    ("wall", {"displays": ["B", *NO_DISPLAYS[1:]]}, ["phase"]),
    ("wall", {"centre": "B"}, ["phase"]),
    ("wall", {"to_move": None}, ["to_move"]),
    ("wall", {"lines1": ["-", "B", "-", "-", "-"]}, ["to_move"]),
    ("wall", {"to_move": 0}, ["seats[1].lines[1]", "seats[1].floor"]),
    ("wall", {"to_move": 0, "lines1": NO_LINES}, ["seats[1].floor"]),
    ("wall", {"to_move": 0, "floor1": "-"}, ["seats[1].lines[1]"]),
    ("wall", {"token": None, "floor1": "B"}, ["seats[0].lines[0]"]),
    ("wall", {"token": None, "floor1": "B", "lines0": NO_LINES, "floor0": "W"},
     ["seats[0].floor"]),
    ("wall", {"floor1": "B"}, ["seats[1].floor"]),
    ("wall", {"floor0": "*", "floor1": "B"}, ["seats[0].floor"]),
    ("deal", {"round": 1}, ["phase"]),
    ("deal", {"token": 0}, ["token"]),
    ("deal", {"to_move": 0}, ["to_move"]),
    ("deal", {"displays": ["B", *NO_DISPLAYS[1:]]}, ["phase"]),
    ("deal", {"lines0": ["-", "2W", "-", "-", "-"]}, ["seats[0].lines[1]"]),
    ("deal", {"floor1": "K"}, ["seats[1].floor"]),
    ("deal", {"floor1": "*"}, ["seats[1].floor"]),
    ("deal", {"wall0": ROW}, ["phase"]),
    ("over", {"wall1": EMPTY_WALL}, ["phase"]),
    ("over", {"to_move": 1}, ["to_move"]),
    ("over", {"centre": "B"}, ["phase"]),
    ("over", {"lines0": ["-", "2W", "-", "-", "-"]}, ["seats[0].lines[1]"]),
    ("over", {"floor0": "B"}, ["seats[0].floor"]),
    ("over", {"token": 0, "floor0": "*"}, ["seats[0].floor"]),
]


@pytest.mark.parametrize(("phase", "values", "places"), PHASES)
def test_phase_contradictions(phase: str, values: Raw, places: list[str]) -> None:
    assert found(sound(phase, **values)) == [("phase", place) for place in places]


@pytest.mark.parametrize(("phase", "values"), [
    ("draft", {"token": 1, "floor1": "B*"}),
    ("draft", {"token": 1, "floor1": "BYRKWBY"}),
    ("draft", {"floor1": "BYRKWBY", "round": 50}),
    ("draft", {"lines1": ["W", "2B", "3R", "4K", "5Y"]}),
    ("draft", {"wall0": ROW}),
    ("draft", {"bag_size": 96}),  # all that is unseen
    ("wall", {"floor1": "BYRKWBY"}),
    ("wall", {"token": None, "floor1": "B", "lines0": NO_LINES}),
    ("wall", {"token": 0, "floor1": "B", "lines0": NO_LINES}),
    ("wall", {"wall1": ROW, "lines1": ["-", "2B", "3W", "-", "-"]}),
    ("deal", {"round": 50, "start_seat": 1}),
    ("over", {"wall1": EMPTY_WALL, "round": 50}),
    ("over", {"token": 1, "round": 1}),
    ("over", {"lines0": ["-", "B", "2R", "-", "4K"]}),
])
def test_tolerated(phase: str, values: Raw) -> None:
    position = parse_position(sound(phase, **values)).position
    assert validate(position) == ()


def without(column: int) -> list[str]:
    """Return a coloured wall that is complete but for one column."""
    printed = ["BYRKW", "WBYRK", "KWBYR", "RKWBY", "YRKWB"]
    return [f"{row[:column]}.{row[column + 1:]}" for row in printed]


def test_without_a_tile_left_the_game_is_over() -> None:
    raw = sound("over", bag="-", lid="-", bag_size=0)
    lines_left = [["-", "-", "-", "-", "4Y"], ["-", "B", "-", "-", "4R"],
                  ["-", "-", "-", "-", "4K"], ["-", "-", "-", "3B", "4W"]]
    raw["seats"] = [{"score": 1, "lines": line, "wall": without(column), "floor": "-"}
                    for column, line in enumerate(lines_left)]
    raw["displays"] = ["-"] * 9
    assert validate(parse_position(raw).position) == ()
    assert found({**raw, "phase": "deal"}) == [("phase", "phase")]
    raw["seats"][0]["lines"] = NO_LINES
    assert found({**raw, "bag": None}) == [("totals", "bag_size"), ("phase", "phase")]


def test_nothing_to_deal() -> None:
    raw = sound("deal")
    assert ("phase", "phase") in found({**raw, "bag": "-", "lid": "-", "bag_size": 0})


def test_totals() -> None:
    raw = sound("draft")
    assert found({**raw, "bag": "20B20Y20R20K20W"}) == [("totals", "tiles")] * 4
    assert found({**raw, "bag": "19B19Y19R19K20W", "lid": "W"}) == [("totals", "tiles")]
    assert found({**raw, "lid": "-", "bag_size": 95}) == [("totals", "bag_size")]
    # Lines, walls and floor lines count.
    on_boards = sound("draft", lines0=["-", "-", "3R", "-", "-"], floor0="RRBB", wall0=ROW)
    rest = parse_position(on_boards).position
    assert rest.bag == (16, 18, 13, 18, 19)


def test_two_markers() -> None:
    assert found(sound("draft", token=0, floor0="*B*")) == [("range", "seats[0].floor")]


def test_all_problems_at_once() -> None:
    raw = sound("draft", round=0, token=9, displays=["5B", "X", *NO_DISPLAYS[2:]],
                lines0=["2B", "KW", "-", "-", "-"], wall0=["Y....", *EMPTY_WALL[1:4], "?...."],
                floor1="RRRRRRRR", score1=-3, to_move=None)
    assert set(found(raw)) == {
        ("range", "round"), ("range", "token"), ("range", "displays[0]"),
        ("syntax", "displays[1]"), ("range", "seats[0].lines[0]"), ("board", "seats[0].lines[1]"),
        ("syntax", "seats[0].wall[4]"), ("range", "seats[1].floor"), ("range", "seats[1].score"),
        ("phase", "to_move")}
    status = Status.of(problems(raw))
    assert status == Status.RANGE | Status.SYNTAX | Status.BOARD | Status.PHASE


def test_validate_takes_anything() -> None:
    never = (1.0, -1, 10**30, ((),), (None,) * 5, ("x",) * 7, ((1,),) * 5, [], object())
    for seed in range(8):
        position = made_up("azul", seed)
        first, *others = position.seats
        for value in (None, True, "", (), *never):
            wrong = [replace(position, **{field.name: value})  # type: ignore[type-var]
                     for field in fields(position)]  # type: ignore[arg-type]
            wrong += [replace(position, seats=(  # type: ignore[type-var]
                replace(first, **{field.name: value}), *others)) for field in fields(first)]
            for bad in wrong:
                problems_found = validate(bad)
                assert problems_found or value in (None, True, "")
                assert all("\n" not in str(problem) for problem in problems_found)


def test_made_up_positions_differ() -> None:
    made = [made_up("azul", seed) for seed in range(200)]
    assert {(position.phase, position.board) for position in made} == {
        (phase, board) for phase in BASE for board in ("coloured", "grey")
        if (phase, board) != ("wall", "coloured")}
    assert any("*" in seat.floor for position in made for seat in position.seats)
