"""Show a solved position: its moves as a table for a terminal."""

from __future__ import annotations

from pavilion_ai.position import Position
from pavilion_ai.render import describe
from pavilion_ai.render.text import DIM, STRONG, Line, Span, line, trimmed, wrap
from pavilion_ai.solve import Solution
from pavilion_ai.wording import plural, signed

_INDENT = 4
_OTHERS = {
    "maximise": "the others play for their chance to win, then for their lead",
    "utility": "the others play for the utility of the search",
    "mix": "the others play for their chance to win and mix evenly where moves are equal",
    "policy": "the others play by the policy",
}


def solution_lines(solution: Solution, position: Position, *, top: int,
                   width: int = 80) -> list[Line]:
    """Return the table: one row per move, with its description below."""
    seat = solution.to_move
    rows = [
        line(Span(f"seat {seat} to move", STRONG),
             f", wins {100 * solution.moves[0].win_prob[seat]:.2f} %, exactly"),
        *wrap([Span(f"{plural(solution.positions, 'position')};"
                    f" {_OTHERS[solution.others]}", DIM)], width),
        (),
        line(Span(f"  # {'move':<12} {'win %':>7}  {'score':>5} {'lead':>6}", STRONG)),
    ]
    for move in solution.moves[:top]:
        best = STRONG if move.order == 0 else ""
        rows.append(trimmed((
            Span(f"{move.order + 1:>3} "), Span(f"{move.move:<12}", best),
            Span(f" {100 * move.win_prob[seat]:>7.2f}  {move.score_mean[seat]:>5.1f}"
                 f" {signed(move.score_lead):>6}"))))
        rows += wrap([" " * _INDENT, Span(describe(position, move.move), DIM)], width, _INDENT)
    hidden = len(solution.moves) - top
    if hidden > 0:
        rows.append(line(Span(f"{'':{_INDENT}}and {hidden} more", DIM)))
    return rows
