"""Programs of bench that keep what they find: what they compute, and that their commands run."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import calibration, convergence, errors, level_losses, mixed, played_on
from bench.measuring import go_on
from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.form import WEIGHT
from pavilion_ai.limits import Limits
from pavilion_ai.network import NETS
from pavilion_ai.play import Play

ROOT = Path(__file__).parents[2]


def made_up(power: float, games: int = 3000) -> list[Any]:
    """Return predictions whose odds to this power are the right ones, three in each game."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(games):
        said = rng.uniform(0.02, 0.98)
        odds = (said / (1 - said)) ** power
        won = float(rng.random() < odds / (1 + odds))
        row = [(said, 1 - said, np.nan, np.nan), (won, 1 - won, np.nan, np.nan)]
        found.append(np.array([row] * 3))
    return found


@pytest.mark.parametrize("power", [0.5, 2.0])
def test_the_power_is_that_of_all_seats(power: float) -> None:
    """With four seats, whose chances lie around a quarter, and each of whom moves."""
    rng, games = np.random.default_rng(7), []
    for seed in range(1500):
        root = rng.dirichlet([4] * 4)
        shares = root**power / (root**power).sum()
        winner = rng.choice(4, p=shares)
        said = tuple(played_on.Said(played_on.OWN, 1, 9, seat, tuple(root), 0.5, ())
                     for seat in range(4))
        games.append(calibration.rows_of(
            played_on.Game("azul/grey/4", False, seed, (), (),
                           tuple(float(seat == winner) for seat in range(4)), said),
            played_on.OWN, calibration.CHANCES["root"]))
    assert games[0].shape == (4, 2, 4)
    assert np.allclose(games[0][:, 0].sum(axis=1), 1)
    assert set(games[0][:, 1, 0]) == {0.0, 1.0}
    found, error = calibration.power(games)
    assert abs(found - power) < 1.5 * error < 0.3


def test_bins_hold_what_is_right_and_tell_what_is_not() -> None:
    right = list(calibration.bins(made_up(1.0)))
    assert sum(one.holds for one in right) >= 9
    assert all(0.035 < one.error < 0.065 for one in right[1:-1])  # of 300 games, not 900 positions
    bold = list(calibration.bins(made_up(0.5)))
    assert not bold[1].holds
    assert bold[1].off > 0.1
    assert not bold[8].holds
    assert bold[8].off < -0.1


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_power_is_found_within_its_error(power: float) -> None:
    found, error = calibration.power(made_up(power))
    assert abs(found - power) < 1.5 * error < 0.25 * power


@pytest.mark.parametrize("weight", [2.0, 8.0])
def test_the_weight_of_form_is_found_within_its_error(
    capsys: pytest.CaptureFixture[str], weight: float
) -> None:
    """Games of three whose winner is drawn from the chances by form."""
    rng, games = np.random.default_rng(6), []
    for seed in range(1500):
        off = tuple(rng.choice([0.0, 0.1, 0.4], 3))
        root = tuple(rng.dirichlet([3, 3, 3]))
        shares = np.array(root) * np.exp(-weight * np.array(off))
        winner = rng.choice(3, p=shares / shares.sum())
        said = tuple(played_on.Said(played_on.OWN, 2, 30, seat, root, 0.5, off)
                     for seat in range(3))
        games.append(played_on.Game("azul/grey/3", False, seed, (), (),
                                    tuple(float(seat == winner) for seat in range(3)), said))
    calibration.fit(games)
    *_, row, everything = capsys.readouterr().out.splitlines()
    assert row.startswith("| azul/grey/3 | 1,500 |")
    assert everything.split("|")[2:] == row.split("|")[2:]
    found, error = map(float, row.split("|")[3].split("±"))
    assert abs(found - weight) < 1.5 * error < 0.5 + 0.12 * weight


def test_chances_by_form_are_those_of_the_search() -> None:
    said = played_on.Said("own kind", 2, 30, 1, (0.4, 0.6), 0.7, (0.0, 0.2))
    root, best, form = (calibration.CHANCES[name](said) for name in ("root", "best", "form"))
    assert root == (0.4, 0.6)
    assert best == pytest.approx((0.3, 0.7))
    odds = 1.5 * np.exp(-0.2 * WEIGHT)
    assert form == pytest.approx((1 / (1 + odds), odds / (1 + odds)))
    unknown = dataclasses.replace(said, off=())
    assert calibration.CHANCES["form"](unknown) == root


