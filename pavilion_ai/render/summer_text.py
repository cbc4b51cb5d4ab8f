"""Draw a position of Summer Pavilion with letters, digits and colours, 80 columns wide.

A board keeps the shape of the cardboard one: six stars in a ring round the centre star, each with
its six spaces where they are printed (RULES.md A3.1). An empty space shows its printed number, a
filled one the letter of its tile before that number, a feature the bonus tiles it is worth
(`+2`), `!2` when one space is missing, `ok` when surrounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render.table_text import (
    BOARD_WIDTH,
    done_and_short,
    offered,
    score_parts,
    seat_title,
    unseen,
)
from pavilion_ai.render.text import DIM, GOOD, STRONG, WARN, Canvas, Line, Span, line, wrap
from pavilion_ai.render.words import turn

if TYPE_CHECKING:
    from pavilion_ai.position.summer import SummerPosition, SummerSeat

# Row and column of the top point of each star; points lie 3 columns apart, rows are shared by
# neighbouring stars, so that the ring of stars takes 10 rows.
_TOPS = ((3, 6), (0, 12), (0, 24), (3, 30), (6, 24), (6, 12), (3, 18))
_POINTS = ((0, 0), (1, 3), (2, 3), (3, 0), (2, -3), (1, -3))
# In the order of layout.FEATURES: pillars round the centre, statues between two outer stars,
# windows on the rim.
_FEATURE_PLACES = (
    *((4, 12), (3, 15), (3, 21), (5, 24), (6, 21), (6, 15)),
    *((3, 9), (1, 18), (3, 27), (6, 27), (8, 18), (6, 9)),
    *((4, 0), (0, 9), (0, 27), (5, 36), (9, 27), (9, 9)),
)
_TILE_STYLES = {
    "P": "bold white on #8e44ad",
    "G": "bold black on #4caf50",
    "O": "bold black on #ff8c1a",
    "Y": "bold black on #ffe135",
    "B": "bold white on #1f6fd6",
    "R": "bold white on #d62828",
}
_SPACE_STYLES = {
    "P": "#b07cc6",
    "G": "#4caf50",
    "O": "#ff8c1a",
    "Y": "#d4b800",
    "B": "#5a9bf0",
    "R": "#f06060",
    "": "",
}
LEGEND = (
    "Spaces: 4 empty space with its number, P4 purple tile on it; +2 a feature worth 2 bonus"
    " tiles, !2 one space short, ok surrounded; * wild tile."
)
GREY_LEGEND = (  # here the printed numbers differ from the names (RULES.md A3.2)
    "Names: C.1 is at the top, C.2 to C.6 follow clockwise; on the other stars .1 costs 3, .3"
    " costs 1, the others their number."
)


def legend(position: SummerPosition) -> list[str]:
    """Return the sentences that explain the signs."""
    return [LEGEND, GREY_LEGEND] if position.board == "grey" else [LEGEND]


def heading(position: SummerPosition, names: Sequence[str]) -> list[Line]:
    """Draw the lines above the table: round, phase, who is to move or has won."""
    wild = position.round - 1  # A5
    due = f" ({position.bonus_due} to take)" if position.bonus_due else ""
    return [
        line(
            Span(f"Round {position.round} of {layout.ROUNDS}", STRONG),
            ", wild: ",
            _tile(layout.COLOURS[wild], ""),
            Span(f" {layout.COLOUR_NAMES[wild]}", STRONG),
        ),
        line(layout.PHASES[position.phase], due, Span(turn(position, names), STRONG)),
    ]


def _tile(letter: str, mark: str = " ") -> Span:
    return Span(f"{letter}{mark}", _TILE_STYLES[letter])


def _tiles(counts: Sequence[int], wild: int) -> list[Span]:
    """Return one cell per tile, wild tiles marked."""
    return [
        _tile(layout.COLOURS[colour], "*" if colour == wild else " ")
        for colour, count in enumerate(counts)
        for _ in range(count)
    ]


def market(position: SummerPosition, width: int, *, brief: bool = False) -> list[Line]:
    """Draw displays, centre and token, supply, and the known contents of bag and tower.

    `brief` leaves out what is empty.
    """
    wild = position.round - 1
    supply = _tiles(position.supply, wild) or [Span("-", DIM)]
    return [
        *offered(position, partial(_tiles, wild=wild), "start player token", width, brief=brief),
        line(Span("Supply ", STRONG), *supply),
        *unseen(
            position.bag,
            position.tower,
            position.bag_size,
            name="Tower",
            letters=layout.COLOURS,
            width=width,
        ),
    ]


def panel(
    position: SummerPosition,
    seat: int,
    who: str,
    breakdown: Sequence[Mapping[str, int]],
    *,
    brief: bool = False,
) -> list[Line]:
    """Draw one player: score, board, hand, and the state of features, stars and numbers.

    Args:
        position: what to draw.
        seat: the player.
        who: what the player is called.
        breakdown: parts of the final scores, by seat.
        brief: leave out what the board itself shows: complete goals, and features one tile short.
    """
    state = position.seats[seat]
    wild = position.round - 1
    marks = ", token" if position.token == seat else ""
    over = position.phase == "over"
    marks += ", passed" if state.passed and not over else ""
    rows: list[Line] = [seat_title(position, seat, who, marks)]
    rows += draw_board(position.board, state.stars, over=over)
    rows += wrap([Span("hand ", STRONG), *_hand(state.hand, wild)], BOARD_WIDTH, 5)
    if sum(state.kept):
        rows += wrap([Span("kept ", STRONG), *_hand(state.kept, None)], BOARD_WIDTH, 5)
    rows += _progress(position.board, state, over=over, brief=brief)
    return [*rows, *score_parts(breakdown, seat)]


def _hand(tiles: Sequence[int], wild: int | None) -> list[Span | str]:
    """Return counted tiles with the wild ones last, such as `3G O 2R*`."""
    order = sorted(range(len(tiles)), key=lambda colour: colour == wild)
    parts: list[Span | str] = []
    for colour in order:
        if not tiles[colour]:
            continue
        count = str(tiles[colour]) if tiles[colour] > 1 else ""
        mark = "*" if colour == wild else ""
        letter = layout.COLOURS[colour]
        parts += [" "] if parts else []
        parts.append(Span(f"{count}{letter}{mark}", _TILE_STYLES[letter]))
    return [*parts, Span(f"  ({sum(tiles)})", DIM)] if parts else [Span("-", DIM)]


def draw_board(board: str, stars: Sequence[str], *, over: bool = False) -> list[Line]:
    """Draw the seven stars and the 18 features of one player, 38 columns by 10 rows.

    Once the game is over, no feature is one space short any more.
    """
    canvas = Canvas()
    for site, (top, left) in enumerate(_TOPS):
        colour = layout.STAR_COLOURS[site] if board == "coloured" else ""
        name = layout.SITES[site]
        canvas.put(top + 1, left, f"{name:2}", _SPACE_STYLES[colour] + " italic")
        for position in range(1, 7):
            row, column = _POINTS[layout.point_of(site, position)]
            tile = stars[site][position - 1]
            number = layout.printed_number(board, site, position)
            if tile == ".":
                canvas.put(top + row, left + column, f" {number}", _SPACE_STYLES[colour])
            else:
                canvas.put(top + row, left + column, f"{tile}{number}", _TILE_STYLES[tile])
    for feature, (row, column) in zip(layout.FEATURES, _FEATURE_PLACES, strict=True):
        short = len(layout.missing(stars, feature.spaces))
        if short == 0:
            canvas.put(row, column, "ok", GOOD)
        elif short == 1 and not over:
            canvas.put(row, column, f"!{feature.tiles}", WARN)
        else:
            canvas.put(row, column, f"+{feature.tiles}", DIM)
    return canvas.lines()


def _progress(board: str, state: SummerSeat, *, over: bool, brief: bool) -> list[Line]:
    """List number sets, completed features and stars; before the end also those one tile short."""
    done: dict[str, list[str]] = {}
    short: dict[str, list[str]] = {}
    sets: list[Span | str] = []
    for name, spaces in layout.goals(board):
        kind, at = name.split(" ")
        left = layout.missing(state.stars, spaces)
        if kind == "all":
            style = "" if left else GOOD
            filled = f"{at} {len(spaces) - len(left)}/{len(spaces)}"
            sets += ["  " if sets else "", Span(filled, style)]
        elif kind != "star" and brief:
            continue
        if not left and not brief:
            done.setdefault(kind, []).append(at)
        elif len(left) == 1 and not over:
            short.setdefault(layout.space_name(*left[0]), []).append(name)
    return [line(Span("sets ", STRONG), *sets), *done_and_short(done, short)]
