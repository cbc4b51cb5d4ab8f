"""Measure the speed of rules and search, and compute a signature of their results.

The signature covers the rules, the random picks and the search, with the fitted tables and with a
network of random weights; speed does not enter it, nor do the shipped networks. It is the same on
every machine and in every build, and changes only when the engine plays differently.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pavilion_ai._core import Network, Rng, Search, State, random_games
from pavilion_ai.games import Rules, variants
from pavilion_ai.network import core_shape, shipped
from pavilion_ai.search import tunables_for
from pavilion_ai.version import __version__

GAMES_A_CHUNK = 50
"""Random games between two readings of the clock: about a millisecond."""

SIMS_A_SEARCH = 5000
"""Simulations of one search; then the next begins with an empty tree, as it does in a game."""

LEAST_SIMS = 500
"""Simulations of one search also where time is up; to make its tree takes as long as some."""

WARM_UP_SECONDS = 0.02
SHORTEST_SECONDS = 0.002
CLOCK_STEP = 1e-6
TREE_BYTES = 64 << 20

SIGNED_SEEDS = range(10)
"""Seeds of the random games of a variant; the signature uses one position of each."""

KINDS_OF_MOVES = 4
"""The walk of a seed continues to a position with moves of kind `seed % KINDS_OF_MOVES`."""

PATIENCE = 40
"""Most decisions by which it is continued; not every game has moves of every kind."""

SIGNED_GAMES = 300
SIGNED_SIMS = 800
SIGNED_NETWORK_SIMS = 400
SIGNED_TREE_BYTES = 4 << 20
WALK_STREAM, PICK_STREAM, WEIGHTS_STREAM = 1, 2, 3
"""Streams of a seed: the draws and moves of a walk, how far it goes; the weights of a network."""

SIGNED_HIDDEN = 32, 16
SIGNED_BITS = 9, 12, 11
"""Bits of its random weights, layer by layer: activations and outputs are about 1, as they are in
networks that have learned something."""

LONGEST_WALK = 45
"""Decisions a player: about a random game of four, a little less than one of two."""


# -------------------------------------------------------------------------------------- speed


def run_bench(seconds: float) -> dict[str, object]:
    """Measure every variant on one core, for about `seconds` in total.

    This includes the signature. Everything is measured for at least a few milliseconds, and each
    search for hundreds of simulations, so all of it takes some seconds at least.

    Returns:
        the object of `bench --json` (docs/benchmarks.md). The simulations are those of the agent
        `default`; `sims_per_second_linear` are those without a network.
    """
    ends = time.monotonic() + seconds
    signed = signature()
    measured = list(variants())
    each = (ends - time.monotonic()) / (3 * len(measured)) - WARM_UP_SECONDS
    results = {}
    for rules, board, players in measured:
        state = _opening(rules, board, players)
        network = shipped(rules.name, board, players)
        results[f"{rules.name}/{board}/{players}"] = {
            **_game_speed(state, each),
            "sims_per_second": _search_speed(rules, state, network, each),
            "sims_per_second_linear": _search_speed(rules, state, None, each),
        }
    return {
        "signature": signed,
        "machine": machine(),
        "version": __version__,
        "results": results,
    }


def _opening(rules: Rules, board: str, players: int) -> State:
    return rules.to_core(rules.new(board, players, seed=1, start_player=0))


def _rates(work: Callable[[int, float], tuple[int, ...]], seconds: float) -> list[float]:
    """Repeat `work` for so long, after a warm-up; return what it counted per second.

    The limit is one of time, the rate one of processor time: what one core does, also on a
    machine that has other things to do.

    Args:
        work: called with the number of the call and the reading of time.monotonic() at which it
            should end at the latest; returns counts.
    """
    warm = time.monotonic() + min(WARM_UP_SECONDS, max(0.0, seconds))
    call = 0
    while call == 0 or time.monotonic() < warm:
        work(call, warm)
        call += 1
    started = time.process_time()
    ends = time.monotonic() + max(SHORTEST_SECONDS, seconds)
    counts: list[tuple[int, ...]] = []
    while not counts or time.monotonic() < ends:
        counts.append(work(call, ends))
        call += 1
    used = max(time.process_time() - started, CLOCK_STEP)
    return [sum(column) / used for column in zip(*counts, strict=True)]


def _game_speed(state: State, seconds: float) -> dict[str, float]:
    def play(call: int, ends: float) -> tuple[int, int]:
        return GAMES_A_CHUNK, random_games(state, GAMES_A_CHUNK, call)[0]

    games, plies = _rates(play, seconds)
    return {"random_games_per_second": games, "plies_per_second": plies}


def _search_speed(rules: Rules, state: State, network: Network | None, seconds: float) -> float:
    def search(call: int, ends: float) -> tuple[int]:
        tree = _tree(rules, state, call, TREE_BYTES, network)
        return (tree.run(LEAST_SIMS) + tree.run(SIMS_A_SEARCH - LEAST_SIMS, ends),)

    return _rates(search, seconds)[0]


def _tree(rules: Rules, state: State, seed: int, memory: int, network: Network | None) -> Search:
    """Return a search as the agent `default` makes it, with or without a network."""
    return Search(state, seed=seed, memory_bytes=memory, network=network,
                  **tunables_for(rules, network))


def machine() -> str:
    """Describe the machine: processor, cores, interpreter, its compiler, operating system."""
    return ", ".join((
        _processor(),
        f"{os.cpu_count() or 1} cores",
        f"{platform.python_implementation()} {platform.python_version()}"
        f" ({platform.python_compiler()})",
        f"{platform.system()} {platform.machine()}",
    ))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Hardware") and value.strip():
            return value.strip()
    return platform.processor() or "unknown processor"


# ---------------------------------------------------------------------------------- signature


def signature() -> str:
    """Return eight hexadecimal digits over what the engine does in 120 fixed positions.

    Hashed are, in this order and as whole numbers only: the sorted legal moves under both keep
    policies and perft(2), decisions and scores of random games, and the visits that small
    searches, without a network and with one, give the sorted moves of the root.
    """
    digest = blake2b(digest_size=4)
    for rules, board, players in variants():
        opening = _opening(rules, board, players)
        digest.update(f"{rules.name}/{board}/{players}".encode())
        digest.update(repr(random_games(opening, SIGNED_GAMES, players)).encode())
        network = _random_network(rules, players)
        for seed in SIGNED_SEEDS:
            state = _walk(opening, seed, players)
            if seed == SIGNED_SEEDS[-1]:
                state = _unknown_bag(rules, state)
            for fact in _facts(rules, state, seed, network):
                digest.update(repr(fact).encode())
    return digest.hexdigest()


def _random_network(rules: Rules, players: int) -> Network:
    """Return a small network with the same random weights every time."""
    inputs, policy = core_shape(rules.name, players)
    first, second = SIGNED_HIDDEN
    outputs = 3 * players + policy
    bits = SIGNED_BITS
    rng = Rng(players, WEIGHTS_STREAM)
    payload = b"".join((
        _random_weights(rng, (inputs + 1) * first, bits[0]),
        _random_weights(rng, first * second, bits[1]),
        bytes(4 * second),
        _random_weights(rng, second * outputs, bits[2]),
        bytes(4 * outputs),
    ))
    return Network(inputs, first, second, players, policy, payload)


def _random_weights(rng: Rng, count: int, bits: int) -> bytes:
    """Return signed random numbers of `bits` bits, in the form of a network file."""
    numbers = array("H")
    for _ in range(-(-count // 4)):
        numbers.frombytes(rng.next().to_bytes(8, "little"))
    if sys.byteorder == "big":
        numbers.byteswap()
    half = 1 << (bits - 1)
    weights = array("h", [(number >> (16 - bits)) - half for number in numbers[:count]])
    if sys.byteorder == "big":
        weights.byteswap()
    return weights.tobytes()


def _walk(opening: State, seed: int, players: int) -> State:
    """Return a state after random decisions, at the latest that of the game's last decision.

    Picks from the sorted list, so that it does not depend on the order in which moves are listed.
    """
    rng = Rng(seed, WALK_STREAM)
    length, kind = Rng(seed, PICK_STREAM).below(LONGEST_WALK * players), seed % KINDS_OF_MOVES
    state, visited, decisions = opening.copy(), opening, 0
    while True:
        moves = sorted(state.moves(True))
        if moves:
            visited = state.copy()
            wanted = any(move[0] == kind for move in moves) or decisions >= length + PATIENCE
            if decisions >= length and wanted:
                return visited
            state.apply(moves[rng.below(len(moves))])
            decisions += 1
            continue
        try:
            state.draw(rng)
        except ValueError:  # no seat to move and nothing to draw: the game is over
            return visited


def _unknown_bag(rules: Rules, state: State) -> State:
    """Return the state with the split of unseen tiles between bag and discards unknown."""
    names = [rules.table.unseen_field(role).name for role in ("drawn", "discarded")]
    position: Any = rules.from_core(state)
    return rules.to_core(replace(position, **dict.fromkeys(names)))


def _facts(rules: Rules, state: State, seed: int, network: Network) -> Iterator[object]:
    yield sorted(state.moves()), sorted(state.moves(True)), state.perft(2)
    for sims, values in ((SIGNED_SIMS, None), (SIGNED_NETWORK_SIMS, network)):
        tree = _tree(rules, state, seed, SIGNED_TREE_BYTES, values)
        tree.run(sims)
        yield tree.nodes, sorted((row.move, row.visits) for row in tree.rows())
