"""What a search does when its arena is full: it drops what was visited least, and goes on."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pavilion_ai._core import Search
from pavilion_ai.games import GAMES
from pavilion_ai.network import shipped
from pavilion_ai.search import tunables_for
from pavilion_ai.tunables import WHOLE_TREE

from .networks import searched as searched_with_network
from .support import EVERY_VARIANT, position_of, search, states

every_game = pytest.mark.parametrize("game", GAMES)

SMALL = 1 << 18
"""Bytes of an arena that some hundred simulations fill."""
APART = {"summer": 0.12, "azul": 0.35}
"""Mean share of the visits that may go to other moves; 0.18 and 0.51 if a full tree only stays."""


def middle(game: str, players: int = 2, grey: bool = False) -> Any:
    """Return a state of the second round with many moves."""
    some = states(players, grey, 5, round=2, choices=8, game=game)
    return some[len(some) // 2]


def by_default(state: Any, memory: int) -> Search:
    """Return a tree of the package's agent with its network."""
    position = position_of(state)
    network = shipped(*position.variant)
    return Search(state, seed=1, memory_bytes=memory, network=network,
                  **tunables_for(GAMES[position.game], network))


def pruned(tree: Search, times: int = 1, sims: int = 100_000) -> int:
    """Search until a tree was pruned so often; return the number of simulations."""
    for _ in range(sims):
        nodes = tree.nodes
        tree.run(1)
        times -= tree.nodes < nodes
        if not times:
            return tree.sims
    pytest.fail("the tree was not pruned")


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
@pytest.mark.parametrize("networked", [False, True])
def test_a_full_tree_is_pruned_and_grows_again(
        game: str, players: int, grey: bool, networked: bool) -> None:
    state = middle(game, players, grey)
    tree = (searched_with_network if networked else search)(state, memory_bytes=SMALL, seed=1)
    for _ in range(3):
        nodes, before = 0, {}
        while tree.nodes >= nodes:
            nodes, before = tree.nodes, {row[0]: row for row in tree.rows()}
            tree.run(1)
        assert tree.nodes < 0.6 * nodes
        after = {row[0]: row for row in tree.rows()}
        assert list(after) == list(before)
        changed = [move for move, row in after.items() if row != before[move]]
        assert len(changed) == 1, "one simulation changes one move of the root"
        assert after[changed[0]][1] == before[changed[0]][1] + 1
        assert sum(row[1] for row in after.values()) == tree.sims


@every_game
def test_the_most_visited_line_survives(game: str) -> None:
    tree = by_default(middle(game), SMALL)
    for _ in range(5):
        pruned(tree)
        favourite = max(tree.rows(), key=lambda row: row[1])
        assert len(tree.line(favourite[0])) > 1


@every_game
def test_a_pruned_search_judges_as_one_with_room(game: str) -> None:
    apart, seen = 0.0, 0
    for seed in range(4):
        for state in states(2, False, seed, round=2, choices=12, game=game)[:2]:
            small, large = by_default(state, 1 << 19), by_default(state, 1 << 26)
            for tree in (small, large):
                tree.run(8000)
            assert small.memory_used < large.memory_used / 4
            visits = [{row[0]: row[1] / tree.sims for row in tree.rows()}
                      for tree in (small, large)]
            apart += sum(abs(share - visits[1][move]) for move, share in visits[0].items()) / 2
            seen += 1
    assert apart / seen < APART[game]


@every_game
def test_pruned_searches_repeat(game: str) -> None:
    first, second = (by_default(middle(game), SMALL) for _ in range(2))
    first.run(4000)
    for _ in range(40):
        second.run(100)
    assert first.rows() == second.rows()
    assert first.nodes == second.nodes


@every_game
def test_a_tree_to_be_reused_is_pruned_with_its_statistics(game: str) -> None:
    state = middle(game)
    tree = search(state, memory_bytes=SMALL, stats_depth=WHOLE_TREE)
    pruned(tree, 2)
    rows = tree.rows()
    for row in rows:
        assert sum(row[4]) == pytest.approx(row[1])
    favourite = max(rows, key=lambda row: row[1])
    after = state.copy()
    after.apply(favourite[0])
    assert tree.advance(after, seed=1)
    assert (tree.root_stats()[1], tree.root_stats()[4]) == (favourite[1], favourite[4])
    pruned(tree)
    assert tree.root_stats()[1] == favourite[1] + tree.sims


@every_game
def test_what_does_not_hang_below_the_root_takes_no_room(game: str) -> None:
    """After an unexpected move nearly all of the tree is lost: what is left of it is kept whole."""
    kept = 0
    for state in states(2, False, 5, round=2, choices=12, game=game)[:4]:
        tree = by_default(state, 1 << 20)
        while tree.nodes * 40 < (1 << 20) * 0.5:
            tree.run(20)
        nodes = tree.nodes
        unexpected = min((row for row in tree.rows() if row[1] > 5), key=lambda row: row[1])
        state.apply(unexpected[0])
        assert tree.advance(state, seed=1)
        for move, visits, *_ in tree.rows() if tree.nodes < nodes / 2 else ():
            if visits > 1:
                assert len(tree.line(move)) > 1, (move, visits)
                kept += 1
    assert kept > 5


def test_there_is_no_pruning_shortly_before_a_deadline() -> None:
    free, hurried = (by_default(middle("azul"), 1 << 22) for _ in range(2))
    sims = pruned(free)
    hurried.run(sims - 1)
    nodes = hurried.nodes
    hurried.set_deadline(time.monotonic() + 1e-4)
    hurried.run(1 << 40)
    assert hurried.nodes >= nodes
    hurried.set_deadline(0)
    hurried.run(64)
    assert hurried.nodes < 0.6 * nodes


def test_a_search_that_was_stopped_before_leaves_a_full_tree_as_it_is() -> None:
    free, stopped = (by_default(middle("azul"), SMALL) for _ in range(2))
    stopped.run(pruned(free) - 1)
    nodes = stopped.nodes
    stopped.stop()
    assert stopped.run(1000) == 0
    assert stopped.nodes == nodes
