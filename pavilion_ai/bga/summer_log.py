"""Logs of Summer Pavilion: types of notes, the side of the boards, the opening."""

from __future__ import annotations

from pavilion_ai.bga.log import DEAL, Log, LogError, Note, flag, listed, untouched
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.summer import COLOURS, STAR_SPACES, STARS
from pavilion_ai.bga.tiles import BAG, SUPPLY, Tiles
from pavilion_ai.position.summer_board import SITE_COLOURS, SITES, SUPPLY_SPACES, printed_number

KINDS = frozenset({
    "supplyFilled", "factoriesFilled", "cornerToHand", "firstPlayerToken", "tilesSelected",
    "placeTileOnWall", "pass", "putToCorner", "undoTakeTiles", "undoPlayTile", "endScore",
    "completeStarLogDetails", "completeNumberLogDetails",
})
"""Types of the notes of this game."""


def drafts(log: Log) -> list[Note]:
    """Return the notes of drafts, including those taken back."""
    return [note for note in log.notes
            if note.kind == "tilesSelected" and not flag(note.args, "fromSupply")]


def opening(log: Log) -> Note | None:
    """Return the note that fills the supply before the first deal; None if it is missing."""
    for note in log.notes:
        if note.kind == DEAL:
            break
        if note.kind == "supplyFilled":
            return note
    return None


def bonus_taken(log: Log) -> bool:
    """Tell whether the supply of the opening changed in the first round."""
    deals = 0
    for note in log.notes:
        deals += note.kind == DEAL
        if deals > 1:
            break
        if note.kind == "tilesSelected" and flag(note.args, "fromSupply"):
            return True
        if deals and note.kind == "supplyFilled" and note.args["newTiles"].items():
            return True
    return False


def side_of(log: Log) -> tuple[str | None, str]:
    """Return the side of the boards that placements and payments show, and what shows it.

    The side is None if they show neither side, or both.
    """
    found: dict[str, str] = {}
    for note in log.notes:
        if note.kind != "placeTileOnWall" or "placedTile" not in note.args:
            continue
        tile = note.args["placedTile"]
        site, position = space_of(tile)
        paid = 1 + len(listed(note.args, "discardedTiles"))
        own = SITE_COLOURS[site]
        fits = {side: paid == printed_number(side, site, position) for side in ("coloured", "grey")}
        if own is not None and tile["type"].number(1, len(COLOURS)) - 1 != own:
            fits["coloured"] = False
        for side, other in (("coloured", "grey"), ("grey", "coloured")):
            if fits[side] and not fits[other]:
                found.setdefault(side, note.where)
    if len(found) == 1:
        return next(iter(found.items()))
    return None, " and ".join(found.values())


def space_of(tile: Node) -> tuple[int, int]:
    """Return site and position, as RULES A2 counts them, of a tile on a board."""
    star, space = tile["star"].number(0, len(STARS) - 1), tile["space"].number(1, STAR_SPACES)
    return SITES.index(STARS[star]), space


def opening_supply(log: Log, table: Node | None, tiles: Tiles) -> dict[str, str]:
    """Return the supply of the opening.

    The token may lie among its tiles; then one space stays empty until the first turn of the play
    phase is over.

    Raises:
        LogError: neither the log nor the page shows it, or it has a wrong number of tiles.
    """
    note = opening(log)
    if note is not None:
        tiles_there, where = note.args["newTiles"].items(), note.where
    elif table is not None and _in_first_round(table) and (
            untouched(table) or not bonus_taken(log)):
        tiles_there, where = table["supply"].items(), table["supply"].where
    else:
        where = next(note.where for note in log.notes if note.kind == DEAL)
        raise LogError("the log does not show the supply of the opening before this deal;"
                       " save the source of the page of the replay instead, which contains it",
                       where)
    supply = tiles.read(tiles_there)
    if len(supply) not in (SUPPLY_SPACES - 1, SUPPLY_SPACES):
        raise LogError(f"found {len(supply)} tiles on the supply of the opening, expected"
                       f" {SUPPLY_SPACES - 1} or {SUPPLY_SPACES}", where)
    tiles.move(supply, {BAG}, SUPPLY)
    return {"supply": tiles.text(kind for kind, _ in supply)}


def _in_first_round(table: Node) -> bool:
    """Tell whether a page shows the first round."""
    return "supply" in table and "round" in table and table["round"].number(0, 99) == 1


def is_summer(note: Note) -> bool:
    """Tell whether a note can only come from this game."""
    return (note.kind in ("supplyFilled", "cornerToHand", "putToCorner", "undoPlayTile")
            or (note.kind == DEAL
                and ("roundNumber" in note.args or _tiles_have_stars(note.args)))
            or (note.kind == "tilesSelected" and "fromSupply" in note.args))


def _tiles_have_stars(args: Node) -> bool:
    """Tell whether the tiles of a deal have a key `star`."""
    return any("star" in tile for display in args["factories"].items() for tile in display.items()
               if isinstance(tile.value, dict))
