"""Check a file of records: replay every game, and hold what each line says against it."""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pavilion_ai.errors import PavilionError, RecordError, shown
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.match.event import Entrant, Event, Settings
from pavilion_ai.match.luck import tied_draw
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import KINDS, NUMBER, Seating, seating_of
from pavilion_ai.match.seeds import pair_seed
from pavilion_ai.match.table import UNTIED_STREAMS
from pavilion_ai.notation.json_form import strict_json
from pavilion_ai.position import Position
from pavilion_ai.record import (
    FINISHED,
    UNFINISHED,
    GameRecord,
    RecordLine,
    parse_line,
    record_lines,
)

__all__ = ["Verification", "record_faults", "verify"]

NAMED_PAIRS = 5
MAX_COUNT = 10**15
"""Decisions or simulations of one game; no number of theirs overflows further down."""
MAX_TABLES = 200_000
"""Tables of a round that are listed to see who sits where."""


@dataclass(frozen=True)
class Verification:
    """What the check of a file found.

    Attributes:
        path: the file.
        games: records that could be read.
        problems: a line each, with file, line number and, where it has one, the game's id.
        notes: what is worth knowing and no fault, a line each.
    """

    path: str
    games: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the result as a JSON object."""
        return {
            "file": self.path,
            "games": self.games,
            "problems": list(self.problems),
            "notes": list(self.notes),
        }


def verify(
    path: str | os.PathLike[str], *, on_game: Callable[[int], None] | None = None
) -> Verification:
    """Replay every game of a file and check all that its line says.

    Each line is a record, and ids are unique. Moves and draws are legal; scores, winners and
    breakdown are those of the replay; a game that did not finish says why. The games of an event
    (`extra["match"]`) also start and draw as their seeds say, count their decisions right, make up
    pairs (one deal, every seating once), are seated by the schedule as far as that is known from
    the file, and agree in what an event has in common; where they do not, the majority is right.

    Args:
        on_game: called with the number of games checked so far, after each one.

    Raises:
        OSError: the file cannot be read.
    """
    name = os.fspath(path)
    problems: list[tuple[int, str]] = []  # line number, what is wrong there
    ledger = _Ledger()
    for line in record_lines(path):
        where = f"{name}, line {line.number}"
        if line.torn:
            ledger.notes.append(f"{where}: torn, its writing was cut short; it does not count")
        elif not line.blank:
            try:
                record = parse_line(line, path)
            except RecordError as error:
                problems.append((line.number, _with_id(line, str(error), where)))
                continue
            faults = [*record_faults(record), *ledger.enter(record, line.number)]
            problems += [(line.number, f"{where}, game {shown(record.id)}: {fault}")
                         for fault in faults]
            if on_game is not None:
                on_game(ledger.games)
    problems += [(number, f"{name}, line {number}, game {shown(game)}: {fault}")
                 for number, game, fault in ledger.closing_faults()]
    problems.sort(key=lambda problem: problem[0])
    notes = [*ledger.notes, *ledger.closing_notes()]
    return Verification(name, ledger.games, tuple(text for _, text in problems), tuple(notes))


def _with_id(line: RecordLine, problem: str, where: str) -> str:
    """Add the game's id to the problem of a line that is no record but has one."""
    try:
        data = strict_json(line.raw.decode())
    except (ValueError, RecursionError):
        return problem
    if not isinstance(data, dict) or not isinstance(data.get("id"), str):
        return problem
    return f"{where}, game {shown(data['id'])}{problem.removeprefix(where)}"


# ------------------------------------------------------------------------------------ one game

@dataclass(frozen=True)
class _Replay:
    """How far a record can be played."""

    end: Position
    decisions: list[int]
    faults: list[str]
    complete: bool


def record_faults(record: GameRecord) -> list[str]:
    """Return what is wrong with one record, a line each; empty if nothing is."""
    faults: list[str] = []
    match = record.extra.get(MATCH_KEY)
    if match is not None:
        faults = list(_shape_faults(match, record.start.players))
    event = None if faults else match
    if event is not None:
        faults += _origin_faults(record, event)
    replay = _replay(record, None if event is None else _Luck(record.seed, event))
    faults += replay.faults
    if replay.complete:
        faults += record.end_faults(replay.end)
        faults += _ending_faults(record, replay.end)
    if event is not None:
        faults += _event_faults(record, event, replay)
    return faults


