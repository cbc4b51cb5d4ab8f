"""Agents: players that choose moves, made from specs such as `ismcts:sims=2000,threads=2`.

    random    any legal move, uniformly
    greedy    the move with the highest hand-written weight, no search
    policy    the move most likely by the network or the fitted policy, no search
    flat      flat Monte Carlo: every move equally often, uniform rollouts to the end of the game
    uct       plain ISMCTS: UCB1, uniform rollouts to the end of the game
    ismcts    PUCT with the priors and values of a network; net=0: with fitted priors, rollouts to
              the end of the round, then a fitted evaluation
    default   the strongest of them; level=1..9: weaker, for people (levels.py)
    cmd       an external engine: `cmd:PROGRAM ARGS`
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from types import NoneType
from typing import TYPE_CHECKING, Any

from pavilion_ai import exact
from pavilion_ai._core import Rng
from pavilion_ai.analysis import Analysis, MoveStats, RootStats, lead
from pavilion_ai.bounds import MAX_LEVEL, MAX_THREADS, MOVE_SECONDS, SECONDS, Range
from pavilion_ai.clock import TimeControl
from pavilion_ai.errors import PavilionError, SpecError, shown
from pavilion_ai.games import State, seeded, whole_seed
from pavilion_ai.interrupts import held
from pavilion_ai.levels import LevelSearcher
from pavilion_ai.limits import Limits, Timeouts, check_stop, limits_of
from pavilion_ai.network import SHIPPED, Networks
from pavilion_ai.pace import OwnClock
from pavilion_ai.play import Play, copy_of, mover_of
from pavilion_ai.position import Position
from pavilion_ai.search import SLICE_SECONDS, OnProgress, Searcher
from pavilion_ai.spec import EXTERNAL, AgentSpec, Value, parse_spec
from pavilion_ai.version import engine_identity

if TYPE_CHECKING:
    from typing_extensions import Self

    from pavilion_ai.external import ExternalEngine

AGENT_STREAM = 7
"""Stream of an agent's seed from which `random` draws."""


@dataclass(frozen=True)
class Decision:
    """A chosen move.

    Attributes:
        move: the move in notation.
        sims: simulations made for it; 0 if the agent does not search or does not report them.
        free: seconds that a clock does not count, because a program started in them.
    """

    move: str
    sims: int = 0
    free: float = 0.0


