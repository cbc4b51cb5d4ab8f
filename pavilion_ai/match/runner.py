"""Running an event: games out to workers, records in to a store, until all are played.

Everything that has to survive is in the records. The runner takes those that are there, plays the
games of the schedule that are missing, and hands each record on as soon as it comes; it can be
broken off at any moment and run again.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from typing import Any, Protocol, TypeVar

from pavilion_ai.errors import PavilionError, RecordError
from pavilion_ai.match.event import Event
from pavilion_ai.match.keys import key_faults
from pavilion_ai.match.results import MATCH_KEY, Result, result_of
from pavilion_ai.match.schedule import Seating, rounds, seating_of, waits
from pavilion_ai.match.seeds import pair_seed
from pavilion_ai.match.sequential import SequentialTest
from pavilion_ai.match.table import expected, play, task_of
from pavilion_ai.record import GameRecord

__all__ = ["ATTEMPTS", "QUEUED", "FixedWorkers", "Runner", "Workers", "WorkersError", "submit"]

QUEUED = 1
"""Games handed out beyond those being played, so that no worker waits for its next one."""
ATTEMPTS = 3
"""How often a game is begun alone before the death of its workers is put down to it."""

OnGame = Callable[[GameRecord], None]
Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


class WorkersError(PavilionError):
    """The games cannot be played because whoever plays them keeps dying."""


class Workers(Protocol):
    """Whoever plays: an executor, and what to do when it breaks."""

    @property
    def executor(self) -> Executor:
        """The executor at present."""

    @property
    def slots(self) -> int:
        """Number of games that are played at the same time."""

    def renew(self) -> None:
        """Put a new executor in the place of one that refuses work."""

    def have_died(self, error: BaseException) -> bool:
        """Tell whether an error means that a worker has died, not that its game went wrong."""


class FixedWorkers:
    """Any executor, as it is.

    Attributes:
        executor: where games are played.
        slots: number of games that it plays at the same time.
    """

    def __init__(self, executor: Executor, slots: int) -> None:
        self.executor, self.slots = executor, slots

    def renew(self) -> None:
        """Give up."""
        raise WorkersError("the executor is broken")

    def have_died(self, error: BaseException) -> bool:
        """Tell whether the executor broke."""
        return isinstance(error, BrokenExecutor)


def submit(workers: Workers, function: Callable[[Task], Outcome], task: Task) -> Future[Outcome]:
    """Hand a task out; if the executor refuses work, to a new one.

    Raises:
        WorkersError: there is no other.
    """
    try:
        return workers.executor.submit(function, task)
    except BrokenExecutor:
        workers.renew()
        return workers.executor.submit(function, task)


class Runner:
    """One event in progress.

    Args:
        event: what is to be played.
        earlier: records of the event that are there already.

    Attributes:
        results: of all games so far, in the order in which they ended.
        test: the sequential test, None if the event has none.

    Raises:
        RecordError: a record belongs to another event.
    """

    def __init__(self, event: Event, earlier: Iterable[GameRecord] = ()) -> None:
        self.event = event
        self.results: list[Result] = []
        self.test = SequentialTest(event.sprt) if event.sprt is not None else None
        self._played: dict[str, Result] = {}
        self._running: set[str] = set()
        for record in earlier:
            self._add(_check(event, record))

    @property
    def total(self) -> int | None:
        """Games of the whole event; None if that is not known beforehand."""
        if self.event.rounds is None:
            return None
        first = next(rounds(self.event, ()), [])
        asked = self.event.rounds * sum(len(pair.entrants) for pair in first)
        return max(asked, len(self.results))  # there may be more, from a longer event

    @property
    def running(self) -> int:
        """Games handed out and not played yet."""
        return len(self._running)

    def run(self, workers: Workers, on_game: OnGame) -> None:
        """Play what is missing.

        Args:
            on_game: called in this thread with each game as it ends, in whatever order.

        Raises:
            RecordError: the games so far do not follow from the schedule.
            WorkersError: a game was begun by itself three times, and each time its worker died; or
            the executor has dropped its games.
            Exception: what a game raised, or `on_game`; games in progress are dropped.
        """
        futures: dict[Future[GameRecord], Seating] = {}
        suspects: deque[Seating] = deque()  # a worker died; each is begun again, alone
        deaths: Counter[str] = Counter()
        missing = self._missing()
        try:
            while True:
                if not suspects:
                    self._hand_out(futures, missing, workers)
                elif not futures:
                    futures[self._submit(workers, suspects[0])] = suspects[0]
                if not futures:
                    return
                alone = len(futures) == 1
                for future, error in _ended(futures):
                    seating = futures.pop(future)
                    if error is None:
                        self._take(future.result(), on_game)
                        if seating in suspects:
                            suspects.remove(seating)
                        continue
                    if isinstance(error, CancelledError):
                        raise WorkersError("whoever handed out the games has gone") from None
                    if not workers.have_died(error):
                        raise error
                    deaths[seating.id] += alone
                    if deaths[seating.id] == ATTEMPTS:
                        raise WorkersError(f"game {seating.id} was begun {ATTEMPTS} times, and each"
                                           f" time its worker died ({error})") from error
                    if seating not in suspects:
                        suspects.append(seating)
                if self.test is not None and self.test.verdict is not None:
                    return
        finally:
            for future in futures:
                future.cancel()

    def _hand_out(self, futures: dict[Future[GameRecord], Seating],
                  missing: Iterator[Seating | None], workers: Workers) -> None:
        """Give the workers as many games as they can use."""
        while len(futures) < workers.slots + QUEUED:
            seating = next(missing, None)
            if seating is None:
                return
            futures[self._submit(workers, seating)] = seating

    def _missing(self) -> Iterator[Seating | None]:
        """Yield the games not played yet; None while only games in progress can tell the next."""
        schedule = rounds(self.event, self.results)
        while True:
            while waits(self.event) and self._running:
                yield None
            pairs = next(schedule, None)
            if pairs is None or (self.test is not None and self.test.verdict is not None):
                return
            for seating in (seating for pair in pairs for seating in pair.seatings()):
                played = self._played.get(seating.id)
                if played is None:
                    self._running.add(seating.id)
                    yield seating
                elif played.entrants != seating.entrants:
                    raise RecordError(f"game {seating.id}: entrants {list(played.entrants)} sat"
                                      f" there, expected {list(seating.entrants)}")

    def _submit(self, workers: Workers, seating: Seating) -> Future[GameRecord]:
        return submit(workers, play, task_of(self.event, seating))

    def _take(self, record: GameRecord, on_game: OnGame) -> None:
        result = result_of(record)
        self._running.discard(record.id)
        on_game(record)
        self._add(result)

    def _add(self, result: Result) -> None:
        self.results.append(result)
        self._played[result.game] = result
        if self.test is not None:
            self.test.add(result)


def _ended(
    futures: Iterable[Future[GameRecord]],
) -> list[tuple[Future[GameRecord], BaseException | None]]:
    """Wait for a game to end; return all that have, those without an error first."""
    done = wait(futures, return_when=FIRST_COMPLETED).done
    ended = [(future, CancelledError() if future.cancelled() else future.exception())
             for future in done]
    return sorted(ended, key=lambda end: end[1] is not None)


def _check(event: Event, record: GameRecord) -> Result:
    """Return the result of a record; refuse it if the event cannot have written it.

    Raises:
        RecordError: with what differs first.
    """
    where = f"game {record.id!r}"
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
        **expected(task_of(event, seating)),
        "id": seating.id,
        "seed of the pair": pair_seed(settings.seed, seating.pair),
    }
    found = match | {
        "game": record.game,
        "board": record.start.board,
        "players": record.start.players,
        "agents": [agent.get("spec") for agent in record.agents],
        "id": record.id,
        "seed of the pair": record.seed,
    }
    for key, value in told.items():
        if found.get(key) != value:
            raise RecordError(f"{where} is of another event: {key} {json.dumps(found.get(key))},"
                              f" expected {json.dumps(value)}")
    if not record.winners:
        raise RecordError(f"{where} has no winner, expected a game that has ended")
    return result_of(record)


def _seating(event: Event, match: Mapping[str, Any]) -> Seating | None:
    """Return the game of the schedule that a record speaks of, None if there is none."""
    pair, rotation, entrants = match["pair"], match["rotation"], match["entrants"]
    seating = seating_of(event, pair, rotation)
    if seating is None or seating.entrants:
        return seating
    if len({*entrants}) < event.settings.players or max(entrants) >= len(event.entrants):
        return None
    return Seating(pair, rotation, tuple(entrants))
