"""Learn a game by masked PPO: one network plays every seat of PettingZoo environments.

    pip install '.[envs]' torch                         # in a checkout
    pavilion dataset --out data --game azul --games 3000 --agent default:sims=60 \\
        --observation scaled
    python examples/masked_ppo.py --game azul --data data --minutes 20 --out azul.pt

With `--data` the policy first learns to play as the games of a data set do, which saves PPO the
many games until it has found out what a good move is. Every few minutes the policy plays a match
against `--rivals`. Advantages are those of the score: each change of a seat's own less the mean
change of the others', between two of its decisions.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pavilion_ai import Agent, Match, Play
from pavilion_ai.envs import action_mask, move_of, observe
from pavilion_ai.envs import pettingzoo as envs
from pavilion_ai.envs.dataset import load

POINTS = 10.0
"""Points that count as a reward of 1."""
DISCOUNT, SMOOTHING, CLIP, EPOCHS, MINIBATCH = 0.997, 0.95, 0.2, 3, 512
WARM_UP = 40_000
"""Steps from which only the value is learned, where the policy comes from a data set."""


class Network(nn.Module):
    """Logits of all actions and the value of a position, from the scaled observation."""

    def __init__(self, inputs: int, actions: int, width: int = 256) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(),
                                  nn.Linear(width, width), nn.ReLU())
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(seen)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return functional.log_softmax(logits, 1), self.value(hidden)[:, 0]


class Trained(Agent):
    """Plays the most likely action."""

    def __init__(self, network: Network) -> None:
        super().__init__("trained")
        self.network = network

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        with torch.no_grad():
            logits, _ = self.network(torch.from_numpy(observe(play, kind="scaled"))[None],
                                     torch.from_numpy(action_mask(play))[None])
        return move_of(play, int(logits.argmax()))


class Table:
    """Environments side by side, and what every seat of them has gone through so far.

    A step of a seat is its observation, mask, action, log probability, value, and the reward until
    its next decision.
    """

    def __init__(self, game: str, board: str, players: int, size: int, seed: int) -> None:
        self.envs = [envs.raw_env(game, board, players, reward="dense", observation="scaled")
                     for _ in range(size)]
        for number, env in enumerate(self.envs):
            env.reset(seed=seed + number)
        self.steps: dict[tuple[int, str], list[list[Any]]] = defaultdict(list)
        self.done: list[tuple[Any, ...]] = []
        self.games = 0

    def play(self, network: Network, turns: int) -> list[tuple[Any, ...]]:
        """Play so many turns in every environment; return the finished steps with advantages and
        returns."""
        self.done = []
        for _ in range(turns):
            views = [env.observe(env.agent_selection) for env in self.envs]
            seen = np.stack([view["observation"] for view in views])
            mask = np.stack([view["action_mask"] for view in views])
            with torch.no_grad():
                logits, values = network(torch.from_numpy(seen), torch.from_numpy(mask))
            # The largest of logits with Gumbel noise is a draw from their distribution.
            noise = -torch.empty_like(logits).exponential_().log()
            actions = (logits + noise).argmax(1, keepdim=True)
            chosen = logits.gather(1, actions)[:, 0]
            for number, row in enumerate(zip(seen, mask, actions[:, 0].tolist(), chosen.tolist(),
                                             values.tolist(), strict=True)):
                self.step(number, row)
        for key in list(self.steps):
            self.finish(key, over=False)
        return self.done

    def step(self, number: int, row: tuple[Any, ...]) -> None:
        """Play an action in an environment, and share out the rewards."""
        env = self.envs[number]
        self.steps[number, env.agent_selection].append([*row, 0.0])
        env.step(row[2])
        total, others = sum(env.rewards.values()), len(env.rewards) - 1
        for name, reward in env.rewards.items():
            if self.steps[number, name]:
                self.steps[number, name][-1][-1] += (
                    reward - (total - reward) / others) / POINTS
        if any(env.terminations.values()):
            self.games += 1
            for name in env.possible_agents:
                self.finish((number, name), over=True)
            env.reset()

    def finish(self, key: tuple[int, str], over: bool) -> None:
        """Work out the advantages of a seat's steps; the last one waits if the game is not over."""
        steps = self.steps[key]
        value, advantage = 0.0 if over or not steps else steps[-1][4], 0.0
        for *step, own, reward in reversed(steps if over else steps[:-1]):
            advantage = (reward + DISCOUNT * value - own) + DISCOUNT * SMOOTHING * advantage
            value = own
            self.done.append((*step, advantage, advantage + own))
        self.steps[key] = [] if over else steps[-1:]


