"""A tournament of OpenSpiel's bots and this package's agents, played in OpenSpiel.

    pip install . open_spiel                            # in a checkout
    python examples/openspiel_tournament.py --game azul --rounds 2 --sims 20
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts
from open_spiel.python.bots import uniform_random

import pavilion_ai.envs.openspiel  # noqa: F401 - registers the games
from pavilion_ai import Limits, make_agent
from pavilion_ai.envs import action_of


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent of this package as a bot; states hold the game as a `Play`."""

    def __init__(self, spec: str, limits: Limits) -> None:
        super().__init__()
        self.agent, self.limits = make_agent(spec), limits

    def step(self, state: Any) -> int:
        """Return the action that the agent chooses."""
        play = state.drawn_game.play
        return action_of(play, self.agent.choose(play, self.limits))


def played(game: Any, bots: list[Any], rng: np.random.RandomState) -> list[float]:
    """Play a game; return the shares of the victory."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=shares)))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    return list(state.returns())


def main() -> None:
    """Play every bot against every other one, from both seats."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="azul")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sims", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.RandomState(options.seed)
    game = pyspiel.load_game(f"python_pavilion_{options.game}", {"information_sets": True})
    rollouts = mcts.RandomRolloutEvaluator(1, rng)
    limits = Limits(sims=options.sims)
    bots = {
        "uniform random": [uniform_random.UniformRandomBot(seat, rng) for seat in range(2)],
        "MCTS": [mcts.MCTSBot(game, 1.4, options.sims, rollouts, random_state=rng)] * 2,
        "IS-MCTS": [ismcts.ISMCTSBot(game, rollouts, 1.4, options.sims, random_state=rng)] * 2,
        "greedy": [AgentBot("greedy", limits)] * 2,
        "default": [AgentBot("default", limits)] * 2,
    }
    points = dict.fromkeys(bots, 0.0)
    for one, other in itertools.permutations(bots, 2):
        for _number in range(options.rounds):
            shares = played(game, [bots[one][0], bots[other][1]], rng)
            points[one] += shares[0]
            points[other] += shares[1]
    games = 2 * options.rounds * (len(bots) - 1)
    for name, total in sorted(points.items(), key=lambda item: -item[1]):
        print(f"{name:16} {total:5.1f} of {games}")


if __name__ == "__main__":
    main()
