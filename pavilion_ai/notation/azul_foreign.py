"""Positions of base Azul in the forms that other public programs print; read only.

* `nikohass/azul`: what `GameState::serialize_string` writes, twelve numbers with `_` between them.
* `admiralorbiter/azul-analysis-tool`: its FEN for two players, eleven parts with `/` between them
  (docs/systems/fen/specification.md there).
* `domw95/azul-tiles` (TypeScript): its `GameState` as JSON (src/state.ts and src/playerboard.ts
  there).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pavilion_ai.errors import PositionError
from pavilion_ai.notation.tiles import NOTHING, format_tiles, parse_tiles
from pavilion_ai.position.azul_board import FLOOR_SPACES, LETTERS, MARKER, SIZE, row_colours
from pavilion_ai.position.azul_round import Count, likely_rounds, rows_of, taken_as
from pavilion_ai.untrusted import Node

_NUMBERS = re.compile(r"[234](_[0-9-]{1,200}){11}")
_FEN = re.compile(r"[BYRKW|-]{4,60}(/[BYRKW|-]{1,60}){7}/-?[0-9]{1,4},-?[0-9]{1,4}/[0-9]{1,3}/[01]")

Reading = tuple[dict[str, Any], list[str]]


def read_foreign(text: str) -> Reading | None:
    """Return the JSON form of a position in a form of another program, and notes; None if it is in
    none of them.

    Raises:
        PositionError: it is in one of them, but cannot be understood.
    """
    line = text.strip()
    reader: Callable[[str], Reading] | None = None
    if _NUMBERS.fullmatch(line):
        reader = _of_numbers
    elif _FEN.fullmatch(line):
        reader = _of_fen
    return reader(line) if reader is not None else None


def read_foreign_object(raw: Mapping[str, Any]) -> Reading | None:
    """Return the same of decoded JSON; None if it is in no form of another program.

    Raises:
        PositionError: as `read_foreign`.
    """
    return _of_state(Node(raw, "", PositionError.at)) if raw.keys() >= _STATE_KEYS else None


def _refuse(message: str) -> PositionError:
    return PositionError.at("syntax", "", message)


# -------------------------------------------------------------------------- nikohass/azul


def _of_numbers(text: str) -> Reading:
    """Read counts that are packed into whole numbers, the lowest bits first."""
    parts = text.split("_")
    players = int(parts[0])
    try:
        mover, holder, bag, used = (int(part) for part in parts[1:5])
        sources, walls, counts, kinds = (
            [int(number) for number in part.split("-")] for part in (parts[5], *parts[8:11]))
        scores, floors, taken = int(parts[6]), int(parts[7]), int(parts[11])
    except ValueError:
        raise _refuse("found an empty number among those of the state") from None
    if len(sources) != 2 * players + 2 or any(
            len(group) != players for group in (walls, counts, kinds)):
        raise _refuse(f"found {len(sources) - 1} displays for {players} players, or boards of"
                      " another number of players")
    discards = _unpacked(used, 8)
    boards = []
    for seat in range(players):
        fallen = _byte(floors, seat)
        marked = bool(taken) and seat == holder
        boards.append({
            "score": (scores >> 16 * seat & 0xFFFF) - 1000,
            "lines": [_line(_byte(counts[seat], row), _byte(kinds[seat], row))
                      for row in range(SIZE)],
            "wall": _wall(walls[seat]),
            "floor": _floor(fallen, marked, discards),
        })
    displays = [_unpacked(number, 4) for number in sources[:-1]]
    raw = {
        "game": "azul", "board": "coloured", "phase": "draft", "to_move": mover,
        "start_seat": holder, "token": holder if taken else None,
        "displays": [format_tiles(tiles, LETTERS) for tiles in displays],
        "centre": format_tiles(_unpacked(sources[-1], 8), LETTERS),
        "bag": format_tiles(_unpacked(bag, 8), LETTERS), "lid": format_tiles(discards, LETTERS),
        "seats": boards,
    }
    rounds = _rounds(raw, players)
    raw["round"] = rounds[0]
    return raw, ["read as a state of nikohass/azul, which does not tell the round"
                 f" ({taken_as(rounds)}), who began it, or which tiles lie on the floor lines"]


def _unpacked(number: int, bits: int) -> list[int]:
    """Return the counts of the colours, each of so many bits."""
    return [number >> bits * colour & (1 << bits) - 1 for colour in range(len(LETTERS))]


def _byte(number: int, place: int) -> int:
    return number >> 8 * place & 0xFF


def _line(count: int, kind: int) -> str:
    if not count:
        return NOTHING
    if kind >= len(LETTERS):
        raise _refuse(f"found a pattern line with {count} tiles of colour {kind}, expected a colour"
                      f" from 0 to {len(LETTERS) - 1}")
    return f"{count if count > 1 else ''}{LETTERS[kind]}"


def _wall(occupied: int) -> list[str]:
    """Return the rows of a coloured wall; a row takes six bits, the last of them empty."""
    return ["".join(
        colour if occupied >> 6 * row + column & 1 else "."
        for column, colour in enumerate(row_colours(row))) for row in range(SIZE)]


def _floor(fallen: int, marked: bool, discards: list[int]) -> str:
    """Return a floor line of so many tiles, which are taken from those that are out of play.

    Which they are does not matter: all of them go to the lid when the round ends (RULES B5).
    """
    signs = MARKER if marked else ""
    while len(signs) < min(fallen, FLOOR_SPACES) and any(discards):
        colour = max(range(len(LETTERS)), key=discards.__getitem__)
        discards[colour] -= 1
        signs += LETTERS[colour]
    return signs or NOTHING


def _rounds(raw: dict[str, Any], players: int) -> list[int]:
    """Return the rounds that it may be, the likeliest first."""
    on_walls, longest = rows_of([board["wall"] for board in raw["seats"]])
    loose = [raw["centre"], *raw["displays"], *(
        line for board in raw["seats"] for line in board["lines"])]
    fallen = sum(len(board["floor"].strip(NOTHING).replace(MARKER, "")) for board in raw["seats"])
    return likely_rounds(Count(
        players, sum(parse_tiles(raw["bag"], LETTERS)), on_walls, longest,
        fallen + sum(sum(parse_tiles(tiles, LETTERS)) for tiles in loose)))


# ------------------------------------------------------- admiralorbiter/azul-analysis-tool


def _of_fen(text: str) -> Reading:
    displays, centre, *boards, scores, number, mover = text.split("/")
    sources = [_letters(display) for display in displays.split("|")]
    turns = sum(not source for source in sources)
    seats = [_board(boards[3 * seat : 3 * seat + 3], int(score))
             for seat, score in enumerate(scores.split(","))]
    least = rows_of([seat["wall"] for seat in seats])[1] + 1  # a row gets one tile a round
    guess = number if int(number) >= least else f"{number}, too low, taken as {least}"
    raw = {
        "game": "azul", "board": "coloured", "round": max(int(number), least), "phase": "draft",
        "to_move": int(mover), "start_seat": (int(mover) + turns) % len(seats), "token": None,
        "displays": [source or NOTHING for source in sources],
        "centre": _letters(centre) or NOTHING, "seats": seats,
    }
    return raw, ["read as a FEN of azul-analysis-tool, which does not tell where the marker is,"
                 " taken as in the centre, nor what is in the bag; the round is a guess of that"
                 f" program ({guess}), and the player to move may be its default"]


def _letters(tiles: str) -> str:
    return tiles.replace("-", "")


def _board(parts: list[str], score: int) -> dict[str, Any]:
    wall, lines, floor = parts
    rows, patterns = wall.split("|"), lines.split("|")
    if len(rows) != SIZE or len(patterns) != SIZE:
        raise _refuse(f"found {len(rows)} wall rows and {len(patterns)} pattern lines,"
                      f" expected {SIZE} of each")
    return {"score": score, "lines": [_letters(line) or NOTHING for line in patterns],
            "wall": [row.replace("-", ".") for row in rows], "floor": _letters(floor) or NOTHING}


# ---------------------------------------------------------------------- domw95/azul-tiles

_STATE_KEYS = {"factory", "firstTile", "playerBoards", "activePlayer"}
_TO_MOVE = 1
"""State in which a player is to move."""
_NO_TILE, _MARKER_TILE = -1, len(LETTERS)
_MOST_TILES = 100  # in a list


def _of_state(state: Node) -> Reading:
    """Read a `GameState`; its tiles are numbered in the order of our letters.

    Its bag holds the tiles of our lid too: it has none.
    """
    if state["state"].whole() != _TO_MOVE:
        state["state"].refuse(f"{_TO_MOVE}, in which a player is to move")
    centre, *displays = (_tiles_of(one, len(LETTERS)) for one in state["factory"].items(1, 10))
    boards = state["playerBoards"].items(2, 4)
    mover, turn = state["activePlayer"].whole(0, 3), state["turn"].whole(0, 99)
    floors = [_tiles_of(board["floor"], _MARKER_TILE + 1) for board in boards]
    holders = [seat for seat, floor in enumerate(floors) if MARKER in floor]
    free = state["firstTile"].whole(_NO_TILE, _MARKER_TILE) == _MARKER_TILE
    if len(holders) + free != 1:
        state["firstTile"].refuse(f"{_MARKER_TILE} while no floor line holds the tile"
                                  f" {_MARKER_TILE}, else {_NO_TILE}")
    raw: dict[str, Any] = {
        "game": "azul", "board": "coloured", "phase": "draft",
        "round": state["round"].whole(0, 99) + 1, "to_move": mover,
        "start_seat": (mover - turn) % len(boards), "token": None if free else holders[0],
        "displays": [display or NOTHING for display in displays], "centre": centre or NOTHING,
        "seats": [
            {"score": board["score"].whole(), "floor": floor[:FLOOR_SPACES] or NOTHING,
             "lines": [_tiles_of(line, len(LETTERS)) or NOTHING
                       for line in board["lines"].items(SIZE, SIZE)],
             "wall": [_wall_row(row) for row in board["wall"].items(SIZE, SIZE)]}
            for board, floor in zip(boards, floors, strict=True)],
    }
    bag = _tiles_of(state["tilebag"], len(LETTERS))
    if not bag:
        return raw, ["read as a state of azul-tiles without its bag"]
    lost = "".join(floor[FLOOR_SPACES:] for floor in floors).replace(MARKER, "")
    return {**raw, "bag": bag, "lid": lost or NOTHING}, ["read as a state of azul-tiles"]


def _tiles_of(tiles: Node, kinds: int) -> str:
    """Return the letters of a list of tiles, the marker among them if there are more kinds."""
    numbers = (tile.whole(0, kinds - 1) for tile in tiles.items(high=_MOST_TILES))
    return "".join((LETTERS + MARKER)[number] for number in numbers)


def _wall_row(row: Node) -> str:
    return "".join((LETTERS + ".")[tile.whole(_NO_TILE, len(LETTERS) - 1)]
                   for tile in row.items(SIZE, SIZE))
