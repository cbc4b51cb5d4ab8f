"""JSON Schema of the position's JSON form, generated from the field tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pavilion_ai.notation.tiles import tiles_pattern
from pavilion_ai.position import TABLES
from pavilion_ai.position import fields as kinds
from pavilion_ai.position.fields import Field, GameTable, size_of


def position_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a position of any game.

    It covers types, ranges and shapes. Rules on several fields (tile totals, board sides, phases)
    are beyond a schema; `pavilion_ai.position.validate` checks them.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pavilion-ai position, JSON form",
        "description": "Generated from pavilion_ai.position; do not edit. Unknown keys are"
                       " ignored. Tile totals, board sides and phases are checked beyond this.",
        "oneOf": [{"$ref": f"#/$defs/{game}"} for game in TABLES],
        "$defs": {name: schema for table in TABLES.values()
                  for name, schema in _definitions(table).items()},
    }


def _definitions(table: GameTable) -> dict[str, Any]:
    position = _object(table, table.fields)
    position["title"] = table.title
    return {
        table.game: position,
        f"{table.game}_seat": _object(table, table.seat_fields),
        f"{table.game}_tiles": {
            "description": "A tile multiset: letters with counts, such as"
                           f" 2{table.letters[0]}{table.letters[1]}; - is empty.",
            "type": "string",
            "pattern": tiles_pattern(table.letters),
        },
    }


def _object(table: GameTable, fields: Iterable[Field]) -> dict[str, Any]:
    fields = list(fields)
    return {
        "type": "object",
        "properties": {
            field.name: {"description": field.doc, **_schema(field.kind, table, bool(field.unseen))}
            for field in fields},
        "required": [field.name for field in fields if not field.unseen and field.phase is None],
        **_phase_keys(fields),
    }


def _phase_keys(fields: list[Field]) -> dict[str, Any]:
    """Require the keys that exist in one phase only there."""
    rules = [{"if": {"properties": {"phase": {"const": field.phase}}, "required": ["phase"]},
              "then": {"required": [field.name]}}
             for field in fields if field.phase is not None]
    return {"allOf": rules} if rules else {}


def _schema(kind: kinds.Kind, table: GameTable, nullable: bool) -> dict[str, Any]:
    if isinstance(kind, kinds.Choice):
        return {"enum": list(kind.options)}
    if isinstance(kind, kinds.Integer):
        return {"type": ["integer", "null"] if nullable else "integer",
                "minimum": kind.low, "maximum": kind.high}
    if isinstance(kind, kinds.SeatNumber):
        return {"type": ["integer", "null"] if kind.nullable else "integer",
                "minimum": 0, "maximum": kinds.Seats.high - 1}
    if isinstance(kind, kinds.Flag):
        return {"type": "boolean"}
    if isinstance(kind, kinds.Multiset):
        reference = {"$ref": f"#/$defs/{table.game}_tiles"}
        return {"anyOf": [reference, {"type": "null"}]} if nullable else reference
    if isinstance(kind, kinds.MultisetList):
        return {"type": "array", "items": {"$ref": f"#/$defs/{table.game}_tiles"},
                "minItems": 2 * kinds.Seats.low + 1, "maxItems": 2 * kinds.Seats.high + 1}
    if isinstance(kind, kinds.Rows):
        return {"type": "object", "properties": dict.fromkeys(kind.names, _row(kind, table)),
                "required": list(kind.names)}
    if isinstance(kind, (kinds.Lines, kinds.Grid)):
        item = ({"$ref": f"#/$defs/{table.game}_tiles"} if isinstance(kind, kinds.Lines)
                else _row(kind, table))
        return {"type": "array", "items": item,
                "minItems": size_of(kind), "maxItems": size_of(kind)}
    if isinstance(kind, kinds.Track):
        tiles = f"[{table.letters}]*"
        return {"type": "string", "minLength": 1, "maxLength": kind.limit,
                "pattern": f"^(-|{tiles}\\{kind.mark}?{tiles})$"}
    return {"type": "array", "items": {"$ref": f"#/$defs/{table.game}_seat"},
            "minItems": kind.low, "maxItems": kind.high}


def _row(kind: kinds.Rows | kinds.Grid, table: GameTable) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^[{table.letters}.]{{{kind.width}}}$"}
