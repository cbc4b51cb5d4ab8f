"""A position on a terminal of few lines: what matters most stands last, above the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pavilion_ai.position import Position
from pavilion_ai.render import RENDERERS
from pavilion_ai.render.table_text import BOARD_WIDTH, GAP, boards, legend_lines, packed
from pavilion_ai.render.text import Line, beside, wrap


def screen(
    position: Position,
    names: Sequence[str],
    width: int,
    *,
    first: int = 0,
    breakdown: Sequence[Mapping[str, int]] = (),
) -> tuple[list[Line], list[Line]]:
    """Draw a position compactly.

    Args:
        position: what to draw.
        names: what the seats are called.
        width: columns to use.
        first: seat whose board is in the last row, with those after it as far as they fit.
        breakdown: parts of the final scores, by seat, shown after the end of the game.

    Returns:
        boards that may scroll away, and the lines that stand last: round, table and boards.
    """
    text = RENDERERS[position.game].text
    per_row = max(1, (width + GAP) // (BOARD_WIDTH + GAP))
    order = [(first + turn) % position.players for turn in range(position.players)]
    if position.players <= per_row:
        order.sort()  # the same places all the time
    panels = [text.panel(position, seat, names[seat], breakdown, brief=not breakdown)
              for seat in order]
    title, phase = text.heading(position, names)
    last = beside(panels[:per_row], BOARD_WIDTH, GAP)
    table = packed(text.market(position, width, brief=True), width)
    headings = [row for text in packed([title, phase], width, 3) for row in wrap(text, width, 2)]
    rows = [*headings, *table, *last]
    return boards(panels[per_row:], width), rows


def legend(position: Position, width: int) -> list[Line]:
    """Return the lines that explain the signs."""
    _, *rows = legend_lines(RENDERERS[position.game].text.legend(position), width)
    return rows
