"""Reviews as JSON objects."""

from __future__ import annotations

from collections.abc import Sequence

from pavilion_ai.analysis import short
from pavilion_ai.review.across import Losses, Player, level_like, players_of
from pavilion_ai.review.game import Review
from pavilion_ai.review.totals import by_seat
from pavilion_ai.stats import Estimate
from pavilion_ai.version import engine_identity

TOLD_MOVES = 3
"""Moves listed for each decision in addition to the one played."""


def to_json(review: Review) -> dict[str, object]:
    """Return the JSON form of a review (`Review.to_json`)."""
    record, limits = review.record, review.used
    return {
        "id": record.id,
        "game": record.game,
        "board": record.start.board,
        "agents": record.to_json()["agents"],
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
        "engine": engine_identity(),
    }


def several_to_json(reviews: Sequence[Review]) -> dict[str, object]:
    """Return what several games tell of their players; docs/review.md explains the keys."""
    whole = sum(review.whole for review in reviews)
    return {
        "games": whole,
        "unfinished": whole - sum(bool(review.result) for review in reviews),
        "left_out": len(reviews) - whole,
        "players": [_player(player) for player in players_of(reviews)],
    }


def _player(player: Player) -> dict[str, object]:
    phases = {phase: player.of_phase(phase) for phase in dict.fromkeys(
        phase for phase, _ in player.phases)}
    mistakes = sorted(player.mistakes.items(), key=lambda one: -sum(one[1].points))
    return {
        "agent": player.name,
        "game": player.game,
        "games": player.games,
        "finished": player.finished,
        "deals": len(set(player.deals)),
        "won": short(sum(player.won)),
        "phases": [{"phase": phase, **_losses(losses), "like_level": _level(player, phase)}
                   for phase, losses in phases.items()],
        "rounds": [{"phase": phase, "round": number, **_losses(losses)}
                   for (phase, number), losses in sorted(player.phases.items())],
        "mistakes": [{"kind": kind, **_losses(losses)} for kind, losses in mistakes],
        "luck": _estimate(player.mean(player.luck)),
        "own_mistakes": _estimate(player.mean([-one for one in player.lost])),
        "others_mistakes": _estimate(player.mean(player.given)),
    }


def _losses(losses: Losses) -> dict[str, object]:
    return {"decisions": len(losses.points), "agreed": losses.agreed,
            "win_loss": short(losses.win), "lead_loss": short(sum(losses.points)),
            "lead_loss_mean": _estimate(losses.mean)}


def _level(player: Player, phase: str) -> dict[str, object] | None:
    found = level_like(player, phase)
    if found is None:
        return None
    return {**_estimate(Estimate(found.level, found.low, found.high)),
            "beyond": found.beyond or None}


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {name: None if number is None else short(number)
            for name, number in estimate.to_json().items()}
