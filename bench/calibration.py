"""Compare the chances to win that the search reports with the results of games played on.

    python -m bench.older OLDER                   # an older network of each variant, for the tables
    python -m bench.calibration calibration.jsonl --older OLDER --seconds 2400 \\
        --plot docs/calibration.svg
    python -m bench.calibration summer.jsonl --variant summer/coloured/2 --games 1350 --sims 400

    python -m bench.calibration calibration.jsonl --games 0 --chance root form --fit
    python -m bench.calibration last.jsonl --last calibration.jsonl --sims 10000
    python -m bench.calibration --errors FILE --positions 504

Games of all twelve variants are played on at tables of two kinds (played_on.py) and kept in the
file; with the same file a run resumes, or makes its report again. `--own` leaves mixed tables out,
and `--last` plays the last rounds of a file's games on anew, in far less time than whole games.
`--chance form` reports the chances if everybody plays on as so far (`root form`: after those of the
position), and `--fit` which `form.WEIGHT` fits best. The last command measures the printed errors
of values instead (errors.py), with `--agent` those of another agent.

Errors are half 95 % intervals with the game as the unit, since the predictions of one game share
its result. Where that is too narrow because all games of a bin ended alike, it is the most that as
many equal results leave open, 3 / games. Bins with fewer than `LEAST` games are left out. The
power is the exponent on the chances of all seats, normalised again, that would fit the results
best: 1 if they are right, above 1 if they are too cautious.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import errors, played_on
from bench.measuring import VARIANTS
from bench.played_on import VIEWS, Game, Said
from pavilion_ai.analysis import by_form
from pavilion_ai.files import replace_file
from pavilion_ai.form import WEIGHT
from pavilion_ai.stats.scales import likeliest

BINS = 10
LEAST = 10
"""Games that a bin needs."""
SMALLEST = 1e-3
"""Chances count as at least this for the power."""
SCALES = 0.1, 30.0
"""Smallest and largest scale that is looked for."""
ALL = "all variants"
ROUNDS = range(1, 7)
MOST_SEATS = 4

Array = np.ndarray
Chance = Callable[[Said], tuple[float, ...]]


@dataclass(frozen=True)
class Bin:
    """Predictions of about one size: their mean, the mean result, its error, and numbers."""

    said: float
    happened: float
    error: float
    games: int
    positions: int

    @property
    def off(self) -> float:
        """How much more often it happened than was said."""
        return self.happened - self.said

    @property
    def holds(self) -> bool:
        """Whether the two agree within the error."""
        return abs(self.off) <= self.error


def rows_of(game: Game, view: str, chance: Chance, number: int | None = None) -> Array:
    """Return the predictions of a game, or of one round of it, and the results, [n, 2, seats].

    The seat to move comes first, then those after it; what is not a seat is NaN.
    """
    said = [one for one in game.said if one.view == view and number in (None, one.round)]
    rows = np.full((len(said), 2, MOST_SEATS), np.nan)
    for row, one in zip(rows, said, strict=True):
        for kind, numbers in zip(row, (chance(one), game.shares), strict=True):
            kind[:len(numbers)] = np.roll(numbers, -one.seat)
    return rows


def bins(games: Sequence[Array]) -> Iterator[Bin | None]:
    """Yield the ten bins of what was predicted for the seat to move; None for too few games."""
    own = [game[:, :, 0] for game in games]
    for index in range(BINS):
        parts = [game[np.minimum(game[:, 0] * BINS, BINS - 1).astype(int) == index]
                 for game in own]
        parts = [part for part in parts if len(part)]
        if len(parts) < LEAST:
            yield None
            continue
        every = np.concatenate(parts)
        error = error_of(parts)
        if len({float(result) for result in every[:, 1]}) == 1:
            error = max(error, 3 / len(parts))
        yield Bin(float(every[:, 0].mean()), float(every[:, 1].mean()), float(error), len(parts),
                  len(every))


def error_of(games: Sequence[Array]) -> float:
    """Return the error of the mean of results less predictions, [n, 2] of each game."""
    residual = np.array([np.sum(part[:, 1] - part[:, 0]) for part in games])
    return float(1.96 * residual.std(ddof=1) * len(games) ** 0.5 / sum(map(len, games)))


def power(games: Sequence[Array]) -> tuple[float, float]:
    """Return the likeliest exponent on the chances of all seats, and its error."""
    said, results = np.concatenate(games).swapaxes(0, 1)
    logs = np.log(np.maximum(said, SMALLEST))
    return likeliest(np.zeros_like(logs), logs, results, [*map(len, games)], SCALES)


def chance_of_favourite(one: Said) -> tuple[float, ...]:
    """Return the chances by the favourite; the others share theirs as by the position."""
    left = 1 - one.root[one.seat]
    others = (1 - one.best) / left if left > 0 else 0.0
    return tuple(one.best if seat == one.seat else others * chance
                 for seat, chance in enumerate(one.root))


def chance_by_form(one: Said) -> tuple[float, ...]:
    """Return the chances if everybody plays on as so far."""
    form = [WEIGHT * off for off in one.off]
    return by_form(one.root, form) if form else one.root


CHANCES: dict[str, Chance] = {"root": lambda one: one.root, "best": chance_of_favourite,
                              "form": chance_by_form}


def fit(games: Sequence[Game]) -> None:
    """Print the weights of form (`form.WEIGHT`) that make the results likeliest."""
    print("\n| variant | games | likeliest weight |\n|---|---|---|")
    for name in (*VARIANTS, ALL):
        played = [game for game in games if name in (game.variant, ALL)
                  and any(one.off for one in game.said)]
        if not played:
            continue
        known = [(one.root, one.off, game.shares) for game in played for one in game.said
                 if one.off]
        roots, offs, shares = (
            np.array([(*part, *[np.nan] * (MOST_SEATS - len(part))) for part in parts])
            for parts in zip(*known, strict=True))
        found, error = likeliest(
            np.log(np.maximum(roots, SMALLEST)), -offs, shares,
            [sum(bool(one.off) for one in game.said) for game in played], SCALES)
        print(f"| {name} | {len(played):,} | {found:.1f} ± {error:.1f} |")


def grouped(games: Sequence[Game], view: str, chance: Chance) -> dict[str, list[Array]]:
    """Return the predictions of games by variant, and those of all variants."""
    found: dict[str, list[Array]] = {}
    for game in games:
        rows = rows_of(game, view, chance)
        if len(rows):
            for name in (game.variant, ALL):
                found.setdefault(name, []).append(rows)
    return found


def named(groups: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Return the variants that have predictions of any kind, in order, and `ALL`."""
    return [name for name in [*VARIANTS, ALL] if any(name in one for one in groups.values())]


