"""Perft tables: numbers of the oracle, counted again by both implementations."""

import pytest

from .implementations import Core, implementation
from .perft_tables import FOLDER, Table, read_tables

ORACLE_NODES = 2_000  # the oracle checks itself only on small counts, to stay quick
DIVIDED = {"summer": ("drafting", "chance"), "azul": ("columns", "chance")}

TABLES = [
    pytest.param(game, table, id=f"{game}-{path.stem}-{number}")
    for game in DIVIDED
    for path in sorted((FOLDER / game).glob("*.txt"))
    for number, table in enumerate(read_tables(path), start=1)
]
every_table = pytest.mark.parametrize(("game", "table"), TABLES)


@every_table
def test_core(game: str, table: Table) -> None:
    (position, nodes), core = table, Core(game)
    assert core.perft(position, 0) == 1
    assert {depth: core.perft(position, depth) for depth in nodes} == nodes


@every_table
def test_oracle(game: str, table: Table) -> None:
    (position, nodes), oracle = table, implementation("oracle", game)
    small = {depth: number for depth, number in nodes.items() if number <= ORACLE_NODES}
    assert {depth: oracle.perft(position, depth) for depth in small} == small


@pytest.mark.parametrize("game", DIVIDED)
def test_divide_adds_up(game: str) -> None:
    """The nodes below each move add up to perft, also behind a chance phase."""
    core = Core(game)
    for name in DIVIDED[game]:
        for position, nodes in read_tables(FOLDER / game / f"{name}.txt"):
            divided = core.game.divide(core.read(position), 2)
            assert sum(divided.values()) == nodes[2]
            assert len(divided) == nodes[1]


@pytest.mark.parametrize(("game", "count"), [("summer", 48), ("azul", 42)])
def test_tables_are_there(game: str, count: int) -> None:
    assert sum(table.values[0] == game for table in TABLES) == count
