"""Check a file of records: replay every game and compare it with its line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.games import GAMES
from pavilion_ai.match.keys import key_faults
from pavilion_ai.match.ledger import Ledger
from pavilion_ai.match.luck import Luck
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import Seating
from pavilion_ai.match.seeds import pair_seed
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record import FINISHED, UNFINISHED, GameRecord, read_entries

__all__ = ["Verification", "record_faults", "verify"]

@dataclass(frozen=True)
class Verification:
    """The result of checking a file.

    Attributes:
        path: the file.
        games: number of records that could be read.
        problems: one line for each, with file, line number and, if known, the game's id.
        notes: remarks that are not faults, one line for each.
    """

    path: str
    games: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the result as a JSON object."""
        return {
            "file": self.path,
            "games": self.games,
            "problems": list(self.problems),
            "notes": list(self.notes),
        }


def verify(
    path: str | os.PathLike[str], *, on_game: Callable[[int], None] | None = None
) -> Verification:
    """Replay every game of a file and check everything that its line claims.

    Each line must be a record with a unique id. Moves and draws must be legal; scores, winners and
    breakdown must be those of the replay; an unfinished game must give a reason. The games of an
    event (`extra["match"]`) must also start and draw as their seeds determine, have the right
    number of decisions, form pairs (one deal, every seating once), follow the schedule as far as
    the file shows it, and agree on the settings of the event; if they differ, the majority is
    taken as right.

    Args:
        on_game: called after each game with the number of games checked so far.

    Raises:
        OSError: the file cannot be read.
    """
    name = os.fspath(path)
    problems: list[tuple[int, str]] = []  # line number, problem
    ledger = Ledger()
    for entry in read_entries(path):
        record = entry.record
        if entry.torn:
            ledger.notes.append(
                f"{entry.where}: torn, its writing was cut short; it does not count")
        elif record is None:
            of = "" if entry.game is None else f", game {shown(entry.game)}"
            problems.append((entry.line, f"{entry.where}{of}: {entry.fault}"))
        else:
            faults = [*record_faults(record), *ledger.enter(record, entry.line)]
            if record.unused:
                ledger.notes.append(f"{entry.where}, game {shown(record.id)}: not used:"
                                    f" {', '.join(map(shown, record.unused))}")
            problems += [(entry.line, f"{entry.where}, game {shown(record.id)}: {fault}")
                         for fault in faults]
            if on_game is not None:
                on_game(ledger.games)
    problems += [(number, f"{name}, line {number}, game {shown(game)}: {fault}")
                 for number, game, fault in ledger.closing_faults()]
    problems.sort(key=lambda problem: problem[0])
    notes = [*ledger.notes, *ledger.closing_notes()]
    return Verification(name, ledger.games, tuple(text for _, text in problems), tuple(notes))


# ------------------------------------------------------------------------------------ one game

@dataclass(frozen=True)
class _Replay:
    """The result of replaying a record as far as possible."""

    end: Position
    decisions: list[int]
    faults: list[str]
    complete: bool


def record_faults(record: GameRecord) -> list[str]:
    """Return the problems of one record, one line for each."""
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
        faults += record.end_faults(replay.end)
        faults += _ending_faults(record, replay.end)
    if event is not None:
        faults += _event_faults(record, event, replay)
    return faults


def _replay(record: GameRecord, luck: Luck | None) -> _Replay:
    """Play the moves of a record; with `luck`, its draws must match."""
    play = Play(record.start, seed=record.seed)
    decisions = [0] * record.start.players
    faults: list[str] = []
    for number, move in enumerate(record.moves, 1):
        if luck is not None and play.chance:
            drawn, _ = luck.draw(play.position)
            if drawn != move:
                faults.append(f"move {number}: expected the draw of the seed, {drawn}, found"
                              f" {shown(move)}")
        seat = play.turn
        try:
            play.push(move)
        except PavilionError as error:
            faults.append(f"move {number}: {str(error).splitlines()[0]}")
            return _Replay(play.position, decisions, faults, complete=False)
        if seat is not None:
            decisions[seat] += 1
    return _Replay(play.position, decisions, faults, complete=True)


def _ending_faults(record: GameRecord, end: Position) -> Iterator[str]:
    """Check an unfinished game; `GameRecord.end_faults` has checked the others."""
    if record.reason == FINISHED:
        return
    if not record.reason.strip():
        yield "the reason is empty, expected 'finished' or why the game ended otherwise"
    if end.phase == "over":
        yield f"the game is over, expected reason 'finished', found {shown(record.reason)}"
    if record.breakdown:
        yield "found a breakdown, expected none for a game that did not finish"
    if record.reason == UNFINISHED and record.winners:
        yield f"unfinished, but winners say {list(record.winners)}"


# ------------------------------------------------------------------------- one game of an event

def _origin_faults(record: GameRecord, match: Mapping[str, Any]) -> Iterator[str]:
    """Check that seed and start are those of the pair."""
    seed = pair_seed(match["seed"], match["pair"])
    if record.seed != seed:
        yield (f"the seed of pair {shown(match['pair'])} of event {shown(match['seed'])} is {seed},"
               f" seed says {shown(record.seed)}")
    start = record.start
    opening = GAMES[record.game].new(start.board, start.players, record.seed)
    if start != opening:
        yield "the start is not the opening of the seed"


def _event_faults(record: GameRecord, match: Mapping[str, Any], replay: _Replay) -> Iterator[str]:
    """Check id, seats, counts and, if the game was lost by a fault, the loser."""
    seats = range(record.start.players)
    loser = match.get("loser")
    if match["rotation"] not in seats:
        yield f"rotation: expected 0 to {seats[-1]}, found {shown(match['rotation'])}"
    elif record.id != (name := Seating(match["pair"], match["rotation"], ()).id):
        yield f"the id of this game is {shown(name)}"
    if len(set(match["entrants"])) < len(seats):
        yield f"an entrant has two seats: {match['entrants']}"
    if replay.complete:
        # A seat that lost by a fault had one more decision than it made moves.
        decided = [count + (seat == loser) for seat, count in enumerate(replay.decisions)]
        if decided != match["decisions"]:
            yield f"the seats decided {decided} times, decisions say {match['decisions']}"
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
    if replay.complete and replay.end.to_move not in (None, loser):
        yield f"lost by a fault of seat {loser}, but seat {replay.end.to_move} was to move"
