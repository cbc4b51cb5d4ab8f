"""The variants that programs of bench measure, and the files that keep what was found.

Such a file has one line of JSON for each thing measured, with the settings of the run. With the
same file and settings a run resumes where another one stopped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pavilion_ai.errors import file_fault
from pavilion_ai.games import GAMES

Variant = tuple[str, str, int]
"""Game, board, number of players."""

VARIANTS: dict[str, Variant] = {
    f"{game}/{board}/{players}": (game, board, players)
    for players in (2, 3, 4) for game in GAMES for board in ("coloured", "grey")}
"""All twelve, by name."""
MORE_PLAYERS = {name: variant for name, variant in VARIANTS.items() if variant[2] > 2}
"""Those for more than two."""

Asked = TypeVar("Asked")
Found = TypeVar("Found")


def read(path: Path, load: Callable[[dict[str, Any]], Found],
         settings: dict[str, Any] | None = None) -> list[Found]:
    """Return what is kept in a file; nothing if there is none.

    Raises:
        SystemExit: the file cannot be read, something else is in it, or it was made with other
            settings. Those that a line does not name may have been any.
    """
    found = []
    try:
        lines = path.read_text().splitlines() if path.exists() else []
        for line in lines:
            fields = json.loads(line)
            made_with = fields.pop("settings", fields)  # of an older line some are among the rest
            for key, value in (settings or {}).items():
                if made_with.get(key, value) != value:
                    raise SystemExit(f"{path}: made with {key} {made_with[key]}, requested {value}")
            found.append(load(fields))
    except OSError as error:
        raise SystemExit(file_fault(path, error)) from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise SystemExit(f"{path}, line {len(found) + 1}: found something else, expected what this"
                         " program kept there") from None
    return found


def go_on(path: Path, wanted: Iterable[Asked], measure: Callable[[Asked], Found],
          asked: Callable[[Found], Asked], load: Callable[[dict[str, Any]], Found],
          dump: Callable[[Found], dict[str, Any]], settings: dict[str, Any],
          seconds: float = float("inf"), each: Callable[..., Iterable[Found]] = map,
          ) -> list[Found]:
    """Measure what is wanted and not in the file; return what was in it and what was added.

    Args:
        wanted: what to measure, in order.
        asked: tells of something found which of `wanted` it was.
        load, dump: read the object of a line, and make it.
        settings: what else the findings depend on, as JSON gives them back.
        seconds: processor time after which nothing is begun.
        each: calls `measure` for all in order, as `map`.

    Raises:
        SystemExit: the file cannot be read or written, something else is in it, or it was made with
            other settings.
    """
    known: set[Asked] = set()

    def loaded(fields: dict[str, Any]) -> Found:
        one = load(fields)
        known.add(asked(one))
        return one

    found = read(path, loaded, settings)

    def missing() -> Iterator[Asked]:
        for one in wanted:
            if one in known:
                continue
            if time.process_time() > seconds:
                return
            yield one

    try:
        file = path.open("a")
    except OSError as error:
        raise SystemExit(file_fault(path, error)) from None
    with file:
        for one in each(measure, missing()):
            found.append(one)
            file.write(json.dumps({"settings": settings, **dump(one)}) + "\n")
            file.flush()
    return found
