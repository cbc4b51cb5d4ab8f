"""Check the games of a file against each other: ids, pairs, and events."""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pavilion_ai.bounds import SYSTEMS
from pavilion_ai.errors import shown
from pavilion_ai.frozen import FrozenDict
from pavilion_ai.match.event import Entrant, Event, Settings
from pavilion_ai.match.keys import key_faults
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import NUMBER, Seating, meetings, seating_of
from pavilion_ai.match.traits import Versions, agents_of, traits
from pavilion_ai.record import GameRecord, Games
from pavilion_ai.wording import Few, plural

NAMED_PAIRS = 5
MOST_NOTES = 10_000
"""Notes that are kept; the rest is counted."""
MAX_TABLES = 200_000
"""Most tables of a round that are listed to check the seating."""

_Fault = tuple[int, str, str]  # line, id of the game, what is wrong


@dataclass
class _Pair:
    """The games of a pair so far.

    Attributes:
        start: hash of the position from which its first game starts.
        players: number of players of that game.
        rotations: line of the first game of each rotation.
    """

    start: int
    players: int
    rotations: dict[int, int] = field(default_factory=dict)


class Ledger:
    """Collects the games of a file and finds contradictions between them."""

    def __init__(self) -> None:
        self.games = 0
        self.notes = Few[str](MOST_NOTES)
        self._known = Games()
        self._firsts: dict[str, int] = {}
        self._pairs: dict[tuple[int, str], _Pair] = {}
        self._openings: dict[tuple[int, int], tuple[int, int]] = {}  # line, hash of start
        self._events: dict[int, _EventGames] = {}
        self._outside: list[_Fault] = []  # games of no event
        self._played: dict[int, tuple[object, str]] = {}

    def enter(self, record: GameRecord, line: int) -> list[str]:
        """Add a game; return its contradictions to earlier games.

        A line that continues an unfinished game is that game once more.
        """
        self.games += 1
        faults = []
        relation = self._known.add(record, ("", line, 0))
        first = self._firsts.setdefault(record.id, line)
        if relation.same and not relation.repeats and MATCH_KEY not in record.extra:
            self.notes.add(f"line {line}, game {shown(record.id)}: continues that of line {first}")
            return []
        if first != line:
            faults.append(f"line {first} has the same id")
        match = record.extra.get(MATCH_KEY)
        if match is not None and any(key_faults(match, record.start.players)):
            return faults  # already reported
        pair: object = line
        if match is None:
            self._outside.append((line, record.id, f"expected the key {MATCH_KEY!r}, which other"
                                                   " games of the file have"))
        else:
            seed = match["seed"]
            pair = (seed, match["pair"])
            faults += self._pair_faults(record, match, line)
            event = self._events.setdefault(seed, _EventGames(seed))
            event.enter(record, match, line)
            for told in event.versions.enter(agents_of(record)):
                self.notes.add(f"line {line}, game {shown(record.id)}: {told}")
        self._compare(record, pair)
        return faults

    def _pair_faults(
        self, record: GameRecord, match: Mapping[str, Any], line: int
    ) -> Iterator[str]:
        name, rotation = match["pair"], match["rotation"]
        if not 0 <= rotation < record.start.players:
            return
        start = hash(record.start)
        pair = self._pairs.setdefault(
            (match["seed"], name), _Pair(start, record.start.players))
        first = pair.rotations.setdefault(rotation, line)
        if first != line:
            yield f"rotation {rotation} of pair {shown(name)} stands in line {first} already"
        if pair.start != start:
            yield f"the games of pair {shown(name)} do not start alike"
        opening = match.get("opening")
        if opening is not None:
            earlier, there = self._openings.setdefault((match["seed"], opening), (line, start))
            if there != start:
                yield f"opening {opening} is another position than in line {earlier}"

    def _compare(self, record: GameRecord, pair: object) -> None:
        """Report a game that is identical, move for move, to a game of another pair.

        One with the same id has been reported already.
        """
        if not record.moves:
            return
        played = hash((record.start, record.moves))
        other, name = self._played.setdefault(played, (pair, record.id))
        if other != pair and name != record.id:
            self.notes.add(
                f"games {shown(name)} and {shown(record.id)} are the same, move for move")

    def closing_faults(self) -> Iterator[_Fault]:
        """Yield the faults that only the whole file shows, in no particular order."""
        if self._events:
            yield from self._outside
        for event in self._events.values():
            yield from event.faults()

    def closing_notes(self) -> Iterator[str]:
        """Return notes that depend on the whole file."""
        if self.notes.more:
            yield plural(self.notes.more, "more note")
        several = len(self._events) > 1
        if several:
            yield f"games of {len(self._events)} events in one file"
        yield from dict.fromkeys(
            told for event in self._events.values() for told in event.versions.note())
        short = [shown(name) + (f" of event {shown(seed)}" if several else "")
                 for (seed, name), pair in self._pairs.items()
                 if len(pair.rotations) < pair.players]
        if short:
            yield f"pairs not played from every seat yet: {_listed(short, len(short))}"
        for event in self._events.values():
            missing = event.missing()
            if missing is not None:
                of = f" of event {shown(event.seed)}" if several else ""
                verb = "is" if missing.startswith("pair ") else "are"
                yield f"{missing}{of} {verb} missing"


