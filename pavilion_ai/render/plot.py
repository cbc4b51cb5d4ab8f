"""Plot a match or a tournament into a file with matplotlib (extra `plot`)."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavilion_ai.errors import SpecError
from pavilion_ai.files import replace_file
from pavilion_ai.render.columns import shortened
from pavilion_ai.render.report_text import short_names, title, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pavilion_ai.match.report import Report
    from pavilion_ai.match.results import Result
    from pavilion_ai.stats.estimate import Estimate

FORMS = ("svg", "png")
WIDTH_INCHES = 8.0
DOTS_PER_INCH = 150
OVERLAID = 4  # entrants whose distributions share one panel; more get a row each
MOST_ENTRANTS = 100  # more could not be told apart
CURVE_POINTS = 200  # points at which the curve of a match is computed
BINS = 30
NAME_WIDTH = 34
ARROW = 40  # Elo, for an open side of a rating
GREY = "#666666"
# Okabe and Ito's colours, which people with any colour vision can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":")
SETTINGS: dict[str, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "svg.fonttype": "path",  # looks the same without the font
    "svg.hashsalt": "pavilion",  # element ids would be random otherwise
    "text.parse_math": False,  # a dollar sign in an entrant's name is literal
}


class NoPlotError(RuntimeError):
    """Plots cannot be drawn because something is missing; the message says what."""


def check_plot(path: str | os.PathLike[str]) -> str:
    """Return the form, `svg` or `png`, of a plot file; call it before a long event.

    Raises:
        SpecError: the file has a different suffix.
        NoPlotError: matplotlib is not installed.
    """
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise SpecError(f"plot: found {os.fspath(path)!r}, expected a file *.svg or *.png")
    try:
        import matplotlib  # noqa: F401 - whether it is there
    except ImportError:
        raise NoPlotError(
            "plots need the library matplotlib: pip install 'pavilion-ai[plot]'"
        ) from None
    return form


def plot(report: Report, results: Iterable[Result], path: str | os.PathLike[str]) -> None:
    """Plot an event into a file, which is replaced atomically.

    Raises:
        SpecError: the file is neither `*.svg` nor `*.png`.
        NoPlotError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    replace_file(path, picture(report, results, check_plot(path)))


