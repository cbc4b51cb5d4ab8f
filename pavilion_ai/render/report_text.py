"""Show the report of a match or a tournament as lines for a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from pavilion_ai.clock import clocks_told
from pavilion_ai.errors import printable
from pavilion_ai.match.event import SEVERAL
from pavilion_ai.match.schedule import tables_of
from pavilion_ai.render.columns import (
    LONGEST_NAME,
    Column,
    set_in_columns,
    shortened,
    shortened_together,
)
from pavilion_ai.render.text import DIM, STRONG, WARN, Line, Span, line, wrap
from pavilion_ai.render.words import above_0
from pavilion_ai.spec import split_name
from pavilion_ai.wording import plural, signed

if TYPE_CHECKING:
    from pavilion_ai.match.event import Entrant, Event
    from pavilion_ai.match.report import Duel, EntrantReport, Report, SprtReport
    from pavilion_ai.stats.estimate import Estimate
    from pavilion_ai.stats.sprt import Sprt

UNKNOWN = "-"
MAX_CROSS_TABLE = 24  # entrants; a larger cross-table is left to JSON
SHOWN_FAULTS = 8
SHOWN_SEEDS = 6
SHOWN_GROUPS = 4
SHOWN_OF_GROUP = 4
UNEVEN = 0.05  # share of its width by which an interval's sides may differ and still count as equal
WORTH_PAIRS = 50  # with fewer pairs, the gain from pairing is mostly noise
MEANS = "means per game: score by part, tiles drafted, tokens taken, features completed"
_LABEL_WIDTH = 12
Row = tuple[str, str, str]
"""What a line says: its label, its text, and the style of the text."""
_KINDS = {"round-robin": "round robin", "swiss": "Swiss tournament"}

def report_lines(report: Report, width: int = 80) -> list[Line]:
    """Return the numbers of a report as lines of at most `width` columns (60 or more)."""
    summary = [row for label, text, style in summary_rows(report)
               for row in _labelled(label, text, width, style)]
    blocks = [_header(report, width), summary]
    if report.pairs:
        duel, ranking = report.head_to_head is not None, order_of(report)
        entrants = [report.entrants[index] for index in ranking]
        blocks += [] if duel else [rating_list(report, entrants, width)]
        table = partial(set_in_columns, _names(entrants), width=width, ranked=not duel,
                        begins=group_begins(report))
        blocks += [table(detail_columns(report, entrants))]
        if taken := taken_columns(entrants):
            blocks += [[*wrap([Span(MEANS, DIM)], width, 2), *table(taken)]]
        if len(entrants) > report.event.settings.players:
            blocks += [_cross_table(report, ranking, width)]
    if report.faults:
        blocks += [_faults(report, width)]
    rows: list[Line] = []
    for block in filter(None, blocks):
        rows += [(), *block] if rows else block
    return rows


def order_of(report: Report) -> Sequence[int]:
    """Return the entrants in the order of the tables: of a match as given, else by rating."""
    return range(len(report.entrants)) if report.head_to_head else report.ranking()


def title(event: Event) -> str:
    """Return a title: the entrants of a match, the kind and size of a tournament."""
    names = short_names(event.entrants, LONGEST_NAME)
    if len(names) <= event.settings.players:
        return (" against " if len(names) == 2 else ", ").join(names)
    if event.kind in (SEVERAL, "match"):
        return f"{len(names)} agents"
    return f"{_KINDS.get(event.kind, event.kind)} of {len(names)}"


def summary(report: Report) -> str:
    """Return the most important numbers in a few words, for a line of progress."""
    duel, sprt = report.head_to_head, report.event.sprt
    test = [f"LLR {_llr(report.test, sprt)}"] if report.test and sprt else []
    if duel is not None:
        return ", ".join([f"Elo {words(duel.elo, 1, sign=True)}", f"LOS {_percentage(duel.los)}",
                          *test])
    standings = report.standings()[:3]
    names = short_names(standings, 20)
    best = [
        f"{rank}. {name} {_rating(entrant)}"
        for rank, (name, entrant) in enumerate(zip(names, standings, strict=True), 1)
        if entrant.rating.value is not None
    ]
    apart = len(report.groups)
    several = [f"{apart} groups that have not met"] if apart > 1 else []
    return ", ".join([*best, *several, *test]) or "no ratings yet"


# -- numbers and names in words --------------------------------------------------------------


def words(
    estimate: Estimate, digits: int, *, sign: bool = False, unit: str = "",
    within: tuple[float, float] = (-math.inf, math.inf),
) -> str:
    """Return an estimate with its error in words, also if only one side is bounded.

    If the 95 % interval is symmetric, the error is half its width; otherwise the interval is
    written out. An end equal to the value itself (a mean at the end of its range) is not a bound.
    No error or distance of an end is rounded to 0.

    Args:
        within: the range of the number, which no end is rounded out of.

    >>> from pavilion_ai.stats.estimate import Estimate
    >>> words(Estimate(10.0, 6.0, 14.0), 1, sign=True)
    '+10.0 +-4.0'
    >>> words(Estimate(2.5, 0.0, 7.4), 1, unit=" %")
    '2.5 % (0.0 to 7.4)'
    >>> words(Estimate(None, 210.0, None), 0, sign=True)
    'at least +210'
    >>> words(Estimate(100.0, 74.0, 100.0), 0, unit=" %")
    '100 %, at least 74 %'
    >>> words(Estimate(99.947, 99.909, 99.97), 1, unit=" %", within=(0, 100))
    '99.9 % (99.8 to 100.0)'
    """
    value, low, high = _sides(estimate)
    if value is not None and low is not None and high is not None:
        if not _symmetric(value, low, high):
            ends = " to ".join(_number(_apart(end, value, digits, within), digits, sign)
                               for end in (low, high))
            return f"{_number(value, digits, sign)}{unit} ({ends})"
        error = above_0((high - low) / 2, digits)
        return f"{_number(value, digits, sign)} +-{error}{unit}"
    if value is None and low is not None and high is not None:
        return f"{_number(low, digits, sign)} to {_number(high, digits, sign)}{unit}"
    parts = [] if value is None else [_number(value, digits, sign) + unit]
    parts += [f"{bound} {_number(_apart(end, value, digits), digits, sign)}{unit}"
              for bound, end in (("at least", low), ("at most", high)) if end is not None]
    parts += ["no bound"] if value is not None and low is None and high is None else []
    return ", ".join(parts) or "not known"


def short_estimate(
    estimate: Estimate, digits: int, *, sign: bool = False, ranged: bool = True
) -> str:
    """Return an estimate for a cell of a table: `+10 +-4`, `>=+210`, `<=-30`, `+10` or `-`.

    For an asymmetric interval, the error is its longer side.

    Args:
        ranged: whether an end equal to the value is that of its range, and not a bound.
    """
    sides = estimate.value, estimate.low, estimate.high
    value, low, high = _sides(estimate) if ranged else sides
    if low is not None and high is None:
        return ">=" + _number(_apart(low, value, digits), digits, sign)
    if high is not None and low is None:
        return "<=" + _number(_apart(high, value, digits), digits, sign)
    if value is None:
        return UNKNOWN
    if low is None or high is None:
        return _number(value, digits, sign)
    return f"{_number(value, digits, sign)} +-{above_0(max(high - value, value - low), digits)}"


def _apart(
    end: float, value: float | None, digits: int,
    within: tuple[float, float] = (-math.inf, math.inf),
) -> float:
    """Return an end of an interval, rounded outwards if it would look like the value."""
    if value is None or round(end, digits) != round(value, digits):
        return end
    unit = 10.0**digits
    whole = math.floor(end * unit) if end < value else math.ceil(end * unit)
    if whole == round(round(value, digits) * unit):  # the value was rounded to the same side
        whole += -1 if end < value else 1
    return max(within[0], min(within[1], whole / unit))


def _symmetric(value: float, low: float, high: float) -> bool:
    return abs((high - value) - (value - low)) <= UNEVEN * (high - low)


def _sides(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    """Return value, low and high, with None for an end that equals the value itself."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is not None and low != high:
        low, high = (None if end == value else end for end in (low, high))
    return value, low, high


