"""Tables of perft numbers: text files, reading and making them.

A file holds positions in JSON form, one a line; below each, lines `DEPTH NODES`. `#` begins a
comment. The numbers are the oracle's (tests/reference), never the package's. To make the
files again: `python -m tests.rules.perft_tables`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType

from tests.reference import summer
from tests.reference.tiles import read_tiles

from .implementations import ORACLES, Position, game_of
from .summer_made_up import made_up_position

FOLDER = Path(__file__).parent / "perft"
MOST_NODES = 200_000
MOST_DEPTH = 6

SETTINGS = [(players, board) for players in [2, 3, 4] for board in ["coloured", "grey"]]

Table = tuple[Position, dict[int, int]]
Setting = tuple[int, str]
Wanted = Callable[[Position], bool]


def read_tables(path: Path) -> list[Table]:
    """Read a file: positions, each with its nodes by depth."""
    tables: list[Table] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("{"):
            tables.append((json.loads(text), {}))
        elif text:
            depth, nodes = text.split()
            tables[-1][1][int(depth)] = int(nodes)
    return tables


def count(position: Position) -> dict[int, int]:
    """Count with the oracle, deeper and deeper while it is quick."""
    nodes: dict[int, int] = {}
    estimate = 1.0
    for depth in range(1, MOST_DEPTH + 1):
        nodes[depth] = ORACLES[game_of(position)].perft(position, depth)
        estimate = nodes[depth] ** 2 / nodes.get(depth - 1, 1)
        if estimate > MOST_NODES:
            break
    return nodes


def write_tables(path: Path, title: str, maker: str, positions: Iterable[Position]) -> None:
    """Write a file: positions, each with its nodes by depth; `maker` is the module to run."""
    lines = [f"# {title} Numbers by the oracle: python -m {maker}"]
    for position in positions:
        lines.append(json.dumps(position, separators=(",", ":")))
        lines += [f"{depth} {nodes}" for depth, nodes in count(position).items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def games(
    oracle: ModuleType, wanted: Wanted, seed: str, settings: Iterable[Setting] = SETTINGS
) -> Iterator[Position]:
    """Yield a position from a random game of each players x board, one of those wanted."""
    for number, (players, board) in enumerate(settings):
        rng = Random(f"{seed}/{number}")
        found: list[Position] = []
        while not found:
            position = oracle.new_game(players, board, rng)
            while position["phase"] != "over":
                if wanted(position):
                    found.append(position)
                position = _random_ply(oracle, position, rng)
        yield rng.choice(found)


def _random_ply(oracle: ModuleType, position: Position, rng: Random) -> Position:
    """Draw, or play a move that is, if possible, neither a pass nor to the floor line."""
    if oracle.chance(position):
        drawn: Position = oracle.draw(position, rng)[1]
        return drawn
    moves = oracle.legal_moves(position)
    likely = [move for move in moves if not (move.startswith("pass:") or move.endswith("F"))]
    played: Position = oracle.apply(position, rng.choice(likely or moves))
    return played


def is_new(position: Position) -> bool:
    """Tell whether nothing has been taken yet."""
    return position["round"] == 1 and "-" not in position["displays"]


def in_phase(name: str) -> Wanted:
    """Return what tells whether a position is in a phase."""
    return lambda position: position["phase"] == name


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
    files = {
        "openings": ("New games.", games(summer, is_new, "1")),
        "drafting": ("Somewhere in phase 1.", games(summer, in_phase("draft"), "2")),
        "placing": ("Somewhere in phase 2.", games(summer, in_phase("place"), "3")),
        "bonus": ("Bonus tiles are due.", games(summer, in_phase("bonus"), "4")),
        "chance": ("A draw comes first; it is settled.", games(summer, _is_chance, "5")),
        "last_turns": ("The last turns of the game.", games(summer, _last_turns, "6")),
        "shortages": ("Made up; few tiles in bag and tower.", _shortages(12)),
    }
    for name, (title, positions) in files.items():
        write_tables(FOLDER / f"{name}.txt", title, "tests.rules.perft_tables", positions)


def _is_chance(position: Position) -> bool:
    return summer.chance(position) is not None


def _last_turns(position: Position) -> bool:
    """Phase 2 of round 6, few tiles in the hands, and still a choice."""
    held = sum(len(read_tiles(seat["hand"])) for seat in position["seats"])
    few = position["round"] == 6 and position["phase"] in ["place", "bonus"] and held <= 12
    return few and len(summer.legal_moves(position)) > 1


if __name__ == "__main__":
    make_files()
