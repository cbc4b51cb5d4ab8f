"""The games for Gymnasium: one learner at a seat, agents named by specs at the others.

Importing this module registers `pavilion/Summer-v0` and `pavilion/Azul-v0`, the names of all games
in the same way, if the library is installed: `pip install 'pavilion-ai[envs]'`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pavilion_ai.agents import Agent, MadeAgent, as_agent
from pavilion_ai.bounds import whole
from pavilion_ai.envs import observations
from pavilion_ai.envs.actions import Array, action_mask, move_of, num_actions
from pavilion_ai.envs.adapters import (
    MODES,
    POSITION,
    Adapter,
    by_name,
    environment,
    observation_box,
)
from pavilion_ai.envs.rewards import rewards_since
from pavilion_ai.errors import (
    EngineFault,
    IllegalMoveError,
    InvalidMoveError,
    MoveError,
    SpecError,
    named_agent,
    one_of,
    shown,
)
from pavilion_ai.games import DEFAULT_GAME, GAMES, rules_for
from pavilion_ai.play import Play
from pavilion_ai.spec import parse_spec

__all__ = ["ILLEGAL", "OneSeat", "make"]

ILLEGAL = -1.0
"""Reward of an action that is not legal, which ends the game, with the reward `win`; with the
others it is minus the most points that an observation can show."""
MAKER = "make_"
"""Entry points of the ids are named so, plus the game."""


class OneSeat(Adapter):
    """All of the environment that does not come from Gymnasium.

    Attributes:
        opponents: the agents of the seats after the learner's.
        seat: the learner's.
        ended: whether an action that was not legal has ended the game.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": 1}
    np_random: np.random.Generator

    def __init__(
        self, game: str, board: str, players: int, opponents: Sequence[str | Agent],
        seat: int | None, render_mode: str | None, reward: str, observation: str,
    ) -> None:
        from gymnasium import spaces

        super().__init__(game, board, players, render_mode, reward, observation,
                         observations.OBSERVATIONS)
        if seat is not None and (whole(seat) is None or not 0 <= seat < players):
            raise SpecError(f"seat {shown(seat)}: expected a seat from 0 to {players - 1}, or None")
        if not isinstance(opponents, Sequence):
            raise SpecError(f"opponents {shown(opponents)}: expected specs or agents")
        if len(opponents) != players - 1:
            raise SpecError(f"opponents: found {len(opponents)}, expected {players - 1}, in the"
                            " order of the seats after the learner's")
        self.opponents = [*map(as_agent, opponents)]
        self.wanted_seat = whole(seat)
        self.seat, self.ended = 0, False
        parts = {part.name: part for part in observations.observation_parts(game, players)}
        self.illegal = ILLEGAL if reward == "win" else -float(parts["seat0.score"].high)
        self.action_space = spaces.Discrete(num_actions(game, board, players))
        self.observation_space = observation_box(game, players, self.kind)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin a new game, and let the others play until the learner has to decide.

        Args:
            seed: seed of this game and of those of later resets without one.
            options: `{"position": ...}`, where the game begins: a `Play`, or a position in any form
                that it takes. Tiles that are due are drawn; what is in an unknown bag stays
                unknown. If the environment names no seat, the learner's is the one to move then.

        Raises:
            SpecError: there is no such option, or the position is invalid, of another variant, or
                of a game that is over; the game in progress goes on then. Or the game ends before
                the learner decides; there is no game then.
            EngineFault: another agent failed; there is no game then.
        """
        start = self._start_of(options)
        for name in options or ():
            one_of("option", name, (POSITION,))
        super().reset(seed=seed)  # type: ignore[misc]
        self.play, self.ended = None, False
        self.opponents = [copy(other) if _keeps_trees(other) else other
                          for other in self.opponents]  # no game depends on earlier ones
        own = self._seed()
        play = Play.new(seed=own, **self.variant) if start is None else start.copy(own)
        if self.wanted_seat is not None:
            self.seat = self.wanted_seat
        elif start is None:
            self.seat = int(self.np_random.integers(self.variant["players"]))
        else:  # another seat might have nothing to decide before the end
            play.draw(self._seed())
            self.seat = play.turn or 0
        self._others_play(play)
        if play.is_over():
            raise SpecError(f"options: {POSITION}: the game ends before seat {self.seat} decides")
        self.play = play
        return self._seen(), self._info()

    def _shared(self) -> list[Agent]:
        return [other for other in self.opponents if not _keeps_trees(other)]

    def _others_play(self, play: Play) -> None:
        """Play the other seats' turns and draw tiles, until the learner is to move or the end.

        Nobody can foresee the draws: the play's own seed, which agents have, is not theirs.
        """
        play.draw(self._seed())
        while play.turn is not None and play.turn != self.seat:
            agent = self.opponents[(play.turn - self.seat - 1) % play.start.players]
            seen = play.copy()
            with named_agent(f"agent {shown(agent.spec)}, seat {play.turn}"):
                try:
                    move = agent.choose(seen, seed=self._seed())
                    if seen.plies != play.plies:
                        raise EngineFault("changed the play")
                    play.push(move)
                except MoveError as error:
                    raise EngineFault(f"chose what cannot be played: {error}") from error
            play.draw(self._seed())

    def _seed(self) -> int:
        return int(self.np_random.integers(1 << 53))

    def _seen(self) -> Array:
        if self.kind == "features" and (self.ended or self.current.turn != self.seat):
            return np.zeros(self.observation_space.shape, np.uint8)
        return observations.observe(self.current, self.seat, self.kind)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": self.seat,
                "scores": np.array(self.current.scores(), np.int32)}

    def action_masks(self) -> Array:
        """Return 1 for each legal action (int8); all 0 when the game is over."""
        mask = action_mask(self.current)
        return np.zeros_like(mask) if self.ended else mask

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play an action, and let the others play until the learner has to decide again.

        An action that is not legal ends the game with the reward `illegal`, below any other;
        `info["illegal"]` then says what was wrong.

        Raises:
            InvalidMoveError: the action is not a whole number.
            EngineFault: another agent failed. After this, as after any other error or an interrupt,
                the game stands where it stood before the step.
        """
        with self._all_or_nothing(self.np_random):
            play, before = self.current, self.current.scores()
            try:
                if self.ended or play.is_over():
                    raise IllegalMoveError("the game has ended: call reset() first")
                move = move_of(play, action)
            except InvalidMoveError:  # a fault of the program, not a choice
                raise
            except IllegalMoveError as error:
                self.ended = True
                told = {**self._info(), "illegal": str(error)}
                return self._seen(), self.illegal, True, False, told
            play.push(move)
            self._others_play(play)
            gained = rewards_since(play, before, self.reward)[self.seat]
            if self.render_mode == "human":
                self.render()
            return self._seen(), gained, play.is_over(), False, self._info()

    def close(self) -> None:
        """End the programs of external agents."""
        for agent in self.opponents:
            agent.close()


