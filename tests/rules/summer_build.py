"""A builder of valid positions from the few things that an example mentions."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.reference.summer_geometry import CENTRE, SITES, STAR_COLOUR
from tests.reference.tiles import LETTERS, Tiles, take, write_tiles

from .implementations import Position, Rules

SUPPLY_SPACES = 10


def tiles(text: str) -> Tiles:
    """Read tiles as RULES.md writes them (`3Y+1P`), or in the contract's form."""
    letters: Tiles = []
    count = ""
    for sign in text.replace("+", "").replace(" ", "").replace("-", ""):
        if sign.isdigit():
            count += sign
        else:
            letters += [sign] * int(count or "1")
            count = ""
    return letters


def canonical(text: str) -> str:
    """Write tiles of either form in the contract's form."""
    return write_tiles(tiles(text))


def stars(filled: str) -> dict[str, str]:
    """Draw a board from `NW.2 NW.3 C.6:R`; an outer space without colour has its star's."""
    board = {site: ["."] * 6 for site in SITES}
    for space in filled.split():
        where, _, colour = space.partition(":")
        site, position = where.split(".")
        board[site][int(position) - 1] = colour or STAR_COLOUR[site]
    return {site: "".join(star) for site, star in board.items()}


def all_displays(players: int, filled: Sequence[str]) -> list[Tiles]:
    """Return the tiles of every display; those behind the ones given are empty."""
    shown = [tiles(text) for text in filled]
    return shown + [[] for _ in range(2 * players + 1 - len(shown))]


def build(
    *,
    players: int = 2,
    board: str = "coloured",
    round: int = 1,
    phase: str = "place",
    to_move: int | None = 0,
    start_seat: int = 0,
    token: int | None = None,
    bonus_due: int = 0,
    displays: Sequence[str] = (),
    centre: str = "-",
    supply: str | None = None,
    bag: str | None = None,
    tower: str | None = None,
    hands: Mapping[int, str] | None = None,
    scores: Mapping[int, int] | None = None,
    filled: Mapping[int, str] | None = None,
    passed: Sequence[int] = (),
    rest: str = "bag",
) -> Position:
    """Complete a position with 22 tiles of each colour.

    A supply that is not given is filled with ten of the tiles left. What is then left goes
    where `rest` says: `bag`, `tower`, `hand` (of the last seat) or `boards` (coloured side, of all
    seats but seat 0), so that an example can have an empty bag and an empty tower.
    """
    seats: list[dict[str, Any]] = [
        {
            "score": (scores or {}).get(seat, 5),
            "hand": tiles((hands or {}).get(seat, "")),
            "kept": "-",
            "passed": seat in passed,
            "stars": stars((filled or {}).get(seat, "")),
        }
        for seat in range(players)
    ]
    shown = all_displays(players, displays)
    places = {
        "centre": tiles(centre),
        "supply": tiles(supply or ""),
        "bag": tiles(bag or ""),
        "tower": tiles(tower or ""),
    }

    left = [letter for letter in LETTERS for _ in range(22)]
    for some in [*shown, *places.values(), *[seat["hand"] for seat in seats]]:
        take(left, some)
    for seat in seats:
        take(left, [tile for star in seat["stars"].values() for tile in star if tile != "."])
    if supply is None:
        while len(places["supply"]) < SUPPLY_SPACES:  # as even as the tiles left allow
            letter = max(LETTERS, key=left.count)
            left.remove(letter)
            places["supply"].append(letter)
    if rest == "hand":
        seats[-1]["hand"] += left
    elif rest == "boards":
        _fill_boards(seats[1:], left)
    else:
        places[rest] += left

    return {
        "game": "summer",
        "board": board,
        "round": round,
        "phase": phase,
        "to_move": to_move,
        "start_seat": start_seat,
        "token": token,
        "bonus_due": bonus_due,
        "displays": [write_tiles(some) for some in shown],
        **{name: write_tiles(some) for name, some in places.items()},
        "bag_size": len(places["bag"]),
        "seats": [{**seat, "hand": write_tiles(seat["hand"])} for seat in seats],
    }


def _fill_boards(seats: list[dict[str, Any]], left: Tiles) -> None:
    """Lay the tiles left on empty spaces of boards of the coloured side."""
    for seat in seats:
        for site in SITES:
            star = list(seat["stars"][site])
            for at in range(6):
                colour = LETTERS[at] if site == CENTRE else STAR_COLOUR[site]
                if star[at] == "." and colour in left and (site != CENTRE or colour not in star):
                    left.remove(colour)
                    star[at] = colour
            seat["stars"][site] = "".join(star)
    if left:
        raise ValueError(f"{write_tiles(left)} do not fit on the boards")


def play(rules: Rules, position: Position, *moves: str) -> Position:
    """Play moves one after the other, explicit draws included."""
    for move in moves:
        position = rules.apply(position, move)
    return position


def hand(position: Position, seat: int = 0) -> str:
    """Return the hand of a seat."""
    text: str = position["seats"][seat]["hand"]
    return text


def scores(position: Position) -> list[int]:
    """Return the scores by seat."""
    return [seat["score"] for seat in position["seats"]]


def gained(before: Position, after: Position) -> int:
    """Return the points that seat 0 has gained from one position to another."""
    return scores(after)[0] - scores(before)[0]


def at(moves: Sequence[str], *places: str) -> list[str]:
    """Pick the moves that concern the given places: `D1`, `C`, `NE` or `NE.4`."""
    return [
        move
        for move in moves
        if move.split(":")[0] in places or move.split(":")[0].split(".")[0] in places
    ]


def placements(rules: Rules, position: Position) -> list[str]:
    """List the legal placements, that is everything but the passes."""
    return [move for move in rules.legal_moves(position) if not move.startswith("pass:")]


def passes(rules: Rules, position: Position, keep_policy: str = "free") -> list[str]:
    """List the legal passes."""
    moves = rules.legal_moves(position, keep_policy)
    return [move for move in moves if move.startswith("pass:")]
