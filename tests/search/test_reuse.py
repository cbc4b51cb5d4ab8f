"""Reuse of the tree: kept after decisions, dropped after draws, never growing without end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from pavilion_ai._core import Rng
from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.analysis import Analysis
from pavilion_ai.envs.guided import Guided, Leaves
from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.search import _Run
from tests.plays import turns

from .support import (
    DRAFT,
    EVERY_VARIANT,
    PLACE,
    STATES,
    WALL,
    opening,
    position_of,
    search,
    states,
    strangers,
)

SIMS = 400

every_game = pytest.mark.parametrize("game", GAMES)


def even(leaves: Leaves) -> Any:
    """Tell an evaluation of one's own nothing."""
    return np.full((len(leaves), 2), 0.5), np.zeros(leaves.masks.shape)


def following(state: Any) -> Any:
    """Return the state after the most visited move of a search, None if tiles are then drawn."""
    tree = search(state)
    tree.run(SIMS)
    after = state.copy()
    after.apply(max(tree.rows(), key=lambda row: row[1])[0])
    return after if after.to_move >= 0 and len(after.moves(True)) > 1 else None


@pytest.mark.parametrize(("game", "players", "grey", "phase"), [
    (*variant, phase) for phase in (DRAFT, PLACE) for variant in EVERY_VARIANT
    if phase == DRAFT or variant[0] == "summer" or variant[2]
])
def test_advance_keeps_what_was_searched(game: str, players: int, grey: bool, phase: int) -> None:
    """Phase 1 is `place`, and the choice of columns (WALL) on the grey wall of base Azul."""
    kept = 0
    some = states(players, grey, 31, phase=phase, choices=3, game=game)
    for state in some[:: 6 if phase != WALL or game == "summer" else 1]:
        after = following(state)
        if after is None:
            continue
        tree = search(state)
        tree.run(SIMS)
        move = max(tree.rows(), key=lambda row: row[1])
        nodes = tree.nodes
        if not tree.advance(after, seed=9):
            assert move[1] < 3
            continue
        kept += 1
        assert 1 < tree.nodes < nodes
        assert tree.sims == 0
        # What the child had collected is now the root's; its first visit came before it had
        # children, so these have one less.
        root, rows = tree.root_stats(), tree.rows()
        assert root[1:3] == move[1:3]
        assert root[4:] == move[4:]
        assert 0 <= root[1] - sum(row[1] for row in rows) <= 1
        assert {row[0] for row in rows} <= set(after.moves(True))
        assert sum(row[3] for row in rows) == pytest.approx(1, abs=1e-5)
        for row in rows:
            assert sum(row[4]) == pytest.approx(row[1])
            replay = after.copy()
            for step in tree.line(row[0]) if row[1] else []:
                replay.apply(step)
        tree.run(100)
        assert tree.root_stats()[1] == root[1] + 100
    assert kept


@every_game
def test_advance_by_several_decisions(game: str) -> None:
    state = states(2, False, 31, round=1, phase=DRAFT, choices=4, game=game)[3]
    tree = search(state)
    tree.run(20_000)
    line = tree.line(max(tree.rows(), key=lambda row: row[1])[0])
    assert len(line) >= 2
    after = state.copy()
    for move in line[:2]:
        after.apply(move)
    assert tree.advance(after, seed=1)
    assert tree.root_stats()[1] > 1
    assert {row[0] for row in tree.rows()} == set(after.moves(True))


@every_game
def test_advance_to_the_same_position(game: str) -> None:
    state = states(2, False, 31, choices=4, game=game)[3]
    tree = search(state)
    tree.run(300)
    rows = tree.rows()
    assert tree.advance(state, seed=1)
    assert tree.rows() == rows
    tree.run(100)
    assert tree.root_stats()[1] == 400


@every_game
def test_advance_refuses_strangers(game: str) -> None:
    state = states(2, False, 31, round=1, choices=4, game=game)[0]
    tree = search(state)
    tree.run(300)
    rows = tree.rows()
    for other in strangers(game):
        assert not tree.advance(other, seed=1)
        assert tree.rows() == rows
    assert tree.run(10) == 10


