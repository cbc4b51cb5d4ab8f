"""Several threads search one tree: nothing is lost or counted twice, and they find the same."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pavilion_ai._core import SMALLEST_ARENA, Search
from pavilion_ai.agents import make_agent
from pavilion_ai.limits import Limits
from pavilion_ai.network import shipped
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher, tunables_for
from tests.clocks import idle_lateness

from .support import EVERY_VARIANT, opening, position_of, states, with_unknown_bag

every_variant = pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)


def tree_of(state: Any, threads: int, memory: int = 1 << 24, **changes: Any) -> Search:
    """Return a tree of the package's agent with its network."""
    position = position_of(state)
    network = shipped(*position.variant)
    play = Play(position)
    return Search(state, seed=1, threads=threads, memory_bytes=memory, network=network,
                  **{**tunables_for(play.rules, network), **changes})


@contextmanager
def helped(tree: Search, threads: int) -> Iterator[None]:
    """Let threads help inside the block."""
    tree.open_team()
    helpers = [threading.Thread(target=tree.assist) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    try:
        yield
    finally:
        tree.close_team()
        for helper in helpers:
            helper.join(10)
    assert not any(helper.is_alive() for helper in helpers)


def check_sums(tree: Search, sims: int) -> None:
    """Every simulation was counted once, at the root and at one of its moves."""
    root, rows = tree.root_stats(), tree.rows()
    assert tree.sims == root.visits == sims
    assert sum(row.visits for row in rows) == sims
    for row in [root, *rows]:
        assert sum(row.wins) == pytest.approx(row.visits, abs=1e-6)
        assert 0 <= row.value <= row.visits
    for whole, parts in ((root.wins, [row.wins for row in rows]),
                         (root.scores, [row.scores for row in rows])):
        assert whole == pytest.approx([sum(column) for column in zip(*parts, strict=True)])


@every_variant
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_every_simulation_counts_once(game: str, players: int, grey: bool, threads: int) -> None:
    """Past deals too, and with an arena that is pruned time and again."""
    for state in states(players, grey, 5, round=2, choices=4, game=game)[::9]:
        for memory in (1 << 24, 1 << 18):
            tree = tree_of(state, threads, memory, deal_visits=5, deal_spread=1)
            with helped(tree, threads):
                done = [tree.run(sims) for sims in (1, 700, 1300)]
            assert done == [1, 700, 1300]
            check_sums(tree, 2001)
            assert tree.memory_used <= memory


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_the_others_do_their_part(game: str) -> None:
    tree = tree_of(states(2, False, 5, round=2, choices=4, game=game)[3], 3, 1 << 22)
    until = time.monotonic() + 20
    with helped(tree, 3):
        while tree.helped < 1000 and time.monotonic() < until:
            tree.run(5000)
    assert 1000 <= tree.helped <= tree.sims
    alone = tree.helped
    tree.run(100)
    assert tree.helped == alone


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_the_root_stays_as_long_as_others_hold_it(game: str) -> None:
    """A thread that rests reads it when the next search begins."""
    state = states(2, False, 5, round=2, choices=4, game=game)[3]
    tree = tree_of(state, 2, 1 << 20)
    with helped(tree, 2):
        with pytest.raises(ValueError, match="at work"):
            until_it_works(tree)
        for change in (lambda: tree.advance(state, seed=2), lambda: tree.restart(state, seed=2),
                       lambda: tree.expect(0.5)):
            with pytest.raises(ValueError, match="this team is at work"):
                change()
        assert tree.run(50) == 50
    assert tree.restart(state, seed=2)


@every_variant
def test_the_smallest_arena(game: str, players: int, grey: bool) -> None:
    state = states(players, grey, 5, round=2, choices=4, game=game)[3]
    tree = tree_of(state, 4, SMALLEST_ARENA)
    with helped(tree, 4):
        assert tree.run(1000) == 1000
    assert tree.root_stats().visits == 1000


def test_sums_without_room_are_not_added_to_the_next_search() -> None:
    """The smallest arena has room for the sums of a hundred nodes."""
    state = states(2, False, 5, round=2, choices=4, game="summer")[0]
    tree = tree_of(state, 2, SMALLEST_ARENA, stats_depth=600, share=0)
    for sims in (3000, 20):
        with helped(tree, 2):
            tree.run(sims)
        for row in tree.rows():
            assert sum(row.wins) < row.visits + 1e-6
        assert tree.restart(state, seed=1)


@pytest.mark.parametrize("changes", [{"stats_depth": 600, "share": 0}, {"uniform": 1},
                                     {"rivals": 1.0}, {"rivals": 1.0, "plain": 1}], ids=str)
@pytest.mark.parametrize("game", ["summer", "azul"])
def test_other_kinds_of_search(game: str, changes: dict[str, Any]) -> None:
    state = states(3, True, 7, round=2, choices=4, game=game)[5]
    tree = tree_of(state, 3, **changes)
    with helped(tree, 3):
        assert tree.run(900) == 900
    check_sums(tree, 900)


@every_variant
def test_they_find_what_one_finds(game: str, players: int, grey: bool) -> None:
    """Also where the contents of the bag are not known, and from any position of a game."""
    sums = [0.0, 0.0]
    for state in states(players, grey, 4, round=3, choices=5, game=game)[::12]:
        play = Play(position_of(state))
        alone = Searcher("x").analyse(play, Limits(sims=2000))
        together = Searcher("x").analyse(play, Limits(sims=2000), threads=2)
        assert together.sims == together.root.visits == 2000
        apart = [abs(one - other) for one, other
                 in zip(alone.root.win_prob, together.root.win_prob, strict=True)]
        assert max(apart) < 0.15
        sums[0] += max(apart)
        sums[1] += 1
    assert sums[0] < 0.03 * sums[1]


def test_exact_values_are_the_same() -> None:
    """An end of a game that is counted out."""
    state = states(2, False, 3, round=5, choices=2, game="azul")[-1]
    play = Play(position_of(state))
    alone = Searcher("x").analyse(play, Limits(sims=3000))
    together = Searcher("x").analyse(play, Limits(sims=3000), threads=3)
    assert together.best.move == alone.best.move
    assert together.best.win_prob == pytest.approx(alone.best.win_prob, abs=0.01)


def test_interim_reports_hold() -> None:
    """While the leader rests nobody searches."""
    reports: list[int] = []

    stop = threading.Event()

    def report(analysis: Any) -> None:
        before = analysis.root.visits, sum(move.visits for move in analysis.moves)
        time.sleep(0.002)
        assert before == (analysis.sims, analysis.sims)
        reports.append(analysis.sims)
        if len(reports) == 8:
            stop.set()

    Searcher("x").analyse(Play(opening()), Limits(seconds=60), threads=3, on_progress=report,
                          report_every=0.01, stop=stop)
    assert len(reports) == 8
    assert reports == sorted(reports)


@pytest.mark.release_only
def test_a_time_limit_is_kept() -> None:
    searcher = make_agent("ismcts")
    searcher.analyse(Play(opening()), Limits(sims=10), threads=2)
    late = []
    for _ in range(10):
        began = time.monotonic()
        searcher.analyse(Play(opening()), Limits(seconds=0.05), threads=2)
        late.append(time.monotonic() - began - 0.05)
    assert sorted(late)[2] < 0.05 + 10 * idle_lateness()  # a busy machine is late now and then


def test_stopped_and_going_on() -> None:
    tree = tree_of(states(2, False, 5, round=2, choices=4)[3], 3)
    with helped(tree, 3):
        timer = threading.Timer(0.05, tree.stop)
        timer.start()
        first = tree.run(1 << 60)
        tree.resume()
        assert tree.run(500) == 500
    check_sums(tree, first + 500)


def test_threads_that_are_not_of_the_team() -> None:
    tree = tree_of(states(2, False, 5, round=2, choices=4)[3], 2)
    with helped(tree, 2):
        with pytest.raises(ValueError, match="at work"):
            until_it_works(tree)
        with pytest.raises(ValueError, match="no place for another thread"):
            tree.assist()
    tree.open_team()
    tree.close_team()
    tree.assist()  # closed: it returns


def until_it_works(tree: Search) -> None:
    """Open a team until the thread that was started is at work for it."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        tree.open_team()
        time.sleep(0.001)


def test_a_bag_of_unknown_contents() -> None:
    state = with_unknown_bag(states(2, False, 5, round=2, choices=4)[3])
    tree = tree_of(state, 2, deal_visits=4, deal_spread=1)
    with helped(tree, 2):
        assert tree.run(3000) == 3000
    check_sums(tree, 3000)
