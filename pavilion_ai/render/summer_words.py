"""Describe a move of Summer Pavilion in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from pavilion_ai.games import rules_of
from pavilion_ai.notation import Bonus, Deal, Draft, Pass, Place, Supply, parse_move
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render.words import joined, letters_of, minus, scored, tiles_in_words
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.summer import SummerPosition

EXAMPLES = "D3:G, C:R, NW.4:O3P, bonus:2PG, pass:PG"


def describe(position: SummerPosition, move_text: str) -> str:
    """Describe the effect of a legal move in one sentence without a full stop.

    Raises:
        MoveError: the move is not legal here.
    """
    after = cast("SummerPosition", rules_of(position).apply(position, move_text))
    move = parse_move(move_text, "summer")
    if isinstance(move, Deal):
        filled = [letters_of(tiles, layout.COLOURS) for tiles in move.displays]
        return f"the displays receive {', '.join(filled)}"
    if isinstance(move, Supply):
        return f"the supply receives {joined(named_tiles(move.tiles, position))}"
    seat = position.to_move
    assert seat is not None  # a decision has a mover
    if isinstance(move, Draft):
        return _draft(position, seat, move, after)
    if isinstance(move, Place):
        return _place(position, seat, move, after)
    if isinstance(move, Bonus):
        return f"take {joined(named_tiles(move.tiles, position))} from the supply"
    assert isinstance(move, Pass)
    return _pass(position, seat, move, after)


def named_tiles(tiles: Sequence[int], position: SummerPosition) -> list[str]:
    """Name the tiles of a multiset, those of the round's wild colour last."""
    return tiles_in_words(tiles, layout.COLOUR_NAMES, position.round - 1)


def score_change(before: SummerPosition, seat: int, after: SummerPosition) -> int:
    """Return the points a seat gained by the move itself, without the bonuses at the end."""
    return scored(after, seat) - before.seats[seat].score


def _draft(before: SummerPosition, seat: int, move: Draft, after: SummerPosition) -> str:
    taken = minus(after.seats[seat].hand, before.seats[seat].hand)
    source = "the centre" if move.source is None else f"display {move.source + 1}"
    words = f"take {joined(named_tiles(taken, before))} from {source}"
    if move.source is not None:
        rest = minus(before.displays[move.source], taken)
        if any(rest):
            words += f" ({letters_of(rest, layout.COLOURS)} to the centre)"
    if before.token is None and after.token == seat:
        words += f", with the start token ({plural(score_change(before, seat, after), 'point')})"
    return words


def _place(before: SummerPosition, seat: int, move: Place, after: SummerPosition) -> str:
    colour = layout.COLOUR_NAMES[move.colour]
    space = layout.space_name(move.site, move.position)
    cost = sum(move.payment)
    paying = joined(named_tiles(move.payment, before), last=" + ")
    points = plural(score_change(before, seat, after), "point")
    words = f"place {colour} on {space} (cost {cost}) paying {paying}: {points}"
    done = completed(before, seat, after)
    if done:
        words += f", completes {joined(done)}"
    if after.phase == "bonus":
        words += f" (+{plural(after.bonus_due, 'tile')})"
    return words


def completed(before: SummerPosition, seat: int, after: SummerPosition) -> list[str]:
    """Name the features, stars and number sets that the move completed."""
    old, new = before.seats[seat].stars, after.seats[seat].stars
    return [
        name
        for name, spaces in layout.goals(before.board)
        if layout.missing(old, spaces) and not layout.missing(new, spaces)
    ]


def _pass(before: SummerPosition, seat: int, move: Pass, after: SummerPosition) -> str:
    change = score_change(before, seat, after)
    words = f"pass, keeping {joined(named_tiles(move.kept, before))}"
    return words + (f" ({plural(change, 'point')})" if change else "")
