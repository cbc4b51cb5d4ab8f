"""What the description of the logs says, sentence by sentence, where no other test asks for it."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import pytest

from pavilion_ai.bga import LogError, read_bga
from pavilion_ai.notation import parse_move
from pavilion_ai.play import Play
from pavilion_ai.position.summer_board import SITE_COLOURS, SITES
from tests.bga import damage
from tests.bga.alter import objects
from tests.bga.games import MANNERS
from tests.bga.hammer import verdict
from tests.bga.site_summer import STARS
from tests.bga.support import AZUL_2, QUIET, SUMMER_2, broken_off, check, game, made
from tests.plays import VARIANTS

LOUD = {"undo": 0.0, "automatic": False, "states": True, "rich": True}
BOTH = [SUMMER_2, AZUL_2]


def notes(packets: Any, *kinds: str) -> Iterator[dict[str, Any]]:
    """Yield the notes of some types, or all."""
    for packet in packets:
        yield from (note for note in packet["data"] if not kinds or note["type"] in kinds)


# ------------------------------------------------------------------------- the record


@pytest.mark.parametrize("variant", BOTH)
def test_the_record_is_one_of_people(variant: Any) -> None:
    record, told, table, rng = made(variant, 90)
    found = [game(envelope(told.packets, told, table, rng)).record for envelope in damage.ENVELOPES]
    for one in found:
        assert (one.seed, one.start.to_move) == (0, 0)  # type: ignore[attr-defined]
        assert [dict(agent) for agent in one.agents] == [{"spec": "human", "version": ""}] * 2
        assert all(seconds == 0 for seconds in one.seconds)
        assert one.scores == record.scores
    assert len({one.id for one in found}) == 1


# ------------------------------------------------------------------------- envelopes


def test_the_log_of_a_page_ends_where_its_json_ends() -> None:
    """Not at the first `};`."""
    record, told, table, rng = made(SUMMER_2, 90)
    packets = copy.deepcopy(told.packets)
    for note in notes(packets):
        note["log"] = '}; g_gamelogs = {"a": 1}; </script>'
    check(game(damage.replay_page(packets, told, table, rng)), record)


@pytest.mark.parametrize("variant", BOTH)
def test_a_collection_holds_any_other_envelope(variant: Any) -> None:
    """With the table at the start beside the log, which may be needed."""
    record, told, table, _rng = made(variant, 90)
    packets = copy.deepcopy(told.packets)
    packets[0]["data"] = [note for note in packets[0]["data"] if note["type"] != "supplyFilled"]
    for log in ({"players": told.players(), "gamedatas": table, "packets": packets},
                {"status": 1, "data": {"gamedatas": table, "logs": packets, "players": []}},
                {"data": {"valid": 1, "data": {"packets": packets}}, "gamedatas": table}):
        check(game(json.dumps({"table_id": 7, "infos": {}, "logs": log})), record)
        check(game(json.dumps(log)), record)


@pytest.mark.parametrize("kind", [
    "gameStateChange", "gameStateChangePrivateArg", "newPrivateState",
    "gameStateMultipleActiveUpdate", "updateReflexionTime", "simpleNote", "simpleNode", "message",
    "wakeupPlayers", "yourturnack", "clockalert", "playerstatus", "tableDecision",
    "switchToTurnbased", "timeJokerUsed", "undoRestorePoint", "zombieBack", "skipTurnOfPlayer",
    "chatmessage", "tableInfosChanged"])
def test_notes_of_the_framework_are_passed_over_in_silence(kind: str) -> None:
    record, told, table, rng = made(AZUL_2, 91, states=False)
    packets = [{**packet, "data": [note for one in packet["data"] for note in (one, {
        "type": kind, "log": "x", "args": rng.choice((None, [], {}, {
            "id": rng.choice((7, "x", None)), "playerId": 5, "type": 3, "tiles": [{"id": 3}]}))})]}
        for packet in told.packets]
    check(game(damage.replay_page(packets, told, table, rng)), record)


@pytest.mark.parametrize("variant", VARIANTS[::3])
def test_words_are_for_people(variant: Any) -> None:
    record, told, table, rng = made(variant, 92)
    packets = copy.deepcopy(told.packets)
    for note in notes(packets):
        note["log"] = rng.choice(("", "${player_name} takes 9 Red", None, "takes back"))
        for one in objects(note["args"]):
            for key in ("color", "wild", "player_name", "name", "description"):
                if key in one:
                    one[key] = rng.choice(("Red", "Rouge", "7", "", "Player A", "}"))
    check(game(damage.archive(packets, told, table, rng)), record)


@pytest.mark.parametrize("variant", VARIANTS[1::3])
def test_a_tile_is_where_its_list_says(variant: Any) -> None:
    """Neither its location counts nor, but on walls, what stands with it, which are of before."""
    record, told, table, rng = made(variant, 93, rich=False)
    packets = copy.deepcopy(told.packets)
    placed = [id(one) for note in notes(packets, "placeTileOnWall", "endScore")
              for one in objects(note["args"]) if "star" in one or "line" in one]
    for note in notes(packets):
        for one in objects(note["args"]):
            if "location" in one:
                one["location"] = rng.choice(("bag", "hand", "wall5", "", None, 3))
                if id(one) not in placed:
                    one.update({key: rng.choice((0, 3, 878781, "4"))
                                for key in ("star", "space", "column") if key in one})
    check(game(damage.replay_page(packets, told, table, rng)), record)


# ---------------------------------------------------------------- game, seats and side


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_short_log_tells_seats_and_players(variant: Any) -> None:
    """Who drafts first, then second; the displays tell how many there are, also before all did."""
    record, told, table, rng = made(variant, 90, undo=0.4)
    for drafts in range(1, variant[2] + 2):
        at = next(n for n, moves in enumerate(told.moves, 1) if len(moves) == drafts)
        packets, moves = damage.cut(told, told.packets, at)
        found = game(damage.collection(packets, told, table, rng))
        assert found.record.start == record.start
        assert list(found.record.moves) == moves
        known = min(drafts, variant[2])
        assert found.ids[:known] == tuple(map(str, told.ids[:known]))


def cheap_looking(record: Any) -> int | None:
    """Return the number of the first placement on a grey outer star that would fit a coloured one
    if it were paid with one tile.
    """
    placements = [parse_move(move, "summer") for move in record.moves if "." in move]
    for number, move in enumerate(placements):
        site: Any = getattr(move, "site", None)
        if site is not None and SITES[site] != "C" and move.position == 1 and (  # type: ignore[union-attr]
                SITE_COLOURS[site] == move.colour):  # type: ignore[union-attr]
            return number
    return None


def test_a_payment_that_is_no_payment_does_not_make_a_coloured_board() -> None:
    """Of two sides that the payments show, that on which more moves can be played is taken."""
    tried = 0
    for seed in range(90, 130):
        record, told, table, rng = made(("summer", "grey", 2), seed, **QUIET)
        number = cheap_looking(record)
        if number is None:
            continue
        packets = copy.deepcopy(told.packets)
        args = list(notes(packets, "placeTileOnWall"))[number]["args"]
        assert args["placedTile"]["star"] != STARS.index("C")
        args["discardedTiles"] = []
        found = game(damage.bare(packets, told, table, rng))
        assert found.record.start == record.start
        assert found.record.moves == record.moves[:len(found.record.moves)]
        assert "costs 3, the payment is 1" in found.record.reason
        assert any("hardly shows, taken as grey" in note for note in found.notes)
        tried += 1
        if tried == 3:
            return
    raise AssertionError("no such game")


@pytest.mark.parametrize("grey", [True, False])
@pytest.mark.parametrize("how", ["number", "text", "variant", "truth", "option", "option value"])
def test_every_way_to_state_the_side(grey: bool, how: str) -> None:
    record, told, table, rng = made(("azul", "grey" if grey else "coloured", 2), 90, undo=0.0)
    packets, moves = damage.cut(told, told.packets, 12)  # too short to show it
    table = {key: one for key, one in table.items() if key != "variant"}
    side = 1 + grey
    if how.startswith("option"):
        option = {"value": str(side)} if how == "option value" else side
        log: Any = {"table_id": 7, "logs": packets, "infos": {"data": {
            "options": {"100": option, "102": rng.choice((0, 1, "1", {"value": 1}))}}}}
    else:
        table |= {"number": {"boardNumber": side}, "text": {"boardNumber": str(side)},
                  "variant": {"variant": str(int(grey))}, "truth": {"variant": grey}}[how]
        log = {"gamedatas": table, "packets": packets}
    found = game(json.dumps(log))
    assert found.record.start == record.start
    assert list(found.record.moves) == moves
    assert not any("hardly shows" in note for note in found.notes)


def test_an_option_and_a_page_that_say_different_sides() -> None:
    _record, told, table, _rng = made(AZUL_2, 90)
    log = {"gamedatas": table | {"boardNumber": 1}, "packets": told.packets,
           "infos": {"data": {"options": {"100": 2}}}}
    with pytest.raises(LogError, match=r"contradict each other: gamedatas\.boardNumber says colou"):
        read_bga(json.dumps(log))


# ------------------------------------------------------------------------- what is rare


def longest_floor(packets: Any) -> int:
    return max((len(line["tiles"]) for note in notes(packets, "emptyFloorLine")
                for line in (note["args"]["floorLines"] or {}).values()), default=0)


def is_short(packets: Any) -> bool:
    return any(len(display) < 4 for note in notes(packets, "factoriesFilled")
               for display in note["args"]["factories"][1:])


@pytest.mark.parametrize(("variant", "manner", "seed", "rare"), [
    (("summer", "coloured", 4), "greedy", 91, is_short),
    (("azul", "grey", 4), "usual", 91, is_short),
    (("azul", "coloured", 4), "anything", 91, lambda packets: longest_floor(packets) > 7),
    (("azul", "grey", 3), "clumsy", 91, lambda packets: longest_floor(packets) > 7),
    (("azul", "grey", 3), "usual", 91, lambda packets: any(
        note["args"]["type"] and not note["args"]["fromHand"] and not note["args"]["line"]
        for note in notes(packets, "tilesPlacedOnLine"))),
    (("summer", "grey", 2), "greedy", 92, lambda packets: any(
        tile["type"] == 0 for tile in next(notes(packets, "supplyFilled"))["args"]["newTiles"])),
    (("summer", "grey", 4), "greedy", 91, lambda packets: sum(
        note["args"].get("fromSupply", False) for note in notes(packets, "tilesSelected")) > 12),
    (SUMMER_2, "usual", 90, lambda packets: len([*notes(packets, "putToCorner")]) < len(
        [*notes(packets, "pass")])),
])
@pytest.mark.parametrize("fast", [True, False])
def test_what_is_rare(variant: Any, manner: str, seed: int, rare: Any, fast: bool) -> None:
    """Short displays, long floor lines, lines without a column, nine tiles on the supply, and more.
    """
    record, told, table, rng = made(variant, seed, manner, fast=fast)
    assert rare(told.packets)
    for envelope in (damage.replay_page, damage.bare):
        check(game(envelope(told.packets, told, table, rng)), record)


@pytest.mark.parametrize("manner", MANNERS[1:])
@pytest.mark.parametrize("variant", VARIANTS)
def test_games_in_every_manner(variant: Any, manner: str) -> None:
    record, told, table, rng = made(variant, 94 + MANNERS.index(manner), manner)
    check(game(rng.choice(damage.ENVELOPES)(told.packets, told, table, rng)), record)


@pytest.mark.parametrize("variant", BOTH)
def test_undone_drafts_with_the_token_and_several_in_a_row(variant: Any) -> None:
    record, told, table, rng = made(variant, 94, undo=0.5)
    undone = list(notes(told.packets, "undoTakeTiles"))
    assert any(tile["type"] == 0 for note in undone for tile in note["args"]["undo"]["tiles"])
    kinds = [note["type"] for note in notes(told.packets) if note["type"] in (
        "tilesSelected", "undoTakeTiles", "undoSelectLine", "undoPlayTile")]
    assert "tilesSelected undoTakeTiles tilesSelected undoTakeTiles" in " ".join(kinds)
    check(game(damage.history(told.packets, told, table, rng)), record)


# ------------------------------------------------------------ where the site differs


def other_bonus(packets: Any, told: Any, record: Any, missing: bool) -> tuple[Any, int]:
    """Return a log that ends with a turn with a bonus where none is due, or without one that is.

    And the number of moves before the one that cannot be.
    """
    play = Play(record.start)
    for number, move in enumerate(record.moves):
        play.push(move)
        due = play.position.phase == "bonus"
        placed = "." in move and number > 60
        if placed and due is missing:
            at = max(n for n, moves in enumerate(told.moves, 1) if len(moves) == number + 1)
            kept, _ = damage.cut(told, packets, at)
            while kept[-1]["data"][-1]["type"] != "placeTileOnWall":
                kept[-1]["data"] = kept[-1]["data"][:-1]
                kept = kept if kept[-1]["data"] else kept[:-1]
            return kept, number + 1
    raise AssertionError("no such placement")


def test_bonus_tiles_where_none_are_due() -> None:
    """As on the site before June 2024."""
    record, told, table, rng = made(SUMMER_2, 95, "greedy", **QUIET)
    packets, count = other_bonus(told.packets, told, record, missing=False)
    player = packets[-1]["data"][-1]["args"]["playerId"]
    taken = [tile for tile in next(notes(told.packets, "supplyFilled"))["args"]["newTiles"]
             if tile["type"]][:1]
    packets = damage.ended(packets, [
        {"type": "tilesSelected", "args": {"playerId": player, "number": 1, "fromSupply": True,
                                           "selectedTiles": taken}},
        {"type": "supplyFilled", "args": {"newTiles": []}}])
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert found.moves == record.moves[:count]
    assert found.reason.startswith("stopped: ")


def test_no_bonus_tiles_where_some_are_due() -> None:
    """The placement goes too: on another space none would be due."""
    record, told, table, rng = made(SUMMER_2, 95, "greedy", **QUIET)
    packets, count = other_bonus(told.packets, told, record, missing=True)
    packets = damage.ended(packets, [{"type": "supplyFilled", "args": {"newTiles": []}}])
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert "bonus tiles are due here for what was placed" in found.reason
    assert found.moves == record.moves[:count - 1]


# --------------------------------------------------------------------------- the end


@pytest.mark.parametrize("variant", BOTH)
@pytest.mark.parametrize("strings", [True, False])
def test_nominal_scores_are_never_those_of_the_record(variant: Any, strings: bool) -> None:
    packets, moves, _record, told, table, rng = broken_off(variant, 10)
    end = damage.nominal_end(told, concede=True)
    end["args"]["id"] = 99
    packets = damage.ended(packets, [
        {"type": "playerConcedeGame", "args": {"player_name": "x"}}, end])
    packets = damage.as_strings(packets) if strings else packets
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert list(found.moves) == moves
    assert found.reason == "conceded"
    assert found.scores != (1, 0)


# --------------------------------------------------------------------- what is compared


def a_floor(packets: Any) -> None:
    """Of the last round, after which no score stands beside it."""
    lines = [line for note in notes(packets, "emptyFloorLine")
             for line in (note["args"]["floorLines"] or {}).values()]
    lines[-1]["points"] -= 3


def a_line(packets: Any) -> None:
    (entry,) = [*notes(packets, "placeTileOnWall")][-1]["args"]["completeLines"].values()
    entry["pointsDetail"]["points"] += 1


def a_corner(packets: Any) -> None:
    next(notes(packets, "cornerToHand"))["args"]["tiles"].pop()


def a_space(packets: Any) -> None:
    offered = [note["args"]["args"]["possibleSpaces"] for note in notes(packets, "gameStateChange")
               if note["args"].get("id") == 40]
    offered[3].remove(offered[3][-1])


def a_scored_tile(packets: Any) -> None:
    args = next(note["args"] for note in notes(packets, "placeTileOnWall")
                if len(note["args"]["scoredTiles"]) > 1)
    args["scoredTiles"].pop()


@pytest.mark.parametrize(("variant", "change", "words"), [
    (AZUL_2, a_floor, "points of the floor line of seat"), (AZUL_2, a_line, "points of line"),
    (SUMMER_2, a_corner, "tiles kept by seat"),
    (SUMMER_2, a_space, "spaces that seat"), (SUMMER_2, a_scored_tile, "tiles that score:"),
])
def test_one_difference_is_noted(variant: Any, change: Any, words: str) -> None:
    """With the number of the move, the site's value and ours; no further ones."""
    record, told, table, rng = made(variant, 96, "greedy", fast=False, **LOUD)
    packets = copy.deepcopy(told.packets)
    change(packets)
    found = game(damage.replay_page(packets, told, table, rng))
    check(found, record, (words,))
    note = next(note for note in found.notes if words in note)
    number, place = note.split()[1], note.split("packet ")[1].split(",")[0]
    assert packets[int(place) - 1]["move_id"] == number
    assert "on the site" in note
    assert "by our rules" in note


