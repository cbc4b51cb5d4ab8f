"""Environment steps per second of this package beside other programs, all measured in one run.

    python -m bench.other_environments                     # what is installed, and a C++ compiler
    pip install open_spiel pgx && python -m bench.other_environments --seconds 2

All games are played at random, one core's processor time is counted, and one round of each program
follows the other, so that all suffer the same disturbances. A step is one decision of a player with
what a learner needs for it: choosing among the legal actions, their mask, and the observation of
the seat to move. `choice` alone leaves the last two out, as the C++ program does
(bench/reference/naive.cpp, Summer Pavilion for 2 players, with lists instead of masks).

Games of other libraries are other games: their steps say what an environment costs, no more.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from bench.against_reference import compile_reference, play_reference
from pavilion_ai.bench import machine
from pavilion_ai.envs.batch import Batch
from pavilion_ai.wording import plural

Stepper = Callable[[float], tuple[int, float]]
"""Plays for so many seconds; returns decisions and seconds of processor time."""

REFERENCE = "C++ reference, choice"


def loop(step: Callable[[], int]) -> Stepper:
    """Return what repeats a step for some time; a step returns how many decisions it made."""
    def play(seconds: float) -> tuple[int, float]:
        began, done = time.process_time(), 0
        while (used := time.process_time() - began) < seconds:
            done += step()
        return done, used
    return play


def batch(game: str, size: int, whole: bool) -> Stepper:
    """Step a `Batch`, with masks and observations or without."""
    games = Batch(game, size=size, seed=1)
    actions, mask, seen = games.random_actions(), games.mask(), games.observe()

    def step() -> int:
        games.step(games.random_actions(out=actions))
        if whole:
            games.mask(out=mask)
            games.observe(out=seen)
        return size
    return loop(step)


def pettingzoo(game: str) -> Stepper:
    """Step the PettingZoo environment."""
    from pavilion_ai.envs import pettingzoo as envs

    env, rng = envs.raw_env(game), np.random.default_rng(1)
    env.reset(seed=1)

    def step() -> int:
        if any(env.terminations.values()):
            env.reset()
        seen = env.observe(env.agent_selection)
        env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
        return 1
    return loop(step)


def gymnasium(game: str) -> Stepper:
    """Step the Gymnasium environment against `random`; the learner's decisions are counted."""
    from pavilion_ai.envs import gymnasium as envs

    env, rng = envs.make(game), np.random.default_rng(1)
    state: dict[str, Any] = {"info": env.reset(seed=1)[1]}

    def step() -> int:
        action = rng.choice(np.flatnonzero(state["info"]["action_mask"]))
        _, _, over, _, state["info"] = env.step(action)
        if over:
            state["info"] = env.reset()[1]
        return 1
    return loop(step)


def openspiel(name: str) -> Stepper:
    """Step a game of OpenSpiel from Python."""
    import pyspiel

    import pavilion_ai.envs.openspiel  # noqa: F401 - registers the games

    game, rng = pyspiel.load_game(name), np.random.default_rng(1)
    states = [game.new_initial_state()]

    def step() -> int:
        if states[0].is_terminal():
            states[0] = game.new_initial_state()
        state = states[0]
        if state.is_chance_node():
            outcomes, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(outcomes[rng.choice(len(shares), p=shares)]))
            return 0
        state.observation_tensor(state.current_player())
        state.apply_action(int(rng.choice(state.legal_actions())))
        return 1
    return loop(step)


def pgx(name: str, size: int) -> Stepper:
    """Step a batch of games of pgx, compiled by JAX."""
    import jax
    import pgx as library

    env = library.make(name)
    begin, advance = jax.vmap(env.init), jax.vmap(env.step)

    @jax.jit
    def step_all(states: Any, key: Any) -> tuple[Any, Any]:
        key, one, two, three = jax.random.split(key, 4)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(one, logits, axis=-1)
        following = advance(states, actions, jax.random.split(three, size))
        fresh = begin(jax.random.split(two, size))

        def chosen(new: Any, old: Any) -> Any:
            over = (following.terminated | following.truncated).reshape(
                (size,) + (1,) * (new.ndim - 1))
            return jax.numpy.where(over, new, old)
        return jax.tree_util.tree_map(chosen, fresh, following), key

    state = [jax.jit(begin)(jax.random.split(jax.random.PRNGKey(0), size)), jax.random.PRNGKey(1)]

    def step() -> int:
        state[:] = step_all(*state)
        jax.block_until_ready(state[0].observation)
        return size
    step()
    return loop(step)


def reference(folder: str) -> Stepper:
    """Play whole games with the plain program."""
    program, _ = compile_reference(folder)
    games = [200]

    def play(seconds: float) -> tuple[int, float]:
        _, used, decisions, _ = play_reference(program, games[0], 1)
        games[0] = max(100, int(games[0] * seconds / max(used, 1e-3)))
        return decisions, used
    return play


def programs(folder: str) -> Iterator[tuple[str, Callable[[], Stepper]]]:
    """Yield the names of programs, and what sets them up; ImportError: it is not installed."""
    yield REFERENCE, lambda: reference(folder)
    for size in (1, 16, 1024, 16384):
        games = plural(size, "game")
        yield f"Batch, summer, {games}, choice", lambda n=size: batch("summer", n, False)
        yield f"Batch, summer, {games}", lambda n=size: batch("summer", n, True)
    yield "Batch, azul, 1,024 games", lambda: batch("azul", 1024, True)
    yield "PettingZoo, summer", lambda: pettingzoo("summer")
    yield "PettingZoo, azul", lambda: pettingzoo("azul")
    yield "Gymnasium against random, azul", lambda: gymnasium("azul")
    yield "OpenSpiel, azul, ours in Python", lambda: openspiel("python_pavilion_azul")
    for name in ("backgammon", "connect_four", "tic_tac_toe"):
        yield f"OpenSpiel, {name}", lambda n=name: openspiel(n)
    for name in ("backgammon", "connect_four", "tic_tac_toe"):
        yield f"pgx, {name}, 1,024 games", lambda n=name: pgx(n, 1024)


def main() -> None:
    """Parse the command line, race, report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="of a round of each program")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        racers = {}
        for name, prepare in programs(folder):
            try:
                racers[name] = prepare()
            except ImportError as error:
                print(f"left out: {name}: {error.name} is not installed")
        speeds: dict[str, list[float]] = {name: [] for name in racers}
        for _round in range(options.rounds + 1):
            for name, play in racers.items():
                steps, seconds = play(options.seconds)
                speeds[name].append(steps / seconds)
    print(f"{machine()}\n{options.rounds} rounds in turn, after one to warm up\n")
    print("| program | steps/s | to the C++ reference, median of the rounds |\n|---|---|---|")
    for name, found in speeds.items():
        ratios = [one / other for one, other in zip(found, speeds[REFERENCE], strict=True)][1:]
        print(f"| {name} | {statistics.median(found[1:]):,.0f} | {statistics.median(ratios):.3g} |")


if __name__ == "__main__":
    main()
