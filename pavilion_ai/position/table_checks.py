"""Rules on several fields that both games share: drafting from displays, dealing from a bag."""

from __future__ import annotations

from collections.abc import Sequence

from pavilion_ai.errors import Problem
from pavilion_ai.position.base import MAX_SCORE
from pavilion_ai.position.fields import Values
from pavilion_ai.position.unseen import UNDRAWN

_TILE_POINTS, _END_POINTS = 10, 200
"""Most points of either game for a placed tile, and at its end."""


def clash(message: str, where: str = "phase") -> Problem:
    """Return a problem of the kind `phase`."""
    return Problem("phase", where, message)


def known_seat(value: object, players: int) -> int | None:
    """Return the seat that a raw value names; None for nobody, and for a value to be refused."""
    return value if type(value) is int and 0 <= value < players else None


def table_tiles(values: Values) -> list[Problem]:
    """Check that tiles lie on the displays or in the centre in the draft, and only then."""
    displays = values["displays"]
    filled = [f"display {index + 1}" for index, tiles in enumerate(displays)
              if tiles is not None and any(tiles)]
    filled += ["the centre"] if any(values["centre"]) else []
    if values["phase"] != "draft" and filled:
        return [clash(f"found tiles on {', '.join(filled)} in phase {values['phase']},"
                      " expected them in draft only")]
    if values["phase"] == "draft" and not filled and None not in displays:
        return [clash(
            "found no tile on the displays or in the centre, expected some in draft")]
    return []


def deal_in_first_round(values: Values, rounds: int) -> list[Problem]:
    """Check that the first round has no deal; `rounds` is the number of the last one."""
    if values["phase"] == "deal" and values["round"] == 1:
        return [clash("found deal in round 1, whose displays are filled by the setup;"
                      f" expected round 2 to {rounds}")]
    return []


def mover_problems(values: Values, moving: Sequence[str]) -> list[Problem]:
    """Check that a seat is to move in the phases `moving`, and none in the others."""
    phase, mover = values["phase"], values["to_move"]
    if phase not in moving and mover is not None:
        return [clash(f"found seat {mover}, expected null in phase {phase}", "to_move")]
    if phase in moving and mover is None:
        return [clash(f"found null, expected a seat in phase {phase}", "to_move")]
    return []


def no_tiles_to_draw(values: Values, phases: Sequence[str], discards: str) -> list[Problem]:
    """Check that there are tiles to draw in the `phases` that draw some.

    Args:
        discards: the game's name for the place of discarded tiles.
    """
    phase = values["phase"]
    if phase in phases and values[UNDRAWN] == 0:
        return [clash(f"found bag and {discards} empty, expected a tile to draw in phase"
                      f" {phase}")]
    return []


def scores_in_reach(values: Values, rows: str) -> list[Problem]:
    """Check that nobody can come to have more points than a position may hold.

    Args:
        rows: the field of a seat that holds its spaces.
    """
    problems = []
    for index, seat in enumerate(values["seats"] if values["phase"] != "over" else ()):
        empty = sum(row.count(".") for row in seat.get(rows, ()) if row)
        most = MAX_SCORE - _TILE_POINTS * empty - _END_POINTS
        if seat.get("score", 0) > most:
            problems.append(Problem("range", f"seats[{index}].score", (
                f"found {seat['score']}, expected at most {most} before the end of the game")))
    return problems


def token_in_deal(values: Values, name: str) -> list[Problem]:
    """Check that the token is back in the centre in phase deal."""
    if values["phase"] == "deal" and values["token"] is not None:
        return [clash(f"found seat {values['token']}, expected null in phase deal:"
                      f" the {name} is back in the centre", "token")]
    return []
