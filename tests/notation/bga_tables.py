"""Tables as the pages of Board Game Arena describe them, made from our positions.

Written from the programs of the two games there, not from our reader: tiles have an id and a
numeric type, walls and lines say where a tile lies, numbers may come as strings.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from pavilion_ai.notation import to_json
from pavilion_ai.position import Position

SUMMER_TYPES = {letter: number for number, letter in enumerate("PGOYBR", 1)}
AZUL_TYPES = {"K": 1, "W": 2, "B": 3, "Y": 4, "R": 5}
AZUL_LETTERS = "BYRKW"
STARS = {"C": 0, "W": 1, "NW": 2, "NE": 3, "E": 4, "SE": 5, "SW": 6}
FIRST_ID = 88_000_000
SUMMER_STATES = {"draft": "chooseTile", "place": "choosePlace", "bonus": "takeBonusTiles"}
AZUL_STATES = {"draft": "chooseTile", "wall": "multiChooseColumns"}


def player_id(seat: int) -> int:
    """Return the id that the player of a seat has in a made-up table."""
    return FIRST_ID + 17 * seat


class Tiles:
    """Makes tiles with numbers of their own."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)

    def one(self, kind: int, **place: object) -> dict[str, object]:
        return {"id": next(self._ids), "type": kind, **place}

    def many(self, counts: Iterable[int], types: Iterable[int]) -> list[dict[str, object]]:
        return [self.one(kind) for count, kind in zip(counts, types, strict=True)
                for _ in range(count)]


def table(position: Position) -> dict[str, Any]:
    """Return the page's object for a position in which somebody decides."""
    return _summer(position) if position.game == "summer" else _azul(position)


def _shared(position: Any, tiles: Tiles, types: list[int], name: str) -> dict[str, Any]:
    sources = [position.centre, *position.displays]
    factories = [tiles.many(source, types) for source in sources]
    holder = position.start_seat if position.token is None else position.token
    if position.token is None:
        factories[0].append(tiles.one(0))
    return {
        "boardNumber": 1 if position.board == "coloured" else 2,
        "factoryNumber": len(position.displays),
        "factories": factories,
        "firstPlayerTokenPlayerId": player_id(holder),
        "remainingTiles": position.bag_size,
        "gamestate": {"id": "20", "active_player": str(player_id(position.to_move)), "args": {},
                      "reflexion": {"total": {}}},
        "gamestates": {"1": {"name": "gameSetup"}, "20": {"name": name, "type": "activeplayer"}},
    }


def _summer(position: Any) -> dict[str, Any]:
    tiles, types = Tiles(), list(SUMMER_TYPES.values())
    page = _shared(position, tiles, types, SUMMER_STATES[position.phase])
    page["gamestate"]["args"]["count"] = position.bonus_due
    players = {}
    for index, seat in enumerate(position.seats):
        hand = tiles.many(seat.hand, types)
        if position.token == index:
            hand.append(tiles.one(0))
        players[str(player_id(index))] = {
            "id": str(player_id(index)), "name": f"player {index}", "playerNo": index + 1,
            "score": str(seat.score), "passed": seat.passed, "hand": hand,
            "corner": tiles.many(seat.kept, types),
            "wall": [tiles.one(SUMMER_TYPES[colour], star=star, space=space)
                     for star, space, colour in _spaces(position, index)],
        }
    return {**page, "players": players, "round": position.round,
            "supply": tiles.many(position.supply, types)}


def _spaces(position: Any, seat: int) -> Iterator[tuple[int, int, str]]:
    stars = to_json(position)["seats"][seat]["stars"]  # type: ignore[index]
    for site, spaces in stars.items():
        for space, colour in enumerate(spaces, 1):
            if colour != ".":
                yield STARS[site], space, colour


def _azul(position: Any) -> dict[str, Any]:
    tiles, types = Tiles(), [AZUL_TYPES[letter] for letter in AZUL_LETTERS]
    page = _shared(position, tiles, types, AZUL_STATES[position.phase])
    seats: Any = to_json(position)["seats"]
    players = {}
    for index, seat in enumerate(seats):
        lines = [
            tiles.one(AZUL_TYPES[text[-1]], line=line, column=column)
            for line, text in enumerate(seat["lines"], 1) if text != "-"
            for column in range(1, int(text[:-1] or 1) + 1)
        ]
        floor = seat["floor"].replace("-", "")
        if position.token == index and "*" not in floor:
            floor += "*"  # there it lies beyond the seven spaces
        lines += [tiles.one(0 if sign == "*" else AZUL_TYPES[sign], line=0, column=column)
                  for column, sign in enumerate(floor, 1)]
        players[str(player_id(index))] = {
            "id": str(player_id(index)), "name": f"player {index}", "playerNo": str(index + 1),
            "score": str(seat["score"]), "hand": [], "lines": lines[::-1],
            "wall": [tiles.one(AZUL_TYPES[colour], line=line, column=column)
                     for line, row in enumerate(seat["wall"], 1)
                     for column, colour in enumerate(row, 1) if colour != "."],
        }
    return {**page, "players": players}
