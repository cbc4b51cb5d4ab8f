"""The table of a solo game: a text to copy, from which everybody can play the game again.

It holds only the moves of the person: draws and the moves of the others follow from the challenge.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pavilion_ai.bounds import MAX_SEED
from pavilion_ai.errors import PavilionError, RecordError, shown
from pavilion_ai.frozen import freeze
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord
from pavilion_ai.solo.challenge import PERSON, UNOFFICIAL, Challenge, Par, replayed, score
from pavilion_ai.version import __version__
from pavilion_ai.wording import plural, signed

_WIDTH = 78
# What may stand before a word on its line, as `> `; not ends of lines: that would be quadratic.
_CHALLENGE = re.compile(
    r"^[^\w\n]*challenge:\s\W*(\w\S*),\s\W*seed\s\W*([0-9]{1,20})[^\S\n]*$", re.M)
_VERSION = re.compile(r"^[^\w\n]*pavilion-ai (\S{1,30}):", re.M)
_CLAIMS = ("points", "par", "to par")
_WORDS = (*_CLAIMS, "moves")
_WORD = re.compile(rf"^[^\w\n]*({'|'.join(_WORDS)}):", re.M)
_QUOTED = re.compile(r"^\W+")
_QUOTE = re.compile(r"^[^\w%+-]+")  # before a claim, which may continue with such a sign
_MOVE = re.compile(r"[A-Za-z][A-Za-z0-9.]*:[A-Za-z0-9>-]+")


@dataclass(frozen=True)
class Table:
    """What a table claims.

    Attributes:
        challenge: what was played.
        claims: what stands behind `points`, `par` and `to par`, with any remark below it.
        moves: moves of the person.
        version: version of this package that wrote it; empty if it does not say so.
        stray: word behind the moves that is none; its line and what follows are not read.
    """

    challenge: Challenge
    claims: Mapping[str, str]
    moves: tuple[str, ...]
    version: str = ""
    stray: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        freeze(self, "claims")

    def faults(self, points: int, win: float, level: Par) -> Iterator[str]:
        """Yield what it claims wrongly, given how its game ended, and par."""
        for name, expected in _claims(points, win, level).items():
            found = self.claims[name]
            said = found.replace(" +-0.0 ", " ")  # as up to 0.8.0, where all games were equal
            if not f"{said} ".startswith(f"{expected} "):
                yield f"{name}: found {shown(found)}, expected {expected}"


def points_of(level: Par) -> str:
    """Return the points of par, with their error unless all games were equal: that tells none."""
    error = f" +-{level.points_error:.1f}" if level.points_error else ""
    return f"{level.points:.1f}{error} points"


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
    claims = _claims(points, win, level)
    if level.points_error:  # a remark, as nothing behind a claim is compared
        claims["par"] += " (+- standard error)"
    return "\n".join([
        f"pavilion-ai {__version__}: {UNOFFICIAL}",
        f"challenge: {challenge.kind}, seed {challenge.seed}",
        *(f"{name}: {claim}" for name, claim in claims.items()),
        *textwrap.wrap(f"moves: {' '.join(mine)}", _WIDTH, break_long_words=False,
                       break_on_hyphens=False),
    ]) + "\n"


def _claims(points: int, win: float, level: Par) -> dict[str, str]:
    """Return what a table says of the end of a game, by the word that it stands behind."""
    said = (f"{points}, {outcome(win)}",
            f"{points_of(level)}, won {100 * level.win:.0f} % of {level.games} games",
            f"{signed(points - level.points)} points,"
            f" {signed(100 * (win - level.win), 0)} % to win")
    return dict(zip(_CLAIMS, said, strict=True))


def read_tables(text: str) -> Iterator[Table]:
    """Yield the tables of a text, which may say other things between them.

    Raises:
        RecordError: a table is incomplete, or its challenge does not exist.
    """
    starts = list(_CHALLENGE.finditer(text))
    if not starts:
        return
    ends = [found.start() for found in starts[1:]] + [len(text)]
    before = [0, *(found.end() for found in starts)]
    for number, (found, end) in enumerate(zip(starts, ends, strict=True), 1):
        seed = int(found[2])
        if seed > MAX_SEED:
            raise RecordError(f"table {number}: seed: found {seed}, expected at most {MAX_SEED}")
        challenge = Challenge.named(found[1], seed)
        if challenge is None:
            raise RecordError(f"table {number}: challenge: found {shown(found[1])}, expected"
                              " GAME-BOARD-PLAYERS-levelN or GAME-BOARD-PLAYERS-rule")
        part = text[found.end():end]
        words = list(_WORD.finditer(part))
        stops = [*(word.start() for word in words[1:]), len(part)]
        behind = dict[str, str]()
        for word, stop in zip(words, stops, strict=True):
            behind.setdefault(word[1], part[word.end():stop])
        for name in _WORDS:
            if name not in behind:
                raise RecordError(f"table {number}: found no line `{name}:`")
        version = ["", *_VERSION.findall(text, before[number - 1], found.start())][-1]
        moves, stray = _moves(behind["moves"])
        yield Table(challenge, {name: _claim(behind[name]) for name in _CLAIMS}, moves, version,
                    stray)


def finished(table: Table) -> tuple[int, float]:
    """Play the game of a table again; return the person's points and share of the victory.

    Raises:
        RecordError: a move is illegal, or the moves do not lead to the end of the game.
    """
    try:
        play = replayed(table.challenge, table.moves)
    except PavilionError as error:
        raise RecordError(f"moves: {error}") from None
    if not play.is_over():
        unread = (f"; not read: the line with {shown(table.stray)}, which is no move, and what"
                  " follows") if table.stray else ""
        raise RecordError(
            f"moves: the game is not over after {plural(len(table.moves), 'move')}{unread}")
    return score(play)


def _claim(text: str) -> str:
    """Return a claim on one line, however its lines were broken and quoted."""
    words = " ".join(_QUOTE.sub("", row) for row in text.splitlines()).split()
    return " ".join(word for word in words if word == "%" or re.search(r"\w", word))


def _moves(text: str) -> tuple[tuple[str, ...], str]:
    """Return the moves up to the first line that holds another word, and that word."""
    moves = list[str]()
    for row in text.splitlines():
        words = _QUOTED.sub("", row).split()
        for word in words:
            if not _MOVE.fullmatch(word):
                return tuple(moves), word
        moves += words
    return tuple(moves), ""
