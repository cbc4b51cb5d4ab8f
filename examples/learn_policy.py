"""Learn a policy from a data set, and let it play.

    pip install . torch                                # in a checkout
    pavilion dataset --out data --game azul --games 2000 --agent default:sims=200
    python examples/learn_policy.py data
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pavilion_ai import Agent, Match, Play
from pavilion_ai.envs import action_mask, move_of, observe
from pavilion_ai.envs.dataset import load


class Learned(Agent):
    """Plays the likeliest action of a network."""

    def __init__(self, network: nn.Module, kind: str) -> None:
        super().__init__("learned")
        self.network, self.kind = network, kind

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        with torch.no_grad():
            seen = torch.from_numpy(observe(play, kind=self.kind)).float()
            logits = self.network(seen[None])[0].numpy()
        return move_of(play, int(np.where(action_mask(play), logits, -np.inf).argmax()))


def main(folder: str, epochs: int = 10) -> None:
    """Learn from all games but the last tenth; print what it would have played in those."""
    torch.manual_seed(1)
    about = json.loads((Path(folder) / "dataset.json").read_text())
    names = ("observation", "mask", "policy", "action", "game")
    parts = [[part[name] for name in names] for part in load(folder)]
    seen, mask, policy, action, game = (torch.from_numpy(np.concatenate(column))
                                        for column in zip(*parts, strict=True))
    network = nn.Sequential(nn.BatchNorm1d(seen.shape[1]), nn.Linear(seen.shape[1], 256), nn.ReLU(),
                            nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, mask.shape[1]))
    optimiser = torch.optim.Adam(network.parameters(), 1e-3)
    begins = game.diff(prepend=game.new_tensor([-1])).nonzero()[:, 0]
    first_test = int(begins[len(begins) * 9 // 10])
    for epoch in range(epochs):
        network.train()
        for rows in torch.randperm(first_test).tensor_split(max(1, first_test // 512)):
            logits = network(seen[rows].float()).masked_fill(~mask[rows], -1e9)
            loss = functional.cross_entropy(logits, policy[rows].float())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        network.eval()
        with torch.no_grad():
            logits = network(seen[first_test:].float()).masked_fill(~mask[first_test:], -1e9)
        same = (logits.argmax(1) == action[first_test:]).float().mean()
        print(f"epoch {epoch + 1}: loss {loss:.3f}, same move in {same:.1%} of"
              f" {len(seen) - first_test} new decisions")
    for rival in ("random", "default:level=1"):
        learned = Learned(network, about["observation"])
        seats: list[Agent | str] = [learned, *[rival] * (about["players"] - 1)]
        match = Match(seats, game=about["game"], board=about["board"], pairs=20, seed=1)
        print(f"{rival}: {match.run().entrants[0].win_share}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder of `pavilion dataset`")
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()
    main(options.data, options.epochs)
