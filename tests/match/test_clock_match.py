"""Matches in processor time (bench/clock_match.py)."""

from __future__ import annotations

import time

import pytest

from bench import clock_match
from pavilion_ai.analysis import Limits
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_tree_has_the_time_of_the_first_one(
        monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    for owner, name, instead in clock_match.INSTEAD:
        monkeypatch.setattr(owner, name, instead)
    play = Play.new("azul", players=2, seed=1)
    searcher = Searcher("default")
    searcher.decide(play, Limits(sims=10 * threads), threads)  # what a first search has to load
    spent, counted = time.process_time(), clock_match.ProcessorTime.monotonic()
    searcher.decide(play, Limits(seconds=0.2), threads)
    spent = time.process_time() - spent
    counted = clock_match.ProcessorTime.monotonic() - counted
    assert counted == pytest.approx(0.2, rel=0.25)
    assert spent == pytest.approx(threads * counted, rel=0.25)
    (kept,) = searcher._kept
    first, *others = [tree.sims for tree in kept.trees]
    assert all(first / 2 < sims < 2 * first for sims in others)
