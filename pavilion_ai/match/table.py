"""Play one game of an event, in any process: from a seating to a record."""

from __future__ import annotations

import platform
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pavilion_ai.agents import Agent, Decision, make_agent, read_networks
from pavilion_ai.clock import OUT_OF_TIME, Clocks, OutOfTimeError, clock_of
from pavilion_ai.errors import IllegalMoveError, MoveError, NetworkError, printable, shown
from pavilion_ai.external import EngineFault, EngineLate, program_problem
from pavilion_ai.frozen import freeze
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits, Timeouts
from pavilion_ai.luck import Luck
from pavilion_ai.match.counts import Counts, counts_of
from pavilion_ai.match.event import Event, Settings
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import Seating
from pavilion_ai.play import Play, entry_of
from pavilion_ai.position import Position
from pavilion_ai.processors import cores
from pavilion_ai.record import GameRecord, lost
from pavilion_ai.seeds import agent_seed, decision_seed, pair_seed
from pavilion_ai.spec import capped, is_program, parse_spec
from pavilion_ai.version import __version__
from pavilion_ai.workers import WorkersError, check_version

COMMAND = secrets.token_hex(8)
"""Token of this process; workers are told it with every game."""
MOST_PROGRAMS = 8
"""Programs of a command that a thread keeps running, also while they sit out."""


@dataclass(frozen=True)
class Task:
    """A game to be played, with all the data that a worker needs.

    Attributes:
        kind: kind of the event.
        specs: agent specs by seat.
        opening: number and position from which it starts, or None for a new game.
        versions: those of programs that have told them already, by spec.
        command, version: those of the process that hands it out; cluster workers serve several.
    """

    kind: str
    seating: Seating
    specs: tuple[str, ...]
    settings: Settings
    opening: tuple[int, Position] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    command: str = COMMAND
    version: str = __version__

    def __post_init__(self) -> None:
        freeze(self, "versions")


def task_of(event: Event, seating: Seating) -> Task:
    """Return the task for a seating of an event."""
    specs = tuple(event.entrants[entrant].spec for entrant in seating.entrants)
    return Task(event.kind, seating, specs, event.settings, event.opening(seating.pair))


def play_counted(task: Task) -> tuple[GameRecord, Counts]:
    """Play a game to its end, or until an engine loses it by a fault.

    The agents are those of the thread's last game if their specs are the same. A program plays on
    even after games in which it sat out, so its start is free of charge on a clock only once.

    Raises:
        WorkersError: this is another version than the one that hands out the game, or this machine
            has not the program or the network file of an agent.
    """
    check_version(task.version)
    try:
        return play_with(task, _agents(task.specs, task.settings.timeouts, task.command))
    except NetworkError as error:
        raise WorkersError(f"{platform.node()}: {error}") from None


def play_with(
    task: Task, agents: Sequence[Agent], now: Callable[[], float] = time.monotonic
) -> tuple[GameRecord, Counts]:
    """Play a game with these agents, by seat.

    It is also a fault if one of them names or tries an illegal move (`IllegalMoveError`), changes
    the play that it is shown, or decides something other than a `Decision`.

    Args:
        now: reads the time, in seconds.
    """
    game = _Game(task, agents, now)
    read_networks(agents, game.play.start)
    fault = None
    try:
        while not game.play.is_over():
            game.step()
    except (EngineFault, OutOfTimeError) as error:
        fault = str(error)
    return game.record(fault), counts_of(game.play)


def expected(task: Task) -> dict[str, object]:
    """Return the event's data in the record of a game that are known before it is played."""
    settings, seating = task.settings, task.seating
    limits = settings.limits or Limits()
    return {
        "event": task.kind,
        "seed": settings.seed,
        "pair": seating.pair,
        "rotation": seating.rotation,
        "entrants": list(seating.entrants),
        "tied": settings.tied,
        "limits": limits.to_json(),
        **({} if task.opening is None else {"opening": task.opening[0]}),
    }


