"""The losses that the learner minimises, and their gradients with respect to the outputs.

Losses: cross-entropy of the shares of the victory and of the visits of moves, binary cross-entropy
of the squashed leads, squared error of the points still to come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pavilion_ai.bounds import ranged
from pavilion_ai.train.batches import Batch, Moves


@dataclass(frozen=True)
class Settings:
    """Options of learning that do not depend on the machine.

    Attributes:
        batch: samples per step.
        lead_weight: weight of the loss of the leads; that of the victory has weight 1.
        gain_weight: weight of the loss of the points to come.
        policy_weight: weight of the loss of the moves.
        decay: weight decay (AdamW).
        beta2: beta2 of AdamW.
        average: share that the running average of the weights keeps at each step.
        half: whether to round the first layer's gradient to bfloat16; None: if that is faster.
    """

    batch: int = ranged(1024, 1, 1 << 20)
    lead_weight: float = ranged(1.0, 0, 100)
    gain_weight: float = ranged(0.15, 0, 100)
    policy_weight: float = ranged(1.0, 0, 100)
    decay: float = ranged(0.01, 0, 10)
    beta2: float = ranged(0.999, 0, 0.999999)
    average: float = ranged(0.999, 0, 0.999999)
    half: bool | None = None


@dataclass(frozen=True)
class Options(Settings):
    """Options of learning, including those of the machine.

    Attributes:
        threads: number of threads; 0: one per processor.
        device: `cuda`, `cpu`, or None for cuda if available.
    """

    threads: int = 0
    device: str | None = None


@dataclass(frozen=True)
class Losses:
    """Mean losses over samples; that of the policy over samples with moves.

    Attributes:
        win: cross-entropy of the shares of the victory, in nats.
        lead: binary cross-entropy of the squashed leads, in nats.
        gain: squared error of (points to come / 32).
        policy: Kullback-Leibler divergence of the policy from the visits of moves, in nats; None if
            no sample has moves.
        samples: number of samples in the means.
        far: largest absolute sum of the first layer.
    """

    win: float
    lead: float
    gain: float
    policy: float | None
    samples: int
    far: float


class Sums:
    """Losses summed on the device, so that no step waits for a transfer."""

    def __init__(self, torch: Any, device: Any) -> None:
        names = ("win", "lead", "gain", "policy")
        self._torch = torch
        self._totals = {name: torch.zeros((), dtype=torch.float64, device=device)
                        for name in names}
        self._counts = dict.fromkeys(names, 0)
        self._far = torch.zeros((), device=device)

    def add(self, name: str, total: Any, count: int) -> None:
        """Add the sum of a loss over `count` samples."""
        self._totals[name] += total
        self._counts[name] += count

    def saw(self, z1: Any) -> None:
        """Record the largest absolute sum of the first layer."""
        self._torch.maximum(self._far, z1.abs().max(), out=self._far)

    def losses(self) -> Losses:
        """Return the means."""
        means: dict[str, Any] = {
            name: float(total) / self._counts[name] if self._counts[name] else None
            for name, total in self._totals.items()}
        return Losses(**means, samples=self._counts["win"], far=float(self._far))


def value_slopes(torch: Any, options: Options, outputs: Any, batch: Batch, sums: Sums) -> Any:
    """Return the gradient of the value outputs, [b, 3 * seats]; add up the losses."""
    seats = outputs.shape[1] // 3
    win, lead, gain = outputs.split(seats, 1)
    logs = torch.log_softmax(win, 1)
    missed = gain - batch.gain
    sums.add("win", -(batch.win * logs).sum(), len(outputs))
    of_lead = torch.nn.functional.binary_cross_entropy_with_logits(
        lead, batch.lead, reduction="sum")
    sums.add("lead", of_lead / seats, len(outputs))
    sums.add("gain", missed.square().sum() / seats, len(outputs))
    # The shares of a record sum to 1 up to rounding; the gradient allows for that.
    total = batch.win.sum(1, keepdim=True)
    slopes = (
        logs.exp() * total - batch.win,
        (torch.sigmoid(lead) - batch.lead) * (options.lead_weight / seats),
        missed * (2 * options.gain_weight / seats),
    )
    return torch.cat(slopes, 1).div_(len(outputs))


def policy_slopes(torch: Any, options: Options, policy: Any, moves: Moves, sums: Sums) -> Any:
    """Return the gradient of the policy outputs, [r, policy]; add up the loss."""
    records = len(moves.rows)
    by_feature = policy.view(-1).index_select(0, moves.cells)
    logits = torch.segment_reduce(by_feature, "sum", lengths=moves.sizes, unsafe=True)
    top = torch.segment_reduce(logits, "max", lengths=moves.counts, unsafe=True)
    logits -= top[moves.record]
    powers = logits.exp()
    totals = torch.segment_reduce(powers, "sum", lengths=moves.counts, unsafe=True)
    logits -= totals.log()[moves.record]
    sums.add(
        "policy",
        (torch.special.xlogy(moves.shares, moves.shares) - moves.shares * logits).sum(),
        records,
    )
    slope = powers.div_(totals[moves.record]).sub_(moves.shares)
    slope.mul_(options.policy_weight / records)
    cells = torch.zeros(policy.numel(), device=policy.device)
    cells.index_add_(0, moves.cells, slope.index_select(0, moves.move))
    return cells.view(policy.shape)
