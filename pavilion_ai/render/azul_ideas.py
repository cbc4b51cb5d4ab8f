"""Moves of base Azul as ideas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pavilion_ai.notation import DraftTo, Wall, parse_move
from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render.azul_words import filling, wall_points
from pavilion_ai.render.ideas import Idea
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.azul import AzulPosition


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


_DRAFT = re.compile("(D[1-9]|C)(.)([1-5F])")


def spelled(_: AzulPosition, key: str) -> str:
    """Return the move that letters and digits spell without signs, be it legal or not, or nothing.
    """
    found = _DRAFT.fullmatch(key.upper())
    return f"{found[1]}:{found[2]}>{found[3]}" if found else ""
