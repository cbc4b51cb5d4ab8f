"""Drawings and sentences for people; one renderer per game, looked up in :data:`RENDERERS`.

Pictures, and pointing at them, are in `pictures.py`, which is imported when one is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pavilion_ai.analysis import Analysis
from pavilion_ai.errors import PositionError
from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.notation import parse_position
from pavilion_ai.position import Position, telling_faults
from pavilion_ai.render import (
    azul_text,
    azul_words,
    summer_text,
    summer_words,
)
from pavilion_ai.render.analysis_text import analysis_lines
from pavilion_ai.render.table_text import boards, legend_lines, seat_names, setting
from pavilion_ai.render.text import Line, Span, plain, wrap

if TYPE_CHECKING:
    from pavilion_ai.match.report import Report
    from pavilion_ai.render.pictures import Picture
    from pavilion_ai.render.steps import Choice, Idea, Lack
    from pavilion_ai.review import Review
    from pavilion_ai.rollout import Rollout
    from pavilion_ai.solve import Solution

BOARDS_BESIDE = 2
"""Boards side by side in a picture, if no other number is given."""
TOP = 5
"""Default number of moves shown of an analysis."""


@dataclass(frozen=True)
class Renderer:
    """What puts a game into text and words.

    Attributes:
        text: module that draws the parts of a position as text: `heading`, `market`, `panel`
            (`table_text.BOARD_WIDTH` columns wide), `legend`.
        describe: puts a move into words.
        examples: moves as examples for people who type them.
    """

    text: Any
    describe: Callable[[Any, str], str]
    examples: str


RENDERERS: Mapping[str, Renderer] = {
    "summer": Renderer(summer_text, summer_words.describe, summer_words.EXAMPLES),
    "azul": Renderer(azul_text, azul_words.describe, azul_words.EXAMPLES),
}


def _picture(game: str) -> Picture:
    """Return the functions that draw a game."""
    from pavilion_ai.render.pictures import PICTURES

    return PICTURES[game]


def draw(
    position: Position,
    *,
    width: int = 78,
    breakdown: Sequence[Mapping[str, int]] = (),
) -> list[Line]:
    """Draw a position of any game as lines of at most `width` columns.

    Args:
        position: what to draw.
        width: columns to use; boards stand side by side as far as they fit.
        breakdown: parts of the final scores, by seat, shown after the end of the game.
    """
    text = RENDERERS[position.game].text
    seats = seat_names(position)
    panels = [text.panel(position, seat, who, breakdown) for seat, who in enumerate(seats)]
    first, *others = text.heading(position, seats)
    headings = [(*first, Span(setting(position))), *others]
    rows = [*(row for heading in headings for row in wrap(heading, width, 2)), (),
            *text.market(position, width), *boards(panels, width)]
    return [*rows, *legend_lines(text.legend(position), width)]


def draw_svg(
    position: Position,
    *,
    names: Sequence[str] = (),
    breakdown: Sequence[Mapping[str, int]] = (),
    columns: int = BOARDS_BESIDE,
    first: int = 0,
    shrinks: bool = True,
) -> str:
    """Draw a position of any game as an SVG document; `svg.to_png` makes a PNG of it.

    Args:
        position: what to draw.
        names: what to call the seats beside their number, by seat.
        breakdown: parts of the final scores, by seat, shown after the end of the game.
        columns: boards side by side.
        first: seat whose board comes first, the others after it in turn.
        shrinks: whether the picture is at most as wide as the page, by a `style` on its element.
    """
    from pavilion_ai.render.table_svg import document

    return document(position, _picture(position.game).svg, names, breakdown, columns, first,
                    shrinks=shrinks)


def breakdown_of(position: Position) -> Sequence[Mapping[str, int]]:
    """Return the parts of the scores of a finished game, by seat.

    Nothing before the end, nor of a position that is not sound, as one being edited.
    """
    if position.phase != "over":
        return ()
    try:
        return rules_of(position).breakdown(position)
    except PositionError:
        return ()


@telling_faults
def as_text(position: Position) -> str:
    """Return the drawing of a position as plain text, 78 columns wide."""
    return plain(draw(position, breakdown=breakdown_of(position)))


@telling_faults
def as_svg(position: Position) -> str:
    """Return the picture of a position, with the parts of the scores once the game is over."""
    return draw_svg(position, breakdown=breakdown_of(position))


def analysis_as_text(analysis: Analysis) -> str:
    """Return the table of a search as plain text, 80 columns wide."""
    position = parse_position(analysis.position).position
    return plain(analysis_lines(analysis, position, top=TOP))


def analysis_as_html(analysis: Analysis) -> str:
    """Return the table of a search as an HTML table."""
    from pavilion_ai.render import analysis_html

    position = parse_position(analysis.position).position
    return analysis_html.table(analysis, [
        describe(position, stats.move) for stats in analysis.moves[:TOP]])


def report_as_text(report: Report) -> str:
    """Return the report of a match or a tournament as plain text, 80 columns wide."""
    from pavilion_ai.render.report_text import report_lines  # slow, and seldom needed

    return plain(report_lines(report))


def solution_as_text(solution: Solution) -> str:
    """Return the table of a solved position as plain text, 80 columns wide."""
    from pavilion_ai.render.solve_text import solution_lines

    return plain(solution_lines(solution, parse_position(solution.position).position, top=TOP))


def rollout_as_text(rollout: Rollout) -> str:
    """Return the table of a rollout as plain text, 80 columns wide."""
    from pavilion_ai.render.rollout_text import rollout_lines  # slow, and seldom needed

    return plain(rollout_lines(rollout, parse_position(rollout.position).position))


def review_as_text(review: Review) -> str:
    """Return the review of a game as plain text, 80 columns wide."""
    from pavilion_ai.render.review_text import review_lines  # slow, and seldom needed

    return plain(review_lines(review))


def describe(position: Position, move: str) -> str:
    """Say in words what a legal move does in this position.

    Raises:
        MoveError: the move is not legal here.
    """
    return RENDERERS[position.game].describe(position, move)


def choice(position: Position, move: str) -> Choice:
    """Say how a legal decision is made by pointing at the picture of this position.

    Raises:
        MoveError: the move is not legal here.
    """
    return _picture(position.game).choice(position, move)


def idea(position: Position, move: str) -> Idea:
    """Say what a legal decision comes to, in a few words, and with which others it is one.

    Raises:
        MoveError: the move is not legal here.
    """
    return _picture(position.game).idea(position, move)


def meant(position: Position, place: str, taken: str = "") -> str:
    """Return the move that is meant by pointing at a place of the mover's board, or nothing.

    Args:
        place: `data-at` of the drawing.
        taken: the beginning of the move, if it is chosen already, as `D1:B`.

    >>> from pavilion_ai.games import GAMES
    >>> meant(GAMES["azul"].new(), "line 2", "D1:B")
    'D1:B>2'
    """
    return _picture(position.game).meant(position, place, taken)


def spelled(position: Position, key: str) -> str:
    """Return the move that letters and digits spell without signs, be it legal or not, or nothing.

    >>> from pavilion_ai.games import GAMES
    >>> spelled(GAMES["summer"].new(), "nw4"), spelled(GAMES["azul"].new(), "d3r4")
    ('NW.4:4O', 'D3:R>4')
    """
    return _picture(position.game).spelled(position, key)


def colour_names(game: str) -> Mapping[str, str]:
    """Return the letter of each colour of a game by its name, both in lower case."""
    table = GAMES[game].table
    return {name: letter.lower()
            for name, letter in zip(table.colours, table.letters, strict=True)}


def one_short(position: Position) -> list[Lack]:
    """Return the spaces of all seats whose tile would complete something; none after the end."""
    return [] if position.phase == "over" else _picture(position.game).one_short(position)


def move_examples(game: str) -> str:
    """Return examples of a game's moves for people who type them."""
    return RENDERERS[game].examples
