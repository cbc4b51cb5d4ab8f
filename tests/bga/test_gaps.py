"""Numbers of packets that jump: what is missing, and what only another player was told."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai.bga import LogError
from pavilion_ai.bga.gaps import MANY
from tests.bga import damage
from tests.bga.hammer import verdict
from tests.bga.other import numbered_otherwise
from tests.bga.support import AZUL_2, SUMMER_2, check, game, made
from tests.plays import VARIANTS

QUIET = {"undo": 0.0, "automatic": False, "states": True}


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_only_another_player_was_told_is_not_missed(variant: Any) -> None:
    record, told, table, rng = made(variant, 60)
    for change in (damage.of_another(told.packets, told, rng),
                   numbered_otherwise(told.packets, rng)):
        check(game(damage.replay_page(change, told, table, rng)), record)


def jumping(packets: Any, *places: int) -> Any:
    """Let numbers jump before some packets, though nothing is missing."""
    found, more = [], 0
    for place, packet in enumerate(packets):
        more += place in places
        found.append({**packet, **{key: str(int(packet[key]) + more)
                                   for key in ("packet_id", "move_id")}})
    return found


def drafts(packets: Any, pending: bool) -> list[int]:
    """Return the places of packets before which a draft is pending, or none is.

    None is after a deal, and after the draft of the next player was announced.
    """
    kinds = [[str(note["args"].get("id", note["type"])) for note in packet["data"]]
             for packet in packets]
    told = [[kind for kind in one if kind in ("tilesSelected", "factoriesFilled", "20")]
            for one in kinds]
    return [place for place in range(1, len(kinds)) if "factoriesFilled" not in kinds[place]
            and told[place - 1] and (told[place - 1][-1] == "tilesSelected") is pending]


@pytest.mark.parametrize("variant", [SUMMER_2, AZUL_2])
def test_a_jump_counts_where_a_move_was_pending(variant: Any) -> None:
    """Such a move may have been taken back; elsewhere all that follows would not fit."""
    record, told, table, rng = made(variant, 61, **QUIET)
    pending, others = (drafts(told.packets, one) for one in (True, False))
    whole = damage.replay_page(jumping(told.packets, *others[:3]), told, table, rng)
    check(game(whole), record)
    found = game(damage.replay_page(jumping(told.packets, pending[8]), told, table, rng)).record
    assert found.moves == record.moves[:len(found.moves)]
    assert f"packets are missing before packet {pending[8] + 2}: the numbers" in found.reason
    assert 3 < len(found.moves) < len(record.moves)


def test_jumps_all_over_say_nothing() -> None:
    record, told, table, rng = made(AZUL_2, 61, **QUIET)
    pending = drafts(told.packets, pending=True)
    for count, kind in ((MANY - 1, "prefix"), (MANY, "equal")):
        packets = jumping(told.packets, *pending[3:3 + count])
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        assert found.kind == kind, found


def test_the_last_jumps_of_a_log_that_is_cut() -> None:
    """What follows is too short to show that nothing is missing, unless numbers jump all over."""
    record, told, table, rng = made(SUMMER_2, 61, **QUIET)
    packets = told.packets[:60]
    one = game(damage.replay_page(jumping(packets, 50), told, table, rng))
    assert one.record.reason == "unfinished"
    assert one.record.moves == record.moves[:len(one.record.moves)]
    assert "unfinished: packet 52, " in one.notes[-1]
    assert "packets are missing before packet 52: the numbers" in one.notes[-1]
    lost = game(damage.replay_page([*packets[:50], *packets[51:]], told, table, rng)).record
    assert lost.reason.startswith("stopped: ")
    assert "packets are missing before packet 52" in lost.reason
    assert lost.moves == one.record.moves
    other = numbered_otherwise(packets, rng)
    found = game(damage.replay_page(other, told, table, rng)).record
    assert found.reason == "unfinished"
    assert found.moves == record.moves[:len(found.moves)]


def test_what_contradicts_itself_after_a_jump_ends_the_game_there() -> None:
    """A taking is followed by the placement of another player: without the jump that is refused."""
    record, told, table, rng = made(AZUL_2, 61, **QUIET)
    taken = [n for n, packet in enumerate(told.packets) if any(
        note["type"] == "tilesSelected" for note in packet["data"])]
    for draft in (9, 10, 14):
        packets = [*told.packets[:taken[draft] + 1], *told.packets[taken[draft + 1] + 1:]]
        refused = verdict(damage.replay_page(damage.renumbered(packets), told, table, rng), record)
        assert refused.kind == "refused", refused
        assert "found tiles of colour" in refused.said
        found = verdict(damage.replay_page(packets, told, table, rng), record)
        assert found.kind == "prefix", found
        assert f"packets are missing before packet {taken[draft + 1] + 2}" in found.said


def test_a_jump_explains_what_is_doubted_after_it() -> None:
    """A turn is missing, so the site announces another seat's; what comes before it stays."""
    record, told, table, rng = made(SUMMER_2, 61, **QUIET)
    first, second = [n for n, packet in enumerate(told.packets) if any(
        note["type"] == "placeTileOnWall" for note in packet["data"])][:2]
    packets = [*told.packets[:first + 1], *told.packets[second + 1:]]
    found = game(damage.replay_page(packets, told, table, rng))
    assert any("the turn is that of seat" in note for note in found.notes)
    assert f"packets are missing before packet {second + 2}" in found.record.reason
    placed = next(n for n, move in enumerate(record.moves) if "." in move)
    assert found.record.moves == record.moves[:placed]


