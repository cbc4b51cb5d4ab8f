"""AdamW over a few tensors, by the fused kernel of torch.

The results and the saved state are those of `torch.optim.AdamW`, which imports the compiler of
torch when it is made: more than two seconds in every process that trains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["AdamW", "Part"]

EPSILON = 1e-8


@dataclass
class Part:
    """A tensor that is learned.

    Attributes:
        weights: the tensor; steps change it in place.
        gradient: a tensor of the same shape, which holds the gradient at each step.
        decay: share of the weights by which they decay in a step of rate 1.
        state: steps taken, running means of the gradient and of its square; none before a step.
    """

    weights: Any
    gradient: Any
    decay: float
    state: dict[str, Any] = field(default_factory=dict)


class AdamW:
    """AdamW over parts with decays of their own.

    Args:
        torch: the library.
        parts: what is learned.
        beta2: share of the mean square of the gradient that is kept in a step.
    """

    def __init__(self, torch: Any, parts: list[Part], beta2: float) -> None:
        self.parts = parts
        self._torch = torch
        self._betas = (0.9, beta2)

    def step(self, rate: float) -> None:
        """Take a step with a learning rate."""
        from torch.optim.adamw import adamw

        for part in self.parts:
            state = part.state
            if not state:
                state["step"] = self._torch.zeros((), device=part.weights.device)
                state["exp_avg"] = self._torch.zeros_like(part.weights)
                state["exp_avg_sq"] = self._torch.zeros_like(part.weights)
            adamw(
                [part.weights], [part.gradient], [state["exp_avg"]], [state["exp_avg_sq"]], [],
                [state["step"]], fused=True, amsgrad=False, beta1=self._betas[0],
                beta2=self._betas[1], lr=rate, weight_decay=part.decay, eps=EPSILON, maximize=False)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of all parts that have taken a step, by number."""
        return {"state": {number: part.state for number, part in enumerate(self.parts)
                          if part.state}}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Go on from a state, also from one of `torch.optim.AdamW`."""
        for number, part in enumerate(self.parts):
            part.state = {name: value.to(part.weights.device, copy=True)
                          for name, value in saved["state"].get(number, {}).items()}
