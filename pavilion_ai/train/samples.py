"""Make training samples from stored games: inputs, moves with visits, values.

Values are relative to the mover: column 0 is the seat to move (between rounds the seat that starts
next), then clockwise. A value target mixes the value found by the search with later ones:

    target(t) = (1 - follow) * found(t) + follow * target(t + 1),  target(end) = result

so that targets late in a game depend mostly on the result and early ones on the searches after
them. A record without values takes the target of the next one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from pavilion_ai import _core
from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.games import GAMES, Rules, rules_for
from pavilion_ai.train.shards import Array, Shard

FOLLOW = 0.98
GAIN_POINTS = 32.0
"""Points per unit of the output `gain`."""

MOST_INPUTS = 2**15 - 1

Group = tuple[str, int, int, bool]


@dataclass(frozen=True)
class Samples:
    """Arrays to train with; n records, m moves, f features of moves.

    Attributes:
        groups: groups of inputs: name, start, size, whether ordinal.
        policy: number of policy features.
        inputs: int16 [n, width], active inputs, padded with the number of inputs.
        first: int64 [n + 1], moves of record i are first[i] to first[i + 1].
        shares: float32 [m], share of the record's visits.
        starts: int64 [m + 1], features of move j are starts[j] to starts[j + 1].
        features: int16 [f].
        win: float32 [n, seats], target share of the victory; seats are relative to the mover.
        lead: float32 [n, seats], target squashed lead.
        gain: float32 [n, seats], target (points still to come) / GAIN_POINTS.
    """

    groups: tuple[Group, ...]
    policy: int
    inputs: Array
    first: Array
    shares: Array
    starts: Array
    features: Array
    win: Array
    lead: Array
    gain: Array

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def players(self) -> int:
        """Number of seats."""
        return int(self.win.shape[1])

    @property
    def megabytes(self) -> float:
        """Size in memory."""
        arrays = (getattr(self, one.name) for one in fields(self))
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray)) / 1e6

    @property
    def input_count(self) -> int:
        """Number of inputs."""
        return sum(size for _, _, size, _ in self.groups)


def returns(found: Array, results: Array, records: Array, follow: float = FOLLOW) -> Array:
    """Return the value targets of records in the order of play.

    Args:
        found: [n, seats], values found by the searches; NaN in the first column: none.
        results: [games, seats], results of the games.
        records: [games], number of records of each game, n in total.
        follow: weight of later values, 0 to 1.
    """
    target = np.empty(found.shape, np.float64)
    ends = np.cumsum(records)
    value = results.astype(np.float64)
    has = ~np.isnan(found[:, 0])
    # All games step back together, each from its own end.
    for back in range(1, int(records.max(initial=0)) + 1):
        games = np.flatnonzero(records >= back)
        rows = ends[games] - back
        mixed = (1 - follow) * found[rows] + follow * value[games]
        value[games] = np.where(has[rows, None], mixed, value[games])
        target[rows] = value[games]
    return target


def rules_of_games(shard: Shard) -> Rules:
    """Return the rules of stored games.

    Raises:
        ShardError: the variant is one that this version does not know.
    """
    if shard.game not in GAMES:
        raise shard.fault(f"games of {shown(shard.game)}, which is not a game of this program")
    try:
        return rules_for(shard.game, shard.board, shard.players)
    except PavilionError as error:
        raise shard.fault(str(error)) from None


def make_samples(shard: Shard, follow: float = FOLLOW) -> Samples:
    """Make samples from stored games.

    Args:
        shard: the games.
        follow: weight of later values in the value targets.

    Raises:
        ShardError: the shard has a game or states that this version does not know, or moves that
            are not legal.
    """
    rules = rules_of_games(shard)
    variant, states = (rules.core_class, shard.players), shard.states.tobytes()
    if _core.state_bytes(*variant) != shard.states.shape[1]:
        raise shard.fault(f"states of {shard.states.shape[1]} bytes, expected "
                          f"{_core.state_bytes(*variant)} as this program's have")
    groups = tuple(_core.input_groups(*variant))
    try:
        offsets, active = _core.training_inputs(*variant, states)
        starts, features = _core.training_moves(
            *variant, states,
            shard.first.astype(np.uint32).data, shard.moves.astype(np.uint32).data)
        movers, scores = _core.training_seats(*variant, states)
    except ValueError as error:
        raise shard.fault(f"damaged: {error}") from None
    size = sum(size for _, _, size, _ in groups)
    return Samples(
        groups=groups,
        policy=_core.POLICY_SIZES[variant[0]],
        inputs=_padded(np.frombuffer(offsets, np.uint32), np.frombuffer(active, np.uint16), size),
        first=shard.first.astype(np.int64),
        shares=_shares(shard),
        starts=np.frombuffer(starts, np.uint32).astype(np.int64),
        features=np.frombuffer(features, np.uint16).astype(np.int16),
        **_targets(
            shard,
            np.frombuffer(movers, np.uint8),
            np.frombuffer(scores, np.float32).reshape(-1, shard.players),
            follow,
        ),
    )


def _padded(offsets: Array, active: Array, size: int) -> Array:
    """Return lists of inputs as rows of equal width, padded with `size`."""
    if not 0 < size <= MOST_INPUTS or (len(active) and int(active.max()) >= size):
        raise PavilionError(f"inputs that are not 0 to {size - 1}, or more than {MOST_INPUTS}")
    counts = np.diff(offsets.astype(np.int64))
    rows = np.full((len(counts), int(counts.max(initial=1))), size, np.int16)
    rows[np.arange(rows.shape[1]) < counts[:, None]] = active
    return rows


def _shares(shard: Shard) -> Array:
    """Return the visits of moves as shares of their record's."""
    counts: Array = np.diff(shard.first.astype(np.int64))
    record = np.repeat(np.arange(len(counts)), counts)
    totals = np.bincount(record, shard.visits, len(counts))
    if np.any(totals[counts > 0] <= 0):
        raise PavilionError("training games with moves of which none was visited")
    shares: Array = (shard.visits / totals[record]).astype(np.float32)
    return shares


