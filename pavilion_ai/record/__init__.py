"""Game records: one JSON object per line and game (docs/protocol.md).

A record holds the starting position and every move, chance moves included, so it can be replayed
without the engine that played it. A file of records grows only at its end, by one flushed line per
game. An interrupted game is a line like any other, with the reason `unfinished`; when the game is
resumed, its line at the end of the file is replaced, so that the file keeps one line per game. A
torn last line (the machine went down while writing) is ignored on reading and overwritten on
writing.
"""

from __future__ import annotations

from pavilion_ai.record.file import Recorder, parse_line, write_record
from pavilion_ai.record.game import (
    FINISHED,
    RESIGNED,
    UNFINISHED,
    GameRecord,
    checked,
    lost,
)
from pavilion_ai.record.lines import RecordLine
from pavilion_ai.record.reading import (
    Entry,
    Games,
    Relation,
    entries_in,
    entry_of,
    read_entries,
    read_records,
    within,
)

__all__ = [
    "FINISHED",
    "RESIGNED",
    "UNFINISHED",
    "Entry",
    "GameRecord",
    "Games",
    "RecordLine",
    "Recorder",
    "Relation",
    "checked",
    "entries_in",
    "entry_of",
    "lost",
    "parse_line",
    "read_entries",
    "read_records",
    "within",
    "write_record",
]
