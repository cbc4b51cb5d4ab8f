"""Base Azul, transcribed section by section from RULES.md part B.

Slow and literal on purpose, like the oracle of Summer Pavilion next to it, whose face it has:
positions in the JSON form of CONTRACT.md section 1, held as dictionaries, and moves as strings.
"""

from random import Random

from .azul_drafting import apply_draft, draft_moves
from .azul_drawing import DISPLAY_SPACES, apply_deal, deal_move
from .azul_table import (
    LETTERS,
    NUMBERS,
    TILES_PER_COLOUR,
    Position,
    Table,
    copy_table,
    read_table,
    unseen,
    write_position,
)
from .azul_tiling import (
    apply_column,
    colour_points,
    column_moves,
    column_points,
    complete_rows,
    row_points,
)


def table_moves(table: Table) -> list[str]:
    """List the moves of a table (B4, B8)."""
    if table["phase"] == "draft":
        moves = draft_moves(table)
    elif table["phase"] == "wall":
        moves = column_moves(table)
    else:
        moves = []
    return sorted(moves)


def apply_decision(table: Table, move: str) -> None:
    """Play a move that is known to be legal."""
    if table["phase"] == "draft":
        apply_draft(table, move)
    else:
        apply_column(table, move)


def legal_moves(position: Position, keep_policy: str = "free") -> list[str]:
    """List the canonical strings of all legal moves, sorted; none in a chance phase or at the end.

    `keep_policy` is an option of the other game (RULES.md section 0) and makes no difference.
    """
    return table_moves(read_table(position))


def chance(position: Position) -> str | None:
    """Return `deal` if tiles are to be drawn now."""
    return "deal" if position["phase"] == "deal" else None


def apply(position: Position, move: str) -> Position:
    """Return the position right after a decision or an explicit deal.

    Raises ValueError if the move is not legal. Decisions are taken in canonical form only.
    """
    table = read_table(position)
    if chance(position):
        apply_deal(table, move)
    elif move in table_moves(table):
        apply_decision(table, move)
    else:
        raise ValueError(f"{move!r} is not legal in phase {position['phase']!r}")
    return write_position(table)


def possible_draw(position: Position, move: str) -> bool:
    """Tell whether drawing tile by tile can produce this chance move (B7)."""
    try:
        apply_deal(read_table(position), move)
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
        table["lid"] = hidden[table["bag_size"] :]
    move = deal_move(table, rng.choice)
    return move, apply(position, move)


def new_game(players: int, board: str, rng: Random, start_seat: int | None = None) -> Position:
    """Set up a game (B3)."""
    bag = [letter for letter in LETTERS for _ in range(TILES_PER_COLOUR)]
    rng.shuffle(bag)
    displays = [[bag.pop() for _ in range(DISPLAY_SPACES)] for _ in range(2 * players + 1)]
    start = rng.randrange(players) if start_seat is None else start_seat
    return write_position(
        {
            "board": board,
            "round": 1,
            "phase": "draft",
            "to_move": start,
            "start_seat": start,
            "token": None,
            "displays": displays,
            "centre": [],
            "bag": bag,
            "lid": [],
            "bag_size": len(bag),
            "seats": [
                {
                    "score": 0,
                    "lines": [[] for _ in NUMBERS],
                    "wall": [["."] * 5 for _ in NUMBERS],
                    "floor": [],
                }
                for _ in range(players)
            ],
        }
    )


def perft(position: Position, depth: int) -> int:
    """Count the leaf nodes after `depth` decisions (CONTRACT.md section 2, perft)."""
    return perft_table(read_table(position), depth)


def perft_table(table: Table, depth: int) -> int:
    """Count as `perft` does; the table is left alone."""
    if table["phase"] == "deal":
        table = copy_table(table)
        apply_deal(table, deal_move(table, lambda bag: bag[0]))  # the lowest colour in the bag
    if table["phase"] == "over" or depth == 0:
        return 1
    moves = table_moves(table)
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
        bonuses = {
            "rows": row_points(seat["wall"]),
            "columns": column_points(seat["wall"]),
            "colours": colour_points(seat["wall"]),
        }
        parts.append({"play": seat["score"] - sum(bonuses.values()), **bonuses})
    return parts


def winners(position: Position) -> list[int]:
    """List the seats with the most points, among them those with the most complete rows (B9)."""
    if position["phase"] != "over":
        raise ValueError(f"phase {position['phase']!r}; only a finished game has winners")
    results = [
        (seat["score"], complete_rows(seat["wall"])) for seat in read_table(position)["seats"]
    ]
    return [seat for seat, result in enumerate(results) if result == max(results)]