class Agent:
    """A player: chooses a move for the seat to move of a `Play`, whose past it finds there.

    A subclass only needs to define `choose`. Its objects play in `Match`, in environments and data
    sets, and for `serve`; what works in other processes, such as `roll_out`, takes specs alone.

    >>> class First(Agent):
    ...     def choose(self, play, limits=None, seed=0):
    ...         return play.legal_moves[0]
    >>> First().spec, First().choose(Play.new(seed=1)) in Play.new(seed=1).legal_moves
    ('First', True)

    Attributes:
        spec: the spec as given, or else the name of the class.
        searches: whether the agent heeds limits.
        ranks: whether its analysis covers moves that it does not choose.
        limited: whether it has a limit of its own, that of its spec; then a match gives it none.
        clock: the clock that its spec gives it for a game, or None.
        free: seconds of its last decision, also one broken off, that a clock does not count.
    """

    searches = False
    ranks = False
    limited = False
    clock: TimeControl | None = None
    free: float = 0.0

    def __init__(self, spec: str | None = None) -> None:
        self._spec = spec

    @property
    def spec(self) -> str:
        """The spec as written into records."""
        spec: str | None = getattr(self, "_spec", None)  # a subclass may not call __init__
        return type(self).__name__ if spec is None else spec

    def __repr__(self) -> str:
        name, spec = type(self).__name__, getattr(self, "_spec", None)
        given = "" if spec is None else repr(spec)
        if type(self).__init__ is Agent.__init__:
            return f"{name}({given})"
        return f"<{name}{given and ' ' + given}>"  # what else it was given, it alone knows

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        """Return the move to play.

        Args:
            play: a game with a seat to move; it must not be changed. An agent that looks ahead
                in a copy may draw tiles there (`Play.draw`): matches, environments, data sets and
                reviews draw others.
            limits: limits of the search; None for the agent's own: those of its spec, or else 1 s.
            seed: equal seeds give equal choices on one thread, without `reuse=1`, unless a time
                limit ends the search.

        Raises:
            PavilionError: if no seat is to move. EngineFault: an external engine failed.
            KeyboardInterrupt: Ctrl-C; if the program has a handler of its own, that is called, and
                a search returns the best move so far.
        """
        raise NotImplementedError

    def decide(
        self,
        play: Play,
        limits: Limits | None = None,
        *,
        threads: int | None = None,
        seed: int = 0,
        stop: threading.Event | None = None,
        only: Sequence[str] = (),
        avoid: Sequence[str] = (),
    ) -> Decision:
        """Choose a move and count its simulations; arguments as for `analyse`.

        The moves of `only` get no equal shares of the search here.

        Raises:
            EngineFault: an external engine failed.
            MoveError, SpecError, PavilionError: as `analyse`.
        """
        self._refuse(only=only, avoid=avoid)
        check_request(threads, stop)
        return Decision(self.choose(play, limits, seed))

    def analyse(
        self,
        play: Play,
        limits: Limits | None = None,
        *,
        threads: int | None = None,
        seed: int = 0,
        on_progress: OnProgress | None = None,
        report_every: float | None = None,
        stop: threading.Event | None = None,
        only: Sequence[str] = (),
        compare: Sequence[str] = (),
        even: int = 0,
        avoid: Sequence[str] = (),
    ) -> Analysis:
        """Rank the moves; an agent that does not rank moves gives its choice alone.

        Args:
            play: a game with a seat to move.
            limits: limits of the search; None for those of the spec, or else 1 s.
            threads: number of threads; None for that of the spec, or 1.
            seed, on_progress, report_every, stop, only, compare, even, avoid: as
                `Searcher.analyse`. An external engine knows nothing of `stop`: it is killed.

        Raises:
            PavilionError: if no seat is to move, or an external engine was stopped.
            MoveError: a move is not legal.
            SpecError: moves are named, but the agent does not rank moves; or as
                `Searcher.analyse`.
        """
        self._refuse(only=only, compare=compare, even=even, avoid=avoid)
        check_request(threads, stop, report_every)
        started = time.monotonic()
        play = copy_of(play)
        mover = mover_of(play)
        decision = self.decide(play, limits, threads=threads, seed=seed, stop=stop)
        heedless = isinstance(self, MadeAgent) and not self.searches
        chosen = play.ply_of(decision.move).move
        scores = tuple(float(score) for score in play.scores())
        share, ahead = 1 / len(scores), lead(scores, mover)
        return Analysis(
            position=play.code(),
            to_move=mover,
            root=RootStats(0, (share,) * len(scores), scores, ahead),
            moves=(MoveStats(chosen, 0, 0, share, 0.5, scores, ahead, 1.0, (chosen,)),),
            limits=Limits() if heedless else limits_of(limits),
            seconds=time.monotonic() - started,
            sims=0,
            threads=1,
            seed=whole_seed(seed),
            agent=self.spec,
        )

    def identity(self) -> dict[str, str]:
        """Return the `name` and `version` of the playing program, as far as they are known.

        With them comes the hash of the network file that it has used, if any, as `network`.
        """
        return engine_identity()

    def close(self) -> None:
        """End programs, and free the memory of the last search; the end of a `with` block does so.

        A request of another thread to a program is waited for, unless its `stop` is set. A search
        of another thread goes on, and frees its memory at its end.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refuse(self, **focus: object) -> None:
        """Refuse options that name moves, which need an agent that ranks moves."""
        if any(focus.values()):
            raise SpecError(f"agent {shown(self.spec)}: looks at no moves but its own, expected one"
                            " that searches")


class MadeAgent(Agent):
    """Made from a spec; a copy is made from it anew, with the networks that are known.

    A subclass defines `choose` or `decide`.
    """

    def __init__(self, spec: str, networks: Networks | None = None) -> None:
        super().__init__(spec)
        self._networks = networks or Networks(None)

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return self.decide(play, limits, seed=seed).move

    def identity(self) -> dict[str, str]:
        network = self._networks.of_file()
        return engine_identity() | ({} if network is None else {"network": network.sha256})

    def read_network(self, start: Position) -> None:
        """Read the network for games from a position. NetworkError: as `network_for`."""
        self._networks.of(start)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(_made, networks=self._networks), (self.spec,)

    def __repr__(self) -> str:
        return f"make_agent({self.spec!r})"


class _SearchAgent(MadeAgent):
    """Searches within limits and on threads."""

    searches = ranks = True

    def __init__(self, spec: str, searcher: Searcher, limits: Limits, threads: int,
                 limited: bool, clock: TimeControl | None = None) -> None:
        super().__init__(spec, searcher.networks)
        self.limited, self.clock = limited, clock
        self._searcher = searcher
        self._limits, self._threads = limits, threads
        self._own = None if clock is None else OwnClock(clock)

    def decide(
        self, play: Play, limits: Limits | None = None, *, threads: int | None = None,
        seed: int = 0, stop: threading.Event | None = None, only: Sequence[str] = (),
        avoid: Sequence[str] = (),
    ) -> Decision:
        with self._timed(play, limits) as (play, complete):
            return Decision(*self._searcher.decide(
                play, complete, self._team(threads), seed, stop, only, avoid=avoid))

    def analyse(
        self, play: Play, limits: Limits | None = None, *, threads: int | None = None,
        seed: int = 0, on_progress: OnProgress | None = None, report_every: float | None = None,
        stop: threading.Event | None = None, only: Sequence[str] = (),
        compare: Sequence[str] = (), even: int = 0, avoid: Sequence[str] = (),
    ) -> Analysis:
        team = self._team(threads)
        check_stop(stop)
        with self._timed(play, limits) as (play, complete):
            begun = time.monotonic()
            with held() as interrupt:
                solution = exact.solved(
                    play, complete, lambda: interrupt.is_set() or bool(stop and stop.is_set()))
            interrupt.tell()
            within = exact.what_is_left(complete, solution, begun)
            if interrupt.is_set():
                within = Limits(sims=1)

            def finished(found: Analysis) -> Analysis:
                found = replace(found, limits=complete,
                                interrupted=found.interrupted or interrupt.is_set())
                return found if solution is None else exact.with_exact_values(found, solution)

            def report(found: Analysis) -> None:
                assert on_progress is not None  # the only one to whom it is given
                on_progress(finished(found))

            return finished(self._searcher.analyse(
                play, within, team, seed, on_progress and report,
                report_every, stop, only, compare=compare, even=even, avoid=avoid))

    def close(self) -> None:
        self._searcher.close()

    def _team(self, threads: int | None) -> int:
        """Return how many threads a search has: those requested, or else those of the spec."""
        check_request(threads)
        return self._threads if threads is None else int(threads)

    @contextmanager
    def _timed(self, play: Play, limits: Limits | None) -> Iterator[tuple[Play, Limits]]:
        """Yield a copy of a play, and the limits of a request while its own clock runs.

        Missing limits are those of the spec. On that clock the search counts from here, whatever it
        has waited for.
        """
        play = copy_of(play)
        mover, own = mover_of(play), self._limits
        given = limits_of(limits, play.start.players)
        if self._own is None:
            yield play, given.or_own(own, mover)
            return
        given = replace(given, memory_mib=given.memory_mib or own.memory_mib)
        if given.binds(mover):
            yield play, replace(given, sims=given.sims or own.sims)
        else:
            yield play, replace(self._own.begin(play), sims=own.sims, memory_mib=given.memory_mib)
            self._own.end(play)


class _LevelAgent(MadeAgent):
    """Plays at a level below the best one, quickly and regardless of limits."""

    ranks = limited = True

    def __init__(self, spec: str, level: int) -> None:
        self._searcher = LevelSearcher(spec, level)
        super().__init__(spec, self._searcher.networks)

    def decide(self, play: Play, limits: Limits | None = None, *, seed: int = 0,
               stop: threading.Event | None = None, only: Sequence[str] = (),
               avoid: Sequence[str] = (), threads: int | None = None) -> Decision:
        check_request(threads, limits=limits)
        return Decision(*self._searcher.decide(play, seed, stop, only, avoid))

    def analyse(self, play: Play, limits: Limits | None = None, *, seed: int = 0,
                stop: threading.Event | None = None, only: Sequence[str] = (),
                compare: Sequence[str] = (), even: int = 0, avoid: Sequence[str] = (),
                threads: int | None = None, report_every: float | None = None,
                on_progress: OnProgress | None = None) -> Analysis:
        check_request(threads, report_every=report_every, limits=limits)
        if compare or even:
            raise SpecError(f"agent {shown(self.spec)}: cannot compare moves, because it plays"
                            " below its strength; expected one that searches, such as default")
        return self._searcher.analyse(play, seed, stop, only, avoid)

    def close(self) -> None:
        self._searcher.close()


class _PickAgent(MadeAgent):
    """Chooses without a search, by a function of the compiled core."""

    def __init__(self, spec: str, pick: Callable[[State, Rng], tuple[int, ...]]) -> None:
        super().__init__(spec)
        self._pick = pick

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        mover_of(play)
        check_request(limits=limits)
        state = play.state
        return _named(play, state, self._pick(state, seeded(seed, AGENT_STREAM)))


class _PolicyAgent(MadeAgent):
    """Chooses the most likely move of the network, or of the fitted policy without one."""

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        mover_of(play)
        check_request(limits=limits, seed=seed)
        network = self._networks.of(play.start)
        state = play.state
        return _named(play, state, state.policy_move(network=network))


class _ExternalAgent(MadeAgent):
    """Asks an external engine, which may or may not heed limits, one request after another."""

    searches = True

    def __init__(self, spec: str, engine: ExternalEngine, timeouts: Timeouts) -> None:
        super().__init__(spec)
        self._engine, self._timeouts = engine, timeouts
        self._lock, self._owner = threading.RLock(), os.getpid()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(make_agent, timeouts=self._timeouts), (self.spec,)

    def __repr__(self) -> str:
        if self._timeouts == Timeouts():
            return super().__repr__()
        return f"make_agent({self.spec!r}, timeouts={self._timeouts!r})"

    def decide(self, play: Play, limits: Limits | None = None, *, seed: int = 0,
               stop: threading.Event | None = None, only: Sequence[str] = (),
               avoid: Sequence[str] = (), threads: int | None = None) -> Decision:
        self._refuse(only=only, avoid=avoid)
        check_request(threads, stop)
        play = copy_of(play)
        mover_of(play)
        past = (play.start, play.moves) if play.plies else None
        lock = self._own_lock()
        while not lock.acquire(timeout=SLICE_SECONDS):
            if stop is not None and stop.is_set():
                raise PavilionError("stopped before the engine was asked")
        try:
            move = self._engine.choose(
                play.position, list(play.legal_moves), limits=limits, seed=seed, past=past,
                stop=stop)
            return Decision(move, free=self.free)
        finally:
            lock.release()

    def _own_lock(self) -> threading.RLock:
        """Return the lock of this process: a fork copies one that may be held for ever."""
        if self._owner != os.getpid():
            self._lock, self._owner = threading.RLock(), os.getpid()
        return self._lock

    @property
    def free(self) -> float:  # type: ignore[override]
        return self._engine.started

    def identity(self) -> dict[str, str]:
        return self._engine.identity()

    def close(self) -> None:
        with self._own_lock():
            self._engine.close()


def program_of(agent: Agent) -> ExternalEngine | None:
    """Return the program that plays as an agent; None if it is none."""
    return agent._engine if isinstance(agent, _ExternalAgent) else None


def check_request(threads: object = None, stop: object = None, report_every: object = None,
                  limits: Limits | None = None, seed: int = 0) -> None:
    """Check what an agent is asked for, also if it has no use for it.

    Raises:
        SpecError: a value is not of its type, or out of its range.
    """
    if threads is not None:
        Range(int, 1, MAX_THREADS).checked("threads", threads)
    check_stop(stop)
    if report_every is not None:
        SECONDS.checked("report_every", report_every)
    if limits is not None:
        limits_of(limits)
    whole_seed(seed)


def _named(play: Play, state: State, numbers: Sequence[int]) -> str:
    """Return the string of a decision in a state, given in the core's numbers."""
    return play.rules.names(play.start.board, state.round)[state.code(numbers)]