@dataclass
class _Game:
    """One game in progress; lists are by seat."""

    task: Task
    agents: Sequence[Agent]
    now: Callable[[], float]

    def __post_init__(self) -> None:
        settings, seating = self.task.settings, self.task.seating
        seed = pair_seed(settings.seed, seating.pair)
        start = self.task.opening[1] if self.task.opening else opening(settings, seating.pair)
        self.play = Play(start, seed=seed)
        self.luck = Luck(seed, seating.rotation, settings.tied)
        self.seconds = [0.0] * settings.players
        self.decisions = [0] * settings.players
        self.sims = [0] * settings.players
        self.seeds = [
            agent_seed(settings.seed, seating.pair, seating.rotation, seat)
            for seat in range(settings.players)
        ]
        self.clocks = Clocks([agent.clock or clock_of(settings.limits, seat)
                              for seat, agent in enumerate(self.agents)],
                             grace=settings.timeouts.clock_grace)

    def step(self) -> None:
        """Make one move: a draw or an agent's decision."""
        seat = self.play.turn
        if seat is None:
            self.luck.draw_in(self.play)
            return
        move = self._decide(seat)
        try:
            self.play.push(move)
        except MoveError as error:
            raise EngineFault(f"illegal move {shown(move)}") from error
        self.clocks.add_increment(seat)

    def _decide(self, seat: int) -> str:
        seed = decision_seed(self.seeds[seat], sum(self.decisions))
        self.decisions[seat] += 1
        limits, seen = self._limits(seat), self.play.copy(seed)
        began = self.now()
        used = 0.0
        try:
            decision = self._asked(seat, seen, limits, seed)
        except EngineFault as error:
            try:
                self.clocks.spend(seat, max(0.0, self.now() - began - error.free))
            except OutOfTimeError:
                if isinstance(error, EngineLate):
                    raise EngineFault(f"{OUT_OF_TIME}: {error}") from error
            raise
        finally:
            used = self.now() - began
            self.seconds[seat] += used
        self.sims[seat] += decision.sims
        self.clocks.spend(seat, max(0.0, used - decision.free))
        if seen.plies != self.play.plies:
            raise EngineFault("changed the play")
        return decision.move

    def _asked(self, seat: int, seen: Play, limits: Limits | None, seed: int) -> Decision:
        """Return an agent's decision. EngineFault: it tried an illegal move, or it gave none."""
        try:
            decision = self.agents[seat].decide(seen, limits, seed=seed)
        except IllegalMoveError as error:
            raise EngineFault(f"illegal move: {printable(str(error))}") from error
        if not isinstance(decision, Decision):
            raise EngineFault(f"decided {shown(decision)}, expected a Decision")
        return decision

    def _limits(self, seat: int) -> Limits | None:
        """Return the limits of a decision; None for those of the agent's own spec."""
        agent, given = self.agents[seat], self.task.settings.limits
        if agent.limited and agent.clock is None:
            return None
        if not self.clocks.runs(seat):
            return given
        left = self.clocks.limits()
        if given is None or agent.limited:
            return left
        return replace(given, clock=left.clock, increment=left.increment)

    def record(self, fault: str | None = None) -> GameRecord:
        """Return the record; with a fault, the seat to move has lost."""
        match = expected(self.task) | {"decisions": self.decisions, "sims": self.sims}
        if self.clocks:
            match["left"] = [left if left is None else round(left, 3) for left in self.clocks.left]
        record = self.play.record(
            [*map(self._entry, self.task.specs, self.agents)],
            id=self.task.seating.id,
            seconds=self.seconds,
            extra={MATCH_KEY: match},
        )
        if fault is None:
            return record
        loser = self.play.turn
        assert loser is not None  # a fault is that of the seat to move
        return replace(lost(record, loser, f": {fault}"),
                       extra={MATCH_KEY: match | {"loser": loser}})

    def _entry(self, spec: str, agent: Agent) -> dict[str, str]:
        version = self.task.versions.get(spec)
        return entry_of(spec, agent) if version is None else {"spec": spec, "version": version}


def opening(settings: Settings, pair: str) -> Position:
    """Return the start position of all games of a pair that is a new game."""
    seed = pair_seed(settings.seed, pair)
    return GAMES[settings.game].new(settings.board, settings.players, seed)


# ------------------------------------------------------------------------ agents of a thread

_Key = tuple[str, int, Timeouts, str]
"""Spec, number of earlier seats with the same spec, timeouts, command: a later one makes its agents
anew, as their files may be others by then."""
_here = threading.local()
"""Engines are processes with a state of their own, so each thread that plays keeps its own."""


def _agents(specs: Iterable[str], timeouts: Timeouts, command: str = COMMAND) -> list[Agent]:
    """Return an agent for each seat; close agents of earlier games that are no longer needed.

    Of the programs of a command those run that played last, at most `MOST_PROGRAMS`. The others are
    closed and remembered: each tells its version once, not again whenever it comes back to
    the table.
    """
    seen: Counter[str] = Counter()
    keys: list[_Key] = []
    for spec in specs:
        keys.append((spec, seen[spec], timeouts, command))
        seen[spec] += 1
    present: dict[_Key, Agent] = getattr(_here, "agents", {})
    for key in present.keys() - set(keys):
        if not is_program(key[0]) or key[-1] != command:
            present.pop(key).close()
    for key in keys:
        if key not in present:
            _check_program(key[0])
            present[key] = make_agent(capped(key[0], cores()), timeouts=timeouts)
        present[key] = present.pop(key)  # the last to play stands last
    for key in [key for key in present if is_program(key[0])][:-MOST_PROGRAMS]:
        present[key].close()
    _here.agents = present
    return [present[key] for key in keys]


def _check_program(spec: str) -> None:
    """Raise WorkersError if this machine lacks the program of an agent, which has not lost then."""
    command = parse_spec(spec).command
    problem = program_problem(command) if command else None
    if problem is not None:
        raise WorkersError(f"{platform.node()}: {problem}")
