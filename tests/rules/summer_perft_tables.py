"""Makes the perft tables of Summer Pavilion: `python -m tests.rules.summer_perft_tables`.

What the files hold is said in perft_tables.py, which reads and writes them.
"""

from collections.abc import Iterator
from random import Random

from tests.reference import summer
from tests.reference.tiles import read_tiles

from .implementations import Position
from .perft_tables import games, in_phase, is_new, write_tables
from .summer_made_up import made_up_position


def _shortages(how_many: int) -> Iterator[Position]:
    """Yield made-up positions with little in bag and tower."""
    number = 0
    while how_many:
        number += 1
        position = made_up_position(Random(f"shortage/{number}"))
        few = position["bag_size"] <= 6 and len(position["tower"]) <= 8
        if (few and 0 < len(summer.legal_moves(position)) <= 60) or summer.chance(position):
            how_many -= 1
            yield position


def make_files() -> None:
    """Write every file anew."""
    write_tables("summer", {
        "openings": ("New games.", games(summer, is_new, "1")),
        "drafting": ("Somewhere in phase 1.", games(summer, in_phase("draft"), "2")),
        "placing": ("Somewhere in phase 2.", games(summer, in_phase("place"), "3")),
        "bonus": ("Bonus tiles are due.", games(summer, in_phase("bonus"), "4")),
        "chance": ("A draw comes first; it is settled.", games(summer, _is_chance, "5")),
        "last_turns": ("The last turns of the game.", games(summer, _last_turns, "6")),
        "shortages": ("Made up; few tiles in bag and tower.", _shortages(12)),
    })


def _is_chance(position: Position) -> bool:
    return summer.chance(position) is not None


def _last_turns(position: Position) -> bool:
    """Phase 2 of round 6, few tiles in the hands, and still a choice."""
    held = sum(len(read_tiles(seat["hand"])) for seat in position["seats"])
    few = position["round"] == 6 and position["phase"] in ["place", "bonus"] and held <= 12
    return few and len(summer.legal_moves(position)) > 1


if __name__ == "__main__":
    make_files()
