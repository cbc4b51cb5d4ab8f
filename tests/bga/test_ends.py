"""Games that do not end as they should, and moves that cannot be played here."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from pavilion_ai.bga import LogError
from pavilion_ai.bga.end import played_out, stated_reason
from pavilion_ai.bga.log import Log, read_log
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.states import STATE
from tests.bga import damage
from tests.bga.support import AZUL_2, GAMES, SUMMER_2, broken_off, check, first, game, made, seed_of
from tests.plays import VARIANTS, replayed


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("reason", "end"), [
    ("conceded", damage.conceded), ("abandoned", damage.abandoned),
])
def test_given_up(variant: tuple[str, str, int], reason: str, end: Any) -> None:
    packets, moves, _record, told, table, rng = broken_off(variant, 10)
    found = game(damage.replay_page(end(packets, told, rng), told, table, rng)).record
    assert (list(found.moves), found.reason) == (moves, reason)
    assert (found.winners, found.breakdown) == ((), ())
    assert found.scores == tuple(seat.score for seat in replayed(found)[-1].seats)


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
@pytest.mark.parametrize(("reason", "end"), [
    ("conceded", damage.conceded), ("abandoned", damage.abandoned),
])
def test_given_up_before_the_last_turn_is_confirmed(variant: Any, reason: str, end: Any) -> None:
    """The game is over here, and the nominal scores of the site contradict nothing."""
    for number in range(4):
        record, told, table, rng = made(variant, seed_of(variant, number, 10), undo=0.0)
        at = next(at for at, moves in enumerate(told.moves, 1) if moves == list(record.moves))
        packets, _ = damage.cut(told, told.packets, at)
        said = (f"on the site the game was {reason}",)
        check(game(damage.bare(end(packets, told, rng), told, table, rng)), record, said)
        raw = json.loads(damage.collection(packets, told, table, rng))
        raw["infos"]["data"]["result"]["endgame_reason"] = {
            "conceded": "normal_concede_end", "abandoned": "abandon"}[reason]
        check(game(json.dumps(raw)), record, said)
        raw["logs"] = told.packets  # the final scores are told
        check(game(json.dumps(raw)), record)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("notes", [("tableInfosChanged",), ("playerstatus",), ()])
def test_somebody_left_as_the_result_tells(variant: tuple[str, str, int], notes: Any) -> None:
    """The more the log says, the more is known: also an open draft counts."""
    packets, moves, _record, told, table, rng = broken_off(variant, 10)
    end = damage.nominal_end(told)
    if "tableInfosChanged" not in notes:
        end["args"]["args"]["result"][-1]["zombie"] = rng.choice((1, "1"))
    packets = damage.ended(packets, [
        *({"uid": kind, "type": kind, "args": {"reload_reason": "playerQuitGame"}}
          for kind in notes), end])
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert (list(found.moves), found.reason) == (moves, "abandoned")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_log_that_simply_stops(variant: tuple[str, str, int]) -> None:
    packets, _moves, _record, told, table, rng = broken_off(variant, 11)
    raw = json.loads(damage.collection(packets, told, table, rng))
    assert game(json.dumps(raw)).record.reason == "unfinished"
    raw["infos"]["data"]["result"]["endgame_reason"] = "normal_concede_end"
    assert game(json.dumps(raw)).record.reason == "conceded"


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one[2] > 2])
def test_others_continue_when_a_player_has_left(variant: tuple[str, str, int]) -> None:
    packets, _moves, record, told, table, rng = broken_off(variant, 12)
    left = damage.abandoned(packets, told, rng)[:-1] + told.packets[len(packets):]
    check(game(damage.replay_page(left, told, table, rng)), record)


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one[2] > 2])
def test_a_player_leaves_and_comes_back(variant: tuple[str, str, int]) -> None:
    record, told, table, rng = made(variant, seed_of(variant, 0, 19))
    packets = damage.with_zombie(told.packets, told, rng)
    check(game(damage.replay_page(packets, told, table, rng)), record)
    for packet in packets:  # nor does it end the game where no final scores are told
        packet["data"] = [note for note in packet["data"] if note["type"] != "endScore"]
    check(game(damage.replay_page(packets, told, table, rng)), record)


@pytest.mark.parametrize("table_says", [{}, {"concede": None}, {"concede": "1"}])
@pytest.mark.parametrize(("kind", "reason"), [
    ("playerConcedeGame", "conceded"), ("gameResultNeutralized", "abandoned"),
    ("allPlayersAreZombie", "abandoned")])
def test_a_result_that_does_not_say_that_the_game_was_given_up(table_says: Any, kind: str,
                                                               reason: str) -> None:
    packets, moves, _record, told, table, rng = broken_off(AZUL_2, 10)
    end = damage.nominal_end(told, concede=False)
    end["args"]["args"]["table"] = table_says
    packets = damage.ended(packets, [{"uid": "up", "type": kind, "args": {}}, end])
    found = game(damage.replay_page(packets, told, table, rng)).record
    assert list(found.moves) == moves
    assert found.reason == ("conceded" if table_says.get("concede") else reason)


@pytest.mark.parametrize(("notes", "table_says", "of_last", "words"), [
    ([("playerConcedeGame", {"player_id": 1})], {}, {}, "conceded (seat 1 gave up)"),
    ([("playerConcedeGame", {"player_id": "77", "player_name": "SECRET"})], {}, {}, "conceded"),
    ([], {"concede": True}, {"concede": 1}, "conceded (seat 1 gave up)"),
    ([("gameResultNeutralized", {"player_id": 1})], {}, {}, "abandoned (seat 1 left)"),
    ([], {"neutralized": 1}, {"concede": 0}, "abandoned (seat 1 left)"),
    ([("skipTurnOfPlayer", {"player_id": 1})], {}, {"zombie": "1"},
     "abandoned (seat 1 ran out of time)"),
    ([("skipTurnOfPlayer", {"player_id": 0})], {}, {"zombie": "1"}, "abandoned (seat 1 left)"),
    ([("skipTurnOfPlayer", {"player_id": 0}), ("gameResultNeutralized", {"player_id": 0})], {},
     {"zombie": "1"}, "abandoned (seat 0 ran out of time, seat 1 left)"),
    ([("skipTurnOfPlayer", {})], {}, {"zombie": "1"}, "abandoned (seat 1 left)"),
    ([("allPlayersAreZombie", {})], {}, {}, "abandoned"),
])
def test_who_broke_a_game_off(notes: Any, table_says: Any, of_last: Any, words: str) -> None:
    """The seat of whom the log names, never more than that; 0 and 1 stand for ids of seats."""
    packets, moves, _record, told, table, rng = broken_off(AZUL_2, 10)
    last = str(told.ids[1])
    end = damage.nominal_end(told, **{key: last if key == "neutralized" else one
                                      for key, one in table_says.items()})
    end["args"]["args"]["result"][1] |= of_last
    packets = damage.ended(packets, [*(
        {"uid": kind, "type": kind, "args": {
            key: str(told.ids[one]) if one in (0, 1) else one for key, one in args.items()}}
        for kind, args in notes), end])
    found = game(damage.bare(packets, told, table, rng))
    assert found.notes[-1] == f"the record ends after {len(moves)} moves: {words}"
    assert found.record.reason == words.split()[0]


TAKEN = "tilesSelected"
RESULT = {"id": 99, "args": {"table": {}, "result": []}}


def log_of(*kinds: str) -> Log:
    """Return a log of a draft and of notes of these types; those of states tell the result."""
    return read_log([{"packet_id": "1", "move_id": "1", "data": [
        {"uid": str(number), "type": kind, "log": "", "args": RESULT if kind == STATE else {}}
        for number, kind in enumerate((TAKEN, *kinds))]}])


@pytest.mark.parametrize(("kinds", "shows"), [
    ((), None), ((STATE,), 1), (("endScore",), 1), (("playerConcedeGame", STATE), None),
    (("allPlayersAreZombie", "tableInfosChanged", STATE), None),
    (("playerConcedeGame", TAKEN, STATE), 3),  # others went on
    (("playerConcedeGame", TAKEN, "gameResultNeutralized", STATE), None),
    (("playerConcedeGame", "endScore"), 2),
])
def test_what_shows_that_a_game_was_played_to_its_end(
    kinds: tuple[str, ...], shows: int | None
) -> None:
    log = log_of(*kinds)
    assert played_out(log, {TAKEN}) is (None if shows is None else log.notes[shows])


@pytest.mark.parametrize(("kinds", "beside", "reason"), [
    (("tableInfosChanged", "playerConcedeGame"), None, "conceded"),
    (("playerConcedeGame", "tableInfosChanged"), None, "conceded"),
    (("allPlayersAreZombie",), "normal_concede_end", "abandoned"),
    (("playerConcedeGame", TAKEN), None, None),  # others went on
    (("tableInfosChanged", TAKEN), "normal_end", None),
    ((TAKEN,), "normal_concede_end", "conceded"),
    ((TAKEN,), "neutralized_after_skipturn", "abandoned"),
    ((TAKEN,), "all_zombies", "abandoned"),
    ((TAKEN,), "abandon", "abandoned"),
])
def test_what_notes_and_the_table_say_of_the_end(
    kinds: tuple[str, ...], beside: str | None, reason: str | None
) -> None:
    log = log_of(*kinds)
    infos = Node({"data": {"result": {"endgame_reason": beside}}}, "")
    assert stated_reason(log, {TAKEN}, infos) == reason


# ------------------------------------------------------------------------ what cannot be played


def stopped(packets: Any, told: Any, table: Any, rng: Any, record: Any, words: str) -> int:
    """Check that a log is played up to a move that cannot be, and return how far."""
    imported = game(damage.replay_page(packets, told, table, rng))
    found = imported.record
    assert found.reason.startswith("stopped: ")
    assert words in found.reason
    assert found.moves == record.moves[: len(found.moves)]
    assert (found.winners, found.breakdown) == ((), ())
    assert imported.notes[-1].startswith(f"the record ends after {len(found.moves)} moves: packet ")
    replayed(found)
    number = int(found.reason.split(":")[1])
    assert packets[number - 1]["move_id"] == str(number)
    return len(found.moves)


def test_too_few_tiles_are_paid() -> None:
    record, told, table, rng = made(("summer", "grey", 2), 71, undo=0.0)
    packets = copy.deepcopy(told.packets)
    note = next(note for packet in packets for note in packet["data"]
                if note["type"] == "placeTileOnWall" and len(note["args"]["discardedTiles"]) == 3)
    note["args"]["discardedTiles"].pop()
    stopped(packets, told, table, rng, record, "costs 4, the payment is 3")


def test_a_line_falls_though_a_column_is_free() -> None:
    record, told, table, rng = made(("azul", "grey", 3), 72, undo=0.0, fast=False)
    packets = copy.deepcopy(told.packets)
    _number, note = first(packets, "placeTileOnWall")
    (player, entry), = note["args"]["completeLines"].items()
    tiles = [entry["placedTile"], *entry["discardedTiles"]]
    note["type"] = "tilesPlacedOnLine"
    note["args"] = {"playerId": int(player), "type": tiles[0]["type"], "line": 0,
                    "placedTiles": [], "discardedTiles": tiles, "fromHand": False}
    stopped(packets, told, table, rng, record, ">F is not legal")


def test_packets_are_missing() -> None:
    record, told, table, rng = made(SUMMER_2, 73, undo=0.0, automatic=False)
    number, _ = first(told.packets, "tilesSelected", 12)
    packets = [*told.packets[:number], *told.packets[number + 1:]]
    found = game(damage.archive(packets, told, table, rng))
    assert found.record.reason.startswith("stopped: ")
    assert found.record.moves == record.moves[: len(found.record.moves)]
    assert f"packets are missing before packet {number + 2}: the numbers" in found.notes[-1]
    assert f"of moves jump from {number} to {number + 2}" in found.notes[-1]


def known_before(gap: int, packets: damage.Packets) -> bool:
    """Tell whether a move must be final before a gap: that of the first of two drafts."""
    kinds = [note["type"] for packet in packets[:gap - 1] for note in packet["data"]]
    return kinds.count("tilesSelected") > kinds.count("undoTakeTiles") + 1


@pytest.mark.parametrize("number", range(GAMES))
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_missing_packets_leave_is_what_was_played(variant: tuple[str, str, int],
                                                       number: int) -> None:
    record, told, table, rng = made(variant, seed_of(variant, number, 13))
    for packets in (told.packets, damage.with_shared_numbers(told.packets, rng)):
        for _ in range(4):
            left = damage.with_gaps(packets, rng)
            envelope = rng.choice((damage.replay_page, damage.extension, damage.collection))
            try:
                found = game(envelope(left, told, table, rng)).record
            except LogError:
                assert not known_before(min(read_log(left).gaps), left)
                continue
            assert found.start == record.start
            assert found.moves == record.moves[:len(found.moves)]
            assert len(found.moves) < len(record.moves) or found.reason == "finished"
            replayed(found)


@pytest.mark.parametrize("number", range(GAMES))
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_damage_makes_a_move_that_was_not_played(variant: tuple[str, str, int],
                                                    number: int) -> None:
    """The record ends before, or the log is refused by packet.

    If a game can be played to its end all the same, such as with two placements of a player in the
    other order, a note says what differs.
    """
    record, told, table, rng = made(variant, seed_of(variant, number, 14), states=True)
    refusals: list[str] = []
    for hurt in damage.UNNUMBERED:
        packets = hurt(told.packets, told, rng)
        envelope = rng.choice((damage.replay_page, damage.extension, damage.history))
        try:
            imported = game(envelope(packets, told, table, rng))
        except LogError as error:
            refusals.append(str(error))
            continue
        found = imported.record
        replayed(found)
        if found.reason == "finished" and found.moves != record.moves:
            assert any("on the site" in note for note in imported.notes), hurt.__name__
            continue
        assert found.start == record.start, hurt.__name__
        assert found.moves == record.moves[:len(found.moves)], hurt.__name__
        assert len(found.moves) == len(record.moves) or found.reason != "finished"
    assert all("packet " in refusal for refusal in refusals)


def without_one(packets: Any, kind: str) -> Any:
    """Leave out a note of a type, not among the first moves."""
    number, note = first(packets, kind, 20)
    return [*packets[:number], {**packets[number], "data": [
        one for one in packets[number]["data"] if one is not note]}, *packets[number + 1:]]


@pytest.mark.parametrize(("variant", "kind", "words"), [
    (SUMMER_2, "undoTakeTiles", "drafts twice in a row"),
    (AZUL_2, "undoTakeTiles", "drafts twice in a row"),
    (SUMMER_2, "undoPlayTile", "begins a turn twice"),
])
def test_what_was_taken_back_is_not_said(variant: Any, kind: str, words: str) -> None:
    record, told, table, rng = made(variant, 81, undo=0.4, automatic=False, states=False)
    packets = without_one(told.packets, kind)
    stopped(packets, told, table, rng, record, words)


def test_a_draft_in_the_middle_of_another_turn() -> None:
    record, told, table, rng = made(SUMMER_2, 82, undo=0.0, automatic=False, states=False)
    packets = copy.deepcopy(told.packets)
    number, _ = first(packets, "placeTileOnWall")
    place, draft = first(packets, "tilesSelected", first(packets, "factoriesFilled", number)[0])
    packets[number]["data"].insert(1, draft)
    packets[place]["data"].remove(draft)
    stopped(packets, told, table, rng, record, "has not ended: the supply was not filled")


def with_empty_turn(packets: Any, told: Any, alone: bool) -> Any:
    """Let a pass be taken back and then be confirmed without any move."""
    passed = 0
    for number, packet in enumerate(packets):
        for place, note in enumerate(packet["data"]):
            passed = 0 if note["type"] == "factoriesFilled" else passed + (note["type"] == "pass")
            if note["type"] == "supplyFilled" and (passed == 1) is alone and number > 20 and any(
                    one["type"] == "placeTileOnWall"
                    for later in packets[number + 1 : number + 3] for one in later["data"]):
                who = {"playerId": next(
                    one["args"]["playerId"] for later in packets[number + 1:]
                    for one in later["data"] if one["type"] == "placeTileOnWall")}
                args = (("pass", who), ("putToCorner", {**who, "keptTiles": []}),
                        ("undoPlayTile", {**who, "undo": None}),
                        ("supplyFilled", {"newTiles": [], "remainingTiles": 1}))
                extra = [{"uid": f"empty {kind}", "type": kind, "log": "", "args": one}
                         for kind, one in args]
                return [*packets[:number], {**packet, "data": [
                    *packet["data"][: place + 1], *extra, *packet["data"][place + 1:]]},
                    *packets[number + 1:]]
    raise AssertionError("no such turn")


def test_a_turn_without_a_move() -> None:
    record, told, table, rng = made(SUMMER_2, 74, undo=0.0, automatic=False, states=False)
    packets = with_empty_turn(told.packets, told, alone=True)
    check(game(damage.replay_page(packets, told, table, rng)), record)
    packets = with_empty_turn(told.packets, told, alone=False)
    stopped(packets, told, table, rng, record, "was taken back and then confirmed without a move")


def test_a_log_that_goes_on_after_the_end() -> None:
    record, told, table, rng = made(AZUL_2, 79, undo=0.0)
    again = copy.deepcopy(first(told.packets, "tilesSelected")[1])
    placed = copy.deepcopy(first(told.packets, "tilesPlacedOnLine")[1])
    notes = [{**note, "uid": f"again {number}"} for number, note in enumerate(
        (again, placed, again))]
    packets = damage.ended(told.packets, notes)
    check(game(damage.bare(packets, told, table, rng)), record,
          ("the log continues after the game is over by our rules: packet ",))


def test_no_move_at_all_is_refused() -> None:
    _record, told, table, rng = made(AZUL_2, 75)
    packets, _ = damage.cut(told, told.packets, len(told.packets[0]["data"]))
    with pytest.raises(LogError, match="no move that can be played"):
        game(damage.bare(packets, told, table, rng))


def test_where_no_move_can_be_played() -> None:
    _record, told, table, rng = made(AZUL_2, 75)
    drafted = next(note for packet in told.packets for note in packet["data"]
                   if note["type"] == "tilesSelected")
    drafted["args"]["fromFactory"] = drafted["args"]["fromFactory"] % 5 + 1
    with pytest.raises(LogError, match="no move that can be played") as caught:
        game(damage.bare(told.packets, told, table, rng))
    assert caught.value.place == "packet 3, tilesPlacedOnLine"
    assert caught.value.place not in caught.value.message


# ------------------------------------------------------------------------------- differences


@pytest.mark.parametrize(("variant", "kind", "key", "words"), [
    (SUMMER_2, "placeTileOnWall", "newScore", "score of seat"),
    (SUMMER_2, "placeTileOnWall", "points", "points of the placement: 7"),
    (SUMMER_2, "firstPlayerToken", "newScore", "score of seat"),
    (SUMMER_2, "factoriesFilled", "remainingTiles", "tiles in the bag: 110 on the site, 103 by"),
    (SUMMER_2, "supplyFilled", "remainingTiles", "tiles in the bag: 130 on the site, 123 by our"),
    (AZUL_2, "factoriesFilled", "remainingTiles", "tiles in the bag: 87 on the site, 80 by our"),
])
def test_the_first_difference_is_noted(variant: Any, kind: str, key: str, words: str) -> None:
    record, told, table, rng = made(variant, 76, undo=0.0)
    packets = copy.deepcopy(told.packets)
    _, note = first(packets, kind)
    note["args"][key] = note["args"][key] + 7 if key != "points" else 7
    check(game(damage.archive(packets, told, table, rng)), record, (words,))


def test_other_differences_are_noted() -> None:
    record, told, table, rng = made(AZUL_2, 77, undo=0.0, states=True, fast=False)
    packets = copy.deepcopy(told.packets)
    _, note = first(packets, "placeTileOnWall")
    next(iter(note["args"]["completeLines"].values()))["pointsDetail"]["points"] += 40
    check(game(damage.archive(packets, told, table, rng)), record, ("points of line",))
    for entry in packets[-1]["data"][-2]["args"]["args"]["result"]:  # nor do these add up
        entry["score"] = "998"
    check(game(damage.archive(packets, told, table, rng)), record, ("points of line",))
    packets = copy.deepcopy(told.packets)
    note = packets[-1]["data"][-2]
    note["args"]["args"]["result"][0]["score"] = "998"
    check(game(damage.archive(packets, told, table, rng)), record, ("final score of seat 0: 998",))
    packets = copy.deepcopy(told.packets)
    note = next(note for packet in packets for note in packet["data"]
                if note["type"] == "gameStateChange" and note["args"].get("id") == 30)
    note["args"]["args"]["lines"] = [0]
    check(game(damage.archive(packets, told, table, rng)), record, ("may choose: [0] on the",))


def test_tiles_that_come_from_elsewhere() -> None:
    _record, told, table, rng = made(SUMMER_2, 78, undo=0.0)
    packets = copy.deepcopy(told.packets)
    _, note = first(packets, "factoriesFilled", 30)
    later = note["args"]["factories"]
    _, opening = first(packets, "factoriesFilled")
    wanted = later[1][0]["type"]
    used = next(tile for display in opening["args"]["factories"] for tile in display
                if tile["type"] == wanted)
    later[1][0]["id"] = used["id"]
    (words,) = [one for one in game(damage.archive(packets, told, table, rng)).notes
                if not one.startswith("seat ")]
    assert f"tile {used['id']} is taken from bag on the site" in words
