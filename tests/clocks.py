"""A clock that tests move on, and an agent that uses time on it."""

from __future__ import annotations

from pavilion_ai.agents import Agent
from pavilion_ai.analysis import Limits
from pavilion_ai.play import Play


class Time:
    """A clock that goes when told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Thinker(Agent):
    """Plays the first move after so many seconds, and notes the limits it was given."""

    def __init__(self, time: Time, seconds: float, name: str = "thinker") -> None:
        super().__init__(name)
        self.time, self.each = time, seconds
        self.seen: list[Limits | None] = []

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        self.seen.append(limits)
        self.time.seconds += self.each
        return play.legal_moves[0]