def _number(amount: float, digits: int, sign: bool = False) -> str:
    if sign:
        return signed(amount, digits)
    return f"{round(amount, digits) + 0.0:,.{digits}f}"  # without the sign of -0.0


def _percentage(share: float | None) -> str:
    """Return a probability in percent, never rounded to 0 or 100."""
    return "not known" if share is None else _share(share, "over ", "under ") + " %"


def _share(share: float, over: str, under: str) -> str:
    if share > 0.9995:
        return f"{over}99.9"
    return f"{under}0.1" if share < 0.0005 else f"{100 * share:.1f}"


def _percent(estimate: Estimate) -> Estimate:
    scaled = (
        None if bound is None else 100 * bound
        for bound in (estimate.value, estimate.low, estimate.high)
    )
    return type(estimate)(*scaled)


# -- the head: what was played, and the lines below -------------------------------------------


def _header(report: Report, width: int) -> list[Line]:
    heading = wrap([Span(title(report.event), STRONG)], width, 2, split=True)
    return [*heading, *wrap([Span(settings_of(report), DIM)], width, 2),
            *(row for name in given_names(report.event)
              for row in wrap([Span(name, DIM)], width, 2, split=True))]


def settings_of(report: Report) -> str:
    """Return how the games of an event were played."""
    event = report.event
    settings = event.settings
    seeds = list(dict.fromkeys(one.settings.seed for one, _ in report.events or [(event, 0)]))
    told = ", ".join(map(str, seeds[:SHOWN_SEEDS])) + (", ..." if len(seeds) > SHOWN_SEEDS else "")
    parts = [settings.game, settings.board, f"{settings.players} players"]
    parts += [f"{len(report.events)} events"] if len(report.events) > 1 else []
    parts += [f"{'seeds' if len(seeds) > 1 else 'seed'} {told}"]
    if (len(event.entrants) > settings.players and event.rounds is not None
            and report.games <= event.rounds * tables_of(event) * settings.players):
        parts.append(plural(event.rounds, "round"))  # else there are games of more rounds
    limits = settings.limits
    if limits is not None and limits.seconds is not None:
        parts.append(f"{limits.seconds:g} s per move")
    if limits is not None and limits.sims is not None:
        parts.append(f"{plural(limits.sims, 'simulation')} per move")
    if limits is not None and limits.clock:
        parts.append(f"clock {clocks_told(limits)}")
    if event.openings:
        parts.append(plural(len(event.openings), "start position"))
    parts += [] if settings.tied else ["draws not tied"]
    return ", ".join(parts)