def _keeps_trees(agent: Agent) -> bool:
    """Tell whether what an agent answers depends on its earlier searches."""
    return isinstance(agent, MadeAgent) and bool(parse_spec(agent.spec).options.get("reuse"))


def _imported() -> Any:
    from gymnasium import Env

    return Env


_environment = partial(environment, OneSeat, "gymnasium", _imported)
_class_by_name = by_name(__name__, _environment)


def make(
    game: str = DEFAULT_GAME,
    board: str = "coloured",
    players: int = 2,
    opponents: Sequence[str | Agent] | Agent | str = "random",
    seat: int | None = None,
    render_mode: str | None = None,
    reward: str = "win",
    observation: str = "scaled",
) -> Any:
    """Return an environment, as `gymnasium.make("pavilion/...", ...)` does.

    Args:
        game, board, players: the variant.
        opponents: specs or agents for the seats after the learner's, clockwise; a single one is for
            all of them.
        seat: the learner's; None draws it for each game, and takes the seat to move if the game
            begins at a position.
        render_mode: `ansi`, `rgb_array`, `human` or None.
        reward: one of `pavilion_ai.envs.REWARDS`: those of the learner.
        observation: one of `pavilion_ai.envs.OBSERVATIONS`; features are zeros after the end.

    Raises:
        SpecError: an argument is out of its range.
        PavilionError: gymnasium is not installed.
    """
    cls = _environment()
    if isinstance(opponents, (str, Agent, type)):
        rules_for(game, board, players)
        opponents = [opponents] * (players - 1)
    return cls(game, board, players, opponents, seat, render_mode, reward, observation)


def _maker(game: str) -> Any:
    """Return the entry point of the id of a game: `make`, but for other games."""
    def made(**options: Any) -> Any:
        found = options.setdefault("game", game)
        if found != game:
            raise SpecError(f"game {shown(found)}: expected {shown(game)}, which the id names")
        return make(**options)

    made.metadata = OneSeat.metadata  # type: ignore[attr-defined]  # gymnasium.make looks for it
    return made


def __getattr__(name: str) -> Any:
    """Return `make_GAME`, the entry point of a game, or the class of all environments."""
    game = name.removeprefix(MAKER)
    return _maker(game) if name != game and game in GAMES else _class_by_name(name)


def _register() -> None:
    try:
        from gymnasium import register
    except ImportError:
        return
    for game in GAMES:
        register(f"pavilion/{game.capitalize()}-v0", f"{__name__}:{MAKER}{game}")


_register()
