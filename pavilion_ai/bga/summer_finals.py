"""What a log of Summer Pavilion says of the final bonuses, compared with the game as replayed."""

from __future__ import annotations

from typing import cast

from pavilion_ai.bga.end import FINAL_SCORES
from pavilion_ai.bga.log import Log, Note, by_player, listed, whole_number
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.replay import Replay
from pavilion_ai.bga.summer import COLOURS, STAR_SPACES, STARS
from pavilion_ai.position import SummerPosition
from pavilion_ai.position.summer_board import SITES

IN_WORDS = ("completeStarLogDetails", "completeNumberLogDetails")
"""Types of notes that tell the same in words, with the score after each bonus."""
EMPTY = "."


def compare_finals(log: Log, replay: Replay) -> None:
    """Compare tiles, points and scores of the final bonuses, if the game is over."""
    if not replay.game.is_over():
        return
    stated: dict[int, int] = {}
    scores: dict[int, tuple[Note, int]] = {}
    for note in log.notes:
        if note.kind == FINAL_SCORES:
            for player, entry in by_player(note.args, "scores"):
                seat = replay.seat(Node(player, note.where))
                _compare_tiles(replay, note, seat, entry)
                if "points" in entry:
                    stated[seat] = stated.get(seat, 0) + entry["points"].number(-999, 999)
                    last = note
        elif note.kind in IN_WORDS and "playerId" in note.args:
            score = whole_number(note.args["newScore"]) if "newScore" in note.args else None
            if score is not None:
                scores[replay.seat(note.args["playerId"])] = note, score
    for seat, theirs in stated.items():
        parts = replay.game.breakdown()[seat]
        replay.differ(last, f"final bonuses of seat {seat}:", theirs,
                      sum(parts.values()) - parts["play"])
    for seat, (note, theirs) in scores.items():
        replay.differ(note, f"score of seat {seat} with all bonuses:", theirs,
                      replay.game.scores()[seat])


def _compare_tiles(replay: Replay, note: Note, seat: int, entry: Node) -> None:
    """Compare the tiles of a star or of a number with those on the board of a seat."""
    stars = cast(SummerPosition, replay.position).seats[seat].stars
    for tile in listed(entry, "tiles"):
        star, space, kind = (whole_number(tile[key]) if key in tile else None
                             for key in ("star", "space", "type"))
        if star is None or star >= len(STARS) or space is None or not 1 <= space <= STAR_SPACES:
            continue
        site = SITES.index(STARS[star])
        ours = stars[site][space - 1]
        known = kind is not None and 1 <= kind <= len(COLOURS)
        theirs = COLOURS[cast(int, kind) - 1] if known else "a tile"
        if ours == EMPTY or (known and ours != theirs):
            replay.differ(note, f"{SITES[site]}.{space} of seat {seat} has", theirs,
                          "none" if ours == EMPTY else ours)
