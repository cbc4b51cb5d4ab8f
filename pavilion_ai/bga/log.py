"""The log of a game: packets of notes, extracted from the envelope in which they were saved.

Nested envelopes are opened until a list of packets is found. Notes sent to one player only, and
repeated notes, are dropped; the others are kept in the order given.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pavilion_ai.bga.page import Node, without_point
from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.frozen import freeze
from pavilion_ai.position.base import DISPLAY_TILES

ENVELOPES = ("g_gamelogs", "logs", "packets", "data")
"""Keys under which the list of packets, or another envelope, may be found."""
DEEPEST = 6  # levels of nested envelopes
MAX_ID = 10**12
NO_ID = "type "  # before the type of a tile without an id
MOST_DEALT = 100
"""Displays, and tiles on them, beyond which they are not a deal of a game."""
ORDERED = ("packet_id", "move_id", "time")
"""Keys of packets whose numbers grow."""
ALIKE = 8  # packets of one number to compare a later one with
NAMED_TYPES = 8  # of notes, in a message
_TABLE = re.compile(r"/table/t([0-9]{1,15})")
_NUMBERED = re.compile(r"/(table/t|player/p)[0-9]")
"""Channels whose packets are numbered together; chats and spectators have numbers of their own."""
_PLAIN = re.compile(r"[A-Za-z0-9_]{1,40}")

DEAL = "factoriesFilled"
EXPANSION = {
    "completeStructureSetLogDetails", "specialFactories", "moveSpecialFactoryZero",
    "factoriesChanged", "factoriesCompleted",
}
SPECIAL_TILES = "discardedTilesToSpecialFactoryZero"
FRAMEWORK = {
    "gameStateChange", "gameStateChangePrivateArg", "newPrivateState",
    "gameStateMultipleActiveUpdate", "updateReflexionTime", "simpleNote", "simpleNode", "message",
    "wakeupPlayers", "yourturnack", "clockalert", "playerstatus", "tableDecision",
    "switchToTurnbased", "timeJokerUsed", "undoRestorePoint", "zombieBack", "skipTurnOfPlayer",
    "chatmessage", "tablechat", "startWriting", "stopWriting", "updateSpectatorList", "infomsg",
    "resultsAvailable", "tableInfosChanged", "playerConcedeGame", "gameResultNeutralized",
    "allPlayersAreZombie",
}
"""Types of notes that any game there may have, and that say nothing about the play."""


class LogError(PavilionError):
    """A file is refused: it holds no log of the two games, or a log that contradicts itself.

    Attributes:
        message: what was found, and what was expected.
        place: packet and type of note, or key of the page; empty for the whole.
    """

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.message, self.place = message, place


@dataclass(frozen=True)
class Note:
    """One entry of a log.

    Attributes:
        kind: type of the note.
        args: its data; their place names packet and type.
        packet: place of its packet in the log, counted from 1.
        move: number of the move on the site, from an earlier packet if this one has no number.
    """

    kind: str
    args: Node
    packet: int
    move: int

    @property
    def where(self) -> str:
        """Packet and type, for messages."""
        return self.args.where


@dataclass(frozen=True)
class Log:
    """The notes of a game, in order.

    Attributes:
        notes: the notes sent to all players, each once.
        packets: number of packets.
        players: names by player id, as far as the log gives them.
        listed: ids of the players that the envelope lists; may be empty.
        gaps: packets before which others are missing, or stand later; what shows it, in words.
        doubts: the same where only the numbers of moves jump and those of packets do not.
        before_first: name of the first packet with a lower number than the first one, or with a
            lower number of its move where packets have none; empty if there is none.
    """

    notes: tuple[Note, ...]
    packets: int
    players: Mapping[str, str]
    listed: tuple[str, ...]
    gaps: Mapping[int, str] = field(default_factory=dict)
    doubts: Mapping[int, str] = field(default_factory=dict)
    before_first: str = ""

    def __post_init__(self) -> None:
        freeze(self, "players", "gaps", "doubts")

    def unknown(self, known: Iterable[str]) -> Counter[str]:
        """Count the notes of types that are neither the framework's nor among `known`."""
        expected = FRAMEWORK.union(known)
        return Counter(note.kind for note in self.notes if note.kind not in expected)


