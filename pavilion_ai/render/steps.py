"""How a move is made by pointing at a drawing: the places to click, one after another.

A program that shows the drawing of a position (`draw_svg`) and lets people click on it needs no
rules for that: the steps of all legal moves say what can be clicked, and the first step that
distinguishes two moves is where a person decides between them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One thing to point at.

    Attributes:
        place: `data-at` of the elements of the drawing.
        own: whether they are those of the mover's own seat; else they lie on the table.
        pick: letter of the tile that is clicked; nothing where any element of the place will do.
        tiles: letters of all tiles concerned: those that come along, are paid, taken or kept.
    """

    place: str
    own: bool = False
    pick: str = ""
    tiles: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the step as a JSON object."""
        return {"place": self.place, "own": self.own, "pick": self.pick, "tiles": self.tiles}


@dataclass(frozen=True)
class Choice:
    """A legal move as a person meets it.

    Attributes:
        kind: what is done: `draft`, `place`, `bonus`, `pass` or `wall`.
        steps: the steps, in the order in which they are pointed at.
        rest: letters of tiles that go to the centre by it.
        wild: wild tiles that it costs.
    """

    kind: str
    steps: tuple[Step, ...]
    rest: str = ""
    wild: int = 0

    def to_json(self) -> dict[str, object]:
        """Return the choice as a JSON object."""
        return {"kind": self.kind, "steps": [step.to_json() for step in self.steps],
                "rest": self.rest, "wild": self.wild}


@dataclass(frozen=True)
class Lack:
    """A space whose tile would complete something.

    Attributes:
        seat: whose space it is.
        place: `data-at` of the space in the drawing.
        goals: what its tile would complete, in words.
    """

    seat: int
    place: str
    goals: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return it as a JSON object."""
        return {"seat": self.seat, "place": self.place, "goals": list(self.goals)}


@dataclass(frozen=True)
class Idea:
    """What a legal move comes to; a list of moves for a person shows each idea once.

    Displays with equal tiles, spaces of a star that cost and give the same, payments of one
    placement, and the tiles one may keep are single ideas.

    Attributes:
        key: equal for moves of the same effect, but for what they cost.
        target: the move without what it costs; moves that share it differ in their payment.
        cost: what it costs beyond what it must; of several moves the cheapest one is meant.
        words: the effect in a few words.
    """

    key: Hashable
    target: str
    cost: int
    words: str


def lacks(seat: int, goals: Iterable[tuple[str, str]]) -> list[Lack]:
    """Return the spaces of a seat with their goals, given as pairs of place and goal."""
    by_place: dict[str, list[str]] = {}
    for place, goal in goals:
        by_place.setdefault(place, []).append(goal)
    return [Lack(seat, place, tuple(found)) for place, found in by_place.items()]
