"""How fast this machine plays and searches, and a number that says whether it does the same.

The signature covers the rules, the random picks and the search; speed does not enter it. It is
the same on every machine and in every build, and changes only when the engine plays differently.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pavilion_ai._core import Rng, Search, random_games
from pavilion_ai.games import GAMES, Game
from pavilion_ai.search import tunables_for
from pavilion_ai.version import __version__

__all__ = ["machine", "run_bench", "signature", "variants"]

GAMES_A_CHUNK = 50
"""Random games between two looks at the clock: about a millisecond."""

SIMS_A_SEARCH = 5000
"""Simulations of one search; then the next begins with an empty tree, as it does in a game."""

WARM_UP_SECONDS = 0.02
SHORTEST_SECONDS = 0.002
CLOCK_STEP = 1e-6
TREE_BYTES = 64 << 20

SIGNED_SEEDS = range(10)
"""Random games a variant; the signature takes one position out of each."""

KINDS_OF_MOVES = 4
"""The walk of a seed goes on to a position with moves of kind `seed % KINDS_OF_MOVES`."""

PATIENCE = 40
"""Decisions that it goes on for; not every game has moves of every kind."""

SIGNED_GAMES = 300
SIGNED_SIMS = 800
SIGNED_TREE_BYTES = 4 << 20
WALK_STREAM, PICK_STREAM = 1, 2
"""Streams of a seed: the draws and moves of a walk, and how far it goes."""

LONGEST_WALK = 45
"""Decisions a player: about a random game of four, a little less than one of two."""


def variants() -> Iterator[tuple[Game, str, int]]:
    """Yield every game with each of its boards and numbers of players."""
    for game in GAMES.values():
        for board in game.boards:
            for players in range(game.min_players, game.max_players + 1):
                yield game, board, players


# -------------------------------------------------------------------------------------- speed


def run_bench(seconds: float) -> dict[str, object]:
    """Measure every variant on one core, for about so many seconds in all.

    The signature is part of the time. However little is left, everything is measured for a few
    milliseconds.

    Returns:
        the object of `bench --json` (CONTRACT section 2).
    """
    ends = time.monotonic() + seconds
    signed = signature()
    measured = list(variants())
    each = (ends - time.monotonic()) / (2 * len(measured)) - WARM_UP_SECONDS
    results = {}
    for game, board, players in measured:
        state = _opening(game, board, players)
        results[f"{game.name}/{board}/{players}"] = {
            **_game_speed(state, each), **_search_speed(game, state, each)}
    return {
        "signature": signed,
        "machine": machine(),
        "version": __version__,
        "results": results,
    }


def _opening(game: Game, board: str, players: int) -> Any:
    return game.to_core(game.new(board, players, seed=1, start_player=0))


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


def _game_speed(state: Any, seconds: float) -> dict[str, float]:
    def play(call: int, ends: float) -> tuple[int, int]:
        return GAMES_A_CHUNK, random_games(state, GAMES_A_CHUNK, call)[0]

    games, plies = _rates(play, seconds)
    return {"random_games_per_second": games, "plies_per_second": plies}


def _search_speed(game: Game, state: Any, seconds: float) -> dict[str, float]:
    def search(call: int, ends: float) -> tuple[int]:
        tree = Search(state, seed=call, memory_bytes=TREE_BYTES, **tunables_for(game))
        return (tree.run(SIMS_A_SEARCH, ends),)

    return {"sims_per_second": _rates(search, seconds)[0]}


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
    policies and perft(2), decisions and scores of random games, and the visits that a small
    search gives the sorted moves of the root.
    """
    digest = blake2b(digest_size=4)
    for game, board, players in variants():
        opening = _opening(game, board, players)
        digest.update(f"{game.name}/{board}/{players}".encode())
        digest.update(repr(random_games(opening, SIGNED_GAMES, players)).encode())
        for seed in SIGNED_SEEDS:
            state = _walk(opening, seed, players)
            if seed == SIGNED_SEEDS[-1]:
                state = _unknown_bag(game, state)
            for fact in _facts(game, state, seed):
                digest.update(repr(fact).encode())
    return digest.hexdigest()


def _walk(opening: Any, seed: int, players: int) -> Any:
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
        except ValueError:  # nobody to move and nothing to draw: the game is over
            return visited


def _unknown_bag(game: Game, state: Any) -> Any:
    """Return the state with the split of unseen tiles between bag and discards unknown."""
    names = [game.table.unseen_field(role).name for role in ("drawn", "discarded")]
    position: Any = game.from_core(state)
    return game.to_core(replace(position, **dict.fromkeys(names)))


def _facts(game: Game, state: Any, seed: int) -> Iterator[object]:
    yield sorted(state.moves()), sorted(state.moves(True)), state.perft(2)
    tree = Search(state, seed=seed, memory_bytes=SIGNED_TREE_BYTES, **tunables_for(game))
    tree.run(SIGNED_SIMS)
    yield tree.nodes, sorted((row[0], row[1]) for row in tree.rows())
