"""Review of a recorded game: what each decision cost, and what the draws gave."""

from __future__ import annotations

from pavilion_ai.review.across import Losses, Player, level_like, players_of
from pavilion_ai.review.game import Draw, Review, review_game
from pavilion_ai.review.json_form import several_to_json
from pavilion_ai.review.judge import MARKS, Judge, Judgement
from pavilion_ai.review.kept import Kept
from pavilion_ai.review.rolled import roll_out_marked
from pavilion_ai.review.totals import Totals, by_agent, by_seat

__all__ = [
    "MARKS",
    "Draw",
    "Judge",
    "Judgement",
    "Kept",
    "Losses",
    "Player",
    "Review",
    "Totals",
    "by_agent",
    "by_seat",
    "level_like",
    "players_of",
    "review_game",
    "roll_out_marked",
    "several_to_json",
]
