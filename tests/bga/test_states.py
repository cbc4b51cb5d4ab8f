"""The site announces whose turn it is, and moves of others contradict that."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from pavilion_ai.bga import LogError
from tests.bga import damage
from tests.bga.hammer import verdict
from tests.bga.support import AZUL_2, SUMMER_2, check, game, made

LOUD = {"undo": 0.0, "automatic": False, "states": True}
GREY_3 = ("azul", "grey", 3)


def drafts(packets: Any) -> list[int]:
    """Return the places of the packets with drafts."""
    return [number for number, packet in enumerate(packets) for note in packet["data"]
            if note["type"] == "tilesSelected" and "fromFactory" in note["args"]]


def announcements(packets: Any) -> list[dict[str, Any]]:
    """Return the data of the states in which a player drafts."""
    return [note["args"] for packet in packets for note in packet["data"]
            if note["type"] == "gameStateChange" and note["args"].get("id") == 20]


def another(told: Any, args: dict[str, Any]) -> str:
    """Return another player than the one of a state."""
    return next(str(one) for one in told.ids if str(one) != args["active_player"])


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2, GREY_3])
def test_moves_in_the_turns_of_others(variant: Any) -> None:
    record, told, table, rng = made(variant, 95, **LOUD)
    packets = copy.deepcopy(told.packets)
    for args in announcements(packets)[-4:-2]:
        args["active_player"] = another(told, args)
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == "prefix"
    assert "moves in another player's turn, as the site announced turns, and this" in found.said


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_one_turn_that_is_announced_wrongly(variant: Any) -> None:
    record, told, table, rng = made(variant, 95, **LOUD)
    packets = copy.deepcopy(told.packets)
    args = announcements(packets)[-3]
    args["active_player"] = another(told, args)
    check(game(damage.replay_page(packets, told, table, rng)), record,
          ("moves in another player's turn, as the site announced turns",))


def test_announcements_that_mean_something_else() -> None:
    record, told, table, rng = made(SUMMER_2, 95, **LOUD)
    packets = copy.deepcopy(told.packets)
    for args in announcements(packets):
        args["active_player"] = str(told.ids[0])
    check(game(damage.replay_page(packets, told, table, rng)), record)


def test_spaces_that_are_offered_to_another_seat() -> None:
    """What comes before may have been taken back, so a game that stops later ends before it."""
    record, told, table, rng = made(SUMMER_2, 95, **LOUD)
    packets = copy.deepcopy(told.packets)
    offers = [(number, note["args"]) for number, packet in enumerate(packets)
              for note in packet["data"]
              if note["type"] == "gameStateChange" and note["args"].get("id") == 40]
    number, args = offers[20]
    args["active_player"] = another(told, args)
    whole = game(damage.replay_page(packets, told, table, rng))
    check(whole, record, ("the turn is that of seat",))
    cut = [*packets[:number + 7], *packets[number + 8:]]
    found = game(damage.replay_page(cut, told, table, rng)).record
    deals = [n for n, move in enumerate(record.moves) if move.startswith("deal:")]
    assert len(found.moves) in deals
    assert found.moves == record.moves[:len(found.moves)]


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_first_drafts_that_changed_places(variant: Any) -> None:
    """They alone tell the seats, if the page is missing."""
    _record, told, table, rng = made(variant, 95, **LOUD)
    packets = copy.deepcopy(told.packets)
    one, two = ([note for note in packets[number]["data"] if note["type"] in (
        "tilesSelected", "tilesPlacedOnLine")] for number in drafts(packets)[:2])
    for mine, theirs in zip(one, two, strict=True):
        mine["args"], theirs["args"] = theirs["args"], mine["args"]
    with pytest.raises(LogError, match=r"packet 2, tilesSelected: found a draft in another player"):
        game(damage.bare(packets, told, table, rng))


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_a_turn_that_was_passed_over(variant: Any) -> None:
    """The first draft comes later, and the second would make its player begin the game."""
    _record, told, table, rng = made(variant, 95, **LOUD)
    packets = copy.deepcopy(told.packets)
    number = drafts(packets)[0]
    after = drafts(packets)[1]
    moves = [note for packet in packets[number:after] for note in packet["data"]
             if note["type"] in ("tilesSelected", "tilesPlacedOnLine")]
    for packet in packets[number:after]:
        packet["data"] = [note for note in packet["data"] if note not in moves]
    packets[drafts(packets)[1]]["data"][:0] = moves
    with pytest.raises(LogError, match=r"packet \d, gameStateChange: found a draft in another"):
        game(damage.bare(packets, told, table, rng))


@pytest.mark.parametrize("nobody", ["0", 12345, None])
def test_turns_that_are_announced_for_nobody(nobody: Any) -> None:
    record, told, table, rng = made(SUMMER_2, 95, **LOUD)
    packets = copy.deepcopy(told.packets)
    places = [note["args"] for packet in packets for note in packet["data"]
              if note["type"] == "gameStateChange" and note["args"].get("id") == 40]
    for changed in (places[3:4], places):
        for args in changed:
            args["active_player"] = nobody
        check(game(damage.replay_page(packets, told, table, rng)), record, () if nobody is None else
              ("the turn is that of nobody at the table on the site",))
    packets = copy.deepcopy(told.packets)
    args = announcements(packets)[-3]
    notes = next(packet["data"] for packet in packets for note in packet["data"]
                 if note["args"] is args)
    notes.append({"type": "gameStateChange", "args": {**args, "active_player": nobody}})
    found = verdict(damage.replay_page(packets, told, table, rng), record)
    assert found.kind == ("equal" if nobody is None else "prefix")
    assert nobody is None or "somebody moves in another player's turn" in found.said


def test_older_programs_announced_the_choice_of_columns_by_another_number() -> None:
    """Soon after the first round nothing else may tell that columns were chosen."""
    record, told, _, _ = made(GREY_3, 84, **LOUD)
    second = [number for number, packet in enumerate(told.packets) for note in packet["data"]
              if note["type"] == "factoriesFilled"][1]
    packets = copy.deepcopy(told.packets[:second + 1])
    chosen = [note["args"] for packet in packets for note in packet["data"]
              if note["type"] == "gameStateChange" and note["args"].get("id") == 55]
    assert len(chosen) == 1
    chosen[0]["id"] = 51
    found = game(json.dumps(packets)).record
    assert (found.start, found.reason) == (record.start, "unfinished")
    assert found.moves == record.moves[:len(found.moves)]
    assert found.moves[-1].startswith("deal:")
