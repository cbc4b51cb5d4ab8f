"""Weights carried over to another number of players, as a place to begin learning from."""

from __future__ import annotations

import numpy as np

from pavilion_ai.train.quantise import WholeNet
from pavilion_ai.train.shape import Shape

__all__ = ["carry_over"]


def carry_over(net: WholeNet, shape: Shape) -> WholeNet:
    """Return a network of another shape of the same game that begins with what `net` knows.

    Seats that `net` has no inputs for are not seen at first; what it says of its last seat stands
    for them, too.

    Args:
        net: of a shape with groups of inputs of the same names, and the same hidden layers.
        shape: of the new network.
    """
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
