"""Run an event: hand games to workers and collect their records until all are played.

The records hold all state that must survive. The runner starts from the existing ones, plays the
missing games of the schedule, and passes on each record as soon as it arrives; it can be
interrupted at any moment and run again.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache
from typing import Any

from pavilion_ai.errors import RecordError, SpecError, shown
from pavilion_ai.limits import Limits
from pavilion_ai.match.counts import Counts
from pavilion_ai.match.event import Event
from pavilion_ai.match.keys import key_faults
from pavilion_ai.match.ledger import size_told
from pavilion_ai.match.results import MATCH_KEY, Result, result_of
from pavilion_ai.match.schedule import Seating, rounds, seating_of, tables_of, waits
from pavilion_ai.match.sequential import SequentialTest
from pavilion_ai.match.table import Task, expected, play_counted, task_of
from pavilion_ai.match.traits import agents_of, traits
from pavilion_ai.network import network_file
from pavilion_ai.record import GameRecord
from pavilion_ai.seeds import pair_seed
from pavilion_ai.spec import is_program, parse_spec
from pavilion_ai.workers import Workers, WorkersError, results

MOST_TABLES = 1_000_000
"""Most tables in a round of an event that is played; a list of them is kept."""
TOLD_CHARACTERS = 300
"""Most characters of a value that a record has otherwise than its event."""

OnGame = Callable[[GameRecord], None]


class Runner:
    """One event in progress.

    Args:
        event: the match or tournament to play.
        earlier: existing records of the event.

    Attributes:
        results: results of all games so far, in the order in which they ended.
        test: the sequential test, None if the event has none.

    Raises:
        SpecError: a round has more than `MOST_TABLES` tables.
        RecordError: a record belongs to another event, or there is something left to play and the
            file of a network now holds other weights.
        NetworkError: such a file cannot be read now.
    """

    def __init__(self, event: Event, earlier: Iterable[GameRecord] = ()) -> None:
        tables = tables_of(event)
        if tables > MOST_TABLES:
            raise SpecError(
                f"a {event.kind} of {len(event.entrants)} agents at tables of"
                f" {event.settings.players}: found {tables:,} tables in a round, expected at most"
                f" {MOST_TABLES:,}; a swiss tournament has fewer")
        self.event = event
        self.results: list[Result] = []
        self.test = SequentialTest(event.sprt) if event.sprt is not None else None
        self._played: dict[str, Result] = {}
        self._running: set[str] = set()
        self._weights: dict[int, str] = {}  # hashes of those in network files, by entrant
        records = [*earlier]
        if (fault := _entrant_fault(event, records)) is not None:
            raise RecordError(fault)
        for record in records:
            result = _check(event, record)
            if (file := self._other_weights(record)) is not None:
                raise RecordError(f"game {shown(record.id)} is of another event: {file} had other"
                                  " weights")
            self._add(result)
        if waits(event):
            try:
                self._check_rounds()
            except RecordError as error:
                sat = {entrant for result in self.results for entrant in result.entrants}
                late = _FIXED + _LATE if max(sat) + 1 < len(event.entrants) else ""
                raise RecordError(f"{error}{late}") from None
        if not self.has_ended():
            self._check_files()

    def _other_weights(self, record: GameRecord) -> str | None:
        """Note the weights of a game; return a file that had others in an earlier one, if any."""
        for entrant, agent in agents_of(record):
            weights = agent.get("network")
            file = _net_file(agent["spec"]) if weights else None
            if file and weights and self._weights.setdefault(entrant, weights) != weights:
                return file
        return None

    def _check_files(self) -> None:
        """Check that network files hold the weights that have played; some may be elsewhere.

        Raises:
            RecordError: one holds others.
            NetworkError: one cannot be read.
        """
        there = cache(network_file)
        for entrant, weights in self._weights.items():
            file = _net_file(self.event.entrants[entrant].spec)
            if file and os.path.exists(file) and there(file).sha256 != weights:
                raise RecordError(f"holds games of another event: {file} had other weights")

    def _check_rounds(self) -> None:
        """Check that every round was paired as the results before it tell, and played to its end.

        Raises:
            RecordError: some round was not, as with other entrants.
        """
        ids: defaultdict[int, set[str]] = defaultdict(set)
        for result in self.results:
            ids[int(result.pair.split(".")[0])].add(result.game)
        endless = rounds(replace(self.event, rounds=None), self.results)
        for number, pairs in enumerate(endless, 1):
            if not ids:
                return
            seatings = [seating for pair in pairs for seating in pair.seatings()]
            there = {seating.id for seating in seatings if self._was_played(seating)}
            for game in sorted(ids.pop(number, set()) - there):
                raise RecordError(f"game {game}: is not in round {number} of"
                                  f" {len(self.event.entrants)} agents")
            if ids and len(there) < len(seatings):
                raise RecordError(f"round {max(ids)} has games, but round {number} of"
                                  f" {len(self.event.entrants)} agents has not ended")

    @property
    def asked(self) -> int | None:
        """Number of games that the event asks for; None if it is not fixed in advance."""
        if self.event.rounds is None:
            return None
        return self.event.rounds * tables_of(self.event) * self.event.settings.players

    @property
    def total(self) -> int | None:
        """Number of games of the whole event, also those there are from a longer one; or None."""
        return None if self.asked is None else max(self.asked, len(self.results))

    @property
    def running(self) -> int:
        """Number of games handed out and not finished."""
        return len(self._running)

    def run(
        self, workers: Workers, on_game: OnGame, on_look: Callable[[], None] | None = None,
        versions: Mapping[str, str] | None = None,
    ) -> None:
        """Play the missing games.

        Args:
            on_game: called in this thread with each game as it ends, in any order.
            on_look: called in this thread several times a second, also while no game ends.
            versions: those of programs by spec; workers ask the others.

        Raises:
            RecordError: the games so far contradict the schedule.
            WorkersError: a game was begun alone three times, and its worker died each time; or the
                executor has dropped its games; or the file of a network held other weights in a
                game, which does not count then.
            KeyboardInterrupt: a signal arrived.
            Exception: an exception of a game or of `on_game` and `on_look`; games in progress are
                dropped.
        """
        def enough() -> bool:
            if on_look is not None:
                on_look()
            return self._decided()

        games = results(workers, play_counted, self._tasks(versions or {}), enough=enough,
                        name=lambda task: f"game {task.seating.id}")
        with closing(games):
            for _, (record, counts) in games:
                self._take(record, counts, on_game)

    def has_ended(self) -> bool:
        """Tell whether there is nothing left to play."""
        if self._decided():
            return True
        if self.asked is None or len(self._played) < self.asked:
            return False
        return all(
            self._was_played(seating) for pairs in rounds(self.event, self.results)
            for pair in pairs for seating in pair.seatings())

    def _decided(self) -> bool:
        return self.test is not None and self.test.verdict is not None

    def _tasks(self, versions: Mapping[str, str]) -> Iterator[Task | None]:
        """Yield the games not played yet; None while only games in progress can tell the next."""
        schedule = rounds(self.event, self.results)
        while True:
            while waits(self.event) and self._running:
                yield None
            pairs = next(schedule, None)
            if pairs is None or self._decided():
                return
            for seating in (seating for pair in pairs for seating in pair.seatings()):
                if not self._was_played(seating):
                    self._running.add(seating.id)
                    yield replace(task_of(self.event, seating), versions=versions)

    def _was_played(self, seating: Seating) -> bool:
        """Tell whether there is a game; refuse it if others sat there."""
        played = self._played.get(seating.id)
        if played is not None and played.entrants != seating.entrants:
            raise RecordError(f"game {seating.id}: entrants {list(played.entrants)} sat"
                              f" there, expected {list(seating.entrants)}")
        return played is not None

    def add_counts(self, counts: Mapping[str, Counts]) -> None:
        """Add what was counted of earlier games, by id, to their results."""
        self.results = [replace(result, counts=counts.get(result.game, result.counts))
                        for result in self.results]

    def _take(self, record: GameRecord, counts: Counts, on_game: OnGame) -> None:
        result = result_of(record, counts)
        self._running.discard(record.id)
        if (file := self._other_weights(record)) is not None:
            raise WorkersError(f"game {record.id}: {file} held other weights than in earlier games,"
                               " so it does not count")
        on_game(record)
        self._add(result)

    def _add(self, result: Result) -> None:
        self.results.append(result)
        self._played[result.game] = result
        if self.test is not None:
            self.test.add(result)


def _check(event: Event, record: GameRecord) -> Result:
    """Return the result of a record; refuse it if it cannot belong to the event.

    Raises:
        RecordError: the record does not belong to the event; the first difference is named.
    """
    where = f"game {shown(record.id)}"
    match = record.extra.get(MATCH_KEY)
    if match is None:
        raise RecordError(f"{where} was not played in a match or tournament")
    fault = next(key_faults(match, record.start.players), None)
    if fault is not None:
        raise RecordError(f"{where}: {fault}")
    if match["event"] != event.kind:
        raise RecordError(
            f"{where} is of another event: a {match['event']}, expected a {event.kind}")
    seating = _seating(event, match)
    if seating is None:
        raise RecordError(f"{where}: key {MATCH_KEY!r} names no game of this event")
    settings = event.settings
    told = {
        "game": settings.game,
        "board": settings.board,
        "players": settings.players,
        "agents": [event.entrants[index].spec for index in seating.entrants],
        "opening": None,
        **expected(task_of(event, seating)),
        "id": seating.id,
        "seed of the pair": pair_seed(settings.seed, seating.pair),
    }
    found = match | traits(record) | {
        "agents": [agent.get("spec") for agent in record.agents],
        "id": record.id,
        "seed of the pair": record.seed,
    }
    for key, value in told.items():
        if found.get(key) != value:
            raise RecordError(f"{where} is of another event: {key} {_told(found.get(key))},"
                              f" expected {_told(value)}{_advice(key, found.get(key), event)}")
    opening = event.opening(seating.pair)
    if opening is not None and record.start != opening[1]:
        raise RecordError(f"{where} is of another event: it does not start from position"
                          f" {opening[0]} of --from")
    if not record.winners:
        raise RecordError(f"{where} has no winner, expected a game that has ended")
    return result_of(record)


def _entrant_fault(event: Event, records: Iterable[GameRecord]) -> str | None:
    """Return how games show that a tournament had more agents, or fewer; None if they do not.

    All games are asked before the seats of any: those would name agents that nobody left out. A
    match has as many agents as seats, and what differs there shows in those.
    """
    if event.kind == "match":
        return None
    given = [entrant.spec for entrant in event.entrants]
    count, players = len(given), event.settings.players
    seen: dict[int, tuple[GameRecord, str | None]] = {}
    resized: tuple[GameRecord, int] | None = None
    for record in records:
        match = record.extra.get(MATCH_KEY)
        if (record.start.players != players or next(key_faults(match, players), None) is not None
                or record.extra[MATCH_KEY]["event"] != event.kind):
            continue  # it will be refused for that
        for entrant, agent in agents_of(record):
            seen.setdefault(entrant, (record, agent.get("spec")))
        if resized is None and max(seen) < count:
            size = size_told(record)
            resized = None if size in (None, count) else (record, size)
    if max(seen, default=0) >= count:
        entrant = max(seen)
        rest: Counter[str | None] = Counter(given)
        for left, (_, spec) in sorted(seen.items()):
            if not rest[spec]:  # as often as it is given others have it
                entrant = left
                break
            rest[spec] -= 1
        record, spec = seen[entrant]
        return (f"game {shown(record.id)} is of another event: agent {entrant + 1}, {shown(spec)},"
                f" is missing from the {count} given")
    if resized is None:
        return None
    record, size = resized
    return (f"game {shown(record.id)} is of another event: a {event.kind} of {size} agents,"
            f" expected one of {count}{_FIXED}{_LATE if size < count else ''}")


_FIXED = "; only a ladder, and a gauntlet at tables of two, take more agents later"
_LATE = ("; a gauntlet of the new agent against the others goes into a file of its own, which"
         " `pavilion report` rates together with this one")


def _advice(key: str, found: object, event: Event) -> str:
    """Return what lets an agent join that is the first to heed limits; nothing in other cases."""
    limits = event.settings.limits
    if key != "limits" or found != Limits().to_json() or (limits is not None and limits.clock):
        return ""
    if any(is_program(entrant.spec) for entrant in event.entrants):
        return ("; a program that joins cannot name its limit, so it needs a file of its own, which"
                " `pavilion report` rates together with this one")
    return "; an agent that joins needs a limit in its spec, such as sims=100"


def _net_file(spec: str) -> str | None:
    """Return the network file that a spec names; None if it names none, or is a name only."""
    try:
        return parse_spec(spec).net_file
    except SpecError:
        return None


def _told(value: object) -> str:
    """Return a value of a record for a message, cut if it is long."""
    text = json.dumps(value)
    return text if len(text) <= TOLD_CHARACTERS else f"{text[:TOLD_CHARACTERS]}..."


def _seating(event: Event, match: Mapping[str, Any]) -> Seating | None:
    """Return the record's game in the schedule, None if there is none."""
    pair, rotation, entrants = match["pair"], match["rotation"], match["entrants"]
    seating = seating_of(event, pair, rotation)
    if seating is None or seating.entrants:
        return seating
    if len({*entrants}) < event.settings.players or max(entrants) >= len(event.entrants):
        return None
    return Seating(pair, rotation, tuple(entrants))
