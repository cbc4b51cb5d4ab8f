"""What tests of the environments share."""

from __future__ import annotations

from typing import Any

import numpy as np

from pavilion_ai.envs import Leaves


def even(leaves: Leaves) -> tuple[Any, ...]:
    """Return equal shares and equally likely actions."""
    return (np.full((len(leaves), leaves.players), 1 / leaves.players),
            np.zeros(leaves.masks.shape))
