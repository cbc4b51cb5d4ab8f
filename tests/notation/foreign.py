"""Positions in the forms of other public programs, written here from the definitions there."""

from __future__ import annotations

from typing import Any

from pavilion_ai.notation import to_json

LETTERS = "BYRKW"


def packed(numbers: Any, bits: int) -> int:
    """Pack numbers into one, the first into the lowest bits."""
    return sum(number << bits * place for place, number in enumerate(numbers))


def serialised(position: Any) -> str:
    """Return what `serialize_string` of nikohass/azul gives for a position."""
    seats: Any = to_json(position)["seats"]
    fallen = [[sign for sign in seat["floor"] if sign in LETTERS] for seat in seats]
    used = [lid + sum(tiles.count(letter) for tiles in fallen)
            for lid, letter in zip(position.lid, LETTERS, strict=True)]
    walls, counts, kinds = [], [], []
    for seat in seats:
        walls.append(packed(
            [packed([space != "." for space in row], 1) for row in seat["wall"]], 6))
        counts.append(packed([int(line[:-1] or 1) if line != "-" else 0
                              for line in seat["lines"]], 8))
        kinds.append(packed([LETTERS.index(line[-1]) if line != "-" else 255
                             for line in seat["lines"]], 8))
    taken = position.token is not None
    fields = [
        position.players, position.to_move, position.token if taken else position.start_seat,
        packed(position.bag, 8), packed(used, 8),
        "-".join(str(packed(tiles, bits)) for tiles, bits in (
            *((display, 4) for display in position.displays), (position.centre, 8))),
        packed([seat["score"] + 1000 for seat in seats], 16),
        packed([len(seat["floor"].strip("-")) for seat in seats], 8),
        *("-".join(map(str, group)) for group in (walls, counts, kinds)), int(taken)]
    return "_".join(map(str, fields))


def fen(position: Any) -> str:
    """Return the FEN of azul-analysis-tool: eleven parts, `-` for what is empty."""
    raw: Any = to_json(position)

    def spread(tiles: str, width: int) -> str:
        count = "".join(letter * int(number or 1) for number, letter in pairs(tiles))
        return count.ljust(width, "-")

    def pairs(tiles: str) -> list[tuple[str, str]]:
        found, number = [], ""
        for sign in tiles.replace("-", ""):
            if sign.isdigit():
                number += sign
            else:
                found.append((number, sign))
                number = ""
        return found

    parts = ["|".join(spread(display, 4) for display in raw["displays"]),
             spread(raw["centre"], 1)]
    for seat in raw["seats"]:
        parts += ["|".join(row.replace(".", "-") for row in seat["wall"]),
                  "|".join(spread(line, 5) for line in seat["lines"]),
                  seat["floor"].replace("*", "") or "-"]
    scores = ",".join(str(seat["score"]) for seat in raw["seats"])
    return "/".join([*parts, scores, str(estimated_round(position)), str(raw["to_move"])])


def estimated_round(position: Any) -> int:
    """Return what `_estimate_round` there gives: 1, as long as no wall row is complete."""
    complete = sum("." not in row for seat in to_json(position)["seats"]  # type: ignore[attr-defined]
                   for row in seat["wall"])
    return max(1, min(5, complete // 2 + 1))


def numbers_of(tiles: str) -> list[int]:
    """Return the tiles of a multiset or a floor line as azul-tiles numbers them."""
    found, number = [], ""
    for sign in tiles.replace("-", ""):
        if sign.isdigit():
            number += sign
        else:
            found += [(LETTERS + "*").index(sign)] * int(number or 1)
            number = ""
    return found


def game_state(position: Any) -> dict[str, Any]:
    """Return the `GameState` of azul-tiles."""
    raw: Any = to_json(position)
    players = len(raw["seats"])
    taken = (raw["to_move"] - raw["start_seat"]) % players
    boards = [{"wall": [[(LETTERS + ".").index(space) if space != "." else -1 for space in row]
                        for row in seat["wall"]],
               "lines": [numbers_of(line) for line in seat["lines"]],
               "floor": numbers_of(seat["floor"]), "score": seat["score"], "id": number,
               "roundScore": 3, "shadowWall": [], "turnUpdated": -4}
              for number, seat in enumerate(raw["seats"])]
    return {"tilebag": numbers_of(raw["bag"]) + numbers_of(raw["lid"]),
            "factory": [numbers_of(tiles) for tiles in (raw["centre"], *raw["displays"])],
            "firstTile": 5 if raw["token"] is None else -1, "playerBoards": boards,
            "availableMoves": [], "playedMoves": [], "nPlayers": players,
            "round": raw["round"] - 1, "turn": taken + players, "activePlayer": raw["to_move"],
            "startingPlayer": 0, "previousPlayer": 1, "winner": [], "state": 1, "seed": "0.5"}
