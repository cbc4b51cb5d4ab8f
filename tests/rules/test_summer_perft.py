"""Perft tables: numbers of the oracle, counted again by both implementations."""

import pytest

from .implementations import Core, implementation
from .perft_tables import FOLDER, Table, read_tables

ORACLE_NODES = 2_000  # the oracle checks itself only on small counts, to stay quick

TABLES = [
    pytest.param(table, id=f"{path.stem}-{number}")
    for path in sorted(FOLDER.glob("*.txt"))
    for number, table in enumerate(read_tables(path), start=1)
]


@pytest.mark.parametrize("table", TABLES)
def test_core(core: Core, table: Table) -> None:
    position, nodes = table
    assert core.perft(position, 0) == 1
    assert {depth: core.perft(position, depth) for depth in nodes} == nodes


@pytest.mark.parametrize("table", TABLES)
def test_oracle(table: Table) -> None:
    position, nodes = table
    small = {depth: number for depth, number in nodes.items() if number <= ORACLE_NODES}
    oracle = implementation("oracle")
    assert {depth: oracle.perft(position, depth) for depth in small} == small


def test_divide_adds_up(core: Core) -> None:
    """The nodes below each move add up to perft, also behind a chance phase."""
    for name in ["drafting", "chance"]:
        for position, nodes in read_tables(FOLDER / f"{name}.txt"):
            divided = core.game.divide(core.read(position), 2)
            assert sum(divided.values()) == nodes[2]
            assert len(divided) == nodes[1]


def test_tables_are_there() -> None:
    assert len(TABLES) == 48
