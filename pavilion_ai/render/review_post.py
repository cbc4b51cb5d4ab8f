"""A review as annotated text: every move in words, with marks, chances and better lines."""

from __future__ import annotations

from collections.abc import Iterator

from pavilion_ai.errors import RecordError, printable
from pavilion_ai.play import walk
from pavilion_ai.position import Position
from pavilion_ai.render import describe
from pavilion_ai.render.record_text import head, result
from pavilion_ai.render.review_text import judged_by, mark_words, rolled, verdict
from pavilion_ai.render.text import beginning, plain, wrap
from pavilion_ai.render.words import with_error
from pavilion_ai.review import Judgement, Review, by_seat
from pavilion_ai.wording import plural, signed

WIDTH = 78
LEAST_LUCK = 0.0005
"""Change of a chance to win that shows with one decimal digit of a percentage."""
_INDENT = " " * 6
SHOWN_LINE = 6
"""Moves of a better line."""


def annotated(review: Review) -> list[str]:
    """Return a game with its review as lines of plain text, for a forum or a message."""
    record = review.record
    rows = [*head(record), result(record), judged_by(review), mark_words([review])]
    if review.fault:
        rows.append(printable(review.fault))
    rows = [row for text in rows for row in _wrapped("", text, 0)]
    judged = {judgement.ply: judgement for judgement in review.judgements}
    luck = {draw.ply: draw.luck for draw in review.draws}
    round_ = 0
    before: Position | None = None
    for ply, position in enumerate(_positions(review)):
        if before is not None:
            if before.round != round_ and before.to_move is not None:
                round_ = before.round
                rows += ["", f"Round {round_}{_chances(judged.get(ply))}", ""]
            rows += _ply(ply, before, record.moves[ply - 1], judged.get(ply), luck.get(ply))
        before = position
    return [*rows, "", *_totals(review)]


def _positions(review: Review) -> Iterator[Position]:
    """Yield the positions of the game as far as it can be replayed."""
    try:
        for play in walk(review.record):
            yield play.position
    except RecordError:
        return


def _chances(judgement: Judgement | None) -> str:
    if judgement is None:
        return ""
    shares = ", ".join(f"seat {seat} {100 * share:.0f} %"
                       for seat, share in enumerate(judgement.before))
    return f" - chance to win: {shares}"


def _ply(ply: int, before: Position, move: str, judgement: Judgement | None,
         luck: tuple[float, ...] | None) -> Iterator[str]:
    words = describe(before, move)
    if before.to_move is None:
        shown = luck is not None and any(abs(share) >= LEAST_LUCK for share in luck)
        told = "; " + ", ".join(
            f"seat {seat} {signed(100 * share)} %" for seat, share in enumerate(luck or ())
        ) if shown else ""
        yield from _wrapped(f"{ply}. ", f"({words}{told})")
        return
    mark = judgement.mark if judgement is not None else ""
    chance = "" if judgement is None else f" [{100 * judgement.played.win_prob:.0f}%]"
    yield from _wrapped(f"{ply}. ", f"seat {before.to_move}: {move}{mark}, {words}{chance}")
    if judgement is not None and judgement.mark:
        yield from _comment(judgement)


def _comment(judgement: Judgement) -> Iterator[str]:
    best = judgement.best
    loss = with_error(judgement.win_loss, judgement.win_loss_error) + " %"
    line = " ".join(best.pv[1:SHOWN_LINE])
    then = f"; then {line}" if line else ""
    yield from _wrapped(_INDENT, (
        f"gives away {loss} and {judgement.lead_loss:.1f} points; {verdict(judgement)} {best.move},"
        f" {describe(judgement.position, best.move)} [{100 * best.win_prob:.0f}%]{then}"))
    if judgement.rollout is not None:
        yield from _wrapped(_INDENT, rolled(judgement))


def _totals(review: Review) -> Iterator[str]:
    for seat, totals in enumerate(by_seat(review)):
        yield from _wrapped("", (
            f"seat {seat} lost {100 * totals.win_loss:.1f} % and {totals.lead_loss:.1f} points in"
            f" {plural(totals.decisions, 'decision')}, "
            + (f"agreed with {100 * totals.agreement:.0f} % of them, " if totals.decisions else "")
            + f"luck {signed(100 * totals.luck)} %"))


def _wrapped(label: str, text: str, indent: int = len(_INDENT)) -> list[str]:
    words = (piece for word in (label + text).split(" ") for piece in _pieces(word))
    return [plain([row]) for row in wrap([" ".join(words)], WIDTH, indent)]


def _pieces(word: str) -> list[str]:
    """Break a word that is longer than a row."""
    first = beginning(word, WIDTH - len(_INDENT))
    return [word] if first == word else [first, *_pieces(word[len(first):])]
