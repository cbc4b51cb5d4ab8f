"""Whether the core picks uniformly from its list of legal moves."""

from __future__ import annotations

from collections import Counter
from itertools import repeat

from pavilion_ai._core import Rng, State

from . import chi_square

SKEW = 0.05

CHOICES = range(3, 19)


def sampled(state: State, maximal: bool, seed: int) -> bool:
    """Whether the pick agrees with the uniform distribution over the list."""
    moves = state.moves(maximal)
    assert len(set(moves)) == len(moves)
    samples = chi_square.samples_needed(len(moves), SKEW)
    found = Counter(map(state.random_move, repeat(Rng(seed), samples), repeat(maximal)))
    return chi_square.agrees(found, dict.fromkeys(moves, 1 / len(moves)))
