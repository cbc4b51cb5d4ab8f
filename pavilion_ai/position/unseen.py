"""Unseen tiles: bag and discards, known, deduced or with an unknown split.

Every colour has the same number of tiles, so any that are neither on the table nor on a board are
in the bag or discarded. docs/notation.md says what a missing part means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pavilion_ai.errors import Problem
from pavilion_ai.position.base import Tiles
from pavilion_ai.position.fields import TILE_KINDS, Field, GameTable, Multiset, Track, Values

UNDRAWN = "undrawn"


def seen_tiles(table: GameTable, values: Values) -> list[int] | None:
    """Count the tiles of each colour outside bag and discards; None if something is unreadable."""
    totals = [0] * len(table.letters)
    seats = values.get("seats")
    if seats is None:
        return None
    groups = [(table.fields, values)] + [(table.seat_fields, seat) for seat in seats]
    for fields, group in groups:
        for field in fields:
            if field.unseen or not isinstance(field.kind, TILE_KINDS):
                continue
            if not _add(table, totals, field, group.get(field.name)):
                return None
    return totals


def _add(table: GameTable, totals: list[int], field: Field, value: Any) -> bool:
    """Add the tiles of one field to `totals`; False if the value could not be read."""
    if value is None:
        return False
    parts: Sequence[Any] = (value,) if isinstance(field.kind, (Multiset, Track)) else value
    for part in parts:
        if part is None:
            return False
        for colour, letter in enumerate(table.letters):
            totals[colour] += part.count(letter) if isinstance(part, str) else part[colour]
    return True


def unseen_tiles(table: GameTable, values: Values) -> Tiles | None:
    """Return the tiles in the bag and discarded together, or None if that is unknown."""
    seen = seen_tiles(table, values)
    return None if seen is None else tuple(table.per_colour - count for count in seen)


def resolve_unseen(
    table: GameTable, values: Values
) -> tuple[dict[str, Any], list[Problem], list[str]]:
    """Fill in bag, discards and bag size.

    Returns:
        the values with the three fields set where possible, and with `UNDRAWN`, the number of
        tiles that can still be drawn, if known; the problems (kind `totals`); and a note for
        each deduced value.
    """
    filled = dict(values)
    drawn, discarded, size = (
        table.unseen_field(role).name for role in ("drawn", "discarded", "size")
    )
    if drawn not in filled or discarded not in filled:
        return filled, [], []
    if filled[drawn] is not None and filled[discarded] is not None:
        filled[UNDRAWN] = sum(filled[drawn]) + sum(filled[discarded])
    unseen = unseen_tiles(table, values)
    if unseen is None:
        return filled, [], []
    problems = _impossible_counts(table, unseen, filled[drawn], filled[discarded])
    if problems:
        return filled, problems, []
    filled[UNDRAWN] = sum(unseen)
    filled.setdefault(size, None)
    notes = _deduce(filled, unseen, drawn, discarded, size)
    total = sum(unseen) if filled[drawn] is None else sum(filled[drawn])
    if filled[drawn] is None and filled[size] > total:
        problems.append(Problem(
            "totals", size, f"found {filled[size]}, but only {total} tiles are unseen"))
    if filled[drawn] is not None and filled[size] != total:
        problems.append(Problem(
            "totals", size, f"found {filled[size]}, expected {total}, the tiles in the {drawn}"))
    return filled, problems, notes


def _impossible_counts(
    table: GameTable, unseen: Tiles, drawn: Tiles | None, discarded: Tiles | None
) -> list[Problem]:
    """Report each colour with more tiles than exist, or with fewer if all places are given."""
    problems = []
    for colour, name in enumerate(table.colours):
        rest = unseen[colour] - sum(part[colour] for part in (drawn, discarded) if part)
        if rest < 0 or (rest > 0 and drawn is not None and discarded is not None):
            problems.append(Problem(
                "totals", "tiles",
                f"found {table.per_colour - rest} {name} tiles, expected {table.per_colour}"))
    return problems


def _deduce(
    filled: dict[str, Any], unseen: Tiles, drawn: str, discarded: str, size: str
) -> list[str]:
    """Set missing values that can be deduced; return a note for each."""
    notes = []
    if filled[drawn] is None and filled[discarded] is None and filled[size] is None:
        filled[drawn], filled[discarded] = unseen, (0,) * len(unseen)
        notes.append(f"{drawn}, {discarded}: not given, all {sum(unseen)} unseen tiles taken"
                     f" as in the {drawn}")
    for missing, other in ((drawn, discarded), (discarded, drawn)):
        if filled[missing] is None and filled[other] is not None:
            filled[missing] = tuple(
                all_of - part for all_of, part in zip(unseen, filled[other], strict=True))
            notes.append(f"{missing}: not given, taken as the {sum(filled[missing])} tiles"
                         f" found nowhere else")
    if filled[size] is None:
        filled[size] = sum(filled[drawn])
    return notes
