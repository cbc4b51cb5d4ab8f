"""Rules on several fields of a base Azul position: walls, pattern lines and phases.

A position need not be reachable by play: only contradictions are refused here, such as a wall
that its side does not allow (RULES B2, B8) or a field that the phase rules out
(docs/notation.md). A complete row in the draft is unreachable but not a contradiction:
the round is then the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from pavilion_ai.errors import Problem
from pavilion_ai.position.azul_board import (
    CAPACITIES,
    FLOOR_SPACES,
    LETTERS,
    MARKER,
    ROUNDS,
    SIZE,
    row_colours,
)
from pavilion_ai.position.fields import Check, Values
from pavilion_ai.position.table_checks import (
    clash,
    deal_in_first_round,
    mover_problems,
    no_tiles_to_draw,
    scores_in_reach,
    table_tiles,
    token_in_deal,
)
from pavilion_ai.position.unseen import UNDRAWN

_MOVING = ("draft", "wall")


def _walls(values: Values) -> list[Problem]:
    """Check what lies on each wall against its side."""
    problems = []
    for index, seat in enumerate(values["seats"]):
        rows = seat.get("wall", ())
        for row in range(min(len(rows), SIZE)):
            fault = _row_fault(values["board"], rows, row)
            if fault is not None:
                problems.append(Problem(
                    "board", f"seats[{index}].wall[{row}]", f"found {rows[row]!r}, {fault}"))
    return problems


def _row_fault(board: str, rows: tuple[str | None, ...], row: int) -> str | None:
    """Return what was expected if the side does not allow this row, else None."""
    tiles = rows[row]
    if tiles is None:
        return None
    if board == "coloured":
        printed = row_colours(row)
        allowed = all(tile in (".", own) for tile, own in zip(tiles, printed, strict=True))
        return None if allowed else (f"expected tiles of {printed} in their own columns of row"
                                     f" {row + 1} (coloured side)")
    if len(set(tiles) - {"."}) < SIZE - tiles.count("."):
        return f"expected different colours in row {row + 1} (grey side)"
    for column, tile in enumerate(tiles):
        above = "".join((upper or "." * SIZE)[column] for upper in rows[:row])
        if tile != "." and tile in above:
            return (f"expected different colours in column {column + 1} (grey side): {tile} lies"
                    f" in row {above.index(tile) + 1} too")
    return None


def _lines(values: Values) -> list[Problem]:
    """Check that each line has only one colour, absent from its wall row (RULES B4.3)."""
    problems = []
    for index, seat in enumerate(values["seats"]):
        rows = seat.get("wall", ())
        for line, tiles in _readable_lines(seat):
            letters = [letter for letter, count in zip(LETTERS, tiles, strict=True) if count]
            where = f"seats[{index}].lines[{line}]"
            if len(letters) > 1:
                problems.append(Problem(
                    "board", where, f"found {' and '.join(letters)}, expected tiles of one"
                    " colour"))
            row = (rows[line] if line < len(rows) else None) or ""
            taken = [letter for letter in letters if letter in row]
            if taken:
                problems.append(Problem(
                    "board", where, f"found {taken[0]}, expected a colour that row {line + 1} of"
                    f" the wall, {row}, does not have"))
    return problems


def _readable_lines(seat: Values) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the number and the tiles of each line that could be read."""
    for line, tiles in zip(range(SIZE), seat.get("lines", ()), strict=False):
        if tiles is not None:
            yield line, tiles


def _full_lines(seat: Values) -> list[int]:
    return [line for line, tiles in _readable_lines(seat) if sum(tiles) >= CAPACITIES[line]]


def _complete_rows(values: Values) -> list[int] | None:
    """Return the seats with a complete wall row; None if a wall could not be read."""
    walls = [seat.get("wall") for seat in values["seats"]]
    if any(wall is None or None in wall for wall in walls):
        return None
    return [index for index, wall in enumerate(walls) if any("." not in row for row in wall or ())]


def _end(values: Values) -> list[Problem]:
    """Check that a finished game had a reason to end, and that no deal follows it (RULES B9)."""
    phase, complete = values["phase"], _complete_rows(values)
    if complete is None:
        return []
    if phase == "deal" and complete:
        return [clash(f"found deal, but seat {complete[0]} has a complete wall row, which ends"
                      " the game")]
    if phase == "over" and not complete and values["round"] != ROUNDS and values[UNDRAWN]:
        return [clash(f"found over without a complete wall row in round {values['round']},"
                      f" expected one, round {ROUNDS}, or bag and lid empty")]
    return []


