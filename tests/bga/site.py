"""Logs as the site writes them, made from recorded games.

Written from the description of the logs, not from our reader. A log is a list of packets; for
each note it is known which moves a reader must find if the log ends after it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pavilion_ai.games import GAMES
from pavilion_ai.record import GameRecord

LANGUAGES = ({"G": "Green", "log": "${player_name} takes ${number} ${color}"},
             {"G": "Grün", "log": "${player_name} nimmt ${number} ${color}"},
             {"G": "綠", "log": "${player_name} 拿 ${number} ${color}"})


@dataclass
class Style:
    """How a log is written.

    Attributes:
        undo: share of the moves before which another one is made and taken back.
        automatic: whether the site makes moves in the packets of others.
        states: whether the changes of state are there.
        fast: base Azul's fast scoring.
        language: language of the words.
        rich: whether tiles that score, spaces that are chosen and what an undo restores are listed,
            all of which the moves do not need.
    """

    undo: float = 0.0
    automatic: bool = True
    states: bool = True
    fast: bool = False
    language: int = 0
    rich: bool = True


@dataclass
class Told:
    """A log that is being written.

    Attributes:
        packets: packets so far.
        moves: by note, in the order written: the moves to be found if the log ends after that note.
    """

    record: GameRecord
    style: Style
    rng: random.Random
    packets: list[dict[str, Any]] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        players = self.record.start.players
        self.ids = self.rng.sample(range(80_000_000, 99_999_999), players)
        self.table = self.rng.randrange(100_000_000, 900_000_000)
        self.done: list[str] = []
        self._time, self._move, self._uid = 1_770_000_000, 0, self.rng.randrange(16**12)
        self._notes: list[dict[str, Any]] = []

    def note(self, kind: str, args: Any, told: Sequence[str] | None = None, log: str = "") -> None:
        """Write a note; `told` are the moves known after it, by default all that were played."""
        self._uid += self.rng.randrange(1, 4000)
        one: dict[str, Any] = {"uid": f"{self._uid:013x}", "type": kind, "log": log, "args": args}
        if self.rng.random() < 0.2:
            one["h"] = f"{self.rng.randrange(16**6):06x}"
        self._notes.append(one)
        self.moves.append(list(self.done if told is None else told))

    def state(self, number: int, seat: int | None, args: Any = (), kind: str = "game") -> None:
        """Write a change of the state of the game."""
        if self.style.states:
            player = self.ids[seat or 0]
            self.note("gameStateChange", {
                "id": number, "active_player": str(player), "type": kind,
                "args": dict(args) if args else [], "updateGameProgression": 20,
                "reflexion": {"total": {str(one): "180" for one in self.ids}}})

    def setup(self) -> None:
        """Write the first state, which has no number."""
        if self.style.states:
            self.note("gameStateChange", {
                "name": "gameSetup", "description": "Game setup", "type": "manager",
                "action": "stGameSetup", "transitions": {"": 10}, "active_player": self.ids[0],
                "args": [], "reflexion": {"total": {str(one): None for one in self.ids}}})

    def packet(self, between: bool = False, private: int | None = None) -> None:
        """End a packet; those between moves have no number, and a seat's own a channel of its own.
        """
        if not self._notes:
            return
        self._time += self.rng.randrange(1, 40)
        self._move += not between
        self.packets.append({
            "channel": (f"/table/t{self.table}" if private is None else
                        f"/player/p{self.ids[private]}"), "table_id": str(self.table),
            "packet_id": str(len(self.packets) + 1), "packet_type": "resend",
            "move_id": None if between else str(self._move), "time": str(self._time),
            "data": self._notes})
        self._notes = []

    def who(self, seat: int) -> dict[str, Any]:
        """Return the arguments that name a player."""
        return {"playerId": self.ids[seat], "player_name": f"Player {'ABCD'[seat]}"}

    def words(self) -> str:
        """Return the text of a note in the language of the log."""
        return str(LANGUAGES[self.style.language]["log"])

    def ending(self, position: Any) -> None:
        """Write the result."""
        result = [{"player": str(self.ids[seat]), "name": f"Player {'ABCD'[seat]}",
                   "score": str(one.score), "score_aux": "0",
                   "rank": seat + 1, "tie": False, "zombie": 0, "concede": 0}
                  for seat, one in enumerate(position.seats)]
        self.note("gameStateChange", {
            "id": 99, "type": "manager", "args": {
                "result": result, "table": {"concede": False, "neutralized": "0"}}})
        self.note("simpleNode", {}, log="end")

    def players(self) -> list[dict[str, Any]]:
        """Return the list of players of an archive, in no order."""
        listed = [{"id": one, "color": "#ff0000", "name": f"Player {'ABCD'[seat]}", "avatar": "0"}
                  for seat, one in enumerate(self.ids)]
        self.rng.shuffle(listed)
        return listed


class Bag:
    """Tiles with ids: the token is 1, then the colours one after another."""

    def __init__(self, per_colour: int, types: int, rng: random.Random,
                 keys: tuple[str, str]) -> None:
        self.rng, self.keys = rng, keys
        self.kind = {1: 0}
        for kind in range(1, types + 1):
            for _ in range(per_colour):
                self.kind[len(self.kind) + 1] = kind
        self.bag = [one for one in self.kind if one != 1]
        self.discards: list[int] = []
        rng.shuffle(self.bag)

    def draw(self, kinds: Iterable[int]) -> list[int]:
        """Draw tiles of given types; the discards come when the bag is empty."""
        left, drawn = list(kinds), []
        while left:
            if not self.bag:
                self.bag, self.discards = self.discards, []
                self.rng.shuffle(self.bag)
            one = next(tile for tile in self.bag if self.kind[tile] in left)
            self.bag.remove(one)
            left.remove(self.kind[one])
            drawn.append(one)
        return drawn

    def tile(self, number: int, first: int = 0, second: int = 0) -> dict[str, Any]:
        """Return a tile as the site shows it; where it lies is that of before."""
        return {"id": number, "type": self.kind[number], "location": "somewhere",
                self.keys[0]: first, self.keys[1]: second}

    def tiles(self, numbers: Iterable[int], first: int = 0, second: int = 0
              ) -> list[dict[str, Any]]:
        return [self.tile(one, first, second) for one in numbers]

    def take(self, place: list[int], kind: int, count: int) -> list[int]:
        """Take tiles of a type from a place."""
        taken = [one for one in place if self.kind[one] == kind][:count]
        assert len(taken) == count
        for one in taken:
            place.remove(one)
        return taken


class Site:
    """Writes the log of a record; what both games share."""

    def __init__(self, record: GameRecord, style: Style, seed: int) -> None:
        self.rng = random.Random(seed)
        self.told = Told(record, style, self.rng)
        self.record, self.style = record, style
        self.rules: Any = GAMES[record.game]
        self.position: Any = record.start
        self.places: list[list[int]] = [[] for _ in range(2 * record.start.players + 2)]

    def _apply(self, text: str) -> None:
        self.position = self.rules.apply(self.position, text)
        self.told.done.append(text)