class _Luck:
    """The draws of a game of an event: what chance has to bring, from first to last."""

    def __init__(self, seed: int, match: Mapping[str, Any]) -> None:
        self._seed, self._tied = seed, match["tied"]
        self._rng = Rng(seed, UNTIED_STREAMS + match["rotation"])
        self._refills = 0

    def draw(self, position: Position) -> tuple[str, Position]:
        """Return the chance move that is due, and the position after it."""
        self._refills += position.phase == "supply"
        if self._tied:
            return tied_draw(position, seed=self._seed, refill=self._refills)
        return GAMES[position.game].draw(position, self._rng)


def _replay(record: GameRecord, luck: _Luck | None) -> _Replay:
    """Play the moves of a record; with `luck`, its draws have to be those."""
    game = GAMES[record.game]
    position = record.start
    decisions = [0] * position.players
    faults: list[str] = []
    for number, move in enumerate(record.moves, 1):
        if luck is not None and game.chance(position):
            drawn, after = luck.draw(position)
            if drawn == move:
                position = after
                continue
            faults.append(f"move {number}: expected the draw of the seed, {drawn}, found"
                          f" {shown(move)}")
        try:
            after = game.apply(position, move)
        except PavilionError as error:
            faults.append(f"move {number}: {str(error).splitlines()[0]}")
            return _Replay(position, decisions, faults, complete=False)
        if position.to_move is not None:
            decisions[position.to_move] += 1
        position = after
    return _Replay(position, decisions, faults, complete=True)


def _ending_faults(record: GameRecord, end: Position) -> Iterator[str]:
    """Check a game that did not finish; `GameRecord.end_faults` has checked the others."""
    if record.reason == FINISHED:
        return
    if not record.reason.strip():
        yield "the reason is empty, expected 'finished' or why the game ended otherwise"
    if end.phase == "over":
        yield f"the game is over, expected reason 'finished', found {shown(record.reason)}"
    if record.breakdown:
        yield "found a breakdown, expected none for a game that did not finish"
    if record.reason == UNFINISHED and record.winners:
        yield f"unfinished, but winners say {list(record.winners)}"


# ------------------------------------------------------------------------- one game of an event

_COUNTS = ("entrants", "decisions", "sims")
_EVENTS = ("match", *KINDS)
_TYPES: Mapping[str, tuple[type, str]] = {
    "event": (str, "a string"),
    "seed": (int, "a whole number"),
    "pair": (str, "a string"),
    "rotation": (int, "a whole number"),
    "entrants": (list, "a list"),
    "decisions": (list, "a list"),
    "sims": (list, "a list"),
    "tied": (bool, "true or false"),
    "limits": (dict, "an object"),
}


def _shape_faults(match: object, players: int) -> Iterator[str]:
    """Check the types of what an event keeps with a record."""
    if not isinstance(match, Mapping):
        yield f"{MATCH_KEY}: expected an object, found {shown(match)}"
        return
    for key, (kind, words) in _TYPES.items():
        value: Any = match.get(key)
        found: type = type(value)  # exact: a boolean is no number
        if found is not kind:
            yield f"{MATCH_KEY}.{key}: expected {words}, found {shown(value)}"
        elif key in _COUNTS and not _counts(value, players):
            yield (f"{MATCH_KEY}.{key}: expected a whole number from 0 for each of {players}"
                   f" seats, found {_few(value)}")
        elif key in ("decisions", "sims") and max(value) > MAX_COUNT:
            yield (f"{MATCH_KEY}.{key}: expected numbers up to {MAX_COUNT}, found"
                   f" {shown(max(value))}")
        elif key == "event" and value not in _EVENTS:
            yield (f"{MATCH_KEY}.event: expected one of {', '.join(_EVENTS)}, found"
                   f" {shown(value)}")
    loser = match.get("loser")
    if loser is not None and (type(loser) is not int or not 0 <= loser < players):
        yield f"{MATCH_KEY}.loser: expected a seat from 0 to {players - 1}, found {shown(loser)}"


def _counts(values: list[Any], players: int) -> bool:
    return len(values) == players and all(type(value) is int and value >= 0 for value in values)


def _few(values: list[Any]) -> str:
    return str(values) if len(str(values)) < 60 else shown(values)


