"""Draw a position of base Azul with letters, digits and colours, 80 columns wide.

A board looks like the cardboard one: pattern lines right-aligned towards the wall, line numbers
between them, the floor line with its penalties below. A tile on the wall is in brackets; an empty
space shows its printed colour in lower case, or a dot on the grey side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pavilion_ai.render import azul_layout as layout
from pavilion_ai.render.table_text import done_and_short, offered, score_parts, seat_title, unseen
from pavilion_ai.render.text import DIM, GOOD, STRONG, WARN, Canvas, Line, Span, line
from pavilion_ai.render.words import turn

if TYPE_CHECKING:
    from pavilion_ai.position.azul import AzulPosition, AzulSeat

_CELL = 3  # columns of a space
_LEFT = 2
_NUMBER = _LEFT + layout.SIZE * _CELL + 1  # column of the numbers between lines and wall
_WALL = _NUMBER + 3
_FLOOR = 6
_TILE_STYLES = {
    "B": "bold white on #1f6fd6",
    "Y": "bold black on #ffcf33",
    "R": "bold white on #d62828",
    "K": "bold white on #4a4a4a",
    "W": "bold black on #e4f2f7",
    layout.MARKER: WARN,
}
_SPACE_STYLES = {
    "B": "#5a9bf0",
    "Y": "#d4a800",
    "R": "#f06060",
    "K": "#8f8f8f",
    "W": "#a9c9d6",
    "": DIM,
}
SPACES = {
    "coloured": "k empty space for a black tile, [K] black tile on the wall",
    "grey": ". empty space, [K] black tile on the wall",
}
LEGEND = (f"Spaces: {{}}; 4> full line; * {layout.MARKER_NAME}: whoever takes it starts the next"
          " round.")


def legend(position: AzulPosition) -> list[str]:
    """Return the sentences that explain the signs."""
    return [LEGEND.format(SPACES[position.board])]


def heading(position: AzulPosition, names: Sequence[str]) -> list[Line]:
    """Draw the lines above the table: round, phase, who is to move or has won."""
    return [
        line(Span(f"Round {position.round}", STRONG),
             f", started by {names[position.start_seat]}"),
        line(layout.PHASES[position.phase], Span(turn(position, names), STRONG)),
    ]


def market(position: AzulPosition, width: int, *, brief: bool = False) -> list[Line]:
    """Draw displays, centre and marker, and the known contents of bag and lid.

    `brief` leaves out what is empty.
    """
    return [
        *offered(position, _tiles, layout.MARKER_NAME, width, brief=brief),
        *unseen(
            position.bag,
            position.lid,
            position.bag_size,
            name="Lid",
            letters=layout.COLOURS,
            width=width,
        ),
    ]


def _tiles(counts: Sequence[int]) -> list[Span]:
    """Return one cell per tile."""
    return [
        Span(f"{letter} ", _TILE_STYLES[letter])
        for letter, count in zip(layout.COLOURS, counts, strict=True)
        for _ in range(count)
    ]


def panel(
    position: AzulPosition,
    seat: int,
    who: str,
    breakdown: Sequence[Mapping[str, int]],
    *,
    brief: bool = False,
) -> list[Line]:
    """Draw one player: score, board, floor line, and the state of rows, columns and colours.

    Args:
        position: what to draw.
        seat: the player.
        who: what the player is called.
        breakdown: parts of the final scores, by seat.
        brief: leave out what the board itself shows: complete goals.
    """
    state = position.seats[seat]
    marks = ", marker" if position.token == seat else ""
    return [
        seat_title(position, seat, who, marks),
        *draw_board(position.board, state),
        *_progress(state.wall, over=position.phase == "over", brief=brief),
        *score_parts(breakdown, seat),
    ]


def draw_board(board: str, seat: AzulSeat) -> list[Line]:
    """Draw pattern lines, wall and floor line of one player, 36 columns wide.

    Columns are numbered on the grey side only, where the player chooses them.
    """
    canvas = Canvas()
    top = 0
    if board == "grey":
        top = 1
        for column in range(layout.SIZE):
            canvas.put(0, _WALL + column * _CELL, f" {column + 1} ", DIM)
    for number in range(layout.SIZE):
        row = top + number
        _put_line(canvas, row, number, seat.lines[number])
        for column, tile in enumerate(seat.wall[number]):
            colour = layout.printed(board, number, column)
            at = row, _WALL + column * _CELL
            if tile == ".":
                canvas.put(*at, f" {colour.lower() or '.'} ", _SPACE_STYLES[colour])
            else:
                canvas.put(*at, f"[{tile}]", _TILE_STYLES[tile])
    _put_floor(canvas, top + layout.SIZE, seat.floor)
    return canvas.lines()


def _put_line(canvas: Canvas, row: int, number: int, tiles: Sequence[int]) -> None:
    """Draw a pattern line, which fills from right to left."""
    letter, count = layout.letter_of(tiles), sum(tiles)
    for place in range(layout.CAPACITIES[number]):
        at = row, _LEFT + (layout.SIZE - 1 - place) * _CELL
        if place < count:
            canvas.put(*at, f" {letter} ", _TILE_STYLES[letter])
        else:
            canvas.put(*at, " . ", DIM)
    full = layout.is_full(number, tiles)
    canvas.put(row, _NUMBER, f"{number + 1}{'>' if full else ''}", GOOD if full else DIM)


def _put_floor(canvas: Canvas, row: int, floor: str) -> None:
    """Draw the floor line with the penalty of each space and the total penalty."""
    canvas.put(row, 0, "floor", STRONG)
    for place, cost in enumerate(layout.PENALTIES):
        at = _FLOOR + place * _CELL
        tile = floor[place] if place < len(floor) else "."
        canvas.put(row, at, f" {tile} ", _TILE_STYLES.get(tile, DIM))
        canvas.put(row + 1, at, f"-{cost}", DIM)
    if floor:
        at = _FLOOR + len(layout.PENALTIES) * _CELL + 1
        canvas.put(row, at, f"= -{layout.penalty(len(floor))}", WARN)


def _progress(wall: Sequence[str], *, over: bool, brief: bool) -> list[Line]:
    """List complete rows, columns and colours; before the end also those one tile short."""
    done: dict[str, list[str]] = {}
    short: dict[str, list[str]] = {}
    for goal in layout.goals(wall):
        if not goal.short and not brief:
            done.setdefault(goal.kind, []).append(goal.name)
        elif goal.last is not None and not over:
            letter, row = goal.last
            space = f"{layout.colour_name(letter)} in {row + 1}"
            short.setdefault(space, []).append(f"{goal.kind} {goal.name}")
    return done_and_short(done, short)
