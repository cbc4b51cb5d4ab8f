"""Damage to single values: any field of any note, whatever it is called.

Unlike `damage`, this knows no field that matters: it walks the whole data of a log.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.bga.damage import Packets, copied, renumbered
from tests.bga.site import Told

FRAMEWORK = {"simpleNote", "simpleNode", "updateReflexionTime", "wakeupPlayers"}
IGNORED = {"reflexion", "log", "h", "uid", "_bga_automatic_action", "color", "wild", "i18n"}
Slot = tuple[Any, Any]
"""A holder, an object or a list, and the key or index of one value in it."""


def slots(value: Any, inside: bool = False) -> list[Slot]:
    """Return every place inside of a value that holds a number, a string or nothing."""
    pairs = (list(value.items()) if isinstance(value, dict)
             else list(enumerate(value)) if isinstance(value, list) else [])
    found: list[Slot] = []
    for key, one in pairs:
        if key in IGNORED:
            continue
        if isinstance(one, (dict, list)):
            found += slots(one, True)
        else:
            found.append((value, key))
    return found


def lists(value: Any) -> list[list[Any]]:
    """Return every list inside of a value that is not empty."""
    found = [value] if isinstance(value, list) and value else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return found + [one for entry in inner for one in lists(entry)]


def _notes(packets: Packets, *kinds: str) -> list[dict[str, Any]]:
    return [note for packet in packets for note in packet["data"]
            if note["type"] not in FRAMEWORK and isinstance(note["args"], dict)
            and (not kinds or note["type"] in kinds)]


def other(value: Any, rng: random.Random, like: Any = None) -> Any:
    """Return another value of the kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        choices: list[Any] = [value + 1, value - 1, rng.randrange(8), rng.randrange(134), 0]
    else:
        choices = [None, "", "7", "x"]
    if like is not None:
        choices.append(like)
    return rng.choice([one for one in choices if one != value] or [value])


