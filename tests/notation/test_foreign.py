"""Positions in the forms of other public programs are read."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from pavilion_ai.errors import PositionError
from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.record import GameRecord
from tests.cli.support import contract_games
from tests.notation.foreign import fen, game_state, numbers_of, serialised
from tests.plays import positions_of

POSITIONS: list[Any] = [
    position for record in map(GameRecord.from_json, contract_games("azul"))
    if record.start.board == "coloured"  # type: ignore[attr-defined]
    for position in itertools.islice(positions_of(record), 0, None, 5)
    if position.phase == "draft"]  # type: ignore[attr-defined]


def test_states_of_nikohass_azul() -> None:
    tried, others = set(), 0
    for position in POSITIONS:
        if "*" not in "".join(seat.floor for seat in position.seats) and (
                position.token is not None):
            continue  # the marker found no space on a full floor line
        parsed = parse_position(serialised(position))
        found: Any = parsed.position
        tried.add((position.players, position.token is None))
        for key in ("to_move", "token", "displays", "centre", "bag"):
            assert getattr(found, key) == getattr(position, key)
        for mine, theirs in zip(found.seats, position.seats, strict=True):
            assert (mine.score, mine.lines, mine.wall) == (theirs.score, theirs.lines, theirs.wall)
            assert len(mine.floor) == len(theirs.floor)
            assert ("*" in mine.floor) == ("*" in theirs.floor)
        rules = GAMES["azul"]
        assert rules.legal_moves(found) == rules.legal_moves(position)
        assert parsed.form == "foreign"
        assert f"does not tell the round (taken as {found.round}" in parsed.notes[0]
        said = parsed.notes[0].partition("could be ")[2]
        others += bool(said)
        assert found.round == position.round or str(position.round) in said or "later" in said
    assert others > 5
    assert tried == {(players, free) for players in (2, 3, 4) for free in (True, False)}


def test_fens_of_azul_analysis_tool() -> None:
    tried, rounds = 0, set()
    for position in POSITIONS:
        if position.players > 2 or position.token is not None:
            continue
        tried += 1
        parsed = parse_position(fen(position))
        found: Any = parsed.position
        for key in ("to_move", "start_seat", "token", "displays", "centre", "seats"):
            assert getattr(found, key) == getattr(position, key)
        longest = max(5 - row.count(".") for seat in position.seats for row in seat.wall)
        assert longest < found.round <= position.round
        rounds.add(found.round)
        assert "does not tell where the marker is" in parsed.notes[0]
        assert "guess of that program (1" in parsed.notes[0]
        assert (f"(1, too low, taken as {found.round})" in parsed.notes[0]) is (found.round > 1)
    assert tried > 5
    assert len(rounds) > 2


@pytest.mark.parametrize(("row", "number", "taken"), [
    ("-----", 4, 4), ("WB---", 1, 3), ("WB---", 2, 3), ("WB---", 3, 3), ("WB---", 4, 4)])
def test_the_round_of_a_fen_counts_where_it_is_possible(row: str, number: int, taken: int) -> None:
    empty, lines = "-----|-----|-----|-----|-----", "-|--|---|----|-----"
    found: Any = parse_position(
        f"YYYY|RRRR|KKKK|WWWW|YRKW/-/{empty}/{lines}/-/{empty[:6]}{row}{empty[11:]}/{lines}/-/0,0"
        f"/{number}/0")
    assert found.position.round == taken
    assert f"guess of that program ({number}" in found.notes[0]


def test_the_example_of_the_specification() -> None:
    empty = "-----|-----|-----|-----|-----"
    text = f"BYRK|WBYR|KWBY|RKWB|YRKW/BYRKW/{empty}/{empty}/-/{empty}/{empty}/-/0,0/1/0"
    found: Any = to_json(parse_position(text).position)
    assert found["displays"] == ["BYRK", "BYRW", "BYKW", "BRKW", "YRKW"]
    assert (found["centre"], found["round"], found["to_move"]) == ("BYRKW", 1, 0)


def test_states_of_azul_tiles() -> None:
    tried = set()
    for position in POSITIONS:
        state = game_state(position)
        if position.token is not None and 5 not in state["playerBoards"][position.token]["floor"]:
            continue  # the marker found no space on a full floor line
        parsed = parse_position(json.dumps(state))
        found: Any = parsed.position
        tried.add((position.players, position.token is None))
        assert parsed == parse_position(state)
        assert parsed.form == "foreign"
        for key in ("round", "to_move", "start_seat", "token", "displays", "centre", "seats"):
            assert getattr(found, key) == getattr(position, key)
        assert sum(found.lid) == 0
        assert [sum(both) for both in zip(found.bag, found.lid, strict=True)] == [
            sum(both) for both in zip(position.bag, position.lid, strict=True)]
        copied: Any = parse_position({**state, "tilebag": []})
        assert copied.position == found or not sum(found.bag)
        assert "without its bag" in copied.notes[0]
    assert tried == {(players, free) for players in (2, 3, 4) for free in (True, False)}


def test_floor_lines_of_azul_tiles_may_be_long() -> None:
    position = next(one for one in POSITIONS if one.token is None and one.bag[0] > 3)
    state = game_state(position)
    state["tilebag"] = [tile for tile in state["tilebag"] if tile]  # all blue tiles
    lying = numbers_of(to_json(position)["bag"]).count(0) + numbers_of(  # type: ignore[arg-type]
        to_json(position)["lid"]).count(0)  # type: ignore[arg-type]
    floor = state["playerBoards"][0]["floor"]
    floor += [0] * lying
    found: Any = parse_position(state).position
    assert len(found.seats[0].floor) == min(7, len(floor))
    assert found.lid[0] == max(0, len(floor) - 7)


@pytest.mark.parametrize(("change", "words"), [
    ({"state": 3}, "state: found 3, expected 1, in which a player is to move"),
    ({"firstTile": -1}, "firstTile: found -1, expected 5 while no floor line holds the tile 5"),
    ({"activePlayer": 4}, "activePlayer: found 4, expected a whole number from 0 to 3"),
    ({"factory": [[0], [7]]}, "factory[1][0]: found 7, expected a whole number from 0 to 4"),
    ({"playerBoards": []}, "playerBoards: found a list of 0, expected a list of 2 to 4"),
    ({"playerBoards": [{}, {}]}, "playerBoards[0].floor: found no such key"),
    ({"tilebag": [0]}, "blue"),
    ({"turn": None}, "turn: found null"),
])
def test_states_of_azul_tiles_that_cannot_be(change: Any, words: str) -> None:
    position = next(one for one in POSITIONS if one.token is None)
    with pytest.raises(PositionError) as caught:
        parse_position({**game_state(position), **change})
    assert words in str(caught.value)


@pytest.mark.parametrize(("text", "words"), [
    ("2_0_0_1_1_1-1-1-1-1_1_0_0-0_0-0_0-0_0", "found 4 displays for 2 players"),
    ("2_0_0_1_1_1-1-1-1-1-_1_0_0-0_0-0_0-0_0", "found an empty number"),
    ("2_0_0_0_0_1-1-1-1-1-1_65537000_0_0-0_1-0_9-0_0", "colour 9, expected a colour from 0 to 4"),
    ("2_0_0_0_0_1-1-1-1-1-1_65537000_0_0-0_1-0_5-0_0", "colour 5, expected a colour from 0 to 4"),
    ("BYRK|WBYR|KWBY|RKWB|YRKW/-/-----/-----/-/-----/-----/-/0,0/1/0", "found 1 wall rows"),
    ("BBBB|BBBB|BBBB|BBBB|BBBB/B/-----|-----|-----|-----|-----/-|-|-|-|-/-/"
     "-----|-----|-----|-----|-----/-|-|-|-|-/-/0,0/1/0", "blue"),
    ("_".join(["2"] * 12 + ["1"]), "expected a position"),
])
def test_what_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(PositionError) as caught:
        parse_position(text)
    assert words in str(caught.value)
