"""The pictures of each game and how decisions are made in them, looked up in :data:`PICTURES`.

Apart from the words, which most commands need and which take less time to import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pavilion_ai.render import azul_steps, azul_svg, summer_steps, summer_svg
from pavilion_ai.render.steps import Choice, Idea, Lack
from pavilion_ai.render.table_svg import Parts


@dataclass(frozen=True)
class Picture:
    """The functions that draw a game and let people point at the drawing.

    Attributes:
        svg: module that draws the parts of a position.
        choice: breaks a decision into places of the picture to point at.
        one_short: returns the spaces whose tile would complete something.
        idea: what a decision comes to, in short.
        meant: returns the move that is meant by pointing at a place of one's own board.
        spelled: reads a move typed without its signs.
    """

    svg: Parts
    choice: Callable[[Any, str], Choice]
    one_short: Callable[[Any], list[Lack]]
    idea: Callable[[Any, str], Idea]
    meant: Callable[[Any, str, str], str]
    spelled: Callable[[Any, str], str]


PICTURES: Mapping[str, Picture] = {
    "summer": Picture(
        summer_svg, summer_steps.choice, summer_steps.one_short, summer_steps.idea,
        summer_steps.meant, summer_steps.spelled,
    ),
    "azul": Picture(
        azul_svg, azul_steps.choice, azul_steps.one_short, azul_steps.idea,
        azul_steps.meant, azul_steps.spelled,
    ),
}