def given_names(event: Event) -> list[str]:
    """Say which specs the names stand for that agents were given."""
    bare = {entrant.name: split_name(entrant.spec) for entrant in event.entrants}
    return [f"{printable(name)} = {printable(spec)}"
            for name, (given, spec) in bare.items() if given is not None]


def _labelled(label: str, text: str, width: int, style: str) -> list[Line]:
    left = f"{label:<{_LABEL_WIDTH}}"
    return wrap([left, Span(text, style)], width, _LABEL_WIDTH, split=True)


def summary_rows(report: Report) -> list[Row]:
    """Return what is said of the event as a whole."""
    counted = report.pairs * report.event.settings.players
    unit = "pair" if report.event.settings.players == 2 else "set"
    played = f"{counted:,} in {plural(report.pairs, unit)}"
    rows: list[Row] = [("games", played if counted else f"no {unit} is complete yet", "")]
    if counted and (idle := _sat_out(report)):
        rows += [("sat out", idle, "")]
    left = report.games - counted
    if left:
        why = f"of a {unit} that is not complete"
        why += " or came after the test ended" if report.event.sprt is not None else ""
        rows += [("not counted", f"{left:,}, {why}", DIM)]
    if report.left_out:
        lines = sum(int(str(one.get("lines", 1))) for one in report.left_out)
        rows += [("left out", f"{lines:,}, for the reasons noted", WARN)]
    if not report.pairs:
        return rows
    if report.repeated:
        rows += [("repeated", repeated(report), WARN)]
    if report.head_to_head is not None:
        rows += _duel(report, report.head_to_head)
    if report.test is not None and report.event.sprt is not None:
        first, *_ = short_names(report.entrants, LONGEST_NAME)
        who = "" if report.head_to_head else f"{first}: "
        rows += [("SPRT", who + _sprt(report.test, report.event.sprt, unit), "")]
    share = words(_percent(report.starter), 1, sign=True, unit=" %")
    rows += [("starter", f"{share} for the seat that moves first, against an equal share", "")]
    rows += _spread(report)
    if len(report.groups) > 1:
        rows += [("groups", not_met(report), WARN)]
    return rows