def cell(found: Bin | None) -> str:
    """Return what happened minus what was said, in points of 100; bold beyond the error."""
    if found is None:
        return ""
    mark = "" if found.holds else "**"
    return f"{mark}{100 * found.off:+.1f} ± {100 * found.error:.1f}{mark}"


def report(games: Sequence[Game], chances: Sequence[Chance]) -> None:
    """Print all kinds of predictions side by side, cells of several chances joined by arrows."""
    views = {view: found for view in VIEWS
             if any(found := [grouped(games, view, chance) for chance in chances])}
    names = named({view: found[0] for view, found in views.items()})
    print("\nhappened less said, points of 100")
    every = {view: [list(bins(one[ALL])) for one in found] for view, found in views.items()}
    table("predicted", [*views], [
        (f"{at / BINS:.1f} - {(at + 1) / BINS:.1f}",
         [joined(cell(one[at]) for one in found) for found in every.values()])
        for at in range(BINS)])
    print("\npower; bins within the error")
    table("variant", ["games", *views], [
        (name, [f"{sum(name in labels(game.variant) for game in games):,}",
                *[joined(power_of(one.get(name)) for one in found) + "; "
                  + joined(held([one.get(name)]) for one in found) for found in views.values()]])
        for name in names])
    table("bins of single variants", [*views], [
        ("within the error", [joined(held([one.get(name) for name in names if name != ALL])
                                     for one in found) for found in views.values()])])
    print("\nhappened less said by round, points of 100")
    table("predicted", ROUNDS, [
        (view, [joined(in_round(games, view, chance, number) for chance in chances)
                for number in ROUNDS]) for view in views])
    there = {label for game in games for label in labels(game.variant)}
    for view, found in views.items():
        print(f"\n{view}: power by round")
        table("variant", ROUNDS, [
            (label, [joined(power_of(list(in_rounds(games, view, chance, label, number)))
                            for chance in chances) for number in ROUNDS])
            for label in LABELS if label in there])
        print(f"\n{view}: happened less said, points of 100")
        table("variant", [f"{at / BINS:.1f}" for at in range(BINS)], [
            (name, [joined(cells) for cells in zip(
                *[map(cell, bins(one.get(name, []))) for one in found], strict=True)])
            for name in names])