def imitate(network: Network, optimiser: torch.optim.Optimizer, folder: str, epochs: int) -> None:
    """Learn the policy of a data set."""
    parts = [[part[name] for name in ("observation", "mask", "policy")] for part in load(folder)]
    seen, mask, policy = (torch.from_numpy(np.concatenate(column))
                          for column in zip(*parts, strict=True))
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(seen)).split(MINIBATCH):
            logits, _ = network(seen[rows], mask[rows])
            loss = -(policy[rows].float() * logits.clamp(min=-50)).sum(1).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) * len(rows)
        print(f"epoch {epoch + 1} of {len(seen):,} decisions: loss {total / len(seen):.3f}",
              flush=True)


def learn(network: Network, optimiser: torch.optim.Optimizer, steps: list[tuple[Any, ...]],
          entropy: float, trust: float = 1.0) -> float:
    """Improve the network by the clipped objective; return the mean entropy of the policy.

    With `trust` 0 only the value is learned.
    """
    seen, mask, actions, before, advantages, returns = (
        torch.from_numpy(np.array(column, None if type(column[0]) is not float else np.float32))
        for column in zip(*steps, strict=True))
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    spread = torch.zeros(())
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(seen)).split(MINIBATCH):
            logits, values = network(seen[rows], mask[rows])
            ratio = (logits.gather(1, actions[rows, None])[:, 0] - before[rows]).exp()
            gain = torch.minimum(ratio * advantages[rows],
                                 ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[rows])
            spread = -(logits.exp() * logits.clamp(min=-50)).sum(1).mean()
            loss = (0.5 * functional.mse_loss(values, returns[rows])
                    - trust * (gain.mean() + entropy * spread))
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()
    return float(spread.detach())


def main() -> None:
    """Learn for a while; print what matches against the rivals give."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="azul")
    parser.add_argument("--board", default="coloured")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--data", help="folder of a data set to begin with, scaled observations")
    parser.add_argument("--epochs", type=int, default=6, help="of learning from it")
    parser.add_argument("--minutes", type=float, default=60, help="of PPO")
    parser.add_argument("--every", type=float, default=3, help="minutes between two matches")
    parser.add_argument("--rivals", default="random default:level=1", help="specs, with spaces")
    parser.add_argument("--pairs", type=int, default=50, help="deals of a match")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--turns", type=int, default=64)
    parser.add_argument("--rate", type=float, help="of learning; 3e-4 with --data, else 7e-4")
    parser.add_argument("--entropy", type=float, help="its weight; 0.003 with --data, else 0.02")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="file for the network")
    options = parser.parse_args()
    if options.data:
        about = json.loads((Path(options.data) / "dataset.json").read_text())
        wanted = {"game": options.game, "board": options.board, "players": options.players,
                  "observation": "scaled"}
        other = {key: about[key] for key in wanted if about[key] != wanted[key]}
        if other:
            parser.error(f"{options.data}: a data set of {other}, expected {wanted}")
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    table = Table(options.game, options.board, options.players, options.envs, options.seed)
    agent = table.envs[0].possible_agents[0]
    network = Network(table.envs[0].observation_space(agent)["observation"].shape[0],
                      int(table.envs[0].action_space(agent).n))
    if options.data:
        imitate(network, torch.optim.Adam(network.parameters(), lr=1e-3), options.data,
                options.epochs)
    rate, entropy = options.rate, options.entropy
    if rate is None:
        rate = 3e-4 if options.data else 7e-4
    if entropy is None:
        entropy = 0.003 if options.data else 0.02
    optimiser = torch.optim.Adam(network.parameters(), lr=rate, eps=1e-5)
    began = last = time.monotonic()
    done, steps, best = 0.0, 0, ""
    while done < 1:
        done = min(1.0, (time.monotonic() - began) / 60 / options.minutes)
        for group in optimiser.param_groups:
            group["lr"] = rate * (1 - 0.9 * done)
        found = table.play(network, options.turns)
        new = options.data and steps < WARM_UP  # a policy that was learned, but no value yet
        spread = learn(network, optimiser, found, entropy * (1 - 0.9 * done), 0.0 if new else 1.0)
        steps += len(found)
        if done < 1 and time.monotonic() - last < 60 * options.every:
            continue
        last = time.monotonic()
        for rival in options.rivals.split():
            match = Match([Trained(network), *[rival] * (options.players - 1)], game=options.game,
                          board=options.board, pairs=options.pairs, seed=options.seed)
            match.run()
            won, own, other = [], [], []
            for record in match.records:
                seat = [entry["spec"] for entry in record.agents].index("trained")
                won.append((seat in record.winners) / len(record.winners))
                own.append(record.scores[seat])
                other.append((sum(record.scores) - record.scores[seat]) / (options.players - 1))
            best += f"  {rival}: {np.mean(won):.1%}, {np.mean(own):.1f} to {np.mean(other):.1f}"
        print(f"{(last - began) / 60:.1f} min ({time.process_time() / 60:.1f} of the processor),"
              f" {steps:,} steps, {table.games:,} games, entropy {spread:.2f};{best}", flush=True)
        best = ""
        if options.out:
            torch.save(network.state_dict(), options.out)


if __name__ == "__main__":
    main()
