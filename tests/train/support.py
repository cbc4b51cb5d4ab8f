"""Made-up games and samples of the shapes that self-play and the core give."""

from __future__ import annotations

from typing import Any

import numpy as np

from pavilion_ai import _core
from pavilion_ai.train.samples import Group, Samples
from pavilion_ai.train.shape import Shape

GROUPS: tuple[Group, ...] = (
    ("round", 0, 6, True),
    ("seat0.score", 6, 12, True),
    ("seat0.hand", 18, 8, False),
    ("seat1.score", 26, 12, True),
    ("seat1.hand", 38, 8, False),
)
INPUTS = 46
POLICY = 20


def variant_shape(cls: Any, players: int, hidden: tuple[int, int] = (32, 16)) -> Shape:
    """Return the shape of a network for states of a class of the core."""
    return Shape(tuple(_core.input_groups(cls, players)), players, _core.POLICY_SIZES[cls], *hidden)


def shape_of(samples: Samples, hidden: tuple[int, int] = (32, 16)) -> Shape:
    """Return the shape of a network that learns from these samples."""
    return Shape(samples.groups, samples.players, samples.policy, *hidden)


def played(
    seed: int, *, players: int = 2, records: int = 30, state_bytes: int = 152
) -> dict[str, Any]:
    """Return a made-up game in the form of self-play: every third record has moves."""
    random = np.random.default_rng(seed)
    counts = np.where(np.arange(records) % 3 == 0, random.integers(1, 12, records), 0)
    m = int(counts.sum())
    states = np.zeros((records, state_bytes), np.uint8)
    states[:, :4] = random.integers(0, 256, (records, 4))
    win = random.dirichlet(np.ones(players), records).astype(np.float32)
    win[10::11] = np.nan
    winner = int(random.integers(players))
    return {
        "states": states.tobytes(),
        "round": (1 + np.arange(records) * 6 // records).astype(np.uint8).tobytes(),
        "moves": random.integers(0, 2**32, m, np.uint32).tobytes(),
        "visits": random.integers(1, 200, m, np.uint32).tobytes(),
        "first": np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32).tobytes(),
        "win": win.tobytes(),
        "lead": random.random((records, players), np.float32).tobytes(),
        "score": (random.random((records, players), np.float32) * 120).tobytes(),
        "final_win": tuple(float(seat == winner) for seat in range(players)),
        "final_lead": tuple(0.75 if seat == winner else 0.25 for seat in range(players)),
        "final_score": tuple(90.0 if seat == winner else 75.0 for seat in range(players)),
        "plies": records - records // 11,
    }


class MadeUpCore:
    """The functions of the core that samples need, on states that say nothing but their mover."""

    def __init__(self, cls: Any) -> None:
        self.POLICY_SIZES = {cls: POLICY}

    def input_groups(self, cls: Any, players: int) -> tuple[Group, ...]:
        return GROUPS

    def state_bytes(self, cls: Any, players: int) -> int:
        return 152

    def training_inputs(self, cls: Any, players: int, states: bytes) -> tuple[bytes, bytes]:
        rows = [self._inputs(state) for state in self._states(states)]
        starts = np.cumsum([0, *map(len, rows)]).astype(np.uint32)
        return starts.tobytes(), np.concatenate(rows).astype(np.uint16).tobytes()

    def training_moves(
        self, cls: Any, players: int, states: bytes, first: bytes, moves: bytes
    ) -> tuple[bytes, bytes]:
        rows = [self._features(move) for move in np.frombuffer(moves, np.uint32)]
        starts = np.cumsum([0, *map(len, rows)]).astype(np.uint32)
        return starts.tobytes(), np.concatenate(rows).astype(np.uint16).tobytes()

    def training_seats(self, cls: Any, players: int, states: bytes) -> tuple[bytes, bytes]:
        rows = self._states(states)
        scores = np.tile(np.arange(players) * 10, (len(rows), 1)).astype(np.float32)
        return (rows[:, 0] % players).astype(np.uint8).tobytes(), scores.tobytes()

    def _states(self, states: bytes) -> Any:
        return np.frombuffer(states, np.uint8).reshape(-1, 152)

    def _inputs(self, state: Any) -> Any:
        return np.arange(3 + state[1] % 5)

    def _features(self, move: Any) -> Any:
        return np.arange(1 + move % 4)


def made_up_samples(n: int = 600) -> Samples:
    """Return samples with something to learn: the winner has the higher score, and one feature
    of the moves is the one that is visited."""
    random = np.random.default_rng(0)
    rows = []
    high = np.empty((n, 2))
    for row in range(n):
        mine, theirs = random.integers(0, 12, 2)
        hands = random.integers(0, 8, (2, 3))
        rows.append([random.integers(6), 6 + mine, *(18 + hands[0]), 26 + theirs,
                     *(38 + hands[1][: random.integers(1, 4)])])
        high[row] = mine, theirs
    inputs = np.full((n, max(map(len, rows))), INPUTS, np.int16)
    for row, active in enumerate(rows):
        inputs[row, : len(active)] = active
    counts = np.where(np.arange(n) % 3 == 0, random.integers(1, 9, n), 0)
    first = np.concatenate([[0], np.cumsum(counts)])
    sizes = random.integers(1, 6, first[-1])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    features = random.integers(0, POLICY, starts[-1]).astype(np.int16)
    liked = np.add.reduceat(np.exp((features == 3) * 2.0), starts[:-1])
    record = np.repeat(np.arange(n), counts)
    shares = liked / np.bincount(record, liked, n)[record]
    edge = 1 / (1 + np.exp(-(high[:, 0] - high[:, 1]) / 2))
    both = np.stack([edge, 1 - edge], 1).astype(np.float32)
    return Samples(
        groups=GROUPS,
        policy=POLICY,
        inputs=inputs,
        first=first,
        shares=shares.astype(np.float32),
        starts=starts,
        features=features,
        win=both,
        lead=both,
        gain=(high / 12).astype(np.float32),
    )