def _origin_faults(record: GameRecord, match: Mapping[str, Any]) -> Iterator[str]:
    """Check that seed and start are those of the pair."""
    seed = pair_seed(match["seed"], match["pair"])
    if record.seed != seed:
        yield (f"the seed of pair {shown(match['pair'])} of event {shown(match['seed'])} is {seed},"
               f" seed says {shown(record.seed)}")
    start = record.start
    opening = GAMES[record.game].new(start.board, start.players, record.seed)
    if start != opening:
        yield "the start is not the opening of the seed"


def _event_faults(record: GameRecord, match: Mapping[str, Any], replay: _Replay) -> Iterator[str]:
    """Check id, seats, counts and, of a game lost by a fault, who lost it."""
    seats = range(record.start.players)
    loser = match.get("loser")
    if match["rotation"] not in seats:
        yield f"rotation: expected 0 to {seats[-1]}, found {shown(match['rotation'])}"
    elif record.id != (name := Seating(match["pair"], match["rotation"], ()).id):
        yield f"the id of this game is {shown(name)}"
    if len(set(match["entrants"])) < len(seats):
        yield f"an entrant has two seats: {match['entrants']}"
    if replay.complete:
        # Whoever lost by a fault was asked once more than it moved.
        decided = [count + (seat == loser) for seat, count in enumerate(replay.decisions)]
        if decided != match["decisions"]:
            yield f"the seats decided {decided} times, decisions say {match['decisions']}"
    if loser is not None:
        yield from _loser_faults(record, loser, replay)
    elif record.reason != FINISHED:
        yield f"ended {shown(record.reason)}, expected 'finished' or a loser"


def _loser_faults(record: GameRecord, loser: int, replay: _Replay) -> Iterator[str]:
    """Check a game that a seat lost by a fault."""
    if record.reason in (FINISHED, UNFINISHED):
        yield f"{record.reason}, but seat {loser} is said to have lost by a fault"
    elif not record.reason.startswith(f"seat {loser}: "):
        yield f"lost by a fault of seat {loser}, the reason says {shown(record.reason)}"
    others = tuple(seat for seat in range(record.start.players) if seat != loser)
    if record.winners != others:
        yield (f"lost by seat {loser}, so won by {list(others)}, winners say"
               f" {list(record.winners)}")
    if replay.complete and replay.end.to_move not in (None, loser):
        yield f"lost by a fault of seat {loser}, but seat {replay.end.to_move} was to move"


# ------------------------------------------------------------------------- games of a file

_Fault = tuple[int, str, str]  # line, id of the game, what is wrong


@dataclass
class _Pair:
    """The games of a pair so far, and how its first one began."""

    start: Position
    rotations: dict[int, int] = field(default_factory=dict)  # line of each


class _Ledger:
    """What the games of a file have to do with each other."""

    def __init__(self) -> None:
        self.games = 0
        self.notes: list[str] = []
        self._ids: dict[str, int] = {}
        self._pairs: dict[tuple[int, str], _Pair] = {}
        self._events: dict[int, _EventGames] = {}
        self._outside: list[_Fault] = []  # games of no event
        self._played: dict[int, tuple[object, str]] = {}

    def enter(self, record: GameRecord, line: int) -> list[str]:
        """Add a game; return what contradicts the games before it."""
        self.games += 1
        faults = []
        first = self._ids.setdefault(record.id, line)
        if first != line:
            faults.append(f"line {first} has the same id")
        match = record.extra.get(MATCH_KEY)
        if match is not None and any(_shape_faults(match, record.start.players)):
            return faults  # said already
        pair: object = line
        if match is None:
            self._outside.append((line, record.id, f"expected the key {MATCH_KEY!r}, which other"
                                                   " games of the file have"))
        else:
            seed = match["seed"]
            pair = (seed, match["pair"])
            faults += self._pair_faults(record, match, line)
            self._events.setdefault(seed, _EventGames(seed)).enter(record, match, line)
        self._compare(record, pair)
        return faults

    def _pair_faults(
        self, record: GameRecord, match: Mapping[str, Any], line: int
    ) -> Iterator[str]:
        name, rotation = match["pair"], match["rotation"]
        if not 0 <= rotation < record.start.players:
            return
        pair = self._pairs.setdefault((match["seed"], name), _Pair(record.start))
        first = pair.rotations.setdefault(rotation, line)
        if first != line:
            yield f"rotation {rotation} of pair {shown(name)} stands in line {first} already"
        if pair.start != record.start:
            yield f"the games of pair {shown(name)} do not start alike"

    def _compare(self, record: GameRecord, pair: object) -> None:
        """Note a game that was played, move for move, in another pair."""
        if not record.moves:
            return
        played = hash((record.start, record.moves))
        other, name = self._played.setdefault(played, (pair, record.id))
        if other != pair:
            self.notes.append(f"games {shown(name)} and {shown(record.id)} are the same, move for"
                              " move")

    def closing_faults(self) -> Iterator[_Fault]:
        """Yield the faults that only the whole file shows, in no order."""
        if self._events:
            yield from self._outside
        for event in self._events.values():
            yield from event.faults()

    def closing_notes(self) -> Iterator[str]:
        """Say what only the end of the file shows."""
        several = len(self._events) > 1
        if several:
            yield f"games of {len(self._events)} events in one file"
        short = [shown(name) + (f" of event {shown(seed)}" if several else "")
                 for (seed, name), pair in self._pairs.items()
                 if len(pair.rotations) < pair.start.players]
        if short:
            yield f"pairs not played from every seat yet: {_listed(short, len(short))}"
        for event in self._events.values():
            missing = event.missing()
            if missing is not None:
                of = f" of event {shown(event.seed)}" if several else ""
                verb = "is" if missing.startswith("pair ") else "are"
                yield f"{missing}{of} {verb} missing"


