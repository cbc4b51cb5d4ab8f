"""The programs of examples/ that learn or play, at toy size."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pavilion_ai.envs.dataset import load
from tests.cli.support import pavilion

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


def output(name: str, *words: object) -> str:
    """Run an example; return what it prints."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, words)], capture_output=True, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_policy_from_a_data_set(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    made = pavilion("dataset", "--out", tmp_path / "data", "--game", "azul", "--games", 70,
                    "--agent", "policy", "--observation", "features", "--seed", 1, "--jobs", 1)
    assert made.exit_code == 0
    lines = output("learn_policy.py", tmp_path / "data", "--epochs", 3).splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "epoch 1", "epoch 2", "epoch 3", "random", "default"]
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in lines[:3]]
    assert losses[2] < losses[0]
    first, second = (part["game"] for part in load(tmp_path / "data"))
    new = (first == 63).sum() + len(second)
    assert lines[2].endswith(f" of {new} new decisions"), "those of the last 7 games of 70"
    assert lines[3].startswith("random: ")


def test_masked_ppo(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("pettingzoo", reason="pettingzoo (extra envs) is not installed")
    made = pavilion("dataset", "--out", tmp_path / "data", "--game", "summer", "--players", 3,
                    "--games", 4, "--agent", "policy", "--observation", "scaled", "--jobs", 1)
    assert made.exit_code == 0
    found = output("masked_ppo.py", "--minutes", 0.01, "--envs", 4, "--turns", 8, "--pairs", 1,
                   "--rivals", "random", "--game", "summer", "--players", 3, "--epochs", 2,
                   "--data", tmp_path / "data", "--out", tmp_path / "ppo.pt")
    losses = [float(line.split("loss ")[1]) for line in found.splitlines()[:2]]
    assert losses[1] < losses[0]
    assert "steps" in found.splitlines()[-1]
    assert "random: " in found
    assert (tmp_path / "ppo.pt").stat().st_size > 10_000


def test_a_tournament_in_openspiel() -> None:
    pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    lines = output("openspiel_tournament.py", "--rounds", 1, "--sims", 2).splitlines()
    assert sorted(line[:16].strip() for line in lines) == [
        "IS-MCTS", "MCTS", "default", "greedy", "uniform random"]
    assert sum(float(line[16:].split(" of ")[0]) for line in lines) == pytest.approx(20, abs=0.3)
