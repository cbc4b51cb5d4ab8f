"""A search begun again in the memory of the last one is like a new one."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher

from .networks import network
from .support import EVERY_VARIANT, opening, search, walk


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_restart_is_as_good_as_new(game: str, players: int, grey: bool, net: Any) -> None:
    states = list(walk(players, grey, 40, game))[::8]
    kept = search(states[0], network=net)
    kept.run(300)
    for number, state in enumerate(states):
        assert kept.restart(state, seed=number, stream=1)
        assert kept.sims == 0
        kept.run(200)
        new = search(state, seed=number, network=net, stream=1)
        new.run(200)
        assert kept.rows() == new.rows()
        assert kept.root_stats() == new.root_stats()


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_the_other_side_of_the_board_is_seen_anew(game: str) -> None:
    """What the network saw of boards without tiles, and of hands, does not hold on another side."""
    net = network(game, 2)
    kept = search(next(iter(walk(2, False, 1, game))), network=net)
    kept.run(100)
    other = next(iter(walk(2, True, 1, game)))
    assert kept.restart(other, seed=3)
    kept.run(200)
    new = search(other, seed=3, network=net)
    new.run(200)
    assert kept.rows() == new.rows()


def test_restart_refuses_what_it_was_not_made_for() -> None:
    states: dict[tuple[str, int], Any] = {
        (game, players): next(iter(walk(players, False, 1, game)))
        for game in ("summer", "azul") for players in (2, 3)}
    tree = search(states["summer", 2])
    tree.run(50)
    rows = tree.rows()
    assert not tree.restart(states["azul", 2], seed=1)
    assert not tree.restart(states["summer", 3], seed=1)
    assert tree.rows() == rows


@pytest.mark.parametrize("reuse", [False, True])
def test_a_searcher_may_change_variants_and_limits(reuse: bool) -> None:
    searcher = Searcher("test", reuse=reuse)
    for game, players, threads, memory in [
        ("summer", 2, 1, 16), ("summer", 2, 1, 8), ("azul", 3, 1, 8), ("azul", 3, 2, 8),
        ("summer", 2, 2, 8), ("summer", 2, 2, 8), ("summer", 4, 1, 8),
    ]:
        position = opening(players=players, game=game)
        limits = Limits(sims=200, memory_mib=memory)
        found = searcher.analyse(Play(position), limits, threads, seed=3)
        alone = Searcher("test").analyse(Play(position), limits, threads, seed=3)
        if not reuse and threads == 1:
            assert [(m.move, m.visits) for m in found.moves] == [
                (m.move, m.visits) for m in alone.moves]
        assert found.sims == 200
