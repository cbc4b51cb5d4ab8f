"""Action numbers and observations written out a second time from docs/environments.md, on move
strings and positions in JSON form, without the package."""

from __future__ import annotations

import re
from itertools import combinations_with_replacement
from typing import Any

Position = dict[str, Any]

SUMMER, AZUL = "PGOYBR", "BYRKW"
SITES = ("W", "NW", "NE", "E", "SE", "SW", "C")
STARS = "PORBYG"                       # colours of the outer stars, coloured side
PAIRS = [(number, own) for number in range(1, 7) for own in range(1, number + 1)]
MULTISETS = [tiles for size in range(5) for tiles in combinations_with_replacement(SUMMER, size)]
PHASES = {
    "summer": ("draft", "place", "bonus", "deal", "supply", "over"),
    "azul": ("draft", "wall", "deal", "over"),
}
PLACEMENTS = {"coloured": 252, "grey": 864}


def read(text: str) -> str:
    """Return the tiles of a multiset, one letter each."""
    return "".join(letter * int(count or 1) for count, letter in re.findall(r"(\d*)([A-Z])", text))


def count(game: str, board: str, players: int) -> int:
    """Return the number of actions."""
    sources = 2 * players + 2
    if game == "azul":
        return sources * 30 + 6 * (board == "grey")
    return sources * 6 + PLACEMENTS[board] + 83 + 210


def number(game: str, board: str, players: int, move: str) -> int:
    """Return the action number of a move string."""
    what, rest = re.split(r"[:.]", move, maxsplit=1)
    source = 2 * players + 1 if what == "C" else int(what[1:]) - 1 if what[0] == "D" else 0
    if game == "azul":
        if what == "wall":
            column = rest.split(">")[1]
            return (2 * players + 2) * 30 + (5 if column == "F" else int(column) - 1)
        colour, line = rest.split(">")
        return 30 * source + 6 * AZUL.index(colour) + (5 if line == "F" else int(line) - 1)
    first = 6 * (2 * players + 2)
    if what in ("bonus", "pass"):
        tiles = tuple(sorted(read(rest), key=SUMMER.index))
        first += PLACEMENTS[board]
        return first + MULTISETS.index(tiles) + (-1 if what == "bonus" else 83)
    if "." not in move:
        return 6 * source + SUMMER.index(rest)
    return first + placement(board, what, rest)


def placement(board: str, site: str, rest: str) -> int:
    """Return the number of a placement within its block; rest is `POSITION:PAYMENT`."""
    position, payment = int(rest[0]), read(rest[2:])
    own, colour = payment.count(payment[0]), SUMMER.index(payment[0])
    if board == "coloured":
        group = 6 + colour if site == "C" else SITES.index(site)
        return 21 * group + PAIRS.index((position, own))
    if site == "C":
        return 756 + 18 * (position - 1) + 3 * colour + own - 1
    printed = (3, 2, 1, 4, 5, 6)[position - 1]
    return 126 * SITES.index(site) + 21 * colour + PAIRS.index((printed, own))


def counts(text: str | None, letters: str) -> list[int]:
    """Return the tiles of a multiset by colour; None is empty."""
    return [read(text or "").count(letter) for letter in letters]


def one_hot(size: int, index: int | None) -> list[int]:
    """Return a one-hot of a number; None: zeros."""
    return [int(place == index) for place in range(size)]


def observation(position: Position, viewer: int) -> list[int]:
    """Return what a viewer sees, in counts."""
    game, seats = position["game"], position["seats"]
    letters = SUMMER if game == "summer" else AZUL
    players = len(seats)
    discards = "tower" if game == "summer" else "lid"

    def relative(seat: int | None) -> int | None:
        return None if seat is None else (seat - viewer) % players

    token = relative(position["token"])
    floors = "".join(seat.get("floor", "") for seat in seats)
    out = one_hot(len(PHASES[game]), PHASES[game].index(position["phase"]))
    out += one_hot(6, position["round"] - 1) if game == "summer" else [position["round"]]
    out += one_hot(players, relative(position["to_move"]))
    out += one_hot(players, relative(position["start_seat"]))
    out += one_hot(players + 1, 0 if token is None else 1 + token)
    out += [position["bonus_due"]] if game == "summer" else []
    for display in position["displays"]:
        out += counts(display, letters)
    out += counts(position["centre"], letters)
    out += counts(position["supply"], letters) if game == "summer" else []
    out += counts(position["bag"], letters)
    out += [tiles + floors.count(letter) for tiles, letter in
            zip(counts(position[discards], letters), letters, strict=True)]
    out += [position["bag_size"], 1]
    for place in range(players):
        seat = seats[(viewer + place) % players]
        out += summer_seat(seat) if game == "summer" else azul_seat(seat)
    return out


def summer_seat(seat: dict[str, Any]) -> list[int]:
    """Return the part of a seat of Summer Pavilion."""
    stars = [seat["stars"][site] for site in SITES]
    return [
        seat["score"], *counts(seat["hand"], SUMMER), *counts(seat["kept"], SUMMER),
        int(seat["passed"]), *(int(space != ".") for star in stars for space in star),
        *(int(letter in star) for star in stars for letter in SUMMER),
    ]


def azul_seat(seat: dict[str, Any]) -> list[int]:
    """Return the part of a seat of base Azul."""
    wall = seat["wall"]
    return [
        seat["score"], *(tiles for line in seat["lines"] for tiles in counts(line, AZUL)),
        *(int(space != ".") for row in wall for space in row),
        *(int(letter in row) for letter in AZUL for row in wall),
        *(int(any(row[column] == letter for row in wall)) for letter in AZUL
          for column in range(5)),
        len(seat["floor"].strip("-")),
    ]