def _side(values: Values) -> list[Problem]:
    """Check that columns are chosen on the grey side only (RULES B5, B8)."""
    if values["phase"] == "wall" and values["board"] == "coloured":
        return [clash("found wall on the coloured side, where no column is to be chosen")]
    return []


def _mover(values: Values) -> list[Problem]:
    """Check that a seat is to move in draft and wall, and that it has a full line in wall."""
    phase, mover = values["phase"], values["to_move"]
    problems = mover_problems(values, _MOVING)
    if not problems and phase == "wall" and mover < len(values["seats"]):
        seat = values["seats"][mover]
        if len(list(_readable_lines(seat))) == SIZE and not _full_lines(seat):
            problems.append(clash(f"found seat {mover}, which has no full line to tile", "to_move"))
    return problems


def _paid(values: Values) -> list[Problem]:
    """Check in phase wall that the seats before the mover have tiled and paid.

    Seats are handled clockwise, beginning with the coming round's start player (RULES B5).
    """
    mover, seats = values["to_move"], values["seats"]
    if values["phase"] != "wall" or mover is None or mover >= len(seats):
        return []
    first = values["start_seat"] if values["token"] is None else values["token"]
    problems = []
    for step in range((mover - first) % len(seats)):
        index = (first + step) % len(seats)
        problems += _unsettled(index, seats[index], f"seat {index} has been handled before seat"
                               f" {mover}")
    return problems


def _unsettled(index: int, seat: Values, reason: str) -> list[Problem]:
    """Report full lines and floor tiles of a seat whose phase B is finished."""
    problems = [clash(f"found a full line, but {reason}", f"seats[{index}].lines[{line}]")
                for line in _full_lines(seat)]
    if seat.get("floor"):
        problems.append(clash(f"found {seat['floor']}, expected -: {reason}",
                              f"seats[{index}].floor"))
    return problems


def _settled(values: Values) -> list[Problem]:
    """Check that full lines and floor tiles are gone outside draft and wall."""
    phase = values["phase"]
    if phase in _MOVING:
        return []
    return [problem for index, seat in enumerate(values["seats"])
            for problem in _unsettled(index, seat, f"in phase {phase} all walls are tiled and all"
                                      " floor lines paid")]


def _marker(values: Values) -> list[Problem]:
    """Check that the marker lies on the floor line of its holder and nowhere else (RULES B4.2)."""
    phase, token = values["phase"], values["token"]
    if phase not in _MOVING:
        return []
    floors: list[Any] = [seat.get("floor") for seat in values["seats"]]
    place = "is in the centre (token null)" if token is None else f"is with seat {token}"
    problems = [clash(f"found {floor}, but the marker {place}", f"seats[{index}].floor")
                for index, floor in enumerate(floors)
                if floor and MARKER in floor and index != token]
    if problems or token is None or token >= len(floors):
        return problems
    floor, waits = floors[token], phase == "draft" or values["to_move"] == token
    if floor is not None and waits and MARKER not in floor and len(floor) < FLOOR_SPACES:
        problems.append(clash(
            f"found {floor or '-'}, expected {MARKER} or {FLOOR_SPACES} tiles: seat {token} holds"
            " the marker", f"seats[{token}].floor"))
    return problems


CHECKS = (
    Check(("board", "seats"), _walls),
    Check(("seats",), _lines),
    Check(("phase", "round"), partial(deal_in_first_round, rounds=ROUNDS)),
    Check(("phase", "round", "seats", UNDRAWN), _end),
    Check(("phase", "board"), _side),
    Check(("phase", "displays", "centre"), table_tiles),
    Check(("phase", UNDRAWN), partial(no_tiles_to_draw, phases=("deal",), discards="lid")),
    Check(("phase", "to_move", "seats"), _mover),
    Check(("phase", "to_move", "start_seat", "token", "seats"), _paid),
    Check(("phase", "seats"), _settled),
    Check(("phase", "token"), partial(token_in_deal, name="marker")),
    Check(("phase", "token", "to_move", "seats"), _marker),
    Check(("phase", "seats"), partial(scores_in_reach, rows="wall")),
)
