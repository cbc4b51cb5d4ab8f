"""Training runs from games to networks: killed and resumed, refused, lengthened. Needs torch."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from pavilion_ai.cli.train import _began_with, _Lines, _stage_text, run_recipe
from pavilion_ai.errors import Failure, PavilionError
from pavilion_ai.network import NETS, Header, load_network, network_bytes, read_network
from pavilion_ai.train import folder as folder_module
from pavilion_ai.train import loop
from pavilion_ai.train import recipe as recipe_module
from pavilion_ai.train import window as window_module
from pavilion_ai.train.folder import AGAIN, LOG, LOSSES, Folder
from pavilion_ai.train.quantise import WholeNet, read_whole
from pavilion_ai.train.recipe import (
    Calibration,
    Finish,
    Generation,
    Recipe,
    parse_recipe,
    read_recipe,
)
from pavilion_ai.train.samples import Samples, join, make_samples
from pavilion_ai.train.shape import LAYERS
from pavilion_ai.train.shards import read_shard
from pavilion_ai.workers import FixedWorkers
from tests.cli.support import ROOT

pytest.importorskip("torch")

TINY = parse_recipe({
    "name": "tiny",
    "seed": 5,
    "hidden": [32, 16],
    "learner": {"batch": 32, "threads": 1},
    "each": {"games": 8, "full_sims": 10, "fast_sims": 4, "passes": 1, "window": 12},
    "generations": [{}, {"gate": {"pairs": 2, "sims": 4}}],
    "finish": {"passes": 0.5, "calibration": {"games": 6, "sims": 4},
               "gate": {"pairs": 2, "sims": 4, "sprt": [0, 20]}},
})


class Silent:
    """Takes note of nothing."""

    def stage(self, entry: Mapping[str, Any], /) -> None: ...

    def part(self, stage: str, generation: int, done: int, total: int, /, **_: float) -> None: ...


def train(
    path: Path, recipe: Recipe | None = TINY, jobs: int = 1, start: bytes | None = None
) -> Path:
    with Folder(path, recipe, start) as folder, ThreadPoolExecutor(jobs) as pool:
        return loop.Training(folder, FixedWorkers(pool, jobs), Silent()).run()


def stages(path: Path) -> list[str]:
    """Return the stages in the log of a run."""
    return [json.loads(line)["stage"] for line in (path / LOG).read_text().splitlines()]


def products(path: Path) -> dict[str, bytes]:
    """Return games and networks of a run."""
    return {
        file.name: file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.suffix in (".net", ".shard")
    }


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "BLOCK", 4)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that nothing has interrupted."""
    path = tmp_path_factory.mktemp("train") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "BLOCK", 4)
        train(path)
    return path


def test_a_run_leaves_networks_games_and_numbers(whole: Path) -> None:
    names = products(whole)
    assert [name for name in names if name.endswith(".net")] == [
        "calibrated-002.net", "finish-002.net", "generation-000.net", "generation-001.net",
        "summer-coloured-2.net"]
    assert len(names) == 5 + 4 + 2
    load_network(whole / "summer-coloured-2.net", ("summer", "coloured", 2))
    header, _ = read_network(whole / "networks" / "generation-001.net")
    assert header.trained["recipe"] == "tiny"
    assert header.trained["games"] == 16
    log = [json.loads(line) for line in (whole / "log.jsonl").read_text().splitlines()]
    assert [entry["stage"] for entry in log] == [
        "begin", "play", "learn", "play", "learn", "gate", "finish", "calibrate",
        "finish gate"]
    assert (log[0]["folder"], log[0]["name"]) == (str(whole), "tiny")
    assert log[1]["games"] == 8
    scores = np.vstack([read_shard(path).final_score
                        for path in (whole / "shards").glob("generation-000-*")])
    assert log[1]["score"] == pytest.approx(scores.mean(), abs=0.006)
    assert log[1]["best_score"] == pytest.approx(scores.max(1).mean(), abs=0.006)
    assert log[4]["agreement"]["win_most"] < 0.01
    assert 0 <= log[5]["share"] <= 1
    assert log[7]["games"] == 6
    assert log[7]["network"] == "finish-002.net"
    assert log[7]["after"] <= log[7]["before"]
    shards = [read_shard(path) for path in (whole / "shards").glob("calibration-*")]
    assert log[7]["records"] == sum(int(shard.records.sum()) for shard in shards)
    assert log[7]["searches"] == sum(int(shard.searched.sum()) for shard in shards)
    assert 0 < log[7]["searches"] < log[7]["records"]
    fresh = log[7]["fresh"]
    assert 0.3 < fresh["win"] < 1.5
    assert fresh["policy"] is None  # no search was a full one
    times = [datetime.fromisoformat(entry["at"]) for entry in log]
    assert times == sorted(times)
    assert all(at.utcoffset() == timedelta(0) for at in times)
    assert read_network(whole / "summer-coloured-2.net")[0].win_scale == log[7]["scale"] != 1
    for path in (whole / "shards").glob("calibration-*"):
        assert read_shard(path).tunables == {
            "full_sims": 2, "fast_sims": 4, "full_share": 0, "noise": 0, "drawn_share": 0}
    finish, calibrated = (
        read_whole(whole / "networks" / f"{name}-002.net")[1] for name in ("finish", "calibrated"))
    assert calibrated.payload == finish.with_gains(log[7]["gain_scale"]).payload


def test_each_number_of_the_log_is_explained(whole: Path) -> None:
    docs = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    _, _, section = docs.partition("\n## The numbers\n")
    told = set(re.findall(r"`(\w+)`", section.partition("\n## ")[0]))
    plain = {"stage", "generation", "at", "network", "against", "passed", "games", "steps",
             "total_steps", "megabytes", "seconds", "positions", "largest_sum"}
    found = set()
    for line in (whole / LOG).read_text().splitlines():
        entry = json.loads(line)
        if entry["stage"] != "begin":
            found |= {*entry, *(entry.get("losses") or ()), *entry.get("agreement", ())}
    assert found - plain - told == set()


def test_a_network_that_fails_its_gate_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "run_gate", lambda *_: {"passed": False})
    result = train(tmp_path / "run", replace(TINY, finish=None))
    assert result.read_bytes() == (
        tmp_path / "run" / "networks" / "generation-000.net").read_bytes()


