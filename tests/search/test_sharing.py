"""Positions reached by several orders of moves: they have their children in common."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai._core import Search
from pavilion_ai.tunables import SELECT_EVEN

from .analyses import check_sums
from .networks import searched as searched_with_network
from .support import BONUS, EVERY_VARIANT, VARIANTS, states, walk, with_unknown_bag

ROOM = 1 << 28
"""Bytes: a tree with so many places that two positions of a small one hardly ever want the same."""

every_variant = pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)


def searched(state: Any, seed: int = 1, **tunables: Any) -> Search:
    """Return a search tree with many places whose leaves a random network values."""
    return searched_with_network(state, seed, **{"memory_bytes": ROOM, **tunables})


def in_round(state: Any) -> bool:
    """Tell whether somebody decides."""
    return not state.over and state.to_move >= 0


def told_apart(state: Any) -> tuple[Any, ...]:
    """Return all that matters of a position of base Azul: not where which tile lies on a floor."""
    *fields, seats = state.fields()
    floors = [tile for seat in seats for tile in seat[3]]
    fields[10] = tuple(count + floors.count(colour) for colour, count in enumerate(fields[10]))
    return *fields, tuple((*seat[:3], len(seat[3])) for seat in seats)


def positions_below(state: Any, most: int) -> dict[tuple[Any, ...], int] | None:
    """Return the numbers of moves of all positions of this round; None: too many, or draws."""
    found: dict[tuple[Any, ...], int] = {}
    todo = [state]
    while todo:
        here = todo.pop()
        moves = here.moves()
        found[told_apart(here)] = len(moves)
        if len(found) > most:
            return None
        for move in moves:
            after = here.copy()
            after.apply(move)
            if in_round(after) and told_apart(after) not in found:
                todo.append(after)
            elif not (in_round(after) or after.over or after.between_rounds):
                return None
    return found


def ends_of_drafts(game: str, players: int, grey: bool) -> list[tuple[Any, dict[Any, int]]]:
    """Return positions with a few decisions of the round left, and what can follow them."""
    cases = []
    for seed in range(40):
        for state in reversed(list(walk(players, grey, seed, game))):
            below = positions_below(state, 300)
            if below is not None and len(below) > 40:
                cases.append((state, below))
                break
    return cases


@pytest.mark.release_only
@pytest.mark.parametrize(("players", "grey"), [(2, False), (3, False), (4, False), (2, True)])
def test_a_position_has_children_once(players: int, grey: bool) -> None:
    """Base Azul: once all is tried, the tree has the moves of each position, and the root."""
    cases = ends_of_drafts("azul", players, grey)[:3]
    assert len(cases) == 3
    saved = 0
    for state, below in cases:
        alone, together = (
            searched(state, share=share, selection=SELECT_EVEN, deal_visits=0)
            for share in (0, 1))
        for tree in alone, together:
            tree.run(100_000)
        assert together.nodes == 1 + sum(below.values())
        assert alone.nodes >= together.nodes
        saved += alone.nodes - together.nodes
    assert saved > 0


@every_variant
def test_sums_and_moves(game: str, players: int, grey: bool) -> None:
    """Nothing is lost or counted twice at the root, and lines are lines of play."""
    for state in states(players, grey, 5, game=game)[::9]:
        tree = searched(state)
        tree.run(2000)
        check_sums(tree, 2000)
        for row in tree.rows()[:3]:
            here = state.copy()
            for move in tree.line(row[0]):
                assert move in here.moves()
                here.apply(move)


@every_variant
def test_a_search_forgets_the_one_before(game: str, players: int, grey: bool) -> None:
    """A tree that starts anew says what a new one says, wherever children lay before."""
    some = states(players, grey, 6, game=game)[::12]
    again = searched(some[0])
    for seed, state in enumerate(some):
        assert again.restart(state, seed=seed)
        new = searched(state, seed=seed)
        for tree in again, new:
            tree.run(700)
        assert again.rows() == new.rows()
        assert again.nodes == new.nodes


@every_variant
def test_a_full_tree_goes_on(game: str, players: int, grey: bool) -> None:
    """Where there is no room for more children, simulations still count."""
    state = states(players, grey, 7, choices=6, game=game)[0]
    tree = searched(state, memory_bytes=1 << 16)
    tree.run(20_000)
    assert sum(row[1] for row in tree.rows()) == 20_000


def test_an_unknown_bag_is_sampled_only_where_tiles_are_drawn() -> None:
    """Without draws an unknown bag is the same in every simulation, and a full one is known."""
    for state in states(2, False, 3, choices=6, game="azul"):
        hidden = with_unknown_bag(state)
        trees = [searched(hidden, seed, deal_visits=0) for seed in (1, 2)]
        full = with_unknown_bag(state, sum(hidden.fields().bag))
        known = type(state)(*full.fields()._replace(split_known=True))
        trees += [searched(one, deal_visits=0) for one in (full, known)]
        for tree in trees:
            tree.run(300)
        assert trees[0].rows() == trees[1].rows()
        assert trees[2].rows() == trees[3].rows()
        assert [tree.nodes for tree in trees[::2]] == [tree.nodes for tree in trees[1::2]]


@pytest.mark.parametrize(("players", "grey"), VARIANTS)
def test_below_a_draw_nothing_is_shared(players: int, grey: bool) -> None:
    """Tiles that a simulation drew are its own: after a bonus the tree is that of no sharing."""
    checked = 0
    for seed in range(20):
        for state in states(players, grey, seed, phase=BONUS):
            after = state.copy()
            after.apply(state.moves()[0])
            if after.to_move >= 0 or after.between_rounds:
                continue
            trees = [searched(state, share=share) for share in (0, 1)]
            for tree in trees:
                tree.run(400)
            assert trees[0].rows() == trees[1].rows()
            assert trees[0].nodes == trees[1].nodes
            checked += 1
    assert checked
