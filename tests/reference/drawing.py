"""Drawing tiles from the bag: RULES.md A7.7, A8.2 and A9."""

from typing import Any

from .rounds import begin_turn
from .table import SUPPLY_SPACES, Table, drawable, unseen
from .tiles import LETTERS, Tiles, ordered, read_tiles, write_tiles


def outcomes(bag: Tiles, tower: Tiles, wanted: Tiles) -> list[tuple[Tiles, Tiles]]:
    """Draw the wanted tiles one by one in every order (A9); list the (bag, tower) left behind.

    An empty list says that these tiles cannot be drawn.
    """
    states = [(ordered(bag), ordered(tower), ordered(wanted))]
    for _ in wanted:
        following: list[tuple[Tiles, Tiles, Tiles]] = []
        for bag, tower, wanted in states:
            if not bag:  # A9: a tile is needed and the bag is empty
                bag, tower = tower, []
            for letter in LETTERS:
                if letter in bag and letter in wanted:
                    state = (without(bag, letter), tower, without(wanted, letter))
                    if state not in following:
                        following.append(state)
        states = following
    return [(bag, tower) for bag, tower, _ in states]


def without(tiles: Tiles, letter: str) -> Tiles:
    """Return the tiles less one of a colour."""
    fewer = list(tiles)
    fewer.remove(letter)
    return fewer


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
        tiles: Tiles = []
        while len(tiles) < spaces:
            if not bag:
                bag.extend(tower)
                tower.clear()
            if not bag:
                break
            tile = pick(ordered(bag))
            bag.remove(tile)
            tiles.append(tile)
        return write_tiles(tiles)

    if table["phase"] == "deal":
        return "deal:" + ",".join(fill(4) for _ in table["displays"])
    return "supply:" + fill(SUPPLY_SPACES - len(table["supply"]))