def test_equal_results_and_few_games_promise_little() -> None:
    games = [np.array([[(0.05, 0.95), (0.0, 1.0)]])] * 30
    first, *others = calibration.bins(games)
    assert first.error == pytest.approx(0.1)
    assert others == [None] * 9
    assert next(calibration.bins(games[:9])) is None


def test_losses_of_levels_have_errors_from_two_games_on() -> None:
    def by_level(*lost: list[float]) -> list[tuple[float, float | None, int]]:
        games = [level_losses.Game("azul/grey/4", level, seed, 5, {"draft": one})
                 for level in range(1, 11) for seed, one in enumerate(lost)]
        return level_losses.by_level(games, "draft")

    assert by_level([1.0, 3.0]) == [(2.0, None, 2)] * 10
    mean, error, decisions = by_level([1.0, 3.0, 2.0], [0.0, 0.0])[0]
    assert (mean, decisions) == (1.2, 5)
    assert error == pytest.approx(1.96 * math.sqrt(2 / 1 * (2.4**2 + 2.4**2)) / 5)
    games = [level_losses.Game("azul/grey/4", level, seed, 5, {"draft": [1.0, 3.0 + seed]})
             for level in range(1, 11) for seed in (1, 2)]
    for some, share in ((games[::2], None), (games, pytest.approx(0.49 / 2.75, abs=0.005))):
        found = level_losses.report(some)["azul/grey/4"]["draft"]
        assert (len(found["points"]), found["error"]) == (10, share)


def test_errors_are_those_of_values_that_are_not_exact() -> None:
    """An end that is solved has none, though a longer search of one move may say otherwise."""
    last = Play(errors.choices("azul", "coloured", 2, 3, random.Random(1))[-1])
    moves = make_agent("default").analyse(last, Limits(sims=30), seed=1).moves
    assert len(moves) > 1
    assert all(move.exact for move in moves)
    assert not list(errors.compared(last, "default", 30, 1))
    first = Play.new("azul", seed=1)
    assert {kind for kind, *_ in errors.compared(first, "default", 30, 1)} == {
        "best", "table", "only"}


def run(program: str, *arguments: object) -> str:
    result = subprocess.run([sys.executable, *program.split(), *map(str, arguments)], check=True,
                            capture_output=True, text=True, cwd=ROOT)
    return result.stdout


def older(folder: Path) -> Path:
    """Make a folder of networks, which here are the present ones."""
    for variant in (("azul", "coloured", 2), ("azul", "coloured", 3)):
        path = NETS / "{}-{}-{}.net".format(*variant)
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_a_toy_calibration_draws_and_resumes(tmp_path: Path) -> None:
    command = ["-m", "bench.calibration", tmp_path / "games.jsonl", "--variant", "azul/coloured/2",
               "--games", 10, "--sims", 4, "--older", older(tmp_path), "--plot",
               tmp_path / "plot.svg"]
    told = run(*map(str, command))
    lines = (tmp_path / "games.jsonl").read_text().splitlines()
    games = [json.loads(line) for line in lines]
    assert [one["mixed"] for one in games] == [False, True] * 10
    views = {view for one in games for view, *_ in one["said"]}
    assert views == {"own kind", "mixed table", "mixed table, its own seat"}
    assert sum(one["shares"][0] for one in games) < 20
    for view in views:
        assert f"\n{view}: happened" in told
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")
    both = run(*map(str, command), "--chance", "form", "root", "--resample", "2")
    both, _, resampled = both.partition("\n| bins of single variants that would hold")
    assert resampled.count(" → ") == len(views)
    assert " → " not in told
    assert re.sub(r"[^|;]* → ", " ", both) == told
    (tmp_path / "games.jsonl").write_text("\n".join(lines[:7]) + "\n")
    assert run(*map(str, command)) == told
    assert (tmp_path / "games.jsonl").read_text().splitlines() == lines


