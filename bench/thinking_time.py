"""Plot strength against the time per move.

    pavilion tournament default:time=0.001 default:time=0.01 default:time=0.1 \\
        --system ladder --rounds 20 --json > times.json
    python -m bench.choices choices.jsonl --times 0.001 0.01 0.1 1 10
    python -m bench.thinking_time times.json docs/thinking_time.svg --choices choices.jsonl

Elo comes from the games of a tournament; every agent needs a time limit in its spec, and the
weakest has Elo 0. For times at which games would take too long, the judgement of single choices
gives the loss against the longest time. Needs matplotlib (extra `plot`).
"""

from __future__ import annotations

import argparse
import json
from operator import itemgetter
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from bench.choices import losses
from bench.measuring import read
from pavilion_ai.render.plot import COLOURS, drawing
from pavilion_ai.render.report_text import words
from pavilion_ai.spec import parse_spec
from pavilion_ai.stats.estimate import Estimate

Line = tuple[float, float, float | None, float | None]
"""Seconds per move, Elo, and the widths of the interval below and above, None for an open end."""

ARROW = 40
"""Length of the arrow of an open end, in Elo points."""


def lines(report: dict[str, Any]) -> list[Line]:
    """Return the points of the plot, by time."""
    found = []
    for entrant in report["entrants"]:
        seconds, rating = parse_spec(entrant["spec"]).options.get("time"), entrant["rating"]
        if seconds is not None and rating["value"] is not None:
            value, low, high = rating["value"], rating["low"], rating["high"]
            found.append((float(seconds), value, None if low is None else value - low,
                          None if high is None else high - value))
    if not found:
        raise SystemExit("no agent has both a limit of time and a rating")
    zero = min(value for _, value, _, _ in found)
    return [(seconds, value - zero, below, above)
            for seconds, value, below, above in sorted(found, key=itemgetter(0))]


def interval(value: float, below: float | None, above: float | None) -> str:
    """Return an interval in words."""
    low, high = (None if below is None else value - below, None if above is None else value + above)
    return words(Estimate(None, low, high), 0, sign=True)


def draw(panels: list[tuple[str, list[Line]]], title: str, path: Path) -> None:
    """Draw the points with their intervals, over the logarithm of time; an open end is an arrow.

    Args:
        panels: name of the values and the points of each, from top to bottom.
    """
    with drawing():
        figure = Figure(figsize=(7, 1 + 3 * len(panels)), layout="constrained")
        figure.suptitle(title)
        rows = figure.subplots(len(panels), sharex=True, squeeze=False)[:, 0]
        for axes, (label, points), colour in zip(rows, panels, COLOURS, strict=False):
            seconds, values, below, above = zip(*points, strict=True)
            known = [[width or 0 for width in widths] for widths in (below, above)]
            axes.errorbar(seconds, values, known, fmt="o-", color=colour, capsize=3)
            for x, value, *widths in points:
                if widths.count(None) == 1:
                    length, head = (-ARROW, "v") if widths[0] is None else (ARROW, "^")
                    axes.plot((x, x), (value, value + length), color=colour, marker=head,
                              markevery=[1])
            axes.set(xscale="log", ylabel=label)
        times = sorted({line[0] for _, points in panels for line in points})
        rows[-1].set_xlabel("time a move")
        rows[-1].set_xticks(times, [f"{time:g} s" if time >= 1 else f"{1000 * time:g} ms"
                                    for time in times])
        rows[-1].minorticks_off()
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {})


def main() -> None:
    """Parse the command line, draw, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("report", type=Path, help="file of `pavilion tournament --json`")
    parser.add_argument("plot", type=Path, help="file to draw into, *.svg or *.png")
    parser.add_argument("--choices", type=Path, help="file of bench/choices.py")
    options = parser.parse_args()
    report = json.loads(options.report.read_text())
    points = lines(report)
    settings = report["event"]["settings"]
    panels = [("Elo, from games", points)]
    if options.choices is not None:
        panels.append(("% of a victory lost in a game", [
            (seconds, 100 * lost, 100 * error, 100 * error)
            for seconds, _, _, lost, error in losses(read(options.choices, dict))]))
    draw(panels, "{game}, {board}, {players} players".format(**settings), options.plot)
    print("| seconds a move | Elo | 95 % |\n|---|---|---|")
    for seconds, value, below, above in points:
        print(f"| {seconds:g} | {value:+.0f} | {interval(value, below, above)} |")


if __name__ == "__main__":
    main()
