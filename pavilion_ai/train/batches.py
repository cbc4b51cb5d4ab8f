"""Batches of samples as tensors: lists of active inputs, and moves of records that have some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pavilion_ai.train.samples import Samples
from pavilion_ai.train.symmetry import Symmetry


@dataclass(frozen=True)
class Moves:
    """Moves of a batch: r records have moves, m in total, with f features in total.

    Attributes:
        rows: int64 [r], rows of the batch that have moves.
        counts: int64 [r], number of moves of each.
        record: int64 [m], index in `rows` of each move's record.
        shares: float32 [m], each move's share of its record's visits.
        sizes: int64 [m], number of features of each move.
        move: int64 [f], index of each feature's move.
        cells: int64 [f], flat index in [r, policy] of each feature.
    """

    rows: Any
    counts: Any
    record: Any
    shares: Any
    sizes: Any
    move: Any
    cells: Any


@dataclass(frozen=True)
class Batch:
    """Samples of one step: inputs [b, width] (int32, filled up), targets [b, seats], moves."""

    inputs: Any
    win: Any
    lead: Any
    gain: Any
    moves: Moves


class Pool:
    """Samples on a device, from which batches are taken.

    Args:
        torch: the library.
        samples: the samples.
        device: device that holds them.
        symmetry: symmetry of the variant; None if batches are never turned.
    """

    def __init__(
        self, torch: Any, samples: Samples, device: Any, symmetry: Symmetry | None
    ) -> None:
        names = ("inputs", "first", "shares", "starts", "features", "win", "lead", "gain")
        self._on_device = {
            name: torch.from_numpy(getattr(samples, name)).to(device) for name in names
        }
        self._turning = () if symmetry is None else tuple(
            torch.from_numpy(array).to(device)
            for array in (symmetry.inputs, symmetry.policy, symmetry.part))
        self._torch = torch
        self._policy = samples.policy
        self.size = len(samples)

    def take(self, rows: Any, turns: Any = None) -> Batch:
        """Return the batch of these samples, int64 [b], turned (int64 [b, 1 + seats]) or not."""
        data = self._on_device
        inputs = data["inputs"].index_select(0, rows).int()
        if turns is not None:
            to, _, part = self._turning
            inputs = to[turns.gather(1, part[inputs]), inputs].int()
        return Batch(
            inputs=inputs,
            win=data["win"].index_select(0, rows),
            lead=data["lead"].index_select(0, rows),
            gain=data["gain"].index_select(0, rows),
            moves=self._moves(rows, turns),
        )

    def _moves(self, rows: Any, turns: Any) -> Moves:
        torch, data = self._torch, self._on_device
        begin, end = data["first"][rows], data["first"][rows + 1]
        some = torch.nonzero(end > begin).flatten()
        begin, end = begin[some], end[some]
        counts = end - begin
        record, numbers = self._runs(begin, counts)
        starts = data["starts"]
        sizes = starts[numbers + 1] - starts[numbers]
        record_begin = starts[begin]
        row, places = self._runs(record_begin, starts[end] - record_begin)
        move = torch.repeat_interleave(sizes)
        features = data["features"][places]
        if turns is not None:
            features = self._turning[1][turns[some[row], 1], features.int()]
        return Moves(
            rows=some,
            counts=counts,
            record=record,
            shares=data["shares"][numbers],
            sizes=sizes,
            move=move,
            cells=row * self._policy + features,
        )

    def _runs(self, begin: Any, counts: Any) -> tuple[Any, Any]:
        """Return for runs begin, begin + 1, ...: which run each member is of, and the members."""
        run = self._torch.repeat_interleave(counts)
        offset = begin - (counts.cumsum(0) - counts)
        return run, offset[run] + self._torch.arange(len(run), device=run.device)
