"""Sample positions of the contract and strategies for made-up sound ones, of both games."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from pavilion_ai.position import Position, SummerPosition, SummerSeat
from pavilion_ai.position.summer_board import LETTERS, SITE_COLOURS

from . import azul_samples

FOLDER = Path(__file__).parent.parent / "data" / "contract"


GAMES = ("summer", "azul")


def lines(name: str, game: str = "summer") -> list[dict[str, Any]]:
    """Return the lines of one sample file that are about a game.

    What names no game at all counts as one of Summer Pavilion.
    """
    found = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
    return [line for line in found if ('"game": "azul"' in json.dumps(line)) == (game == "azul")]


def sample_positions(game: str = "summer") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every sound sample position in canonical form, with the place it is from."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        if path.name.startswith("bad_"):
            continue
        for number, line in enumerate(lines(path.name, game), 1):
            keys = ("canonical",) if "canonical" in line else ("position", "next", "start")
            for key in keys:
                if key in line:
                    yield f"{path.name}:{number}:{key}", line[key]


class _Pool:
    """The 132 tiles, taken at random."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.left = [22] * 6

    def take(self, number: int) -> tuple[int, ...]:
        counts = [0] * 6
        for _ in range(min(number, sum(self.left))):
            colour = self.random.choices(range(6), self.left)[0]
            counts[colour] += 1
            self.left[colour] -= 1
        return tuple(counts)

    def letter(self, colours: list[int]) -> str:
        there = [colour for colour in colours if self.left[colour]]
        if not there:
            return "."
        colour = self.random.choice(there)
        self.left[colour] -= 1
        return LETTERS[colour]


def _star(pool: _Pool, board: str, site: int) -> str:
    own = SITE_COLOURS[site]
    several = own is None if board == "coloured" else pool.random.random() < 0.5
    colours = [own] if board == "coloured" and own is not None else list(range(6))
    if not several and board == "grey":
        colours = [pool.random.randrange(6)]
    star = ""
    for _ in range(6):
        letter = pool.letter(colours) if pool.random.random() < 0.4 else "."
        if several and letter != ".":
            colours = [colour for colour in colours if LETTERS[colour] != letter]
        star += letter
    return star


def _seat(pool: _Pool, board: str, phase: str, number: int, passed: bool) -> SummerSeat:
    stars = tuple(_star(pool, board, site) for site in range(7))
    none = (0,) * 6
    hand = none if passed else pool.take(pool.random.randrange(12))
    keeps = passed and phase != "over" and number < 6
    kept = pool.take(pool.random.randrange(5)) if keeps else none
    return SummerSeat(pool.random.randrange(1, 330), hand, kept, passed, stars)


def make_position(random: Random) -> SummerPosition:
    """Make up a sound position that need not be reachable by play."""
    phase = random.choice(("draft", "place", "bonus", "deal", "supply", "over"))
    board = random.choice(("coloured", "grey"))
    players = random.choice((2, 3, 4))
    number = 6 if phase == "over" else random.randint(2 if phase == "deal" else 1, 6)
    pool = _Pool(random)
    due = random.randint(1, 3) if phase == "bonus" else 0
    supply = pool.take(random.randint(due, 9 if phase == "supply" else 10))
    on_table = phase == "draft"
    displays = tuple(pool.take(random.randint(0, 4) if on_table else 0)
                     for _ in range(2 * players + 1))
    centre = pool.take(random.randint(not any(map(any, displays)), 15) if on_table else 0)
    passed = [phase == "over" or (phase in ("place", "bonus", "supply") and random.random() < 0.4)
              for _ in range(players)]
    if phase in ("place", "bonus"):
        passed[random.randrange(players)] = False
    reserve = pool.take(1)
    seats = tuple(_seat(pool, board, phase, number, flag) for flag in passed)
    bag = pool.take(random.randint(0, sum(pool.left)))
    bag = tuple(one + other for one, other in zip(bag, reserve, strict=True))
    known = random.random() < 0.7
    waiting = [seat for seat in range(players) if not passed[seat]]
    return SummerPosition(
        board=board, round=number, phase=phase,
        to_move=random.choice(waiting) if phase in ("draft", "place", "bonus") else None,
        start_seat=random.randrange(players),
        token=None if phase == "deal" else random.choice((None, random.randrange(players))),
        bonus_due=due, displays=displays, centre=centre, supply=supply,
        bag=bag if known else None, tower=tuple(pool.left) if known else None,
        bag_size=sum(bag), seats=seats,
        next_to_move=random.choice(waiting) if phase == "supply" and waiting else None)


def made_up(game: str, seed: int) -> Position:
    """Make up a sound position of a game."""
    make = azul_samples.make_position if game == "azul" else make_position
    return make(Random(seed))


def positions() -> st.SearchStrategy[Position]:
    """Strategy for sound positions."""
    return st.builds(made_up, st.sampled_from(GAMES), st.integers(0, 2**32))
