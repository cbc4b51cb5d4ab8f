"""Many games at once, stepped in the core without the interpreter's lock.

>>> batch = Batch("summer", players=2, size=4, seed=1)
>>> batch.step(batch.random_actions())
>>> batch.mask().shape, batch.observe().shape
((4, 581), (4, 272))
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import numpy as np

from pavilion_ai import _core
from pavilion_ai.bounds import Range, whole
from pavilion_ai.envs import observations, rewards
from pavilion_ai.envs.actions import Array, num_actions
from pavilion_ai.errors import (
    IllegalMoveError,
    PavilionError,
    PositionError,
    SpecError,
    in_one_line,
    one_of,
    shown,
)
from pavilion_ai.games import State, fresh_seed, rules_for, whole_seed
from pavilion_ai.interrupts import held
from pavilion_ai.play import Play
from pavilion_ai.position import Position, validate
from pavilion_ai.version import __version__

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MOST_GAMES", "MOST_THREADS", "Batch"]

MOST_GAMES, MOST_THREADS = 1 << 20, 256

T = TypeVar("T")


class Batch:
    """Games of one variant, side by side. A game that ends begins anew in the same step.

    Tiles are drawn, and starting seats too, from random numbers of each game's own: equal seeds and
    actions give equal games, whatever the number of threads. `step` and `reset` write rewards,
    done, turn and scores in place. One thread at a time may use a batch; others are refused. A
    copy, or what is pickled, continues as the original would, with as many threads of its own; only
    the same version of the package reads a pickle.

    Args:
        game, board, players: the variant.
        size: number of games, from 1 to 1,048,576.
        seed: seed of all draws; None takes a fresh one.
        reward: one of `REWARDS`.
        observation: one of `OBSERVATIONS`.
        threads: how many threads work on the games.

    Attributes:
        num_actions: number of actions; `mask` has as many columns.
        parts: parts of an observation; `observe` has as many columns as they have numbers.
        rewards: float32, by game and seat: of the last step.
        done: bool, by game: whether the last step ended the game. Then rewards and scores are those
            of the end, while turn, mask and observation are those of the new game.
        turn: int8, by game: seat to move.
        scores: int32, by game and seat: after the last step.

    Raises:
        SpecError: an argument is out of its range.
        PavilionError: by every method: the batch is closed, or another thread is using it.
    """

    def __init__(
        self,
        game: str,
        board: str = "coloured",
        players: int = 2,
        size: int = 1024,
        seed: int | None = None,
        *,
        reward: str = "win",
        observation: str = "counts",
        threads: int = 1,
    ) -> None:
        others = {*vars(self)}
        self._rules = rules = rules_for(game, board, players)
        self._reward = rewards.KINDS[one_of("reward", reward, rewards.REWARDS)]
        self._kind = one_of("observation", observation, observations.OBSERVATIONS)
        self.size = size = _whole("size", size, MOST_GAMES)
        threads = min(_whole("threads", threads, MOST_THREADS), size)
        self.seed = fresh_seed() if seed is None else whole_seed(seed)
        self._variant = (game, board, players)
        self._arguments: dict[str, Any] = {
            "game": game, "board": board, "players": players, "size": size, "seed": self.seed,
            "reward": reward, "observation": observation, "threads": threads}
        self.num_actions = num_actions(game, board, players)
        self.parts = observations.observation_parts(game, players, self._kind)
        self._scales = observations.scales(game, players)
        self.rewards = np.zeros((size, players), np.float32)
        self.done = np.zeros(size, np.bool_)
        self.turn = np.zeros(size, np.int8)
        self.scores = np.zeros((size, players), np.int32)
        self._written: tuple[Array, Array, Array, Array] = (
            self.rewards, self.done, self.turn, self.scores)
        self._games = _core.GameBatch(
            rules.core_class, players, rules.is_grey(board), size, self.seed, self._written)
        bounds = [size * part // threads for part in range(threads + 1)]
        self._slices = list(pairwise(bounds))
        self._pool = self._new_pool() if threads > 1 else None
        self._alone = _core.Alone(
            PavilionError, "batch: another thread is using it; expected one thread at a time")
        self._closed = False
        self._own = {"_own", *vars(self)} - others

    def __reduce__(self) -> tuple[Any, ...]:
        """What others have added to a batch or a subclass goes with it, as it is."""
        added = {name: value for name, value in vars(self).items() if name not in self._own}
        with self._alone:
            saved, written = self._games.saved(), [array.copy() for array in self._written]
        return _rebuilt, (type(self), __version__, self._arguments, saved, written,
                          self._closed), added or None

    def _new_pool(self) -> ThreadPoolExecutor:
        self._process = os.getpid()
        return ThreadPoolExecutor(len(self._slices) - 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the threads; the batch cannot be used afterwards.

        Another thread may use it meanwhile: what that does to all games is done to the end.
        """
        self._closed = True
        if self._pool:
            self._pool.shutdown()

    def _require_open(self) -> None:
        if self._closed:
            raise PavilionError("the batch is closed")

    def _all(self, work: Callable[[int, int], T]) -> list[T]:
        """Do work on every slice of the games, the last one in this thread.

        Raises:
            PavilionError: the batch is closed.
            KeyboardInterrupt: a signal arrived, which the program does not handle otherwise; the
                work has been done all the same.
        """
        self._require_open()
        if self._pool is None:
            return [work(0, self.size)]
        if self._process != os.getpid():  # a fork has none of the threads
            self._pool = self._new_pool()
        others: list[Future[T]] = []
        with held() as interrupt:
            try:
                for part in self._slices[:-1]:
                    others.append(self._begun(self._pool, work, part))
                last = work(*self._slices[-1])
            finally:
                wait(others)
        interrupt.pass_on()
        return [*(other.result() for other in others), last]

    def _begun(self, pool: ThreadPoolExecutor, work: Callable[[int, int], T],
               part: tuple[int, int]) -> Future[T]:
        """Let a thread work on a slice; if another one has just closed the batch, do it here."""
        try:
            return pool.submit(work, *part)
        except RuntimeError:
            if not self._closed:
                raise
            done = Future[T]()
            done.set_result(work(*part))
            return done

    def reset(
        self,
        games: Any = None,
        positions: Iterable[Play | Position | str | Mapping[str, Any]] | None = None,
    ) -> None:
        """Begin games anew; random numbers run on, so the games are new ones.

        Args:
            games: their numbers, each once, in an array as `step` takes it; None for all games.
            positions: where they begin, one for each of them: a `Play`, or a position in any form
                that it takes; None for the start of a game. The contents of an unknown bag, and
                tiles that are due, are drawn. When such a game ends, a new one begins as usual.

        Raises:
            SpecError: there is no such game, or a position is invalid, of another variant, or of a
                game that is over; every game is unchanged.
        """
        with self._alone:
            if games is None and positions is None:
                self._all(self._games.reset)
                return
            self._require_open()
            numbers = range(self.size) if games is None else self._numbers_of(games)
            states = None if positions is None else self._states_of(positions, len(numbers))
            with held() as interrupt:
                for at, number in enumerate(numbers):
                    if states is None:
                        self._games.reset(number, number + 1)
                    else:
                        self._games.begin(number, states[at])
            interrupt.pass_on()

    def _numbers_of(self, games: Any) -> list[int]:
        numbers = _array("games", games, "an array of whole numbers")
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
            raise SpecError(f"games of shape {numbers.shape} and type {numbers.dtype}: expected the"
                            " whole numbers of games")
        found: list[int] = numbers.tolist()
        for number in found:
            self._checked(number)
        if len({*found}) < len(found):
            raise SpecError("games: expected each number once")
        return found

    def _checked(self, game: SupportsIndex) -> int:
        number = whole(game)
        if number is None or not 0 <= number < self.size:
            raise SpecError(f"game {shown(game)}: expected 0 to {self.size - 1}")
        return number

    def _states_of(self, positions: Any, count: int) -> list[State]:
        if isinstance(positions, (str, Mapping)) or not isinstance(positions, Iterable):
            raise SpecError(f"positions {shown(positions)}: expected one for each game")
        given = list(positions)
        if len(given) != count:
            raise SpecError(f"positions: found {len(given)}, expected {count}, one for each game")
        return [play_at(f"positions[{at}]", position, *self._variant).state
                for at, position in enumerate(given)]

    def play(self, game: SupportsIndex) -> Play:
        """Return a game as a `Play` that starts at its position: for `move_of`, searches, drawings.

        A batch keeps neither the moves nor which colour lies on which space of a board and of a
        floor line where no rule asks for it: there the position shows colours that fit.

        Raises:
            SpecError: there is no such game.
        """
        with self._alone:
            self._require_open()
            return Play(self._rules.from_core(self._games.state(self._checked(game))))

    def step(self, actions: Any) -> None:
        """Play an action in each game, draw tiles, and begin finished games anew.

        Args:
            actions: whole numbers, one for each game: an array of numpy or any framework that has
                DLPack, in main memory.

        Raises:
            IllegalMoveError: an action is not legal in its game; every game is unchanged.
            SpecError: the array has another shape or holds other than whole numbers.
        """
        numbers = _array("actions", actions, f"an array of {self.size} whole numbers")
        if numbers.shape != (self.size,) or numbers.dtype.kind not in "iu":
            raise SpecError(f"actions of shape {numbers.shape} and type {numbers.dtype}: expected"
                            f" ({self.size},) whole numbers")
        whole = np.require(numbers, np.int64, ["C", "A"])
        with self._alone:
            found = self._all(lambda first, end: self._games.prepare(whole, first, end))
            illegal = [index for index in found if index >= 0]
            if illegal:
                raise self._refusal(min(illegal), int(numbers[min(illegal)]))
            self._all(lambda first, end: self._games.play(self._reward, first, end))

    def _refusal(self, index: int, action: int) -> IllegalMoveError:
        mask = self.mask()[index]
        what = (f"is not legal, {int(mask.sum())} others are" if 0 <= action < self.num_actions
                else f"does not exist, expected 0 to {self.num_actions - 1}")
        return IllegalMoveError(f"game {index}: action {action} {what}; no game was stepped")

    def mask(self, out: Array | None = None) -> Array:
        """Return the legal actions: int8, by game and action, 1 for a legal one.

        Args:
            out: array to write to and return; its type may also be uint8 or bool.

        Raises:
            SpecError: `out` has another shape, type or order.
        """
        out = self._room(out, (self.size, self.num_actions), (np.int8, np.uint8, np.bool_))
        with self._alone:
            self._all(lambda first, end: self._games.mask(out, first, end))
        return out

    def observe(self, out: Array | None = None) -> Array:
        """Return what the seats to move see, by game; the columns are described by `parts`.

        Args:
            out: array to write to and return: int16 for counts, float32 if scaled, uint8 for
                features.

        Raises:
            SpecError: `out` has another shape, type or order.
        """
        width = self.parts[-1].start + self.parts[-1].size
        out = self._room(out, (self.size, width), (observations.DTYPES[self._kind],))
        kind = observations.KINDS[self._kind]
        with self._alone:
            self._all(lambda first, end: self._games.observe(kind, self._scales, out, first, end))
        return out

    def random_actions(self, out: Array | None = None) -> Array:
        """Return a uniformly random legal action of each game (int64), from random numbers that
        the games do not use."""
        out = self._room(out, (self.size,), (np.int64,))
        with self._alone:
            self._all(lambda first, end: self._games.choose(out, first, end))
        return out

    @staticmethod
    def _room(out: Array | None, shape: tuple[int, ...], types: tuple[Any, ...]) -> Array:
        if out is None:
            return np.empty(shape, types[0])
        if (not isinstance(out, np.ndarray) or out.shape != shape or out.dtype not in types
                or not out.flags.carray):
            raise SpecError("out: expected a writable, aligned, C-contiguous array of shape"
                            f" {shape} and type {np.dtype(types[0])}")
        return out


