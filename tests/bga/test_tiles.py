"""Tiles are followed by their ids: one wrong number is noted, more are a contradiction."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from pavilion_ai.bga.log import LogError
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.tiles import BAG, DISCARDS, Strange, Tiles
from tests.bga import damage
from tests.bga.alter import objects
from tests.bga.hammer import verdict
from tests.bga.support import AZUL_2, QUIET, SUMMER_2, check, game, made


def book(*numbers: int) -> Tiles:
    """Return tiles of two colours, five of each, some of which lie on display 1."""
    tiles = Tiles("AB", 5)
    assert tiles.move([(kind_of(one), one) for one in numbers], {BAG}, "D1") == []
    tiles._types.update({one: kind_of(one) for one in range(2, 12)})
    return tiles


def kind_of(number: int) -> int:
    return 1 if number < 7 else 2


def moved(tiles: Tiles, numbers: tuple[int, ...], place: str, to: str, whole: tuple[int, ...] = (),
          ) -> list[int]:
    """Move tiles; return those that did not lie there."""
    return [one.number for one in tiles.move(
        [(kind_of(one), one) for one in numbers], {place}, to, whole)]


def test_a_tile_that_lies_elsewhere_is_strange() -> None:
    tiles = book(2, 3, 7, 8)
    assert tiles.move([(1, 2), (1, 4)], {"D1"}, "hand", {1}) == [Strange(4, BAG)]
    assert tiles.lying("hand") == [2, 3]  # all of the colour were taken, so 3 was meant
    assert tiles.place(4) == BAG
    assert not tiles.doubtful
    assert moved(tiles, (2, 3), "hand", DISCARDS) == []


def test_which_tile_was_meant_is_told_by_what_is_left() -> None:
    tiles = book(2, 3, 4, 7)
    assert moved(tiles, (5,), "D1", "hand") == [5]  # one of 2, 3 and 4
    assert tiles.doubtful == 5
    assert moved(tiles, (2, 4, 7), "D1", "C", (1, 2)) == []
    assert tiles.lying("hand") == [3]
    assert not tiles.doubtful


def test_which_tile_was_meant_is_told_by_where_it_is_met() -> None:
    tiles = book(2, 3, 4)
    assert moved(tiles, (5,), "D1", "hand") == [5]
    assert moved(tiles, (3,), "hand", DISCARDS) == []
    assert not tiles.doubtful
    assert moved(tiles, (5,), BAG, "D2") == []


def test_a_wrong_number_is_one_if_its_tile_is_met_where_it_lies() -> None:
    tiles = book(2, 3, 4)
    assert moved(tiles, (5,), "D1", "hand") == [5]
    assert moved(tiles, (5,), BAG, "D2") == []
    assert not tiles.doubtful


def test_a_wrong_number_in_a_draw_is_one_if_the_tile_drawn_is_met() -> None:
    tiles = book(2, 3, 7)
    assert moved(tiles, (2,), BAG, "supply") == [2]
    assert moved(tiles, (2,), "D1", "hand") == []
    assert tiles.doubtful == 2  # any tile may lie there
    assert moved(tiles, (4,), "supply", "hand") == []
    assert not tiles.doubtful


def test_a_tile_that_came_later_is_not_the_one_that_was_meant() -> None:
    tiles = book(2, 3)
    assert moved(tiles, (5,), "D1", "hand") == [5]
    assert moved(tiles, (6,), BAG, "D1") == []
    assert moved(tiles, (6,), "hand", DISCARDS) == [6]


def test_the_token_and_tiles_without_ids_are_not_followed() -> None:
    tiles = book(2, 3)
    assert tiles.move([(1, 0)], {"D1"}, "hand") == []
    assert not tiles.doubtful
    assert moved(tiles, (3,), "hand", "board") == []
    assert tiles.lying("D1") == [2]


def test_a_tile_is_not_compared_with_all_others_of_its_list() -> None:
    def calls(count: int) -> int:
        listed, made = [Node({"type": 1, "id": one + 2}, "tile") for one in range(count)], [0]

        def count_one(*_: object) -> None:
            made[0] += 1

        before = sys.getprofile()
        sys.setprofile(count_one)
        Tiles("AB", 5).read(listed)
        sys.setprofile(before)
        return made[0]

    assert calls(200) < 3 * calls(100)
    with pytest.raises(LogError, match="tile: found tile 2 twice in one list"):
        Tiles("AB", 5).read([Node({"type": 1, "id": 2}, "tile")] * 2)


def test_discards_that_are_poured_can_be_drawn() -> None:
    tiles = book(2, 3)
    assert moved(tiles, (2, 3), "D1", DISCARDS) == []
    tiles.pour()
    assert moved(tiles, (2,), BAG, "D1") == []


# ---------------------------------------------------------------------------------- in logs

LISTS = {"tilesSelected": ("selectedTiles", "discardedTiles"),
         "placeTileOnWall": ("discardedTiles",),
         "putToCorner": ("keptTiles", "discardedTiles"), "cornerToHand": ("tiles",),
         "tilesPlacedOnLine": ("placedTiles", "discardedTiles"), "supplyFilled": ("newTiles",),
         "emptyFloorLine": ("tiles",), "factoriesFilled": ("factories",)}


def listed(packets: Any) -> list[tuple[dict[str, Any], str]]:
    """Return every tile that a note moves, with the type of the note."""
    found = []
    for note in (note for packet in packets for note in packet["data"]):
        for key in LISTS.get(note["type"], ()):
            found += [(tile, note["type"]) for tile in objects(note["args"].get(key))
                      if tile.get("id", 1) > 1]
        if note["type"] in ("placeTileOnWall", "emptyFloorLine"):
            for entry in (note["args"].get("completeLines") or note["args"].get("floorLines")
                          or {}).values():
                found += [(tile, note["type"]) for key in ("discardedTiles", "tiles")
                          for tile in entry.get(key, ())]
    return found


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2, ("azul", "grey", 3), ("summer", "grey", 4)])
def test_one_wrong_id_is_a_wrong_number(variant: Any) -> None:
    """The record is the whole game with a note, or ends before what is uncertain."""
    record, told, table, _ = made(variant, 97, rich=False, **QUIET)
    rng = random.Random(1)
    count = len(listed(told.packets))
    found: list[tuple[str, str]] = []
    for _ in range(12):
        packets = copy.deepcopy(told.packets)
        tile, kind = listed(packets)[rng.randrange(count // 2, count)]
        first = 2 + (22 if record.game == "summer" else 20) * (tile["type"] - 1)
        tile["id"] = rng.choice([one for one in range(first, first + 20) if one != tile["id"]])
        result = verdict(damage.replay_page(packets, told, table, rng), record)
        assert result.kind in ("equal", "prefix", "refused"), (kind, result)
        found.append((kind, result.kind if "is taken from" in result.said else "no note"))
    assert sum(one == "equal" for _, one in found) > 5, found


@pytest.mark.parametrize(("variant", "seed", "number", "why"), [
    (("summer", "coloured", 4), 92, 19, "is taken from C"),
    (("summer", "coloured", 4), 92, 33, "is taken from C"),
    (("azul", "grey", 3), 92, 49, "is taken from hand of seat 2"),
    (("summer", "coloured", 3), 93, 44, "takes the start player token on the site"),
    (("summer", "coloured", 3), 93, 65, "takes the start player token on the site"),
])
def test_drafts_that_changed_places(variant: Any, seed: int, number: int, why: str) -> None:
    """All moves are legal to the end; only tiles and token tell that they were played otherwise."""
    record, told, table, rng = made(variant, seed, **QUIET)
    packets = copy.deepcopy(told.packets)
    drafts = [note for packet in packets for note in packet["data"]
              if note["type"] == "tilesSelected" and "fromFactory" in note["args"]]
    one = drafts[number]
    two = next(other for other in drafts[number + 1:]
               if other["args"]["playerId"] == one["args"]["playerId"])
    one["args"], two["args"] = two["args"], one["args"]
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix", found
    assert why in found.said


def test_the_marker_that_goes_to_a_player_who_does_not_take_it() -> None:
    record, told, table, rng = made(AZUL_2, 92, **QUIET)
    packets = copy.deepcopy(told.packets)
    drafts = [(packet, note) for packet in packets for note in packet["data"]
              if note["type"] == "tilesSelected"]
    marker = [note for packet in packets for note in packet["data"]
              if note["type"] == "tilesPlacedOnLine" and note["args"]["type"] == 0][-1]
    packet, last = [one for one in drafts if one[1]["args"]["fromFactory"]][-1]
    again = copy.deepcopy(marker)
    again |= {"uid": "again"}
    again["args"]["playerId"] = last["args"]["playerId"]
    packet["data"].insert(packet["data"].index(last), again)
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix", found
    assert "takes the start player token on the site, but not here" in found.said


def test_the_points_that_the_token_costs() -> None:
    record, told, table, rng = made(SUMMER_2, 97, **QUIET)
    packets = copy.deepcopy(told.packets)
    next(note["args"] for packet in packets for note in packet["data"]
         if note["type"] == "firstPlayerToken")["points"] += 1
    found = game(damage.replay_page(packets, told, table, rng))
    assert found.record.moves == record.moves
    assert "the start player token costs seat" in found.notes[-1]


def test_the_message_names_both_tiles() -> None:
    record, told, table, rng = made(SUMMER_2, 97, rich=False, **QUIET)
    packets = copy.deepcopy(told.packets)
    paid = [tile for tile, kind in listed(packets) if kind == "placeTileOnWall"]
    for tile in (paid[-1], paid[-5]):
        tile["id"] = next(one["id"] for one in paid if one["type"] == tile["type"])
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert found.moves == record.moves[:len(found.moves)]
    assert found.reason.count("is taken from hand of seat") == 2
    assert "and before, tile" in found.reason


def of_other_colour(told: Any, variant: Any) -> Iterator[Any]:
    """Yield logs in which a tile that a draft leaves is one of another colour."""
    for number in (30, 37, 44):
        packets = copy.deepcopy(told.packets)
        tile = [one for packet in packets for note in packet["data"]
                if note["type"] == "tilesSelected" and note["args"].get("fromFactory")
                for one in note["args"]["discardedTiles"]][number]
        per_colour, colours = (22, 6) if variant[0] == "summer" else (20, 5)
        tile["type"] = tile["type"] % colours + 1
        tile["id"] = 2 + per_colour * (tile["type"] - 1) + number % 20
        yield packets


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_other_tiles_remain_on_a_display(variant: Any) -> None:
    """What was dealt or what was taken is told wrongly, and nothing says which."""
    record, told, table, rng = made(variant, 95, rich=False, **QUIET)
    for packets in of_other_colour(told, variant):
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        assert found.kind == "prefix", found
        assert "remain on D" in found.said


def test_kept_tiles_come_back_without_a_note() -> None:
    record, told, table, rng = made(SUMMER_2, 95, undo=0.0)
    packets = [{**packet, "data": [note for note in packet["data"]
                                   if note["type"] != "cornerToHand"]} for packet in told.packets]
    assert packets != told.packets
    check(game(damage.replay_page(packets, told, table, rng)), record)
