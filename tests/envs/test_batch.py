"""Batches: lockstep with the oracle, threads, restarts, and what is refused."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pavilion_ai import IllegalMoveError, PavilionError, Play, SpecError
from pavilion_ai._core import Rng, State
from pavilion_ai.envs import REWARDS, action_mask, move_of, observation_parts, observe
from pavilion_ai.envs.batch import Batch
from pavilion_ai.games import GAMES
from pavilion_ai.notation import Deal, Supply, format_move, to_json
from pavilion_ai.position import validate
from tests.plays import VARIANTS
from tests.rules.implementations import ORACLES
from tests.rules.lockstep import FACTOR

from . import literal

LOCKSTEP_PLIES = 150                   # in each of two games of each variant


class Mirror:
    """One game of a batch, held by the oracle; its tiles are drawn by the core from the random
    numbers that the batch should use."""

    def __init__(self, game: str, board: str, players: int, seed: int, index: int) -> None:
        self.game, self.board, self.players = game, board, players
        self.oracle = ORACLES[game]
        self.rng = Rng(seed, index)
        self.begin()

    def begin(self) -> None:
        start = self.rng.below(self.players)
        cls: Any = GAMES[self.game].core_class
        self.state: State = cls.new(self.players, self.board == "grey", start, self.rng)
        self.position = to_json(GAMES[self.game].from_core(self.state))

    def legal(self) -> dict[int, str]:
        return {literal.number(self.game, self.board, self.players, move): move
                for move in self.oracle.legal_moves(self.position)}

    def play(self, action: int) -> None:
        rules = GAMES[self.game]
        move = self.legal()[action]
        self.position = self.oracle.apply(self.position, move)
        names = rules.names(self.board, self.state.round)
        self.state.apply_code(next(code for code in self.state.codes() if names[code] == move))
        while self.oracle.chance(self.position):
            phase = self.position["phase"]
            drawn = self.state.draw(self.rng)
            chance = Deal(drawn) if phase == "deal" else Supply(drawn[0])
            self.position = self.oracle.apply(self.position, format_move(chance, self.game))

    def scores(self) -> list[int]:
        return [seat["score"] for seat in self.position["seats"]]

    def rewards(self, reward: str, before: list[int]) -> list[float]:
        after = self.scores()
        if reward == "dense":
            return [now - then for now, then in zip(after, before, strict=True)]
        if self.position["phase"] != "over":
            return [0] * self.players
        if reward == "win":
            winners = self.oracle.winners(self.position)
            return [1 / len(winners) if seat in winners else 0 for seat in range(self.players)]
        return [after[seat] - max(after[other] for other in range(self.players) if other != seat)
                for seat in range(self.players)]


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_lockstep_with_the_oracle(game: str, board: str, players: int) -> None:
    seed = 11 if FACTOR < 1 else int(np.random.default_rng().integers(2**40))
    batches = [Batch(game, board, players, size=2, seed=seed, reward=reward) for reward in REWARDS]
    mirrors = [Mirror(game, board, players, seed, index) for index in range(2)]
    ended = 0
    for ply in range(round(LOCKSTEP_PLIES * max(FACTOR, 1)) * players // 2):
        where = f"seed {seed}, ply {ply}"
        batch = batches[ply % 3]
        mask, seen = batch.mask(), batch.observe()
        for index, mirror in enumerate(mirrors):
            position = mirror.position
            assert set(np.flatnonzero(mask[index])) == set(mirror.legal()), where
            assert batch.turn[index] == position["to_move"], where
            assert seen[index].tolist() == literal.observation(position, position["to_move"]), where
        actions = batch.random_actions()
        before = [mirror.scores() for mirror in mirrors]
        for one in batches:
            one.step(actions)
        for index, mirror in enumerate(mirrors):
            mirror.play(int(actions[index]))
            for one, reward in zip(batches, REWARDS, strict=True):
                assert one.done[index] == (mirror.position["phase"] == "over"), where
                assert one.scores[index].tolist() == mirror.scores(), where
                assert one.rewards[index] == pytest.approx(
                    mirror.rewards(reward, before[index])), (where, reward)
            if mirror.position["phase"] == "over":
                mirror.begin()
                ended += 1
    assert ended


def played(steps: int, act: Callable[[Batch], Any] | None = None, **arguments: Any) -> list[Any]:
    """Return all that a batch of random actions shows, as bytes."""
    out = []
    with Batch(**arguments) as batch:
        for _ in range(steps):
            if act:
                act(batch)
            batch.step(batch.random_actions())
            out.append((batch.mask().tobytes(), batch.observe().tobytes(),
                        batch.rewards.tobytes(), batch.done.tobytes(), batch.scores.tobytes()))
    return out


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_the_number_of_threads_changes_nothing(game: str) -> None:
    alone = played(120, game=game, size=13, seed=5)
    for threads in (2, 3, 50):
        assert played(120, game=game, size=13, seed=5, threads=threads) == alone
    assert played(120, game=game, size=13, seed=6) != alone
    assert Batch(game, size=1, seed=0).seed == 0


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_has_threads_of_its_own() -> None:
    """Loaders of data fork; the threads stay behind."""
    with Batch("azul", size=4, seed=5, threads=2) as batch:
        actions = batch.random_actions()

        def in_a_fork() -> None:
            batch.step(actions)
            batch.close()

        child = multiprocessing.get_context("fork").Process(target=in_a_fork, daemon=True)
        child.start()
        child.join(60)
        if child.exitcode is None:
            child.kill()
        assert child.exitcode == 0
        batch.step(actions)


class Disturbed:
    """The games of a batch; something happens in one thread before its part is played."""

    def __init__(self, games: Any, happens: Callable[[], None]) -> None:
        self.games, self.happens = games, happens
        self.played: list[int] = []
        self.here = threading.main_thread()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.games, name)

    def play(self, reward: int, first: int, end: int) -> None:
        if threading.current_thread() is self.here:
            self.happens()
        else:
            time.sleep(0.02)
        self.games.play(reward, first, end)
        self.played.append(first)


def test_an_interrupt_waits_until_every_game_is_stepped(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (Batch("azul", size=6, seed=5, threads=threads) for threads in (3, 1))
    actions = other.random_actions()
    other.step(actions)
    with one, monkeypatch.context() as disturbed:
        disturbed.setattr(one, "_games", Disturbed(
            one._games, lambda: signal.raise_signal(signal.SIGINT)))
        with pytest.raises(KeyboardInterrupt):
            one.step(actions)
        assert (one.observe() == other.observe()).all()


def test_a_program_handles_ctrl_c_as_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a training loop that writes what it has learned, and ends."""
    told: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: told.append(number))
    try:
        with Batch("azul", size=6, seed=5, threads=3) as batch:
            monkeypatch.setattr(batch, "_games", Disturbed(
                batch._games, lambda: signal.raise_signal(signal.SIGINT)))
            batch.step(batch.random_actions())
    finally:
        signal.signal(signal.SIGINT, before)
    assert told == [signal.SIGINT]


