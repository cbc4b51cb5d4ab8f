"""Share the first layer's weights between seats, so that learning about one seat helps with all.

With p seats the units are divided into p equal parts (units left over have free weights). Part k
belongs to seat k: its unit's weights for the seat q places clockwise from seat k equal those of the
same unit of every other part for the seat q places from that part's seat. Biases, weights of shared
inputs and later layers are free, so the network can still distinguish the mover. The network that
plays has plain weights.
"""

from __future__ import annotations

from typing import Any

from pavilion_ai.train.shape import Shape


class SharedSeats:
    """Ties between the weights of a first layer, [inputs, units].

    Args:
        torch: the library.
        shape: shape of the network; the seats' inputs follow each other in the same order.
    """

    def __init__(self, torch: Any, shape: Shape) -> None:
        self._first = next(start for name, start, _, _ in shape.groups if name.startswith("seat0."))
        self._players, self._units = shape.players, shape.hidden1 // shape.players
        part = torch.arange(shape.players)
        # By distance from a part's own seat: each part with the seat at that distance.
        self._tied = [((part + distance) % shape.players, part) for distance in part]

    def _blocks(self, w1: Any) -> Any:
        """Return the weights of the seats as [seat, input, part, unit], in place."""
        seats = w1[self._first :, : self._players * self._units]
        return seats.unflatten(1, (self._players, -1)).unflatten(0, (self._players, -1))

    def copy(self, w1: Any) -> None:
        """Copy the weights of the first part to every other part."""
        blocks = self._blocks(w1)
        for seat, part in self._tied:
            blocks[seat, :, part] = blocks[seat[0], :, 0].clone()

    def average(self, gradient: Any) -> None:
        """Convert the gradient of plain weights to that of tied ones, so that they stay tied."""
        blocks = self._blocks(gradient)
        for seat, part in self._tied:
            blocks[seat, :, part] = blocks[seat, :, part].mean(0)