def test_advance_refuses_after_a_draw() -> None:
    """Where tiles were drawn the tree below is an average over other draws."""
    drawn = 0
    for state in states(2, True, 33, phase=PLACE, choices=3):
        for move in state.moves(True):
            after = state.copy()
            after.apply(move)
            if after.phase == 2:
                after.apply(after.moves()[0])
            if after.to_move >= 0:
                continue
            after.draw(Rng(1))
            if after.to_move < 0:
                continue
            tree = search(state)
            tree.run(200)
            assert not tree.advance(after, seed=1)
            drawn += 1
            break
    assert drawn >= 3


def test_advance_refuses_after_a_deal() -> None:
    """Base Azul: the next round's first draft is not looked for below the last draft of a round."""
    dealt = 0
    for state in states(2, False, 33, choices=1, game="azul"):
        after = state.copy()
        after.apply(state.moves()[0])
        if after.to_move >= 0 or after.over:
            continue
        tree = search(state)
        tree.run(200)
        after.draw(Rng(1))
        assert not tree.advance(after, seed=1)
        assert tree.root_stats()[1] == 200
        dealt += 1
    assert dealt >= 4


def test_advance_from_the_draft_to_the_columns() -> None:
    """Base Azul, grey wall: the last draft of a round and the columns after it are one tree."""
    moved = 0
    for state in states(2, True, 33, phase=DRAFT, choices=1, game="azul"):
        after = following(state)
        if after is None or after.phase != WALL:
            continue
        tree = search(state)
        tree.run(SIMS)
        visits = max(row[1] for row in tree.rows())
        assert tree.advance(after, seed=1)
        assert tree.root_stats()[1] == visits
        assert {row[0] for row in tree.rows()} == set(after.moves())
        moved += 1
    assert moved >= 2


@pytest.mark.parametrize("players", [2, 3])
@every_game
def test_advance_keeps_deals_that_moved(game: str, players: int) -> None:
    """A node between two rounds gets a larger block for its deals, behind what is below them."""
    moved = 0
    for state in states(players, True, 34, round=2, choices=2, game=game)[-12:]:
        tree = search(state, deal_visits=1, deal_spread=1)
        tree.run(3000)
        move, after = max(tree.rows(), key=lambda row: row[1]), state.copy()
        after.apply(move[0])
        if after.to_move < 0 or not tree.advance(after, seed=1):
            continue
        rows = tree.rows()
        assert tree.root_stats()[1:3] == move[1:3]
        assert sum(row[1] for row in rows) in (move[1], move[1] - 1)
        nodes = tree.nodes
        tree.run(1000)
        assert tree.root_stats()[1] == move[1] + 1000
        assert tree.nodes > nodes
        moved += 1
    assert moved > 3


def check(analysis: Analysis, position: Position) -> None:
    legal = rules_of(position).legal_moves(position)
    assert {move.move for move in analysis.moves} <= set(legal)
    visits = sum(move.visits for move in analysis.moves)
    assert 0 <= analysis.root.visits - visits <= analysis.threads
    assert analysis.root.visits >= analysis.sims
    assert math.isclose(sum(analysis.root.win_prob), 1, abs_tol=1e-9)
    assert all(0 <= move.win_prob <= 1 for move in analysis.moves)


def play_on(position: Position, agent: Agent, threads: int) -> tuple[int, int, int]:
    """Play a game by the agent's moves; return (searches, those that kept a tree, most visits)."""
    searches = kept = most = 0
    for play in turns(Play(position), Rng(3)):
        analysis = agent.analyse(
            play, Limits(sims=60, memory_mib=4), threads=threads, seed=searches)
        check(analysis, play.position)
        searches += 1
        kept += analysis.root.visits > analysis.sims
        most = max(most, analysis.root.visits)
        play.push(analysis.best.move)
    return searches, kept, most


@every_game
@pytest.mark.parametrize(("players", "board"), [(2, "coloured"), (3, "grey")])
@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.release_only), 2])
def test_a_whole_game_with_reuse(players: int, board: str, threads: int, game: str) -> None:
    start = opening(players, board, game=game)
    searches, kept, most = play_on(start, make_agent("ismcts:reuse=1"), threads)
    assert searches > 45
    assert kept > searches / 4
    assert most < 60 * searches
    _, kept, most = play_on(start, make_agent("ismcts:reuse=0"), threads)
    assert (kept, most) == (0, 60)