def test_a_second_thread_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not so the one that steps, whose handler of a signal may look at the games, nor a copy."""
    batch, twin = (Batch("azul", size=2, seed=5) for _ in range(2))
    actions = batch.random_actions()
    twin.step(twin.random_actions())
    stepping, looked = threading.Event(), threading.Event()

    def wait() -> None:
        batch.mask()
        stepping.set()
        looked.wait()

    other = threading.Thread(target=lambda: batch.step(actions))
    games = Disturbed(batch._games, wait)
    games.here = other
    monkeypatch.setattr(batch, "_games", games)
    other.start()
    try:
        assert stepping.wait(60)
        for use in (batch.reset, batch.mask, batch.observe, batch.random_actions,
                    lambda: batch.step(actions), lambda: batch.play(0), lambda: batch.reset([0]),
                    lambda: copy.copy(batch), lambda: pickle.dumps(batch)):
            with pytest.raises(PavilionError, match="batch: another thread is using it"):
                use()
    finally:
        looked.set()
        other.join()
    assert shows(batch) == shows(twin)
    batch.step(batch.random_actions())


def test_a_batch_that_another_thread_closes_ends_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its games are as if they had been stepped by one thread; the next call is refused."""
    one, other = (Batch("azul", size=6, seed=5, threads=threads) for threads in (3, 1))
    actions = one.random_actions()
    other.step(other.random_actions())
    pool, closer, submitted = one._pool, threading.Thread(target=one.close), list[int]()
    assert pool
    submit = pool.submit

    def closing(work: Any, first: int, end: int) -> Any:
        submitted.append(first)
        if submitted == [0, 2, 0, 2]:  # the last part of the games is about to be played
            closer.start()
            closer.join()
        return submit(work, first, end)

    monkeypatch.setattr(pool, "submit", closing)
    one.step(actions)
    assert one._games.saved() == other._games.saved()
    assert (one.turn == other.turn).all()
    with pytest.raises(PavilionError, match="the batch is closed"):
        one.mask()


