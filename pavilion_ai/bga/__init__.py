"""Read games and positions that a person saved from Board Game Arena, without contacting it.

A log becomes a game record with every move and draw; the page of a table becomes a position. The
formats follow from the public programs of the two games there (thoun/azul and
thoun/azulsummerpavilion). Nothing is fetched, and nothing that identifies a person is kept unless
requested.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pavilion_ai.bga import azul, azul_log, summer, summer_log, summer_play
from pavilion_ai.bga.importing import GameLog, Imported, import_game, numbered
from pavilion_ai.bga.log import LogError
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.source import MOST_LOGS, Saved, joined, saved, saved_all
from pavilion_ai.errors import PavilionError, PositionError, shown
from pavilion_ai.notation import Parsed, parse_position

__all__ = ["Imported", "LogError", "Outcome", "numbered", "read_bga", "read_files"]

GAMES = (
    GameLog("summer", summer_log.KINDS, frozenset({"supplyFilled"}), summer.COLOURS,
            summer_log.is_summer, summer_log.drafts, summer_log.side_of,
            summer_log.opening_supply, summer_play.SummerReader),
    GameLog("azul", azul_log.KINDS, frozenset(), azul.COLOURS, azul_log.is_azul,
            azul_log.drafts, azul_log.side_of, azul_log.no_supply, azul_log.AzulReader),
)
"""The games whose logs can be read."""


@dataclass(frozen=True)
class Outcome:
    """The result of reading one file, or several files of one game.

    Attributes:
        name: name of the file, or of all of them.
        found: a game, a position, or why neither could be read.
    """

    name: str
    found: Imported | Parsed | PavilionError


def read_bga(text: str, *, names: bool = False) -> Imported | Parsed:
    """Read what was saved on Board Game Arena: a game if it contains a log, else a position.

    What `pavilion import bga` does with one file; docs/bga.md says what can be saved, and how.
    Nothing is fetched.

    Args:
        text: JSON, or the source of the page of a replay or of a table.
        names: whether the record of a game keeps the names of its players.

    Returns:
        the record of a game, with remarks; or the position of a table, with notes.

    Raises:
        LogError: the text contains neither, or the log is refused.
        PositionError: the page of a table is refused.
    """
    if not isinstance(text, str):
        raise LogError(f"found {shown(text)}, expected the text of a file")
    return _read(saved(text), names)


def _read(found: Saved, names: bool) -> Imported | Parsed:
    if found.packets is not None:
        return import_game(found, GAMES, names)
    if found.table is None:
        raise LogError("found neither a log nor the page of a table")
    return _position(found.table)


def read_files(files: Iterable[tuple[str, str]], *, names: bool = False) -> list[Outcome]:
    """Read several files, some of which may be parts of one game; a file may hold several logs.

    Args:
        files: name and content of each.
        names: as in `read_bga`.
    """
    outcomes: list[Outcome] = []
    readable: list[tuple[str, Saved]] = []
    for name, text in files:
        try:
            found_all = saved_all(text)
            if len(readable) + len(found_all) > MOST_LOGS:
                raise LogError(f"more than {MOST_LOGS:,} logs and pages together, read fewer at"
                               " once")
        except LogError as error:
            found_all = [error]
        for number, one in enumerate(found_all, 1):
            label = name if len(found_all) == 1 else f"{name} (log {number})".lstrip()
            if isinstance(one, LogError):
                outcomes.append(Outcome(label, one))
            else:
                readable.append((label, one))
    for name, found in joined(readable):
        try:
            outcomes.append(Outcome(name, _read(found, names)))
        except PavilionError as error:
            outcomes.append(Outcome(name, error))
    return outcomes


def _position(page: Node) -> Parsed:
    reader = summer if "supply" in page else azul if _has_lines(page.value) else None
    if reader is None:
        raise PositionError.at(
            "type", page.where, "found neither the supply of Summer Pavilion nor the pattern lines"
            " of base Azul, expected a table of one of the two")
    raw, notes = reader.read(page)
    parsed = parse_position(raw)
    return Parsed(parsed.position, "bga", (*notes, *parsed.notes))


def _has_lines(value: object) -> bool:
    players = value.get("players") if isinstance(value, dict) else None
    boards = list(players.values()) if isinstance(players, dict) else players
    return isinstance(boards, list) and any(
        isinstance(board, dict) and "lines" in board for board in boards)
