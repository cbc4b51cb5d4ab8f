"""What kind of mistake a decision was, from the move that was played and the better one."""

from __future__ import annotations

from typing import Any

from pavilion_ai.notation import Bonus, Draft, DraftTo, Move, Pass, Place, Wall, parse_move
from pavilion_ai.review.judge import Judgement


def kind_of_mistake(judgement: Judgement) -> str:
    """Return in words what was chosen badly; nothing if the favourite was played, or as good."""
    if judgement.agrees or judgement.forced or not judgement.worse:
        return ""
    game = judgement.position.game
    played, best = (parse_move(move, game)
                    for move in (judgement.played.move, judgement.best.move))
    if isinstance(played, Pass) or isinstance(best, Pass):
        return _passing(played, best)
    if isinstance(played, Place) and isinstance(best, Place):
        return _placing(played, best)
    if isinstance(played, (Draft, DraftTo)) and isinstance(best, (Draft, DraftTo)):
        return _drafting(judgement.position, played, best)
    if isinstance(played, Bonus):
        return "bonus: other tiles from the supply"
    return "tiling: another column" if isinstance(played, Wall) else "another move"


def _passing(played: Move, best: Move) -> str:
    if isinstance(played, Pass) and isinstance(best, Pass):
        return "passing: other tiles to keep"
    return "passing too early" if isinstance(played, Pass) else "passing too late"


def _placing(played: Place, best: Place) -> str:
    if played.site != best.site:
        return "placing: another star"
    if played.position != best.position:
        return "placing: another space of the star"
    return ("placing: another colour on the space" if played.colour != best.colour
            else "placing: another payment")


def _drafting(position: Any, played: Draft | DraftTo, best: Draft | DraftTo) -> str:
    sources = [None if move.source is None else position.displays[move.source]
               for move in (played, best)]
    if played.colour == best.colour and sources[0] == sources[1]:
        lines = getattr(played, "line", None), getattr(best, "line", None)
        if None in lines:
            return ("drafting: dropped, not put in a line" if lines[0] is None
                    else "drafting: put in a line, not dropped")
        return "drafting: another pattern line"
    if position.token is None and (played.source is None) != (best.source is None):
        token = "start player token" if isinstance(played, Draft) else "starting player marker"
        return f"drafting: the {token} too {'early' if played.source is None else 'late'}"
    if played.colour == best.colour:
        return "drafting: the same colour from elsewhere"
    return "drafting: another colour"