def test_after_an_error_nothing_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another step would meet it in the same games."""
    def fail() -> None:
        raise MemoryError

    with Batch("azul", size=6, seed=5, threads=3) as batch:
        games = Disturbed(batch._games, fail)
        monkeypatch.setattr(batch, "_games", games)
        with pytest.raises(MemoryError):
            batch.step(batch.random_actions())
        assert sorted(games.played) == [0, 2]


def test_a_game_does_not_depend_on_the_size_of_its_batch() -> None:
    small, large = Batch("summer", size=2, seed=5), Batch("summer", size=9, seed=5)
    for _ in range(200):
        actions = large.random_actions()
        large.step(actions)
        small.step(actions[:2])
        assert (small.mask() == large.mask()[:2]).all()


def refuse(batch: Batch) -> None:
    """Try an illegal action in game 3, and in game 0 as well one that does not exist."""
    actions = batch.random_actions()
    illegal = int(np.flatnonzero(batch.mask()[3] == 0)[0])
    actions[3] = illegal
    with pytest.raises(IllegalMoveError, match=rf"game 3: action {illegal} is not legal, \d+"):
        batch.step(actions)
    actions[0] = batch.num_actions
    with pytest.raises(IllegalMoveError, match="game 0: action 581 does not exist"):
        batch.step(actions)
    with pytest.raises(IllegalMoveError, match=f"game 0: action {2**63 + 5} does not exist"):
        batch.step(np.full(batch.size, 2**63 + 5, np.uint64))


@pytest.mark.parametrize("threads", [1, 2])
def test_illegal_actions_change_no_game(threads: int) -> None:
    def watched(batch: Batch) -> None:
        state = (batch.mask().tobytes(), batch.observe().tobytes(), batch.rewards.tobytes())
        refuse(batch)
        assert state == (batch.mask().tobytes(), batch.observe().tobytes(),
                         batch.rewards.tobytes())

    played(40, watched, game="summer", size=5, seed=1, threads=threads)


def test_a_finished_game_begins_anew_and_the_others_play_on() -> None:
    batch = Batch("summer", size=8, seed=3)
    rounds = next(part for part in batch.parts if part.name == "round")
    ended = 0
    for _ in range(400):
        batch.step(batch.random_actions())
        seen = rounds.of(batch.observe())
        assert (seen.sum(axis=1) == 1).all()
        assert (seen[batch.done, 0] == 1).all()
        assert (batch.rewards[~batch.done] == 0).all()
        assert (batch.rewards[batch.done].sum(axis=1) == 1).all()
        ended += int(batch.done.sum())
    assert ended > 8


def test_reset_begins_new_games() -> None:
    batch = Batch("azul", size=3, seed=3)
    first = batch.observe()
    batch.step(batch.random_actions())
    batch.reset()
    assert (batch.scores == 0).all()
    assert (batch.mask()[:, :-30].sum(axis=1) >= 6 * 5).all()
    assert not batch.mask()[:, -30:].any()         # the centre is empty
    assert (batch.observe() != first).any()


def test_fifty_rounds_of_base_azul() -> None:
    """B9: all tiles to the floor line, for as long as the game lasts."""
    batch = Batch("azul", size=1, seed=3)
    rounds = next(part for part in batch.parts if part.name == "round")
    most = 0
    while not batch.done[0]:
        most = max(most, int(rounds.of(batch.observe())[0]))
        floor = np.flatnonzero(batch.mask()[0])
        batch.step(floor[floor % 6 == 5][:1])
    assert most == 50
    assert batch.rewards.tolist() == [[0.5, 0.5]]


def test_sizes_may_be_whole_numbers_of_numpy() -> None:
    two: Any = np.int64(2)
    batch = Batch("azul", players=two, size=two, threads=two, seed=two)
    assert type(batch.size) is int
    assert batch.observe().tolist() == Batch("azul", size=2, seed=2).observe().tolist()
    batch.close()


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_the_other_kinds_of_observation(game: str) -> None:
    counts, scaled, features = (Batch(game, "grey", 3, size=4, seed=9, observation=kind)
                                for kind in ("counts", "scaled", "features"))
    mirror = Mirror(game, "grey", 3, 9, 0)
    high = np.concatenate([np.full(part.size, part.high) for part in observation_parts(game, 3)])
    for _ in range(100):
        actions = counts.random_actions()
        seen = counts.observe()
        assert (seen >= 0).all()
        assert (seen <= high).all()
        assert scaled.observe() == pytest.approx(seen / high)
        inputs = features.observe()
        assert inputs.max() <= 9
        assert np.repeat(np.arange(inputs.shape[1]), inputs[0]).tolist() == sorted(
            mirror.state.inputs())
        for batch in (counts, scaled, features):
            batch.step(actions)
        if counts.done[0]:
            break
        mirror.play(int(actions[0]))


def test_arrays_are_written_where_they_are() -> None:
    batch = Batch("azul", size=6, seed=1)
    mask, seen = np.zeros((6, 180), np.bool_), np.zeros((6, 258), np.int16)
    assert batch.mask(out=mask) is mask
    assert batch.observe(out=seen) is seen
    assert (mask == batch.mask()).all()
    assert (seen == batch.observe()).all()
    for wrong in (np.zeros((6, 180)), np.zeros((5, 180), np.int8), [0],
                  np.zeros((6, 180), np.int8, order="F"), np.zeros((6, 360), np.int8)[:, ::2]):
        with pytest.raises(SpecError, match="out: expected a writable"):
            batch.mask(out=wrong)  # type: ignore[arg-type]
    unaligned = np.frombuffer(bytearray(6 * 258 * 2 + 1), np.int16, offset=1).reshape(6, 258)
    with pytest.raises(SpecError, match="out: expected a writable, aligned"):
        batch.observe(out=unaligned)
    frozen = np.zeros((6, 258), np.int16)
    frozen.flags.writeable = False
    with pytest.raises(SpecError, match="out: expected a writable"):
        batch.observe(out=frozen)


@pytest.mark.parametrize("actions", [[0], np.zeros(3), np.zeros((3, 1), int), [True] * 3, "abc",
                                     [[1], [2, 3]]])
def test_actions_are_whole_numbers_one_for_each_game(actions: Any) -> None:
    with pytest.raises(SpecError, match="whole numbers"):
        Batch("azul", size=3, seed=1).step(actions)


@pytest.mark.parametrize("wrong", [
    {"size": 0}, {"size": 1 << 40}, {"size": True}, {"threads": 0}, {"seed": 1.5}, {"seed": True},
    {"reward": "points"}, {"observation": "pixels"}, {"players": 5}, {"game": "go"},
])
def test_arguments_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="expected"):
        Batch(**{"game": "azul", **wrong})


class OnlyDLPack:
    """An array of a framework that numpy knows nothing of but DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: object) -> object:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> object:
        return self._array.__dlpack_device__()


