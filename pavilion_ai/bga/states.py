"""What the site announces of turns, compared with who moves."""

from __future__ import annotations

from pavilion_ai.bga.log import FRAMEWORK, Log, Note, child, flag, identity, state_of
from pavilion_ai.bga.page import Node

STATE = "gameStateChange"
"""Type of the notes that announce states."""
CHOOSE_TILE = 20
"""State in which a player drafts."""
MOVES = ("tilesSelected", "placeTileOnWall", "undoTakeTiles", "undoSelectLine", "undoPlayTile")
"""Types of notes of moves for which the site first announces whose turn it is."""
UNANNOUNCED = ("pass", "putToCorner", "supplyFilled", "factoriesFilled", "emptyFloorLine")
"""Types of notes after which the site may play by itself without announcing a turn."""
MOSTLY = 4
"""Announcements that are right for each that is wrong, so that a log's announcements count."""


def announced_others(log: Log) -> list[Note]:
    """Return the notes of moves before which the site announced the turn of another player.

    So are announcements of a draft that follow one for another player who did nothing. Empty if
    that is so for many moves, so that the announcements mean something else.
    """
    active: Node | None = None
    idle: Node | None = None  # who is to draft, and did nothing yet
    found: list[Note] = []
    right = 0
    for note in log.notes:
        if note.kind == STATE:
            active = _player(note)
            drafts = who_drafts(note)
            if drafts is not None:
                if idle is not None and identity(idle) != identity(drafts):
                    found.append(note)
                idle = drafts
            continue
        if note.kind not in FRAMEWORK:
            idle = None
        if note.kind in UNANNOUNCED:
            active = None
        elif active is not None and _moves(note):
            if identity(note.args["playerId"]) == identity(active):
                right += 1
            else:
                found.append(note)
    return found if right > MOSTLY * len(found) else []


def who_drafts(note: Note) -> Node | None:
    """Return the player whose draft a note announces; None for other notes."""
    return _player(note) if state_of(note) == CHOOSE_TILE else None


def _player(note: Note) -> Node | None:
    """Return the player whose turn a change of state announces; None if it is of no player."""
    kind = child(note.args, "type")
    of_player = kind is not None and kind.value == "activeplayer"
    return child(note.args, "active_player") if of_player else None


def _moves(note: Note) -> bool:
    """Tell whether a note is of a move that is announced."""
    return "playerId" in note.args and (
        note.kind in MOVES
        or (note.kind == "tilesPlacedOnLine" and flag(note.args, "fromHand")))