def play_at(where: str, position: Play | Position | str | Mapping[str, Any], game: str, board: str,
            players: int) -> Play:
    """Return a play at a position of a variant; a `Play` is returned as it is.

    Args:
        where: what the position was given as, for errors.

    Raises:
        SpecError: the position is invalid, of another variant, or of a game that is over.
    """
    try:
        return _in_progress(position if isinstance(position, Play) else Play(position),
                            (game, board, players))
    except PavilionError as error:
        told = in_one_line(error).removeprefix("position: ")  # so begin faults of the whole
        raise SpecError(f"{where}: {told}") from error


def _in_progress(play: Play, variant: tuple[str, str, int]) -> Play:
    """Return a play as it is. PavilionError: it is none of the variant, or is over."""
    found = play.start.variant
    if found != variant:
        raise SpecError("found {}, {}, {} players, expected {}, {}, {}".format(*found, *variant))
    if problems := validate(play.position):
        raise PositionError(problems)
    settled = play.state
    settled.settle()
    if settled.over:
        raise SpecError("the game is over, expected one in progress")
    return play


def _array(what: str, given: Any, expected: str) -> Array:
    has_dlpack = hasattr(given, "__dlpack__") and not isinstance(given, np.ndarray)
    try:
        return np.from_dlpack(given) if has_dlpack else np.asarray(given)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise SpecError(f"{what} {shown(given)}: expected {expected} in main memory") from error


def _whole(what: str, value: int, most: int) -> int:
    return int(Range(int, 1, most).checked(what, value))


def _rebuilt(cls: type[Batch], version: str, arguments: dict[str, Any], saved: bytes,
             written: list[Array], closed: bool) -> Batch:
    if version != __version__:
        raise PavilionError(f"a batch of version {shown(version)}: expected {__version__}")
    batch = cls.__new__(cls)
    Batch.__init__(batch, **arguments)
    try:
        batch._games.restore(saved)
    except ValueError as error:
        raise PavilionError(f"a batch that cannot be restored: {error}") from error
    for array, values in zip(batch._written, written, strict=True):
        array[:] = values
    if closed:
        batch.close()
    return batch
