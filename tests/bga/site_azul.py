"""Logs of base Azul."""

from __future__ import annotations

from typing import Any

from pavilion_ai.notation import Deal, DraftTo, Wall, parse_move
from pavilion_ai.record import GameRecord
from tests.bga.site import Bag, Site, Style, Told

KINDS = {"B": 3, "Y": 4, "R": 5, "K": 1, "W": 2}
LETTERS = "BYRKW"
COST = (0, 1, 2, 4, 6, 8, 11, 14)


def kinds_of(tiles: Any) -> list[int]:
    """Return types of tiles, one by one, of a multiset in the order of the notation."""
    return [KINDS[letter] for letter, count in zip(LETTERS, tiles, strict=True)
            for _ in range(count)]


class AzulSite(Site):
    """Writes the log of a record."""

    def __init__(self, record: GameRecord, style: Style, seed: int) -> None:
        super().__init__(record, style, seed)
        self.grey = record.start.board == "grey"  # type: ignore[attr-defined]
        players = record.start.players
        self.bag = Bag(20, 5, self.rng, ("line", "column"))
        self.lines: list[list[list[int]]] = [[[] for _ in range(6)] for _ in range(players)]
        self.walls: list[dict[tuple[int, int], int]] = [{} for _ in range(players)]
        told = self.told
        told.note("simpleNote", {"players": "<b>Player A</b>"})
        told.setup()
        told.state(10, 0)
        for number, display in enumerate(record.start.displays, 1):  # type: ignore[attr-defined]
            self.places[number] = self.bag.draw(kinds_of(display))
        self._deal_note()
        told.state(20, 0, kind="activeplayer")
        told.packet()
        self.gamedatas_at_start = self.gamedatas()

    def gamedatas(self) -> dict[str, Any]:
        """Return the table as the page of the replay has it, at the start."""
        order = self.rng.sample(range(1, len(self.lines) + 1), len(self.lines))
        return {
            "players": {str(self.told.ids[n - 1]): {
                "id": str(self.told.ids[n - 1]), "score": "0", "playerNo": n,
                "name": f"Player {'ABCD'[n - 1]}", "lines": [], "wall": [], "hand": []}
                for n in order},
            "factoryNumber": len(self.places) - 1, "firstPlayerTokenPlayerId": self.told.ids[0],
            "variant": self.grey,
            "factories": [self.bag.tiles(place, 0, n) for n, place in enumerate(self.places)],
            "remainingTiles": len(self.bag.bag),
            "gamestate": {"id": "20", "name": "chooseTile", "active_player": self.told.ids[0],
                          "args": []}}

    def write(self) -> Told:
        """Write the whole log."""
        told, moves = self.told, self.record.moves
        number = 0
        while number < len(moves):
            move = parse_move(moves[number], "azul")
            if isinstance(move, DraftTo):
                self._draft(moves[number], move)
                number += 1
                if self.position.phase not in ("draft",):
                    number = self._tile(number)
            elif isinstance(move, Deal):
                self._deal(moves[number], move)
                number += 1
        if self.position.phase == "over":
            self._finals()
        told.packet()
        return told

    def _deal_note(self) -> None:
        self.places[0] = [1]
        for place in self.places[1:]:
            self.rng.shuffle(place)
        self.told.note("factoriesFilled", {
            "factories": [self.bag.tiles(place, 0, n) for n, place in enumerate(self.places)],
            "remainingTiles": len(self.bag.bag)})

    def _deal(self, text: str, move: Deal) -> None:
        for number, display in enumerate(move.displays, 1):
            self.places[number] = self.bag.draw(kinds_of(display))
        self._apply(text)
        self._deal_note()
        self.told.state(20, self.position.to_move, kind="activeplayer")
        self.told.packet()

    # ----------------------------------------------------------------------------- drafting

    def _draft(self, text: str, move: DraftTo) -> None:
        told = self.told
        while self.rng.random() < self.style.undo:
            fake = parse_move(self.rng.choice(self.rules.legal_moves(self.position)), "azul")
            assert isinstance(fake, DraftTo)
            self._take(fake)
            self._lines_undone(fake, final=False)
            self._put_back(fake)
        self._take(move)
        self._lines_undone(move, final=True)
        self._place(move, real=True, text=text)
        self._apply(text)
        if self.grey and self.rng.random() < 0.1:
            told.note("lastRound", told.who(0))
            told.note("removeLastRound", [])
        told.packet()
        told.state(80, None)
        told.note("updateReflexionTime", {"player_id": str(told.ids[0]), "delta": "30"})
        if self.position.phase == "draft":
            told.state(20, self.position.to_move, kind="activeplayer")
        if self.position.phase == "draft" and not (self.style.automatic and self.rng.random() < .2):
            told.packet()

    def _lines_undone(self, move: DraftTo, final: bool) -> None:
        """Choose lines that are taken back."""
        told, seat = self.told, self.position.to_move
        legal = [one for one in self.rules.legal_moves(self.position)
                 if one.split(">")[0] == self._name(move)]
        while self.rng.random() < self.style.undo + 0.1 * (self.style.undo > 0):
            text = self.rng.choice(legal)
            other = parse_move(text, "azul")
            assert isinstance(other, DraftTo)
            self._place(other, real=False, text=text)
            told.packet()
            told.note("undoSelectLine", {**told.who(seat), "undo": {"from": 0}})
            told.state(30, seat, kind="activeplayer")
            told.packet()

    def _name(self, move: DraftTo) -> str:
        return f"{'C' if move.source is None else f'D{move.source + 1}'}:{LETTERS[move.colour]}"

    def _take(self, move: DraftTo) -> None:
        told, seat = self.told, self.position.to_move
        number = 0 if move.source is None else move.source + 1
        kind = KINDS[LETTERS[move.colour]]
        place = self.places[number]
        if number == 0 and 1 in place:
            told.note("tilesPlacedOnLine", {
                **told.who(seat), "number": 1, "color": None, "type": 0, "line": 0,
                "lineNumber": 0, "placedTiles": [], "discardedTiles": self.bag.tiles([1], 0, 1),
                "discardedTilesToSpecialFactoryZero": [], "fromHand": False})
            told.note("firstPlayerToken", told.who(seat))
        taken = [one for one in place if self.bag.kind[one] == kind]
        rest = [one for one in place if one not in taken and one != 1]
        told.note("tilesSelected", {
            **told.who(seat), "number": len(taken), "color": "Blau", "type": kind,
            "selectedTiles": self.bag.tiles(taken, 0, number),
            "discardedTiles": self.bag.tiles(rest, 0, number) if number else [],
            "fromFactory": number}, log=told.words())
        legal = [one for one in self.rules.legal_moves(self.position)
                 if one.split(">")[0] == self._name(move)]
        told.state(30, seat, {"lines": [int(one[-1].replace("F", "0")) for one in legal],
                              "type": kind}, "activeplayer")
        if self.rng.random() < 0.7:
            told.packet()

    def _put_back(self, move: DraftTo) -> None:
        told, seat = self.told, self.position.to_move
        number = 0 if move.source is None else move.source + 1
        holder = self.position.start_seat if self.position.token is None else self.position.token
        kind = KINDS[LETTERS[move.colour]]
        left = [one for one in self.places[0] if one != 1 and self.bag.kind[one] != kind]
        told.note("undoTakeTiles", {**told.who(seat), "undo": {
            "from": number, "tiles": self.bag.tiles(self.places[number], 0, number),
            "previousFirstPlayer": told.ids[holder]},
            "factoryTilesBefore": [] if number else self.bag.tiles(left)})
        told.state(20, seat, kind="activeplayer")
        told.packet()

    def _place(self, move: DraftTo, real: bool, text: str) -> None:
        told, seat = self.told, self.position.to_move
        number = 0 if move.source is None else move.source + 1
        kind = KINDS[LETTERS[move.colour]]
        place = self.places[number]
        taken = [one for one in place if self.bag.kind[one] == kind]
        line = 0 if move.line is None else move.line + 1
        free = 0 if not line else line - len(self.lines[seat][line])
        told.note("tilesPlacedOnLine", {
            **told.who(seat), "number": len(taken), "color": "Blau", "type": kind, "line": line,
            "lineNumber": line, "placedTiles": self.bag.tiles(taken[:free], line, 1),
            "discardedTiles": self.bag.tiles(taken[free:], 0, 1),
            "discardedTilesToSpecialFactoryZero": [], "fromHand": True},
            told=[*told.done, text], log=told.words())
        told.state(31, seat, kind="activeplayer")
        if told.style.states:
            told.moves[-1] = [*told.done, text]
        if not real:
            return
        self.places[number] = []
        rest = [one for one in place if one not in taken]
        if number:
            self.places[0] += rest
        else:
            self.lines[seat][0] += [one for one in rest if one == 1]
            self.places[0] = [one for one in rest if one != 1]
        self.lines[seat][line] += taken[:free]
        self.lines[seat][0] += taken[free:]

    # -------------------------------------------------------------------------------- tiling

    def _tile(self, number: int) -> int:
        """Tell a whole tiling, which begins with move `number`; return the number after it."""
        told, moves = self.told, self.record.moves
        chosen: list[str] = []
        while number < len(moves) and moves[number].startswith("wall:"):
            chosen.append(moves[number])
            number += 1
        before, base = self.position, list(told.done)
        told.state(50, None)
        if chosen:
            told.state(55, None, kind="multipleactiveplayer")
            told.note("gameStateMultipleActiveUpdate", [str(one) for one in told.ids])
            if self.rng.random() < 0.5:
                told.packet()
                self._choose_columns(chosen)
        results, scores = self._results(before, chosen)
        for text in chosen:
            self._apply(text)
        told.state(52, None)
        if told.style.states:
            told.moves[-1] = base
        known: set[tuple[int, int]] = set()
        owners = self._owners(before, chosen)
        rows = sorted(results, key=(lambda key: (key[1], key[0])) if self.style.fast else None)
        groups: list[list[tuple[int, int]]] = []
        for key in rows:
            if (self.style.fast and groups and groups[-1][0][1] == key[1]
                    and results[key][0] is not None and results[groups[-1][0]][0] is not None):
                groups[-1].append(key)
            else:
                groups.append([key])
        floors_done: set[int] = set()
        for group in groups:
            if not self.style.fast:
                for seat in range(group[0][0]):
                    if seat not in floors_done:
                        self._floor([seat], scores, base, chosen, known, owners)
                        floors_done.add(seat)
            known.update(group)
            self._wall_notes(group, results, self._told(base, chosen, known, owners))
        left = [seat for seat in range(len(self.lines)) if seat not in floors_done]
        for seats in ([left] if self.style.fast else [[seat] for seat in left]):
            self._floor(seats, scores, base, chosen, known, owners)
        return number

    def _choose_columns(self, chosen: list[str]) -> None:
        """Tell what each player alone was told of a choice of columns, and that it was made."""
        told, base = self.told, self.position
        seats = list(dict.fromkeys(seat for seat, _ in self._owners(base, chosen)))
        self.rng.shuffle(seats)
        for number, seat in enumerate(seats):
            if self.rng.random() < 0.7:
                told.note("updateSelectColumn", {"playerId": told.ids[seat], "arg": {
                    "nextColumnToSelect": None, "selectedColumns": [
                        {"line": int(text[5]), "column": int(text[7].replace("F", "0")), "type": 1}
                        for text, (owner, _) in zip(chosen, self._owners(base, chosen), strict=True)
                        if owner == seat]}})
                told.packet(private=seat)
            told.note("gameStateMultipleActiveUpdate",
                      [str(told.ids[one]) for one in seats[number + 1:]])
            told.packet()

    def _told(self, base: list[str], chosen: list[str], known: set[tuple[int, int]],
              owners: list[tuple[int, int]]) -> list[str]:
        """Return the moves that follow from the known lines; our rules go seat by seat."""
        count = 0
        while count < len(owners) and owners[count] in known:
            count += 1
        return [*base, *chosen[:count]]

    def _owners(self, before: Any, chosen: list[str]) -> list[tuple[int, int]]:
        position, found = before, []
        for text in chosen:
            found.append((position.to_move, int(text[5])))
            position = self.rules.apply(position, text)
        return found

    def _results(self, before: Any, chosen: list[str]
                 ) -> tuple[dict[tuple[int, int], tuple[int | None, int]], list[int]]:
        """Return by seat and line the column and the points; and the scores before."""
        found: dict[tuple[int, int], tuple[int | None, int]] = {}
        position = before
        columns = {}
        for text in chosen:
            move = parse_move(text, "azul")
            assert isinstance(move, Wall)
            columns[position.to_move, move.line + 1] = (
                None if move.column is None else move.column + 1)
            position = self.rules.apply(position, text)
        for seat, lines in enumerate(self.lines):
            wall = dict(self.walls[seat])
            for row in range(1, 6):
                if len(lines[row]) == row:
                    colour = next(c for c, k in KINDS.items() if k == self.bag.kind[lines[row][0]])
                    column = columns[seat, row] if self.grey else (
                        (LETTERS.index(colour) + row - 1) % 5 + 1)
                    points = 0
                    if column is not None:
                        wall[row, column] = lines[row][0]
                        points = score_of(wall, row, column)
                    found[seat, row] = column, points
        return found, [one.score for one in self.position.seats]

    def _wall_notes(self, group: list[tuple[int, int]], results: Any,
                    told_moves: list[str]) -> None:
        told = self.told
        complete = {}
        for seat, row in group:
            column, points = results[seat, row]
            tiles = self.lines[seat][row]
            self.lines[seat][row] = []
            if column is None:
                self.lines[seat][0] += tiles
                told.note("tilesPlacedOnLine", {
                    **told.who(seat), "number": row, "type": self.bag.kind[tiles[0]], "line": 0,
                    "lineNumber": 0, "placedTiles": [], "fromHand": False,
                    "discardedTiles": self.bag.tiles(tiles, 0, 1),
                    "discardedTilesToSpecialFactoryZero": []}, told=told_moves)
                continue
            self.walls[seat][row, column] = tiles[0]
            self.bag.discards += tiles[1:]
            complete[str(told.ids[seat])] = {
                "placedTile": self.bag.tile(tiles[0], row, column),
                "discardedTiles": self.bag.tiles(tiles[1:], row, 2),
                "pointsDetail": {**self._runs(seat, row, column), "points": points}}
        if complete:
            told.note("placeTileOnWall", {"completeLines": complete}, told=told_moves)
            told.note("placeTileOnWallTextLogDetails", {"number": 1}, told=told_moves)

    def _runs(self, seat: int, row: int, column: int) -> dict[str, Any]:
        """Return the tiles in a row and in a column with a tile on a wall, as far as told."""
        wall = self.walls[seat]
        if not self.told.style.rich:
            return {"rowTiles": [], "columnTiles": []}
        return {key: [self.bag.tile(wall[one], *one) for one in run(wall, row, column, *step)]
                for key, step in (("rowTiles", (0, 1)), ("columnTiles", (1, 0)))}

    def _floor(self, seats: list[int], scores: list[int], base: list[str], chosen: list[str],
               known: set[tuple[int, int]], owners: list[tuple[int, int]]) -> None:
        told = self.told
        lines: Any = {}
        for seat in seats:
            tiles = self.lines[seat][0]
            if tiles:
                lines[str(told.ids[seat])] = {"tiles": self.bag.tiles(tiles, 0, 1),
                                              "points": -COST[min(7, len(tiles))]}
            self.bag.discards += [one for one in tiles if one != 1]
            self.lines[seat][0] = []
        told.note("emptyFloorLine", {
            "floorLines": lines or [], "specialFactoryZeroTiles": {str(told.ids[seats[0]]): []}
            if seats else []}, told=self._told(base, chosen, known, owners))

    def _finals(self) -> None:
        told = self.told
        told.state(90, None)
        for seat, parts in enumerate(self.rules.breakdown(self.position)):
            for key in ("rows", "columns", "colours"):
                if parts[key]:
                    for tiles in self._complete(seat, key) if told.style.rich else [[]]:
                        told.note("endScore", {"scores": {str(told.ids[seat]): {
                            "tiles": tiles, "points": parts[key]}}})
        told.ending(self.position)

    def _complete(self, seat: int, key: str) -> list[list[dict[str, Any]]]:
        """Return the tiles of each complete row, column or colour on a wall."""
        wall = self.walls[seat]
        group = {"rows": lambda one: one[0], "columns": lambda one: one[1],
                 "colours": lambda one: self.bag.kind[wall[one]]}[key]
        found: dict[int, list[tuple[int, int]]] = {}
        for one in sorted(wall):
            found.setdefault(group(one), []).append(one)
        return [[self.bag.tile(wall[one], *one) for one in places]
                for places in found.values() if len(places) == 5]


def score_of(wall: dict[tuple[int, int], int], row: int, column: int) -> int:
    """Return the points of a tile that has just been placed (RULES B6)."""
    across, down = (len(run(wall, row, column, *step)) for step in ((0, 1), (1, 0)))
    return (across if across > 1 else 0) + (down if down > 1 else 0) or 1


def run(wall: dict[tuple[int, int], int], row: int, column: int, down: int, right: int
        ) -> list[tuple[int, int]]:
    """Return the places of the tiles in a line with a place, itself first."""
    found = [(row, column)]
    for sign in (-1, 1):
        there = row + sign * down, column + sign * right
        while there in wall:
            found.append(there)
            there = there[0] + sign * down, there[1] + sign * right
    return found
