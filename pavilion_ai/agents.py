"""Agents: whoever can choose a move, made from a spec such as `ismcts:sims=2000,threads=2`.

    random    any legal move, uniformly
    greedy    the move with the highest hand-written weight, no search
    policy    the move that the network, or the fitted policy, finds likeliest, no search
    flat      flat Monte Carlo: every move equally often, uniform playouts to the end of the game
    uct       plain ISMCTS: UCB1, uniform playouts to the end of the game
    ismcts    PUCT with the priors and values of a network; net=0: with fitted priors, playouts to
              the end of the round, then a fitted evaluation
    default   the strongest of them; level=1..9: weaker, for people (levels.py)
    cmd       an external engine: `cmd:PROGRAM ARGS`
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pavilion_ai._core import Rng
from pavilion_ai.analysis import Analysis, Limits, MoveStats, RootStats, Timeouts, lead
from pavilion_ai.bounds import MAX_LEVEL, MOVE_SECONDS
from pavilion_ai.errors import SpecError, shown
from pavilion_ai.external import ExternalEngine
from pavilion_ai.games import Game, game_of
from pavilion_ai.levels import LevelSearcher
from pavilion_ai.notation import format_position
from pavilion_ai.position import Position
from pavilion_ai.search import SHIPPED, OnProgress, Searcher, network_for
from pavilion_ai.spec import EXTERNAL, AgentSpec, Value, parse_spec
from pavilion_ai.version import ENGINE_NAME, __version__

__all__ = ["Agent", "Decision", "make_agent"]

AGENT_STREAM = 7
"""Stream of an agent's seed from which `random` draws."""


@dataclass(frozen=True)
class Decision:
    """A move chosen.

    Attributes:
        move: in notation.
        sims: simulations made for it; 0 from an agent that does not search or does not tell.
    """

    move: str
    sims: int = 0


@dataclass(frozen=True)
class _Task:
    """What an agent is asked for, by the arguments of `Agent.analyse`."""

    limits: Limits | None
    threads: int | None
    seed: int
    stop: threading.Event | None
    only: Sequence[str]


class Agent:
    """Somebody who chooses moves.

    Attributes:
        spec: as given.
        searches: whether limits mean anything to it.
        ranks: whether its analysis says anything of the moves that it does not choose.
    """

    searches = False
    ranks = False

    def __init__(self, spec: str) -> None:
        self.spec = spec

    def new_game(self) -> None:
        """Forget what was seen before."""

    def watch(self, position: Position, move: str) -> None:
        """See a move, of a seat or of chance; whoever plays a game tells of all in order."""

    def analyse(
        self,
        position: Position,
        *,
        limits: Limits | None = None,
        threads: int | None = None,
        seed: int = 0,
        on_progress: OnProgress | None = None,
        report_every: float | None = None,
        stop: threading.Event | None = None,
        only: Sequence[str] = (),
    ) -> Analysis:
        """Rank the moves of a position; arguments as `Searcher.analyse`.

        Args:
            limits: None for those of the spec.
            threads: None for those of the spec, else 1.

        Raises:
            ValueError: if nobody is to move.
            MoveError: one of `only` is not legal.
            SpecError: `only` is given, but the agent ranks no moves.
        """
        task = _Task(limits, threads, seed, stop, only)
        return self._analyse(position, task, on_progress, report_every)

    def decide(
        self,
        position: Position,
        *,
        limits: Limits | None = None,
        threads: int | None = None,
        seed: int = 0,
        stop: threading.Event | None = None,
        only: Sequence[str] = (),
    ) -> Decision:
        """Choose a move: that of `analyse`, without what only a reader wants.

        Raises:
            EngineFault: an external engine failed.
            MoveError, SpecError, ValueError: as `analyse`.
        """
        return self._decide(position, _Task(limits, threads, seed, stop, only))

    def _analyse(self, position: Position, task: _Task, on_progress: OnProgress | None,
                 report_every: float | None) -> Analysis:
        raise NotImplementedError

    def _decide(self, position: Position, task: _Task) -> Decision:
        raise NotImplementedError

    def choose(self, position: Position, *, limits: Limits | None = None, seed: int = 0) -> str:
        """Return the move to play; as `decide`."""
        return self.decide(position, limits=limits, seed=seed).move

    def identity(self) -> dict[str, str]:
        """Return `name` and `version` of the program that plays, as far as they are known."""
        return {"name": ENGINE_NAME, "version": __version__}

    def close(self) -> None:
        """Let go of what the agent holds outside this process."""


class _SearchAgent(Agent):
    searches = ranks = True

    def __init__(self, spec: str, parsed: AgentSpec) -> None:
        super().__init__(spec)
        self.searches = parsed.level == MAX_LEVEL
        options: Mapping[str, Any] = parsed.options
        self._searcher: Searcher | LevelSearcher = (
            Searcher(spec, parsed.tunables, reuse=bool(options.get("reuse", 0)),
                     network=_network_choice(options) if parsed.has_network else None)
            if self.searches else LevelSearcher(spec, parsed.level))
        sims, seconds = options.get("sims"), options.get("time")
        if sims is None and seconds is None:
            seconds = MOVE_SECONDS
        memory = options.get("memory")
        self._limits = Limits(None if sims is None else int(sims), seconds,
                              None if memory is None else int(memory))
        self._threads = int(options.get("threads", 1))

    def new_game(self) -> None:
        self._searcher.forget()

    def watch(self, position: Position, move: str) -> None:
        self._searcher.watch(position, move)

    def _analyse(self, position: Position, task: _Task, on_progress: OnProgress | None,
                 report_every: float | None) -> Analysis:
        return self._searcher.analyse(position, self._complete(task.limits),
                                      task.threads or self._threads, task.seed, on_progress,
                                      report_every, task.stop, task.only)

    def _decide(self, position: Position, task: _Task) -> Decision:
        return Decision(*self._searcher.decide(position, self._complete(task.limits),
                                               task.threads or self._threads, task.seed, task.stop,
                                               task.only))

    def _complete(self, limits: Limits | None) -> Limits:
        """Return the limits asked for, what they leave open taken from the spec."""
        if limits is None:
            return self._limits
        if limits.memory_mib is None:
            return Limits(limits.sims, limits.seconds, self._limits.memory_mib)
        return limits


