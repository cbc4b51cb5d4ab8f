"""The picture of an event: a whole file, the same for the same games, with all its panels."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pavilion_ai.errors import SpecError
from pavilion_ai.match.report import report
from pavilion_ai.match.sequential import SequentialTest
from pavilion_ai.render import plot as plot_module
from pavilion_ai.render.plot import NoPlotError, check_plot, picture, plot
from pavilion_ai.stats.sprt import Sprt
from tests.match.report_samples import drawn_match, drawn_round_robin, event, pair_of

CASES: dict[str, tuple[Any, Any]] = {
    "two": (event("a", "cmd:$HOME/x $y", sprt=Sprt(0, 30)), drawn_match(2, 30)),
    "three": (event("a", "b", "c", players=3), drawn_match(3, 20)),
    "three tested": (event("a", "b", "c", players=3, sprt=Sprt(0, 30)), drawn_match(3, 20)),
    "many": (event(*"abcde", kind="round-robin"), drawn_round_robin(5, 2)),
    "sweep": (event("a", "b"), pair_of("1", (9, 1), (9, 1)) + pair_of("2", (8, 1), (9, 2))),
    "none": (event("a", "b", sprt=Sprt(0, 5)), []),
    "nobody": (event(*"abcde", kind="swiss"), []),
    "apart": (event(*"abcd", kind="ladder"), [
        *pair_of("1", (9, 1), (9, 1)),
        *(replace(game, entrants=tuple(2 + one for one in game.entrants))
          for game in pair_of("2", (8, 1), (9, 2)))]),
}
PANELS = {"two": 3, "three": 2, "three tested": 3, "many": 2, "sweep": 2, "none": 3, "nobody": 2,
          "apart": 2}


def figure_of(name: str) -> Any:
    """Return the figure of a case, laid out."""
    what, results = CASES[name]
    with plot_module.drawing():
        figure = plot_module._figure(report(what, results, resamples=20), results)
        figure.draw_without_rendering()
    return figure


@pytest.mark.parametrize("name", CASES)
def test_the_file_is_whole_and_the_same_each_time(name: str, tmp_path: Path) -> None:
    what, results = CASES[name]
    found = report(what, results, resamples=20)
    for form in ("svg", "png"):
        first, second = tmp_path / f"first.{form}", tmp_path / f"second.{form.upper()}"
        plot(found, results, first)
        plot(found, iter(results), second)
        assert first.read_bytes() == second.read_bytes()
    root = ElementTree.parse(tmp_path / "first.svg").getroot()
    panels = [e for e in root.iter() if str(e.get("id")).startswith("axes_")]
    assert len(panels) == PANELS[name]
    assert (tmp_path / "first.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".SVG", ".png", ".PNG"}


def test_the_settings_of_the_user_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    what, results = CASES["three"]
    found = report(what, results, resamples=20)
    before = picture(found, results, "svg")
    monkeypatch.setitem(matplotlib.rcParams, "font.size", 30)
    monkeypatch.setitem(matplotlib.rcParams, "svg.hashsalt", None)
    assert picture(found, results, "svg") == before
    assert matplotlib.rcParams["font.size"] == 30


@pytest.mark.parametrize("name", CASES)
def test_no_two_texts_overlap(name: str) -> None:
    figure = figure_of(name)
    texts = [figure._suptitle]
    with plot_module.drawing():  # asking for labels makes them anew
        for axes in figure.axes:
            texts += texts_of(axes)
    boxes = [(text, text.get_window_extent()) for text in texts if text.get_text()]
    whole = figure.bbox
    for number, (text, box) in enumerate(boxes):
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1, text
        for other, second in boxes[number + 1 :]:
            assert not box.overlaps(second), (text, other)


def texts_of(axes: Any) -> list[Any]:
    """Return the texts of a panel."""
    ticks = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    texts = [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
    texts += [tick for tick in ticks if visible_tick(axes, tick)]
    return texts + (axes.get_legend().get_texts() if axes.get_legend() else [])


def visible_tick(axes: Any, tick: Any) -> bool:
    """Tell whether a label of an axis is inside of its limits."""
    x, y = tick.get_position()
    (left, right), (one, other) = axes.get_xlim(), axes.get_ylim()
    if tick in axes.get_xticklabels():
        return bool(left <= x <= right)
    return bool(min(one, other) <= y <= max(one, other))


def test_the_path_of_the_test_and_its_bounds_are_drawn() -> None:
    what, results = CASES["two"]
    test = report(what, results).test
    assert test is not None
    path, *bounds = figure_of("two").axes[2].lines
    assert list(path.get_ydata()) == [0.0, *test.llr_path]
    assert sorted(bound.get_ydata()[0] for bound in bounds) == [what.sprt.lower, what.sprt.upper]


def test_the_path_of_a_test_is_computed_once_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    what, results = CASES["two"]
    expected = report(what, results)
    test = SequentialTest(what.sprt, results)

    def again(*_: object) -> float:
        raise AssertionError("a pair is counted again")

    monkeypatch.setattr(Sprt, "llr", again)
    found = report(what, results, test=test)
    assert found == expected
    assert picture(found, results, "svg")


def test_the_curve_of_a_match_ends_at_its_elo() -> None:
    what, results = CASES["two"]
    found = report(what, results)
    assert found.head_to_head is not None
    curve = figure_of("two").axes[0].lines[-1]
    assert curve.get_xdata()[-1] == 2 * found.pairs
    assert curve.get_ydata()[-1] == pytest.approx(found.head_to_head.elo.value)


def test_every_final_score_is_in_the_histograms() -> None:
    steps = figure_of("three").axes[1].patches
    assert len(steps) == 3
    for step in steps:
        values = step.get_data().values
        assert sum(values) == pytest.approx(100)


def test_a_line_parts_agents_that_never_met() -> None:
    axes = figure_of("apart").axes[0]
    assert [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [1.5]
    assert "in each group" in axes.get_xlabel()


def test_the_tips_of_arrows_lie_within_the_axes() -> None:
    """An arrow beyond them is not drawn."""
    what, results = event("a", "b", "c", kind="gauntlet"), [
        replace(game, entrants=tuple(other * one for one in game.entrants))
        for other in (1, 2) for number in range(5)
        for game in pair_of(f"{other}-{number}", (9, 1), (9, 1))]
    with plot_module.drawing():
        figure = plot_module._figure(report(what, results, resamples=20), results)
        axes = figure.axes[0]
        least, most = axes.get_xlim()
    assert [one.get_text() for one in axes.texts] == ["", ""]
    assert all(least < tip < most for one in axes.texts for tip in (one.xy[0], one.xyann[0]))


def test_a_rating_without_a_bound_has_a_mark() -> None:
    what, results = CASES["apart"]
    with plot_module.drawing():
        axes = plot_module._figure(report(what, results, resamples=0), results).axes[0]
    assert [one.get_text() for one in axes.texts].count("?") == 4


def test_another_suffix_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    for name in ("plot.pdf", "plot", "svg", ".png"):
        with pytest.raises(SpecError, match=r"expected a file \*\.svg or \*\.png") as caught:
            check_plot(tmp_path / name)
        assert "\n" not in str(caught.value)
    assert check_plot("x.SVG") == "svg"


def test_a_missing_library_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    what, results = CASES["none"]
    with pytest.raises(NoPlotError, match=r"pip install 'pavilion-ai\[plot\]'"):
        plot(report(what, results), results, tmp_path / "x.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    what, results = CASES["none"]
    target = tmp_path / "x.svg"
    target.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(plot_module.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        plot(report(what, results), results, target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
