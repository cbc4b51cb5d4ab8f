"""Logs made from recorded games, damaged in every way, become the games that were played."""

from __future__ import annotations

import json

import pytest

from tests.bga import damage
from tests.bga.support import GAMES, check, game, made, seed_of
from tests.plays import VARIANTS, replayed

SEEDS = [(variant, seed) for seed in range(GAMES) for variant in VARIANTS]


@pytest.mark.parametrize(("variant", "number"), SEEDS)
def test_whole_games_in_every_envelope(variant: tuple[str, str, int], number: int) -> None:
    record, told, table, rng = made(variant, seed_of(variant, number, 0))
    for envelope in damage.ENVELOPES:
        check(game(envelope(told.packets, told, table, rng)), record)


@pytest.mark.parametrize(("variant", "number"), SEEDS)
def test_other_ways_of_writing(variant: tuple[str, str, int], number: int) -> None:
    record, told, table, rng = made(variant, seed_of(variant, number, 1))
    packets = told.packets
    if rng.random() < 0.5:
        packets = damage.with_private(packets, told, rng)
    if rng.random() < 0.5:
        packets = damage.doubled(packets, rng)
    else:
        packets = damage.without(packets, "uid", "h", "log")
    if rng.random() < 0.6:
        packets = damage.as_objects(packets, rng, 0.3)
    if rng.random() < 0.6:
        packets, table = damage.as_strings(packets), damage.as_strings(table)
    check(game(rng.choice(damage.ENVELOPES)(packets, told, table, rng)), record)


@pytest.mark.parametrize(("variant", "number"), SEEDS)
def test_doubled_packets_without_uids(variant: tuple[str, str, int], number: int) -> None:
    record, told, table, rng = made(variant, seed_of(variant, number, 2))
    packets = damage.with_wakeups(told.packets, rng)
    packets = damage.doubled(damage.without(packets, "uid"), rng)
    check(game(damage.bare(packets, told, table, rng)), record)


@pytest.mark.parametrize("number", [0, "0", ""])
def test_a_uid_of_nothing_is_none(number: object) -> None:
    record, told, table, rng = made(VARIANTS[0], 3)
    packets = damage.copied(told.packets)
    for packet in packets:
        for note in packet["data"]:
            note["uid"] = number
    check(game(damage.replay_page(packets, told, table, rng)), record)


@pytest.mark.parametrize(("variant", "number"), SEEDS)
def test_unknown_types_are_counted(variant: tuple[str, str, int], number: int) -> None:
    record, told, table, rng = made(variant, seed_of(variant, number, 3))
    packets = damage.with_unknown(told.packets, rng)
    count = sum(note["type"] == "novelty" for packet in packets for note in packet["data"])
    check(game(damage.archive(packets, told, table, rng)), record, (f"novelty ({count})",))


def test_unknown_types_that_are_not_named_are_counted() -> None:
    record, told, _, _ = made(VARIANTS[0], 1)
    more = {"data": [{"type": f"novelty{n}"} for n in range(10)]}
    check(game(json.dumps([*told.packets, more])), record, ("novelty7 (1) and 2 more",))


@pytest.mark.parametrize(("variant", "number"), SEEDS)
def test_a_log_that_is_cut_ends_there(variant: tuple[str, str, int], number: int) -> None:
    record, told, table, rng = made(variant, seed_of(variant, number, 4))
    for _ in range(12):
        at = rng.randrange(1, len(told.moves) + 1)
        packets, moves = damage.cut(told, told.packets, at)
        if not moves:
            continue
        envelope = rng.choice((damage.replay_page, damage.extension, damage.collection))
        found = game(envelope(packets, told, table, rng)).record
        assert list(found.moves) == moves, at
        assert found.start == record.start
        assert found.reason == ("finished" if replayed(found)[-1].phase == "over" else "unfinished")
