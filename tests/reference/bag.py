"""Drawing tile by tile from a bag that the discards refill: RULES.md A9, and B7 alike."""

from collections.abc import Callable

from .tiles import Tiles


def outcomes(bag: Tiles, discards: Tiles, wanted: Tiles) -> list[tuple[Tiles, Tiles]]:
    """Draw the wanted tiles one by one in every order; list the (bag, discards) left behind.

    An empty list says that these tiles cannot be drawn.
    """
    states = [(sorted(bag), sorted(discards), sorted(wanted))]
    for _ in wanted:
        following: list[tuple[Tiles, Tiles, Tiles]] = []
        for bag, discards, wanted in states:
            if not bag:  # a tile is needed and the bag is empty
                bag, discards = discards, []
            for letter in sorted(set(wanted)):
                if letter in bag:
                    state = (without(bag, letter), discards, without(wanted, letter))
                    if state not in following:
                        following.append(state)
        states = following
    return [(bag, discards) for bag, discards, _ in states]


def without(tiles: Tiles, letter: str) -> Tiles:
    """Return the tiles less one of a colour."""
    fewer = list(tiles)
    fewer.remove(letter)
    return fewer


def draw_tiles(bag: Tiles, discards: Tiles, spaces: int, pick: Callable[[Tiles], str]) -> Tiles:
    """Draw a tile for each space while there is one; `pick` chooses it from the bag."""
    tiles: Tiles = []
    while len(tiles) < spaces:
        if not bag:
            bag.extend(discards)
            discards.clear()
        if not bag:
            break
        tile = pick(bag)
        bag.remove(tile)
        tiles.append(tile)
    return tiles
