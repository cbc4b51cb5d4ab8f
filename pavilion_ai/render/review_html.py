"""Reviews as an HTML page: one file with everything in it, that asks for nothing else.

The list of decisions is plain HTML and can be read without scripts. The page's own script, the only
one that may run, puts the board beside it and steps through the game (review_page.js).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from importlib import resources
from itertools import groupby

from pavilion_ai.analysis import MoveStats
from pavilion_ai.render import BOARDS_BESIDE, describe, draw_svg
from pavilion_ai.render.across_text import across
from pavilion_ai.render.dark import DARK
from pavilion_ai.render.overlay import BETTER, PLAYED, Shown, with_moves
from pavilion_ai.render.pieces import Pieces
from pavilion_ai.render.record_text import head, player, result
from pavilion_ai.render.review_chart import LINES, MARK_COLOURS, chart
from pavilion_ai.render.review_text import (
    judged_by,
    mark_words,
    rolled,
    round_chances,
    several_columns,
    several_names,
    several_title,
    sums,
    verdict,
)
from pavilion_ai.render.svg import element, escaped
from pavilion_ai.render.words import with_error
from pavilion_ai.review import Draw, Judgement, Review, by_agent, by_seat
from pavilion_ai.version import ENGINE_NAME, __version__
from pavilion_ai.wording import signed

TOLD_MOVES = 5
"""Moves listed for a marked decision."""
PICTURED_GAMES = 4
"""With more games, only marked decisions have pictures: a game takes about a megabyte."""

_NIGHT = {  # colours of the page that no picture has
    **DARK, "#1f5fa8": "#6aaef0", "#c2570c": "#f0935a", "#2f7d32": "#6cc070", "#d9d9e0": "#4a4a57",
    **dict(zip(MARK_COLOURS.values(), ("#ff7b84", "#f0a050", "#d9c23a"), strict=True)),
}
_COLUMNS = 7
_CLASSES = {mark: f"m{rank}" for rank, mark in enumerate(MARK_COLOURS)}


def page(reviews: Sequence[Review]) -> str:
    """Return the page: totals by agent if there are several games, then every game.

    Equal reviews give equal pages.
    """
    title = head(reviews[0].record)[0] if len(reviews) == 1 else f"{len(reviews)} games"
    script = _file("review_page.js")
    body = [_tag("h1", escaped(f"Review of {title}"))]
    if len(reviews) > 1:
        body += [_several(reviews), _contents(reviews)]
    body += [_game(number, review, titled=len(reviews) > 1)
             for number, review in enumerate(reviews, 1)]
    told = (f"{ENGINE_NAME} {__version__}. {mark_words(reviews)}. Luck is what the chance to win"
            " gained by tiles that were drawn, by the searches before and after. chance: of the"
            " mover to win after the move that was played; in the chart a line for each seat. On"
            " the board: solid the move that was played, dashed the better one. Arrow keys step, n"
            " and p go to the next and last mistake.")
    body.append(_tag("p", escaped(told), class_="faint"))
    return (
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">\n'
        f"<title>{escaped('Review of ' + title)}</title>\n<style>{_style()}</style>\n</head>\n"
        "<body>\n" + "\n".join(body) + "\n"
        f'<script type="application/json" id="pictures">{_json(reviews)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Allow the page's own script and styles, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"


def _style() -> str:
    """Return the style sheet, with the colours of pictures and marks on dark screens."""
    marks = "".join(f".m{rank} {{ color: {colour}; font-weight: bold; }}\n"
                    for rank, colour in enumerate(MARK_COLOURS.values()))
    night = "".join(
        f'[fill="{light}"] {{ fill: {dark}; }} [stroke="{light}"] {{ stroke: {dark}; }}\n'
        for light, dark in _NIGHT.items())
    night += "".join(f".m{rank} {{ color: {_NIGHT[colour]}; }}\n"
                     for rank, colour in enumerate(MARK_COLOURS.values()))
    return (f"\n{_file('review_page.css')}{marks}"
            f"@media (prefers-color-scheme: dark) {{\n{night}}}\n")


def _json(reviews: Sequence[Review]) -> str:
    """Return the pictures of the decisions, by the id of their row, in pieces that they share."""
    shared = Pieces()
    pictures = {
        _anchor(number, judgement.ply): shared.add(_picture(review, judgement))
        for number, review in enumerate(reviews, 1)
        for judgement in review.judgements
        if len(reviews) <= PICTURED_GAMES or judgement.mark}
    text = json.dumps({"pieces": shared.pieces, "pictures": pictures}, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _picture(review: Review, judgement: Judgement) -> str:
    """Draw the position of a decision, with the move that was played and a better one.

    With more than two players the board of the seat to move comes first: the others may be out of
    sight.
    """
    position = judgement.position
    names = [player(agent) for agent in review.record.agents]
    first = judgement.seat if position.players > BOARDS_BESIDE else 0
    drawn = draw_svg(position, names=names, first=first, shrinks=False)
    best = judgement.best.move
    moves = [Shown(judgement.played.move, "played", strong=True, colour=PLAYED)]
    if not judgement.agrees:
        moves.append(Shown(best, verdict(judgement), colour=BETTER))
    return with_moves(drawn, position, moves)


def _tag(name: str, *children: str, **attributes: str | float | None) -> str:
    """Return an element with a closing tag even if it is empty, as HTML requires."""
    return element(name, *(children or ("",)), **attributes)


def _row(cells: Iterable[str], kind: str = "td", **attributes: str | None) -> str:
    return _tag("tr", *(cell if cell.startswith("<t") else _tag(kind, cell) for cell in cells),
                **attributes)


def _table(names: Sequence[str], columns: Sequence[tuple[str, Sequence[str]]],
           *, seats: bool = False, swatches: bool = False) -> str:
    """Return a table of numbers.

    Args:
        names: names of the rows.
        columns: each with its heading.
        seats: whether the rows are the seats of a game; on narrow screens they become columns.
        swatches: whether the line of each seat in the chart stands beside its name.
    """
    head_row = _row(["", *(escaped(heading) for heading, _ in columns)], "th")
    rows = [
        _row([_tag("td", (_swatch(index) if swatches else "") + escaped(name), class_="seat"),
              *(escaped(cells[index]) for _, cells in columns)])
        for index, name in enumerate(names)
    ]
    return _tag("div", _tag("table", head_row, *rows), class_="scroll seats" if seats else "scroll")


def _swatch(seat: int) -> str:
    colour, dashes = LINES[seat]
    stroke = element("line", x1=0, y1=5, x2=34, y2=5, stroke=colour, stroke_width=3,
                     stroke_dasharray=dashes)
    return element("svg", stroke, width=40, height=10, aria_hidden="true")


def _several(reviews: Sequence[Review]) -> str:
    totals = by_agent(reviews)
    parts = [_tag("h2", escaped(several_title(reviews)))]
    if totals:
        parts.append(_table(several_names(totals), several_columns(totals)))
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
        _table(names, sums(by_seat(review)), seats=True, swatches=True),
        _tag("p", "Chance to win in %, as each round begins"),
        _table(names, round_chances(review, "round "), seats=True),
        _tag("div", chart(review, lambda ply: f"#{_anchor(number, ply)}"), class_="chart"),
        _tag("div", _plies(number, review), _tag("div", class_="pane"), class_="viewer",
             data_seats="\n".join(names)),
    ])


def _anchor(number: int, ply: int) -> str:
    return f"g{number}p{ply}"


def _plies(number: int, review: Review) -> str:
    """Return the list of all decisions and draws, by round."""
    draws = {draw.ply: draw for draw in review.draws}
    headings = {"ply": None, "seat": None, "": None, "move": "words", "chance %": None,
                "lost %": None, "points": "points"}
    top = _tag("thead", _row([_tag("th", heading, class_=kind)
                              for heading, kind in headings.items()]))
    rows = []
    for round_, group in groupby(review.judgements, key=lambda each: each.position.round):
        rows.append(_row([_tag("th", f"Round {round_}", colspan=_COLUMNS)], class_="round"))
        for judgement in group:
            rows.append(_decision(number, review, judgement))
            if judgement.mark:
                rows.append(_unfolded(judgement))
            if (draw := draws.get(judgement.ply + 1)) is not None:
                rows.append(_draw(draw))
    columns = [element("col", class_=name) for name in
               ("ply", "seats", "mark", "words", "chance", "loss", "points")]
    table = _tag("table", _tag("colgroup", *columns), top, _tag("tbody", *rows))
    return _tag("div", table, class_="list")


def _draw(draw: Draw) -> str:
    luck = ", ".join(f"seat {seat} {signed(100 * share)}" for seat, share in enumerate(draw.luck))
    what = _tag("td", escaped(f"{' '.join(draw.moves)}; luck in %: {luck}"),
                colspan=_COLUMNS - 1, class_="words")
    return _row([str(draw.ply), what], class_="draw")


def _decision(number: int, review: Review, judgement: Judgement) -> str:
    played = judgement.played
    lost = ["", _tag("td", class_="points")]
    if not judgement.agrees:
        loss, _, error = with_error(
            judgement.win_loss, judgement.win_loss_error, sign="± ").partition(" ")
        lost = [_tag("td", loss + _tag("span", f" {error}", class_="se"), class_="loss"),
                _tag("td", f"{judgement.lead_loss:.1f}", class_="points")]
    return _row(
        [
            str(judgement.ply), str(judgement.seat),
            _tag("td", escaped(judgement.mark), class_=_CLASSES.get(judgement.mark)),
            _tag("td", _words(judgement), class_="words"),
            f"{100 * played.win_prob:.1f}", *lost,
        ],
        id=_anchor(number, judgement.ply), data_seat=str(judgement.seat),
        data_phase=judgement.position.phase, data_mark=judgement.mark,
        data_said=_said(review, judgement),
    )


def _said(review: Review, judgement: Judgement) -> str:
    """Say in one paragraph what stands on the board."""
    played, position = judgement.played, judgement.position
    name = player(review.record.agents[judgement.seat])
    said = (f"Ply {judgement.ply}, seat {judgement.seat} ({name}): {played.move}{judgement.mark}"
            f" \u2013 {describe(position, played.move)}. {100 * played.win_prob:.1f} % to win")
    best = judgement.best
    if judgement.agrees:
        as_good = "" if played.move == best.move else f"as good as {best.move}, "
        return said + (", the only move." if judgement.forced else f", {as_good}the favourite.")
    more = f" {rolled(judgement).capitalize()}." if judgement.rollout is not None else ""
    return (f"{said}, lost {100 * judgement.win_loss:.1f} %. {verdict(judgement).capitalize()}:"
            f" {best.move} \u2013 {describe(position, best.move)}.{more}")


def _words(judgement: Judgement) -> str:
    """Return the move and its effect, and the better move if it is not listed below."""
    move = _tag("span", escaped(judgement.played.move), class_="move")
    said = f"{move} {escaped(describe(judgement.position, judgement.played.move))}"
    if judgement.forced:
        return said + _tag("span", " (the only move)", class_="faint")
    if judgement.agrees or judgement.mark:
        return said
    return said + _tag("div", _better(judgement), class_="faint")


def _better(judgement: Judgement) -> str:
    best = judgement.best.move
    return escaped(f"{verdict(judgement)} {best}: {describe(judgement.position, best)}")


def _unfolded(judgement: Judgement) -> str:
    """Return a row that names the better move and unfolds to show what else was searched."""
    what = _tag("details", _tag("summary", _better(judgement)),
                _tag("div", _alternatives(judgement), class_="scroll"))
    return _row(["", "", "", _tag("td", what, colspan=_COLUMNS - 3, class_="words")],
                class_="more")


def _alternatives(judgement: Judgement) -> str:
    """Return the moves of a decision in the order of the search, and the one played."""
    played = judgement.played
    told = list(judgement.analysis.moves[:TOLD_MOVES])
    if all(move.move != played.move for move in told):
        told.append(played)
    rows = [_row([_tag("th", "move", class_="words"), "visits", "chance %", "lead",
                  _tag("th", "then", class_="words")], "th")]
    rows += [_alternative(played, "played") if move.move == played.move else _alternative(move)
             for move in told if move.known]
    return _tag("table", *rows)


def _alternative(move: MoveStats, kind: str | None = None) -> str:
    return _row([
        _tag("td", escaped(move.move), class_="move"),
        f"{move.visits:,}",
        with_error(move.win_prob, move.win_prob_error, sign="± "),
        signed(move.score_lead),
        _tag("td", escaped(" ".join(move.pv[1:6])), class_="move"),
    ], class_=kind)
