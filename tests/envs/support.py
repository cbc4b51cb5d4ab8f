"""What tests of the environments share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from types import FrameType
from typing import Any

import numpy as np

from pavilion_ai.envs import Leaves

TRACED = "pavilion_ai.envs", "pavilion_ai.play"


def even(leaves: Leaves) -> tuple[Any, ...]:
    """Return equal shares and equally likely actions."""
    return (np.full((len(leaves), leaves.players), 1 / leaves.players),
            np.zeros(leaves.masks.shape))


def interruptions(act: Callable[[int], object], action: int) -> Iterator[None]:
    """Play an action again and again, interrupted each time one line of the adapters or of `Play`
    later, until it is not any more; yield after every interrupt."""
    for line in count(1):
        left = line

        def interrupt(frame: FrameType, event: str, _: object) -> Any:
            nonlocal left
            if not frame.f_globals["__name__"].startswith(TRACED):
                return None
            left -= event == "line"
            if left == 0:
                raise KeyboardInterrupt
            return interrupt

        sys.settrace(interrupt)
        try:
            act(action)
            return
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        yield
