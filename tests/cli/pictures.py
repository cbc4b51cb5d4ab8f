"""Reading pictures back: parsed SVG, where things lie in it, and positions to draw."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest

from pavilion_ai.games import GAMES, Rules
from pavilion_ai.play import Play
from pavilion_ai.render import draw_svg
from pavilion_ai.render import summer_layout as layout
from tests.cli.support import AZUL_EXAMPLES, SUMMER_EXAMPLES, position_of

Node = ElementTree.Element
SUMMER, AZUL = GAMES["summer"], GAMES["azul"]


def played(
    board: str, players: int, seed: int, turns: int = 10_000, game: Rules = SUMMER
) -> Any:
    """Play at random, passing or taking to the floor line only if nothing else is left."""
    chooser = random.Random(seed)
    position: Any = game.new(board=board, players=players, seed=seed)
    for _ in range(turns):
        if position.phase == "over":
            break
        if position.to_move is None:
            play = Play(position)
            play.draw(chooser.getrandbits(30))
            position = play.position
            continue
        legal = game.legal_moves(position)
        better = [move for move in legal if not move.startswith("pass") and move[-1] != "F"]
        position = game.apply(position, chooser.choice(better or legal))
    return position


def drawn(position: Any, **options: Any) -> Node:
    """Parse the picture of a position, without the namespace."""
    text = draw_svg(position, **options)
    assert text.count('xmlns="http://www.w3.org/2000/svg"') == 1
    return ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1))


def of_class(node: Node, name: str) -> list[Node]:
    return [child for child in node.iter() if child.get("class") == name]


def texts(node: Node) -> list[str]:
    return ["".join(child.itertext()) for child in node.iter("text")]


def letters(counts: Any, colours: str = layout.COLOURS) -> list[str]:
    return [letter for letter, n in zip(colours, counts, strict=True) for _ in range(n)]


def tiles_in(node: Node) -> Counter[tuple[str, str]]:
    return Counter((tile.get("data-at", ""), tile.get("data-tile", ""))
                   for tile in of_class(node, "tile"))


def seat_nodes(root: Node) -> list[Node]:
    return of_class(root, "seat")


SUMMER_POSITIONS = {
    **{path.stem: position_of(path) for path in SUMMER_EXAMPLES},
    "opening, 4 players": played("coloured", 4, 1, turns=0),
    "over, 2 players": played("coloured", 2, 1),
    "over, 3 players": played("grey", 3, 1),
    "in play, 4 players, grey": played("grey", 4, 3, turns=150),
}
AZUL_POSITIONS = {
    **{path.stem: position_of(path) for path in AZUL_EXAMPLES},
    "azul, opening, 4 players": played("grey", 4, 1, turns=0, game=AZUL),
    "azul, over, 2 players": played("coloured", 2, 1, game=AZUL),
    "azul, over, 3 players": played("grey", 3, 1, game=AZUL),
}
POSITIONS = {**SUMMER_POSITIONS, **AZUL_POSITIONS}


def each(positions: dict[str, Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("position", positions.values(), ids=positions)


def shift(node: Node) -> tuple[float, float]:
    numbers = re.findall(r"[-\d.]+", node.get("transform", "translate(0 0)"))
    return float(numbers[0]), float(numbers[1])


def corners(node: Node, offset: tuple[float, float] = (0, 0)) -> list[tuple[float, float]]:
    """Return the corners of the outline of a tile or space: its first rectangle or polygon."""
    shape = next(child for child in node.iter() if child.tag in ("polygon", "rect"))
    if shape.tag == "polygon":
        pairs = [pair.split(",") for pair in shape.get("points", "").split()]
    else:
        x, y, width, height = (float(shape.get(key, 0)) for key in ("x", "y", "width", "height"))
        pairs = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    return [(float(x) + offset[0], float(y) + offset[1]) for x, y in pairs]


def middle(points: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def apart(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> bool:
    """Tell whether two convex polygons do not overlap: one edge has the other all outside."""
    for polygon in (one, other):
        for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
            def side(points: Any, ax: float = ax, ay: float = ay, bx: float = bx, by: float = by
                     ) -> list[float]:
                return [(x - ax) * (by - ay) - (y - ay) * (bx - ax) for x, y in points]

            if max(side(one)) <= min(side(other)) or max(side(other)) <= min(side(one)):
                return True
    return False


def placed(root: Node, *classes: str) -> list[tuple[Node, list[tuple[float, float]]]]:
    """Return the elements of these classes with their corners in the picture."""
    found = []

    def walk(node: Node, offset: tuple[float, float]) -> None:
        here = shift(node)
        offset = offset[0] + here[0], offset[1] + here[1]
        if node.get("class") in classes:
            found.append((node, corners(node, offset)))
        for child in node:
            walk(child, offset)

    walk(root, (0, 0))
    return found