@pytest.mark.parametrize("taken", [True, False])
def test_what_was_removed_explains_a_jump_only_if_the_next_draft_fits(taken: bool) -> None:
    """Base Azul: what the site removes leaves a jump, but so do packets that are missing."""
    record, told, table, rng = made(AZUL_2, 61, **QUIET, fast=False)
    packets = damage.copied(told.packets)
    drafts = [(n, note["args"]) for n, packet in enumerate(packets) for note in packet["data"]
              if note["type"] == "tilesSelected"]
    (first, one), (last, two) = drafts[4], drafts[6]
    assert one["playerId"] == two["playerId"]
    assert one["type"] != two["type"]
    packets[last]["data"] = [{"uid": "back", "type": "undoSelectLine", "args": {
        "playerId": two["playerId"], "undo": {"from": 0}}}, *(
            note for note in packets[last]["data"] if note["type"] == "tilesPlacedOnLine")]
    packets[first]["data"] = [note for note in packets[first]["data"]
                              if note["type"] != "tilesPlacedOnLine"]
    left = [*packets[:first + taken], *packets[last:]]
    found = verdict(damage.replay_page(left, told, table, rng), record)
    assert found.kind == "prefix", found
    assert "the record ends after 4 moves" in found.said
    assert f"packets are missing before packet {last + 1}" in found.said


@pytest.mark.parametrize("channel", ["/general/emergency", "/chat/table/7", "/table/ts7"])
def test_packets_of_other_channels_have_numbers_of_their_own(channel: str) -> None:
    record, told, table, rng = made(SUMMER_2, 61, **QUIET)
    chat = {"channel": channel, "packet_id": "9000", "move_id": None, "time": None,
            "data": [{"type": "chatmessage", "uid": "c1", "args": {}}]}
    packets = [*told.packets[:50], chat, *told.packets[50:]]
    check(game(damage.replay_page(packets, told, table, rng)), record)
    lost = [*packets[:52], *packets[53:]]
    found = game(damage.replay_page(lost, told, table, rng)).record
    assert "packets are missing before packet 53: the numbers" in found.reason


def test_numbers_that_come_later_are_not_missing() -> None:
    record, told, table, rng = made(SUMMER_2, 61, **QUIET)
    packets = damage.renumbered(told.packets)
    one = drafts(packets, pending=True)[8]
    changed = [*packets[:one], packets[one + 1], packets[one], *packets[one + 2:]]
    found = game(damage.replay_page(changed, told, table, rng)).record
    assert found.moves == record.moves[:len(found.moves)]
    assert found.reason.endswith(
        f"packets stand out of order: packet {one + 2} comes before packet {one + 1}")


def test_a_log_in_reverse_order_does_not_begin_in_the_middle() -> None:
    _record, told, table, rng = made(SUMMER_2, 61, **QUIET)
    packets = damage.renumbered(told.packets)[::-1]
    with pytest.raises(LogError, match=rf"out of order \(packet {len(packets) - 1} has a lower"):
        game(damage.bare(packets, told, table, rng))
    for numbers in ("packet_id", None):  # of moves alone
        here = [{key: value for key, value in packet.items() if numbers or key != "packet_id"}
                for packet in packets]
        with pytest.raises(LogError, match="packets out of order"):
            game(damage.bare(here, told, table, rng))
        here.reverse()
        first = "1" if numbers else f"at place {len(here) - 29}"
        with pytest.raises(LogError, match=f"order .packet {first} has a lower number"):
            game(damage.bare([*here[30:], *here[:30]], told, table, rng))
        for middle in (here[30:], [*here[30:33], here[34], here[33], *here[35:]]):
            with pytest.raises(LogError, match="the log begins in the middle"):
                game(damage.bare(middle, told, table, rng))