@pytest.mark.parametrize(("arguments", "said"), [
    (["games.jsonl", "--games", "0"], "games.jsonl, line 1: found something else, expected what"),
    (["--errors", "games.jsonl", "--positions", "1"], "games.jsonl, line 1: found something else"),
    (["nowhere/games.jsonl", "--games", "0"], "nowhere/games.jsonl: "),
    (["new.jsonl", "--games", "0"], "new.jsonl holds no games"),
    (["new.jsonl", "--resample", "1"], "--resample 1: expected at least 2"),
], ids=["games", "errors", "folder", "none", "resample"])
def test_what_cannot_be_read_is_said_in_one_line(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "games.jsonl").write_text("{}\n")
    result = subprocess.run(
        [sys.executable, "-m", "bench.calibration", *arguments], cwd=tmp_path, text=True,
        capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert result.returncode != 0
    assert said in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_settings_are_kept_with_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"

    def found(wanted: list[int], **settings: int) -> list[dict[str, int]]:
        return go_on(file, wanted, lambda one: {"it": one}, lambda row: row["it"], dict, dict,
                     settings)

    assert found([1], sims=5) == [{"it": 1}]
    with pytest.raises(SystemExit, match="made with sims 5, requested 6"):
        found([1, 2], sims=6)
    assert found([1, 2], sims=5) == [{"it": 1}, {"it": 2}]


@pytest.mark.parametrize(("measure", "settings"), [
    (lambda file: level_losses.measure(file, [], 0, 0, 1500, 0.5), "sims share"),
    (lambda file: mixed.measure(file, [], 0, 0, 200, 1, file), "sims"),
    (lambda file: played_on.measure(file, [], 0, 0, 200, 1, None), "sims"),
    (lambda file: played_on.last_rounds(file, file / "none", [], 200, 1), "sims again"),
    (lambda file: errors.measure(file, [""], 0, (300, 3000), 1, "default"), "sims agent"),
    (lambda file: convergence.measure(file, 0, ["default"], [300], 3), "agents sims seeds"),
], ids=["level losses", "mixed tables", "calibration", "last rounds", "errors", "convergence"])
def test_no_file_is_gone_on_with_under_other_settings(
    measure: Callable[[Path], object], settings: str, tmp_path: Path
) -> None:
    file = tmp_path / "kept.jsonl"
    for key in settings.split():
        file.write_text(json.dumps({"settings": {key: "other"}}) + "\n")
        with pytest.raises(SystemExit, match=f"made with {key} other, requested "):
            measure(file)


def test_short_and_long_searches_share_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else they would look at the same deals, and agree for it."""
    monkeypatch.setattr(convergence, "exact_values", lambda _: {})
    code = Play.new("azul", players=3, seed=4).code()
    said = convergence.examine("azul/coloured/3", False, code, ["policy", "greedy"], [2, 3], 2).said
    assert [(one.sims, one.seed) for one in said] == [(2, 1), (2, 2), (3, 3), (3, 4)] * 2


def test_others_at_a_mixed_table_have_a_new_seed_for_every_decision(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a level draws the same share of its moves' weights again and again."""
    seeds = []

    class First(Agent):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            seeds.append(seed)
            return play.legal_moves[0]

    monkeypatch.setattr(played_on, "MIXED", ("first",) * 9)
    monkeypatch.setattr(played_on, "make_agent",
                        lambda spec: First() if spec == "first" else make_agent(spec))
    played_on.play_on("azul/coloured/2", True, 4, 2, None)
    assert len(set(seeds)) == len(seeds) > 10


def test_last_rounds_are_played_on_anew(tmp_path: Path) -> None:
    """From where they began, with other simulations; what went before is the same."""
    whole, last = tmp_path / "games.jsonl", tmp_path / "last.jsonl"
    run("-m", "bench.calibration", whole, "--own", "--variant", "azul/grey/3", "--variant",
        "summer/grey/2", "--games", 2, "--sims", 4)
    command = ["-m", "bench.calibration", last, "--last", whole, "--sims", 9,
               "--variant", "azul/grey/3"]
    told = run(*command)
    before, after = ([json.loads(line) for line in path.read_text().splitlines()]
                     for path in (whole, last))
    assert [one["mixed"] for one in before] == [False] * 4
    assert [one["seed"] for one in after] == [1, 2]
    old = {one["seed"]: one for one in before if one["variant"] == "azul/grey/3"}
    for one in after:
        assert {number for _, number, *_ in one["said"]} <= {5, 6, 7}
        start = one["said"][0][2]
        assert one["moves"][:start] == old[one["seed"]]["moves"][:start]
        assert sum(move.startswith("deal") for move in one["moves"][:start]) == 4
        assert one["seats"] == ["default:sims=9"] * 3
    assert run(*command) == told


def test_toy_tables_compare_subjects_on_the_same_deals(tmp_path: Path) -> None:
    told = run("-m bench.mixed", tmp_path / "mixed.jsonl", "--variant", "azul/coloured/3",
               "--deals", 1, "--sims", 4, "--older", older(tmp_path))
    sets = [json.loads(line) for line in (tmp_path / "mixed.jsonl").read_text().splitlines()]
    assert len(sets) == 13  # seven mixes by two subjects, but for one among its equals
    assert all(0 <= one["won"] <= 1 for one in sets)
    assert "| azul/coloured/3 | 1 |" in told
    assert told.count("| mean of the mixes |") == 3
