"""Packets in another order than they were sent: what shows it, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai.bga.order import other_orders
from tests.bga import damage
from tests.bga.hammer import verdict
from tests.bga.support import AZUL_2, QUIET, SUMMER_2, check, exchanged, game, made, pairs


@pytest.mark.parametrize("variant", [SUMMER_2, ("summer", "grey", 4)])
def test_times_and_ids_tell_the_order_of_drafts(variant: Any) -> None:
    """They tell it where nothing else does: without them some exchanges make another game."""
    record, told, table, rng = made(variant, 95, **QUIET)
    silent = 0
    for places in pairs(told.packets)[5:25]:
        text = damage.replay_page(exchanged(told.packets, places), told, table, rng)
        other = verdict(text, record)
        assert not other.wrong, other
        if other.kind == "another order":
            silent += 1
            for keep in ("time", "uid"):
                text = damage.replay_page(exchanged(told.packets, places, keep), told, table, rng)
                found = verdict(text, record)
                assert found.kind == "prefix", found
                assert "say that packets stand in another order" in found.said
    assert silent


def test_the_first_draft_that_is_told_later() -> None:
    record, told, table, rng = made(SUMMER_2, 95, **QUIET)
    for places in pairs(told.packets)[:3]:
        found = verdict(damage.replay_page(
            exchanged(told.packets, places, "time"), told, table, rng), record)
        assert found.kind in ("prefix", "refused"), found


def with_time(packets: Any, number: int, time: Any) -> Any:
    """Return packets of which one has another time."""
    return [*packets[:number], {**packets[number], "time": time}, *packets[number + 1:]]


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_times_that_say_nothing(variant: Any) -> None:
    """The order of the file counts; in another one such games cannot be played."""
    record, told, table, rng = made(variant, 95, **QUIET)
    packets = told.packets
    half = len(packets) // 2
    for changed in (
        [{**packet, "time": rng.randrange(10**9)} for packet in packets],
        [{**packet, "time": str(10**9 - n)} for n, packet in enumerate(packets)],
        with_time(packets, half, 0), with_time(packets, half, None), with_time(packets, half, "x"),
        with_time(packets, half, 10**12), with_time(packets, 1, 10**12),
    ):
        check(game(damage.replay_page(changed, told, table, rng)), record)


def turns(packets: Any) -> Any:
    """Return the packets with each turn of a drafting phase in one."""
    found: list[Any] = []
    for packet in packets:
        kinds = {note["type"] for note in packet["data"]}
        if kinds & {"tilesSelected", "factoriesFilled"} or not found:
            found.append({**packet, "data": [*packet["data"]]})
        else:
            found[-1]["data"] += packet["data"]
    return damage.renumbered(found)


def test_times_of_an_order_in_which_more_differs() -> None:
    """Lines that the site offers show which of two orders that can be played is the right one."""
    record, told, table, rng = made(AZUL_2, 95, undo=0.0, automatic=False, states=True)
    packets = turns(told.packets)
    kinds = []
    for one, two in pairs(packets):
        changed = with_time(packets, one, packets[two]["time"])
        changed = with_time(changed, two, packets[one]["time"])
        found = verdict(damage.replay_page(changed, told, table, rng), record)
        assert found.kind in ("equal", "prefix"), found
        kinds.append(found.kind)
        assert (found.kind == "equal") is ("another order" not in found.said)
    assert kinds.count("equal") > kinds.count("prefix")


def test_lines_that_were_offered_tell_the_order_of_drafts() -> None:
    """One list that differs is noted, as it may be a wrong one, if the drafts in another order do
    not explain it; two end the record.
    """
    record, told, table, rng = made(AZUL_2, 95, undo=0.0, automatic=False, states=True)
    packets = turns(told.packets)
    proven = explained = 0
    for places in pairs(packets):
        found = verdict(damage.replay_page(exchanged(packets, places), told, table, rng), record)
        assert not found.wrong, found
        assert found.kind != "another order" or "may choose: [" not in found.said
        proven += "lines that the site offered" in found.said
        explained += "in each other's place" in found.said
    assert proven > explained
    assert explained
    changed = damage.copied(packets)
    offers = [note["args"]["args"] for packet in changed for note in packet["data"]
              if note["type"] == "gameStateChange" and note["args"].get("id") == 30]
    for one in offers:
        one["lines"] = [0]  # they mean something else
    check(game(damage.replay_page(changed, told, table, rng)), record, ("may choose: [0] on the",))


def test_packets_whose_numbers_fall_stand_as_they_are_in_the_file() -> None:
    """Nothing is sorted."""
    record, told, table, rng = made(AZUL_2, 95, **QUIET)
    packets = [{**packet, "packet_id": str(9999 - n), "move_id": str(9999 - n)}
               for n, packet in enumerate(told.packets)]
    check(game(damage.bare(packets, told, table, rng)), record)


def told_at(time: Any, uid: str = "", kind: Any = "pass", channel: str = "") -> dict[str, Any]:
    """Return a packet with one note."""
    return {"time": time, "channel": channel, "data": [{"type": kind, "uid": uid}]}


def test_what_falls_is_found() -> None:
    def orders(*packets: dict[str, Any]) -> list[tuple[int, str]]:
        return [(number, what) for number, what, _ in other_orders(packets, {"pass"})]

    one, two = told_at(1, "6920087b0b42a"), told_at(1, "6920087b0b42b")
    assert orders(one, two) == []
    assert orders(two, one) == [(2, "the ids of notes")]
    assert orders(two, one, told_at(1, "x")) == []
    assert orders(told_at(3), {}, told_at("2")) == [(3, "the times")]
    assert orders(told_at(3), told_at(None), told_at("3")) == []
    last = told_at("x")
    (_, _, packets), = other_orders([told_at(3), last, told_at(2)], {"pass"})
    assert packets == [told_at(2), told_at(3), last]


def test_what_falls_must_be_of_the_game_and_told_to_all() -> None:
    """A note that was added later than the others has a late id."""
    late = {"uid": "6920087b0b42c", "time": 9}
    one, two = told_at(1, "6920087b0b42a"), told_at(1, "6920087b0b42b")
    for other in (told_at(**late, kind="wakeupPlayers"),
                  told_at(**late, channel="/player/p7")):
        assert list(other_orders([one, other, two], {"pass"})) == []
    assert list(other_orders([one, told_at(1, kind=["pass"]), two], {"pass"})) == []
    nameless = {"time": 1, "data": [{"type": "simpleNote"}]}
    (number, _, packets), = other_orders([two, nameless, one], {"pass"})
    assert number == 3
    assert [packet["data"][0]["type"] for packet in packets] == ["pass", "pass", "simpleNote"]