def _listed(names: Sequence[str], total: int) -> str:
    """Join the first names, and say how many of `total` are left."""
    left = total - NAMED_PAIRS
    more = f" and {left} more" if len(names) > NAMED_PAIRS else ""
    return ", ".join(names[:NAMED_PAIRS]) + more


# ----------------------------------------------------------------------------- games of an event

@dataclass(frozen=True)
class _Game:
    """One game of an event.

    Attributes:
        traits: what it has in common with the others, values as JSON text.
    """

    line: int
    id: str
    seating: Seating
    traits: Mapping[str, str]


class _EventGames:
    """The games of a file that were played in one event."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._games: list[_Game] = []
        self._votes: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by trait

    def enter(self, record: GameRecord, match: Mapping[str, Any], line: int) -> None:
        """Add a game, the values of whose key `match` have the right types."""
        start = record.start
        traits = {"event": match["event"], "game": start.game, "board": start.board,
                  "players": start.players, "tied": match["tied"], "limits": match["limits"]}
        for entrant, agent in zip(match["entrants"], record.agents, strict=True):
            traits[f"entrant {entrant}"] = agent.get("spec")
        texts = {key: json.dumps(value, sort_keys=True) for key, value in traits.items()}
        for key, text in texts.items():
            self._votes[key][text] += 1
        seating = Seating(match["pair"], match["rotation"], tuple(match["entrants"]))
        self._games.append(_Game(line, record.id, seating, texts))

    def faults(self) -> Iterator[_Fault]:
        """Yield what sets a game apart from the others, and seats that the schedule denies."""
        common = {key: self._common(key) for key in self._votes}
        for game in self._games:
            odd = [f"{key} is {_value(common[key])} elsewhere, here {_value(text)}"
                   for key, text in game.traits.items() if text != common[key]]
            if odd:
                yield game.line, game.id, "; ".join(odd)
        for game, fault in self._seating_faults():
            yield game.line, game.id, fault

    def _common(self, key: str) -> str:
        """Return what most games say; of two that are said equally often, what came first."""
        votes = self._votes[key]
        return max(votes, key=votes.__getitem__)

    def _scheduled(self) -> list[_Game]:
        """Return the games that are played by the rules of the event, and in a known rotation."""
        shape = {key: self._common(key) for key in ("event", "players")}
        players = json.loads(shape["players"])
        return [game for game in self._games if shape.items() <= game.traits.items()
                and 0 <= game.seating.rotation < players]

    def _event(self) -> Event:
        """Return an event with this schedule, as a Swiss one if its tables are too many to list."""
        kind, game, board, players = (
            json.loads(self._common(key)) for key in ("event", "game", "board", "players"))
        entrants = players
        if kind not in ("match", "swiss"):
            entrants = _entrant_count(kind, players, (game.seating for game in self._scheduled()))
            if math.comb(entrants, players) > MAX_TABLES:
                kind, entrants = "swiss", players
        settings = Settings(game, board, players, self.seed)
        return Event(kind, (Entrant("", ""),) * entrants, settings, rounds=None)

    def _seating_faults(self) -> Iterator[tuple[_Game, str]]:
        """Hold the seats against the schedule, or where it is not known, those of a pair."""
        event = self._event()
        firsts: dict[str, tuple[int, ...]] = {}
        for game in self._scheduled():
            pair, rotation, seated = (
                game.seating.pair, game.seating.rotation, game.seating.entrants)
            known = seating_of(event, pair, rotation)
            if known is None:
                kind = "tournament" if event.kind == "swiss" else event.kind
                of = f" of {len(event.entrants)} entrants" if kind in KINDS else ""
                yield game, f"in a {kind}{of} there is no pair {shown(pair)}"
                continue
            entrants = known.entrants
            if not entrants:  # the Swiss system
                first = firsts.setdefault(pair, seated[rotation:] + seated[:rotation])
                entrants = first[-rotation:] + first[:-rotation]
            if seated != entrants:
                yield game, (f"in rotation {rotation} of pair {shown(pair)} entrants"
                             f" {list(entrants)} sit in this order, entrants say"
                             f" {_few(list(seated))}")

    def missing(self) -> str | None:
        """Name the pairs that are missing among those that are there, as in `pairs 2, 5 to 7`."""
        odd = {game.line for game, _ in self._seating_faults()}
        places = {_place(game.seating.pair) for game in self._scheduled() if game.line not in odd}
        tables = max((table for _, table in places), default=1)
        single = json.loads(self._common("event")) == "match"
        there = sorted((round_ - 1) * tables + table for round_, table in places)
        gaps = [(before + 1, after - 1)
                for before, after in zip([0, *there], there, strict=False) if after > before + 1]
        if not gaps:
            return None

        def name(number: int) -> str:
            round_, table = divmod(number - 1, tables)
            return str(number) if single else f"{round_ + 1}.{table + 1}"

        sizes = [last - first + 1 for first, last in gaps]
        names = [name(first) if first == last else f"{name(first)} to {name(last)}"
                 for first, last in gaps]
        # `_listed` counts a range as one name; what is left is told in pairs.
        listed = _listed(names, NAMED_PAIRS + sum(sizes[NAMED_PAIRS:]))
        return f"pair {listed}" if sizes == [1] else f"pairs {listed}"


def _value(text: str) -> str:
    """Return a value, given as JSON text, for a message."""
    return text if text.startswith("{") and len(text) < 60 else shown(json.loads(text))


def _place(pair: str) -> tuple[int, int]:
    """Return round and table of a pair's name of the right form; a match has one table."""
    round_, _, table = pair.partition(".")
    return int(round_), int(table or 1)


