"""Rewards by name."""

from __future__ import annotations

from collections.abc import Sequence

from pavilion_ai import _core
from pavilion_ai.analysis import lead, win_shares
from pavilion_ai.play import Play

__all__ = ["KINDS", "REWARDS", "final_rewards", "rewards_since"]

REWARDS = ("win", "score", "dense")
"""At the end the share of the victory, or the lead over the best other seat; or every change of the
score, when it happens."""

KINDS = {"win": _core.REWARD_WIN, "score": _core.REWARD_SCORE, "dense": _core.REWARD_DENSE}


def rewards_since(play: Play, before: Sequence[int], reward: str) -> list[float]:
    """Return any of `REWARDS` by seat, for what happened since the scores were `before`."""
    if reward == "dense":
        return [float(now - then) for now, then in zip(play.scores(), before, strict=True)]
    return final_rewards(play, reward)


def final_rewards(play: Play, reward: str) -> list[float]:
    """Return the rewards `win` or `score` by seat: zeros before the end of the game."""
    players = play.start.players
    if not play.is_over():
        return [0.0] * players
    if reward == "win":
        return list(win_shares(play.winners(), players))
    return [float(lead(play.scores(), seat)) for seat in range(players)]
