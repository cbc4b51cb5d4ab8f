"""The chances to win over a game, as an SVG chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from pavilion_ai.render.svg import (
    FAINT_INK,
    FONT,
    PAPER,
    Point,
    box,
    element,
    group,
    number,
    text,
)
from pavilion_ai.review import Review

WIDTH, HEIGHT = 960, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 940, 14, 262
_GRID = "#d9d9e0"
_TITLE = "chance to win over the game"

LINES: Sequence[tuple[str, str | None]] = (
    ("#1f5fa8", None), ("#c2570c", "7 3"), ("#2f7d32", "2 3"), ("#8a3a9b", "9 3 2 3"))
"""Colour and dash pattern of each seat's line, so that lines differ without colour as well."""
MARK_COLOURS = {"??": "#b3151f", "?": "#a4520a", "?!": "#7a6700"}


def chart(review: Review, link: Callable[[int], str]) -> str:
    """Return the chart: a line for each seat, a dot for each marked decision.

    Args:
        review: review of a game with at least one judged decision.
        link: returns the address of a dot from the ply of its decision.
    """
    judged = review.judgements
    first, last = judged[0].ply, judged[-1].ply
    chances = [(j.ply, j.before) for j in judged]
    chances.append((last + 1, review.result or judged[-1].after))

    def at(ply: int, share: float) -> Point:
        across = (ply - first) / (last + 1 - first)
        return _LEFT + across * (_RIGHT - _LEFT), _BOTTOM - share * (_BOTTOM - _TOP)

    dots = [_dot(j.mark, at(j.ply, j.before[j.seat]), link(j.ply),
                 f"ply {j.ply}, seat {j.seat}: {j.played.move} lost {100 * j.win_loss:.1f} %")
            for j in judged if j.mark]
    return element(
        "svg",
        element("title", _TITLE),
        box((0, 0), (WIDTH, HEIGHT), fill=PAPER),
        *_grid(),
        *_rounds(review, at),
        *(_line([at(ply, shares[seat]) for ply, shares in chances], seat)
          for seat in range(review.record.start.players)),
        *dots,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="group",  # not an image, whose links nobody could name
        aria_label=_TITLE,
        font_family=FONT,
    )


def _grid() -> list[str]:
    """Return lines across at every quarter, with their percentages."""
    rows = []
    for quarter in range(5):
        y = _BOTTOM - quarter / 4 * (_BOTTOM - _TOP)
        rows.append(_stroke((_LEFT, y), (_RIGHT, y)))
        rows.append(text(f"{25 * quarter} %", (_LEFT - 6, y), 12, fill=FAINT_INK, anchor="end"))
    return rows


def _rounds(review: Review, at: Callable[[int, float], Point]) -> list[str]:
    """Return a line down where each round begins, with its number."""
    found = []
    for number_, decisions in groupby(review.judgements, key=lambda j: j.position.round):
        x, _ = at(next(decisions).ply, 0)
        found.append(_stroke((x, _TOP), (x, _BOTTOM)))
        found.append(text(f"round {number_}", (x + 4, _BOTTOM + 16), 12, fill=FAINT_INK))
    return found


def _stroke(start: Point, end: Point) -> str:
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke=_GRID)


def _line(points: Sequence[Point], seat: int) -> str:
    colour, dashes = LINES[seat]
    path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return element("polyline", points=path, fill="none", stroke=colour, stroke_width=2,
                   stroke_dasharray=dashes, stroke_linejoin="round")


def _dot(mark: str, at: Point, target: str, title: str) -> str:
    dot = element("circle", cx=at[0], cy=at[1], r=5, fill=MARK_COLOURS[mark], stroke=PAPER)
    return element("a", group(dot, title=title), href=target, aria_label=title)
