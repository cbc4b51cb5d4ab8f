"""Rules on several fields of a Summer Pavilion position: boards and phases.

A position need not be reachable by play: only contradictions are refused here, such as a board
that its side does not allow (RULES A7.2, A12) or a field that the phase rules out
(docs/notation.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pavilion_ai.errors import Problem
from pavilion_ai.position.fields import Check, Values
from pavilion_ai.position.summer_board import RING, ROUNDS, SITES, STAR_COLOURS, SUPPLY_SPACES
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

_MOVING = ("draft", "place", "bonus")
_BEFORE_PASSES = ("draft", "deal")

_STAR_LETTERS = dict(zip(RING, STAR_COLOURS, strict=False))


def _stars(values: Values) -> list[Problem]:
    """Check what lies in each star against the board side."""
    problems = []
    for index, seat in enumerate(values["seats"]):
        for site, star in zip(SITES, seat.get("stars", ()), strict=False):
            expected = None if star is None else _star_fault(values["board"], site, star)
            if expected is not None:
                problems.append(Problem(
                    "board", f"seats[{index}].stars.{site}", f"found {star!r}, {expected}"))
    return problems


def _star_fault(board: str, site: str, star: str) -> str | None:
    """Return what was expected if the board side does not allow this star, else None."""
    tiles = star.replace(".", "")
    colours = len(set(tiles))
    if board == "coloured" and site in _STAR_LETTERS:
        own = _STAR_LETTERS[site]
        allowed = set(tiles) <= {own}
        return None if allowed else f"expected only {own} in star {site} of the coloured side"
    if board == "coloured":
        return None if colours == len(tiles) else "expected different colours in the centre star"
    if colours in (0, 1, len(tiles)):
        return None
    return "expected tiles all of one colour or all different (grey side)"


def _rounds(values: Values) -> list[Problem]:
    """Check that the phase exists in this round."""
    if values["phase"] == "over" and values["round"] != ROUNDS:
        return [clash(f"found over in round {values['round']}, expected round {ROUNDS}")]
    return deal_in_first_round(values, ROUNDS)


def _mover(values: Values) -> list[Problem]:
    """Check that a seat that has not passed is to move, or none in a chance phase."""
    phase, mover = values["phase"], values["to_move"]
    problems = mover_problems(values, _MOVING)
    if not problems and phase in _MOVING and phase not in _BEFORE_PASSES and _passed(values, mover):
        problems.append(clash(f"found seat {mover}, which has passed", "to_move"))
    return problems


def _follower(values: Values) -> list[Problem]:
    """Check `next_to_move`: in supply a seat that has not passed, or null if all have."""
    phase, follower = values["phase"], values["next_to_move"]
    if phase != "supply":
        if follower is None:
            return []
        return [clash(f"found seat {follower} in phase {phase}, expected it in supply only",
                      "next_to_move")]
    seats = values["seats"]
    if follower is None:
        left = [index for index in range(len(seats)) if seats[index].get("passed") is False]
        if not left:
            return []
        return [clash(f"found null, expected a seat: seat {left[0]} has not passed",
                      "next_to_move")]
    if _passed(values, follower):
        return [clash(f"found seat {follower}, which has passed", "next_to_move")]
    return []


def _bonus(values: Values) -> list[Problem]:
    """Check that bonus tiles are due in phase bonus only, and can be taken (RULES A7.6)."""
    phase, due = values["phase"], values["bonus_due"]
    if phase != "bonus":
        if due == 0:
            return []
        return [clash(f"found {due} in phase {phase}, expected 0 outside bonus", "bonus_due")]
    if due == 0:
        return [clash("found 0 in phase bonus, expected 1 to 3", "bonus_due")]
    supply = values.get("supply")
    if supply is not None and due > sum(supply):
        return [clash(f"found {due}, expected at most the {sum(supply)} tiles of the supply",
                      "bonus_due")]
    return []


def _supply_room(values: Values) -> list[Problem]:
    """Check that the supply has a free space in phase supply."""
    if values["phase"] == "supply" and sum(values["supply"]) >= SUPPLY_SPACES:
        return [clash(f"found a supply of {sum(values['supply'])} tiles in phase supply,"
                      f" expected fewer than {SUPPLY_SPACES}")]
    return []


def _seat_states(values: Values) -> list[Problem]:
    """Check hand, kept tiles and `passed` of every seat against the phase."""
    problems = []
    for index, seat in enumerate(values["seats"]):
        for name, message in _seat_faults(values["phase"], values.get("round"), seat):
            problems.append(clash(message, f"seats[{index}].{name}"))
    return problems


def _seat_faults(phase: str, number: object, seat: Values) -> list[tuple[str, str]]:
    """Return (field, message) for each field that contradicts the phase; RULES A7.8, A7.9, A8."""
    passed = seat.get("passed")
    kept, hand = (any(seat.get(name, ())) for name in ("kept", "hand"))
    faults = []
    if phase in _BEFORE_PASSES and passed:
        faults.append(("passed", f"found true, expected false in phase {phase}"))
    if phase == "over" and passed is False:
        faults.append(("passed", "found false, expected true when the game is over"))
    if kept and number == ROUNDS:
        faults.append(("kept", f"found tiles, expected none in round {ROUNDS}"))
    elif kept and phase in (*_BEFORE_PASSES, "over"):
        faults.append(("kept", f"found tiles, expected none in phase {phase}"))
    elif kept and passed is False:
        faults.append(("kept", "found tiles, but only a player who has passed keeps some"))
    if hand and (phase == "over" or (passed and phase not in _BEFORE_PASSES)):
        faults.append(("hand", "found tiles, expected none after the player's pass"))
    return faults


def _passed(values: Values, seat: int) -> bool:
    seats: Sequence[Any] = values["seats"]
    return seat < len(seats) and seats[seat].get("passed") is True


CHECKS = (
    Check(("board", "seats"), _stars),
    Check(("phase", "round"), _rounds),
    Check(("phase", "displays", "centre"), table_tiles),
    Check(("phase", "to_move", "seats"), _mover),
    Check(("phase", "bonus_due"), _bonus),
    Check(("phase", "token"), partial(token_in_deal, name="token")),
    Check(("phase", UNDRAWN),
          partial(no_tiles_to_draw, phases=("deal", "supply"), discards="tower")),
    Check(("phase", "supply"), _supply_room),
    Check(("phase", "next_to_move", "seats"), _follower),
    Check(("phase", "seats"), _seat_states),
    Check(("phase", "seats"), partial(scores_in_reach, rows="stars")),
)
