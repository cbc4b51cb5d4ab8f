"""Draw strength against the time for a move from the numbers of a tournament.

    pavilion tournament default:time=0.001 default:time=0.01 default:time=0.1 \\
        --system ladder --rounds 20 --json > times.json
    python bench/thinking_time.py times.json docs/thinking-time.svg

Every agent needs a limit of time in its spec, and matplotlib has to be there (extra `plot`). The
weakest has 0 Elo.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from pavilion_ai.agents import parse_spec
from pavilion_ai.render.plot import COLOURS, drawing

Line = tuple[float, float, float, float]
"""Seconds a move, Elo, and how far the interval reaches below and above."""


def lines(report: dict[str, Any]) -> list[Line]:
    """Return the points of the plot, by time."""
    found = []
    for entrant in report["entrants"]:
        seconds, rating = parse_spec(entrant["spec"]).options.get("time"), entrant["rating"]
        if seconds is not None and rating["value"] is not None:
            value = rating["value"]
            low, high = (value if rating[end] is None else rating[end] for end in ("low", "high"))
            found.append((float(seconds), value, value - low, high - value))
    if not found:
        raise SystemExit("no agent has both a limit of time and a rating")
    zero = min(value for _, value, _, _ in found)
    return [(seconds, value - zero, below, above) for seconds, value, below, above in sorted(found)]


def draw(points: list[Line], title: str, path: Path) -> None:
    """Draw the points with their intervals, over the logarithm of time."""
    seconds, values, below, above = zip(*points, strict=True)
    with drawing():
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        axes.errorbar(seconds, values, [below, above], fmt="o-", color=COLOURS[0], capsize=3)
        axes.set(xscale="log", xlabel="time a move", ylabel="Elo", title=title)
        axes.set_xticks(seconds, [f"{1000 * time:g} ms" for time in seconds])
        axes.minorticks_off()
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else {})


def main() -> None:
    """Parse the command line, draw, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("report", type=Path, help="file of `pavilion tournament --json`")
    parser.add_argument("plot", type=Path, help="file to draw into, *.svg or *.png")
    options = parser.parse_args()
    report = json.loads(options.report.read_text())
    points = lines(report)
    settings = report["event"]["settings"]
    draw(points, "{game}, {board}, {players} players".format(**settings), options.plot)
    print("| seconds a move | Elo | 95 % |\n|---|---|---|")
    for seconds, value, below, above in points:
        print(f"| {seconds:g} | {value:+.0f} | {value - below:+.0f} to {value + above:+.0f} |")


if __name__ == "__main__":
    main()