def _listed(names: Sequence[str], total: int) -> str:
    """Join the first names, and add how many of `total` are left out."""
    left = total - NAMED_PAIRS
    more = f" and {left} more" if len(names) > NAMED_PAIRS else ""
    return ", ".join(names[:NAMED_PAIRS]) + more


# ----------------------------------------------------------------------------- games of an event

@dataclass(frozen=True)
class _Game:
    """One game of an event.

    Attributes:
        traits: the values that all games of an event share, as JSON text.
    """

    line: int
    id: str
    seating: Seating
    traits: Mapping[str, str]


class _EventGames:
    """The games of a file that were played in one event."""

    def __init__(self, seed: int) -> None:
        self.seed, self.versions = seed, Versions()
        self._games: list[_Game] = []
        self._same: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}  # equal traits
        self._votes: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by trait

    def enter(self, record: GameRecord, match: Mapping[str, Any], line: int) -> None:
        """Add a game whose key `match` has values of the right types."""
        found = traits(record)
        for entrant, agent in agents_of(record):
            found[f"entrant {entrant}"] = agent.get("spec")
            if "network" in agent:
                found[f"network of entrant {entrant}"] = agent["network"]
        texts = {key: json.dumps(value, sort_keys=True) for key, value in found.items()}
        for key, text in texts.items():
            self._votes[key][text] += 1
        seating = Seating(match["pair"], match["rotation"], tuple(match["entrants"]))
        same = self._same.setdefault(tuple(texts.items()), FrozenDict(texts))
        self._games.append(_Game(line, record.id, seating, same))

    def faults(self) -> Iterator[_Fault]:
        """Yield traits in which a game differs from the others, and seats against the schedule."""
        common = {key: self._common(key) for key in self._votes}
        for game in self._games:
            odd = [f"{key} is {_value(common[key])} elsewhere, here {_value(text)}"
                   for key, text in game.traits.items() if text != common[key]]
            if odd:
                yield game.line, game.id, "; ".join(odd)
        for game, fault in self._seating_faults():
            yield game.line, game.id, fault

    def _common(self, key: str) -> str:
        """Return the majority's value of each trait; ties go to the value that came first."""
        votes = self._votes[key]
        return max(votes, key=votes.__getitem__)

    def _scheduled(self) -> list[_Game]:
        """Return the games that agree with the event and have a valid rotation."""
        shape = {key: self._common(key) for key in ("event", "players")}
        players = json.loads(shape["players"])
        return [game for game in self._games if shape.items() <= game.traits.items()
                and 0 <= game.seating.rotation < players]

    def _event(self) -> Event:
        """Return an event with this schedule; a Swiss one if there are too many tables to list."""
        kind, game, board, players = (
            json.loads(self._common(key)) for key in ("event", "game", "board", "players"))
        entrants = players
        if kind not in ("match", "swiss"):
            count = _ladder_count if kind == "ladder" else _entrant_count
            entrants = count(players, (game.seating for game in self._scheduled()))
            if math.comb(entrants, players) > MAX_TABLES:
                kind, entrants = "swiss", players
        settings = Settings(game, board, players, self.seed)
        return Event(kind, (Entrant("", ""),) * entrants, settings, rounds=None)

    def _seating_faults(self) -> Iterator[tuple[_Game, str]]:
        """Check the seats against the schedule, or, if it is unknown, within each pair."""
        event = self._event()
        firsts: dict[str, tuple[int, ...]] = {}
        for game in self._scheduled():
            pair, rotation, seated = (
                game.seating.pair, game.seating.rotation, game.seating.entrants)
            known = seating_of(event, pair, rotation)
            if known is None:
                kind = "tournament" if event.kind == "swiss" else event.kind
                of = f" of {len(event.entrants)} entrants" if kind in SYSTEMS else ""
                yield game, f"in a {kind}{of} there is no pair {shown(pair)}"
                continue
            entrants = known.entrants
            if not entrants:  # the Swiss system
                first = firsts.setdefault(pair, seated[rotation:] + seated[:rotation])
                entrants = first[-rotation:] + first[:-rotation]
            if seated != entrants:
                yield game, (f"in rotation {rotation} of pair {shown(pair)} entrants"
                             f" {shown(list(entrants))} sit in this order, entrants say"
                             f" {shown(list(seated))}")

    def missing(self) -> str | None:
        """Return the missing pairs between the existing ones, as in `pairs 2, 5 to 7`."""
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
        # `_listed` counts a range as one name; the rest is given in pairs.
        listed = _listed(names, NAMED_PAIRS + sum(sizes[NAMED_PAIRS:]))
        return f"pair {listed}" if sizes == [1] else f"pairs {listed}"


