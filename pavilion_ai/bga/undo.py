"""What a note says that it restores, compared with the pending move that it takes back."""

from __future__ import annotations

from collections.abc import Collection

from pavilion_ai.bga.log import Note, child, listed, whole_number
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.bga.tiles import Tiles

__all__ = ["compare_undo"]

RESTORED = ("tiles", "supplyTiles")
"""Keys of the tiles that go back to where they were."""


def compare_undo(replay: Replay, tiles: Tiles, note: Note, seat: int,
                 moved: Collection[int]) -> None:
    """Compare what is restored with what the pending move of a seat changed.

    Args:
        replay: the game without that move.
        tiles: the tiles on the table.
        note: that takes the move back.
        seat: seat whose move it is.
        moved: ids of the tiles of the move, as far as known.

    Raises:
        StoppedError: tiles are restored, and none of them is of the move.
    """
    undo = child(note.args, "undo")
    if undo is None or not isinstance(undo.value, dict):
        return
    restored = {number for key in RESTORED for _, number in tiles.read(listed(undo, key))}
    if restored - {0} and moved and restored.isdisjoint(moved):
        raise StoppedError(note, f"seat {seat} gets other tiles back than those of its move that is"
                           " pending", before=True)
    score = whole_number(child(undo, "previousScore"))
    if score is not None:
        replay.differ(note, f"score of seat {seat} before what is taken back:", score,
                      replay.score(seat))
    _compare_holder(replay, note)


def _compare_holder(replay: Replay, note: Note) -> None:
    """Compare who had the start player token; until somebody takes it, who began the round."""
    holder = whole_number(child(note.args, "undo", "previousFirstPlayer"))
    if holder is not None and str(holder) in replay.ids:
        position = replay.position
        ours = position.start_seat if position.token is None else position.token
        replay.differ(note, "the start player token is with seat",
                      replay.ids.index(str(holder)), ours)
