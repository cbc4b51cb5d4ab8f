"""The program that says what longer thinking is worth (bench/choices.py)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import choices
from bench.choices import losses
from bench.measuring import read
from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher

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


def test_an_open_end_is_no_end(tmp_path: Path) -> None:
    """Of the rating of an agent that lost every game, and of one that won every one."""
    pytest.importorskip("matplotlib")
    ends = {1: (None, -50.0), 2: (-20.0, 60.0), 4: (130.0, None), 8: (None, None)}
    entrants = [{"spec": f"default:time={time}",
                 "rating": {"value": 100.0 * (time - 2), "low": low, "high": high}}
                for time, (low, high) in ends.items()]
    file = tmp_path / "report.json"
    file.write_text(json.dumps({"entrants": entrants, "event": {"settings": {
        "game": "azul", "board": "grey", "players": 2}}}))
    told = subprocess.run(
        [sys.executable, "-m", "bench.thinking_time", file, tmp_path / "plot.svg"],
        capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert told.splitlines()[2:] == [
        "| 1 | +0 | at most +50 |", "| 2 | +100 | +80 to +160 |", "| 4 | +300 | at least +230 |",
        "| 8 | +700 | not known |"]


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
    for options, code, what in ((("--game", "azul"), 1, "made with variant"),
                                (("--judge", "9"), 1, "made with judge"),
                                (("--times", "0.002", "0.03"), 1, "made with times"),
                                (("--times", "0.02", "0.001"), 2, "times that grow")):
        result = run(file, *options)
        assert result.returncode == code
        assert what in result.stderr
        assert "Traceback" not in result.stderr


def test_the_judge_says_what_suggest_says() -> None:
    play = Play.new("azul", board="grey", players=3, seed=5)
    state, move = play.state, play.state.moves()[0]
    found = Searcher("default").analyse(play, Limits(sims=300), seed=5,
                                        only=[play.rules.move_text(play.position, move)])
    worth = choices.Thinker("azul", "grey", 3).worth(state, move, 5, 300)
    assert worth == pytest.approx(found.root.win_prob[state.to_move])


def test_the_judge_shares_no_seed_with_whom_it_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    thinker, seeds = choices.Thinker("azul", "grey", 2), list[int]()
    state = GAMES["azul"].to_core(GAMES["azul"].new("grey", 2, 5))
    search, moves = thinker.search, iter(state.moves())

    def followed(state: Any, seed: int) -> Any:
        seeds.append(seed)
        return search(state, seed)

    monkeypatch.setattr(thinker, "search", followed)
    monkeypatch.setattr(thinker, "decisions", lambda _: [state])
    monkeypatch.setattr(choices, "thinker_for", lambda *_: thinker)
    monkeypatch.setattr(choices, "favourite", lambda _: next(moves))
    choices.study(("azul", "grey", 2), (0.001, 0.001), 10, 5)
    assert len(seeds) == 4
    assert not {*seeds[:2]} & {*seeds[2:]}
