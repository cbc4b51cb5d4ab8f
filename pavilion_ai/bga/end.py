"""How a game ended that the log does not tell to its end, and what the site says of the result."""

from __future__ import annotations

from collections.abc import Collection

from pavilion_ai.bga.log import Log, Note, child, flag
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.replay import Replay

__all__ = ["compare_result", "told_reason"]

GAME_END = 99
"""State in which the site tells the result."""


def told_reason(log: Log, kinds: Collection[str], infos: Node | None) -> str | None:
    """Return why the log ends before the game, None if it does not say so.

    What comes before the last note of the game does not count: with three or four players the
    others go on when somebody has left.

    Args:
        log: the notes.
        kinds: types of those of the game.
        infos: what a collection tells of the table.
    """
    last = max((n for n, note in enumerate(log.notes) if note.kind in kinds), default=0)
    found = None
    for note in log.notes[last:]:
        if note.kind == "playerConcedeGame":
            return "conceded"
        if note.kind in ("gameResultNeutralized", "allPlayersAreZombie", "tableInfosChanged"):
            found = "abandoned"
        result = _result(note)
        table = child(result, "table")
        if table is not None and flag(table, "concede"):
            return "conceded"
        if table is not None and flag(table, "neutralized"):
            found = "abandoned"
    return found or _of_table(infos)


def _result(note: Note) -> Node | None:
    """Return what the site says at the end of the game, None if the note is another."""
    if note.kind != "gameStateChange" or "id" not in note.args or str(
            note.args["id"].value) != str(GAME_END):
        return None
    return child(note.args, "args")


def _of_table(infos: Node | None) -> str | None:
    """Return the reason that stands beside the log."""
    node = child(infos, "data", "result", "endgame_reason")
    told = "" if node is None else str(node.value)
    return ("conceded" if "concede" in told else
            "abandoned" if any(word in told for word in ("neutral", "zombie", "abandon"))
            else None)


def compare_result(log: Log, replay: Replay) -> None:
    """Compare the scores that the site gives in the end with ours."""
    for note in log.notes:
        result = _result(note)
        if result is None or "result" not in result:
            continue
        for entry in result["result"].items():
            if isinstance(entry.value, dict) and "player" in entry and "score" in entry:
                seat = replay.seat(entry["player"])
                replay.differ(note, f"final score of seat {seat}:",
                              entry["score"].number(-9999, 9999),
                              replay.game.scores()[seat])
