"""What happens to logs before anybody reads them."""

from __future__ import annotations

import json
import marshal
import random
from typing import Any, TypeVar

from tests.bga.site import Told

Packets = list[dict[str, Any]]
AnyValue = TypeVar("AnyValue")


def copied(value: AnyValue) -> AnyValue:
    """Return a deep copy of JSON data, in a twentieth of the time that `copy` takes."""
    found: AnyValue = marshal.loads(marshal.dumps(value, 2))
    return found


def as_strings(value: Any) -> Any:
    """Write every number as a string, as some databases do."""
    if isinstance(value, dict):
        return {key: as_strings(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_strings(one) for one in value]
    return str(value) if type(value) is int else value


def as_objects(value: Any, rng: random.Random, share: float = 0.5) -> Any:
    """Write some lists as objects with the keys of a list, and empty objects as lists."""
    if isinstance(value, dict):
        changed = {key: as_objects(one, rng, share) for key, one in value.items()}
        return changed or ([] if rng.random() < share else {})
    if isinstance(value, list):
        entries = [as_objects(one, rng, share) for one in value]
        if entries and rng.random() < share:
            return {str(index): one for index, one in enumerate(entries)}
        return entries
    return value


def without(packets: Packets, *keys: str) -> Packets:
    """Leave keys out of every note."""
    return [{**packet, "data": [{key: one for key, one in note.items() if key not in keys}
                                for note in packet["data"]]} for packet in packets]


def doubled(packets: Packets, rng: random.Random) -> Packets:
    """Let packets stand there twice, the second time at once or in an overlapping piece."""
    found: Packets = []
    for packet in packets:
        found.append(packet)
        if rng.random() < 0.1:
            back = rng.randrange(1, 6)
            found += copied(found[-back:])
    return found


def with_private(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Add packets for single players, with public notes among them."""
    found: Packets = []
    for packet in packets:
        player = rng.choice(told.ids)
        twin = {**copied(packet), "channel": f"/player/p{player}"}
        place = rng.random()
        if place < 0.15:
            found.append(twin)
        found.append(packet)
        if place > 0.85:
            found.append(twin)
    return found


def of_another(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Leave out the numbered packets for single players, as somebody else saves the log."""
    numbered = [{**packet, "packet_id": str(number)}
                for number, packet in enumerate(with_private(packets, told, rng), 1)]
    return [packet for packet in numbered if "/player/" not in packet["channel"]]


def with_unknown(packets: Packets, rng: random.Random) -> Packets:
    """Add notes of unknown types."""
    found = copied(packets)
    for packet in found:
        if rng.random() < 0.1:
            packet["data"].insert(rng.randrange(len(packet["data"]) + 1), {
                "uid": f"x{rng.random()}", "type": "novelty", "log": "", "args": {"type": 9}})
        if rng.random() < 0.1:
            packet["data"].append({"type": rng.choice(("clockalert", "yourturnack", "simpleNote")),
                                   "log": "", "args": rng.choice(([], None, {}))})
    return found


def with_wakeups(packets: Packets, rng: random.Random) -> Packets:
    """Add packets between moves, which have the number of the packet that follows."""
    found: Packets = []
    for packet in packets:
        if rng.random() < 0.1:
            found.append({**packet, "move_id": None, "data": [
                {"uid": f"wake{len(found)}", "type": "wakeupPlayers", "log": "", "args": []}]})
        found.append(packet)
    return found


def cut(told: Told, packets: Packets, at: int) -> tuple[Packets, list[str]]:
    """End a log after some notes; return it, and the moves known until then."""
    found: Packets = []
    left = at
    for packet in packets:
        found.append({**packet, "data": packet["data"][:left]})
        left -= len(packet["data"])
        if left <= 0:
            break
    return found, told.moves[at - 1]


# ---------------------------------------------------------------------------------- envelopes


def page(log: Any, table: Any) -> str:
    """Return the source of a page, with a log or without."""
    logs = "" if log is None else f"g_gamelogs = {json.dumps(log)};\n"
    return (
        '<!DOCTYPE html>\n<html><head><title>Replay</title>\n<script>var bgaConfig = {"x": "{",'
        " requestToken: 'SECRETSECRET1'};</script></head>\n<body><script>\n"
        f'{logs}gameui.completesetup( "azul", "A name with {{ and \\" in it", 1, 2,'
        ' "SECRETSECRET2", "keepme", /* } */ "socketio", '
        f'{json.dumps(table)}, {{"id": 1}}, [] );\n'
        "</script></body></html>\n")


def archive(packets: Packets, told: Told, table: dict[str, Any], rng: random.Random) -> str:
    players = told.players() if rng.random() < 0.5 else []
    return json.dumps({"status": 1, "data": {"logs": packets, "players": players}})


def history(packets: Packets, told: Told, table: dict[str, Any], rng: random.Random) -> str:
    return json.dumps({"status": "1", "data": {"valid": 1, "data": packets}})


def replay_page(packets: Packets, told: Told, table: dict[str, Any], rng: random.Random) -> str:
    log = json.loads(rng.choice((archive, history))(packets, told, table, rng))
    return page(log, table)


def extension(packets: Packets, told: Told, table: dict[str, Any], rng: random.Random) -> str:
    return json.dumps({"players": told.players(), "gamedatas": table, "packets": packets})


def collection(packets: Packets, told: Told, table: dict[str, Any], rng: random.Random) -> str:
    side = 1 if told.record.start.board == "coloured" else 2  # type: ignore[attr-defined]
    option = rng.choice((side, str(side), {"value": side}, {"value": str(side), "name": "x"}))
    log = json.loads(rng.choice((archive, history, bare))(packets, told, table, rng))
    return json.dumps({"table_id": told.table, "logs": log, "infos": {"status": 1, "data": {
        "options": {"100": option, "102": 0}, "result": {"endgame_reason": "normal_end"}}}})


def bare(packets: Packets, told: Told, table: dict[str, Any], rng: random.Random) -> str:
    return json.dumps(packets)


ENVELOPES = (archive, history, replay_page, extension, collection, bare)


# --------------------------------------------------------------------------------------- ends


def ended(packets: Packets, notes: list[dict[str, Any]]) -> Packets:
    """Add a last packet to a log."""
    last = packets[-1]
    return [*packets, {**last, "packet_id": str(int(last["packet_id"]) + 1), "data": notes}]


def with_gaps(packets: Packets, rng: random.Random) -> Packets:
    """Lose packets from the middle: in one place or several, one packet or many."""
    lost: set[int] = set()
    for _ in range(rng.choice((1, 1, 2, 4))):
        first = rng.randrange(1, len(packets) - 1)
        length = rng.choice((1, 1, 2, 3, rng.randrange(1, len(packets))))
        lost.update(range(first, min(first + length, len(packets) - 1)))
    return [packet for number, packet in enumerate(packets) if number not in lost]


# ---------------------------------------------------- what no number of packet or move shows


PLAY = {"tilesSelected", "tilesPlacedOnLine", "placeTileOnWall", "pass", "putToCorner",
        "undoTakeTiles", "undoPlayTile", "undoSelectLine", "firstPlayerToken", "supplyFilled",
        "factoriesFilled", "cornerToHand", "emptyFloorLine"}
RANGES = {"type": 6, "fromFactory": 9, "line": 5, "lineNumber": 5, "star": 6, "space": 6,
          "column": 5, "number": 6, "typeWild": 6, "id": 133, "points": 9, "newScore": 80,
          "remainingTiles": 120}
"""Fields of notes, and the largest number to be written there."""


def renumbered(packets: Packets) -> Packets:
    """Number packets, moves and notes anew, so that only the contents tell what is missing."""
    found, moves, notes = copied(packets), 0, 0
    last = None
    for number, packet in enumerate(found, 1):
        packet["packet_id"] = str(number)
        if packet.get("move_id") is not None:
            moves += packet["move_id"] != last
            last, packet["move_id"] = packet["move_id"], str(moves)
        for note in packet["data"]:
            notes += 1
            note["uid"] = f"n{notes}"
    return found


def some_notes(packets: Packets, kinds: set[str] = PLAY) -> list[tuple[list[Any], dict[str, Any]]]:
    """Return notes of the game with the lists that hold them."""
    return [(packet["data"], note) for packet in packets for note in packet["data"]
            if note["type"] in kinds and isinstance(note["args"], dict)]


def numbers_in(value: Any) -> list[tuple[dict[str, Any], str]]:
    """Return the fields with numbers in the data of a note."""
    if isinstance(value, list):
        return [found for one in value for found in numbers_in(one)]
    if not isinstance(value, dict):
        return []
    return [found for key, one in value.items() for found in (
        [(value, key)] if key in RANGES and type(one) is int else numbers_in(one))]


def moved(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let a packet stand somewhere else."""
    found = list(packets)
    found.insert(rng.randrange(1, len(found)), found.pop(rng.randrange(1, len(found))))
    return renumbered(found)


def exchanged(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let two packets stand in the wrong order."""
    place = rng.randrange(1, len(packets) - 1)
    return renumbered([*packets[:place], packets[place + 1], packets[place],
                       *packets[place + 2:]])


def lost(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Lose packets."""
    return renumbered(with_gaps(packets, rng))


def repeated(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let a packet stand there once more, at once or elsewhere."""
    place = rng.randrange(1, len(packets))
    again = place + 1 if rng.random() < 0.5 else rng.randrange(1, len(packets))
    return renumbered([*packets[:again], packets[place], *packets[again:]])


def note_lost(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Lose a note."""
    found = renumbered(packets)
    notes, note = rng.choice(some_notes(found))
    notes.remove(note)
    return found


def undone_twice(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let a note say once more, somewhere else, that something was taken back."""
    found = renumbered(packets)
    undone = some_notes(found, {"undoTakeTiles", "undoPlayTile", "undoSelectLine"})
    if undone:
        again = {**copied(rng.choice(undone)[1]), "uid": "again"}
        notes = rng.choice(found[1:])["data"]
        notes.insert(rng.randrange(len(notes) + 1), again)
    return found


def with_removed(packets: Packets) -> Packets:
    """Remove what is taken back, as the site of base Azul does; the notes that say so stay."""
    found = copied(packets)
    moves: list[tuple[list[Any], dict[str, Any]]] = []
    for packet in found:
        for note in list(packet["data"]):
            if note["type"] in ("undoSelectLine", "undoTakeTiles"):
                while True:  # with the marker, which is told of before
                    notes, taken = moves.pop()
                    notes.remove(taken)
                    if not moves or _comes_alone(moves[-1][1]):
                        break
            elif note["type"] in ("tilesSelected", "firstPlayerToken") or (
                    note["type"] == "tilesPlacedOnLine"
                    and (_comes_alone(note) or not note["args"]["type"])):
                moves.append((packet["data"], note))
    played = {"gameStateChange", "gameStateMultipleActiveUpdate"}
    return [packet for old, packet in zip(packets, found, strict=True)
            if len(packet["data"]) == len(old["data"])
            or any(note["type"] not in played for note in packet["data"])]


def _comes_alone(note: dict[str, Any]) -> bool:
    """Tell whether a note is a move, not what comes along with the next one."""
    return note["type"] == "tilesSelected" or bool(note["args"].get("fromHand"))


def wrong_player(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let a note name another player, or nobody at the table."""
    found = copied(packets)
    args = rng.choice([note["args"] for _, note in some_notes(found)
                       if "playerId" in note["args"]])
    args["playerId"] = rng.choice([one for one in (*told.ids, 7) if one != args["playerId"]])
    return found


def wrong_number(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Write another number into a note."""
    found = copied(packets)
    holder, key = rng.choice(
        [one for _, note in some_notes(found) for one in numbers_in(note["args"])])
    holder[key] = rng.choice([n for n in range(RANGES[key] + 1) if n != holder[key]])
    return found


def swapped_fields(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Swap two numbers of a note, or a field of two notes of a type."""
    found = copied(packets)
    _, note = rng.choice(some_notes(found))
    inside = numbers_in(note["args"])
    if rng.random() < 0.5 and len(inside) > 1:
        (one, key), (other, name) = rng.sample(inside, 2)
        one[key], other[name] = other[name], one[key]
        return found
    other = rng.choice(some_notes(found, {note["type"]}))[1]["args"]
    shared = sorted(set(note["args"]) & set(other))
    if shared:
        key = rng.choice(shared)
        note["args"][key], other[key] = other[key], note["args"][key]
    return found


def swapped_types(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Swap the types of two notes."""
    found = copied(packets)
    (_, one), (_, other) = rng.sample(some_notes(found), 2)
    one["type"], other["type"] = other["type"], one["type"]
    return found


UNNUMBERED = (moved, exchanged, lost, repeated, note_lost, undone_twice, wrong_player, wrong_number,
              swapped_fields, swapped_types)


def with_shared_numbers(packets: Packets, rng: random.Random) -> Packets:
    """Let some packets belong to the move of the packet before, and some to none."""
    found, move = copied(packets), 0
    for packet in found:
        kind = rng.random()
        move += kind < 0.6 or not move
        packet["move_id"] = None if kind > 0.8 else str(move)
    return found


def nominal_end(told: Told, **table: Any) -> dict[str, Any]:
    """Return the site's result of a game that was broken off: scores such as 1 and 0."""
    return {"uid": "end", "type": "gameStateChange", "log": "", "args": {
        "id": "99", "type": "manager", "args": {"table": {
            "concede": False, "neutralized": "0", **table}, "result": [
                {"player": str(one), "score": str(int(n == 0)), "score_aux": "0", "rank": n + 1}
                for n, one in enumerate(told.ids)]}}}


def conceded(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let a player concede; the result may leave out that somebody has."""
    given_up = {"uid": "up", "type": "playerConcedeGame", "log": "", "args": {
        "player_name": "Player A", **rng.choice(({}, {"player_id": str(told.ids[0])}))}}
    concede = rng.choice((True, 1, "1", None, False))
    return ended(packets, [given_up, *([nominal_end(told, concede=concede)] * rng.randrange(2))])


def abandoned(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let the game be neutralised; the result says so, or notes that leave no doubt."""
    notes = [{"uid": f"left {kind}", "type": kind, "log": "", "args": {}} for kind in (
        "tableInfosChanged", "gameResultNeutralized", "allPlayersAreZombie")]
    kept = rng.sample(notes, rng.randrange(1, 4))
    sure = any(note["type"] != "tableInfosChanged" for note in kept)
    neutralized = rng.choice((str(told.ids[0]), "1", *((None, "0") if sure else ())))
    return ended(packets, [*kept, nominal_end(told, neutralized=neutralized)])


def with_zombie(packets: Packets, told: Told, rng: random.Random) -> Packets:
    """Let a player leave while the others go on, and perhaps come back."""
    found = copied(packets)
    for kind in ("playerstatus", "tableInfosChanged", "skipTurnOfPlayer", "zombieBack"):
        notes = rng.choice(found[1:-1])["data"]
        notes.insert(rng.randrange(len(notes) + 1), {
            "uid": f"zombie {kind}", "type": kind, "log": "", "args": {
                "player_id": str(told.ids[-1]), "player_status": "offline"}})
    for note in found[-1]["data"]:
        if note["type"] == "gameStateChange" and note["args"].get("id") == 99:
            note["args"]["args"]["result"][-1]["zombie"] = rng.choice((1, "1"))
    return found
