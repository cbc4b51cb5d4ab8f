"""The text form of a position: a block that a person can read and type.

One `key: value` per line, in any order; `#` starts a comment; `seat 0:` opens the lines of a
seat. Keys are those of the JSON form with spaces for underscores. Missing values take a default,
and every default is reported. An unknown key is named in a note, as it may be a typing error. In a
text without `game:`, which need not be a position, it is an error.

Reading turns the block into the raw JSON form and remembers where each value stood; the JSON
reader does the rest, and its problems get line and column back.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from pavilion_ai.notation.json_form import Reading, note_of_unused, read_mapping, to_json
from pavilion_ai.notation.text_block import MAX_LINES, Block, key_of, key_value
from pavilion_ai.notation.tiles import NOTHING
from pavilion_ai.position import TABLES, Position, table_of
from pavilion_ai.position.fields import (
    Field,
    Flag,
    GameTable,
    Grid,
    Lines,
    MultisetList,
    Rows,
    SeatNumber,
    Seats,
    size_of,
)


def to_text(position: Position) -> str:
    """Return the text form, several lines with a newline after each."""
    table = table_of(position)
    raw = to_json(position)
    lines = [f"# {table.title}"]
    for part in table.fields:
        if part.name in raw and not isinstance(part.kind, Seats):
            lines.append(f"{key_of(part.name)}: {_written(part, raw[part.name])}")
    seats: Any = raw["seats"]
    for index, seat in enumerate(seats):
        lines.append(f"\nseat {index}:")
        lines += [f"  {key_of(part.name)}: {_written(part, seat[part.name])}"
                  for part in table.seat_fields]
    return "\n".join(lines) + "\n"


def _written(part: Field, value: Any) -> str:
    if isinstance(part.kind, (MultisetList, Lines, Grid)):
        return " ".join(value)
    if isinstance(part.kind, Rows):
        return " ".join(f"{name} {row}" for name, row in value.items())
    if isinstance(part.kind, Flag):
        return "yes" if value else "no"
    if value is None:
        return part.kind.nobody if isinstance(part.kind, SeatNumber) else "?"
    return str(value)


def _taken(part: Field, value: Any) -> str:
    """Return what a missing field is taken as, in a word for no tiles."""
    text = _written(part, value)
    return "empty" if text == NOTHING else text


def looks_like_text(text: str) -> bool:
    """Tell whether any line of `text` is a `key: value` line with a key of a game."""
    blocks = [Block(table) for table in TABLES.values()]
    lines = islice(filter(None, map(key_value, text.splitlines())), MAX_LINES)
    return any(block.knows(line.key) for line in lines for block in blocks)


def read_text(text: str) -> Reading:
    """Read the text form and find everything wrong with it."""
    block = Block(_table(text))
    block.read(text)
    named = "game" in block.raw
    notes = _fill(block)
    reading = read_mapping(block.raw)
    if block.raw["game"] not in TABLES:  # without the game its keys have no meaning
        return Reading(None, [block.located(problem) for problem in reading.problems], [])
    if block.problems or block.refused or reading.problems or not named:
        block.refused += block.unused
    block.refuse_keys()
    problems = block.problems + [block.located(problem) for problem in reading.problems]
    problems.sort(key=lambda problem: (
        problem.line is None, problem.line or 0, problem.column or 0))
    notes += reading.notes + note_of_unused(block.told_unused())
    return Reading(None if problems else reading.position, problems, notes)


def _table(text: str) -> GameTable:
    """Return the table of the game that the text names, or else the one whose keys fit best."""
    found = filter(None, map(key_value, text.splitlines()))
    lines = [(line.key.lower(), line.value) for line in islice(found, MAX_LINES)]
    for key, value in lines:
        if key == "game" and value in TABLES:
            return TABLES[value]
    return max(TABLES.values(), key=lambda table: sum(
        Block(table).knows(key) for key, _ in lines))


def _fill(block: Block) -> list[str]:
    """Assemble the lists, add the defaults, and return a note for each default."""
    notes: list[str] = []
    table, raw = block.table, block.raw
    count = _count_seats(block, notes)
    seats = [block.seats.get(index, {}) for index in range(count)]
    raw["seats"] = seats
    if "game" not in raw:
        raw["game"] = table.game
        notes.append(f"game: not given, taken as {table.game}")
    for part in table.fields:
        if isinstance(part.kind, MultisetList) and part.name not in raw:
            _fill_displays(block, part.name, part.kind, 2 * count + 1, notes)
    for index, seat in enumerate(seats):
        notes += _fill_seat(block, index, seat)
    return notes + _fill_fields(table, raw)


def _fill_displays(
    block: Block, name: str, kind: MultisetList, count: int, notes: list[str]
) -> None:
    """Assemble the list of displays; those that are not given are empty."""
    given = block.items.get(name, {})
    many = max(count, max(given, default=-1) + 1)
    block.raw[name] = [given.get(index, NOTHING) for index in range(many)]
    if many > count:  # told where the last one stands
        block.places.setdefault(name, block.places[f"{name}[{many - 1}]"])
    missing = ", ".join(str(index + 1) for index in range(count) if index not in given)
    if missing:
        notes.append(f"{kind.item} {missing}: not given, taken as empty" if given
                     else f"{name}: not given, taken as empty")


def _count_seats(block: Block, notes: list[str]) -> int:
    """Return the number of seats: as given, or deduced from the seats and displays."""
    found = max(block.seats, default=-1) + 1
    if block.players is not None and found <= block.players:
        return block.players
    if block.players is not None:
        block.report("range", "players", f"found {block.players}, but there is a seat"
                     f" {found - 1} (seats are counted from 0)",
                     block.places[f"seats[{found - 1}]"])
        return min(found, Seats.high)
    displays = len(block.raw.get("displays", block.items.get("displays", ())))
    by_displays = (displays - 1) // 2 if displays in (5, 7, 9) else Seats.low
    if displays in (5, 7, 9) and found == by_displays + 1 and 0 not in block.seats:
        block.report("range", "seats", f"found seats 1 to {found - 1}, but no seat 0 (seats are"
                     " counted from 0)", block.places[f"seats[{found - 1}]"])
        return by_displays
    count = min(max(found, by_displays), Seats.high)
    if count > found:
        notes.append(f"players: not given, taken as {count}")
    return count


def _fill_fields(table: GameTable, raw: dict[str, Any]) -> list[str]:
    """Add the missing fields of the position; return a note for each."""
    notes = []
    defaults: Mapping[str, object] = table.defaults(raw)
    for part in table.fields:
        name = part.name
        phase = raw.get("phase", defaults.get("phase"))
        if name in raw or part.unseen or part.phase not in (None, phase):
            continue
        raw[name] = defaults[name]
        notes.append(f"{key_of(name)}: not given, taken as {_taken(part, raw[name])}")
    return notes


def _fill_seat(block: Block, index: int, seat: dict[str, Any]) -> list[str]:
    """Add the missing fields of one seat; return a note on them, if any."""
    taken = []
    defaults: Mapping[str, object] = block.table.seat_defaults(block.raw)
    for part in block.table.seat_fields:
        kind, empty = part.kind, list[str]()
        if isinstance(kind, Rows):
            rows = seat.setdefault(part.name, {})
            empty = [name for name in kind.names if name not in rows]
            rows.update(dict.fromkeys(empty, "." * kind.width))
        elif part.name not in seat and isinstance(kind, (Lines, Grid)):
            given = block.items.get(f"seats[{index}].{part.name}", {})
            nothing = "." * kind.width if isinstance(kind, Grid) else NOTHING
            seat[part.name] = [given.get(number, nothing) for number in range(size_of(kind))]
            empty = [str(number + 1) for number in range(size_of(kind)) if number not in given]
        elif part.name not in seat:
            seat[part.name] = defaults[part.name]
            taken.append(f"{key_of(part.name)} {_taken(part, seat[part.name])}")
        if empty:
            taken.append(f"{key_of(part.name)} {' '.join(empty)} empty")
    return [f"seat {index}: not given, taken as {', '.join(taken)}"] if taken else []
