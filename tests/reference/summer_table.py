"""A position of Summer Pavilion read into lists of letters, here called a table.

The table has the keys of the JSON form of CONTRACT.md section 1; every tile text is a list of
letters, every star a list of six letters or dots.
"""

from typing import Any

from .summer_geometry import SITES
from .tiles import LETTERS, Tiles, read_tiles, take, write_tiles

Position = dict[str, Any]
Table = dict[str, Any]

SUPPLY_SPACES = 10  # A1
TILES_PER_COLOUR = 22  # A1
LAST_ROUND = 6  # A5


def read_table(position: Position) -> Table:
    """Read the tile texts of a position into lists of letters."""
    table: Table = {
        "board": position["board"],
        "round": position["round"],
        "phase": position["phase"],
        "to_move": position["to_move"],
        "start_seat": position["start_seat"],
        "token": position["token"],
        "bonus_due": position["bonus_due"],
        "displays": [read_tiles(text) for text in position["displays"]],
        "centre": read_tiles(position["centre"]),
        "supply": read_tiles(position["supply"]),
        "bag": None if position["bag"] is None else read_tiles(position["bag"]),
        "tower": None if position["tower"] is None else read_tiles(position["tower"]),
        "bag_size": position["bag_size"],
        "seats": [],
        "next_to_move": position.get("next_to_move"),
    }
    for seat in position["seats"]:
        table["seats"].append(
            {
                "score": seat["score"],
                "hand": read_tiles(seat["hand"]),
                "kept": read_tiles(seat["kept"]),
                "passed": seat["passed"],
                "stars": {site: list(seat["stars"][site]) for site in SITES},
            }
        )
    return table


def write_position(table: Table) -> Position:
    """Write a table in the JSON form of CONTRACT.md section 1."""
    known = table["bag"] is not None
    position: Position = {
        "game": "summer",
        "board": table["board"],
        "round": table["round"],
        "phase": table["phase"],
        "to_move": table["to_move"],
        "start_seat": table["start_seat"],
        "token": table["token"],
        "bonus_due": table["bonus_due"],
        "displays": [write_tiles(tiles) for tiles in table["displays"]],
        "centre": write_tiles(table["centre"]),
        "supply": write_tiles(table["supply"]),
        "bag": write_tiles(table["bag"]) if known else None,
        "tower": write_tiles(table["tower"]) if known else None,
        "bag_size": len(table["bag"]) if known else table["bag_size"],
        "seats": [
            {
                "score": seat["score"],
                "hand": write_tiles(seat["hand"]),
                "kept": write_tiles(seat["kept"]),
                "passed": seat["passed"],
                "stars": {site: "".join(seat["stars"][site]) for site in SITES},
            }
            for seat in table["seats"]
        ],
    }
    if table["phase"] == "supply":
        position["next_to_move"] = table["next_to_move"]
    return position


def copy_table(table: Table) -> Table:
    """Copy a table so that nothing is shared with the original."""
    copy = dict(table)
    copy["displays"] = [list(tiles) for tiles in table["displays"]]
    for name in ["centre", "supply", "bag", "tower"]:
        copy[name] = None if table[name] is None else list(table[name])
    copy["seats"] = [
        {
            **seat,
            "hand": list(seat["hand"]),
            "kept": list(seat["kept"]),
            "stars": {site: list(star) for site, star in seat["stars"].items()},
        }
        for seat in table["seats"]
    ]
    return copy


def wild(table: Table) -> str:
    """Return the wild colour, which depends only on the round (A5)."""
    return LETTERS[int(table["round"]) - 1]


def unseen(table: Table) -> Tiles:
    """Return the tiles in bag and tower together: what is left of 22 a colour (A13)."""
    rest = [letter for letter in LETTERS for _ in range(TILES_PER_COLOUR)]
    for tiles in [*table["displays"], table["centre"], table["supply"]]:
        take(rest, tiles)
    for seat in table["seats"]:
        take(rest, seat["hand"])
        take(rest, seat["kept"])
        for star in seat["stars"].values():
            take(rest, [letter for letter in star if letter != "."])
    return rest


def lose(seat: dict[str, Any], points: int) -> None:
    """Apply a loss: the score never falls below 1 (A11)."""
    seat["score"] = max(1, seat["score"] - points)


def discard(table: Table, tiles: Tiles) -> None:
    """Put tiles into the tower (A7.3, A7.8)."""
    if table["tower"] is not None:  # with an unknown split they just become unseen
        table["tower"] += tiles


def drawable(table: Table) -> int:
    """Return how many tiles could be drawn: those of the bag and of the tower (A9)."""
    if table["bag"] is None:
        return len(unseen(table))
    return len(table["bag"]) + len(table["tower"])