# ------------------------------------------------------------------------------ envelopes


def refused_answer(value: object) -> str | None:
    """Return the site's message if the value is an error answer in place of a log, else None."""
    for _ in range(DEEPEST):
        if not isinstance(value, dict):
            return None
        if str(value.get("status")) == "0" and "error" in value:
            said = value["error"]
            return said if isinstance(said, str) else shown(said)
        value = next((value[key] for key in ENVELOPES if key in value), None)
    return None


def find_packets(value: object, deepest: int = DEEPEST) -> list[object] | None:
    """Return the list of packets in an envelope, which may be empty; None if there is no list."""
    entries = listed_values(value)
    if entries is not None:
        if not entries:
            return []
        return entries if any(isinstance(one, dict) and "data" in one for one in entries) else None
    if not isinstance(value, dict) or not deepest:
        return None
    for key in ENVELOPES:
        if key in value:
            inner = value[key]
            found = find_packets(inner, deepest - 1) if inner not in (None, {}) else []
            if found is not None:
                return found
    return None


def table_of(packets: Sequence[object]) -> str | None:
    """Return the number of the table that packets belong to; None if no packet states it.

    What a player alone was told may be of another table.
    """
    return next((table for packet in packets if isinstance(packet, dict) and not is_private(packet)
                 for table in _tables(packet) if table is not None), None)


def is_private(packet: Mapping[str, object]) -> bool:
    """Tell whether a packet was sent to one player alone."""
    return "/player/" in str(packet.get("channel") or "")


def merged(pieces: Sequence[Sequence[object]]) -> list[object]:
    """Return the packets of pieces of one log, in order.

    Numbered pieces are merged by the numbers. If a number is missing, or a piece itself is not in
    order, whole pieces follow one another: first that with the opening, then by the first number of
    each, by its first move or time if a number is missing, else as given.
    """
    numbers = [[numeral(packet.get("packet_id")) if isinstance(packet, dict) else None
                for packet in piece] for piece in pieces]
    known = [[number for number in piece if number is not None] for piece in numbers]
    if any(None in piece for piece in numbers) or any(piece != sorted(piece) for piece in known):
        firsts = next((found for key in ORDERED if None not in (
            found := [_first(piece, key) for piece in pieces])), [0] * len(pieces))
        order = sorted(range(len(pieces)), key=lambda one: (
            opening_deal(pieces[one]) is None, firsts[one]))
        return [packet for one in order for packet in pieces[one]]
    placed = [(number, packet) for one, piece in zip(known, pieces, strict=True)
              for number, packet in zip(one, piece, strict=True)]
    return [packet for _, packet in sorted(placed, key=lambda one: one[0])]


def _first(piece: Sequence[object], key: str) -> int | None:
    """Return the first number under a key of packets; None if none has one."""
    return next((number for packet in piece if isinstance(packet, dict)
                 if (number := numeral(packet.get(key))) is not None), None)


def opening_deal(packets: Sequence[object]) -> object:
    """Return the displays of the first round, to compare them; None if packets begin later."""
    for packet in packets:
        for note in notes_in(packet):
            kind = note.get("type") if isinstance(note, dict) else None
            if kind == DEAL and isinstance(note, dict):
                args = note.get("args")
                number = args.get("roundNumber") if isinstance(args, dict) else None
                return deal_of(args) if number is None or numeral(number) == 1 else None
            if not isinstance(kind, str):
                continue  # as the reader does
            if kind not in FRAMEWORK and kind != "supplyFilled":
                return None
    return None


def deal_of(holder: object) -> object:
    """Return the sorted ids of the tiles on each display, or types where ids are missing.

    None if there are no displays, or more than any game has.
    """
    factories = holder.get("factories") if isinstance(holder, dict) else None
    displays = listed_values(factories)
    if displays is None or not 0 < len(displays) <= MOST_DEALT:
        return None
    dealt = [sorted(str(tile["id"]) if tile.get("id") is not None else
                    f"{NO_ID}{tile.get('type')}" for tile in listed_values(display) or []
                    if isinstance(tile, dict)) for display in displays[1:]]
    return dealt if sum(map(len, dealt)) <= MOST_DEALT else None


