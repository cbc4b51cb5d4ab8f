"""The program that says what longer thinking is worth (bench/choices.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.choices import losses
from bench.measuring import read
from pavilion_ai.games import rules_of
from pavilion_ai.notation import parse_position

ROOT = Path(__file__).parents[2]
TIMES = ("--times", "0.001", "0.02")


def run(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bench.choices", file, "--judge", "500", *TIMES,
                           *options], capture_output=True, text=True, check=False, cwd=ROOT)


def test_losses_are_those_of_a_game() -> None:
    def row(lost: float, choice: str, decisions: float) -> dict[str, Any]:
        return {"times": [0.1, 1.0], "sims": [100, 1000], "decisions": decisions,
                "choices": [choice, "b"], "lost": [lost, 0.0]}

    short, long = losses([row(0.25, "a", 4.0), row(0.0, "b", 6.0)])
    assert short[:4] == (0.1, 100.0, 0.5, 0.5)
    assert short[4] == pytest.approx(1.96 * 0.5)
    assert long == (1.0, 1000.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("variant", [("summer", "2"), ("azul", "3")])
def test_a_file_is_gone_on_with(tmp_path: Path, variant: tuple[str, str]) -> None:
    file = tmp_path / "choices.jsonl"
    options = ("--game", variant[0], "--players", variant[1])
    assert run(file, *options, "--positions", "1").returncode == 0
    first = file.read_text()
    result = run(file, *options, "--positions", "3")
    assert result.returncode == 0
    assert result.stdout.count("ms") == 2
    assert file.read_text().startswith(first)
    rows: list[dict[str, Any]] = read(file, dict)
    assert len({row["seed"] for row in rows}) == len(rows) == 3
    for found in rows:
        position = parse_position(found["position"]).position
        legal = rules_of(position).legal_moves(position)
        assert set(found["choices"]) <= set(legal)
        assert len(legal) > 1
        assert found["lost"][-1] == 0
        assert all(-1 <= lost <= 1 for lost in found["lost"])


def test_other_settings_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "choices.jsonl"
    assert run(file, "--positions", "1").returncode == 0
    for options, what in ((("--game", "azul"), "made with variant"),
                          (("--judge", "9"), "made with judge"),
                          (("--times", "0.002", "0.03"), "made with times"),
                          (("--times", "0.02", "0.001"), "times that grow")):
        result = run(file, *options)
        assert result.returncode == 2
        assert what in result.stderr
        assert "Traceback" not in result.stderr
