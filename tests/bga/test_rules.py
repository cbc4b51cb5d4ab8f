"""What the site did by other rules ends a record there, with all moves before it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from pavilion_ai.bga import LogError, read_bga
from pavilion_ai.play import Play
from tests.bga import damage
from tests.bga.site_azul import KINDS
from tests.bga.support import AZUL_2, QUIET, SUMMER_2, check, game, made, on_walls


def second_on_centre(record: Any) -> Iterator[tuple[int, int, int, int]]:
    """Yield moves before a seat could fill the centre star twice with a colour, if that were legal.

    With the seat, the position and the type.
    """
    play = Play(record.start)
    for number, move in enumerate(record.moves):
        position: Any = play.position
        if position.phase == "place":
            seat = play.turn
            assert seat is not None
            star = position.seats[seat].stars[-1]
            for kind, letter in enumerate("PGOYBR", 1):
                for space in range(2, 7):
                    if (letter in star and star[space - 1] == "."
                            and position.seats[seat].hand[kind - 1] >= space):
                        yield number, seat, space, kind
        play.push(move)


def test_a_colour_twice_on_the_centre_star() -> None:
    tried = 0
    for seed in range(90, 93):
        record, told, table, rng = made(("summer", "coloured", 3), seed, **QUIET)
        for count, seat, space, kind in second_on_centre(record):
            packets, _ = damage.cut(told, told.packets, max(
                n for n, moves in enumerate(told.moves, 1) if len(moves) == count))
            tile = {"type": kind, "star": 0, "space": space}
            packets = damage.ended(packets, [{"uid": "second", "type": "placeTileOnWall", "args": {
                "playerId": told.ids[seat], "placedTile": tile,
                "discardedTiles": [tile] * (space - 1)}}, {
                    "uid": "end", "type": "supplyFilled", "args": {"newTiles": []}}])
            found = game(damage.replay_page(packets, told, table, rng)).record
            if "begins a turn twice" not in found.reason:  # which ended with the cut
                tried += 1
                assert f"C.{space} of seat {seat} is the second" in found.reason
                assert "which the site allowed between September 2025 and" in found.reason
                assert found.moves == record.moves[:count]
    assert tried > 3


def twice_in_a_column(record: Any) -> Iterator[tuple[int, str, str, int]]:
    """Yield the moves that fill a wall, with their colour, and a column that has it already."""
    play = Play(record.start)
    for number, move in enumerate(record.moves):
        seat, before = play.turn, play.position
        play.push(move)
        if not move.startswith("wall:") or seat is None or "F" in move:
            continue
        row, column = int(move[5]) - 1, int(move[7]) - 1
        wall: Any = before.seats[seat].wall
        after: Any = play.position.seats[seat].wall
        letter = after[row][column]
        yield from ((number, move, letter, there + 1) for there in range(5) if (
            wall[row][there] == "." and any(line[there] == letter for line in wall)))


def test_a_colour_twice_in_a_column() -> None:
    tried = 0
    for seed in range(101, 104):
        record, told, table, rng = made(("azul", "grey", 2), seed, rich=False, **QUIET)
        for number, move, letter, column in twice_in_a_column(record):
            packets = copy.deepcopy(told.packets)
            tile = next(one["placedTile"] for one in on_walls(packets) if (
                one["placedTile"]["line"], one["placedTile"]["column"],
                one["placedTile"]["type"]) == (int(move[5]), int(move[7]), KINDS[letter]))
            tile["column"] = column
            found = game(damage.replay_page(packets, told, table, rng)).record
            if found.moves == record.moves[:number]:  # else it is a tile of the other seat
                tried += 1
                assert f"wall:{move[5]}>{column} is not legal" in found.reason
    assert tried > 3


def with_lost_points(packets: Any, told: Any) -> dict[int, int]:
    """Let what a pass costs stay lost if it is taken back; return what each player lost so."""
    lost: dict[int, int] = dict.fromkeys(told.ids, 0)
    kept: Any = None
    for note in (note for packet in packets for note in packet["data"]):
        args = note["args"]
        if note["type"] == "undoPlayTile" and kept is not None and kept["discardedTiles"]:
            before = args["undo"]["previousScore"]
            kept["newScore"] = max(1, before - lost[kept["playerId"]] - kept["discardedNumber"])
            lost[kept["playerId"]] = before - kept["newScore"]
        elif "newScore" in args:
            args["newScore"] = max(1, args["newScore"] - lost[args["playerId"]])
        if note["type"] in ("undoPlayTile", "supplyFilled"):
            kept = None
        elif note["type"] == "putToCorner":
            kept = args
    for one in packets[-1]["data"][-2]["args"]["args"]["result"]:
        one["score"] = str(int(one["score"]) - lost[int(one["player"])])
    return lost


@pytest.mark.parametrize("seed", [91, 94, 102])
def test_points_that_stay_lost_after_a_pass_was_taken_back(seed: int) -> None:
    """As on the site from June to December 2024: the game goes on, and its scores differ."""
    record, told, table, rng = made(SUMMER_2, seed, undo=0.2, states=False)
    packets = copy.deepcopy(told.packets)
    assert any(with_lost_points(packets, told).values())
    found = game(damage.replay_page(packets, told, table, rng))
    check(found, record, ("score of seat",))
    half = game(damage.replay_page(packets[:len(packets) // 2], told, table, rng)).record
    sure = len(half.moves) - 2  # the last may not be confirmed yet
    assert half.moves[:sure] == record.moves[:sure]
    assert half.reason == "unfinished"


EXPANSIONS = ("completeStructureSetLogDetails", "specialFactories", "moveSpecialFactoryZero",
              "factoriesChanged", "factoriesCompleted")


@pytest.mark.parametrize("kind", EXPANSIONS)
@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_notes_of_expansions(variant: Any, kind: str) -> None:
    _record, told, table, rng = made(variant, 93)
    packets = damage.ended(told.packets[:9], [{"uid": "more", "type": kind, "args": []}])
    with pytest.raises(LogError, match=rf"packet 10, {kind}: found boards or displays of an"):
        read_bga(damage.bare(packets, told, table, rng))


@pytest.mark.parametrize("number", [3, "4", {"value": "3"}])
def test_boards_of_expansions_by_option(number: Any) -> None:
    _record, told, _table, _rng = made(AZUL_2, 93)
    infos = {"data": {"options": {"100": number}}}
    text = json.dumps({"table_id": 7, "logs": told.packets, "infos": infos})
    with pytest.raises(LogError, match=r"infos\.data\.options\.100.*: found boards of an expan"):
        read_bga(text)


# ------------------------------------------------------- what the site plays for who has left


@pytest.mark.parametrize("board", ["coloured", "grey"])
@pytest.mark.parametrize("goes_on", [False, True])
def test_a_payment_of_too_few_tiles(board: str, goes_on: bool) -> None:
    _record, told, table, rng = made(("summer", board, 3), 97, undo=0.0, automatic=False)
    places = [number for number, (_, note) in enumerate(flat(told.packets))
              if note["type"] == "placeTileOnWall" and note["args"]["discardedTiles"]]
    for place in rng.sample(places, 5):
        packets = copy.deepcopy(told.packets)
        notes = flat(packets)
        notes[place][1]["args"]["discardedTiles"].pop()
        if not goes_on:
            end = next(number for number in range(place, len(notes))
                       if notes[number][1]["type"] == "supplyFilled")
            packets, _ = damage.cut(told, packets, end + 1)
        found = game(damage.replay_page(packets, told, table, rng)).record
        assert list(found.moves) == told.moves[place - 1]
        assert found.reason.startswith("stopped: ")


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_full_line_to_the_floor_line_though_a_column_is_free(goes_on: bool) -> None:
    record, told, table, rng = made(("azul", "grey", 3), 97, undo=0.0, automatic=False)
    places = [number for number, (_, note) in enumerate(flat(told.packets))
              if note["type"] == "placeTileOnWall"]
    for place in rng.sample(places, 5):
        packets = copy.deepcopy(told.packets)
        notes = flat(packets)
        packet, note = notes[place]
        lines = note["args"]["completeLines"]
        player, entry = next(iter(lines.items()))
        tiles = [entry["placedTile"], *entry["discardedTiles"]]
        del lines[player]
        packet["data"].insert(packet["data"].index(note) + 1, {
            "uid": "dropped", "type": "tilesPlacedOnLine", "args": {
                "playerId": int(player), "type": tiles[0]["type"], "line": 0, "placedTiles": [],
                "discardedTiles": tiles, "fromHand": False}})
        if not goes_on:
            end = next((number for number in range(place, len(notes))
                        if notes[number][1]["type"] == "factoriesFilled"), len(notes) - 2)
            packets, _ = damage.cut(told, packets, end + 2)
        found = game(damage.replay_page(packets, told, table, rng)).record
        count = len(found.moves)
        assert found.moves == record.moves[:count]
        assert record.moves[count].startswith(f"wall:{len(tiles)}>")
        assert found.reason.startswith("stopped: ")


def flat(packets: Any) -> list[tuple[Any, Any]]:
    """Return all notes with their packets."""
    return [(packet, note) for packet in packets for note in packet["data"]]