_PICKS: dict[str, Callable[[State, Rng], tuple[int, ...]]] = {
    "random": lambda state, rng: state.random_move(rng),
    "greedy": lambda state, rng: state.policy_move(by_hand=True),
}


def _network_choice(options: Mapping[str, Value]) -> str | None:
    """Return the value of `net=` as the choice for `network_for`."""
    choice = options.get("net", 1)
    if isinstance(choice, str):
        return choice
    return SHIPPED if choice else None


def make_agent(spec: str, *, timeouts: Timeouts | None = None) -> Agent:
    """Make the agent that a spec describes.

    If neither its spec nor a call limits a search, that takes 1 s. A program (`cmd:`) is told of
    limits of the call alone; without any it has `timeouts.move` seconds.

    Threads may share it, unless it has a clock of its own; an external engine answers their
    requests one after another. Until it is closed, an agent that searches keeps the tree of its
    last search for the next one: up to 256 MiB, or what `memory=` in the spec gives it.

    Args:
        timeouts: timeouts of an external engine.

    Raises:
        SpecError: as `parse_spec`, or `timeouts` is not a `Timeouts`.
    """
    return _made(spec, timeouts)


def as_agent(agent: Agent | str) -> Agent:
    """Return an agent as it is, or that of a spec.

    Raises:
        SpecError: as `make_agent`, or it is a class instead of an object.
    """
    if isinstance(agent, type):
        name = agent.__name__
        raise SpecError(f"agent: found the class {name}, expected an object: {name}()")
    if not isinstance(agent, (Agent, str)):
        raise SpecError(f"agent {shown(agent)}: expected a spec such as default or greedy, or an"
                        " object of a class derived from Agent")
    return agent if isinstance(agent, Agent) else make_agent(agent)


