"""The optimiser against the one of torch."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from pavilion_ai.train.adamw import AdamW, Part  # noqa: E402

DECAYS = (0.1, 0.0)


def parts_of(weights: Any) -> list[Part]:
    """Return two parts of a flat tensor, as a learner has them."""
    return [Part(part, torch.zeros_like(part), decay)
            for part, decay in zip(weights.split((40, 20)), DECAYS, strict=True)]


def whole(parts: list[Part]) -> Any:
    """Return the optimiser of torch over copies of the parts."""
    return torch.optim.AdamW(
        [{"params": [torch.nn.Parameter(part.weights.clone())], "weight_decay": part.decay}
         for part in parts], betas=(0.9, 0.98), fused=True)


def test_it_steps_as_torch_does_and_goes_on_from_its_state() -> None:
    draw = torch.Generator().manual_seed(1)
    parts = parts_of(torch.randn(60, generator=draw))
    ours, theirs = AdamW(torch, parts, 0.98), whole(parts)
    for step in range(20):
        rate = 0.1 / (1 + step)
        for part, group in zip(parts, theirs.param_groups, strict=True):
            part.gradient.copy_(torch.randn(part.gradient.shape, generator=draw))
            group["params"][0].grad = part.gradient.clone()
            group["lr"] = rate
        if step == 10:
            ours = AdamW(torch, parts, 0.98)
            ours.load_state_dict(theirs.state_dict())
        ours.step(rate)
        theirs.step()
        for part, group in zip(parts, theirs.param_groups, strict=True):
            assert torch.equal(part.weights, group["params"][0])
    for number, state in theirs.state_dict()["state"].items():
        for name, value in ours.state_dict()["state"][number].items():
            assert torch.equal(value, state[name]), name
