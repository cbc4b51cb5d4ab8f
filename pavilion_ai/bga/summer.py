"""Reading the page of a table of Summer Pavilion."""

from __future__ import annotations

from pavilion_ai.bga.page import Node
from pavilion_ai.bga.table import CONFIRM, OVER, Table, has_token, letters
from pavilion_ai.notation.tiles import NOTHING
from pavilion_ai.position import TABLES
from pavilion_ai.position.base import MAX_SCORE
from pavilion_ai.position.summer_board import ROUNDS, SITES

COLOURS = TABLES["summer"].letters
STARS = (SITES[-1], *SITES[:-1])
"""Sites by the page's star numbers; its space numbers are our positions, on both sides."""
STAR_SPACES = 6
MOST_TILES = 999

PHASES = {
    "chooseTile": "draft",
    "choosePlace": "place",
    "chooseColor": "place",
    "playTile": "place",
    "takeBonusTiles": "bonus",
    "chooseKeptTiles": "place",
}
WAITING = {
    **dict.fromkeys(("confirmAcquire", "confirmPlay", "confirmPass"), CONFIRM),
    "gameEnd": OVER,
}


def read(page: Node) -> tuple[dict[str, object], list[str]]:
    """Return the JSON form of the position, and notes."""
    table = Table.read(page)
    phase, mover = table.phase(PHASES, WAITING), table.to_move()
    displays, centre, in_centre = table.factories(COLOURS)
    hands = [player["hand"].items() for player in table.players]
    token = table.token(in_centre, [seat for seat, hand in enumerate(hands) if has_token(hand)])
    start, notes = table.start(token)
    bag = page["remainingTiles"].number(0, MOST_TILES)
    if phase == "draft" and in_centre:
        table.check_turn(mover, start, displays.count(NOTHING), bag)
    keeping = table.state().value == "chooseKeptTiles"
    if keeping:
        notes.append(f"seat {mover} has passed and is choosing what to keep, but may still take"
                     " that back; taken as not having passed")
    supply = page["supply"].items()
    due = page["gamestate"]["args"]["count"].number(1, 99) if phase == "bonus" else 0
    raw = {
        "game": "summer",
        "board": table.board(),
        "round": page["round"].number(1, ROUNDS),
        "phase": phase,
        "to_move": mover,
        "start_seat": start,
        "token": token,
        "bonus_due": min(due, len(supply)),
        "displays": displays,
        "centre": centre,
        "supply": letters(supply, COLOURS),
        "bag_size": bag,
        "seats": [
            {
                "score": player["score"].number(1, MAX_SCORE),
                "hand": letters(hand, COLOURS),
                "kept": letters(player["corner"].items(), COLOURS),
                "passed": player["passed"].truth() and not (keeping and seat == mover),
                "stars": _stars(player["wall"].items()),
            }
            for seat, (player, hand) in enumerate(zip(table.players, hands, strict=True))
        ],
    }
    return raw, [*table.names(), *notes]


def _stars(tiles: list[Node]) -> dict[str, str]:
    """Return the stars of a board."""
    stars = {site: ["."] * STAR_SPACES for site in STARS}
    for tile in tiles:
        site = STARS[tile["star"].number(0, len(STARS) - 1)]
        space = tile["space"].number(1, STAR_SPACES)
        if stars[site][space - 1] != ".":
            tile["space"].refuse(f"no second tile on space {space} of this star")
        stars[site][space - 1] = COLOURS[tile["type"].number(1, len(COLOURS)) - 1]
    return {site: "".join(spaces) for site, spaces in stars.items()}