def resample(games: Sequence[Game], chances: Sequence[Chance], times: int) -> None:
    """Print how many bins of single variants would hold if all chances were right.

    Games are drawn from those there are, as many of each variant, and their bins compared with
    those of all games: what then lies beyond its error does so by chance.

    Args:
        times: how often all games are drawn, at least 2.
    """
    rng = np.random.default_rng(1)

    def would_hold(view: str, chance: Chance) -> str:
        pools = [pool for name, pool in grouped(games, view, chance).items() if name != ALL]
        right = [list(bins(pool)) for pool in pools]
        counts = []
        for _ in range(times):
            drawn = [[pool[i] for i in rng.integers(0, len(pool), len(pool))] for pool in pools]
            pairs = [(one, true) for part, whole in zip(drawn, right, strict=True)
                     for one, true in zip(bins(part), whole, strict=True) if one and true]
            counts.append((sum(abs(one.off - true.off) <= one.error for one, true in pairs),
                           len(pairs)))
        (hold, every), (spread, _) = np.mean(counts, axis=0), np.std(counts, axis=0, ddof=1)
        return f"{hold:.1f} ± {1.96 * spread:.1f} of {every:.1f}"

    views = [view for view in VIEWS if grouped(games, view, chances[0])]
    table("bins of single variants that would hold", views, [
        ("by chance alone", [joined(would_hold(view, chance) for chance in chances)
                             for view in views])])