def test_arrays_by_dlpack_in_and_out() -> None:
    one, other = (Batch("azul", size=5, seed=3) for _ in range(2))
    for _ in range(20):
        actions = one.random_actions()
        one.step(OnlyDLPack(actions))
        other.step(actions)
    for name in ("rewards", "done", "turn", "scores"):
        array = getattr(one, name)
        assert (array == getattr(other, name)).all()
        assert np.shares_memory(np.from_dlpack(OnlyDLPack(array)), array)
    mask = one.mask()
    assert np.shares_memory(np.from_dlpack(OnlyDLPack(mask)), mask)
    with pytest.raises(SpecError, match="expected"):
        one.step(OnlyDLPack(np.zeros(5)))


def test_tensors_in_and_out() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    batch = Batch("azul", size=5, seed=3)
    mask = torch.from_dlpack(batch.mask())
    batch.step(mask.float().multinomial(1)[:, 0])
    assert torch.from_dlpack(batch.observe()).shape == (5, 258)


COPIES: dict[str, Callable[[Batch], Batch]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {protocol}": lambda batch, protocol=protocol: (  # type: ignore[misc]
        pickle.loads(pickle.dumps(batch, protocol)))
       for protocol in range(pickle.HIGHEST_PROTOCOL + 1)},
}


