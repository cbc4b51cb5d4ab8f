"""Marked moves of a review are played on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.record import read_records
from pavilion_ai.render.review_html import page
from pavilion_ai.render.review_post import annotated
from pavilion_ai.render.review_text import rolled
from pavilion_ai.review import Judge, Review, review_game, roll_out_marked
from pavilion_ai.rollout import roll_out
from tests.cli.support import GAME

TRIALS = 40


@pytest.fixture(scope="module")
def review() -> Review:
    record = next(iter(read_records(GAME)))
    found = review_game(record, Judge("default", Limits(sims=800)))
    assert found.complete
    assert sum(bool(one.mark) for one in found.judgements) >= 2
    return found


def test_only_marked_moves_are_played_on_beside_the_favourite(review: Review) -> None:
    told: list[tuple[int, int]] = []
    review = replace(review, seed=5)
    rolled = roll_out_marked(review, TRIALS, on_progress=lambda *so_far: told.append(so_far))
    assert rolled.complete
    marked = [one for one in rolled.judgements if one.mark]
    assert told == [(number, len(marked)) for number in range(len(marked))]
    for before, after in zip(review.judgements, rolled.judgements, strict=True):
        assert replace(after, rollout=None) == before
        assert (after.rollout is not None) == bool(before.mark)
    for one in marked:
        assert one.rollout is not None
        values = {move.move: move.win_prob for move in one.rollout.moves}
        assert set(values) == {one.best.move, one.played.move}
        loss, error = one.rolled_loss
        assert loss == pytest.approx(values[one.best.move] - values[one.played.move])
        assert 0 < one.rollout.trials <= TRIALS
        assert one.to_json(1)["rollout"] == {
            "agent": "policy", "trials": one.rollout.trials, "win_loss": round(loss, 5),
            "win_loss_se": round(error, 5)}
    assert marked[0].rollout == roll_out(
        Play(marked[0].position), [marked[0].best.move, marked[0].played.move], trials=TRIALS,
        seed=5)


def test_the_loss_is_negative_if_the_favourite_does_worse(review: Review) -> None:
    one = next(one for one in review.judgements if one.mark)
    rolled = replace(one, rollout=roll_out(
        Play(one.position), [one.best.move, one.played.move], trials=4))
    assert rolled.rollout is not None
    first, second = rolled.rollout.moves
    swapped = replace(rolled, rollout=replace(rolled.rollout, moves=(
        replace(first, move=second.move), replace(second, move=first.move))))
    assert swapped.rolled_loss[0] == -rolled.rolled_loss[0]
    with pytest.raises(ValueError, match="expected a judgement with a rollout"):
        _ = one.rolled_loss


def test_the_error_of_a_difference_reaches_to_the_other_end_of_its_range(review: Review) -> None:
    one = next(one for one in roll_out_marked(review, 4).judgements if one.mark)
    assert one.rollout is not None
    first, second = one.rollout.moves
    worse = replace(second, worse=0.5, worse_se=1.0)
    assert rolled(replace(one, rollout=replace(one.rollout, moves=(first, worse)))).endswith(
        " 50.0 +-150.0 %")


def test_the_legend_tells_the_two_kinds_of_intervals_apart(review: Review) -> None:
    """A loss and what its rollout says stand one below the other, each with its own."""
    rolled = roll_out_marked(review, 2)
    for one, said in ((review, "half a 90 % interval;"),
                      (rolled, "half a 90 % interval (95 % of what was played on);")):
        for told in (str(one), "\n".join(annotated(one)), page([one])):
            assert f"in percentage points, with {said} ?! 2, " in " ".join(told.split())


def test_an_interrupt_leaves_what_was_found(review: Review) -> None:
    def interrupt(done: int, _: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    rolled = roll_out_marked(review, TRIALS, on_progress=interrupt)
    assert not rolled.complete
    assert sum(one.rollout is not None for one in rolled.judgements) == 1
