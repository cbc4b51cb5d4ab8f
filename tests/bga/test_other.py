"""The log of another program that says the same becomes the same game."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pavilion_ai.bga import Imported, read_files
from pavilion_ai.bga.log import deal_of, find_packets
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.source import Saved, _agree, _Group, joined
from tests.bga import damage
from tests.bga.other import OTHERS, pieces
from tests.bga.samples import sample
from tests.bga.support import GAMES, game, made, seed_of
from tests.plays import VARIANTS, replayed


def same(found: Any, record: Any) -> None:
    """Check that a game is the one that was played, and that no value differs."""
    assert isinstance(found, Imported)
    mine = found.record
    assert (mine.start, mine.moves, mine.scores, mine.winners, mine.breakdown, mine.reason) == (
        record.start, record.moves, record.scores, record.winners, record.breakdown, record.reason)
    replayed(mine)
    assert not any("on the site" in note for note in found.notes)


@pytest.mark.parametrize("number", range(GAMES))
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_in_other_words(variant: tuple[str, str, int], number: int) -> None:
    record, told, table, rng = made(variant, seed_of(variant, number, 17))
    for other in rng.sample(OTHERS, 2):
        envelope = rng.choice(damage.ENVELOPES)
        same(game(envelope(other(told.packets, rng), told, table, rng)), record)
    packets = told.packets
    for other in sorted(rng.sample(OTHERS, 3), key=OTHERS.index):
        packets = other(packets, rng)
    same(game(damage.replay_page(packets, told, table, rng)), record)


@pytest.mark.parametrize("variant", VARIANTS)
def test_files_that_overlap_or_alternate(variant: tuple[str, str, int]) -> None:
    record, told, table, rng = made(variant, seed_of(variant, 0, 18))
    parts = pieces(told.packets, rng, rng.choice((2, 5)))
    files = [(f"part {n}", rng.choice((damage.archive, damage.history, damage.bare))(
        part, told, table, rng)) for n, part in enumerate(parts)]
    files.insert(rng.randrange(len(parts)), ("page", damage.page(None, table)))
    found = read_files(files)
    assert len(found) == 1
    same(found[0].found, record)


@pytest.mark.parametrize("gone", [
    ("packet_id",), ("packet_id", "move_id"), ("packet_id", "move_id", "time")])
def test_parts_without_numbers_of_packets_in_any_order(gone: tuple[str, ...]) -> None:
    record, told, table, _rng = made(VARIANTS[0], 180)
    packets = [{key: one for key, one in packet.items() if key not in gone}
               for packet in told.packets]
    parts = [packets[:60], packets[60:120], packets[120:]]
    if len(gone) == 3:  # nothing but the opening tells which comes first
        parts[1:] = [[{"data": packet["data"]} for packet in packets[60:]]]
    files = [(f"part {n}", damage.bare(part, told, table, random.Random(n)))
             for n, part in enumerate(reversed(parts))]
    same(read_files([*files, ("page", damage.page(None, table))])[0].found, record)


@pytest.mark.parametrize(("name", "cuts"), [
    ("azul_coloured_2p", (4, 7)), ("summer_coloured_2p", (3, 5)), ("summer_grey_4p_undo", (6, 8))])
def test_parts_of_one_table_though_nobody_acts_in_both(name: str, cuts: tuple[int, int]) -> None:
    packets = find_packets(json.loads(sample(f"{name}.json")))
    assert packets is not None
    first, last = cuts
    parts = (packets[first:last], packets[last:], packets[:first])
    found, = read_files([(f"part {n}", json.dumps(part)) for n, part in enumerate(parts)])
    same(found.found, game(json.dumps(packets)).record)


@pytest.mark.parametrize(("parts", "games"), [
    ([(7, 1), (None, 2), (None, 1, 2)], ["0, 1, 2"]),  # the last one tells that the others are one
    ([(None, 1), (None, 1, 2), (7, 2), (8, 3)], ["0, 1, 2", "3"]),
    ([(7, 1), (7, 2), (None, 2)], ["0, 1, 2"]),
    ([(None, 1), (7, 1), (8, 1)], ["0", "1", "2"]),  # nothing tells of which table the first one is
])
def test_parts_that_tell_to_which_game_others_belong(
    parts: list[tuple[int | None, ...]], games: list[str]
) -> None:
    files = [(str(number), Saved(packets=[{"table_id": table, "data": [
        {"type": "move", "args": {"playerId": player}} for player in players]}]))
        for number, (table, *players) in enumerate(parts)]
    assert [name for name, _ in joined(files)] == games


def test_more_logs_than_are_compared_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.bga.MOST_LOGS", 3)
    log = [{"data": [{"type": "move", "args": {"playerId": 1}}]}]
    files = [("two", json.dumps([log, log])), ("two more", json.dumps([log, log])),
             ("one", json.dumps(log))]
    told = {found.name: str(found.found) for found in read_files(files)}
    assert told["two more"] == "more than 3 logs and pages together, read fewer at once"
    assert {*told} == {"two more", "two (log 1), two (log 2), one"}


def test_a_page_is_looked_at_once_and_not_for_each_log(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[object] = []
    monkeypatch.setattr("pavilion_ai.bga.source.start_deal", looks.append)
    logs = [(str(table), Saved(packets=({"table_id": table, "data": [
        {"type": "factoriesFilled", "args": {"playerId": 1, "factories": [[], [{"id": table}]]}},
    ]},))) for table in range(5)]
    page = Saved(Node({"players": [{"id": 1}]}, "gamedatas"))
    assert len(joined([*logs, ("page", page)])) == 6
    assert len(looks) == 1


def test_a_deal_of_more_than_any_game_has_is_none() -> None:
    for displays in ([[]] * 101, [[], [{"id": 1}] * 101]):
        assert deal_of({"factories": displays}) is None
        assert deal_of({"factories": [display[:-1] for display in displays][:-1]}) is not None


@pytest.mark.parametrize("differs", [False, True])
def test_what_groups_know_is_compared_with_one_of_them(differs: bool) -> None:
    compared: list[object] = []

    class Deal:
        def __ne__(self, other: object) -> bool:
            compared.append(other)
            return differs and len(compared) == 50

    groups = [_Group([], None, Deal(), set()) for _ in range(50)]
    assert _agree(groups) is not differs
    assert len(compared) == 50


def test_parts_without_numbers_follow_one_another() -> None:
    record, told, table, _rng = made(VARIANTS[0], 180)
    half = len(told.packets) // 2
    parts = [[{**packet, "packet_id": None} for packet in part]
             for part in (told.packets[:half], told.packets[half:])]
    parts[1][0]["packet_id"] = told.packets[half]["packet_id"]
    files = [(f"part {n}", damage.extension(part, told, table, random.Random(n)))
             for n, part in enumerate(reversed(parts))]
    same(read_files(files)[0].found, record)
