"""The benchmark command's numbers and signature."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pavilion_ai import bench
from pavilion_ai._core import Network
from pavilion_ai.games import GAMES, Rules, variants
from pavilion_ai.search import tunables_for
from pavilion_ai.tunables import Tunables

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def signature() -> str:
    return bench.signature()


def test_report(signature: str) -> None:
    started = time.monotonic()
    report = bench.run_bench(0.6)
    assert time.monotonic() - started < 20
    assert set(report) == {"signature", "machine", "version", "results"}
    assert report["signature"] == signature
    results = report["results"]
    assert isinstance(results, dict)
    assert list(results) == [
        f"{game.name}/{board}/{players}"
        for game in GAMES.values() for board in game.boards for players in (2, 3, 4)]
    for row in results.values():
        assert set(row) == {f"{key}_per_second" for key in ("random_games", "plies", "sims")} | {
            "sims_per_second_linear"}
        assert all(rate > 0 for rate in row.values())
        assert 60 < row["plies_per_second"] / row["random_games_per_second"] < 300
        assert row["random_games_per_second"] > 100
        assert row["sims_per_second"] > 50
        assert row["sims_per_second_linear"] > 50


def test_hardly_any_time_still_measures_everything() -> None:
    results = bench.run_bench(0.001)["results"]
    assert isinstance(results, dict)
    assert all(rate > 0 for row in results.values() for rate in row.values())


def test_a_search_is_more_than_the_making_of_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []

    class Late:
        """A search that is over when its time is, as one that began too late."""

        def run(self, sims: int, ends: float | None = None) -> int:
            ran.append(0 if ends else sims)
            return ran[-1]

    monkeypatch.setattr(bench, "_tree", lambda *arguments: Late())
    rules, board, players = next(variants())
    state = bench._opening(rules, board, players)
    assert bench._search_speed(rules, state, None, -1.0) > 0
    assert sum(ran) / (len(ran) / 2) >= 500


def test_machine_is_one_line() -> None:
    assert re.fullmatch(r"[^\n]+, \d+ cores, \w+ 3\.\d+\.\S+ \([^\n]*\), \S+ \S+", bench.machine())


def test_signature_is_the_same_everywhere(signature: str) -> None:
    assert re.fullmatch("[0-9a-f]{8}", signature)
    assert bench.signature() == signature
    code = "from pavilion_ai.bench import signature; print(signature())"
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, text=True, check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}, timeout=120)
    assert other.stdout.strip() == signature


def test_signature_is_the_one_written_down(signature: str) -> None:
    assert (ROOT / "bench" / "signature.txt").read_text().strip() == signature


@pytest.mark.parametrize("changed", [False, True], ids=["linear", "network"])
def test_signature_notices_another_search(
    changed: bool, signature: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tunables(game: Rules, network: Network | None = None) -> Tunables:
        usual = tunables_for(game, network)
        if (network is not None) == changed:
            return replace(usual, exploration=usual.exploration * 0.99)
        return usual

    monkeypatch.setattr(bench, "tunables_for", tunables)
    assert bench.signature() != signature


def test_signature_depends_on_no_shipped_network(
    signature: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "shipped", lambda *variant: 1 / 0)
    assert bench.signature() == signature


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_signed_networks_tell_positions_and_moves_apart(game: Rules, players: int) -> None:
    network = bench._random_network(game, players)
    opening = bench._opening(game, game.boards[0], players)
    states = [bench._walk(opening, seed, players) for seed in bench.SIGNED_SEEDS]
    values = [network.evaluate(state.inputs(), 0, 3 * players) for state in states]
    tables = [network.policy_table(state.inputs()) for state in states]
    assert len({tuple(row) for row in values}) == len(states)
    assert all(abs(value) < 16 << 22 for row in values for value in row)
    assert all(len(set(table)) > 50 and max(map(abs, table)) < 8 * 256 for table in tables)


def test_signed_positions_cover_the_game() -> None:
    kinds = set()
    for game, board, players in variants():
        opening = bench._opening(game, board, players)
        for seed in bench.SIGNED_SEEDS:
            state = bench._walk(opening, seed, players)
            kinds.add((game.name, state.round, state.phase))
    for name, phases, rounds in (("summer", {0, 1, 2}, 6), ("azul", {0, 1}, 5)):
        assert {phase for game, _, phase in kinds if game == name} == phases
        assert {number for game, number, _ in kinds if game == name} >= {*range(1, rounds + 1)}
    assert len(list(variants())) * len(bench.SIGNED_SEEDS) >= 80
