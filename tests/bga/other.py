"""Logs as another program would write them: the same game with only what must be there, and more.

Every function gets the packets of a log and a source of chance, and returns packets that tell the
same.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.bga.damage import Packets, copied, renumbered

WHO = {"playerId"}
COUNTS: dict[str, set[str]] = {
    "supplyFilled": {"newTiles", "remainingTiles"},
    "factoriesFilled": {"factories", "remainingTiles", "roundNumber"},
    "cornerToHand": {"playerId", "tiles"},
    "firstPlayerToken": WHO,
    "tilesSelected": WHO | {"type", "typeWild", "number", "selectedTiles", "discardedTiles",
                            "fromFactory", "fromSupply"},
    "placeTileOnWall": WHO | {"placedTile", "discardedTiles", "completeLines"},
    "pass": WHO,
    "putToCorner": WHO | {"keptTiles", "discardedTiles"},
    "undoTakeTiles": WHO | {"undo"},
    "undoPlayTile": WHO | {"undo"},
    "undoSelectLine": WHO | {"undo"},
    "tilesPlacedOnLine": WHO | {"type", "line", "placedTiles", "discardedTiles", "fromHand"},
    "emptyFloorLine": {"floorLines"},
    "endScore": {"scores"},
}
"""Arguments without which a note says nothing; all others may be left out."""


def minimal(packets: Packets, rng: random.Random) -> Packets:
    """Leave out everything that no move needs."""
    found = copied(packets)
    for packet in found:
        packet["data"] = [
            {"type": note["type"], "args": note["args"] if note["type"] not in COUNTS else {
                key: one for key, one in note["args"].items() if key in COUNTS[note["type"]]}}
            for note in packet["data"] if note["type"] in COUNTS]
        for note in packet["data"]:
            note["args"].pop("typeWild", None)  # it is that of the round
            for one in _objects(note["args"]):
                one.pop("location", None)
                one.pop("pointsDetail", None)
        packet.pop("time", None)
        packet.pop("packet_type", None)
    found = renumbered([packet for packet in found if packet["data"]])
    return [{**packet, "data": [{"type": note["type"], "args": note["args"]}
                                for note in packet["data"]]} for packet in found]


def without_ids(packets: Packets, rng: random.Random) -> Packets:
    """Leave out the ids of tiles."""
    found = copied(packets)
    for packet in found:
        for tile in _objects(packet["data"]):
            if type(tile.get("type")) is int:
                tile.pop("id", None)
    return found


def shuffled(packets: Packets, rng: random.Random) -> Packets:
    """Write the keys of every object in another order."""
    def turned(value: Any) -> Any:
        if isinstance(value, list):
            return [turned(one) for one in value]
        if not isinstance(value, dict):
            return value
        pairs = list(value.items())
        rng.shuffle(pairs)
        return {key: turned(one) for key, one in pairs}

    found: Packets = turned(packets)
    return found


def as_a_database(packets: Packets, rng: random.Random) -> Packets:
    """Write numbers and truths as strings, what is missing as an empty string or not at all."""
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(one) for key, one in value.items()
                    if one is not None or rng.random() < 0.5}
        if isinstance(value, list):
            return [turned(one) for one in value]
        if isinstance(value, bool):
            return rng.choice(("1", 1, "true", True) if value else ("0", 0, "", False, "false"))
        return str(value) if type(value) is int else value

    found: Packets = turned(packets)
    return found


def with_more(packets: Packets, rng: random.Random) -> Packets:
    """Add packets and notes without meaning, and keys that nobody knows."""
    found: Packets = []
    for packet in copied(packets):
        packet["from_the_future"] = {"a": [1]}
        for note in packet["data"]:
            if isinstance(note["args"], dict):
                note["args"]["novel"] = rng.choice((None, 1, "x", [], {"type": 9}))
            note["bIsTableMsg"] = True
        for _ in range(rng.choice((0, 0, 1, 2))):
            kind = rng.choice(("chatmessage", "yourturnack", "updateReflexionTime", "playerstatus",
                               "undoRestorePoint", "gameStateChangePrivateArg", "simpleNote"))
            packet["data"].insert(rng.randrange(len(packet["data"]) + 1), {
                "uid": f"more{rng.random()}", "type": kind, "log": "<b>x</b> &amp; \u202e",
                "args": rng.choice(([], None, {}, {"player_id": "1", "text": "P"}, "", "words"))})
        found.append(packet)
        if rng.random() < 0.2:
            found.append({**packet, "packet_id": None, "move_id": None,
                          "data": rng.choice(([], None, {}))})
    return found


def without_numbers(packets: Packets, rng: random.Random) -> Packets:
    """Leave the numbers of packets, moves or tables out of packets."""
    gone = rng.choice((("packet_id",), ("move_id",), ("table_id", "channel"), ("channel",),
                       ("packet_id", "move_id", "table_id", "channel", "packet_type", "time")))
    return [{key: one for key, one in packet.items() if key not in gone} for packet in packets]


def in_one_packet(packets: Packets, rng: random.Random) -> Packets:
    """Put several packets of one channel into one, as turn-based games and slow connections do."""
    found: Packets = []
    for packet in packets:
        if found and found[-1].get("channel") == packet.get("channel") and rng.random() < 0.7:
            found[-1] = {**found[-1], "data": [*(found[-1]["data"] or []),
                                                 *(packet["data"] or [])]}
        else:
            found.append(packet)
    return [{**packet, "packet_id": str(n), "move_id": str(n)}
            for n, packet in enumerate(found, 1)]


def one_by_one(packets: Packets, rng: random.Random) -> Packets:
    """Give every note a packet of its own; those of a turn share the number of a move."""
    found = [{**packet, "data": [note]} for packet in packets
             for note in packet["data"] or []]
    return [{**packet, "packet_id": str(n)} for n, packet in enumerate(found, 1)]


def keyed_in_disorder(packets: Packets, rng: random.Random) -> Packets:
    """Write lists as objects whose keys are their indices, in any order."""
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(one) for key, one in value.items()}
        if not isinstance(value, list):
            return value
        if not value:
            return rng.choice(([], {}))
        pairs = [(str(n), turned(one)) for n, one in enumerate(value)]
        rng.shuffle(pairs)
        return dict(pairs)

    return [{**packet, "data": turned(packet["data"])} for packet in packets]


def numbered_otherwise(packets: Packets, rng: random.Random) -> Packets:
    """Let the numbers of packets and moves jump all the time, as those of a busy server may."""
    found, number, move = [], rng.randrange(1000), rng.randrange(1000)
    most = rng.choice(((1, 4), (9, 1), (3, 3)))
    for packet in packets:
        number += rng.randint(1, most[0])
        move += rng.randint(0, most[1])
        found.append({**packet, **{key: str(value) for key, value in (
            ("packet_id", number), ("move_id", move)) if packet.get(key) is not None}})
    return found


OTHERS: tuple[Callable[[Packets, random.Random], Packets], ...] = (
    minimal, without_ids, shuffled, as_a_database, with_more, without_numbers, in_one_packet,
    one_by_one, keyed_in_disorder, numbered_otherwise)
"""In an order in which each can follow those before it."""


def pieces(packets: Packets, rng: random.Random, count: int) -> list[Packets]:
    """Return a log in files that overlap, or that hold every other packet, in any order."""
    if rng.random() < 0.5:
        tab = [rng.randrange(count) for _ in packets]
        tab[:count] = range(count)
        parts = [[packet for packet, mine in zip(packets, tab, strict=True)
                  if mine == one or rng.random() < 0.2] for one in range(count)]
    else:
        ends = sorted(rng.sample(range(1, len(packets)), count - 1))
        parts = [packets[max(0, first - rng.randrange(5)):last + rng.randrange(5)]
                 for first, last in zip([0, *ends], [*ends, len(packets)], strict=True)]
    rng.shuffle(parts)
    return parts


def _objects(value: Any) -> list[dict[str, Any]]:
    found = [value] if isinstance(value, dict) else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return found + [one for entry in inner for one in _objects(entry)]
