"""A game at the terminal: the play, its players, and their thinking times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from pavilion_ai import record as records
from pavilion_ai.agents import Agent
from pavilion_ai.analysis import Limits
from pavilion_ai.cli.common import engine_identity
from pavilion_ai.match.seeds import table_seed
from pavilion_ai.play import Play
from pavilion_ai.render.record_text import called
from pavilion_ai.solo import SOLO_KEY, Challenge, draw

HUMAN = "human"
_LONGEST_NAME = 14


@dataclass
class Session:
    """One game from its start to the current position.

    Draws and the seeds of the agents depend on the play's seed and the number of moves: a game that
    was taken back or resumed continues exactly as it would have continued. In a solo game draws
    depend on the seed alone, and nothing is taken back.
    """

    id: str
    seats: tuple[str, ...]
    play: Play
    seconds: list[float] = field(default_factory=list)
    solo: Challenge | None = None

    def __post_init__(self) -> None:
        self.seconds = self.seconds or [0.0] * self.play.start.players

    @classmethod
    def resume(cls, record: records.GameRecord, seats: Sequence[str] = ()) -> Session:
        """Resume the game of a record.

        Raises:
            RecordError: the record cannot be replayed.
        """
        play = Play.of(record)
        record.check_end(play.position)
        return cls(
            id=record.id,
            seats=tuple(seats or (agent.get("spec", "default") for agent in record.agents)),
            play=play,
            seconds=list(record.seconds),
        )

    @property
    def is_watched(self) -> bool:
        """Whether no person plays."""
        return HUMAN not in self.seats

    @property
    def viewer(self) -> int:
        """Return the seat whose board is shown first when nobody is to move."""
        return 0 if self.is_watched else self.seats.index(HUMAN)

    def names(self) -> tuple[str, ...]:
        """Return what the players are called, by seat: seats and specs if no person plays."""
        if self.is_watched:
            return tuple(f"seat {seat} ({spec})" for seat, spec in enumerate(self.seats))
        alone = self.seats.count(HUMAN) == 1
        person = "you" if alone else "player"
        names = [person if spec == HUMAN else called({"spec": spec})[:_LONGEST_NAME]
                 for spec in self.seats]
        return tuple(
            name if names.count(name) == 1 else f"{name} {'ABCD'[names[:seat].count(name)]}"
            for seat, name in enumerate(names))

    def draw(self) -> str:
        """Make the chance move that is due; return it."""
        return self.play.draw_once() if self.solo is None else draw(self.play, self.solo)

    def choose(self, agent: Agent, limits: Limits | None) -> str:
        """Let an agent play for the mover; return its move."""
        seat = self.play.turn
        assert seat is not None  # the caller has resolved chance
        began = time.monotonic()
        move = agent.choose(self.play, limits, self.agent_seed())
        self.seconds[seat] += time.monotonic() - began
        return self.play.push(move)

    def agent_seed(self) -> int:
        """Return the seed of a search of the current position."""
        return table_seed(self.play.seed, len(self.play.plies))

    def undo(self) -> int:
        """Take back moves up to a person's last decision; return their number, 0 for none."""
        plies = self.play.plies
        for taken, ply in enumerate(reversed(plies), 1):
            if ply.seat is not None and self.seats[ply.seat] == HUMAN:
                for _ in range(taken):
                    self.play.pop()
                return taken
        return 0

    def record(self) -> records.GameRecord:
        """Return the record of the game so far."""
        engine = engine_identity()
        return self.play.record(
            [{"spec": spec, "version": engine["version"]} for spec in self.seats],
            id=self.id, seconds=self.seconds, engine=engine,
            extra={} if self.solo is None else {SOLO_KEY: {"level": self.solo.level}})