def _value(text: str) -> str:
    """Return a value, given as JSON text, for a message."""
    return text if text.startswith("{") and len(text) < 60 else shown(json.loads(text))


def _place(pair: str) -> tuple[int, int]:
    """Return the round and table in a pair's name of valid form; a match has one table."""
    round_, _, table = pair.partition(".")
    return int(round_), int(table or 1)


def _table(pair: str) -> int | None:
    """Return the table in the pair name of a tournament, None if the name has another form."""
    words = pair.split(".")
    return int(words[1]) if len(words) == 2 and all(map(NUMBER.fullmatch, words)) else None


def _entrant_count(players: int, seatings: Iterable[Seating]) -> int:
    """Return the number of entrants of a round robin or gauntlet that fits most of its games.

    Tables are numbered in the lexicographic order of their entrants. Tables whose entrants differ
    from the first table only in the last place, such as 0 and x for two players, have the same
    number for any number of entrants above x; the number of any other table determines it.
    """
    last_known: list[int] = []
    votes: Counter[int] = Counter()
    highest = players - 1
    for seating in seatings:
        entrants = sorted(set(seating.entrants))
        table = _table(seating.pair)
        if table is None or len(entrants) < players:
            continue
        highest = max(highest, entrants[-1])
        least = entrants[-1] + 1
        if entrants[:-1] == list(range(players - 1)):
            if _table_number(entrants, least) == table:
                last_known.append(entrants[-1])
            continue
        # One more entrant increases the table's number by at least one.
        more = bisect_left(range(table), table, key=_numbers(entrants, least))
        if _table_number(entrants, least + more) == table:
            votes[least + more] += 1
    last_known.sort()
    candidates = {*votes, *(last + 1 for last in last_known[-1:])} or {highest + 1}
    return max(candidates, key=lambda count: (bisect_left(last_known, count) + votes[count], count))


def size_told(record: GameRecord) -> int | None:
    """Return the number of entrants of a game's event, None if its table does not tell it.

    It does in round robins and gauntlets, but for the tables of all first entrants and another one.
    """
    match, players = record.extra[MATCH_KEY], record.start.players
    seating = Seating(match["pair"], match["rotation"], tuple(match["entrants"]))
    entrants, table = sorted(seating.entrants), _table(seating.pair)
    if match["event"] not in ("round-robin", "gauntlet") or (
            entrants[:-1] == list(range(players - 1))):
        return None
    count = _entrant_count(players, [seating])
    return count if _table_number(entrants, count) == table else None


def _ladder_count(players: int, seatings: Iterable[Seating]) -> int:
    """Return the least number of entrants of a ladder, from its validly numbered tables."""
    tables = meetings("ladder", players + 1, players)[:players]  # tables of the first entrant
    highest = players - 1
    for seating in seatings:
        table = _table(seating.pair)
        if table is not None:
            first, place = divmod(table - 1, players)
            if sorted(seating.entrants) == [first + entrant for entrant in tables[place]]:
                highest = max(highest, *seating.entrants)
    return highest + 1


def _numbers(entrants: Sequence[int], least: int) -> Callable[[int], int]:
    """Return the number of a table as a function of the number of entrants above `least`."""
    return lambda more: _table_number(entrants, least + more)


def _table_number(entrants: Sequence[int], count: int) -> int:
    """Return the rank, from 1, of ascending entrants among all tables of `count` entrants.

    The lexicographic rank of a combination: all tables except those after it.
    """
    size = len(entrants)
    later = sum(math.comb(count - 1 - entrant, size - seat)
                for seat, entrant in enumerate(entrants))
    return math.comb(count, size) - later
