"""Tile multisets as plain lists of letters, in the notation of CONTRACT.md section 1.

The letters of a game in their order are an argument; without it they are Summer Pavilion's.
"""

LETTERS = ["P", "G", "O", "Y", "B", "R"]  # the wild order, RULES.md A2

Tiles = list[str]


def ordered(tiles: Tiles, letters: Tiles = LETTERS) -> Tiles:
    """Return the same tiles in the order of the letters."""
    return sorted(tiles, key=letters.index)


def read_tiles(text: str, letters: Tiles = LETTERS) -> Tiles:
    """Read `2PG3O` (or `-`) as `["P", "P", "G", "O", "O", "O"]`; canonical form only."""
    tiles: Tiles = []
    if text == "-":
        return tiles
    count = ""
    for sign in text:
        if sign in "0123456789":
            count += sign
        elif sign in letters:
            tiles += [sign] * (int(count) if count else 1)
            count = ""
        else:
            raise ValueError(f"{sign!r} in the tiles {text!r}; expected counts and {letters}")
    if write_tiles(tiles, letters) != text:
        raise ValueError(f"{text!r} is not a canonical multiset of tiles")
    return tiles


def write_tiles(tiles: Tiles, letters: Tiles = LETTERS) -> str:
    """Write a list of letters as `2PG3O`, the empty one as `-`."""
    text = ""
    for letter in letters:
        count = tiles.count(letter)
        if count == 1:
            text += letter
        elif count > 1:
            text += str(count) + letter
    return text or "-"


def take(tiles: Tiles, wanted: Tiles) -> None:
    """Remove every tile of `wanted` from `tiles`; ValueError if one is not there."""
    for letter in wanted:
        if letter not in tiles:
            raise ValueError(f"no tile {letter!r} in {tiles}")
        tiles.remove(letter)


def subsets(tiles: Tiles, size: int) -> list[Tiles]:
    """List the distinct sub-multisets of a size, each once, in wild order."""
    found: list[Tiles] = []

    def choose(letters: Tiles, chosen: Tiles) -> None:
        if len(chosen) == size:
            found.append(chosen)
        elif letters:
            for count in range(min(tiles.count(letters[0]), size - len(chosen)), -1, -1):
                choose(letters[1:], chosen + [letters[0]] * count)

    choose(LETTERS, [])
    return found
