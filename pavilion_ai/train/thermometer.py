"""Shared weights of ordinal inputs: each number's weights are its predecessor's plus a step.

The learner keeps the steps, so that learning about one number carries over to the next ones and
the weights of rare numbers do not stay random. The network that plays has plain weights.
"""

from __future__ import annotations

from typing import Any

from pavilion_ai.train.samples import Group


class Thermometer:
    """Conversions between weights and steps, [inputs, units], on one device.

    Args:
        torch: the library.
        groups: groups of inputs.
        device: device of the weights.
    """

    def __init__(self, torch: Any, groups: tuple[Group, ...], device: Any) -> None:
        by_size: dict[int, list[int]] = {}
        for _, start, size, ordinal in groups:
            if ordinal and size > 1:
                by_size.setdefault(size, []).append(start)
        # Groups of one size are handled together: rows [groups, size].
        self._rows = [
            torch.tensor(starts, device=device)[:, None] + torch.arange(size, device=device)
            for size, starts in sorted(by_size.items())
        ]
        self._torch = torch

    def weights(self, steps: Any) -> Any:
        """Return the weights that the steps add up to."""
        result = steps.clone()
        for rows in self._rows:
            result[rows] = steps[rows].cumsum(1)
        return result

    def steps(self, weights: Any) -> Any:
        """Return the steps of weights."""
        result = weights.clone()
        for rows in self._rows:
            result[rows[:, 1:]] = weights[rows[:, 1:]] - weights[rows[:, :-1]]
        return result

    def gradient(self, gradient: Any) -> Any:
        """Return the gradient of the steps, given that of the weights, which is overwritten."""
        for rows in self._rows:
            back = rows.flip(1)
            gradient[back] = gradient[back].cumsum(1)
        return gradient

    def first_rows(self, inputs: int) -> Any:
        """Return which rows are not steps from a predecessor, bool [inputs]."""
        first = self._torch.ones(inputs, dtype=self._torch.bool)
        for rows in self._rows:
            first[rows[:, 1:].flatten().cpu()] = False
        return first