def acting(packets: Sequence[object]) -> set[str]:
    """Return the ids of the players who act in packets."""
    found = set()
    for packet in packets:
        for note in notes_in(packet):
            args = note.get("args") if isinstance(note, dict) else None
            player = numeral(args.get("playerId")) if isinstance(args, dict) else None
            if player is not None:
                found.add(str(player))
    return found


def notes_in(packet: object) -> list[object]:
    """Return the notes of a packet; none if it has no list of them."""
    return listed_values(packet.get("data") if isinstance(packet, dict) else None) or []


def _tables(packet: dict[str, object]) -> tuple[str | None, str | None]:
    """Return the table that the channel of a packet names, and the one that the packet states."""
    named = _TABLE.search(str(packet.get("channel") or ""))
    stated = numeral(packet.get("table_id"))
    return (str(int(named[1])) if named else None), (None if stated is None else str(stated))


def _is_numbered(packet: dict[str, object]) -> bool:
    """Tell whether a packet is of those that are numbered together."""
    channel = str(packet.get("channel") or "")
    return not channel or bool(_NUMBERED.match(channel))


def _number(packet: dict[str, object]) -> int | None:
    """Return the number of a packet among those that are numbered together, if it has one."""
    return numeral(packet.get("packet_id")) if _is_numbered(packet) else None


def _named(place: int, packet: object) -> str:
    """Return what messages call a packet: its number, or its place in the log if it has none."""
    number = _number(packet) if isinstance(packet, dict) else None
    return f"packet at place {place}" if number is None else f"packet {number}"


def listed_values(value: object) -> list[object] | None:
    """Return a list, or an object whose keys are indices, as a list; None for other values."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and value and all(numeral(key) is not None for key in value):
        return [value[key] for key in sorted(value, key=int)]
    return None


def numeral(value: object) -> int | None:
    """Return a non-negative integer, which may be written as a string; None for other values."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 15:
        return int(value)
    if type(value) is not int:
        value = without_point(value)
    return value if type(value) is int and value >= 0 else None


def untouched(table: Node) -> bool:
    """Tell whether no player on a page has tiles: neither placed, nor in hand, nor kept."""
    return "players" in table and all(
        not (key in player and player[key].value) for player in table["players"].items()
        for key in ("wall", "lines", "hand", "corner"))


def start_deal(table: Node) -> object:
    """Return the deal on a page that shows the start of a game, None if it shows no such deal.

    Raises:
        PositionError: the page is malformed.
    """
    if not untouched(table) or "factories" not in table:
        return None
    on_page = deal_of(table.value)
    whole = isinstance(on_page, list) and all(len(display) == DISPLAY_TILES for display in on_page)
    return on_page if whole else None


def is_other_deal(on_page: object, dealt: object) -> bool:
    """Tell whether the deal on a page, if there is one, is another than `deal_of` returned."""
    return on_page is not None and on_page != dealt and NO_ID not in f"{on_page} {dealt}"


def identity(node: Node) -> str:
    """Return the id of a player as a string, however it is written."""
    return str(node.number(0, MAX_ID))


def child(node: Node | None, *keys: str) -> Node | None:
    """Return the value under nested keys; None if one of them is missing."""
    for key in keys:
        if node is None or key not in node:
            return None
        node = node[key]
    return node


def listed(args: Node, key: str) -> list[Node]:
    """Return the entries of a list that may be missing."""
    return args[key].items() if key in args else []


def whole_number(node: Node | None) -> int | None:
    """Return a non-negative integer that may be missing, or not be one; None then."""
    return None if node is None else numeral(node.value)


def state_of(note: Note) -> int | None:
    """Return the number of the state that a note announces; None for other notes."""
    if note.kind != "gameStateChange" or "id" not in note.args:
        return None
    return numeral(note.args["id"].value)


