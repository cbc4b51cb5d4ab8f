"""Makes the perft tables of base Azul: `python -m tests.rules.azul_perft_tables`.

What the files hold is said in perft_tables.py, which reads and writes them.
"""

from collections.abc import Iterator
from random import Random

from tests.reference import azul

from .azul_made_up import made_up_ending, made_up_position
from .implementations import Position
from .perft_tables import games, in_phase, is_new, write_tables

GREY = [(players, "grey") for players in [2, 3, 4]]


def _shortages(how_many: int) -> Iterator[Position]:
    """Yield made-up positions with little in bag and lid, every other one at a round's end."""
    for number in range(how_many):
        rng = Random(f"azul/shortage/{number}")
        make = made_up_position if number % 2 else made_up_ending
        position = make(rng)
        while not 0 < len(azul.legal_moves(position)) <= 40:
            position = make(rng)
        yield position


def _ends_soon(position: Position) -> bool:
    """The last drafts of what may be the last round: a row lacks one tile."""
    rows = [row for seat in position["seats"] for row in seat["wall"]]
    few = sum(text != "-" for text in [*position["displays"], position["centre"]]) <= 1
    return position["phase"] == "draft" and few and any(row.count(".") == 1 for row in rows)


def make_files() -> None:
    """Write every file anew."""
    write_tables("azul", {
        "openings": ("New games.", games(azul, is_new, "azul/1")),
        "drafting": ("Somewhere in phase A.", games(azul, in_phase("draft"), "azul/2")),
        "columns": ("A column is to be chosen.", games(azul, in_phase("wall"), "azul/3", GREY * 2)),
        "chance": ("A deal comes first; it is settled.", games(azul, in_phase("deal"), "azul/4")),
        "endings": ("Rows lack one tile; few drafts are left.", games(azul, _ends_soon, "azul/5")),
        "shortages": ("Made up; few tiles in bag and lid.", _shortages(12)),
    })


if __name__ == "__main__":
    make_files()
