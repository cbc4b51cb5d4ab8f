"""A first layer that looks at all seats alike, so that what is learned of one seat holds for all.

With p seats the units come in p equal parts (a remainder looks as it likes). Part k has seat k for
its own: what one of its units makes of the seat q places on from there, the same unit of each other
part makes of the seat q places on from its own. Biases, the shared inputs and the later layers are
free, so the network can still tell who is to move. The network that plays has plain weights.
"""

from __future__ import annotations

from typing import Any

from pavilion_ai.train.shape import Shape

__all__ = ["SharedSeats"]


class SharedSeats:
    """The ties between weights of a first layer, [inputs, units].

    Args:
        torch: the library.
        shape: of the network; each seat's inputs follow the last one's, in the same order.
    """

    def __init__(self, torch: Any, shape: Shape) -> None:
        self._first = next(start for name, start, _, _ in shape.groups if name.startswith("seat0."))
        self._players, self._units = shape.players, shape.hidden1 // shape.players
        part = torch.arange(shape.players)
        # By distance from a part's own seat: each part with the seat that is so far on.
        self._tied = [((part + distance) % shape.players, part) for distance in part]

    def _blocks(self, w1: Any) -> Any:
        """Return the weights of the seats as [seat, input, part, unit], in place."""
        seats = w1[self._first :, : self._players * self._units]
        return seats.unflatten(1, (self._players, -1)).unflatten(0, (self._players, -1))

    def copy(self, w1: Any) -> None:
        """Let every part look as the first one does."""
        blocks = self._blocks(w1)
        for seat, part in self._tied:
            blocks[seat, :, part] = blocks[seat[0], :, 0].clone()

    def average(self, gradient: Any) -> None:
        """Make the gradient of plain weights that of tied ones: by steps along it they stay so."""
        blocks = self._blocks(gradient)
        for seat, part in self._tied:
            blocks[seat, :, part] = blocks[seat, :, part].mean(0)
