"""The samples of the latest games, made once and kept while games move through the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pavilion_ai.train.samples import Samples, join, make_samples
from pavilion_ai.train.shards import Shard


class Window:
    """Samples by shard.

    Args:
        follow: weight of later values in the value targets.
        read: reads the games of these seeds from a shard.
    """

    def __init__(self, follow: float, read: Callable[[Path, tuple[int, ...]], Shard]) -> None:
        self._follow, self._read = follow, read
        self._held: list[tuple[Path, int]] = []  # shards in the joined samples, and their records
        self._joined: Samples | None = None
        self._new: dict[Path, Samples] = {}

    def add(self, path: Path, shard: Shard) -> None:
        """Add the samples of a shard that is already loaded."""
        self._new[path] = make_samples(shard, follow=self._follow)

    def samples(self, blocks: Mapping[Path, tuple[int, ...]]) -> Samples:
        """Return the samples of shards, in this order, independent of earlier calls.

        Args:
            blocks: the seeds of the games of each shard.
        """
        paths = list(blocks)
        held = [path for path, _ in self._held]
        if held == paths and self._joined is not None and not self._new:
            return self._joined
        parts: list[Samples] = []
        records: dict[Path, int] = {}
        if paths[0] in held and self._joined is not None:
            kept = self._held[held.index(paths[0]) :]
            if [path for path, _ in kept] == paths[: len(kept)]:
                records = dict(kept)
                parts.append(last_records(self._joined, sum(records.values())))
        self._joined = None
        for path in paths[len(records) :]:
            if path not in self._new:
                self.add(path, self._read(path, blocks[path]))
            records[path] = len(self._new[path])
            parts.append(self._new.pop(path))
        self._new = {}
        self._joined = join(parts)
        self._held = list(records.items())
        return self._joined


def last_records(samples: Samples, count: int) -> Samples:
    """Return the last records of samples, in the same layout as if made separately."""
    begin = len(samples) - count
    if begin <= 0:
        return samples
    move, feature = samples.first[begin], samples.starts[samples.first[begin]]
    inputs = samples.inputs[begin:]
    width = int((inputs != samples.input_count).sum(1).max(initial=1))
    return replace(
        samples,
        inputs=inputs[:, :width],
        first=samples.first[begin:] - move,
        shares=samples.shares[move:],
        starts=samples.starts[move:] - feature,
        features=samples.features[feature:],
        win=samples.win[begin:],
        lead=samples.lead[begin:],
        gain=samples.gain[begin:],
    )
