"""Logs of whole games become the records of those games."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pavilion_ai.bga import Imported, LogError, read_bga, read_files
from pavilion_ai.bga.source import saved
from tests.bga.samples import SAMPLES, WHOLE, sample, truth
from tests.bga.support import game
from tests.plays import replayed


@pytest.mark.parametrize("name", WHOLE)
def test_a_log_becomes_the_game_that_was_played(name: str) -> None:
    found = game(sample(name))
    mine, played = found.record.to_json(), truth(name)
    for key in ("game", "board", "start", "moves", "scores", "winners", "breakdown", "reason"):
        assert mine[key] == played[key]
    assert mine["agents"] == [{"spec": "human", "version": ""}] * len(played["agents"])
    assert found.notes == tuple(f"seat {n} is 'Player {letter}'"
                                for n, letter in enumerate("ABCD"[: len(played["agents"])]))


def test_a_log_cut_in_the_middle_ends_there() -> None:
    found = game(sample("azul_grey_2p.cut.json")).record
    moves = truth("azul_grey_2p.cut.json")["moves"]
    assert found.reason == "unfinished"
    assert list(found.moves) == moves[: len(found.moves)]
    assert len(found.moves) == 46
    assert (found.winners, found.breakdown) == ((), ())
    replayed(found)


@pytest.mark.parametrize("deal", [1, 4])
def test_columns_show_the_grey_side_though_no_choice_of_them_is_announced(deal: int) -> None:
    found = saved(sample("azul_grey_2p.replay.html"))
    packets: list[Any] = found.packets or []
    deals = [number for number, packet in enumerate(packets, 1)
             if any(note["type"] == "factoriesFilled" for note in packet["data"])]
    told = [{**packet, "data": [
        note for note in packet["data"]
        if note["type"] != "gameStateChange" or note["args"].get("id") != 55
    ]} for packet in packets[:deals[deal]]]
    mine, played = game(json.dumps(told)), truth("azul_grey_2p.replay.html")
    assert mine.record.to_json()["start"] == played["start"]
    assert list(mine.record.moves) == played["moves"][:len(mine.record.moves)]
    assert mine.record.reason == "unfinished"
    assert any("hardly shows, taken as grey" in note for note in mine.notes) is (deal == 1)


def test_the_site_says_why_it_gives_no_log() -> None:
    with pytest.raises(LogError, match=r"it answered: You have reached a limit \(replay\)"):
        read_bga((SAMPLES / "no_rights.json").read_text())


def test_files_are_put_together_by_game() -> None:
    names = [path.name.removesuffix(".gz") for path in sorted(SAMPLES.glob("*.gz"))]
    outcomes = read_files([(name, sample(name)) for name in names])
    assert [outcome.name for outcome in outcomes] == [
        "azul_coloured_2p.gamedatas.json, azul_coloured_2p.json",
        "azul_grey_2p.cut.json, azul_grey_2p.replay.html",
        "summer_coloured_2p.gamedatas.json, summer_coloured_2p.json",
        "summer_grey_4p_undo.gamedatas.json, summer_grey_4p_undo.json"]
    for outcome in outcomes:
        assert isinstance(outcome.found, Imported)
        assert list(outcome.found.record.moves) == truth(outcome.name)["moves"]
