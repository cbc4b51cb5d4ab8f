"""Positions from Board Game Arena: what a page there knows of the table it shows.

The page of a table holds an object `gamedatas`; what stands in it follows from the programs of the
two games there, which are public (thoun/azul and thoun/azulsummerpavilion). This reads it as JSON,
or out of the saved page. It is what the page was loaded with, so the page must be fresh.
"""

from __future__ import annotations

from pavilion_ai.bga import azul, summer
from pavilion_ai.bga.page import page_data
from pavilion_ai.errors import PositionError, Problem
from pavilion_ai.notation import Parsed, parse_position

__all__ = ["load"]


def load(text: str) -> Parsed:
    """Read a position from `gamedatas` as JSON, or from the source of a page that holds it.

    Returns:
        the position; its notes tell which player has which seat, and what is not told there.

    Raises:
        PositionError: it is no such page, somebody is in the middle of a move, the table plays
            with boards or rules that are not those of the base games, or the position is unsound.
    """
    page = page_data(text)
    reader = summer if "supply" in page else azul if _has_lines(page.value) else None
    if reader is None:
        raise PositionError([Problem(
            "type", page.where, "found neither the supply of Summer Pavilion nor the pattern lines"
            " of base Azul, expected a table of one of the two")])
    raw, notes = reader.read(page)
    parsed = parse_position(raw)
    return Parsed(parsed.position, "bga", (*notes, *parsed.notes))


def _has_lines(value: object) -> bool:
    players = value.get("players") if isinstance(value, dict) else None
    boards = list(players.values()) if isinstance(players, dict) else players
    return isinstance(boards, list) and any(
        isinstance(board, dict) and "lines" in board for board in boards)
