"""Positions of base Azul made up at random: valid, not reachable by play, and short of tiles.

Games from the opening are seldom short of tiles, and never without any; here most tiles lie on
the boards.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.reference.azul_table import FLOOR_SPACES, LETTERS, MARKER, NUMBERS, WALL
from tests.reference.tiles import Tiles, write_tiles

from .azul_build import write_seat
from .implementations import Position

Seat = dict[str, Any]
Wall = list[list[str]]


def made_up_position(rng: Random) -> Position:
    """Make up a position of any phase but `over`, with 20 tiles of each colour."""
    players = rng.choice([2, 3, 4])
    board = rng.choice(["coloured", "grey"])
    phase = rng.choice(["draft", "draft", "deal", "wall" if board == "grey" else "draft"])
    start_seat = rng.randrange(players)
    token = None if phase == "deal" else rng.choice([None, rng.randrange(players)])
    first = start_seat if token is None else token  # in phase B
    order = [(first + step) % players for step in range(players)]
    mover = rng.randrange(players)
    paid = {"draft": [], "deal": order, "wall": order[: order.index(mover)]}[phase]

    left = _all_tiles(rng)
    centre = _some(left, 1) if phase == "draft" else []  # something to take
    bag = _some(left, 1) if phase == "deal" else []  # something to draw
    fullness = rng.choice([1, rng.random()])
    seats: dict[int, Seat] = {}
    for seat in sorted(order, key=lambda seat: seat != mover):  # the mover while tiles abound
        wall = _wall(rng, board, fullness, left)
        full_row = rng.choice(NUMBERS) if phase == "wall" and seat == mover else None
        lines = _lines(wall, left, _sizes(rng, seat in paid, full_row))
        floor = [] if seat in paid else _some(left, rng.choice([0, rng.randint(0, FLOOR_SPACES)]))
        seats[seat] = {"wall": wall, "lines": lines, "floor": floor}
        if seat == token and seat not in paid:
            _lay_marker(rng, floor)

    displays: list[Tiles] = [[] for _ in range(2 * players + 1)]
    if phase == "draft":
        centre += _some(left, rng.choice([0, rng.randint(0, 12)]))
        displays = [_some(left, rng.choice([0, 4, rng.randint(0, 4)])) for _ in displays]
    bag += _some(left, rng.choice([0, rng.randint(0, 6), rng.randint(0, 40)]))
    return _position(
        rng, board=board, phase=phase, to_move=None if phase == "deal" else mover,
        start_seat=start_seat, token=token, displays=displays, centre=centre, bag=bag, lid=left,
        seats=[seats[seat] for seat in range(players)])


def made_up_ending(rng: Random) -> Position:
    """Make up the last drafts of a round of four players, nearly all tiles on the boards.

    The game ends with bonuses, or because nothing can be dealt, or goes on with few tiles.
    """
    players = 4
    board = rng.choice(["coloured", "grey"])
    left = _all_tiles(rng)
    last = _some(left, rng.randint(1, 4))
    walls = [_wall(rng, board, 1, left) for _ in range(players)]
    how_many_full = rng.choice([0, 0.1, 0.5])
    seats: list[Seat] = [
        {
            "wall": wall,
            "lines": _lines(wall, left, lambda row: row - (rng.random() >= how_many_full)),
            "floor": [],
        }
        for wall in walls
    ]
    if rng.random() < 0.5:
        rng.choice(seats)["floor"] += _some(left, FLOOR_SPACES)
    token = rng.choice([None, rng.randrange(players)])
    if token is not None:
        _lay_marker(rng, seats[token]["floor"])
    return _position(
        rng, board=board, phase="draft", to_move=rng.randrange(players),
        start_seat=rng.randrange(players), token=token,
        displays=[last, *[[] for _ in range(2 * players)]], centre=[], bag=[], lid=left,
        seats=seats)


def _position(rng: Random, *, phase: str, seats: list[Seat], **known: Any) -> Position:
    """Write a position in JSON form, with a round and scores."""
    return {
        "game": "azul",
        "board": known["board"],
        "round": rng.choice([50, 49, rng.randint(2, 48)]),
        "phase": phase,
        "to_move": known["to_move"],
        "start_seat": known["start_seat"],
        "token": known["token"],
        "displays": [write_tiles(tiles, LETTERS) for tiles in known["displays"]],
        "centre": write_tiles(known["centre"], LETTERS),
        "bag": write_tiles(known["bag"], LETTERS),
        "lid": write_tiles(known["lid"], LETTERS),
        "bag_size": len(known["bag"]),
        "seats": [write_seat(seat, rng.choice([0, 3, 10, rng.randint(0, 120)])) for seat in seats],
    }


def _all_tiles(rng: Random) -> Tiles:
    """Return 20 tiles of each colour in random order."""
    left = [letter for letter in LETTERS for _ in range(20)]
    rng.shuffle(left)
    return left


def _some(left: Tiles, count: int) -> Tiles:
    """Take up to `count` of the shuffled tiles that are left."""
    return [left.pop() for _ in range(min(count, len(left)))]


def _wall(rng: Random, board: str, fullness: float, left: Tiles) -> Wall:
    """Fill a wall at random as its side allows; every row keeps an empty space."""
    pattern = [list(row) for row in WALL]
    if board == "grey":
        rng.shuffle(pattern)  # no colour twice in a row or column
        by_column = rng.sample(range(5), 5)
        pattern = [[row[column] for column in by_column] for row in pattern]
    wall = [["."] * 5 for _ in NUMBERS]
    loose = board == "grey" and rng.random() < 0.5  # not just parts of a wall that can be filled
    for at, row in enumerate(wall):
        hole = rng.randrange(5)
        for column in range(5):
            colour = pattern[at][column]
            if loose:
                above = [line[column] for line in wall]
                colour = rng.choice([c for c in LETTERS if c not in above and c not in row] or "-")
            if column != hole and rng.random() < fullness and colour in left:
                left.remove(colour)
                row[column] = colour
    return wall


def _sizes(rng: Random, paid: bool, full_row: int | None) -> Callable[[int], int]:
    """Return a choice of how many tiles a line holds; a seat that has paid has no full line."""

    def size(row: int) -> int:
        most = row - 1 if paid else row
        return row if row == full_row else rng.choice([0, rng.randint(0, most), most])

    return size


def _lines(wall: Wall, left: Tiles, size: Callable[[int], int]) -> list[Tiles]:
    """Fill pattern lines, each with the colour of which most is left that its row allows."""
    lines: list[Tiles] = []
    for row in NUMBERS:
        allowed = [colour for colour in LETTERS if colour not in wall[row - 1]]
        colour = max(allowed, key=left.count)
        tiles = [colour] * min(size(row), left.count(colour))
        for tile in tiles:
            left.remove(tile)
        lines.append(tiles)
    return lines


def _lay_marker(rng: Random, floor: Tiles) -> None:
    """Lay the marker anywhere on a floor line, unless there is no space (B4, RULING)."""
    if len(floor) < FLOOR_SPACES:
        floor.insert(rng.randint(0, len(floor)), MARKER)
