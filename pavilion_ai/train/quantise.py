"""Quantise a learner's weights to the whole numbers of a network file.

Activations and weights of the first layer are in units of 1/1024, weights of the other layers in
units of 1/4096, their biases and the outputs in units of 2^-22. The first layer is summed in 16
bits, the others in 32. Weights that do not fit are refused: for the first layer by the sums over a
sample of positions, for the others by their bounds. `WholeNet.evaluate` is the same computation as
the compiled one, in plain numpy.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pavilion_ai.errors import PavilionError
from pavilion_ai.network import Header, check_shape, read_network
from pavilion_ai.train.samples import Samples
from pavilion_ai.train.shape import LARGEST_ACTIVATION, Shape, Weights, variant_shape
from pavilion_ai.train.shards import Array

ACTIVATION = 1024
WEIGHT = 4096
OUTPUT = ACTIVATION * WEIGHT
LARGEST_A = int(LARGEST_ACTIVATION * ACTIVATION)
SCALES = {"w1": ACTIVATION, "b1": ACTIVATION, "w2": WEIGHT, "w3": WEIGHT,
          "b2": OUTPUT, "b3": OUTPUT}
POLICY_SHIFT = 14
LARGEST_POLICY = 16000
POLICY_STEPS = 256
"""Units per nat of the policy outputs."""

LARGEST_WEIGHT = {"w1": 7.9, "b1": 7.9, "w2": 7.9, "w3": 7.9, "b2": 15.0, "b3": 15.0}
LARGEST_COLUMN = 120.0
"""Largest sum of the absolute weights into one unit: four times that, plus the bias, must stay
below 2^31 / OUTPUT = 512."""

_KINDS = {"w1": "<i2", "b1": "<i2", "w2": "<i2", "b2": "<i4", "w3": "<i2", "b3": "<i4"}
"""Numbers of a network file, in its order."""


@dataclass(frozen=True)
class WholeNet:
    """A network in whole numbers, of the `_KINDS` of the file; row-major as there."""

    shape: Shape
    w1: Array
    b1: Array
    w2: Array
    b2: Array
    w3: Array
    b3: Array

    @property
    def payload(self) -> bytes:
        """The bytes after the header of a network file, little-endian."""
        return b"".join(
            getattr(self, name).astype(kind).tobytes() for name, kind in _KINDS.items())

    @classmethod
    def from_payload(cls, shape: Shape, payload: bytes) -> WholeNet:
        """Return the network of a payload.

        Raises:
            PavilionError: the length does not match the shape.
        """
        layers = pairwise((shape.inputs, shape.hidden1, shape.hidden2, shape.outputs))
        sizes = [size for above, below in layers for size in ((above, below), (below,))]
        kinds = list(zip(_KINDS.values(), sizes, strict=True))
        expected = sum(int(np.prod(size)) * np.dtype(kind).itemsize for kind, size in kinds)
        if len(payload) != expected:
            raise PavilionError(f"a payload of {len(payload)} bytes, {expected} expected")
        arrays, start = [], 0
        for kind, size in kinds:
            count = int(np.prod(size))
            arrays.append(np.frombuffer(payload, kind, count, start).reshape(size))
            start += count * np.dtype(kind).itemsize
        return cls(shape, *arrays)

    def with_gains(self, scale: float) -> WholeNet:
        """Return the network with its points still to come times a factor.

        A weight that would become too large stays at its bound.
        """
        seats = self.shape.players
        gains = slice(2 * seats, 3 * seats)
        scaled = {}
        for name in ("w3", "b3"):
            most = int(LARGEST_WEIGHT[name] * SCALES[name])
            whole = getattr(self, name).copy()
            whole[..., gains] = np.clip(np.rint(whole[..., gains] * scale), -most, most)
            scaled[name] = whole
        return replace(self, **scaled)

    def floats(self) -> Weights:
        """Return the weights as floats."""
        return Weights(self.shape, **{
            name: (getattr(self, name) / scale).astype(np.float32)
            for name, scale in SCALES.items()
        })

    def sums(self, inputs: Array) -> Array:
        """Return the exact sums of the first layer, int64 [n, hidden1]."""
        table = np.vstack([self.w1, np.zeros((1, self.w1.shape[1]), np.int16)])
        sums: Array = np.empty((len(inputs), self.w1.shape[1]), np.int64)
        for start in range(0, len(inputs), 256):
            part = slice(start, start + 256)
            sums[part] = self.b1 + table[inputs[part]].sum(1, dtype=np.int64)
        return sums

    def evaluate(self, inputs: Array) -> Array:
        """Return the outputs, int32 [n, outputs], of rows of inputs as `Samples` holds them."""
        a1 = np.clip(self.sums(inputs).astype(np.int16), 0, LARGEST_A).astype(np.int64)
        acc = (self.b2 + a1 @ self.w2.astype(np.int64)).astype(np.int32)
        a2 = np.clip((acc.astype(np.int64) + 2**11) >> 12, 0, LARGEST_A)
        outputs: Array = (self.b3 + a2 @ self.w3.astype(np.int64)).astype(np.int32)
        return outputs

    def policy_table(self, outputs: Array) -> Array:
        """Return the policy outputs as the search adds them up, int16, 1/256 nat."""
        policy = outputs[:, self.shape.values :].astype(np.int64)
        rounded = (policy + (1 << (POLICY_SHIFT - 1))) >> POLICY_SHIFT
        table: Array = np.clip(rounded, -LARGEST_POLICY, LARGEST_POLICY).astype(np.int16)
        return table


def read_whole(path: str | os.PathLike[str]) -> tuple[Header, WholeNet]:
    """Return the header and the whole numbers of a network file.

    Raises:
        PavilionError: it is damaged, or does not fit this version's inputs.
        OSError: it cannot be opened.
    """
    header, payload = read_network(path)
    check_shape(header, f"{os.fspath(path)}: ")
    return header, WholeNet.from_payload(
        variant_shape(header.game, header.players, header.hidden), payload)


def quantise(weights: Weights) -> WholeNet:
    """Return the quantised weights.

    Raises:
        PavilionError: a weight, or the largest possible sum of a unit, does not fit.
    """
    whole = {}
    for name, scale in SCALES.items():
        kind = np.int32 if name in ("b2", "b3") else np.int16
        scaled = np.rint(getattr(weights, name).astype(np.float64) * scale)
        most = float(np.abs(scaled).max(initial=0))
        # Not `>`: NaN must fail too.
        if not most <= np.iinfo(kind).max:
            raise PavilionError(
                f"weights {name} up to {most / scale:.4g}: at most "
                f"{np.iinfo(kind).max / scale:.4g} can be stored")
        whole[name] = scaled.astype(kind)
    for layer in ("2", "3"):
        reach = np.abs(whole[f"w{layer}"].astype(np.int64)).sum(0) * LARGEST_A
        reach += np.abs(whole[f"b{layer}"].astype(np.int64)) + 2**13
        if reach.max(initial=0) >= 2**31:
            raise PavilionError(
                f"layer {layer}: sums up to {reach.max() / OUTPUT:.4g}, below 512 expected")
    return WholeNet(weights.shape, **whole)


@dataclass(frozen=True)
class Agreement:
    """Differences between a quantised network and its floats on a sample of positions.

    Attributes:
        win_mean: mean absolute difference of the shares of the victory.
        win_most: largest such difference.
        policy_mean: mean absolute difference of the moves' probabilities.
        policy_most: largest such difference.
        largest_sum: largest absolute sum of the first layer, at most 32767.
        positions: number of positions in the sample.
    """

    win_mean: float
    win_most: float
    policy_mean: float
    policy_most: float
    largest_sum: int
    positions: int


def compare(weights: Weights, net: WholeNet, samples: Samples) -> Agreement:
    """Compare a quantised network with its floats.

    Raises:
        PavilionError: a sum of the first layer does not fit 16 bits.
    """
    largest = int(np.abs(net.sums(samples.inputs)).max(initial=0))
    if largest > 2**15 - 1:
        raise PavilionError(f"a sum of the first layer is {largest}, at most 32767 fits")
    exact, whole = weights.evaluate(samples.inputs), net.evaluate(samples.inputs)
    seats, values = net.shape.players, net.shape.values
    win = np.abs(_softmax(exact[:, :seats]) - _softmax(whole[:, :seats] / OUTPUT))
    table = net.policy_table(whole) / POLICY_STEPS
    policy = np.abs(_moves(exact[:, values:], samples) - _moves(table, samples))
    return Agreement(
        win_mean=float(win.mean()),
        win_most=float(win.max(initial=0)),
        policy_mean=float(policy.mean()) if len(policy) else 0.0,
        policy_most=float(policy.max(initial=0)),
        largest_sum=largest,
        positions=len(samples),
    )


def _softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    shares: Array = powers / powers.sum(1, keepdims=True)
    return shares


def _moves(policy: Array, samples: Samples) -> Array:
    """Return the probabilities of the moves of all records, [m]."""
    counts = np.diff(samples.first)
    record = np.repeat(np.arange(len(counts)), counts)
    move = np.repeat(np.arange(len(record)), np.diff(samples.starts))
    cells = policy[record[move], samples.features]
    logits = np.bincount(move, cells, len(record))
    top = np.full(len(counts), -np.inf)
    np.maximum.at(top, record, logits)
    powers = np.exp(logits - top[record])
    probabilities: Array = powers / np.bincount(record, powers, len(counts))[record]
    return probabilities
