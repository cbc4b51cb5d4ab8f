"""Check a file of records: replay every game and compare it with its line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pavilion_ai.errors import shown
from pavilion_ai.match.checking import checked
from pavilion_ai.match.ledger import Ledger
from pavilion_ai.record import Entry, GameRecord, read_entries
from pavilion_ai.wording import Few, plural

MOST_PROBLEMS = 10_000
"""Problems of a file that are kept; the rest is counted."""


@dataclass(frozen=True)
class Verification:
    """The result of checking a file.

    Attributes:
        path: the file.
        games: number of records that could be read.
        problems: one line for each, with file, line number and, if known, the game's id.
        notes: remarks that are not faults, one line for each.
        more: number of problems beyond the first 10,000, which are only counted.
        foreign: whether nothing in the file is a record or, by an id, meant to be one.
    """

    path: str
    games: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    more: int = 0
    foreign: bool = False

    def to_json(self) -> dict[str, object]:
        """Return the result as a JSON object."""
        more = f"{self.path}: {plural(self.more, 'more problem')}"
        return {
            "file": self.path,
            "games": self.games,
            "problems": [*self.problems, *([more] if self.more else [])],
            "notes": list(self.notes),
        }


def verify(
    path: str | os.PathLike[str], *, jobs: int = 1, on_game: Callable[[int], None] | None = None
) -> Verification:
    """Replay every game of a file and check everything that its line claims.

    Each line must be a record whose id is new, or that of an unfinished game which it continues.
    Moves and draws must be legal; scores, winners and breakdown must be those of the replay; an
    unfinished game must give a reason. The games of an event (`extra["match"]`) must also start and
    draw as their seeds determine, have the right number of decisions, form pairs (one deal, every
    seating once), follow the schedule as far as the file shows it, and agree on the settings of the
    event; if they differ, the majority is taken as right.

    Args:
        jobs: processes that replay games.
        on_game: called after each game with the number of games checked so far.

    Raises:
        OSError: the file cannot be read.
    """
    name = os.fspath(path)
    seen = Few[tuple[int, int, str]](MOST_PROBLEMS)  # line, order on it, problem
    ledger = Ledger()
    foreign = True

    def told(entry: Entry, order: int, faults: Iterable[str]) -> None:
        nonlocal foreign
        foreign = foreign and entry.game is None
        of = "" if entry.game is None else f", game {shown(entry.game)}"
        for fault in faults:
            seen.add((entry.line, order, f"{entry.where}{of}: {fault}"))

    def entries() -> Iterator[tuple[Entry, GameRecord]]:
        for entry in read_entries(path):
            if entry.torn:
                ledger.notes.add(
                    f"{entry.where}: torn, its writing was cut short; it does not count")
            elif entry.record is None:
                told(entry, 0, entry.faults)
            else:
                if entry.record.unused:
                    ledger.notes.add(f"{entry.where}, game {shown(entry.record.id)}: not used:"
                                     f" {', '.join(map(shown, entry.record.unused))}")
                told(entry, 1, ledger.enter(entry.record, entry.line))
                yield replace(entry, record=None), entry.record

    for games, (entry, _, found) in enumerate(checked(entries(), jobs), 1):
        told(entry, 0, found.faults)
        if on_game is not None:
            on_game(games)
    closing = [(number, 2, f"{name}, line {number}, game {shown(game)}: {fault}")
               for number, game, fault in ledger.closing_faults()]
    problems = sorted([*seen.first, *closing], key=lambda problem: problem[:2])
    notes = [*ledger.notes.first, *ledger.closing_notes()]
    lines = tuple(text for *_, text in problems)
    return Verification(name, ledger.games, lines, tuple(notes), seen.more,
                        bool(problems) and foreign and not ledger.games)
