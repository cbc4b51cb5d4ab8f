"""Signed numbers of reviews: a zero has no sign, however small what is rounded to it."""

from __future__ import annotations

import pytest

from pavilion_ai.render.review_text import sums
from pavilion_ai.review.totals import Totals


@pytest.mark.parametrize(("luck", "shown"), [
    (0.0, "0.0"), (-0.0, "0.0"), (0.0004, "0.0"), (-0.0004, "0.0"), (0.012, "+1.2"),
    (-0.25, "-25.0")])
def test_luck(luck: float, shown: str) -> None:
    assert dict(sums([Totals(luck=luck)]))["luck %"] == [shown]
    assert dict(sums([Totals(luck=4 * luck, seats=4)]))["luck %"] == [shown]
