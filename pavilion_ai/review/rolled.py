"""The moves in question of a review, played on: results beside the judge's opinion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pavilion_ai.play import Play
from pavilion_ai.review.game import Review
from pavilion_ai.rollout import roll_out
from pavilion_ai.workers import Workers


def roll_out_marked(review: Review, trials: int, *,
                    workers: Workers | None = None,
                    on_progress: Callable[[int, int], None] | None = None) -> Review:
    """Return a review whose marked decisions have rollouts of the move and of the favourite.

    Both are played on to the end of the game with the same draws, until one leads by 3 standard
    errors. A KeyboardInterrupt ends it; the review is then not complete.

    Args:
        review: the review of a game.
        trials: most trials of a decision.
        workers: what plays the trials; None for this thread's own.
        on_progress: called with the number of decisions that are done, and that of all.

    Raises:
        WorkersError: as `workers.results`.
    """
    marked = [one for one in review.judgements if one.mark]
    rolled = {}
    complete = review.complete
    try:
        for number, one in enumerate(marked):
            if on_progress:
                on_progress(number, len(marked))
            found = roll_out(Play(one.position), [one.best.move, one.played.move],
                             trials=trials, seed=review.seed, workers=workers)
            rolled[one.ply] = replace(one, rollout=found)
            if found.interrupted:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        complete = False
    judgements = tuple(rolled.get(one.ply, one) for one in review.judgements)
    return replace(review, judgements=judgements, complete=complete)
