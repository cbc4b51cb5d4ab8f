"""Count games from files of records or from self-play, by variant and agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from pavilion_ai.agents import agent_of_process
from pavilion_ai.errors import PavilionError, first_line
from pavilion_ai.facts import COUNTERS
from pavilion_ai.facts.game import Played
from pavilion_ai.facts.tally import Table, Tally
from pavilion_ai.games import GAMES
from pavilion_ai.interrupts import held
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.position.base import dealt
from pavilion_ai.record import FINISHED, Entry, GameRecord, Games, read_entries
from pavilion_ai.seeds import decision_seed, derived_seed
from pavilion_ai.spec import who_of
from pavilion_ai.wording import unique
from pavilion_ai.workers import BATCH, batches, in_order, results
from pavilion_ai.workers.local import LocalWorkers

MOST_GROUPS = 40
"""Groups that are told apart; seats of further ones are counted together."""
FURTHER = "further agents"
_FURTHER = FURTHER, FURTHER

NAMED = 20
"""Problems that are kept in words."""

_set_up = attrgetter("round", "phase", "token", "centre", "bag_size", "seats")
"""What all new games of a variant have in common."""

OnGame = Callable[[int], None]
_Who = tuple[str, str]
"""An agent, as `who_of` tells it."""


@dataclass(frozen=True, order=True)
class Variant:
    """A game, a side of its boards, and a number of players."""

    game: str
    board: str
    players: int

    @classmethod
    def of(cls, start: Position) -> Variant:
        """Return the variant of a position."""
        return cls(*start.variant)


@dataclass(frozen=True)
class Group:
    """What is known of the seats of one agent in one variant.

    Attributes:
        agent: its name, as `name_of` tells it, numbered if another agent has it too.
        games: games with such a seat.
        seats: its seats in them.
        tables: what was counted.
    """

    variant: Variant
    agent: str
    games: int
    seats: int
    tables: tuple[Table, ...]

    def to_json(self) -> dict[str, object]:
        """Return a JSON object."""
        return {
            "game": self.variant.game, "board": self.variant.board,
            "players": self.variant.players, "agent": self.agent, "games": self.games,
            "seats": self.seats, "tables": [table.to_json() for table in self.tables]}


@dataclass
class Groups:
    """Sums of any number of games.

    Attributes:
        tallies: tallies by variant and agent.
        seated: number of games by variant and the agents that had seats.
        games: games counted.
        left_out: problems of games that were not counted: the first ones, a line each.
        left: number of all these.
        interrupted: whether the user ended it.
    """

    tallies: dict[tuple[Variant, _Who], Tally] = field(default_factory=dict)
    seated: Counter[tuple[Variant, frozenset[_Who]]] = field(default_factory=Counter)
    games: int = 0
    left_out: list[str] = field(default_factory=list)
    left: int = 0
    interrupted: bool = False

    def leave_out(self, problem: str) -> None:
        """Note a game that is not counted."""
        self.left += 1
        if len(self.left_out) < NAMED:
            self.left_out.append(problem)

    def add(self, play: Play, agents: Sequence[_Who]) -> None:
        """Count a game that is over."""
        variant = Variant.of(play.start)
        tallies = [self.tallies.setdefault((variant, agent), Tally()) for agent in agents]
        for tally in tallies:
            tally.seats += 1
        COUNTERS[variant.game].count(Played(play, tallies))
        self.seated[variant, frozenset(agents)] += 1
        self.games += 1

    def __iadd__(self, other: Groups) -> Groups:
        """Add sums; agents beyond the first `MOST_GROUPS` become one."""
        known: dict[tuple[Variant, _Who], _Who] = {}
        for key, tally in other.tallies.items():
            variant, agent = key
            fits = key in self.tallies or len(self.tallies) < MOST_GROUPS
            known[key] = agent if fits else _FURTHER
            mine = self.tallies.setdefault((variant, known[key]), Tally())
            mine += tally
        for (variant, agents), games in other.seated.items():
            self.seated[variant, frozenset(known[variant, agent] for agent in agents)] += games
        self.games += other.games
        for problem in other.left_out:
            self.leave_out(problem)
        self.left += other.left - len(other.left_out)
        return self

    def found(self) -> list[Group]:
        """Return the groups, those with the most seats first."""
        order = sorted(self.tallies.items(),
                       key=lambda item: (-item[1].seats, item[0][1], item[0][0]))
        agents = list(dict.fromkeys(agent for (_, agent), _ in order))
        names = dict(zip(agents, unique([name for name, _ in agents]), strict=True))
        return [
            Group(variant, names[agent], self._games_of(variant, agent), tally.seats,
                  tuple(tally.table(layout) for layout in COUNTERS[variant.game].LAYOUTS))
            for (variant, agent), tally in order]

    def _games_of(self, variant: Variant, agent: _Who) -> int:
        return sum(games for (its, agents), games in self.seated.items()
                   if its == variant and agent in agents)


# ----------------------------------------------------------------------------------- records


def count_files(paths: Sequence[str], *, jobs: int = 1, on_game: OnGame | None = None) -> Groups:
    """Count the games of files of records.

    A game counts once, however often it stands there. Left out are games that did not finish, that
    do not begin with a new game, and whose moves or results are wrong.

    Args:
        jobs: processes; with 1 it is done here.
        on_game: called with the number of games so far.

    Raises:
        OSError: a file cannot be read.
        WorkersError: the processes keep dying.
    """
    total = Groups()
    return _gathered(total, batches(_records(paths, total)), _count_records, jobs, on_game)


_Record = tuple[str, GameRecord]
"""Place of a record in words, and the record."""


def _records(paths: Sequence[str], total: Groups) -> Iterator[_Record]:
    """Yield the finished games; note the others."""
    known = Games()
    for path in dict.fromkeys(paths):
        for entry in read_entries(path):
            fault = _fault(entry)
            if fault:
                total.leave_out(f"{entry.where}: {fault}")
            elif entry.record is not None and not known.add(entry.record, entry.place).same:
                yield entry.where, entry.record


def _fault(entry: Entry) -> str:
    """Return why a game does not count whatever its moves are."""
    record = entry.record
    if record is None:
        return "" if entry.torn else entry.told
    if record.reason != FINISHED:
        return "the game did not finish"
    start = record.start
    new = GAMES[start.game].new(start.board, start.players)
    if _set_up(start) != _set_up(new) or sum(map(sum, start.displays)) != dealt(start):
        return "does not begin with a new game"
    return ""


def _count_records(batch: list[_Record]) -> Groups:
    found = Groups()
    for where, record in batch:
        try:
            play = Play.of(record)
            record.check_end(play.position)
        except PavilionError as error:
            found.leave_out(f"{where}: {first_line(error)}")
            continue
        found.add(play, [who_of(agent) for agent in record.agents])
    return found


# --------------------------------------------------------------------------------- self-play


@dataclass(frozen=True)
class SelfPlay:
    """Games of an agent against itself.

    Attributes:
        agent: spec in all seats.
        games: how many.
        seed: seed from which those of all games follow.
    """

    variant: Variant
    agent: str
    games: int
    seed: int


@dataclass(frozen=True)
class _Some:
    """Some games of self-play, by number."""

    of: SelfPlay
    first: int
    last: int


def count_self_play(asked: SelfPlay, *, jobs: int = 1, on_game: OnGame | None = None) -> Groups:
    """Play games and count them; no record is kept.

    The games depend on `asked` alone, and each on its number.

    Args:
        jobs, on_game: as for `count_files`.

    Raises:
        WorkersError: the processes keep dying.
    """
    tasks = (_Some(asked, first, min(asked.games, first + BATCH))
             for first in range(0, asked.games, BATCH))
    return _gathered(Groups(), tasks, _play, jobs, on_game)


def _play(some: _Some) -> Groups:
    found, asked = Groups(), some.of
    agent, variant = agent_of_process(asked.agent), asked.variant
    for number in range(some.first, some.last):
        seed = derived_seed("stats", asked.seed, number)
        play = Play(GAMES[variant.game].new(variant.board, variant.players, seed), seed=seed)
        while not play.is_over():
            if play.turn is None:
                play.draw()
            else:
                play.push(agent.choose(play, seed=decision_seed(seed, len(play.plies))))
        found.add(play, [who_of({"spec": asked.agent})] * variant.players)
    return found


@dataclass(frozen=True)
class _Numbered:
    """A task with its place among all."""

    number: int
    function: Callable[[Any], Groups]
    task: Any


def _done(one: _Numbered) -> Groups:
    return one.function(one.task)


def _gathered(total: Groups, tasks: Iterator[Any], function: Callable[[Any], Groups],
              jobs: int, on_game: OnGame | None) -> Groups:
    """Do tasks and add up what they found; an interrupt ends that between two of them.

    The order is that of the tasks, since it decides which agents are told apart.
    """
    def add(one: Groups) -> Groups:
        with held() as interrupt:
            total.__iadd__(one)
        if on_game is not None:
            on_game(total.games)
        if interrupt.is_set():
            raise KeyboardInterrupt
        return total

    try:
        if jobs == 1:
            for task in tasks:
                add(function(task))
            return total
        numbered = (_Numbered(number, function, task) for number, task in enumerate(tasks))
        with LocalWorkers(jobs) as workers, closing(in_order(
                results(workers, _done, numbered), lambda one: one.number, 0)) as found:
            for _, one in found:
                add(one)
    except KeyboardInterrupt:
        total.interrupted = True
    return total
