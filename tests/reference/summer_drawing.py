"""Drawing tiles from the bag: RULES.md A7.7, A8.2 and A9."""

from typing import Any

from .bag import draw_tiles, outcomes
from .summer_rounds import begin_turn
from .summer_table import SUPPLY_SPACES, Table, drawable, unseen
from .tiles import Tiles, ordered, read_tiles, write_tiles


def read_draw(table: Table, move: str) -> list[Tiles]:
    """Read a chance move as one multiset per display, or one for the supply."""
    name, _, texts = move.partition(":")
    if table["phase"] not in ["deal", "supply"] or name != table["phase"]:
        raise ValueError(f"{move!r} is no draw of phase {table['phase']!r}")
    drawn = [read_tiles(text) for text in texts.split(",")]
    expected = len(table["displays"]) if name == "deal" else 1
    if len(drawn) != expected:
        raise ValueError(f"{move!r} names {len(drawn)} places; expected {expected}")
    return drawn


def apply_draw(table: Table, move: str) -> None:
    """Fill the supply spaces or the displays with the tiles named (A7.7, A8.2, A9)."""
    drawn = read_draw(table, move)
    if table["bag"] is None:
        bags: list[tuple[Tiles, Tiles]] = [(unseen(table), [])]
    else:
        bags = [(table["bag"], table["tower"])]
    available = drawable(table)
    for tiles in drawn:
        spaces = 4 if table["phase"] == "deal" else SUPPLY_SPACES - len(table["supply"])
        if len(tiles) != min(spaces, available):
            raise ValueError(f"{move!r}: {len(tiles)} tiles; {min(spaces, available)} are drawn")
        bags = [left for bag, tower in bags for left in outcomes(bag, tower, tiles)]
        available -= len(tiles)
    if not bags:
        raise ValueError(f"{move!r} cannot be drawn from this bag and tower")
    [(bag, tower)] = bags  # what is left does not depend on the order of the draws
    if table["bag"] is None:
        count = sum(len(tiles) for tiles in drawn)
        poured = count > table["bag_size"]
        table["bag_size"] = available if poured else table["bag_size"] - count
    else:
        table["bag"], table["tower"] = list(bag), list(tower)

    if table["phase"] == "deal":
        table["displays"] = drawn
        table["phase"] = "draft"
        table["to_move"] = table["start_seat"]
    else:
        table["supply"] += drawn[0]
        begin_turn(table, table["next_to_move"])


def draw_move(table: Table, pick: Any) -> str:
    """Draw tile by tile (A9), `pick` choosing each from the list of tiles in the bag."""
    bag, tower = list(table["bag"]), list(table["tower"])

    def fill(spaces: int) -> str:
        return write_tiles(draw_tiles(bag, tower, spaces, lambda tiles: pick(ordered(tiles))))

    if table["phase"] == "deal":
        return "deal:" + ",".join(fill(4) for _ in table["displays"])
    return "supply:" + fill(SUPPLY_SPACES - len(table["supply"]))