@every_game
def test_memory_does_not_grow_over_a_game(game: str) -> None:
    """A tree that is moved on and on stays within its arena and frees what it leaves behind."""
    rng = Rng(1)
    state = STATES[game].new(2, False, 0, rng)
    memory = 1 << 18
    tree = search(state, memory_bytes=memory)
    moved = fresh = 0
    while True:
        tree.run(300)
        assert tree.memory_used <= memory
        move = max(tree.rows(), key=lambda row: row[1])[0]
        state.apply(move)
        while state.to_move < 0 and not state.over:
            state.draw(rng)
        if state.to_move < 0:
            break
        used = tree.memory_used
        if tree.advance(state, seed=fresh):
            moved += 1
            assert tree.memory_used < used
        else:
            fresh += 1
            tree = search(state, memory_bytes=memory)
    assert moved > 20
    assert fresh > 3


@every_game
def test_reuse_ends_with_the_game(game: str) -> None:
    agent, start = make_agent("ismcts:reuse=1,sims=100"), opening(game=game)
    assert agent.analyse(Play(start)).root.visits == 100
    assert agent.analyse(Play(start)).root.visits == 200
    assert agent.analyse(Play(opening(seed=2, game=game))).root.visits == 100
    assert agent.analyse(Play(start)).root.visits == 100


def test_reuse_does_not_mix_games() -> None:
    agent = make_agent("ismcts:reuse=1,sims=100")
    for _ in range(2):
        for game in GAMES:
            assert agent.analyse(Play(opening(game=game))).root.visits == 100


def test_reuse_with_another_number_of_threads_starts_anew() -> None:
    agent = make_agent("ismcts:reuse=1,sims=100,memory=4")
    assert agent.analyse(Play(opening()), threads=2).root.visits == 100
    assert agent.analyse(Play(opening()), threads=1).root.visits == 100


@pytest.mark.parametrize("spec", ["default", "default:level=3", "guided"])
def test_a_closed_agent_keeps_no_tree(spec: str) -> None:
    agent = Guided(even) if spec == "guided" else make_agent(spec)
    play = Play(opening(game="azul"))
    with agent:
        first = agent.choose(play, Limits(sims=20))
        inner = agent._searcher  # type: ignore[attr-defined]
        kept = getattr(inner, "_searcher", inner)._kept
        assert kept
    assert not kept
    assert agent.choose(play, Limits(sims=20)) == first


@pytest.mark.parametrize("spec", ["default", "default:level=3"])
@pytest.mark.parametrize("method", ["choose", "analyse"])
def test_a_search_keeps_no_tree_if_the_agent_is_closed_meanwhile(
    spec: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by another thread."""
    agent, searched = make_agent(spec), _Run.search

    def disturbed(run: _Run, *arguments: Any, **options: Any) -> bool:
        agent.close()
        return searched(run, *arguments, **options)

    monkeypatch.setattr(_Run, "search", disturbed)
    getattr(agent, method)(Play(opening(game="azul")), Limits(sims=20))
    inner = agent._searcher  # type: ignore[attr-defined]
    assert not getattr(inner, "_searcher", inner)._kept


@pytest.mark.parametrize("spec", ["default", "default:level=3"])
def test_an_unknown_argument_is_refused(spec: str) -> None:
    with pytest.raises(TypeError, match="unheard_of"):
        make_agent(spec).analyse(  # type: ignore[call-arg]
            Play(opening()), Limits(sims=5), unheard_of=1)


def test_reuse_respects_a_smaller_memory_limit() -> None:
    agent = make_agent("ismcts:reuse=1")
    position = position_of(states(2, True, 4, round=2, phase=PLACE, choices=8)[0])
    agent.analyse(Play(position), Limits(sims=20_000, memory_mib=16))
    tree = agent._searcher._kept[0].tree  # type: ignore[attr-defined]
    assert tree.memory_used > 1 << 20
    agent.analyse(Play(position), Limits(sims=100, memory_mib=1))
    tree = agent._searcher._kept[0].tree  # type: ignore[attr-defined]
    assert tree.memory_used <= 1 << 20
