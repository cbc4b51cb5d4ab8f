"""The result of one finished game for the statistics, read from its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pavilion_ai.analysis import win_shares
from pavilion_ai.frozen import freeze
from pavilion_ai.match.counts import Counts
from pavilion_ai.record import FINISHED, GameRecord

MATCH_KEY = "match"
"""Key of a record for the data of a match or tournament."""

COLUMNS = (
    ("game", "U"), ("pair", "U"), ("rotation", "i4"), ("seat", "i4"), ("entrant", "i4"),
    ("agent", "U"), ("starter", "?"), ("score", "i4"), ("points", "f8"), ("place", "f8"),
    ("seconds", "f8"), ("decisions", "i4"), ("sims", "i8"), ("fault", "?"), ("reason", "U"),
)
"""Names and numpy types of the columns of `seat_rows`: `U` is text, as wide as needed. `points` is
the share of the victory, `fault` whether the seat lost by a fault of its engine."""


@dataclass(frozen=True)
class Result:
    """One game of an event; tuples are by seat.

    Attributes:
        game: id of the record.
        pair: id of the deal; all games of a pair share the tiles.
        rotation: number of the seating in the pair, from 0.
        entrants: index of the entrant in each seat.
        starter: seat that moved first; in a new game the starting player.
        scores: final scores, as in the record.
        points: shares of the victory, summing to 1.
        places: 1.0 is the best; seats that tie share the mean of their places.
        seconds: thinking time.
        decisions: decisions made.
        sims: simulations spent, 0 for an agent that does not count them.
        loser: seat that lost by a fault of its engine, or None.
        reason: `finished`, or why the game ended otherwise.
        breakdown: parts of the final scores; empty for a game that did not finish.
        counts: what the seats took and built; None if they were not counted.
        course: hash of the start and the moves, equal for games that are the same move for move;
            None if it is not known.
    """

    game: str
    pair: str
    rotation: int
    entrants: tuple[int, ...]
    starter: int
    scores: tuple[int, ...]
    points: tuple[float, ...]
    places: tuple[float, ...]
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    sims: tuple[int, ...]
    loser: int | None
    reason: str
    breakdown: tuple[Mapping[str, int], ...] = ()
    counts: Counts | None = None
    course: int | None = None

    def __post_init__(self) -> None:
        freeze(self, "breakdown")


def seed_told(record: GameRecord) -> int | None:
    """Return the seed of the event that a game says it is of, None if it says none."""
    match = record.extra.get(MATCH_KEY)
    found = match.get("seed") if isinstance(match, Mapping) else None
    return found if type(found) is int else None


def result_of(record: GameRecord, counts: Counts | None = None) -> Result:
    """Return the result of a game that was recorded in an event.

    Args:
        counts: counts of the game, if they are known.

    Raises:
        KeyError: the record was not written by an event.
    """
    match: Mapping[str, Any] = record.extra[MATCH_KEY]
    seats = range(len(record.scores))
    loser, mover = match.get("loser"), record.start.to_move
    return Result(
        game=record.id,
        pair=match["pair"],
        rotation=match["rotation"],
        entrants=tuple(match["entrants"]),
        starter=record.start.start_seat if mover is None else mover,
        scores=record.scores,
        points=win_shares(record.winners, len(record.scores)),
        places=_places([_rank_key(record, seat, loser) for seat in seats]),
        seconds=record.seconds,
        decisions=tuple(match["decisions"]),
        sims=tuple(match["sims"]),
        loser=loser,
        reason=record.reason,
        breakdown=record.breakdown if record.reason == FINISHED else (),
        counts=counts,
        course=hash((record.start, record.moves)),
    )


def _rank_key(record: GameRecord, seat: int, loser: int | None) -> tuple[bool, int, int]:
    """Return the ranking key of a seat, higher is better: victory, final score, complete rows.

    Rows, of which base Azul has points, decide between equal scores there (RULES B9). Whoever did
    not win a game that was lost by a fault ranks alike.
    """
    if loser is not None:
        return seat in record.winners, 0, 0
    parts = record.breakdown[seat] if record.breakdown else {}
    return seat in record.winners, record.scores[seat], parts.get("rows", 0)


def _places(keys: list[tuple[bool, int, int]]) -> tuple[float, ...]:
    """Return the place of each key; equal keys share the mean of their places.

    >>> _places([(False, 30, 0), (True, 50, 2), (False, 30, 0)])
    (2.5, 1.0, 2.5)
    """
    return tuple(
        1 + sum(other > key for other in keys) + (keys.count(key) - 1) / 2 for key in keys
    )


def seat_rows(results: Sequence[Result], names: Sequence[str]) -> Any:
    """Return results as a numpy structured array with `COLUMNS`, a row for each seat of each game.

    Args:
        names: names of the entrants.
    """
    import numpy as np

    rows = [
        (one.game, one.pair, one.rotation, seat, entrant, names[entrant], seat == one.starter,
         one.scores[seat], one.points[seat], one.places[seat], one.seconds[seat],
         one.decisions[seat], one.sims[seat], seat == one.loser, one.reason)
        for one in results for seat, entrant in enumerate(one.entrants)
    ]
    columns = list(zip(*rows, strict=True)) or [() for _ in COLUMNS]
    types = [(name, f"U{max([1, *map(len, map(str, column))])}" if kind == "U" else kind)
             for (name, kind), column in zip(COLUMNS, columns, strict=True)]
    return np.array(rows, types)
