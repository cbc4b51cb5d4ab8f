"""The games for PettingZoo (AEC): every seat is an agent, `seat_0` to `seat_3`.

The library is imported when an environment is made: `pip install 'pavilion-ai[envs]'`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from pavilion_ai.envs import observations
from pavilion_ai.envs.actions import Array, action_mask, move_of, num_actions
from pavilion_ai.envs.adapters import MODES, Adapter, by_name, environment, observation_box
from pavilion_ai.envs.rewards import rewards_since
from pavilion_ai.games import CHANCE_STREAM, DEFAULT_GAME, fresh_seed, seeded
from pavilion_ai.play import Play

__all__ = ["SeatsTakingTurns", "env", "raw_env"]

KINDS = ("counts", "scaled")
"""Kinds of observation; the inputs of the network exist only for the seat to move."""


class _Seeds:
    """The seeds of one game after another; it can be copied.

    Args:
        seed: seed from which they follow.
        drawn: how many were drawn before.
    """

    def __init__(self, seed: int, drawn: int = 0) -> None:
        self._seed, self._drawn = seed, drawn
        self._rng = seeded(seed, CHANCE_STREAM)
        for _ in range(drawn):
            self._rng.next()

    def next(self) -> int:
        """Return the seed of the next game."""
        self._drawn += 1
        return self._rng.next() >> 11

    def __reduce__(self) -> tuple[Any, ...]:
        return _Seeds, (self._seed, self._drawn)


class SeatsTakingTurns(Adapter):
    """All of the environment that does not come from PettingZoo."""

    def __init__(
        self, game: str = DEFAULT_GAME, board: str = "coloured", players: int = 2,
        render_mode: str | None = None, reward: str = "win", observation: str = "counts",
    ) -> None:
        from gymnasium import spaces

        super().__init__(game, board, players, render_mode, reward, observation, KINDS)
        self.metadata = {"name": f"pavilion_{game}_v0", "render_modes": list(MODES),
                         "is_parallelizable": False, "render_fps": 1}
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        actions = num_actions(game, board, players)
        self.action_spaces = {name: spaces.Discrete(actions) for name in self.possible_agents}
        self.state_space = observation_box(game, players, self.kind)
        self.observation_spaces = {
            name: spaces.Dict({
                "observation": observation_box(game, players, self.kind),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            })
            for name in self.possible_agents
        }
        self.agents: list[str] = []
        self._seeds: _Seeds | None = None
        self._draws = 0

    def observation_space(self, agent: str) -> Any:
        """Return the space of what a seat sees and of its mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of action numbers."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; a seed also determines the games of later resets without one.

        Args:
            options: `{"position": ...}`, where the game begins: a `Play`, or a position in any form
                that it takes. Tiles that are due are drawn; what is in an unknown bag stays
                unknown. The library's own test gives another key, so others mean nothing.

        Raises:
            SpecError: the seed is not a whole number, or the position is invalid, of another
                variant, or of a game that is over; the game in progress goes on then.
        """
        start = self._start_of(options)
        if seed is not None or self._seeds is None:
            self._seeds = _Seeds(fresh_seed() if seed is None else seed)
        own, self._draws = self._seeds.next(), self._seeds.next()
        play = Play.new(seed=own, **self.variant) if start is None else start.copy(own)
        play.draw(seeded(self._draws, len(play.plies)))
        self.play = play
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._infos()
        self._skip_agent_selection = None
        self.agent_selection = self._mover()

    def _infos(self) -> dict[str, dict[str, Any]]:
        scores = np.array(self.current.scores(), np.int32)
        return {name: {"scores": scores.copy()} for name in self.agents}

    def _mover(self) -> str:
        return self.possible_agents[self.current.turn or 0]

    def observe(self, agent: str) -> dict[str, Array]:
        """Return what a seat sees; the mask is empty unless it is to move."""
        seat, play = self.possible_agents.index(agent), self.current
        mask = (action_mask(play) if play.turn == seat
                else np.zeros(self.action_spaces[agent].n, np.int8))
        return {"observation": observations.observe(play, seat, self.kind), "action_mask": mask}

    def state(self) -> Array:
        """Return all that is public, for critics who see every seat: what seat 0 observes, whoever
        is to move."""
        return observations.observe(self.current, 0, self.kind)

    def last(self, observe: bool = True) -> Any:
        """Return what the library says of the seat to move. PavilionError: there is no game yet."""
        _ = self.current
        return super().last(observe)  # type: ignore[misc]

    def step(self, action: int | None) -> None:
        """Play an action of the seat to move and draw the tiles that are due.

        Nobody can foresee the draws: the play's own seed, which agents have, is not theirs.

        Raises:
            PavilionError: there is no game yet.
            IllegalMoveError: the action is not legal. After this, as after any other error or an
                interrupt, the game stands where it stood before the step.
        """
        play, mover = self.current, self.agent_selection
        if self.terminations[mover]:
            self._was_dead_step(action)  # type: ignore[attr-defined]
            return
        with self._all_or_nothing():
            before = play.scores()
            play.push(move_of(play, action))  # type: ignore[arg-type]
            play.draw(seeded(self._draws, len(play.plies)))
            self._cumulative_rewards = {**self._cumulative_rewards, mover: 0.0}
            gained = rewards_since(play, before, self.reward)
            self.rewards = dict(zip(self.possible_agents, gained, strict=True))
            if play.is_over():
                self.terminations = dict.fromkeys(self.agents, True)
                self.agent_selection = self.agents[0]
            else:
                self.agent_selection = self._mover()
            self.infos = self._infos()
            self._accumulate_rewards()  # type: ignore[attr-defined]
            if self.render_mode == "human":
                self.render()

    def close(self) -> None:
        """Do nothing: there is no window."""


def _imported() -> Any:
    from pettingzoo import AECEnv

    return AECEnv


_environment = partial(environment, SeatsTakingTurns, "pettingzoo", _imported)
__getattr__ = by_name(__name__, _environment)


def raw_env(*arguments: Any, **options: Any) -> Any:
    """Return an environment without the library's checks of the order of calls; as `env`."""
    return _environment()(*arguments, **options)


def env(
    game: str = DEFAULT_GAME,
    board: str = "coloured",
    players: int = 2,
    render_mode: str | None = None,
    reward: str = "win",
    observation: str = "counts",
) -> Any:
    """Return an AEC environment; observations are `{"observation", "action_mask"}`.

    Args:
        game, board, players: the variant.
        render_mode: `ansi`, `rgb_array`, `human` or None.
        reward: one of `pavilion_ai.envs.REWARDS`.
        observation: `counts` or `scaled`.

    Raises:
        SpecError: an argument is out of its range.
        PavilionError: pettingzoo is not installed.
    """
    made = raw_env(game, board, players, render_mode, reward, observation)
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper

    return OrderEnforcingWrapper(made)
