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
from pavilion_ai.games import GAMES
from pavilion_ai.train.shape import Shape

__all__ = ["Symmetry", "find_symmetry"]

Array = npt.NDArray[Any]
Axes = Mapping[str, Array]
"""By letter: where a turn takes each index of an axis.

The axes of a group, the last one running fastest: C colour, K column of a wall, R site of a ring, S
site with the centre last, B board bit (position, then star); a figure is an axis of that length
that stays as it is, * one that takes the rest. Axes between spaces stand for the parts of a group,
one after the other. Groups without axes stay.
"""

COLOURS = 5
COLUMNS = 5
RING = 6
"""Sites around the centre star, and positions of a star."""
CENTRE = 6
STARS = 8
"""Board bits of one position: six outer stars, the centre star, nothing."""


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
    cls = GAMES[game].core_class
    axes, features = _core.input_axes(cls), _core.policy_groups(cls)
    turns, alike = _turns(set("".join(axes.values())))
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
    inputs = [(*place, axes[group]) for name, place in groups.items()
              if (group := name.rpartition(".")[2]) in axes]
    policy = [group[1:] for group in features]
    return Symmetry(
        alike,
        np.array([_turned(shape.inputs + 1, inputs, turn) for turn in turns], np.int16),
        np.array([_turned(shape.policy, policy, turn) for turn in turns], np.int64),
        part,
    )


def _turns(axes: set[str]) -> tuple[list[Axes], int]:
    """Return the turns that change these axes, and how many there are for each common one."""
    common = permutations(range(COLOURS)) if "C" in axes else [tuple(range(COLOURS))]
    own = [
        {"K": np.arange(COLUMNS)[::-1 if mirrored else 1], **_ring(by)}
        for mirrored in range(2 if "K" in axes else 1)
        for by in range(RING if "B" in axes else 1)
    ]
    return [{"C": np.array(colours), **turn} for colours in common for turn in own], len(own)


def _ring(by: int) -> Axes:
    """Return what a ring does that is turned by so many sites."""
    position, star = np.divmod(np.arange(RING * STARS), STARS)
    ring = (np.arange(RING) + by) % RING
    board = STARS * position + np.append(ring, np.arange(RING, STARS))[star]
    centre = STARS * ring[position] + CENTRE
    return {"R": ring, "S": np.append(ring, CENTRE),
            "B": np.where(star == CENTRE, centre, board)}


def _turned(numbers: int, groups: Iterable[tuple[int, int, str]], turn: Axes) -> Array:
    """Return where a turn takes numbers 0 to numbers - 1; groups are start, size and axes."""
    result = np.arange(numbers)
    for start, size, axes in groups:
        for part in axes.split():
            lengths = [len(turn[axis]) if axis in turn else -1 if axis == "*" else int(axis)
                       for axis in part]
            count = size if "*" in part else int(np.prod(lengths))
            places = np.arange(start, start + count).reshape(lengths)
            for number, axis in enumerate(part):
                if axis in turn:
                    places = places.take(turn[axis], number)
            result[start : start + count] = places.reshape(-1)
            start, size = start + count, size - count
        if size:
            raise ValueError(f"{axes}: {size} numbers too many or too few")
    return result
