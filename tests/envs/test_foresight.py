"""Wherever an agent plays or judges a game, it does not foresee which tiles will be drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import Agent, Analysis, Judge, Match, Play, review_game
from pavilion_ai.envs import action_of
from pavilion_ai.envs.dataset import write_dataset
from tests.plays import turns


class Seer(Agent):
    """Plays on in a copy before it moves, and looks later what was drawn in the game.

    Attributes:
        foreseen: for each draw that it saw in a copy, whether it was that of the game.
    """

    ranks = True

    def __init__(self) -> None:
        self.foreseen: list[bool] = []
        self._looked: tuple[str, ...] = ()

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        self.look_back(play)
        move = play.legal_moves[0]
        ahead = play.copy()
        ahead.push(move)
        if ahead.draw():
            self._looked = ahead.moves
        return move

    def analyse(self, play: Play, limits: Any = None, **options: Any) -> Analysis:
        return super().analyse(play, limits)  # whatever moves are named

    def look_back(self, play: Play) -> None:
        """Compare with what was drawn meanwhile, unless this is another game."""
        count, looked = len(self._looked), self._looked
        if count and play.moves[:count - 1] == looked[:-1] and len(play.moves) >= count:
            self.foreseen.append(play.moves[count - 1] == looked[-1])
        self._looked = ()


def in_gymnasium(seer: Seer, _: Path) -> None:
    library = pytest.importorskip("gymnasium", reason="gymnasium (extra envs) is not installed")
    import pavilion_ai.envs.gymnasium  # noqa: F401

    env = library.make("pavilion/Azul-v0", opponents=seer)  # it sits on both sides
    env.reset(seed=1)
    over = False
    while not over:
        current = env.unwrapped.current
        _, _, over, _, _ = env.step(action_of(current, seer.choose(current)))


def in_pettingzoo(seer: Seer, _: Path) -> None:
    pytest.importorskip("pettingzoo", reason="pettingzoo (extra envs) is not installed")
    from pavilion_ai.envs import pettingzoo

    env = pettingzoo.env("azul")
    env.reset(seed=1)
    current = env.unwrapped.current
    while not current.is_over():
        env.step(action_of(current, seer.choose(current)))


def in_a_match(seer: Seer, _: Path) -> None:
    Match([seer, seer], game="azul", pairs=1, tied=False, seed=1).run()


def in_a_tied_match(seer: Seer, _: Path) -> None:
    Match([seer, seer], game="azul", pairs=1, seed=1).run()


def in_a_data_set(seer: Seer, folder: Path) -> None:
    seer.ranks = False
    write_dataset(folder / "data", seer, game="azul", games=1)


def in_a_data_set_with_visits(seer: Seer, folder: Path) -> None:
    write_dataset(folder / "data", seer, game="azul", games=1)


def in_a_review(seer: Seer, _: Path) -> None:
    """Of a game that drew by its own seed, as `pavilion play` does, with the same seed."""
    play = Play.new("azul", seed=0)
    for here in turns(play):
        here.push(here.legal_moves[0])
    review_game(play.record(), Judge(seer, seed=0))


@pytest.mark.parametrize("host", [
    in_gymnasium, in_pettingzoo, in_a_match, in_a_tied_match, in_a_data_set,
    in_a_data_set_with_visits, in_a_review])
def test_nobody_foresees_the_draws(host: Callable[[Seer, Path], None], tmp_path: Path) -> None:
    seer = Seer()
    host(seer, tmp_path)
    assert len(seer.foreseen) >= 4, "it has looked"
    assert not any(seer.foreseen)


def test_a_seer_is_found_out() -> None:
    """The check finds a game that draws what its copies draw."""
    seer, play = Seer(), Play.new("azul", seed=1)
    for here in turns(play):
        here.push(seer.choose(here))
    assert len(seer.foreseen) >= 4
    assert all(seer.foreseen)