class Tagged(Batch):
    def __init__(self, tag: str, game: str) -> None:
        self.tag = tag
        super().__init__(game, size=2)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_what_was_added_to_a_batch_goes_with_it(copied: Callable[[Batch], Batch]) -> None:
    batch = Tagged("a", "azul")
    batch.note = 1  # type: ignore[attr-defined]
    other = copied(batch)
    assert isinstance(other, Tagged)
    assert (other.tag, other.note) == ("a", 1)  # type: ignore[attr-defined]
    assert shows(copied(other)) == shows(batch)


def shows(batch: Batch) -> list[bytes]:
    arrays = (batch.rewards, batch.done, batch.turn, batch.scores, batch.mask(), batch.observe())
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(("game", "board", "players", "threads"),
                         [("summer", "grey", 3, 1), ("azul", "coloured", 2, 2)])
def test_a_copy_goes_on_alike_and_alone(copied: Callable[[Batch], Batch], game: str, board: str,
                                        players: int, threads: int) -> None:
    with Batch(game, board, players, size=3, seed=5, reward="dense", observation="scaled",
               threads=threads) as batch:
        for _ in range(60):
            batch.step(batch.random_actions())
        before = shows(batch)
        with copied(batch) as other:
            assert shows(other) == before
            assert (other.seed, other.parts) == (5, batch.parts)
            assert len(other._slices) == threads
            ended = 0
            for _ in range(100):
                other.step(other.random_actions())
                ended += int(other.done.sum())
            other.reset()
            assert ended
            assert shows(batch) == before
            for _ in range(100):
                batch.step(batch.random_actions())
            batch.reset()
            assert shows(batch) == shows(other)
            assert (batch.random_actions() == other.random_actions()).all()


def test_pickles_of_other_versions_and_other_games_are_refused() -> None:
    made, (cls, version, arguments, saved, *rest), _ = Batch("azul", size=2, seed=1).__reduce__()
    assert made(cls, version, arguments, saved, *rest).size == 2
    with pytest.raises(PavilionError, match=r"of version '0\.1\.0': expected"):
        made(cls, "0.1.0", arguments, saved, *rest)
    for wrong in (saved[:-1], saved + b"0", bytes(len(saved)), b"\xff" * len(saved)):
        with pytest.raises(PavilionError, match="cannot be restored"):
            made(cls, version, arguments, wrong, *rest)
    for other in ({"game": "summer"}, {"players": 3}, {"board": "grey"}, {"size": 3}):
        with pytest.raises(PavilionError, match="cannot be restored"):
            made(cls, version, {**arguments, **other}, saved, *rest)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_closed_batch_stays_closed(threads: int) -> None:
    batch = Batch("azul", size=2, seed=1, threads=threads)
    actions = batch.random_actions()
    batch.close()
    for closed in (batch, copy.copy(batch)):
        for use in (closed.reset, closed.mask, closed.observe, closed.random_actions,
                    lambda closed=closed: closed.step(actions),
                    lambda closed=closed: closed.play(0), lambda closed=closed: closed.reset([0])):
            with pytest.raises(PavilionError, match="the batch is closed"):
                use()
        closed.close()


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_a_game_as_a_play(game: str, board: str, players: int) -> None:
    """It has the position, mask and moves of the game, and colours that fit wherever they lie."""
    batch = Batch(game, board, players, size=2, seed=5)
    for ply in range(100):
        play, actions = batch.play(ply % 2), batch.random_actions()
        assert (action_mask(play) == batch.mask()[ply % 2]).all()
        assert (observe(play) == batch.observe()[ply % 2]).all()
        assert not validate(play.position)
        play.push(move_of(play, actions[ply % 2]))
        batch.step(actions)
        if play.turn is not None:
            assert batch.play(ply % 2).state.packed() == play.state.packed()


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_games_begin_at_positions(game: str, board: str, players: int) -> None:
    batch = Batch(game, board, players, size=3, seed=5)
    play = Play.new(game, board=board, players=players, seed=2)
    while len(play.plies) < 30 or play.chance:
        play.push_all([play.legal_moves[-1]] if play.turn is not None else [])
    kept = batch.play(1).state
    batch.reset([2, 0], [play, play.code()])
    assert batch.play(1).state == kept
    for number in (0, 2):
        assert batch.play(number).state.packed() == play.state.packed()
        assert (batch.turn[number], batch.done[number]) == (play.turn, False)
        assert batch.scores[number].tolist() == list(play.scores())
    assert shows(copy.copy(batch)) == shows(batch)
    ended = np.zeros(3, np.bool_)
    while not ended.all():
        batch.step(batch.random_actions())
        ended |= batch.done
    batch.reset(positions=[play.position] * 3)
    assert (batch.observe() == observe(play)).all()


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_what_is_not_known_of_a_position_is_drawn(game: str) -> None:
    """An unknown bag and the tiles due, by the random numbers of each game."""
    play = Play.new(game, seed=2)
    while not play.state.between_rounds:
        play.draw_once() if play.turn is None else play.push(play.legal_moves[-1])
    deal = to_json(play.position)
    batch = Batch(game, size=4, seed=1)
    batch.reset(positions=[{**deal, "bag": None, "tower" if game == "summer" else "lid": None}] * 4)
    drawn = [batch.play(number).position for number in range(4)]
    assert {position.phase for position in drawn} == {"draft"}
    assert len({position.displays for position in drawn}) == 4
    assert all(position.bag is not None for position in drawn)


