"""Tables of perft numbers: text files, reading and making them.

A file holds positions in JSON form, one a line; below each, lines `DEPTH NODES`. `#` begins a
comment. The numbers are the oracle's (tests/reference), never the package's. To make the
files again: `python -m tests.rules.summer_perft_tables`, and `azul_perft_tables`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from types import ModuleType

from .implementations import ORACLES, Position, game_of

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


def write_tables(game: str, files: Mapping[str, tuple[str, Iterable[Position]]]) -> None:
    """Write the files of a game by name: a title, then positions, each with its nodes by depth."""
    (FOLDER / game).mkdir(exist_ok=True)
    for name, (title, positions) in files.items():
        lines = [f"# {title} Numbers by the oracle: python -m tests.rules.{game}_perft_tables"]
        for position in positions:
            lines.append(json.dumps(position, separators=(",", ":")))
            lines += [f"{depth} {nodes}" for depth, nodes in count(position).items()]
        path = FOLDER / game / f"{name}.txt"
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