def test_a_floor_line_that_a_log_without_ids_does_not_empty() -> None:
    """Only the points of the round, added up, tell."""
    record, told, table, rng = made(AZUL_2, 96, fast=False, **LOUD)
    packets = copy.deepcopy(told.packets)
    for note in notes(packets):
        for tile in objects(note["args"]):
            if "location" in tile:
                del tile["id"]
    check(game(damage.replay_page(packets, told, table, rng)), record)
    lines = [note["args"] for note in notes(packets, "emptyFloorLine")
             if note["args"]["floorLines"]]
    lines[1]["floorLines"] = []
    check(game(damage.replay_page(packets, told, table, rng)), record, ("before the deal",))


def test_only_the_first_difference_is_noted() -> None:
    record, told, table, rng = made(SUMMER_2, 96, "greedy", **LOUD)
    packets = copy.deepcopy(told.packets)
    for note in notes(packets, "factoriesFilled"):
        note["args"]["remainingTiles"] += 1
    a_scored_tile(packets)
    check(game(damage.replay_page(packets, told, table, rng)), record, ("tiles in the bag:",))


def test_a_number_of_tiles_in_the_bag_that_was_right_before_ends_the_record() -> None:
    """So two refills of as many tiles each that changed places are not taken for the game."""
    record, told, table, rng = made(SUMMER_2, 96, "greedy", **LOUD)
    packets = copy.deepcopy(told.packets)
    fills = [note for note in notes(packets, "supplyFilled") if note["args"]["newTiles"]]
    one, other = next((one, other) for one, other in combinations(fills, 2)
                      if len(one["args"]["newTiles"]) == len(other["args"]["newTiles"])
                      and one["args"]["newTiles"] != other["args"]["newTiles"])
    one["args"], other["args"] = other["args"], one["args"]
    for tile, there in zip(one["args"]["newTiles"], other["args"]["newTiles"], strict=True):
        tile["space"], there["space"] = there["space"], tile["space"]
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert found.reason.startswith("stopped: ")
    assert "tiles are in the bag on the site" in found.reason
    assert found.moves == record.moves[:len(found.moves)]


