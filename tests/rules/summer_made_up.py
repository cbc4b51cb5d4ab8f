"""Positions made up at random: valid, not reachable by play, and short of tiles.

Games from the opening hardly ever run out of tiles; these positions hold only a few tiles in bag
and tower, so that the supply stays short, displays stay empty and rounds begin without tiles.
"""

from random import Random
from typing import Any

from tests.reference.summer_geometry import CENTRE, SITES, STAR_COLOUR
from tests.reference.tiles import LETTERS, Tiles, write_tiles

from .implementations import Position


def made_up_position(rng: Random) -> Position:
    """Make up a position of any phase but `over`, with 22 tiles of each colour."""
    players = rng.choice([2, 3, 4])
    board = rng.choice(["coloured", "grey"])
    phase = rng.choice(["draft", "place", "place", "bonus", "supply", "deal"])
    number = rng.randint(2 if phase == "deal" else 1, 6)
    mover = rng.randrange(players)
    left = [letter for letter in LETTERS for _ in range(22)]
    fullness = rng.uniform(0, 0.65)  # 4 boards of 42 spaces: some 20 tiles are always left
    seats = [_seat(rng, board, fullness, left) for _ in range(players)]
    rng.shuffle(left)
    _let_some_pass(rng, seats, mover, phase, number, left)

    displays: list[Tiles] = [[] for _ in range(2 * players + 1)]
    centre: Tiles = []
    if phase == "draft":
        displays[0] = _some(left, rng.randint(1, 4))
        displays[1:] = [_some(left, rng.choice([0, 4, rng.randint(0, 4)])) for _ in displays[1:]]
        centre = _some(left, rng.choice([0, rng.randint(0, 8)]))
    supply = _some(left, _supply_size(rng, phase))
    tower = _some(left, 1) if phase in ["supply", "deal"] else []  # something to draw
    bag = _some(left, rng.choice([0, rng.randint(0, 6), rng.randint(0, 40)]))
    tower += _some(left, rng.choice([0, rng.randint(0, 6), rng.randint(0, 40)]))
    active = [seat for seat in seats if not seat["passed"]]
    for tile in left:  # all others are in hands, so that bag and tower stay short
        rng.choice(active)["hand"].append(tile) if active else tower.append(tile)

    position: Position = {
        "game": "summer",
        "board": board,
        "round": number,
        "phase": phase,
        "to_move": None if phase in ["supply", "deal"] else mover,
        "start_seat": rng.randrange(players),
        "token": None if phase == "deal" else rng.choice([None, rng.randrange(players)]),
        "bonus_due": rng.randint(1, min(3, len(supply))) if phase == "bonus" else 0,
        "displays": [write_tiles(tiles) for tiles in displays],
        "centre": write_tiles(centre),
        "supply": write_tiles(supply),
        "bag": write_tiles(bag),
        "tower": write_tiles(tower),
        "bag_size": len(bag),
        "seats": [
            {**seat, "hand": write_tiles(seat["hand"]), "kept": write_tiles(seat["kept"])}
            for seat in seats
        ],
    }
    if phase == "supply":
        position["next_to_move"] = mover if active else None
    return position


def made_up_ending(rng: Random) -> Position:
    """Make up the last turn of a round: boards nearly full, all seats but one have passed.

    The boards hold so many tiles that final bonuses are won, and that often nothing at all can be
    drawn for the next round.
    """
    players = rng.choice([2, 3, 4])
    board = rng.choice(["coloured", "grey"])
    number = rng.choice([6, rng.randint(1, 5)])
    mover = rng.randrange(players)
    left = [letter for letter in LETTERS for _ in range(22)]
    rng.shuffle(left)
    supply = _some(left, rng.choice([10, rng.randint(0, 10)]))
    hand = _some(left, rng.randint(0, 6))
    fullness = rng.choice([1, rng.uniform(0.8, 1)])
    seats = [_seat(rng, board, fullness, left) for _ in range(players)]
    for at, seat in enumerate(seats):
        seat["passed"] = at != mover
        seat["hand"] = write_tiles(hand) if at == mover else "-"
        seat["kept"] = write_tiles(_some(left, 4) if at != mover and number < 6 else [])
    return {
        "game": "summer",
        "board": board,
        "round": number,
        "phase": "place",
        "to_move": mover,
        "start_seat": rng.randrange(players),
        "token": rng.choice([None, rng.randrange(players)]),
        "bonus_due": 0,
        "displays": ["-"] * (2 * players + 1),
        "centre": "-",
        "supply": write_tiles(supply),
        "bag": "-",
        "tower": write_tiles(left),
        "bag_size": 0,
        "seats": seats,
    }


def _some(left: Tiles, count: int) -> Tiles:
    """Take up to `count` of the shuffled tiles that are left."""
    return [left.pop() for _ in range(min(count, len(left)))]


def _supply_size(rng: Random, phase: str) -> int:
    """Choose how many tiles lie on the supply: some when tiles are due, a gap before a top-up."""
    if phase == "bonus":
        return rng.randint(1, 10)
    if phase == "supply":
        return rng.randint(0, 9)
    return rng.choice([10, rng.randint(0, 10)])


def _seat(rng: Random, board: str, fullness: float, left: Tiles) -> dict[str, Any]:
    """Make up a seat with an empty hand."""
    return {
        "score": rng.choice([1, 2, 5, rng.randint(1, 120)]),
        "hand": [],
        "kept": [],
        "passed": False,
        "stars": {site: _star(rng, board, site, fullness, left) for site in SITES},
    }


def _star(rng: Random, board: str, site: str, fullness: float, left: Tiles) -> str:
    """Fill a star at random as its board side allows, with tiles that are left."""
    colours = list(LETTERS)
    rng.shuffle(colours)
    if board == "coloured" and site != CENTRE:
        colours = [STAR_COLOUR[site]] * 6
    elif board == "grey" and rng.random() < 0.5:
        colours = colours[:1] * 6
    star = ""
    for colour in colours:
        laid = rng.random() < fullness and colour in left
        if laid:
            left.remove(colour)
        star += colour if laid else "."
    return star


def _let_some_pass(
    rng: Random, seats: list[dict[str, Any]], mover: int, phase: str, number: int, left: Tiles
) -> None:
    """Let some seats have passed where the phase allows it, with what they kept."""
    if phase not in ["place", "bonus", "supply"]:
        return
    everybody = phase == "supply" and rng.random() < 0.3
    for at, seat in enumerate(seats):
        if everybody or (at != mover and rng.random() < 0.4):
            seat["passed"] = True
            if number < 6:
                seat["kept"] = _some(left, rng.randint(0, 4))
