"""The code form of a position: one line for shells, addresses and chats.

    summer.1.coloured.2/place.r3.m0.s0.t1/-/s3PGO3B2R.b9P13G.t5P3G/p32.hGBR.P5.OO4.../.../91ac

Sections are separated by `/`, items by `.`: header (game, version, board, players), state,
displays, other tiles, one section per seat, check. An item is its tag (a lower-case letter, see
the field tables) and its value; null, zero, false and empty are left out. A row of a board is
written like a row in chess notation: a digit is that many empty spaces. The check is the CRC-16
of everything before it, which finds every single wrong character.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from pavilion_ai.errors import PositionError, shown
from pavilion_ai.notation.json_form import to_json
from pavilion_ai.notation.tiles import NOTHING
from pavilion_ai.position import TABLES, Position, table_of
from pavilion_ai.position import fields as kinds
from pavilion_ai.position.fields import Field, GameTable, size_of

VERSION = "1"
BETWEEN_LINES = ":"
MARK = "x"
"""Stands for the mark of a `Track`, which is not a character of a code."""
_LINKED = re.compile(r"\s*(?:https?:\S*\s+)?\S*?[?&]position=([^&#]*)", re.IGNORECASE)


def to_code(position: Position) -> str:
    """Return the code form; equal positions give equal strings."""
    table = table_of(position)
    raw = to_json(position)
    seats: Any = raw["seats"]
    known = position.split_known
    tiles = [field for field in _tile_fields(table) if field.unseen != "size" or not known]
    displays: Any = raw["displays"]
    sections = [
        ".".join((table.game, VERSION, position.board, str(len(seats)))),
        _join(_write(field, raw.get(field.name)) for field in _state_fields(table)),
        NOTHING if all(part == NOTHING for part in displays) else ".".join(displays),
        _join(_write(field, raw[field.name]) for field in tiles),
        *(_join(_write(field, seat[field.name]) for field in _seat_fields(table))
          for seat in seats),
    ]
    body = "/".join(sections)
    return f"{body}/{_check(body)}"


def looks_like_code(text: str) -> bool:
    """Tell whether `text` looks like a code: one word with sections, or the beginning of one."""
    return begins_code(text) or (len(text.split()) == 1 and text.count("/") > 2)


def begins_code(text: str) -> bool:
    """Tell whether `text` begins like a code or a link to the page; hardly any later line does."""
    start = re.match(r"[a-z]{2,}\.[0-9]+\.", "".join(text.split()))
    return start is not None or _LINKED.match(text) is not None


def read_code(text: str) -> dict[str, object]:
    """Turn a code into the raw JSON form.

    White space around and within the code is ignored, so that line breaks do no harm. It may stand
    in a link to the page, as `position`.

    Raises:
        PositionError: if the code is damaged or not of a known game and version.
    """
    link = _LINKED.match(text)
    joined = "".join(text.split())
    code = unquote("".join(link[1].split())) if link else joined
    begun = sum(joined.count(f"{game}.{VERSION}.") for game in TABLES)
    if begun > 1:
        raise _refusal(f"found {begun} codes, expected one")
    body, _, check = code.rpartition("/")
    header = body.split("/")[0].split(".")
    known = ", ".join(f"{game}.{VERSION}" for game in TABLES)
    if len(header) != 4 or header[0] not in TABLES:
        raise _refusal(f"found {shown(header[0] if body else code)} at the beginning, expected"
                       f" GAME.VERSION.BOARD.PLAYERS with {known}")
    if header[1] != VERSION:
        raise _refusal(f"found version {shown(header[1])}, expected {VERSION}")
    if not re.fullmatch(r"[0-9a-f]{4}", check) or check != _check(body):
        raise _refusal(f"found the check {shown(check)} at the end, but the rest gives"
                       f" {_check(body)}; the code is damaged or cut off, copy it again")
    return _raw(TABLES[header[0]], header, body.split("/")[1:])


def _raw(table: GameTable, header: list[str], sections: list[str]) -> dict[str, object]:
    """Turn the sections of an undamaged code into the raw JSON form."""
    players = len(sections) - 3
    if players < 1 or header[3] != str(players):
        raise _refusal(f"found {max(players, 0)} seat sections, expected {shown(header[3])} as the"
                       " header says")
    state, displays, tiles, *seats = sections
    raw: dict[str, object] = {"game": table.game, "board": header[2]}
    raw.update(_read(state, _state_fields(table), "state"))
    raw["displays"] = [NOTHING] * (2 * players + 1) if displays == NOTHING else displays.split(".")
    raw.update(_read(tiles, _tile_fields(table), "tiles"))
    size, *parts = (table.unseen_field(role).name for role in ("size", "drawn", "discarded"))
    if raw[size] is not None:
        raw.update(dict.fromkeys(parts))
    raw["seats"] = [_read(seat, _seat_fields(table), f"seat {index}")
                    for index, seat in enumerate(seats)]
    return raw


def _state_fields(table: GameTable) -> list[Field]:
    """Return the phase and then every number of the position."""
    plain = [field for field in table.fields
             if isinstance(field.kind, (kinds.Choice, kinds.Integer, kinds.SeatNumber))
             and field.name not in ("game", "board") and not field.unseen]
    return sorted(plain, key=lambda field: field.tag != "")


def _tile_fields(table: GameTable) -> list[Field]:
    return [field for field in table.fields
            if isinstance(field.kind, kinds.Multiset) or field.unseen]


def _seat_fields(table: GameTable) -> list[Field]:
    """Return the fields of a seat, those without a tag last."""
    return sorted(table.seat_fields,
                  key=lambda field: isinstance(field.kind, (kinds.Rows, kinds.Grid)))


def _join(items: Iterable[str]) -> str:
    return ".".join(item for item in items if item) or NOTHING


def _write(field: Field, value: Any) -> str:
    """Return the item for one field, "" if the field is left out."""
    if isinstance(field.kind, (kinds.Rows, kinds.Grid)):
        rows = value.values() if isinstance(field.kind, kinds.Rows) else value
        return ".".join(_write_row(row) for row in rows)
    if isinstance(field.kind, kinds.Lines):
        empty = all(line == NOTHING for line in value)
        return "" if empty else field.tag + BETWEEN_LINES.join(value)
    if isinstance(field.kind, kinds.Track):
        value = value.replace(field.kind.mark, MARK)
    if isinstance(field.kind, kinds.Flag):
        return field.tag if value else ""
    omitted = value is None or value == NOTHING
    if isinstance(field.kind, kinds.Integer) and not field.unseen:
        omitted = value == 0
    return "" if omitted else f"{field.tag}{value}"


def _write_row(row: str) -> str:
    return re.sub(r"\.+", lambda match: str(len(match[0])), row)


def _read(section: str, fields: list[Field], where: str) -> dict[str, object]:
    """Read the tagged items of one section into raw values by field name."""
    items = [] if section == NOTHING else section.split(".")
    raw: dict[str, object] = {}
    for field in fields:
        if isinstance(field.kind, (kinds.Rows, kinds.Grid)):
            count = size_of(field.kind)
            rows = [_read_row(row, where) for row in items[-count:]]
            items = items[:-count]
            raw[field.name] = rows if isinstance(field.kind, kinds.Grid) else dict(
                zip(field.kind.names, rows, strict=False))
    for field in fields:
        if field.name not in raw:
            mark = re.compile(_ITEM[type(field.kind)].format(tag=field.tag))
            mine = [item for item in items if mark.fullmatch(item)]
            if len(mine) > 1:
                raise _refusal(f"found {shown('.'.join(mine))} in section {where},"
                               f" expected one item for {field.name}")
            items = [item for item in items if item not in mine]
            raw[field.name] = _value(field, mine[0][len(field.tag):] if mine else None)
    if items:
        raise _refusal(f"found {shown(items[0])} in section {where}, expected an item for one of "
                       + ", ".join(field.name for field in fields))
    return raw


def _read_row(row: str, where: str) -> str:
    if not re.fullmatch(r"[A-Z1-9]{1,40}", row):
        raise _refusal(f"found the row {shown(row)} in section {where}, expected colour letters"
                       " and numbers of empty spaces")
    return re.sub(r"[1-9]", lambda match: "." * int(match[0]), row)


_ITEM: dict[type, str] = {
    kinds.Choice: r"{tag}[a-z]{{2,}}",
    kinds.Integer: r"{tag}[0-9]{{1,9}}",
    kinds.SeatNumber: r"{tag}[0-9]{{1,9}}",
    kinds.Flag: r"{tag}",
    kinds.Multiset: r"{tag}[A-Z0-9]+",
    kinds.Lines: r"{tag}[A-Z0-9:-]+",
    kinds.Track: rf"{{tag}}[A-Z{MARK}]+",
}


def _value(field: Field, text: str | None) -> object:
    """Return the raw value of an item; if there is none, the value that codes leave out."""
    kind = field.kind
    if text is None:
        return _absent(field)
    if isinstance(kind, kinds.Flag):
        return True
    if isinstance(kind, kinds.Lines):
        return text.split(BETWEEN_LINES)
    if isinstance(kind, kinds.Track):
        return text.replace(MARK, kind.mark)
    return int(text) if isinstance(kind, (kinds.Integer, kinds.SeatNumber)) else text


def _absent(field: Field) -> object:
    """Return the raw value of a field that codes leave out."""
    kind = field.kind
    if isinstance(kind, kinds.Flag):
        return False
    if isinstance(kind, kinds.Lines):
        return [NOTHING] * size_of(kind)
    if isinstance(kind, (kinds.Multiset, kinds.Track)):
        return NOTHING
    return 0 if isinstance(kind, kinds.Integer) and not field.unseen else None


def _check(body: str) -> str:
    return f"{binascii.crc_hqx(body.encode('utf-8', 'replace'), 0xFFFF):04x}"


def _refusal(message: str) -> PositionError:
    return PositionError.at("syntax", "code", message)