def test_a_result_does_not_outlive_what_it_was_made_by(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    result = path / "summer-coloured-2.net"
    with Folder(path, replace(TINY, finish=None)):
        assert not result.exists()
    with pytest.raises(PavilionError, match="run: its run has no result yet"):
        loop.start_network(replace(TINY, start=str(path)))
    result.write_bytes(b"of fewer generations")
    monkeypatch.setattr(loop.Training, "_passes", lambda *_: False)
    with pytest.raises(Failure, match="there is no result"):
        train(path, None)
    assert not result.exists()


def test_a_run_without_a_result_has_failed(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pavilion_ai.cli import main

    shutil.copytree(whole, tmp_path / "run")
    monkeypatch.setattr(loop.Training, "_passes", lambda *_: False)
    with pytest.raises(SystemExit) as caught:
        main(["train", "--out", str(tmp_path / "run"), "--jobs", "1"])
    assert caught.value.code == 1
    assert capsys.readouterr().err == (
        "error: no network was better than the linear heuristics: there is no result\n")


def test_jobs_do_not_matter(whole: Path, tmp_path: Path) -> None:
    train(tmp_path / "run", jobs=3)
    assert products(tmp_path / "run") == products(whole)


def test_a_learner_is_measured_on_games_that_are_new_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[Samples] = []
    evaluate = loop.Learner.evaluate

    def noted(learner: loop.Learner, samples: Samples) -> Any:
        measured.append(samples)
        return evaluate(learner, samples)

    monkeypatch.setattr(loop.Learner, "evaluate", noted)
    train(tmp_path / "run", TINY.changed(window=16))
    new = join([make_samples(read_shard(path), follow=TINY.learner.follow)
                for path in sorted((tmp_path / "run" / "shards").glob("generation-001-*"))])
    last = join([make_samples(read_shard(path), follow=TINY.learner.follow)
                 for path in sorted((tmp_path / "run" / "shards").glob("calibration-*"))[::-1]])
    for found, expected in zip(measured, (new, last), strict=True):
        for name in ("inputs", "first", "shares", "starts", "features", "win", "lead", "gain"):
            assert np.array_equal(getattr(found, name), getattr(expected, name)), name


def test_the_window_holds_the_latest_games_the_oldest_first(tmp_path: Path) -> None:
    recipe = TINY.changed(games=12, generations=3)
    with Folder(tmp_path / "run", recipe) as folder, ThreadPoolExecutor(1) as pool:
        training = loop.Training(folder, FixedWorkers(pool, 1), Silent())
        names = [[path.stem for path in training._latest(number, games)]
                 for number, games in ((2, 13), (2, 12), (1, 10**6), (3, 5))]
    every = [[f"generation-00{number}-000{block}" for block in range(3)] for number in range(3)]
    assert names == [[every[1][2], *every[2]], every[2], [*every[0], *every[1]], every[2][1:]]


def test_each_step_has_its_rate_and_each_pass_all_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The optimiser's, over a whole run: it warms up once, and falls anew in each stage."""
    rates: list[float] = []
    step = loop.Learner._one_step

    def noted(learner: loop.Learner, *of_batch: Any) -> None:
        rates.extend({group["lr"] for group in learner._optimiser.param_groups})
        step(learner, *of_batch)

    monkeypatch.setattr(loop.Learner, "_one_step", noted)
    monkeypatch.setattr(loop, "CHUNK", 3)
    data = TINY.to_json()
    rate: dict[str, Any] = {"rate": 0.01, "end_rate": 0.002, "warm_up": 20}
    train(tmp_path / "run", parse_recipe({
        **data, "generations": [{**one, **rate, "passes": 1.3, "gate": None}
                                for one in data["generations"]],
        "finish": {"passes": 0.7, "rate": 0.005, "end_rate": 0.0}}))
    log = [json.loads(line) for line in (tmp_path / "run" / LOG).read_text().splitlines()]
    learned = [entry for entry in log if "steps" in entry]
    assert [entry["stage"] for entry in learned] == ["learn", "learn", "finish"]
    expected: list[float] = []
    for entry, (passes, first, last) in zip(
            learned, [(1.3, 0.01, 0.002)] * 2 + [(0.7, 0.005, 0.0)], strict=True):
        steps = math.ceil(passes * entry["records"] / 32)
        assert entry["records"] * passes % 32
        assert entry["steps"] == steps
        expected += [first + (last - first) * place / steps for place in range(steps)]
    assert learned[0]["steps"] > 20
    for place in range(20):
        expected[place] *= (place + 1) / 20
    assert rates == pytest.approx(expected)


def test_options_of_the_samples_reach_the_learner_after_a_kill_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at the second part of each stage."""
    turned, follows, parts = list[bool](), list[float](), Counter[int]()
    train_part, make = loop.Learner.train, window_module.make_samples

    def dying(learner: loop.Learner, samples: Samples, steps: int, rate: Any, begun: int) -> Any:
        turned.append(learner.symmetry is not None)
        parts[begun] += 1
        if parts[begun] == 2:
            raise Killed
        return train_part(learner, samples, steps, rate, begun)

    def noted(shard: Any, *, follow: float) -> Samples:
        follows.append(follow)
        return make(shard, follow=follow)

    monkeypatch.setattr(loop, "CHUNK", 4)
    monkeypatch.setattr(loop, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(loop.Learner, "train", dying)
    monkeypatch.setattr(window_module, "make_samples", noted)
    recipe = parse_recipe({**TINY.to_json(), "board": "grey", "learner": {
        **TINY.to_json()["learner"], "symmetry": True, "follow": 0.125}})
    short = replace(recipe, generations=recipe.generations[:1], finish=replace(
        recipe.finish or Finish(), passes=1, calibration=None, gate=None))
    for _ in range(2):
        with pytest.raises(Killed):
            train(tmp_path / "run", short)
    train(tmp_path / "run", short)
    assert len(parts) == 2
    assert all(turned)
    assert set(follows) == {0.125}


class Killed(BaseException):
    """Stands for a kill at some place."""


def test_killed_at_every_write_it_goes_on_to_the_same_bytes(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = 0

    def dying(function: Callable[..., Any], after: bool) -> Callable[..., Any]:
        def write(*args: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0 and not after:
                raise Killed
            result = function(*args, **options)
            if left == 0:
                raise Killed
            return result

        return write

    monkeypatch.setattr(loop, "CHUNK", 7)
    monkeypatch.setattr(loop, "SAVE_SECONDS", 0.0)
    for module in (loop, folder_module):
        monkeypatch.setattr(module, "replace_file", dying(module.replace_file, after=False))
    monkeypatch.setattr(loop.Learner, "save", dying(loop.Learner.save, after=True))
    monkeypatch.setattr(Folder, "write", dying(Folder.write, after=True))
    for kills in range(100):
        left = 4 + kills % 3
        try:
            train(tmp_path / "run", TINY if kills % 2 == 0 else None)
            break
        except Killed:
            log = tmp_path / "run" / "log.jsonl"
            if log.exists():
                log.write_bytes(log.read_bytes() + b'{"stage": "pl')
    assert kills > 8
    assert products(tmp_path / "run") == products(whole)


def test_the_curve_of_the_losses_is_the_same_after_kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "CHUNK", 7)
    monkeypatch.setattr(loop, "SAVE_SECONDS", 0.0)
    short = replace(TINY, generations=TINY.generations[:1],
                    finish=Finish(passes=0.5, end_rate=0.0))
    train(tmp_path / "whole", short)
    saves, save = 0, loop.Learner.save

    def dying(*args: Any) -> None:
        nonlocal saves
        saves += 1
        if saves % 3 == 0:
            raise Killed  # the losses of this part are in the file already
        save(*args)

    path, kills = tmp_path / "run", 0
    monkeypatch.setattr(loop.Learner, "save", dying)
    while not (path / "summer-coloured-2.net").exists():
        try:
            train(path, short)
        except Killed:
            kills += 1
            with open(path / LOSSES, "ab") as file:
                file.write(b'{"stage": "le')
    assert kills > 2
    curve = (path / LOSSES).read_bytes()
    assert curve == (tmp_path / "whole" / LOSSES).read_bytes()
    lines = [json.loads(line) for line in curve.splitlines()]
    log = [json.loads(line) for line in (path / LOG).read_text().splitlines()]
    for stage in ("learn", "finish"):
        (ended,) = [entry for entry in log if entry["stage"] == stage]
        its = [line for line in lines if line["stage"] == stage]
        assert [line["step"] for line in its] == [
            *range(ended["total_steps"] - ended["steps"] + 7, ended["total_steps"], 7),
            ended["total_steps"]]
        rest = its[-1]["step"] - its[-2]["step"]
        assert 0 < rest < 7
        for name in ("win", "lead", "gain", "policy"):  # of all the last steps
            mean = (7 * its[-2][name] + rest * its[-1][name]) / (7 + rest)
            assert ended["losses"][name] == round(mean, 5) != its[-2][name]
        assert ended["losses"]["far"] == max(its[-2]["far"], its[-1]["far"])
    total, steps = ended["total_steps"], ended["steps"]
    assert its[-1]["rate"] == loop._rate(
        short.finish or Finish(), total - 1, steps - 1, steps)


def test_killed_for_good_it_goes_on_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "BLOCK", 32)  # as in the processes below
    train(tmp_path / "whole")
    path, recipe = tmp_path / "run", tmp_path / "tiny.json"
    recipe.write_text(json.dumps(TINY.to_json()))
    command = [sys.executable, "-m", "pavilion_ai", "train", "--recipe", str(recipe),
               "--out", str(path), "--jobs", "2"]
    for awaited in ("shards/generation-000-0000.shard", "networks/generation-001.net"):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        while not (path / awaited).exists():
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=300)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"{path}: recipe tiny"
    assert done.stdout.splitlines()[-1] == f"result: {path}/summer-coloured-2.net"
    assert products(path) == products(tmp_path / "whole")


def test_a_run_goes_on_otherwise_and_another_recipe_does_not(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    short = replace(TINY, generations=TINY.generations[:1], finish=None)
    train(path, short)
    long = TINY.changed(generations=5)  # as a run that was broken off and is now made shorter
    (path / "recipe.json").write_text(json.dumps(long.to_json()))
    train(path, TINY)
    assert products(path) == products(whole)
    for other, why in (
        (short, "generations: 2 begun, 1 here"),
        (TINY.changed(games=9), r"generations\[0\].games: 8 there, 9 here"),
        (TINY.changed(seed=6), "seed: 5 there, 6 here"),
    ):
        with pytest.raises(PavilionError, match=f"a run of another recipe: {why}; choose"):
            train(path, other)
    assert products(path) == products(whole)


@pytest.mark.parametrize(("change", "learned"), [
    ({"passes": 0.25}, True),
    ({"calibration": {"games": 3, "sims": 4}}, False),
    ({"calibration": None}, False),
    ({"gate": None}, False),
])
def test_another_finish_takes_the_place_of_the_first(
    whole: Path, tmp_path: Path, change: dict[str, Any], learned: bool
) -> None:
    other = parse_recipe({**TINY.to_json(), "finish": {**TINY.to_json()["finish"], **change}})
    train(tmp_path / "new", other)
    shutil.copytree(whole, tmp_path / "run")
    log = tmp_path / "run" / "log.jsonl"
    before = log.read_text().count('"finish"')
    train(tmp_path / "run", other)
    assert products(tmp_path / "run") == products(tmp_path / "new")
    stages = [json.loads(line)["stage"] for line in log.read_text().splitlines()]
    assert stages.count("finish") == before == 1
    assert (stages.index("finish") > stages.index("begin", 1)) == learned
    train(tmp_path / "run", TINY)
    assert products(tmp_path / "run") == products(whole)


def test_killed_while_a_finish_is_forgotten_it_goes_on_with_either_recipe(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = parse_recipe({**TINY.to_json(), "finish": {**TINY.to_json()["finish"], "passes": 1}})

    def dying(*_: Any, **__: Any) -> None:
        raise Killed

    for place in ("replace_file", "Path.glob"):  # before and after the log is written
        path = tmp_path / place
        shutil.copytree(whole, path)
        with monkeypatch.context() as patch:
            patch.setattr(f"pavilion_ai.train.folder.{place}", dying)
            with pytest.raises(Killed):
                train(path, other)
        train(path, None)
        assert products(path) == products(whole)


def test_a_run_keeps_the_name_that_its_recipe_had_when_it_began(
    whole: Path, tmp_path: Path
) -> None:
    """Recipes without a name were called default, whatever their file."""
    file, out = tmp_path / "mine.json", tmp_path / "run"
    file.write_text(json.dumps({**TINY.to_json(), "name": "default"}))
    before = read_recipe(file)
    file.write_text(json.dumps({key: value for key, value in TINY.to_json().items()
                                if key != "name"}))
    recipe = read_recipe(file)
    assert (before.name, recipe.name) == ("default", "mine")
    for path in (out / "first", out):
        path.mkdir(exist_ok=True, parents=True)
        with Folder(path, before):
            pass
        with Folder(path, recipe) as folder:
            assert folder.recipe.sha256() == before.sha256()
    assert _began_with(out, recipe)
    assert not _began_with(out, replace(recipe, seed=99))
    shutil.rmtree(out / "first")
    header, payload = read_network(whole / "summer-coloured-2.net")
    for name, same in (("default", True), ("mine", True), ("other", False)):
        trained = {**header.trained, "recipe": name}
        (out / "start.net").write_bytes(network_bytes(replace(header, trained=trained), payload))
        assert _began_with(out, recipe) == same
        shipped = replace(recipe, name="summer-grey-2-first")  # which always had its name
        assert not _began_with(out, shipped)


def test_a_network_left_by_a_run_that_never_began_is_not_started_from(tmp_path: Path) -> None:
    for content in (b"another", b"its own"):
        (tmp_path / "recipe.json").unlink(missing_ok=True)
        with Folder(tmp_path, replace(TINY, start=f"sha256:{content!r}"), content) as folder:
            assert folder.start.read_bytes() == content
    with Folder(tmp_path, None, b"a third") as folder:
        assert folder.start.read_bytes() == b"its own"


def test_locks_of_a_run_that_never_began_are_no_other_files(tmp_path: Path) -> None:
    for name in ("lock", ".lock.lock", ".start.net.123.tmp"):
        (tmp_path / name).touch()
    with Folder(tmp_path, TINY) as folder:
        assert folder.log == []


def test_one_process_at_a_time_and_no_foreign_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        Folder(tmp_path / "run", TINY),
        pytest.raises(PavilionError, match="another training run writes there"),
    ):
        Folder(tmp_path / "run", TINY)
    log = tmp_path / "run" / LOG
    log.write_bytes(b'{"stage": "play"}\n' * 9 + b'{"torn')
    before = log.read_bytes()
    monkeypatch.setattr("pavilion_ai.train.folder.MAX_LOG_BYTES", 100)
    kept = []  # with all that the refused folders have open
    for _ in range(2):
        with pytest.raises(PavilionError, match="more than 100 bytes, not the log") as refused:
            Folder(tmp_path / "run", TINY)
        kept.append(refused)
    assert log.read_bytes() == before
    (tmp_path / "thesis.txt").write_text("")
    with pytest.raises(PavilionError, match="holds other files"):
        Folder(tmp_path, TINY)
    monkeypatch.undo()
    for line in ("{", "[]", "1", "{}", '{"stage": 1}', '{"stage": "play"}', '{"stage": "gate"}',
                 '{"stage": "learn", "generation": "0"}', '{"stage": "learn", "generation": 0}',
                 '{"stage": "play", "generation": 0}',
                 '{"stage": "gate", "generation": 0}'):
        log.write_text(f'{{"stage": "begin"}}\n{line}\n')
        with pytest.raises(PavilionError, match=r"log\.jsonl: line 2 is damaged"):
            Folder(tmp_path / "run", TINY)
    with pytest.raises(PavilionError, match="no training run there"):
        Folder(tmp_path / "none", None)


def test_the_folder_is_kept_while_the_run_that_comes_first_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe_module, "RECIPES", tmp_path)
    (tmp_path / "tiny.json").write_text(json.dumps(TINY.to_json()))
    out = tmp_path / "run"

    def run(training: loop.Training) -> NoReturn:
        unfinished = out / "first" / ".learner.pt.1.tmp"
        unfinished.touch()
        with pytest.raises(PavilionError, match="run: another training run writes there"):
            Folder(out, TINY)
        assert unfinished.exists()
        raise Killed

    monkeypatch.setattr(loop.Training, "run", run)
    with ThreadPoolExecutor(1) as pool, pytest.raises(Killed):
        run_recipe(out, replace(TINY, start="recipe:tiny"), FixedWorkers(pool, 1), Silent())
    with Folder(out, TINY):
        assert (out / "first" / ".learner.pt.1.tmp").exists()
    with ThreadPoolExecutor(1) as pool, pytest.raises(PavilionError, match="holds other files"):
        run_recipe(tmp_path, replace(TINY, start="recipe:tiny"), FixedWorkers(pool, 1), Silent())
    assert not (tmp_path / "first").exists()


def test_a_run_begins_with_another_network(whole: Path, tmp_path: Path) -> None:
    grey = replace(TINY, board="grey", start=str(whole), generations=TINY.generations[:1],
                   finish=None)
    with pytest.raises(PavilionError, match="no training run there"):
        loop.start_network(replace(grey, start=str(tmp_path)))
    result = whole / "summer-coloured-2.net"
    for start in (whole / "networks" / "generation-001.net", result, whole):
        recipe, content = loop.start_network(replace(grey, start=str(start)))
        assert content is not None
        file = result if start == whole else start
        assert recipe.start == f"sha256:{read_network(file)[0].sha256}"
    for board, player in (("grey", None), ("coloured", "start.net")):
        folder = tmp_path / board
        train(folder, replace(recipe, board=board), start=content)
        log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        assert log[1]["network"] == player  # one of the other board does not play
        header, payload = read_network(folder / f"summer-{board}-2.net")
        assert header.board == board
        assert payload != read_network(result)[1]
    with pytest.raises(PavilionError, match=r'at most \[32, 8\]; "hidden": \[32, 16\] in the rec'):
        loop.start_network(replace(grey, start=str(whole), hidden=(32, 8)))
    with pytest.raises(PavilionError, match=r"a network for summer, expected azul, with this ver"):
        loop.start_network(replace(grey, start=str(whole), game="azul"))
    _, content = loop.start_network(replace(grey, start=str(whole), hidden=(64, 16)))
    assert content is not None
    (tmp_path / "wide.net").write_bytes(content)
    assert read_network(tmp_path / "wide.net")[0].hidden == (64, 16)
    with pytest.raises(PavilionError, match=r"for coloured, 2 players, which finish\.start_share"):
        loop.start_network(replace(grey, start=str(whole), finish=Finish(start_share=0.5)))


def test_a_run_resumes_without_the_network_that_it_began_with(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is gone, or the folder of its run, or its result."""
    result = whole / "summer-coloured-2.net"
    recipe = replace(TINY, seed=7, generations=TINY.generations[:1], finish=None)
    for folder in (False, True):
        out, given = tmp_path / f"{folder}", tmp_path / f"given {folder}"
        file = given / result.name if folder else given
        if folder:
            given.mkdir()
            shutil.copy(whole / "recipe.json", given)
        shutil.copy(result, file)
        begun = replace(recipe, start=str(given))
        with ThreadPoolExecutor(1) as pool:
            made = run_recipe(out, begun, FixedWorkers(pool, 1), Silent()).read_bytes()
            file.unlink()
            (out / "networks" / "generation-000.net").unlink()
            (out / LOG).unlink()
            (out / "learner.pt").unlink()
            assert run_recipe(out, begun, FixedWorkers(pool, 1), Silent()).read_bytes() == made
            assert capsys.readouterr().err == (
                f"note: {given}: missing; the run has a copy of what it started from\n")
            shutil.copy(whole / "networks" / "generation-000.net", file)
            with pytest.raises(PavilionError, match=r"start: .*, or resume with --out alone"):
                run_recipe(out, begun, FixedWorkers(pool, 1), Silent())


def test_a_folder_does_not_hide_the_shipped_network_of_its_name(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "summer-coloured-2"
    monkeypatch.chdir(tmp_path)
    shutil.copytree(whole, tmp_path / name)
    own, shipped = Path(name) / f"{name}.net", NETS / f"{name}.net"
    assert loop.start_file(name) == shipped
    for start in (f"./{name}", str(tmp_path / name)):
        assert loop.start_file(start).resolve() == own.resolve()
    assert loop.start_file("./azul-grey-2") == Path("azul-grey-2")  # none is there
    wide = replace(TINY, hidden=(256, 64), generations=TINY.generations[:1], finish=None)
    begun = loop.start_network(replace(wide, start=name))[0]
    assert begun.start == f"sha256:{read_network(shipped)[0].sha256}"

    def run(training: loop.Training) -> Path:
        training.begin()
        return Path()

    monkeypatch.setattr(loop.Training, "run", run)
    for start, told in ((name, shipped), (f"./{name}", own), (f"./{name}", own)):
        folder = Path(f"{start.count('/')}")
        with ThreadPoolExecutor(1) as pool, _Lines(as_json=False) as lines:
            run_recipe(folder, replace(wide, start=start), FixedWorkers(pool, 1), lines)
            run_recipe(folder, read_recipe(folder / "recipe.json"), FixedWorkers(pool, 1), lines)
        assert capsys.readouterr().out.splitlines() == [
            f"{folder}: recipe tiny, starts from {told}",
            f"{folder}: recipe tiny, starts from {folder / 'start.net'}"]


@pytest.mark.parametrize("variant", [{"board": "grey"}, {"players": 3}])
def test_a_resumed_run_is_not_mixed_with_a_start_of_another_variant(
    whole: Path, tmp_path: Path, variant: dict[str, Any]
) -> None:
    recipe, content = loop.start_network(replace(TINY, start=str(whole), **variant))
    with Folder(tmp_path, recipe, content):
        pass
    mixed = replace(recipe, finish=Finish(start_share=0.5))
    with pytest.raises(PavilionError, match=r"start\.net: a network for coloured, 2 pl"):
        Folder(tmp_path, mixed)
    assert read_recipe(tmp_path / "recipe.json") == recipe


def test_the_result_is_mixed_with_the_network_that_the_run_began_with(
    whole: Path, tmp_path: Path
) -> None:
    finish = parse_recipe({"start": "x", "finish": {"passes": 1}}).finish
    assert finish is not None
    recipe, content = loop.start_network(replace(
        TINY, seed=8, start=str(whole), generations=TINY.generations[:1], finish=finish))
    path, shape = tmp_path / "run", loop.shape_for(recipe)

    def result(start_share: float) -> tuple[Header, WholeNet]:
        mixed = replace(recipe, finish=replace(finish, start_share=start_share))
        header, payload = read_network(train(path, mixed, start=content))
        return header, WholeNet.from_payload(shape, payload)

    (plain, learned), (quarter, mixed), (_, begun) = (result(share) for share in (0, 0.25, 1))
    assert begun.payload == read_network(whole / "summer-coloured-2.net")[1]
    assert plain.trained["sha256_of_recipe"] != quarter.trained["sha256_of_recipe"]
    for name in LAYERS:
        old, new, both = (getattr(net, name).astype(int) for net in (begun, learned, mixed))
        assert (old != new).any()
        assert abs(both - (0.25 * old + 0.75 * new)).max() <= 1
    log = (path / "log.jsonl").read_text()
    assert log.count('"finish"') == 1
    assert result(0)[1].payload == learned.payload
    # What was learned is the same; it was learned once.
    steps = [json.loads(line) for line in log.splitlines()][-1]["total_steps"]
    assert plain.trained["steps"] == quarter.trained["steps"] == steps
    learner = path / "finish.pt"
    changed = learner.stat().st_mtime_ns
    result(0.5)
    assert learner.stat().st_mtime_ns == changed


def test_a_finish_that_learns_anew(whole: Path, tmp_path: Path) -> None:
    """It sees the games and nothing else of the run; broken off, it goes on to the same bytes."""
    data = {"passes": 2, "window": 16, "warm_up": 3, "anew": True}
    finish = parse_recipe({"finish": data}).finish
    assert finish is not None
    recipe = replace(TINY, finish=finish)
    assert recipe.sha256() != replace(TINY, finish=replace(finish, anew=False)).sha256()
    result = train(tmp_path / "run", recipe)
    _, payload = read_network(result)
    shape = loop.shape_for(recipe)
    w1 = WholeNet.from_payload(shape, payload).w1
    seats, size = ([(start, size) for name, start, size, _ in shape.groups
                    if name.startswith(f"seat{seat}.")] for seat in (0, 1)), 16
    for (own, count), (other, _) in zip(*seats, strict=True):
        assert (w1[own : own + count, :size] == w1[other : other + count, size:]).all()
        assert (w1[own : own + count, size:] == w1[other : other + count, :size]).all()
    # Another learner of the generations makes no difference to it.
    for file in ("finish.pt", "networks/finish-002.net", result.name):
        (tmp_path / "run" / file).unlink()
    (tmp_path / "run" / "learner.pt").unlink()
    log = tmp_path / "run" / "log.jsonl"
    log.write_text("".join(
        line for line in log.read_text().splitlines(True) if '"stage": "finish' not in line))
    assert read_network(train(tmp_path / "run", None))[1] == payload


def test_a_recipe_to_begin_with_has_its_run_first(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe_module, "RECIPES", tmp_path)
    (tmp_path / "tiny.json").write_text(json.dumps(TINY.to_json()))
    second = replace(TINY, name="second", seed=6, start="recipe:tiny",
                     generations=TINY.generations[:1], finish=None)
    out = tmp_path / "run"

    def killed(*_: object) -> None:
        raise Killed

    with ThreadPoolExecutor(1) as pool:
        workers = FixedWorkers(pool, 1)
        with monkeypatch.context() as patch:
            patch.setattr(loop, "run_gate", killed)
            with pytest.raises(Killed):
                run_recipe(out, second, workers, Silent())
        assert not (out / "recipe.json").exists()
        done = subprocess.run(
            [sys.executable, "-m", "pavilion_ai", "train", "--out", str(out)],
            capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 2
        assert done.stderr == (f"error: {out}: interrupted in the run that it starts from, expected"
                               " the same --recipe or --start-from again\n")
        for _ in range(2):
            assert run_recipe(out, second, workers, Silent()) == out / "summer-coloured-2.net"
    assert products(out / "first") == products(whole)
    assert (out / "start.net").read_bytes() == (whole / "summer-coloured-2.net").read_bytes()
    (tmp_path / "again.json").write_text(json.dumps({**TINY.to_json(), "seed": 99}))  # of one name
    with ThreadPoolExecutor(1) as pool, pytest.raises(PavilionError, match="'sha256:"):
        run_recipe(out, replace(second, start="recipe:again"), FixedWorkers(pool, 1), Silent())
    shutil.rmtree(out / "first")
    (tmp_path / "other.json").write_text(json.dumps({**TINY.to_json(), "name": "other"}))
    other = replace(second, start="recipe:other")
    with ThreadPoolExecutor(1) as pool:
        run_recipe(out, second, FixedWorkers(pool, 1), Silent())
        for folder, recipe, there in (
            (out, other, "'sha256:"), (whole, replace(TINY, start=second.start), "null"),
        ):
            with pytest.raises(PavilionError, match=rf"recipe: start: {there}.* there, 'recipe:"):
                run_recipe(folder, recipe, FixedWorkers(pool, 1), Silent())
    assert not (out / "first").exists()  # its result is there
    train(tmp_path / "by hand", replace(second, start=None), start=None)
    assert products(tmp_path / "by hand")["generation-000.net"] != (
        out / "networks" / "generation-000.net").read_bytes()


@pytest.mark.parametrize(("settings", "step", "place", "rate"), [
    (Finish(rate=0.1, end_rate=0.02), 1000, 5, 0.06),
    (Finish(rate=0.1, end_rate=0.02), 1000, 10, 0.02),
    (Finish(rate=0.1, end_rate=None), 1000, 5, 0.1),
    (Generation(rate=0.1, warm_up=20), 4, 4, 0.025),
    (Generation(rate=0.1, warm_up=20), 1004, 4, 0.1),  # it begins the run, not each generation
])
def test_the_rate_falls_by_stage_and_warms_up_by_run(
    settings: Generation | Finish, step: int, place: int, rate: float
) -> None:
    assert loop._rate(settings, step, place, 10) == pytest.approx(rate)


def test_what_learned_badly_is_told_with_the_way_out(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, learn, weights = tmp_path / "run", loop.Learner.train, loop.Learner.weights
    shutil.copytree(whole / "shards", path / "shards")

    def without_loss(*arguments: Any) -> Any:
        return replace(learn(*arguments), gain=math.nan)

    def without_weight(learner: loop.Learner) -> Any:
        found = weights(learner)
        found.b3[0] = math.nan
        return found

    for name, spoilt, why in (("train", without_loss, "its losses are not numbers any more"),
                              ("weights", without_weight, "weights b3 up to nan")):
        with monkeypatch.context() as patch:
            patch.setattr(loop.Learner, name, spoilt)
            with pytest.raises(Failure, match=rf"generation 0 learned badly: {why}.*shards/"):
                train(path)
        assert (path / "learner.pt").exists() == (name == "weights")
    train(path)
    assert products(path) == products(whole)  # from the same games
    with monkeypatch.context() as patch:
        patch.setattr(loop.Learner, "weights", without_weight)
        faster = replace(TINY, finish=Finish(rate=0.1, calibration=None))
        with pytest.raises(Failure, match="the finish learned badly: weights b3"):
            train(path, faster)
    train(path)
    assert products(path) == products(whole)


def test_a_learner_of_other_inputs_is_refused_as_that(tmp_path: Path) -> None:
    shape = loop.shape_for(TINY)
    with Folder(tmp_path, TINY) as folder, ThreadPoolExecutor(1) as pool:
        loop.Learner(replace(shape, groups=shape.groups[:-1])).save(folder.learner("generation"))
        training = loop.Training(folder, FixedWorkers(pool, 1), Silent())
        with pytest.raises(PavilionError, match=r"learner\.pt: made for another version of the en"):
            training._learner_for("generation", 0)


def test_a_learner_that_is_not_the_runs_is_refused(whole: Path, tmp_path: Path) -> None:
    """It was lost, is older, is damaged or has learned in another run."""
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    longer, learner = TINY.changed(generations=3), path / "learner.pt"
    steps = [json.loads(line).get("total_steps") for line in (path / LOG).read_text().splitlines()]
    last, later = steps[4], r"; a new folder with a copy of shards/ learns again"
    content = learner.read_bytes()
    learner.unlink()
    with pytest.raises(PavilionError, match=rf"\.pt: missing, .* tells of {last} steps{later}"):
        train(path, longer)
    loop.Learner(loop.shape_for(TINY)).save(learner)
    with pytest.raises(PavilionError, match=rf"\.pt: of another step \(0, .* says {last}\){later}"):
        train(path, longer)
    learner.write_bytes(content[:99])
    with pytest.raises(PavilionError, match=rf"learner\.pt: no saved state of a learner.*{later}"):
        train(path, longer)
    assert not list(path.glob("*/generation-002*"))  # refused before games are played
    learner.write_bytes(content)
    train(path, longer)
    finish = path / "finish.pt"
    for spoilt, why in ((finish.read_bytes()[:99], "no saved state"),
                        ((whole / "finish.pt").read_bytes(), None)):
        finish.write_bytes(spoilt)
        lines = (path / LOG).read_text().splitlines(True)
        (path / LOG).write_text("".join(line for line in lines if '"finish"' not in line))
        if why is not None:
            with pytest.raises(PavilionError, match=rf"finish\.pt: {why}.*; delete it and resume"):
                train(path, None)
        else:  # that of fewer generations
            train(path, None)


def test_every_part_is_shown_under_the_name_of_its_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("pavilion_ai.cli.progress.ProgressLine.show",
                        lambda _, text: shown.append(text))
    with (Folder(tmp_path / "run", TINY) as folder, ThreadPoolExecutor(1) as pool,
          _Lines(as_json=False) as lines):
        loop.Training(folder, FixedWorkers(pool, 1), lines).run()
    parts = {}
    for text in shown:
        place, numbers = text.split(": ")
        unit = numbers.split(" of ")[1].split()[1].strip(",")
        parts[place, unit] = numbers  # the last of them
    assert list(parts) == [
        ("generation 0 (1 of 2)", "games"), ("generation 0 (1 of 2)", "steps"),
        ("generation 1 (2 of 2)", "games"), ("generation 1 (2 of 2)", "steps"),
        ("generation 1 (2 of 2)", "deals"),
        ("finish", "steps"), ("calibration", "games"), ("finish", "deals")]
    for numbers in parts.values():
        before, left, after = numbers.partition(", 0 s left")
        assert left
        assert ("steps" in before) == after.startswith(", loss of win ")  # what is cut off first


def test_without_moves_no_loss_of_the_policy_is_told(tmp_path: Path) -> None:
    quick = replace(TINY.generations[0], full_share=0.0)
    train(tmp_path / "run", replace(TINY, generations=(quick, quick), finish=None))
    learned = [entry for line in (tmp_path / "run" / LOG).read_text().splitlines()
               if (entry := json.loads(line))["stage"] == "learn"]
    for entry in learned:
        assert entry["losses"]["policy"] is None
        assert entry["losses"]["win"] > 0
    text = _stage_text(learned[1])
    assert text is not None
    assert text.count(", no moves") == 2
    assert "policy" not in text


@pytest.mark.parametrize(("scale", "told"), [
    (0.5, "0.500 (the smallest allowed), their"), (1.25, "1.250, their"),
    (2.0, "2.000 (the largest allowed), their"),
])
def test_a_calibration_says_that_it_is_at_its_bound(scale: float, told: str) -> None:
    text = _stage_text({"stage": "calibrate", "generation": 2, "games": 33, "score": 66.1,
                        "network": "finish-002.net", "scale": scale, "before": 1.0, "after": 0.9,
                        "fresh": {"win": 0.6, "lead": 0.7, "gain": 0.1, "policy": None}})
    assert text is not None
    assert f"win shares to the power of {told} loss 1.0000, then 0.9000; on" in text
    assert text.endswith("on these games win 0.6000, lead 0.7000, gain 0.1000")


def test_a_network_that_is_lost_or_anothers_is_told_with_the_way_out(
    whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    log = (whole / LOG).read_text().splitlines(True)
    grey = (NETS / "summer-grey-2.net").read_bytes()
    for name, lines in (("generation-000", 4), ("generation-000", 5), ("finish-002", 7),
                        ("calibrated-002", 8), ("calibrated-002", 9)):
        for content, why in ((None, "missing"), (b"no network", "not a network|no network"),
                             (grey, "a network for .*grey")):
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(whole, path)
            (path / LOG).write_text("".join(log[:lines]))
            damaged = path / "networks" / f"{name}.net"
            damaged.unlink()
            if content is not None:
                damaged.write_bytes(content)
            again = AGAIN
            if name == "calibrated-002":  # it can be made again
                again = "delete it and resume: the calibration is done again"
                if content is None:
                    train(path, None)
                    assert products(path) == products(whole)
                    continue
            with pytest.raises(PavilionError, match=rf"{name}\.net: ({why}).*; {again}"):
                train(path, None)
            assert stages(path) == stages(whole)[:lines] + stages(path)[lines:]
            assert set(stages(path)[lines:]) <= {"begin"}  # refused at once
    recipe, content = loop.start_network(replace(
        TINY, start=str(whole), generations=TINY.generations[:1], finish=None))
    began = tmp_path / "began"
    train(began, recipe, start=content)
    start = began / "start.net"
    start.write_bytes(b"no network")
    with pytest.raises(PavilionError, match=r"start\.net: .*; delete it, then --start-from w"):
        train(began, None)
    start.unlink()
    with pytest.raises(PavilionError, match=r"start\.net: missing; --start-from what the run b"):
        train(began, None)
    train(began, recipe, start=content)
    assert start.read_bytes() == content


def test_lost_games_of_a_finished_generation_are_played_again(
    whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    names = [path / "shards" / f"generation-00{number}-0001.shard" for number in (0, 1)]
    contents = [name.read_bytes() for name in names]
    names[1].unlink()
    train(path, None)
    assert not names[1].exists()  # nothing learns from it any more
    (path / LOG).write_text("".join(
        line for line in (path / LOG).read_text().splitlines(True)
        if '"finish' not in line and '"calib' not in line))
    for name in ("finish.pt", "networks/finish-002.net", "networks/calibrated-002.net"):
        (path / name).unlink()
    for spoilt, why in ((contents[0], "games of other seeds"), (contents[1][:-1], "damaged:")):
        names[1].write_bytes(spoilt)
        with pytest.raises(PavilionError, match=rf"1-0001\.shard: {why}.*; delete it and resume"):
            train(path, None)
    for name in names:
        name.unlink()
    train(path, None)
    assert products(path) == products(whole)
    (again,) = [entry for line in (path / LOG).read_text().splitlines()
                if (entry := json.loads(line))["stage"] == "play again"
                and entry["generation"] == 1]
    assert (again["network"], again["games"]) == ("generation-000.net", 4)
    assert _stage_text(again) == "generation 1: 4 games played again, whose files were missing"


def test_games_of_another_network_calibrate_nothing(whole: Path, tmp_path: Path) -> None:
    """A new folder takes the games of generations, and tells of those by other networks."""
    other = parse_recipe({**TINY.to_json(), "generations": [
        {**generation, "rate": 0.01} for generation in TINY.to_json()["generations"]]})
    shutil.copytree(whole / "shards", tmp_path / "run" / "shards")
    train(tmp_path / "run", other)
    path = tmp_path / "run" / "networks" / "finish-002.net"
    for shard in (tmp_path / "run" / "shards").glob("calibration-*"):
        assert read_shard(shard).network == read_network(path)[0].sha256
    log = [json.loads(line) for line in (tmp_path / "run" / LOG).read_text().splitlines()]
    plays = [entry for entry in log if entry["stage"] == "play"]
    assert [entry["by_another"] for entry in plays] == [0, 8]
    assert _stage_text(plays[1]).startswith(  # type: ignore[union-attr]
        "generation 1: 8 games by generation-000.net (8 by another network), mean score ")
    shutil.copytree(whole / "shards", tmp_path / "same" / "shards")
    deeper = replace(TINY, finish=replace(TINY.finish or Finish(), calibration=Calibration(6, 5)))
    train(tmp_path / "same", deeper)
    for shard in (tmp_path / "same" / "shards").glob("calibration-*"):
        assert read_shard(shard).tunables["fast_sims"] == 5


def test_what_later_stages_need_is_looked_at_before_the_next_one(
    whole: Path, tmp_path: Path
) -> None:
    """Games of an earlier generation before more are played, the learner before a gate."""
    path = tmp_path / "run"
    log = (whole / LOG).read_text().splitlines(True)
    for lines, name, content, why in (
            (3, "shards/generation-000-0001.shard", b"spoilt", "delete it and resume: its games"),
            (5, "learner.pt", None, f"missing, and log.jsonl tells of .*; {AGAIN}")):
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(whole, path)
        (path / LOG).write_text("".join(log[:lines]))
        for shard in path.glob("shards/generation-001-*"):
            shard.unlink()
        for file in (name, "finish.pt"):
            (path / file).unlink()
        if content is not None:
            (path / name).write_bytes(content)
        with pytest.raises(PavilionError, match=rf"{name}: .*{why}"):
            train(path, None)
        assert stages(path) == stages(whole)[:lines]
        assert not list(path.glob("shards/generation-001-*"))


def test_a_log_that_is_lost_or_damaged_is_told_with_the_way_out(
    whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    content = (path / LOG).read_bytes()
    (path / LOG).write_bytes(content.replace(b'"stage"', b'"stag"', 2))
    with pytest.raises(PavilionError, match=rf"log\.jsonl: line 1 is damaged; {AGAIN}"):
        train(path, None)
    (path / LOG).unlink()
    with pytest.raises(PavilionError, match=rf"r\.pt: of another .*, log\.jsonl says 0\); {AGAIN}"):
        train(path, None)


def test_a_finish_of_another_run_is_refused(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    lines = [json.loads(line) for line in (path / LOG).read_text().splitlines()]
    for line in lines:
        if "total_steps" in line:
            line["total_steps"] += 1
    (path / LOG).write_text("".join(f"{json.dumps(line)}\n" for line in lines[:6]))
    with pytest.raises(PavilionError, match=r"finish\.pt: of another step .*; delete it and res"):
        train(path, None)


def test_a_damaged_shard_is_refused(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "run"
    train(path, replace(TINY, generations=TINY.generations[:1], finish=None))
    (path / "log.jsonl").unlink()
    shard = path / "shards" / "generation-000-0001.shard"
    content = shard.read_bytes()
    shard.write_bytes((shard.parent / "generation-000-0000.shard").read_bytes())
    with pytest.raises(PavilionError, match=r"0001\.shard: games of other seeds"):
        train(path, None)
    shard.write_bytes(content[:-1])
    with pytest.raises(PavilionError, match=r"0001\.shard: damaged"):
        train(path, None)
    other = tmp_path / "other"
    shutil.copytree(path / "shards", other / "shards")
    grey = replace(TINY, board="grey", generations=TINY.generations[:1], finish=None)
    with pytest.raises(PavilionError, match=r"0000\.shard: games of another variant"):
        train(other, grey)


def test_without_the_library_there_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError")
    done = subprocess.run(
        [sys.executable, "-m", "pavilion_ai", "train", "--out", str(tmp_path / "run")],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: training needs the library torch: pip install 'pavilion-ai[train]'"]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("options", "message"), [
    (["--recipe", "nothing"], "no such file, and none of azul-coloured-2"),
    (["--players", "7"], "'7' is not a whole number from 2 to 4"),
    (["--game", "winter"], "game: found 'winter', expected one of"),
    (["--games", "0"], "is not a whole number from 1"),
    (["--cluster", "?"], "cluster '?': expected tcp"),
    (["--start-from", "nothing"], "expected a network to begin with"),
])
def test_bad_options_are_refused_in_one_line(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from pavilion_ai.cli import main

    with pytest.raises(SystemExit) as caught:
        main(["train", "--out", str(tmp_path / "run"), *options])
    assert caught.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("start", "hidden"), [
    ("summer-coloured-2", [256, 64]),
    (str(NETS / "azul-grey-4.net"), [128, 64]),
    ("recipe:summer-grey-2-first", [256, 64]),
], ids=["name", "file", "recipe"])
def test_the_default_recipe_has_room_for_the_network_to_start_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, hidden: list[int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also if the run is broken off before its own games; a recipe that is named stays as it is."""
    from pavilion_ai.cli import main

    def run(training: loop.Training) -> Path:
        done.append(training.recipe)
        if len(done) == 1:
            raise Killed
        if training.folder.path.name == "first":
            shutil.copy(NETS / "summer-grey-2.net", training.folder.result)
        return training.folder.result

    done: list[Recipe] = []
    monkeypatch.setattr(loop.Training, "run", run)
    game = "azul" if "azul" in start else "summer"
    words = ["train", "--out", str(tmp_path / "run"), "--game", game, "--start-from", start,
             "--jobs", "1"]
    with pytest.raises(Killed):
        main(words)
    for _ in range(2):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 0, capsys.readouterr().err
    assert json.loads((tmp_path / "run" / "recipe.json").read_text())["hidden"] == hidden
    with pytest.raises(SystemExit) as caught:
        main([*words[:2], str(tmp_path / "named"), *words[3:], "--recipe", "default"])
    assert caught.value.code == 2
    assert f'; "hidden": {hidden} in the recipe has room for it' in capsys.readouterr().err


def test_the_recipe_of_a_run_does_not_hold_its_first_network(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pavilion_ai.cli import main

    (tmp_path / "other.json").write_text(json.dumps(replace(TINY, start="sha256:ab").to_json()))
    with pytest.raises(SystemExit) as caught:
        main(["train", "--out", str(tmp_path / "run"), "--recipe", str(tmp_path / "other.json")])
    assert caught.value.code == 2
    assert capsys.readouterr().err == (
        "error: start: found 'sha256:ab', which another run began with, expected the network itself"
        " (--start-from)\n")
    assert not (tmp_path / "run").exists()


def test_a_full_disk_is_told_with_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pavilion_ai.cli import main

    out = tmp_path / "run"

    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    def run(training: loop.Training) -> None:
        monkeypatch.setattr(os, "fsync", full)
        training.folder.write({"stage": "play"})

    monkeypatch.setattr(loop.Training, "run", run)
    with pytest.raises(SystemExit) as caught:
        main(["train", "--out", str(out), "--jobs", "1"])
    assert caught.value.code == 1
    assert capsys.readouterr().err.splitlines() == [
        f"note: resume with: pavilion train --out {out}",
        f"error: {out / 'log.jsonl'}: No space left on device"]


def test_an_interrupted_command_says_how_to_go_on(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "pavilion_ai", "train", "--out", str(tmp_path / "run"),
         "--jobs", "1"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not (tmp_path / "run" / "log.jsonl").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert errors.splitlines() == [f"note: resume with: pavilion train --out {tmp_path}/run"]
