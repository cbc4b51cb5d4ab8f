"""Phase A, the factory offer: RULES.md B4."""

from .azul_table import FLOOR_SPACES, LETTERS, MARKER, NUMBERS, Seat, Table, drop, full
from .azul_tiling import begin_tiling
from .tiles import take

FLOOR = "F"  # CONTRACT.md: the destination that is the floor line


def draft_moves(table: Table) -> list[str]:
    """List the legal drafts (B4.1, B4.3)."""
    seat = table["seats"][table["to_move"]]
    sources = [(f"D{n}", tiles) for n, tiles in enumerate(table["displays"], start=1)]
    sources.append(("C", table["centre"]))
    moves = []
    for name, tiles in sources:
        for colour in LETTERS:
            if colour in tiles:
                moves += [f"{name}:{colour}>{where}" for where in destinations(seat, colour)]
    return moves


def destinations(seat: Seat, colour: str) -> list[str]:
    """List where the tiles of a colour may go (B4.3)."""
    allowed = []
    for row in NUMBERS:
        line = seat["lines"][row - 1]
        fits = all(tile == colour for tile in line)  # empty, or holds this colour
        if not full(seat, row) and fits and colour not in seat["wall"][row - 1]:
            allowed.append(str(row))
    return [*allowed, FLOOR]


def apply_draft(table: Table, move: str) -> None:
    """Take tiles from a display or the centre and place them (B4)."""
    source, _, choice = move.partition(":")
    colour, _, destination = choice.partition(">")
    seat = table["seats"][table["to_move"]]
    tiles = table["centre"] if source == "C" else table["displays"][int(source[1:]) - 1]

    taken = [colour] * tiles.count(colour)
    take(tiles, taken)
    if source == "C":
        if table["token"] is None:  # B4.2: the first to take from the centre in this round
            table["token"] = table["to_move"]
            if len(seat["floor"]) < FLOOR_SPACES:  # RULING: with no space it costs nothing
                seat["floor"].append(MARKER)
    else:
        table["centre"] += tiles
        tiles.clear()

    if destination != FLOOR:
        row = int(destination)
        while taken and not full(seat, row):
            seat["lines"][row - 1].append(taken.pop())
    drop(table, seat, taken)

    table["to_move"] = (table["to_move"] + 1) % len(table["seats"])
    if not table["centre"] and not any(table["displays"]):
        begin_tiling(table)