def test_refills_of_the_supply_that_changed_places() -> None:
    """The bag counts as before; only the spaces tell, each of which is filled once it is empty."""
    record, told, table, rng = made(SUMMER_2, 96, "greedy", **LOUD)
    fills = [n for n, note in enumerate(notes(told.packets, "supplyFilled"))
             if note["args"]["newTiles"]][1:]
    proven = 0
    for one, other in pairwise(fills):
        packets = copy.deepcopy(told.packets)
        first, second = ([*notes(packets, "supplyFilled")][n]["args"] for n in (one, other))
        if len(first["newTiles"]) == len(second["newTiles"]):
            first["newTiles"], second["newTiles"] = second["newTiles"], first["newTiles"]
            found = verdict(damage.replay_page(packets, told, table, rng), record)
            assert found.kind == "prefix", found
            proven += "which is not empty here" in found.said
    assert proven


def test_spaces_of_the_supply_that_do_not_tell() -> None:
    """Of a tile without an id nothing says which space it leaves; a log may tell none."""
    record, told, table, rng = made(SUMMER_2, 96, "greedy", **LOUD)
    packets = copy.deepcopy(told.packets)
    taken = [note["args"]["selectedTiles"] for note in notes(packets, "tilesSelected")
             if "fromSupply" in note["args"]]
    del taken[0][0]["id"]
    check(game(damage.replay_page(packets, told, table, rng)), record)
    packets = copy.deepcopy(told.packets)
    for note in notes(packets, "supplyFilled"):
        for tile in note["args"]["newTiles"]:
            tile["space"] = 3
    check(game(damage.replay_page(packets, told, table, rng)), record)


# ------------------------------------------------------------------------------ privacy


def test_no_message_repeats_a_secret_of_a_page() -> None:
    """Whatever byte of a page is another, and wherever it ends."""
    _record, told, table, rng = made(AZUL_2, 97, undo=0.0)
    packets, _ = damage.cut(told, told.packets, 12)
    page = damage.replay_page(packets, told, table, random.Random(1))
    for _ in range(150):
        place = rng.randrange(len(page))
        for text in (page[:place], page[place:], page[:place] + rng.choice('"{}[]<,\\x') +
                     page[place + 1:]):
            try:
                said = "\n".join(game(text).notes)
            except Exception as error:
                said = str(error)
            assert "SECRET" not in said
