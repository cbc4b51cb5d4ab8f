"""Why a log ends before its game is over, and the result that the site announces."""

from __future__ import annotations

from collections.abc import Collection

from pavilion_ai.bga.log import Log, Note, child, flag, state_of
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.replay import Replay

CONCEDED, ABANDONED = "conceded", "abandoned"
GIVEN_UP = {"playerConcedeGame": CONCEDED, "gameResultNeutralized": ABANDONED,
            "allPlayersAreZombie": ABANDONED}
"""Types of notes that a game was broken off, and the reason."""
MARKS = {CONCEDED: ("concede",), ABANDONED: ("neutralized", "zombie")}
"""Keys of a result, for the table or a player, that state a reason."""
DEEDS = {CONCEDED: "gave up", ABANDONED: "left"}
"""What the player did who broke a game off, by reason."""
LATE = "ran out of time"
"""What the player did instead whose turn was skipped."""
SKIPPED = "skipTurnOfPlayer"
"""Type of the note that a turn was skipped, as its player's time ran out."""
TABLE_CHANGED = "tableInfosChanged"
"""Type of a note that comes with these; alone it says the same only after the last move."""
GAME_END = 99
"""State in which the site announces the result."""
FINAL_SCORES = "endScore"
"""Type of the notes in which the site adds up the final scores of a game that was played out."""


def played_out(log: Log, kinds: Collection[str]) -> Note | None:
    """Return the note that shows that the game was played to its end; None if there is none.

    Args:
        log: the notes.
        kinds: types of the notes of the game.
    """
    given_up = False
    for note in log.notes:
        if note.kind == FINAL_SCORES:
            return note
        given_up = note.kind in (*GIVEN_UP, TABLE_CHANGED) or (given_up and note.kind not in kinds)
        result = _result(note)
        if result is not None and "table" in result and "result" in result and not given_up and (
                _of_result(result) is None):
            return note
    return None


def stated_reason(log: Log, kinds: Collection[str], infos: Node | None) -> str | None:
    """Return why the log ends before the game is over; None if no reason is stated.

    Notes before the last note of the game do not count: with three or four players the others
    continue when a player has left.

    Args:
        log: the notes.
        kinds: types of the notes of the game.
        infos: information on the table from a collection.
    """
    found = None
    for note in _after_moves(log, kinds):
        result = _result(note)
        stated = GIVEN_UP.get(note.kind) if result is None else _of_result(result)
        if stated == CONCEDED:
            return CONCEDED
        if stated or note.kind == TABLE_CHANGED:
            found = ABANDONED
    return found or _of_table(infos)


def broken_off(log: Log, kinds: Collection[str], infos: Node | None = None) -> str | None:
    """Return why a game was broken off that is over by our rules; None if it was not.

    A turn that still waits to be confirmed may end it here. That a player has left says nothing
    then: the game may have gone on without them.

    Args:
        log: the notes.
        kinds: types of the notes of the game.
        infos: information on the table from a collection.
    """
    if any(note.kind == FINAL_SCORES for note in log.notes):
        return None
    for note in _after_moves(log, kinds):
        result = _result(note)
        stated = GIVEN_UP.get(note.kind) if result is None else _of_result(result, left=False)
        if stated is not None:
            return stated
    return _of_table(infos)


def _after_moves(log: Log, kinds: Collection[str]) -> tuple[Note, ...]:
    """Return the last note of the game and those after it."""
    last = max((n for n, note in enumerate(log.notes) if note.kind in kinds), default=0)
    return log.notes[last:]


def who_broke_off(log: Log, replay: Replay, kinds: Collection[str], reason: str) -> str:
    """Return a reason with the seats that broke the game off, as far as the log tells them.

    Args:
        log: the notes.
        replay: the game.
        kinds: types of the notes of the game.
        reason: why it was broken off, `CONCEDED` or `ABANDONED`.
    """
    named: list[Node | None] = []
    skipped: list[Node | None] = []
    for note in _after_moves(log, kinds):
        result = _result(note)
        if result is not None:
            named += [child(one, "player") for one in _players(result)
                      if any(flag(one, key) for key in MARKS[reason])]
            named.append(child(result, "table", "neutralized") if reason == ABANDONED else None)
        elif GIVEN_UP.get(note.kind) == reason:
            named.append(child(note.args, "player_id"))
        elif note.kind == SKIPPED and reason == ABANDONED:
            skipped.append(child(note.args, "player_id"))
    late, seats = _seats(replay, skipped), _seats(replay, named)
    deeds = ", ".join(f"{' and '.join(f'seat {seat}' for seat in sorted(group))} {did}"
                      for group, did in ((seats & late, LATE), (seats - late, DEEDS[reason]))
                      if group)
    return f"{reason} ({deeds})" if deeds else reason


def _seats(replay: Replay, players: Collection[Node | None]) -> set[int]:
    """Return the seats of those players who sit at the table."""
    return {replay.seat(one) for one in players if one is not None and replay.at_table(one)}


def _of_result(result: Node, left: bool = True) -> str | None:
    """Return why a game was broken off, as its result states it; None if it does not.

    Args:
        result: data of the note that announces it.
        left: whether it is enough that a player has left.
    """
    said = [one for one in (child(result, "table"), *_players(result)) if one is not None]
    for reason, keys in MARKS.items():
        if any(flag(one, key) for one in said for key in keys if left or key != "zombie"):
            return reason
    return None


def _players(result: Node) -> list[Node]:
    """Return what a result says of each player."""
    return result["result"].items() if "result" in result else []


def _result(note: Note) -> Node | None:
    """Return the data of the note that announces the result; None for other notes."""
    return child(note.args, "args") if state_of(note) == GAME_END else None


def _of_table(infos: Node | None) -> str | None:
    """Return the reason stated beside the log; None if it is missing."""
    node = child(infos, "data", "result", "endgame_reason")
    stated = "" if node is None else str(node.value)
    return (CONCEDED if "concede" in stated else
            ABANDONED if any(word in stated for word in ("neutral", "zombie", "abandon"))
            else None)


def final_scores(log: Log, replay: Replay, kinds: Collection[str]
                 ) -> dict[int, tuple[Note, int]]:
    """Return the final scores that the site announces, by seat, each with the note that states it.

    None of a game that was broken off: its scores are nominal, such as 1 and 0.

    Args:
        log: the notes.
        replay: the game, over by our rules.
        kinds: types of the notes of the game.
    """
    found = {}
    for note in log.notes if broken_off(log, kinds) is None else ():
        result = _result(note)
        for entry in _players(result) if result is not None else ():
            if "player" in entry and "score" in entry:
                found[replay.seat(entry["player"])] = note, entry["score"].number(-9999, 9999)
    return found


def compare_result(log: Log, replay: Replay, kinds: Collection[str]) -> None:
    """Compare the final scores of the site with ours."""
    for seat, (note, score) in final_scores(log, replay, kinds).items():
        replay.differ(note, f"final score of seat {seat}:", score, replay.game.scores()[seat])
