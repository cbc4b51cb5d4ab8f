"""Show a rollout: the candidates as a table for a terminal."""

from __future__ import annotations

from pavilion_ai.position import Position
from pavilion_ai.render import describe
from pavilion_ai.render.table_text import packed
from pavilion_ai.render.text import DIM, STRONG, Line, Span, line, trimmed, wrap
from pavilion_ai.render.words import above_0
from pavilion_ai.rollout import Rollout, half_interval
from pavilion_ai.wording import plural, signed

_INDENT = 4
_HEADING = (f"  # {'move':<12}", f" {'win %':>12}", f"  {'score':>5} {'lead':>13}",
            f"  {'worse by %':>12}")


def rollout_lines(result: Rollout, position: Position, width: int = 80) -> list[Line]:
    """Return the table: one row per candidate, with its description below.

    `+-` is half the width of a 95 % interval.
    """
    seat = result.to_move
    end = "the end of the round" if result.to == "round" else "the end of the game"
    verdict = f"the best move is {'' if result.decided else 'not '}decided"
    if len(result.moves) == 1:
        verdict = "one candidate"
    rows = [
        *wrap([Span(f"seat {seat} to move", STRONG), f", {verdict}"], width),
        *wrap([Span(f"{plural(result.trials, 'trial')} to {end}, played on by {result.agent},"
                    f" seed {result.seed}", DIM)], width),
        (),
        *packed([line(Span(part, STRONG)) for part in _HEADING], width, 0),
    ]
    for move in result.moves:
        win = percent(move.win_prob, move.win_prob_se,
                      None if move.win_prob_wilson else result.trials)
        lead = signed(move.score_lead)
        if move.score_lead_se is not None:
            lead += f" +-{above_0(half_interval(move.score_lead_se, result.trials))}"
        worse = "" if move.order == 0 else percent(
            move.worse, move.worse_se, None if move.worse_wilson else result.trials, lowest=-1)
        best = STRONG if move.order == 0 else ""
        rows += map(trimmed, packed([
            line(f"{move.order + 1:>3} ", Span(f"{move.move:<12}", best)), line(f" {win:>12}"),
            line(f"  {move.score_mean[seat]:>5.1f} {lead:>13}"), line(f"  {worse:>12}")], width, 0))
        rows += wrap([" " * _INDENT, Span(describe(position, move.move), DIM)], width, _INDENT)
    return rows


def percent(share: float, error: float, trials: int | None = None, *, lowest: int = 0) -> str:
    """Return a share in % with half the width of its 95 % interval, which is never shown as 0.

    It reaches no further than to the farther end of the range.

    Args:
        trials: as for `half_interval`.
        lowest: the smallest possible share: 0, or -1 for a difference of shares.

    >>> percent(0.125, 0.01), percent(0.125, 0.0001), percent(0.125, 0.01, 3)
    ('12.5 +-2.0', '12.5 +-0.1', '12.5 +-4.3')
    >>> percent(0.125, 0.1, 2), percent(0.125, 0.1, 2, lowest=-1)
    ('12.5 +-87.5', '12.5 +-112.5')
    """
    half = min(half_interval(error, trials), max(share - lowest, 1 - share))
    return f"{100 * share:.1f} +-{above_0(100 * half)}"
