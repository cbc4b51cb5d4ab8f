"""Moves of base Azul as places to point at, as ideas, and typed without signs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pavilion_ai.notation import DraftTo, Wall, parse_move
from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render.azul_words import filling, wall_points
from pavilion_ai.render.steps import Choice, Idea, Lack, Step, lacks
from pavilion_ai.render.words import one_by_one
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.azul import AzulPosition

FLOOR = "floor line"
_LINE, _WALL = re.compile("line ([1-5])"), re.compile("wall ([1-5]).([1-5])")
_DRAFT = re.compile("(D[1-9]|C)(.)([1-5F])")


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


def idea(position: AzulPosition, move_text: str) -> Idea:
    """Return the idea of a legal decision.

    Raises:
        MoveError: the string is not a move of the game.
    """
    move = parse_move(move_text, position.game)
    assert position.to_move is not None  # a decision has a mover
    seat = position.seats[position.to_move]
    if isinstance(move, DraftTo):
        tiles = position.centre if move.source is None else position.displays[move.source]
        rest = None if move.source is None else tuple(
            0 if colour == move.colour else n for colour, n in enumerate(tiles))
        words = f"{tiles[move.colour]} {layout.COLOUR_NAMES[move.colour]}"
        words += filling(position, seat, move)
        key = (move.colour, tiles[move.colour], rest, move.line)
        return Idea(key, move_text, 0, words)
    assert isinstance(move, Wall)  # chance is nobody's choice
    colour = layout.colour_name(layout.letter_of(seat.lines[move.line]))
    where = "to the floor line" if move.column is None else f"to column {move.column + 1}"
    points = "" if move.column is None else f": {plural(wall_points(position, move), 'point')}"
    return Idea(move_text, move_text, 0, f"{colour} {where}{points}")


def meant(position: AzulPosition, place: str, taken: str) -> str:
    """Return the move that is meant by pointing at a line or a space of the wall, be it legal or
    not, or nothing; `taken` is the beginning of the move that is chosen, as `D1:B`.
    """
    if position.phase == "draft":
        found = _LINE.fullmatch(place)
        return f"{taken}>{found[1]}" if found and taken else ""
    found = _WALL.fullmatch(place)
    return f"wall:{found[1]}>{found[2]}" if found else ""


def spelled(_: AzulPosition, key: str) -> str:
    """Return the move that letters and digits spell without signs, be it legal or not, or nothing.
    """
    found = _DRAFT.fullmatch(key.upper())
    return f"{found[1]}:{found[2]}>{found[3]}" if found else ""
