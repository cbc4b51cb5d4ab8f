"""Logs of Summer Pavilion."""

from __future__ import annotations

from typing import Any

from pavilion_ai.notation import Bonus, Deal, Draft, Pass, Place, Supply, parse_move
from pavilion_ai.position.summer_board import printed_number
from pavilion_ai.record import GameRecord
from tests.bga.site import Bag, Site, Style, Told

STARS = ["C", "W", "NW", "NE", "E", "SE", "SW"]
SITES = ["W", "NW", "NE", "E", "SE", "SW", "C"]


def kinds_of(tiles: Any) -> list[int]:
    """Return types of tiles, one by one, of a multiset."""
    return [kind for kind, count in enumerate(tiles, 1) for _ in range(count)]


class SummerSite(Site):
    """Writes the log of a record."""

    def __init__(self, record: GameRecord, style: Style, seed: int) -> None:
        super().__init__(record, style, seed)
        players = record.start.players
        self.bag = Bag(22, 6, self.rng, ("star", "space"))
        self.hands: list[list[int]] = [[] for _ in range(players)]
        self.corners: list[list[int]] = [[] for _ in range(players)]
        self.boards: list[dict[tuple[str, int], int]] = [{} for _ in range(players)]
        self.supply: list[int] = []
        self.slots: dict[int, int] = {}
        self.token_in_bag = sum(record.start.supply) == 9
        self._open()
        self.gamedatas_at_start = self.gamedatas()

    # ------------------------------------------------------------------------------ opening

    def _open(self) -> None:
        told, start = self.told, self.record.start
        told.note("simpleNote", {"players": "<b>Player A</b>"})
        self.supply = self.bag.draw(kinds_of(start.supply))  # type: ignore[attr-defined]
        shown = [*self.supply, 1] if self.token_in_bag else [*self.supply]
        self.rng.shuffle(shown)
        self.slots = {one: slot for slot, one in enumerate(shown, 1)}
        told.note("supplyFilled", {"newTiles": self._on_supply(shown), "remainingTiles": 123})
        told.setup()
        told.state(10, 0)
        for number, display in enumerate(start.displays, 1):  # type: ignore[attr-defined]
            self.places[number] = self.bag.draw(kinds_of(display))
        self._deal_note(1)
        told.state(20, 0, kind="activeplayer")
        told.packet()

    def _on_supply(self, tiles: list[int]) -> list[dict[str, Any]]:
        """Return tiles as the site shows them on the supply."""
        return [self.bag.tile(one, 0, self.slots[one]) for one in tiles]

    def _deal_note(self, number: int) -> None:
        self.places[0] = [1]
        for place in self.places[1:]:
            self.rng.shuffle(place)
        self.told.note("factoriesFilled", {
            "factories": [self.bag.tiles(place, 0, n) for n, place in enumerate(self.places)],
            "remainingTiles": len(self.bag.bag), "roundNumber": number, "round_number": number})

    def gamedatas(self) -> dict[str, Any]:
        """Return the table as the page of the replay has it, at the start."""
        numbers = range(1, len(self.hands) + 1)
        order = self.rng.sample(numbers, len(self.hands))
        return {
            "players": {str(self.told.ids[n - 1]): {
                "id": str(self.told.ids[n - 1]), "score": "5", "playerNo": str(n),
                "name": f"Player {'ABCD'[n - 1]}", "wall": [], "hand": [], "corner": [],
                "passed": False} for n in order},
            "factoryNumber": len(self.places) - 1, "firstPlayerTokenPlayerId": self.told.ids[0],
            "boardNumber": 1 if self.record.start.board == "coloured" else 2,  # type: ignore[attr-defined]
            "factories": [self.bag.tiles(place, 0, n) for n, place in enumerate(self.places)],
            "remainingTiles": len(self.bag.bag), "round": 1,
            "supply": self._on_supply(self.supply),
            "gamestate": {"id": "20", "name": "chooseTile", "active_player": self.told.ids[0],
                          "args": {"wildColor": 1}}}

    # -------------------------------------------------------------------------------- moves

    def write(self) -> Told:
        """Write the whole log."""
        for number, text in enumerate(self.record.moves):
            move = parse_move(text, "summer")
            following = self.record.moves[number + 1 : number + 2]
            if isinstance(move, Draft):
                self._draft(text, move)
            elif isinstance(move, Place):
                self._place(text, move, following)
            elif isinstance(move, Bonus):
                self._bonus(text, move)
            elif isinstance(move, Pass):
                self._pass(text, move)
            elif isinstance(move, Deal):
                self._deal(text, move)
            if not isinstance(move, (Deal, Supply, Draft)):
                self._after_turn(text, following)
        if self.position.phase == "over":
            self._finals()
        self.told.packet()
        return self.told

    def _score(self, seat: int) -> int:
        if self.position.phase == "over":
            return int(self.rules.breakdown(self.position)[seat]["play"])
        return int(self.position.seats[seat].score)

    def _draft(self, text: str, move: Draft) -> None:
        while self.rng.random() < self.style.undo:
            other = self.rng.choice(self.rules.legal_moves(self.position))
            fake = parse_move(other, "summer")
            assert isinstance(fake, Draft)
            self._draft_notes(other, fake, real=False)
        self._draft_notes(text, move, real=True)
        self._apply(text)
        told = self.told
        if self.rng.random() < 0.6:
            told.packet()
        told.state(30, None)
        told.note("updateReflexionTime", {"player_id": str(told.ids[0]), "delta": "30"})
        if self.position.phase == "draft":
            told.state(20, self.position.to_move, kind="activeplayer")
        self._choose()
        if not (self.style.automatic and self.rng.random() < 0.1):
            told.packet()

    def _draft_notes(self, text: str, move: Draft, real: bool) -> None:
        told, seat = self.told, self.position.to_move
        number = 0 if move.source is None else move.source + 1
        place = list(self.places[number])
        wild, kind = self.position.round, move.colour + 1
        with_token = number == 0 and 1 in place
        if kind == wild:
            taken, joker = [next(one for one in place if self.bag.kind[one] == wild)], None
        else:
            taken = [one for one in place if self.bag.kind[one] == kind]
            joker = next((one for one in place if self.bag.kind[one] == wild), None)
            taken += [joker] if joker else []
        after = self.rules.apply(self.position, text)
        before = self.position.seats[seat].score
        if with_token:
            lost = len(taken)
            told.note("firstPlayerToken", {**told.who(seat), "points": lost, "decScore": lost,
                                           "newScore": after.seats[seat].score})
        selected = [*taken, 1] if with_token else taken
        rest = [one for one in place if one not in selected]
        told.note("tilesSelected", {
            **told.who(seat), "number": 0 if kind == wild else len(taken) - (joker is not None),
            "color": "Grün", "wild": "Lila" if joker else "", "i18n": ["color"], "type": kind,
            "typeWild": wild if joker else None,
            "selectedTiles": self.bag.tiles(selected, 0, number),
            "discardedTiles": [] if number == 0 else self.bag.tiles(rest, 0, number),
            "fromFactory": number, "_bga_automatic_action": False},
            told=[*told.done, text], log=told.words())
        told.state(25, seat, kind="activeplayer")
        if told.style.states:
            told.moves[-1] = [*told.done, text]
        if not real:
            told.packet()
            holder = self.position.start_seat if self.position.token is None else (
                self.position.token)
            told.note("undoTakeTiles", {**told.who(seat), "undo": {
                "from": number, "previousScore": before, "previousFirstPlayer": told.ids[holder],
                "tiles": self.bag.tiles(place if number else [*selected, *[1] * with_token], 0,
                                        number),
                "normalTiles": len(taken) - (joker is not None), "wildTile": joker is not None,
                "pointsLossFirstTile": len(taken) * with_token},
                "factoryTilesBefore": [] if number else self.bag.tiles(rest)})
            told.state(20, seat, kind="activeplayer")
            told.packet()
            return
        self.hands[seat] += taken
        self.places[number] = [] if number else rest
        if number:
            self.places[0] += rest

    # ------------------------------------------------------------------------- play phase

    def _choose(self) -> None:
        """Tell which spaces are legal, as a turn begins."""
        if self.position.phase == "place":
            spaces = {100 * STARS.index(site) + int(rest[0]) for site, rest in (
                move.split(".") for move in self.rules.legal_moves(self.position)
                if not move.startswith("pass"))}
            self.told.state(40, self.position.to_move,
                            {"possibleSpaces": sorted(spaces), "skipIsFree": False})

    def _place(self, text: str, move: Place, following: tuple[str, ...]) -> None:
        self._maybe_undone()
        self._place_notes(text, move)
        self._apply(text)

    def _maybe_undone(self) -> None:
        """Begin turns of the play phase that are taken back."""
        told, seat = self.told, self.position.to_move
        while self.rng.random() < self.style.undo:
            position, done = self.position, list(told.done)
            legal = self.rules.legal_moves(position)
            text = self.rng.choice(legal)
            fake = parse_move(text, "summer")
            if isinstance(fake, Pass):
                told.note("pass", told.who(seat), told=self._with_pass(text))
                if self.rng.random() < 0.5:
                    _, rest = self._kept_notes(text, fake, [*told.done, text])
                    undo: Any = {"tiles": self.bag.tiles(self.hands[seat], 878781, 4),
                                 "supplyTiles": [], "points": len(rest),
                                 "previousScore": position.seats[seat].score}
                else:
                    undo = None
            elif self.rng.random() < 0.3:  # only a colour was being chosen
                undo = None
            else:
                assert isinstance(fake, Place)
                paid, points = self._place_notes(text, fake, real=False)
                after = self.rules.apply(position, text)
                undo = {"tiles": self.bag.tiles(paid, 878781, 4), "supplyTiles": [],
                        "previousScore": position.seats[seat].score, "points": points}
                if after.phase == "bonus" and self.rng.random() < 0.7:
                    told.packet()
                    choice = self.rng.choice(self.rules.legal_moves(after))
                    bonus = parse_move(choice, "summer")
                    assert isinstance(bonus, Bonus)
                    undo["supplyTiles"] = self.bag.tiles(
                        self._bonus_notes(choice, bonus, seat, [*done, text, choice]))
            told.packet()
            told.note("undoPlayTile", {**told.who(seat), "undo": undo})
            self._choose()
            told.packet()

    def _choose_how(self, star: int, move: Place) -> None:
        """Tell of the choice of a space, of a colour and of a number of wild tiles."""
        told, seat = self.told, self.position.to_move
        if told.style.rich and self.rng.random() < 0.6:
            told.state(41, seat, {"playerId": told.ids[seat], "star": star, "space": move.position,
                                  "possibleColors": [move.colour + 1]}, "activeplayer")
        if told.style.rich and self.rng.random() < 0.3:
            told.state(42, seat, {"selectedPlace": [star, move.position], "maxColor": 3,
                                  "color": move.colour + 1, "number": sum(move.payment),
                                  "wildColor": self.position.round, "maxWildTiles": 1},
                       "activeplayer")
        if self.rng.random() < 0.3:
            told.packet()

    def _scored(self, seat: int, site: str, space: int, placed: int) -> list[dict[str, Any]]:
        """Return the tiles of the row of a star that a placement makes longer, itself first."""
        star = STARS.index(site)
        found = [self.bag.tile(placed, star, space)]
        for step in (1, -1):
            there = (space - 1 + step) % 6 + 1
            while (site, there) in self.boards[seat] and len(found) < 6:
                tile = self.bag.tile(self.boards[seat][site, there], star, there)
                if tile in found:
                    break
                found.append(tile)
                there = (there - 1 + step) % 6 + 1
        return found

    def _place_notes(self, text: str, move: Place, real: bool = True) -> tuple[list[int], int]:
        """Tell of a placement; return the tiles paid, the placed one first, and its points."""
        told, seat = self.told, self.position.to_move
        site = SITES[move.site]
        self._choose_how(STARS.index(site), move)
        hand = list(self.hands[seat])
        paid = {kind: self.bag.take(hand, kind, count)
                for kind, count in enumerate(move.payment, 1) if count}
        placed = paid[move.colour + 1].pop()
        rest = [one for tiles in paid.values() for one in tiles]
        after = self.rules.apply(self.position, text)
        score = (self.rules.breakdown(after)[seat]["play"] if after.phase == "over"
                 else after.seats[seat].score)
        points = score - self.position.seats[seat].score
        scored = (self._scored(seat, site, move.position, placed) if told.style.rich
                  else self.bag.tiles([placed] * points))
        assert len(scored) == points
        self.rng.shuffle(rest)
        told.note("placeTileOnWall", {
            **told.who(seat), "placedTile": self.bag.tile(placed, STARS.index(site), move.position),
            "discardedTiles": self.bag.tiles(rest, 878781, 4), "number": 1, "type": move.colour + 1,
            "scoredTiles": scored, "points": points, "newScore": score},
            told=[*told.done, text], log=told.words())
        told.state(70, seat, kind="activeplayer")
        if told.style.states:
            told.moves[-1] = [*told.done, text]
        if real:
            self.hands[seat] = hand
            self.boards[seat][site, move.position] = placed
            self.bag.discards += rest
        return [placed, *rest], points

    def _bonus(self, text: str, move: Bonus) -> None:
        told, seat = self.told, self.position.to_move
        if self.rng.random() < 0.5:
            told.packet()
        taken = self._bonus_notes(text, move, seat, [*told.done, text])
        for one in taken:
            self.supply.remove(one)
        self.hands[seat] += taken
        self._apply(text)

    def _bonus_notes(self, text: str, move: Bonus, seat: int, done: list[str]) -> list[int]:
        told = self.told
        told.state(50, seat, {"count": sum(move.tiles)}, "activeplayer")
        if told.style.states:
            told.moves[-1] = done[:-1]
        supply = list(self.supply)
        taken = [one for kind, count in enumerate(move.tiles, 1) if count
                 for one in self.bag.take(supply, kind, count)]
        told.note("tilesSelected", {
            **told.who(seat), "number": len(taken), "selectedTiles": self._on_supply(taken),
            "fromSupply": True}, told=done, log=told.words())
        return taken

    def _pass(self, text: str, move: Pass) -> None:
        told, seat = self.told, self.position.to_move
        self._maybe_undone()
        hand = self.hands[seat]
        told.note("pass", told.who(seat), told=self._with_pass(text), log=told.words())
        if hand:
            kept, rest = self._kept_notes(text, move, [*told.done, text])
            self.corners[seat], self.hands[seat] = kept, []
            self.bag.discards += rest
        self._apply(text)

    def _with_pass(self, text: str) -> list[str] | None:
        """Return the moves known after a pass; None if what is kept is not told yet."""
        certain = not self.hands[self.position.to_move] or self.position.round == 6
        return [*self.told.done, text] if certain else None

    def _kept_notes(self, text: str, move: Pass, done: list[str]) -> tuple[list[int], list[int]]:
        told, seat = self.told, self.position.to_move
        hand = list(self.hands[seat])
        kept = [one for kind, count in enumerate(move.kept, 1) if count
                for one in self.bag.take(hand, kind, count)]
        args = {**told.who(seat), "keptTiles": self.bag.tiles(kept, 878781, 4),
                "discardedTiles": self.bag.tiles(hand, 878781, 4), "keptNumber": len(kept),
                "discardedNumber": len(hand)}
        if hand:
            after = self.rules.apply(self.position, text)
            args["newScore"] = (self.rules.breakdown(after)[seat]["play"]
                                if after.phase == "over" else after.seats[seat].score)
        told.note("putToCorner", args, told=done, log=told.words())
        return kept, hand

    def _after_turn(self, text: str, following: tuple[str, ...]) -> None:
        """Fill the supply, as the site does at the end of every turn."""
        if self.position.phase == "bonus":
            return
        told = self.told
        if self.rng.random() < 0.7:
            told.packet()
        told.state(80, None)
        new: list[int] = []
        if following and following[0].startswith("supply:"):
            move = parse_move(following[0], "summer")
            assert isinstance(move, Supply)
            new = self.bag.draw(kinds_of(move.tiles))
            held = {self.slots[one] for one in self.supply}
            empty = (slot for slot in range(1, 11) if slot not in held)
            self.slots |= dict(zip(new, empty, strict=False))
            self.supply += new
            self._apply(following[0])
        told.note("supplyFilled", {"newTiles": self._on_supply(new),
                                   "remainingTiles": len(self.bag.bag)})
        self._choose()
        if not (self.style.automatic and self.rng.random() < 0.3):
            told.packet()

    # ------------------------------------------------------------------------------ rounds

    def _deal(self, text: str, move: Deal) -> None:
        told = self.told
        told.state(90, None)
        for number, display in enumerate(move.displays, 1):
            self.places[number] = self.bag.draw(kinds_of(display))
        self._apply(text)
        self._deal_note(self.position.round)
        for seat, corner in enumerate(self.corners):
            if corner:
                told.note("cornerToHand", {**told.who(seat), "tiles": self.bag.tiles(corner)})
                self.hands[seat] += corner
                self.corners[seat] = []
        told.state(20, self.position.to_move, kind="activeplayer")
        told.packet()

    def _finals(self) -> None:
        told = self.told
        told.state(95, None)
        parts = self.rules.breakdown(self.position)
        for seat, one in enumerate(parts):
            score = one["play"]
            for kind, points in (("Star", one["stars"]), ("Number", one["numbers"])):
                if points:
                    score += points
                    self._final_tiles(seat, kind, points)
                    told.note(f"complete{kind}LogDetails", {
                        **told.who(seat), "points": points, "newScore": score})
        told.ending(self.position)

    def _final_tiles(self, seat: int, kind: str, points: int) -> None:
        """Write the notes of the stars, or of the numbers, that a player has completed."""
        told, board = self.told, self.boards[seat]
        groups = ([[(site, space) for space in range(1, 7)] for site in STARS] if kind == "Star"
                  else [[(SITES[site], space) for site in range(7) for space in range(1, 7)
                         if printed_number(self.record.start.board, site, space) == number]  # type: ignore[attr-defined]
                        for number in range(1, 5)])
        if not told.style.rich:
            told.note("endScore", {"scores": {str(told.ids[seat]): {
                "star": 0, "tiles": [], "points": points}}})
            return
        complete = [group for group in groups if all(space in board for space in group)]
        for number, group in enumerate(complete, 1):
            share = points // len(complete)
            if number == len(complete):
                share = points - share * (number - 1)
            told.note("endScore", {"scores": {str(told.ids[seat]): {
                "star": STARS.index(group[0][0]) if kind == "Star" else 0, "points": share,
                "tiles": [self.bag.tile(board[site, space], STARS.index(site), space)
                          for site, space in group]}}})
