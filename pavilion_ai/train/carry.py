"""Transfer weights to a network for more players or with more units, as a start for learning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pavilion_ai.train.quantise import ACTIVATION, WEIGHT, WholeNet
from pavilion_ai.train.shape import Shape

BIAS = ACTIVATION // 4
"""Bias of a new unit of the first layer, 0.25: it is mostly active, so it can learn."""
SPREAD = 0.03
"""Standard deviation of the weights that lead to new units."""


def carry_over(net: WholeNet, shape: Shape) -> WholeNet:
    """Return a network of another shape for the same game with the weights of `net`.

    Inputs of seats that `net` lacks start with zero weights; outputs of these seats start as copies
    of its last seat's. New units have random input weights, the same in every call, and zero output
    weights: so the new network computes the same as `net`.

    Args:
        net: a network with input groups of the same names and no larger hidden layers.
        shape: shape of the new network.
    """
    net = _widened(net, shape.hidden1, shape.hidden2)
    old = net.shape
    rows = {name: slice(start, start + size) for name, start, size, _ in old.groups}
    w1 = np.zeros((shape.inputs, shape.hidden1), net.w1.dtype)
    for name, start, size, _ in shape.groups:
        if name in rows:
            w1[start : start + size] = net.w1[rows[name]]
    seats = np.minimum(np.arange(shape.players), old.players - 1)
    columns = np.concatenate([
        *(seats + kind * old.players for kind in range(3)),
        np.arange(old.values, old.outputs),
    ])
    return WholeNet(shape, w1, net.b1, net.w2, net.b2, net.w3[:, columns], net.b3[columns])


def _widened(net: WholeNet, hidden1: int, hidden2: int) -> WholeNet:
    """Return a network with more units that computes the same."""
    shape = net.shape
    more1, more2 = hidden1 - shape.hidden1, hidden2 - shape.hidden2
    draw = np.random.default_rng(hidden1)
    new1 = draw.normal(0, SPREAD * ACTIVATION, (shape.inputs, more1)).round()
    new2 = draw.normal(0, SPREAD * WEIGHT, (hidden1, more2)).round()
    return WholeNet(
        replace(shape, hidden1=hidden1, hidden2=hidden2),
        np.hstack([net.w1, new1.astype(net.w1.dtype)]),
        np.pad(net.b1, (0, more1), constant_values=BIAS),
        np.hstack([np.pad(net.w2, ((0, more1), (0, 0))), new2.astype(net.w2.dtype)]),
        np.pad(net.b2, (0, more2)),
        np.pad(net.w3, ((0, more2), (0, 0))),
        net.b3,
    )
