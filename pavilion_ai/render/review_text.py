"""A review for a terminal: costly decisions, chances to win by round, and totals."""

from __future__ import annotations

from collections.abc import Sequence

from pavilion_ai.analysis import Analysis
from pavilion_ai.errors import printable
from pavilion_ai.render import describe
from pavilion_ai.render.across_text import across
from pavilion_ai.render.analysis_text import doubt, expectation, seats_of
from pavilion_ai.render.columns import Column, set_in_columns, shortened
from pavilion_ai.render.record_text import head, player, result, seats_called
from pavilion_ai.render.rollout_text import percent
from pavilion_ai.render.table_text import packed
from pavilion_ai.render.text import DIM, STRONG, WARN, Line, Span, line, trimmed, wrap
from pavilion_ai.render.words import joined, with_error
from pavilion_ai.review import MARKS, Judgement, Review, Totals, by_agent, by_seat
from pavilion_ai.wording import plural, signed

_MOVE_WIDTH, _NARROW_MOVE = 24, 10
_OTHER_COLUMNS = 45  # width of the table of decisions without the move
_INDENT = 4


def review_lines(review: Review, *, every: bool = False, players: Sequence[str] = (),
                 width: int = 80) -> list[Line]:
    """Return the review of a game.

    Args:
        review: the review to show.
        every: whether to list all decisions, not only the marked ones.
        players: names of those whose decisions are listed (`seats_called`); none for all.
        width: columns of the terminal.
    """
    seats = seats_called(review.record, players) if players else range(review.record.start.players)
    listed = [j for j in review.judgements if j.seat in seats and (every or j.mark)]
    title, *others = head(review.record)
    rows = [*wrap([Span(title, STRONG)], width, 2),
            *(row for text in others for row in wrap([text], width, 2)),
            *wrap([result(review.record)], width, 2),
            *wrap([Span(judged_by(review), DIM)], width, 2)]
    if review.fault:
        rows += wrap([Span(printable(review.fault), WARN)], width, 2)
    rows.append(())
    if not review.judgements:
        return [*rows, line("no decision was judged")]
    if listed:
        room = max(_NARROW_MOVE, min(_MOVE_WIDTH, width - _OTHER_COLUMNS))
        heading = (f"{'ply':>4}  round  seat      {'played':<{room}}",
                   f"  {'lost %':>12}  {'points':>6}")
        rows += [*packed([line(Span(part, STRONG)) for part in heading], width, 0),
                 *(row for j in listed for row in _decision(j, room, width)),
                 *wrap([Span(mark_words([review]), DIM)], width, 2)]
    else:
        whose = f" of {joined(players, last=' or ')}" if players else ""
        rows += wrap([f"no decision{whose} lost {100 * min(MARKS.values()):g} % or more, and more"
                      " than its error"], width, 2)
    return [*rows, (), *_chances(review, width), (), *_totals(review, width)]


def judged_by(review: Review) -> str:
    """Return which agent judged, the limits of its searches, and what it expects of others."""
    limits = review.used
    parts = [f"judged by {printable(review.agent)}"]
    if limits is not None and limits.seconds is not None:
        parts.append(f"{limits.seconds:g} s per decision")
    if limits is not None and limits.sims is not None:
        parts.append(f"{plural(limits.sims, 'simulation')} per decision")
    parts += filter(None, [doubt(review.agent)])
    parts += _expectations([one.analysis for one in review.judgements])
    if not review.complete:
        played_on = sum(one.rollout is not None for one in review.judgements)
        done = (plural(played_on, "rollout") if played_on
                else plural(len(review.judgements), "decision"))
        parts.append(f"broken off after {done}")
    return ", ".join(parts)


def _expectations(analyses: Sequence[Analysis]) -> list[str]:
    """Say how other seats were expected to judge, also if the game told more and more of them."""
    said = {expectation(one) for one in analyses} - {""}
    if len(said) < 2:
        return list(said)
    seats = {seat for one in analyses for seat in one.unlike}
    return [f"expects {seats_of(seats)} to judge by the linear heuristics where the moves before"
            " tell so"]


def mark_words(reviews: Sequence[Review]) -> str:
    """Explain losses, errors and marks: `Judgement.mark` gives none for a loss within its error."""
    least = ", ".join(f"{mark} {100 * share:g}" for mark, share in reversed(list(MARKS.items())))
    rolled = any(one.rollout is not None for review in reviews for one in review.judgements)
    return ("lost: chance to win given away, in percentage points, with half a 90 % interval"
            f"{' (95 % of what was played on)' if rolled else ''}; {least} or more, and more"
            " than its error")


def round_chances(review: Review, label: str = "") -> list[Column]:
    """Return the chances to win, in %, as each round begins, and in the end if it is known.

    The chances are those at the round's first decision, one cell per seat; each heading is the
    label followed by the round's number.
    """
    found: dict[str, tuple[float, ...]] = {}
    for judgement in review.judgements:
        found.setdefault(f"{label}{judgement.position.round}", judgement.before)
    if review.result:
        found["end"] = review.result
    return [(heading, [f"{100 * share:.1f}" for share in shares])
            for heading, shares in found.items()]