def by_player(args: Node, key: str) -> list[tuple[str, Node]]:
    """Return the entries under a key by player; an empty object may be written as a list."""
    if key not in args or isinstance(args[key].value, list):
        return []
    return args[key].entries()


def flag(node: Node, key: str) -> bool:
    """Tell whether a key is present and true, in any of the ways that such a log writes it."""
    return key in node and node[key].value not in (False, 0, "0", "", "false")


# ------------------------------------------------------------------------------ reading


def read_log(packets: Sequence[object], players: object = None) -> Log:
    """Read the packets of a game.

    Args:
        packets: packets in the order of the file; parts that overlap follow one another.
        players: list of players saved with the packets, if any.

    Raises:
        LogError: there are no packets, they belong to several tables, or have no contents.
        PositionError: a packet is malformed.
    """
    reader = _Reader([packet for packet in packets if isinstance(packet, dict)])
    for number, packet in enumerate(packets, 1):
        reader.packet(number, packet)
    for tables in reader.tables:
        if len(tables) > 1:
            raise LogError(f"found packets of tables"
                           f" {some_types(sorted(tables, key=int))}, expected one game per file",
                           max(tables.values())[1])
    if not reader.notes:
        raise LogError("the log is empty: it holds no packets, or none sent to all players;"
                       " expected those of a game")
    listed = dict(_players(players))
    names = reader.names | {player: name for player, name in listed.items() if name}
    return Log(tuple(reader.notes), len(packets), names, tuple(listed), reader.gaps, reader.doubts,
               reader.before_first)


