"""Check recorded games, each by itself: replay it and compare it with what its record says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pavilion_ai.errors import PavilionError, first_line, shown
from pavilion_ai.games import GAMES
from pavilion_ai.luck import Luck
from pavilion_ai.match.clocks import clock_faults
from pavilion_ai.match.counts import Counts, counts_of
from pavilion_ai.match.keys import key_faults
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import Seating
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record import FINISHED, UNFINISHED, GameRecord
from pavilion_ai.seeds import pair_seed
from pavilion_ai.workers import batches, results
from pavilion_ai.workers.local import LocalWorkers

Name = TypeVar("Name")


@dataclass(frozen=True)
class Checked:
    """What the replay of a game shows.

    Attributes:
        faults: problems of the record, one line for each.
        counts: what the seats took and built, as far as the game could be replayed.
    """

    faults: tuple[str, ...]
    counts: Counts


def checked(
    games: Iterable[tuple[Name, GameRecord]], jobs: int = 1
) -> Iterator[tuple[Name, GameRecord, Checked]]:
    """Check games, in the order in which their checks end.

    Args:
        games: games, each with a name of the caller's; taken as they are needed.
        jobs: processes; with 1 it is done here.

    Raises:
        WorkersError: the processes keep dying.
        KeyboardInterrupt: a signal came.
    """
    if jobs == 1:
        for name, record in games:
            yield name, record, check(record)
        return
    with LocalWorkers(jobs) as workers:
        for batch, found in results(workers, _check_all, batches(games)):
            for (name, record), one in zip(batch, found, strict=True):
                yield name, record, one


def _check_all(games: list[tuple[Name, GameRecord]]) -> list[Checked]:
    return [check(record) for _, record in games]


def check(record: GameRecord) -> Checked:
    """Check a record."""
    faults: list[str] = []
    match = record.extra.get(MATCH_KEY)
    if match is not None:
        faults = list(key_faults(match, record.start.players))
    event = None if faults else match
    if event is not None:
        faults += _origin_faults(record, event)
    luck = None if event is None else Luck(record.seed, event["rotation"], event["tied"])
    replay = _replay(record, luck)
    faults += replay.faults
    if replay.complete:
        faults += record.end_faults(replay.play.position)
        faults += _ending_faults(record, replay.play.position)
    if event is not None:
        faults += _event_faults(record, event, replay)
    return Checked(tuple(faults), counts_of(replay.play))


@dataclass(frozen=True)
class _Replay:
    """The result of replaying a record as far as possible."""

    play: Play
    decisions: tuple[int, ...]
    faults: tuple[str, ...]
    complete: bool


def _replay(record: GameRecord, luck: Luck | None) -> _Replay:
    """Play the moves of a record; with `luck`, its draws must match."""
    play = Play(record.start, seed=record.seed)
    decisions = [0] * record.start.players
    faults: list[str] = []
    for number, move in enumerate(record.moves, 1):
        if luck is not None and play.chance:
            drawn = luck.draw_in(play.copy())
            if drawn != move:
                faults.append(f"move {number}: found {shown(move)}, expected the draw of the"
                              f" seed, {drawn}")
        seat = play.turn
        try:
            play.push(move)
        except PavilionError as error:
            faults.append(f"move {number}: {first_line(error)}")
            return _Replay(play, tuple(decisions), tuple(faults), complete=False)
        if seat is not None:
            decisions[seat] += 1
    return _Replay(play, tuple(decisions), tuple(faults), complete=True)


def _ending_faults(record: GameRecord, end: Position) -> Iterator[str]:
    """Check an unfinished game; `GameRecord.end_faults` has checked the others."""
    if record.reason == FINISHED:
        return
    if not record.reason.strip():
        yield "the reason is empty, expected 'finished' or why the game ended otherwise"
    if end.phase == "over":
        yield f"reason: found {shown(record.reason)}, expected 'finished', as the game is over"
    sums = [sum(parts.values()) for parts in record.breakdown]
    if sums and sums != list(record.scores):
        yield f"the breakdown adds up to {sums}, scores say {list(record.scores)}"
    if record.reason == UNFINISHED and record.winners:
        yield f"unfinished, but winners say {list(record.winners)}"


# ------------------------------------------------------------------------- one game of an event

def _origin_faults(record: GameRecord, match: Mapping[str, Any]) -> Iterator[str]:
    """Check that seed and start are those of the pair."""
    seed = pair_seed(match["seed"], match["pair"])
    if record.seed != seed:
        yield (f"the seed of pair {shown(match['pair'])} of event {shown(match['seed'])} is {seed},"
               f" seed says {shown(record.seed)}")
    if match.get("opening") is not None:
        return  # a position of somebody's own
    start = record.start
    opening = GAMES[record.game].new(start.board, start.players, record.seed)
    if start != opening:
        yield "the start is not the opening of the seed"


def _event_faults(record: GameRecord, match: Mapping[str, Any], replay: _Replay) -> Iterator[str]:
    """Check id, seats, counts and, if the game was lost by a fault, the loser."""
    seats = range(record.start.players)
    loser = match.get("loser")
    if match["rotation"] not in seats:
        yield f"rotation: found {shown(match['rotation'])}, expected 0 to {seats[-1]}"
    elif record.id != (name := Seating(match["pair"], match["rotation"], ()).id):
        yield f"the id of this game is {shown(name)}"
    if len(set(match["entrants"])) < len(seats):
        yield f"an entrant has two seats: {match['entrants']}"
    if replay.complete:
        # A seat that lost by a fault had one more decision than it made moves.
        decided = [count + (seat == loser) for seat, count in enumerate(replay.decisions)]
        if decided != match["decisions"]:
            yield f"the seats decided {decided} times, decisions say {match['decisions']}"
    yield from clock_faults(record, match)
    if loser is not None:
        yield from _loser_faults(record, loser, replay)
    elif record.reason != FINISHED:
        yield f"ended {shown(record.reason)}, expected 'finished' or a loser"


def _loser_faults(record: GameRecord, loser: int, replay: _Replay) -> Iterator[str]:
    """Check a game that a seat lost by a fault."""
    if record.reason in (FINISHED, UNFINISHED):
        yield f"{record.reason}, but seat {loser} is said to have lost by a fault"
    elif not record.reason.startswith(f"seat {loser}: "):
        yield f"lost by a fault of seat {loser}, the reason says {shown(record.reason)}"
    others = tuple(seat for seat in range(record.start.players) if seat != loser)
    if record.winners != others:
        yield (f"lost by seat {loser}, so won by {list(others)}, winners say"
               f" {list(record.winners)}")
    if replay.complete and replay.play.turn not in (None, loser):
        yield f"lost by a fault of seat {loser}, but seat {replay.play.turn} was to move"
