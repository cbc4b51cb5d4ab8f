"""The games for OpenSpiel, as Python games with explicit chance nodes.

Importing this module registers `python_pavilion_summer` and `python_pavilion_azul`, the names of
all games in the same way, if the library is installed: `pip install
'pavilion-ai[openspiel]'`.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from pavilion_ai.envs.actions import Array, action_mask, move_of, num_actions
from pavilion_ai.envs.draws import DrawnGame
from pavilion_ai.envs.observations import Part, observation_parts, observe
from pavilion_ai.envs.rewards import final_rewards
from pavilion_ai.games import GAMES

__all__ = ["Observer", "most_decisions"]


def most_decisions(game: str, players: int) -> int:
    """Return a bound on the decisions of a game, passes and columns of the wall included."""
    parts = {part.name: part for part in observation_parts(game, players)}
    rounds = parts["round"].shape[0] if parts["round"].shape else parts["round"].high
    return rounds * (parts["displays"].high * parts["displays"].shape[0] + 6 * players) + (
        60 * players)


class Observer:
    """What a player sees, for OpenSpiel: the scaled observation and its parts.

    The numbers are zeros in the setup, and those of the position before it in any other draw of
    several tiles; strings name the tiles drawn so far.

    Attributes:
        tensor: float32.
        dict: views of the parts by name.
    """

    def __init__(self, parts: tuple[Part, ...], history: bool) -> None:
        self._history = history
        self.tensor: Array = np.zeros(parts[-1].start + parts[-1].size, np.float32)
        self.dict = {part.name: part.of(self.tensor) for part in parts}

    def set_from(self, state: Any, player: int) -> None:
        """Fill in what a player sees of a state."""
        play = state.drawn_game.play
        self.tensor[:] = 0 if play is None else observe(play, player, "scaled")

    def string_from(self, state: Any, player: int) -> str:
        """Return what a player sees, or all that it saw, as a string."""
        game: DrawnGame = state.drawn_game
        return f"seat {player}: {game.history_text() if self._history else game.text()}"


class Turns:
    """The part of a state that does not come from OpenSpiel."""

    drawn_game: DrawnGame

    def current_player(self) -> int:
        """Return the seat to move, -1 at chance nodes, -4 at the end."""
        import pyspiel

        if self.drawn_game.chance:
            return int(pyspiel.PlayerId.CHANCE)
        turn = self.drawn_game.play.turn if self.drawn_game.play else None
        return int(pyspiel.PlayerId.TERMINAL) if turn is None else turn

    def _legal_actions(self, player: int) -> list[int]:
        play = self.drawn_game.play
        if play is None or play.turn != player:
            return []
        return [int(action) for action in np.flatnonzero(action_mask(play))]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes with their probabilities: starting seats, or colours of a tile.

        Raises:
            IllegalMoveError: this is not a chance node.
        """
        return self.drawn_game.outcomes()

    def _apply_action(self, action: int) -> None:
        after = deepcopy(self.drawn_game)  # half done after an interrupt
        if after.chance:
            after.draw(action)
        else:
            after.act(action)
        self.drawn_game = after

    def _action_to_string(self, player: int, action: int) -> str:
        if player < 0 or self.drawn_game.play is None:
            return self.drawn_game.outcome_text(action)
        return move_of(self.drawn_game.play, action)

    def resample_from_infostate(self, player: int, sampler: object) -> Any:
        """Return a state that the player cannot tell from this one: a copy, as nothing is hidden.

        Tiles are drawn when a chance node says so, from counts that everybody knows.
        """
        return self.clone()  # type: ignore[attr-defined]

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self.drawn_game.play is not None and self.drawn_game.play.is_over()

    def returns(self) -> list[float]:
        """Return the shares of the victory by seat; zeros before the end."""
        if self.drawn_game.play is None:
            return [0.0] * self.drawn_game.players
        return final_rewards(self.drawn_game.play, "win")

    def __str__(self) -> str:
        return self.drawn_game.text()


def _game_type(spiel: Any, game: str, information_sets: bool = False) -> Any:
    rules = GAMES[game]
    kinds = spiel.GameType.Information
    return spiel.GameType(
        short_name=f"python_pavilion_{game}",
        long_name=rules.title,
        dynamics=spiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=spiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=(kinds.IMPERFECT_INFORMATION if information_sets
                     else kinds.PERFECT_INFORMATION),
        utility=spiel.GameType.Utility.CONSTANT_SUM,
        reward_model=spiel.GameType.RewardModel.TERMINAL,
        max_num_players=rules.max_players,
        min_num_players=rules.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(game),
    )


def _parameters(game: str) -> dict[str, Any]:
    """Return the parameters of a game with their defaults.

    `information_sets` declares a game of imperfect information, for algorithms that take no others.
    """
    return {"board": GAMES[game].boards[0], "players": 2, "information_sets": False}


def _classes(spiel: Any, game: str) -> tuple[Any, Any]:
    """Return the type of a game, and its class, which is made of the library's.

    Pickles look for the classes in this module, by name.
    """

    class State(Turns, spiel.State):  # type: ignore[misc]
        def __init__(self, owner: Any) -> None:
            spiel.State.__init__(self, owner)
            self.drawn_game = DrawnGame(game, owner.board, owner.players)

    class Game(spiel.Game):  # type: ignore[misc]
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            chosen = {**_parameters(game), **(params or {})}
            kind = _game_type(spiel, game, bool(chosen["information_sets"]))
            self.board, self.players = chosen["board"], chosen["players"]
            info = spiel.GameInfo(
                num_distinct_actions=num_actions(game, self.board, self.players),
                max_chance_outcomes=len(GAMES[game].colours), num_players=self.players,
                min_utility=0.0, max_utility=1.0, utility_sum=1.0,
                max_game_length=most_decisions(game, self.players))
            super().__init__(kind, info, chosen)

        def new_initial_state(self) -> Any:
            return State(self)

        def make_py_observer(self, wanted: Any = None, params: Any = None) -> Observer:
            return Observer(observation_parts(game, self.players),
                            bool(wanted and wanted.perfect_recall))

    for cls in (State, Game):
        cls.__qualname__ = f"{game.capitalize()}{cls.__name__}"
        globals()[cls.__qualname__] = cls
    return _game_type(spiel, game), Game


def _register() -> None:
    try:
        import pyspiel
    except ImportError:
        return
    for game in GAMES:
        pyspiel.register_game(*_classes(pyspiel, game))


_register()
