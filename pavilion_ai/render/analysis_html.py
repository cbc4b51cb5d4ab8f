"""The table of a search as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from pavilion_ai.analysis import Analysis
from pavilion_ai.render.analysis_text import confined, doubt, expectation, standing, unsearched
from pavilion_ai.render.words import with_error
from pavilion_ai.wording import plural, signed

_HEADINGS = ("#", "move", "visits", "win %", "lead", "then", "what it does")


def table(analysis: Analysis, descriptions: Sequence[str]) -> str:
    """Return one row per description, best move first, below what the text says of the search."""
    root, seat = analysis.root, analysis.to_move
    said = [f"seat {seat} to move", unsearched(analysis)]
    if root.visits:
        said = [f"seat {seat} to move, wins {100 * root.win_prob[seat]:.1f} %{confined(analysis)},"
                f" {plural(analysis.sims, 'simulation')}",
                doubt(analysis.agent), expectation(analysis), standing(analysis)]
    caption = "; ".join(filter(None, said))
    rows = [_row("th", _HEADINGS)]
    for stats, words in zip(analysis.moves, descriptions, strict=False):
        error = with_error(stats.win_prob, stats.win_prob_error, 2, "\u00b1 ")
        rows.append(_row("td", (
            f"{stats.order + 1}", stats.move, f"{stats.visits}", error if stats.known else "-",
            signed(stats.score_lead) if stats.known else "-", " ".join(stats.pv[1:4]), words)))
    hidden = len(analysis.moves) - len(descriptions)
    if hidden:
        rows.append(_row("td", ("", f"and {hidden} more")))
    return f"<table><caption>{escape(caption)}</caption>{''.join(rows)}</table>"


def _row(cell: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{cell}>{escape(text)}</{cell}>' for text in texts)}</tr>"
