"""Positions: frozen dataclasses, the tables of their fields, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from pavilion_ai.errors import PavilionError, PositionError, Problem, shown
from pavilion_ai.position.azul import AZUL, AzulPosition, AzulSeat
from pavilion_ai.position.base import Position, Status, Tiles
from pavilion_ai.position.checks import check_values, described, position_values
from pavilion_ai.position.fields import GameTable
from pavilion_ai.position.summer import SUMMER, SummerPosition, SummerSeat

__all__ = [
    "TABLES",
    "AzulPosition",
    "AzulSeat",
    "GameTable",
    "Position",
    "Status",
    "SummerPosition",
    "SummerSeat",
    "Tiles",
    "check_values",
    "described",
    "position_values",
    "status",
    "table_of",
    "telling_faults",
    "validate",
]

F = TypeVar("F", bound=Callable[..., Any])

TABLES: Mapping[str, GameTable] = {table.game: table for table in (SUMMER, AZUL)}
"""The table of every game, by its name."""


def table_of(position: Position) -> GameTable:
    """Return the table of the game of `position`. PositionError: it is not a position."""
    if not isinstance(position, Position):
        raise PositionError.at("type", "", f"found {shown(position)}, expected a Position")
    return TABLES[position.game]


def validate(position: Position) -> tuple[Problem, ...]:
    """Return everything that is wrong with a position; empty if it is sound.

    Raises:
        PositionError: it is not a position.
    """
    table = table_of(position)
    values, problems, _ = check_values(table, position_values(table, position))
    drawn, discarded, size = (
        table.unseen_field(role).name for role in ("drawn", "discarded", "size"))
    for name in (drawn, discarded, size):
        if not problems and getattr(position, name) != values[name]:
            problems.append(Problem(
                "missing", name, "found None, expected a value (or bag and discards both None,"
                " with the number of tiles in the bag)"))
    return tuple(problems)


def telling_faults(function: F) -> F:
    """Let a function of a position raise PositionError where it fails on one that is not sound.

    Positions made in Python are not checked before; for a sound one this costs nothing.
    """
    @wraps(function)
    def telling(position: Position, *given: Any, **options: Any) -> Any:
        try:
            return function(position, *given, **options)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, PavilionError) or not (problems := validate(position)):
                raise
            raise PositionError(problems) from error

    return cast(F, telling)


def status(position: Position) -> Status:
    """Return the kinds of problem a position has; `Status.VALID` if it is sound."""
    return Status.of(validate(position))
