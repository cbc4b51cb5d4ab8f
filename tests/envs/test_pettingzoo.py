"""The PettingZoo environments in the library's own tests, and against the batches."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from pavilion_ai import IllegalMoveError, PavilionError, Play, SpecError
from pavilion_ai.envs import REWARDS, action_mask, action_of, observe, readable
from pavilion_ai.notation import to_json
from tests.envs.support import interruptions
from tests.plays import VARIANTS

pytest.importorskip("pettingzoo", reason="pettingzoo (extra envs) is not installed")

from pettingzoo import test as suite

from pavilion_ai.envs import pettingzoo


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Any:
    """The library's tests warn of what they find odd. That observations are no plain arrays is its
    own convention where there are masks."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        yield


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_api(game: str, board: str, players: int) -> None:
    suite.api_test(pettingzoo.env(game, board, players), num_cycles=200)


def test_a_shallow_copy_has_a_game_of_its_own() -> None:
    env = pettingzoo.raw_env("azul")
    env.reset(seed=1)
    other = copy.copy(env)
    other.step(int(action_mask(other.current).argmax()))
    assert not env.current.moves
    assert other.current.moves


@pytest.mark.parametrize("copied", [
    copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copied", "pickled"])
def test_a_copy_goes_on_alike(copied: Any) -> None:
    """With the same draws, and the same games after this one."""
    env = pettingzoo.env("azul")
    env.reset(seed=1)

    def went(one: Any, steps: int) -> list[str]:
        found = []
        for _ in range(steps):
            seen, _, terminated, _, _ = one.last()
            if terminated:
                one.reset()
            else:
                one.step(int(np.flatnonzero(seen["action_mask"])[-1]))
            found.append(one.unwrapped.current.code())
        return found

    went(env, 130)
    other = copied(env)
    assert went(env, 300) == went(other, 300)
    for one in (env, other):
        one.reset()
    assert went(env, 1) == went(other, 1)


@pytest.mark.parametrize("reward", REWARDS)
def test_api_with_other_rewards_and_scaled_observations(reward: str) -> None:
    suite.api_test(pettingzoo.env("azul", reward=reward, observation="scaled"), num_cycles=100)


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_seeds(game: str) -> None:
    suite.seed_test(lambda: pettingzoo.env(game), num_cycles=150)


def test_the_librarys_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    """It plays for five seconds and prints how many turns it made."""
    suite.performance_benchmark(pettingzoo.env("azul"))
    assert "turns per second" in capsys.readouterr().out.lower()


def test_seats_take_turns_so_there_is_no_parallel_environment() -> None:
    from pettingzoo.utils.conversions import aec_to_parallel

    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(pettingzoo.env("azul"))


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_rendering(game: str) -> None:
    pytest.importorskip("resvg_py", reason="resvg-py (extra envs) is not installed")
    with redirect_stdout(io.StringIO()) as printed:
        suite.render_test(lambda render_mode: pettingzoo.env(game, render_mode=render_mode))
    assert "round 1" in printed.getvalue().lower()


def test_a_game_is_printed_as_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    env = pettingzoo.env("azul", render_mode="human")
    env.reset(seed=1)
    capsys.readouterr()
    env.step(env.observe(env.agent_selection)["action_mask"].argmax())
    assert capsys.readouterr().out == f"{env.unwrapped.current}\n"


def random_game(env: Any, seed: int) -> tuple[list[dict[str, float]], Play]:
    """Play at random; return the rewards of every step and the game."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    play = env.unwrapped.current
    found = []
    while not play.is_over():
        agent = env.agent_selection
        assert agent == f"seat_{play.turn}"
        seen = env.observe(agent)
        assert (seen["action_mask"] == action_mask(play)).all()
        assert (seen["observation"] == observe(play)).all()
        env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
        found.append(dict(env.rewards))
    return found, play


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_rewards(game: str, board: str, players: int) -> None:
    seats = [f"seat_{seat}" for seat in range(players)]
    start = 5 if game == "summer" else 0
    for reward in REWARDS:
        found, play = random_game(pettingzoo.env(game, board, players, reward=reward), 5)
        sums = [sum(step[name] for step in found) for name in seats]
        scores, winners = play.scores(), play.winners()
        if reward == "dense":
            assert sums == [score - start for score in scores]
            continue
        assert not any(any(step.values()) for step in found[:-1])
        if reward == "win":
            assert sums == [(seat in winners) / len(winners) for seat in range(players)]
        else:
            assert sums == [score - max(scores[:seat] + scores[seat + 1:])
                            for seat, score in enumerate(scores)]


@pytest.mark.parametrize("observation", ["counts", "scaled"])
def test_the_state_is_what_everybody_sees(observation: str) -> None:
    """In the order of the seats, whoever is to move, also at the end."""
    env = pettingzoo.env("summer", players=3, observation=observation)
    with pytest.raises(AssertionError), redirect_stdout(io.StringIO()):
        env.state()
    env.reset(seed=1)
    import_module("pettingzoo.test.state_test").test_state_space(env)
    over, movers = False, set()
    while not over:
        state = env.state()
        assert state in env.state_space
        assert (state == observe(env.unwrapped.current, 0, observation)).all()
        movers.add(env.agent_selection)
        seen, _, over, *_ = env.last()
        if not over:
            env.step(int(seen["action_mask"].argmax()))
    assert len(movers) == 3


def test_scores_are_told() -> None:
    """After every step, and those of the end to all seats, to each in an array of its own."""
    env = pettingzoo.env("azul", players=3)
    env.reset(seed=1)
    for name in env.agent_iter():
        seen, _, over, _, info = env.last()
        assert info["scores"].tolist() == [*env.unwrapped.current.scores()]
        assert info["scores"].dtype == np.int32
        assert env.infos[name] is info
        info["scores"][:] = -1
        env.step(None if over else int(seen["action_mask"].argmax()))
    assert max(env.unwrapped.current.scores()) > 0


def test_only_the_seat_to_move_has_legal_actions() -> None:
    env = pettingzoo.env("summer", "grey", 3)
    env.reset(seed=1)
    masks = {name: env.observe(name)["action_mask"].any() for name in env.agents}
    assert masks == {name: name == env.agent_selection for name in env.agents}


def test_resets_without_a_seed_give_the_next_game_of_the_seed() -> None:
    one, other = pettingzoo.env("azul"), pettingzoo.env("azul")
    starts = []
    for env in (one, other):
        env.reset(seed=8)
        first = env.unwrapped.current.start
        env.reset()
        starts.append((first, env.unwrapped.current.start))
    assert starts[0] == starts[1]
    assert starts[0][0] != starts[0][1]


def test_draws_follow_from_the_seed() -> None:
    """One position, in the games of other seeds: each deals other tiles."""
    play = Play.new("azul", seed=1)
    while play.turn is not None:
        play.push(play.legal_moves[0])
    last = play.pop()
    env, dealt = pettingzoo.raw_env("azul"), []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        env.play = play.copy()
        env.step(action_of(play, last))
        dealt.append(env.current.moves[-1])
    assert dealt[0].startswith("deal:")
    assert dealt[0] == dealt[1] != dealt[2]


def test_a_new_game_begins_without_the_rewards_of_the_last_one() -> None:
    env = pettingzoo.env("summer")
    env.reset(seed=3)
    while not any(env.unwrapped.terminations.values()):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    env.reset()
    found = {}
    for _ in range(2):
        seen, found[env.agent_selection], *_ = env.last()
        env.step(int(seen["action_mask"].argmax()))
    assert found == {"seat_0": 0, "seat_1": 0}


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = pettingzoo.env("azul")
    env.reset(seed=1)
    before = env.unwrapped.current.position
    with pytest.raises(IllegalMoveError, match="action 179 is not legal here"):
        env.step(179)
    assert env.unwrapped.current.position == before


def test_without_a_reset_there_is_no_game() -> None:
    env = pettingzoo.raw_env("azul")
    for use in (lambda: env.step(0), env.last, lambda: env.observe("seat_0")):
        with pytest.raises(PavilionError, match=r"no game yet: call reset\(\) first"):
            use()


def test_an_interrupt_changes_nothing() -> None:
    """Neither in a step after which tiles are drawn nor in the last one."""
    env = pettingzoo.raw_env("azul", reward="dense")
    env.reset(seed=1)
    play, ended = env.current, False

    def standing() -> Any:
        return copy.deepcopy((play.moves, env.agent_selection, env.rewards,
                              env._cumulative_rewards, env.terminations))

    while not ended:
        action, twin = int(action_mask(play).argmax()), copy.deepcopy(env)
        twin.step(action)
        ended = twin.current.is_over()
        before = standing()
        if ended or len(twin.current.moves) > len(play.moves) + 1:
            for _ in interruptions(env.step, action):
                assert standing() == before
        else:
            env.step(action)
        assert (play, *standing()[1:]) == (twin.current, twin.agent_selection, twin.rewards,
                                           twin._cumulative_rewards, twin.terminations)


def test_a_game_begins_at_a_position() -> None:
    """Tiles that are due are drawn, and the play that was given stays as it is."""
    given = Play.new("summer", seed=3)
    while not given.chance:
        given.push(given.legal_moves[0])
    before = given.moves
    env = pettingzoo.env("summer")
    games = []
    for seed in (1, 1, 2):
        for position in (given, given.position):
            env.reset(seed=seed, options={"position": position})
            play = env.unwrapped.current
            assert env.agent_selection == f"seat_{play.turn}"
            games.append(play.code())
    assert games[0] == games[2] != games[4]
    assert given.moves == before
    env.step(int(env.last()[0]["action_mask"].argmax()))


def test_an_unknown_bag_stays_unknown() -> None:
    given = Play.new("azul", seed=3)
    while not given.chance:
        given.push(given.legal_moves[0])
    env = pettingzoo.raw_env("azul")
    env.reset(seed=1, options={"position": {**to_json(given.position), "bag": None, "lid": None}})
    assert readable(env.current)["split_known"] == 0
    assert env.current.plies


def test_a_position_out_of_place_is_refused_and_changes_nothing() -> None:
    env = pettingzoo.raw_env("azul")
    env.reset(seed=1)
    game = env.current
    for position in ("zzz", Play.new("summer").position, Play.new("azul", players=3)):
        with pytest.raises(SpecError, match=r"^options: position: "):
            env.reset(seed=2, options={"position": position})
        assert env.current is game


@pytest.mark.parametrize("wrong", [{"render_mode": "window"}, {"observation": "features"},
                                   {"reward": "points"}, {"players": 1}])
def test_arguments_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="expected"):
        pettingzoo.env("azul", **wrong)
