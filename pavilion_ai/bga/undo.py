"""What a note says that it restores, compared with the pending move that it takes back."""

from __future__ import annotations

from collections.abc import Collection

from pavilion_ai.bga.log import Note, child, whole_number
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.bga.tiles import Tiles

RESTORED = ("tiles", "supplyTiles")
"""Keys of the tiles that go back to where they were."""
LEFT = "factoryTilesBefore"
"""Key of the tiles that a draft which is taken back had left where it took its own."""
CENTRE = "C"


def compare_undo(replay: Replay, note: Note, seat: int, moved: Collection[int]) -> None:
    """Compare what is restored with what the pending move of a seat changed.

    Args:
        replay: the game without that move.
        note: the note that takes the move back.
        seat: seat whose move it is.
        moved: ids of the tiles of the move, as far as known; 0 is that of a tile without one.

    Raises:
        StoppedError: tiles are restored, and none of them is of the move.
    """
    undo = child(note.args, "undo")
    if undo is None or not isinstance(undo.value, dict):
        return
    restored = {number for key in RESTORED for number in _ids(child(undo, key))}
    if restored and moved and 0 not in moved and restored.isdisjoint(moved):
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


def compare_left(replay: Replay, tiles: Tiles, note: Note, source: str,
                 drafted: Collection[int]) -> None:
    """Compare what a draft that is taken back had left, in the centre or on a display.

    Args:
        replay: the game without that draft.
        tiles: the tiles on the table, without that draft.
        note: the note that takes the draft back.
        source: the centre or a display.
        drafted: ids of the tiles that were drafted.

    Raises:
        StoppedError: other tiles had been left, and not just one with another id.
    """
    left = child(note.args, LEFT)
    if left is None or not isinstance(left.value, (list, dict)) or not drafted or 0 in drafted:
        return
    theirs = _ids(left)
    ours = set(tiles.lying(source)) - set(drafted) if source == CENTRE else set()
    if theirs == ours:
        return
    what = (f"{len(ours)} tiles remain on {source} here if what is taken back was taken,"
            f" {len(theirs)} others on the site")
    if len(theirs) != len(ours) or len(theirs - ours) > 1:
        raise StoppedError(note, what, before=True)
    replay.differ_in(note, what)


def _ids(tiles: Node | None) -> set[int]:
    """Return the ids of tiles without the token, as far as they can be read."""
    if tiles is None or not isinstance(tiles.value, (list, dict)):
        return set()
    found = {whole_number(child(one, "id")) for one in tiles.items()
             if isinstance(one.value, dict) and whole_number(child(one, "type"))}
    return {number for number in found if number}
