"""A game in progress: its moves and positions, its draws, its record."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pavilion_ai import record as records
from pavilion_ai.agents import Agent
from pavilion_ai.analysis import Limits
from pavilion_ai.cli.common import engine_identity
from pavilion_ai.games import Game, Rng, game_of
from pavilion_ai.match.seeds import table_seed
from pavilion_ai.position import Position

HUMAN = "human"
DRAW_STREAM = 1 << 20  # streams from here on belong to the draws at the table, one per move


@dataclass
class Session:
    """One game, from its start to where it stands.

    The draw after the n-th move depends on `seed` and n alone, and so do the seeds of the agents:
    a game that was taken back or resumed goes on as it would have gone on.
    """

    id: str
    seed: int
    seats: tuple[str, ...]
    start: Position
    moves: list[str] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.positions = self.positions or [self.start]
        self.seconds = self.seconds or [0.0] * self.start.players

    @classmethod
    def resume(cls, record: records.GameRecord, seats: Sequence[str] = ()) -> Session:
        """Take up the game of a record where it stopped.

        Raises:
            RecordError: the record does not replay.
        """
        return cls(
            id=record.id,
            seed=record.seed,
            seats=tuple(seats or (agent.get("spec", "default") for agent in record.agents)),
            start=record.start,
            moves=list(record.moves),
            positions=record.replay(),
            seconds=list(record.seconds),
        )

    @property
    def game(self) -> Game:
        """The rules that are played by."""
        return game_of(self.start)

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.positions[-1]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.position.phase == "over"

    def play(self, move: str) -> str:
        """Play a move of the mover, typed in any case, and return its canonical form.

        Raises:
            MoveError: the move is not legal.
        """
        canonical = self.game.canonical(self.position, move, lenient=True)
        self._add(canonical, self.game.apply(self.position, canonical))
        return canonical

    def draw(self) -> str:
        """Resolve the chance phase that the game is in and return what was drawn."""
        move, after = self.game.draw(self.position, Rng(self.seed, DRAW_STREAM + len(self.moves)))
        self._add(move, after)
        return move

    def _add(self, move: str, after: Position) -> None:
        self.moves.append(move)
        self.positions.append(after)

    def played(self, first: int = 0) -> Iterator[tuple[Position, str]]:
        """Yield the moves from a number of them on, each with the position it was made in."""
        for index in range(first, len(self.moves)):
            yield self.positions[index], self.moves[index]

    def choose(self, agent: Agent, limits: Limits | None) -> str:
        """Let an agent play for the mover; return its move."""
        seat = self.position.to_move
        assert seat is not None  # the caller has resolved chance
        began = time.monotonic()
        move = agent.choose(self.position, limits=limits, seed=self.agent_seed())
        self.seconds[seat] += time.monotonic() - began
        return self.play(move)

    def agent_seed(self) -> int:
        """Return the seed of a search in the present position."""
        return table_seed(self.seed, len(self.moves))

    def undo(self) -> int:
        """Take back to the last decision of a person; return how many moves went, 0 for none."""
        for index in range(len(self.moves) - 1, -1, -1):
            mover = self.positions[index].to_move
            if mover is not None and self.seats[mover] == HUMAN:
                taken = len(self.moves) - index
                del self.moves[index:], self.positions[index + 1 :]
                return taken
        return 0

    def record(self) -> records.GameRecord:
        """Return the record of the game as far as it went."""
        engine = engine_identity()
        return records.make_record(
            id=self.id,
            seed=self.seed,
            agents=[{"spec": spec, "version": engine["version"]} for spec in self.seats],
            start=self.start,
            moves=self.moves,
            end=self.position,
            seconds=self.seconds,
            engine=engine,
        )
