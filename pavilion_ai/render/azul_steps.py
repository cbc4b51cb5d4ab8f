"""Moves of base Azul as places to point at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pavilion_ai.notation import DraftTo, Wall, parse_move
from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render.steps import Choice, Lack, Step, lacks
from pavilion_ai.render.words import one_by_one

if TYPE_CHECKING:
    from pavilion_ai.position.azul import AzulPosition

FLOOR = "floor line"


def choice(position: AzulPosition, move_text: str) -> Choice:
    """Return how a legal decision is made by pointing.

    Raises:
        MoveError: the string is not a move of the game.
    """
    move = parse_move(move_text, position.game)
    if isinstance(move, DraftTo):
        source = position.centre if move.source is None else position.displays[move.source]
        letter = layout.COLOURS[move.colour]
        left = [0 if colour == move.colour else n for colour, n in enumerate(source)]
        line = FLOOR if move.line is None else f"line {move.line + 1}"
        place = "C" if move.source is None else f"D{move.source + 1}"
        return Choice(
            "draft",
            (Step(place, pick=letter, tiles=letter * source[move.colour]), Step(line, own=True)),
            "" if move.source is None else one_by_one(left, layout.COLOURS),
        )
    assert isinstance(move, Wall)  # chance is nobody's choice
    row = move.line + 1
    column = FLOOR if move.column is None else f"wall {row}.{move.column + 1}"
    return Choice("wall", (Step(f"line {row}", own=True), Step(column, own=True)))


def one_short(position: AzulPosition) -> list[Lack]:
    """Return the wall spaces whose tile would complete a row, a column or a colour."""
    return [lack for number, seat in enumerate(position.seats)
            for lack in lacks(number, _last_spaces(position.board, seat.wall))]


def _last_spaces(board: str, wall: Sequence[str]) -> Iterator[tuple[str, str]]:
    for goal in layout.goals(wall):
        if goal.last is None:
            continue
        letter, row = goal.last
        for column in layout.columns_for(board, wall, letter, row):
            if goal.kind != "column" or goal.name == str(column + 1):
                yield f"wall {row + 1}.{column + 1}", f"{goal.kind} {goal.name}"
