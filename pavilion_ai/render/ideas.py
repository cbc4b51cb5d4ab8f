"""What a move comes to: a key that moves of the same effect share, and a few words.

A list of moves for a person shows each idea once: displays with equal tiles, spaces of a star that
cost and give the same, payments of one placement, and the tiles one may keep are single ideas.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["Idea"]


@dataclass(frozen=True)
class Idea:
    """A legal move as an idea.

    Attributes:
        key: equal for moves of the same effect, but for what they cost.
        target: the move without what it costs; moves that share it differ in their payment.
        cost: what it costs beyond what it must; of several moves the cheapest one is meant.
        words: the effect in a few words.
    """

    key: Hashable
    target: str
    cost: int
    words: str
