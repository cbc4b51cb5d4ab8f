"""The record of one game and its JSON object (docs/protocol.md).

`pavilion_ai.play` replays it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from pavilion_ai.bounds import MAX_SECONDS
from pavilion_ai.errors import PavilionError, PositionError, RecordError, shown
from pavilion_ai.frozen import freeze, thawed
from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position, read_position, to_json, unused_keys
from pavilion_ai.position import Position
from pavilion_ai.record.lines import A_POSITION, NO_RECORD
from pavilion_ai.untrusted import Node

FINISHED = "finished"
UNFINISHED = "unfinished"
RESIGNED = "resigned"
"""How a seat has lost that gave the game up."""
MAX_SCORE = 10**6
MOST_UNUSED = 20  # unknown keys of a start that are named


@dataclass(frozen=True)
class GameRecord:
    """One game.

    Attributes:
        id: name of the game, unique in its file.
        seed: seed of the draws and of the agents.
        agents: `{"spec", "version"}` for each seat; also `network` or `name`, if known. Further
            keys are kept.
        start: start position.
        moves: every move from there, chance moves included.
        scores: scores by seat after the last move.
        winners: seats that share the victory, ascending; empty while unfinished.
        breakdown: parts of the score by seat; empty if the game did not finish, as a rule.
        seconds: thinking time by seat.
        reason: `finished`, `unfinished`, or why the game ended otherwise.
        engine: name and version of the program that wrote the record.
        extra: keys this version does not know, a copy of what was given.
        unused: places of unknown keys within `start`, which are not kept.

    Raises:
        RecordError: `agents` or `breakdown` is not a list of objects, `moves`, `scores`, `winners`
            or `seconds` is not a list, `engine` or `extra` is not an object, one of them is nested
            too deeply, or `extra` has a key that every record has, or one that is not text.
    """

    id: str
    seed: int
    agents: tuple[Mapping[str, Any], ...]
    start: Position
    moves: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    breakdown: tuple[Mapping[str, int], ...]
    seconds: tuple[float, ...]
    reason: str
    engine: Mapping[str, str]
    extra: Mapping[str, Any] = field(default_factory=dict)
    unused: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("agents", "breakdown"):
            node = Node(getattr(self, name), name, _refused)
            found = node.listed("a list of objects")
            for entry in node.of(found).items():
                entry.mapping()
            object.__setattr__(self, name, tuple(found))
        for name in ("moves", "scores", "winners", "seconds"):
            value = getattr(self, name)
            if type(value) is not tuple:
                found = Node(value, name, _refused).listed("a list")
                object.__setattr__(self, name, tuple(found))
        Node(self.engine, "engine", _refused).mapping()
        extra = Node(self.extra, "extra", _refused)
        for key in extra.mapping():
            if not isinstance(key, str) or key in _KEYS:
                extra.fail(f"found the key {shown(key)}, expected text, and none of the keys that"
                           " all records have")
        for name in ("agents", "breakdown", "engine", "extra"):
            _all_of(name, partial(freeze, self), name)

    def __hash__(self) -> int:
        return hash((self.id, self.seed, self.start, self.moves))

    @property
    def game(self) -> str:
        """Name of the game that was played."""
        return self.start.game

    def to_json(self) -> dict[str, object]:
        """Return the record as a JSON object, keys in the order of docs/protocol.md."""
        return {
            "id": self.id,
            "game": self.start.game,
            "board": self.start.board,
            "seed": self.seed,
            "agents": _all_of("agents", thawed, self.agents),
            "start": to_json(self.start),
            "moves": list(self.moves),
            "scores": list(self.scores),
            "winners": list(self.winners),
            "breakdown": thawed(self.breakdown),
            "seconds": list(self.seconds),
            "reason": self.reason,
            "engine": _all_of("engine", thawed, self.engine),
            **_all_of("extra", thawed, self.extra),
        }

    @classmethod
    def from_json(cls, data: object) -> GameRecord:
        """Read a record.

        Raises:
            RecordError: a key is missing or has a value of the wrong type.
            PositionError: the starting position is refused.
        """
        node = Node(data, "", _refused)
        missing = [key for key in _KEYS if key not in node.mapping("a record object")]
        if "phase" in node and "start" in missing:
            raise RecordError(f"{NO_RECORD} ({A_POSITION})")
        if missing:
            raise RecordError(
                f"found a record without {', '.join(map(repr, missing))}, expected all of its keys")
        nodes = _typed(node)
        data = node.mapping()
        start = _start(data)
        _check_contents(nodes, start)
        return cls(
            id=data["id"],
            seed=data["seed"],
            agents=tuple(data["agents"]),
            start=start,
            moves=tuple(map(sys.intern, data["moves"])),  # most of a record, and few differ
            scores=tuple(data["scores"]),
            winners=tuple(data["winners"]),
            breakdown=tuple(data["breakdown"]),
            seconds=tuple(data["seconds"]),
            reason=data["reason"],
            engine=data["engine"],
            extra={key: data[key] for key in data if key not in _KEYS},
            unused=tuple(f"start.{key}" for key in islice(unused_keys(data["start"]), MOST_UNUSED)),
        )

    def check_end(self, end: Position) -> None:
        """Check that the moves lead to the end given in the record.

        Raises:
            RecordError: scores, winners or breakdown differ; the first fault is named.
        """
        faults = self.end_faults(end)
        if faults:
            raise RecordError(f"record {shown(self.id)}: {faults[0]}")

    def end_faults(self, end: Position) -> list[str]:
        """Return the contradictions between the record and the position after its moves."""
        faults = []
        scores = tuple(seat.score for seat in end.seats)
        if self.scores != scores:
            faults.append(f"the replay ends {list(scores)}, scores say {list(self.scores)}")
        if self.reason != FINISHED:
            return faults
        if end.phase != "over":
            return [*faults, "'finished', but the game is not over"]
        winners = tuple(GAMES[self.game].winners(end))
        if self.winners != winners:
            faults.append(f"the replay is won by {list(winners)}, winners say"
                          f" {list(self.winners)}")
        parts = tuple(GAMES[self.game].breakdown(end))
        if self.breakdown != parts:
            faults.append(f"the breakdown is not that of the replay, {list(parts)}")
        return faults


def checked(players: int, **given: object) -> dict[str, Any]:
    """Return what Python code gives for fields of a record, as a file would hold it.

    Args:
        players: number of seats.
        **given: the fields that the caller of `Play.record` may name.

    Raises:
        RecordError: one of them would be refused in a file.
    """
    nodes = {}
    for key, value in given.items():
        node = Node(value, key, _refused)
        if key in ("agents", "engine", "extra"):
            node = node.of(_all_of(key, Node.plain, node))
        _KEYS.get(key, Node.mapping)(node)
        nodes[key] = node
    _check_given(nodes, players)
    return {key: tuple(node.value) if isinstance(node.value, list) else node.value
            for key, node in nodes.items()}


def lost(record: GameRecord, seat: int, reason: str) -> GameRecord:
    """Return the record of a game that a seat has lost before its end: the others have won.

    Args:
        reason: what follows the seat in the record's reason.
    """
    winners = tuple(other for other in range(record.start.players) if other != seat)
    return replace(record, winners=winners, reason=f"seat {seat}{reason}")


def _all_of(name: str, copy: Callable[[Any], Any], value: object) -> Any:
    """Return a copy of a value, all the way. RecordError: it is nested too deeply."""
    try:
        return copy(value)
    except RecursionError:
        raise RecordError("found values nested too deeply, expected fewer levels", name) from None


_KEYS: Mapping[str, Callable[[Node], object]] = {
    "id": Node.text,
    "game": Node.text,
    "board": Node.text,
    "seed": Node.whole,
    "agents": lambda node: node.list_of({dict}, "an object", "a list of objects"),
    "start": lambda node: isinstance(node.value, str) or node.mapping("a position"),
    "moves": lambda node: node.list_of({str}, "a string", "a list of strings"),
    "scores": lambda node: node.list_of({int}, "a whole number", "a list of whole numbers"),
    "winners": lambda node: node.list_of({int}, "a seat", "a list of seats"),
    "breakdown": lambda node: node.list_of({dict}, "an object", "a list of objects"),
    "seconds": lambda node: node.list_of({int, float}, "a number", "a list of numbers"),
    "reason": Node.text,
    "engine": Node.mapping,
}


def _refused(kind: str, where: str, message: str) -> RecordError:
    """Return the error of a value, which knows its place."""
    return RecordError(message, where)


def _typed(node: Node) -> Mapping[str, Node]:
    """Return the values of the keys that all records have. RecordError: one is of a wrong type."""
    nodes = {key: node[key] for key in _KEYS}
    for key, read in _KEYS.items():
        read(nodes[key])
    return nodes


def _start(data: Mapping[str, Any]) -> Position:
    """Return the starting position of a record.

    Raises:
        PositionError: it is refused; places are those in the record.
    """
    try:
        text = json.dumps(data["start"])
    except (TypeError, ValueError, RecursionError):  # did not come from JSON text
        text = ""
    try:
        return _position(text, data["seed"]) if text else parse_position(data["start"]).position
    except PositionError as error:
        raise PositionError(
            replace(problem, where=f"start.{problem.where}" if problem.where else "start")
            for problem in error.problems) from None


@lru_cache(maxsize=64)
def _position(text: str, seed: int) -> Position:
    """Return the position in a JSON text.

    Reading and checking it takes most of the time of a record. Games of a pair start alike, and
    most games start as their seed determines, which is quicker to set up than to check.

    Raises:
        PositionError: it is refused.
    """
    raw = json.loads(text)
    try:
        opening = GAMES[raw["game"]].new(raw["board"], len(raw["seats"]), seed)
        if json.dumps(to_json(opening)) == text:
            return opening
    except (KeyError, TypeError, PavilionError):
        pass  # faults are reported below
    parsed = read_position(raw)
    if isinstance(raw, str) and parsed.notes:
        raise PositionError.at("missing", "", f"found {parsed.notes[0]}, expected a whole position")
    return parsed.position


def _check_contents(nodes: Mapping[str, Node], start: Position) -> None:
    """Check the keys of a record against each other; each has the right type already.

    Raises:
        RecordError: with the first fault.
    """
    for key, value in (("game", start.game), ("board", start.board)):
        if nodes[key].value != value:
            nodes[key].refuse(f"{shown(value)} as in start")
    players, each = start.players, _each(start.players)
    _check_given(nodes, players)
    for score in nodes["scores"].items(players, players, each):
        score.whole(-MAX_SCORE, MAX_SCORE)
    once = "each seat once at most, in ascending order"
    winners = [one.whole(0, players - 1) for one in nodes["winners"].items(0, players, once)]
    if winners != sorted({*winners}):
        nodes["winners"].refuse(once)
    few = players if nodes["breakdown"].value else 0
    for parts in nodes["breakdown"].items(few, players, f"{each}, or none"):
        for key in parts.mapping():
            parts[key].whole()


def _check_given(nodes: Mapping[str, Node], players: int) -> None:
    """Check what a record says of players and program, as `_check_contents` does."""
    for agent in nodes["agents"].items(players, players, _each(players)):
        agent["spec"].text()
        for key in ("version", "name", "network"):
            agent.get(key, "").text()
    for key in ("name", "version"):
        if key in nodes["engine"]:
            nodes["engine"][key].text()
    for seconds in nodes["seconds"].items(players, players, _each(players)):
        seconds.real(0, MAX_SECONDS)


def _each(players: int) -> str:
    return f"one for each of {players} seats"
