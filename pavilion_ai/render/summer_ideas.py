"""Moves of Summer Pavilion as ideas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from pavilion_ai.games import rules_of
from pavilion_ai.notation import Bonus, Draft, Pass, Place, parse_move
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render.ideas import Idea
from pavilion_ai.render.summer_words import completed, named_tiles, score_change
from pavilion_ai.render.words import letters_of, minus
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.summer import SummerPosition


def idea(position: SummerPosition, move_text: str) -> Idea:
    """Return the idea of a legal decision.

    Raises:
        MoveError: the move is not legal here.
    """
    move = parse_move(move_text, position.game)
    after = cast("SummerPosition", rules_of(position).apply(position, move_text))
    seat = position.to_move
    assert seat is not None  # a decision has a mover
    if isinstance(move, Draft):
        return _draft(position, seat, move_text, move, after)
    if isinstance(move, Place):
        return _place(position, seat, move, after)
    if isinstance(move, Bonus):
        words = " + ".join(named_tiles(move.tiles, position))
        return Idea(move_text, move_text, 0, words)
    assert isinstance(move, Pass)  # chance is nobody's choice
    change = score_change(position, seat, after)
    points = f" ({plural(change, 'point')})" if change else ""
    discarded = sum(position.seats[seat].hand) - sum(move.kept)  # some of it may cost nothing
    kept = letters_of(move.kept, layout.COLOURS)
    return Idea("pass", "pass", discarded, f"pass, keep {kept}{points}")


def _draft(
    position: SummerPosition, seat: int, text: str, move: Draft, after: SummerPosition
) -> Idea:
    taken = minus(after.seats[seat].hand, position.seats[seat].hand)
    words = " + ".join(named_tiles(taken, position))
    if position.token is None and after.token == seat:
        words += f", token ({score_change(position, seat, after)})"
    rest = None if move.source is None else minus(position.displays[move.source], taken)
    return Idea(("draft", move.colour, taken, rest), text, 0, words)


def _place(position: SummerPosition, seat: int, move: Place, after: SummerPosition) -> Idea:
    """Describe a placement; of the payments the one with the fewest wild tiles is the cheapest."""
    star = layout.SITES[move.site]
    colour = layout.COLOUR_NAMES[move.colour]
    words = plural(score_change(position, seat, after), "point")
    done = [name for name in completed(position, seat, after)
            if name.startswith(("star", "all"))]
    words += "".join(f", {name} done" for name in done)
    if after.phase == "bonus":
        words += f", +{plural(after.bonus_due, 'tile')}"
    wild = 0 if move.colour == position.round - 1 else move.payment[position.round - 1]
    return Idea(("place", star, colour, sum(move.payment), words),
                f"{layout.space_name(move.site, move.position)}:{layout.COLOURS[move.colour]}",
                wild, f"{colour}, {words}")


_SPACE = re.compile(f"({'|'.join(sorted(layout.SITES, key=len, reverse=True))})([1-6])(.?)")
_DRAFT = re.compile("(D[1-9]|C)(.)")


def spelled(position: SummerPosition, key: str) -> str:
    """Return the move that letters and digits spell without signs, be it legal or not, or nothing.

    A placement is paid for in its own colour; a space of a star without a colour is the star's.
    """
    found = _SPACE.fullmatch(key.upper())
    if found is None:
        draft = _DRAFT.fullmatch(key.upper())
        return f"{draft[1]}:{draft[2]}" if draft else ""
    site = layout.SITES.index(found[1])
    colour = found[3] or (layout.STAR_COLOURS[site] if position.board == "coloured" else "")
    cost = layout.printed_number(position.board, site, int(found[2]))
    return f"{found[1]}.{found[2]}:{cost}{colour}" if colour else ""
