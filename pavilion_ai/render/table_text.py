"""Parts shared by the text drawings of all games: displays, bag, seat titles, boards in rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pavilion_ai.position import Position
from pavilion_ai.render.columns import shortened
from pavilion_ai.render.text import (
    DIM,
    GOOD,
    STRONG,
    WARN,
    Line,
    Span,
    beside,
    breadth,
    length,
    line,
    wrap,
)
from pavilion_ai.wording import plural

BOARD_WIDTH = 38
GAP = 2
_DISPLAY_WIDTH = 12


def setting(position: Position) -> str:
    """Return the side of the boards and the number of players, for a heading."""
    return f"    {position.board} boards, {position.players} players"


def seat_names(position: Position) -> tuple[str, ...]:
    """Return what the seats are called where nobody has given them names."""
    return tuple(f"seat {seat}" for seat in range(position.players))


def packed(rows: Sequence[Line], width: int, gap: int = 2) -> list[Line]:
    """Set lines behind one another where they fit, in their order."""
    found: list[Line] = []
    for row in rows:
        if found and length(found[-1]) + gap + length(row) <= width:
            found[-1] = (*found[-1], Span(" " * gap), *row)
        else:
            found.append(row)
    return found


def offered(
    position: Position, tiles: Callable[[Sequence[int]], list[Span]], token: str, width: int, *,
    brief: bool,
) -> list[Line]:
    """Draw displays and centre, or say that they have no tiles.

    Args:
        tiles: returns one cell per tile.
        token: what lies in the centre until a seat takes it.
        brief: leave out what is empty.
    """
    lying = token if position.token is None else ""
    if not any(map(any, (*position.displays, position.centre))):
        but = f" but for the {lying}" if lying else ""
        return [] if brief else wrap([Span(f"Displays and centre are empty{but}.", DIM)], width, 2)
    nothing = [Span("-", DIM)]
    blocks = [[line(Span(f"D{number} ", STRONG), *(tiles(counts) or nothing))]
              for number, counts in enumerate(position.displays, 1) if any(counts) or not brief]
    beside_them = [Span(f"  + {lying}", WARN)] if lying else []
    return [*_in_rows(blocks, _DISPLAY_WIDTH, width),
            *wrap([Span("C  ", STRONG), *(tiles(position.centre) or nothing), *beside_them],
                  width, 3)]


def unseen(
    bag: Sequence[int] | None,
    discards: Sequence[int] | None,
    bag_size: int,
    *,
    name: str,
    letters: str,
    width: int,
) -> list[Line]:
    """Draw the known contents of the bag and the discards, which the game calls `name`."""
    if bag is None or discards is None:
        size = plural(bag_size, "tile")
        return wrap([Span("Bag ", STRONG), f"{size}, contents not known"], width, 4)
    shown: list[Span | str] = [
        *(Span("Bag ", STRONG), f"{bag_size}: {counted(bag, letters)}  "),
        *(Span(f"{name} ", STRONG), f"{sum(discards)}: {counted(discards, letters)}"),
    ]
    return wrap(shown, width, 4)


def counted(tiles: Sequence[int], letters: str) -> str:
    """Return a multiset as counts and letters.

    >>> counted((2, 0, 11), "PGO"), counted((0, 0, 0), "PGO")
    ('2P 11O', '-')
    """
    words = [f"{count}{letter}" for letter, count in zip(letters, tiles, strict=True) if count]
    return " ".join(words) or "-"


def seat_title(position: Position, seat: int, who: str, marks: str) -> Line:
    """Return a seat with its score and marks; a long name is cut."""
    arrow = "> " if seat == position.to_move else "  "
    points = f"  {plural(position.seats[seat].score, 'point')}"
    room = BOARD_WIDTH - breadth(arrow + points + marks)
    return line(Span(arrow, WARN), Span(shortened(who, room) + points, STRONG), Span(marks, GOOD))


def done_and_short(
    done: Mapping[str, Sequence[str]], short: Mapping[str, Sequence[str]]
) -> list[Line]:
    """List complete goals by kind, and goals one tile short by the missing space."""
    rows: list[Line] = []
    if done:
        parts = "; ".join(f"{kind} {' '.join(names)}" for kind, names in done.items())
        rows += wrap([Span("done: ", GOOD), parts], BOARD_WIDTH, 2)
    if short:
        parts = "; ".join(f"{space} for {', '.join(names)}" for space, names in short.items())
        rows += wrap([Span("one short: ", WARN), parts], BOARD_WIDTH, 2)
    return rows


def score_parts(breakdown: Sequence[Mapping[str, int]], seat: int) -> list[Line]:
    """Show the parts of a seat's final score, or nothing without a breakdown."""
    if not breakdown:
        return []
    parts = " + ".join(f"{key} {value}" for key, value in breakdown[seat].items())
    return wrap([Span("score ", STRONG), parts], BOARD_WIDTH, 6)


def boards(panels: Sequence[Sequence[Line]], width: int) -> list[Line]:
    """Set the seats' panels side by side as far as they fit, with an empty line above each row."""
    return _in_rows(panels, BOARD_WIDTH, width, [()])


def _in_rows(
    blocks: Sequence[Sequence[Line]], block_width: int, width: int, above: Sequence[Line] = ()
) -> list[Line]:
    per_row = max(1, (width + GAP) // (block_width + GAP))
    rows: list[Line] = []
    for first in range(0, len(blocks), per_row):
        rows += [*above, *beside(blocks[first : first + per_row], block_width, GAP)]
    return rows


def legend_lines(texts: Sequence[str], width: int) -> list[Line]:
    """Return the legend below the boards, with a hanging indent after the first word."""
    return [(), *(row for text in texts
                  for row in wrap([Span(text, DIM)], width, text.index(" ") + 1))]
