"""Observations: a position as a flat array, a description of its parts, and a readable form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, SupportsIndex

import numpy as np

from pavilion_ai import _core
from pavilion_ai.bounds import whole
from pavilion_ai.envs.actions import Array
from pavilion_ai.errors import PavilionError, SpecError, one_of, shown
from pavilion_ai.games import GAMES, Rules, rules_for
from pavilion_ai.play import Play, play_of

__all__ = ["DTYPES", "KINDS", "OBSERVATIONS", "Part", "observation_parts", "observe", "readable",
           "scales"]

OBSERVATIONS = ("counts", "scaled", "features")
"""Counts; the same divided by their largest values; the inputs of the evaluation network."""

KINDS = {
    "counts": _core.OBSERVE_COUNTS,
    "scaled": _core.OBSERVE_SCALED,
    "features": _core.OBSERVE_FEATURES,
}
DTYPES: dict[str, Any] = {"counts": np.int16, "scaled": np.float32, "features": np.uint8}

MOST_FEATURES = 9
"""How often an input of the network can be active: once for each display."""


@dataclass(frozen=True)
class Part:
    """A part of an observation.

    Attributes:
        name: its name; `seat0.` in front for parts of the viewer, `seat1.` for the next seat.
        start: index of its first number in the flat array.
        shape: lengths of its axes; () for a single number.
        axes: what the axes stand for.
        high: the largest number (1 in scaled observations); the smallest is 0.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    high: int

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)

    def of(self, observation: Array) -> Array:
        """Return a view of this part in an observation, or in many (the last axis is the flat
        one)."""
        flat = observation[..., self.start : self.start + self.size]
        return flat.reshape((*observation.shape[:-1], *self.shape))


def observation_parts(game: str, players: int = 2, kind: str = "counts") -> tuple[Part, ...]:
    """Return the parts of an observation, in the order of the flat array.

    Raises:
        SpecError: there is no such variant or kind.
    """
    rules_for(game, "coloured", players)
    return _parts(game, int(players), one_of("observation", kind, OBSERVATIONS))


@cache
def _parts(game: str, players: int, kind: str) -> tuple[Part, ...]:
    core_class = GAMES[game].core_class
    if kind == "features":
        return tuple(
            Part(name, first, (size,), ("input",), MOST_FEATURES)
            for name, first, size, _ in _core.input_groups(core_class, players)
        )
    parts: list[Part] = []
    start = 0
    for name, axes, shape, high in _core.observation_parts(core_class, players):
        parts.append(Part(name, start, shape, axes, 1 if kind == "scaled" else high))
        start += parts[-1].size
    return tuple(parts)


@cache
def scales(game: str, players: int) -> Array:
    """Return 1 / the largest value of each number of an observation in counts, as float32; it must
    not be changed."""
    parts = observation_parts(game, players)
    found = np.concatenate([np.full(part.size, 1 / part.high, np.float32) for part in parts])
    found.flags.writeable = False
    return found


def observe(play: Play, viewer: SupportsIndex | None = None, kind: str = "counts") -> Array:
    """Return what a seat sees, as a flat array.

    Args:
        viewer: the seat that comes first in the array; None for the seat to move, or seat 0 where
            no seat is to move.
        kind: `counts` (int16), `scaled` (float32, 0 to 1) or `features` (uint8, how often each
            input of the network is active; only for the seat to move).

    Raises:
        SpecError: there is no such kind or seat, or features were requested for another seat.
        PavilionError: features were requested in a chance phase or at the end.
    """
    one_of("observation", kind, OBSERVATIONS)
    players, turn = play_of(play).start.players, play.turn
    seat = (turn or 0) if viewer is None else whole(viewer)
    if seat is None or not 0 <= seat < players:
        raise SpecError(f"viewer {shown(viewer)}: expected a seat from 0 to {players - 1}")
    if kind == "features":
        return _features(play, seat)
    counts = np.frombuffer(play.state.observation(seat), np.int16)
    return counts * scales(play.rules.name, players) if kind == "scaled" else counts.copy()


def _features(play: Play, viewer: int) -> Array:
    if play.turn is None:
        raise PavilionError("no seat is to move: features are those of the seat to move")
    if viewer != play.turn:
        raise SpecError(f"viewer {viewer}: features are those of the seat to move, {play.turn}")
    size = _core.network_inputs(play.rules.core_class, play.start.players)
    return np.bincount(play.state.inputs(), minlength=size).astype(np.uint8)


def readable(play: Play, viewer: SupportsIndex | None = None) -> dict[str, Any]:
    """Return what a seat sees as counts by name: tiles by colour, zeros left out.

    Seats are relative to the viewer, who is seat 0 here; `token` is None while it lies in the
    centre, `to_move` where no seat is to move. The arguments and errors are those of `observe`.
    """
    observation = observe(play, viewer)
    out: dict[str, Any] = {"seats": [{} for _ in range(play.start.players)]}
    for part in observation_parts(play.rules.name, play.start.players):
        values = part.of(observation)
        where, _, name = part.name.rpartition(".")
        target = out["seats"][int(where.removeprefix("seat"))] if where else out
        target[name] = _value(part, values.tolist(), play.rules)
    return out


def _value(part: Part, numbers: Any, rules: Rules) -> Any:
    if part.axes in (("phase",), ("round",), ("seat",), ("holder",)):
        index = numbers.index(1) if 1 in numbers else None
        if index is None or part.axes == ("seat",):
            return index
        if part.axes == ("phase",):
            return rules.phases[index]
        return index + 1 if part.axes == ("round",) else (index - 1 if index else None)
    return _named(numbers, part.axes, rules.colours)


def _named(numbers: Any, axes: Sequence[str], colours: str) -> Any:
    """Return nested numbers with letters for the axis of colours."""
    if not axes:
        return numbers
    inner = [_named(item, axes[1:], colours) for item in numbers]
    if axes[0] != "colour":
        return inner
    return {letter: item for letter, item in zip(colours, inner, strict=True) if item != 0}
