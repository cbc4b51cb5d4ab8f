"""Drawings of positions that are being made, and need not be sound yet."""

from __future__ import annotations

from pavilion_ai.errors import PavilionError
from pavilion_ai.notation.json_form import read_draft
from pavilion_ai.protocol.actions import Answer, picture
from pavilion_ai.protocol.fields import BadRequest, Request

__all__ = ["KEYS", "sketch"]

KEYS = {"sketch": frozenset({"position", "columns", "first", "dark", "names"})}
"""What the action reads."""


def sketch(request: Request) -> Answer:
    """Draw the position of a request as far as its values allow."""
    draft = read_draft(request.get("position"))
    if draft is None or not 2 <= draft.players <= 4:
        raise BadRequest("position: cannot be drawn as it stands", "position")
    try:
        return {"text": picture(request, draft)}
    except (PavilionError, ArithmeticError, LookupError, TypeError, ValueError):
        raise BadRequest("position: cannot be drawn as it stands", "position") from None
