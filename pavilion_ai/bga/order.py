"""Other orders of a log than that of the file, if times of packets or ids of notes say so.

Packets stand in the order in which they were sent, and nothing is sorted here to put a game right.
But the times of packets, and the ids of notes, which the site makes of the time, only grow. Where
those of the game do not, the log contradicts itself, if the game can be played in the other order
too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from pavilion_ai.bga.log import is_private, notes_in, numeral

AnyValue = TypeVar("AnyValue")
_GROWING = re.compile(r"[0-9a-f]{13}")
"""An id of a note: seconds and microseconds in hexadecimal digits."""


def other_orders(packets: Sequence[object], kinds: Collection[str]
                 ) -> Iterator[tuple[int, str, list[object]]]:
    """Yield the orders that times and ids say, where they do not grow.

    Args:
        packets: packets of a log, in the order of the file.
        kinds: types of the notes of the game.

    Yields:
        place of the first packet that must come earlier, counted from 1; what says so; and all
        packets in that order.
    """
    notes = [(number, note, packet) for number, packet in enumerate(packets, 1)
             if isinstance(packet, dict) for note in notes_in(packet)]
    game = [place for place, (_, note, packet) in enumerate(notes) if _counts(note, packet, kinds)]
    times = _carried([_time(packet) for packet in packets], 0)
    numbers = [notes[place][0] for place in game]
    place = _falls([times[number - 1] for number in numbers])
    if place:
        order = sorted(range(len(times)), key=lambda one: times[one])
        yield numbers[place - 1], "the times", [packets[one] for one in order]
    ids = [_id(note) for _, note, _ in notes]
    place = _falls([ids[one] for one in game]) if all(ids[one] for one in game) else 0
    if place:
        known = _carried([one or None for one in ids], "")
        order = sorted(range(len(ids)), key=lambda one: known[one])
        yield numbers[place - 1], "the ids of notes", [
            {**packet, "data": [note]} for _, note, packet in (
                notes[one] for one in order)]


def _counts(note: object, packet: dict[str, Any], kinds: Collection[str]) -> bool:
    """Tell whether a note is one of the game that all players were told of."""
    kind = note.get("type") if isinstance(note, dict) else None
    return isinstance(kind, str) and kind in kinds and not is_private(packet)


def _falls(values: Sequence[Any]) -> int:
    """Return the number of the first value below that before it, counted from 1; 0 if none is."""
    pairs = enumerate(pairwise(values), 2)
    return next((number for number, (before, after) in pairs if after < before), 0)


def _carried(values: Sequence[AnyValue | None], first: AnyValue) -> list[AnyValue]:
    """Return values with those that are missing replaced by the one before, or by `first`."""
    found: list[AnyValue] = []
    for value in values:
        found.append(value if value is not None else found[-1] if found else first)
    return found


def _time(packet: object) -> int | None:
    return numeral(packet.get("time")) if isinstance(packet, dict) else None


def _id(note: object) -> str:
    """Return the id of a note; empty if it is not made of the time."""
    uid = note.get("uid") if isinstance(note, dict) else None
    return uid if isinstance(uid, str) and _GROWING.fullmatch(uid) else ""
