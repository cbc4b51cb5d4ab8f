"""Networks of random weights, of the shapes that the games want."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pavilion_ai._core import Network
from pavilion_ai.games import GAMES
from pavilion_ai.network import Header, core_shape, write_network
from tests.network.reference import random_weights

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
