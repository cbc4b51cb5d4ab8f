"""Positions that are the same but for names: on the grey boards, what can be turned about.

Azul: Summer Pavilion: the outer stars of a grey board are alike, so each seat's board may be turned
by 60 degrees, with the positions of its centre star. Base Azul: a grey wall gives no colour a
place, so the colours may change names (the same ones for all seats), and each seat's wall may be
mirrored, its first column last. The coloured boards have no such symmetry.

A *turn* is a number that stands for one way to turn a seat's part of a position. Learning from each
sample in another turn every time it comes up is learning from more games.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from pavilion_ai import _core
from pavilion_ai.network import state_class
from pavilion_ai.train.shape import Shape

__all__ = ["Symmetry", "find_symmetry"]

Array = npt.NDArray[Any]
Axes = Mapping[str, Array]
"""By letter: where a turn takes each index of an axis."""

COLOURS = 5
COLUMNS = 5
RING = 6
"""Sites around the centre star, and positions of a star."""
CENTRE = 6
STARS = 8
"""Board bits of one position: six outer stars, the centre star, nothing."""

# What the indices of a group stand for, the last axis running fastest: C colour, K column of the
# wall, R site of the ring, S site with the centre last, B board bit of Summer Pavilion; a figure is
# an axis of that length that stays as it is, * one that takes the rest. Other groups stay.
AZUL_INPUTS = {
    "centre": "C*", "display": "C*", "table": "C*", "largest": "C*", "pool": "C*",
    "wall": "5K", "hues": "C*", "columns": "CK", "column": "K*", "colour": "C*", "closed": "C*",
    "room": "C*", "need": "C*", "exact": "C*", "line": "C1 C2 C3 C4 C5",
}  # fmt: skip
AZUL_POLICY = {
    "space": "5K", "column": "CK", "source": "2C", "take": "C*", "push": "C*", "line": "C*",
    "place": "C*",
}  # fmt: skip
SUMMER_INPUTS = {"space": "B", "star": "S*", "feature": "3R*", "colours": "S*", "kind": "S*"}
SUMMER_POLICY = {"space": "B"}


@dataclass(frozen=True)
class Symmetry:
    """The turns of a variant.

    Attributes:
        alike: how many turns of a seat's part there are for each common one: turn t of the
            shared part goes with t to t + alike - 1 of the seats.
        inputs: int16 [turns, inputs + 1], where a turn takes each input; the last fills up rows.
        policy: int64 [turns, policy], where it takes each policy feature of the seat to move.
        part: int64 [inputs + 1], the part that an input belongs to: 0 shared, then the seats.
    """

    alike: int
    inputs: Array
    policy: Array
    part: Array

    def draw(self, random: np.random.Generator, count: int) -> Array:
        """Return turns of the parts of `count` samples, int64 [count, 1 + seats]."""
        common = random.integers(len(self.inputs) // self.alike, size=(count, 1)) * self.alike
        own = random.integers(self.alike, size=(count, int(self.part.max())))
        return np.hstack([common, common + own])


def find_symmetry(game: str, board: str, shape: Shape) -> Symmetry | None:
    """Return the symmetry of a variant, None if it has none."""
    if board != "grey":
        return None
    if game == "azul":
        turns, alike, kinds = list(_azul_turns()), 2, (AZUL_INPUTS, AZUL_POLICY)
    else:
        turns, alike, kinds = list(_summer_turns()), RING, (SUMMER_INPUTS, SUMMER_POLICY)
    part = np.zeros(shape.inputs + 1, np.int64)
    groups: dict[str, tuple[int, int]] = {}
    for name, start, size, _ in shape.groups:
        # Groups of one kind stand side by side: those of its first index, of its second, ...
        kind = re.sub(r"\.[0-9]+$", "", name)
        first, length = groups.get(kind, (start, 0))
        groups[kind] = first, length + size
        seat, dot, _ = kind.removeprefix("seat").partition(".")
        if dot:
            part[start : start + size] = int(seat) + 1
    inputs = {name: (groups[name], axes) for name in groups
              if (axes := kinds[0].get(name.rpartition(".")[2])) is not None}
    policy = {name: (place, kinds[1][name]) for name, place in
              _core.policy_groups(state_class(game, shape.players)).items()}
    return Symmetry(
        alike,
        np.array([_turned(shape.inputs + 1, inputs.values(), turn) for turn in turns], np.int16),
        np.array([_turned(shape.policy, policy.values(), turn) for turn in turns], np.int64),
        part,
    )


def _azul_turns() -> Iterable[Axes]:
    for colours in permutations(range(COLOURS)):
        for columns in (np.arange(COLUMNS), np.arange(COLUMNS)[::-1]):
            yield {"C": np.array(colours), "K": columns}


def _summer_turns() -> Iterable[Axes]:
    position, star = np.divmod(np.arange(RING * STARS), STARS)
    for by in range(RING):
        ring = (np.arange(RING) + by) % RING
        sites = np.append(ring, CENTRE)
        board = np.where(
            star < RING,
            STARS * position + ring[star % RING],
            np.where(star == CENTRE, STARS * ring[position] + CENTRE, STARS * position + star))
        yield {"R": ring, "S": sites, "B": board}


def _turned(
    numbers: int, groups: Iterable[tuple[tuple[int, int], str]], axes: Axes
) -> Array:
    """Return where a turn takes numbers 0 to numbers - 1."""
    result = np.arange(numbers)
    for (start, size), kind in groups:
        for part in kind.split():
            lengths = [len(axes[axis]) if axis in axes else -1 if axis == "*" else int(axis)
                       for axis in part]
            count = size if "*" in part else int(np.prod(lengths))
            places = np.arange(start, start + count).reshape(lengths)
            for number, axis in enumerate(part):
                if axis in axes:
                    places = places.take(axes[axis], number)
            result[start : start + count] = places.reshape(-1)
            start, size = start + count, size - count
        if size:
            raise ValueError(f"{kind}: {size} numbers too many or too few")
    return result