class _PlainAgent(Agent):
    """Names a move; its analysis ranks that one first and claims nothing else."""

    def _analyse(self, position: Position, task: _Task, on_progress: OnProgress | None,
                 report_every: float | None) -> Analysis:
        started = time.monotonic()
        chosen = self._decide(position, task).move
        game = game_of(position)
        state: Any = game.to_core(position)
        others = [move for move in game.legal_moves(position, "maximal") if move != chosen]
        scores = tuple(float(score) for score in state.scores())
        share = 1 / len(scores)

        def stats(move: str, order: int) -> MoveStats:
            return MoveStats(move, order, 0, share, 0.5, scores, lead(scores, state.to_move),
                             float(order == 0), (move,))

        return Analysis(
            position=format_position(position, "code"),
            to_move=state.to_move,
            root=RootStats(0, (share,) * len(scores), scores, lead(scores, state.to_move)),
            moves=tuple(stats(move, order) for order, move in enumerate([chosen, *others])),
            limits=Limits(),
            seconds=time.monotonic() - started,
            sims=0,
            threads=1,
            seed=task.seed,
            agent=self.spec,
        )

    def _decide(self, position: Position, task: _Task) -> Decision:
        if task.only:
            raise SpecError(f"agent {shown(self.spec)}: looks at no moves but its own, expected one"
                            " that searches")
        return Decision(self._choose(position, task.limits, task.seed))

    def _choose(self, position: Position, limits: Limits | None, seed: int) -> str:
        """Return the move."""
        raise NotImplementedError


class _PickAgent(_PlainAgent):
    """Chooses at once, by a function of the compiled core."""

    def __init__(self, spec: str, pick: Callable[[Any, Rng], tuple[int, ...]]) -> None:
        super().__init__(spec)
        self._pick = pick

    def _choose(self, position: Position, limits: Limits | None, seed: int) -> str:
        game = _game_to_decide(position)
        return game.move_text(position, self._pick(game.to_core(position), Rng(seed, AGENT_STREAM)))


class _PolicyAgent(_PlainAgent):
    """Chooses the move that the network finds likeliest, or the fitted policy without one."""

    def __init__(self, spec: str, network: str | None) -> None:
        super().__init__(spec)
        self._network = network

    def _choose(self, position: Position, limits: Limits | None, seed: int) -> str:
        game = _game_to_decide(position)
        state: Any = game.to_core(position)
        network = network_for(self._network, position)
        return game.move_text(position, state.policy_move(network=network))


class _ExternalAgent(_PlainAgent):
    """Asks a program of its own, which may or may not heed limits."""

    searches = True

    def __init__(self, spec: str, engine: ExternalEngine) -> None:
        super().__init__(spec)
        self._engine = engine
        self._start: Position | None = None
        self._moves: list[str] = []

    def _choose(self, position: Position, limits: Limits | None, seed: int) -> str:
        legal = _game_to_decide(position).legal_moves(position)
        past = None if self._start is None else (self._start, self._moves)
        return self._engine.choose(position, legal, limits=limits, seed=seed, past=past)

    def new_game(self) -> None:
        self._start, self._moves = None, []

    def watch(self, position: Position, move: str) -> None:
        self._start = self._start or position
        self._moves.append(move)

    def identity(self) -> dict[str, str]:
        return self._engine.identity()

    def close(self) -> None:
        self._engine.close()


def _game_to_decide(position: Position) -> Game:
    """Return the game of a position in which somebody is to move, or raise ValueError."""
    if position.to_move is None:
        raise ValueError(f"nobody is to move in phase {position.phase}")
    return game_of(position)


_PICKS: dict[str, Callable[[Any, Rng], tuple[int, ...]]] = {
    "random": lambda state, rng: state.random_move(rng),
    "greedy": lambda state, rng: state.policy_move(by_hand=True),
}


def _network_choice(options: Mapping[str, Value]) -> str | None:
    """Return what `net=` asks for, in the words of `network_for`."""
    choice = options.get("net", 1)
    if isinstance(choice, str):
        return choice
    return SHIPPED if choice else None


def make_agent(spec: str, *, timeouts: Timeouts | None = None) -> Agent:
    """Make the agent that a spec describes.

    Args:
        timeouts: of an external engine.

    Raises:
        SpecError: as `parse_spec`.
    """
    parsed = parse_spec(spec)
    if parsed.name == EXTERNAL:
        return _ExternalAgent(spec, ExternalEngine(parsed.command,
                                                   **asdict(timeouts or Timeouts())))
    if parsed.name in _PICKS:
        return _PickAgent(spec, _PICKS[parsed.name])
    if parsed.name == "policy":
        return _PolicyAgent(spec, _network_choice(parsed.options))
    return _SearchAgent(spec, parsed)

