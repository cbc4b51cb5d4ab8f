"""Networks of random weights, of the shapes that the games want."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

from pavilion_ai._core import Network, Search
from pavilion_ai.games import GAMES
from pavilion_ai.network import Header, core_shape, write_network
from pavilion_ai.search import tunables_for
from tests.network.reference import random_weights

from .support import rules_of, search

HIDDEN = 32, 16
UNIT = 2.0**-22


@cache
def payload(game: str, players: int, seed: int = 0) -> bytes:
    """Return weights whose values and priors differ from move to move, but not wildly."""
    inputs, policy = core_shape(game, players)
    weights = random_weights(seed, inputs, *HIDDEN, 3 * players + policy)
    weights.w3 //= 6
    weights.b3 //= 6
    return weights.payload


def network(game: str, players: int, seed: int = 0, kernel: str | None = None) -> Network:
    """Return a network of a game."""
    inputs, policy = core_shape(game, players)
    return Network(inputs, *HIDDEN, players, policy, payload(game, players, seed), kernel)


def network_file(folder: Path, game: str, grey: bool, players: int, seed: int = 0) -> Path:
    """Write such a network and return its file."""
    board = GAMES[game].boards[grey]
    inputs, policy = core_shape(game, players)
    path = folder / f"{game}-{board}-{players}-{seed}.net"
    write_network(path, Header(game, board, players, inputs, HIDDEN, policy),
                  payload(game, players, seed))
    return path


GAIN_POINTS = 32


def searched(state: Any, seed: int = 1, net_seed: int = 0, kernel: str | None = None,
             **tunables: Any) -> Search:
    """Return a search tree for a state whose leaves a random network values."""
    net = network(rules_of(state).name, state.players, net_seed, kernel)
    return search(state, seed=seed, **{
        **tunables_for(rules_of(state), net), "stats_depth": 500, "network": net, **tunables})


def net_values(state: Any, net: Network) -> tuple[list[float], list[float], list[float]]:
    """Return win shares, squashed leads and final scores by seat as the network has them."""
    out = [number * UNIT for number in net.evaluate(state.inputs(), 0, 3 * net.players)]
    # Between rounds the network sees the board from the seat that starts next.
    first = state.to_move if state.to_move >= 0 else state.fields()[5]
    seats = [(first + i) % net.players for i in range(net.players)]
    powers = [math.exp(x) for x in out[:net.players]]
    win, lead, score = ([0.0] * net.players for _ in range(3))
    for i, seat in enumerate(seats):
        win[seat] = powers[i] / sum(powers)
        lead[seat] = 1 / (1 + math.exp(-out[net.players + i]))
        score[seat] = state.scores()[seat] + GAIN_POINTS * out[2 * net.players + i]
    return win, lead, score
