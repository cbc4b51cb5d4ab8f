"""Phases B and C, wall-tiling and what follows; the end of the game: RULES.md B5 to B9."""

from .azul_table import (
    LAST_ROUND,
    LETTERS,
    MARKER,
    NUMBERS,
    WALL,
    Seat,
    Table,
    coming_start,
    discard,
    drawable,
    drop,
    full,
)

PENALTIES = [1, 1, 2, 2, 2, 3, 3]  # B2, left to right
ROW_POINTS = 2  # B9
COLUMN_POINTS = 7
COLOUR_POINTS = 10

FLOOR = "F"  # CONTRACT.md: `wall:2>F` when no column is legal


def begin_tiling(table: Table) -> None:
    """Begin phase B with the start player of the coming round (B5, RULING)."""
    table["phase"] = "wall"
    table["to_move"] = coming_start(table)
    go_on_tiling(table)


def go_on_tiling(table: Table) -> None:
    """Go on up to the next choice of a column, or to the end of phase B (B5)."""
    while table["phase"] == "wall":
        seat = table["seats"][table["to_move"]]
        rows = [row for row in NUMBERS if full(seat, row)]
        if rows and table["board"] == "grey":
            return  # a decision (B8), also with one column or none
        for row in rows:
            column = WALL[row - 1].index(seat["lines"][row - 1][0]) + 1
            lay(table, seat, row, column)
        pay_floor(table, seat)
        table["to_move"] = (table["to_move"] + 1) % len(table["seats"])
        if table["to_move"] == coming_start(table):
            end_round(table)


def column_moves(table: Table) -> list[str]:
    """List the columns for the topmost full line of the mover (B8)."""
    seat = table["seats"][table["to_move"]]
    row = next(row for row in NUMBERS if full(seat, row))
    columns = legal_columns(seat, row, seat["lines"][row - 1][0])
    return [f"wall:{row}>{column}" for column in columns] or [f"wall:{row}>{FLOOR}"]


def legal_columns(seat: Seat, row: int, colour: str) -> list[int]:
    """List the empty spaces of a row in whose column the colour does not occur (B8)."""
    if colour in seat["wall"][row - 1]:
        return []
    return [
        column
        for column in NUMBERS
        if seat["wall"][row - 1][column - 1] == "."
        and all(other[column - 1] != colour for other in seat["wall"])
    ]


def apply_column(table: Table, move: str) -> None:
    """Move the tile of a full line to the wall, or the whole line to the floor line (B8)."""
    row, column = move.removeprefix("wall:").split(">")
    seat = table["seats"][table["to_move"]]
    if column == FLOOR:
        drop(table, seat, seat["lines"][int(row) - 1])
        seat["lines"][int(row) - 1] = []
    else:
        lay(table, seat, int(row), int(column))
    go_on_tiling(table)


def lay(table: Table, seat: Seat, row: int, column: int) -> None:
    """Lay a tile of a full line on the wall, score it and empty the line (B5.1)."""
    line = seat["lines"][row - 1]
    seat["wall"][row - 1][column - 1] = line[0]
    seat["score"] += tile_points(seat["wall"], row, column)
    discard(table, line[1:])
    seat["lines"][row - 1] = []


def tile_points(wall: list[list[str]], row: int, column: int) -> int:
    """Return the points for the tile just laid (B6)."""
    h = run(wall[row - 1], column)
    v = run([line[column - 1] for line in wall], row)
    points = (h if h > 1 else 0) + (v if v > 1 else 0)
    return points if points > 0 else 1


def run(spaces: list[str], at: int) -> int:
    """Return the length of the unbroken run of tiles through a space, numbered from 1 (B6)."""
    first = last = at
    while first > 1 and spaces[first - 2] != ".":
        first -= 1
    while last < len(spaces) and spaces[last] != ".":
        last += 1
    return last - first + 1


def pay_floor(table: Table, seat: Seat) -> None:
    """Subtract the penalties of the floor line and empty it (B5.2)."""
    lost = sum(PENALTIES[: len(seat["floor"])])
    seat["score"] = max(0, seat["score"] - lost)
    discard(table, [tile for tile in seat["floor"] if tile != MARKER])
    seat["floor"] = []


def end_round(table: Table) -> None:
    """End the game, or prepare the next round up to the deal (B7, B9)."""
    table["to_move"] = None
    won = any("." not in row for seat in table["seats"] for row in seat["wall"])
    if won or table["round"] == LAST_ROUND or drawable(table) == 0:
        finish(table)
        return
    table["round"] += 1
    table["start_seat"] = coming_start(table)
    table["token"] = None
    table["phase"] = "deal"


def finish(table: Table) -> None:
    """End the game and add the bonuses (B9)."""
    table["phase"] = "over"
    for seat in table["seats"]:
        wall = seat["wall"]
        seat["score"] += row_points(wall) + column_points(wall) + colour_points(wall)


def complete_rows(wall: list[list[str]]) -> int:
    """Return the number of complete rows."""
    return len([row for row in wall if "." not in row])


def row_points(wall: list[list[str]]) -> int:
    """Return the bonus for complete rows (B9)."""
    return ROW_POINTS * complete_rows(wall)


def column_points(wall: list[list[str]]) -> int:
    """Return the bonus for complete columns (B9)."""
    columns = [[row[column - 1] for row in wall] for column in NUMBERS]
    return COLUMN_POINTS * len([column for column in columns if "." not in column])


def colour_points(wall: list[list[str]]) -> int:
    """Return the bonus for colours of which all five tiles are on the wall (B9)."""
    tiles = [tile for row in wall for tile in row]
    return COLOUR_POINTS * len([letter for letter in LETTERS if tiles.count(letter) == 5])
