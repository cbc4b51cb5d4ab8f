"""Made-up sound positions of base Azul."""

from dataclasses import dataclass
from random import Random

from pavilion_ai.position import AzulPosition, AzulSeat, Tiles
from pavilion_ai.position.azul_board import (
    CAPACITIES,
    FLOOR_SPACES,
    LETTERS,
    MARKER,
    ROUNDS,
    SIZE,
    row_colours,
)

NONE = (0,) * SIZE


class _Pool:
    """The 100 tiles, taken at random."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.left = [20] * SIZE

    def take(self, number: int) -> Tiles:
        counts = [0] * SIZE
        for _ in range(min(number, sum(self.left))):
            colour = self.random.choices(range(SIZE), self.left)[0]
            counts[colour] += 1
            self.left[colour] -= 1
        return tuple(counts)

    def take_colour(self, colour: int, number: int) -> Tiles:
        number = min(number, self.left[colour])
        self.left[colour] -= number
        return tuple(number * (colour == other) for other in range(SIZE))

    def letter(self, colours: str) -> str:
        there = [letter for letter in colours if self.left[LETTERS.index(letter)]]
        letter = self.random.choice(there) if there else "."
        if there:
            self.left[LETTERS.index(letter)] -= 1
        return letter


@dataclass
class _Plan:
    """What a seat has to have, decided before the rest."""

    settled: bool = False
    complete: bool = False
    full: int | None = None
    marked: bool = False


def _wall(pool: _Pool, board: str, plan: _Plan) -> tuple[str, ...]:
    rows: list[str] = []
    for row in range(SIZE):
        cells = ""
        for column in range(SIZE):
            allowed = row_colours(row)[column] if board == "coloured" else "".join(
                letter for letter in LETTERS
                if letter not in cells and all(upper[column] != letter for upper in rows))
            if row == 0 and plan.full is not None:
                allowed = allowed.replace(LETTERS[plan.full], "")
            wanted = (plan.complete and row == 0) or (
                column < SIZE - 1 and pool.random.random() < 0.35)
            cells += pool.letter(allowed) if wanted else "."
        rows.append(cells)
    return tuple(rows)


def _lines(pool: _Pool, wall: tuple[str, ...], plan: _Plan) -> tuple[Tiles, ...]:
    lines = []
    for line, capacity in enumerate(CAPACITIES):
        colours = [colour for colour in range(SIZE) if LETTERS[colour] not in wall[line]]
        most = capacity - plan.settled
        if line == 0 and plan.full is not None:
            lines.append(tuple(int(colour == plan.full) for colour in range(SIZE)))
        elif colours and most and pool.random.random() < 0.6:
            lines.append(pool.take_colour(pool.random.choice(colours),
                                          pool.random.randint(1, most)))
        else:
            lines.append(NONE)
    return tuple(lines)


def _floor(pool: _Pool, plan: _Plan) -> str:
    if plan.settled:
        return ""
    tiles = "".join(pool.letter(LETTERS) for _ in range(pool.random.choice((0, 0, 2, 4, 7))))
    tiles = tiles.replace(".", "")
    if plan.marked and len(tiles) < FLOOR_SPACES:
        at = pool.random.randint(0, len(tiles))
        tiles = tiles[:at] + MARKER + tiles[at:]
    return tiles


def _plans(
    random: Random, phase: str, players: int, start: int, token: int | None, pool: _Pool
) -> tuple[list[_Plan], int | None]:
    """Decide what the phase asks of each seat, and who is to move."""
    plans = [_Plan(settled=phase in ("deal", "over")) for _ in range(players)]
    mover = random.randrange(players) if phase in ("draft", "wall") else None
    if token is not None:
        plans[token].marked = True
    if phase == "over":
        plans[random.randrange(players)].complete = True
    if phase == "wall" and mover is not None:
        first = start if token is None else token
        for step in range((mover - first) % players):
            plans[(first + step) % players].settled = True
        plans[mover].full = random.randrange(SIZE)
        pool.left[plans[mover].full or 0] -= 1
    return plans, mover


def make_position(random: Random) -> AzulPosition:
    """Make up a sound position that need not be reachable by play."""
    phase = random.choice(("draft", "wall", "deal", "over"))
    board = "grey" if phase == "wall" else random.choice(("coloured", "grey"))
    players = random.choice((2, 3, 4))
    pool = _Pool(random)
    reserve = pool.take(2)
    start = random.randrange(players)
    token = None if phase == "deal" else random.choice((None, random.randrange(players)))
    plans, mover = _plans(random, phase, players, start, token, pool)
    order = sorted(range(players), key=lambda seat: not plans[seat].complete)
    walls = {seat: _wall(pool, board, plans[seat]) for seat in order}
    seats = tuple(
        AzulSeat(random.randrange(200), _lines(pool, walls[seat], plans[seat]), walls[seat],
                 _floor(pool, plans[seat]))
        for seat in range(players))
    drafting = phase == "draft"
    displays = [pool.take(random.randint(0, 4) if drafting else 0) for _ in range(2 * players + 1)]
    centre = reserve if drafting and not any(map(any, displays)) else NONE
    if not any(centre):
        pool.left = [left + tile for left, tile in zip(pool.left, reserve, strict=True)]
    bag = pool.take(random.randint(1, 100))
    known = random.random() < 0.7
    return AzulPosition(
        board=board, round=random.randint(2 if phase == "deal" else 1, ROUNDS), phase=phase,
        to_move=mover, start_seat=start, token=token, displays=tuple(displays), centre=centre,
        bag=bag if known else None, lid=tuple(pool.left) if known else None, bag_size=sum(bag),
        seats=seats)
