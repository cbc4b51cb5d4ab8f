"""A choice with a limit of time goes on with the tree of the seat's last one."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from pavilion_ai._core import Rng, Search
from pavilion_ai.agents import make_agent
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.protocol.agents import Agents
from pavilion_ai.search import Searcher
from pavilion_ai.sums import recorded

from . import networks
from .support import BONUS, EVERY_VARIANT, PLACE, states, strangers

every_game = pytest.mark.parametrize("game", GAMES)
MOMENT = Limits(seconds=0.02)
LONGER = Limits(seconds=0.2)        # enough for the reply to be known


def searched(state: Any, **options: Any) -> Search:
    return networks.searched(state, **{"stats_depth": 1, **options})


def expected_line(tree: Search) -> list[tuple[int, ...]]:
    return tree.line(max(tree.rows(), key=lambda row: row[1])[0])


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_what_is_known_of_the_moves_is_taken_over(game: str, players: int, grey: bool) -> None:
    moved = 0
    for state in states(players, grey, 31, choices=4, game=game)[::5]:
        tree = searched(state)
        tree.run(2000)
        line, after = expected_line(tree)[:2], state.copy()
        for move in line:
            after.apply(move)
        if len(line) < 2 or after.to_move < 0 or len(after.moves(True)) < 2:
            continue
        nodes = tree.nodes
        if not tree.advance(after, seed=9):
            continue
        moved += 1
        root, rows = tree.root_stats(), tree.rows()
        assert tree.sims == 0
        assert tree.nodes == nodes
        assert {row.move for row in rows} <= set(after.moves(True))
        assert root.visits == sum(row.visits for row in rows) > 0
        assert root.value == pytest.approx(sum(row.value for row in rows))
        assert recorded(root) == 0
        assert tree.run(100) == 100
        assert tree.root_stats().visits == root.visits + 100
        assert recorded(tree.root_stats()) == 100
        assert sum(map(recorded, tree.rows())) in (99, 100)
        assert sum(row.visits for row in tree.rows()) >= root.visits + 99
    assert moved > 3


@every_game
def test_strangers_are_refused(game: str) -> None:
    state = states(2, False, 31, round=1, choices=4, game=game)[0]
    tree = searched(state)
    tree.run(500)
    rows = tree.rows()
    for other in strangers(game):
        assert not tree.advance(other, seed=1)
        assert tree.rows() == rows


def test_draws_are_not_foreseen() -> None:
    """Where tiles were drawn the tree is an average over other draws."""
    drawn = 0
    for state in states(2, True, 33, phase=PLACE, choices=3):
        for move in state.moves(True):
            after = state.copy()
            after.apply(move)
            if after.phase == BONUS:
                after.apply(after.moves()[0])
            if after.to_move >= 0 or after.between_rounds or after.over:
                continue
            after.draw(Rng(1))
            tree = searched(state)
            tree.run(500)
            if after.to_move >= 0:
                assert not tree.advance(after, seed=1)
                drawn += 1
    assert drawn > 3


@every_game
def test_there_is_room_to_go_on(game: str) -> None:
    """A tree that fills more than half of its memory is pruned, or given up if time is short."""
    state = states(2, False, 31, round=1, choices=4, game=game)[0]
    tree = searched(state, memory_bytes=1 << 20)
    while tree.nodes * 40 < (1 << 20) * 0.45:
        tree.run(100)
    after = state.copy()
    after.apply(expected_line(tree)[0])
    nodes = tree.nodes
    assert not tree.advance(after, seed=1, seconds=1e-3)
    assert tree.nodes == nodes
    assert tree.advance(after, seed=1, seconds=10)
    assert tree.nodes < nodes
    assert tree.root_stats().visits == sum(row.visits for row in tree.rows()) > 0


@every_game
@pytest.mark.parametrize("share", [0, 1])
@pytest.mark.parametrize("compared", [False, True])
def test_a_search_that_was_confined_is_not_one_of_all_moves(game: str, share: int,
                                                            compared: bool) -> None:
    state = states(2, False, 31, round=1, choices=4, game=game)[0]
    tree = searched(state, share=share)
    some = tree.listed()[:2]
    if compared:
        tree.run(500)
        tree.compare(some)
    else:
        tree.restrict(some)
    tree.run(100)
    assert not tree.advance(state, seed=1)
    assert tree.restart(state, seed=1)
    tree.run(500)
    assert len(tree.rows()) > 2
    assert tree.advance(state, seed=1)


@every_game
def test_only_new_simulations_of_the_same_position_are_reported(game: str) -> None:
    state = states(2, False, 31, round=1, choices=4, game=game)[0]
    tree = searched(state)
    tree.run(500)
    assert tree.advance(state, seed=1)
    assert sum(map(recorded, tree.rows())) == 0
    tree.run(100)
    assert sum(map(recorded, tree.rows())) == 100
    assert sum(row.visits for row in tree.rows()) == 600


class Moments:
    """A game in which a searcher decides for a seat, and the other one plays what it expects."""

    def __init__(self, searcher: Searcher, game: str) -> None:
        self.searcher, self.play = searcher, Play.new(game, seed=5)
        self.seat = self.play.turn

    @property
    def tree(self) -> Any:
        return self.searcher._kept[0].tree

    def inherited(self) -> int:
        """Return the visits of the tree that are of earlier searches."""
        return int(self.tree.root_stats().visits - self.tree.sims)

    def step(self) -> list[tuple[int, ...]]:
        """Let the seat decide, and the next one reply; return what is expected from here."""
        self.searcher.decide(self.play, LONGER)
        line = expected_line(self.tree)
        for move in line[:2]:
            self.play.push(self.play.rules.move_text(self.play.position, move))
        assert self.play.turn == self.seat
        return line


@every_game
def test_a_choice_in_time_goes_on(game: str) -> None:
    table = Moments(Searcher("x"), game)
    table.step()
    assert table.inherited() == 0
    table.searcher.decide(table.play, MOMENT)
    assert table.inherited() > 0


@every_game
@pytest.mark.parametrize("how", ["sims", "analyse", "only", "avoid", "seat", "reuse=0"])
def test_other_searches_begin_anew(game: str, how: str) -> None:
    """An answer that is the same every time stays so; nobody uses the time of another seat."""
    table = Moments(Searcher("x", reuse=False if how == "reuse=0" else None), game)
    line = table.step()
    move = table.play.legal_moves[0]
    if how == "sims":
        table.searcher.decide(table.play, Limits(sims=50, seconds=10))
    elif how == "analyse":
        table.searcher.analyse(table.play, MOMENT)
    elif how == "only":
        table.searcher.decide(table.play, MOMENT, only=[move])
    elif how == "avoid":
        table.searcher.decide(table.play, MOMENT, avoid=[move])
    elif how == "seat":
        table.play.push(table.play.rules.move_text(table.play.position, line[2]))
        assert table.play.turn != table.seat
        table.searcher.decide(table.play, MOMENT)
    else:
        table.searcher.decide(table.play, MOMENT)
    assert table.inherited() <= 0


def test_agents_go_on_in_a_game() -> None:
    for seconds in (0.01, 0.1, 1):  # a busy machine searches little in a moment
        agent, play = make_agent(f"default:time={seconds}"), Play.new("azul", seed=3)
        inherited = 0
        while not play.is_over():
            if play.chance:
                play.draw(1)
                continue
            play.push(agent.decide(play).move)
            tree = agent._searcher._kept[0].tree  # type: ignore[attr-defined]
            inherited += tree.root_stats().visits > tree.sims
            if play.turn is not None:
                play.push(play.legal_moves[0])
        if inherited > 2:
            return
    pytest.fail("no tree was taken over")


def test_the_engine_goes_on() -> None:
    """Requests name a position each, and any may be for another game."""
    agents, play, inherited = Agents(), Play.new("azul", seed=3), []
    for _ in range(3):
        with agents.lent({}, LONGER, Event()) as (agent, _spec, memory):
            agent.decide(Play(play.position), replace(LONGER, memory_mib=memory))
        tree = agent._searcher._kept[0].tree  # type: ignore[attr-defined]
        inherited.append(tree.root_stats().visits - tree.sims)
        for move in expected_line(tree)[:2]:
            play.push(play.rules.move_text(play.position, move))
    assert inherited[0] == 0
    assert inherited[1] > 0
    assert inherited[2] > 0
