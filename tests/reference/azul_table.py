"""A position of base Azul read into lists of letters, here called a table.

The table has the keys of the JSON form of CONTRACT.md section 1. Every tile text is a list of
letters, a pattern line as well; a wall is a list of five rows of letters or dots; a floor line is
a list in which `*` is the marker. Rows and columns are numbered from 1, as RULES.md does.
"""

from typing import Any

from .tiles import Tiles, read_tiles, take, write_tiles

Position = dict[str, Any]
Table = dict[str, Any]
Seat = dict[str, Any]

LETTERS = ["B", "Y", "R", "K", "W"]  # B1, in the order of CONTRACT.md
NUMBERS = [1, 2, 3, 4, 5]  # B2: rows, and the line left of each; columns
TILES_PER_COLOUR = 20  # B1
FLOOR_SPACES = 7  # B1
MARKER = "*"
LAST_ROUND = 50  # B9, max_rounds

# B2: the coloured wall.
WALL = ["BYRKW", "WBYRK", "KWBYR", "RKWBY", "YRKWB"]


def read_table(position: Position) -> Table:
    """Read the tile texts of a position into lists of letters."""
    table: Table = {
        "board": position["board"],
        "round": position["round"],
        "phase": position["phase"],
        "to_move": position["to_move"],
        "start_seat": position["start_seat"],
        "token": position["token"],
        "displays": [read_tiles(text, LETTERS) for text in position["displays"]],
        "centre": read_tiles(position["centre"], LETTERS),
        "bag": None if position["bag"] is None else read_tiles(position["bag"], LETTERS),
        "lid": None if position["lid"] is None else read_tiles(position["lid"], LETTERS),
        "bag_size": position["bag_size"],
        "seats": [],
    }
    for seat in position["seats"]:
        table["seats"].append(
            {
                "score": seat["score"],
                "lines": [read_tiles(text, LETTERS) for text in seat["lines"]],
                "wall": [list(row) for row in seat["wall"]],
                "floor": list(seat["floor"].replace("-", "")),
            }
        )
    return table


def write_position(table: Table) -> Position:
    """Write a table in the JSON form of CONTRACT.md section 1."""
    known = table["bag"] is not None
    return {
        "game": "azul",
        "board": table["board"],
        "round": table["round"],
        "phase": table["phase"],
        "to_move": table["to_move"],
        "start_seat": table["start_seat"],
        "token": table["token"],
        "displays": [write_tiles(tiles, LETTERS) for tiles in table["displays"]],
        "centre": write_tiles(table["centre"], LETTERS),
        "bag": write_tiles(table["bag"], LETTERS) if known else None,
        "lid": write_tiles(table["lid"], LETTERS) if known else None,
        "bag_size": len(table["bag"]) if known else table["bag_size"],
        "seats": [
            {
                "score": seat["score"],
                "lines": [write_tiles(tiles, LETTERS) for tiles in seat["lines"]],
                "wall": ["".join(row) for row in seat["wall"]],
                "floor": "".join(seat["floor"]) or "-",
            }
            for seat in table["seats"]
        ],
    }


def copy_table(table: Table) -> Table:
    """Copy a table so that nothing is shared with the original."""
    copy = dict(table)
    copy["displays"] = [list(tiles) for tiles in table["displays"]]
    for name in ["centre", "bag", "lid"]:
        copy[name] = None if table[name] is None else list(table[name])
    copy["seats"] = [
        {
            "score": seat["score"],
            "lines": [list(tiles) for tiles in seat["lines"]],
            "wall": [list(row) for row in seat["wall"]],
            "floor": list(seat["floor"]),
        }
        for seat in table["seats"]
    ]
    return copy


def unseen(table: Table) -> Tiles:
    """Return the tiles in bag and lid together: what is left of 20 a colour."""
    rest = [letter for letter in LETTERS for _ in range(TILES_PER_COLOUR)]
    for tiles in [*table["displays"], table["centre"]]:
        take(rest, tiles)
    for seat in table["seats"]:
        for tiles in seat["lines"]:
            take(rest, tiles)
        for row in seat["wall"]:
            take(rest, [letter for letter in row if letter != "."])
        take(rest, [letter for letter in seat["floor"] if letter != MARKER])
    return rest


def discard(table: Table, tiles: Tiles) -> None:
    """Put tiles into the lid (B4.4, B5)."""
    if table["lid"] is not None:  # with an unknown split they just become unseen
        table["lid"] += tiles


def drop(table: Table, seat: Seat, tiles: Tiles) -> None:
    """Put tiles on the floor line left to right, those without a space into the lid (B4.4)."""
    for tile in tiles:
        if len(seat["floor"]) < FLOOR_SPACES:
            seat["floor"].append(tile)
        else:
            discard(table, [tile])


def drawable(table: Table) -> int:
    """Return how many tiles could be drawn: those of the bag and of the lid (B7)."""
    if table["bag"] is None:
        return len(unseen(table))
    return len(table["bag"]) + len(table["lid"])


def full(seat: Seat, row: int) -> bool:
    """Tell whether a pattern line is full; line r has r spaces (B1)."""
    return len(seat["lines"][row - 1]) == row


def coming_start(table: Table) -> int:
    """Return who begins the coming round: the marker's holder, if anybody took it (B4, B7)."""
    seat = table["start_seat"] if table["token"] is None else table["token"]
    return int(seat)
