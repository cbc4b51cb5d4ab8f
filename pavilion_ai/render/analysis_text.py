"""Show the result of a search: the ranked moves as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pavilion_ai.render.table_text import packed
from pavilion_ai.render.text import DIM, STRONG, Line, Span, length, line, trimmed, wrap
from pavilion_ai.render.words import joined, with_error
from pavilion_ai.spec import is_program, samples_only
from pavilion_ai.wording import plural, signed

if TYPE_CHECKING:
    from pavilion_ai.analysis import Analysis, MoveStats
    from pavilion_ai.position import Position

FEW_VISITS = 0.01  # moves with a smaller share of the visits are greyed as unreliable
_MOVE_WIDTH = 10
_INDENT = 4
_NUMBER_WIDTH = 3
_HEADING = (f" {'visits':>9}  {'win %':>12}", f"  {'score':>5} {'lead':>6}  then")


def analysis_lines(
    analysis: Analysis,
    position: Position | None,
    *,
    top: int | None = None,
    width: int = 80,
    numbers: Mapping[str, int] | None = None,
) -> list[Line]:
    """Return the table: one row per move, with its description below if the position is given.

    Args:
        analysis: the result of the search.
        position: the position that was searched; None omits the descriptions (interim tables).
        top: most rows to show, None for all.
        width: columns to use.
        numbers: number to show before each move; None for its rank.
    """
    from pavilion_ai.render import describe

    shown = analysis.moves[:top]
    labels = [
        str(stats.order + 1) if numbers is None else str(numbers.get(stats.move, ""))
        for stats in shown
    ]
    column = max([_NUMBER_WIDTH, *map(len, labels)])
    heading = [f"{'#':>{column}} {'move':<{_MOVE_WIDTH}}"]
    heading += _HEADING if analysis.root.visits else ()
    rows = [*_summary(analysis, width), (),
            *packed([line(Span(part, STRONG)) for part in heading], width, 0)]
    least = FEW_VISITS * max((stats.visits for stats in analysis.moves), default=0)
    if not (analysis.only or analysis.compare or analysis.even):
        least = FEW_VISITS * analysis.root.visits
    for stats, label in zip(shown, labels, strict=True):
        few = stats.order > 0 and stats.visits < least
        left = f"{label:>{column}} "
        if analysis.root.visits:
            rows += _rows(stats, left, analysis.to_move, width, style=DIM if few else "")
        else:
            rows.append(line(f"{left}{stats.move}"))
        if position is not None:
            words = Span(describe(position, stats.move), DIM)
            rows += wrap([" " * _INDENT, words], width, _INDENT)
    hidden = len(analysis.moves) - len(shown)
    if hidden:
        rows.append(line(Span(f"{'':{_INDENT}}and {hidden} more", DIM)))
    return rows


def _summary(analysis: Analysis, width: int) -> list[Line]:
    root, seat = analysis.root, analysis.to_move
    who = Span(f"seat {seat} to move", STRONG)
    if not root.visits:
        return wrap([who, f"; {unsearched(analysis)}"], width)
    scores = " : ".join(f"{score:.0f}" for score in root.score_mean)
    effort = (
        f"{plural(analysis.sims, 'simulation')} in {analysis.seconds:.1f} s"
        f" ({analysis.sims_per_second:,.0f}/s), threads {analysis.threads}"
    )
    said = [effort, doubt(analysis.agent), expectation(analysis), standing(analysis)]
    return [
        *wrap([who, f", wins {100 * root.win_prob[seat]:.1f} %, expected scores"
               f" {scores}{confined(analysis)}"], width),
        *(one for words in said if words for one in wrap([Span(words, DIM)], width)),
    ]


def unsearched(analysis: Analysis) -> str:
    """Say of an agent why its analysis has no numbers."""
    why = "tells its move only" if is_program(analysis.agent) else "does not search"
    return f"{analysis.agent} {why}"


def confined(analysis: Analysis) -> str:
    """Say with which moves a chance to win is meant, after it; nothing for all moves."""
    if len(analysis.only) == 1:
        return " with this move"
    if analysis.only or analysis.compare or analysis.even:
        return " with the best of these moves"
    return " without what is avoided" if analysis.avoid else ""


def doubt(agent: str) -> str:
    """Say of an agent that searches that its errors are smaller than those of others, if so."""
    if not samples_only(agent):
        return ""
    return ("the errors are those of sampling only: a longer search finds a third to a half of the"
            " favourites outside them")


def expectation(analysis: Analysis) -> str:
    """Say how the other seats are expected to judge; with two players there is one way."""
    if len(analysis.beliefs) < 3:
        return ""
    unlike = analysis.unlike
    if not unlike:
        return "expects the others to judge as it does"
    everybody = len(unlike) == len(analysis.beliefs) - 1
    who = "the others" if everybody else seats_of(unlike)
    return f"expects {who} to judge by the linear heuristics"


def standing(analysis: Analysis) -> str:
    """Say what the chance to win is if everybody plays on as so far, if that makes a difference."""
    if not any(analysis.form):
        return ""
    chances = " : ".join(f"{100 * share:.0f}" for share in analysis.win_prob_by_form)
    return ("the chance to win assumes that all seats play like the engine from here on; if each"
            f" plays as well as it has so far, the chances are {chances} %")


def seats_of(seats: Iterable[int]) -> str:
    """Name seats, in order.

    >>> seats_of({2, 0}), seats_of([1])
    ('seats 0 and 2', 'seat 1')
    """
    numbers = sorted(seats)
    return f"seat{'s' * (len(numbers) > 1)} {joined(map(str, numbers))}"


def _rows(stats: MoveStats, left: str, seat: int, width: int, *, style: str) -> list[Line]:
    """Return the numbers of a move: one row, or two on a narrow terminal."""
    if not stats.known:
        return [(Span(f"{left}{stats.move:<{_MOVE_WIDTH}} {0:>9}", style),)]
    win = with_error(stats.win_prob, stats.win_prob_error, 2)
    best = STRONG if stats.order == 0 else style
    move = line(Span(left, style), Span(f"{stats.move:<{_MOVE_WIDTH}}", best))
    *above, last = packed([
        move, line(Span(f" {stats.visits:>9}  {win:>12}", style)),
        line(Span(f"  {stats.score_mean[seat]:>5.1f} {signed(stats.score_lead):>6}  ", style)),
    ], width, 0)
    variation = _variation(stats.pv[1:], width - length(last))
    return [*above, trimmed((*last, Span(variation, style)))]


def _variation(moves: tuple[str, ...], room: int) -> str:
    """Return as many moves of the principal variation as there is room for."""
    text = ""
    for number, move in enumerate(moves):
        longer = f"{text} {move}".strip()
        more = number + 1 < len(moves)
        if len(longer) + (4 if more else 0) > room:
            return f"{text} ...".strip() if len(text) + 4 <= room else text
        text = longer
    return text