class _Reader:
    """Takes packets apart, one after another.

    Args:
        packets: those that are packets, to know their tables and numbers in advance.
    """

    def __init__(self, packets: Sequence[dict[str, object]]) -> None:
        self._here = {table for packet in packets if not is_private(packet)
                      for table in _tables(packet)} - {None}
        """Tables that the packets for all players state."""
        self._numbers = sorted({number for packet in packets if not self._is_elsewhere(packet)
                                and (number := _number(packet)) is not None})
        """Numbers of packets that occur."""
        self.notes: list[Note] = []
        self.tables: tuple[dict[str, tuple[int, str]], ...] = ({}, {})
        """Tables by the channels of packets, and by their numbers; each with its first packet."""
        self.names: dict[str, str] = {}
        self._uids: set[str] = set()
        self._packets: dict[tuple[str, str], list[object]] = {}
        self.gaps: dict[int, str] = {}
        self.doubts: dict[int, str] = {}
        self.before_first = ""
        self._firsts: dict[str, int] = {}  # number of the first packet, and of the first move
        self._move = 0
        self._last: int | None = None  # highest number of a packet so far
        self._unnumbered = 0  # packets without a number since

    def _is_elsewhere(self, packet: dict[str, object]) -> bool:
        """Tell whether a packet is of another table, whose numbers say nothing here."""
        return is_private(packet) and bool(self._here) and (
            _tables(packet)[1] not in (None, *self._here))

    def packet(self, number: int, value: object) -> None:
        where = _named(number, value)
        packet = Node(value, where)
        if not isinstance(value, dict):
            packet.refuse("an object")
        stated, private = _tables(value), is_private(value)
        if self._is_elsewhere(value):
            return
        for tables, table in zip(self.tables, stated, strict=True):
            if table is not None and not private:
                tables.setdefault(table, (number, where))
        move = numeral(value.get("move_id"))
        if _is_numbered(value):
            self._check_numbers(number, where, _number(value), move)
        elif self._last is None:
            self._check_numbers(number, where, None, move)
        if move is not None:
            self._move = move
        if private or self._twice(str(value.get("channel") or ""), value):
            return
        if str(value.get("packet_type")) == "history":
            raise LogError(
                "found the shortened history of a reloaded page, which has no contents;"
                " expected the archive of the finished game or the page of its replay", where)
        contents = listed_values(value.get("data") or [])
        if contents is None:
            packet["data"].refuse("a list of notes")
        for entry in contents:
            self._note(number, where, entry)

    def _check_numbers(self, place: int, name: str, packet: int | None, move: int | None) -> None:
        """Find out whether packets are missing before one.

        The site numbers packets without a gap. Moves that nobody was told of have numbers too.

        Args:
            place: place of the packet in the log, counted from 1.
            name: what messages call it.
            packet: its number, if it has one.
            move: number of its move, if it has one.
        """
        jump = ""
        if move is not None and move > self._move + 1 > 1 and self.notes:
            jump = f"the numbers of moves jump from {self._move} to {move}"
        counted = "packet" if packet is not None else "move"
        own = move if packet is None else packet
        if own is not None and own < self._firsts.setdefault(counted, own):
            self.before_first = self.before_first or name
        missing = f"packets are missing before {name}"
        last, between = self._last, self._unnumbered
        if packet is None:
            self._unnumbered += 1
        elif last is None or packet > last:
            self._last, self._unnumbered = packet, 0
        if last is None or packet is None:
            if jump:
                self.gaps[place] = f"{missing}: {jump}"
        elif packet > last + 1 + between:
            later = bisect_right(self._numbers, last)
            found = self._numbers[later]  # at the latest that of this packet
            self.gaps[place] = (
                f"packets stand out of order: packet {packet} comes before packet {found}"
                if found < packet else
                f"{missing}: {jump or f'the numbers of packets jump from {last} to {packet}'}")
        elif jump:
            self.doubts[place] = f"packets may be missing before {name}: {jump}"

    def _twice(self, channel: str, packet: dict[str, object]) -> bool:
        """Tell whether a packet with the same number and data was read before.

        A packet between two moves has the number of the next.
        """
        number = packet.get("packet_id")
        if number is None:
            return False
        before = self._packets.setdefault((channel, str(number)), [])
        data = packet.get("data")
        if data in before:
            return True
        before.append(data)
        del before[:-ALIKE]
        return False

    def _note(self, number: int, where: str, entry: object) -> None:
        if not isinstance(entry, dict):
            Node(entry, where).refuse("a note, an object with a type")
        uid = entry.get("uid")
        if isinstance(uid, (str, int)) and str(uid) not in ("", "0"):
            if str(uid) in self._uids:
                return
            self._uids.add(str(uid))
        kind = entry.get("type")
        if not isinstance(kind, str):
            return  # nothing that a player's page would act on
        args = entry.get("args")
        name = kind if _PLAIN.fullmatch(kind) else shown(kind)
        note = Note(kind, Node(args if isinstance(args, dict) else {}, f"{where}, {name}"), number,
                    self._move)
        self._check(note)
        self._name(note.args)
        self.notes.append(note)

    def _check(self, note: Note) -> None:
        special = note.args.value.get(SPECIAL_TILES)  # type: ignore[attr-defined]
        if note.kind in EXPANSION or special:
            raise LogError("found boards or displays of an expansion, which are not"
                           " played here; expected a game without expansions", note.where)
        if note.kind == DEAL and "factories" not in note.args:
            raise LogError(
                "found a deal without its tiles, as in the shortened history of a page; expected"
                " the archive of the finished game or the page of its replay", note.where)

    def _name(self, args: Node) -> None:
        if "playerId" in args and "player_name" in args:
            name = args["player_name"].value
            if isinstance(name, str) and name and numeral(args["playerId"].value) is not None:
                self.names.setdefault(identity(args["playerId"]), name)


def _players(value: object) -> Iterator[tuple[str, str]]:
    """Yield id and name of each player that an envelope lists."""
    for entry in listed_values(value) or (list(value.values()) if isinstance(value, dict) else []):
        if isinstance(entry, dict) and numeral(entry.get("id")) is not None:
            yield str(numeral(entry["id"])), str(entry.get("name") or "")


def some_types(kinds: Iterable[str]) -> str:
    """Return types of notes, or other names, for a message: the first few of them."""
    found = [kind if _PLAIN.fullmatch(kind) else shown(kind) for kind in dict.fromkeys(kinds)]
    more = f" and {len(found) - NAMED_TYPES} more" if len(found) > NAMED_TYPES else ""
    return ", ".join(found[:NAMED_TYPES]) + more
