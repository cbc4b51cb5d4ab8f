"""The Gymnasium environments in the library's own checker, and against the game."""

from __future__ import annotations

import copy
import io
import pickle
import re
import sys
import threading
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pavilion_ai import Agent, Limits, PavilionError, Play, Rng, SpecError, make_agent
from pavilion_ai.envs import OBSERVATIONS, REWARDS, Guided, observe, readable
from pavilion_ai.envs.adapters import picture
from pavilion_ai.errors import EngineEnded, EngineFault, IllegalMoveError, InvalidMoveError
from pavilion_ai.network import NETS
from pavilion_ai.notation import to_json
from pavilion_ai.render import draw_svg
from pavilion_ai.render.svg import NoConverterError
from tests.envs.support import even, interruptions
from tests.plays import VARIANTS

library = pytest.importorskip("gymnasium", reason="gymnasium (extra envs) is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from pavilion_ai.envs import gymnasium  # noqa: E402

NAMES = {"summer": "pavilion/Summer-v0", "azul": "pavilion/Azul-v0"}


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_the_librarys_checker(game: str, board: str, players: int) -> None:
    env = library.make(NAMES[game], board=board, players=players, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("game", list(NAMES))
def test_the_librarys_checker_with_every_render_mode(game: str) -> None:
    pytest.importorskip("resvg_py", reason="resvg-py (extra envs) is not installed")
    with redirect_stdout(io.StringIO()) as printed:
        check_env(library.make(NAMES[game], render_mode="ansi").unwrapped)
    assert "round 1" in printed.getvalue().lower()


@pytest.mark.parametrize("shape", [(), (1,)])
def test_an_action_may_be_an_array_of_one_element(shape: tuple[int, ...]) -> None:
    """As policies of stable-baselines3 return it, for one observation and for a batch of one."""
    env = library.make("pavilion/Azul-v0")
    _, info = env.reset(seed=1)
    action = np.array(info["action_mask"].argmax()).reshape(shape)
    assert shape or env.action_space.contains(action)
    _, reward, over, _, info = env.step(action)
    assert (reward, over, "illegal" in info) == (0, False, False)


@pytest.mark.parametrize("wrong", [3.0, "3", None, np.array([3, 4]), np.array([3.0])], ids=repr)
def test_what_is_no_number_is_no_action_and_loses_no_game(wrong: Any) -> None:
    env = gymnasium.make("azul")
    _, info = env.reset(seed=1)
    with pytest.raises(InvalidMoveError, match=r"^action .*: expected a whole number$"):
        env.step(wrong)
    _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
    assert (reward, over, "illegal" in info) == (0, False, False)


@pytest.mark.parametrize("game", list(NAMES))
def test_pixels_are_those_of_the_drawing(game: str) -> None:
    """The paper is light, and tiles of every colour are on it."""
    pytest.importorskip("resvg_py", reason="resvg-py (extra envs) is not installed")
    env = library.make(NAMES[game], render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape[2] == 3
    colours = {tuple(colour) for colour in np.unique(picture.reshape(-1, 3), axis=0).tolist()}
    fills = {tuple(bytes.fromhex(fill)) for fill in
             re.findall('fill="#([0-9a-f]{6})"', draw_svg(env.unwrapped.current.position))}
    assert fills <= colours
    assert (picture > 240).all(axis=2).mean() > 0.3


@pytest.mark.parametrize("game", list(NAMES))
def test_pictures_of_a_game_have_one_size(game: str) -> None:
    """Videos are made of them. Displays are left out in the end; a hand may need a second row."""
    pytest.importorskip("resvg_py", reason="resvg-py (extra envs) is not installed")
    play, turn, seen = Play.new(game, seed=55), 0, []
    while not play.is_over():
        if turn in (0, 20):
            seen.append(play.copy())
        play.push(play.legal_moves[(385 + turn) % len(play.legal_moves)])
        play.draw()
        turn += 1
    heights = set(re.findall(r'<svg [^>]*height="(\d+)"', "".join(
        draw_svg(one.position) for one in (*seen, play))))
    assert len(heights) == (3 if game == "summer" else 2)
    frames = [picture(one) for one in (*seen, play)]
    assert len({frame.shape for frame in frames}) == 1
    assert all(frame.flags.writeable for frame in frames)


@pytest.mark.parametrize("missing", ["resvg_py", "PIL"])
def test_pixels_without_their_libraries_name_the_extra(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = library.make(NAMES["azul"], render_mode="rgb_array")
    env.reset(seed=1)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(NoConverterError, match=r"pip install 'pavilion-ai\[(png|envs)\]'"):
        env.render()


class Recorded(Agent):
    """Plays the last legal move, and remembers which seats and seeds it had."""

    def __init__(self) -> None:
        super().__init__("recorded")
        self.seats: set[int | None] = set()
        self.seeds: list[int] = []

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        self.seats.add(play.turn)
        self.seeds.append(seed)
        return play.legal_moves[-1]


def whole_game(env: Any, seed: int) -> tuple[list[float], Any]:
    """Play the learner at random; return its rewards and the environment."""
    rng = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    inner, found, over = env.unwrapped, [], False
    while not over:
        assert inner.current.turn == inner.seat == info["seat"]
        assert env.observation_space.contains(seen)
        assert (seen == observe(inner.current, inner.seat, inner.kind)).all()
        legal = np.flatnonzero(info["action_mask"])
        assert len(legal) == len(inner.current.legal_moves)
        seen, reward, over, cut, info = env.step(rng.choice(legal))
        assert not cut
        found.append(reward)
    assert env.observation_space.contains(seen)
    at_end = (np.zeros_like(seen) if inner.kind == "features"
              else observe(inner.current, inner.seat, inner.kind))
    assert (seen == at_end).all()
    assert not info["action_mask"].any()
    return found, inner


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_whole_games(game: str, board: str, players: int) -> None:
    start = 5 if game == "summer" else 0
    for number, reward in enumerate(REWARDS):
        others = [Recorded() for _ in range(players - 1)]
        env = library.make(NAMES[game], board=board, players=players, reward=reward,
                           opponents=others, observation=OBSERVATIONS[number])
        found, inner = whole_game(env, number)
        assert all(len(set(other.seeds)) == len(other.seeds) for other in others)
        scores, winners, seat = inner.current.scores(), inner.current.winners(), inner.seat
        assert [other.seats for other in others] == [
            {(seat + 1 + place) % players} for place in range(players - 1)]
        expected = {
            "win": (seat in winners) / len(winners),
            "score": scores[seat] - max(scores[:seat] + scores[seat + 1:]),
            "dense": scores[seat] - start,
        }
        assert sum(found) == pytest.approx(expected[reward])
        assert reward == "dense" or not any(found[:-1])


def test_agents_by_spec_and_a_fixed_seat() -> None:
    env = library.make(NAMES["azul"], opponents="greedy", seat=1)
    games = {whole_game(env, 4)[1].current.moves for _ in range(2)}
    assert len(games) == 1
    assert env.unwrapped.seat == 1
    first = library.make(NAMES["azul"], seat=np.int64(0))
    assert first.observation_space.high.max() == 1  # observations are scaled
    assert {first.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0}


class Dice(Agent):
    """Chooses with random numbers of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.rng = Rng(1)

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return play.legal_moves[self.rng.below(len(play.legal_moves))]


def test_a_shallow_copy_has_a_game_of_its_own() -> None:
    env = gymnasium.make("azul")
    env.reset(seed=1)
    other, before = copy.copy(env), env.current.moves
    other.step(int(other.action_masks().argmax()))
    assert env.current.moves == before != other.current.moves


def test_a_shallow_copy_shares_opponents_unless_they_keep_trees() -> None:
    """One may hold what cannot be copied."""
    class Locked(Dice):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    opponents = [Locked(), make_agent("default:sims=2,reuse=1")]
    env = gymnasium.make(players=3, opponents=opponents)
    env.reset(seed=1)
    other = copy.copy(env)
    assert [one is two for one, two in zip(env.opponents, other.opponents, strict=True)] == [
        True, False]
    other.step(int(other.action_masks().argmax()))


@pytest.mark.parametrize("copied", [
    copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copied", "pickled"])
@pytest.mark.parametrize("opponent", [
    "random", "greedy", "policy", "default:sims=2", "default:level=3",
    Guided(even, Limits(sims=2)), Dice()], ids=lambda opponent: getattr(opponent, "spec", opponent))
def test_a_copy_goes_on_alike(copied: Any, opponent: str | Guided) -> None:
    """With the same draws and replies, and the same games after this one."""
    def went(one: Any, steps: int) -> list[str]:
        found = []
        for _ in range(steps):
            _, _, over, _, _ = one.step(int(one.unwrapped.action_masks().argmax()))
            found.append(one.unwrapped.current.code())
            if over:
                one.reset()
        return found

    env = library.make(NAMES["azul"], opponents=opponent)
    env.reset(seed=1)
    went(env, 5)
    other = copied(env)
    assert went(env, 60) == went(other, 60)


def test_a_game_does_not_depend_on_those_before() -> None:
    """Also where the opponent keeps its tree, and has searched the same position before."""
    env = gymnasium.make("azul", opponents="ismcts:reuse=1,sims=2", seat=1)
    games = set()
    for _ in range(3):
        env.reset(seed=19)
        games.add(env.current.moves)
    assert len(games) == 1
    assert games != {()}


def test_new_games_go_on_with_the_network_that_the_file_held(tmp_path: Path) -> None:
    file = tmp_path / "some.net"
    file.write_bytes((NETS / "azul-coloured-2.net").read_bytes())
    env = gymnasium.make("azul", opponents=f"ismcts:net={file},reuse=1,sims=2", seat=1)
    env.reset(seed=19)
    file.unlink()
    for one in (env, copy.deepcopy(env)):
        one.reset(seed=19)
        assert one.current.moves


@pytest.mark.parametrize("game", list(NAMES))
def test_an_id_is_that_of_a_game(game: str) -> None:
    for options in ({}, {"game": game}):
        assert library.make(NAMES[game], **options).unwrapped.variant["game"] == game
    text = library.make(NAMES[game], players=3).spec.to_json()
    spec = library.envs.registration.EnvSpec.from_json(text)
    assert library.make(spec).unwrapped.variant == {"game": game, "board": "coloured", "players": 3}
    other, = {*NAMES} - {game}
    for name in (other, "chess", None):
        with pytest.raises(SpecError, match=f"game .*: expected '{game}', which the id names"):
            library.make(NAMES[game], game=name)
    with pytest.raises(AttributeError, match="no attribute 'make_chess'"):
        _ = gymnasium.make_chess


def test_frames_are_collected() -> None:
    env = library.make(NAMES["azul"], render_mode="ansi_list")
    env.reset(seed=1)
    assert env.render() == [str(env.unwrapped.current)]


def test_seats_are_drawn() -> None:
    env = library.make(NAMES["azul"], players=3)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1, 2}


@pytest.mark.parametrize(("game", "reward", "worst"), [
    ("azul", "win", gymnasium.ILLEGAL), ("azul", "score", -511), ("summer", "dense", -330)])
def test_an_illegal_action_ends_the_game(game: str, reward: str, worst: float) -> None:
    """With a reward below that of any game that is lost."""
    env = library.make(NAMES[game], reward=reward)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, gained, over, _, info = env.step(illegal)
    assert (gained, over) == (worst, True)
    assert info["illegal"] == f"action {illegal} is not legal here"
    assert not info["action_mask"].any()


def test_a_game_that_an_illegal_action_ended_does_not_go_on() -> None:
    env = gymnasium.make("azul", observation="features")
    _, info = env.reset(seed=1)
    legal, illegal = int(info["action_mask"].argmax()), int(info["action_mask"].argmin())
    seen, *_ = env.step(illegal)
    assert not seen.any()
    assert not env.action_masks().any()
    _, gained, over, _, info = env.step(legal)
    assert (gained, over) == (gymnasium.ILLEGAL, True)
    assert info["illegal"] == "the game has ended: call reset() first"
    assert env.reset(seed=1)[0].any()
    assert env.step(legal)[1:3] == (0, False)


def test_a_game_that_has_ended_does_not_go_on() -> None:
    env = gymnasium.make("azul")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    _, gained, over, _, info = env.step(0)
    assert (gained, over) == (gymnasium.ILLEGAL, True)
    assert info["illegal"] == "the game has ended: call reset() first"


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("again", ["NEXT_STEP", "SAME_STEP"])
def test_vectors_of_environments(mode: str, again: str) -> None:
    """A game that ends begins anew; `NEXT_STEP` takes a step for it, without legal actions."""
    vector = library.vector
    envs = library.make_vec(
        NAMES["azul"], num_envs=3, players=3, vectorization_mode=mode,
        vector_kwargs={"autoreset_mode": getattr(vector.AutoresetMode, again)})
    seen, infos = envs.reset(seed=1)
    over, ends = np.zeros(3, bool), 0
    for _ in range(80):
        masks = infos["action_mask"]
        assert (masks.any(axis=1) == ~(over & (again == "NEXT_STEP"))).all()
        seen, _, over, _, infos = envs.step(masks.argmax(axis=1))
        assert seen in envs.observation_space
        assert "illegal" not in infos
        assert (infos["scores"].dtype, infos["scores"].shape) == (np.int32, (3, 3))
        ends += over.sum()
    envs.close()
    assert ends >= 3


class Unreliable(Agent):
    """Plays the last legal move, unless it is to fail."""

    fails: Any = None

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        if callable(self.fails):
            self.fails(play)
            return play.legal_moves[0]
        if isinstance(self.fails, BaseException):
            raise self.fails
        return self.fails or play.legal_moves[-1]


@pytest.mark.parametrize(("fails", "error", "told"), [
    (KeyboardInterrupt(), KeyboardInterrupt, None),
    (OSError("the model server is away"), OSError, "away"),
    (IllegalMoveError("action 3 is not legal here"), EngineFault,
     "agent 'Unreliable', seat 2: chose what cannot be played: action 3 is not legal here"),
    ("D1", EngineFault, "agent 'Unreliable', seat 2: chose what cannot be played: found 'D1'"),
    (Play.pop, EngineFault, "^agent 'Unreliable', seat 2: changed the play$"),
])
def test_where_another_agent_fails_the_game_is_as_before(
    fails: Any, error: Any, told: str | None
) -> None:
    """The learner's next action is played in its own seat."""
    others = [Unreliable(), Unreliable()]
    env = gymnasium.make("azul", players=3, opponents=others, seat=0)
    _, info = env.reset(seed=1)
    before, action = env.current.moves, int(info["action_mask"].argmax())
    others[1].fails = fails
    with pytest.raises(error, match=told):
        env.step(action)
    assert env.current.moves == before
    assert (env.action_masks() == info["action_mask"]).all()
    others[1].fails = None
    twin = gymnasium.make("azul", players=3, opponents=[Unreliable(), Unreliable()], seat=0)
    twin.reset(seed=1)
    for one in (env, twin):
        over = False
        while not over:
            over = one.step(int(one.action_masks().argmax()))[2]
    assert env.current.moves == twin.current.moves, "the game is that of the seed"
    assert [ply.seat for ply in env.current.plies[len(before):]][:3] == [0, 1, 2]


def test_an_external_engine_that_fails_is_named_once() -> None:
    """The error keeps its class and what a clock does not count."""
    env = gymnasium.make("azul", players=3, opponents=["random", "cmd:true"], seat=0)
    with pytest.raises(EngineEnded, match=r"^agent 'cmd:true', seat 2: exited with") as told:
        env.reset(seed=2)
    assert told.value.free > 0
    env.close()


def test_an_interrupt_leaves_the_game_as_it_was() -> None:
    env = gymnasium.make("azul", seat=0, render_mode="human")
    _, info = env.reset(seed=1)
    before, legal, illegal = (
        env.current.moves, int(info["action_mask"].argmax()), int(info["action_mask"].argmin()))
    for action in (illegal, legal):
        twin = copy.deepcopy(env)
        for _ in interruptions(twin.step, action):
            assert (twin.current.moves, twin.ended) == (before, False)
        assert twin.ended or len(twin.current.moves) > len(before)


def test_where_the_drawing_fails_the_game_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise BrokenPipeError

    env = gymnasium.make("azul", render_mode="human")
    _, info = env.reset(seed=1)
    before, action = env.current.moves, int(info["action_mask"].argmax())
    monkeypatch.setattr(env, "render", fail)
    with pytest.raises(BrokenPipeError):
        env.step(action)
    assert env.current.moves == before


def test_without_its_first_moves_there_is_no_game() -> None:
    other = Unreliable()
    env = gymnasium.make("azul", opponents=other, seat=0)
    env.reset(seed=1)
    assert env.current.moves
    other.fails = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        env.reset(seed=1)
    with pytest.raises(PavilionError, match="no game yet"):
        env.step(0)


def test_a_game_is_printed_as_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    env = library.make(NAMES["azul"], render_mode="human").unwrapped
    _, info = env.reset(seed=1)
    capsys.readouterr()
    env.step(info["action_mask"].argmax())
    assert capsys.readouterr().out == f"{env.current}\n"


def test_an_agent_for_all_other_seats() -> None:
    env = gymnasium.make("azul", players=3, opponents=Recorded(), seat=1)
    whole_game(env, 1)
    assert env.opponents[0].seats == {0, 2}


def test_an_environment_that_closes_closes_its_opponents() -> None:
    closed = []

    class Other(Agent):
        def close(self) -> None:
            closed.append(self)

    others = [Other(), Other()]
    gymnasium.make("azul", players=3, opponents=others).close()
    assert closed == others


@pytest.mark.parametrize("wrong", [
    {"opponents": ["random"] * 2}, {"seat": 2}, {"render_mode": "window"}, {"reward": "points"},
    {"observation": "pixels"}, {"players": 1}, {"opponents": "nobody"}, {"seat": True},
    {"seat": np.int64(2)}, {"seat": 1.0}, {"opponents": 5}, {"opponents": None},
])
def test_arguments_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="expected"):
        gymnasium.make("azul", **wrong)


@pytest.mark.parametrize("opponents", [Unreliable, [Unreliable]])
def test_an_opponent_is_an_object_and_no_class(opponents: Any) -> None:
    told = r"^agent: found the class Unreliable, expected an object: Unreliable\(\)$"
    with pytest.raises(SpecError, match=told):
        gymnasium.make("azul", opponents=opponents)


def at_the_deal() -> Play:
    """Return a play of three seats whose next tiles are due."""
    play = Play.new("azul", players=3, seed=1)
    while not play.chance:
        play.push(play.legal_moves[0])
    return play


def finished(**variant: Any) -> Play:
    """Return a play that is over, after the first legal move in every turn."""
    play = Play.new("azul", **variant)
    while not play.is_over():
        play.draw()
        play.push(play.legal_moves[0])
    return play


@pytest.mark.parametrize("form", [
    lambda play: play, lambda play: play.position, Play.code,
    lambda play: to_json(play.position)], ids=["play", "position", "code", "JSON"])
def test_a_game_begins_at_a_position(form: Any) -> None:
    """Tiles that are due are drawn, by the seed of the game; the play that was given stays."""
    given = at_the_deal()
    before = given.moves
    env = library.make(NAMES["azul"], players=3, opponents="greedy", seat=1)
    deals = []
    for seed in (3, 3, 4):
        seen, info = env.reset(seed=seed, options={"position": form(given)})
        play = env.unwrapped.current
        assert play.turn == info["seat"] == 1
        assert (seen == observe(play, 1, "scaled")).all()
        deal, = (ply for ply in play.plies if ply.move.startswith("deal") and not any(
            ply.move == move for move in before))
        assert deal.state == given.state
        deals.append(deal.move)
    assert deals[0] == deals[1] != deals[2]
    assert given.moves == before


def test_an_unknown_bag_stays_unknown() -> None:
    given = {**to_json(at_the_deal().position), "bag": None, "lid": None}
    env = gymnasium.make("azul", players=3, observation="counts")
    env.reset(seed=1, options={"position": given})
    assert readable(env.current)["split_known"] == 0
    assert env.current.plies


def test_the_learner_decides_next_unless_a_seat_is_named() -> None:
    """Any other seat might have nothing to decide any more."""
    late = finished(players=3, seed=1)
    late.pop()
    turn = late.turn
    env, named = (gymnasium.make("azul", players=3, seat=seat) for seat in (None, 1))
    for seed in range(10):
        assert env.reset(seed=seed, options={"position": late})[1]["seat"] == turn
        env.reset(seed=seed, options={"position": at_the_deal()})
        assert env.seat == env.current.turn == env.current.position.start_seat
        assert len(env.current.moves) == len(at_the_deal().moves) + 1
        assert named.reset(seed=seed, options={"position": at_the_deal()})[1]["seat"] == 1
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1, 2}


def test_options_that_do_not_exist_are_refused_and_change_nothing() -> None:
    env = gymnasium.make("azul", players=3, seat=0)
    env.reset(seed=1)
    game = env.current
    for options, told in [
        ({"seat": 1}, "^option 'seat': expected one of position$"),
        ({"position": at_the_deal(), "seat": 1}, "^option 'seat': expected one of position$"),
        ([], "^options: found a list of 0, expected a dictionary$"),
        ({"position": "zzz"}, "^options: position: found 'zzz', expected a position"),
        ({"position": None}, "^options: position: found null, expected a position"),
        ({"position": {"game": "azul"}}, "^options: position: board: found no such key"),
        ({"position": Play.new("azul", seed=1)},
         "^options: position: found azul, coloured, 2 players, expected azul, coloured, 3$"),
        ({"position": finished(players=3, seed=1)},
         "^options: position: the game is over, expected one in progress$"),
    ]:
        with pytest.raises(SpecError, match=told):
            env.reset(seed=2, options=options)
        assert env.current is game
    assert env.reset(options={})[1]["seat"] == 0


def test_a_position_in_which_the_learner_has_nothing_to_decide_is_refused() -> None:
    play = finished(seed=1)
    play.pop()
    assert len(play.legal_moves) == 1
    assert play.turn is not None
    env = gymnasium.make("azul", seat=1 - play.turn)
    with pytest.raises(SpecError, match=r"^options: position: the game ends before seat \d"):
        env.reset(options={"position": play})
    with pytest.raises(PavilionError, match="no game yet"):
        env.step(0)