def repeated(report: Report) -> str:
    """Say how many pairs were played before, move for move, so that they tell nothing new."""
    unit = "pair" if report.event.settings.players == 2 else "set"
    repeat, tell = ("repeats", "tells") if report.repeated == 1 else ("repeat", "tell")
    return (f"{report.repeated:,} of {plural(report.pairs, unit)} {repeat} an earlier one move for"
            f" move and {tell} nothing new: all errors are larger than the report says")


def not_met(report: Report) -> str:
    """Say which agents never met which others, so that their ratings cannot be compared."""
    names = short_names(report.entrants, 20)
    named = [", ".join(names[index] for index in group[:SHOWN_OF_GROUP])
             + (f" and {len(group) - SHOWN_OF_GROUP} more" if len(group) > SHOWN_OF_GROUP else "")
             for group in report.groups[:SHOWN_GROUPS]]
    more = len(report.groups) - len(named)
    named += [f"{more} more"] if more else []
    return (f"{plural(len(report.groups), 'group')} of agents never met, also not through others:"
            f" {'; '.join(named)}: ratings of different groups cannot be compared")


def _sat_out(report: Report) -> str:
    """Say who sat out how many rounds, where a Swiss tournament has no table for everybody."""
    event = report.event
    spare = len(event.entrants) % event.settings.players
    if event.kind != "swiss" or not spare or len(report.events) > 1:
        return ""
    rule = f"{spare} of {len(event.entrants)} in each round, of those with most games"
    meetings = [one.games // event.settings.players for one in report.entrants]
    rounds, begun = divmod(sum(meetings), len(event.entrants) - spare)
    if begun:  # who sits out the last round cannot be told from who has yet to play in it
        return rule
    names = short_names(report.entrants, 20)
    told = ", ".join(f"{name} {rounds - played}"
                     for name, played in zip(names, meetings, strict=True) if played < rounds)
    return f"{rule}: {told}"


def _duel(report: Report, duel: Duel) -> list[Row]:
    first = report.entrants[0]
    share = words(_percent(first.win_share), 1, unit=" %", within=(0, 100))
    record = f"{first.wins:,} won, {first.draws:,} drawn, {first.losses:,} lost"
    noun = "point" if first.points == 1 else "points"
    points = f"{_points(first.points)} {noun} of {first.games:,}, {share}"
    counts = ["0", "1/2", "1", "3/2", "2"]
    pairs = ", ".join(
        f"{points}: {pairs:,}"
        for points, pairs in zip(counts, duel.pentanomial.counts, strict=True)
    )
    return [
        ("result", f"{record}; {points}", ""),
        ("Elo", _elo(duel.elo), STRONG),
        ("LOS", f"{_percentage(duel.los)}, likelihood of superiority", ""),
        ("nElo", words(duel.normalised_elo, 1, sign=True), ""),
        ("points/pair", pairs, ""),
    ]


def _elo(elo: Estimate) -> str:
    if elo.value is None or elo.low is None or elo.high is None:
        return words(elo, 1, sign=True)
    ends = " to ".join(_number(_apart(end, elo.value, 1), 1, True) for end in (elo.low, elo.high))
    return f"{_number(elo.value, 1, True)} +-{above_0((elo.high - elo.low) / 2)} (95 %: {ends})"


def _llr(test: SprtReport, sprt: Sprt) -> str:
    return f"{test.llr or 0.0:+.2f} ({sprt.lower:.2f} to {sprt.upper:+.2f})"


def _sprt(test: SprtReport, sprt: Sprt, unit: str) -> str:
    found = f"nElo {sprt.elo0:g} (H0) or {sprt.elo1:g} (H1): LLR {_llr(test, sprt)}"
    if test.verdict is None:
        return f"{found}, not decided"
    return f"{found}, {test.verdict} accepted after {test.decided_at:,} {unit}s"


def _spread(report: Report) -> list[Row]:
    if report.pair_sd is None or report.independent_sd is None:
        return []
    text = f"pairs SD {report.pair_sd:.3f}, independent games {report.independent_sd:.3f}"
    if report.gain is not None and report.pairs >= WORTH_PAIRS:
        text += f": one game is worth {report.gain:.2f}"
    return [("spread", text, "")]


# -- tables ----------------------------------------------------------------------------------


def _column(
    heading: str, entrants: Sequence[EntrantReport], cell: Callable[[EntrantReport], str]
) -> Column:
    return heading, [cell(entrant) for entrant in entrants]


def _names(entrants: Sequence[EntrantReport] | Sequence[Entrant]) -> list[str]:
    return [printable(entrant.name) for entrant in entrants]


def short_names(
    entrants: Sequence[EntrantReport] | Sequence[Entrant], width: int
) -> list[str]:
    """Return the names of entrants, cut so that they look different."""
    return shortened_together(_names(entrants), width)


def fault_words(report: Report, name: str, reason: str, width: int) -> str:
    """Return who lost a game and why, with a reason of at most `width` columns."""
    names = [entrant.name for entrant in report.entrants]
    who = dict(zip(names, short_names(report.entrants, 30), strict=True))[name]
    return f"{who}: {shortened(printable(reason), width)}"


def _result(entrant: EntrantReport) -> str:
    return f"{entrant.wins}/{entrant.draws}/{entrant.losses}"


def rating_list(report: Report, entrants: Sequence[EntrantReport], width: int) -> list[Line]:
    """Return the table of ratings and results of these entrants, best first."""
    columns = rating_columns(report, entrants)
    begins = group_begins(report)
    return [*set_in_columns(_names(entrants), columns, width, ranked=True, begins=begins),
            *(row for note in rating_notes(report) for row in wrap([Span(note, DIM)], width, 2))]


def rating_columns(report: Report, entrants: Sequence[EntrantReport]) -> list[Column]:
    """Return ratings and results of these entrants, best first."""
    many = report.event.settings.players > 2
    columns = [_column("rating", entrants, _rating)]
    if many:
        columns += [_column("place", entrants, lambda one: short_estimate(one.mean_place, 2))]
    else:
        columns += [
            _column("games", entrants, lambda one: f"{one.games:,}"),
            _column("points", entrants, lambda one: f"{one.points:,.1f}"),
        ]
    columns += [_column("win %", entrants, lambda one: short_estimate(_percent(one.win_share), 1))]
    if many:
        columns += [_column("score", entrants, lambda one: short_estimate(one.score, 1))]
    if report.superiority:
        columns += [("LOS %", _superiority(report, entrants))]
    return columns


def _superiority(report: Report, entrants: Sequence[EntrantReport]) -> list[str]:
    """Return the likelihood that each of these is stronger than the one below it."""
    index = {one.name: number for number, one in enumerate(report.entrants)}
    order = [index[one.name] for one in entrants]
    found = [report.superiority.get(couple) for couple in pairwise(order)]
    return [UNKNOWN if los is None else _share(los, ">", "<") for los in (*found, None)]


def rating_notes(report: Report) -> list[str]:
    """Return what is to be said below a rating list."""
    los = "LOS: likelihood that an agent is stronger than the next one, by their games"
    return [*_zero(report), *[los] * bool(report.superiority)]


def _zero(report: Report) -> list[str]:
    """Say what the ratings are distances from, where not all of them have intervals around it."""
    rated = [one.rating for one in report.entrants if one.rating.value is not None]
    if all(None not in (one.low, one.high) and one.low != one.high for one in rated):
        return []
    zero = "those that reached each other in its group"
    if len(report.anchors) == 1:
        (anchor,) = report.anchors
        names = short_names(report.entrants, 20)
        more = len(anchor) - SHOWN_OF_GROUP
        zero = ", ".join(names[index] for index in anchor[:SHOWN_OF_GROUP])
        zero += f" and {more} more" if more > 0 else ""
    bounds = {(one.low is not None) + (one.high is not None) for one in rated}
    marks = [*["; >= and <= are bounds"] * (1 in bounds), *["; ? has no bound"] * (0 in bounds)]
    return [f"rating: Elo, measured from {zero}{''.join(marks)}"]


def _rating(entrant: EntrantReport) -> str:
    """Return a rating for a cell: `0` of one that is it by definition, `-209 ?` without a bound."""
    rating = entrant.rating
    if rating.value is None or rating.low != rating.high:
        return short_estimate(rating, 0, sign=True, ranged=False)
    return _number(rating.value, 0, sign=True) + (" ?" if rating.low is None else "")


def group_begins(report: Report) -> list[int]:
    """Return the places in the list behind each of several groups."""
    return list(accumulate(map(len, report.groups))) if len(report.groups) > 1 else []


def detail_columns(report: Report, entrants: Sequence[EntrantReport]) -> list[Column]:
    """Return the columns about each entrant other than its results."""
    duel, many = report.head_to_head is not None, report.event.settings.players > 2
    columns = [] if duel else [_column("+/=/-", entrants, _result)]
    if not many:
        columns.append(_column("score", entrants, lambda one: short_estimate(one.score, 1)))
    columns += [
        _column("margin", entrants, lambda one: short_estimate(one.margin, 1, sign=True)),
        _column("s/move", entrants, lambda one: _amount(one.seconds_per_move, 3)),
        _column("sims/move", entrants, lambda one: _amount(one.sims_per_move, 0)),
    ]
    if report.faults:
        columns.append(_column("faults", entrants, lambda one: f"{one.faults:,}"))
    return columns


def taken_columns(entrants: Sequence[EntrantReport]) -> list[Column]:
    """Return means of a game: the parts of the scores, and what was taken and completed."""
    parts = {key: None for entrant in entrants for key in entrant.parts}
    columns: list[Column] = [(key, [_mean(entrant.parts.get(key)) for entrant in entrants])
                             for key in parts]
    if any(entrant.tiles.value is not None for entrant in entrants):
        columns += [
            _column("tiles", entrants, lambda one: _mean(one.tiles)),
            _column("tokens", entrants, lambda one: _mean(one.tokens)),
            _column("features", entrants, lambda one: _mean(one.features)),
        ]
    return columns


def _mean(estimate: Estimate | None) -> str:
    return _amount(None if estimate is None else estimate.value, 1)


def _amount(amount: float | None, digits: int) -> str:
    return UNKNOWN if amount is None else _number(amount, digits)


def _cross_table(report: Report, ranking: Sequence[int], width: int) -> list[Line]:
    """Return the cross-table of points by pairs of entrants, by rank."""
    if len(ranking) > MAX_CROSS_TABLE:
        told = f"cross-table of {len(ranking)} entrants: only as JSON or Markdown"
        return [line(Span(told, DIM))]
    heading, columns = cross_columns(report, ranking)
    names = _names([report.entrants[index] for index in ranking])
    return [line(Span(heading, DIM)), *set_in_columns(names, columns, width, ranked=True, gap=1)]


def cross_columns(report: Report, ranking: Sequence[int]) -> tuple[str, list[Column]]:
    """Return the heading and the columns of the cross-table of these entrants."""
    games = {games for _, games in report.cross_table.values()}
    even = len(games) == 1

    def cell(one: int, other: int) -> str:
        points, played = report.cross_table.get((one, other), (0.0, 0))
        if not played:
            return "." if one != other else UNKNOWN
        return _points(points) if even else f"{_points(points)}/{played:,}"

    cells = [[cell(one, other) for one in ranking] for other in ranking]
    size = max(len(text) for column in cells for text in column)
    columns: list[Column] = [
        (str(rank), [f"{text:>{size}}" for text in column]) for rank, column in enumerate(cells, 1)
    ]
    head = f"points out of {plural(games.pop(), 'game')}" if even else "points/games"
    return f"cross-table: {head} against each", columns


def _points(points: float) -> str:
    return f"{points:,.1f}".removesuffix(".0")


def _faults(report: Report, width: int) -> list[Line]:
    heading, faults, more = faults_told(report)
    rows = [line(Span(heading, WARN))]
    for fault in faults:
        rows += wrap([f"  {fault}"], width, 4, split=True)
    return [*rows, *[line(Span(f"  {text}", DIM)) for text in more]]


def faults_told(report: Report) -> tuple[str, list[str], list[str]]:
    """Return how many games were lost by a fault, the first of them, and where the others are."""
    told = [f"{shortened(printable(game), 20)}  {fault_words(report, name, reason, 200)}"
            for game, name, reason in report.faults[:SHOWN_FAULTS]]
    hidden = len(report.faults) - len(told)
    more = [f"and {hidden:,} more; --json lists all"] if hidden else []
    return f"{plural(len(report.faults), 'game')} lost by a fault", told, more
