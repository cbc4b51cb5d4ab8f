"""A game at the terminal: the play, its players, and their thinking times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pavilion_ai import record as records
from pavilion_ai.agents import Agent
from pavilion_ai.bounds import MAX_CLOCK
from pavilion_ai.clock import Clocks, TimeControl
from pavilion_ai.errors import EngineFault, RecordError, SpecError, shown
from pavilion_ai.limits import Limits
from pavilion_ai.play import HUMAN, Play
from pavilion_ai.render.columns import shortened
from pavilion_ai.render.record_text import plain_name, player
from pavilion_ai.seeds import table_seed
from pavilion_ai.solo import Challenge, draw
from pavilion_ai.untrusted import Node, refusal
from pavilion_ai.version import __version__

CLOCK_KEY = "clock"
"""Key of a record for the clocks of a game at the table."""
REAL_TILES_KEY = "real_tiles"
"""Key of a record of a game with real tiles: what is drawn is asked for."""
_LONGEST_NAME = 14


@dataclass
class Session:
    """One game from its start to the current position.

    Draws and the seeds of the agents depend on the play's seed and the number of moves: a game that
    was taken back or resumed continues exactly as it would have continued. In a solo game draws
    depend on the seed alone, and nothing is taken back.

    Attributes:
        id: name of the game in its record.
        seats: the spec of each seat's agent, or `human`.
        play: the game so far.
        seconds: time that each seat has taken for its decisions.
        solo: the challenge of a solo game, None for any other.
        clocks: what the seats have left, None for a game without clocks.
        lost: the seat that ran out of time, and how; or that `record.RESIGNED`.
        now: reads the time, in seconds.
        versions: versions of the programs that have played, by seat.
        known: what else a resumed record says of players whose seats are as they were, by seat.
        extra: further keys of a resumed record.
    """

    id: str
    seats: tuple[str, ...]
    play: Play
    seconds: list[float] = field(default_factory=list)
    solo: Challenge | None = None
    clocks: Clocks | None = None
    lost: tuple[int, str] | None = None
    now: Callable[[], float] = time.monotonic
    versions: dict[int, str] = field(default_factory=dict)
    known: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.seconds = self.seconds or [0.0] * self.play.start.players
        self._began = 0.0

    @classmethod
    def resume(cls, record: records.GameRecord, seats: Sequence[str] = ()) -> Session:
        """Resume the game of a record.

        Raises:
            RecordError: the record cannot be replayed.
        """
        play = Play.of(record)
        record.check_end(play.position)
        before = [agent.get("spec", "default") for agent in record.agents]
        seats = tuple(seats or before)
        known = {seat: agent for seat, agent in enumerate(record.agents)
                 if seats[seat:seat + 1] == (before[seat],)}
        return cls(
            id=record.id,
            seats=seats,
            versions={seat: agent["version"] for seat, agent in known.items()
                      if agent.get("version")},
            play=play,
            seconds=list(record.seconds),
            clocks=_clocks_of(record),
            known=known,
            extra={key: value for key, value in record.extra.items() if key != CLOCK_KEY},
        )

    @property
    def is_watched(self) -> bool:
        """Whether no person plays."""
        return HUMAN not in self.seats

    @property
    def real_tiles(self) -> bool:
        """Whether the game is played with real tiles, so that a person says what is drawn."""
        return self.extra.get(REAL_TILES_KEY) is True

    @property
    def viewer(self) -> int:
        """Return the seat whose board is shown first when nobody is to move."""
        return 0 if self.is_watched else self.seats.index(HUMAN)

    def names(self) -> tuple[str, ...]:
        """Return what the players are called, by seat, with the seats if no person plays."""
        if self.is_watched:
            return tuple(f"seat {seat} ({player({'spec': spec})})"
                         for seat, spec in enumerate(self.seats))
        alone = self.seats.count(HUMAN) == 1
        person = "you" if alone else "player"
        names = [person if spec == HUMAN else shortened(plain_name({"spec": spec}), _LONGEST_NAME)
                 for spec in self.seats]
        return tuple(
            name if names.count(name) == 1 else f"{name} {'ABCD'[names[:seat].count(name)]}"
            for seat, name in enumerate(names))

    def draw(self) -> str:
        """Make the chance move that is due; return it."""
        return self.play.draw_once() if self.solo is None else draw(self.play, self.solo)

    def is_over(self) -> bool:
        """Tell whether the game has ended: on the board, on a clock, or given up."""
        return self.lost is not None or self.play.is_over()

    def choose(self, agent: Agent, limits: Limits | None) -> str:
        """Let an agent play for the mover; return its move.

        Raises:
            OutOfTimeError: the mover had less time left, whatever else ended the decision.
        """
        seat = self.play.turn
        assert seat is not None  # the caller has resolved chance
        self.versions[seat] = agent.identity().get("version", "unknown")
        if self.clocks is not None and not agent.limited:
            limits = self.clocks.limits()
        self.start_clock()
        free = 0.0
        try:
            decision = agent.decide(self.play, limits, seed=self.agent_seed())
            free = decision.free
        except BaseException as error:
            free = error.free if isinstance(error, EngineFault) else agent.free
            raise
        finally:
            self.seconds[seat] += self.now() - self._began
            self.stop_clock(seat, free)
        if self.clocks is not None:
            self.clocks.add_increment(seat)
        return self.play.push(decision.move)

    def start_clock(self) -> None:
        """Start the clock of the seat to move."""
        self._began = self.now()

    def stop_clock(self, seat: int, free: float = 0.0) -> None:
        """Take the time since the clock was started from a seat, and start it anew.

        Args:
            free: seconds that do not count, because a program started in them.

        Raises:
            OutOfTimeError: there was less time left.
        """
        used = self.now() - self._began
        self._began += used
        if self.clocks is not None:
            self.clocks.spend(seat, max(0.0, used - free))

    def agent_seed(self) -> int:
        """Return the seed of a search of the current position."""
        return table_seed(self.play.seed, len(self.play.plies))

    def undo(self) -> int:
        """Take back moves up to a person's last decision; return their number, 0 for none."""
        plies = self.play.plies
        for taken, ply in enumerate(reversed(plies), 1):
            if ply.seat is not None and self.seats[ply.seat] == HUMAN:
                for again in plies[-taken:]:
                    if self.clocks is not None and again.seat is not None:
                        self.clocks.take_back(again.seat)
                    self.play.pop()
                return taken
        return 0

    def record(self) -> records.GameRecord:
        """Return the record of the game so far."""
        record = self.play.record(
            [{**self.known.get(seat, {}), "spec": spec,
              "version": self.versions.get(seat, __version__)}
             for seat, spec in enumerate(self.seats)],
            id=self.id, seconds=self.seconds, extra=self._extra())
        if self.lost is None:
            return record
        loser, reason = self.lost
        return records.lost(record, loser,
                            f" {reason}" if reason == records.RESIGNED else f": {reason}")

    def _extra(self) -> dict[str, Any]:
        """Return the further keys of the record."""
        known = {**self.extra, **({} if self.solo is None else self.solo.mark)}
        if self.clocks is None:
            return known
        return {**known, CLOCK_KEY: {"set": str(self.clocks.controls[0]),
                                     "left": [None if left is None else round(left, 3)
                                              for left in self.clocks.left],
                                     "again": list(self.clocks.again)}}


def clock_set(record: records.GameRecord) -> str | None:
    """Return what the clocks of a game were set to, None if it has none.

    Raises:
        RecordError: what the record says of them makes no sense.
    """
    clocks = _clocks_of(record)
    return None if clocks is None else str(clocks.controls[0])


def _clocks_of(record: records.GameRecord) -> Clocks | None:
    """Return the clocks of an unfinished game, None if it has none.

    Raises:
        RecordError: what the record says of them makes no sense.
    """
    found = record.extra.get(CLOCK_KEY)
    if found is None:
        return None
    where = Node(found, CLOCK_KEY, refusal(RecordError, f"record {shown(record.id)}"))
    players = record.start.players
    try:
        control = TimeControl.parse(where["set"].text())
    except SpecError as error:
        where["set"].fail(str(error))
    left = [seconds.real(0, MAX_CLOCK) for seconds in where["left"].items(
        players, players, f"seconds for each of {players} seats")]
    again = [count.whole(0) for count in where.get("again", [0] * players).items(
        players, players, f"decisions for each of {players} seats")]
    return Clocks([control] * players, left=left, again=again)

