"""What a player may do on a turn, and what it does: RULES.md A6, A7 and A12."""

from .summer_geometry import (
    CENTRE,
    FEATURES,
    POSITIONS,
    SITES,
    STAR_COLOUR,
    Space,
    printed_number,
    reward,
)
from .summer_rounds import begin_phase_2, end_turn
from .summer_table import LAST_ROUND, Table, discard, lose, wild
from .tiles import LETTERS, Tiles, read_tiles, subsets, take, write_tiles


def draft_moves(table: Table) -> list[str]:
    """List the legal drafts (A6.1)."""
    sources = [(f"D{n}", tiles) for n, tiles in enumerate(table["displays"], start=1)]
    sources.append(("C", table["centre"]))
    moves = []
    for name, tiles in sources:
        for colour in LETTERS:
            if colour != wild(table):
                legal = tiles.count(colour) >= 1
            else:
                legal = len(tiles) >= 1 and all(tile == colour for tile in tiles)
            if legal:
                moves.append(f"{name}:{colour}")
    return moves


def apply_draft(table: Table, move: str) -> None:
    """Take tiles from a display or the centre (A6.2, A6.3)."""
    source, colour = move.split(":")
    seat = table["seats"][table["to_move"]]
    tiles = table["centre"] if source == "C" else table["displays"][int(source[1:]) - 1]

    if colour != wild(table):
        taken = [colour] * tiles.count(colour)
        if wild(table) in tiles:
            taken.append(wild(table))
    else:
        taken = [colour]
    take(tiles, taken)
    seat["hand"] += taken

    if source == "C":
        if table["token"] is None:  # A6.3: the first to take from the centre in this round
            table["token"] = table["to_move"]
            lose(seat, len(taken))
    else:
        table["centre"] += tiles
        tiles.clear()

    table["to_move"] = (table["to_move"] + 1) % len(table["seats"])
    if not table["centre"] and not any(table["displays"]):
        begin_phase_2(table)


def colours_allowed(board: str, site: str, star: list[str]) -> list[str]:
    """List the colours that may be placed on an empty space of a star (A7.2, A12)."""
    laid = [tile for tile in star if tile != "."]
    if board == "coloured":
        if site != CENTRE:
            return [STAR_COLOUR[site]]
        return [colour for colour in LETTERS if colour not in laid]
    if len(laid) <= 1:
        return list(LETTERS)
    if all(tile == laid[0] for tile in laid):
        return [laid[0]]
    return [colour for colour in LETTERS if colour not in laid]


def payments(number: int, colour: str, hand: Tiles, wild_colour: str) -> list[tuple[int, int]]:
    """List the ways to pay, as (tiles of the placed colour, other wild tiles) (A7.3)."""
    if colour == wild_colour:
        return [(number, 0)] if hand.count(colour) >= number else []
    ways = []
    for own in range(1, number + 1):
        wilds = number - own
        if hand.count(colour) >= own and hand.count(wild_colour) >= wilds:
            ways.append((own, wilds))
    return ways


def place_moves(table: Table) -> list[str]:
    """List the legal placements of the mover (A7.2, A7.3)."""
    seat = table["seats"][table["to_move"]]
    moves = []
    for site in SITES:
        star = seat["stars"][site]
        allowed = colours_allowed(table["board"], site, star)
        for position in POSITIONS:
            if star[position - 1] != ".":
                continue
            number = printed_number(table["board"], (site, position))
            for colour in allowed:
                for own, wilds in payments(number, colour, seat["hand"], wild(table)):
                    paid = write_tiles([colour] * own)
                    if wilds:
                        paid += write_tiles([wild(table)] * wilds)
                    moves.append(f"{site}.{position}:{paid}")
    return moves


def read_place(move: str, wild_colour: str) -> tuple[Space, str, int, int]:
    """Read `NW.4:O3P` as (("NW", 4), "O", 1, 3): the placed colour, its tiles, wild tiles."""
    where, paid = move.split(":")
    site, position = where.split(".")
    colour = next(sign for sign in paid if sign in LETTERS)
    ending = paid.index(colour) + 1
    own = len(read_tiles(paid[:ending]))
    wilds = len(read_tiles(paid[ending:])) if paid[ending:] else 0
    return (site, int(position)), colour, own, wilds


def chain_points(star: list[str], position: int) -> int:
    """Count the connected group of the tile at a position, the tile included (A7.4)."""
    group = {position}
    for step in [1, -1]:
        at = position
        while True:
            at = (at - 1 + step) % 6 + 1
            if star[at - 1] == "." or at in group:
                break
            group.add(at)
    return len(group)


def features_completed(stars: dict[str, list[str]], space: Space) -> list[str]:
    """List the features that the tile just laid on a space has completed (A7.5)."""
    return [
        feature
        for feature, around in FEATURES.items()
        if space in around and all(stars[site][at - 1] != "." for site, at in around)
    ]


def apply_place(table: Table, move: str) -> None:
    """Place a tile, pay, score, and release bonus tiles (A7.3-A7.6)."""
    space, colour, own, wilds = read_place(move, wild(table))
    site, position = space
    seat = table["seats"][table["to_move"]]
    spent = [colour] * own + [wild(table)] * wilds
    take(seat["hand"], spent)
    seat["stars"][site][position - 1] = colour
    spent.remove(colour)  # the one that lies on the board; the others go into the tower
    discard(table, spent)
    seat["score"] += chain_points(seat["stars"][site], position)

    entitled = sum(reward(feature) for feature in features_completed(seat["stars"], space))
    due = min(entitled, len(table["supply"]))
    if due > 0:
        table["phase"] = "bonus"
        table["bonus_due"] = due
    else:
        end_turn(table)


def bonus_moves(table: Table) -> list[str]:
    """List the choices of bonus tiles (A7.6)."""
    return [f"bonus:{write_tiles(tiles)}" for tiles in subsets(table["supply"], table["bonus_due"])]


def apply_bonus(table: Table, move: str) -> None:
    """Take the bonus tiles, which ends the turn (A7.6)."""
    tiles = read_tiles(move.split(":")[1])
    take(table["supply"], tiles)
    table["seats"][table["to_move"]]["hand"] += tiles
    table["bonus_due"] = 0
    end_turn(table)


def pass_moves(table: Table, keep_policy: str) -> list[str]:
    """List the ways to pass, by the tiles kept (A7.8, A7.9)."""
    hand = table["seats"][table["to_move"]]["hand"]
    if table["round"] == LAST_ROUND:
        return ["pass:-"]
    most = min(4, len(hand))
    sizes = [most] if keep_policy == "maximal" else range(most + 1)
    return [f"pass:{write_tiles(kept)}" for size in sizes for kept in subsets(hand, size)]


def apply_pass(table: Table, move: str) -> None:
    """Keep tiles, discard the others at a point each, and leave the round (A7.8, A7.9)."""
    seat = table["seats"][table["to_move"]]
    kept = read_tiles(move.split(":")[1])
    take(seat["hand"], kept)
    lose(seat, len(seat["hand"]))
    discard(table, seat["hand"])
    seat["hand"] = []
    seat["kept"] = kept
    seat["passed"] = True
    end_turn(table)
