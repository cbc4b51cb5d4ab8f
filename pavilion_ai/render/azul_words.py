"""Describe a move of base Azul in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from pavilion_ai.games import rules_of
from pavilion_ai.notation import Deal, DraftTo, Wall, parse_move
from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render.words import joined, letters_of, scored
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.azul import AzulPosition, AzulSeat

EXAMPLES = "D3:R>4, C:R>F, wall:2>3"


def describe(position: AzulPosition, move_text: str) -> str:
    """Describe the effect of a legal move in one sentence without a full stop.

    Raises:
        MoveError: the move is not legal here.
    """
    after = cast("AzulPosition", rules_of(position).apply(position, move_text))
    move = parse_move(move_text, position.game)
    if isinstance(move, Deal):
        filled = [letters_of(tiles, layout.COLOURS) for tiles in move.displays]
        return f"the displays receive {', '.join(filled)}"
    assert position.to_move is not None  # a decision has a mover
    seat = position.seats[position.to_move]
    if isinstance(move, DraftTo):
        words, points = _draft(position, seat, move), 0
    else:
        assert isinstance(move, Wall)
        words, points = _wall(position, seat, move)
    words += _completed(seat, after.seats[position.to_move])
    return words + _end(position, after, points)


def _draft(position: AzulPosition, seat: AzulSeat, move: DraftTo) -> str:
    """Describe a draft: tiles, source, destination and cost."""
    tiles = position.centre if move.source is None else position.displays[move.source]
    count = tiles[move.colour]
    source = "the centre" if move.source is None else f"display {move.source + 1}"
    words = f"take {count} {layout.COLOUR_NAMES[move.colour]} from {source}"
    rest = tuple(0 if colour == move.colour else n for colour, n in enumerate(tiles))
    if move.source is not None and any(rest):
        words += f" (rest {letters_of(rest, layout.COLOURS)})"
    return words + filling(position, seat, move)


def filling(position: AzulPosition, seat: AzulSeat, move: DraftTo) -> str:
    """Say where the tiles of a draft go, and what falls to the floor line."""
    tiles = position.centre if move.source is None else position.displays[move.source]
    count = tiles[move.colour]
    marker = move.source is None and position.token is None  # B4.2
    if move.line is None:
        return " to the floor line" + _spill(seat, count, marker, named=False)
    capacity, held = layout.CAPACITIES[move.line], sum(seat.lines[move.line])
    filled = min(capacity, held + count)
    words = f" to line {move.line + 1}: "
    words += "completes it" if filled == capacity else f"{filled} of {capacity}"
    return words + _spill(seat, held + count - filled, marker)


def _spill(seat: AzulSeat, count: int, marker: bool, *, named: bool = True) -> str:
    """Describe the tiles that fall to the floor line, or into the lid (B4), and their cost.

    Args:
        seat: owner of the floor line.
        count: number of falling tiles.
        marker: whether the marker falls first.
        named: whether to name the number of tiles that reach the floor line.
    """
    occupied = len(seat.floor)
    free = layout.FLOOR_SPACES - occupied - marker
    stay = max(0, min(count, free))
    parts = ["with the marker"] if marker else []
    parts += [f"{stay} to the floor line"] if stay and named else []
    parts += [f"{count - stay} to the lid"] if count > stay else []
    lost = layout.penalty(occupied + marker + stay) - layout.penalty(occupied)
    words = "".join(f", {part}" for part in parts)
    return words + (f" ({plural(-lost, 'point')})" if lost else "")


def _wall(position: AzulPosition, seat: AzulSeat, move: Wall) -> tuple[str, int]:
    """Describe the tiling of a full line on the grey side; return the words and the points."""
    tiles = seat.lines[move.line]
    colour = layout.colour_name(layout.letter_of(tiles))
    if move.column is None:
        words = f"no column takes the {colour} of line {move.line + 1}"
        return words + _spill(seat, sum(tiles), marker=False), 0
    points = wall_points(position, move)
    words = f"tile of line {move.line + 1} ({colour}) to column {move.column + 1}"
    return f"{words}: {plural(points, 'point')}", points


def wall_points(position: AzulPosition, move: Wall) -> int:
    """Return the points of the tile alone, although the floor line may be paid right after it.

    The mover is first given a score high enough to pay in full; the change without the payment is
    then due to the tile.
    """
    mover = position.to_move
    assert mover is not None
    rich = max(position.seats[mover].score, layout.penalty(layout.FLOOR_SPACES))
    seats = list(position.seats)
    seats[mover] = replace(seats[mover], score=rich)
    before = replace(position, seats=tuple(seats))
    text = f"wall:{move.line + 1}>{cast(int, move.column) + 1}"
    after = cast("AzulPosition", rules_of(before).apply(before, text))
    paid = after.phase != "wall" or after.to_move != mover
    return scored(after, mover) - rich + (layout.penalty(len(seats[mover].floor)) if paid else 0)


def _completed(before: AzulSeat, after: AzulSeat) -> str:
    """Name the rows, columns and colours completed on the mover's wall."""
    if before.wall == after.wall:
        return ""
    new = [
        f"{goal.kind} {goal.name}"
        for old, goal in zip(layout.goals(before.wall), layout.goals(after.wall), strict=True)
        if old.short and not goal.short
    ]
    return f", completes {joined(new)}" if new else ""


def _end(before: AzulPosition, after: AzulPosition, points: int) -> str:
    """Say whether the move ends the round or the game, and how that changes the scores.

    Args:
        before: the position before the move.
        after: the position after it.
        points: points the mover gained by the move itself.
    """
    same_mover = before.phase == "draft" or after.to_move == before.to_move
    if (after.phase, after.round) == (before.phase, before.round) and same_mover:
        return ""
    changes = []
    for seat in range(before.players):
        change = scored(after, seat) - before.seats[seat].score
        change -= points if seat == before.to_move else 0
        changes += [f"seat {seat} {change:+}"] if change else []
    what = {"draft": "round", "deal": "round", "over": "game"}.get(after.phase, "drafting")
    what = "turn" if after.phase == before.phase == "wall" else what
    return f"; ends the {what}" + (f" ({', '.join(changes)})" if changes else "")
