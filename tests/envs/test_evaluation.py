"""What `Evaluator` says, compared bit by bit with what searches have in their trees."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

from pavilion_ai import Evaluator, NetworkError, PavilionError, Play, SpecError
from pavilion_ai._core import Rng, Search
from pavilion_ai.envs import action_of, num_actions
from pavilion_ai.games import GAMES
from pavilion_ai.network import NETS
from pavilion_ai.search import tunables_for
from tests.plays import VARIANTS


def wandered(game: str, board: str, players: int, seed: int) -> Play:
    """Return a game some random moves after its start, with a seat to move."""
    rng, play = Rng(seed), Play.new(game, board=board, players=players, seed=seed)
    for _ in range(rng.below(70)):
        move = play.legal_moves[rng.below(len(play.legal_moves))]
        play.push(move)
        play.draw()
        if play.is_over():
            play.pop()
            break
    while play.turn is None:
        play.pop()
    return play


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_values_and_priors_are_those_in_a_tree(game: str, board: str, players: int) -> None:
    evaluator = Evaluator(f"{game}-{board}-{players}")
    assert evaluator.tunables == tunables_for(GAMES[game], evaluator.network)
    tunables = {**evaluator.tunables, "finish": 0, "rivals": 0.0}
    compared = 0
    for seed in range(12):
        play = wandered(game, board, players, seed)
        tree = Search(play.state, seed=seed, memory_bytes=1 << 20, network=evaluator.network,
                      **tunables)
        tree.run(1)
        policy = np.zeros(num_actions(game, board, players), np.float32)
        rows = {play.rules.move_text(play.position, row.move): row for row in tree.rows()}
        for move, row in rows.items():
            policy[action_of(play, move)] = row.prior
        found = evaluator.evaluate([play])
        assert (found.policy[0] == policy).all()
        visited = [(move, row) for move, row in rows.items() if row.visits]
        assert len(visited) == 1
        move, row = visited[0]
        child = play.copy()
        child.push(move)
        if child.chance == "supply":
            continue
        compared += 1
        after = evaluator.evaluate([play, child])
        assert tuple(after.win[1]) == row.wins
        assert [score + gain for score, gain in zip(child.scores(), after.gain[1], strict=True)
                ] == pytest.approx(row.scores, abs=1e-12)
        weight, mover = evaluator.tunables.win_weight, play.turn
        assert mover is not None
        assert row.value == weight * after.win[1][mover] + (1 - weight) * after.lead[1][mover]
        assert not after.policy[1].any() if child.turn is None else (
            after.policy[1].sum() == pytest.approx(1, abs=1e-5))
    assert compared >= 5


def test_the_end_is_the_result() -> None:
    play = Play.new("azul", players=3, seed=3)
    while not play.is_over():
        play.push(play.legal_moves[-1])
        play.draw()
    found = Evaluator("azul-coloured-3").evaluate([play])
    winners = play.winners()
    assert list(found.win[0]) == [(seat in winners) / len(winners) for seat in range(3)]
    assert not found.gain.any()
    assert not found.policy.any()


def test_a_file_is_read_as_the_shipped_one_is() -> None:
    plays = [wandered("azul", "grey", 2, seed) for seed in range(5)]
    shipped = Evaluator("azul-grey-2")
    read = Evaluator(NETS / "azul-grey-2.net")
    assert (read.game, read.board, read.players) == ("azul", "grey", 2)
    for name in ("win", "lead", "gain", "policy"):
        one, other = (getattr(evaluator.evaluate(plays), name) for evaluator in (shipped, read))
        assert (one == other).all()
        assert len(one) == len(plays)


@pytest.mark.parametrize("network", ["azul-grey-2", NETS / "azul-grey-2.net"])
def test_a_copy_says_the_same(network: str | Path) -> None:
    evaluator, plays = Evaluator(network), [wandered("azul", "grey", 2, 1)]
    for twin in (pickle.loads(pickle.dumps(evaluator)), copy.copy(evaluator)):
        assert (twin.evaluate(plays).win == evaluator.evaluate(plays).win).all()


def test_a_copy_does_not_read_the_file_again(tmp_path: Path) -> None:
    file = tmp_path / "some.net"
    file.write_bytes((NETS / "azul-grey-2.net").read_bytes())
    evaluator, plays = Evaluator(file), [wandered("azul", "grey", 2, 1)]
    file.unlink()
    for twin in (copy.copy(evaluator), copy.deepcopy(evaluator)):
        assert (twin.evaluate(plays).win == evaluator.evaluate(plays).win).all()
    with pytest.raises(SpecError, match="No such file"):
        pickle.loads(pickle.dumps(evaluator))


def test_no_games_give_no_rows() -> None:
    found = Evaluator("summer-grey-4").evaluate([])
    assert (found.win.shape, found.policy.shape) == ((0, 4), (0, 1217))


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="network 'summer-green-2': expected one of summer-col"):
        Evaluator("summer-green-2")
    with pytest.raises(SpecError, match=r"network 'a\\x00b': expected one of .*no valid name"):
        Evaluator("a\0b")
    with pytest.raises(SpecError, match="network 5: expected a name or a file"):
        Evaluator(5)  # type: ignore[arg-type]
    damaged = tmp_path / "some.net"
    damaged.write_bytes(b"nothing")
    with pytest.raises(NetworkError, match="not a network file"):
        Evaluator(damaged)
    evaluator = Evaluator("summer-coloured-2")
    for wrong in (Play.new(seed=1), [Play.new(seed=1), Play.new(seed=1).position]):
        with pytest.raises(SpecError, match=r"^(plays|game 1): found a \w+, expected a"):
            evaluator.evaluate(wrong)  # type: ignore[arg-type]
    for nothing in (7, None):
        with pytest.raises(SpecError, match=r"^plays: found (7|null), expected a list of plays"):
            evaluator.evaluate(nothing)  # type: ignore[arg-type]
    play = Play.new("summer", players=3, seed=1)
    with pytest.raises(SpecError, match="game 1: summer, coloured, 3 players, expected"):
        evaluator.evaluate([Play.new("summer", players=2, seed=1), play])
    with pytest.raises(SpecError, match="game 0: summer, grey, 2 players, expected summer, colou"):
        evaluator.evaluate([Play.new("summer", board="grey", seed=1)])
    play = Play.new("summer", players=2, seed=3)
    while play.chance != "supply":
        play.draw()
        play.push(play.legal_moves[0])
    with pytest.raises(PavilionError, match="game 0: tiles are to be drawn"):
        evaluator.evaluate([play])