def _decision(judgement: Judgement, room: int, width: int) -> list[Line]:
    played, best = judgement.played, judgement.best
    loss = with_error(judgement.win_loss, judgement.win_loss_error)
    left = f"{judgement.ply:>4}  {judgement.position.round:>5}  {judgement.seat:>4}  "
    right = f"  {loss:>12}  {judgement.lead_loss:>6.1f}"
    if judgement.agrees:
        right = "  the only move" if judgement.forced else ""
    move = shortened(played.move, room)
    decided = line(left, Span(f"{judgement.mark:<2}", WARN), "  ", Span(move, STRONG),
                   " " * (room - len(move)))
    rows = [trimmed(row) for row in packed([decided, line(right)], width, 0)]
    rows += _words("", judgement, played.move, width)
    if not judgement.agrees:
        rows += _words(f"{verdict(judgement)} {best.move}: ", judgement, best.move, width)
    if judgement.rollout is not None:
        rows += wrap([" " * _INDENT, Span(rolled(judgement), DIM)], width, 2 * _INDENT)
    return rows


def rolled(judgement: Judgement) -> str:
    """Say what the rollout of a decision found; `+-` is half the width of a 95 % interval."""
    assert judgement.rollout is not None
    loss, error = judgement.rolled_loss
    return (f"played on {judgement.rollout.trials:,} times by {judgement.rollout.agent}:"
            f" {'gives away' if loss >= 0 else 'gains'} {percent(abs(loss), error, lowest=-1)} %")


def verdict(judgement: Judgement) -> str:
    """Say how the favourite compares with the move that was played."""
    return "better" if judgement.worse else "as good"


def _words(label: str, judgement: Judgement, move: str, width: int) -> list[Line]:
    said = Span(label + describe(judgement.position, move), DIM)
    return wrap([" " * _INDENT, said], width, 2 * _INDENT)


def _chances(review: Review, width: int) -> list[Line]:
    heading = wrap([Span("chance to win in %, as each round begins, by seat", DIM)], width, 2)
    return [*heading, *set_in_columns(_seats(review), round_chances(review), width, ranked=False)]


def _seats(review: Review) -> list[str]:
    return [f"{seat} {player(agent)}" for seat, agent in enumerate(review.record.agents)]


def _totals(review: Review, width: int) -> list[Line]:
    return [line(Span("the game in numbers, by seat", DIM)), *set_in_columns(
        _seats(review), sums(by_seat(review)), width, ranked=False, gap=1), *_key(width)]


def _key(width: int) -> list[Line]:
    """Explain the columns of `sums`, one line each."""
    least = ", ".join(f"{100 * share:g}" for share in MARKS.values())
    told = [
        "moves: decisions in which there was a choice",
        "agreed: how many of them were the best move, or as good as it",
        "lost %: chance to win given away by all of them, added up, in percentage points",
        "points: points of the expected lead given away by all of them",
        "each %, pts: the same two per move, on average",
        f"{', '.join(MARKS)}: gave away {least} or more percentage points, and more than the error",
        "luck %: chance to win that the draws of tiles gave (+) or took (-)",
    ]
    return [row for text in told for row in wrap([Span(text, DIM)], width, 2)]


def sums(totals: Sequence[Totals]) -> list[Column]:
    """Return the columns of losses per game and seat."""
    seats = [max(1, one.seats) for one in totals]

    def each(heading: str, values: Sequence[float], digits: int) -> Column:
        return heading, [f"{value / n:.{digits}f}" for value, n in zip(values, seats, strict=True)]

    many = any(n > 1 for n in seats)
    return [
        each("moves", [one.decisions for one in totals], int(many)),
        ("agreed", [f"{100 * one.agreement:.0f} %" if one.decisions else "-" for one in totals]),
        each("lost %", [100 * one.win_loss for one in totals], 1),
        each("points", [one.lead_loss for one in totals], 1),
        ("each %", [f"{100 * one.mean_win_loss:.2f}" if one.decisions else "-" for one in totals]),
        ("pts", [f"{one.mean_lead_loss:.2f}" if one.decisions else "-" for one in totals]),
        *(each(mark, [one.marks[i] for one in totals], int(many)) for i, mark in enumerate(MARKS)),
        ("luck %", [signed(100 * one.luck / n) for one, n in zip(totals, seats, strict=True)]),
    ]


def several_lines(reviews: Sequence[Review], width: int) -> list[Line]:
    """Return the totals of several games by agent, per game."""
    totals = by_agent(reviews)
    rows = wrap([Span(several_title(reviews), STRONG)], width, 2)
    if totals:
        rows += [*set_in_columns(several_names(totals), several_columns(totals), width,
                                 ranked=False, gap=1), *_key(width)]
    for table in across(reviews):
        rows += [(), *wrap([Span(table.title, STRONG)], width, 2)]
        rows += set_in_columns(table.names, table.columns, width, ranked=False)
        for text in table.below:
            rows += wrap([text], width, 2)
    return rows


def several_title(reviews: Sequence[Review]) -> str:
    """Say of how many games the totals are, and how many there are besides."""
    whole, ended = (sum(map(bool, those)) for those in (
        [one.whole for one in reviews], [one.result for one in reviews]))
    if not ended:
        return "no finished game was reviewed to its end"
    left = [f"{number} {what}" for number, what in (
        (whole - ended, "unfinished"), (len(reviews) - whole, "not reviewed to the end")) if number]
    without = f"; without {', '.join(left)}" if left else ""
    return f"{plural(ended, 'game')}, by agent, means of a game{without}"


def several_names(totals: Sequence[Totals]) -> list[str]:
    """Return the names of players, with the kind of game if there are several."""
    several = len({one.game for one in totals}) > 1
    return [printable(one.name) + (f", {one.game}" if several else "") for one in totals]


def several_columns(totals: Sequence[Totals]) -> list[Column]:
    """Return the columns for players of several games."""
    return [("games", [f"{one.games:,}" for one in totals]), *sums(totals)]
