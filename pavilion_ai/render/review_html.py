"""Reviews as an HTML page: one file, without scripts or external resources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pavilion_ai.analysis import MoveStats
from pavilion_ai.position import Position
from pavilion_ai.render import describe, draw_svg
from pavilion_ai.render.across_text import across
from pavilion_ai.render.record_text import head, player, result
from pavilion_ai.render.review_chart import LINES, MARK_COLOURS, chart
from pavilion_ai.render.review_text import (
    judged_by,
    mark_words,
    round_chances,
    several_columns,
    sums,
    verdict,
)
from pavilion_ai.render.svg import element, escaped
from pavilion_ai.review import Draw, Judgement, Review, by_agent, by_seat
from pavilion_ai.version import ENGINE_NAME, __version__

__all__ = ["page"]

LEAST_SCALE = 0.65
"""Smallest scale at which a picture is shown."""
TOLD_MOVES = 5
"""Moves listed for a marked decision."""

_STYLE = """
body { font: 15px/1.45 sans-serif; color: #1d1d27; max-width: 980px; margin: 2em auto;
  padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2.5em; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: 2px 10px; text-align: right; vertical-align: top; }
th { border-bottom: 1px solid #5b5b66; white-space: nowrap; }
.words { text-align: left; min-width: 24em; }
.move { text-align: left; font-family: monospace; } .loss { white-space: nowrap; }
.faint { color: #5b5b66; } .draw td { color: #5b5b66; background: #f3f3f6; }
tr:target { outline: 2px solid #1f5fa8; }
.seat { min-width: 0; max-width: 22em; overflow-wrap: anywhere; } .played { font-weight: bold; }
details { margin: 4px 0; } summary { cursor: pointer; }
svg { max-width: 100%; height: auto; } .scroll { overflow-x: auto; }
.board { overflow-x: auto; width: 700px; } .board svg { width: 100%; }
""" + "".join(f"\n.m{rank} {{ color: {colour}; font-weight: bold; }}"
              for rank, colour in enumerate(MARK_COLOURS.values()))
_CLASSES = {mark: f"m{rank}" for rank, mark in enumerate(MARK_COLOURS)}


def page(reviews: Sequence[Review]) -> str:
    """Return the page: totals by agent if there are several games, then every game.

    Equal reviews give equal pages.
    """
    title = head(reviews[0].record)[0] if len(reviews) == 1 else f"{len(reviews)} games"
    body = [_tag("h1", escaped(f"Review of {title}"))]
    if len(reviews) > 1:
        body += [_several(reviews), _contents(reviews)]
    body += [_game(number, review, titled=len(reviews) > 1)
             for number, review in enumerate(reviews, 1)]
    body.append(_tag("p", escaped(f"{ENGINE_NAME} {__version__}. {mark_words()}. Luck is what the"
                                  " chance to win gained by tiles that were drawn, by the searches"
                                  " before and after. chance: of the mover to win after the move"
                                  " that was played; in the chart a line for each seat."),
                     class_="faint"))
    return (
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        f"<title>{escaped('Review of ' + title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        "<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return an element with a closing tag even if it is empty, as HTML requires."""
    return element(name, *(children or ("",)), **attributes)


def _row(cells: Iterable[str], kind: str = "td", **attributes: str | None) -> str:
    return _tag("tr", *(cell if cell.startswith("<t") else _tag(kind, cell) for cell in cells),
                **attributes)


def _table(names: Sequence[str], columns: Sequence[tuple[str, Sequence[str]]],
           swatches: bool = False) -> str:
    """Return a table of numbers, with the line of each seat in the chart beside its name."""
    head_row = _row(["", *(escaped(heading) for heading, _ in columns)], "th")
    rows = [
        _row([_tag("td", (_swatch(index) if swatches else "") + escaped(name), class_="words seat"),
              *(escaped(cells[index]) for _, cells in columns)])
        for index, name in enumerate(names)
    ]
    return _tag("div", _tag("table", head_row, *rows), class_="scroll")


def _swatch(seat: int) -> str:
    colour, dashes = LINES[seat]
    stroke = element("line", x1=0, y1=5, x2=34, y2=5, stroke=colour, stroke_width=3,
                     stroke_dasharray=dashes)
    return element("svg", stroke, width=40, height=10, aria_hidden="true")


def _several(reviews: Sequence[Review]) -> str:
    totals = by_agent(reviews)
    if not totals:
        return _tag("p", "No game was reviewed to its end.")
    parts = [_tag("h2", "By agent, means of a game reviewed to its end"),
             _table([one.name for one in totals], several_columns(totals))]
    for table in across(reviews):
        parts += [_tag("h3", escaped(table.title)), _table(table.names, table.columns)]
        parts += [_tag("p", escaped(text)) for text in table.below]
    return "\n".join(parts)


def _contents(reviews: Sequence[Review]) -> str:
    items = []
    for number, review in enumerate(reviews, 1):
        players = " - ".join(player(agent) for agent in review.record.agents)
        link = _tag("a", escaped(f"game {review.record.id}"), href=f"#g{number}")
        items.append(_tag("li", link, escaped(f": {players}; {result(review.record)}")))
    return _tag("ul", *items)


def _game(number: int, review: Review, titled: bool) -> str:
    record = review.record
    title = head(record)[0]
    names = [f"seat {seat}: {player(agent)}" for seat, agent in enumerate(record.agents)]
    parts = [_tag("h2", escaped(title), id=f"g{number}")] if titled else []
    parts.append(_tag("p", escaped(f"{result(record)}; {judged_by(review)}")))
    if review.fault:
        parts.append(_tag("p", escaped(review.fault), class_="m0"))
    if not review.judgements:
        return "\n".join([*parts, _tag("p", escaped(", ".join(names))),
                          _tag("p", "No decision was judged.")])
    return "\n".join([
        *parts,
        _table(names, sums(by_seat(review)), swatches=True),
        _tag("p", "Chance to win in %, as each round begins"),
        _table(names, round_chances(review, "round ")),
        chart(review, lambda ply: f"#{_anchor(number, ply)}"),
        _plies(number, review),
    ])


def _anchor(number: int, ply: int) -> str:
    return f"g{number}p{ply}"


def _plies(number: int, review: Review) -> str:
    """Return the table of all decisions and draws."""
    draws = {draw.ply: draw for draw in review.draws}
    headings = ("ply", "round", "seat", "mark", "move", "chance %", "lost %", "points", "in words")
    rows = [_row([_tag("th", heading, class_={"move": "move", "in words": "words"}.get(heading))
                  for heading in headings])]
    for before, judgement in zip((None, *review.judgements), review.judgements, strict=False):
        draw = draws.get(before.ply + 1) if before is not None else None
        if draw is not None:
            rows.append(_draw(draw))
        rows.append(_decision(number, judgement))
        if judgement.mark:
            rows.append(_unfolded(judgement))
    return _tag("div", _tag("table", *rows), class_="scroll")


def _draw(draw: Draw) -> str:
    luck = ", ".join(f"seat {seat} {100 * share:+.1f}" for seat, share in enumerate(draw.luck))
    what = _tag("td", escaped(f"{' '.join(draw.moves)}; luck in %: {luck}"),
                colspan=6, class_="words")
    return _row([str(draw.ply), str(draw.round), "", what], class_="draw")


def _decision(number: int, judgement: Judgement) -> str:
    played = judgement.played
    lost = ["", ""]
    if not judgement.agrees:
        loss = f"{100 * judgement.win_loss:.1f} ± {100 * judgement.win_loss_se:.1f}"
        lost = [_tag("td", loss, class_="loss"), f"{judgement.lead_loss:.1f}"]
    return _row(
        [
            str(judgement.ply), str(judgement.position.round), str(judgement.seat),
            _tag("td", escaped(judgement.mark), class_=_CLASSES.get(judgement.mark)),
            _tag("td", escaped(played.move), class_="move"),
            f"{100 * played.win_prob:.1f}", *lost,
            _tag("td", _words(judgement), class_="words"),
        ],
        id=_anchor(number, judgement.ply),
    )


def _words(judgement: Judgement) -> str:
    """Return the move in words, and the better move if it is not listed below."""
    said = escaped(describe(judgement.position, judgement.played.move))
    if judgement.forced:
        return said + _tag("span", " (the only move)", class_="faint")
    if judgement.agrees or judgement.mark:
        return said
    return said + _tag("div", _better(judgement), class_="faint")


def _better(judgement: Judgement) -> str:
    best = judgement.best.move
    return escaped(f"{verdict(judgement)} {best}: {describe(judgement.position, best)}")


def _unfolded(judgement: Judgement) -> str:
    """Return a row that names the better move and unfolds to show moves and position."""
    what = _tag("details", _tag("summary", _better(judgement)), _alternatives(judgement),
                _tag("div", _picture(judgement.position), class_="board"))
    return _row(["", "", "", "", _tag("td", what, colspan=5, class_="words")])


def _picture(position: Position) -> str:
    """Return the picture of a position at a readable size; wide ones scroll."""
    drawn = draw_svg(position)
    width = re.search(r'width="([0-9]+)"', drawn)
    least = LEAST_SCALE * int(width[1]) if width else 0
    return drawn.replace("<svg ", f'<svg style="min-width: {least:.0f}px" ', 1)


def _alternatives(judgement: Judgement) -> str:
    """Return the moves of a decision in the order of the search, and the one played."""
    played = judgement.played
    told = list(judgement.analysis.moves[:TOLD_MOVES])
    if all(move.move != played.move for move in told):
        told.append(played)
    rows = [_row([_tag("th", "move", class_="words"), "visits", "chance %", "lead",
                  _tag("th", "then", class_="words")], "th")]
    rows += [_alternative(played, "played") if move.move == played.move else _alternative(move)
             for move in told if move.visits]
    return _tag("table", *rows)


def _alternative(move: MoveStats, kind: str | None = None) -> str:
    return _row([
        _tag("td", escaped(move.move), class_="move"),
        f"{move.visits:,}",
        f"{100 * move.win_prob:.1f} ± {100 * move.win_prob_se:.1f}",
        f"{move.score_lead:+.1f}",
        _tag("td", escaped(" ".join(move.pv[1:6])), class_="move"),
    ], class_=kind)
