"""The parts of a page that both games share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pavilion_ai.bga.log import MAX_ID
from pavilion_ai.bga.page import Node
from pavilion_ai.errors import PositionError, shown
from pavilion_ai.notation.tiles import NOTHING

TOKEN = 0
"""Type of the tile that is the start player token (the marker of base Azul)."""
SIDES = ("coloured", "grey")
"""The sides of the boards, in the order of their numbers, which begin at 1."""
_INDEX = re.compile("[0-9]{1,3}")

CONFIRM = "a move waits to be confirmed; confirm it or take it back, and save the page again"
OVER = "the game is over; there is nothing left to decide"
"""Message for states of either game in which no seat decides."""


def letters(tiles: list[Node], colours: str) -> str:
    """Return tiles as a multiset; the token is left out.

    Args:
        tiles: as the page lists them.
        colours: letters by type, counted from 1.
    """
    types = [tile["type"].number(TOKEN, len(colours)) for tile in tiles]
    return "".join(colours[kind - 1] for kind in sorted(types) if kind != TOKEN) or NOTHING


def has_token(tiles: list[Node]) -> bool:
    """Tell whether the token is among tiles."""
    return any(tile["type"].number(TOKEN, 99) == TOKEN for tile in tiles)


def numbered_side(number: Node) -> str:
    """Return the side of the boards that has a number."""
    found = number.number(0, 99)
    if found in (3, 4):
        number.fail(f"found boards of an expansion ({found}), which are not played here")
    if not 1 <= found <= len(SIDES):
        number.refuse("1 (coloured) or 2 (grey)")
    return SIDES[found - 1]


@dataclass(frozen=True)
class Table:
    """The shared part of a page.

    Attributes:
        page: the whole page.
        players: the players by seat, in the order of play.
        ids: ids of the players by seat.
    """

    page: Node
    players: tuple[Node, ...]
    ids: tuple[int, ...]

    @classmethod
    def read(cls, page: Node) -> Table:
        """Find the players and their order."""
        players = sorted(page["players"].numbered(), key=lambda one: one["playerNo"].number(0, 99))
        ids = tuple(one["id"].number(0, MAX_ID) for one in players)
        places = {one["playerNo"].number(0, 99) for one in players}
        if not 2 <= len(players) <= 4 or len({*ids}) < len(ids) or len(places) < len(ids):
            page["players"].refuse("2 to 4 players, each with an id and a playerNo of their own")
        return cls(page, tuple(players), ids)

    def seat(self, player: Node) -> int:
        """Return the seat of a player, given by id."""
        found = player.number(0, MAX_ID)
        if found not in self.ids:
            player.refuse(f"one of the players {', '.join(map(str, self.ids))}")
        return self.ids.index(found)

    def names(self) -> list[str]:
        """Return notes that say which player has which seat."""
        return [
            f"seat {seat} is {shown(player['name'].value)}"
            for seat, player in enumerate(self.players) if "name" in player
        ]

    def board(self) -> str:
        """Return the side of the boards; older pages state only whether it is grey."""
        if "boardNumber" not in self.page:
            return SIDES[self.page["variant"].truth()]
        return numbered_side(self.page["boardNumber"])

    def state(self) -> Node:
        """Return the name of the state of the game.

        The program of a page copies it from the list of all states; in the source of a page
        only that list has it.
        """
        state = self.page["gamestate"]
        if "name" in state:
            return state["name"]
        return self.page["gamestates"][str(state["id"].number(0, MAX_ID))]["name"]

    def phase(self, phases: Mapping[str, str], waiting: Mapping[str, str]) -> str:
        """Return the phase.

        Args:
            phases: phases by the page's name of the state.
            waiting: states that have no position, and what to do first.

        Raises:
            PositionError: the state is one of `waiting`, or unknown.
        """
        state = self.state()
        name = state.text()
        if name in waiting:
            raise PositionError.at("phase", state.where, f"found {shown(name)}: {waiting[name]}")
        if name not in phases:
            state.refuse(f"one of {', '.join(phases)}, in which a player decides; save the page"
                         " again then")
        return phases[name]

    def to_move(self) -> int:
        """Return the seat to move."""
        return self.seat(self.page["gamestate"]["active_player"])

    def check_turn(self, mover: int, start: int, turns: int, bag: int) -> None:
        """Refuse a page whose state is newer than its boards, as far as that shows.

        While the token is in the centre every turn has emptied a display. (With an empty bag some
        may never have been filled.)

        Args:
            mover: seat to move; start: seat that began the round.
            turns: number of empty displays; bag: number of tiles in it.
        """
        expected = (start + turns) % len(self.players)
        if bag and mover != expected:
            self.page["gamestate"]["active_player"].refuse(
                f"seat {expected} to move: seat {start} began and"
                f" {turns} displays are empty; the state is newer than the boards, reload the page")

    def factories(self, colours: str) -> tuple[list[str], str, bool]:
        """Return the displays, the centre, and whether the token lies there."""
        found = {int(key): node.items() for key, node in self.page["factories"].entries()
                 if _INDEX.fullmatch(key)}
        count = 2 * len(self.players) + 1
        if sorted(found) != list(range(count + 1)):
            self.page["factories"].refuse(
                f"the centre and {count} displays, for {len(self.players)} players")
        if any(has_token(found[number]) for number in range(1, count + 1)):
            self.page["factories"].refuse("the start player token in the centre or with a player")
        displays = [letters(found[number], colours) for number in range(1, count + 1)]
        return displays, letters(found[0], colours), has_token(found[0])

    def token(self, in_centre: bool, holders: list[int]) -> int | None:
        """Return the seat that has the token, None if it lies in the centre.

        Args:
            in_centre: whether it lies there.
            holders: seats with a token on their board or in hand.
        """
        holder = self.page["firstPlayerTokenPlayerId"]
        seat = self.seat(holder)
        if in_centre + len(holders) != 1 or (holders and holders != [seat]):
            places = ["the centre"] * in_centre + [f"seat {seat}" for seat in holders]
            holder.refuse("the holder of the token, which is with"
                          f" {' and '.join(places) or 'no player'}")
        return None if in_centre else seat

    def start(self, token: int | None) -> tuple[int, list[str]]:
        """Return the seat that began the round's drafting, and a note if the page does not show it.

        Args:
            token: seat that holds the token; None if it is in the centre, while the page names the
                seat that began.
        """
        holder = self.seat(self.page["firstPlayerTokenPlayerId"])
        if token is None:
            return holder, []
        return holder, [f"the page does not show who began this round, taken as seat {holder},"
                        " which has the token"]
