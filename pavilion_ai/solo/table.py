"""The table of a solo game: a text to copy, from which everybody can play the game again.

It holds only the moves of the person: draws and the moves of the others follow from the challenge.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from pavilion_ai.bounds import MAX_SEED
from pavilion_ai.errors import PavilionError, RecordError, shown
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord
from pavilion_ai.solo.challenge import PERSON, UNOFFICIAL, Challenge, Par, replayed, score
from pavilion_ai.version import __version__
from pavilion_ai.wording import plural, signed

__all__ = ["Table", "check", "outcome", "read_tables", "table_of"]

_WIDTH = 78
# What may stand before a word on its line, as `> `; not ends of lines: that would be quadratic.
_CHALLENGE = re.compile(r"^[^\w\n]*challenge: (\S+), seed ([0-9]{1,20})[^\S\n]*$", re.M)
_LINES = {
    "points": re.compile(r"^[^\w\n]*points: (-?[0-9]{1,6}),", re.M),
    "par": re.compile(r"^[^\w\n]*par: (-?[0-9]{1,6}\.[0-9]) ", re.M),
    "moves": re.compile(r"^[^\w\n]*moves:", re.M),
}
_MOVE = re.compile(r"[A-Za-z][A-Za-z0-9.]*:[A-Za-z0-9>-]+")


@dataclass(frozen=True)
class Table:
    """What a table claims.

    Attributes:
        challenge: what was played.
        points: the person's final score.
        par: mean score of the best agent.
        moves: of the person.
    """

    challenge: Challenge
    points: int
    par: float
    moves: tuple[str, ...]

    def has_par(self, level: Par) -> bool:
        """Tell whether its par is this one, as it is written."""
        return f"{level.points:.1f}" == f"{self.par:.1f}"


def outcome(win: float) -> str:
    """Say how a game ended for the person, by the share of the victory."""
    return "won" if win == 1 else "shared the victory" if win else "lost"


def table_of(record: GameRecord, level: Par) -> str:
    """Return the table of a finished solo game."""
    challenge, play, mine = Challenge.of(record), Play(record.start), []
    for move in record.moves:
        if play.turn == PERSON:
            mine.append(move)
        play.push(move)
    points, win = score(play)
    return "\n".join([
        f"pavilion-ai {__version__}: {UNOFFICIAL}",
        f"challenge: {challenge.kind}, seed {challenge.seed}",
        f"points: {points}, {outcome(win)}",
        f"par: {level.points:.1f} +-{level.points_error:.1f} points, won {100 * level.win:.0f} %"
        f" of {level.games} games",
        f"to par: {signed(points - level.points)} points,"
        f" {signed(100 * (win - level.win), 0)} % to win",
        *textwrap.wrap(f"moves: {' '.join(mine)}", _WIDTH, break_long_words=False,
                       break_on_hyphens=False),
    ]) + "\n"


def read_tables(text: str) -> Iterator[Table]:
    """Yield the tables of a text, which may say other things between them.

    Raises:
        RecordError: a table is incomplete, or its challenge does not exist.
    """
    starts = list(_CHALLENGE.finditer(text))
    if not starts:
        return
    ends = [found.start() for found in starts[1:]] + [len(text)]
    for number, (found, end) in enumerate(zip(starts, ends, strict=True), 1):
        seed = int(found[2])
        if seed > MAX_SEED:
            raise RecordError(f"table {number}: seed: found {seed}, expected at most {MAX_SEED}")
        challenge = Challenge.named(found[1], seed)
        if challenge is None:
            raise RecordError(f"table {number}: challenge: found {shown(found[1])}, expected"
                              " GAME-BOARD-PLAYERS-levelN or GAME-BOARD-PLAYERS-rule")
        part = text[found.end():end]
        lines = {name: line.search(part) for name, line in _LINES.items()}
        points, level, moves = lines.values()
        if points is None or level is None or moves is None:
            missing = next(name for name, line in lines.items() if line is None)
            raise RecordError(f"table {number}: found no line `{missing}:`")
        yield Table(challenge, int(points[1]), float(level[1]),
                    tuple(_moves(part[moves.end():])))


def check(table: Table) -> Iterator[str]:
    """Play the game of a table again, and yield what is wrong with the table, but for par."""
    try:
        play = replayed(table.challenge, table.moves)
    except PavilionError as error:
        yield f"moves: {error}"
        return
    if not play.is_over():
        yield f"moves: the game is not over after {plural(len(table.moves), 'move')}"
        return
    points, _ = score(play)
    if points != table.points:
        yield f"points: found {table.points}, expected {points}"


def _moves(text: str) -> Iterator[str]:
    """Yield the moves up to the first line that holds none."""
    for row in text.splitlines():
        words = [word for word in row.split() if _MOVE.fullmatch(word)]
        if not words:
            if row.strip():
                return
            continue
        yield from words
