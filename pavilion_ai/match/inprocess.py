"""Matches from Python, between agents of any kind, played one game after another."""

from __future__ import annotations

import errno
import os
import time
from bisect import bisect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from pavilion_ai.agents import Agent, as_agent
from pavilion_ai.bounds import EVENT_SECONDS, SYNC_SECONDS, whole
from pavilion_ai.clock import TimeControl, clock_of
from pavilion_ai.errors import RecordError, SpecError, one_of, shown
from pavilion_ai.games import DEFAULT_GAME, GAMES, fresh_seed, whole_seed
from pavilion_ai.limits import Limits, limits_of
from pavilion_ai.match.event import Event, Settings, check_names, entrants_of
from pavilion_ai.match.openings import numbered, openings_of
from pavilion_ai.match.report import Report, report
from pavilion_ai.match.results import Result, result_of, seat_rows, seed_told
from pavilion_ai.match.schedule import rounds
from pavilion_ai.match.table import play_with, task_of
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord, Recorder


class Match:
    """What `pavilion match` does, between agents that may be objects of one's own.

    >>> match = Match(["greedy", "random"], pairs=2, seed=1)
    >>> match.run().games, len(match.records)
    (4, 4)

    Args:
        agents: one per seat, 2 to 4: an `Agent`, or the spec of one. Every deal is played from
            every rotation of the seats.
        game, board: what is played.
        pairs: number of deals.
        seed: seed of the whole match; None takes that of the games in `out`, or a fresh one. The
            same seed gives the same games as the command, if no time limit decides and agents
            search on one thread without `reuse=1`.
        limits: limits of agents without their own, by default 0.1 s per move if one of them
            heeds limits; a clock among them is for every seat.
        tied: draws are tied to what is drawn (common random numbers).
        clock: instead of limits, what the clock of each seat is set to for a game, such as
            `"60+0.5"`; a seat that uses more loses.
        openings: positions from which the pairs start, in any form, one after another and then
            again; None for new games. They give game and board.
        out: a file to which every game is written as it ends, as by `pavilion match --out`. Games
            of this match that it has are not played again; those of an object of one's own are
            known by its `spec`.
        now: reads the time, in seconds.

    Attributes:
        event: what is played.
        out: the file of the games, or None.
        records: the games so far, in the order of the schedule.
        results: what statistics read from them, in the same order.

    Raises:
        SpecError: an argument is out of its range, or two different agents have one name.
        RecordError: the file holds other games, or something else than games, or another program
            writes to it.
        OSError: the file cannot be read, or nothing can be written in its folder.
    """

    def __init__(
        self,
        agents: Sequence[Agent | str],
        *,
        game: str = DEFAULT_GAME,
        board: str = "coloured",
        pairs: int = 10,
        seed: int | None = None,
        limits: Limits | None = None,
        tied: bool = True,
        clock: str | TimeControl | None = None,
        openings: Sequence[Position | str] | None = None,
        out: str | os.PathLike[str] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        starts = openings_of(openings or (), len(agents))
        if starts:
            game, board = starts[0].game, starts[0].board
        rules = GAMES[one_of("game", game, GAMES)]
        one_of("board", board, rules.boards)
        if not rules.min_players <= len(agents) <= rules.max_players:
            raise SpecError(f"agents: found {len(agents)}, expected {rules.min_players} to"
                            f" {rules.max_players}")
        count = whole(pairs)
        if count is None or count < 1:
            raise SpecError(f"pairs {shown(pairs)}: expected a whole number, at least 1")
        if not isinstance(tied, bool):
            raise SpecError(f"tied {shown(tied)}: expected true or false")
        limits_of(limits)
        if clock is not None:
            if limits is not None:
                raise SpecError("clock: expected none beside limits")
            control = TimeControl.parse(clock) if isinstance(clock, str) else clock
            if not isinstance(control, TimeControl):
                raise SpecError(f"clock {shown(clock)}: expected a TimeControl, or text such as"
                                " 60+0.5")
            limits = control.limits(len(agents))
        elif limits is not None and limits.clock:
            limits = _with_clocks(limits, len(agents))
        self._now, self.out = now, out
        earlier = [] if out is None else _games_of(out)
        if seed is None and earlier:
            seed = seed_told(earlier[0])
        self.agents = [*map(as_agent, agents)]
        check_names(agent.spec for agent in self.agents)
        if not limits_of(limits).is_set and any(
                agent.searches and not agent.limited for agent in self.agents):
            limits = replace(limits_of(limits), seconds=EVENT_SECONDS)
        self.event = Event(
            "match",
            entrants_of(agent.spec for agent in self.agents),
            Settings(game, board, len(agents), fresh_seed() if seed is None else whole_seed(seed),
                     limits, tied=tied),
            count,
            openings=numbered(starts, "sequential", 0),
        )
        self.records: list[GameRecord] = []
        self.results: list[Result] = []
        self._take_in(earlier)

    def run(self, on_game: Callable[[GameRecord], None] | None = None) -> Report:
        """Play the games that are missing and return the report of all.

        An interrupt ends it; called again it resumes with the game that was broken off. A handler
        of Ctrl-C that the program has is called instead: then the match goes on, with the move that
        a search under way has found so far.

        Args:
            on_game: called with the record of each game as it ends.

        Raises:
            RecordError: another program writes to the file, or has written other games to it.
            OSError: the file cannot be written.
        """
        known = {result.game for result in self.results}
        # an interrupt may come between the two
        self.records[:] = [record for record in self.records if record.id in known]
        with ExitStack() as stack:
            recorder = None
            if self.out is not None:
                recorder = stack.enter_context(Recorder(self.out, sync_seconds=SYNC_SECONDS))
                self._take_in(recorder.read())
            played = {result.game for result in self.results}
            for pairs in rounds(self.event, ()):
                for seating in (seating for pair in pairs for seating in pair.seatings()):
                    if seating.id in played:
                        continue
                    record, counts = play_with(task_of(self.event, seating),
                                               [self.agents[one] for one in seating.entrants],
                                               self._now)
                    if recorder is not None:
                        recorder.write(record)
                    self._add(record, result_of(record, counts))
                    if on_game is not None:
                        on_game(record)
        return self.report()

    def _take_in(self, records: Sequence[GameRecord]) -> None:
        """Add games of the file that are not known yet."""
        played = {result.game for result in self.results}
        if all(record.id in played for record in records):
            return
        from pavilion_ai.match.recorded import check_earlier  # slow, and seldom needed
        from pavilion_ai.match.runner import Runner

        try:
            runner = Runner(self.event, records)
            runner.add_counts(check_earlier(records))
        except RecordError as error:
            raise RecordError(f"{os.fspath(self.out or '')}: {error}; expected the games of this"
                              " match, or another file") from None
        for record, result in zip(records, runner.results, strict=True):
            if result.game not in played:
                self._add(record, result)

    def _add(self, record: GameRecord, result: Result) -> None:
        place = bisect(self.results, _place(result), key=_place)
        self.records.insert(place, record)
        self.results.insert(place, result)

    def report(self) -> Report:
        """Return what the games so far say."""
        return report(self.event, self.results)

    def array(self) -> Any:
        """Return the games so far as a numpy structured array, a row for each seat of each game.

        `pandas.DataFrame(match.array())` takes it as it is. The columns are those of
        `pavilion_ai.match.results.COLUMNS`.
        """
        return seat_rows(self.results, [entrant.name for entrant in self.event.entrants])


def _games_of(path: str | os.PathLike[str]) -> list[GameRecord]:
    """Return the games of a file that can be written, none if it is not there yet."""
    folder = os.path.dirname(os.path.realpath(path))
    os.stat(folder)    # names it, if it is not there
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
    with Recorder(path) as recorder:
        return recorder.read()


def _place(result: Result) -> tuple[int, int]:
    """Return the place of a game in the schedule of a match."""
    return int(result.pair), result.rotation


def _with_clocks(limits: Limits, players: int) -> Limits:
    """Return limits with a clock and an increment for every seat.

    Raises:
        SpecError: a seat has no clock, or one that a game cannot have.
    """
    found = [clock_of(limits, seat) for seat in range(players)]
    if None in found or len(limits.clock) > players:
        raise SpecError(f"limits, clock: expected seconds for each of {players} seats")
    return replace(limits, increment=tuple(limits.added(seat) for seat in range(players)))
