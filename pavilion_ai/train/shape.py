"""Shape and float weights of a network, shared by the learner and quantisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pavilion_ai import _core
from pavilion_ai.errors import PavilionError
from pavilion_ai.games import GAMES
from pavilion_ai.train.samples import Group
from pavilion_ai.train.shards import Array

LAYERS = ("w1", "w2", "w3", "b1", "b2", "b3")
"""Weights and biases of a network, the weights first."""

LARGEST_ACTIVATION = 4.0
"""Upper end of the clipped ReLU of both hidden layers."""


@dataclass(frozen=True)
class Shape:
    """Inputs, outputs and layer sizes of a network.

    Attributes:
        groups: groups of inputs, covering 0 to inputs - 1: name, start, size, whether ordinal.
        players: number of seats; there are three value outputs for each.
        policy: number of policy features.
        hidden1: units of the first hidden layer.
        hidden2: units of the second hidden layer.
    """

    groups: tuple[Group, ...]
    players: int
    policy: int
    hidden1: int = 128
    hidden2: int = 32

    def __post_init__(self) -> None:
        start = 0
        for name, first, size, _ in self.groups:
            if first != start or size < 1:
                raise PavilionError(
                    f"group {name!r} of inputs: {size} from {first}, expected some from {start}")
            start += size

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return sum(size for _, _, size, _ in self.groups)

    @property
    def values(self) -> int:
        """Number of value outputs: win, lead and gain of each seat."""
        return 3 * self.players

    @property
    def outputs(self) -> int:
        """Number of all outputs."""
        return self.values + self.policy


def variant_shape(game: str, players: int, hidden: tuple[int, int]) -> Shape:
    """Return the shape of a network for a game and a number of players."""
    cls = GAMES[game].core_class
    return Shape(
        tuple(_core.input_groups(cls, players)), players, _core.POLICY_SIZES[cls], *hidden)


@dataclass(frozen=True)
class Weights:
    """Weights as float32: w1 [inputs, hidden1], w2 [hidden1, hidden2], w3 [hidden2, outputs]."""

    shape: Shape
    w1: Array
    b1: Array
    w2: Array
    b2: Array
    w3: Array
    b3: Array

    def mixed(self, other: Weights, share: float) -> Weights:
        """Return the weighted mean of two networks' weights; `share` is that of the other."""
        return Weights(self.shape, **{
            name: (1 - share) * getattr(self, name) + share * getattr(other, name)
            for name in LAYERS})

    def evaluate(self, inputs: Array) -> Array:
        """Return the outputs, float64 [n, outputs], of rows of inputs as `Samples` holds them."""
        top = LARGEST_ACTIVATION
        table = np.vstack([self.w1, np.zeros((1, self.w1.shape[1]))])
        rows = (np.arange(start, min(start + 256, len(inputs))) for start in
                range(0, len(inputs), 256))
        a1 = np.concatenate([table[inputs[part]].sum(1) for part in rows])
        a1 = np.clip(a1 + self.b1, 0, top)
        a2 = np.clip(a1 @ self.w2 + self.b2, 0, top)
        outputs: Array = a2 @ self.w3 + self.b3
        return outputs
