"""A review as a JSON object."""

from __future__ import annotations

from pavilion_ai.review.game import Review
from pavilion_ai.review.totals import by_seat
from pavilion_ai.version import ENGINE_NAME, __version__

__all__ = ["TOLD_MOVES", "to_json"]

TOLD_MOVES = 3
"""Moves listed for each decision in addition to the one played."""


def to_json(review: Review) -> dict[str, object]:
    """Return a review as the object of `review --json`; docs/review.md explains the keys."""
    record, limits = review.record, review.used
    return {
        "id": record.id,
        "game": record.game,
        "board": record.start.board,
        "agents": [dict(agent) for agent in record.agents],
        "scores": list(record.scores),
        "winners": list(record.winners),
        "reason": record.reason,
        "complete": review.complete,
        **({"fault": review.fault} if review.fault else {}),
        "agent": review.agent,
        "limits": {"sims": limits.sims if limits else None,
                   "seconds": limits.seconds if limits else None},
        "seed": review.seed,
        "seats": [totals.to_json() for totals in by_seat(review)],
        "decisions": [judgement.to_json(TOLD_MOVES) for judgement in review.judgements],
        "draws": [draw.to_json() for draw in review.draws],
        "engine": {"name": ENGINE_NAME, "version": __version__},
    }