def any_value(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Write another value somewhere into a note."""
    found = copied(packets)
    note = rng.choice(_notes(found))
    places = slots(note["args"])
    if places:
        holder, key = rng.choice(places)
        same = [at for twin in rng.sample(_notes(found, note["type"]), 1)
                for at in slots(twin["args"]) if at[1] == key]
        like = same[0][0][same[0][1]] if same else None
        holder[key] = other(holder[key], rng, like)
    return found


MATTERS = {"space", "star", "line", "column", "fromFactory", "type", "typeWild", "playerId",
           "lineNumber", "fromSupply", "fromHand", "from"}


def a_field_that_matters(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Write another value into one of the fields that moves are read from."""
    found = copied(packets)
    places = [(holder, key) for note in _notes(found)
              if note["type"] not in ("gameStateChange", "endScore")
              for holder, key in slots(note["args"]) if key in MATTERS]
    holder, key = rng.choice(places)
    most = {"space": 6, "star": 6, "line": 5, "column": 5, "fromFactory": 9, "type": 6, "from": 9}
    if key == "playerId":
        holder[key] = rng.choice(told.ids)
    elif isinstance(holder[key], bool):
        holder[key] = not holder[key]
    else:
        holder[key] = rng.randrange(most.get(key, 6) + 1)
    return found


def no_key(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Leave a key out of an object somewhere in a note."""
    found = copied(packets)
    places = [at for at in slots(rng.choice(_notes(found))["args"]) if isinstance(at[0], dict)]
    if places:
        holder, key = rng.choice(places)
        del holder[key]
    return found


def no_entry(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Take an entry out of a list, let it stand there twice, or let two change their places."""
    found = copied(packets)
    inside = lists(rng.choice(_notes(found))["args"])
    if inside:
        entries = rng.choice(inside)
        what = rng.randrange(3)
        if what == 0:
            entries.pop(rng.randrange(len(entries)))
        elif what == 1:
            entries.append(copied(rng.choice(entries)))
        else:
            one, two = rng.randrange(len(entries)), rng.randrange(len(entries))
            entries[one], entries[two] = entries[two], entries[one]
    return found


def entries_swapped(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Exchange an entry of a list with one of another list of the same name."""
    found = copied(packets)
    note = rng.choice(_notes(found))
    keys = [key for key, one in note["args"].items() if isinstance(one, list) and one]
    if keys:
        key = rng.choice(keys)
        twins = [one["args"][key] for one in _notes(found, note["type"])
                 if isinstance(one["args"].get(key), list) and one["args"][key]]
        mine, theirs = note["args"][key], rng.choice(twins)
        at, there = rng.randrange(len(mine)), rng.randrange(len(theirs))
        mine[at], theirs[there] = theirs[there], mine[at]
    return found


def tiles_swapped(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Exchange two tiles, id and type, of a note that lists some."""
    found = copied(packets)
    note = rng.choice(_notes(found, "tilesSelected", "placeTileOnWall", "putToCorner",
                             "supplyFilled", "factoriesFilled", "tilesPlacedOnLine"))
    tiles = [one for one in objects(note["args"]) if "id" in one and "type" in one]
    rest = [one for twin in rng.sample(_notes(found), 1) for one in objects(twin["args"])
            if "id" in one and "type" in one]
    if tiles and (rest or len(tiles) > 1):
        one, two = rng.choice(tiles), rng.choice(rest or tiles)
        for key in ("id", "type"):
            one[key], two[key] = two[key], one[key]
    return found


def objects(value: Any) -> list[dict[str, Any]]:
    """Return every object inside of a value."""
    found = [value] if isinstance(value, dict) else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return found + [one for entry in inner for one in objects(entry)]


def placements_exchanged(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let two placements, drafts or passes of a player stand at each other's place."""
    found = copied(packets)
    note = rng.choice(_notes(found, "placeTileOnWall", "tilesSelected", "putToCorner",
                             "tilesPlacedOnLine", "supplyFilled"))
    twins = [one for one in _notes(found, note["type"])
             if one["args"].get("playerId") == note["args"].get("playerId")]
    near = twins.index(note)
    twin = rng.choice(twins[max(0, near - 3):near + 4])
    note["args"], twin["args"] = twin["args"], note["args"]
    return renumbered(found)


def packet_fields(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Write another value into the envelope of a packet, or leave one out."""
    found = copied(packets)
    packet = rng.choice(found)
    key = rng.choice(("move_id", "packet_id", "time", "table_id", "packet_type", "channel"))
    if rng.random() < 0.3:
        del packet[key]
    elif key == "channel":
        packet[key] = rng.choice((None, "", f"/player/p{told.ids[0]}"))
    elif key in ("move_id", "packet_id"):
        packet[key] = rng.choice((None, "1", str(rng.randrange(999)), rng.randrange(999), "x"))
    else:
        packet[key] = rng.choice((None, "", packet[key]))
    return found


def packets_exchanged(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let two packets stand at each other's place, far apart or near."""
    one = rng.randrange(1, len(packets))
    near = [n for n in range(max(1, one - 12), min(len(packets), one + 13)) if n != one]
    two = rng.choice(near)
    found = list(packets)
    found[one], found[two] = found[two], found[one]
    return renumbered(found) if rng.random() < 0.8 else found


def orders_exchanged(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let two packets stand at each other's place, and their times with their numbers."""
    found = packets_exchanged(packets, told, rng)
    return [{**packet, "time": there["time"]} if "time" in there else packet
            for packet, there in zip(renumbered(found), packets, strict=True)]


def note_types(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Give a note a type that is unknown, or that of another note."""
    found = copied(packets)
    notes = _notes(found)
    rng.choice(notes)["type"] = rng.choice(("novelty", rng.choice(notes)["type"]))
    return found


ALTERED: tuple[Callable[[Packets, Told, random.Random], Packets], ...] = (
    any_value, a_field_that_matters, a_field_that_matters, no_key, no_entry, entries_swapped,
    tiles_swapped, placements_exchanged, packet_fields, packets_exchanged, orders_exchanged,
    note_types)
