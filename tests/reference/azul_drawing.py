"""Dealing tiles from the bag: RULES.md B7."""

from collections.abc import Callable

from .azul_table import LETTERS, Table, drawable, unseen
from .bag import draw_tiles, outcomes
from .tiles import Tiles, ordered, read_tiles, write_tiles

DISPLAY_SPACES = 4  # B3


def read_deal(table: Table, move: str) -> list[Tiles]:
    """Read a deal as one multiset per display."""
    name, _, texts = move.partition(":")
    if table["phase"] != "deal" or name != "deal":
        raise ValueError(f"{move!r} is no draw of phase {table['phase']!r}")
    drawn = [read_tiles(text, LETTERS) for text in texts.split(",")]
    if len(drawn) != len(table["displays"]):
        raise ValueError(f"{move!r} names {len(drawn)} of {len(table['displays'])} displays")
    return drawn


def apply_deal(table: Table, move: str) -> None:
    """Fill the displays in order with the tiles named and begin phase A (B7)."""
    drawn = read_deal(table, move)
    if table["bag"] is None:
        bags: list[tuple[Tiles, Tiles]] = [(unseen(table), [])]
    else:
        bags = [(table["bag"], table["lid"])]
    available = drawable(table)
    for tiles in drawn:
        expected = min(DISPLAY_SPACES, available)
        if len(tiles) != expected:
            raise ValueError(f"{move!r}: {len(tiles)} tiles; {expected} are drawn")
        bags = [left for bag, lid in bags for left in outcomes(bag, lid, tiles)]
        available -= len(tiles)
    if not bags:
        raise ValueError(f"{move!r} cannot be drawn from this bag and lid")
    [(bag, lid)] = bags  # what is left does not depend on the order of the draws
    if table["bag"] is None:
        count = sum(len(tiles) for tiles in drawn)
        poured = count > table["bag_size"]
        table["bag_size"] = available if poured else table["bag_size"] - count
    else:
        table["bag"], table["lid"] = list(bag), list(lid)
    table["displays"] = drawn
    table["phase"] = "draft"
    table["to_move"] = table["start_seat"]


def deal_move(table: Table, pick: Callable[[Tiles], str]) -> str:
    """Draw tile by tile (B7), `pick` choosing each from the list of tiles in the bag."""
    bag, lid = list(table["bag"]), list(table["lid"])
    drawn = [
        draw_tiles(bag, lid, DISPLAY_SPACES, lambda tiles: pick(ordered(tiles, LETTERS)))
        for _ in table["displays"]
    ]
    return "deal:" + ",".join(write_tiles(tiles, LETTERS) for tiles in drawn)
