"""Numbered actions: the same numbers for every adapter, fixed within a major version.

>>> from pavilion_ai import Play
>>> play = Play.new("summer", players=2, seed=7)
>>> action = action_of(play, play.legal_moves[0])
>>> move_of(play, action) == play.legal_moves[0]
True
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from pavilion_ai import _core
from pavilion_ai.bounds import whole
from pavilion_ai.errors import IllegalMoveError, InvalidMoveError, shown
from pavilion_ai.games import rules_for
from pavilion_ai.play import Play, play_of

__all__ = ["Array", "action_mask", "action_of", "move_of", "num_actions"]

Array: TypeAlias = npt.NDArray[Any]


def num_actions(game: str, board: str = "coloured", players: int = 2) -> int:
    """Return how many actions a variant has; they are numbered from 0.

    Raises:
        SpecError: there is no such variant.
    """
    rules = rules_for(game, board, players)
    return _core.action_count(rules.core_class, players, rules.is_grey(board))


def action_of(play: Play, move: str) -> int:
    """Return the number of a legal decision.

    Raises:
        InvalidMoveError: the string is not a move of the game.
        IllegalMoveError: the move is not legal here, or is a draw of tiles, which has no number.
    """
    ply = play_of(play).ply_of(move)
    if ply.code is None:
        raise IllegalMoveError(f"{ply.move}: draws of tiles are not actions")
    return ply.state.action(ply.code)


def move_of(play: Play, action: SupportsIndex) -> str:
    """Return the legal decision that a number stands for here, in canonical form.

    Args:
        action: a whole number of Python or any framework, also as an array of one element.

    Raises:
        IllegalMoveError: the action is not legal here, or there is no such action.
        InvalidMoveError: it is not a whole number.
    """
    state, number = play_of(play).state, _number_of(action)
    try:
        code = state.action_code(number)
    except ValueError:
        count = num_actions(*play.start.variant)
        what = ("is not legal here" if 0 <= number < count
                else f"does not exist, expected 0 to {count - 1}")
        raise IllegalMoveError(f"action {shown(number)} {what}") from None
    return play.rules.names(play.start.board, state.round)[code]


def _number_of(action: Any) -> int:
    """Return an action as a number of Python. InvalidMoveError: it is not a whole number."""
    number = whole(action)
    if number is not None:
        return number
    what = shown(action)
    if hasattr(action, "__array__"):
        with suppress(TypeError, ValueError, RuntimeError):  # it is not in main memory
            array = np.asarray(action)
            what = (f"of shape {array.shape} and type {array.dtype}" if array.ndim
                    else shown(array.item()))
            if array.size == 1 and array.dtype.kind in "iu":
                return int(array.item())
    raise InvalidMoveError(f"action {what}: expected a whole number")


def action_mask(play: Play) -> Array:
    """Return an int8 array with 1 for each legal action; all 0 in chance phases and at the end."""
    return np.frombuffer(play_of(play).state.action_mask(), np.int8).copy()