def table(title: str, heads: Iterable[object], rows: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Print a table: each row has a name and the cells below the heads."""
    columns = [title, *map(str, heads)]
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, cells in rows:
        print(f"| {' | '.join([name, *cells])} |")


def labels(variant: str) -> tuple[str, str, str]:
    """Return the names under which games of a variant count: it, game and players, all."""
    game, _, players = VARIANTS[variant]
    return variant, f"{game}, {players} players", ALL


LABELS = [label for part in zip(*map(labels, VARIANTS), strict=True)
          for label in dict.fromkeys(part)]
"""All these names, in order."""


def joined(cells: Iterable[str]) -> str:
    """Return the cells of several chances as one."""
    texts = list(cells)
    return " → ".join(texts) if any(texts) else ""


def held(found: Iterable[Sequence[Array] | None]) -> str:
    """Return how many bins are within their errors, of how many."""
    every = [one.holds for games in found if games for one in bins(games) if one is not None]
    return f"{sum(every)} of {len(every)}"


def power_of(games: Sequence[Array] | None) -> str:
    """Return the power and its error; nothing for too few games."""
    return "{:.2f} ± {:.2f}".format(*power(games)) if games and len(games) >= LEAST else ""


def in_round(games: Sequence[Game], view: str, chance: Chance, number: int) -> str:
    """Return what happened minus what was said in one round, in points of 100."""
    own = [part[:, :, 0] for part in in_rounds(games, view, chance, ALL, number)]
    if len(own) < LEAST:
        return ""
    said, happened = np.concatenate(own).mean(axis=0)
    return f"{100 * (happened - said):+.1f} ± {100 * error_of(own):.1f}"


def in_rounds(games: Sequence[Game], view: str, chance: Chance, name: str,
              number: int) -> Iterator[Array]:
    """Yield the predictions of one round of each game that counts under a name."""
    for game in games:
        if name in labels(game.variant) and len(part := rows_of(game, view, chance, number)):
            yield part


def draw(games: Sequence[Game], chance: Chance, path: Path) -> None:
    """Draw what happened over what was said: a panel for each variant, a colour for each kind."""
    from io import BytesIO

    from matplotlib.figure import Figure

    from pavilion_ai.render.plot import COLOURS, check_plot, drawing

    form = check_plot(path)
    groups = {view: grouped(games, view, chance) for view in VIEWS}
    names = named(groups)
    columns = min(4, len(names))
    lines = -(-len(names) // columns)
    with drawing():
        figure = Figure(figsize=(2.4 * columns, 0.8 + 2.4 * lines), layout="constrained")
        figure.supxlabel("chance to win that was said")
        figure.supylabel("share of the victory")
        panels = list(figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).flat)
        for axes, name in zip(panels, names, strict=False):
            axes.set_title(name, fontsize=9)
            axes.plot((0, 1), (0, 1), color="#666666", linewidth=0.8)
            for view, colour in zip(VIEWS, COLOURS, strict=False):
                found = [one for one in bins(groups[view].get(name, [])) if one is not None]
                axes.errorbar([one.said for one in found], [one.happened for one in found],
                              [one.error for one in found], fmt="o", markersize=3, linewidth=1,
                              color=colour, label=view)
            axes.set(xlim=(0, 1), ylim=(0, 1))
        for axes in panels[len(names):]:
            axes.set_axis_off()
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=3)
        buffer = BytesIO()
        figure.savefig(buffer, format=form, metadata={"Date": None} if form == "svg" else {})
    replace_file(path, buffer.getvalue())


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", help="keeps the games")
    parser.add_argument("--variant", action="append", choices=[*VARIANTS],
                        help="repeat for several; default: all")
    parser.add_argument("--games", type=int, default=10_000,
                        help="games of each variant at each kind of table")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="processor time after which no game is begun")
    parser.add_argument("--sims", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own", action="store_true", help="no games at mixed tables")
    parser.add_argument("--last", type=Path, metavar="FILE",
                        help="play the last rounds of the games of FILE on anew instead")
    parser.add_argument("--older", type=Path, metavar="FOLDER", help="older networks (older.py)")
    parser.add_argument("--chance", choices=list(CHANCES), nargs="+", default=["root"],
                        help="of the position, of its favourite, or if all play on as so far;"
                        " several stand side by side")
    parser.add_argument("--fit", action="store_true", help="also fit the weights of form")
    parser.add_argument("--resample", type=int, default=0, metavar="TIMES",
                        help="also draw games anew, to see how many bins hold by chance")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also draw it, *.svg or *.png")
    parser.add_argument("--errors", type=Path, metavar="FILE",
                        help="measure the printed errors and keep what is measured in FILE")
    parser.add_argument("--agent", default="default", help="the one whose errors they are")
    parser.add_argument("--positions", type=int, default=504)
    options = parser.parse_args()
    chosen = [name for name in VARIANTS if name in (options.variant or VARIANTS)]
    if options.errors:
        errors.report(errors.measure(options.errors, chosen, options.positions, (300, 3000),
                                     options.seed, options.agent))
        return
    if options.file is None:
        parser.error("which FILE keeps the games?")
    if options.resample < 0 or options.resample == 1:
        parser.error(f"--resample {options.resample}: expected at least 2")
    if options.last:
        games = played_on.last_rounds(options.file, options.last, chosen, options.sims,
                                      options.seed)
    else:
        games = played_on.measure(options.file, chosen, options.games, options.seconds,
                                  options.sims, options.seed, options.older,
                                  (False,) if options.own else (False, True))
    if not games:
        parser.error(f"{options.file} holds no games, and the time allowed none")
    chances = [CHANCES[name] for name in options.chance]
    report(games, chances)
    if options.resample:
        resample(games, chances, options.resample)
    if options.fit:
        fit(games)
    if options.plot:
        draw(games, chances[0], options.plot)


if __name__ == "__main__":
    main()
