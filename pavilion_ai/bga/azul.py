"""Reading the page of a table of base Azul."""

from __future__ import annotations

from pavilion_ai.bga.page import Node
from pavilion_ai.bga.table import CONFIRM, OVER, TOKEN, Table, has_token, letters
from pavilion_ai.errors import PositionError
from pavilion_ai.notation.tiles import NOTHING, parse_tiles
from pavilion_ai.position.azul_board import FLOOR_SPACES, MARKER, SIZE
from pavilion_ai.position.azul_round import TILES, Count, likely_rounds, rows_of, taken_as
from pavilion_ai.position.base import MAX_SCORE

COLOURS = "KWBYR"
"""Letters of the colours in the order of the page's types, which differs from the notation's."""
MANY_TILES = 200  # more than a floor line can ever receive

PHASES = {"chooseTile": "draft", "multiChooseColumns": "wall"}
_PLACE = ("tiles were taken and not yet placed; place them, or put them back, and save the page"
          " again")
WAITING = {
    "chooseFactory": _PLACE,
    "chooseLine": _PLACE,
    "confirmLine": CONFIRM,
    "gameEnd": OVER,
}


def read(page: Node) -> tuple[dict[str, object], list[str]]:
    """Return the JSON form of the position, and notes."""
    table = Table.read(page)
    if "specialFactories" in page:
        page["specialFactories"].refuse("a table without special displays")
    phase = table.phase(PHASES, WAITING)
    displays, centre, in_centre = table.factories(COLOURS)
    lines = [_by_line(player["lines"].items()) for player in table.players]
    token = table.token(in_centre, [seat for seat, rows in enumerate(lines) if has_token(rows[0])])
    start, notes = table.start(token)
    bag = page["remainingTiles"].number(0, TILES)
    mover = table.to_move() if phase == "draft" else start
    if phase == "draft" and in_centre:
        table.check_turn(mover, start, displays.count(NOTHING), bag)
    for player in table.players:
        if player["hand"].items():
            player["hand"].refuse("no tiles there: the state is newer than the boards, reload the"
                                  " page")
    walls = [_wall(player["wall"].items()) for player in table.players]
    on_walls, longest = rows_of(walls)
    on_table = sum(sum(parse_tiles(tiles, COLOURS)) for tiles in (*displays, centre))
    on_boards = sum(tile["type"].number(TOKEN, len(COLOURS)) != TOKEN
                    for rows in lines for line in rows for tile in line)
    spilled = any(len(rows[0]) >= FLOOR_SPACES for rows in lines)
    number, unsure = _round(
        Count(len(lines), bag, on_walls, longest, on_table + on_boards, spilled))
    notes += unsure
    if phase == "wall":
        _check_columns(page, lines[start], start)
        notes.append("on the site all players choose columns at once, here seat by seat")
    raw = {
        "game": "azul",
        "board": table.board(),
        "round": number,
        "phase": phase,
        "to_move": mover,
        "start_seat": start,
        "token": token,
        "displays": displays,
        "centre": centre,
        "bag_size": bag,
        "seats": [
            {
                "score": player["score"].number(0, MAX_SCORE),
                "lines": [letters(line, COLOURS) for line in rows[1:]],
                "wall": wall,
                "floor": _floor(rows[0]),
            }
            for player, rows, wall in zip(table.players, lines, walls, strict=True)
        ],
    }
    return raw, [*table.names(), *notes]


def _by_line(tiles: list[Node]) -> list[list[Node]]:
    """Return the tiles of the floor line (0) and the pattern lines, each from left to right."""
    lines: list[list[Node]] = [[] for _ in range(SIZE + 1)]
    for tile in sorted(tiles, key=lambda tile: tile["column"].number(0, MANY_TILES)):
        lines[tile["line"].number(0, SIZE)].append(tile)
    return lines


def _floor(tiles: list[Node]) -> str:
    """Return a floor line; tiles beyond its last space are in the lid (RULES B4.4)."""
    types = [tile["type"].number(TOKEN, len(COLOURS)) for tile in tiles[:FLOOR_SPACES]]
    return "".join(MARKER if kind == TOKEN else COLOURS[kind - 1] for kind in types) or NOTHING


def _wall(tiles: list[Node]) -> list[str]:
    """Return the rows of a wall."""
    rows = [["."] * SIZE for _ in range(SIZE)]
    for tile in tiles:
        row, column = tile["line"].number(1, SIZE), tile["column"].number(1, SIZE)
        if rows[row - 1][column - 1] != ".":
            tile["column"].refuse(f"no second tile in column {column} of this row")
        rows[row - 1][column - 1] = COLOURS[tile["type"].number(1, len(COLOURS)) - 1]
    return ["".join(row) for row in rows]


def _round(count: Count) -> tuple[int, list[str]]:
    """Return the round, and a note where the tiles do not decide it."""
    rounds = likely_rounds(count)
    return rounds[0], [] if len(rounds) == 1 else [
        f"the page does not show the round, and the tiles do not decide it: {taken_as(rounds)}"]


def _check_columns(page: Node, lines: list[list[Node]], seat: int) -> None:
    """Refuse a choice of columns in which the first seat has no full line.

    The rules score the floor line of such a seat at once, without a decision.
    """
    if not any(len(line) == row for row, line in enumerate(lines) if row):
        raise PositionError.at(
            "phase", f"{page.where}.gamestate.name", "found a choice of columns, but seat"
            f" {seat}, which comes first, has no full line; expected a position before or after"
            " it")
