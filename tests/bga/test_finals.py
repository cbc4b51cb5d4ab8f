"""Final bonuses of Summer Pavilion, and numbers of bonus tiles, are compared."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.bga import damage
from tests.bga.hammer import verdict
from tests.bga.support import SUMMER_2, check, game, made


def with_finals(seed: int) -> Any:
    """Return a game with final bonuses."""
    for number in range(seed, seed + 20):
        record, told, table, rng = made(SUMMER_2, number, rich=True, undo=0.0)
        if notes(told.packets, "endScore"):
            return record, copy.deepcopy(told.packets), told, table, rng
    raise AssertionError("no game with a complete star or number")


def notes(packets: Any, kind: str) -> list[dict[str, Any]]:
    """Return the data of the notes of a type."""
    return [note["args"] for packet in packets for note in packet["data"] if note["type"] == kind]


def a_tile(packets: Any) -> dict[str, Any]:
    """Return a tile that counts for a final bonus."""
    (entry,) = notes(packets, "endScore")[0]["scores"].values()
    tile: dict[str, Any] = entry["tiles"][0]
    return tile


def other_colour(packets: Any) -> None:
    tile = a_tile(packets)
    tile["type"] = tile["type"] % 6 + 1


def other_score(packets: Any) -> None:
    details = notes(packets, "completeNumberLogDetails") or notes(packets, "completeStarLogDetails")
    details[-1]["newScore"] += 3


@pytest.mark.parametrize(("change", "words"), [
    (other_colour, " on the site, "), (other_score, "with all bonuses:"),
])
def test_what_differs_is_noted(change: Any, words: str) -> None:
    record, packets, told, table, rng = with_finals(90)
    change(packets)
    check(game(damage.replay_page(packets, told, table, rng)), record, (words,))


def test_a_final_tile_that_lies_nowhere_here() -> None:
    record, packets, told, table, rng = with_finals(90)
    filled = {(args["playerId"], args["placedTile"]["star"], args["placedTile"]["space"])
              for args in notes(packets, "placeTileOnWall")}
    (player,) = notes(packets, "endScore")[0]["scores"]
    star, space = next((star, space) for star in range(7) for space in range(1, 7)
                       if (int(player), star, space) not in filled)
    a_tile(packets).update(star=star, space=space)
    check(game(damage.replay_page(packets, told, table, rng)), record, (f".{space} of seat",))


def test_a_number_of_bonus_tiles_other_than_those_listed() -> None:
    record, packets, told, table, rng = with_finals(90)
    bonus = [args for args in notes(packets, "tilesSelected") if args.get("fromSupply")]
    bonus[-1]["number"] += 1
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"
    assert "bonus tiles are taken, but" in found.said
