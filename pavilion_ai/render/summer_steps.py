"""Moves of Summer Pavilion as places to point at, as ideas, and typed without signs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from pavilion_ai.games import rules_of
from pavilion_ai.notation import Bonus, Draft, Pass, Place, parse_move
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render.steps import Choice, Idea, Lack, Step, lacks
from pavilion_ai.render.summer_words import completed, named_tiles, score_change
from pavilion_ai.render.words import letters_of, minus, one_by_one
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.position.summer import SummerPosition

HAND, SUPPLY = "hand", "supply"
_SPACE = re.compile(f"({'|'.join(sorted(layout.SITES, key=len, reverse=True))})([1-6])(.?)")
_DRAFT = re.compile("(D[1-9]|C)(.)")


def choice(position: SummerPosition, move_text: str) -> Choice:
    """Return how a legal decision is made by pointing.

    Raises:
        MoveError: the move is not legal here.
    """
    move = parse_move(move_text, position.game)
    if isinstance(move, Draft):
        return _draft(position, move, move_text)
    if isinstance(move, Place):
        placed = layout.COLOURS[move.colour]
        return Choice("place", (
            Step(layout.space_name(move.site, move.position), own=True),
            Step(HAND, own=True, pick=placed, tiles=one_by_one(move.payment, layout.COLOURS)),
        ), wild=move.payment[position.round - 1])
    if isinstance(move, Bonus):
        return Choice("bonus", (Step(SUPPLY, tiles=one_by_one(move.tiles, layout.COLOURS)),))
    assert isinstance(move, Pass)  # chance is nobody's choice
    return Choice("pass", (Step(HAND, own=True, tiles=one_by_one(move.kept, layout.COLOURS)),))


def one_short(position: SummerPosition) -> list[Lack]:
    """Return the spaces whose tile would complete a feature, a star or a set of numbers."""
    return [lack for number, seat in enumerate(position.seats)
            for lack in lacks(number, _last_spaces(position.board, seat.stars))]


def _last_spaces(board: str, stars: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, spaces in layout.goals(board):
        left = layout.missing(stars, spaces)
        if len(left) == 1:
            yield layout.space_name(*left[0]), name


def _draft(position: SummerPosition, move: Draft, move_text: str) -> Choice:
    """Say what comes along and what is left over: the difference that the core makes (A6)."""
    after = cast("SummerPosition", rules_of(position).apply(position, move_text))
    seat = position.to_move
    assert seat is not None  # a decision has a mover
    taken = minus(after.seats[seat].hand, position.seats[seat].hand)
    rest = "" if move.source is None else one_by_one(
        minus(position.displays[move.source], taken), layout.COLOURS)
    source = "C" if move.source is None else f"D{move.source + 1}"
    step = Step(source, pick=layout.COLOURS[move.colour], tiles=one_by_one(taken, layout.COLOURS))
    return Choice("draft", (step,), rest)


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
        return _draft_idea(position, seat, move_text, move, after)
    if isinstance(move, Place):
        return _place_idea(position, seat, move, after)
    if isinstance(move, Bonus):
        words = " + ".join(named_tiles(move.tiles, position))
        return Idea(move_text, move_text, 0, words)
    assert isinstance(move, Pass)  # chance is nobody's choice
    change = score_change(position, seat, after)
    points = f" ({plural(change, 'point')})" if change else ""
    discarded = sum(position.seats[seat].hand) - sum(move.kept)  # some of it may cost nothing
    kept = letters_of(move.kept, layout.COLOURS)
    return Idea("pass", "pass", discarded, f"pass, keep {kept}{points}")


def _draft_idea(
    position: SummerPosition, seat: int, text: str, move: Draft, after: SummerPosition
) -> Idea:
    taken = minus(after.seats[seat].hand, position.seats[seat].hand)
    words = " + ".join(named_tiles(taken, position))
    if position.token is None and after.token == seat:
        words += f", token ({score_change(position, seat, after)})"
    rest = None if move.source is None else minus(position.displays[move.source], taken)
    return Idea(("draft", move.colour, taken, rest), text, 0, words)


def _place_idea(position: SummerPosition, seat: int, move: Place, after: SummerPosition) -> Idea:
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


def meant(position: SummerPosition, place: str, taken: str) -> str:
    """Return the placement that is meant by pointing at a space, be it legal or not, or nothing.

    In a star without a colour it is that of which the hand holds most.
    """
    key, seat = place.replace(".", ""), position.to_move
    if position.phase != "place" or seat is None or _SPACE.fullmatch(key) is None:
        return ""
    hand = position.seats[seat].hand
    return spelled(position, key) or spelled(position, key + layout.COLOURS[hand.index(max(hand))])


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
