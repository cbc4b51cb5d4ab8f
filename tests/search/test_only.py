"""A search that is confined to some of the legal moves."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai.agents import make_agent
from pavilion_ai.errors import IllegalMoveError, SpecError
from pavilion_ai.games import rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play

from .support import DRAFT, EVERY_VARIANT, opening, position_of, search, states, walk


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_confined_to_what_it_would_look_at_it_searches_the_same(
    game: str, players: int, grey: bool, net: Any
) -> None:
    for state in list(walk(players, grey, 21, game))[::9]:
        whole, confined = (search(state, network=net) for _ in range(2))
        whole.run(200)
        confined.restrict([row[0] for row in reversed(whole.rows())])
        confined.run(200)
        assert confined.rows() == whole.rows()
        assert confined.root_stats() == whole.root_stats()


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_all_visits_go_to_the_moves_named(game: str, players: int, grey: bool) -> None:
    for state in list(walk(players, grey, 22, game))[::9]:
        moves = state.moves()
        named = moves[1::3] or moves
        tree = search(state)
        tree.restrict(named)
        tree.run(100)
        assert {row[0] for row in tree.rows()} == set(named)
        assert sum(row[1] for row in tree.rows()) == 100


@pytest.mark.release_only
def test_one_move_alone_is_worth_what_a_search_after_it_finds() -> None:
    """As long as nothing is drawn in between, the two search the same positions."""
    sims, found = 20_000, []
    for state in states(2, False, 4, round=6, phase=DRAFT, choices=3):
        for move in state.moves(True)[:4]:
            after = state.copy()
            after.apply(move)
            if after.to_move < 0:
                continue
            alone, direct = search(state), search(after)
            alone.restrict([move])
            alone.run(sims)
            direct.run(sims)
            pair = [tree.root_stats()[4][state.to_move] / sims for tree in (alone, direct)]
            assert pair[0] == pytest.approx(pair[1], abs=0.03)
            found.append(pair[0])
        if found and max(found) - min(found) > 0.1:  # so a search of another move would show
            return
    pytest.fail("no position in which it matters what is played")


def test_a_search_of_several_moves_is_not_cut_short() -> None:
    """Where the maximal list has a single move, passing, others may be named."""
    position = parse_position(
        "summer.1.coloured.2/place.r2.m0.s1.t0/-/s2P3G3Y2B.b16P13G10O12Y13B18R.tP6G6O4Y4B"
        "/p14.hPOR.P5.O5.R5.6.1Y4.6.ROP3/p5.hOY2B.6.5O.1R4.4B1.4Y1.6.1O4/d2c2").position
    agent = make_agent("ismcts")
    assert agent.analyse(Play(position), Limits(sims=500)).sims == 100
    for only in (["pass:P"], ["pass:P", "pass:R"]):
        analysis = agent.analyse(Play(position), Limits(sims=500), only=only)
        assert analysis.sims == analysis.root.visits == 500


def test_only_legal_moves_may_be_named_and_before_the_search() -> None:
    state: Any = next(walk(2, False, 5))
    tree = search(state)
    first, second = state.moves()[:2]
    for wrong in ([], [first, first], [first, (9, 9, 9)]):
        with pytest.raises(ValueError, match="legal moves"):
            tree.restrict(wrong)
    tree.restrict([first])
    with pytest.raises(ValueError, match="has begun"):
        tree.restrict([second])
    begun = search(state)
    begun.run(5)
    with pytest.raises(ValueError, match="has begun"):
        begun.restrict([second])
    assert begun.restart(state, seed=1)
    begun.restrict([second])


@pytest.mark.parametrize("spec", ["ismcts", "ismcts:reuse=1", "ismcts:threads=2", "uct", "flat",
                                  "default:level=3"])
def test_agents_keep_to_the_moves_named(spec: str) -> None:
    agent, position = make_agent(spec), opening()
    legal = rules_of(position).legal_moves(position)
    limits = Limits(sims=200)
    for only in (legal[:2], legal[3:4], [], [legal[0], legal[0]]):
        analysis = agent.analyse(Play(position), limits, seed=2, only=only)
        assert analysis.only == tuple(dict.fromkeys(only))
        assert not only or {row.move for row in analysis.moves} == set(only)
        if "reuse" not in spec:
            assert agent.choose(Play(position), limits, seed=2) == make_agent(spec).choose(
                Play(position), limits, seed=2)
        assert agent.decide(Play(position), limits, seed=2, only=only).move in (only or legal)
    with pytest.raises(IllegalMoveError):
        agent.analyse(Play(position), limits, only=["pass:-"])


def test_an_agent_without_a_search_refuses() -> None:
    position = opening()
    only = rules_of(position).legal_moves(position)[:2]
    for spec in ("random", "greedy", "policy"):
        for ask in (make_agent(spec).analyse, make_agent(spec).decide):
            with pytest.raises(SpecError, match="looks at no moves but its own"):
                ask(position, only=only)


def test_a_tree_confined_is_not_taken_for_a_whole_one() -> None:
    """With `reuse` the next search of the same position looks at all moves again, and the other
    way round."""
    agent, position = make_agent("ismcts:net=0,reuse=1"), opening()
    limits = Limits(sims=300)
    every = {row.move for row in agent.analyse(Play(position), limits).moves}
    some = sorted(every)[:2]
    confined = agent.analyse(Play(position), limits, only=some)
    assert {row.move for row in confined.moves} == set(some)
    assert confined.root.visits == 300
    assert {row.move for row in agent.analyse(Play(position), limits).moves} == every
    assert agent.analyse(Play(position_of(next(walk(2, True, 1)))), limits).root.visits == 300
