"""The book of tiles: where every tile lies, by its id, and what a log says that cannot be.

Ids never change in a game, so each tile has one colour and one place. Notes that move tiles list
their ids. A tile listed where it does not lie is either a wrong number, or shows that some move is
told wrongly. It is a wrong number if everything else in the log fits: the tile itself is met again
where it lies, unless it is listed in a draw, or the tile that must have moved in its stead is met
where that one went.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pavilion_ai.bga.log import LogError, child, whole_number
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.table import TOKEN
from pavilion_ai.notation.tiles import NOTHING

MAX_TILE_ID = 10**9
BAG, DISCARDS, SUPPLY = "bag", "discards", "supply"
"""Names of places."""
Listed = tuple[int, int]
"""Type and id of a tile in a note; the id is 0 if it is missing."""


def number_of(tile: Node) -> int:
    """Return the id of a tile, 0 if it has none."""
    return tile["id"].number(0, MAX_TILE_ID) if "id" in tile else 0


def with_spaces(scored: Iterable[tuple[Node, Iterable[Node]]], *keys: str) -> bool:
    """Tell whether the tiles that score mostly have the placed tile on its space.

    Args:
        scored: tiles that are placed, each with those that score with it.
        keys: keys of the numbers that name a space.
    """
    def same(one: Node, other: Node, key: str) -> bool:
        found = whole_number(child(one, key))
        return found is not None and found == whole_number(child(other, key))

    agree = [all(same(one, placed, key) for key in keys)
             for placed, tiles in scored for one in tiles if same(one, placed, "id")]
    return 2 * sum(agree) > len(agree)


@dataclass(frozen=True)
class Strange:
    """A tile that a note has where it does not lie.

    Attributes:
        number: its id.
        place: where it lies.
    """

    number: int
    place: str


@dataclass
class _Unknown:
    """A tile that moved while its id is unknown: one of a type that lay in some places.

    Attributes:
        kind: its type.
        places: where it was.
        now: where it is.
        when: number of tiles that had moved before.
        named: id that the note gives it wrongly; 0 if it gives none.
    """

    kind: int
    places: set[str]
    now: str
    when: int
    named: int


class Tiles:
    """Follows every tile by its id.

    The site numbers the token 1, then the tiles colour by colour.

    Args:
        colours: letters by type, counted from 1.
        per_colour: number of tiles of each.
    """

    def __init__(self, colours: str, per_colour: int) -> None:
        self.colours, self._per_colour = colours, per_colour
        self._numbered = False
        self._types: dict[int, int] = {}
        self._places: dict[int, str] = {}
        self._unknown: list[_Unknown] = []
        self._when: dict[int, int] = {}
        """How many tiles had moved before each one came to where it lies."""
        self._moves = 0

    # -------------------------------------------------------------------------------- colours

    def read(self, tiles: Iterable[Node]) -> list[Listed]:
        """Return type and id of each tile, without the token; the id is 0 if it is missing.

        Raises:
            LogError: a tile changed its colour, or is listed twice.
        """
        found: list[Listed] = []
        numbers: set[int] = set()
        for tile in tiles:
            kind = tile["type"].number(TOKEN, len(self.colours))
            number = number_of(tile)
            if kind == TOKEN:
                continue
            if number and self._types.setdefault(number, kind) != kind:
                raise LogError(f"found tile {number} as type {kind}, it was type"
                               f" {self._types[number]} before", tile.where)
            if number and self._numbered and self._expected(number) != kind:
                raise LogError(f"found tile {number} as type {kind}, by the numbers"
                               f" of the tiles of the opening it is type {self._expected(number)}",
                               tile.where)
            if number in numbers:
                raise LogError(f"found tile {number} twice in one list", tile.where)
            if number:
                numbers.add(number)
            found.append((kind, number))
        return found

    def check_numbers(self, where: str) -> None:
        """From now on check colours by id, if the tiles read so far are numbered as on the site.

        Raises:
            LogError: a few of them are not, so their colours are wrong; the message begins with the
                place.
        """
        wrong = [number for number, kind in self._types.items() if self._expected(number) != kind]
        if wrong and 4 * len(wrong) <= len(self._types):
            raise LogError(f"found tile {wrong[0]} as type {self._types[wrong[0]]}, by the"
                           " numbers of the other tiles of the opening it is type"
                           f" {self._expected(wrong[0])}", where)
        self._numbered = not wrong

    def _expected(self, number: int) -> int:
        """Return the type of the tile with an id."""
        return (number - 2) // self._per_colour + 1

    def displays(self, args: Node, count: int) -> list[list[Listed]]:
        """Return the tiles on each display of a deal, as `read` does."""
        factories = dict(args["factories"].entries())
        return [self.read(factories[str(number)].items()) if str(number) in factories else []
                for number in range(1, count + 1)]

    def text(self, kinds: Iterable[int]) -> str:
        """Return types as a multiset in the notation, in an order that any parser accepts."""
        return "".join(self.colours[kind - 1] for kind in sorted(kinds)) or NOTHING

    # --------------------------------------------------------------------------------- places

    @property
    def all_types(self) -> range:
        """The types of all colours."""
        return range(1, len(self.colours) + 1)

    @property
    def doubtful(self) -> int:
        """Id of a tile listed wrongly for which nothing tells yet which one was meant; 0 if none.
        """
        return next((one.named for one in self._unknown if one.named), 0)

    def place(self, number: int) -> str:
        """Return where a tile lies."""
        return self._places.get(number, BAG)

    @property
    def known(self) -> bool:
        """Whether tiles have ids in this log."""
        return bool(self._places)

    def count(self, place: str) -> int:
        """Return the number of tiles in a place."""
        return len(self.lying(place)) + sum(one.now == place for one in self._unknown)

    def lying(self, place: str) -> list[int]:
        """Return the ids of the tiles in a place, as far as known."""
        return [number for number, one in self._places.items() if one == place]

    def pour(self) -> None:
        """Put the discards into the bag."""
        self._places.update(dict.fromkeys(self.lying(DISCARDS), BAG))
        for one in self._unknown:
            one.places = {BAG if place == DISCARDS else place for place in one.places}
            one.now = BAG if one.now == DISCARDS else one.now

    def move(self, tiles: Iterable[Listed], places: Collection[str], to: str,
             whole: Collection[int] = ()) -> list[Strange]:
        """Move tiles to another place.

        Args:
            tiles: as a note lists them.
            places: where they can be.
            to: where they go.
            whole: types of which all tiles in those places move, listed or not.

        Returns:
            the tiles that were not in any of the places.
        """
        listed = list(tiles)
        rest = [number for place in places for number in self.lying(place)
                if self._types[number] in whole] if whole else []
        strange: list[Strange] = []
        lost: list[Listed] = []
        for kind, number in listed:
            if number and (self.place(number) in places or self._known(kind, number, places)):
                self._met(number)
                self._put(number, to)
                if number in rest:
                    rest.remove(number)
            else:
                lost.append((kind, number))
        for kind, number in lost:
            if number:
                strange.append(Strange(number, self.place(number)))
            mine = [one for one in rest if self._types[one] == kind]
            if mine:
                rest.remove(mine[0])
                self._put(mine[0], to)
            else:
                self._moved(kind, number, set(places), to)
        for number in rest:
            gone = self._gone(number, places)
            self._put(number, to if gone is None else gone.now)
        return strange

    def _put(self, number: int, to: str) -> None:
        self._places[number], self._when[number] = to, self._moves
        self._moves += 1

    def _met(self, number: int) -> None:
        """Note that a tile lies where it is: a note that had it elsewhere named it wrongly.

        If that note draws a tile, its type may be wrong too, and nothing else in the note shows it.
        """
        for one in self._unknown:
            if one.named == number and BAG not in one.places:
                one.named = 0

    def _known(self, kind: int, number: int, places: Collection[str]) -> bool:
        """Tell whether a tile can be one that moved to the places unknown; if so, it is known now.
        """
        for one in self._unknown:
            if one.now in places and self._can_be(one, kind, number, one.places):
                self._unknown.remove(one)
                return True
        return False

    def _can_be(self, one: _Unknown, kind: int, number: int, places: Collection[str]) -> bool:
        """Tell whether a tile, by what is known of it, lay where an unknown one was taken from."""
        return (one.kind == kind and self.place(number) in places
                and self._when.get(number, -1) < one.when)

    def _gone(self, number: int, places: Collection[str]) -> _Unknown | None:
        """Return the unknown tile that must be one which is no longer in the places, if any."""
        for one in self._unknown:
            if one.now not in places and self._can_be(
                    one, self._types[number], number, one.places.intersection(places)):
                self._unknown.remove(one)
                return one
        return None

    def _moved(self, kind: int, number: int, places: set[str], to: str) -> None:
        """Note that a tile of a type moved of which the id is unknown."""
        known = [one for one in self._unknown if one.kind == kind and one.now in places]
        if known:
            known[0].now = to
        elif self._places:
            self._unknown.append(_Unknown(kind, places, to, self._moves, number))
            alone = [one for place in places for one in self.lying(place)
                     if self._types[one] == kind]
            if len(alone) == 1 and BAG not in places:
                self._unknown.pop()
                self._put(alone[0], to)