def _entrant_count(kind: str, players: int, seatings: Iterable[Seating]) -> int:
    """Return how many entrants a round robin or a gauntlet must have had for most of its games.

    Tables are numbered in the order of their entrants. So those of the last place alone, as 0 and
    x for two players, have one number however many entrants there are, which is more than x; the
    number of any other table tells how many there are.
    """
    last_known: list[int] = []
    votes: Counter[int] = Counter()
    highest = players - 1
    for seating in seatings:
        entrants = sorted(set(seating.entrants))
        words = seating.pair.split(".")
        if len(entrants) < players or len(words) != 2 or not all(map(NUMBER.fullmatch, words)):
            continue
        if kind == "gauntlet" and entrants[0] != 0:
            continue
        highest = max(highest, entrants[-1])
        table, least = int(words[1]), entrants[-1] + 1
        if entrants[:-1] == list(range(players - 1)):
            if _table_number(entrants, least) == table:
                last_known.append(entrants[-1])
            continue
        # One entrant more moves the table on by one at least.
        more = bisect_left(range(table), table, key=_numbers(entrants, least))
        if _table_number(entrants, least + more) == table:
            votes[least + more] += 1
    last_known.sort()
    candidates = {*votes, *(last + 1 for last in last_known[-1:])} or {highest + 1}
    return max(candidates, key=lambda count: (bisect_left(last_known, count) + votes[count],
                                              votes[count]))


def _numbers(entrants: Sequence[int], least: int) -> Callable[[int], int]:
    """Return the number of a table as a function of the entrants there are above `least`."""
    return lambda more: _table_number(entrants, least + more)


def _table_number(entrants: Sequence[int], count: int) -> int:
    """Return the place, from 1, of ascending entrants among all tables of `count` entrants.

    The lexicographic rank of a combination: all tables but those that come later.
    """
    size = len(entrants)
    later = sum(math.comb(count - 1 - entrant, size - seat)
                for seat, entrant in enumerate(entrants))
    return math.comb(count, size) - later
