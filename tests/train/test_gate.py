"""The match that a new network must not lose."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pavilion_ai.network import NETS
from pavilion_ai.train.gate import run_gate
from pavilion_ai.train.play import Deal, play_deal
from pavilion_ai.train.recipe import Gate, Generation, Recipe
from pavilion_ai.workers import FixedWorkers
from pavilion_ai.workers.local import LocalWorkers


@pytest.mark.parametrize(("players", "bounds", "verdict"), [
    (2, (0, 200), "H1"), (3, (0, 200), "H1"), (4, (0, 200), "H1"), (3, (600, 800), "H0"),
])
def test_a_gate_tests_any_number_of_players(
    players: int, bounds: tuple[float, float], verdict: str
) -> None:
    """A shipped network with a few simulations wins clearly, but not nearly every game."""
    new = (NETS / f"summer-coloured-{players}.net").read_bytes()
    gate, recipe = Gate(pairs=150, sims=8, sprt=bounds), Recipe(players=players)
    seen: list[int] = []

    def run(jobs: int) -> dict[str, Any]:
        with ThreadPoolExecutor(jobs) as pool:
            return run_gate(gate, recipe, 0, new, None, FixedWorkers(pool, jobs), seen.append)

    found = run(2)
    assert (found["verdict"], found["passed"]) == (verdict, verdict == "H1")
    assert 2 < found["deals"] < 150
    assert seen[-1] == found["deals"]
    assert run(1) == found


def test_equal_deals_leave_an_error() -> None:
    """A match that was won in every deal does not show that every deal would be."""
    new = (NETS / "summer-coloured-2.net").read_bytes()
    with ThreadPoolExecutor(1) as pool:
        found = run_gate(Gate(pairs=3, sims=8), Recipe(), 0, new, None, FixedWorkers(pool, 1),
                         lambda number: None)
    assert found["share"] == 1
    assert found["error"] == pytest.approx(3.8415 / (3 + 3.8415), abs=1e-4)


@pytest.mark.parametrize(("share", "passed"), [(0.5, True), (0.49, False)])
def test_without_a_test_the_fair_share_passes(
    monkeypatch: pytest.MonkeyPatch, share: float, passed: bool
) -> None:
    monkeypatch.setattr("pavilion_ai.train.gate.play_deal",
                        lambda _: ((share, share), (90.0, 100.0), (80.0, 60.0)))
    with ThreadPoolExecutor(1) as pool:
        found = run_gate(Gate(pairs=3, sims=8), Recipe(), 0, b"", None, FixedWorkers(pool, 1),
                         lambda number: None)
    assert (found["share"], found["passed"]) == (share, passed)
    assert (found["score"], found["score_of_others"]) == (95, 70)


@pytest.mark.parametrize("pairs", [10, 50, 100])
def test_a_third_is_the_fair_share_of_three(monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    monkeypatch.setattr("pavilion_ai.train.gate.play_deal",
                        lambda _: ((1.0, 0.0, 0.0), (90.0,) * 3, (80.0,) * 3))
    with ThreadPoolExecutor(1) as pool:
        assert run_gate(Gate(pairs=pairs, sims=8), Recipe(players=3), 0, b"", None,
                        FixedWorkers(pool, 1), lambda number: None)["passed"]


@pytest.mark.parametrize("players", [2, 3])
def test_a_deal_has_the_same_draws_from_every_seat(
    monkeypatch: pytest.MonkeyPatch, players: int
) -> None:
    """So one network, whose searches have equal seeds, plays the same game from each."""
    monkeypatch.setattr("pavilion_ai.train.play.training_seed", lambda *_: 5)
    net = (NETS / f"azul-coloured-{players}.net").read_bytes()
    points, own, others = play_deal(Deal("azul", "coloured", players, 7, net, net, 2, {}))
    assert sum(points) == 1
    assert others == pytest.approx([(sum(own) - score) / (players - 1) for score in own])


def test_deals_of_a_gate_can_be_sent_to_another_process() -> None:
    new = (NETS / "summer-coloured-2.net").read_bytes()
    recipe = Recipe(generations=(Generation(tunables={"mixed": 0.1}),))
    with LocalWorkers(1) as workers:
        found = run_gate(Gate(pairs=2, sims=2), recipe, 0, new, None, workers, lambda number: None)
    assert found["deals"] == 2
