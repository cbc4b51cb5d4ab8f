"""What the tests of imported games share: logs of games that were played, and their check."""

from __future__ import annotations

import os
import random
from typing import Any

from pavilion_ai.bga import Imported, read_bga
from pavilion_ai.record import GameRecord
from tests.bga import damage
from tests.bga.games import played
from tests.bga.site import Style, Told
from tests.bga.site_azul import AzulSite
from tests.bga.site_summer import SummerSite
from tests.plays import VARIANTS, replayed

GAMES = int(os.environ.get("PAVILION_BGA", "1"))
"""Games of each variant and damage; more by hand."""
SUMMER_2 = ("summer", "coloured", 2)
AZUL_2 = ("azul", "coloured", 2)
QUIET = {"undo": 0.0, "automatic": False, "states": False}
"""Style of a log in which nothing is undone and nothing told but moves."""
SITES = {"summer": SummerSite, "azul": AzulSite}


def log_of(record: GameRecord, style: Style, seed: int) -> tuple[Told, dict[str, Any]]:
    """Return a log and the table at its start."""
    site = SITES[record.game](record, style, seed)
    return site.write(), site.gamedatas_at_start


def made(variant: tuple[str, str, int], seed: int, manner: str = "usual", **style: Any
         ) -> tuple[GameRecord, Told, dict[str, Any], random.Random]:
    """Return a game, its log, its page and a source of chance."""
    rng = random.Random(seed)
    record = played(*variant, seed, supply=9 if seed % 4 == 0 else 10, manner=manner)
    chosen = Style(**{"undo": rng.choice((0.0, 0.2, 0.4)), "states": rng.random() < 0.8,
                      "fast": rng.random() < 0.4, "language": rng.randrange(3),
                      "rich": rng.random() < 0.75, **style})
    told, table = log_of(record, chosen, seed)
    return record, told, table, rng


def game(text: str) -> Imported:
    """Return the game that a text holds."""
    found = read_bga(text)
    assert isinstance(found, Imported)
    return found


def check(found: Imported, record: GameRecord, expect: tuple[str, ...] = ()) -> None:
    """Check that a game is the one that was played, and that no note says otherwise."""
    mine = found.record
    assert (mine.start, mine.moves, mine.scores, mine.winners, mine.breakdown, mine.reason) == (
        record.start, record.moves, record.scores, record.winners, record.breakdown, record.reason)
    replayed(mine)
    notes = [one for one in found.notes if not one.startswith(("seat ", "the record ends"))]
    assert len(notes) == len(expect)
    assert all(words in note for words, note in zip(expect, notes, strict=True))


def seed_of(variant: tuple[str, str, int], number: int, test: int) -> int:
    return 1000 * number + 50 * test + VARIANTS.index(variant)


def broken_off(variant: tuple[str, str, int], test: int) -> tuple[Any, ...]:
    """Return a log that ends between two packets, the moves known until then, and the rest."""
    record, told, table, rng = made(variant, seed_of(variant, 0, test))
    for _ in range(99):
        count = rng.randrange(len(told.packets) // 4, len(told.packets) - 2)
        at = sum(len(packet["data"]) for packet in told.packets[:count])
        packets, moves = damage.cut(told, told.packets, at)
        if moves and len(moves) < len(record.moves) and "deal" not in moves[-1]:
            return packets, moves, record, told, table, rng
    raise AssertionError("no place to break off")


def first(packets: Any, kind: str, start: int = 0) -> tuple[int, dict[str, Any]]:
    """Return the first note of a type from a packet on, and the number of its packet."""
    return next((number, note) for number, packet in enumerate(packets[start:], start)
                for note in packet["data"] if note["type"] == kind)


def on_walls(packets: Any) -> list[dict[str, Any]]:
    """Return every entry of a line that is emptied to a wall in base Azul."""
    return [entry for packet in packets for note in packet["data"]
            if note["type"] == "placeTileOnWall"
            for entry in note["args"]["completeLines"].values()]


def pairs(packets: Any) -> list[tuple[int, int]]:
    """Return the places of packets with drafts of a player, each with that of its next one."""
    drafts = [(number, note["args"]["playerId"]) for number, packet in enumerate(packets)
              for note in packet["data"]
              if note["type"] == "tilesSelected" and "fromFactory" in note["args"]]
    found = []
    for place, (one, player) in enumerate(drafts):
        two = next((number for number, other in drafts[place + 1:] if other == player), None)
        if two is not None:
            found.append((one, two))
    return found


def exchanged(packets: Any, places: tuple[int, int], keep: str = "") -> Any:
    """Let two packets stand at each other's place.

    Packets and notes are numbered anew; `keep` is what still tells the order: `time` or `uid`.
    """
    one, two = places
    found = list(packets)
    found[one], found[two] = found[two], found[one]
    numbered = damage.renumbered(found)
    for packet, before, there in zip(numbered, found, packets, strict=True):
        packet["time"] = (before if keep == "time" else there)["time"]
        for note, was in zip(packet["data"], before["data"], strict=True):
            note["uid"] = was["uid"] if keep == "uid" else note["uid"]
    return numbered