def _targets(shard: Shard, movers: Array, scores: Array, follow: float) -> dict[str, Array]:
    """Return the value targets relative to the mover."""
    seats = (movers[:, None] + np.arange(shard.players)) % shard.players
    targets = {}
    for name in ("win", "lead", "score"):
        found = np.where(shard.searched[:, None], getattr(shard, name), np.nan)
        followed = returns(found, getattr(shard, f"final_{name}"), shard.records, follow)
        targets[name] = followed
    targets["gain"] = (targets.pop("score") - scores) / GAIN_POINTS
    return {
        name: np.take_along_axis(target, seats, 1).astype(np.float32)
        for name, target in targets.items()
    }


def join(parts: Iterable[Samples]) -> Samples:
    """Return the samples of several shards of one variant as one.

    Raises:
        PavilionError: there are no shards, or they are of different variants.
    """
    parts = list(parts)
    if not parts:
        raise PavilionError("no samples to join")
    head = parts[0]
    if any((part.groups, part.policy) != (head.groups, head.policy) for part in parts):
        raise PavilionError("samples of different variants")
    width = max(part.inputs.shape[1] for part in parts)
    fill = head.input_count
    joined: dict[str, Any] = {"groups": head.groups, "policy": head.policy}
    for field in fields(Samples):
        if field.name in joined:
            continue
        arrays = [getattr(part, field.name) for part in parts]
        if field.name == "inputs":
            # Most rows, those of a window that moves on, are wide enough already.
            arrays = [
                rows if rows.shape[1] == width
                else np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=fill)
                for rows in arrays
            ]
        elif field.name in ("first", "starts"):
            arrays = _shifted(arrays)
        joined[field.name] = np.concatenate(arrays)
    return Samples(**joined)


def _shifted(arrays: list[Array]) -> list[Array]:
    """Return the starts of runs after the arrays they index are joined."""
    base, shifted = 0, [np.zeros(1, np.int64)]
    for starts in arrays:
        shifted.append(starts[1:] + base)
        base += int(starts[-1])
    return shifted
