"""Networks of random weights, and what they compute, with arrays and no regard for speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]

CLIP = 4096
TABLE_LIMIT = 16000


def wrapped(numbers: Array, bits: int) -> Array:
    """Return the numbers as two's complement of so many bits holds them."""
    half = 1 << (bits - 1)
    return (numbers + half) % (2 * half) - half


@dataclass
class Weights:
    """Weights of a network, every one as an int64."""

    w1: Array
    b1: Array
    w2: Array
    b2: Array
    w3: Array
    b3: Array

    @property
    def payload(self) -> bytes:
        """The weights as a file holds them."""
        kinds = ("<i2", "<i2", "<i2", "<i4", "<i2", "<i4")
        arrays = (self.w1, self.b1, self.w2, self.b2, self.w3, self.b3)
        return b"".join(x.astype(kind).tobytes() for x, kind in zip(arrays, kinds, strict=True))

    def hidden(self, inputs: Sequence[int]) -> tuple[Array, Array]:
        """Return the activations of both hidden layers."""
        rows = self.w1[np.array(inputs, dtype=np.int64)]
        first = np.clip(wrapped(self.b1 + rows.sum(axis=0), 16), 0, CLIP)
        sums = wrapped(wrapped(self.b2 + first @ self.w2, 32) + (1 << 11), 32)
        return first, np.clip(sums >> 12, 0, CLIP)

    def outputs(self, inputs: Sequence[int]) -> list[int]:
        """Return all outputs."""
        return wrapped(self.b3 + self.hidden(inputs)[1] @ self.w3, 32).tolist()

    def table(self, inputs: Sequence[int], values: int) -> list[int]:
        """Return the table of the policy, which begins after so many values."""
        outputs = np.array(self.outputs(inputs)[values:], dtype=np.int64)
        sums = wrapped(outputs + (1 << 13), 32)
        return np.clip(sums >> 14, -TABLE_LIMIT, TABLE_LIMIT).tolist()


def random_weights(
    seed: int, inputs: int, hidden1: int, hidden2: int, outputs: int, extreme: bool = False
) -> Weights:
    """Return weights of the usual sizes, or of all sizes that the numbers can have."""
    rng = np.random.default_rng(seed)

    def draw(usual: int, bits: int, *shape: int) -> Array:
        limit = 1 << (bits - 1) if extreme else usual
        return rng.integers(-limit, limit, shape)

    return Weights(
        draw(400, 16, inputs, hidden1),
        draw(2000, 16, hidden1),
        draw(1500, 16, hidden1, hidden2),
        draw(1 << 23, 32, hidden2),
        draw(4000, 16, hidden2, outputs),
        draw(1 << 23, 32, outputs),
    )
