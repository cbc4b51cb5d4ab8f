"""Moves of Summer Pavilion as places to point at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from pavilion_ai.games import rules_of
from pavilion_ai.notation import Bonus, Draft, Pass, Place, parse_move
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render.steps import Choice, Lack, Step, lacks
from pavilion_ai.render.words import minus, one_by_one

if TYPE_CHECKING:
    from pavilion_ai.position.summer import SummerPosition

HAND, SUPPLY = "hand", "supply"


def choice(position: SummerPosition, move_text: str) -> Choice:
    """Return how a legal decision is made by pointing.

    Raises:
        MoveError: the move is not legal here.
    """
    move = parse_move(move_text, position.game)
    if isinstance(move, Draft):
        return _draft(position, move, move_text)
    if isinstance(move, Place):
        placed = layout.COLOURS[move.colour]
        return Choice("place", (
            Step(layout.space_name(move.site, move.position), own=True),
            Step(HAND, own=True, pick=placed, tiles=one_by_one(move.payment, layout.COLOURS)),
        ), wild=move.payment[position.round - 1])
    if isinstance(move, Bonus):
        return Choice("bonus", (Step(SUPPLY, tiles=one_by_one(move.tiles, layout.COLOURS)),))
    assert isinstance(move, Pass)  # chance is nobody's choice
    return Choice("pass", (Step(HAND, own=True, tiles=one_by_one(move.kept, layout.COLOURS)),))


def one_short(position: SummerPosition) -> list[Lack]:
    """Return the spaces whose tile would complete a feature, a star or a set of numbers."""
    return [lack for number, seat in enumerate(position.seats)
            for lack in lacks(number, _last_spaces(position.board, seat.stars))]


def _last_spaces(board: str, stars: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, spaces in layout.goals(board):
        left = layout.missing(stars, spaces)
        if len(left) == 1:
            yield layout.space_name(*left[0]), name


def _draft(position: SummerPosition, move: Draft, move_text: str) -> Choice:
    """Say what comes along and what is left over: the difference that the core makes (A6)."""
    after = cast("SummerPosition", rules_of(position).apply(position, move_text))
    seat = position.to_move
    assert seat is not None  # a decision has a mover
    taken = minus(after.seats[seat].hand, position.seats[seat].hand)
    rest = "" if move.source is None else one_by_one(
        minus(position.displays[move.source], taken), layout.COLOURS)
    source = "C" if move.source is None else f"D{move.source + 1}"
    step = Step(source, pick=layout.COLOURS[move.colour], tiles=one_by_one(taken, layout.COLOURS))
    return Choice("draft", (step,), rest)
