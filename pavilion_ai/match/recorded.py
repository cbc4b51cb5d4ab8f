"""Find the events whose games stand in files of records, and put them together."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pavilion_ai.clock import clocks_told
from pavilion_ai.errors import RecordError, SpecError, shown
from pavilion_ai.limits import Limits
from pavilion_ai.match.checking import check, checked
from pavilion_ai.match.counts import Counts
from pavilion_ai.match.event import SEVERAL, Entrant, Event, Settings, entrants_of
from pavilion_ai.match.keys import key_faults
from pavilion_ai.match.ledger import Ledger, size_told
from pavilion_ai.match.results import MATCH_KEY, Result, result_of
from pavilion_ai.match.traits import Versions, agents_of, traits
from pavilion_ai.position import Position
from pavilion_ai.record import UNFINISHED, Entry, GameRecord, Games, Relation, read_entries
from pavilion_ai.record.reading import Place, nothing_in
from pavilion_ai.spec import called, parse_spec
from pavilion_ai.wording import plural, unique, variant_in_words

UNKNOWN = "?"
"""Stands for the spec of an entrant that has not played yet, and for a network not told."""
NETWORK_DIGITS = 8
"""Digits of the hash of a network, to tell it from others."""

OnGame = Callable[[int], None]
_Table = tuple[tuple[int, ...], Position]
"""Who sits at a table, and the position from which they play."""


MOST_ENTRANTS = 10_000
"""Entrants of an event of which only few games are there."""
MOST_KEPT = 10_000
"""Games that do not count and are named; the rest is counted."""
MOST_EVENTS = 1000
"""Events of one seed and settings, with each of which a further game is compared."""


@dataclass(frozen=True)
class LeftOut:
    """A game, or what should be one, that does not count.

    Attributes:
        where: file and line.
        game: its id, None if that is not known.
        why: the reason, in words.
        path: the file.
        lines: how many lines it stands for.
    """

    where: str
    game: str | None
    why: str
    path: str = ""
    lines: int = 1

    def __str__(self) -> str:
        game = "" if self.game is None else f"game {shown(self.game)}: "
        return f"{self.where}: {game}{self.why}"

    def to_json(self) -> dict[str, object]:
        """Return a JSON object."""
        return {"where": self.where, "game": self.game, "why": self.why,
                **({"lines": self.lines} if self.lines > 1 else {})}


class _Left:
    """What does not count: the first of it, and the number of the rest."""

    def __init__(self) -> None:
        self._kept: list[LeftOut] = []
        self._firsts: dict[str, LeftOut] = {}  # by file
        self._counts: Counter[str] = Counter()

    def append(self, one: LeftOut) -> None:
        """Keep one more, or count it."""
        self._firsts.setdefault(one.path, one)
        self._counts[one.path] += 1
        if len(self._kept) < MOST_KEPT:
            self._kept.append(one)

    def why_nothing(self, path: str) -> str:
        """Say in one line why no game of a file counts."""
        if path not in self._firsts:
            return f"{path}: no games"
        return nothing_in(path, "no game counts", str(self._firsts[path]), self._counts[path])

    def told(self) -> tuple[LeftOut, ...]:
        """Return what is kept, and one entry for the rest."""
        more = self._counts.total() - len(self._kept)
        why = plural(more, "more line that does not count", "more lines that do not count")
        last = LeftOut("elsewhere", None, why, lines=more)
        return (*self._kept, last) if more else tuple(self._kept)


@dataclass(frozen=True)
class Recorded:
    """The games of some files that can be rated together.

    Attributes:
        event: the only event, or all of them as one: its pairs and games are then named after
            their seeds, its kind is `several` if they are of different kinds.
        results: the games that count.
        left_out: whatever else stands in the files.
        counted: each event with the number of its games.
        notes: remarks on them, one line for each.
    """

    event: Event
    results: tuple[Result, ...]
    left_out: tuple[LeftOut, ...]
    counted: tuple[tuple[Event, int], ...]
    notes: tuple[str, ...] = ()


@dataclass(eq=False)
class _Group:
    """The games of one event."""

    specs: dict[int, str] = field(default_factory=dict)
    networks: dict[int, str] = field(default_factory=dict)  # of those entrants that used a file
    size: int | None = None  # number of entrants, where a table has told it
    tables: dict[str, _Table] = field(default_factory=dict)  # by id
    paths: set[str] = field(default_factory=set)
    games: list[tuple[Entry, GameRecord]] = field(default_factory=list)

    def stranger(self, record: GameRecord) -> str | None:
        """Return why a game cannot be one of the event, None if it can."""
        for index, spec in _seated(record):
            if self.specs.get(index, spec) != spec:
                return (f"entrant {index} is {shown(self.specs[index])} elsewhere, here"
                        f" {shown(spec)}")
        for index, network in _networks(record):
            if self.networks.get(index, network) != network:
                there, here = (shown(one[:NETWORK_DIGITS])
                               for one in (self.networks[index], network))
                return f"entrant {index} has network {there} elsewhere, here {here}"
        if self.tables.get(record.id, _table(record)) != _table(record):
            return "an event of the same seed has this id for a game of others, or from elsewhere"
        size = size_told(record) or self.size
        entrants = {*self.specs, *record.extra[MATCH_KEY]["entrants"]}
        if size is not None and (size != (self.size or size) or max(entrants) >= size):
            return "an event of the same seed has other entrants"
        return None

    def add(self, entry: Entry, record: GameRecord) -> None:
        self.specs.update(_seated(record))
        self.networks.update(_networks(record))
        self.size = self.size or size_told(record)
        self.tables[record.id] = _table(record)
        self.paths.add(entry.path)
        self.games.append((entry, record))

    @property
    def has_pair(self) -> bool:
        """Whether any pair was played from every seat."""
        pairs = Counter(record.extra[MATCH_KEY]["pair"] for _, record in self.games)
        return max(pairs.values()) >= self.games[0][1].start.players


def recorded(paths: Sequence[str], *, jobs: int = 1, on_read: OnGame | None = None,
             on_game: OnGame | None = None) -> Recorded:
    """Read the events of some files, check every game, and put together what can be compared.

    That are events of one game, board and number of players; of several such kinds the one with
    the most sound games counts. Games that `verify` finds fault with do not count, and neither does
    any of several different games with one id in an event, if more than one of them has no fault.

    Args:
        jobs: processes that replay games.
        on_read: called after each game with the number of those that were read.
        on_game: called after each game with the number of those that were checked.

    Raises:
        RecordError: no game counts; the message says why not, one line for each file.
        OSError: a file cannot be read.
    """
    left = _Left()
    events = _Events(left)
    for number, (entry, record) in enumerate(_entries(paths, left), 1):
        events.put(entry, record)
        if on_read is not None:
            on_read(number)
    groups = list(events.groups())
    games = [game for group in groups for game in group.games]
    checks: dict[int, Counts] = {}
    for number, (index, _, found) in enumerate(
            checked(((index, record) for index, (_, record) in enumerate(games)), jobs), 1):
        if found.faults:
            left.append(_left(games[index][0], found.faults[0]))
        else:
            checks[id(games[index][1])] = found.counts
        if on_game is not None:
            on_game(number)
    for group in groups:
        group.games = _sound(group, checks, left)
    groups = _comparable([group for group in groups if group.games], left)
    if not groups:
        raise RecordError("\n".join(map(left.why_nothing, dict.fromkeys(paths))))
    told = [_event(group, [record for _, record in group.games]) for group in groups]
    results = [[result_of(record, checks[id(record)]) for _, record in group.games]
               for group in groups]
    counted = tuple(zip(told, map(len, results), strict=True))
    event, together = (told[0], results[0]) if len(told) == 1 else _joined(told, results)
    versions = Versions()
    counting = (record for group in groups for _, record in group.games)
    notes = [note for record, result in zip(counting, together, strict=True)
             for note in versions.enter(zip(result.entrants, record.agents, strict=True))]
    return Recorded(event, tuple(together), left.told(), counted, (*notes, *versions.note()))


def check_earlier(
    records: Sequence[GameRecord], *, jobs: int = 1, on_game: OnGame | None = None
) -> dict[str, Counts]:
    """Check games that are to be continued as an event, as `verify` does.

    Returns:
        the counts of each game, by id.

    Raises:
        RecordError: with the first fault.
    """
    counts: dict[str, Counts] = {}
    for number, (_, record, found) in enumerate(
            checked(((None, record) for record in records), jobs), 1):
        if found.faults:
            raise RecordError(f"game {shown(record.id)}: {found.faults[0]}")
        counts[record.id] = found.counts
        if on_game is not None:
            on_game(number)
    for _, game, fault in _ledger_faults(records):
        raise RecordError(f"game {shown(game)}: {fault}")
    return counts


def _ledger_faults(records: Iterable[GameRecord]) -> Iterator[tuple[int, str, str]]:
    """Yield what games of an event contradict in each other: index, id, fault."""
    ledger = Ledger()
    for index, record in enumerate(records):
        for fault in ledger.enter(record, index):
            yield index, record.id, fault
    yield from ledger.closing_faults()


# ----------------------------------------------------------------------- from files to events


def _left(entry: Entry, why: str) -> LeftOut:
    return LeftOut(entry.where, entry.game, why, entry.path)


def _entries(paths: Iterable[str], left: _Left) -> Iterator[tuple[Entry, GameRecord]]:
    """Yield the finished games of events."""
    for path in dict.fromkeys(paths):
        for entry in read_entries(path):
            record = entry.record
            if record is None:
                if not entry.torn:
                    left.append(_left(entry, entry.told))
                continue
            fault = _alone(record)
            if fault is None:
                yield replace(entry, record=None), record
            else:
                left.append(_left(entry, fault))


def _alone(record: GameRecord) -> str | None:
    """Return why a game cannot count whatever the others are."""
    match = record.extra.get(MATCH_KEY)
    if match is None:
        return "was not played in a match or tournament"
    fault = next(key_faults(match, record.start.players), None)
    if fault is None and (record.reason == UNFINISHED or not record.winners):
        what = "has no winner" if not record.winners else "is called unfinished"
        fault = f"{what}, expected a game that has ended"
    return fault


class _Events:
    """Puts games to events, without contradictions between games of one id.

    Args:
        left: receives what does not count.
    """

    def __init__(self, left: _Left) -> None:
        self._left = left
        self._groups: defaultdict[str, list[_Group]] = defaultdict(list)  # by traits
        self._known = Games()
        self._firsts: dict[tuple[int, str], tuple[Entry, GameRecord]] = {}  # by group and id
        self._dropped: set[Place] = set()  # games that were put and do not count

    def put(self, entry: Entry, record: GameRecord) -> None:
        """Put a game to an event that can have it, first one that has it or is of the same file."""
        rivals = self._groups[json.dumps(traits(record), sort_keys=True)]
        fitting = [group for group in rivals if group.stranger(record) is None]
        if not fitting:
            if len(rivals) == MOST_EVENTS:
                self._left.append(_left(entry, f"more than {MOST_EVENTS:,} events have this seed"))
                return
            rivals.append(_Group())
            fitting = rivals[-1:]
        self._enter(max(fitting, key=lambda group: (
            record.id in group.tables, entry.path in group.paths)), entry, record)

    def _enter(self, group: _Group, entry: Entry, record: GameRecord) -> None:
        """Put a game to an event; of several games of one id those with faults do not count."""
        key = id(group), record.id
        relation: Relation = self._known.add(record, entry.place, id(group))
        if relation.same:
            return  # once more the same
        if relation.contradicts:
            first, rival = self._firsts[key]
            if self._has_fault(entry, record):
                return
            if first.place in self._dropped or not self._has_fault(first, rival):
                there = replace(relation, place=first.place)
                self._left.append(_left(entry, there.told(record, entry.path)))
                if first.place not in self._dropped:
                    self._left.append(_left(first, f"{entry.where} has another game of this id"))
                self._dropped.add(first.place)
                return
            self._dropped.add(first.place)
        self._firsts[key] = entry, record
        group.add(entry, record)

    def _has_fault(self, entry: Entry, record: GameRecord) -> bool:
        """Tell whether a game contradicts itself; it is left out then."""
        faults = check(record).faults
        if faults:
            self._left.append(_left(entry, faults[0]))
        return bool(faults)

    def groups(self) -> Iterator[_Group]:
        """Yield the events; call it once, after all games were put."""
        for rivals in self._groups.values():
            self._drop(rivals)
            self._send_strays([group for group in rivals if group.games])
            self._drop(rivals)
            yield from (group for group in rivals if group.games)

    def _drop(self, groups: Iterable[_Group]) -> None:
        """Leave out the games that contradict each other, or themselves."""
        for group in groups:
            group.games = [game for game in group.games if game[0].place not in self._dropped]

    def _send_strays(self, groups: Sequence[_Group]) -> None:
        """Where no pair is complete, send games to an event of the same seed that has one.

        Those that cannot be its games do not count.
        """
        whole = [group for group in groups if group.has_pair]
        for group in groups if whole else ():
            if group in whole:
                continue
            strays, group.games = group.games, []
            for entry, record in strays:
                whys = [other.stranger(record) for other in whole]
                if None in whys:
                    self._enter(whole[whys.index(None)], entry, record)
                else:
                    self._left.append(_left(entry, str(whys[0])))


def _table(record: GameRecord) -> _Table:
    return tuple(record.extra[MATCH_KEY]["entrants"]), record.start


def _seated(record: GameRecord) -> Iterator[tuple[int, str]]:
    """Yield the entrants of a game with their specs."""
    for entrant, agent in agents_of(record):
        yield entrant, agent.get("spec", UNKNOWN)


def _networks(record: GameRecord) -> Iterator[tuple[int, str]]:
    """Yield those entrants of a game that used a network file, with its hash."""
    for entrant, agent in agents_of(record):
        if "network" in agent:
            yield entrant, agent["network"]


def _comparable(groups: list[_Group], left: _Left) -> list[_Group]:
    """Return the events of the variant with the most games, and leave out the others."""
    games: Counter[tuple[str, str, int]] = Counter()
    for group in groups:
        games[_variant(group)] += len(group.games)
    if not games:
        return []
    chosen, _ = games.most_common(1)[0]
    for group in groups:
        if _variant(group) != chosen:
            why = (f"{variant_in_words(_variant(group))}, which cannot be compared with"
                   f" {variant_in_words(chosen)}")
            for entry, _ in group.games:
                left.append(_left(entry, why))
    return [group for group in groups if _variant(group) == chosen]


def _variant(group: _Group) -> tuple[str, str, int]:
    return group.games[0][1].start.variant


def _sound(
    group: _Group, checks: Mapping[int, Counts], left: _Left
) -> list[tuple[Entry, GameRecord]]:
    """Return the games of an event that agree with each other and with their moves."""
    there = [(entry, record) for entry, record in group.games if id(record) in checks]
    most = max(MOST_ENTRANTS, len(there) * there[0][1].start.players if there else 0)
    faults: dict[int, str] = {}
    for index, (_, record) in enumerate(there):
        highest = max(record.extra[MATCH_KEY]["entrants"])
        if highest >= most:
            faults[index] = f"no entrant can have number {highest}"
    for index, _, fault in _ledger_faults(record for _, record in there):
        faults.setdefault(index, fault)
    for index, fault in sorted(faults.items()):
        left.append(_left(there[index][0], fault))
    return [game for index, game in enumerate(there) if index not in faults]


def _event(group: _Group, records: Sequence[GameRecord]) -> Event:
    """Return the event of some games.

    They do not tell the number of rounds that was requested, a sequential test, or the timeouts
    of engines.
    """
    specs = {entrant: spec for record in records for entrant, spec in _seated(record)}
    named = entrants_of(specs.get(index, UNKNOWN) for index in range(max(specs) + 1))
    match, start = records[0].extra[MATCH_KEY], records[0].start
    return Event(
        kind=match["event"],
        entrants=tuple(replace(entrant, network=group.networks.get(index))
                       for index, entrant in enumerate(named)),
        settings=Settings(
            game=start.game,
            board=start.board,
            players=start.players,
            seed=match["seed"],
            limits=_limits(match["limits"]),
            tied=match["tied"],
        ),
        rounds=None,
        openings=_openings(records),
    )


def _openings(records: Sequence[GameRecord]) -> tuple[tuple[int, Position], ...]:
    """Return the positions from which games were started, by number."""
    found = {number: record.start for record in records
             if (number := record.extra[MATCH_KEY].get("opening")) is not None}
    return tuple(sorted(found.items(), key=lambda item: item[0]))


def _limits(told: Mapping[str, Any]) -> Limits | None:
    sims, seconds = told.get("sims"), told.get("seconds")
    clock, increment = (tuple(told.get(key) or ()) for key in ("clock", "increment"))
    if sims is None and seconds is None and not clock:
        return None
    return Limits(sims=sims, seconds=seconds, clock=clock, increment=increment)


# ------------------------------------------------------------------------ several events as one


def _joined(
    events: Sequence[Event], results: Sequence[Sequence[Result]]
) -> tuple[Event, list[Result]]:
    """Return several events as one, and their results as its own.

    Entrants of one spec are one, the second of an event that of the others. If the limits differ,
    those that are bound by them are different entrants, and so are those with other networks.
    """
    networks: defaultdict[str, set[str | None]] = defaultdict(set)
    for entrant in (entrant for event in events for entrant in event.entrants):
        networks[entrant.spec].add(entrant.network)
    settings = events[0].settings
    limits = {event.settings.limits for event in events}
    found: dict[tuple[str, str, int], Entrant] = {}
    places = {}
    together: list[Result] = []
    seeds = Counter(event.settings.seed for event in events)
    for number, (event, games) in enumerate(zip(events, results, strict=True), 1):
        seed = event.settings.seed
        prefix = f"{seed}/" if seeds[seed] == 1 else f"{seed}.{number}/"
        met: Counter[str] = Counter()
        index_of = []
        for entrant in event.entrants:
            spec, more = entrant.spec, ""
            if len(limits) > 1 and _bound(spec):
                more += f" ({_short(event.settings.limits)})"
            if len(networks[spec]) > 1:
                more += f" ({(entrant.network or UNKNOWN)[:NETWORK_DIGITS]})"
            met[spec + more] += 1
            key = spec, more, met[spec + more]
            if key not in found:
                places[key] = len(found)
                found[key] = entrant
            index_of.append(places[key])
        together += [
            replace(game, game=prefix + game.game, pair=prefix + game.pair,
                    entrants=tuple(index_of[entrant] for entrant in game.entrants))
            for game in games]
    names = unique([called(spec) + more for spec, more, _ in found])
    entrants = tuple(replace(entrant, name=name)
                     for name, entrant in zip(names, found.values(), strict=True))
    kinds = {event.kind for event in events}
    shared = replace(settings, limits=settings.limits if len(limits) == 1 else None,
                     tied=all(event.settings.tied for event in events))
    kind = kinds.pop() if len(kinds) == 1 else SEVERAL
    return Event(kind, entrants, shared, rounds=None), together


def _bound(spec: str) -> bool:
    """Tell whether the limits of an event bind an agent."""
    try:
        return parse_spec(spec).needs_limit
    except SpecError:
        return True


def _short(limits: Limits | None) -> str:
    if limits is None:
        return "no limit"
    parts = [] if limits.sims is None else [f"sims={limits.sims}"]
    parts += [] if limits.seconds is None else [f"time={limits.seconds:g}"]
    parts += [f"clock={clocks_told(limits)}"] if limits.clock else []
    return ",".join(parts)
