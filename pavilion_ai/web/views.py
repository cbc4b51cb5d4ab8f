"""What the page shows of a position: everything in one answer; and of drafts what can be drawn."""

from __future__ import annotations

from contextlib import suppress

from pavilion_ai.errors import IllegalMoveError, InvalidMoveError, PavilionError
from pavilion_ai.notation import to_json
from pavilion_ai.notation.json_form import read_draft
from pavilion_ai.play import Play, Ply
from pavilion_ai.position.base import DRAFTING
from pavilion_ai.protocol import actions, fields
from pavilion_ai.protocol.actions import Answer, picture
from pavilion_ai.protocol.fields import BadRequest, Request
from pavilion_ai.render import describe, meant

_LOOK = frozenset({"columns", "first", "names", "dark"})
KEYS = {
    "sketch": _LOOK | {"position"},
    "why": frozenset({"position", "place", "taken"}),
    "view": _LOOK | {"position", "past", "moves", "seed", "draw", "people"},
}
"""What the actions read, by name."""


def view(request: Request) -> Answer:
    """Play moves, if any are given, and tell all that the page shows of the position then.

    One answer in place of four: so a click is answered with one message each way.
    """
    play = fields.play(request)
    before = len(play.plies)
    played = actions.played(request, play) if request.get("moves") is not None else []
    position = play.position
    return {
        "position": to_json(position),
        "played": played,
        "drawn": [_drawn(play, ply) for ply in play.plies[before:]],
        "code": play.code(),
        "svg": picture({**request, "first": _first(request, play)}, position),
        "moves": actions.described(play),
        "chance": play.chance,
        "winners": list(play.winners()),
    }


def why(request: Request) -> Answer:
    """Say why what is pointed at on the mover's board cannot be chosen; nothing if no rule says it.
    """
    play = fields.decision(request)
    place, taken = (fields.string(request, key, "") for key in ("place", "taken"))
    try:
        if move := meant(play.position, place, taken):
            play.push(move)
    except InvalidMoveError:
        pass
    except IllegalMoveError as error:
        return {"why": str(error).partition(" is not legal: ")[2]}
    return {"why": ""}


def _drawn(play: Play, ply: Ply) -> str:
    """Return what a draw brought, in words; nothing for a decision."""
    return describe(play.rules.from_core(ply.state), ply.move) if ply.code is None else ""


def _first(request: Request, play: Play) -> int:
    """Return the seat whose board comes first: that of a person, if possible of the mover."""
    if request.get("people") is None:
        return fields.number(request, "first", 0, play.start.players - 1, 0)
    people = request["people"]
    seats = range(play.start.players)
    if not isinstance(people, list) or any(type(seat) is not int or seat not in seats
                                           for seat in people):
        raise fields.refused(request, "people", "a list of seats")
    mover = play.turn
    if mover is not None and (mover in people or not people):
        return mover
    return people[0] if people else 0


def sketch(request: Request) -> Answer:
    """Draw the position of a request as far as its values allow."""
    raw = request.get("position")
    drafts = [raw, {**raw, "phase": DRAFTING}] if isinstance(raw, dict) else []
    for draft in map(read_draft, drafts):  # the phase may be one that all else contradicts
        if draft is None or not 2 <= draft.players <= 4:
            continue
        with suppress(PavilionError, ArithmeticError, LookupError, TypeError, ValueError):
            return {"text": picture(request, draft)}
    raise BadRequest("position: cannot be drawn as it stands", "position")
