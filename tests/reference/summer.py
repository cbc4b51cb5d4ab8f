"""Azul: Summer Pavilion, transcribed section by section from RULES.md part A.

Slow and literal on purpose: tiles are lists of letters, a star is a list of six letters or
dots, and nothing is shared with the package under test. The functions here work on positions
in the JSON form of CONTRACT.md section 1, held as dictionaries.
"""

from random import Random

from .summer_drawing import apply_draw, draw_move
from .summer_geometry import SITES
from .summer_rounds import number_points, star_points
from .summer_table import (
    SUPPLY_SPACES,
    TILES_PER_COLOUR,
    Position,
    Table,
    copy_table,
    read_table,
    unseen,
    write_position,
)
from .summer_turns import (
    apply_bonus,
    apply_draft,
    apply_pass,
    apply_place,
    bonus_moves,
    draft_moves,
    pass_moves,
    place_moves,
)
from .tiles import LETTERS


def table_moves(table: Table, keep_policy: str) -> list[str]:
    """List the moves of a table (A6.1, A7.1, A7.6)."""
    if table["phase"] == "draft":
        moves = draft_moves(table)
    elif table["phase"] == "place":
        moves = place_moves(table) + pass_moves(table, keep_policy)
    elif table["phase"] == "bonus":
        moves = bonus_moves(table)
    else:
        moves = []
    return sorted(moves)


def apply_decision(table: Table, move: str) -> None:
    """Play a move that is known to be legal."""
    if table["phase"] == "draft":
        apply_draft(table, move)
    elif table["phase"] == "bonus":
        apply_bonus(table, move)
    elif move.startswith("pass:"):
        apply_pass(table, move)
    else:
        apply_place(table, move)


def legal_moves(position: Position, keep_policy: str = "free") -> list[str]:
    """List the canonical strings of all legal moves, sorted; none in a chance phase or at the end.

    `keep_policy` is `free` or `maximal` (RULES.md section 0).
    """
    return table_moves(read_table(position), keep_policy)


def chance(position: Position) -> str | None:
    """Return `deal` or `supply` if tiles are to be drawn now."""
    return position["phase"] if position["phase"] in ["deal", "supply"] else None


def apply(position: Position, move: str) -> Position:
    """Return the position right after a decision or an explicit draw.

    Raises ValueError if the move is not legal. Decisions are taken in canonical form only.
    """
    table = read_table(position)
    if chance(position):
        apply_draw(table, move)
    elif move in table_moves(table, "free"):
        apply_decision(table, move)
    else:
        raise ValueError(f"{move!r} is not legal in phase {position['phase']!r}")
    return write_position(table)


def possible_draw(position: Position, move: str) -> bool:
    """Tell whether drawing tile by tile can produce this chance move (A9)."""
    try:
        apply_draw(read_table(position), move)
    except ValueError:
        return False
    return True


def draw(position: Position, rng: Random) -> tuple[str, Position]:
    """Resolve a chance phase at random; return the chance move and the position after it."""
    table = read_table(position)
    if table["bag"] is None:  # CONTRACT.md: the bag is a uniform sample of the unseen tiles
        hidden = unseen(table)
        rng.shuffle(hidden)
        table["bag"] = hidden[: table["bag_size"]]
        table["tower"] = hidden[table["bag_size"] :]
    move = draw_move(table, rng.choice)
    return move, apply(position, move)


def new_game(players: int, board: str, rng: Random, start_seat: int | None = None) -> Position:
    """Set up a game (A4)."""
    bag = [letter for letter in LETTERS for _ in range(TILES_PER_COLOUR)]
    rng.shuffle(bag)
    supply = [bag.pop() for _ in range(SUPPLY_SPACES)]
    displays = [[bag.pop() for _ in range(4)] for _ in range(2 * players + 1)]
    start = rng.randrange(players) if start_seat is None else start_seat
    seats = [
        {
            "score": 5,
            "hand": [],
            "kept": [],
            "passed": False,
            "stars": {site: ["."] * 6 for site in SITES},
        }
        for _ in range(players)
    ]
    return write_position(
        {
            "board": board,
            "round": 1,
            "phase": "draft",
            "to_move": start,
            "start_seat": start,
            "token": None,
            "bonus_due": 0,
            "displays": displays,
            "centre": [],
            "supply": supply,
            "bag": bag,
            "tower": [],
            "bag_size": len(bag),
            "seats": seats,
            "next_to_move": None,
        }
    )


def perft(position: Position, depth: int) -> int:
    """Count the leaf nodes after `depth` decisions (CONTRACT.md section 2, perft)."""
    return perft_table(read_table(position), depth)


def perft_table(table: Table, depth: int) -> int:
    """Count as `perft` does; the table is left alone."""
    while table["phase"] in ["deal", "supply"]:
        table = copy_table(table)
        apply_draw(table, draw_move(table, lambda bag: bag[0]))  # the lowest colour in the bag
    if table["phase"] == "over" or depth == 0:
        return 1
    moves = table_moves(table, "free")
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        after = copy_table(table)
        apply_decision(after, move)
        nodes += perft_table(after, depth - 1)
    return nodes


def breakdown(position: Position) -> list[dict[str, int]]:
    """Split the final scores into what was won in play and the bonuses (CONTRACT.md section 4)."""
    if position["phase"] != "over":
        raise ValueError(f"phase {position['phase']!r}; a breakdown needs a finished game")
    parts = []
    for seat in read_table(position)["seats"]:
        stars = star_points(seat["stars"])
        numbers = number_points(position["board"], seat["stars"])
        parts.append({"play": seat["score"] - stars - numbers, "stars": stars, "numbers": numbers})
    return parts


def winners(position: Position) -> list[int]:
    """List the seats with the most points; ties share the victory (A10)."""
    if position["phase"] != "over":
        raise ValueError(f"phase {position['phase']!r}; only a finished game has winners")
    scores = [seat["score"] for seat in position["seats"]]
    return [seat for seat, score in enumerate(scores) if score == max(scores)]