def _made(spec: str, timeouts: Timeouts | None = None, networks: Networks | None = None) -> Agent:
    """Make an agent; `networks` are those of another one of this spec."""
    parsed = parse_spec(spec)
    if not isinstance(timeouts, (Timeouts, NoneType)):
        raise SpecError(f"timeouts {shown(timeouts)}: expected Timeouts, or None")
    if parsed.name == EXTERNAL:
        from pavilion_ai.external import ExternalEngine

        times = timeouts or Timeouts()
        return _ExternalAgent(spec, ExternalEngine(parsed.command, **asdict(times)), times)
    if parsed.name in _PICKS:
        return _PickAgent(spec, _PICKS[parsed.name])
    if parsed.level < MAX_LEVEL:
        return _LevelAgent(spec, parsed.level)
    networks = networks or Networks(
        _network_choice(parsed.options) if parsed.has_network else None)
    if parsed.name == "policy":
        return _PolicyAgent(spec, networks)
    return _searching(spec, parsed, networks)


def read_networks(agents: Iterable[Agent], start: Position) -> None:
    """Read the networks that agents need for games from a position, so that no clock runs then.

    Raises:
        NetworkError: as `network_for`.
    """
    for agent in agents:
        if isinstance(agent, MadeAgent):
            agent.read_network(start)


@cache
def agent_of_process(spec: str) -> Agent:
    """Return the agent of a spec that this process has made before, or make it."""
    return make_agent(spec)


def _searching(spec: str, parsed: AgentSpec, networks: Networks) -> Agent:
    """Return the agent of a spec that searches at full strength."""
    options: Mapping[str, Any] = parsed.options
    seconds = options.get("time") if parsed.has_limit else MOVE_SECONDS
    reuse = bool(options["reuse"]) if "reuse" in options else None
    searcher = Searcher(spec, parsed.tunables, reuse=reuse, network=networks,
                        paced=bool(options.get("pace", 1)))
    return _SearchAgent(spec, searcher, Limits(parsed.sims, seconds, options.get("memory")),
                        parsed.threads, parsed.has_limit, parsed.clock)

