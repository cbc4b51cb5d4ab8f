"""A clock that tests move on, an agent that uses time on it, and how late the machine is."""

from __future__ import annotations

import time

from pavilion_ai.agents import Agent
from pavilion_ai.limits import Limits
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


def idle_lateness() -> float:
    """Return by how much the machine itself is late, in seconds: sleeping for 10 ms, at worst."""
    late = []
    for _ in range(5):
        started = time.monotonic()
        time.sleep(0.01)
        late.append(time.monotonic() - started - 0.01)
    return max(late)
