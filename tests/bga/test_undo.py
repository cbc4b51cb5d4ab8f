"""What a note restores tells which move it takes back."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import pytest

from tests.bga import damage
from tests.bga.hammer import verdict
from tests.bga.support import AZUL_2, SUMMER_2, check, exchanged, game, made, pairs
from tests.plays import VARIANTS

STYLE = {"undo": 0.4, "automatic": False, "states": False}
UNDONE = [(SUMMER_2, "undoTakeTiles"), (AZUL_2, "undoTakeTiles"), (SUMMER_2, "undoPlayTile")]


def undone(packets: Any, kind: str) -> dict[str, Any]:
    """Return the data of a note, late in a game, that takes a move back and says what it restores.
    """
    found = [note["args"] for packet in packets for note in packet["data"]
             if note["type"] == kind and note["args"]["undo"] and note["args"]["undo"]["tiles"]]
    return found[2 * len(found) // 3]


@pytest.mark.parametrize(("variant", "kind"), UNDONE)
def test_other_tiles_are_restored(variant: Any, kind: str) -> None:
    record, told, table, rng = made(variant, 94, **STYLE)
    packets = copy.deepcopy(told.packets)
    undo = undone(packets, kind)["undo"]
    mine = {tile["id"] for tile in undo["tiles"]}
    others = [tile for packet in packets for note in packet["data"]
              if note["type"] == "tilesSelected" for tile in note["args"]["selectedTiles"]
              if tile["id"] not in mine and tile["type"]]
    undo["tiles"] = others[:1]
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"
    assert "gets other tiles back than those of its move" in found.said


def test_bonus_tiles_of_another_move_are_restored() -> None:
    """Nothing but them is told of what is taken back."""
    record, told, table, rng = made(SUMMER_2, 95, **STYLE)
    packets = copy.deepcopy(told.packets)
    undo = next(note["args"]["undo"] for packet in packets for note in packet["data"]
                if note["type"] == "undoPlayTile" and note["args"]["undo"]
                and note["args"]["undo"]["supplyTiles"])
    undo["tiles"] = []
    check(game(damage.replay_page(packets, told, table, rng)), record)
    mine = {tile["id"] for tile in undo["supplyTiles"]}
    undo["supplyTiles"] = [tile for packet in packets for note in packet["data"]
                           if note["type"] == "tilesSelected"
                           for tile in note["args"]["selectedTiles"]
                           if tile["id"] not in mine and tile["type"]][:1]
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"
    assert "gets other tiles back than those of its move" in found.said


@pytest.mark.parametrize(("variant", "kind", "key", "words"), [
    (SUMMER_2, "undoTakeTiles", "previousScore", "before what is taken back:"),
    (SUMMER_2, "undoPlayTile", "previousScore", "before what is taken back:"),
    (SUMMER_2, "undoTakeTiles", "previousFirstPlayer", "the start player token is with seat"),
    (AZUL_2, "undoTakeTiles", "previousFirstPlayer", "the start player token is with seat"),
])
def test_wrong_numbers_are_noted(variant: Any, kind: str, key: str, words: str) -> None:
    record, told, table, rng = made(variant, 94, **STYLE)
    packets = copy.deepcopy(told.packets)
    undo = undone(packets, kind)["undo"]
    undo[key] = (undo[key] + 3 if key == "previousScore" else
                 next(one for one in told.ids if one != undo[key]))
    check(game(damage.replay_page(packets, told, table, rng)), record, (words,))


@pytest.mark.parametrize("undo", [None, [], {}, {"previousScore": None, "tiles": []}, "x",
                                  {"previousFirstPlayer": 0, "previousScore": "?"},
                                  {"tiles": [{"id": 5}, {"id": "x", "type": 1}, 7, None]},
                                  {"tiles": {"a": 1}, "supplyTiles": "x"}])
@pytest.mark.parametrize(("variant", "kind"), UNDONE)
def test_what_restores_nothing_takes_back_all_the_same(variant: Any, kind: str, undo: Any) -> None:
    record, told, table, rng = made(variant, 94, **STYLE)
    packets = copy.deepcopy(told.packets)
    undone(packets, kind)["undo"] = undo
    check(game(damage.replay_page(packets, told, table, rng)), record)


def test_a_move_that_another_player_takes_back() -> None:
    record, told, table, rng = made(SUMMER_2, 94, **STYLE)
    packets = copy.deepcopy(told.packets)
    args = undone(packets, "undoPlayTile")
    args["playerId"] = next(one for one in told.ids if one != args["playerId"])
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"
    assert "takes a move back, but the turn of seat" in found.said


def left_in_the_centre(packets: Any) -> list[dict[str, Any]]:
    """Return the data of the notes that take back a draft from the centre which had left tiles."""
    return [note["args"] for packet in packets for note in packet["data"]
            if note["type"] == "undoTakeTiles" and len(note["args"]["factoryTilesBefore"]) > 1]


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_tiles_that_a_draft_had_left(variant: Any) -> None:
    """One wrong id is a wrong number; other tiles show that other drafts came before."""
    record, told, table, rng = made(variant, 94, **STYLE)
    packets = copy.deepcopy(told.packets)
    args = left_in_the_centre(packets)[-1]
    left = args["factoryTilesBefore"]
    check(game(damage.replay_page(packets, told, table, rng)), record)
    left[0]["id"] += 1 if left[0]["id"] + 1 not in [tile["id"] for tile in left] else -1
    check(game(damage.replay_page(packets, told, table, rng)), record, ("remain on C here",))
    other = [{**tile, "id": tile["id"] + 9000} for tile in left[:2]]
    for wrong in ([], left[1:], [*other, *left[2:]], "x", [{}], {}, None):
        args["factoryTilesBefore"] = wrong
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        stops = isinstance(wrong, (list, dict))
        assert found.kind == ("prefix" if stops else "equal"), (wrong, found)
        assert ("others on the site" in found.said) is stops


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_what_a_draft_of_a_tile_without_id_had_left(variant: Any) -> None:
    """Nobody knows which tile it was, so nothing is compared."""
    record, told, table, rng = made(variant, 94, **STYLE)
    packets = copy.deepcopy(told.packets)
    last = left_in_the_centre(packets)[-1]
    for note in (note for packet in packets for note in packet["data"]):
        if note["args"] is last:
            break
        if note["type"] == "tilesSelected":
            drafted = note["args"]["selectedTiles"]
    del drafted[0]["id"]
    check(game(damage.replay_page(packets, told, table, rng)), record)


def test_drafts_that_changed_places_before_one_was_taken_back() -> None:
    """All moves are legal in either order; only what the draft had left tells."""
    record, told, table, rng = made(SUMMER_2, 94, **STYLE)
    proven = 0
    for places in pairs(told.packets):
        text = damage.replay_page(exchanged(told.packets, places), told, table, rng)
        found = verdict(text, record)
        assert not found.wrong, found
        proven += "remain on C here if what is taken back was taken" in found.said
    assert proven


def test_a_turn_that_was_taken_back_and_seems_to_stand() -> None:
    """Its player moves again, out of turn; so the turn before was wrong."""
    seen = 0
    record, told, table, rng = made(SUMMER_2, 94, **STYLE)
    for number, packet in enumerate(told.packets):
        notes = [note for note in packet["data"] if note["type"] == "undoPlayTile"]
        if not notes or not any(note["type"] == "placeTileOnWall"
                                for note in told.packets[number - 1]["data"]):
            continue
        packets = copy.deepcopy(told.packets)
        packets[number]["data"] = [{"uid": "filled", "type": "supplyFilled", "log": "",
                                    "args": {"newTiles": []}}]
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        assert not found.wrong, found
        seen += "is to move" in found.said
    assert seen


def test_a_draft_that_was_taken_back_before_the_supply_is_filled() -> None:
    """Nobody has had a turn that would be over, so the draft may be wrong."""
    record, told, table, rng = made(SUMMER_2, 94, **STYLE)
    places = [number for number, packet in enumerate(told.packets)
              if any(note["type"] == "undoTakeTiles" for note in packet["data"])]
    for number in places[3:6]:
        packets = copy.deepcopy(told.packets)
        packets[number]["data"] = [{"uid": "filled", "type": "supplyFilled", "log": "",
                                    "args": {"newTiles": []}}]
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        assert found.kind == "prefix", found
        assert "filled on the site, but a draft is pending" in found.said


def test_bonus_tiles_that_are_taken_twice() -> None:
    record, told, table, rng = made(SUMMER_2, 95, **STYLE)
    bonuses = [(packet, note) for packet in told.packets for note in packet["data"]
               if "fromSupply" in note["args"]]
    assert len(bonuses) > 1
    for (packet, note), (_, other) in pairwise(bonuses):
        packets = copy.deepcopy(told.packets)
        notes = packets[told.packets.index(packet)]["data"]
        again = {**note, "uid": "again", "args": {**note["args"], **{
            key: other["args"][key] for key in ("number", "selectedTiles")}}}
        notes.insert(packet["data"].index(note), again)
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        assert found.kind == "prefix", found
        assert "takes bonus tiles twice in a row" in found.said


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one[0] == "azul"])
def test_what_the_site_removed_is_taken_back_all_the_same(variant: Any) -> None:
    """Newer logs of base Azul tell that a move was taken back, and not which."""
    for seed in range(6):
        record, told, table, rng = made(variant, seed, **{**STYLE, "states": seed % 2 == 0})
        packets = damage.with_removed(told.packets)
        assert len(packets) < len(told.packets)
        check(game(damage.replay_page(packets, told, table, rng)), record)


@pytest.mark.parametrize("number", range(12))
def test_what_the_site_removed_does_not_end_a_game_that_was_given_up(number: int) -> None:
    """Few jumps count, where many would show that the numbers say nothing."""
    record, told, table, rng = made(AZUL_2, number, undo=0.06, automatic=False)
    packets = damage.with_removed(told.packets)
    kept = packets[:len(packets) // 2]
    found = game(damage.replay_page(damage.conceded(kept, told, rng), told, table, rng)).record
    assert found.reason == "conceded"
    assert len(found.moves) > len(record.moves) // 3
    assert found.moves == record.moves[:len(found.moves)]


@pytest.mark.parametrize(("variant", "seed"), [
    (AZUL_2, 86), (AZUL_2, 88), (AZUL_2, 89), (("azul", "grey", 2), 89), (("azul", "grey", 2), 91)])
def test_packets_between_what_the_site_removed_and_its_undo(variant: Any, seed: int) -> None:
    """Somebody chats, say, before the move is taken back; that is no move."""
    record, told, table, rng = made(variant, seed, **{**STYLE, "undo": 0.04})
    packets: list[dict[str, Any]] = []
    for packet in told.packets:
        if any(note["type"].startswith("undo") for note in packet["data"]):
            packets += [{**packet, "data": [{"type": kind, "args": {}}]}
                        for kind in ("chatmessage", "playerstatus")]
        packets.append(packet)
    changed = damage.with_removed(damage.renumbered(packets))
    assert len(changed) < len(packets)
    check(game(damage.replay_page(changed, told, table, rng)), record)