def picture(report: Report, results: Iterable[Result], form: str) -> bytes:
    """Return the plot of an event; equal input gives equal bytes with the same matplotlib.

    From top to bottom: the ratings (for a match of two, Elo over the games), the distribution of
    final scores, and the path of the sequential test if there is one.

    Args:
        report: the numbers to plot.
        results: the games from which the report was made.
        form: `svg` or `png`.
    """
    metadata: dict[str, Any] = {"Date": None} if form == "svg" else {}
    buffer = io.BytesIO()
    with drawing():
        figure = _figure(report, list(results))
        figure.savefig(buffer, format=form, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


@contextmanager
def drawing() -> Iterator[None]:
    """Apply fixed matplotlib settings, independent of the user's."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters that the font lacks become boxes
        matplotlib.rcdefaults()
        parameters: Any = matplotlib.rcParams
        parameters.update(SETTINGS)
        yield


def _figure(report: Report, results: list[Result]) -> Figure:
    from matplotlib.figure import Figure

    from pavilion_ai.match.report import counted_pairs

    pairs = counted_pairs(report, results)
    shown = list(report.ranking())[:MOST_ENTRANTS]
    duel = report.head_to_head is not None
    rows = max(3.0, 0.9 + 0.28 * len(shown))
    panels: list[tuple[float, Callable[[Axes], None]]] = [
        (3.0, lambda axes: _elo_curve(axes, report, pairs))
        if duel
        else (rows, lambda axes: _ratings(axes, report, shown)),
        (3.0 if len(shown) <= OVERLAID else rows, lambda axes: _scores(axes, report, pairs, shown)),
    ]
    if report.test is not None:
        panels.append((3.0, lambda axes: _llr(axes, report)))
    heights = [height for height, _ in panels]
    figure = Figure(figsize=(WIDTH_INCHES, sum(heights) + 0.5), layout="constrained")
    figure.suptitle(shortened(title(report.event), 80), fontsize=11)
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)[:, 0]
    for place, (_, draw) in zip(axes, panels, strict=True):
        draw(place)
    return figure


def _colour(index: int) -> str:
    """Return the colour of an entrant, by its place in the event."""
    return COLOURS[index % len(COLOURS)]


def _names(report: Report, shown: Iterable[int]) -> list[str]:
    return short_names([report.entrants[index] for index in shown], NAME_WIDTH)


def _say(axes: Axes, text: str) -> None:
    """Put a text into a panel that has no data."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=GREY)
    axes.set_xticks([])
    axes.set_yticks([])


# -- panels ----------------------------------------------------------------------------------


def _elo_curve(axes: Axes, report: Report, pairs: Sequence[Sequence[Result]]) -> None:
    """Draw Elo and its interval over the games, from the first interval with two ends on."""
    from pavilion_ai.stats.pairs import Pentanomial, elo

    step = max(1, -(-len(pairs) // CURVE_POINTS))
    total = Pentanomial.from_points([])
    games: list[int] = []
    curve: list[Estimate] = []
    for number, pair in enumerate(pairs, 1):
        points = sum(game.points[game.entrants.index(0)] for game in pair)
        total = total + Pentanomial.from_points([points])
        if number % step == 0 or number == len(pairs):
            games.append(2 * number)
            curve.append(elo(total))
    first, *_ = short_names(report.entrants, NAME_WIDTH)
    axes.set_title(f"Elo of {first} over the games", loc="left", fontsize=9)
    axes.set_xlabel("games")
    axes.set_ylabel("Elo, 95 % interval")
    known = [
        (x, e.value, e.low, e.high)
        for x, e in zip(games, curve, strict=True)
        if e.value is not None and e.low is not None and e.high is not None
    ]
    if len(known) < 2:
        _say(axes, f"Elo {words(curve[-1], 0, sign=True)}" if curve else "no complete pair")
        return
    x, value, low, high = zip(*known, strict=True)
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.fill_between(x, low, high, color=_colour(0), alpha=0.2, linewidth=0)
    axes.plot(x, value, color=_colour(0))
    settled = known[len(known) // 10 :]  # the first few pairs would make the rest a flat line
    least, most = min(e[2] for e in settled), max(e[3] for e in settled)
    room = 0.05 * (most - least) or 1.0
    axes.set_ylim(min(least, 0) - room, max(most, 0) + room)
    axes.set_xlim(0, games[-1])


def _ratings(axes: Axes, report: Report, shown: Sequence[int]) -> None:
    """Draw the ratings with their intervals, the best on top; an open side is an arrow.

    One without any bound has a question mark. A line separates agents that never met.
    """
    axes.set_title("rating", loc="left", fontsize=9)
    several = " in each group" if len(report.groups) > 1 else ""
    axes.set_xlabel(f"Elo, mean 0 over those that reached each other{several}, 95 % interval")
    for group in report.groups[:-1]:
        axes.axhline(max((shown.index(one) for one in group if one in shown), default=-1) + 0.5,
                     color=GREY, linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(shown)), _names(report, shown))
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.axvline(0, color=GREY, linewidth=0.8)
    if not report.pairs:
        _say(axes, "no complete pair")
        return
    for row, index in enumerate(shown):
        rating = report.entrants[index].rating
        value = rating.value
        if value is None:
            continue
        axes.plot(value, row, "o", color=_colour(index))
        for end, away in ((rating.low, -ARROW), (rating.high, ARROW)):
            if end is not None:
                axes.plot((value, end), (row, row), "-", color=_colour(index))
                axes.plot(end, row, "|", color=_colour(index))
            elif (rating.low, rating.high) != (None, None):
                axes.annotate(
                    "", (value + away, row), (value, row),
                    arrowprops={"arrowstyle": "->", "color": _colour(index)},
                )
                axes.plot(value + away, row, alpha=0)  # beyond the axes there would be no arrow
        if (rating.low, rating.high) == (None, None):
            axes.annotate("?", (value, row), (6, 0), textcoords="offset points", va="center")


def _scores(
    axes: Axes, report: Report, pairs: Sequence[Sequence[Result]], shown: Sequence[int]
) -> None:
    """Draw the distribution of each entrant's final scores, without games lost by a fault."""
    scores: dict[int, list[int]] = {index: [] for index in shown}
    for game in (game for pair in pairs for game in pair if game.loser is None):
        for entrant, score in zip(game.entrants, game.scores, strict=True):
            if entrant in scores:
                scores[entrant].append(score)
    axes.set_title("final scores", loc="left", fontsize=9)
    axes.set_xlabel("points")
    everything = [score for one in scores.values() for score in one]
    if not everything:
        _say(axes, "no finished game")
        return
    edges = _edges(min(everything), max(everything))
    axes.set_xlim(edges[0], edges[-1])
    shares = {
        index: [100 * part for part in _histogram(one, edges)] for index, one in scores.items()
    }
    if len(shown) > OVERLAID:
        _ridges(axes, report, shares, edges)
        return
    names = _names(report, shares)
    for number, (index, share) in enumerate(shares.items()):
        axes.stairs(
            share, edges, color=_colour(index), linestyle=LINES[number], linewidth=1.4,
            label=names[number],
        )
    axes.set_ylim(0, None)
    axes.set_ylabel("% of the games")
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, -0.22), ncols=2, borderaxespad=0)


def _ridges(
    axes: Axes, report: Report, shares: dict[int, list[float]], edges: Sequence[float]
) -> None:
    """Draw one histogram per row, all to one scale, in the order of the entrants."""
    most = max(max(share) for share in shares.values())
    axes.set_ylim(len(shares) - 0.5, -1.0)
    axes.set_yticks(range(len(shares)), _names(report, shares))
    axes.grid(visible=False, axis="y")
    for row, (index, share) in enumerate(shares.items()):
        heights = [row + 0.4 - 0.85 * part / most for part in share]
        axes.stairs(heights, edges, baseline=row + 0.4, color=_colour(index), linewidth=1.2)
        axes.stairs(
            heights, edges, baseline=row + 0.4, color=_colour(index), fill=True, alpha=0.2,
            linewidth=0,
        )


def _edges(least: int, most: int) -> list[float]:
    """Return bin limits at half-integers, a whole width apart, so that no score is on a limit."""
    width = max(1, -(-(most - least + 1) // BINS))
    bins = -(-(most - least + 1) // width)
    return [least - 0.5 + width * number for number in range(bins + 1)]


def _histogram(scores: Sequence[int], edges: Sequence[float]) -> list[float]:
    """Return the share of the scores in each bin."""
    width = edges[1] - edges[0]
    counts = [0] * (len(edges) - 1)
    for score in scores:
        counts[int((score - edges[0]) // width)] += 1
    return [count / max(1, len(scores)) for count in counts]


def _llr(axes: Axes, report: Report) -> None:
    """Draw the path of the sequential test between its bounds."""
    test, sprt = report.test, report.event.sprt
    if test is None or sprt is None:
        return
    axes.set_title(
        f"sequential test: nElo {sprt.elo0:g} (H0) or {sprt.elo1:g} (H1)", loc="left", fontsize=9
    )
    axes.set_xlabel("pairs" if report.event.settings.players == 2 else "sets")
    axes.set_ylabel("log-likelihood ratio")
    path = (0.0, *test.llr_path)
    axes.plot(range(len(path)), path, color=_colour(0))
    axes.set_xlim(0, max(1, len(path) - 1))
    for bound, name, side, away in (
        (sprt.upper, "H1", "bottom", 3), (sprt.lower, "H0", "top", -3)
    ):
        axes.axhline(bound, color=GREY, linestyle="--", linewidth=1)
        axes.annotate(
            f"{name} accepted beyond {bound:+.2f}", (0.01, bound), (0, away),
            xycoords=("axes fraction", "data"), textcoords="offset points", va=side, color=GREY,
            fontsize=8,
        )
    least, most = min(sprt.lower, *path), max(sprt.upper, *path)
    room = 0.15 * (most - least)
    axes.set_ylim(least - room, most + room)