def test_some_games_begin_anew() -> None:
    batch, other = (Batch("azul", size=4, seed=1) for _ in range(2))
    for one in (batch, other):
        for _ in range(3):
            one.step(one.random_actions())
    batch.reset(np.array([3, 1]))
    other.reset()
    changed, begun = batch.observe(), other.observe()
    assert (changed[[1, 3]] == begun[[1, 3]]).all()
    assert (changed[[0, 2]] != begun[[0, 2]]).any(axis=1).all()
    before = batch.observe()
    batch.reset([])
    batch.reset([], [])
    assert (batch.observe() == before).all()


def test_what_cannot_begin_leaves_all_games() -> None:
    batch = Batch("azul", size=4, seed=1)
    before = batch.observe()
    start, over = Play.new("azul", seed=1), Play.new("azul", seed=1)
    while not over.is_over():
        over.push_all([over.legal_moves[0]])
    wrong: list[tuple[Any, Any, str]] = [
        ([0, 4], None, "game 4: expected 0 to 3"), ([-1], None, "game -1"),
        ([1, 1], None, "each number once"), (2, None, "whole numbers of games"),
        ([True] * 4, None, "whole numbers of games"), ([0.5], None, "whole numbers of games"),
        ([[1], [2, 3]], None, "games .*: expected"),
        (None, [start] * 3, "positions: found 3, expected 4"),
        ([0], start, "positions a Play: expected one"), ([0], 7, "positions 7: expected one"),
        ([0], start.code(), "positions .*: expected one"),
        ([0, 1], [start, Play.new("azul", players=3)], r"positions\[1\]: found azul, coloured, 3"),
        ([0], [Play.new("summer")], r"positions\[0\]: found summer"),
        ([0], [replace(start.position, token=1)], r"positions\[0\]: .*the marker"),
        ([0], [over], r"positions\[0\]: the game is over"),
        ([0], [{**to_json(start.position), "centre": 5, "round": 99}],
         r"positions\[0\]: centre: found 5.*; round: found 99"),
        ([0], [7], r"positions\[0\]: found 7"),
        ([0], ["nothing"], r"positions\[0\]: found 'nothing'"),
    ]
    for games, positions, said in wrong:
        with pytest.raises(SpecError, match=said):
            batch.reset(games, positions)
    for number in (-1, 4, 1.0, "0", None, True):
        with pytest.raises(SpecError, match="expected 0 to 3"):
            batch.play(number)  # type: ignore[arg-type]
    assert (batch.observe() == before).all()
