"""Notation: positions as JSON, code or text, moves as strings (docs/notation.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pavilion_ai.errors import PositionError, one_of, shown
from pavilion_ai.notation.azul_foreign import read_foreign, read_foreign_object
from pavilion_ai.notation.code import looks_like_code, read_code, to_code
from pavilion_ai.notation.json_form import (
    Reading,
    decode_json,
    is_record,
    note_of_unused,
    read_mapping,
    to_json,
    unused_in,
)
from pavilion_ai.notation.moves import (
    Bonus,
    Deal,
    Draft,
    DraftTo,
    Move,
    Pass,
    Place,
    Supply,
    Wall,
    format_move,
    parse_move,
    written,
)
from pavilion_ai.notation.schema import position_schema
from pavilion_ai.notation.text import looks_like_text, read_text, to_text
from pavilion_ai.notation.tiles import format_tiles, parse_tiles
from pavilion_ai.position import TABLES, Position, telling_faults
from pavilion_ai.untrusted import begins_json

__all__ = [
    "FORMS",
    "Bonus",
    "Deal",
    "Draft",
    "DraftTo",
    "Move",
    "Parsed",
    "Pass",
    "Place",
    "Supply",
    "Wall",
    "format_move",
    "format_position",
    "format_tiles",
    "is_record",
    "parse_move",
    "parse_position",
    "parse_tiles",
    "position_schema",
    "read_position",
    "to_code",
    "to_json",
    "to_text",
    "unused_keys",
    "written",
]

FORMS = ("json", "code", "text")

EXPECTED_FORMS = (f"expected a position as a JSON object, a code ({next(iter(TABLES))}.1. ...) or"
                  " lines 'key: value'")
"""Ends the refusal of a text that is none of them."""

DRAWING = re.compile(r"^Round \d+( of \d+, wild:|, started by )", re.MULTILINE)
"""First line of a drawing on a screen; where it can be read, it is a comment."""

MAX_CHARACTERS = 200_000
"""Longest text read as a position, in characters, so that a wrong file does not take minutes."""


@dataclass(frozen=True)
class Parsed:
    """The result of reading a position.

    Attributes:
        position: the position, sound.
        form: the form it came in, one of `FORMS`, or `foreign` for that of another program.
        notes: one line for each missing value, saying which one was assumed instead, and one that
            names the unknown keys.
    """

    position: Position
    form: str
    notes: tuple[str, ...] = ()


def parse_position(source: str | Mapping[str, object]) -> Parsed:
    """Read a position in any form; the form is detected.

    Args:
        source: JSON text, a code, a link of the page with one, the text form, or the JSON form
            already decoded.

    Raises:
        PositionError: with every problem found.
    """
    parsed = read_position(source)
    unknown = map(shown, unused_keys(source)) if parsed.form == "json" else ()
    return replace(parsed, notes=(*parsed.notes, *note_of_unused(unknown)))


def read_position(source: str | Mapping[str, object]) -> Parsed:
    """Read a position as `parse_position` does, for those who tell its `unused_keys` themselves."""
    if isinstance(source, str):
        form, reading = _read(source)
    elif isinstance(source, Mapping):
        form, reading = _of_object(source)
    else:
        raise PositionError.at("type", "", f"found {shown(source)}, expected a position in any"
                               " form: a JSON object, a code or text")
    if reading.position is None or reading.problems:
        raise PositionError(reading.problems)
    return Parsed(reading.position, form, tuple(reading.notes))


def unused_keys(source: object) -> Iterator[str]:
    """Yield the places of the keys that no one reads in a position in JSON form.

    Args:
        source: as for `parse_position`; nothing is yielded for what is not in JSON form.

    Raises:
        PositionError: it is no JSON.
    """
    if isinstance(source, str):
        text = source.lstrip("\ufeff")
        source = decode_json(text) if text.lstrip()[:1] == "{" else None
    if isinstance(source, Mapping):
        yield from unused_in(source)


def _are_records(text: str) -> bool:
    """Tell whether text has several lines of which the first one is a game record."""
    first, _, more = text.lstrip().partition("\n")
    try:
        return bool(more) and is_record(decode_json(first))
    except PositionError:
        return False


def _read(source: str) -> tuple[str, Reading]:
    """Detect the form of a string and read it."""
    if len(source) > MAX_CHARACTERS:
        raise PositionError.at(
            "type", "", f"found {len(source)} characters, expected a position of at most"
            f" {MAX_CHARACTERS}")
    text = source.lstrip("\ufeff")
    if begins_json(text):
        try:
            found = decode_json(text)
        except PositionError:
            if _are_records(text):
                raise PositionError.at(
                    "type", "", "found a file of game records, expected a position;"
                    " `pavilion replay FILE --ply N` prints one") from None
            raise
        if is_record(found):
            raise PositionError.at(
                "type", "", "found a game record, expected a position, such as its start;"
                " `pavilion replay FILE --ply N` prints any other")
        return _of_object(found)
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    foreign = read_foreign(code)
    if foreign is not None:
        return _of_foreign(foreign)
    code = "\n".join(line.partition("#")[0] for line in code.splitlines())
    if looks_like_code(code):
        return "code", read_mapping(read_code(code))
    if DRAWING.search(text):
        raise PositionError.at(
            "type", "", "found the drawing of a position, expected a form that can be read, such as"
            " its code: `code` in `pavilion play`, `format_position(position, 'code')` in Python")
    if looks_like_text(text):
        return "text", read_text(text)
    raise PositionError.at(
        "type", "", f"found {shown(text.strip())}, {EXPECTED_FORMS}")


def _of_object(found: object) -> tuple[str, Reading]:
    foreign = read_foreign_object(found) if isinstance(found, Mapping) else None
    return ("json", read_mapping(found)) if foreign is None else _of_foreign(foreign)


def _of_foreign(foreign: tuple[dict[str, object], list[str]]) -> tuple[str, Reading]:
    raw, notes = foreign
    reading = read_mapping(raw)
    return "foreign", reading._replace(notes=[*notes, *reading.notes])


@telling_faults
def format_position(position: Position, form: str) -> str:
    """Write a position as `json` (one line), `code` or `text` (lines).

    Raises:
        PositionError: the position is invalid so that it cannot be written.
        SpecError: if there is no such form.
    """
    one_of("form", form, FORMS)
    if form == "json":
        return json.dumps(to_json(position))
    return to_code(position) if form == "code" else to_text(position)
