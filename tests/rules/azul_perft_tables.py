"""Makes the perft tables of base Azul, by the oracle: `python -m tests.rules.azul_perft_tables`.

What the files hold is said in perft_tables.py, which reads and writes them.
"""

from collections.abc import Callable, Iterator
from random import Random

from tests.reference import azul as oracle

from .azul_made_up import made_up_ending, made_up_position
from .implementations import Position
from .perft_tables import FOLDER, write_tables

AZUL_FOLDER = FOLDER / "azul"
SETTINGS = [(players, board) for players in [2, 3, 4] for board in ["coloured", "grey"]]
GREY = [(players, "grey") for players in [2, 3, 4]]

Wanted = Callable[[Position], bool]


def games(wanted: Wanted, seed: int, settings: list[tuple[int, str]]) -> Iterator[Position]:
    """Yield a position from a random game of each setting, one of those wanted."""
    for number, (players, board) in enumerate(settings):
        rng = Random(f"azul/{seed}/{number}")
        found: list[Position] = []
        while not found:
            position = oracle.new_game(players, board, rng)
            while position["phase"] != "over":
                if wanted(position):
                    found.append(position)
                position = _random_ply(position, rng)
        yield rng.choice(found)


def _random_ply(position: Position, rng: Random) -> Position:
    if oracle.chance(position):
        return oracle.draw(position, rng)[1]
    moves = oracle.legal_moves(position)
    lines = [move for move in moves if not move.endswith("F")]
    return oracle.apply(position, rng.choice(lines or moves))


def _shortages(how_many: int) -> Iterator[Position]:
    """Yield made-up positions with little in bag and lid, every other one at a round's end."""
    for number in range(how_many):
        rng = Random(f"azul/shortage/{number}")
        make = made_up_position if number % 2 else made_up_ending
        position = make(rng)
        while not 0 < len(oracle.legal_moves(position)) <= 40:
            position = make(rng)
        yield position


def _is_new(position: Position) -> bool:
    return position["round"] == 1 and "-" not in position["displays"]


def _ends_soon(position: Position) -> bool:
    """The last drafts of what may be the last round: a row lacks one tile."""
    rows = [row for seat in position["seats"] for row in seat["wall"]]
    few = sum(text != "-" for text in [*position["displays"], position["centre"]]) <= 1
    return position["phase"] == "draft" and few and any(row.count(".") == 1 for row in rows)


def _phase(name: str) -> Wanted:
    return lambda position: position["phase"] == name


def make_files() -> None:
    """Write every file anew."""
    files = {
        "openings": ("New games.", games(_is_new, 1, SETTINGS)),
        "drafting": ("Somewhere in phase A.", games(_phase("draft"), 2, SETTINGS)),
        "columns": ("A column is to be chosen.", games(_phase("wall"), 3, GREY * 2)),
        "chance": ("A deal comes first; it is settled.", games(_phase("deal"), 4, SETTINGS)),
        "endings": ("Rows lack one tile; few drafts are left.", games(_ends_soon, 5, SETTINGS)),
        "shortages": ("Made up; few tiles in bag and lid.", _shortages(12)),
    }
    AZUL_FOLDER.mkdir(exist_ok=True)
    for name, (title, positions) in files.items():
        write_tables(AZUL_FOLDER / f"{name}.txt", title, "tests.rules.azul_perft_tables", positions)


if __name__ == "__main__":
    make_files()
