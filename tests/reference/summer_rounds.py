"""Ends of turns, rounds and the game: RULES.md A7.1, A7.7, A8 and A10."""

from .summer_geometry import POSITIONS, SITES, printed_number
from .summer_table import LAST_ROUND, SUPPLY_SPACES, Table, drawable

STAR_POINTS = {"P": 20, "G": 18, "O": 17, "Y": 16, "B": 15, "R": 14}  # A2, A10.2
MULTICOLOURED_POINTS = 12  # A10.2
NUMBER_POINTS = {1: 4, 2: 8, 3: 12, 4: 16}  # A10.3


def begin_phase_2(table: Table) -> None:
    """Begin phase 2 with the token's holder, else with the one who began the round (A6.3, A6.4)."""
    table["phase"] = "place"
    table["to_move"] = table["start_seat"] if table["token"] is None else table["token"]


def end_turn(table: Table) -> None:
    """Stop for the top-up if a supply space can be filled (A7.7), else go on."""
    following = next_seat(table)
    if len(table["supply"]) < SUPPLY_SPACES and drawable(table) > 0:
        table["phase"] = "supply"
        table["to_move"] = None
        table["next_to_move"] = following
    else:
        begin_turn(table, following)


def next_seat(table: Table) -> int | None:
    """Return whose turn follows: clockwise, skipping those who have passed (A7.1)."""
    players = len(table["seats"])
    for step in range(1, players + 1):
        seat = (table["to_move"] + step) % players
        if not table["seats"][seat]["passed"]:
            return int(seat)
    return None


def begin_turn(table: Table, seat: int | None) -> None:
    """Begin a phase-2 turn, or end the phase when all have passed (A7.1)."""
    table["next_to_move"] = None
    if seat is not None:
        table["phase"] = "place"
        table["to_move"] = seat
    elif table["round"] == LAST_ROUND:
        finish(table)
    else:
        prepare_round(table)


def prepare_round(table: Table) -> None:
    """Prepare the next round up to the deal (A8; CONTRACT.md: `deal` comes last)."""
    table["round"] += 1
    if table["token"] is not None:  # A6.3: the holder starts the next round
        table["start_seat"] = table["token"]
    table["token"] = None
    for seat in table["seats"]:
        seat["hand"] += seat["kept"]
        seat["kept"] = []
        seat["passed"] = False
    if drawable(table) > 0:
        table["phase"] = "deal"
        table["to_move"] = None
    else:
        begin_phase_2(table)  # A6.4: no tile on any display


def finish(table: Table) -> None:
    """End the game and add the bonuses (A10)."""
    table["phase"] = "over"
    table["to_move"] = None
    for seat in table["seats"]:
        seat["score"] += star_points(seat["stars"])
        seat["score"] += number_points(table["board"], seat["stars"])


def star_points(stars: dict[str, list[str]]) -> int:
    """Return the bonus for complete stars (A10.2)."""
    points = 0
    for star in stars.values():
        if "." in star:
            continue
        if len(set(star)) == 1:
            points += STAR_POINTS[star[0]]
        elif len(set(star)) == 6:
            points += MULTICOLOURED_POINTS
    return points


def number_points(board: str, stars: dict[str, list[str]]) -> int:
    """Return the bonus for numbers of which every space is covered (A10.3)."""
    points = 0
    for number, value in NUMBER_POINTS.items():
        tiles = [
            stars[site][position - 1]
            for site in SITES
            for position in POSITIONS
            if printed_number(board, (site, position)) == number
        ]
        if "." not in tiles:
            points += value
    return points
