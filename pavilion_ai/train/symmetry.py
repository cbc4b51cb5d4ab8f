"""Symmetries of positions on the grey boards, used to augment training samples.

Azul: Summer Pavilion: the outer stars of a grey board are alike, so each seat's board may be
rotated by 60 degrees, together with the positions of its centre star. Base Azul: no place on a grey
wall has a colour, so the colours may be permuted (in the same way for all seats), and each seat's
wall may be mirrored, with its first column last. The coloured boards have no such symmetry.

A *turn* is the number of one symmetry of a seat's part of a position. Using each sample in a
different turn every time has the effect of more games.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from pavilion_ai import _core
from pavilion_ai.games import GAMES
from pavilion_ai.train.shape import Shape
from pavilion_ai.train.shards import Array

Axes = Mapping[str, Array]
"""By letter: the index to which a turn maps each index of an axis.

Axes of a group, the last one varying fastest: C colour, K column of a wall, R site of a ring, S
site with the centre last, B board bit (position, then star); a digit is a fixed axis of that
length, * a fixed axis that takes the rest. Spaces separate the parts of a group, one after the
other. Groups without axes do not change.
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
        alike: number of turns of a seat's part for each turn of the shared part: turn t of the
            shared part goes with turns t to t + alike - 1 of the seats.
        inputs: int16 [turns, inputs + 1], image of each input under a turn; the last is padding.
        policy: int64 [turns, policy], image of each policy feature of the seat to move.
        part: int64 [inputs + 1], part to which an input belongs: 0 shared, then the seats.
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
    """Return the turns that change these axes, and their number for each shared turn."""
    common = permutations(range(COLOURS)) if "C" in axes else [tuple(range(COLOURS))]
    own = [
        {"K": np.arange(COLUMNS)[::-1 if mirrored else 1], **_ring(by)}
        for mirrored in range(2 if "K" in axes else 1)
        for by in range(RING if "B" in axes else 1)
    ]
    return [{"C": np.array(colours), **turn} for colours in common for turn in own], len(own)


def _ring(by: int) -> Axes:
    """Return the permutation of a ring turned by that many sites."""
    position, star = np.divmod(np.arange(RING * STARS), STARS)
    ring = (np.arange(RING) + by) % RING
    board = STARS * position + np.append(ring, np.arange(RING, STARS))[star]
    centre = STARS * ring[position] + CENTRE
    return {"R": ring, "S": np.append(ring, CENTRE),
            "B": np.where(star == CENTRE, centre, board)}


def _turned(numbers: int, groups: Iterable[tuple[int, int, str]], turn: Axes) -> Array:
    """Return the images of 0 to numbers - 1 under a turn; groups are start, size and axes."""
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
