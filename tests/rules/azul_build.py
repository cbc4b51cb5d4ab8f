"""A builder of valid positions of base Azul from the few things that an example mentions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.reference.azul_table import LETTERS, NUMBERS, TILES_PER_COLOUR, WALL
from tests.reference.tiles import Tiles, take, write_tiles

from .implementations import Position, Rules
from .summer_build import all_displays, tiles

Seat = dict[str, Any]


def wall(filled: str) -> list[list[str]]:
    """Draw a wall from `1.2 4.5:Y`, row and column; without a colour it is the coloured wall's."""
    rows = [["."] * 5 for _ in NUMBERS]
    for space in filled.split():
        where, _, colour = space.partition(":")
        row, column = (int(number) for number in where.split("."))
        rows[row - 1][column - 1] = colour or WALL[row - 1][column - 1]
    return rows


def seat_of(score: int, lines: Mapping[int, str], filled: str, floor: str) -> Seat:
    """Make a seat; `lines` are named by their number."""
    return {
        "score": score,
        "lines": [tiles(lines.get(row, "")) for row in NUMBERS],
        "wall": wall(filled),
        "floor": list(floor),
    }


def build(
    *,
    players: int = 2,
    board: str = "coloured",
    round: int = 2,
    phase: str = "draft",
    to_move: int | None = 0,
    start_seat: int = 0,
    token: int | None = None,
    displays: Sequence[str] = (),
    centre: str = "",
    bag: str = "",
    lid: str = "",
    scores: Mapping[int, int] | None = None,
    lines: Mapping[int, Mapping[int, str]] | None = None,
    filled: Mapping[int, str] | None = None,
    floors: Mapping[int, str] | None = None,
    crowd: int = 0,
    rest: str = "bag",
) -> Position:
    """Complete a position with 20 tiles of each colour.

    So many tiles as `crowd` says are laid on the boards besides those named, in rows that stay
    incomplete and lines that stay unfinished. What is then left goes where `rest` says: `bag` or
    `lid`.
    """
    seats = [
        seat_of(
            (scores or {}).get(seat, 0),
            (lines or {}).get(seat, {}),
            (filled or {}).get(seat, ""),
            (floors or {}).get(seat, ""),
        )
        for seat in range(players)
    ]
    shown = all_displays(players, displays)
    places = {"centre": tiles(centre), "bag": tiles(bag), "lid": tiles(lid)}

    left = [letter for letter in LETTERS for _ in range(TILES_PER_COLOUR)]
    for some in [*shown, *places.values()]:
        take(left, some)
    for seat in seats:
        for some in [*seat["lines"], *seat["wall"], seat["floor"]]:
            take(left, [tile for tile in some if tile in LETTERS])
    fill_boards(seats, left, crowd)
    places[rest] += left

    return {
        "game": "azul",
        "board": board,
        "round": round,
        "phase": phase,
        "to_move": to_move,
        "start_seat": start_seat,
        "token": token,
        "displays": [write_tiles(some, LETTERS) for some in shown],
        **{name: write_tiles(some, LETTERS) for name, some in places.items()},
        "bag_size": len(places["bag"]),
        "seats": [write_seat(seat, seat["score"]) for seat in seats],
    }


def write_seat(seat: Seat, score: int) -> Seat:
    """Write a seat in JSON form."""
    return {
        "score": score,
        "lines": [write_tiles(line, LETTERS) for line in seat["lines"]],
        "wall": ["".join(row) for row in seat["wall"]],
        "floor": "".join(seat["floor"]) or "-",
    }


def fill_boards(seats: list[Seat], left: Tiles, count: int) -> None:
    """Lay `count` of the tiles left on empty spaces of the coloured wall and of the lines.

    A row lacks one colour: that of its line, or another one in each row and for each seat.
    """
    for at, seat in enumerate(seats):
        for row in NUMBERS:
            line, spaces = seat["lines"][row - 1], seat["wall"][row - 1]
            lacking = line[0] if line else LETTERS[(row - 1 + at) % 5]
            for column, colour in enumerate(WALL[row - 1]):
                wanted = spaces[column] == "." and colour != lacking and colour in left
                if count and wanted:
                    left.remove(colour)
                    spaces[column] = colour
                    count -= 1
    for at, seat in enumerate(seats):
        for row in NUMBERS:
            line = seat["lines"][row - 1]
            lacking = line[0] if line else LETTERS[(row - 1 + at) % 5]
            while count and len(line) < row - 1 and lacking in left:
                left.remove(lacking)
                line.append(lacking)
                count -= 1
    if count:
        raise ValueError(f"{count} of {write_tiles(left, LETTERS)} do not fit on the boards")


def play(rules: Rules, position: Position, *moves: str) -> Position:
    """Play moves one after the other, explicit deals included."""
    for move in moves:
        position = rules.apply(position, move)
    return position


def tiled(rules: Rules, **known: Any) -> Position:
    """Play phase B of a round: seat 1 takes the last tile, to a line that it does not fill.

    Columns of a grey wall are then chosen one by one.
    """
    lines = dict(known.pop("lines", {}))
    lines[1] = {**lines.get(1, {}), 5: "K"}
    start = build(displays=["K"], to_move=1, lines=lines, **known)
    return rules.apply(start, "D1:K>5")


def scores(position: Position) -> list[int]:
    """Return the scores by seat."""
    return [seat["score"] for seat in position["seats"]]


def lid(position: Position) -> Tiles:
    """Return the tiles in the lid."""
    return tiles(position["lid"])


def floor(position: Position, seat: int = 0) -> str:
    """Return the floor line of a seat."""
    text: str = position["seats"][seat]["floor"]
    return text


def line(position: Position, row: int, seat: int = 0) -> str:
    """Return a pattern line of a seat."""
    text: str = position["seats"][seat]["lines"][row - 1]
    return text


def wall_row(position: Position, row: int) -> str:
    """Return a row of seat 0's wall."""
    text: str = position["seats"][0]["wall"][row - 1]
    return text


def of(moves: Sequence[str], *starts: str) -> list[str]:
    """Pick the moves that begin with one of the given texts."""
    return [move for move in moves if move.startswith(starts)]
